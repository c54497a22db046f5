"""The loops of a program: what an iteration carries to the next one, and which of them several threads make."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from xlapy.ir import Operation, Region, TensorType, Var, captured, constant_value
from xlapy.lowering.llvm.bounds_checks import Bounds
from xlapy.lowering.llvm.bufferisation import Array
from xlapy.lowering.llvm.dependence import are_apart, sums_of
from xlapy.lowering.llvm.early_exits import Exit, kept_but_at_errors
from xlapy.lowering.llvm.independent_iterations import Carried, Iterations, made_by_several
from xlapy.lowering.llvm.lazy_arrays import OWN, SOME, Value, element, is_computed_in_place, is_view, reads, shape_of
from xlapy.lowering.llvm.parallel_outlining import is_worth
from xlapy.lowering.llvm.scalar_instructions import RULES, convert
from xlapy.lowering.llvm.text import BLOCK, GRID, HOST, INDEX, Number, Text, Unsuitable, literal, type_of
from xlapy.lowering.llvm.thread_pool import processors
from xlapy.lowering.llvm.value_storage import Frame, uses_in
from xlapy.lowering.thresholds import (
    ELEMENTS_SWAPPED,
    ITERATIONS_SHARED,
    ITERATIONS_SHARED_IN_BLOCK,
    OPERATIONS_SWAPPED,
)

#: a number of iterations that is not known in fact, if they may be as many
_MANY = 1 << 31


class Nest(NamedTuple):
    """Loops that are all there is in each other, in a loop: the outermost one first.

    Attributes:
        loops: they.
        region: what they do in each iteration.
        count: how many iterations they make in all.
    """

    loops: list[Operation]
    region: Region
    count: int


class Loops(Frame, ABC):
    """Writes loops; what is in them is left to who writes the function.

    Attributes:
        bounds: what is known of indices.
        exits: where the function is left at an error.
        is_left: whether it is left at an error here: then what was checked is as it should be.
        iteration: the iteration of the loop that may be shared out, where one is being written.
        folds: additions and the like to what a loop carries, which nothing else looks at: may be made in any order.
        tag: the tag that the loop gives which threads of a grid share out, if nobody wants anything else behind an
            error in it.
        of_threads: results of that loop of which each thread has its own, and whether these are parts of a sum.
    """

    def __init__(
        self, region: Region, may_have_rooms: bool, exits: Mapping[Operation, Exit] | None, text: Text
    ) -> None:
        super().__init__(region, may_have_rooms, text)
        self.bounds = Bounds()
        self.exits: Mapping[Operation, Exit] = exits or {}
        self.is_left = exits is not None
        self.iteration: str | None = None
        self.folds: set[Operation] = set()
        self.tag: Var | None = None
        self.of_threads: dict[Var, bool] = {}
        #: the loop that is all there is, but for numbers before it
        self.only_loop = _only_loop(region)
        #: whether a loop carries an array in other memory than it was in before
        self._is_moved = False

    @abstractmethod
    def region(self, region: Region) -> list[Value]:
        """Write a region; its results."""

    @abstractmethod
    def left_behind(self, loop: Operation, results: Sequence[Value]) -> Sequence[Value]:
        """Leave the function if an error was raised in a loop; if not, its tag is zero."""

    def for_loop(self, loop: Operation, initial: list[Value]) -> list[Value]:
        """Code of a loop with a trip count; the values that it carries, at its end."""
        (body,) = loop.regions
        index, *params = body.params
        text, dtype = self.text, index.type.dtype
        is_apart = not text.is_shared and self._is_many(loop) and are_apart(loop, self.bounds, self._is_left_in)
        sums = sums_of(loop) if is_apart and self._may_have_parts(loop) else frozenset()
        iterations = convert(text, self.number(loop.operands[0]), INDEX)
        self.bounds.note(index, loop.operands[0])
        initial = self._begun(loop, initial)
        is_apart = is_apart and (not text.for_gpu or self._may_be_grid(loop, initial))
        is_grid = is_apart and text.threads == GRID
        kept = self._kept_by_threads(loop, sums) if is_grid else frozenset()
        if is_grid and (nest := self._nest(loop)).loops:
            return self._nested(loop, nest, iterations, initial, sums, kept)

        def written(first: str, end: str, initial: list[Value], expected: float) -> Carried:
            start, stop = (convert(text, Number(INDEX, (x,)), dtype) for x in (first, end))

            def more(numbers: list[Number]) -> str:
                self.values[index] = numbers[0]
                return text.new(f"icmp slt {type_of(dtype)} {numbers[0].name}, {stop.name}")

            def iteration(numbers: list[Number]) -> list[Value]:
                self.iteration = convert(text, numbers[0], INDEX).name if is_apart else self.iteration
                following = Number(dtype, (text.new(f"add nuw nsw {type_of(dtype)} {numbers[0].name}, 1"),))
                return [following, *self.region(body)]

            carried, is_left = [start, *initial], self._is_left_in(loop)
            if _swaps(body):
                carried = self._in_pairs(loop, carried, more, iteration, expected)
                expected = 1
            return self._loop([index, *params], carried, more, iteration, expected, is_left)

        if not is_apart:
            return _but_first(written("0", iterations.name, initial, self._iterations(loop))).behind()

        def part(first: str, end: str, initial: list[Value], expected: float) -> Carried:
            rooms, self._is_moved = len(self.rooms_outside), False
            made = _but_first(written(first, end, initial, expected))
            if loop in self.exits:
                self.iteration = first  # of all parts with an error the first one tells of it
                found = list(self.left_behind(loop, made.behind()))
                made = Carried(found, found, found)
            return made._replace(in_place=not self._is_moved and rooms == len(self.rooms_outside))

        found = made_by_several(text, self, Iterations(iterations, self._iterations(loop), initial, part, sums, kept))
        self.iteration = None
        return found

    def _nest(self, loop: Operation) -> Nest:
        """The loops in a loop whose iterations are apart that are all there is in the one around them, and whose
        iterations are apart, too."""
        before, inner, count = list[Operation](), loop, 1
        loops: list[Operation] = []
        while (body := inner.regions[0]).operations:
            *numbers, last = body.operations
            if not _is_nested(body, numbers, last) or not are_apart(last, self.bounds, self._is_left_in):
                break
            self.bounds.note(last.regions[0].params[0], last.operands[0])
            count *= known_iterations(last)
            before += numbers
            loops.append(last)
            inner = last
        whole = Region((), inner.regions[0].depth)
        whole.operations, whole.results = [*before, *inner.regions[0].operations], inner.regions[0].results
        return Nest(loops, whole, count)

    def _nested(
        self,
        loop: Operation,
        nest: Nest,
        iterations: Number,
        initial: list[Value],
        sums: frozenset[int],
        kept: frozenset[int],
    ) -> list[Value]:
        """The iterations of loops that are all there is in each other, shared out as those of one loop."""
        text, around = self.text, [loop, *nest.loops]
        text.nested = nest.count
        total = RULES["mul"](text, iterations, literal(nest.count, INDEX))
        params = nest.loops[-1].regions[0].params[1:]
        indices = [(each.regions[0].params[0], known_iterations(each)) for each in around[1:]]

        def iteration(numbers: list[Number]) -> list[Value]:
            rest = numbers[0]
            for index, count in reversed(indices):
                many = literal(count, INDEX)
                self.values[index] = convert(text, RULES["rem"](text, rest, many), index.type.dtype)
                rest = RULES["div"](text, rest, many)
            index = loop.regions[0].params[0]
            self.values[index] = convert(text, rest, index.type.dtype)
            return [Number(INDEX, (text.new(f"add nuw nsw i64 {numbers[0].name}, 1"),)), *self.region(nest.region)]

        def written(first: str, end: str, initial: list[Value], expected: float) -> Carried:
            carried: list[Value] = [Number(INDEX, (first,)), *initial]
            more = lambda numbers: text.new(f"icmp slt i64 {numbers[0].name}, {end}")  # noqa: E731
            place = Var(TensorType((), INDEX))
            rooms, self._is_moved = len(self.rooms_outside), False
            made = _but_first(self._loop([place, *params], carried, more, iteration, expected, False))
            return made._replace(in_place=not self._is_moved and rooms == len(self.rooms_outside))

        expected = self._iterations(loop) * nest.count
        return made_by_several(text, self, Iterations(total, expected, initial, written, sums, kept))

    def _in_pairs(
        self, loop: Operation, initial: list[Value], more: Callable, iteration: Callable, expected: float
    ) -> list[Value]:
        """Two iterations at a time of a loop that swaps arrays, behind which each is where it was before, and is not
        copied; what the last iteration begins with, if there is one more."""
        body, uses = loop.regions[0], self.uses.copy()

        def two_more(numbers: list[Number]) -> str:
            following = RULES["add"](self.text, numbers[0], literal(1, numbers[0].dtype))
            return more([following])

        def twice(numbers: list[Number]) -> list[Value]:
            self.values[body.params[0]] = numbers[0]
            following, *values = iteration(numbers)
            assert isinstance(following, Number)
            self.uses = uses.copy()
            self.values.update(zip(body.params, [following, *values], strict=True))
            return iteration([following])

        found = self._loop(body.params, initial, two_more, twice, expected / 2, self._is_left_in(loop)).behind()
        self.uses = uses.copy()
        return found

    def _is_many(self, loop: Operation) -> bool:
        """Whether a loop makes so many iterations that several threads get about as many each."""
        known = constant_value(loop.operands[0])
        least = {HOST: ITERATIONS_SHARED * processors(), BLOCK: ITERATIONS_SHARED_IN_BLOCK}.get(self.text.threads, 2)
        return known is None or int(known) >= least

    def _may_be_grid(self, loop: Operation, initial: list[Value]) -> bool:
        """Whether the threads of a GPU may share out a loop: those of a grid if it is all that changes memory, and that
        memory is the caller's."""
        changed = [x.memory for x in initial if isinstance(x, Array)]
        if self.text.threads != GRID:
            return self.text.threads == BLOCK
        return loop is self.only_loop and not self.text.loops and all(memory in self.copies for memory in changed)

    def _kept_by_threads(self, loop: Operation, sums: frozenset[int]) -> frozenset[int]:
        """What each thread of a grid finds out by itself about errors, besides its parts of sums: the loop gives what
        all of them found, in their order."""
        place = next((k for k, v in enumerate(loop.results) if v is self.tag), None)
        kept = frozenset() if place is None else kept_but_at_errors(loop, place)
        self.of_threads |= {loop.results[k]: k in sums for k in kept | sums}
        return kept

    def _may_have_parts(self, loop: Operation) -> bool:
        """Whether the sums of a loop may be made in parts, as is worth it for one that may take long."""
        if self.text.for_gpu:
            return self.text.threads == GRID
        if constant_value(loop.operands[0]) is None:
            return not self.text.loops
        return is_worth(self._work(loop))

    def _iterations(self, loop: Operation) -> int:
        """How many iterations a loop makes, about."""
        if loop.kind == "while":
            return SOME
        known = constant_value(loop.operands[0])
        if known is not None:
            return max(int(known), 1)
        most = self.bounds.most(loop.operands[0])
        return max(most // 2, 1) if most < _MANY else SOME

    def _work(self, operation: Operation) -> int:
        """How many instructions an operation takes, about."""
        if operation.kind in ("for", "while"):
            return self._iterations(operation) * sum(map(self._work, operation.regions[-1].operations))
        inner = [sum(map(self._work, region.operations)) for region in operation.regions]
        return max([*(prod(v.type.shape) for v in operation.results), *inner], default=0)

    def _is_left_in(self, loop: Operation) -> bool:
        """Whether the function is left at an error in an iteration of a loop."""
        return self.is_left and loop not in self.exits

    def while_loop(self, loop: Operation, initial: list[Value]) -> list[Value]:
        """Code of a loop with a condition; the values that it carries, at its end."""
        condition, body = loop.regions

        def more(numbers: list[Number]) -> str:
            self.values.update((v, self.values[p]) for v, p in zip(condition.params, body.params, strict=True))
            (predicate,) = self.region(condition)
            if not isinstance(predicate, Number):
                raise Unsuitable("a condition that is an array")
            return predicate.name

        initial = self._begun(loop, initial)
        is_left, iteration = self._is_left_in(loop), lambda numbers: self.region(body)
        return self._loop(body.params, initial, more, iteration, SOME, is_left).behind()

    def _begun(self, loop: Operation, initial: list[Value]) -> list[Value]:
        """What a loop carries, as it begins: arrays in memory of its own."""
        self.text.has_loops = True
        self.folds |= _folds(loop.regions[-1])
        for var in (v for region in loop.regions for v in captured(region)):
            value = self.values.get(var)
            if value is not None and not is_view(value):
                self.values[var] = self.kept(value)
        initial = self.apart(list(map(self.changeable, initial)))
        self.settle([x.memory for x in initial if isinstance(x, Array)])
        return initial

    def _loop(
        self,
        params: Sequence[Var],
        initial: list[Value],
        more: Callable,
        iteration: Callable,
        expected: float,
        is_left: bool,
    ) -> Carried:
        """A loop that carries some values; `more` says whether there is another iteration, and `iteration` makes one,
        of which so many are expected, and at an error in which the function is left or not."""
        text = self.text
        owned = [x.memory for x in initial if isinstance(x, Array)]
        phis = text.phis([x for x in initial if isinstance(x, Number)])
        head, body, end = text.label(), text.label(), text.label()
        text.do(f"br label %{head}")
        phis.begin(head)
        # What captured an array before it is carried does not see it changed.
        carried: list[Value] = [x.now().change() if isinstance(x, Array) else x for x in initial]
        numbers = iter(phis.numbers)
        carried = [next(numbers) if isinstance(x, Number) else x for x in carried]
        self.values.update(zip(params, carried, strict=True))
        self.around, text.loops = self.around + 1, text.loops + 1
        often, text.often = text.often, text.often * expected
        before, self.is_left = self.is_left, is_left
        # Not yet the loop's own: the condition may compute with what is carried, and changes nothing.
        text.do(f"br i1 {more(phis.numbers)}, label %{body}, label %{end}")
        text.begin(body)
        outside = dict(self.values)
        for place in owned:
            place.depth = self.text.loops
        found = iteration(phis.numbers)
        self.is_once = expected == 1
        found = self._carried_on(carried, found)
        self.is_once = False
        self.around, text.loops = self.around - 1, text.loops - 1
        text.often = often
        self.is_left = before
        for place in owned:
            place.depth = self.text.loops
        self.values = outside
        phis.close([x for x in found if isinstance(x, Number)])
        text.do(f"br label %{head}")
        text.begin(end)
        return Carried(initial, carried, found)

    def _carried_on(self, carried: list[Value], found: list[Value]) -> list[Value]:
        """What the next iteration gets, in the memories that it looks for it in."""
        moved = {}
        for k, (old, new) in enumerate(zip(carried, found, strict=True)):
            if isinstance(old, Array):
                if isinstance(new, Array) and new.now() is old.memory:
                    continue
                others = [x for j, x in enumerate(carried) if j != k]
                later = [x for j, x in enumerate(found) if j != k]
                if isinstance(new, Array):
                    is_apart = all(new.memory not in reads(x) for x in carried)
                else:
                    is_apart = is_computed_in_place(new, old.memory, OWN) and old.memory not in reads(*later)
                    is_apart = is_apart and reads(new).isdisjoint(reads(*others))
                moved[k] = new if is_apart else self.kept(new)
            elif not isinstance(new, Number):
                found[k] = element(self.text, new, ("0",) * len(shape_of(new)))
        rooms = self.text.rooms
        self._is_moved |= any(
            isinstance(x, Array) and x.memory.pointer not in rooms for x in map(carried.__getitem__, moved)
        )
        for k, new in moved.items():
            old = carried[k]
            assert isinstance(old, Array)
            self.fill(old.memory, new)
            found[k] = old.memory.change()
        return found


def _but_first(carried: Carried) -> Carried:
    """What a loop carries but for its index."""
    initial, head, found, in_place = carried
    return Carried(initial[1:], head[1:], found[1:], in_place)


def known_iterations(loop: Operation) -> int:
    """How many iterations a loop makes, 0 if that is not known."""
    known = constant_value(loop.operands[0])
    return 0 if known is None else max(int(known), 0)


def _is_nested(body: Region, before: Sequence[Operation], loop: Operation) -> bool:
    """Whether a loop with a known number of iterations is all there is in another one's body, but for numbers that do
    not depend on what is carried."""
    carried = body.params[1:]
    if loop.kind != "for" or known_iterations(loop) < 2:
        return False
    if list(loop.operands[1:]) != carried or body.results != loop.results:
        return False
    if any(o.regions or any(v.type.shape for v in o.results) for o in before):
        return False
    used = {*captured(loop.regions[0]), *(v for o in before for v in o.operands)}
    return used.isdisjoint(carried)


def _only_loop(region: Region) -> Operation | None:
    """The last operation of a region, if those before it compute single numbers."""
    *before, last = region.operations or [None]
    is_number = all(not o.regions and all(not v.type.shape for v in o.results) for o in before if o is not None)
    return last if is_number and last is not None and last.kind == "for" else None


def _swaps(body: Region) -> bool:
    """Whether an array that a loop carries is another one in the next iteration, which is long enough for that to
    matter."""
    params = set(body.params[1:])
    pairs = zip(body.params[1:], body.results, strict=True)
    swapped = [y for x, y in pairs if y in params and y is not x and prod(y.type.shape) >= ELEMENTS_SWAPPED]
    return bool(swapped) and body.size() <= OPERATIONS_SWAPPED


def _folds(body: Region) -> set[Operation]:
    """Where an iteration adds to a float that it carries (or multiplies it), which nothing else in the iteration looks
    at."""
    uses = uses_in(body)
    found = set()
    params = body.params[len(body.params) - len(body.results) :]
    for param, result in zip(params, body.results, strict=True):
        last = result.owner
        if not isinstance(last, Operation) or last not in body.operations or uses[param] != 1 or uses[result] != 1:
            continue
        if isinstance(param.type.dtype, np.dtype) and param.type.dtype.kind == "f" and param.type.shape == ():
            if (
                last.kind in ("add", "mul")
                and param in last.operands
                or last.kind == "sub"
                and last.operands[0] is param
            ):
                found.add(last)
    return found


__all__ = ["Loops"]
