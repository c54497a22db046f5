"""Elements that trips before have stored, and values that are stored and handed on."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.ir import verify
from xlapy.passes import optimise
from xlapy.passes.costs import is_read
from xlapy.passes.scalar_replacement import carry_stored

from .programs import check_in_place, operations, program
from .test_faster import array_copies


def one_before(x):
    for i in range(1, len(x)):
        x[i] = x[i] + 2 * x[i - 1]
    return x


def two_before(x):
    y = np.zeros_like(x)
    y[:2] = x[:2]
    for i in range(2, len(x)):
        y[i] = x[i] - 3 * y[i - 2] + y[i - 1]
    return y


def from_the_end(x):
    for i in range(len(x) - 2, -1, -1):
        x[i] -= 2 * x[i + 1]
    return x


def in_steps(x):
    for i in range(0, len(x) - 5, 2):
        x[i + 4] = x[i] * 2 + x[i + 2]
    return x


def stored_twice(x):
    for i in range(1, len(x) - 1):
        x[i] = x[i - 1] + 1
        x[i + 1] = x[i] * 2
    return x


def stored_elsewhere(x):
    """The last store is in the way of the one before it where `i` is 3."""
    for i in range(1, len(x)):
        x[i] = x[i - 1] + 1
        x[3] = 7
    return x


def at_a_place_from_data(x):
    at = x % len(x)
    for i in range(1, len(x)):
        x[i] = x[i - 1] + 1
        x[at[i]] = i
    return x


def by_a_step_from_data(x):
    step = 1 if x.sum() > 0 else 2
    for i in range(2, len(x)):
        x[i] = x[i - step] + 1
    return x


def in_a_table(x):
    n = len(x)
    table = np.zeros((n + 1, n + 1), x.dtype)
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            table[i, j] = max(table[i, j - 1], table[i - 1, j] + x[j - 1], table[i - 1, j - 1] - x[i - 1])
    return table


def across(x):
    """The loop inside goes along the other axis."""
    n = len(x)
    table = np.arange(n * n).reshape(n, n) % 7
    for j in range(1, n):
        for i in range(1, n):
            table[i, j] = table[i - 1, j] + 2 * table[i, j - 1] - table[i, j]
    return table


def under_a_condition(x):
    for i in range(1, len(x)):
        if x[i] % 2:
            x[i] = x[i - 1] + 1
    return x


def left_early(x):
    last = 0
    for i in range(1, len(x)):
        x[i] = x[i - 1] + x[i] % 3
        last = x[i]
        if last > 20:
            break
    return last, x


PROGRAMS = (
    one_before,
    two_before,
    from_the_end,
    in_steps,
    stored_twice,
    stored_elsewhere,
    at_a_place_from_data,
    by_a_step_from_data,
    in_a_table,
    across,
    under_a_condition,
    left_early,
)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(function):
    for n in (1, 2, 3, 4, 7, 12):
        for seed in (0, 1):
            x = np.random.default_rng(seed).integers(-5, 20, n)
            if function is stored_elsewhere and n < 4:
                continue
            check_in_place(function, xlapy.jit(function), x)


def loads(function, *, carried):
    """How many loads are left in the innermost loops of a function."""
    module, _ = program(function, (np.arange(9),))
    optimise(module)
    region = module.entry
    if carried:
        carry_stored(region)
        verify(module)
    bodies = [loop.regions[0].operations for loop in operations(region) if loop.kind == "for"]
    return sum(is_read(o) for body in bodies if not any(inner.kind == "for" for inner in body) for o in body)


@pytest.mark.parametrize(
    ("function", "saved"),
    [
        (one_before, 1),
        (two_before, 2),
        (from_the_end, 1),
        (in_steps, 2),
        (stored_twice, 1),
        (stored_elsewhere, 0),
        (at_a_place_from_data, 0),
        (by_a_step_from_data, 0),
        (in_a_table, 1),
        (across, 1),
    ],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_what_is_not_loaded_again(function, saved):
    assert loads(function, carried=False) - loads(function, carried=True) == saved


def handed_on(x):
    last = before = 0.0
    for i in range(1, len(x) - 1):
        before += last
        last = 0.25 * (x[i - 1] + x[i + 1])
        x[i] = last
    return last, before, x


def halved(x):
    last = 0.0
    for i in range(len(x)):
        last = x[i] * 0.5
        x[i] = last
    return last, x


def used_and_stored(x):
    total = 0.0
    for i in range(len(x) - 1):
        value = x[i + 1] * 0.5
        x[i] = value
        total += value * value
    return total, x


def smallest(x):
    least = 255
    for i in range(1, len(x)):
        least = min(x[i], x[i - 1])
        x[i] = least
    return least, x


SHARED = [
    (handed_on, np.float64),
    (halved, np.float64),
    (halved, np.float32),
    (used_and_stored, np.float64),
    (smallest, np.uint8),
]


@pytest.mark.parametrize(("function", "dtype"), SHARED)
def test_what_is_stored_and_handed_on(function, dtype):
    """NaN and infinity are numbers like others to the predicate that keeps XLA from computing the value twice."""
    x = np.arange(100).astype(dtype)
    if dtype is not np.uint8:
        x[40], x[70] = np.nan, np.inf
    expected, mine = x.copy(), x.copy()
    with np.errstate(invalid="ignore"):
        wanted = function(expected)
    jax.tree.map(np.testing.assert_allclose, xlapy.jit(function)(mine), wanted)
    np.testing.assert_allclose(mine, expected)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="what XLA's CPU backend copies")
@pytest.mark.parametrize(("function", "dtype"), SHARED)
def test_no_array_is_copied_in_a_trip(function, dtype):
    assert array_copies(function, (np.ones(1234, dtype),), 1234) <= 1
