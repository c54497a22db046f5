"""Rows put in order inside a function: short ones by exchanges that do not depend on the numbers
(`lowering.primitives.short_sorts`), of integers, for which a processor needs no branches; long ones digit by digit
(`radix_sort`)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from xlapy.lowering.llvm.bufferisation import Array, Memory, put
from xlapy.lowering.llvm.lazy_arrays import (
    Lazy,
    Place,
    Room,
    Value,
    bounded,
    counted,
    dtype_of,
    element,
    over,
    reads,
    shape_of,
    view,
)
from xlapy.lowering.llvm.radix_sort import definition, memories
from xlapy.lowering.llvm.scalar_instructions import RULES, convert, select
from xlapy.lowering.llvm.text import FALSE, INDEX, Number, Text, Unsuitable, literal, type_of
from xlapy.lowering.primitives.short_sorts import exchanges
from xlapy.lowering.thresholds import (
    EXCHANGES_WRITTEN,
    ROW_BY_DIGITS,
    ROW_BY_DIGITS_OF_MANY,
    ROW_EXCHANGED,
    ROW_EXCHANGED_ONCE,
    ROWS_EXCHANGED,
)

_PAIR = np.dtype(np.uint16)


def ordered(text: Text, room: Room, shape: tuple[int, ...], axis: int, x: Value) -> Value:
    """An array in order along an axis, NaN last."""
    if _is_long(text, shape, axis, x):
        found = _by_digits(text, room, shape, axis, _keys(text, shape, x, False), False)
        return _numbers(text, found, shape, dtype_of(x), True)
    if _is_one(text, shape, axis, [x]):
        return x
    keys = room.kept(_keys(text, shape, x, False))
    _put_in_order(text, room, shape, axis, [keys.memory], 1)
    return _numbers(text, keys.memory.change(), shape, dtype_of(x), True)


def places(text: Text, room: Room, shape: tuple[int, ...], axis: int, x: Value) -> Value:
    """The places of its elements in that order; equal ones stay as they are to each other."""
    if _is_long(text, shape, axis, x):
        return _by_digits(text, room, shape, axis, _keys(text, shape, x, True), True)
    if _is_one(text, shape, axis, [x]):
        return literal(0, INDEX)
    memories = [room.kept(_keys(text, shape, x, True)).memory, room.kept(_indices(shape, axis)).memory]
    _put_in_order(text, room, shape, axis, memories, 2)
    return memories[1].change()


def all_ordered(
    text: Text, room: Room, shape: tuple[int, ...], axis: int, keys: int, operands: Sequence[Value]
) -> list[Value]:
    """Several arrays in the order of the first ones of them, of which there are `keys`; equal ones stay as they are to
    each other."""
    if len(operands) == 1:
        return [ordered(text, room, shape, axis, operands[0])]
    if all(_is_long(text, shape, axis, x) for x in operands[:keys]):
        return _gathered(text, room, shape, axis, keys, operands)
    if _is_one(text, shape, axis, operands):
        return list(operands)
    before = [*(_keys(text, shape, x, True) for x in operands[:keys]), _indices(shape, axis)]
    moved = [_bits(text, shape, x) for x in operands]
    memories = [room.kept(x).memory for x in (*before, *moved)]
    _put_in_order(text, room, shape, axis, memories, len(before))
    found = zip(memories[len(before) :], operands, strict=True)
    return [_numbers(text, memory.change(), shape, dtype_of(x), False) for memory, x in found]


def _is_one(text: Text, shape: tuple[int, ...], axis: int, operands: Sequence[Value]) -> bool:
    """Whether there is a single number in all."""
    most = ROWS_EXCHANGED if text.loops or shape[axis] <= EXCHANGES_WRITTEN else ROW_EXCHANGED_ONCE
    if shape[axis] > ROW_EXCHANGED or prod(shape) > most or any(dtype_of(x).kind == "c" for x in operands):
        raise Unsuitable("so many numbers to be put in order")
    if prod(shape) > 1 and any(shape_of(x) != shape for x in operands):
        raise Unsuitable("numbers to be put in order that are all the same")
    return prod(shape) == 1


# -- floats as integers --


def _indices(shape: tuple[int, ...], axis: int) -> Value:
    return Lazy(INDEX, shape, lambda at: Number(INDEX, (at[axis],)), frozenset(), True)


def _keys(text: Text, shape: tuple[int, ...], x: Value, zeros_are_equal: bool) -> Value:
    """Integers in the order of floats, NaN last; what is no float as it is."""
    dtype = dtype_of(x)
    if dtype.kind != "f":
        return x
    nan = literal(np.array(np.nan, dtype).view(_integers(dtype)), _integers(dtype))

    def key(number: Number) -> Number:
        # Of bits: a computed NaN has any sign, so to LLVM a choice between floats does nothing here.
        bits = select(text, RULES["ne"](text, number, number), nan, _as_bits(text, number))
        found = _inverted(text, bits)
        if not zeros_are_equal:
            return found
        is_zero = RULES["eq"](text, found, literal(-1, found.dtype))  # -0.0
        return select(text, is_zero, literal(0, found.dtype), found)

    return Lazy(_integers(dtype), shape, lambda at: key(element(text, x, at)), reads(x))


def _bits(text: Text, shape: tuple[int, ...], x: Value) -> Value:
    dtype = dtype_of(x)
    if dtype.kind != "f":
        return x
    return Lazy(_integers(dtype), shape, lambda at: _as_bits(text, element(text, x, at)), reads(x))


def _numbers(text: Text, array: Value, shape: tuple[int, ...], dtype: np.dtype, are_keys: bool) -> Value:
    """The floats of which these are the keys, or the bits."""
    if dtype.kind != "f":
        return array if dtype_of(array) == dtype else _converted(text, array, shape, dtype)

    def at(place: Place) -> Number:
        bits = convert(text, element(text, array, place), _integers(dtype))
        bits = _inverted(text, bits) if are_keys else bits
        return Number(dtype, (text.new(f"bitcast {type_of(bits.dtype)} {bits.name} to {type_of(dtype)}"),))

    return Lazy(dtype, shape, at, reads(array))


def _converted(text: Text, array: Value, shape: tuple[int, ...], dtype: np.dtype) -> Value:
    """Integers of another type."""
    return Lazy(dtype, shape, lambda at: convert(text, element(text, array, at), dtype), reads(array))


def _integers(dtype: np.dtype) -> np.dtype:
    return np.dtype(f"i{dtype.itemsize}")


def _as_bits(text: Text, x: Number) -> Number:
    dtype = _integers(x.dtype)
    return Number(dtype, (text.new(f"bitcast {type_of(x.dtype)} {x.name} to {type_of(dtype)}"),))


def _inverted(text: Text, bits: Number) -> Number:
    """Of negative numbers all bits but the sign."""
    info = np.iinfo(bits.dtype)
    sign = RULES["shift_right_arithmetic"](text, bits, literal(info.bits - 1, bits.dtype))
    rest = RULES["bitwise_and"](text, sign, literal(info.max, bits.dtype))
    return RULES["bitwise_xor"](text, bits, rest)


# -- digits --


def _is_long(text: Text, shape: tuple[int, ...], axis: int, x: Value) -> bool:
    """Whether rows are put in order digit by digit."""
    if isinstance(x, Number) or dtype_of(x).kind not in "iuf" or shape_of(x) != shape:
        return False
    return shape[axis] >= (ROW_BY_DIGITS if text.loops or prod(shape) == shape[axis] else ROW_BY_DIGITS_OF_MANY)


def _by_digits(text: Text, room: Room, shape: tuple[int, ...], axis: int, keys: Value, with_places: bool) -> Value:
    """Integers in order, or their places."""
    order = [*(k for k in range(len(shape)) if k != axis), axis]
    rows = tuple(shape[k] for k in order)
    dtype = dtype_of(keys)
    wide = dtype if dtype.itemsize >= 4 else np.dtype(np.int32)

    def at(place: Place) -> Number:
        moved = dict(zip(order, place, strict=True))
        return convert(text, element(text, keys, [moved[k] for k in range(len(shape))]), wide)

    bounded(text, shape, keys)
    source = room.kept(Lazy(wide, rows, at, reads(keys)))
    found = room.made(INDEX if with_places else wide, rows)
    spare = [room.made(kind, size) for size, kind in memories(shape[axis], wide, with_places)]
    name = f"sort.{len(text.functions)}"
    text.functions.append(definition(prod(rows) // shape[axis], shape[axis], wide, with_places, name))
    text.declared["llvm.memset.p0.i64"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
    pointers = [source.memory.pointer, found.pointer, *(memory.pointer for memory in spare)]
    text.do(f"call void @{name}({', '.join(f'ptr {pointer}' for pointer in pointers)})")
    text.note_store(found.pointer, "0")
    text.has_loops = source.memory.used = True
    array = found.change()
    return array if axis == len(shape) - 1 else view(text, array, shape, lambda at: [at[k] for k in order])


def _gathered(
    text: Text, room: Room, shape: tuple[int, ...], axis: int, keys: int, operands: Sequence[Value]
) -> list[Value]:
    """Several arrays in the order of the first ones, of which the last is looked at first."""
    order: Array | None = None

    def moved(x: Value, order: Array) -> Value:
        def at(place: Place) -> Number:
            (index,) = element(text, order, place).parts
            return element(text, x, [*place[:axis], index, *place[axis + 1 :]])

        return x if isinstance(x, Number) else Lazy(dtype_of(x), shape, at, reads(x, order))

    operands = [x if isinstance(x, Number | Array) else room.kept(x) for x in operands]
    for key in reversed(operands[:keys]):
        found = key if order is None else moved(key, order)
        after = room.kept(_by_digits(text, room, shape, axis, _keys(text, shape, found, True), True))
        order = after if order is None else room.kept(moved(order, after))
    assert order is not None
    return [moved(x, order) for x in operands]


# -- exchanges --


def _put_in_order(
    text: Text, room: Room, shape: tuple[int, ...], axis: int, memories: Sequence[Memory], keys: int
) -> None:
    """Rows of integers, in their memories: those of the first ones decide, one after the other."""
    count = shape[axis]
    if count == 1:
        return
    straight = len(memories) == 1 and count <= EXCHANGES_WRITTEN
    pairs = [] if straight else [_table(text, column) for column in _pairs(count)]

    def row(outer: Place, numbers: list) -> list:
        def load(k: str) -> list[Number]:
            return [element(text, Array(m, m.version), [*outer[:axis], k, *outer[axis:]]) for m in memories]

        def store(k: str, values: Sequence[Number]) -> None:
            for m, value in zip(memories, values, strict=True):
                put(text, m, value, [*outer[:axis], k, *outer[axis:]])

        if straight:
            _all_written(text, count, load, store)
        else:
            _in_loop(text, pairs, keys, load, store)
        return []

    over(text, [*shape[:axis], *shape[axis + 1 :]], [], row)


def _all_written(text: Text, count: int, load: Callable, store: Callable) -> None:
    """All exchanges of a row, one by one."""
    numbers = [load(str(k)) for k in range(count)]
    for low, high in exchanges(count):
        numbers[low], numbers[high] = _exchanged(text, 1, numbers[low], numbers[high])
    for k, values in enumerate(numbers):
        store(str(k), values)


def _in_loop(text: Text, pairs: Sequence[Array], keys: int, load: Callable, store: Callable) -> None:
    """All exchanges of a row, as two tables say."""

    def exchange(k: str, numbers: list) -> list:
        low, high = (convert(text, element(text, table, (k,)), INDEX).name for table in pairs)
        found = _exchanged(text, keys, load(low), load(high))
        store(low, found[0])
        store(high, found[1])
        return []

    counted(text, pairs[0].memory.shape[0], [], exchange)


def _exchanged(text: Text, keys: int, xs: Sequence[Number], ys: Sequence[Number]) -> tuple[list, list]:
    """What comes first, and what comes later."""
    turned = _is_less(text, ys[:keys], xs[:keys])
    pairs = list(zip(xs, ys, strict=True))
    return [select(text, turned, y, x) for x, y in pairs], [select(text, turned, x, y) for x, y in pairs]


def _is_less(text: Text, xs: Sequence[Number], ys: Sequence[Number]) -> Number:
    """Whether one comes before another: the first ones that differ decide."""
    if not xs:
        return FALSE
    less = RULES["lt"](text, xs[0], ys[0])
    if len(xs) == 1:
        return less
    same = RULES["eq"](text, xs[0], ys[0])
    return RULES["bitwise_or"](text, less, RULES["bitwise_and"](text, same, _is_less(text, xs[1:], ys[1:])))


@functools.lru_cache(maxsize=64)
def _pairs(count: int) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.array(list(exchanges(count)), _PAIR).T
    return low, high


def _table(text: Text, column: np.ndarray) -> Array:
    place = Memory(text.constant(column), _PAIR, column.shape, True)
    return Array(place, place.version)


__all__ = ["all_ordered", "ordered", "places"]
