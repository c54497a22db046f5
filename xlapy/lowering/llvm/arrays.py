"""Arrays of which each element is computed where it is wanted, and loops over elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple, Protocol

import numpy as np

from xlapy.lowering.llvm import memory
from xlapy.lowering.llvm.memory import Array, Memory
from xlapy.lowering.llvm.numbers import RULES, convert
from xlapy.lowering.llvm.text import INDEX, Number, Text, Unsuitable, known_int, literal

#: the place of an element, along each axis: names or literals of 64 bits
Place = tuple[str, ...] | list[str]
#: elements that are computed, and that are moved, in a loop and outside; of which a function of the C library is taken
_MOST, _MOST_ONCE, _MOST_SLOW = (4096, 1 << 15), (1 << 15, 1 << 20), 16
#: elements that may be computed in straight code
_STRAIGHT = 8


class Lazy(NamedTuple):
    """An array that is computed element by element.

    Attributes:
        at: writes what computes the element at a place.
        reads: the memories that it loads from.
        is_view: whether an element is loaded, or known, and not computed.
        slow: whether a function of the C library is taken of each element.
    """

    dtype: np.dtype
    shape: tuple[int, ...]
    at: Callable[[Place], Number]
    reads: frozenset[Memory]
    is_view: bool = False
    slow: bool = False


Value = Number | Array | Lazy


class Room(Protocol):
    """Where arrays are made."""

    def made(self, dtype: np.dtype, shape: tuple[int, ...]) -> Memory:
        """A memory of its own, which holds nothing yet."""
        ...

    def kept(self, value: Value) -> Array:
        """A copy of an array in a memory of its own."""
        ...

    def writable(self, value: Value) -> Array:
        """An array in a memory that may be changed: that of the array itself, if nothing else wants it as it is."""
        ...


def shape_of(value: Value) -> tuple[int, ...]:
    """The shape of an array."""
    if isinstance(value, Number):
        return ()
    return value.memory.shape if isinstance(value, Array) else value.shape


def dtype_of(value: Value) -> np.dtype:
    """The type of the elements."""
    return value.memory.dtype if isinstance(value, Array) else value.dtype


def reads(*values: Value) -> frozenset[Memory]:
    """The memories that values are in."""
    found = [{v.memory} if isinstance(v, Array) else v.reads for v in values if not isinstance(v, Number)]
    return frozenset().union(*found)


def element(text: Text, value: Value, place: Place) -> Number:
    """An element of an array; a number is all of its elements."""
    if isinstance(value, Number):
        return value
    return memory.load(text, value, place) if isinstance(value, Array) else value.at(place)


def is_slow(*values: Value) -> bool:
    """Whether an element of one of them is."""
    return any(isinstance(v, Lazy) and v.slow for v in values)


def bounded(text: Text, shape: Sequence[int], *values: Value) -> None:
    """Refuse what is to be done for so many elements that XLA, for all its calls, is faster."""
    moved = all(not isinstance(v, Lazy) or v.is_view for v in values)
    most = (_MOST if text.loops else _MOST_ONCE)[moved]
    if prod(shape) > (_MOST_SLOW if is_slow(*values) else most):
        raise Unsuitable("so many elements")


def view(text: Text, value: Value, shape: tuple[int, ...], where: Callable[[Place], Place]) -> Lazy:
    """Elements of another array."""
    at = lambda place: element(text, value, where(place))  # noqa: E731
    if isinstance(value, Lazy):
        return value._replace(shape=shape, at=at)
    return Lazy(dtype_of(value), shape, at, reads(value), True)


def clamped(text: Text, start: Number, most: int) -> str:
    """A start that is not negative, and not beyond the last one that is possible."""
    value = known_int(start)
    if value is not None or most == 0:
        return str(min(max(value or 0, 0), most))
    number = RULES["max"](text, convert(text, start, INDEX), literal(0, INDEX))
    return RULES["min"](text, number, literal(most, INDEX)).name


def counted(text: Text, count: int, numbers: Sequence[Number], trip: Callable) -> list[Number]:
    """What numbers become in so many trips; `trip` gets the name of the index, and the numbers."""
    if count == 1:
        return list(trip("0", list(numbers)))
    phis = text.phis([literal(0, INDEX), *numbers])
    body, end = text.label(), text.label()
    text.do(f"br label %{body}")
    phis.begin(body)
    index, *carried = phis.numbers
    found = list(trip(index.name, carried))
    following = text.new(f"add nuw nsw i64 {index.name}, 1")
    more = text.new(f"icmp ult i64 {following}, {count}")
    phis.close([Number(INDEX, (following,)), *found])
    # The vectorizer makes several at a time; all of them as straight code would take long to compile.
    text.do(f"br i1 {more}, label %{body}, label %{end}{text.not_unrolled() if count > _STRAIGHT else ''}")
    text.begin(end)
    return found


def ranged(text: Text, first: str, end: str, numbers: Sequence[Number], trip: Callable) -> list[Number]:
    """The same for indices from one on up to another, which may be none."""
    phis = text.phis([Number(INDEX, (first,)), *numbers])
    head, body, done = text.label(), text.label(), text.label()
    text.do(f"br label %{head}")
    phis.begin(head)
    index, *carried = phis.numbers
    text.do(f"br i1 {text.new(f'icmp slt i64 {index.name}, {end}')}, label %{body}, label %{done}")
    text.begin(body)
    found = list(trip(index.name, carried))
    phis.close([Number(INDEX, (text.new(f"add nuw nsw i64 {index.name}, 1"),)), *found])
    text.do(f"br label %{head}")
    text.begin(done)
    return carried


def over(text: Text, shape: Sequence[int], numbers: Sequence[Number], visit: Callable) -> list[Number]:
    """The same for each place of a shape, in the order of its rows; `visit` gets the place, and the numbers."""

    def along(axis: int, place: tuple[str, ...], numbers: list[Number]) -> list[Number]:
        if axis == len(shape):
            return list(visit(place, numbers))
        return counted(text, shape[axis], numbers, lambda k, carried: along(axis + 1, (*place, k), carried))

    return along(0, (), list(numbers))


__all__ = [
    "Lazy",
    "Place",
    "Room",
    "Value",
    "bounded",
    "clamped",
    "counted",
    "dtype_of",
    "element",
    "is_slow",
    "over",
    "ranged",
    "reads",
    "shape_of",
    "view",
]
