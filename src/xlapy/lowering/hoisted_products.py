"""Products that were moved out of loops: see `passes/matmul_hoisting.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend.core import jaxpr_as_fun, primitives

from xlapy.ir import Operation
from xlapy.lowering.jaxprs.deferred_tracing import traced
from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr
from xlapy.lowering.primitives import symmetric_rank_k


def products(operation: Operation, operands: Sequence) -> Sequence:
    """The products of all iterations, one after the other along the first axis."""
    array, matrix = operands
    jaxpr = traced(operation.attributes["product"])
    axis: int = operation.attributes["axis"]
    side: int = operation.attributes["side"]
    starts: tuple = operation.attributes["starts"]
    counts: tuple = operation.attributes["counts"]
    if _is_of_itself(operation):
        all_of_them = symmetric_rank_k.product(array, axis == 0)
        return (lax.slice_in_dim(all_of_them, starts[axis], starts[axis] + counts[axis]),)
    rows = lax.slice(array, starts, [s + n for s, n in zip(starts, counts, strict=True)])
    if operation.attributes["reverse"]:
        rows = lax.rev(rows, (axis,))
    avals: list[Any] = jaxpr.in_avals
    shape = avals[side].shape

    def one(row: Any) -> Any:
        pair = (lax.reshape(row, shape), matrix)
        return jaxpr_as_fun(jaxpr)(*(pair if side == 0 else pair[::-1]))[0]

    return (jax.vmap(one, axis)(rows),)


def products_as_jaxpr(operation: Operation) -> ClosedJaxpr:
    """The same as JAX sees it."""
    shapes = [jax.ShapeDtypeStruct(v.type.shape, v.type.dtype) for v in operation.operands]
    return jax.make_jaxpr(lambda *operands: products(operation, operands))(*shapes)


def _is_of_itself(operation: Operation) -> bool:
    """Whether most rows of a matrix, or most columns, are multiplied with all of them."""
    array, matrix = operation.operands
    axis: int = operation.attributes["axis"]
    counts: tuple = operation.attributes["counts"]
    jaxpr = operation.attributes["product"].jaxpr
    shape, dtype = array.type.shape, array.type.dtype
    if array is not matrix or len(shape) != 2 or dtype not in (np.float32, np.float64) or len(jaxpr.eqns) != 1:
        return False
    # Half of the elements are computed of a product of a matrix with itself.
    if counts[1 - axis] != shape[1 - axis] or 2 * counts[axis] < shape[axis] or operation.attributes["reverse"]:
        return False
    (equation,) = jaxpr.eqns
    if equation.primitive is not primitives.dot_general_p or list(equation.invars) != list(jaxpr.invars):
        return False
    contracted, _ = equation.params["dimension_numbers"]
    return contracted[1 - operation.attributes["side"]] == (1 - axis,)


def part(operation: Operation, operands: Sequence) -> Sequence:
    """The product of one iteration."""
    return (lax.dynamic_index_in_dim(*operands, axis=0, keepdims=False, allow_negative_indices=False),)
