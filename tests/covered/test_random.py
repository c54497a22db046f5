"""Distributions: types and shapes are NumPy's, and samples look as if drawn from NumPy's distribution."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

import xlapy

from . import random_calls

N = 4000
#: the chance that a right distribution fails: one in a hundred thousand a column
LEVEL = 1e-5


def program(name: str, call: str):
    """A function of a seed that draws."""
    start = "r = np.random.default_rng(seed)" if name.startswith("Generator") else "np.random.seed(seed)"
    source = f"def program(seed):\n    n = {N}\n    {start}\n    return {call}"
    space: dict = {"np": np}
    exec(compile(source, f"<{call}>", "exec"), space)
    return space["program"]


def columns(sample: np.ndarray) -> np.ndarray:
    return sample.reshape(len(sample), -1).T.astype(float)


@pytest.mark.parametrize("name", [n for n in random_calls.CALLS if n.startswith("Generator")])
def test_distribution(name):
    for call in random_calls.CALLS[name]:
        expected = np.asarray(program(name, call)(1))
        sample = np.asarray(xlapy.jit(program(name, call))(2))
        assert (sample.dtype, sample.shape) == (expected.dtype, expected.shape), call
        if len(sample) == N:
            worst = min(stats.ks_2samp(a, b).pvalue for a, b in zip(columns(expected), columns(sample), strict=True))
            assert worst > LEVEL, call
        else:
            assert len(np.unique(sample)) > 1, call


@pytest.mark.parametrize("name", [n for n in random_calls.CALLS if n.startswith("np.random")])
def test_legacy_types(name):
    for call in random_calls.CALLS[name]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = np.asarray(program(name, call)(1))
        cache = xlapy.jit(program(name, call))._xlapy_cache.cache
        found = cache.analyse(cache.binder.bind((2,), {})).module.entry.results[0].type
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), call
