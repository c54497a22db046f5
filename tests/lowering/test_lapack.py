"""Systems of equations, inverses, determinants and Cholesky factors in machine code, by NumPy's own library."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import blas, lapack

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or blas.address_of(lapack._NAMES, "dgetrf") is None,
    reason="the library is for CPUs",
)
RNG = np.random.default_rng(17)
DTYPES = ["float32", "float64", "complex64", "complex128"]


@pytest.fixture
def calls(monkeypatch):
    """The functions of the library that are written into programs."""
    found = []
    original = lapack._function

    def watched(kind, dtype):
        found.append(kind)
        return original(kind, dtype)

    monkeypatch.setattr(lapack, "_function", watched)
    return found


def numbers(shape, dtype="float64"):
    found = RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if np.dtype(dtype).kind == "c" else 0)
    return found.astype(dtype)


def compare(function, *operands, rtol=1e-9):
    wanted = function(*operands)
    for got, one in zip(xlapy.jit(function, returns="numpy")(*operands), wanted, strict=True):
        assert np.asarray(got).dtype == np.asarray(one).dtype
        np.testing.assert_allclose(got, one, rtol=rtol, atol=rtol)


def systems(a, b, v):
    inverse = np.linalg.inv(a)
    turned = np.linalg.solve(a.T, b)
    return (
        np.linalg.solve(a, b),
        np.linalg.solve(a, v),
        inverse,
        turned,
        np.linalg.det(a),
        np.linalg.inv(a @ b.T @ b + a),
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_systems(dtype, calls):
    a, b, v = (numbers(shape, dtype) for shape in ((9, 9), (9, 9), 9))
    compare(systems, a + 6 * np.eye(9, dtype=dtype), b, v, rtol=2e4 * np.finfo(dtype).eps)
    assert {"getrf", "trsm"} <= set(calls)


def symmetric(a, b):
    lower = np.linalg.cholesky(a)
    return lower, np.linalg.cholesky(a, upper=True), np.linalg.solve(lower, b), lower + np.triu(a, k=1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky(dtype, calls):
    """One triangle is read: the other one may be anything."""
    a = numbers((11, 11), dtype)
    a = a @ a.conj().T + 5 * np.eye(11, dtype=dtype)
    compare(symmetric, a, numbers((11, 3), dtype), rtol=2e4 * np.finfo(dtype).eps)
    assert "potrf" in calls
    compare(lambda a: (np.linalg.cholesky(a),), np.tril(a) + np.triu(numbers((11, 11), dtype), 1), rtol=1e-3)


def test_large_ones(calls):
    """Shared out to several threads."""
    a, b = numbers((150, 150)) + 20 * np.eye(150), numbers((150, 170))
    compare(lambda a, b: (np.linalg.solve(a, b), np.linalg.cholesky(a @ a.T)), a, b)
    assert set(calls) == {"getrf", "trsm", "potrf"}


@pytest.mark.parametrize(
    "matrix", [np.zeros((4, 4)), -np.eye(4), np.full((4, 4), np.nan), np.eye(4) + np.diag([np.inf, 0, 0, 0])], ids=str
)
def test_what_numpy_raises(matrix):
    def outcome(function):
        try:
            return "", np.asarray(function(matrix))
        except np.linalg.LinAlgError as error:
            return str(error), 0

    with np.errstate(all="ignore"):
        for function in (np.linalg.cholesky, np.linalg.inv, lambda a: np.linalg.solve(a, a[0])):
            (got, one), (wanted, other) = outcome(xlapy.jit(function, returns="numpy")), outcome(function)
            assert got == wanted
            np.testing.assert_array_equal(one, other)


def changed(a, v, iterations, other):
    """The same matrix before and behind a change, in a loop that makes no trip, and in an arm."""
    first = np.linalg.solve(a, v)
    a[0] += 1.0
    second = np.linalg.solve(a, v)
    for _ in range(iterations):
        first = first + np.linalg.solve(a + other, v)
        a += other
    third = np.linalg.inv(other) if iterations > 0 else np.linalg.inv(other) @ other
    for _ in range(iterations):
        v = np.linalg.solve(other, v)
    return first, second, np.linalg.solve(a, v), third, np.linalg.solve(other, v), np.linalg.det(other)


@pytest.mark.parametrize("iterations", [0, 3])
def test_matrices_that_change(iterations, calls):
    a, v, other = numbers((6, 6)) + 8 * np.eye(6), numbers(6), numbers((6, 6)) + 7 * np.eye(6)
    compiled = xlapy.jit(changed, returns="numpy")
    one, two = a.copy(), a.copy()
    for got, wanted in zip(compiled(one, v, iterations, other), changed(two, v, iterations, other), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one, two)
    assert calls


def test_who_solves_has_factors_already(calls):
    """Whether a system can be solved is asked of the same factors."""
    compare(lambda a, v: (np.linalg.solve(a, v), np.linalg.det(a)), numbers((7, 7)), numbers(7))
    assert calls.count("getrf") == 1


def decomposed(high, wide, symmetric):
    """Products of factors, whose signs are anybody's choice, and what has no signs."""
    values, vectors = np.linalg.eigh(symmetric)
    q, r = np.linalg.qr(high)
    other, upper = np.linalg.qr(wide)
    u, s, v = np.linalg.svd(high)
    left, few, right = np.linalg.svd(wide, full_matrices=False)
    return (
        values,
        (vectors * values) @ vectors.conj().T,
        q @ r,
        q.conj().T @ q,
        np.tril(r, -1),
        other @ upper,
        (u[:, : len(s)] * s) @ v,
        u.conj().T @ u,
        (left * few) @ right,
        right @ right.conj().T,
        np.linalg.svd(high, compute_uv=False),
        np.linalg.eigvalsh(symmetric),
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_decompositions(dtype, calls):
    symmetric = numbers((8, 8), dtype)
    operands = numbers((9, 5), dtype), numbers((4, 7), dtype), symmetric + symmetric.conj().T
    compare(decomposed, *operands, rtol=2e4 * np.finfo(dtype).eps)
    is_complex = np.dtype(dtype).kind == "c"
    assert {"geqrf", "gesdd", "heevd" if is_complex else "syevd"} <= set(calls)


def test_large_decompositions(calls):
    """Of more columns than are taken at a time."""
    symmetric = numbers((70, 70))
    compare(decomposed, numbers((90, 70)), numbers((66, 80)), symmetric + symmetric.T, rtol=1e-8)


def test_singular_values_of_what_has_none():
    with np.errstate(all="ignore"):
        for function in (np.linalg.svd, lambda a: np.linalg.svd(a, compute_uv=False)):
            for call in (function, xlapy.jit(function)):
                with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge"):
                    call(np.full((4, 4), np.nan))
