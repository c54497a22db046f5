"""Random numbers in machine code: the same streams as XLA's, of all kinds that it draws."""

import jax
import numpy as np
import pytest
import scipy.special

import xlapy
from xlapy.lowering import evaluate
from xlapy.runtime import native_calls

pytestmark = pytest.mark.skipif(jax.default_backend() != "cpu", reason="machine code is for CPUs")


def one_by_one(n):
    rng = np.random.default_rng(3)
    out = np.zeros(n)
    for i in range(n):
        out[i] = rng.normal() + 10 * rng.random() - rng.exponential() + rng.integers(0, 100) + rng.uniform(2, 3)
    return out


def many_at_once(n):
    rng = np.random.default_rng(n)
    return rng.normal(size=60), rng.random(37), rng.integers(-5, 1000, 20), rng.exponential(size=(4, 10))


def shuffled(n):
    rng = np.random.default_rng(n)
    return rng.permutation(20), rng.choice(10, 5), rng.choice(10, 5, replace=False), rng.integers(0, 2**40, 9)


def of_32_bits(n):
    rng = np.random.default_rng(n)
    return rng.random(9, dtype=np.float32), rng.standard_normal(33, dtype=np.float32)


def of_another_generator(n):
    rng = np.random.RandomState(n)
    found = []
    for _ in range(5):
        found.append(rng.rand() + rng.randn(3).sum() + rng.randint(0, 9))
    return np.array(found)


def until_accepted(n):
    rng = np.random.default_rng(n)
    return rng.poisson(3.0, 12), rng.poisson(40.0, 9), rng.binomial(20, 0.3, 10)


@pytest.mark.parametrize(
    "function", [one_by_one, many_at_once, shuffled, of_32_bits, of_another_generator, until_accepted]
)
def test_streams(function, monkeypatch):
    """What machine code draws, and what XLA does: but for logarithms, of which XLA's have errors of 1e-14 near 1."""
    whole, calls = native_calls.whole_as_machine_code, []
    monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *args: calls.append(whole(*args)) or calls[-1])
    found = jax.tree.leaves(xlapy.jit(function, returns="numpy")(40))
    assert calls and calls[-1] is not None
    monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *args: None)
    monkeypatch.setattr(evaluate, "may_be_machine_code", lambda loop: False)
    expected = jax.tree.leaves(xlapy.jit(function, returns="numpy")(40))
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        tolerance = 0 if one.dtype.kind in "iu" else 64 * np.finfo(one.dtype).eps
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def test_normal_numbers_far_out():
    """The inverse of the error function, in all of its parts, against SciPy's; XLA's has errors of 1e-11 near 1."""
    x = np.concatenate([np.linspace(-0.999, 0.999, 101), 1 - 10.0 ** np.arange(-15, -2), [0.0, 1.0, -1.0]])

    def inverse(x):
        total = np.zeros(len(x))
        for k in range(len(x)):
            total[k] = jax.scipy.special.erfinv(x[k])
        return total

    with jax.enable_x64(True):
        found = xlapy.jit(inverse)(x)
    np.testing.assert_allclose(found, scipy.special.erfinv(x), rtol=1e-14)
