"""Constant folding and identities: what an operation is known to be, given the operations that define its operands.

Only what gives bit for bit what the device would give: IEEE arithmetic is exact and rounded the same way everywhere,
transcendental functions are not, so those are left to XLA.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from xlapy.ir import Operation, Var, constant_value
from xlapy.ir.constant_evaluation import MOST_KNOWN, computed
from xlapy.ir.stacking_leaves import is_stack

#: additions that are followed
_FEW = 4

#: x - 0 and x * 1 are x for every float as well; x + 0 is not, for x = -0
_RIGHT_UNIT = {"add": 0, "sub": 0, "mul": 1, "div": 1, "bitwise_or": 0, "bitwise_xor": 0}
_LEFT_UNIT = {"add": 0, "mul": 1, "bitwise_or": 0, "bitwise_xor": 0}
_UNIT_OF_FLOATS = frozenset(("sub", "mul", "div"))
_REFLEXIVE = {"eq": True, "le": True, "ge": True, "ne": False, "lt": False, "gt": False}


def fold(operation: Operation) -> Var | np.ndarray | None:
    """The value that an operation without regions certainly has: an existing one, a constant, or None if unknown."""
    kind, operands = operation.kind, operation.operands
    if kind == "leaf":
        return stacked_constants(operation) if is_stack(operation) else compacted(operation, lambda var: var)
    if kind == "constant":
        return None
    if kind == "convert" and operands[0].type.dtype == operation.results[0].type.dtype:
        return operands[0]
    values = [constant_value(v) for v in operands]
    known = [v for v in values if v is not None]
    if len(known) == len(values):
        return _evaluate(operation, known)
    if kind == "select":
        return _select(operands, values)
    if kind == "bitwise_not":
        return _double_negation(operands[0])
    if len(operands) == 2:
        return _binary(kind, operands, values)
    return None


def stacked_constants(operation: Operation) -> np.ndarray | None:
    """The array that known values are put into."""
    values = [constant_value(v) for v in operation.operands]
    known = [v for v in values if v is not None]
    return np.stack(known).astype(operation.results[0].type.dtype) if len(known) == len(values) else None


def compacted(operation: Operation, number: Callable[[Var], object]) -> Var | None:
    """What `expand(compact(x, nonzero(mask)), mask)` is where the mask is true, and nobody looks at the rest: `x`."""
    if operation.kind != "leaf" or operation.attributes["name"] != "expand" or len(operation.operands) != 2:
        return None
    compact = operation.operands[0].owner
    if not isinstance(compact, Operation) or compact.attributes.get("name") != "compact":
        return None
    source, order = compact.operands
    nonzero = order.owner
    if not isinstance(nonzero, Operation) or nonzero.attributes.get("name") != "nonzero":
        return None
    same = len(source.type.shape) == 1 and number(nonzero.operands[0]) == number(operation.operands[1])
    return source if same and source.type == operation.results[0].type else None


def _evaluate(operation: Operation, values: list[np.ndarray]) -> np.ndarray | None:
    result = operation.results[0].type
    return computed(operation.kind, values, result) if math.prod(result.shape) <= MOST_KNOWN else None


def _select(operands: tuple[Var, ...], values: list) -> Var | None:
    predicate, then, orelse = operands
    if then is orelse:
        return then
    for chosen, other, place in ((then, orelse, 2), (orelse, then, 1)):
        inner = chosen.owner
        if isinstance(inner, Operation) and inner.kind == "select" and inner.operands[0] is predicate:
            if inner.operands[place] is other:  # (p, (p, a, b), b) is (p, a, b)
                return chosen
    if values[0] is not None and values[0].shape == ():
        return then if values[0] else orelse
    if then.type.dtype == bool and then.type.shape == predicate.type.shape and values[1] is not None:
        if values[2] is not None and values[1].all() and not values[2].any():
            return predicate
    return None


def _double_negation(var: Var) -> Var | None:
    owner = var.owner
    if isinstance(owner, Operation) and owner.kind == "bitwise_not":
        return owner.operands[0]
    return None


def _offset(var: Var) -> tuple[Var, int]:
    """An integer scalar as another one plus a constant, as far as a few additions say."""
    total = 0
    for _ in range(_FEW):
        operation = var.owner
        if not isinstance(operation, Operation) or operation.kind not in ("add", "sub"):
            break
        left, right = operation.operands
        number = constant_value(right)
        if number is not None:
            var, total = left, total + (int(number) if operation.kind == "add" else -int(number))
            continue
        number = constant_value(left)
        if number is None or operation.kind == "sub":
            break
        var, total = right, total + int(number)
    return var, total


def _binary(kind: str, operands: tuple[Var, ...], values: list) -> Var | np.ndarray | None:
    left, right = operands
    dtype = left.type.dtype
    discrete = dtype.kind in "biu"
    if left is right and discrete:
        if kind in _REFLEXIVE and left.type.shape == ():
            return np.asarray(_REFLEXIVE[kind])
        if kind in ("bitwise_and", "bitwise_or", "max", "min"):
            return left
    if dtype.kind == "b" and kind in ("eq", "ne"):
        for value, other in ((values[0], right), (values[1], left)):
            if value is not None and value.shape == () and bool(value) == (kind == "eq"):
                return other
        return None
    if dtype.kind == "b" and kind in ("bitwise_and", "bitwise_or"):
        for one, value, other in ((left, values[0], right), (right, values[1], left)):
            if value is not None and (value.all() or not value.any()):
                return other if bool(value.all()) == (kind == "bitwise_and") else one
        return None
    if dtype.kind == "c":
        return None
    if kind == "sub" and dtype.kind in "iu" and left.type.shape == ():
        (one, more), (other, less) = _offset(left), _offset(right)
        if one is other:
            return np.asarray((more - less) % 2 ** (8 * dtype.itemsize), np.uint64).astype(dtype)
    if values[1] is not None and kind in _RIGHT_UNIT and (discrete or kind in _UNIT_OF_FLOATS):
        if np.all(values[1] == _RIGHT_UNIT[kind]) and not np.any(np.signbit(values[1].astype(float))):
            return left
    if values[0] is not None and kind in _LEFT_UNIT and (discrete or kind == "mul"):
        if np.all(values[0] == _LEFT_UNIT[kind]):
            return right
    return None
