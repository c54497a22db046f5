"""Cumulative sums and the like: what XLA's windows made of what surrounds them was wrong."""

import jax
import numpy as np
import pytest

import xlapy

X = np.array([[1.0, 2.0, -3.0, 0.5, 1.5, 4.0], [0.5, -1.0, 2.0, 1.0, 1.0, 3.0]])
FUNCTIONS = {
    "cumsum": lambda x: np.cumsum(x, axis=-1),
    "cumprod": lambda x: np.cumprod(x, axis=-1),
    "nancumsum": lambda x: np.nancumsum(x, axis=-1),
    "add.accumulate": lambda x: np.add.accumulate(x, axis=-1),
    "maximum.accumulate": lambda x: np.maximum.accumulate(x, axis=-1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_of_paddings(name, count):
    """By XLA, and for many at once."""

    def padded(x):
        return FUNCTIONS[name](np.pad(x, ((0, 0), (count, count))))

    x = X[:, :count]
    with jax.enable_x64(True):
        np.testing.assert_allclose(jax.jit(xlapy.jit(padded))(x), padded(x), rtol=1e-14)
        np.testing.assert_allclose(xlapy.vmap(padded)(x[None])[0], padded(x), rtol=1e-14)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_an_element(name):
    def element(x):
        return FUNCTIONS[name](x)[1]

    def square(x):
        return FUNCTIONS[name](x)[1] ** 2

    x = X[0, :3]
    slope = np.array([(element(x + 1e-6 * e) - element(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)])
    for derivative in (xlapy.grad, xlapy.jacrev, xlapy.jacfwd):
        np.testing.assert_allclose(derivative(element)(x), slope, atol=1e-8)
    curve = 2 * np.outer(slope, slope)
    if name == "cumprod":  # the others are linear
        curve += 2 * element(x) * np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 0]])
    np.testing.assert_allclose(xlapy.hessian(square)(x), curve, atol=1e-7)
