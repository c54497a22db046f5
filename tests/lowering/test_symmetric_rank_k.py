"""Products of matrices with their own transposes: half of the elements are computed, all are as NumPy has them."""

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import blas
from xlapy.lowering.primitives import symmetric_rank_k
from xlapy.lowering.primitives.symmetric_rank_k import SYMMETRIC

from . import ways

RNG = np.random.default_rng(3)


def of_columns(a):
    return a.T @ a


def of_rows(a):
    return np.dot(a, a.T)


def of_a_part(a):
    b = a[1:, ::2]
    return np.matmul(b.T, b), b @ b.T


def centred(a):
    b = a - a.mean(axis=0)
    return b.T @ b / len(b)


def transposed_once_more(a):
    b = a.T
    return b.T @ b, b @ b.T


def in_a_loop(a):
    total = np.zeros((a.shape[1], a.shape[1]), a.dtype)
    for k in range(6):
        total += a.T @ a / (k + 1)
        a[k] *= 0.5
    return total


def in_place(a):
    b = a[:, : len(a)].copy()
    b[:] = b @ b.T
    np.matmul(b.T, b, out=b)
    return b


def of_another_moment(a):
    """The array is changed between the views, and before the product."""
    b = a.T
    a[0] = 1.0
    c = b @ a
    a[1] += 2.0
    return c, b @ a


def of_two_arrays(a):
    b = a.copy()
    b[0, 0] += 1
    return a.T @ b


PROGRAMS = [of_columns, of_rows, of_a_part, centred, transposed_once_more, in_a_loop, in_place, of_another_moment]
PROGRAMS += [of_two_arrays]


@pytest.fixture(params=ways.ALL)
def way(request, monkeypatch):
    """Programs are machine code as a whole, or XLA's; the latter also without NumPy's library."""
    yield from ways.chosen(request.param, monkeypatch, (blas, "is_possible"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("shape", [(30, 40), (120, 150)])
def test_programs(function, dtype, shape, way):
    given = RNG.normal(size=shape).astype(dtype)
    theirs, ours = copy.deepcopy(given), copy.deepcopy(given)
    wanted, found = function(theirs), xlapy.jit(function, returns="numpy")(ours)
    for one, other in zip(jax.tree.leaves((found, ours)), jax.tree.leaves((wanted, theirs)), strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        scale, precision = np.abs(other).max(), np.finfo(dtype).eps
        np.testing.assert_allclose(one, other, rtol=0, atol=1e3 * precision * scale)
    if function in (of_columns, of_rows):
        np.testing.assert_array_equal(found, found.T)


@pytest.mark.skipif(not blas.is_possible(np.dtype(float)), reason="there is no library")
@pytest.mark.parametrize("function", [of_columns, of_rows])
def test_the_library_multiplies_half(function, monkeypatch):
    calls, original = [], blas.multiply_by_itself

    def watched(text, dtype, shape, of_rows, *names):
        calls.append((shape, of_rows))
        original(text, dtype, shape, of_rows, *names)

    monkeypatch.setattr(blas, "multiply_by_itself", watched)
    a = RNG.normal(size=(33, 44))
    np.testing.assert_array_equal(xlapy.jit(function)(a), function(a))
    assert calls == [((33, 44), function is of_rows)]


@pytest.mark.parametrize("function", [of_columns, of_rows])
def test_infinities_and_nan(function, way):
    a = RNG.normal(size=(40, 50))
    a[3, 4], a[5, 6], a[7, 8], a[9] = np.inf, np.nan, -np.inf, 0.0
    with np.errstate(all="ignore"):
        expected = function(a)
    for kind in (np.isnan, np.isposinf, np.isneginf):
        np.testing.assert_array_equal(kind(np.asarray(xlapy.jit(function)(a))), kind(expected))


@pytest.mark.parametrize("function", [of_columns, of_rows])
def test_transformations(function):
    a, b = RNG.normal(size=(30, 40)), RNG.normal(size=(3, 30, 40))
    weights = RNG.normal(size=(40, 40) if function is of_columns else (30, 30))

    def weighted(a):
        return (function(a) * weights).sum()

    both = weights + weights.T
    wanted = a @ both if function is of_columns else both @ a
    np.testing.assert_allclose(np.asarray(xlapy.grad(weighted)(a)), wanted, rtol=1e-10, atol=1e-10)
    mapped = xlapy.vmap(function)(b)
    np.testing.assert_allclose(np.asarray(mapped), np.stack([function(x) for x in b]), rtol=1e-10, atol=1e-10)


def test_many_products_at_once_are_no_kernel():
    x = jnp.ones((2, 3, 4))
    one = lambda x: symmetric_rank_k.product(x, True)  # noqa: E731
    assert [e.primitive for e in jax.make_jaxpr(one)(x[0]).eqns[0].params["call_jaxpr"].eqns] == [SYMMETRIC.primitive]
    assert SYMMETRIC.primitive.name not in str(jax.make_jaxpr(jax.vmap(one))(x))
