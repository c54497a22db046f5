"""Arrays of several sizes in one place: one array with room for all of them, and a dynamic length.

What is joined so lies at the front of a buffer of its own (`is_plain`): that of the larger one has the elements of the
smaller one, and others behind them that are not looked at.
"""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from xlapy.domain.join import Joiner
from xlapy.domain.values import BoundedArray, Hole, Lanes, NdArray, Union, Value, alternatives, hole
from xlapy.ir import TensorType

Shape = tuple[int, ...]
_LENGTH = TensorType((), np.dtype(np.int64))


def is_array(value: Value) -> bool:
    """Whether a value is a NumPy array, and no state of one as a list that grew holds it."""
    return isinstance(base_of(value), NdArray)


def base_of(value: Value) -> NdArray:
    """The room of an array."""
    return value.base if isinstance(value, BoundedArray) else value  # type: ignore[return-value]


def axes_of(value: Value) -> tuple[Lanes | None, ...]:
    """The dimensions of an array: None where the length is static."""
    return value.axes if isinstance(value, BoundedArray) else (None,) * len(base_of(value).type.shape)


def room_of(value: Value) -> Shape:
    """The sizes that an array may have at most."""
    return base_of(value).type.shape


def are_alike(a: Value, b: Value) -> bool:
    """Whether two values are arrays of one dtype and one number of dimensions, which may be written both or neither."""
    if not (is_array(a) and is_array(b)) or base_of(a).writeable is not base_of(b).writeable:
        return False
    one, two = base_of(a).type, base_of(b).type
    return one.dtype == two.dtype and len(one.shape) == len(two.shape) > 0


def are_one_kind(a: Value, b: Value) -> bool:
    """Whether two arrays have the same room and know as much of their lengths: one value for both needs no more."""
    if room_of(a) != room_of(b) or type(a) is not type(b):
        return False
    return lane_kinds(a) == lane_kinds(b)


def lane_kinds(array: Value) -> list:
    """What is static about the dimensions of an array."""
    kinds = (
        (x.start if isinstance(x.start, int) else None, x.valid is None, x.order is None) for x in axes_of(array) if x
    )
    return [[x is None for x in axes_of(array)], *kinds]


def is_plain(value: Value) -> bool:
    """Whether the elements of an array are the first ones of a buffer, in order."""
    lanes = [x for x in axes_of(value) if x is not None]
    return not base_of(value).lenses and all(
        x.valid is None and isinstance(x.start, int) and not x.start for x in lanes
    )


def are_several(value: Value) -> TypeGuard[Union]:
    """Whether a value may be one of several arrays that differ in their sizes alone."""
    found = [v for v in alternatives(value) if is_array(v)] if isinstance(value, Union) else []
    return any(are_alike(found[0], v) and room_of(found[0]) != room_of(v) for v in found[1:])


def joined(joiner: Joiner, a: Value, b: Value, room: Shape) -> Value:
    """The join of two plain arrays that are alike: an array with this room; `a` itself if that is one.

    Raises:
        JoinFailure: they may not have one name.
    """
    one, two = base_of(a), base_of(b)
    buffer = joiner.merge_buffers(one.buffer, two.buffer)
    joiner.rooms[buffer] = room
    known = [
        x is None and y is None and m == n == space
        for x, y, m, n, space in zip(axes_of(a), axes_of(b), one.type.shape, two.type.shape, room, strict=True)
    ]
    identity = joiner.identity(one, two)
    if isinstance(a, BoundedArray) and (buffer, identity) == (one.buffer, one.identity) and one.type.shape == room:
        lengths = [x.length if x is not None else None for x in a.axes]
        if all(static if n is None else isinstance(n, Hole) for n, static in zip(lengths, known, strict=True)):
            return a
    base = NdArray(buffer, (), TensorType(room, one.type.dtype), identity, one.writeable)
    if all(known):
        return base
    return BoundedArray(base, tuple(None if static else Lanes(hole(_LENGTH)) for static in known))
