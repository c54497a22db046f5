"""Products, numpy.linalg, einsum, fft of matrices; results that are unique are compared as they are, others rebuilt."""

import numpy as np
import pytest

import xlapy

from .runner import Programs

program = Programs()

A = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]])
G = np.array([[1.0, 2.0, -1.0], [0.5, -3.0, 2.0], [2.0, 1.0, 1.0]])
R = np.arange(6.0).reshape(2, 3) + 1
B = np.array([1.0, -2.0, 0.5])
S = np.stack([A, G])

program.each(
    (G, B),
    matmul_forms=lambda g, b: (g @ b, b @ g, g @ g, b @ b, np.matmul(g, g), np.dot(g, b), g.dot(g), np.vdot(b, b)),
    inner_outer=lambda g, b: (
        np.inner(g, b),
        np.outer(b, b),
        np.inner(b, b),
        np.tensordot(g, g),
        np.tensordot(g, g, axes=1),
    ),
    tensordot_ranges=lambda g, b: (np.tensordot(g, g, axes=(range(1), (1,))), np.tensordot(g, g, (range(2), range(2)))),
    tensordot_axes=lambda g, b: (np.tensordot(g, g, axes=([0], [1])), np.tensordot(g, b, 1), np.tensordot(b, b, 0)),
    cross_kron=lambda g, b: (np.cross(b, g[0]), np.kron(g[:2, :2], np.eye(2)), np.cross(g, g[::-1]), np.vecdot(g, g)),
    einsum_forms=lambda g, b: (
        np.einsum("ij,j->i", g, b),
        np.einsum("ij,jk", g, g),
        np.einsum("ii", g),
        np.einsum("ij->j", g),
        np.einsum("i,j->ij", b, b),
    ),
    einsum_more=lambda g, b: (
        np.einsum("ij,ij->", g, g),
        np.einsum("...j,j", g, b),
        np.einsum("ii->i", g),
        np.einsum("ij,jk,k->i", g, g, b, optimize=True),
    ),
    solve=lambda g, b: (np.linalg.solve(g, b), np.linalg.solve(g, g.T), np.linalg.inv(g), np.linalg.det(g)),
    norms=lambda g, b: (
        np.linalg.norm(b),
        np.linalg.norm(g),
        np.linalg.norm(g, 1),
        np.linalg.norm(g, np.inf),
        np.linalg.norm(b, 1),
        np.linalg.norm(g, 2),
    ),
    norms_axes=lambda g, b: (
        np.linalg.norm(g, axis=1),
        np.linalg.norm(g, axis=0, keepdims=True),
        np.linalg.norm(b, 3),
        np.linalg.norm(g, "nuc"),
        np.linalg.norm(b, np.inf),
    ),
    determinants=lambda g, b: (
        np.linalg.slogdet(g),
        np.linalg.matrix_rank(g),
        np.linalg.cond(g),
        np.trace(g),
        g.trace(1),
    ),
    powers=lambda g, b: (
        np.linalg.matrix_power(g, 3),
        np.linalg.matrix_power(g, -1),
        np.linalg.matrix_power(g, 0),
        np.linalg.multi_dot([g, g, b]),
    ),
    least_squares=lambda g, b: (np.linalg.lstsq(g, b)[0], np.linalg.pinv(g), np.linalg.pinv(g[:2])),
    types_of_least_squares=lambda g, b: [
        v.dtype
        for s, t in (("f4", "f4"), ("c8", "c8"), ("f4", "c8"), ("c8", "f8"), ("i4", "f4"))
        for v in np.linalg.lstsq(g.astype(s), b.astype(t))[:2]
    ],
    qr_rebuilt=lambda g, b: [q @ r for q, r in [np.linalg.qr(g)]],
    svd_rebuilt=lambda g, b: [(u * s) @ v for u, s, v in [np.linalg.svd(g)]],
    svd_values=lambda g, b: (np.linalg.svd(g, compute_uv=False), np.linalg.svdvals(g)),
    eigenvalues_general=lambda g, b: np.sort(np.abs(np.linalg.eigvals(g))),
    integer_matmul=lambda g, b: (g.astype(int) @ b.astype(int), (g > 0) @ (g > 1), g.astype("f4") @ g.astype("f4")),
    complex_matmul=lambda g, b: (g * 1j @ b, np.vdot(b * 1j, b), (g + 1j) @ (g - 1j), np.conj((g + 1j).T) @ g),
    options={"rtol": 1e-10},
)

