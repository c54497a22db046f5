"""The largest and smallest of many floats.

`llvm.maximum` is NaN where one of two numbers is, and tells 0.0 from -0.0, which takes four instructions that wait for
one another. Here the processor's own maximum is taken, which does neither; whether there is a NaN is looked at besides,
and which zero it is only where the result is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from xlapy.lowering.llvm.bufferisation import Array, Memory, address, put
from xlapy.lowering.llvm.lazy_arrays import (
    Extent,
    Place,
    Room,
    Value,
    bounded,
    counted,
    dtype_of,
    element,
    is_view,
    over,
    shape_of,
)
from xlapy.lowering.llvm.scalar_instructions import RULES, convert, select
from xlapy.lowering.llvm.text import FALSE, INDEX, Number, Text, Unsuitable, literal, plus, times, type_of
from xlapy.lowering.thresholds import ELEMENTS_OF_MAXIMUM

#: elements from which on it pays; elements that are looked at together
_BLOCK = 128


class Search(NamedTuple):
    """A search for the largest element of each row, or for the smallest one; or of each of several columns of some
    matrices, one behind the other, of which there are as many as rows."""

    largest: bool
    rows: int
    length: int
    columns: int = 1


def search_of(largest: bool, axis: int | None, shape: Sequence[int]) -> Search:
    """The search along an axis of an array of that shape, or in all of it."""
    if axis is None:
        return Search(largest, 1, prod(shape))
    return Search(largest, prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :]))


def suits(kind: str, dtype: np.dtype, count: int) -> bool:
    """Whether so many numbers are for it."""
    return kind in ("max", "min") and dtype.name in ("float32", "float64") and count >= ELEMENTS_OF_MAXIMUM


def extreme(
    text: Text,
    kind: str,
    first: Number,
    shape: Sequence[int],
    extents: Sequence[Extent | None],
    at: Callable[[Place], Number],
    is_exact: bool = True,
) -> Number:
    """The largest ("max") or smallest of the numbers at some places, and `first`; NaN if there is one. If it is to be
    exact, 0.0 is larger than -0.0."""
    type = type_of(first.dtype)
    name = f"llvm.{kind}num.f{8 * first.dtype.itemsize}"
    text.declared[name] = f"declare {type} @{name}({type}, {type}) memory(none) nounwind willreturn"

    def visit(place: Place, numbers: list[Number]) -> list[Number]:
        best, lost = numbers
        new = at(place)
        best = text.new(f"call nnan nsz {type} @{name}({type} {best.name}, {type} {new.name})")
        is_nan = text.new(f"fcmp uno {type} {new.name}, {new.name}")
        return [Number(first.dtype, (best,)), Number(FALSE.dtype, (text.new(f"or i1 {lost.name}, {is_nan}"),))]

    best, lost = over(text, shape, [first, FALSE], visit, extents)
    if not is_exact:
        return select(text, lost, literal(np.nan, first.dtype), best)
    is_zero = text.new(f"fcmp oeq {type} {best.name}, {literal(0, first.dtype).name}")
    exactly, end, before = text.label(), text.label(), text.block
    text.do(f"br i1 {is_zero}, label %{exactly}, label %{end}, !prof {text.unlikely()}")
    text.begin(exactly)
    (exact,) = over(text, shape, [first], lambda place, numbers: [RULES[kind](text, numbers[0], at(place))], extents)
    after = text.block
    text.do(f"br label %{end}")
    text.begin(end)
    found = text.new(f"phi {type} [{best.name}, %{before}], [{exact.name}, %{after}]")
    return select(text, lost, literal(np.nan, first.dtype), Number(first.dtype, (found,)))


def first_places(text: Text, room: Room, search: Search, x: Value, shape: tuple[int, ...], dtype: np.dtype) -> Value:
    """Where in each row of an array the first of the largest or smallest elements is, or the first NaN."""
    if isinstance(x, Number):
        return literal(0, dtype)
    bounded(text, shape_of(x), x)
    kind = dtype_of(x)
    if text.for_gpu and search.rows * search.columns > 1:
        return _each_by_itself(text, room, search, x, shape, dtype)
    if search.columns > 1:
        return _in_columns(text, room, search, x, shape, dtype)
    if len(shape_of(x)) == 1 and is_view(x):
        return convert(text, first_of(text, search, lambda k: element(text, x, (k,)), kind), dtype)
    pointer = address(x if isinstance(x, Array) else room.kept(x))
    rows = Memory(pointer, kind, (search.rows, search.length), True)
    array = Array(rows, rows.version)
    if search.rows == 1:
        return convert(text, first_of(text, search, lambda k: element(text, array, ("0", k)), kind), dtype)
    place = room.made(dtype, shape)
    flat = Memory(place.pointer, dtype, (search.rows,), False)

    def visit(at: Place, numbers: list) -> list:
        found = first_of(text, search, lambda k: element(text, array, (at[0], k)), kind)
        put(text, flat, convert(text, found, dtype), at)
        return []

    over(text, (search.rows,), [], visit)
    return place.change()


def _each_by_itself(text: Text, room: Room, search: Search, x: Value, shape: tuple[int, ...], dtype: np.dtype) -> Value:
    """The same on a GPU, by a thread for each row or column."""
    kind, (_, rows, length, columns) = dtype_of(x), search
    whole = Memory(address(x if isinstance(x, Array) else room.kept(x)), kind, (rows, length, columns), True)
    array, found = Array(whole, whole.version), room.made(dtype, shape)
    flat = Memory(found.pointer, dtype, (rows, columns), False)
    better = RULES["gt" if search.largest else "lt"]

    def visit(at: Place, numbers: list) -> list:
        def compare(place: Place, numbers: list[Number]) -> list[Number]:
            old, before = numbers
            new = element(text, array, [at[0], place[0], at[1]])
            is_better = better(text, new, old)
            if kind.kind == "f":
                lost = RULES["bitwise_and"](text, RULES["ne"](text, new, new), RULES["eq"](text, old, old))
                is_better = RULES["bitwise_or"](text, is_better, lost)
            return [select(text, is_better, new, old), select(text, is_better, Number(INDEX, (place[0],)), before)]

        first = [element(text, array, [at[0], "0", at[1]]), literal(0, INDEX)]
        put(text, flat, convert(text, over(text, (length,), first, compare)[1], dtype), at)
        return []

    over(text, (rows, columns), [], visit, is_apart=True)
    return found.change()


def _in_columns(text: Text, room: Room, search: Search, x: Value, shape: tuple[int, ...], dtype: np.dtype) -> Value:
    """The same in each column: row after row is compared with the best of those before it."""
    kind, (_, rows, length, columns) = dtype_of(x), search
    pointer = address(x if isinstance(x, Array) else room.kept(x))
    whole = Memory(pointer, kind, (rows, length, columns), True)
    array = Array(whole, whole.version)
    # as wide as the elements, so that as many are compared at a time
    narrow = np.dtype(np.int32) if kind.itemsize <= 4 and length < 2**31 else INDEX
    best, where = room.made(kind, (columns,)), room.made(narrow, (columns,))
    found = room.made(dtype, shape)
    flat = Memory(found.pointer, dtype, (rows, columns), False)
    better = RULES["gt" if search.largest else "lt"]

    def each(outer: Place, numbers: list) -> list:
        def begin(place: Place, numbers: list) -> list:
            put(text, best, element(text, array, [outer[0], "0", place[0]]), place)
            put(text, where, literal(0, narrow), place)
            return []

        def compare(row: str, numbers: list) -> list:
            index = plus(text, row, "1")

            def visit(place: Place, numbers: list) -> list:
                new = element(text, array, [outer[0], index, place[0]])
                old, before = (element(text, Array(m, m.version), place) for m in (best, where))
                is_better = better(text, new, old)
                if kind.kind == "f":
                    lost = RULES["bitwise_and"](text, RULES["ne"](text, new, new), RULES["eq"](text, old, old))
                    is_better = RULES["bitwise_or"](text, is_better, lost)
                here = convert(text, Number(INDEX, (index,)), narrow)
                put(text, best, select(text, is_better, new, old), place)
                put(text, where, select(text, is_better, here, before), place)
                return []

            return over(text, (columns,), [], visit)

        def finish(place: Place, numbers: list) -> list:
            number = convert(text, element(text, Array(where, where.version), place), dtype)
            put(text, flat, number, [outer[0], place[0]])
            return []

        over(text, (columns,), [], begin)
        if length > 1:
            counted(text, length - 1, [], compare)
        over(text, (columns,), [], finish)
        return []

    over(text, (rows,), [], each)
    return found.change()


def first_of(text: Text, search: Search, at: Callable[[str], Number], dtype: np.dtype) -> Number:
    """The same in one row: what the extreme element is, then which block it is in, then where it is there."""
    kind, worst = ("max", least) if search.largest else ("min", largest)
    first = literal(worst(dtype), dtype)
    if suits(kind, dtype, search.length):
        best = extreme(text, kind, first, [search.length], [None], lambda place: at(place[0]), is_exact=False)
    else:
        join = lambda place, numbers: [RULES[kind](text, numbers[0], at(place[0]))]  # noqa: E731
        (best,) = over(text, [search.length], [first], join)

    def hits(k: str) -> Number:
        number = at(k)
        hit = RULES["eq"](text, number, best)
        if dtype.kind == "f":
            hit = RULES["bitwise_or"](text, hit, RULES["ne"](text, number, number))
        return hit

    blocks = search.length // _BLOCK
    head, following, scan, body, done = (text.label() for _ in range(5))
    entry = "0"
    text.do(f"br label %{head if blocks else scan}")
    if blocks:
        block = text.phis([literal(0, INDEX)])
        block.begin(head)
        first_in_block = times(text, block.numbers[0].name, _BLOCK)

        def look(place: Place, numbers: list[Number]) -> list[Number]:
            return [RULES["bitwise_or"](text, numbers[0], hits(plus(text, first_in_block, place[0])))]

        (any_hit,) = over(text, [_BLOCK], [FALSE], look)
        before = text.block
        text.do(f"br i1 {any_hit.name}, label %{scan}, label %{following}")
        text.begin(following)
        more = text.new(f"add nuw nsw i64 {block.numbers[0].name}, 1")
        block.close([Number(INDEX, (more,))])
        text.do(f"br i1 {text.new(f'icmp ult i64 {more}, {blocks}')}, label %{head}, label %{scan}")
        text.begin(scan)
        entry = text.new(f"phi i64 [{first_in_block}, %{before}], [{blocks * _BLOCK}, %{following}]")
    else:
        text.begin(scan)
    index = text.phis([Number(INDEX, (entry,))])
    text.do(f"br label %{body}")
    index.begin(body)
    here = index.numbers[0].name
    last = text.new(f"icmp uge i64 {here}, {search.length - 1}")
    found = text.new(f"or i1 {hits(here).name}, {last}")
    index.close([Number(INDEX, (text.new(f"add nuw nsw i64 {here}, 1"),))])
    text.do(f"br i1 {found}, label %{done}, label %{body}")
    text.begin(done)
    return Number(INDEX, (here,))


def least(dtype: np.dtype) -> object:
    """No number of a type is smaller."""
    _require_ordered(dtype)
    return {"f": -np.inf, "b": False}.get(dtype.kind) if dtype.kind in "fb" else np.iinfo(dtype).min


def largest(dtype: np.dtype) -> object:
    """No number of a type is larger."""
    _require_ordered(dtype)
    return {"f": np.inf, "b": True}.get(dtype.kind) if dtype.kind in "fb" else np.iinfo(dtype).max


def _require_ordered(dtype: np.dtype) -> None:
    if dtype.kind not in "biuf":
        raise Unsuitable(f"the smallest or largest of numbers of type {dtype}")


__all__ = ["extreme", "first_of", "first_places", "largest", "least", "suits"]
