"""Machine code leaves out what no result needs, and takes what it has computed in the place of what suits XLA."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.runtime import native_calls

X = np.random.default_rng(0).random((150, 150))


def masked(x, n):
    m, s = x > 0.5, 0.0
    for i in range(n):
        s += x[i, i] * s + x[i, 0]
    return x[m].mean(), x[~m].std(), x[m].var(), s


def masked_by_rows(x, n):
    s = 0.0
    for i in range(n):
        s += x[i, i] * s
    return np.mean(x, axis=1, where=x > 0.25), np.sum(x, axis=0, where=x < 0.5), s


def least_of_some(x, n):
    s = 0.0
    for i in range(n):
        s += x[i, i] * s
    return x[x > 0.25].max(), x[x > 0.25].min(), np.max(x, axis=1, where=x < 0.75, initial=0.0), s


def windows(x, k):
    out = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[max(0, i - k) : i + k + 1, max(0, j - k) : j + k + 1].mean()
    return out


@pytest.mark.parametrize("function", [masked, masked_by_rows, least_of_some, windows])
@pytest.mark.parametrize("x", [X, X[:7, :7].copy()])
def test_of_large_and_small_arrays(function, x):
    found = xlapy.jit(function)(x, 3)
    expected = function(x, 3)
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
        assert one.dtype == np.asarray(other).dtype


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="machine code is for CPUs")
def test_sparse_rows_times_an_array_that_was_made_inside(monkeypatch):
    def times(starts, places, factors, x):
        made = np.zeros(len(starts) - 1)
        for i in range(len(starts) - 1):
            a, b = starts[i], starts[i + 1]
            made[i] = factors[a:b] @ x[places[a:b]]
        return made

    def power(starts, places, factors, x, n):
        for _ in range(n):
            x = times(starts, places, factors, x)
            x = times(starts, places, factors, x / np.sqrt(x @ x))
        return x

    found = []
    original = native_calls.whole_as_machine_code
    monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *a: found.append(original(*a)) or found[-1])
    rng = np.random.default_rng(1)
    starts = np.arange(301, dtype=np.int32) * 200
    args = starts, rng.integers(0, 300, 60000).astype(np.int32), rng.random(60000), rng.random(300), 3
    np.testing.assert_allclose(xlapy.jit(power)(*args), power(*args), rtol=1e-12)
    assert found and None not in found
