"""Leaves that put values of one type into an array, along a new first axis, and that take an array apart.

What lists hold are values by themselves. An item at a place that depends on data is looked for in an array of all of
them, and put into it, which is taken apart again: `passes.array_carries` sees to it that the array stays where it can.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
from jax import lax

from xlapy.ir.core import Operation, TensorType, Var

STACKED, UNSTACKED = "stacked", "unstacked"
#: of an array of which no element is looked at before it is written
UNSET = "unset"
#: values that are worth it
MANY = 8


def stacked(*parts: jax.Array) -> jax.Array:
    """Values in an array."""
    return jax.numpy.stack(parts)


def unstacked(array: jax.Array) -> tuple[jax.Array, ...]:
    """The values in an array."""
    return tuple(lax.index_in_dim(array, k, keepdims=False) for k in range(array.shape[0]))


def is_stack(operation: object) -> bool:
    """Whether an operation puts values into an array."""
    return isinstance(operation, Operation) and operation.kind == STACKED


def is_unstack(operation: object) -> bool:
    """Whether an operation takes an array apart."""
    return isinstance(operation, Operation) and operation.kind == UNSTACKED


def unset(*shape_and_type):
    """An array of which no element is looked at before it is written."""
    *shape, dtype = shape_and_type
    return jax.numpy.zeros(shape, dtype)


def is_unset(operation: object) -> bool:
    """Whether an operation is that."""
    return isinstance(operation, Operation) and operation.kind == UNSET


def like(template: Operation, operands: Sequence[Var], depth: int) -> Operation:
    """The same leaf of other operands of the same types."""
    types = tuple(v.type for v in template.results)
    return Operation(template.kind, tuple(operands), template.attributes, types, (), template.location, depth)


def giving(results: Sequence[Var], operation: Operation) -> Operation:
    """An operation that defines these values, in place of what defined them."""
    operation.results = list(results)
    for var in results:
        var.owner = operation
    return operation


def putting_together(type_: TensorType, count: int) -> dict[str, Any]:
    """The attributes of a leaf that puts values of one type into an array."""
    return _attributes(stacked, type_, count)


def taking_apart(type_: TensorType, count: int) -> dict[str, Any]:
    """The attributes of a leaf that takes an array of so many values of one type apart."""
    return _attributes(unstacked, TensorType((count, *type_.shape), type_.dtype, type_.weak), 1)


@functools.lru_cache(maxsize=256)
def _attributes(function: Any, type_: TensorType, count: int) -> dict[str, Any]:
    return {"jaxpr": _traced(function, *[type_] * count), "as_written": True}


def rewritten(stack: Operation) -> list[Operation] | Var | None:
    """What puts the parts of one array into an array, in their order, in other words: that array, or operations the
    last of which makes it of that; None if it is something else."""
    found = _rows(stack.operands)
    if found is None:
        return None
    var, start, converted = found
    type_, count = stack.results[0].type, len(stack.operands)
    made: list[Operation] = []

    def then(kind: str, attributes: dict[str, Any], shape: tuple[int, ...], like: TensorType) -> None:
        nonlocal var
        depth = stack.results[0].depth
        types = (TensorType(shape, like.dtype, like.weak),)
        made.append(Operation(kind, (var,), attributes, types, (), stack.location, depth))
        (var,) = made[-1].results

    shape, rows = stack.operands[0].type.shape, count
    if len(var.type.shape) < len(type_.shape):  # the parts are themselves parts of one axis
        rows, start = count * shape[0], start * shape[0]
    if rows < var.type.shape[0]:
        then("section", _section(var.type, start, rows), (rows, *var.type.shape[1:]), var.type)
    if var.type.shape != type_.shape:
        then("leaf", reshaping(var.type, type_.shape), type_.shape, var.type)
    if converted or var.type != type_:
        then("convert", {}, type_.shape, type_)
    return made or var


def _rows(operands: Sequence[Var]) -> tuple[Var, int, bool] | None:
    """The array that consecutive parts are of, the number of the first of them, and whether they are converted."""
    first = operands[0].owner
    if not isinstance(first, Operation):
        return None
    if first.kind == "convert":
        parts = [_converted(v, operands[0].type) for v in operands]
        if any(p is None for p in parts):
            return None
        inner = _rows([p for p in parts if p is not None])
        return None if inner is None else (inner[0], inner[1], True)
    if is_unstack(first):
        start = first.results.index(operands[0])
        same = len(first.results) - start >= len(operands)
        if same and all(a is b for a, b in zip(operands, first.results[start:], strict=False)):
            return first.operands[0], start, False
        return None
    length = operands[0].type.shape[0] if operands[0].type.shape else 0
    sections = [_start_of(v) for v in operands]
    if not length or sections[0] is None or sections[0][1] % length:
        return None
    whole, start = sections[0]
    if all(s is not None and s == (whole, start + k * length) for k, s in enumerate(sections)):
        return whole, start // length, False
    return None


def _converted(var: Var, type_: TensorType) -> Var | None:
    owner = var.owner
    same = isinstance(owner, Operation) and owner.kind == "convert" and var.type == type_
    return owner.operands[0] if same and isinstance(owner, Operation) else None


def _start_of(var: Var) -> tuple[Var, int] | None:
    owner = var.owner
    if not isinstance(owner, Operation) or owner.kind != "section":
        return None
    return owner.operands[0], owner.attributes["section"]


@functools.lru_cache(maxsize=4096)
def _section(type_: TensorType, start: int, count: int) -> dict[str, Any]:
    jaxpr = _traced(lambda x: lax.slice_in_dim(x, start, start + count), type_)
    return {"jaxpr": jaxpr, "as_written": True, "section": start}


@functools.lru_cache(maxsize=1024)
def reshaping(type_: TensorType, shape: tuple[int, ...]) -> dict[str, Any]:
    """The attributes of an operation that gives an array another shape."""
    return {"jaxpr": _traced(lambda x: lax.reshape(x, shape), type_), "name": "reshape", "as_written": True}


def _traced(function: Any, *types: TensorType) -> Any:
    with jax.enable_x64(True):
        return jax.make_jaxpr(function)(*(jax.ShapeDtypeStruct(t.shape, t.dtype, weak_type=t.weak) for t in types))


__all__ = [
    "reshaping",
    "MANY",
    "STACKED",
    "UNSET",
    "UNSTACKED",
    "giving",
    "is_stack",
    "is_unset",
    "is_unstack",
    "like",
    "putting_together",
    "rewritten",
    "stacked",
    "taking_apart",
    "unset",
    "unstacked",
]
