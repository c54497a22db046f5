"""Between which numbers the elements of an array of integers are: what makes checks of indices superfluous."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from xlapy.ir.access_regions import touched
from xlapy.ir.core import Operation, Var, constant_value
from xlapy.ir.intervals import Interval, hull
from xlapy.ir.jaxpr_ranges import MOVES, results_between
from xlapy.ir.operations import TABLE

#: operations that are looked through
_DEPTH = 24
_NOTHING: Mapping[Var, Interval] = MappingProxyType({})


def elements_between(var: Var, known: Mapping[Var, Interval] = _NOTHING, depth: int = _DEPTH) -> Interval:
    """The ends of a closed interval that has all elements of an array of integers or booleans.

    Args:
        var: the array.
        known: intervals for arrays that no operation of the program computes.
        depth: how many operations to look through.
    """
    found = found_between(var, known, depth) if depth else None
    whole = _of_type(var.type.dtype)
    if found is None or found[0] < whole[0] or found[1] > whole[1]:
        return whole  # what does not fit has been wrapped
    return found


def _of_type(dtype: np.dtype) -> Interval:
    if dtype.kind == "b":
        return 0, 1
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def found_between(var: Var, known: Mapping[Var, Interval], depth: int = _DEPTH) -> Interval | None:
    """The same of what an operation would give if nothing were wrapped; None if that is not known."""
    if var in known:
        return known[var]
    constant = constant_value(var)
    if constant is not None:
        return (int(constant.min()), int(constant.max())) if constant.size else (0, 0)
    operation = var.owner
    if not isinstance(operation, Operation) or len(operation.results) != 1:
        return None
    kind, operands = operation.kind, operation.operands
    if operation.jaxpr is not None:
        return _leaf(operation, known, depth)
    if kind == "convert" and operands[0].type.dtype.kind not in "iub":
        return None
    if operation.attributes.get("unset"):
        return None
    if kind in ("convert", "broadcast"):
        return elements_between(operands[0], known, depth - 1)
    if kind == "select":
        return hull(elements_between(operands[1], known, depth - 1), elements_between(operands[2], known, depth - 1))
    rule = TABLE[kind].bounds
    return None if rule is None else rule(*(elements_between(v, known, depth - 1) for v in operands))


def _leaf(operation: Operation, known: Mapping[Var, Interval], depth: int) -> Interval | None:
    """Elements of the first operand that are moved, with others among them after a store; places that were found."""
    first = operation.operands[0] if operation.operands else None
    if first is None or first.type.dtype != operation.results[0].type.dtype:
        return None if touched(operation) is not None else results_between(operation.jaxpr, 0)
    if touched(operation) is not None:
        parts = operation.operands[: 1 if operation.kind == "load" else 2]
        if any(v.type.dtype.kind not in "iub" for v in parts):
            return None
        intervals = [elements_between(v, known, depth - 1) for v in parts]
        return hull(intervals[0], intervals[-1])
    jaxpr = operation.jaxpr.jaxpr
    if len(operation.operands) == 1 and all(e.primitive.name in MOVES for e in jaxpr.eqns):
        return elements_between(first, known, depth - 1)
    return results_between(operation.jaxpr, 0)


__all__ = ["elements_between", "found_between"]
