"""Arrays of which each element is computed where it is wanted, and loops over elements."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np

from xlapy.lowering.llvm import bufferisation
from xlapy.lowering.llvm.bufferisation import Array, Memory
from xlapy.lowering.llvm.gpu_threads import alone, place_in, shared_in_block
from xlapy.lowering.llvm.parallel_outlining import shared_out
from xlapy.lowering.llvm.scalar_instructions import RULES, convert
from xlapy.lowering.llvm.text import BLOCK, FALSE, INDEX, Number, Text, Unsuitable, known_int, literal, plus

#: the place of an element, along each axis: names or literals of 64 bits
Place = tuple[str, ...] | list[str]
#: elements of an array that one processor computes at least as fast in a loop as XLA does with all of them (measured
#: with two)
_IN_LOOPS = max((1 << 18) // (os.cpu_count() or 1), 1 << 12)
#: elements that are computed, that are moved, and of which a function of the C library is taken, in a loop and outside
_MOST, _MOST_ONCE = (_IN_LOOPS, max(_IN_LOOPS, 1 << 15), 16), (1 << 30, 1 << 30, 2048)
#: elements that may be computed in straight code: along an axis, of a small matrix, and in each iteration of a loop
_STRAIGHT, _STRAIGHT_IN_ROWS, _STRAIGHT_IN_LOOPS = 8, 32, 4
#: iterations of a loop that carries something, from which on several vectors of a sum, or a maximum, do not wait for
#: one another, and how many
_LONG, _INTERLEAVED = 256, 4
#: elements of a row up to which it matters that the last ones are computed one by one, in a loop or if there are so
#: many rows
_MOST_IN_ROW, _FEWEST_ROWS = 512, 8
#: elements from which on they may be shared out to several threads
_FEWEST_SHARED = 1 << 6
#: iterations that a loop is expected to make if nothing is known
SOME = 16
#: instructions of an element that nothing is known of, and up to which it is computed again wherever it is read: to
#: store it and load it again takes longer
_MUCH, _LITTLE = 1 << 16, 4
#: the same of an array that becomes longer, of which an element is then read many times
_LITTLE_FOR_MANY = 8


class Extent(NamedTuple):
    """Indices along an axis: the first one, the end, which is not among them, and how far apart they are."""

    first: str
    end: str
    step: str = "1"


class Window(NamedTuple):
    """Where the elements of an array are that are not all the same number.

    Attributes:
        extents: for each axis, the indices; None if they are all.
        rest: the number that all others are.
        inside: writes what computes the element at a place in the window.
    """

    extents: tuple[Extent | None, ...]
    rest: Number
    inside: Callable[[Place], Number]


#: in a memory, where the elements of an array of its shape are
OWN = "own"
#: no indices
_NOWHERE = Extent("0", "0")


class Part(NamedTuple):
    """A part of an array: the elements from `first` on along an axis."""

    axis: int
    first: int
    value: Value


class Lazy(NamedTuple):
    """An array that is computed element by element.

    Attributes:
        at: writes what computes the element at a place.
        reads: the memories that it loads from.
        is_view: whether an element is loaded, or known, and not computed.
        slow: whether a function of the C library is taken of each element.
        window: where it is not all the same number, if that is known.
        transposed: the matrix in memory of which it is the transpose, if it is one.
        in_order: the array in memory whose elements these are, in the same order and another shape, if it is that.
        origins: the memories, each with where in it the elements are of which an element is computed: `OWN` if that is
            its own place, and other things for others; None if that is not known.
        parts: arrays that it is made of, one behind the other along an axis; none if that is not known.
        is_shared: whether an element is computed once, though several things read it (`elementwise_fusion`).
        is_unset: whether nobody looks at an element before it is written.
        rows: axes along which elements are computed of what lies in memory one behind the other, as far as is known.
        work: instructions that an element takes, loads among them.
        reshaped: the array that is computed whose elements these are, in the same order and another shape, if it is
            that.
    """

    dtype: np.dtype
    shape: tuple[int, ...]
    at: Callable[[Place], Number]
    reads: frozenset[Memory]
    is_view: bool = False
    slow: bool = False
    window: Window | None = None
    transposed: Array | None = None
    in_order: Array | None = None
    origins: frozenset[tuple[Memory, object]] | None = None
    parts: tuple[Part, ...] = ()
    is_shared: bool = False
    is_unset: bool = False
    rows: frozenset[int] = frozenset()
    work: int = _MUCH
    reshaped: Lazy | None = None


Value = Number | Array | Lazy


class Room(Protocol):
    """Where arrays are made.

    Attributes:
        factors: those of matrices that were factored before, in what is written now without a branch.
        is_cut: whether what is written now is a result of the program that is cut to its length and nothing else.
    """

    factors: dict[Array, tuple[Array, Array, Array]]
    is_cut: bool

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


def rows_of(value: Value, shape: tuple[int, ...]) -> frozenset[int]:
    """Axes of an array of that shape along which its elements are computed of what lies in memory one behind the other,
    as far as is known."""
    if isinstance(value, Number) or shape_of(value) != shape:
        return frozenset()
    return frozenset([len(shape) - 1]) if isinstance(value, Array) else value.rows


def origins_of(value: Value, shape: tuple[int, ...]) -> frozenset[tuple[Memory, object]] | None:
    """Where the elements are of which those of an array of that shape are computed; None if that is not known."""
    if isinstance(value, Number):
        return frozenset()
    if shape_of(value) != shape:
        return None
    return frozenset([(value.memory, OWN)]) if isinstance(value, Array) else value.origins


def lies_in_rows(value: Value, shape: tuple[int, ...]) -> bool:
    """Whether the elements of an array of that shape are, in all that they are computed of, at the places that they
    have in rows: where one is, is told by how many are before it."""
    found = origins_of(value, shape)
    return found is not None and all(where == OWN for _, where in found)


def is_computed_in_place(value: Value, memory: Memory, where: object) -> bool:
    """Whether the elements of an array in a memory may become those of another array, one by one, at such places."""
    found = value.origins if isinstance(value, Lazy) else None
    return found is not None and all(place == where for one, place in found if one is memory)


def element(text: Text, value: Value, place: Place) -> Number:
    """An element of an array; a number is all of its elements."""
    if isinstance(value, Number):
        return value
    return bufferisation.load(text, value, place) if isinstance(value, Array) else value.at(place)


def is_slow(*values: Value) -> bool:
    """Whether an element of one of them is."""
    return any(isinstance(v, Lazy) and v.slow for v in values)


def is_view(value: Value) -> bool:
    """Whether its elements are loaded, or known, and not computed."""
    return not isinstance(value, Lazy) or value.is_view


def work_of(value: Value) -> int:
    """How many instructions an element takes, loads among them."""
    if isinstance(value, Number):
        return 0
    return value.work if isinstance(value, Lazy) else 1


def is_little(value: Value) -> bool:
    """Whether an element is loaded, or computed again, wherever it is read: not if what it is computed of is wider."""
    if is_view(value):
        return True
    narrow = all(place.dtype.itemsize <= dtype_of(value).itemsize for place in reads(value))
    return work_of(value) <= _LITTLE and narrow


def bounded(text: Text, shape: Sequence[int], *values: Value) -> None:
    """Refuse what is to be done for so many elements that XLA, for all its calls, is faster. What is done in one case
    only does not matter."""
    if text.arms or text.for_gpu:
        return
    computed, moved, slow = _MOST if text.loops else _MOST_ONCE
    if prod(shape) > (slow if is_slow(*values) else moved if all(map(is_view, values)) else computed):
        raise Unsuitable("so many elements")


def view(text: Text, value: Value, shape: tuple[int, ...], where: Callable[[Place], Place]) -> Lazy:
    """Elements of another array."""
    at = lambda place: element(text, value, where(place))  # noqa: E731
    if isinstance(value, Lazy):
        kept = Lazy(value.dtype, shape, at, value.reads)
        return kept._replace(is_view=value.is_view, slow=value.slow, work=value.work)
    return Lazy(dtype_of(value), shape, at, reads(value), True, work=1)


def uniform(number: Number, shape: tuple[int, ...]) -> Lazy:
    """An array of which all elements are one number."""
    at = lambda place: number  # noqa: E731
    window, none = Window((_NOWHERE,) * len(shape), number, at), frozenset()
    return Lazy(number.dtype, shape, at, none, True, window=window, origins=none, work=0)


def without_elements(dtype: Any, shape: Sequence[int]) -> Lazy:
    """An array of a shape that has none."""
    if not isinstance(dtype, np.dtype):
        raise Unsuitable("an array without elements")
    return uniform(literal(0, dtype), tuple(shape))


def placed(text: Text, value: Value, shape: tuple[int, ...], axes: Sequence[int]) -> Lazy:
    """An array in another shape: each of its axes becomes one of those, along the others all is the same. An axis of
    one element may become a longer one."""
    if isinstance(value, Number):
        return uniform(value, shape)
    old = shape_of(value)

    def where(at: Place) -> Place:
        return [at[axis] if n > 1 else "0" for axis, n in zip(axes, old, strict=True)]

    rows = frozenset(axes[k] for k in rows_of(value, old) if old[k] > 1)
    made, window = view(text, value, shape, where)._replace(rows=rows), window_of(value)
    if window is None:
        return made
    extents: list[Extent | None] = [None] * len(shape)
    for axis, n, found in zip(axes, old, window.extents, strict=True):
        if n > 1:
            extents[axis] = found
    return made._replace(window=Window(tuple(extents), window.rest, lambda at: window.inside(where(at))))


def for_many(room: Room, value: Value, shape: tuple[int, ...]) -> Value:
    """An array for a longer one, of which each element is read many times: what takes long to compute is stored."""
    if isinstance(value, Lazy) and value.work > _LITTLE_FOR_MANY and value.window is None and not value.is_view:
        return room.kept(value) if prod(shape) > prod(value.shape) else value
    return value


def window_of(value: Value) -> Window | None:
    """Where an array is not all the same number, if that is known."""
    return value.window if isinstance(value, Lazy) else None


def rest_of(value: Value) -> Number | None:
    """What all elements of an array are, or all outside of its window; None if that is not known."""
    if isinstance(value, Number):
        return value
    return value.window.rest if isinstance(value, Lazy) and value.window is not None else None


def is_mask(value: Value, shape: tuple[int, ...]) -> bool:
    """Whether an array of that shape is false outside of a window."""
    return not isinstance(value, Number) and shape_of(value) == shape and rest_of(value) == FALSE


def is_uniform(value: Value) -> bool:
    """Whether all elements of an array are one number, which is known to be so."""
    window = window_of(value)
    return window is not None and _NOWHERE in window.extents


def inside(text: Text, value: Value, place: Place) -> Number:
    """An element in the window of an array, or of an array without one."""
    window = window_of(value)
    return element(text, value, place) if window is None else window.inside(place)


def meeting(text: Text, windows: Sequence[Window]) -> tuple[Extent | None, ...] | None:
    """The places that are in all of some windows; None if that is not known."""
    found: list[Extent | None] = []
    for extents in zip(*(w.extents for w in windows), strict=True):
        several = list(dict.fromkeys(x for x in extents if x is not None))
        if len(several) > 1 and any(x.step != "1" for x in several):
            return None
        if len(several) > 1:
            firsts = [Number(INDEX, (x.first,)) for x in several]
            ends = [Number(INDEX, (x.end,)) for x in several]
            first = functools.reduce(lambda x, y: RULES["max"](text, x, y), firsts)
            end = functools.reduce(lambda x, y: RULES["min"](text, x, y), ends)
            several = [Extent(first.name, end.name)]
        found.append(several[0] if several else None)
    return tuple(found)


def clamped(text: Text, start: Number, most: int) -> str:
    """A start that is not negative, and not beyond the last one that is possible."""
    value = known_int(start)
    if value is not None or most == 0:
        return str(min(max(value or 0, 0), most))
    number = RULES["max"](text, convert(text, start, INDEX), literal(0, INDEX))
    return RULES["min"](text, number, literal(most, INDEX)).name


def counted(
    text: Text,
    count: int,
    numbers: Sequence[Number],
    iteration: Callable,
    straight: int = _STRAIGHT,
    part: tuple[str, str] | None = None,
) -> list[Number]:
    """What numbers become in so many iterations; `iteration` gets the name of the index, and the numbers. Up to
    `straight` iterations may be made one after the other in straight code. Of a `part` of the iterations the first one
    is given, and the end: a part has an iteration at least, since a loop asks behind its first one whether there are
    more."""
    if count == 0:
        return list(numbers)
    if count == 1 and part is None:
        return list(iteration("0", list(numbers)))
    start, stop = part or ("0", str(count))
    phis = text.phis([Number(INDEX, (start,)), *numbers])
    body, end = text.label(), text.label()
    text.do(f"br label %{body}")
    phis.begin(body)
    index, *carried = phis.numbers
    straight = min(straight, _STRAIGHT_IN_LOOPS) if text.open_loops else straight
    stays, kept = count > straight, text.kept_loops
    text.open_loops += stays
    is_one = part is not None and text.threads == BLOCK
    before, text.often = text.often, text.often * (1 if is_one else count)
    found = list(iteration(index.name, carried))
    text.often = before
    text.open_loops -= stays
    stays = stays or text.kept_loops > kept
    text.kept_loops += stays
    following = text.new(f"add nuw nsw i64 {index.name}, 1")
    more = text.new(f"icmp ult i64 {following}, {stop}")
    phis.close([Number(INDEX, (following,)), *found])
    # The vectorizer makes several at a time; all of them as straight code would take long to compile, and so would a
    # loop around it.
    note = text.not_unrolled(_INTERLEAVED if numbers and count >= _LONG else 1) if stays else ""
    text.do(f"br i1 {more}, label %{body}, label %{end}{note}")
    text.begin(end)
    return found


def ranged(text: Text, extent: Extent, numbers: Sequence[Number], iteration: Callable) -> list[Number]:
    """The same for some indices, which may be none."""
    phis = text.phis([Number(INDEX, (extent.first,)), *numbers])
    head, body, done = text.label(), text.label(), text.label()
    text.do(f"br label %{head}")
    phis.begin(head)
    index, *carried = phis.numbers
    text.do(f"br i1 {text.new(f'icmp slt i64 {index.name}, {extent.end}')}, label %{body}, label %{done}")
    text.begin(body)
    before, text.often = text.often, text.often * SOME
    found = list(iteration(index.name, carried))
    phis.close([Number(INDEX, (text.new(f"add nuw nsw i64 {index.name}, {extent.step}"),)), *found])
    text.often = before
    text.do(f"br label %{head}")
    text.begin(done)
    return carried


def over(
    text: Text,
    shape: Sequence[int],
    numbers: Sequence[Number],
    visit: Callable,
    extents: Sequence[Extent | None] = (),
    in_rows: bool = False,
    width: int = 1,
    is_apart: bool = False,
) -> list[Number]:
    """The same for each place of a shape, or in a window of it, in the order of its rows; `visit` gets the place, and
    the numbers. Where all elements lie `in_rows` it is one loop, which counts along the last axis beyond its end. Where
    a place may be visited twice, so many places are to be visited at once: the last ones of a row again, if there are
    not as many left. Where no place sees what is done for another one they `is_apart`, and several threads may visit
    them."""
    long = [axis for axis, n in enumerate(shape) if n > 1]
    may_share = is_apart and not numbers and not text.is_shared and not text.is_alone

    def visit_one(first: str, end: str) -> bool:
        visit(place_in(text, shape, first), [])
        return True

    if text.threads == BLOCK and may_share and prod(shape) > 1:
        with alone(text) if extents else contextlib.nullcontext():
            if extents:
                over(text, shape, [], visit, extents)
            else:
                shared_in_block(text, str(prod(shape)), visit_one)
        return []
    shares = may_share and not extents and prod(shape) >= _FEWEST_SHARED

    def shared(count: int, iteration: Callable, straight: int = _STRAIGHT) -> list[Number]:
        def written(first: str, end: str) -> bool:
            counted(text, count, [], iteration, straight, (first, end))
            return True

        shared_out(text, str(count), written, count)
        return []

    if in_rows and not extents and len(long) > 1:

        def visit_flat(k: str, carried: list[Number]) -> list[Number]:
            return list(visit(tuple(k if axis == long[-1] else "0" for axis in range(len(shape))), carried))

        straight = _STRAIGHT_IN_ROWS if max(shape) <= _STRAIGHT else _STRAIGHT
        if shares:
            return shared(prod(shape), visit_flat, straight)
        return counted(text, prod(shape), numbers, visit_flat, straight)

    def along(axis: int, place: tuple[str, ...], numbers: list[Number]) -> list[Number]:
        if axis == len(shape):
            return list(visit(place, numbers))

        def iteration(k: str, carried: list[Number]) -> list[Number]:
            return along(axis + 1, (*place, k), carried)

        extent = extents[axis] if extents else None
        if extent is not None:
            return ranged(text, extent, numbers, iteration)
        count, rest = shape[axis], shape[axis] % width
        if shares and axis == long[0]:
            return shared(count, iteration)
        often = text.loops or prod(shape) >= _FEWEST_ROWS * count
        if axis not in long[-1:] or not often or not rest or not width < count <= _MOST_IN_ROW:
            return counted(text, count, numbers, iteration)
        counted(text, count - rest, numbers, iteration, 0)
        return counted(
            text, width, numbers, lambda k, carried: iteration(plus(text, k, str(count - width)), carried), 0
        )

    return along(0, (), list(numbers))


__all__ = [
    "Extent",
    "Lazy",
    "OWN",
    "Part",
    "Place",
    "Room",
    "SOME",
    "Value",
    "Window",
    "bounded",
    "clamped",
    "counted",
    "dtype_of",
    "element",
    "for_many",
    "inside",
    "is_computed_in_place",
    "is_little",
    "is_mask",
    "is_slow",
    "is_uniform",
    "is_view",
    "lies_in_rows",
    "meeting",
    "origins_of",
    "over",
    "placed",
    "ranged",
    "reads",
    "rest_of",
    "rows_of",
    "shape_of",
    "uniform",
    "view",
    "window_of",
    "without_elements",
    "work_of",
]
