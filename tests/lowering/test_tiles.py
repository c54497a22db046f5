"""Permuted arrays, in the order of loops that suits their memory."""

import itertools

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import value_storage

pytestmark = pytest.mark.skipif(jax.default_backend() != "cpu", reason="machine code is for CPUs")
RNG = np.random.default_rng(3)


@pytest.fixture
def axes(monkeypatch):
    """The axes whose loops are moved, in programs that are written."""
    found = []
    original = value_storage.over_tiles

    def watched(text, shape, axis, dtype, visit):
        found.append(axis)
        original(text, shape, axis, dtype, visit)

    monkeypatch.setattr(value_storage, "over_tiles", watched)
    return found


def permuted(a):
    return [np.transpose(a, order).copy() for order in itertools.permutations(range(3))]


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "bool"])
@pytest.mark.parametrize("shape", [(13, 17, 31), (9, 64, 128)], ids=str)
def test_permutations(shape, dtype, axes):
    """Of lengths that make rows lie at any distance, and at powers of two: (0, 1, 2) and (1, 0, 2) keep rows."""
    a = (RNG.normal(size=shape) * 3).astype(dtype)
    for got, wanted in zip(xlapy.jit(permuted, returns="numpy")(a), permuted(a), strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)
    assert 0 in axes and ((1 in axes) == (shape[2] == 128 and dtype in ("float64", "complex128")))


def in_blocks(a, b, out):
    """Rows at powers of two, of numbers of bytes that are none of rows in a block, and longer than a block."""
    out[...] = a.T * 2 + b
    return a.T + 1, (a.T[3:, ::2] - a.T[:-3, 1::2])[..., None]


def test_arithmetic_of_transposes(axes):
    a, b = RNG.normal(size=(1030, 256)), RNG.normal(size=(256, 1030))
    one, other = np.zeros_like(b), np.zeros_like(b)
    for got, wanted in zip(xlapy.jit(in_blocks, returns="numpy")(a, b, one), in_blocks(a, b, other), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-15)
    np.testing.assert_allclose(one, other, rtol=1e-15)
    assert axes


def of_itself(a):
    """A transpose that is written where it is read."""
    a[...] = a.T + np.swapaxes(a, 0, 1)
    return a[0]


def test_written_where_it_is_read():
    one = RNG.normal(size=(128, 128))
    other = one.copy()
    np.testing.assert_array_equal(xlapy.jit(of_itself, returns="numpy")(one), of_itself(other))
    np.testing.assert_array_equal(one, other)