program.each(
    (A, B),
    cholesky=lambda a, b: np.linalg.cholesky(a),
    symmetric_eigenvalues=lambda a, b: (np.linalg.eigvalsh(a), np.linalg.eigh(a).eigenvalues),
    eigh_rebuilt=lambda a, b: [(v * w) @ v.T for w, v in [np.linalg.eigh(a)]],
    namedtuple_results=lambda a, b: (np.linalg.eigh(a)[0], np.linalg.slogdet(a).logabsdet, np.linalg.qr(a).R.shape),
    quadratic_form=lambda a, b: b @ a @ b / (b @ b),
    tensorsolve=lambda a, b: (np.linalg.tensorsolve(a, b), np.linalg.matrix_transpose(a), np.linalg.vector_norm(b)),
    options={"rtol": 1e-10},
)

program.each(
    (S, R),
    batched_matmul=lambda s, r: (s @ s, s @ r.T, r @ s, np.matmul(s, s[0]), np.einsum("bij,bjk->bik", s, s)),
    batched_linalg=lambda s, r: (
        np.linalg.inv(s),
        np.linalg.det(s),
        np.linalg.solve(s, s[:, :, :1]),
        np.linalg.norm(s, axis=(1, 2)),
    ),
    rectangular=lambda s, r: (r @ r.T, r.T @ r, r @ np.ones(3), np.linalg.pinv(r), np.linalg.qr(r.T, mode="r").shape),
    empty_products=lambda s, r: (r[:0] @ r.T, r[:, :0] @ r.T[:0], r[0, :0] @ r[1, :0], np.dot(r[:0].T, r[:0])),
    options={"rtol": 1e-10},
)


@program(A)
def cholesky_by_loops(a):
    n = a.shape[0]
    c = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= c[i, k] * c[j, k]
            if i == j:
                c[i, j] = np.sqrt(s)
            else:
                c[i, j] = s / c[j, j]
    return c


