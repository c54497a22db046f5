"""Least squares, as NumPy has them: by singular values, of matrices of which the dead part is zero."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

#: of the singular values of np.linalg.pinv, those that count have a larger ratio to the largest one
PINV_RATIO = 1e-15
_SINGLE = (np.float32, np.complex64)
UNFINISHED = "SVD did not converge in Linear Least Squares"


def computed_dtype(a: np.dtype, b: np.dtype) -> np.dtype:
    """The dtype in which np.linalg.lstsq computes."""
    complex = "c" in (a.kind, b.kind)
    if all(dtype in _SINGLE for dtype in (a, b)):
        return np.dtype(np.complex64 if complex else np.float32)
    return np.dtype(np.complex128 if complex else np.float64)


def least_squares(a, b, rows, columns, rcond=None):
    """Solve `a @ x = b` in the sense of least squares.

    Args:
        a: a matrix.
        b: right-hand sides, a vector or a matrix of columns.
        rows, columns: how much of `a` counts (integers, known or not); the rest of it, and of `b`, is zero.
        rcond: the ratio to the largest singular value below which others are taken for zero; negative for the
            precision of the machine, None for NumPy's choice.

    Returns:
        The smallest solution, the sums of squares of what is left, the rank (int32), the singular values, and whether
        NumPy raises LinAlgError.
    """
    epsilon = jnp.finfo(a.dtype).eps
    broken = ~jnp.all(jnp.isfinite(a))
    relative = epsilon * jnp.maximum(rows, columns) if rcond is None else jnp.where(rcond < 0, epsilon, rcond)
    relative = jnp.asarray(relative, jnp.finfo(a.dtype).dtype)
    fewer = jnp.minimum(rows, columns)
    right = b if b.ndim == 2 else b[:, None]
    solution, values = _smallest(jnp.where(broken, jnp.nan, a), right, fewer, relative)
    solution = jnp.where(scaled_away(right), jnp.nan, solution)
    rest = right - a @ solution
    residuals = jnp.sum((rest * jnp.conj(rest)).real, axis=0)
    rank = jnp.sum(_counted(jax.lax.stop_gradient(values), fewer, relative), dtype=jnp.int32)
    return solution if b.ndim == 2 else solution[:, 0], residuals, rank, values, broken


def scaled_away(b):
    """Whether right-hand sides have a largest element by which nothing can be divided: LAPACK scales by it."""
    return jnp.any(jnp.isinf(b)) & ~jnp.any(jnp.isnan(b))


def pseudo_inverse(a, rows, columns):
    """np.linalg.pinv of a matrix of which so many rows and columns count; the rest is zero."""
    unit = jnp.eye(a.shape[0], dtype=a.dtype)
    limit = jnp.asarray(PINV_RATIO, jnp.finfo(a.dtype).dtype)
    return _smallest(a, unit, jnp.minimum(rows, columns), limit)[0]


def _counted(values, fewer, relative):
    """Which singular values are not taken for zero."""
    first = jnp.arange(values.shape[0]) < fewer
    return first & (values > relative * values[:1])


@jax.custom_jvp
def _smallest(a, b, fewer, relative):
    """The smallest `x` for which `a @ x - b` is smallest, and the singular values of `a`."""
    u, values, vh = jnp.linalg.svd(a, full_matrices=False)
    counted = _counted(values, fewer, relative)
    inverse = jnp.where(counted, 1 / jnp.where(counted, values, 1), 0).astype(a.dtype)
    return _adjoint(vh) @ (inverse[:, None] * (_adjoint(u) @ b)), values


@_smallest.defjvp
def _smallest_jvp(primals, tangents):
    """Golub and Pereyra (1973), for matrices of constant rank."""
    (a, b, fewer, relative), (da, db, _, _) = primals, tangents
    solution, values = _smallest(a, b, fewer, relative)
    inverse = _smallest(a, jnp.eye(a.shape[0], dtype=a.dtype), fewer, relative)[0]
    rest = b - a @ solution
    turned = _adjoint(da) @ (_adjoint(inverse) @ solution)
    moved = inverse @ (db - da @ solution) + inverse @ (_adjoint(inverse) @ (_adjoint(da) @ rest))
    moved = moved + turned - inverse @ (a @ turned)
    u, _, vh = jnp.linalg.svd(a, full_matrices=False)
    slopes = jnp.sum(jnp.conj(u) * (da @ _adjoint(vh)), axis=0).real
    return (solution, values), (moved, slopes)


def _adjoint(a):
    return jnp.conj(jnp.swapaxes(a, -1, -2))
