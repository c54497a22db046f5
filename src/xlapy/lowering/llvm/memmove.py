"""Rows that move within an array, where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xlapy.lowering.llvm.bufferisation import Array
from xlapy.lowering.llvm.lazy_arrays import Room, Value
from xlapy.lowering.llvm.scalar_instructions import RULES, convert
from xlapy.lowering.llvm.text import INDEX, Number, Text, literal, times


def moved_rows(text: Text, room: Room, operands: Sequence[Value]) -> Value:
    """What the function of `lowering.primitives.row_moves` gives."""
    rows, *numbers = operands
    if isinstance(rows, Number):
        return rows
    array = room.writable(rows)
    assert isinstance(array, Array)
    memory = array.memory
    zero, most = literal(0, INDEX), literal(memory.shape[0], INDEX)
    count, source, target = (_within(text, x, zero, most) for x in numbers)
    rest = RULES["sub"](text, most, RULES["max"](text, source, target))
    count = RULES["min"](text, count, rest)
    size = prod(memory.shape[1:]) * memory.dtype.itemsize
    pointers = [
        text.new(f"getelementptr inbounds i8, ptr {memory.pointer}, i64 {times(text, place.name, size)}")
        for place in (target, source)
    ]
    text.declared["llvm.memmove.p0.p0.i64"] = "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)"
    arguments = f"ptr {pointers[0]}, ptr {pointers[1]}, i64 {times(text, count.name, size)}, i1 false"
    text.do(f"call void @llvm.memmove.p0.p0.i64({arguments})")
    text.note_store(memory.pointer, target.name)
    memory.used = True
    return memory.change()


def _within(text: Text, x: Value, zero: Number, most: Number) -> Number:
    assert isinstance(x, Number)
    return RULES["min"](text, RULES["max"](text, convert(text, x, INDEX), zero), most)


__all__ = ["moved_rows"]
