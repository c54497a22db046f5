"""Products of arrays on a CPU, in the form for which XLA has fast code.

XLA's algebraic simplifier makes a sum of a product of two vectors, which is kept from most programs
(`compiler_options`); what remains takes ten times as long (measured, from some thousands of elements on). With and
without it, the transpose of a matrix times a vector takes four to eight times as long as the vector times the
matrix, which is the same; and a product that adds up a few terms for each of many results takes several times as long
as the terms written out.
"""

from __future__ import annotations

from math import prod
from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.extend.core import primitives

from xlapy.lowering.cpu_xla.sums import long_sum
from xlapy.lowering.thresholds import (
    PRODUCT_AS_SUM,
    RESULTS_IN_ROW,
    RESULTS_OF_TRANSPOSE,
    RESULTS_WRITTEN_OUT,
    TERMS_WRITTEN_OUT,
)

DOT = primitives.dot_general_p


def is_sum(lhs: Any, rhs: Any, dimension_numbers: Any) -> bool:
    """Whether a product is computed as a sum of products: for one result, or one in each of a batch.

    Args:
        lhs: something with a shape and a dtype, as `rhs`.
        rhs: the other operand.
        dimension_numbers: those of `lax.dot_general`.
    """
    ((contracted, _), (batch, _)) = dimension_numbers
    terms, results = prod(lhs.shape[k] for k in contracted), prod(lhs.shape[k] for k in batch)
    alone = prod(lhs.shape) == prod(rhs.shape) == terms * results
    return alone and terms * results >= PRODUCT_AS_SUM and terms > _terms(lhs) and lhs.dtype == rhs.dtype


def has_faster_form(lhs: Any, rhs: Any, dimension_numbers: Any) -> bool:
    """Whether `product` is more than `lax.dot_general`."""
    return is_sum(lhs, rhs, dimension_numbers) or _is_written_out(lhs, rhs, dimension_numbers)


def product(lhs: Any, rhs: Any, *, dimension_numbers: Any, **_: Any) -> Any:
    """`lax.dot_general`, where `has_faster_form` says so."""
    faster = _summed if is_sum(lhs, rhs, dimension_numbers) else _written_out
    return faster(lhs, rhs, dimension_numbers)


def is_of_matrix_and_vector(lhs: Any, rhs: Any, dimension_numbers: Any) -> bool:
    """Whether a product is one of a matrix and a vector: better turned around if the matrix is a transpose."""
    return (
        lhs.ndim == 2
        and rhs.ndim == 1
        and lhs.shape[0] > RESULTS_OF_TRANSPOSE
        and dimension_numbers == (((1,), (0,)), ((), ()))
    )


def turned_around(matrix: Any, vector: Any, **params: Any) -> Any:
    """`matrix.T @ vector`, as `vector @ matrix`."""
    return DOT.bind(vector, matrix, **{**params, "dimension_numbers": (((0,), (0,)), ((), ()))})


def _terms(operand: Any) -> int:
    """How many terms may be written out."""
    return TERMS_WRITTEN_OUT.get(operand.dtype.itemsize, 0) if operand.dtype.kind in "iuf" else 0


def _is_written_out(lhs: Any, rhs: Any, dimension_numbers: Any) -> bool:
    ((contracted, _), (batch, _)) = dimension_numbers
    if len(contracted) != 1 or lhs.dtype != rhs.dtype:
        return False
    terms = lhs.shape[contracted[0]]
    batches = prod(lhs.shape[k] for k in batch)
    rows, columns = (prod(x.shape) // max(1, terms * batches) for x in (lhs, rhs))
    if not 0 < terms <= _terms(lhs) or batches * rows * columns < RESULTS_WRITTEN_OUT:
        return False
    # A batch of small matrices XLA computes as fast.
    return min(rows, columns) <= RESULTS_IN_ROW and (not batch or rows == columns == 1)


def _by_batch(lhs: Any, rhs: Any, dimension_numbers: Any) -> tuple[Any, Any, int, int]:
    """The operands as `(batch..., rows..., terms...)` and `(batch..., columns..., terms...)`, with the numbers of
    dimensions that are rows and columns."""
    ((left, right), (one, other)) = dimension_numbers
    rows = [k for k in range(lhs.ndim) if k not in (*left, *one)]
    columns = [k for k in range(rhs.ndim) if k not in (*right, *other)]
    lhs, rhs = jnp.transpose(lhs, (*one, *rows, *left)), jnp.transpose(rhs, (*other, *columns, *right))
    return lhs, rhs, len(rows), len(columns)


def _summed(lhs: Any, rhs: Any, dimension_numbers: Any) -> Any:
    lhs, rhs, rows, columns = _by_batch(lhs, rhs, dimension_numbers)
    contracted = len(dimension_numbers[0][0])
    batch = lhs.ndim - rows - contracted
    shape = (*lhs.shape[:batch], *lhs.shape[batch : batch + rows], *rhs.shape[batch : batch + columns])
    terms = (*lhs.shape[:batch], prod(lhs.shape[lhs.ndim - contracted :]))
    return long_sum(lhs.reshape(terms) * rhs.reshape(terms)).reshape(shape)


def _written_out(lhs: Any, rhs: Any, dimension_numbers: Any) -> Any:
    lhs, rhs, rows, columns = _by_batch(lhs, rhs, dimension_numbers)
    batch = lhs.ndim - rows - 1
    found = None
    for k in range(lhs.shape[-1]):
        one, other = lax.index_in_dim(lhs, k, -1, keepdims=False), lax.index_in_dim(rhs, k, -1, keepdims=False)
        one = jnp.expand_dims(one, tuple(range(batch + rows, batch + rows + columns)))
        other = jnp.expand_dims(other, tuple(range(batch, batch + rows)))
        found = one * other if found is None else found + one * other
    return found


__all__ = ["DOT", "has_faster_form", "is_sum", "is_of_matrix_and_vector", "product", "turned_around"]
