"""scipy.linalg: norms, and the functions of LAPACK that SciPy's own code calls, in plain Python.

E. Anderson et al., *LAPACK Users' Guide*, third edition (1999): arguments and results are those of its functions.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.linalg import _misc, lapack

from xlapy.library.replacement import replacement


@replacement(scipy.linalg.norm)
def _norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    """scipy.linalg.norm, with what it says of NaN and infinities."""
    a = np.asarray_chkfinite(a) if check_finite else np.asarray(a)
    if a.size and a.dtype.char in "fdFD" and axis is None and not keepdims:
        # what BLAS and LAPACK compute are Python's floats
        if a.ndim == 1 and ord in (None, 2):
            # BLAS's does not overflow
            size = np.max(np.abs(a))
            size = np.where(size > 0, size, 1)
            return float(size * np.linalg.norm(a / size))
        if a.ndim == 2 and ord in (1, np.inf) and (np.isfortran(a) or np.isfortran(a.T)):
            return float(np.linalg.norm(a, ord=ord))
    return np.linalg.norm(a, ord=ord, axis=axis, keepdims=keepdims)


@replacement(_misc._datacopied)
def _datacopied(arr, original):
    """Whether SciPy may overwrite its argument, which is never needed."""
    return False


def _of_lapack(names: str):
    """What stands for functions of LAPACK, of which this SciPy may lack some."""
    return replacement(*(getattr(lapack, name) for name in names.split() if hasattr(lapack, name)))


@_of_lapack("sgelsd_lwork dgelsd_lwork")
def _gelsd_lwork(m, n, nrhs, cond=-1.0, lwork=-1):
    return np.float64(1), np.int64(1), 0


@_of_lapack("sgelsd dgelsd")
def _gelsd(a, b, lwork, size_iwork, cond=-1.0, overwrite_a=0, overwrite_b=0):
    """The solution of least squares, with the norms of the residuals below it; the singular values; the rank."""
    m, n = a.shape
    right = b.reshape(len(b), -1)[:m]
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    kept = s > cond * s[0]
    shares = (u.T @ right) * np.where(kept, 1 / np.where(kept, s, 1), 0)[:, None]
    x = np.zeros((max(m, n), right.shape[1]), a.dtype)
    x[:n] = vh.T @ shares
    if m > n:
        x[n] = np.sqrt(np.sum((right - a @ x[:n]) ** 2, axis=0))
    return x.reshape((max(m, n), *b.shape[1:])), s, int(kept.sum()), 0


@_of_lapack("dtrtri")
def _trtri(c, lower=0, unitdiag=0, overwrite_c=0):
    """The inverse of a triangular matrix, and which of its diagonal elements is zero, counted from one."""
    a = np.asarray(c, dtype=np.float64)
    n = a.shape[0]
    zeros = np.zeros(n, bool) if unitdiag else np.diag(a) == 0
    if np.any(zeros):
        return a.copy(), int(np.argmax(zeros)) + 1
    r = (a.T if lower else a).copy()
    if unitdiag:
        np.fill_diagonal(r, 1.0)
    inside = np.triu(np.ones((n, n), bool), 1 if unitdiag else 0)
    inverse = np.linalg.solve(np.triu(r), np.eye(n))
    return np.where(inside.T, inverse.T, a) if lower else np.where(inside, inverse, a), 0


@_of_lapack("sgtsv dgtsv cgtsv zgtsv")
def _gtsv(dl, d, du, b, overwrite_dl=0, overwrite_d=0, overwrite_du=0, overwrite_b=0):
    """The solution of a system of three diagonals, by elimination with exchanges of rows."""
    dtype = np.result_type(dl.dtype, d.dtype, du.dtype, b.dtype, np.float32)
    below, middle, above, x = dl.astype(dtype), d.astype(dtype), du.astype(dtype), b.astype(dtype)
    n = len(d)
    second = np.zeros(n, dtype)
    info = 0
    for k in range(n - 1):
        if abs(middle[k]) >= abs(below[k]):
            if middle[k] == 0:
                info = k + 1
                break
            factor = below[k] / middle[k]
            middle[k + 1] -= factor * above[k]
            x[k + 1] -= factor * x[k]
        else:
            factor = middle[k] / below[k]
            middle[k] = below[k]
            kept = middle[k + 1]
            middle[k + 1] = above[k] - factor * kept
            if k < n - 2:
                second[k] = above[k + 1]
                above[k + 1] = -factor * above[k + 1]
            above[k] = kept
            line = x[k].copy()
            x[k] = x[k + 1]
            x[k + 1] = line - factor * x[k + 1]
    if info == 0 and middle[n - 1] == 0:
        info = n
    if info == 0:
        x[n - 1] = x[n - 1] / middle[n - 1]
        for k in range(n - 2, -1, -1):
            line = x[k] - above[k] * x[k + 1]
            if k < n - 2:
                line = line - second[k] * x[k + 2]
            x[k] = line / middle[k]
    return second[: max(n - 2, 0)], middle, above, x, info


@_of_lapack("sgbsv dgbsv cgbsv zgbsv")
def _gbsv(kl, ku, ab, b, overwrite_ab=0, overwrite_b=0):
    """The solution of a system of a few diagonals, by elimination with exchanges of rows."""
    n = ab.shape[1]
    columns = kl + ku + kl + 1
    rows = np.zeros((n, columns), ab.dtype)  # row i has the columns from i - kl on
    for i in range(n):
        for j in range(max(i - kl, 0), min(i + ku + 1, n)):
            rows[i, j - i + kl] = ab[kl + ku + i - j, j]
    x = b.copy()
    piv = np.zeros(n, np.int32)
    info = 0
    for k in range(n):
        best, place = abs(rows[k, kl]), k
        for i in range(k + 1, min(k + kl + 1, n)):
            size = abs(rows[i, k - i + kl])
            if size > best:
                best, place = size, i
        piv[k] = place
        if best == 0:
            info = k + 1
            break
        if place != k:
            for j in range(k, min(k + ku + kl + 1, n)):
                kept = rows[k, j - k + kl]
                rows[k, j - k + kl] = rows[place, j - place + kl]
                rows[place, j - place + kl] = kept
            line = x[k].copy()
            x[k] = x[place]
            x[place] = line
        for i in range(k + 1, min(k + kl + 1, n)):
            factor = rows[i, k - i + kl] / rows[k, kl]
            for j in range(k + 1, min(k + ku + kl + 1, n)):
                rows[i, j - i + kl] -= factor * rows[k, j - k + kl]
            x[i] -= factor * x[k]
    if info == 0:
        for k in range(n - 1, -1, -1):
            for j in range(k + 1, min(k + ku + kl + 1, n)):
                x[k] -= rows[k, j - k + kl] * x[j]
            x[k] = x[k] / rows[k, kl]
    return ab, piv, x, info


@_of_lapack("spotrf dpotrf cpotrf zpotrf")
def _potrf(a, lower=0, overwrite_a=0, clean=1):
    """Cholesky's factor; what is wrong if there is none."""
    half = np.tril(a) if lower else np.conj(np.triu(a)).T
    info = 0
    try:
        factor = np.linalg.cholesky(half + np.conj(np.tril(half, -1)).T)
    except np.linalg.LinAlgError:
        factor = half.copy()
        for k in range(len(a)):
            for j in range(k):
                factor[k, j] = (factor[k, j] - factor[k, :j] @ np.conj(factor[j, :j])) / factor[j, j]
            square = np.real(factor[k, k] - factor[k, :k] @ np.conj(factor[k, :k]))
            if not square > 0:
                info = k + 1
                break
            factor[k, k] = np.sqrt(square)
    made = factor if lower else np.conj(factor).T
    if not clean:
        made = made + (np.triu(a, 1) if lower else np.tril(a, -1))
    return made, info


