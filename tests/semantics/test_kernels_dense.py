"""Dense linear algebra as people write it in NumPy: triangular slices, rows, columns, updates in place."""

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(3)
A5 = RNG.normal(size=(5, 5))
B5 = RNG.normal(size=(5, 5))
C5 = RNG.normal(size=(5, 5))
R64 = RNG.normal(size=(6, 4))
R45 = RNG.normal(size=(4, 5))
V4, V5, V6 = RNG.normal(size=4), RNG.normal(size=5), RNG.normal(size=6)
SPD5 = A5 @ A5.T + 5 * np.eye(5)
SPD3 = SPD5[:3, :3].copy()
DOM5 = A5 + 6 * np.eye(5)
LOW5 = np.tril(A5) + 3 * np.eye(5)


@program((1.5, 1.2, A5, B5, C5), (0, 2, A5, B5, C5))
def gemm(alpha, beta, c, a, b):
    c[:] = alpha * a @ b + beta * c


@program((1.5, 1.2, A5, B5, C5))
def gemm_three_loops(alpha, beta, c, a, b):
    ni, nj = c.shape
    for i in range(ni):
        for j in range(nj):
            c[i, j] *= beta
            for k in range(a.shape[1]):
                c[i, j] += alpha * a[i, k] * b[k, j]


@program((1.5, 1.2, A5, B5, C5), (1.5, 1.2, C5[:3], A5[:3], B5))
def gemm_row_by_row(alpha, beta, c, a, b):
    for i in range(c.shape[0]):
        c[i] *= beta
        for k in range(a.shape[1]):
            c[i, :] += alpha * a[i, k] * b[k]


@program((R64, V4), (R64[:2], V4))
def atax(a, x):
    return (a @ x) @ a


@program((R64, V4, V6), (R64[:0], V4, V6[:0]))
def bicg(a, p, r):
    return r @ a, a @ p


@program((V6[:5], V5, A5, V5 * 2, V5 - 1))
def mvt(x1, x2, a, y1, y2):
    x1 += a @ y1
    x2 += y2 @ a


@program((1.5, 1.2, A5, B5, V5))
def gesummv(alpha, beta, a, b, x):
    return alpha * a @ x + beta * b @ x


@program((1.5, 1.2, A5, V5, V5 + 1, V5 - 2, V5 * 3, V5 * 0, V5 * 0, V5 * 2, V5 * V5))
def gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    a += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ a + z
    w += alpha * a @ x


@program((1.5, 1.2, R45, R64, R64[:4, :], R45))
def two_products(alpha, beta, d, a, b, c):
    d[:] = alpha * a[:4] @ b @ c + beta * d


@program((np.arange(24.0).reshape(2, 3, 4), RNG.normal(size=(4, 4))))
def doitgen(a, c4):
    nr, nq, _ = a.shape
    for r in range(nr):
        for q in range(nq):
            total = a[r, q, :] @ c4
            a[r, q, :] = total


@program((np.arange(24.0).reshape(2, 3, 4), RNG.normal(size=(4, 4))))
def doitgen_reshaped(a, c4):
    nr, nq, n = a.shape
    a[:] = np.reshape(np.reshape(a, (nr, nq, 1, n)) @ c4, (nr, nq, n))


