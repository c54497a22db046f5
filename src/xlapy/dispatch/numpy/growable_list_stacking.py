"""`np.stack(items)`, `np.vstack(items)`, `np.concatenate(items)` and their like of a list that grew in a loop.

    rows = [x[i] for i in range(n) if x[i, 0] > 0]
    np.stack(rows), np.concatenate(rows), np.vstack(rows)

Its items are the rows of an array already, which is arranged anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.bounded import growable_list_arrays, masked_axes
from xlapy.dispatch.numpy import ragged_concatenation
from xlapy.dispatch.numpy.rule_operands import known
from xlapy.dispatch.unions import over_unions
from xlapy.domain.values import Lanes, Value, alternatives

#: the functions that take an axis, and what they say of no items
_WITH_AXIS = {np.stack: "need at least one array to stack", np.concatenate: "need at least one array to concatenate"}
_OTHERS = {np.vstack, np.hstack, np.dstack, np.column_stack}


def joined_arrays(machine, function: object, args: Sequence[Value], kwargs: dict[str, Value]) -> Value | None:
    """What such a function gives; None where there is no such list or no such rule."""
    try:
        if function not in _WITH_AXIS and function not in _OTHERS:
            return None
    except TypeError:
        return None
    given = [*args[1:], *(v for k, v in kwargs.items() if k == "axis")]
    if not args or len(given) < len(args) + len(kwargs) - 1 or len(given) > (function in _WITH_AXIS):
        return None
    axis = known(machine, given[0]) if given else 0
    if not isinstance(axis, int):
        return None
    whole = growable_list_arrays.as_array(machine, args[0])
    if whole is None:
        return ragged_concatenation.joined(machine, function, args[0], axis)
    shapes = {masked_axes.taken_apart(machine, v)[0].type.shape[1:] for v in alternatives(whole)}
    how = _how(function, shapes.pop(), axis) if len(shapes) == 1 else None
    if how is None:
        return None
    text = _WITH_AXIS.get(function, _WITH_AXIS[np.concatenate])
    return over_unions(machine, (whole,), lambda one: _arranged(machine, one, *how, text))


def _how(function: object, shape: tuple[int, ...], axis: int) -> tuple[tuple[int, ...], int, bool] | None:
    """For items of such a shape: the shape that they are given, the dimension along which they are put, and whether
    they have that already."""
    rank = len(shape)
    if function is np.stack:
        return (shape, axis % (rank + 1), False) if -rank - 1 <= axis <= rank else None
    if function is np.concatenate:
        return (shape, axis % rank, True) if -rank <= axis < rank else None
    if function is np.vstack:
        return (1,) * (2 - rank) + shape, 0, True
    if function is np.hstack:
        return (shape or (1,), 0 if rank <= 1 else 1, True)
    if function is np.column_stack:
        return (*(shape or (1,)), 1) if rank < 2 else shape, 1, True
    return ((1, *(shape or (1,)), 1) if rank < 2 else (*shape, 1) if rank == 2 else shape), 2, True


def _arranged(machine, whole: Value, shape: tuple[int, ...], axis: int, merges: bool, text: str) -> Value:
    room, (lanes, *_) = masked_axes.taken_apart(machine, whole)
    length = masked_axes.length_int(machine, lanes, room.type.shape[0])
    if isinstance(length.value, int):
        if length.value == 0:
            machine.raise_(ValueError, text)
    elif length.low < 1:
        none = machine.builder.elementwise("lt", length.value, machine.builder.constant(1, masked_axes.INT64))
        machine.check(none, ValueError, text)
    var = machine.leaf(_rearranged, (machine.read(room),), (shape, axis, merges), name="rows")[0]
    if lanes is None:
        return machine.new_array(var)
    if merges:
        length = masked_axes.multiply(machine, length, masked_axes.known_int(shape[axis]))
    axes: list[Lanes | None] = [None] * len(var.type.shape)
    axes[axis] = Lanes(masked_axes.var_of(machine, length))
    return masked_axes.fresh(machine, var, axes)


def _rearranged(rows, shape, axis, merges):
    count = rows.shape[0]
    rows = jnp.moveaxis(rows.reshape((count, *shape)), 0, axis)
    return rows.reshape((*shape[:axis], count * shape[axis], *shape[axis + 1 :])) if merges else rows
