"""`lax.while_loop` and `lax.fori_loop` of unknown length in what is differentiated: JAX does not reverse them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import xlapy

from .test_gradients import central_differences

X = np.array([1.1, 0.5, 1.9, 0.8])


def while_loop(x):
    return lax.while_loop(lambda s: s[0].sum() < 30, lambda s: (s[0] * 1.2 + x, s[1] + jnp.sin(s[0][0])), (x, 0.0))[1]


def fori_loop(x):
    n = jnp.int32(x.sum()) + 1
    return lax.fori_loop(0, n, lambda i, s: s * x[i % 4] + jnp.cos(s), x[0])


def in_a_scan(x):
    def step(carry, v):
        carry = lax.while_loop(lambda s: s < 2.0, lambda s: s * 1.3 + v * 0.1, carry)
        return carry * 0.4, carry

    carry, rows = lax.scan(step, x[0], x)
    return carry + (rows**2).sum()


def in_a_branch(x):
    squared = lambda v: lax.while_loop(lambda s: s < 9.0, lambda s: s * s + v[1], v[2])  # noqa: E731
    return lax.cond(x[0] > 0.5, squared, lambda v: v[0], x)


@jax.jit
def jitted(v):
    return lax.while_loop(lambda s: s < 9.0, lambda s: s * s + v[1], v[2])


def in_a_jitted_function(x):
    return jitted(x) * x[0]


def mapped(x):
    return jax.vmap(lambda v: lax.while_loop(lambda s: s < 9.0, lambda s: s * 1.5 + v, v))(x).sum()


def in_a_loop_of_python(x):
    total = x[0]
    while total < 20.0:
        total = total + lax.while_loop(lambda s: s < 3.0, lambda s: s * 1.5 + x[1], x[2] * 0.1)
    return total


PROGRAMS = [while_loop, fori_loop, in_a_scan, in_a_branch, in_a_jitted_function, mapped, in_a_loop_of_python]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(function):
    with jax.enable_x64(True):
        x = jnp.asarray(X)
        expected = central_differences(lambda x: float(function(jnp.asarray(x))), X)
        np.testing.assert_allclose(xlapy.grad(function)(x), expected, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(xlapy.jit(lambda x: jax.grad(function)(x))(x), expected, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(jax.grad(xlapy.jit(function))(x), expected, rtol=1e-5, atol=1e-7)
        if function is not in_a_loop_of_python:
            with pytest.raises(ValueError, match="Reverse-mode"):
                jax.jit(jax.grad(function))(x)


def test_second_order_and_forward_mode():
    with jax.enable_x64(True):
        x = jnp.asarray(X)
        np.testing.assert_allclose(xlapy.jacfwd(while_loop)(x), xlapy.grad(while_loop)(x), rtol=1e-10)
        slope = xlapy.grad(while_loop)
        rows = [central_differences(lambda x, i=i: float(slope(jnp.asarray(x))[i]), X, 1e-5) for i in range(4)]
        np.testing.assert_allclose(xlapy.hessian(while_loop)(x), np.array(rows), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("x", [2.0, np.float64(2.0), jnp.float32(2.0)])
def test_a_loop_in_a_scan_that_uses_an_integer_of_python(x):
    def program(x, n):
        def step(carry, _):
            carry = lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * x), (0, carry))[1]
            return carry, carry

        return lax.scan(step, x, None, length=3)[0]

    assert float(xlapy.jit(program)(x, 2)) == 128.0
    assert float(xlapy.grad(program)(x, 2)) == 7 * 64.0
