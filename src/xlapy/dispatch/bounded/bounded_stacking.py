"""Vectors of dynamic length side by side, and searched: np.stack, np.searchsorted."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.bounded_elementwise import on_lanes
from xlapy.dispatch.bounded.bounded_rules import from_source
from xlapy.dispatch.bounded.data_dependent_sizes import of_sequences
from xlapy.dispatch.bounded.masked_axes import fresh
from xlapy.dispatch.numpy.rule_operands import absent, cast, known, sequence_items
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Lanes, Tuple, Value

_LEFT = Const("left")
#: how many vectors are put side by side one by one
_MOST = 32
_SAME = "all input arrays must have the same shape"


def _is_vector(machine: Machine, value: Value) -> bool:
    found = masked_axes.parts(machine, value)
    return found is not None and len(found[1]) == 1


def _beside(machine: Machine, items: Sequence[Value], flat: bool) -> Value:
    """Vectors as the columns of a matrix, or as its rows if `flat`; ValueError in the program where their lengths
    differ."""
    found = [masked_axes.taken_apart(machine, v) for v in items]
    dtype = np.result_type(*(room.type.dtype for room, _ in found))
    lengths = [masked_axes.length_int(machine, axes[0], room.type.shape[0]) for room, axes in found]
    goal, room = next((lanes, v.type.shape[0]) for v, (lanes, *_) in found if lanes is not None)
    space = max(v.type.shape[0] for v, _ in found)
    target = goal if space == room else Lanes(goal.length)
    parts = []
    for number, (array, axes) in enumerate(found):
        if number and not _as_long(found[0][1][0], axes[0]):
            bad = machine.builder.elementwise("ne", *(masked_axes.var_of(machine, lengths[k]) for k in (0, number)))
            machine.check(bad, ValueError, _SAME)
        var = masked_axes.moved(machine, machine.read(array), 0, axes[0], target, space)
        parts.append(cast(machine, var, dtype))
    whole = machine.leaf(_stacked, parts, (flat,), name="stack")[0]
    return fresh(machine, whole, (None, target) if flat else (target, None))


def _as_long(one: Lanes | None, two: Lanes | None) -> bool:
    return one is not None and two is not None and masked_axes.same_length(one, two)


def _stacked(*rest):
    *parts, flat = rest
    return jnp.stack(parts, axis=0 if flat else 1)


def _stack(machine, items, axis=None, *args, **kwargs):
    """np.stack: of a few vectors in one step, so that a loop over their lengths stays one."""
    place = 0 if axis is None else known(machine, axis)
    items = [v if involved(v) else machine.call(Const(np.asarray), (v,)) for v in items]
    others = args or any(not absent(v) for v in kwargs.values())
    if others or place not in (0, 1, -1) or len(items) > _MOST or not all(_is_vector(machine, v) for v in items):
        given = {} if axis is None else {"axis": axis}
        return from_source(np.stack, np.stack.__wrapped__, machine, Tuple(tuple(items)), *args, **given, **kwargs)
    return _beside(machine, items, place == 0)


of_sequences(np.stack, _stack)


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
