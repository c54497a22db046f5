"""Arrays of which some elements are replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xlapy.lowering.llvm.bufferisation import Array, put
from xlapy.lowering.llvm.gather_scatter import scatter
from xlapy.lowering.llvm.lazy_arrays import (
    Place,
    Room,
    Value,
    bounded,
    clamped,
    element,
    over,
    reads,
    shape_of,
)
from xlapy.lowering.llvm.scalar_instructions import RULES
from xlapy.lowering.llvm.text import (
    Number,
    Text,
    plus,
)


def scattered(kind: str | None) -> Callable:
    """What writes a scatter that joins elements by an operation of a kind, or replaces them."""

    def whole(text: Text, room: Room, equation: Any, operands: list[Value]) -> Value:
        def combine(old: Number, new: Number) -> Number:
            return new if kind is None else RULES[kind](text, old, new)

        if isinstance(operands[0], Number):
            operands = [_of_one(text, room, operands[0], tuple(equation.invars[0].aval.shape)), *operands[1:]]
        return scatter(text, room, equation, operands, combine)

    return whole


def _of_one(text: Text, room: Room, number: Number, shape: tuple[int, ...]) -> Array:
    """An array of one element, in memory."""
    place = room.made(number.dtype, shape)
    put(text, place, number, ("0",) * len(shape))
    return Array(place, place.version)


def updated(text: Text, room: Room, equation: Any, operands: list[Value]) -> Value:
    """An array with another one put into it."""
    array, new, *starts = operands
    if isinstance(array, Number):
        return element(text, new, ("0",) * len(shape_of(new)))
    shape = tuple(equation.invars[1].aval.shape)
    bounded(text, shape, new)
    array = room.writable(array)
    if array.memory in reads(new):
        new = room.kept(new)
    sizes = zip(starts, array.memory.shape, shape, strict=True)
    first = [clamped(text, element(text, i, ()), n - m) for i, n, m in sizes]

    def visit(at: Place, numbers: list) -> list:
        place = [plus(text, i, start) for i, start in zip(at, first, strict=True)]
        put(text, array.memory, element(text, new, at), place)
        return []

    over(text, shape, [], visit)
    return array.memory.change()


__all__ = ["scattered", "updated"]
