"""Lists of many numbers come back as `jax.Array`s, each of the type that it would have alone."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import TOGETHER
from xlapy.runtime import output_splitting
from xlapy.runtime.output_splitting import Adopted

LONG = 3 * TOGETHER + 5


@pytest.fixture(params=["one by one", "together"])
def together(request, monkeypatch):
    """Whether rows are made many at a time."""
    monkeypatch.setattr(output_splitting, "_WORTH", -1 if request.param == "together" else 1 << 60)
    return request.param == "together"


def same(found, expected):
    """Alike in all that a `jax.Array` is."""
    assert len(found) == len(expected)
    for one, two in zip(found, expected, strict=True):
        assert isinstance(one, jax.Array)
        assert type(one) is type(two)
        for attribute in ("shape", "dtype", "weak_type", "committed", "sharding"):
            assert getattr(one, attribute) == getattr(two, attribute)
        assert np.asarray(one).tobytes() == np.asarray(two).tobytes()


ARRAYS = [
    np.array([0.0, -0.0, np.nan, np.inf] * (LONG // 4)),
    np.arange(LONG) - 2**62,
    np.arange(LONG) % 3 == 0,
    np.arange(LONG, dtype=np.float32),
    np.arange(LONG, dtype=np.uint8),
    np.arange(LONG) * 1j,
    np.arange(6.0 * LONG).reshape(LONG, 2, 3),
    np.arange(LONG * 100).reshape(LONG, 100),
    np.zeros((LONG, 0)),
    np.arange(TOGETHER * 2.0),
    np.arange(TOGETHER - 1.0),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype}{a.shape}")
def test_rows(array, together):
    with jax.enable_x64(True):
        expected = [jax.numpy.asarray(row) for row in array]
    same(list(Adopted(array)), expected)
    same([Adopted(array)[k] for k in range(len(array))], expected)


NUMBERS = [np.arange(LONG) / 3, np.arange(LONG), np.arange(LONG) % 2 == 0, np.arange(LONG) * 2j]


@pytest.mark.parametrize("numbers", NUMBERS, ids=lambda a: a.dtype.name)
def test_numbers_of_pythons(numbers, together):
    compiled = xlapy.jit(lambda x: x.tolist(), returns="jax")
    expected = xlapy.jit(lambda x: x[:3].tolist(), returns="jax")(numbers)
    for _ in range(2):
        found = compiled(numbers)
        assert type(found) is list
        same(found[:3], expected)
        assert [x.item() for x in found] == numbers.tolist()


@pytest.mark.parametrize("kind", [float, int, complex])
def test_numbers_of_weak_type(kind, together):
    numbers = [kind(k) / 2 if kind is not int else k for k in range(LONG)]
    found = list(Adopted(np.array(numbers), weak=True))
    assert [x.item() for x in found] == numbers
    with jax.enable_x64(True):
        same(found[:3], [jax.numpy.asarray(n) for n in numbers[:3]])
    few = numbers[:20]  # of more, a loop makes numbers that are not
    scaled = xlapy.jit(lambda numbers: [n * 2 for n in numbers], returns="jax")(few)
    assert [x.item() for x in scaled] == [n * 2 for n in few]
    assert all(x.weak_type for x in scaled)


def grown(x):
    out, where = [], {}
    for k in range(len(x)):
        if x[k] > 0:
            out.append(x[k] * 2)
            where[k] = x[k]
    return out, where


def test_lists_and_dicts_that_grow(together):
    x = np.random.default_rng(0).standard_normal(4 * LONG)
    compiled = xlapy.jit(grown, returns="jax")
    for values in (x, x[::-1].copy(), -np.abs(x)):
        (out, where), (expected, there) = compiled(values), grown(values)
        assert [v.item() for v in out] == [float(v) for v in expected]
        assert [(k, v.item()) for k, v in where.items()] == [(k, float(v)) for k, v in there.items()]
        assert all(
            isinstance(v, jax.Array) and v.dtype == np.float64 and not v.weak_type for v in [*out, *where.values()]
        )


def test_while_jax_traces_something_else(together):
    compiled, x = xlapy.jit(lambda x: [x[k] for k in range(len(x))], returns="jax"), np.arange(LONG) / 2

    def traced(y):
        found = compiled(x)
        assert not any(isinstance(v, jax.core.Tracer) for v in found)
        return y * float(found[-1])

    assert float(jax.jit(traced)(2.0)) == x[-1] * 2
    assert float(jax.grad(lambda y: sum(compiled(y)) * 2)(jax.numpy.asarray(x))[3]) == 2


def test_a_number_that_is_mixed_with_others(together):
    """Numbers of one array of which some stay on the host."""

    def mixed(x, box):
        numbers = x.tolist()
        box.append(numbers[1])
        if numbers[0] > 2:
            raise ValueError(numbers[2])
        return numbers

    one, two, x = [], [], np.arange(LONG) / 2
    assert [v.item() for v in xlapy.jit(mixed, returns="jax")(x, one)] == mixed(x, two)
    assert one == two
    assert type(one[0]) is float
    with pytest.raises(ValueError, match="4.0"):
        xlapy.jit(mixed, returns="jax")(x + 3, [])
