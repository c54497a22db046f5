"""Largest and smallest elements and their places, in arrays that XLA treats differently by their size."""

import numpy as np
import pytest

import xlapy

RNG = np.random.default_rng(11)
SHAPES = [(5,), (5000,), (70_000,), (90, 80), (3, 30_000), (40_000, 3), (7, 60, 110)]
FUNCTIONS = [np.max, np.min, np.ptp, np.argmax, np.argmin]


def numbers(shape, dtype):
    if dtype == "?":
        return RNG.random(shape) > 0.99
    return (RNG.random(shape) * 100 - (50 if dtype != "uint8" else 0)).astype(dtype)


def same(function, *arrays):
    compiled = xlapy.jit(function)
    for x in arrays:
        expected, found = function(x), compiled(x)
        for a, b in zip(*((r if isinstance(r, list) else [r]) for r in (expected, found)), strict=True):
            assert np.asarray(b).dtype == np.asarray(a).dtype
            np.testing.assert_array_equal(b, a)


@pytest.mark.parametrize("dtype", ["float64", "int64", "uint8", "?"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_along_each_dimension(shape, dtype):
    axes = (None, *range(len(shape)))

    def places(x):
        return [f(x, axis=axis) for axis in axes for f in (np.argmax, np.argmin, np.max, np.min)]

    same(places, numbers(shape, dtype))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_not_a_number_is_found(shape, dtype):
    """XLA's maxima of many floats lose it."""
    arrays = []
    for place in (0, -1, -3, RNG.integers(np.prod(shape))):
        x = numbers(shape, dtype)
        x.flat[[place, -1]] = np.nan
        arrays.append(x)

    def everything(x):
        return [*(f(x) for f in FUNCTIONS), *(f(x, axis=x.ndim - 1, keepdims=True) for f in FUNCTIONS)]

    same(everything, *arrays)


def test_equal_and_infinite_elements():
    def everything(x):
        return [*(f(x) for f in FUNCTIONS), *(f(x.reshape(100, 90), axis=1) for f in FUNCTIONS)]

    mixed = np.zeros(9000)
    mixed[[5, 8000]], mixed[[6, 8999]] = np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        same(everything, mixed, *(np.full(9000, value) for value in (0.0, np.inf, -np.inf, np.nan)))


def test_initial_where_and_methods():
    x = numbers((100, 100), "float64")
    x[3, 4] = np.nan
    for hidden in (True, False):
        mask = RNG.random((100, 100)) > 0.5
        mask[3, 4] = not hidden

        def masked(x, mask=mask):
            return [f(x, initial=3.0, axis=axis, where=mask) for f in (np.max, np.min) for axis in (None, 0)]

        same(masked, x)
    same(lambda x: [np.maximum.reduce(x), np.nanmax(x), x.max(axis=1), np.maximum.reduce(x, axis=None)], x)
    same(lambda x: x[x > 0].max(), np.abs(numbers(9000, "float64")))
    same(lambda x: x[x != 1.0].min(), np.where(np.arange(9000) == 77, np.nan, 5.0))


@pytest.mark.parametrize("order", [np.inf, -np.inf, 1, -1, None, 2, "fro"])
def test_norms(order):
    for x in (numbers((100, 100), "float64"), numbers((5000, 2), "float64")):
        for place in (None, (7, 1)):
            if place is not None:
                if order == 2:
                    continue
                x[place] = np.nan
            expected, found = np.linalg.norm(x, order), xlapy.jit(np.linalg.norm)(x, order)
            np.testing.assert_allclose(found, expected, rtol=1e-10)
            if order != "fro":
                vector = x.ravel()
                np.testing.assert_allclose(
                    xlapy.jit(np.linalg.norm)(vector, order), np.linalg.norm(vector, order), rtol=1e-10
                )


def test_in_a_loop():
    def program(x, n):
        total = 0
        for i in range(n):
            total += x[i].argmax() + x[:, i].argmin()
            x[i] -= x[i].max()
        return total, x

    for n in (20, 200):
        ours, theirs = (np.sin(np.arange(n * n * 1.0)).reshape(n, n) for _ in range(2))
        assert int(xlapy.jit(program)(ours, n)[0]) == program(theirs, n)[0]
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)
