"""Masks of some lanes in a row, of which not all are chosen: what machine code stores and adds up."""

import jax
import numpy as np
import pytest

import xlapy

pytestmark = pytest.mark.skipif(jax.default_backend() != "cpu", reason="machine code is for CPUs")
RNG = np.random.default_rng(0)
X, MASK = RNG.normal(size=60), RNG.random(60) < 0.5


def stored_where_a_mask_says(x, mask, n):
    x = x.copy()
    for i in range(n):
        k = (i * 7) % 50
        y = x[:k]
        y[mask[:k]] = i
    return x


def stored_where_itself_says(x, mask, n):
    x = x.copy()
    for i in range(n):
        k = (i * 11) % 50
        y = x[3:k]
        y[y > 0.5] -= i
        y[x[: max(k - 3, 0)] < 0] *= 2
    return x


def selected_and_excluded(x, mask, n):
    keep = np.ones(mask.sum(), bool)
    for k in range(n):
        if x[k] > 0:
            near = (x < x[k])[mask]
            keep[near] = False
    return keep


def added_where_a_mask_says(x, mask, n):
    total = np.zeros(n)
    for i in range(n):
        k = (i * 7) % 50
        total[i] = np.sum(x[:k], where=mask[:k]) + x[:k][mask[:k]].sum() + np.sum(np.where(mask[:k], x[:k], 0))
    return total


FUNCTIONS = [stored_where_a_mask_says, stored_where_itself_says, selected_and_excluded, added_where_a_mask_says]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_programs(function):
    for n in (9, 40):
        found = xlapy.jit(function, returns="numpy")(X, MASK, n)
        np.testing.assert_allclose(found, function(X, MASK, n), rtol=1e-13)
