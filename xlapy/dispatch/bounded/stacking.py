"""Vectors of dynamic length side by side, repeated and searched: np.stack, np.repeat, np.searchsorted."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.bounded import lanes as bounded
from xlapy.dispatch.bounded.arithmetic import on_lanes
from xlapy.dispatch.bounded.lanes import INT64, fresh, involved, require_static
from xlapy.dispatch.bounded.rules import FUNCTIONS, METHODS, first_of
from xlapy.dispatch.bounded.selection import of_sequences
from xlapy.dispatch.numpy.values import absent, known, sequence_items
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Lanes, Tuple, Value

_LEFT = Const("left")
#: how many vectors are put side by side one by one
_MOST = 32
_ALIKE = (
    "all the input array dimensions except for the concatenation axis must match exactly, but along dimension {}, "
    "the array at index 0 has size {} and the array at index {} has size {}"
)


def _columns(arrays, dtype):
    count = len(arrays[0])
    for array in arrays:
        if len(array) != count:
            raise ValueError("all input arrays must have the same shape")
    return _filled(arrays, dtype)


def _columns_alike(arrays, dtype):
    _require_alike(arrays, 0)
    return _filled(arrays, dtype)


def _rows_alike(arrays, dtype):
    _require_alike(arrays, 1)
    return _filled(arrays, dtype).T


def _rows(arrays, dtype):
    return _columns(arrays, dtype).T


def _require_alike(arrays, dimension):
    count = len(arrays[0])
    for number, array in enumerate(arrays):
        if len(array) != count:
            raise ValueError(_ALIKE.format(dimension, count, number, len(array)))


def _filled(arrays, dtype):
    out = np.zeros((len(arrays[0]), len(arrays)), dtype)
    for number, array in enumerate(arrays):
        out[:, number] = array
    return out


def _is_vector(machine: Machine, value: Value) -> bool:
    found = bounded.parts(machine, value)
    return found is not None and len(found[1]) == 1


def _of_vectors(item: Callable, choose: Callable) -> None:
    """A function of a sequence of arrays, for vectors of which one has a dynamic length; `choose` gives what it is in
    Python, for an axis."""

    def joined(machine, items, axis=None, *args, **kwargs):
        implementation = choose(known(machine, axis) if axis is not None else None)
        alike = all(_is_vector(machine, v) for v in items) and len(items) <= _MOST
        if implementation is None or args or not alike or any(not absent(v) for v in kwargs.values()):
            raise require_static(machine, first_of(items, {}), f"np.{item.__name__} with such arguments")
        dtypes = [bounded.parts(machine, v)[0].type.dtype for v in items]  # type: ignore[index]
        dtype = Const(np.result_type(*dtypes))
        return machine.call(Const(implementation), (Tuple(tuple(items)), dtype))

    of_sequences(item, joined)


def _select(machine, conditions, choices, default=0):
    items = sequence_items(machine, choices)
    if items is None or any(not isinstance(v, BoundedArray) and not _is_vector(machine, v) for v in conditions):
        raise require_static(machine, first_of((*conditions, *(items or ())), {}), "np.select of such conditions")
    for condition in conditions:
        if bounded.parts(machine, condition)[0].type.dtype != bool:  # type: ignore[index]
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
_of_vectors(np.stack, {None: _rows, 0: _rows, 1: _columns, -1: _columns}.get)
_of_vectors(np.column_stack, {None: _columns_alike}.get)
_of_vectors(np.vstack, {None: _rows_alike}.get)


def _repeat(machine: Machine, a: Value, repeats: Value, axis: Value | None = None) -> Value:
    vector = isinstance(a, BoundedArray) and len(a.axes) == 1 and (absent(axis) or known(machine, axis) in (0, -1))
    if not vector or not machine.is_static(repeats) or np.ndim(known(machine, repeats)) != 0:
        raise require_static(machine, first_of((a, repeats), {}), "np.repeat with such arguments")
    times = int(known(machine, repeats))  # type: ignore[call-overload]
    if times < 0:
        machine.raise_(ValueError, "repeats may not contain negative values.")
    var, (lanes,) = bounded.compacted(machine, a)  # type: ignore[arg-type]
    length = machine.builder.elementwise("mul", lanes.length, machine.builder.constant(times, INT64))  # type: ignore
    return fresh(machine, machine.leaf(_repeated, (var,), (times,))[0], (Lanes(length),))


def _repeated(var, times):
    return jnp.repeat(var, times, axis=0)


FUNCTIONS[np.repeat] = METHODS["repeat"] = _repeat


def _expand_dims(machine: Machine, a: Value, axis: Value) -> Value:
    place = known(machine, axis)
    if not isinstance(a, BoundedArray) or len(a.axes) != 1 or place not in (0, 1, -1, -2):
        raise require_static(machine, first_of((a, axis), {}), "np.expand_dims of such arrays")
    return machine.getitem(a, Const((None, slice(None)) if place in (0, -2) else (slice(None), None)))


FUNCTIONS[np.expand_dims] = _expand_dims


def _searchsorted(machine: Machine, a: Value, v: Value, side: Value = _LEFT, sorter: Value | None = None) -> Value:
    if not involved(a, side, sorter):
        options = {"side": side} if absent(sorter) else {"side": side, "sorter": sorter}
        return on_lanes(machine, v, lambda room: machine.call(Const(np.searchsorted), (a, room), options))  # type: ignore[arg-type]
    vector = isinstance(a, BoundedArray) and len(a.axes) == 1 and a.base.type.dtype.kind in "iuf"
    if not vector or involved(side) or not absent(sorter):
        raise require_static(machine, first_of((a, v), {}), "np.searchsorted with such arguments")
    dtype = a.base.type.dtype  # type: ignore[attr-defined]
    last = np.nan if dtype.kind == "f" else np.iinfo(dtype).max
    var, axes = bounded.compacted(machine, a)  # type: ignore[arg-type]
    fill = machine.builder.broadcast(machine.builder.constant(last, dtype), var.type.shape)
    whole = machine.new_array(bounded.select_valid(machine, var, fill, axes))
    if isinstance(v, BoundedArray):
        found = on_lanes(machine, v, lambda room: machine.call(Const(np.searchsorted), (whole, room, side)))
    else:
        found = machine.call(Const(np.searchsorted), (whole, v, side))
    return machine.call(Const(_at_most), (found, a))


def _at_most(found, array):
    return np.minimum(found, len(array))


FUNCTIONS[np.searchsorted] = METHODS["searchsorted"] = _searchsorted
