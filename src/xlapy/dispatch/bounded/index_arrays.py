"""Index arrays of dynamic length, beside slices, None and integers; index arrays into arrays of dynamic length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.argument_kinds import involved, require_static
from xlapy.dispatch.arrays import advanced_indexing, indexing
from xlapy.dispatch.arrays.views import read_view, view, write_view
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.bounded_slices import basic, is_whole, settled
from xlapy.dispatch.bounded.layout_matching import stored
from xlapy.dispatch.bounded.masked_axes import BOOL, INT64, fresh, same_lanes, valid_mask, var_of
from xlapy.dispatch.bounded.mesh_indexing import first_bounded, is_mesh, mesh
from xlapy.dispatch.numpy.rule_operands import operand, reshape
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import (
    NONE,
    BoundedArray,
    Const,
    JaxArray,
    Lanes,
    NdArray,
    Scalar,
    Slice,
    Tuple,
    Value,
)
from xlapy.ir import Var, constant_value
from xlapy.lowering.primitives import scatter_last_wins

Part = tuple[str, Any]
_WHOLE = Const(slice(None))


class _Key(NamedTuple):
    """A key with index arrays: what its slices leave of the array, and what is to be done with that."""

    #: the room of the array that the slices leave, with all of its dimensions, and their lanes
    room: NdArray
    axes: tuple[Lanes | None, ...]
    #: the dimensions of it that index arrays and integers stand for, and these
    places: tuple[int, ...]
    items: list[Value]
    #: the whole key for the room, with a number for the place of each index array among `items`
    entries: tuple[Value | int, ...]

    @property
    def first(self) -> int:
        """The first dimension of the result that index arrays make: NumPy puts them where they stand side by side, and
        before the others elsewhere."""
        entries = [k for k, entry in enumerate(self.entries) if isinstance(entry, int)]
        together = entries == list(range(entries[0], entries[-1] + 1))
        return entries[0] if together else 0

    def rest(self) -> list[Lanes | None]:
        """The other dimensions of the result, in order."""
        axes = [lanes for k, lanes in enumerate(self.axes) if k not in self.places]
        out: list[Lanes | None] = []
        for entry in self.entries:
            if not isinstance(entry, int):
                out.append(None if entry is NONE else axes.pop(0))
        return out


def _taken_apart(machine: Machine, array: Value, items: list[Value]) -> _Key:
    """A key with arrays of dynamic length."""
    room, axes = masked_axes.taken_apart(machine, array)
    rank, given = len(axes), first_bounded(items)
    if any(_is_mask(item) for item in items):
        raise require_static(machine, given, "such a key")
    plain = [_basic(item) for item in items]
    used = sum(part is None or part[0] not in ("new", "dots") for part in plain)
    if used > rank:
        machine.raise_(IndexError, f"too many indices for array: array is {rank}-dimensional, but {used} were indexed")
    dots = [k for k, part in enumerate(plain) if part is not None and part[0] == "dots"]
    if len(dots) > 1:
        machine.raise_(IndexError, "an index can only have a single ellipsis ('...')")
    parts: list[Part] = []
    places: list[int] = []
    entries: list[Value | int] = []
    for k, part in enumerate([*plain, ("dots", None)]):
        if part is None:
            entries.append(len(places))
            places.append(len(parts))
            parts.append(("all", None))
        elif part[0] == "new":
            entries.append(NONE)
        elif part[0] == "slice":
            entries.append(_WHOLE)
            parts.append(part)
        elif not dots or k in dots:
            if rank == used and 0 < k < len(items):  # NumPy takes it for a part between others nevertheless
                raise require_static(machine, given, "such a key")
            entries += [_WHOLE] * (rank - used)
            parts += [("all", None)] * (rank - used)
    left, found = masked_axes.taken_apart(machine, basic(machine, room, axes, parts))
    arrays = [item for item, part in zip(items, plain, strict=True) if part is None]
    return _Key(left, tuple(found), tuple(places), arrays, tuple(entries))


def _is_mask(item: Value) -> bool:
    """Whether a part of a key is a mask of known length."""
    kind = item.type if isinstance(item, NdArray) else item.var.type if isinstance(item, JaxArray) else None
    return kind is not None and kind.dtype == BOOL


def _basic(item: Value) -> Part | None:
    """A part of a key that is no array and no integer."""
    if isinstance(item, Slice):
        return ("slice", item)
    value = item.value if isinstance(item, Const) else 0
    if isinstance(value, slice):
        return ("slice", Slice(Const(value.start), Const(value.stop), Const(value.step)))
    if value is None:
        return ("new", None)
    return ("dots", None) if value is Ellipsis else None


def getitem(machine: Machine, array: Value, items: list[Value]) -> Value:
    """`array[key]` with index arrays of dynamic length."""
    key = _taken_apart(machine, array, items)
    if any(key.axes[place] is not None for place in key.places):
        return _along_dynamic(machine, key)
    if any(key.room.type.shape[place] == 0 for place in key.places):
        raise Refused("XP0013", "an index array whose length depends on data, into an array of size 0")
    dimensions, indices = _dimensions(machine, key.items)
    filled = [indices[entry] if isinstance(entry, int) else entry for entry in key.entries]
    result = indexing.getitem(machine, key.room, Tuple(tuple(filled)))
    rest = key.rest()
    return masked_axes.made(machine, result, (*rest[: key.first], *dimensions, *rest[key.first :]), own=True)


def _along_dynamic(machine: Machine, key: _Key) -> Value:
    """The same along a dimension of dynamic length: that of one index array."""
    given = first_bounded(key.items)
    if len(key.items) > 1 or any(entry is NONE for entry in key.entries):
        raise require_static(machine, given, "several index arrays")
    lanes, indices = _index_arrays(machine, key.items)
    order = (key.places[0], *(k for k in range(len(key.axes)) if k != key.places[0]))
    moved = BoundedArray(_permuted(machine, key.room, order), tuple(key.axes[k] for k in order))
    result, found = masked_axes.taken_apart(machine, _picked(machine, moved, indices[0], lanes))
    back = tuple(int(k) for k in np.argsort(order))
    return masked_axes.made(machine, _permuted(machine, result, back), [found[k] for k in back])


def _permuted(machine: Machine, array: NdArray, order: tuple[int, ...]) -> NdArray:
    return array if order == tuple(range(len(order))) else view(machine, array, "transpose", order)


def _dimensions(machine: Machine, items: list[Value]) -> tuple[tuple[Lanes | None, ...], list[Value]]:
    """The dimensions that index arrays have together, and the arrays, with zeros in the dead lanes."""
    if is_mesh(machine, items):
        return mesh(machine, items)
    lanes, indices = _index_arrays(machine, items)
    return (lanes,), indices


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
            found.append(JaxArray(masked_axes.masked(machine, item, zero)))
        else:
            found.append(JaxArray(_aligned(machine, item, first)))
        first = first or item
    assert first is not None
    return first.lanes, found


def _aligned(machine: Machine, item: BoundedArray, first: BoundedArray) -> Var:
    """The elements of an index array where those of the first one are; IndexError where they are not as many."""
    (mine,), (lanes,) = item.axes, first.axes
    room = first.base.type.shape[0]
    lengths = [masked_axes.length_int(machine, x.axes[0], x.base.type.shape[0]) for x in (first, item)]
    bad = machine.builder.elementwise("ne", *(var_of(machine, n) for n in lengths))
    sizes = [masked_axes.scalar(machine, n) for n in lengths]
    text = "shape mismatch: indexing arrays could not be broadcast together with shapes ({},) ({},) "
    machine.check(bad, IndexError, machine.message(text, *sizes))
    var = masked_axes.moved(machine, machine.read(item.base), 0, mine, lanes, room)
    zero = machine.builder.constant(0, item.base.type.dtype)
    return masked_axes.select_valid(machine, var, zero, (lanes,))


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
    shown = (Scalar(int, machine.builder.convert(first, INT64, True)), masked_axes.shape_of(machine, array)[0])
    machine.check(bad, IndexError, machine.message("index {} is out of bounds for axis 0 with size {}", *shown))
    return found


def gathered(machine: Machine, array: BoundedArray, parts: Sequence[Part]) -> Value:
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
    room, axes = masked_axes.taken_apart(machine, result)
    return settled(machine, room, axes)


def _of_known_places(machine: Machine, array: BoundedArray, index: Var, place: int) -> Value:
    """`selection[:, indices]`: along a dimension of known length."""
    if index.type.dtype == BOOL and constant_value(index) is None:
        raise require_static(machine, array, "such a key")
    key = Tuple((*(Const(slice(None)),) * place, machine.new_array(index)))
    result = indexing.getitem(machine, array.base, key)
    count = _rank(machine, result) - len(array.axes) + 1
    return masked_axes.made(
        machine, result, (*array.axes[:place], *(None,) * count, *array.axes[place + 1 :]), own=True
    )


def _rank(machine: Machine, value: Value) -> int:
    """How many dimensions an array has."""
    return len(masked_axes.taken_apart(machine, value)[1])


def _valid_of(machine: Machine, lanes: Lanes, room: int) -> Var:
    return masked_axes.valid_lanes(machine, lanes, room)


def _lane_table(machine: Machine, array: BoundedArray) -> Var:
    """The lane of each element of the first dimension."""
    (lanes, room) = array.axes[0], array.base.type.shape[0]
    if lanes is not None and lanes.valid is not None:
        return masked_axes.order_of(machine, lanes)
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


def setitem(machine: Machine, array: Value, items: list[Value], value: Value) -> None:
    """`array[key] = value` with index arrays of dynamic length."""
    key = _taken_apart(machine, array, items)
    given = first_bounded(items)
    dynamic = [k for k, lanes in enumerate(key.axes) if lanes is not None]
    if dynamic and (dynamic != list(key.places) or len(key.items) > 1):
        raise require_static(machine, given, "an assignment to such a key")
    if any(entry is NONE for entry in key.entries):
        raise require_static(machine, given, "an assignment to a key with None")
    sizes = [key.room.type.shape[place] for place in key.places]
    if 0 in sizes:
        raise Refused("XP0013", "an index array whose length depends on data, into an array of size 0")
    dimensions, indices = _dimensions(machine, key.items)
    order = (*key.places, *(k for k in range(len(key.axes)) if k not in key.places))
    room = _permuted(machine, key.room, order)
    if dynamic:
        lanes = dimensions[0]
        assert lanes is not None
        places = [_lanes_at(machine, BoundedArray(room, tuple(key.axes[k] for k in order)), indices[0], lanes)]
    else:
        places = []
        for place, item, size in zip(key.places, indices, sizes, strict=True):
            index = machine.builder.convert(operand(machine, item), INT64)
            places.append(advanced_indexing.in_range(machine, index, size, place))
    _scattered(machine, room, dimensions, places, value, key.first)


def _scattered(
    machine: Machine, room: NdArray, dimensions: tuple[Lanes | None, ...], places: list[Var], value: Value, before: int
) -> None:
    """Put `value` to these places of the first dimensions; of equal ones, the last counts. In `value`, so many of the
    other dimensions stand before them."""
    found = np.broadcast_shapes(*(v.type.shape for v in places))
    valid = valid_mask(machine, found, dimensions)
    assert valid is not None
    rest = room.type.shape[len(places) :]
    shape = (*rest[:before], *found, *rest[before:])
    axes = (*(None,) * before, *dimensions, *(None,) * (len(rest) - before))
    new = stored(machine, value, shape, axes, room.type.dtype, "part")
    new = machine.builder.broadcast(new, shape)
    if before:
        order = (*range(before, before + len(found)), *range(before), *range(before + len(found), len(shape)))
        new = machine.leaf(lax.transpose, (new,), (order,), name="transpose")[0]
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
    return jnp.reshape(scatter_last_wins.put(rows, chosen, new, "drop", at_once), base.shape)
