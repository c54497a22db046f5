"""Integers put in order digit by digit, and the functions of NumPy that go by it: compared with NumPy."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import radix_sort
from xlapy.lowering.primitives import long_sorts

RNG = np.random.default_rng(3)
pytestmark = pytest.mark.skipif(jax.default_backend() != "cpu", reason="machine code is for CPUs")
DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
SHAPES = [((256,), 0), ((1000,), 0), ((5000,), 0), ((3, 700), 1), ((700, 3), 0), ((2, 600, 3), 1)]


def numbers(dtype, shape):
    """Numbers of the whole range, and of a small one with many that are equal; all the same."""
    info = np.iinfo(dtype)
    yield RNG.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    yield RNG.integers(max(info.min, -50), 50, shape).astype(dtype)
    yield np.full(shape, info.min, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_order(dtype, shape, axis):
    with jax.enable_x64(True):
        ordered = jax.jit(lambda x: radix_sort.ordered(x, axis))
        places = jax.jit(lambda x: radix_sort.places(x, axis))
        for x in numbers(np.dtype(dtype), shape):
            found = ordered(x)
            assert found.dtype == x.dtype
            np.testing.assert_array_equal(found, np.sort(x, axis))
            np.testing.assert_array_equal(places(x), np.argsort(x, axis, kind="stable"))


def floats(dtype):
    x = RNG.normal(size=3000).astype(dtype)
    x[::7], x[1::11], x[2::13], x[3::17], x[4::19] = np.nan, np.inf, -np.inf, 0.0, -0.0
    x[6::29] = x[8]
    return x


@pytest.mark.parametrize("dtype", [*DTYPES, "f4", "f8"])
def test_functions_that_sort(dtype, monkeypatch):
    called = []
    for name in ("ordered", "places"):
        original = getattr(radix_sort, name)
        monkeypatch.setattr(radix_sort, name, lambda *a, f=original, n=name: (called.append(n), f(*a))[1])

    def program(x):
        y = x.copy()
        y.sort()
        columns = x.reshape(1000, 3)
        order = np.argsort(x, kind="stable")
        return (
            y,
            np.sort(columns, axis=0),
            order,
            np.argsort(columns, axis=0, kind="stable"),
            np.unique(x, return_counts=True),
            np.partition(x, 50)[50],
            np.median(columns, axis=0),
            np.searchsorted(y, x[:5]),
        )

    x = floats(dtype) if dtype[0] == "f" else next(numbers(np.dtype(dtype), (3000,)))
    with np.errstate(all="ignore"):
        wanted = program(x)
    for got, want in zip(jax.tree.leaves(xlapy.jit(program, returns="numpy")(x)), jax.tree.leaves(wanted), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)
    assert {"ordered", "places"} <= set(called)


def test_in_loops_and_where_jax_transforms_the_program():
    def program(x):
        total = 0.0
        for k in range(3):
            y = np.sort(x * (k + 1.0))
            total += y[k] * y[-1] + x[np.argsort(x, kind="stable")[k]]
        return total

    x = RNG.normal(size=400)
    np.testing.assert_allclose(xlapy.jit(program)(x), program(x), rtol=1e-12)
    with jax.enable_x64(True):
        many = np.stack([x, x[::-1], -x])
        np.testing.assert_allclose(jax.vmap(xlapy.jit(program))(many), [program(row) for row in many], rtol=1e-12)
    step = 1e-6 * RNG.normal(size=400)
    slope = np.asarray(xlapy.grad(program)(x)) @ step
    np.testing.assert_allclose(slope, (program(x + step) - program(x - step)) / 2, rtol=1e-4)


def test_a_saved_program_does_without(tmp_path):
    pytest.importorskip("flatbuffers")
    x = RNG.normal(size=1000)
    xlapy.jit(lambda x: (np.sort(x), np.argsort(x, kind="stable"))).lower(x).save(tmp_path / "saved")
    ordered, places = xlapy.load(tmp_path / "saved")(x)
    np.testing.assert_array_equal(ordered, np.sort(x))
    np.testing.assert_array_equal(places, np.argsort(x, kind="stable"))
    assert long_sorts.many(x)
