"""Finds the sizes that vary from call to call, and the room that they get (`domain.rooms`): lengths of arrays, and
integers that a program has to know, such as `n` in `x[:n]`."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from typing import Any

import numpy as np

from xlapy.domain.growable_lists import Overfull
from xlapy.domain.rooms import Room, Span, capacity, least_length
from xlapy.domain.sources import Source, attribute, item
from xlapy.interpreter.analyse import Analysis
from xlapy.interpreter.output_reconstruction import External, View
from xlapy.runtime.codegen import locate
from xlapy.runtime.guards import READING_ERRORS

#: sizes that get a program each before there is one for all
_SIZES = 2
#: seconds that a program for one size may take to make, sizes that get one later on, and those whose time is kept
_WORTH, _OTHERS, _REMEMBERED = 0.25, 16, 10_000
#: exceptions that some sizes meet and others do not
_OF_SIZES = IndexError, ValueError, ZeroDivisionError, Overfull
#: the shapes of arrays, and integers, by source
_Sizes = dict[Source, tuple[int, ...] | int]
Rooms = dict[Source, Room | Span]


def rooms(
    analyses: Sequence[Analysis], numbers: Set[Source], named: dict[str, object], shortest: int = 1
) -> Iterator[Rooms]:
    """The room for each size that varies, in earlier programs and in a call: first for arrays and integers, then for
    arrays alone. Nothing where too few sizes were met, or something else than sizes differs.

    Args:
        analyses: those programs, the newest first.
        numbers: where the integers are that a program may know.
        named: the arguments of the call by name.
        shortest: the least length of a dimension that varies.
    """
    known = [sizes for analysis in analyses if (sizes := _sizes(analysis, numbers))]
    if len(known) < _SIZES:
        return
    dtypes = {p.source: p.var.type.dtype for analysis in analyses for p in analysis.parameters if p.array}
    now = _sizes_now(known[0], dtypes, named)
    if now is None:
        return
    met = [now, *(sizes for sizes in known if _kinds(sizes) == _kinds(now))]
    met = [sizes for sizes in met if not _is_short(sizes, met, shortest)]
    if now not in met:
        return
    if len({tuple(sizes.values()) for sizes in met}) <= _SIZES:
        return
    arrays = _of_arrays(met)
    spans = _of_numbers(met)
    if spans:
        yield arrays | spans
    if arrays:
        yield arrays


def has_arrays(found: Rooms) -> bool:
    """Whether it is the sizes of arrays that vary, and not numbers alone."""
    return any(isinstance(room, Room) for room in found.values())


def _is_short(sizes: _Sizes, met: Sequence[_Sizes], shortest: int) -> bool:
    """Whether a dimension is shorter that varies."""
    for source, shape in sizes.items():
        if not isinstance(shape, int):
            shapes: list[Any] = [other[source] for other in met]
            if any(min(others) < max(others) and n < shortest for n, *others in zip(shape, *shapes, strict=True)):
                return True
    return False


def widens(analysis: Analysis, others: Sequence[Analysis]) -> bool:
    """Whether numbers may get other types in a program for all sizes than in those for one size: where a loop has too
    few iterations for what makes them wider."""
    return not analysis.widening <= frozenset().union(*(other.widening for other in others if not lengths(other)))


def serves_all(analysis: Analysis, others: Sequence[Analysis]) -> bool:
    """Whether a program for all sizes may raise what those for one size may, and handle what they handle: rules for
    dynamic lengths do not look at wrong arguments as closely. A size may add what `_OF_SIZES` says."""
    others = [other for other in others if not lengths(other) and not any(0 in s for s in _shapes(other).values())]
    if any(a.raises is not None for a in (analysis, *others)):
        return False
    found = {e.cls for e in analysis.errors}
    wanted = {e.cls for other in others for e in other.errors}
    if not analysis.caught_for_certain <= frozenset().union(*(other.caught for other in others)):
        return False
    if not all(other.caught <= analysis.caught and _handed_out(other) <= _handed_out(analysis) for other in others):
        return False
    return wanted <= found and all(issubclass(cls, _OF_SIZES) for cls in found - wanted)


def _handed_out(analysis: Analysis) -> set[Source]:
    """Which of the caller's objects a program may return or put somewhere: one for known sizes knows which array it is,
    where one for all sizes may have made a copy that is one of several."""
    found: set[Source] = set()
    left: list[Any] = [analysis.result, *(effect.reconstruction for effect in analysis.effects)]
    while left:
        part = left.pop()
        if isinstance(part, External | View):
            found.add(part.source)
        elif isinstance(part, dict):
            left += part.values()
        elif isinstance(part, tuple | list):
            left += part
        elif type(part).__module__ == External.__module__:
            left += [getattr(part, f.name) for f in dataclasses.fields(part)]
    return found


def lengths(analysis: Analysis) -> set[Source]:
    """Where the sizes are that a program takes as inputs."""
    found = {where for g in analysis.guards if g.kind == "fits" for where in g.value[1].lengths if where is not None}
    return found | {g.source for g in analysis.guards if g.kind == "within"}


class Metered:
    """A program for many sizes, which adds up how long it runs for each of them.

    A program for one size is faster, and takes a while to make: that is done when as much time has gone by without it
    (the rule of the ski rental, at most twice the best that one could have done).

    Args:
        run: the program, of its operands.
        places: which operands are sizes.
        otherwise: the exception that asks for another program.
    """

    def __init__(self, run: Callable, places: Sequence[int], otherwise: type[Exception]) -> None:
        self.run, self.places, self.otherwise = run, places, otherwise
        self.spent: dict[tuple, float] = {}
        self.others = 0

    def __call__(self, *operands: Any) -> Any:
        """The results of the program."""
        sizes = tuple([operands[k] for k in self.places])
        spent = self.spent.get(sizes)
        if spent is not None and spent > _WORTH and self.others < _OTHERS:
            self.others += 1
            self.spent[sizes] = 0.0
            raise self.otherwise
        start = time.perf_counter()
        found = self.run(*operands)
        if len(self.spent) > _REMEMBERED:
            self.spent.clear()
        # the first run of a size may have compiled something
        self.spent[sizes] = 0.0 if spent is None else spent + time.perf_counter() - start
        return found


def _of_arrays(met: Sequence[_Sizes]) -> Rooms:
    places: dict[tuple[int, ...], Source] = {}
    found: Rooms = {}
    for source, now in met[0].items():
        if isinstance(now, int):
            continue
        shapes: list[Any] = [sizes[source] for sizes in met]
        columns = list(zip(*shapes, strict=True))
        varies = [len(set(column)) > 1 for column in columns]
        for k, column in enumerate(columns):
            if varies[k]:
                places.setdefault(column, item(attribute(source, "shape"), k))
        if any(varies) and 0 not in now:
            shape = [capacity(n) if v else n for n, v in zip(now, varies, strict=True)]
            wheres = [places[c] if v else None for c, v in zip(columns, varies, strict=True)]
            least = [
                least_length({*column} - {0}) if v else n for n, v, column in zip(now, varies, columns, strict=True)
            ]
            found[source] = Room(tuple(shape), tuple(wheres), tuple(least))
    return found


def _of_numbers(met: Sequence[_Sizes]) -> Rooms:
    found: Rooms = {}
    for source, now in met[0].items():
        values: list[Any] = [sizes[source] for sizes in met]
        if isinstance(now, int) and len(set(values)) > 1:
            most = capacity(abs(now))
            found[source] = Span(0 if min(values) >= 0 else -most, most)
    return found


def _shapes(analysis: Analysis) -> dict[Source, tuple[int, ...]]:
    return {p.source: p.var.type.shape for p in analysis.parameters if p.array}


def _sizes(analysis: Analysis, numbers: Set[Source]) -> _Sizes:
    """The sizes that a program is for; none of one for all sizes."""
    if lengths(analysis):
        return {}
    known = [g for g in analysis.guards if g.kind == "equal" and g.source in numbers and type(g.value) is int]
    return _shapes(analysis) | {g.source: g.value for g in known}


def _sizes_now(known: Collection[Source], dtypes: dict, named: dict[str, object]) -> _Sizes | None:
    """The sizes of the same arrays and integers in a call; None where they are something else."""
    found: _Sizes = {}
    for source in known:
        try:
            size: Any = locate(source, named)
        except READING_ERRORS:
            return None
        if source in dtypes:
            if type(size) is not np.ndarray or size.dtype != dtypes[source] or not size.flags.c_contiguous:
                return None
            size = size.shape
        elif type(size) is not int:
            return None
        found[source] = size
    return found


def _kinds(sizes: _Sizes) -> dict[Source, int | None]:
    return {source: None if isinstance(size, int) else len(size) for source, size in sizes.items()}


__all__ = ["Metered", "Rooms", "has_arrays", "lengths", "rooms", "serves_all", "widens"]
