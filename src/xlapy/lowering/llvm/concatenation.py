"""Arrays that are made of others, one behind the other along an axis.

Where all of such an array is written, each part is written by itself: an element by itself has to be looked for in all
of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from xlapy.lowering.llvm.lazy_arrays import (
    Lazy,
    Part,
    Place,
    Room,
    Value,
    clamped,
    dtype_of,
    element,
    is_slow,
    is_view,
    placed,
    reads,
    shape_of,
    uniform,
    view,
)
from xlapy.lowering.llvm.scalar_instructions import select
from xlapy.lowering.llvm.text import INDEX, Number, Text, Unsuitable, plus
from xlapy.lowering.thresholds import ELEMENTS_FOR_PART, ELEMENTS_OF_PART, PARTS_OF_ARRAY


def within(text: Text, index: str, length: int) -> Number:
    """Whether an index is one of so many."""
    return Number(np.dtype(bool), (text.new(f"icmp ult i64 {index}, {length}"),))


def near(text: Text, index: str, length: int) -> str:
    """An index that is within an array, where it is to be used."""
    if length == 0:
        raise Unsuitable("an array without elements")
    return clamped(text, Number(INDEX, (index,)), length - 1)


def concatenated(
    text: Text, shape: tuple[int, ...], axis: int, operands: Sequence[Value], lengths: Sequence[int]
) -> Lazy:
    """Arrays of such lengths along an axis, one behind the other."""
    # Of one without elements there is none that could be loaded in place of another's.
    operands, lengths = zip(*((x, n) for x, n in zip(operands, lengths, strict=True) if n), strict=True)

    def at(place: Place) -> Number:
        found, start = None, 0
        for x, length in zip(operands, lengths, strict=True):
            index = plus(text, place[axis], str(-start))
            here = element(text, x, [*place[:axis], near(text, index, length), *place[axis + 1 :]])
            found = here if found is None else select(text, within(text, index, length), here, found)
            start += length
        assert found is not None
        return found

    parts = [
        Part(axis, sum(lengths[:k]), placed(text, x, _with(shape, axis, lengths[k]), range(len(shape))))
        for k, x in enumerate(operands)
    ]
    return Lazy(dtype_of(operands[0]), shape, at, reads(*operands), False, is_slow(*operands), parts=_worth(parts))


def tiled(text: Text, room: Room, shape: tuple[int, ...], x: Value, repeats: Sequence[int]) -> Value:
    """An array so many times along each axis, from the last one on."""
    for axis in range(len(shape) - 1, -1, -1):
        count, old = repeats[axis], shape_of(x)
        if count == 1:
            continue
        if 0 < count <= PARTS_OF_ARRAY:
            x = x if is_view(x) else room.kept(x)
            x = concatenated(text, _with(old, axis, count * old[axis]), axis, [x] * count, [old[axis]] * count)
            x = room.kept(x) if any(n > 1 for n in repeats[:axis]) else x
        else:

            def where(at: Place, axis: int = axis, length: int = old[axis]) -> Place:
                index = text.new(f"urem i64 {at[axis]}, {length}") if length > 1 else "0"
                return [*at[:axis], index, *at[axis + 1 :]]

            x = view(text, x if is_view(x) else room.kept(x), _with(old, axis, count * old[axis]), where)
    return x


def stacked(text: Text, shape: tuple[int, ...], axis: int, operands: Sequence[Value]) -> Lazy:
    """Arrays along a new axis."""

    def at(place: Place) -> Number:
        found = element(text, operands[0], [*place[:axis], *place[axis + 1 :]])
        for k, x in enumerate(operands[1:], 1):
            here = Number(np.dtype(bool), (text.new(f"icmp eq i64 {place[axis]}, {k}"),))
            found = select(text, here, element(text, x, [*place[:axis], *place[axis + 1 :]]), found)
        return found

    axes = [k for k in range(len(shape)) if k != axis]
    parts = [Part(axis, k, placed(text, x, _with(shape, axis, 1), axes)) for k, x in enumerate(operands)]
    return Lazy(dtype_of(operands[0]), shape, at, reads(*operands), False, is_slow(*operands), parts=_worth(parts))


def apart(
    text: Text,
    shape: tuple[int, ...],
    operands: Sequence[Value],
    made: Callable[[tuple[int, ...], Sequence[Value]], Value],
) -> tuple[Part, ...]:
    """The parts of what is made of operands element by element, if one of them has parts; `made` makes them, of a
    shape."""
    known = next((x.parts for x in operands if isinstance(x, Lazy) and x.parts and x.shape == shape), ())
    found = []
    for axis, first, value in known:
        length = shape_of(value)[axis]
        sections = [_section(text, x, axis, first, length) for x in operands]
        part = made(shape_of(value), sections)
        found.append(Part(axis, first, uniform(part, shape_of(value)) if isinstance(part, Number) else part))
    return tuple(found)


def _section(text: Text, x: Value, axis: int, first: int, length: int) -> Value:
    """The elements from one on along an axis; one that stands for all of them stays."""
    if isinstance(x, Number) or shape_of(x)[axis] == 1:
        return x
    for part in x.parts if isinstance(x, Lazy) else ():
        if part[:2] == (axis, first) and shape_of(part.value)[axis] == length:
            return part.value
    whole = _with(shape_of(x), axis, length)
    return view(text, x, whole, lambda at: [*at[:axis], plus(text, at[axis], str(first)), *at[axis + 1 :]])


def _worth(parts: Sequence[Part]) -> tuple[Part, ...]:
    sizes = [prod(shape_of(part.value)) for part in parts]
    worth = len(parts) <= PARTS_OF_ARRAY and (
        min(sizes) >= ELEMENTS_OF_PART or sum(sizes) >= ELEMENTS_FOR_PART * len(parts)
    )
    return tuple(parts) if worth else ()


def _with(shape: tuple[int, ...], axis: int, length: int) -> tuple[int, ...]:
    return (*shape[:axis], length, *shape[axis + 1 :])


__all__ = ["apart", "concatenated", "near", "stacked", "tiled", "within"]
