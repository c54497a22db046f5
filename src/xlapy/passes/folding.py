"""What an operation is known to be, given the operations that define its operands."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from xlapy.ir import Operation, Var, constant_value
from xlapy.ir.constant_evaluation import MOST_KNOWN
from xlapy.ir.operations import computed
from xlapy.ir.rewrites import REWRITES, Expression, rewritten
from xlapy.ir.stacking_leaves import is_stack


def fold(operation: Operation) -> Expression | None:
    """What an operation without regions certainly equals; None if that is not known."""
    kind, operands = operation.kind, operation.operands
    if operation.jaxpr is not None:
        return stacked_constants(operation) if is_stack(operation) else compacted(operation, lambda var: var)
    if kind == "constant":
        return None
    if kind == "convert" and operands[0].type.dtype == operation.results[0].type.dtype:
        return operands[0]
    known = [value for v in operands if (value := constant_value(v)) is not None]
    if len(known) == len(operands):
        result = operation.results[0].type
        return computed(kind, known, result) if math.prod(result.shape) <= MOST_KNOWN else None
    return rewritten(kind, operands, REWRITES)


def stacked_constants(operation: Operation) -> np.ndarray | None:
    """The array that known values are put into."""
    values = [constant_value(v) for v in operation.operands]
    known = [v for v in values if v is not None]
    return np.stack(known).astype(operation.results[0].type.dtype) if len(known) == len(values) else None


def compacted(operation: Operation, number: Callable[[Var], object]) -> Var | None:
    """What `expand(compact(x, positions(mask)), mask)` is where the mask is true, and nobody looks at the rest: `x`."""
    if operation.kind != "expand":
        return None
    compact = operation.operands[0].owner
    if not isinstance(compact, Operation) or compact.kind != "compact":
        return None
    source, order = compact.operands
    positions = order.owner
    if not isinstance(positions, Operation) or positions.kind != "positions":
        return None
    same = len(source.type.shape) == 1 and number(positions.operands[0]) == number(operation.operands[1])
    return source if same and source.type == operation.results[0].type else None
