"""Slow functions whose results are read in many places are computed once: what programs give, and what is stored."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from xlapy.lowering.cpu_xla import broadcast_sinking

pytestmark = pytest.mark.skipif(jax.default_backend() != "cpu", reason="other devices compute again")
RNG = np.random.default_rng(4)
X, Y, SMALL = RNG.normal(size=150), RNG.normal(size=150), RNG.integers(0, 150, 9000)

SPREAD = {
    "over rows": (lambda x, y, k: np.sin(x)[:, None] * y, (X, Y, SMALL)),
    "scaled before": (lambda x, y, k: (np.cos(x * 3) * 2 + 1).reshape(150, 1) + np.sin(y), (X, Y, SMALL)),
    "of complex numbers": (lambda x, y, k: np.exp(1j * x)[:, None] * y, (X, Y, SMALL)),
    "looked up": (lambda x, y, k: np.sin(x)[k] + np.tan(y / 9)[k], (X, Y, SMALL)),
    "repeated": (lambda x, y, k: np.repeat(np.sin(x), 60), (X, Y, SMALL)),
    "a number": (lambda x, y, k: np.outer(x, y) * np.sin(x[0]), (X, Y, SMALL)),
}
OTHERS = {
    "of the same size": (lambda x, y, k: np.sin(x) * np.cos(y), (np.tile(X, 90), np.tile(Y, 90), SMALL)),
    "fast": (lambda x, y, k: np.abs(x)[:, None] * y, (X, Y, SMALL)),
    "spread first": (lambda x, y, k: np.sin(x[:, None] * y), (X, Y, SMALL)),
    "few": (lambda x, y, k: np.sin(x[:9])[:, None] * y[:9], (X, Y, SMALL)),
    "empty": (lambda x, y, k: np.sin(x[:0])[:, None] * y, (X, Y, SMALL)),
}


@pytest.fixture
def kept(monkeypatch):
    found = []
    original = broadcast_sinking.stored
    monkeypatch.setattr(broadcast_sinking, "stored", lambda x: found.append(x) or original(x))
    return found


@pytest.mark.parametrize("name", [*SPREAD, *OTHERS])
def test_programs(name, kept):
    function, given = {**SPREAD, **OTHERS}[name]
    with jax.enable_x64(True):  # what is transformed is a program of XLA's
        found = np.asarray(jax.jit(xlapy.jit(function))(*map(jnp.asarray, given)))
    np.testing.assert_allclose(found, function(*given), rtol=1e-12, atol=1e-12)
    wanted = np.asarray(xlapy.jit(function)(*given))
    assert wanted.dtype == found.dtype
    np.testing.assert_allclose(wanted, found, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", [*SPREAD, *OTHERS])
def test_what_is_stored(name, kept):
    function, given = {**SPREAD, **OTHERS}[name]
    xlapy.code_xla(function, *given)
    assert bool(kept) == (name in SPREAD)


def test_derivatives():
    def program(x, y):
        return (np.sin(x)[:, None] * y).sum()

    np.testing.assert_allclose(xlapy.grad(program)(X, Y), np.cos(X) * Y.sum(), rtol=1e-12)
