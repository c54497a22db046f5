"""The elements that a mask selects, one behind the other, in machine code: each is stored behind the last one, and the
next one in its place if it is not selected. No branch waits for the mask."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import jax
import numpy as np

from xlapy.lowering.llvm import bufferisation
from xlapy.lowering.llvm.bufferisation import Array, Memory
from xlapy.lowering.llvm.engine import applied
from xlapy.lowering.llvm.lazy_arrays import (
    Extent,
    Room,
    Value,
    bounded,
    counted,
    element,
    is_slow,
    is_view,
    ranged,
    shape_of,
    work_of,
)
from xlapy.lowering.llvm.scalar_instructions import convert
from xlapy.lowering.llvm.text import INDEX, Number, Text, literal, plus, times, type_of

#: lanes that an iteration does: as many as a number has bytes, which says whether any of them is selected
_LANES = 8
#: instructions of an element that may be computed for lanes that are not selected, and lanes that are many
_LITTLE, _MANY = 12, 1 << 12


def compacted(text: Text, room: Room, dtype: np.dtype, operands: Sequence[Value]) -> Value:
    """What the functions of `primitives.compaction` give that are known by their names: of elements and a mask, or
    of a mask, whose places are wanted."""
    *given, mask = operands
    if isinstance(mask, Number):
        return given[0] if given else literal(0, dtype)
    bounded(text, shape_of(mask), *operands)
    x = given[0] if given else None
    if x is not None and not is_view(x) and (is_slow(x) or work_of(x) > _LITTLE):
        x = room.kept(x)
    place = room.made(dtype, shape_of(mask))
    # a mask in memory is made for many elements at a time, and looked at for some
    in_memory = is_slow(mask) or not is_view(mask) and not text.for_gpu and prod(shape_of(mask)) >= _MANY
    _compact(text, place, x, room.kept(mask) if in_memory else mask, not room.is_cut)
    return place.change()


def suits(dtype: object) -> bool:
    """Whether there is such a function for elements of that type."""
    return isinstance(dtype, np.dtype) and (dtype.kind in "biu" or dtype.kind in "fc" and 4 <= dtype.itemsize <= 16)


def applied_to(dtype: np.dtype, *operands: jax.Array) -> jax.Array:
    """The same in a program of XLA's, on a CPU."""
    text = Text()
    names = ["%mask"] if len(operands) == 1 else ["%x", "%mask"]
    *given, mask = (Memory(name, np.dtype(x.dtype), x.shape, True) for name, x in zip(names, operands, strict=True))
    arrays = [Array(one, one.version) for one in (*given, mask)]
    place = Memory("%result", dtype, mask.shape, False)
    _compact(text, place, arrays[0] if given else None, arrays[-1])
    head = f"define internal void @main({', '.join(f'ptr noalias {name}' for name in (*names, '%result'))}) {{"
    lines = [*text.tables, *text.declared.values(), head, "entry:", *text.body(), "  ret void", "}", *text.notes]
    return applied("\n".join(lines), [(mask.shape, dtype)], *operands)


def _compact(text: Text, place: Memory, x: Value | None, mask: Value, is_whole: bool = True) -> None:
    """Store the elements that the mask selects in a memory, then zeros, if it `is_whole`."""
    (size,) = place.shape
    in_bytes = isinstance(mask, Array) and mask.memory.dtype == np.bool_ and not text.for_gpu

    def lane(k: str, count: Number) -> Number:
        number = convert(text, Number(INDEX, (k,)), place.dtype) if x is None else element(text, x, (k,))
        chosen = element(text, mask, (k,))
        bufferisation.put(text, place, number, (count.name,))
        more = text.new(f"zext {type_of(chosen.dtype)} {chosen.name} to i64")
        return Number(INDEX, (text.new(f"add nuw nsw i64 {count.name}, {more}"),))

    def iteration(k: str, numbers: list[Number]) -> list[Number]:
        (count,) = numbers
        first, before = times(text, k, _LANES), count
        if isinstance(mask, Array) and in_bytes:
            some, done, block = text.label(), text.label(), text.block
            at = text.new(f"getelementptr inbounds i8, ptr {bufferisation.address(mask)}, i64 {first}")
            chosen = text.new(f"load i64, ptr {at}, align 1")
            text.do(f"br i1 {text.new(f'icmp eq i64 {chosen}, 0')}, label %{done}, label %{some}")
            text.begin(some)
        for step in range(_LANES):
            count = lane(plus(text, first, str(step)), count)
        if in_bytes:
            last = text.block
            text.do(f"br label %{done}")
            text.begin(done)
            count = Number(INDEX, (text.new(f"phi i64 [{before.name}, %{block}], [{count.name}, %{last}]"),))
        return [count]

    numbers = [literal(0, INDEX)]
    if size >= _LANES:
        numbers = counted(text, size // _LANES, numbers, iteration)
    (count,) = numbers
    for k in range(size // _LANES * _LANES, size):
        count = lane(str(k), count)

    def rest(k: str, numbers: list) -> list:
        bufferisation.put(text, place, literal(0, place.dtype), (k,))
        return []

    if is_whole:
        ranged(text, Extent(count.name, str(size)), [], rest)


__all__ = ["applied_to", "compacted", "suits"]
