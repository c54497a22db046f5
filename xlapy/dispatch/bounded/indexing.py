"""`array[key]` and `array[key] = value` where the array, the key or the value has a dynamic length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays import fancy as numpy_fancy
from xlapy.dispatch.arrays import indexing
from xlapy.dispatch.arrays.elements import assigned, elements
from xlapy.dispatch.arrays.views import read_view, write_view
from xlapy.dispatch.bounded import lanes as bounded
from xlapy.dispatch.bounded.lanes import (
    BOOL,
    INT64,
    first_of,
    fresh,
    involved,
    masked_lanes,
    moved,
    require_static,
    same_lanes,
    same_length,
    select_valid,
    shape_text,
    valid_mask,
    var_of,
)
from xlapy.dispatch.bounded.meshes import first_bounded, is_mesh, mesh
from xlapy.dispatch.bounded.slices import basic, is_whole, settled
from xlapy.dispatch.numpy.values import cast, operand, reshape
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import BoundedArray, Const, JaxArray, Lanes, NdArray, NumpyScalar, Scalar, Slice, Tuple, Value
from xlapy.ir import Var, constant_value
from xlapy.lowering import scattering

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
    room, axes = bounded.taken_apart(machine, array)
    items = indexing.items_of(key)
    if involved(*items):
        return _by_bounded(machine, array, room, axes, items)
    parsed = indexing.parse(machine, room, key)
    if not parsed.advanced:
        result = basic(machine, room, axes, parsed.parts)
        if isinstance(result, NdArray) and result.type.shape == () and not parsed.ellipsis:
            return machine.numpy_result(read_view(machine, result))
        if parsed.scalar_array:
            view, found = bounded.taken_apart(machine, result)
            return bounded.made(machine, machine.new_array(read_view(machine, view)), found)
        return result
    where = _only_mask(parsed.parts)
    selected = _selection(machine, array, parsed.parts)
    if selected is not None:
        return fresh(machine, machine.read(room), _refined(machine, array, axes, selected))
    if where is None:
        if isinstance(array, BoundedArray):
            return _gathered(machine, array, parsed.parts)
        return indexing.getitem(machine, room, key)
    view, mask, axis = _masked_view(machine, room, axes, parsed.parts, where)
    rank = len(mask.type.shape)
    base, found = bounded.taken_apart(machine, view)
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
    room, axes = bounded.taken_apart(machine, array)
    if not room.writeable:
        machine.raise_(ValueError, "assignment destination is read-only")
    items = indexing.items_of(key)
    if involved(*items):
        _put_bounded(machine, array, room, axes, items, value)
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
            numpy_fancy._check_mask_shape(machine, room, mask.type.shape, len(rest) - rank)
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
    new = _stored(machine, value, old.type.shape, axes, view.type.dtype, "whole" if whole else "part")
    new = select_valid(machine, machine.builder.broadcast(new, old.type.shape), old, axes)
    write_view(machine, view, reshape(machine, new, view.type.shape))


# -- assignment -------------------------------------------------------------------------------------------------------


def assign(machine: Machine, target: Value, value: Value) -> None:
    """`target[...] = value`."""
    room, axes = bounded.taken_apart(machine, target)
    if not room.writeable:
        machine.raise_(ValueError, "assignment destination is read-only")
    if isinstance(value, BoundedArray) and _is_itself(target, value):
        return
    if not involved(target, value):
        assert isinstance(target, NdArray)
        indexing.assign(machine, target, value)
        return
    new = _stored(machine, value, room.type.shape, axes, room.type.dtype)
    new = machine.builder.broadcast(new, room.type.shape)
    write_view(machine, room, select_valid(machine, new, read_view(machine, room), axes))


def _is_itself(target: Value, value: BoundedArray) -> bool:
    """Whether an array is assigned to itself, as the end of `a[i, :j] += 1` does."""
    if not isinstance(target, BoundedArray) or target.base.buffer != value.base.buffer:
        return False
    one, two = target.base.lenses, value.base.lenses
    return (
        [lens.kind for lens in one] == [lens.kind for lens in two]
        and all(_same_parameters(a.params, b.params) for a, b in zip(one, two, strict=True))
        and all(
            (a is b) or (a is not None and b is not None and same_lanes(a, b))
            for a, b in zip(target.axes, value.axes, strict=True)
        )
    )


def _same_parameters(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same_parameters, a, b))
    return bounded.same_int(a, b) if isinstance(a, Var | int) and isinstance(b, Var | int) else a == b


def _stored(machine: Machine, value: Value, shape: tuple[int, ...], axes, dtype: np.dtype, mask: str = "") -> Var:
    """A value as `dtype`, with its lanes where those of the target are; it broadcasts to `shape`."""
    if isinstance(value, Const | Scalar | NumpyScalar):
        return elements(machine, value, dtype) if mask else assigned(machine, value, dtype, ())
    if isinstance(value, JaxArray | NdArray | BoundedArray):
        source = value if not isinstance(value, JaxArray) else machine.new_array(value.var)
    else:
        source = machine.new_array(elements(machine, value, dtype))

    def message() -> Value:
        text, sizes = shape_text(machine, source)
        goal, goals = shape_text(machine, bounded.made(machine, _model(shape, dtype), axes)) if axes else ("()", [])
        if mask == "whole" and len(sizes) == 1 == len(goals):
            return machine.message(
                "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values where"
                " the mask is true",
                *sizes,
                *goals,
            )
        if mask:
            template = (
                f"shape mismatch: value array of shape {text} could not be broadcast to indexing result of shape {goal}"
            )
            return machine.message(template, *sizes, *goals)
        return machine.message(f"could not broadcast input array from shape {text} into shape {goal}", *sizes, *goals)

    return cast(machine, fit(machine, source, shape, axes, message), dtype)


def _model(shape: tuple[int, ...], dtype: np.dtype) -> NdArray:
    return NdArray(-1, (), bounded.TensorType(shape, dtype), -1)


def fit(machine: Machine, value: Value, shape: tuple[int, ...], axes: Sequence[Lanes | None], message) -> Var:
    """The elements of an array with each dimension laid out as that of a target (or of size 1).

    ValueError with `message()` where the array does not broadcast to the target.
    """
    room, mine = bounded.taken_apart(machine, value)
    var = machine.read(room)
    extra = len(mine) - len(axes)
    if extra > 0:
        if any(n != 1 for n in var.type.shape[:extra]) or any(x is not None for x in mine[:extra]):
            machine.raise_(ValueError, message())
        var = reshape(machine, var, var.type.shape[extra:])
        mine = mine[extra:]
    for back in range(1, min(len(mine), len(axes)) + 1):
        axis = len(mine) - back
        lanes, goal = mine[axis], axes[-back]
        size, space = var.type.shape[axis], shape[-back]
        if lanes is None and (size == 1 or (goal is None and size == space)):
            continue
        if lanes is not None and goal is not None and size == space and same_lanes(lanes, goal):
            continue
        var = _laid_out(machine, var, axis, lanes, goal, space, message)
    return var


def _laid_out(
    machine: Machine, var: Var, axis: int, lanes: Lanes | None, goal: Lanes | None, space: int, message
) -> Var:
    size = var.type.shape[axis]
    first = None
    if lanes is None or goal is None or not same_length(lanes, goal):
        builder = machine.builder
        mine, wanted = (bounded.length_int(machine, *pair) for pair in ((lanes, size), (goal, space)))
        bad = builder.elementwise("ne", var_of(machine, mine), var_of(machine, wanted))
        if mine.low <= 1 <= mine.high and lanes is not None:
            one = builder.elementwise("eq", var_of(machine, mine), builder.constant(1, INT64))
            bad = builder.elementwise("bitwise_and", bad, builder.elementwise("bitwise_not", one))
            first = moved(machine, var, axis, lanes, None, max(size, 1)) if size else None
        machine.check(bad, ValueError, message())
    if size == 0:
        shape = tuple(space if k == axis else n for k, n in enumerate(var.type.shape))
        return machine.builder.broadcast(machine.builder.constant(0, var.type.dtype), shape)
    result = moved(machine, var, axis, lanes, goal, space)
    if first is not None:
        result = machine.leaf(_first_or_all, (one, first, result), (axis,), name="broadcast")[0]
    return result


def _first_or_all(single, first, x, axis):
    return jnp.where(single, jnp.broadcast_to(first[(slice(None),) * axis + (slice(0, 1),)], x.shape), x)


# -- keys of dynamic length -------------------------------------------------------------------------------------------


def _by_bounded(machine: Machine, array: Value, room: NdArray, axes, items: list[Value]) -> Value:
    """`array[key]` with index arrays or a mask of dynamic length."""
    key = items[0]
    if len(items) == 1 and isinstance(key, BoundedArray) and key.base.type.dtype == BOOL:
        return fresh(machine, machine.read(room), _refined(machine, array, axes, key))
    if involved(array):
        if len(items) > 1:
            raise require_static(machine, first_of((array,), {}), "several index arrays")
        lanes, indices = _index_arrays(machine, items)
        assert isinstance(array, BoundedArray)
        return _picked(machine, array, indices[0], lanes)
    if any(n == 0 for n in room.type.shape[: len(items)]):
        raise Refused("XP0013", "an index array whose length depends on data, into an array of size 0")
    dimensions, indices = mesh(machine, items) if is_mesh(machine, items) else _index_arrays(machine, items)
    dimensions = dimensions if isinstance(dimensions, tuple) else (dimensions,)
    result = indexing.getitem(machine, room, Tuple(tuple(indices)))
    return bounded.made(machine, result, (*dimensions, *(None,) * (_rank(machine, result) - len(dimensions))))


def _refined(machine: Machine, array: Value, axes, mask: BoundedArray) -> tuple[Lanes | None, ...]:
    """The lanes of `array[mask]`; IndexError where the mask has another length than the array."""
    room, _ = bounded.taken_apart(machine, array)
    if len(mask.axes) != 1 or not axes:
        raise require_static(machine, mask, "a mask of several dimensions")
    (lanes,), mine = mask.axes, axes[0]
    size, hits = room.type.shape[0], machine.read(mask.base)
    count = hits.type.shape[0]
    if lanes is None or mine is None or not same_length(lanes, mine):
        mask_length = bounded.length_int(machine, lanes, count)
        length = bounded.length_int(machine, mine, size)
        bad = machine.builder.elementwise("ne", var_of(machine, mask_length), var_of(machine, length))
        some = machine.builder.elementwise("ne", var_of(machine, mask_length), machine.builder.constant(0, INT64))
        bad = machine.builder.elementwise("bitwise_and", bad, some)  # NumPy takes an empty mask for any dimension
        text = machine.message(
            "boolean index did not match indexed array along axis 0; size of axis is {} but size of corresponding"
            " boolean axis is {}",
            bounded.scalar(machine, length),
            bounded.scalar(machine, mask_length),
        )
        machine.check(bad, IndexError, text)
    if min(size, count) == 0:
        hits = machine.builder.broadcast(machine.builder.constant(False), (size,))
    elif size != count or lanes is None or mine is None or not same_lanes(lanes, mine):
        hits = moved(machine, hits, 0, lanes, mine, size)
    if mine is not None:
        hits = machine.builder.elementwise("bitwise_and", bounded.valid_lanes(machine, mine, size), hits)
    return (masked_lanes(machine, hits), *axes[1:])


def _index_arrays(machine: Machine, items: list[Value]) -> tuple[Lanes, list[Value]]:
    """Index arrays of equal lanes, with zeros in the dead ones; integers stay."""
    first: BoundedArray | None = None
    found: list[Value] = []
    for item in items:
        if indexing.is_integer(item):
            found.append(item)
            continue
        if not isinstance(item, BoundedArray) or len(item.axes) != 1 or item.base.type.dtype.kind not in "iu":
            raise require_static(machine, next(v for v in items if involved(v)), "such a key")
        if first is None or (item.base.type.shape == first.base.type.shape and same_lanes(item.lanes, first.lanes)):
            zero = machine.builder.constant(0, item.base.type.dtype)
            found.append(JaxArray(bounded.masked(machine, item, zero)))
        else:
            found.append(JaxArray(_aligned(machine, item, first)))
        first = first or item
    assert first is not None
    return first.lanes, found


def _aligned(machine: Machine, item: BoundedArray, first: BoundedArray) -> Var:
    """The elements of an index array where those of the first one are; IndexError where they are not as many."""
    (mine,), (lanes,) = item.axes, first.axes
    room = first.base.type.shape[0]
    lengths = [bounded.length_int(machine, x.axes[0], x.base.type.shape[0]) for x in (first, item)]
    bad = machine.builder.elementwise("ne", *(var_of(machine, n) for n in lengths))
    sizes = [bounded.scalar(machine, n) for n in lengths]
    text = "shape mismatch: indexing arrays could not be broadcast together with shapes ({},) ({},) "
    machine.check(bad, IndexError, machine.message(text, *sizes))
    var = bounded.moved(machine, machine.read(item.base), 0, mine, lanes, room)
    zero = machine.builder.constant(0, item.base.type.dtype)
    return bounded.select_valid(machine, var, zero, (lanes,))


def _picked(machine: Machine, array: BoundedArray, index: Value, lanes: Lanes) -> Value:
    """`selection[indices]`: the elements of one array of dynamic length, by another one."""
    found = _lanes_at(machine, array, index, lanes)
    var = machine.leaf(_take_rows, (machine.read(array.base), found), name="gather")[0]
    return fresh(machine, var, (lanes, *array.axes[1:]))


def _lanes_at(machine: Machine, array: BoundedArray, index: Value, lanes: Lanes) -> Var:
    """The lanes of the first dimension in which the elements lie that an index array names."""
    room = array.base.type.shape[0]
    if room == 0:
        raise Refused("XP0013", "an index array into an array of size 0")
    found, bad, first = machine.leaf(
        _resolve,
        (
            machine.builder.convert(operand(machine, index), INT64),
            _valid_of(machine, lanes, operand(machine, index).type.shape[0]),
            _lane_table(machine, array),
            array.lanes.length,
        ),
        name="check_indices",
    )
    shown = (Scalar(int, machine.builder.convert(first, INT64, True)), bounded.shape_of(machine, array)[0])
    machine.check(bad, IndexError, machine.message("index {} is out of bounds for axis 0 with size {}", *shown))
    return found


def _gathered(machine: Machine, array: BoundedArray, parts: Sequence[Part]) -> Value:
    """`selection[indices]` with an index array of static length."""
    arrays = [value for kind, value in parts if kind == "array"]
    place = next((k for k, (kind, _) in enumerate(parts) if kind == "array"), 0)
    others = all(is_whole(*part) for k, part in enumerate(parts) if k != place)
    if len(arrays) == 1 and others and place > 0 and array.axes[place] is None:
        return _of_known_places(machine, array, arrays[0], place)
    if len(arrays) != 1 or parts[0][0] != "array" or any(kind != "all" for kind, _ in parts[1:]):
        raise require_static(machine, array, "such a key")
    index: Var = arrays[0]
    if index.type.dtype == BOOL or len(index.type.shape) != 1 or array.axes[0] is None:
        raise require_static(machine, array, "such a key")
    everything = Lanes(machine.builder.constant(index.type.shape[0], INT64))
    result = _picked(machine, array, JaxArray(index), everything)
    room, axes = bounded.taken_apart(machine, result)
    return settled(machine, room, axes)


def _of_known_places(machine: Machine, array: BoundedArray, index: Var, place: int) -> Value:
    """`selection[:, indices]`: along a dimension of known length."""
    if index.type.dtype == BOOL and constant_value(index) is None:
        raise require_static(machine, array, "such a key")
    key = Tuple((*(Const(slice(None)),) * place, machine.new_array(index)))
    result = indexing.getitem(machine, array.base, key)
    count = _rank(machine, result) - len(array.axes) + 1
    return bounded.made(machine, result, (*array.axes[:place], *(None,) * count, *array.axes[place + 1 :]))


def _rank(machine: Machine, value: Value) -> int:
    """How many dimensions an array has."""
    return len(bounded.taken_apart(machine, value)[1])


def _valid_of(machine: Machine, lanes: Lanes, room: int) -> Var:
    return bounded.valid_lanes(machine, lanes, room)


def _lane_table(machine: Machine, array: BoundedArray) -> Var:
    """The lane of each element of the first dimension."""
    (lanes, room) = array.axes[0], array.base.type.shape[0]
    if lanes is not None and lanes.valid is not None:
        return bounded.order_of(machine, lanes)
    start = var_of(machine, 0 if lanes is None else lanes.start)
    return machine.leaf(_ramp, (start,), (room,), name="lanes")[0]


def _ramp(start, room):
    return jnp.minimum(start + jnp.arange(room), room - 1)


def _resolve(index, valid, table, length):
    if not index.size:
        return index, jnp.array(False), jnp.array(0, index.dtype)
    bad = valid & ((index < -length) | (index >= length))
    place = jnp.where(index < 0, index + length, index)
    return table[jnp.clip(place, 0, table.shape[0] - 1)], jnp.any(bad), index[jnp.argmax(bad)]


def _take_rows(x, lanes):
    return jnp.take(x, lanes, axis=0, mode="clip")


def _put_bounded(machine: Machine, array: Value, room: NdArray, axes, items: list[Value], value: Value) -> None:
    """`array[key] = value` with an index array or a mask of dynamic length."""
    key = items[0]
    if len(items) == 1 and isinstance(key, BoundedArray) and key.base.type.dtype == BOOL:
        assign(machine, BoundedArray(room, _refined(machine, array, axes, key)), value)
        return
    if involved(array):
        if len(items) > 1 or is_mesh(machine, items) or any(x is not None for x in axes[1:]):
            raise require_static(machine, first_bounded(items), "an assignment to such a key")
        lanes, indices = _index_arrays(machine, items)
        places = [_lanes_at(machine, array, indices[0], lanes)]
        _scattered(machine, room, (lanes,), places, value)
        return
    dimensions, indices = mesh(machine, items) if is_mesh(machine, items) else _index_arrays(machine, items)
    dimensions = dimensions if isinstance(dimensions, tuple) else (dimensions,)
    sizes = room.type.shape[: len(items)]
    if 0 in sizes:
        raise Refused("XP0013", "an index array whose length depends on data, into an array of size 0")
    places = []
    for axis, (item, size) in enumerate(zip(indices, sizes, strict=True)):
        index = machine.builder.convert(operand(machine, item), INT64)
        places.append(numpy_fancy.in_range(machine, index, size, axis))
    _scattered(machine, room, dimensions, places, value)


def _scattered(
    machine: Machine, room: NdArray, dimensions: tuple[Lanes | None, ...], places: list[Var], value: Value
) -> None:
    """Put `value` to these places of the first dimensions; of equal ones, the last counts."""
    found = np.broadcast_shapes(*(v.type.shape for v in places))
    valid = valid_mask(machine, found, dimensions)
    assert valid is not None
    rest = room.type.shape[len(places) :]
    new = _stored(machine, value, (*found, *rest), (*dimensions, *(None,) * len(rest)), room.type.dtype, "part")
    new = machine.builder.broadcast(new, (*found, *rest))
    if len(found) > 1:
        count = int(np.prod(found))
        new, valid = reshape(machine, new, (count, *rest)), reshape(machine, valid, (count,))
        places = [reshape(machine, machine.builder.broadcast(v, found), (count,)) for v in places]
    operands = (read_view(machine, room), new, valid, *places)
    write_view(machine, room, machine.leaf(_scatter, operands, name="scatter")[0])


def _scatter(base, new, valid, *places):
    depth = len(places)
    rows = jnp.reshape(base, (-1, *base.shape[depth:]))
    index = jnp.broadcast_to(jnp.ravel_multi_index(places, base.shape[:depth], mode="clip"), valid.shape)

    def at_once(rows, new):
        rank = jnp.where(valid, jnp.arange(index.shape[0]), -1)
        last = jnp.full(rows.shape[0], -1).at[index].max(rank, mode="promise_in_bounds")
        hit = jnp.reshape(last >= 0, (-1,) + (1,) * (rows.ndim - 1))
        return jnp.where(hit, jnp.take(new, jnp.maximum(last, 0), axis=0, mode="clip"), rows)

    chosen = jnp.where(valid, index, rows.shape[0])
    return jnp.reshape(scattering.put(rows, chosen, new, "drop", at_once), base.shape)


__all__ = ["assign", "fit", "getitem", "setitem", "valid_mask"]