@program(SPD5, SPD3, SPD5[:1, :1].copy())
def cholesky_elements(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(a[i, i])


@program(SPD5, SPD3)
def cholesky_by_triangular_slices(a):
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


@program(SPD5)
def cholesky_by_library(a):
    a[:] = np.linalg.cholesky(a) + np.triu(a, k=1)


@program(SPD5, SPD3)
def cholesky_right_looking(a):
    n = a.shape[0]
    for k in range(n):
        a[k, k] **= 0.5
        a[k + 1 :, k] /= a[k, k]
        for j in range(k + 1, n):
            a[j:, j] -= a[j:, k] * a[j, k]
    return np.tril(a)


@program(DOM5, DOM5[:2, :2].copy())
def lu_in_place(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]


@program((DOM5, V5), (DOM5[:2, :2].copy(), V5[:2].copy()))
def ludcmp(a, b):
    n = a.shape[0]
    x, y = np.zeros_like(b), np.zeros_like(b)
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x, y


@program((A5, V5), (np.eye(3)[[2, 0, 1]], V5[:3].copy()))
def gaussian_elimination_with_pivots(a, b):
    n = len(b)
    order = np.arange(n)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[k], b[p] = b[p], b[k]
            order[[k, p]] = order[[p, k]]
        factors = a[k + 1 :, k] / a[k, k]
        a[k + 1 :] -= np.outer(factors, a[k])
        b[k + 1 :] -= factors * b[k]
    x = np.empty(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - a[i, i + 1 :].dot(x[i + 1 :])) / a[i, i]
    return x, order


@program((A5, 1e-12), (np.zeros((3, 3)), 1e-12))
def determinant_by_elimination(a, tol):
    m = a.copy()
    det = 1.0
    for k in range(m.shape[0]):
        p = np.abs(m[k:, k]).argmax() + k
        if abs(m[p, k]) < tol:
            return 0.0
        if p != k:
            m[[p, k], :] = m[[k, p], :]
            det = -det
        det *= m[k, k]
        for r in range(k + 1, m.shape[0]):
            m[r, k:] -= m[k, k:] * (m[r, k] / m[k, k])
    return det


@program((LOW5, V5), (LOW5[:1, :1].copy(), V5[:1].copy()))
def trisolv(low, b):
    x = np.zeros_like(b)
    for i in range(low.shape[0]):
        x[i] = (b[i] - low[i, :i] @ x[:i]) / low[i, i]
    return x


@program((LOW5, V5))
def triangular_solve_by_columns(low, b):
    x = b.copy()
    for j in range(len(x)):
        x[j] /= low[j, j]
        x[j + 1 :] -= low[j + 1 :, j] * x[j]
    return x


@program((1.5, A5, B5))
def trmm_slices(alpha, a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    b *= alpha


@program((1.5, 1.2, C5, A5, B5))
def symm(alpha, beta, c, a, b):
    temp = np.empty((c.shape[1],), dtype=c.dtype)
    c *= beta
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += alpha * b[i, j] * a[i, :i]
            temp[j] = b[:i, j] @ a[i, :i]
        c[i, :] += alpha * b[i, :] * a[i, i] + alpha * temp


@program((1.5, 1.2, C5, A5[:, :3], B5[:, :3]))
def syr2k(alpha, beta, c, a, b):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += a[: i + 1, k] * alpha * b[i, k] + b[: i + 1, k] * alpha * a[i, k]


@program((1.5, 1.2, C5, A5[:, :3]))
def syrk_slices(alpha, beta, c, a):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]


@program(R64, A5)
def gramschmidt(a):
    q = np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]), dtype=a.dtype)
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


@program(V5 / 9, V5[:2] / 9)
def durbin_flipped(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@program((R64,), (R64.astype(np.float32),))
def covariance_slices(data):
    m = data.shape[1]
    data -= np.mean(data, axis=0)
    cov = np.zeros((m, m), dtype=data.dtype)
    for i in range(m):
        cov[i:m, i] = cov[i, i:m] = data[:, i] @ data[:, i:m] / (data.shape[0] - 1.0)
    return cov


@program(R64)
def correlation(data):
    n, m = data.shape
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(n) * stddev
    corr = np.eye(m, dtype=data.dtype)
    for i in range(m - 1):
        corr[i + 1 : m, i] = corr[i, i + 1 : m] = data[:, i] @ data[:, i + 1 : m]
    return corr


@program(R64, A5, R64[:, :1].copy())
def householder_qr(a):
    m, n = a.shape
    q = np.eye(m)
    for k in range(min(m - 1, n)):
        x = a[k:, k]
        norm = np.linalg.norm(x)
        if norm == 0.0:
            continue
        v = x.copy()
        v[0] += np.copysign(norm, x[0])
        v /= np.linalg.norm(v)
        a[k:, k:] -= 2.0 * np.outer(v, v @ a[k:, k:])
        q[:, k:] -= 2.0 * np.outer(q[:, k:] @ v, v)
    return q


@program(R64)
def givens_qr(a):
    m, n = a.shape
    for j in range(n):
        for i in range(m - 1, j, -1):
            if a[i, j] != 0:
                r = np.hypot(a[i - 1, j], a[i, j])
                c, s = a[i - 1, j] / r, a[i, j] / r
                a[[i - 1, i], :] = np.array([[c, s], [-s, c]]) @ a[[i - 1, i], :]
    return np.triu(a)


@program((SPD5, 1e-10, 20), (np.eye(3), 1e-10, 20))
def jacobi_eigenvalues(a, tol, sweeps):
    n = a.shape[0]
    vectors = np.eye(n)
    for _ in range(sweeps):
        off = np.sqrt((np.tril(a, -1) ** 2).sum())
        if off < tol:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) > 1e-14:
                    theta = (a[q, q] - a[p, p]) / (2 * a[p, q])
                    t = np.sign(theta) / (abs(theta) + np.sqrt(theta**2 + 1)) if theta != 0 else 1.0
                    c = 1 / np.sqrt(t * t + 1)
                    s = t * c
                    rotation = np.array([[c, s], [-s, c]])
                    a[:, [p, q]] = a[:, [p, q]] @ rotation
                    a[[p, q], :] = rotation.T @ a[[p, q], :]
                    vectors[:, [p, q]] = vectors[:, [p, q]] @ rotation
    return np.sort(np.diag(a)), np.abs(vectors).sum()


