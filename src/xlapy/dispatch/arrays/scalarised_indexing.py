"""A large array at a few places, `x[[i, j]] = x[[j, i]]`: read and written one by one, as by basic indices.

XLA's gather and scatter would look at all of the array, or copy it, in each iteration of a loop (measured for 16,000
elements: 60 µs an iteration instead of 0.05).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays.views import read_view, write_view
from xlapy.dispatch.numpy.rule_operands import broadcast_to
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import Const, NdArray, Scalar
from xlapy.ir import Operation, Var, constant_value

#: places; elements of an array, and how many times as many as are touched
_MOST, _LARGE, _TIMES = 8, 64, 8
_INT64 = np.dtype(np.int64)


def at_places(
    machine: Machine, array: NdArray, entries: Sequence[tuple], arrays: Sequence[Var], basic_view: Callable
) -> tuple[list[NdArray], int] | None:
    """A view of each of a few places, and the axis along which they stand; None if the key is not of that kind.

    Args:
        machine: the interpreter.
        array: what is indexed.
        entries: of the key, one for each dimension.
        arrays: what the entries of kind `index` refer to.
        basic_view: the view of a basic key; refuses an index that is out of range.
    """
    places = [k for k, (kind, *_) in enumerate(entries) if kind == "index"]
    if len(places) != 1 or any(kind not in ("index", "all") for kind, *_ in entries):
        return None
    (axis,), index = places, arrays[entries[places[0]][1]]
    if len(index.type.shape) != 1 or index.type.dtype.kind not in "iu" or not 0 < index.type.shape[0] <= _MOST:
        return None
    size, count = math.prod(array.type.shape), index.type.shape[0]
    if size < _LARGE or count * _TIMES > array.type.shape[axis]:
        return None
    views = []
    for one in _taken_apart(machine, index, 0):
        key: list[tuple[str, Any]] = [("all", None)] * len(entries)
        constant = constant_value(one)
        number = Const(int(constant[()])) if constant is not None else Scalar(int, machine.builder.convert(one, _INT64))
        key[axis] = ("int", number)
        views.append(basic_view(machine, array, key))
    return views, axis


def read(machine: Machine, views: Sequence[NdArray], axis: int) -> Var:
    """What is at the places, stacked."""
    parts = [read_view(machine, view) for view in views]
    return machine.leaf(_stacked, parts, (axis,), name="stack" if not parts[0].type.shape else f"stack {axis}")[0]


def write(machine: Machine, views: Sequence[NdArray], axis: int, new: Var) -> None:
    """Put parts of `new`, which broadcasts to what is at all places, there; one after the other, so that the last of
    several for one place stays."""
    shape = views[0].type.shape
    whole = (*shape[:axis], len(views), *shape[axis:])
    parts = [new] * len(views) if not new.type.shape else _taken_apart(machine, broadcast_to(machine, new, whole), axis)
    for view, part in zip(views, parts, strict=True):
        write_view(machine, view, broadcast_to(machine, part, shape))


def _taken_apart(machine: Machine, var: Var, axis: int) -> list[Var]:
    """The parts of an array along an axis: what it was put together of, if it was."""
    owner, size = var.owner, var.type.shape[axis]
    constant = constant_value(var)
    if constant is not None:
        return [machine.builder.constant(np.take(constant, k, axis), var.type.dtype) for k in range(size)]
    name = "stack" if len(var.type.shape) == 1 else f"stack {axis}"
    if isinstance(owner, Operation) and owner.attributes.get("name") == name and len(owner.operands) == size:
        rest = (*var.type.shape[:axis], *var.type.shape[axis + 1 :])
        if all(v.type.shape == rest and v.type.dtype == var.type.dtype for v in owner.operands):
            return list(owner.operands)
    return [machine.leaf(_part, (var,), (k, axis), name="part")[0] for k in range(size)]


def _stacked(*rest):
    *parts, axis = rest
    return jnp.stack(parts, axis)


def _part(x, k, axis):
    return x[(slice(None),) * axis + (k,)]


__all__ = ["at_places", "read", "write"]
