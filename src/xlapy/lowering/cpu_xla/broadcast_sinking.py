"""Sines and the like of few numbers, or of one, each of which is wanted in many places, are computed first, on a CPU.

XLA computes what is element-wise where it is wanted. It makes an exception for slow functions whose results are spread
over a larger array, but not for sines and cosines, of which it does not think that they are slow, nor for functions of
complex numbers, which are made of these: `np.sin(x)[:, None] * y` computed a sine for each element of the matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from xlapy.ir import Operation, Var
from xlapy.ir.operations import ELEMENTWISE, SLOW
from xlapy.lowering.primitives.barrier import stored

#: leaves that read an element several times, and those that only look at elements
_SPREADING = frozenset(("repeat", "gather", "tile", "broadcast"))
_VIEWS = frozenset(("reshape", "transpose", "slice"))
#: what XLA takes for fast
_SINES = frozenset(("sin", "cos", "tan"))
#: how often an element has to be read, in how many places in all, and how many operations are looked at
_TIMES, _MANY, _MOST_OPERATIONS = 4, 4096, 32


def operands_of(operation: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    """The operands of an operation: the first one is stored if its elements are sines and are read many times."""
    if operation.kind != "broadcast" and operation.attributes.get("name") not in _SPREADING:
        return operands
    source, size = operation.operands[0], prod(operation.results[0].type.shape)
    few = prod(source.type.shape)
    if few == 0 or size < _MANY or size < _TIMES * few or not _is_slow(source):
        return operands
    return [stored(operands[0]), *operands[1:]]


def _is_slow(var: Var) -> bool:
    todo, shape, seen = [var], prod(var.type.shape), 0
    while todo and seen < _MOST_OPERATIONS:
        made, seen = todo.pop().owner, seen + 1
        if not isinstance(made, Operation):
            continue
        if made.kind in _SINES or made.kind in SLOW and made.results[0].type.dtype.kind == "c":
            return True
        if made.kind in ELEMENTWISE or made.kind == "convert":
            todo += [v for v in made.operands if prod(v.type.shape) == shape]
        elif made.kind == "load" or made.attributes.get("name") in _VIEWS:
            todo.append(made.operands[0])
    return False


__all__ = ["operands_of"]
