"""Products by the library that NumPy calls: of matrices in any order, in programs of XLA's and in machine code."""

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import xlapy
from xlapy.lowering.cpu_xla import rewriting
from xlapy.lowering.llvm import blas
from xlapy.runtime import native_calls

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not blas.is_possible(np.dtype(float)), reason="the library is for CPUs"
)
RNG = np.random.default_rng(11)
DTYPES = ["float32", "float64", "complex64", "complex128"]
#: shapes, and what `lax.dot_general` sums over and has as a batch
FORMS = [
    ((7, 6), (6, 9), ((1,), (0,)), ((), ())),
    ((6, 7), (6, 9), ((0,), (0,)), ((), ())),
    ((7, 6), (9, 6), ((1,), (1,)), ((), ())),
    ((6, 7), (9, 6), ((0,), (1,)), ((), ())),
    ((7, 6), (6,), ((1,), (0,)), ((), ())),
    ((6, 7), (6,), ((0,), (0,)), ((), ())),
    ((6,), (6, 9), ((0,), (0,)), ((), ())),
    ((6,), (9, 6), ((0,), (1,)), ((), ())),
    ((1, 6), (6, 9), ((1,), (0,)), ((), ())),
    ((7, 6), (6, 1), ((1,), (0,)), ((), ())),
    ((7, 1), (1, 9), ((1,), (0,)), ((), ())),
    ((3, 7, 6), (3, 6, 9), ((2,), (1,)), ((0,), (0,))),
    ((3, 7, 6), (3, 6), ((2,), (1,)), ((0,), (0,))),
    ((7, 3, 6), (3, 9, 6), ((2,), (2,)), ((1,), (0,))),
    ((3, 7, 6), (6, 9), ((2,), (0,)), ((), ())),
    ((7, 3, 2), (2, 3, 5), ((1, 2), (1, 0)), ((), ())),
    ((7, 3, 2), (3, 2, 5), ((1, 2), (0, 1)), ((), ())),
    ((3, 7, 2), (3, 5, 2), ((0, 2), (0, 2)), ((), ())),
]


def numbers(shape, dtype):
    found = RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if np.dtype(dtype).kind == "c" else 0)
    return found.astype(dtype)


def close(got, wanted):
    """Equal in type and shape, and in value but for the order of additions."""
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    precision = np.finfo(wanted.dtype).eps
    np.testing.assert_allclose(got, wanted, rtol=100 * precision, atol=100 * precision)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_forms(form, dtype):
    left, right, *axes = form
    with jax.enable_x64(True):
        x, y = jnp.asarray(numbers(left, dtype)), jnp.asarray(numbers(right, dtype))
        found = jax.jit(lambda x, y: blas.multiplied(x, y, tuple(axes)))(x, y)
        close(found, np.asarray(lax.dot_general(x, y, tuple(axes), precision="highest")))


@pytest.fixture
def calls(monkeypatch):
    """The products that the library computes, as they are written into programs."""
    found = []
    original = blas.multiply

    def watched(text, dtype, product, *names):
        found.append(product)
        original(text, dtype, product, *names)

    monkeypatch.setattr(blas, "multiply", watched)
    rewriting._rewritten.cache_clear()
    return found


@pytest.fixture(params=["machine code", "XLA"])
def way(request, monkeypatch):
    """Programs are machine code as a whole, or XLA's."""
    if request.param == "XLA":
        monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *args: None)
    return request.param


def straight(a, b):
    return a @ b


def left_turned(a, b):
    return a.T @ b


def right_turned(a, b):
    return a @ b.T


def both_turned(a, b):
    return a.T @ b.T


def of_columns(a, b):
    return a[:, ::2] @ b[::2]


def of_what_is_computed(a, b):
    return (a + 1) @ (b * 2)


def summed(a, b):
    return np.einsum("ij,kj->ki", a, b)


def contracted(a, b):
    return np.tensordot(a, b, axes=([0, 1], [1, 0]))


def stacked(a, b):
    return np.stack([a, b]) @ np.stack([b, a])


def by_vectors(a, b):
    return a @ b[0], b[0] @ a, a.T @ b[1], a[2] @ b.T


def in_place(a, b):
    a[1:] = (a @ b)[1:]
    a @= b
    return a


def with_out(a, b):
    c = np.zeros_like(a)
    np.matmul(a, b, out=c)
    np.dot(a, c, out=b)
    return c


def powers(a, b):
    c = np.eye(len(a), dtype=a.dtype)
    for _ in range(5):
        c = c @ a / 10
    return c + b


def of_the_iterations(a, b):
    x = b[0].copy()
    for k in range(20):
        x = a.T @ x if k % 3 else a @ x
        x /= np.sqrt((x * x.conj()).sum().real)
    return x


def products_in_branches(a, b):
    return a @ b if a[0, 0].real > b[0, 0].real else b @ a