@_of_lapack("spotrs dpotrs cpotrs zpotrs")
def _potrs(c, b, lower=0, overwrite_b=0):
    """The solution of a system whose matrix has Cholesky's factor `c`."""
    if lower:
        inner = scipy.linalg.solve_triangular(np.tril(c), b, lower=True)
        return scipy.linalg.solve_triangular(np.conj(np.tril(c)).T, inner), 0
    inner = scipy.linalg.solve_triangular(np.conj(np.triu(c)).T, b, lower=True)
    return scipy.linalg.solve_triangular(np.triu(c), inner), 0


@_of_lapack("sgetrs dgetrs cgetrs zgetrs")
def _getrs(lu, piv, b, trans=0, overwrite_b=0):
    """The solution of a system whose matrix has these triangles, with rows exchanged."""
    n = len(lu)
    order = np.arange(n)
    for k in range(n):
        kept = order[k]
        order[k] = order[piv[k]]
        order[piv[k]] = kept
    under, over = np.tril(lu, -1) + np.eye(n, dtype=lu.dtype), np.triu(lu)
    if trans == 0:
        inner = scipy.linalg.solve_triangular(under, b[order], lower=True, unit_diagonal=True)
        return scipy.linalg.solve_triangular(over, inner), 0
    flip = np.conj if trans == 2 else np.asarray
    inner = scipy.linalg.solve_triangular(flip(over).T, b, lower=True)
    inner = scipy.linalg.solve_triangular(flip(under).T, inner, unit_diagonal=True)
    x = np.zeros_like(inner)
    x[order] = inner
    return x, 0
