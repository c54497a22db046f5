"""Reductions: what the elements along some axes are joined to, and where the largest one is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from xlapy.lowering.llvm import min_max_reductions
from xlapy.lowering.llvm.bufferisation import Array, put
from xlapy.lowering.llvm.independent_iterations import joined_in_parts
from xlapy.lowering.llvm.lazy_arrays import (
    Extent,
    Lazy,
    Place,
    Room,
    Value,
    bounded,
    dtype_of,
    element,
    inside,
    is_slow,
    is_view,
    lies_in_rows,
    over,
    reads,
    shape_of,
    window_of,
)
from xlapy.lowering.llvm.scalar_instructions import RULES, any_order, convert, select
from xlapy.lowering.llvm.text import (
    BLOCK,
    INDEX,
    Number,
    Text,
    Unsuitable,
    literal,
)
from xlapy.lowering.thresholds import (
    COLUMNS_REDUCED_TOGETHER,
    ELEMENTS_SEARCHED_IN_BLOCKS,
    ELEMENTS_SEARCHED_IN_COLUMNS,
    TERMS_ADDED_IN_DOUBLE,
)


def reduction(kind: str, start: Callable[[np.dtype], object]) -> Callable:
    """What writes a reduction, by an operation of a kind, that begins with some number of a type."""

    def whole(text: Text, room: Room, equation: Any, operands: list[Value]) -> Value:
        (x,), axes, shape = operands, equation.params["axes"], tuple(equation.outvars[0].aval.shape)
        if isinstance(x, Number):
            return x
        total = joined_as_parts(text, room, axes, x, kind, start)
        if total is not None:
            return total
        if _is_of_columns(equation, x) and not text.for_gpu:
            return _joined_by_rows(text, room, equation, shape, operands, kind, start)
        old, dtype = shape_of(x), dtype_of(x)
        extents = _extents_along(text, x, axes, literal(start(dtype), dtype))
        found = inside if extents and len(axes) == len(old) else element
        in_rows = tuple(axes) == tuple(range(len(old))) and lies_in_rows(x, old)
        lengths = [old[k] for k in axes]
        wide = _wide(kind, dtype, prod(lengths))

        def at(place: Place) -> Number:
            if min_max_reductions.suits(kind, dtype, prod(lengths)):
                element_at = lambda inner: found(text, x, _together(axes, inner, place))  # noqa: E731
                return min_max_reductions.extreme(
                    text, kind, literal(start(dtype), dtype), lengths, extents, element_at
                )

            def visit(inner: Place, numbers: list[Number]) -> list[Number]:
                new = convert(text, found(text, x, _together(axes, inner, place)), wide)
                return [joined(text, kind, numbers[0], new)]

            first = literal(start(dtype), wide)
            return convert(text, over(text, lengths, [first], visit, extents, in_rows)[0], dtype)

        return Lazy(dtype, shape, at, reads(x))

    return whole


def joined_as_parts(text: Text, room: Room, axes: Sequence[int], x: Value, kind: str, start: Callable) -> Number | None:
    """A reduction of many elements to one number, of which each part is joined by itself; None if it is another one."""
    if (
        isinstance(x, Number)
        or tuple(axes) != tuple(range(len(shape_of(x))))
        or text.is_shared
        or window_of(x) is not None
    ):
        return None
    lengths, dtype = shape_of(x), dtype_of(x)
    if min_max_reductions.suits(kind, dtype, prod(lengths)) and text.threads != BLOCK:
        return None
    bounded(text, lengths, x)
    wide = _wide(kind, dtype, prod(lengths))
    first = literal(start(dtype), wide)
    total = joined_in_parts(
        text,
        room,
        lengths,
        first,
        lambda old, new: joined(text, kind, old, new),
        lambda place: convert(text, element(text, x, place), wide),
        lies_in_rows(x, lengths),
    )
    return None if total is None else convert(text, total, dtype)


def _wide(kind: str, dtype: np.dtype, count: int) -> np.dtype:
    """The type that so many elements are joined in."""
    is_long = kind == "add" and dtype == np.float32 and count >= TERMS_ADDED_IN_DOUBLE
    return np.dtype(np.float64) if is_long else dtype


def _extents_along(text: Text, x: Value, axes: Sequence[int], start: Number) -> Sequence[Extent | None]:
    """The window along some axes outside of which all is what a reduction begins with; none if there is none."""
    window = window_of(x)
    if window is None or is_slow(x) or not window.rest == start:
        bounded(text, shape_of(x), x)
        return ()
    return [window.extents[k] for k in axes]


def _together(axes: Sequence[int], reduced: Place, kept: Place) -> Place:
    """A place, from its places along the axes that are reduced, and along the others."""
    along, others = dict(zip(axes, reduced, strict=True)), iter(kept)
    return [along[k] if k in along else next(others) for k in range(len(reduced) + len(kept))]


def _is_of_columns(equation: Any, x: Value) -> bool:
    """Whether a reduction leaves a last axis that is long enough for vectors."""
    old = equation.invars[0].aval.shape
    return (
        not isinstance(x, Number)
        and len(old) - 1 not in equation.params["axes"]
        and old[-1] >= COLUMNS_REDUCED_TOGETHER
    )


def _joined_by_rows(
    text: Text, room: Room, equation: Any, shape: tuple[int, ...], operands: list[Value], kind: str, start: Callable
) -> Value:
    """A reduction that leaves the last axis: row after row is joined to what is there, several columns at a time."""
    (x,), axes = operands, equation.params["axes"]
    old, dtype = shape_of(x), dtype_of(x)
    first = literal(start(dtype), dtype)
    extents = _extents_along(text, x, axes, first)
    found = room.made(dtype, shape)
    array = Array(found, found.version)

    def begin(place: Place, numbers: list) -> list:
        put(text, found, first, place)
        return []

    def join_row(outer: Place, numbers: list) -> list:
        def visit(place: Place, numbers: list) -> list:
            new = element(text, x, _together(axes, outer, place))
            put(text, found, joined(text, kind, element(text, array, place), new), place)
            return []

        return over(text, shape, [], visit)

    over(text, shape, [], begin, in_rows=True)
    over(text, [old[k] for k in axes], [], join_row, extents)
    return found.change()


def joined(text: Text, kind: str, x: Number, y: Number) -> Number:
    """Two parts of a sum, a product, a maximum ..., in any order."""
    if x.dtype.kind == "f" and kind in ("add", "mul"):
        return any_order(text, f"f{kind}", x, y)
    return RULES[kind](text, x, y)


def extreme_place(kind: str) -> Callable:
    """Where the first of the largest or smallest elements is, or the first NaN."""

    def shaped(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
        (x,), (axis,) = operands, equation.params["axes"]
        dtype = np.dtype(equation.params["index_dtype"])
        if isinstance(x, Number):
            return literal(0, dtype)
        old = shape_of(x)
        worst = (min_max_reductions.least if kind == "gt" else min_max_reductions.largest)(dtype_of(x))
        extents = _extents_along(text, x, [axis], literal(worst, dtype_of(x)))
        if axis != len(old) - 1 and prod(old) > ELEMENTS_SEARCHED_IN_COLUMNS and not text.for_gpu:
            raise Unsuitable("places in columns, of which XLA looks at several at a time")
        in_blocks = axis == len(old) - 1 and not extents and is_view(x) and old[axis] >= ELEMENTS_SEARCHED_IN_BLOCKS

        def at(place: Place) -> Number:
            def visit(inner: Place, numbers: list[Number]) -> list[Number]:
                best, found = numbers
                new = element(text, x, [*place[:axis], *inner, *place[axis:]])
                better = RULES[kind](text, new, best)
                if new.dtype.kind == "f":
                    first = RULES["bitwise_and"](text, RULES["ne"](text, new, new), RULES["eq"](text, best, best))
                    better = RULES["bitwise_or"](text, better, first)
                here = Number(INDEX, (inner[0],))
                return [select(text, better, new, best), select(text, better, here, found)]

            if in_blocks:
                search = min_max_reductions.Search(kind == "gt", 1, old[axis])
                found = min_max_reductions.first_of(text, search, lambda k: element(text, x, [*place, k]), dtype_of(x))
                return convert(text, found, dtype)
            first = element(text, x, [*place[:axis], "0", *place[axis:]])
            return convert(text, over(text, [old[axis]], [first, literal(0, INDEX)], visit, extents)[1], dtype)

        return Lazy(dtype, shape, at, reads(x))

    return shaped


#: how elements are joined, and with what that begins
JOINED: dict[str, tuple[str, Callable[[np.dtype], object]]] = {
    "reduce_sum": ("add", lambda dtype: 0),
    "reduce_prod": ("mul", lambda dtype: 1),
    "reduce_max": ("max", min_max_reductions.least),
    "reduce_min": ("min", min_max_reductions.largest),
    "reduce_or": ("bitwise_or", lambda dtype: 0),
    "reduce_and": ("bitwise_and", lambda dtype: -1 if dtype.kind in "iu" else True),
    "reduce_xor": ("bitwise_xor", lambda dtype: 0),
}


__all__ = ["JOINED", "extreme_place", "joined", "joined_as_parts", "reduction"]
