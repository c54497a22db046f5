"""Vectors of dynamic length side by side, and searched: np.stack, np.searchsorted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.bounded_elementwise import on_lanes
from xlapy.dispatch.bounded.data_dependent_sizes import of_sequences
from xlapy.dispatch.bounded.masked_axes import fresh
from xlapy.dispatch.numpy.rule_operands import absent, cast, known, sequence_items
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Lanes, Tuple, Value

_LEFT = Const("left")
#: how many vectors are put side by side one by one
_MOST = 32
_ALIKE = (
    "all the input array dimensions except for the concatenation axis must match exactly, but along dimension {}, "
    "the array at index 0 has size {{}} and the array at index {} has size {{}}"
)
_SAME = "all input arrays must have the same shape"


def beside(machine: Machine, items: Sequence[Value], dimension: int | None, flat: bool = False) -> Value:
    """Vectors and matrices of one number of rows as the columns of a matrix (or the rows, for `flat` vectors).

    ValueError in the program where they have not as many; `dimension` is the one that the message names, None where it
    names none.
    """
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
            shown = [masked_axes.scalar(machine, lengths[k]) for k in (0, number)]
            text = machine.message(_ALIKE.format(dimension, number), *shown) if dimension is not None else _SAME
            machine.check(bad, ValueError, text)
        var = masked_axes.moved(machine, machine.read(array), 0, axes[0], target, space)
        parts.append(cast(machine, var, dtype))
    whole = machine.leaf(_beside, parts, (flat,), name="stack")[0]
    return fresh(machine, whole, (None, target) if flat else (target, None))


def _as_long(one: Lanes | None, two: Lanes | None) -> bool:
    return one is not None and two is not None and masked_axes.same_length(one, two)


def _beside(*rest):
    *parts, flat = rest
    return jnp.stack(parts) if flat else jnp.concatenate([x if x.ndim == 2 else x[:, None] for x in parts], axis=1)


def _is_vector(machine: Machine, value: Value) -> bool:
    found = masked_axes.parts(machine, value)
    return found is not None and len(found[1]) == 1


def _of_vectors(item: Callable, choose: Callable) -> None:
    """A function of a sequence of arrays, for vectors of which one has a dynamic length; `choose` gives how they are
    put together, for an axis: the dimension that the message names, and whether they are rows."""

    def joined(machine, items, axis=None, *args, **kwargs):
        how = choose(known(machine, axis) if axis is not None else None)
        items = [v if involved(v) else machine.call(Const(np.asarray), (v,)) for v in items]
        alike = all(_is_vector(machine, v) for v in items) and len(items) <= _MOST
        if how is None or args or not alike or any(not absent(v) for v in kwargs.values()):
            raise require_static(machine, first_of(items, {}), f"np.{item.__name__} with such arguments")
        return beside(machine, items, *how)

    of_sequences(item, joined)


_of_vectors(np.stack, {None: (None, True), 0: (None, True), 1: (None, False), -1: (None, False)}.get)
_of_vectors(np.column_stack, {None: (0, False)}.get)
_of_vectors(np.vstack, {None: (1, True)}.get)


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
