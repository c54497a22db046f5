"""Determinants: NumPy multiplies the diagonal of LAPACK's factors, as a sign and a sum of logarithms.

Formulas of the elements give NaN where there is an infinity, and overflow where the logarithms do not.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

from xlapy.lowering.jaxprs.derivatives import differentiated_as

#: the largest matrices that are factored here, element by element: many at once, and no call of LAPACK
_SMALL = 3


def determinant(a: Array) -> Array:
    """np.linalg.det of matrices `(..., n, n)` of floats or complex numbers."""
    sign, logarithm = _sign_and_logarithm(a)
    return differentiated_as(sign * jnp.exp(logarithm).astype(a.dtype), jnp.linalg.det(a))


def log_determinant(a: Array) -> tuple[Array, Array]:
    """np.linalg.slogdet of matrices `(..., n, n)`."""
    found, formula = _sign_and_logarithm(a), jnp.linalg.slogdet(a)
    return differentiated_as(found[0], formula[0]), differentiated_as(found[1], formula[1])


def _sign_and_logarithm(a: Array) -> tuple[Array, Array]:
    """The sign of the determinants, and the logarithm of their absolute values; NaN has no sign."""
    diagonal, swaps = _factored(a)
    size = jnp.abs(diagonal)
    if a.dtype.kind == "c":
        sign = jnp.prod(lax.complex(diagonal.real / size, diagonal.imag / size), axis=-1)
    else:
        sign = jnp.ones(a.shape[:-2], a.dtype)
        swaps = swaps + jnp.sum(diagonal < 0, axis=-1)
    singular = jnp.any(diagonal == 0, axis=-1)
    logarithm = jnp.where(singular, -jnp.inf, jnp.sum(jnp.log(size), axis=-1))
    return jnp.where(singular, 0, jnp.where(swaps % 2 == 1, -sign, sign)), logarithm


def _factored(a: Array) -> tuple[Array, Array]:
    """The diagonal of the upper factor with partial pivoting, `(..., n)`, and how often rows changed places."""
    if a.shape[-1] > _SMALL or not a.size:
        return _factored_by_lapack(a)
    return lax.cond(jnp.all(jnp.isfinite(a)), _factored_by_elements, _factored_by_lapack, a)


def _factored_by_lapack(a: Array) -> tuple[Array, Array]:
    factors, pivots, _ = lax.linalg.lu(a)
    swaps = jnp.sum(pivots != jnp.arange(a.shape[-1], dtype=pivots.dtype), axis=-1)
    return jnp.diagonal(factors, axis1=-2, axis2=-1), swaps


def _factored_by_elements(a: Array) -> tuple[Array, Array]:
    """The same, in the order in which OpenBLAS does it, whose roundings tell whether a matrix is singular."""
    size = a.shape[-1]
    rows = [[a[..., i, k] for k in range(size)] for i in range(size)]
    swaps = jnp.zeros(a.shape[:-2], int)
    for k in range(size):
        for i in range(1, size if k else 0):
            rows[i][k] -= _dot(rows[i][: min(i, k)], [row[k] for row in rows])
        place = _pivot([row[k] for row in rows[k:]])
        rows[k:] = _exchanged(rows[k:], place)
        swaps += place != 0
        reciprocal = 1 / jnp.where(rows[k][k] == 0, 1, rows[k][k])
        for row in rows[k + 1 :]:
            row[k] *= reciprocal
    return jnp.stack([rows[k][k] for k in range(size)], axis=-1), swaps


def _dot(row: list[Array], column: list[Array]) -> Array:
    """A sum of products, of which each is added in one rounding."""
    total = _rounded(row[0] * column[0])
    for x, y in zip(row[1:], column[1:], strict=False):
        total = _rounded(x * y + total)
    return total


def _rounded(x: Array) -> Array:
    """`x`, which is rounded before something is done with it: a choice keeps XLA from joining the two."""
    return jnp.where(x == 0, 0, x)


def _pivot(column: list[Array]) -> Array:
    """The first of the largest numbers of a column; of complex ones, LAPACK takes the sum of the parts for the size."""
    sizes = [jnp.abs(x.real) + jnp.abs(x.imag) if x.dtype.kind == "c" else jnp.abs(x) for x in column]
    place, largest = jnp.zeros(column[0].shape, int), sizes[0]
    for i, size in enumerate(sizes[1:], 1):
        place, largest = jnp.where(size > largest, i, place), jnp.maximum(size, largest)
    return place


def _exchanged(rows: list[list[Array]], place: Array) -> list[list[Array]]:
    """Rows of which the first and that at `place` have changed places."""
    first, *rest = rows
    pivot = first
    for i, row in enumerate(rest, 1):
        pivot = [jnp.where(place == i, x, y) for x, y in zip(row, pivot, strict=True)]
    return [pivot] + [
        [jnp.where(place == i, y, x) for x, y in zip(row, first, strict=True)] for i, row in enumerate(rest, 1)
    ]
