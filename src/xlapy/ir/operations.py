"""The table of operations: how many operands and regions each kind has, and what its result types are.

`leaf` carries a closed jaxpr (a `jax.numpy`, `jax.lax` or `jax.scipy` function traced once for its operand types).
The element-wise kinds have a rule of their own, so that the common case costs no trace.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from xlapy.ir.core import Operation, TensorType

BOOL = np.dtype(bool)

#: element-wise kinds of one or more operands of equal shape and dtype, whose result has that type
SAME = frozenset(
    "add sub mul div rem pow max min neg abs sign floor ceil sqrt exp expm1 log log1p sin cos tan asin acos atan sinh"
    " cosh tanh asinh acosh atanh atan2 cbrt bitwise_and bitwise_or bitwise_xor bitwise_not shift_left"
    " shift_right_arithmetic shift_right_logical nextafter".split()
)
#: element-wise kinds whose result is boolean
PREDICATES = frozenset("eq ne lt le gt ge is_finite".split())
#: element-wise kinds, and JAX's primitives of their like, that take tens of instructions for an element
SLOW = frozenset(
    "pow exp exp2 expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh atan2 cbrt erf erfc"
    " erf_inv lgamma digamma logistic".split()
)
#: every element-wise kind, with the number of operands
ARITY = {
    **dict.fromkeys(SAME, 1),
    **dict.fromkeys(
        "add sub mul div rem pow max min atan2 bitwise_and bitwise_or bitwise_xor shift_left shift_right_arithmetic"
        " shift_right_logical nextafter eq ne lt le gt ge".split(),
        2,
    ),
    "is_finite": 1,
    "select": 3,
}


@dataclass(frozen=True)
class Definition:
    """What the verifier demands of an operation kind."""

    operands: int | None
    regions: int
    check: Callable[[Operation], str | None]


def infer_elementwise(kind: str, types: tuple[TensorType, ...]) -> TensorType:
    """Result type of an element-wise operation; operands have one shape (scalars included), checked by the verifier."""
    weak = all(t.weak for t in types)
    if kind in PREDICATES:
        return TensorType(types[0].shape, BOOL)
    if kind == "select":
        return TensorType(types[1].shape, types[1].dtype, types[1].weak and types[2].weak)
    return TensorType(types[0].shape, types[0].dtype, weak)


def _same(types: list[TensorType]) -> str | None:
    first = types[0]
    bad = [t for t in types if t.shape != first.shape or t.dtype != first.dtype]
    return f"operand types differ: {', '.join(map(str, types))}" if bad else None


def _elementwise(operation: Operation) -> str | None:
    types = [v.type for v in operation.operands]
    if operation.kind == "select":
        if types[0].dtype != BOOL:
            return "the predicate of select is not boolean"
        return _same(types[1:])
    return _same(types)


def _constant(operation: Operation) -> str | None:
    value = operation.attributes["value"]
    expected = operation.results[0].type
    if np.shape(value) != expected.shape or np.asarray(value).dtype != expected.dtype:
        return f"the value does not have type {expected}"
    return None


def _leaf(operation: Operation) -> str | None:
    jaxpr = operation.attributes["jaxpr"]
    for aval, var in zip(jaxpr.in_avals, operation.operands, strict=True):
        if aval.shape != var.type.shape or aval.dtype != var.type.dtype:
            return f"operand {var.type} where the jaxpr takes {aval}"
    for aval, var in zip(jaxpr.out_avals, operation.results, strict=True):
        if aval.shape != var.type.shape or aval.dtype != var.type.dtype:
            return f"a result {var.type} where the jaxpr gives {aval}"
    return None


def _signature(types: list[TensorType]) -> list[tuple[tuple[int, ...], np.dtype]]:
    return [(t.shape, t.dtype) for t in types]


def _yields(operation: Operation) -> str | None:
    expected = _signature([v.type for v in operation.results])
    for region in operation.regions:
        if _signature([v.type for v in region.results]) != expected:
            found, wanted = ([str(v.type) for v in values] for values in (region.results, operation.results))
            return f"a region yields {found}, not {wanted}"
    return None


def _if(operation: Operation) -> str | None:
    if operation.operands[0].type[:2] != ((), BOOL):
        return "the predicate of if is not a boolean scalar"
    return _yields(operation)


def _loop(operation: Operation, first: int, body: int) -> str | None:
    """Operands from `first` on, the parameters and yields of the body and the results agree."""
    carried = _signature([v.type for v in operation.operands[first:]])
    region = operation.regions[body]
    params = _signature([v.type for v in region.params[first:]])
    yields = _signature([v.type for v in region.results])
    results = _signature([v.type for v in operation.results])
    if not carried == params == yields == results:
        return f"carried {carried}, parameters {params}, yields {yields}, results {results}"
    return None


def _while(operation: Operation) -> str | None:
    cond = operation.regions[0]
    if _signature([v.type for v in cond.results]) != [((), BOOL)]:
        return "the condition does not yield one boolean scalar"
    return _loop(operation, 0, 1)


def _live(operation: Operation) -> str | None:
    mask, x = (v.type for v in operation.operands)
    return None if mask.dtype == BOOL and mask.shape in ((), x.shape) else f"a mask {mask} for {x}"


def _part(operation: Operation) -> str | None:
    (array, index), result = (v.type for v in operation.operands), operation.results[0].type
    found = (array.shape[1:], array.dtype, index.shape) == (result.shape, result.dtype, ())
    return None if found else f"{result} is no part of {array}"


def _convert(operation: Operation) -> str | None:
    return None if operation.operands[0].type.shape == operation.results[0].type.shape else "convert changes the shape"


def _broadcast(operation: Operation) -> str | None:
    try:
        shape = np.broadcast_shapes(operation.operands[0].type.shape, operation.results[0].type.shape)
    except ValueError as error:
        return str(error)
    return None if shape == operation.results[0].type.shape else "the operand has more dimensions than the result"


TABLE: dict[str, Definition] = {
    **{kind: Definition(count, 0, _elementwise) for kind, count in ARITY.items()},
    "constant": Definition(0, 0, _constant),
    "convert": Definition(1, 0, _convert),
    "broadcast": Definition(1, 0, _broadcast),
    # live (mask, x): x, whose derivative is zero where the mask is false
    "live": Definition(2, 0, _live),
    "leaf": Definition(None, 0, _leaf),
    # ahead (array, matrix): the products of a matrix with parts of an array, for each iteration of a loop
    "ahead": Definition(2, 0, lambda operation: None),
    # part (array, index): what is at a place of the first axis
    "part": Definition(2, 0, _part),
    # if (predicate) then, orelse
    "if": Definition(1, 2, _if),
    # while (*carried) cond(*carried) -> bool, body(*carried) -> carried
    "while": Definition(None, 2, _while),
    # for (iterations, *carried) body(index, *carried) -> carried; index runs from 0 to iterations
    "for": Definition(None, 1, lambda operation: _loop(operation, 1, 0)),
}