@program((SPD5, V5, 1e-10), (np.eye(3), V5[:3].copy(), 1e-3))
def conjugate_gradient(a, b, tol):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    k = 0
    while np.sqrt(rs) > tol and k < 2 * len(b):
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
        k += 1
    return x, k


@program((DOM5, V5, 8), (DOM5[:2, :2].copy(), V5[:2].copy(), 0))
def gauss_seidel_triangular_slices(a, b, iterations):
    x = np.zeros_like(b)
    for _ in range(iterations):
        old = x.copy()
        for i in range(a.shape[0]):
            x[i] = (b[i] - a[i, :i] @ x[:i] - a[i, i + 1 :] @ old[i + 1 :]) / a[i, i]
        if np.allclose(x, old, rtol=1e-8):
            break
    return x


@program((DOM5, V5, 1.1, 1e-9))
def successive_over_relaxation(a, b, omega, tol):
    x = np.zeros(len(b))
    for it in range(100):
        change = 0.0
        for i in range(len(b)):
            sigma = a[i].dot(x) - a[i, i] * x[i]
            new = (1 - omega) * x[i] + omega * (b[i] - sigma) / a[i, i]
            change = max(change, abs(new - x[i]))
            x[i] = new
        if change < tol:
            return x, it
    return x, -1


@program((SPD5, 1e-12, 200), (np.diag([3.0, 1.0]), 1e-6, 3))
def power_iteration(a, tol, limit):
    v = np.ones(a.shape[0]) / np.sqrt(a.shape[0])
    value = 0.0
    for it in range(limit):
        w = a @ v
        new = v @ w
        v = w / np.linalg.norm(w)
        if abs(new - value) < tol:
            value = new
            break
        value = new
    return value, v, it


@program((SPD5, 3))
def lanczos(a, steps):
    n = a.shape[0]
    basis = np.zeros((n, steps + 1))
    alpha, beta = np.zeros(steps), np.zeros(steps + 1)
    basis[:, 0] = 1 / np.sqrt(n)
    for k in range(steps):
        w = a @ basis[:, k]
        if k > 0:
            w -= beta[k] * basis[:, k - 1]
        alpha[k] = w @ basis[:, k]
        w -= alpha[k] * basis[:, k]
        w -= basis[:, : k + 1] @ (basis[:, : k + 1].T @ w)
        beta[k + 1] = np.linalg.norm(w)
        basis[:, k + 1] = w / beta[k + 1]
    t = np.diag(alpha) + np.diag(beta[1:-1], 1) + np.diag(beta[1:-1], -1)
    return t


@program((DOM5, V5, 4))
def arnoldi_gmres(a, b, m):
    n = len(b)
    q = np.zeros((n, m + 1))
    h = np.zeros((m + 1, m))
    norm_b = np.linalg.norm(b)
    q[:, 0] = b / norm_b
    for k in range(m):
        v = a @ q[:, k]
        for j in range(k + 1):
            h[j, k] = q[:, j] @ v
            v = v - h[j, k] * q[:, j]
        h[k + 1, k] = np.linalg.norm(v)
        if h[k + 1, k] > 1e-12:
            q[:, k + 1] = v / h[k + 1, k]
    e1 = np.zeros(m + 1)
    e1[0] = norm_b
    y = np.linalg.lstsq(h, e1, rcond=None)[0]
    return q[:, :m] @ y


@program((A5, 4), (A5, 1), (A5, 0))
def matrix_power_by_squaring(a, n):
    result = np.eye(a.shape[0])
    while n > 0:
        if n & 1:
            result = result @ a
        a = a @ a
        n >>= 1
    return result


@program((A5 / 4, 12))
def matrix_exponential_by_taylor(a, terms):
    total = np.eye(len(a))
    term = np.eye(len(a))
    for k in range(1, terms):
        term = term @ a / k
        total += term
    return total


@program((A5, B5), (R64, R45))
def strassen_like_blocks(a, b):
    n = a.shape[0] // 2
    m = a.shape[1] // 2
    c = np.zeros((a.shape[0], b.shape[1]))
    for rows in (slice(0, n), slice(n, None)):
        for inner in (slice(0, m), slice(m, None)):
            c[rows] += a[rows, inner] @ b[inner]
    return c


@program((R64, R64[:, 0] * 2 + 1), (R64[:, :2], R64[:, 3]))
def least_squares_by_normal_equations(x, y):
    design = np.column_stack([np.ones(len(x)), x])
    beta = np.linalg.solve(design.T @ design, design.T @ y)
    residual = y - design @ beta
    return beta, 1 - residual.var() / y.var()


@program((R64, 2), (R64, 4))
def principal_components(x, k):
    centred = x - x.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(centred, rowvar=False))
    order = np.argsort(values)[::-1]
    values = values[order]
    chosen = vectors[:, order[:k]]
    return values[:k] / values.sum(), np.abs(centred @ chosen)


test_programs = program.test()
