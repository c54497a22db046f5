"""Arrays in memory that are changed in place, by a program that says of each what it is after each change.

In the representation a store makes a new array. Here it changes the memory of the old one, which nothing may look at
any more. So an array is a memory at a version, and a store makes the next version; what wants an older one is not
compiled here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from math import prod
from typing import NamedTuple

import numpy as np

from xlapy.lowering.llvm.gpu_threads import alone, place_in, shared_in_block
from xlapy.lowering.llvm.text import BLOCK, Number, Text, Unsuitable, literal, part_of, plus, times, type_in_memory

_versions = count()


class Memory:
    """Where an array lies, its elements in rows."""

    def __init__(self, pointer: str, dtype: np.dtype, shape: tuple[int, ...], fixed: bool) -> None:
        self.pointer, self.dtype, self.shape, self.fixed = pointer, dtype, shape, fixed
        self.version = next(_versions)
        #: whether anything is loaded from it
        self.used = False
        #: the number of loops around the innermost one that carries it
        self.depth = 0

    def type(self) -> tuple[np.dtype, tuple[int, ...]]:
        """The type of its elements, and its shape."""
        return self.dtype, self.shape

    def change(self) -> Array:
        """What it holds from now on is something else."""
        if self.fixed:
            raise Unsuitable("a store into an array that is not changed in place")
        self.version = next(_versions)
        return Array(self, self.version)

    def touched(self) -> Memory:
        """Itself, for code that loads or stores an element: of an array without elements there is none."""
        if prod(self.shape) == 0:
            raise Unsuitable("an array without elements")
        return self


class Array(NamedTuple):
    """What a memory holds at a version."""

    memory: Memory
    version: int

    def now(self) -> Memory:
        """The memory, if it still holds that."""
        if self.version != self.memory.version:
            raise Unsuitable("an array that has been changed since")
        return self.memory


def address(array: Array) -> str:
    """Where an array lies, for a function that reads all of it."""
    memory = array.now().touched()
    memory.used = True
    return memory.pointer


def load(text: Text, array: Array, indices: Sequence[str]) -> Number:
    """An element."""
    memory = array.now().touched()
    memory.used = True
    type = type_in_memory(memory.dtype)
    parts = [text.new(f"load {type}, ptr {p}") for p in _pointers(text, memory, indices)]
    if memory.dtype.kind == "b":
        parts = [text.new(f"trunc i8 {parts[0]} to i1")]
    return Number(memory.dtype, tuple(parts))


def put(text: Text, memory: Memory, number: Number, indices: Sequence[str]) -> None:
    """Store an element, whatever else is in the memory."""
    with alone(text):
        for part, pointer in zip(number.parts, _pointers(text, memory.touched(), indices), strict=True):
            name = text.new(f"zext i1 {part} to i8") if memory.dtype.kind == "b" else part
            text.do(f"store {type_in_memory(memory.dtype)} {name}, ptr {pointer}")
    if indices:
        text.note_store(memory.pointer, indices[0])


def copy(text: Text, array: Array, memory: Memory) -> None:
    """Store all elements of an array in another memory of its shape and type."""
    if text.threads == BLOCK and not text.is_shared:
        _in_block(text, memory, lambda at: load(text, array, at))
        return
    text.do(
        f"call void @llvm.memcpy.p0.p0.i64({_all(memory, memory.pointer)}, {_all(memory, address(array))}, "
        f"i64 {_size(memory)}, i1 false)"
    )
    text.note_store(memory.pointer, "0")


def clear(text: Text, memory: Memory) -> None:
    """Store zeros, or False, in all places of a memory."""
    if text.threads == BLOCK and not text.is_shared:
        _in_block(text, memory, lambda at: literal(0, memory.dtype))
        return
    text.declared["llvm.memset.p0.i64"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
    text.do(f"call void @llvm.memset.p0.i64({_all(memory, memory.pointer)}, i8 0, i64 {_size(memory)}, i1 false)")
    text.note_store(memory.pointer, "0")


def _in_block(text: Text, memory: Memory, at: Callable[[Sequence[str]], Number]) -> None:
    """Store all elements of a memory, of which each thread of a GPU's block stores some."""

    def one(first: str, end: str) -> bool:
        place = place_in(text, memory.shape, first)
        put(text, memory, at(place), place)
        return True

    shared_in_block(text, str(prod(memory.shape)), one)


def is_zero(number: Number) -> bool:
    """Whether a number is known to have no bit set."""
    return all(part in ("0", "false") or part.startswith("0x") and not int(part, 16) for part in number.parts)


def _all(memory: Memory, pointer: str) -> str:
    """An address of elements such as those of a memory, as a function gets it that moves all of them."""
    return f"ptr align {part_of(memory.dtype).itemsize} {pointer}"


def _size(memory: Memory) -> int:
    return prod(memory.shape) * memory.dtype.itemsize


def _pointers(text: Text, memory: Memory, indices: Sequence[str]) -> list[str]:
    """The addresses of the parts of an element."""
    place = "0"
    for k, (index, _) in enumerate(zip(indices, memory.shape, strict=True)):
        place = plus(text, place, times(text, index, prod(memory.shape[k + 1 :])))
    type = type_in_memory(part_of(memory.dtype))
    if memory.dtype.kind not in "cV":
        return [text.new(f"getelementptr inbounds {type}, ptr {memory.pointer}, i64 {place}")]
    first = text.new(f"getelementptr inbounds {{{type}, {type}}}, ptr {memory.pointer}, i64 {place}")
    return [first, text.new(f"getelementptr inbounds {type}, ptr {first}, i64 1")]


__all__ = ["Array", "Memory", "address", "clear", "copy", "is_zero", "load", "put"]
