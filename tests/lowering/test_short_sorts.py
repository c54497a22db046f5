"""The networks sort: every sequence of zeros and ones, which is enough for every sequence (Knuth, 5.3.4)."""

import itertools

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.primitives.short_sorts import exchanges


@pytest.mark.parametrize("count", range(2, 17))
def test_every_sequence_of_zeros_and_ones(count):
    rows = np.array(list(itertools.product((0, 1), repeat=count)), np.int8).T
    for low, high in exchanges(count):
        assert 0 <= low < high < count
        rows[[low, high]] = np.minimum(rows[low], rows[high]), np.maximum(rows[low], rows[high])
    assert (rows[1:] >= rows[:-1]).all()


def test_derivatives():
    x = np.random.default_rng(0).normal(size=(20, 7))
    weights = np.arange(7.0)
    with jax.enable_x64(True):
        slope = np.asarray(xlapy.grad(lambda x: (np.sort(x, axis=1) * weights).sum() + np.median(x, axis=1).sum())(x))
    ranks = np.argsort(np.argsort(x, axis=1), axis=1)
    np.testing.assert_allclose(slope, weights[ranks] + (ranks == 3))
