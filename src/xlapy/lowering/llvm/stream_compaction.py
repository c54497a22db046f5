"""The elements that a mask selects, one behind the other, in machine code: each is stored behind the last one, and the
next one in its place if it is not selected. No branch waits for the mask."""

from __future__ import annotations

from collections.abc import Sequence

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
)
from xlapy.lowering.llvm.scalar_instructions import convert
from xlapy.lowering.llvm.text import INDEX, Number, Text, literal, plus, times, type_of

#: lanes that an iteration does
_LANES = 4


def compacted(text: Text, room: Room, dtype: np.dtype, operands: Sequence[Value]) -> Value:
    """What the functions of `primitives.compaction` give that are known by their names: of elements and a mask, or
    of a mask, whose places are wanted."""
    *given, mask = operands
    if isinstance(mask, Number):
        return given[0] if given else literal(0, dtype)
    bounded(text, shape_of(mask), *operands)
    x = given[0] if given else None
    if x is not None and not is_view(x):
        x = room.kept(x)
    place = room.made(dtype, shape_of(mask))
    _compact(text, place, x, room.kept(mask) if is_slow(mask) else mask)
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


def _compact(text: Text, place: Memory, x: Value | None, mask: Value) -> None:
    """Store the elements that the mask selects in a memory, then zeros."""
    (size,) = place.shape

    def lane(k: str, count: Number) -> Number:
        number = convert(text, Number(INDEX, (k,)), place.dtype) if x is None else element(text, x, (k,))
        chosen = element(text, mask, (k,))
        bufferisation.put(text, place, number, (count.name,))
        more = text.new(f"zext {type_of(chosen.dtype)} {chosen.name} to i64")
        return Number(INDEX, (text.new(f"add nuw nsw i64 {count.name}, {more}"),))

    def iteration(k: str, numbers: list[Number]) -> list[Number]:
        (count,) = numbers
        first = times(text, k, _LANES)
        for step in range(_LANES):
            count = lane(plus(text, first, str(step)), count)
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

    ranged(text, Extent(count.name, str(size)), [], rest)


__all__ = ["applied_to", "compacted", "suits"]
