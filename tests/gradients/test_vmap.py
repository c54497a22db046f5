"""`xlapy.vmap` of ordinary programs against a loop over the lanes: results, their types, and the exception raised."""

import math

import jax
import numpy as np
import pytest

import xlapy

LANES = np.array(
    [[1.1, 0.5, 1.9, 0.8], [0.3, 1.3, 0.9, 1.7], [2.1, 0.2, 0.4, 0.6], [0.9, 1.0, 1.1, 1.2], [0.05, 3.0, 0.2, 0.1]]
)


def number_of_python_or_numpy(x):
    if x[0] > 1:
        return x[0]
    return 0.0


def integer_or_array_element(x):
    return x[0] if x[1] > 1 else 1


def sums_of_some(x):
    out = []
    for v in x:
        if v > 0.5:
            out.append(v)
    return sum(out), len(out)


def broken_off(x):
    s = 0.0
    for i in range(int(x[0] * 3)):
        s += i * x[1]
        if s > 3:
            break
    else:
        s = -1.0
    return s


def caught(x):
    s = 0.0
    try:
        if x[0] > 2:
            raise ValueError("large")
        for i in range(6):
            s += x[i]
    except IndexError:
        s += 100
    except ValueError:
        s = 2 * x[0]
    return s


def views_in_containers(x):
    return (x[0], [x[1], {"rest": x[2:], "turned": x.reshape(2, 2).T}])


def written(x):
    y = x.copy()
    y[y > 1] = 0
    i = int(np.argmax(x))
    y[i:] += x[i]
    np.add.at(y, (x * 1.2).astype(int), 1.0)
    return y, i


class Counter:
    def __init__(self, value):
        self.value, self.n = value, 0

    def step(self):
        self.value = self.value * 2
        self.n += 1


def an_object(x):
    counter = Counter(x[0])
    while counter.value < 10:
        counter.step()
    return counter.value, counter.n


PROGRAMS = [
    number_of_python_or_numpy,
    integer_or_array_element,
    sums_of_some,
    broken_off,
    caught,
    views_in_containers,
    written,
    an_object,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_results(function):
    rows = [jax.tree.leaves(function(x.copy())) for x in LANES]
    found = xlapy.vmap(function)(LANES.copy())
    assert jax.tree.structure(found) == jax.tree.structure(function(LANES[0].copy()))
    for column, lane in zip(zip(*rows, strict=True), jax.tree.leaves(found), strict=True):
        expected = np.array(column)
        assert lane.dtype == expected.dtype
        np.testing.assert_allclose(lane, expected, rtol=1e-12)


def raises_itself(x):
    if x[0] > 2:
        raise ValueError(f"lane {x[0]:.2f}")
    if x[0] < 0.1:
        raise KeyError("small")
    return x[0]


def index_error(x):
    return x[int(x[1] * 2)]


def domain_error(x):
    if x[2] <= 0.3:
        raise AssertionError("too small")
    return math.sqrt(x[0] - 0.2)


@pytest.mark.parametrize("function", [raises_itself, index_error, domain_error], ids=lambda f: f.__name__)
def test_the_exception_is_that_of_the_first_lane_that_raises(function):
    mapped = xlapy.vmap(function)
    for lanes in (LANES, LANES[::-1].copy()):
        with pytest.raises(Exception) as expected:  # noqa: PT011
            [function(x) for x in lanes]
        with pytest.raises(expected.type) as found:
            mapped(lanes)
        assert found.value.args == expected.value.args


def draws(seed):
    random = np.random.default_rng(seed)
    found, x = np.empty((40, 2)), 0.0
    for k in range(40):
        new = x + random.normal()
        if random.random() < np.exp(x * x - new * new):
            x = new
        found[k] = x, x * x
    return found


def test_lanes_draw_what_their_seeds_say():
    one, seeds = xlapy.jit(draws), np.arange(4)
    expected = [np.asarray(one(int(seed))) for seed in seeds]
    np.testing.assert_allclose(xlapy.vmap(draws)(seeds), expected, rtol=1e-12)
    assert len({float(lane[-1, 0]) for lane in expected}) == len(seeds)
