"""`array[key]` and `array[key] = value` where the array, the key or the value has a dynamic length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from xlapy.dispatch.argument_kinds import first_of, involved, require_static
from xlapy.dispatch.arrays import advanced_indexing, indexing
from xlapy.dispatch.arrays.views import read_view, write_view
from xlapy.dispatch.bounded import index_arrays, masked_axes
from xlapy.dispatch.bounded.bounded_slices import basic
from xlapy.dispatch.bounded.layout_matching import assign, stored
from xlapy.dispatch.bounded.masked_axes import (
    BOOL,
    INT64,
    fresh,
    masked_lanes,
    moved,
    same_lanes,
    same_length,
    select_valid,
    var_of,
)
from xlapy.dispatch.numpy.rule_operands import operand, reshape
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, JaxArray, Lanes, NdArray, NumpyScalar, Scalar, Slice, Tuple, Value
from xlapy.ir import Var, constant_value

Part = tuple[str, Any]


def _is_truth(key: Value) -> bool:
    """Whether a key is one boolean."""
    if isinstance(key, Const):
        return isinstance(key.value, bool | np.bool_)
    if isinstance(key, NdArray):
        return key.type.dtype == BOOL and key.type.shape == ()
    return isinstance(key, Scalar | NumpyScalar) and key.var.type.dtype == BOOL


def _by_truth(machine: Machine, array: NdArray, key: Value) -> tuple[Value, Value]:
    """`array[None]` and a mask of one element: a boolean alone takes all of an array or nothing, along a new axis."""
    mask = machine.new_array(reshape(machine, operand(machine, key), (1,)))
    return machine.getitem(array, Const(None)), mask


def getitem(machine: Machine, array: Value, key: Value) -> Value:
    """`array[key]`."""
    if isinstance(array, NdArray) and _is_truth(key):
        return machine.getitem(*_by_truth(machine, array, key))
    if isinstance(array, NumpyScalar) or isinstance(array, NdArray) and not _concerns(machine, key):
        return indexing.getitem(machine, array, key)
    room, axes = masked_axes.taken_apart(machine, array)
    items = indexing.items_of(key)
    if involved(*items):
        mask = _mask_alone(items)
        if mask is not None:
            return fresh(machine, machine.read(room), _refined(machine, array, axes, mask))
        return index_arrays.getitem(machine, array, items)
    parsed = indexing.parse(machine, room, key)
    if not parsed.advanced:
        result = basic(machine, room, axes, parsed.parts)
        if isinstance(result, NdArray) and result.type.shape == () and not parsed.ellipsis:
            return machine.numpy_result(read_view(machine, result))
        if parsed.scalar_array:
            view, found = masked_axes.taken_apart(machine, result)
            return masked_axes.made(machine, machine.new_array(read_view(machine, view)), found, own=True)
        return result
    where = _only_mask(parsed.parts)
    selected = _selection(machine, array, parsed.parts)
    if selected is not None:
        return fresh(machine, machine.read(room), _refined(machine, array, axes, selected))
    if where is None:
        if isinstance(array, BoundedArray):
            return index_arrays.gathered(machine, array, parsed.parts)
        return indexing.getitem(machine, room, key)
    view, mask, axis = _masked_view(machine, room, axes, parsed.parts, where)
    rank = len(mask.type.shape)
    base, found = masked_axes.taken_apart(machine, view)
    if involved(view) and any(x is not None for x in found[axis : axis + rank]):
        raise require_static(machine, view, "a mask that is no selection")
    var = _flattened(machine, read_view(machine, base), axis, rank)
    lanes = masked_lanes(machine, reshape(machine, mask, (-1,)) if rank != 1 else mask)
    return fresh(machine, var, (*found[:axis], lanes, *found[axis + rank :]))


def setitem(machine: Machine, array: Value, key: Value, value: Value) -> None:
    """`array[key] = value`."""
    if isinstance(array, NdArray) and _is_truth(key):
        machine.setitem(*_by_truth(machine, array, key), value)
        return
    if isinstance(array, NdArray) and not involved(value) and not _concerns(machine, key):
        indexing.setitem(machine, array, key, value)
        return
    room, axes = masked_axes.taken_apart(machine, array)
    if not room.writeable:
        machine.raise_(ValueError, "assignment destination is read-only")
    items = indexing.items_of(key)
    if involved(*items):
        mask = _mask_alone(items)
        if mask is not None:
            assign(machine, BoundedArray(room, _refined(machine, array, axes, mask)), value)
        else:
            index_arrays.setitem(machine, array, items, value)
        return
    parsed = indexing.parse(machine, room, key)
    if not parsed.advanced:
        assign(machine, basic(machine, room, axes, parsed.parts), value)
        return
    where = _only_mask(parsed.parts)
    whole = where is None or all(kind in ("all", "array") for kind, _ in parsed.parts)
    if isinstance(array, NdArray) and whole and (where is None or not involved(value)):
        if involved(value):
            raise require_static(machine, value, "the assignment to an index array")
        indexing.setitem(machine, array, key, value)
        return
    selected = _selection(machine, array, parsed.parts)
    if selected is not None:
        assign(machine, BoundedArray(room, _refined(machine, array, axes, selected)), value)
        return
    if where is None:
        raise require_static(machine, first_of((array,), {}), "an index array as a target")
    view, mask, axis = _masked_view(machine, room, axes, parsed.parts, where)
    if involved(view):
        raise require_static(machine, view, "a mask that is no selection")
    assert isinstance(view, NdArray)
    _assign_masked(machine, view, mask, axis, value, whole)


def _concerns(machine: Machine, key: Value) -> bool:
    """Whether a key has a slice of dynamic length, a mask on the device, or an array of dynamic length."""
    for item in key.items if isinstance(key, Tuple) else (key,):
        match item:
            case Slice() if not all(isinstance(p, Const) for p in (item.start, item.stop, item.step)):
                return True
            case BoundedArray():
                return True
            case NdArray() if item.type.dtype == BOOL and item.type.shape:
                return constant_value(machine.read(item)) is None
            case JaxArray() if item.var.type.dtype == BOOL and item.var.type.shape:
                return constant_value(item.var) is None
    return False


def _mask_alone(items: list[Value]) -> BoundedArray | None:
    """The mask of dynamic length that is all of a key, if it is."""
    key = items[0]
    alone = len(items) == 1 and isinstance(key, BoundedArray) and key.base.type.dtype == BOOL
    return key if alone and isinstance(key, BoundedArray) else None


# -- masks ------------------------------------------------------------------------------------------------------------


def _only_mask(parts: Sequence[Part]) -> int | None:
    """The place of the one mask of a key, whose other advanced parts are integers beside it; None if it is not so."""
    places = [k for k, (kind, _) in enumerate(parts) if kind == "array"]
    if len(places) != 1:
        return None
    mask = parts[places[0]][1]
    if mask.type.dtype != BOOL or not mask.type.shape or constant_value(mask) is not None:
        return None
    advanced = [k for k, (kind, _) in enumerate(parts) if kind in ("array", "int")]
    if advanced != list(range(advanced[0], advanced[-1] + 1)) or any(kind == "new" for kind, _ in parts):
        return None
    return places[0]


def _selection(machine: Machine, array: Value, parts: Sequence[Part]) -> BoundedArray | None:
    """The mask of static length that is the key of a vector of dynamic length, if it is."""
    if not isinstance(array, BoundedArray) or parts[0][0] != "array" or any(kind != "all" for kind, _ in parts[1:]):
        return None
    mask: Var = parts[0][1]
    if mask.type.dtype != BOOL or len(mask.type.shape) != 1:
        return None
    return BoundedArray(machine.new_array(mask), (None,))


def _masked_view(machine: Machine, room: NdArray, axes, parts: Sequence[Part], place: int) -> tuple[Value, Var, int]:
    """What the rest of the key leaves, the mask, and the first axis to which it applies."""
    mask: Var = parts[place][1]
    rank = len(mask.type.shape)
    rest: list[Part] = []
    axis = before = 0
    for k, part in enumerate(parts):
        if k == place:
            axis = before
            rest.extend([("all", None)] * rank)
            advanced_indexing._check_mask_shape(machine, room, mask.type.shape, len(rest) - rank)
        else:
            rest.append(part)
            before += k < place and part[0] != "int"
    return basic(machine, room, axes, rest), mask, axis


def _flattened(machine: Machine, var: Var, axis: int, rank: int) -> Var:
    shape = var.type.shape
    if rank == 1:
        return var
    count = int(np.prod(shape[axis : axis + rank]))
    return reshape(machine, var, (*shape[:axis], count, *shape[axis + rank :]))


def _assign_masked(machine: Machine, view: NdArray, mask: Var, axis: int, value: Value, whole: bool) -> None:
    """`view[..., mask, ...] = value` with a value of dynamic length."""
    rank = len(mask.type.shape)
    old = _flattened(machine, read_view(machine, view), axis, rank)
    lanes = masked_lanes(machine, reshape(machine, mask, (-1,)) if rank != 1 else mask)
    axes = [lanes if k == axis else None for k in range(len(old.type.shape))]
    new = stored(machine, value, old.type.shape, axes, view.type.dtype, "whole" if whole else "part")
    new = select_valid(machine, machine.builder.broadcast(new, old.type.shape), old, axes)
    write_view(machine, view, reshape(machine, new, view.type.shape))


def _refined(machine: Machine, array: Value, axes, mask: BoundedArray) -> tuple[Lanes | None, ...]:
    """The lanes of `array[mask]`; IndexError where the mask has another length than the array."""
    room, _ = masked_axes.taken_apart(machine, array)
    if len(mask.axes) != 1 or not axes:
        raise require_static(machine, mask, "a mask of several dimensions")
    (lanes,), mine = mask.axes, axes[0]
    size, hits = room.type.shape[0], machine.read(mask.base)
    count = hits.type.shape[0]
    if lanes is None or mine is None or not same_length(lanes, mine):
        mask_length = masked_axes.length_int(machine, lanes, count)
        length = masked_axes.length_int(machine, mine, size)
        bad = machine.builder.elementwise("ne", var_of(machine, mask_length), var_of(machine, length))
        some = machine.builder.elementwise("ne", var_of(machine, mask_length), machine.builder.constant(0, INT64))
        bad = machine.builder.elementwise("bitwise_and", bad, some)  # NumPy takes an empty mask for any dimension
        text = machine.message(
            "boolean index did not match indexed array along axis 0; size of axis is {} but size of corresponding"
            " boolean axis is {}",
            masked_axes.scalar(machine, length),
            masked_axes.scalar(machine, mask_length),
        )
        machine.check(bad, IndexError, text)
    if min(size, count) == 0:
        hits = machine.builder.broadcast(machine.builder.constant(False), (size,))
    elif size != count or lanes is None or mine is None or not same_lanes(lanes, mine):
        hits = moved(machine, hits, 0, lanes, mine, size)
    if mine is not None:
        hits = machine.builder.elementwise("bitwise_and", masked_axes.valid_lanes(machine, mine, size), hits)
    return (masked_lanes(machine, hits), *axes[1:])
