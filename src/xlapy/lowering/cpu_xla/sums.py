"""Reductions in XLA's own code for a CPU: of one axis, and long sums in parts.

XLA's vectors make a sum of 500,000 float32 numbers ten times as inexact as NumPy's pairwise sums, and one thread makes
it. Sums of 256 numbers at a time, and of these sums again, are about as exact as NumPy's, and several threads make the
first ones (measured: 3,000,000 float64 numbers in 0.32 ms instead of 0.56). Several axes next to one another are one
longer axis, of which vectors can be filled.
"""

from __future__ import annotations

from math import prod
from typing import Any

from jax import lax
from jax.extend.core import primitives

from xlapy.lowering.thresholds import AXES_JOINED, SUM_IN_PARTS, SUM_OF_PART

REDUCTIONS = frozenset(
    (
        primitives.reduce_sum_p,
        primitives.reduce_prod_p,
        primitives.reduce_max_p,
        primitives.reduce_min_p,
        primitives.reduce_and_p,
        primitives.reduce_or_p,
    )
)


def has_faster_form(primitive: Any, operand: Any, axes: tuple[int, ...]) -> bool:
    """Whether `reduced` does it otherwise: `operand` has a shape and a dtype."""
    if primitive not in REDUCTIONS or tuple(axes) != tuple(range(operand.ndim - len(axes), operand.ndim)):
        return False
    count = prod(operand.shape[k] for k in axes)
    return len(axes) > 1 and count >= AXES_JOINED or _is_long_sum(primitive, operand, count)


def reduced(primitive: Any, operand: Any, *, axes: tuple[int, ...], **params: Any) -> Any:
    """`primitive`, a reduction of the last axes, of any number."""
    count = prod(operand.shape[k] for k in axes)
    shape = operand.shape[: operand.ndim - len(axes)]
    whole = lax.reshape(operand, (*shape, count))
    if _is_long_sum(primitive, operand, count):
        return long_sum(whole)
    return primitive.bind(whole, axes=(len(shape),), **params)


def long_sum(operand: Any) -> Any:
    """The sums along the last axis."""
    *shape, count = operand.shape
    axis, rest = len(shape), None
    while count >= 2 * SUM_OF_PART:
        whole = count // SUM_OF_PART * SUM_OF_PART
        if whole < count:
            more = lax.reduce_sum(lax.slice_in_dim(operand, whole, count, axis=axis), (axis,))
            rest = more if rest is None else lax.add(rest, more)
            operand = lax.slice_in_dim(operand, 0, whole, axis=axis)
        count = whole // SUM_OF_PART
        operand = lax.reduce_sum(lax.reshape(operand, (*shape, count, SUM_OF_PART)), (axis + 1,))
    total = lax.reduce_sum(operand, (axis,))
    return total if rest is None else lax.add(total, rest)


def _is_long_sum(primitive: Any, operand: Any, count: int) -> bool:
    return primitive is primitives.reduce_sum_p and operand.dtype.kind in "fc" and count >= SUM_IN_PARTS


__all__ = ["REDUCTIONS", "has_faster_form", "long_sum", "reduced"]
