"""Evaluation in place gives what the jaxpr gives, and copies nothing."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxpr_as_fun

import xlapy
from xlapy.lowering.loop_derivatives.in_place_loops import evaluate

X = np.arange(1.0, 101.0)


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


def reads(x, i, j):
    return jnp.sin(x[i]) * x[j] + x[3:7].sum() + x[i]


def reads_and_writes(x, i, j):
    a, b = x[i], x[j]
    y = x.at[i].set(b * 2.0).at[j].add(a)
    return (y[i] * y[j] + x[i]) * y.sum()


def overwrites_before_reading(x, i, j):
    y = x.at[i].set(1.0)
    z = y.at[j].set(x[i] + y[i] + y[j])
    return z[i] * z[j] * x[j]


def rows(x, i, j):
    a = x.reshape(10, 10)
    a = a.at[i].set(a[j] * a[i])
    return (a[i] @ a[:, j]) + a[i, j]


def index_from_an_array(x, i, j):
    k = (x[i] % 7).astype(int)
    y = x.at[k].set(x[j] * x[k])
    return y[k] + y[j]


def writes_zeros_and_negates(x, i, j):
    zeros = jnp.zeros_like(x)
    y = -(zeros.at[i].add(x[j])) + zeros.at[j].set(x[i])
    return (y * y).sum() + (zeros + y)[j]


FUNCTIONS = [reads, reads_and_writes, overwrites_before_reading, rows, index_from_an_array, writes_zeros_and_negates]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("i", "j"), [(2, 5), (5, 2), (4, 4), (0, 9), (-1, 3)])
def test_values_and_adjoints(function, i, j):
    def both(x, i, j):
        value, pull = jax.vjp(lambda x: function(x, i, j), x)
        total = jnp.cos(x)
        return value, total + pull(jnp.ones_like(value))[0]

    closed = jax.make_jaxpr(both)(X, i, j)
    operands = [jnp.asarray(X), jnp.asarray(i), jnp.asarray(j)]
    found = jax.jit(lambda *xs: evaluate(closed, xs))(*operands)
    for a, b in zip(found, jaxpr_as_fun(closed)(*operands), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-12)


def recurrence(x, n):
    y = x * 1.0
    for i in range(1, n):
        y[i] = np.sin(y[i - 1]) * x[i] + y[i]
    return (y**2).sum()


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="what XLA's CPU backend copies")
def test_no_array_is_copied_or_added_as_a_whole_in_a_trip():
    def gradient(x, n):
        return xlapy.grad(recurrence)(x, n)

    text = xlapy.code_xla(gradient, np.ones(1234), 1234, opt=True)
    # Once for an operand that must stay, and twice where the first state of some trips is read.
    assert sum(" copy(" in line and "f64[1234]" in line.split(" copy(")[0] for line in text.splitlines()) <= 3
