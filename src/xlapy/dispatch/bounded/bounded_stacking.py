"""Vectors of dynamic length side by side, and searched: np.stack, np.searchsorted."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.bounded_elementwise import on_lanes
from xlapy.dispatch.bounded.data_dependent_sizes import of_sequences
from xlapy.dispatch.numpy.rule_operands import absent, sequence_items
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Tuple, Value

_LEFT = Const("left")


def _is_vector(machine: Machine, value: Value) -> bool:
    found = masked_axes.parts(machine, value)
    return found is not None and len(found[1]) == 1


def _select(machine, conditions, choices, default=0):
    items = sequence_items(machine, choices)
    if items is None or any(not isinstance(v, BoundedArray) and not _is_vector(machine, v) for v in conditions):
        raise require_static(machine, first_of((*conditions, *(items or ())), {}), "np.select of such conditions")
    for condition in conditions:
        if masked_axes.taken_apart(machine, condition)[0].type.dtype != bool:
            raise require_static(machine, first_of((*conditions, *items), {}), "np.select of such conditions")
    return machine.call(
        Const(_chosen),
        (Tuple(tuple(conditions)), Tuple(tuple(items)), default if isinstance(default, Value) else Const(default)),
    )


def _chosen(conditions, choices, default):
    if len(conditions) != len(choices):
        raise ValueError("list of cases must be same length as list of conditions")
    result = default
    for condition, choice in zip(conditions[::-1], choices[::-1], strict=True):
        result = np.where(condition, choice, result)
    return result


of_sequences(np.select, _select)


def _searchsorted(machine: Machine, a: Value, v: Value, side: Value = _LEFT, sorter: Value | None = None) -> Value:
    if not involved(a, side, sorter):
        options = {"side": side} if absent(sorter) else {"side": side, "sorter": sorter}
        assert isinstance(v, BoundedArray)
        return on_lanes(machine, v, lambda room: machine.call(Const(np.searchsorted), (a, room), options))
    plain = not involved(side) and absent(sorter)
    if not (isinstance(a, BoundedArray) and len(a.axes) == 1 and a.base.type.dtype.kind in "iuf" and plain):
        raise require_static(machine, first_of((a, v), {}), "np.searchsorted with such arguments")
    dtype = a.base.type.dtype
    last = np.nan if dtype.kind == "f" else np.iinfo(dtype).max
    var, axes = masked_axes.compacted(machine, a)
    fill = machine.builder.broadcast(machine.builder.constant(last, dtype), var.type.shape)
    whole = machine.new_array(masked_axes.select_valid(machine, var, fill, axes))
    if isinstance(v, BoundedArray):
        found = on_lanes(machine, v, lambda room: machine.call(Const(np.searchsorted), (whole, room, side)))
    else:
        found = machine.call(Const(np.searchsorted), (whole, v, side))
    return machine.call(Const(_at_most), (found, a))


def _at_most(found, array):
    return np.minimum(found, len(array))


registry.function(np.searchsorted, kind=DYNAMIC_LENGTH)(_searchsorted)
registry.method(np.ndarray, "searchsorted", kind=DYNAMIC_LENGTH)(_searchsorted)
