"""Lanes that a mask selects, moved to the front: in loops that do one or several of them in a trip."""

import numpy as np
import pytest

import xlapy


@pytest.mark.parametrize("size", [1, 511, 512, 513, 519, 520, 5000])
@pytest.mark.parametrize("which", ["none", "all", "some", "last", "first"])
def test_selections(size, which):
    random = np.random.default_rng(size)
    x = random.standard_normal(size)
    mask = {"none": x > 99, "all": x < 99, "some": x > 0.3}.get(which, np.zeros(size, bool))
    if which in ("last", "first"):
        mask[-1 if which == "last" else 0] = True

    def selected(x, mask):
        return x[mask], np.flatnonzero(mask), (x * 100).astype(np.int8)[mask], np.where(mask, x, 0)[mask]

    for got, expected in zip(xlapy.jit(selected)(x, mask), selected(x, mask), strict=True):
        assert np.asarray(got).dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)


def test_a_selection_outlives_the_next_call():
    """It may be the front of what the program made, without a copy."""
    positive = xlapy.jit(lambda x: x[x > 0])
    x = np.abs(np.random.default_rng(0).standard_normal(100_000)) + 1.0
    first = positive(x)
    rest = [positive(-x), positive(2 * x)]
    np.testing.assert_array_equal(first, x)
    np.testing.assert_array_equal(rest[1], 2 * x)
    assert rest[0].shape == (0,)


def test_derivatives():
    x = np.random.default_rng(0).standard_normal(1000)
    slopes = xlapy.grad(lambda x: (x[x > 0] ** 2).sum())(x)
    np.testing.assert_allclose(slopes, np.where(x > 0, 2 * x, 0), rtol=1e-14)