@program(A)
def cholesky_by_slices_in_place(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[j, :j]
            a[i, j] /= a[j, j]
        a[i, i] -= a[i, :i] @ a[i, :i]
        a[i, i] = np.sqrt(a[i, i])


@program(G, A)
def lu_in_place(a):
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


@program(G, A, G[::-1].copy())
def lu_with_pivoting(a):
    n = len(a)
    p = np.arange(n)
    for k in range(n - 1):
        m = k + np.argmax(np.abs(a[k:, k]))
        if m != k:
            a[[k, m]] = a[[m, k]]
            p[[k, m]] = p[[m, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return p


@program((G, B), (A, B))
def gaussian_elimination(a, b):
    n = len(b)
    a, b = a.copy(), b.copy()
    for k in range(n):
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


@program((np.tril(A), B))
def triangular_solve(lower, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


@program(G)
def gram_schmidt(a):
    q = np.zeros_like(a)
    r = np.zeros((3, 3))
    for k in range(a.shape[1]):
        v = a[:, k].copy()
        for j in range(k):
            r[j, k] = q[:, j] @ a[:, k]
            v -= r[j, k] * q[:, j]
        r[k, k] = np.sqrt(v @ v)
        q[:, k] = v / r[k, k]
    return q, r


@program(G)
def modified_gram_schmidt_blocks(a):
    r = np.zeros((3, 3))
    for k in range(3):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        a[:, k] /= r[k, k]
        r[k, k + 1 :] = a[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(a[:, k], r[k, k + 1 :])
    return r


@program((A, B, 1e-10, 50), (A, B, 1e-2, 50), (A, B, 1e-10, 1))
def conjugate_gradient(a, b, tol, limit):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    n = 0
    while rs > tol * tol and n < limit:
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
        n += 1
    return np.round(x, 6), n


@program((A, 1e-12), (A, 1e-3))
def power_iteration(a, tol):
    v = np.ones(3)
    lam = 0.0
    while True:
        w = a @ v
        new = np.sqrt(w @ w)
        v = w / new
        if abs(new - lam) < tol:
            return new, v
        lam = new


@program((A, B, 30), (A, B, 0))
def gauss_seidel(a, b, sweeps):
    x = np.zeros(3)
    for _ in range(sweeps):
        for i in range(3):
            s = 0.0
            for j in range(3):
                if j != i:
                    s += a[i, j] * x[j]
            x[i] = (b[i] - s) / a[i, i]
    return x


@program((R, R.T))
def matrix_product_by_loops(a, b):
    n, m = a.shape
    p = b.shape[1]
    c = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            for k in range(m):
                c[i, j] += a[i, k] * b[k, j]
    return c


@program((A, A[0], 0.5), (A, A[0], 2.0))
def gemver_like_updates(a, u, alpha):
    a += alpha * np.outer(u, u)
    x = a.T @ u
    u += a @ x
    return x


@program(A)
def determinant_by_elimination(a):
    a = a.copy()
    det = 1.0
    for k in range(3):
        det *= a[k, k]
        a[k + 1 :] -= np.outer(a[k + 1 :, k] / a[k, k], a[k])
    return det


@program((A, 40))
def jacobi_eigenvalues(a, limit):
    a = a.copy()
    n = 0
    while n < limit:
        off = np.abs(a - np.diag(np.diag(a)))
        p, q = np.unravel_index(np.argmax(off), off.shape)
        if off[p, q] < 1e-10:
            break
        t = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
        c, s = np.cos(t), np.sin(t)
        g = np.eye(3)
        g[p, p] = g[q, q] = c
        g[p, q], g[q, p] = s, -s
        a = g.T @ a @ g
        n += 1
    return np.sort(np.round(np.diag(a), 8))


@program(G)
def householder_r(a):
    a = a.copy()
    for k in range(2):
        x = a[k:, k].copy()
        x[0] += np.sign(x[0]) * np.linalg.norm(x)
        v = x / np.linalg.norm(x)
        a[k:, k:] -= 2 * np.outer(v, v @ a[k:, k:])
    return np.round(a, 10)


_NAN = A.copy()
_NAN[1, 1] = np.nan
_INFINITE = A.copy()
_INFINITE[1, 1] = np.inf
_DIAGONAL_NAN = np.diag([1.0, np.nan, 2.0])

_RAISING = {
    "eigh": lambda a: np.linalg.eigh(a)[0],
    "eigvalsh": lambda a: np.linalg.eigvalsh(a),
    "eigvalsh_upper": lambda a: np.linalg.eigvalsh(a, "U"),
    "norm": lambda a: np.linalg.norm(a, 2),
    "smallest_norm": lambda a: np.linalg.norm(a, -2),
    "nuclear_norm": lambda a: np.linalg.norm(a, "nuc"),
    "norm_axes": lambda a: np.linalg.norm(np.stack([a, a]), 2, axis=(1, 2)),
    "matrix_norm": lambda a: np.linalg.matrix_norm(a, ord=2),
    "cholesky": lambda a: np.linalg.cholesky(a - 10),
    "polyfit": lambda a: np.polyfit(a[1], a[0], 1),
    "polyfit_weights": lambda a: np.polyfit(a[0], a[0], 1, w=a[1]),
}


@pytest.mark.parametrize("name", _RAISING)
def test_matrices_with_nan_raise_as_in_numpy(name):
    function = _RAISING[name]
    with pytest.raises(np.linalg.LinAlgError) as expected:
        function(_NAN)
    with pytest.raises(np.linalg.LinAlgError) as found:
        xlapy.jit(function)(_NAN)
    assert str(found.value) == str(expected.value)


program.each(
    _NAN,
    nan_norm_of_vectors=lambda a: (np.linalg.norm(a, axis=1), np.linalg.norm(a, 2, axis=0), np.linalg.norm(a[1], 2)),
    nan_cholesky=lambda a: np.linalg.cholesky(a),
    nan_polyfit_values=lambda a: np.polyfit(a[0], a[1], 1),
)
program.each(
    _INFINITE,
    infinite_eigh=lambda a: np.linalg.eigh(a)[0],
    infinite_polyfit=lambda a: np.polyfit(a[0], a[1], 1),
    infinite_right_sides=lambda a: np.linalg.lstsq(np.eye(3) + 1.0, a)[0],
)
program.each(
    _DIAGONAL_NAN,
    diagonal_nan_eigh=lambda a: np.linalg.eigh(a)[0],
    diagonal_nan_cholesky=lambda a: np.linalg.cholesky(a),
)


@program(_INFINITE, A)
def infinite_norm(a):
    """NaN, or, since NumPy 2.5, no norm at all."""
    try:
        return np.linalg.norm(a, 2)
    except np.linalg.LinAlgError:
        return -1.0


@program(_NAN, A)
def eigenvalues_or_zeros(a):
    try:
        return np.linalg.eigvalsh(a)
    except np.linalg.LinAlgError:
        return np.zeros(3)


@program(_NAN, A)
def fit_or_nothing(a):
    try:
        return np.polyfit(a[1], a[0], 1)
    except np.linalg.LinAlgError:
        return np.zeros(2)


_NUMBERS = np.random.default_rng(5).choice([np.inf, -np.inf, 0.0, 0.0, 1.0, -2.0, 3.0], (40, 4, 4))
_INTEGERS = np.random.default_rng(6).integers(-4, 5, (60, 4, 4)).astype(float)
_DEPENDENT = _INTEGERS[:, [0, 1, 2, 0]] * np.array([1.0, 1.0, 1.0, -3.0])[:, None]


@program(
    np.diag([np.inf, 1.0, 2.0]),
    np.diag([-np.inf, 0.0, 2.0]),
    _NAN,
    np.diag([1e200, 1e200, 1e-300]),
    np.zeros((2, 2)),
    _NAN * (1 - 2j),
    np.array([[0.0, 0.0], [0.0, np.nan]]),
    np.full((1, 1), np.inf),
    np.zeros((0, 0)),
)
def determinants_without_a_formula(a):
    return np.linalg.det(a), np.linalg.slogdet(a), np.linalg.det(a.astype("c8")), np.linalg.det(np.stack([a, a]))


@program(*(_NUMBERS[:, :n, :n].copy() for n in (1, 2, 3, 4)))
def determinants_of_infinities(matrices):
    return [(np.linalg.det(m), np.linalg.slogdet(m).logabsdet) for m in matrices]


@program(_DEPENDENT[:, ::3, ::3].copy(), _DEPENDENT[:, [0, 1, 3], :3].copy(), _DEPENDENT, _DEPENDENT[:, ::3, ::3] / 7)
def dependent_rows(matrices):
    found = np.linalg.det(matrices)
    return found == 0, [np.linalg.det(m) == 0 for m in matrices[:9]], np.linalg.slogdet(matrices).sign == 0


def test_hermitian_matrices_with_infinities_are_not_guessed():
    def smallest(a):
        return np.linalg.eigvalsh(a)[0]

    def rank(a):
        return np.linalg.matrix_rank(a, hermitian=True)

    for function in (smallest, rank):
        compiled = xlapy.jit(function)
        np.testing.assert_allclose(compiled(A), function(A))
        with pytest.raises(xlapy.NotOffloadableError, match="XP0013"):
            compiled(_INFINITE)


test_programs = program.test()
