"""Gradients of functions that call themselves as often as data says."""

import jax
import jax.numpy as jnp
import numpy as np

import xlapy

from .test_gradients import central_differences

W = np.array([0.5, 1.2, 0.7, 0.3, 1.1, 0.4, 0.9])


def tree(w, x):
    """A sum over the paths of a binary tree, each as long as data says; what is met on the way is stored."""
    met = np.zeros(4)

    def go(i, v):
        met[i % 4] += v
        if i >= len(w) or v > 3:
            return v * v
        return go(2 * i + 1, v * w[i]) + go(2 * i + 2, v + w[i])

    return go(0, x) + (met**2).sum()


def test_arrays_are_read_and_written():
    for x in (1.3, 0.2, 4.0):
        np.testing.assert_allclose(xlapy.grad(tree)(W, x), central_differences(lambda w, x=x: tree(w, x), W), rtol=1e-5)


def test_second_derivatives():
    found = xlapy.hessian(tree)(W, 1.3)
    columns = [central_differences(lambda w, k=k: float(xlapy.grad(tree)(w, 1.3)[k]), W) for k in range(3)]
    np.testing.assert_allclose(np.asarray(found)[:3], columns, rtol=1e-4)


def simpson(f, a, b, tolerance):
    m = (a + b) / 2
    whole = (b - a) / 6 * (f(a) + 4 * f(m) + f(b))
    left = (m - a) / 6 * (f(a) + 4 * f((a + m) / 2) + f(m))
    right = (b - m) / 6 * (f(m) + 4 * f((m + b) / 2) + f(b))
    if abs(left + right - whole) < 15 * tolerance:
        return left + right
    return simpson(f, a, m, tolerance / 2) + simpson(f, m, b, tolerance / 2)


def area(k):
    return simpson(lambda x: np.exp(-k * x) * np.sqrt(x), 0.0, 2.0, 1e-6)


def test_jax_transforms_what_is_compiled():
    compiled, ks = xlapy.jit(area), np.array([0.5, 1.5, 7.0])
    with jax.enable_x64(True):
        values, slopes = jax.vmap(jax.value_and_grad(compiled))(jnp.asarray(ks))
    np.testing.assert_allclose(values, [area(k) for k in ks], rtol=1e-12)
    np.testing.assert_allclose(slopes, [(area(k + 1e-5) - area(k - 1e-5)) / 2e-5 for k in ks], rtol=1e-4)
