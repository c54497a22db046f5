"""Loops of a program whose iterations are apart (`dependence`) are made by several threads, if they take long
(`parallel_outlining`).

The numbers that such a loop carries have to stay as they are; but it may add to some. Each of these sums is made in
parts, each of as many iterations however many threads there are, which are added in their order then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

from xlapy.lowering.llvm.bufferisation import Array, put
from xlapy.lowering.llvm.gpu_threads import first_thread, on_grid
from xlapy.lowering.llvm.lazy_arrays import Extent, Place, Room, Value, counted, dtype_of, element, ranged
from xlapy.lowering.llvm.parallel_outlining import shared_out
from xlapy.lowering.llvm.scalar_instructions import RULES, select
from xlapy.lowering.llvm.text import BLOCK, GRID, INDEX, THREAD, Number, Text, known_int, literal, plus
from xlapy.lowering.thresholds import (
    ELEMENTS_JOINED_IN_BLOCK,
    ELEMENTS_JOINED_IN_PARTS,
    ITERATIONS_OF_PART,
    PARTS_OF_SUM,
)

#: what nothing is changed by when it is added
_NOTHING = {"f": -0.0, "i": 0, "u": 0}


class Carried(NamedTuple):
    """What a loop begins with, what it carries at its head, what behind an iteration, and whether the arrays among that
    stay where they are."""

    initial: list[Value]
    head: list[Value]
    found: list[Value]
    in_place: bool = True

    def behind(self) -> list[Value]:
        """What it gives."""
        rows = zip(self.initial, self.head, self.found, strict=True)
        return [new if isinstance(new, Array) else first if new == old else old for first, old, new in rows]


class Iterations(NamedTuple):
    """A loop whose iterations are apart.

    Attributes:
        count: how many it makes.
        expected: about how many that are.
        initial: what it carries at first.
        written: writes the iterations from one up to another, from what they carry at first; so many are expected.
        sums: the numbers, by place, to which iterations only add.
        kept: the numbers, by place, that stay as they are unless there is an error, of which the first one counts.
    """

    count: Number
    expected: int
    initial: list[Value]
    written: Callable[[str, str, list[Value], float], Carried]
    sums: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()


def made_by_several(text: Text, room: Room, iterations: Iterations) -> list[Value]:
    """What a loop gives, whose iterations several threads make if that is worth it; parts of sums are in `room`."""
    if text.threads == GRID:
        return _on_grid(text, iterations)
    if iterations.sums:
        return _summed_up(text, room, iterations)
    found: list[Value] = []

    def part(first: str, end: str) -> bool:
        expected = 1 if text.threads == BLOCK else iterations.expected
        made = iterations.written(first, end, iterations.initial, expected)
        found[:] = made.behind()
        return made.in_place and _stay(iterations.initial, found)

    is_shared = shared_out(text, iterations.count.name, part, iterations.expected)
    return _with_numbers(found, iterations.initial) if is_shared else found


def _on_grid(text: Text, iterations: Iterations) -> list[Value]:
    """What a loop gives in one of the threads of a GPU's grid: its parts of sums, and the errors that it found."""
    before, found = list(iterations.initial), list[Value]()
    own = {k for k in iterations.sums | iterations.kept if isinstance(before[k], Number)}
    for k in own & iterations.sums:
        first, nothing = element(text, before[k], ()), literal(_NOTHING[dtype_of(before[k]).kind], dtype_of(before[k]))
        before[k] = select(text, first_thread(text), first, nothing)

    def part(first: str, end: str) -> bool:
        made = iterations.written(first, end, before, iterations.expected)
        found[:] = made.behind()
        others = [k for k in range(len(before)) if k not in own]
        return made.in_place and _stay([before[k] for k in others], [found[k] for k in others])

    on_grid(text, iterations.count.name, part)
    return [x if k in own else y for k, (x, y) in enumerate(zip(found, _with_numbers(found, before), strict=True))]


def _stay(before: list[Value], behind: list[Value]) -> bool:
    """Whether numbers are what they were."""
    return all(x == y for x, y in zip(before, behind, strict=True) if not isinstance(y, Array))


def _with_numbers(values: list[Value], numbers: list[Value]) -> list[Value]:
    """Values, of which numbers are others."""
    return [x if isinstance(x, Array) else y for x, y in zip(values, numbers, strict=True)]