def in_windows(a, b):
    """Windows that grow, shrink, are empty, and end beyond the array; of arrays that are changed meanwhile."""
    c, d = np.zeros_like(a), np.zeros_like(a)
    for i in range(len(a)):
        c[i, i:] = c[i:, i] = b[:, i] @ a[:, i:]
        d[i, : i // 2] += a[: i // 2] @ b[i] * 2
        d[3 : i - 2, i] -= a[i] @ b[3 : i - 2].T
        row = b[i] @ a[:, 2 * i : 3 * i]
        a[i] *= 0.5
        c[2 * i : 3 * i, i] += row
        if i % 3:
            d[i:, 0] += (a[i:] @ b[0]) / 3
    return c, d


PROGRAMS = [
    in_windows,
    straight,
    left_turned,
    right_turned,
    both_turned,
    of_columns,
    of_what_is_computed,
    summed,
    contracted,
]
PROGRAMS += [stacked, by_vectors, in_place, with_out, powers, of_the_iterations, products_in_branches]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", PROGRAMS)
def test_programs(function, dtype, way, calls):
    given = numbers((70, 70), dtype), numbers((70, 70), dtype)
    theirs, ours = copy.deepcopy(given), copy.deepcopy(given)
    wanted, found = function(*theirs), xlapy.jit(function, returns="numpy")(*ours)
    for one, other in zip(jax.tree.leaves((found, ours)), jax.tree.leaves((wanted, theirs)), strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        size, precision = np.abs(other).max(), np.finfo(other.dtype).eps
        np.testing.assert_allclose(one, other, rtol=0, atol=1e3 * precision * size)
    if function is not contracted:
        assert calls


def test_what_nobody_looks_at_is_not_computed(monkeypatch):
    def covariance(x, c):
        for i in range(x.shape[1]):
            c[i, i:] = (x[:, i] / 7.0) @ x[:, i:]

    seen = []
    original = blas.multiply
    monkeypatch.setattr(blas, "multiply", lambda *args: seen.append(args[-1]) or original(*args))
    x, c = numbers((70, 80), "float64"), np.zeros((80, 80))
    xlapy.jit(covariance)(x, c)
    assert seen and None not in seen
    np.testing.assert_allclose(c, np.triu(x.T @ x / 7))


@pytest.mark.parametrize("function", [straight, left_turned, right_turned, both_turned])
def test_transposes_are_not_copied(function, way, calls):
    a, b = numbers((50, 50), float), numbers((50, 50), float)
    close(np.asarray(xlapy.jit(function)(a, b)), function(a, b))
    (product,) = set(calls)
    assert product.left == (function in (left_turned, both_turned))
    assert product.right == (function in (right_turned, both_turned))


def test_infinities_and_nan(way):
    a, b = numbers((40, 40), float), numbers((40, 40), float)
    a[3, 4], a[5, 6], b[7, 8], b[2] = np.inf, np.nan, -np.inf, 0.0
    a[9] = 0.0
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(np.isnan(xlapy.jit(straight)(a, b)), np.isnan(a @ b))
        np.testing.assert_array_equal(np.isinf(xlapy.jit(straight)(a, b)), np.isinf(a @ b))


@pytest.mark.parametrize("dtype", ["int64", "float16", "bool"])
def test_other_types_are_not_for_it(dtype, calls):
    a = (RNG.random((30, 30)) * 5).astype(dtype)
    found = xlapy.jit(straight)(a, a)
    assert found.dtype == (a @ a).dtype and not calls
    np.testing.assert_allclose(found, a @ a, rtol=1e-2)


def test_small_products_stay_where_they_are(calls):
    a = numbers((4, 4), float)
    close(np.asarray(xlapy.jit(straight)(a, a)), a @ a)
    assert not calls


def test_derivatives(calls):
    a, b = numbers((30, 30), float), numbers((30, 30), float)

    def loss(a, b):
        return ((a @ b) ** 2).sum()

    found = xlapy.grad(loss)(a, b)
    close(np.asarray(found), 2 * (a @ b) @ b.T)
    with jax.enable_x64(True):
        close(np.asarray(jax.vmap(xlapy.jit(straight))(jnp.asarray(a)[None], jnp.asarray(b)[None]))[0], a @ b)


def test_without_the_library(monkeypatch, calls):
    monkeypatch.setattr(blas, "_library", lambda: None)
    blas.function_of.cache_clear()
    try:
        a, b = numbers((30, 30), float), numbers((30, 30), float)
        close(np.asarray(xlapy.jit(straight)(a, b)), a @ b)
        assert not calls
    finally:
        blas.function_of.cache_clear()


def of_scaled_rows(a, b, x, y):
    return 2 * a @ x + (a + b) @ (x * x), y @ (3 * a), (a - b) @ x, x @ (a * b).T


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_that_are_computed_are_not_stored_for_a_vector(dtype, calls):
    """They are read once: a loop over them needs no memory for them. Along columns that would not be so."""
    a, b, x, y = (numbers(shape, dtype) for shape in ((90, 110), (90, 110), 110, 90))
    found, wanted = xlapy.jit(of_scaled_rows)(a, b, x, y), of_scaled_rows(a, b, x, y)
    for got, one in zip(found, wanted, strict=True):
        assert got.dtype == one.dtype
        precision = np.finfo(dtype).eps
        np.testing.assert_allclose(np.asarray(got), one, rtol=1000 * precision, atol=1000 * precision)
    assert [(product.inner, product.columns) for product in calls] == [(90, 110), (110, 90)]
