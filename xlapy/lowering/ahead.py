"""Products that were moved out of loops: see `passes/ahead.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax import lax
from jax.extend.core import jaxpr_as_fun

from xlapy.ir import Operation
from xlapy.lowering.untraced import traced


def products(operation: Operation, operands: Sequence) -> Sequence:
    """The products of all trips, one after the other along the first axis."""
    array, matrix = operands
    jaxpr = traced(operation.attributes["jaxpr"])
    axis: int = operation.attributes["axis"]
    side: int = operation.attributes["side"]
    starts: tuple = operation.attributes["starts"]
    counts: tuple = operation.attributes["counts"]
    rows = lax.slice(array, starts, [s + n for s, n in zip(starts, counts, strict=True)])
    if operation.attributes["reverse"]:
        rows = lax.rev(rows, (axis,))
    avals: list[Any] = jaxpr.in_avals
    shape = avals[side].shape

    def one(row: Any) -> Any:
        pair = (lax.reshape(row, shape), matrix)
        return jaxpr_as_fun(jaxpr)(*(pair if side == 0 else pair[::-1]))[0]

    return (jax.vmap(one, axis)(rows),)


def part(operation: Operation, operands: Sequence) -> Sequence:
    """The product of one trip."""
    return (lax.dynamic_index_in_dim(*operands, axis=0, keepdims=False, allow_negative_indices=False),)