def _summed_up(text: Text, room: Room, iterations: Iterations) -> list[Value]:
    known, initial = known_int(iterations.count), iterations.initial
    if known is None:
        size = RULES["max"](
            text,
            _quotient(text, iterations.count, str(PARTS_OF_SUM)),
            literal(ITERATIONS_OF_PART, INDEX),
        ).name
        parts, expected = _quotient(text, iterations.count, size).name, ITERATIONS_OF_PART
    else:
        size = str(max(-(-known // PARTS_OF_SUM), 1))
        parts, expected = str(max(-(-known // int(size)), 1)), int(size)
    numbers = {k: x for k, x in enumerate(initial) if k in iterations.sums and isinstance(x, Number)}
    sums = {k: room.made(x.dtype, (PARTS_OF_SUM,)) for k, x in numbers.items()}
    others = [k for k, x in enumerate(initial) if k not in sums and isinstance(x, Number)]
    found: list[Value] = []
    stay: list[bool] = []

    def part(k: str, numbers: list[Number]) -> list[Number]:
        begin = RULES["mul"](text, Number(INDEX, (k,)), Number(INDEX, (size,))).name
        end = RULES["min"](text, Number(INDEX, (plus(text, begin, size),)), iterations.count).name
        carried = dict(zip(others, numbers, strict=True))
        carried.update((k, literal(_NOTHING[x.dtype.kind], x.dtype)) for k, x in sums.items())
        before = [carried.get(k, x) for k, x in enumerate(initial)]
        made = iterations.written(begin, end, before, expected)
        found[:] = made.behind()
        for j, place in sums.items():
            put(text, place, element(text, found[j], ()), (k,))
        stay.append(made.in_place and all(found[k] in (before[k], initial[k]) for k in others))
        return [element(text, found[k], ()) for k in others]

    def several(first: str, end: str) -> bool:
        numbers = counted(text, PARTS_OF_SUM, [element(text, initial[k], ()) for k in others], part, 0, (first, end))
        for k, number in zip(others, numbers, strict=True):
            found[k] = number
        return all(stay)

    if shared_out(text, parts, several, PARTS_OF_SUM):
        found = _with_numbers(found, initial)
    arrays = [place.change() for place in sums.values()]

    def add(k: str, totals: list[Number]) -> list[Number]:
        return [RULES["add"](text, x, element(text, array, (k,))) for x, array in zip(totals, arrays, strict=True)]

    totals = ranged(text, Extent("0", parts), [element(text, initial[k], ()) for k in sums], add)
    for k, total in zip(sums, totals, strict=True):
        found[k] = total
    return found


def joined_in_parts(
    text: Text,
    room: Room,
    lengths: Sequence[int],
    first: Number,
    join: Callable[[Number, Number], Number],
    at: Callable[[Place], Number],
    in_rows: bool,
) -> Number | None:
    """What all elements of an array of some lengths are joined to, each part by itself, which several threads do if it
    is worth that; None if there are few.

    Args:
        first: what nothing is changed by when it is joined.
        join: writes what two numbers are joined to.
        at: writes what computes the element at a place.
        in_rows: whether the elements lie in rows, and may be counted along the last axis beyond its end.
    """
    long = [axis for axis, n in enumerate(lengths) if n > 1]
    least = ELEMENTS_JOINED_IN_BLOCK if text.threads == BLOCK else ELEMENTS_JOINED_IN_PARTS
    if prod(lengths) < least or text.threads in (THREAD, GRID):
        return None
    whole = in_rows or len(long) == 1
    axis = long[-1] if whole else next((k for k in long if lengths[k] >= PARTS_OF_SUM), None)
    if axis is None:
        return None
    extents = [(prod(lengths) if k == axis else 1) if whole else n for k, n in enumerate(lengths)]
    size = -(-extents[axis] // PARTS_OF_SUM)
    parts = -(-extents[axis] // size)
    place = room.made(first.dtype, (parts,))

    def part(k: str, numbers: list[Number]) -> list[Number]:
        begin = RULES["mul"](text, Number(INDEX, (k,)), literal(size, INDEX)).name
        end = RULES["min"](text, Number(INDEX, (plus(text, begin, str(size)),)), literal(extents[axis], INDEX)).name

        def along(depth: int, where: tuple[str, ...], numbers: list[Number]) -> list[Number]:
            if depth == len(extents):
                return [join(numbers[0], at(where))]

            def iteration(k: str, carried: list[Number]) -> list[Number]:
                return along(depth + 1, (*where, k), carried)

            if depth == axis:
                return counted(text, size, numbers, iteration, part=(begin, end))
            return counted(text, extents[depth], numbers, iteration)

        put(text, place, along(0, (), [first])[0], (k,))
        return []

    def several(begin: str, end: str) -> bool:
        counted(text, parts, [], part, 0, (begin, end))
        return True

    shared_out(text, str(parts), several, parts)
    array = place.change()
    total = counted(text, parts, [first], lambda k, numbers: [join(numbers[0], element(text, array, (k,)))])
    return total[0]


def _quotient(text: Text, count: Number, of: str) -> Number:
    """A number divided by another one, rounded up."""
    return Number(INDEX, (text.new(f"udiv i64 {plus(text, count.name, plus(text, of, '-1'))}, {of}"),))


__all__ = ["Carried", "Iterations", "joined_in_parts", "made_by_several"]
