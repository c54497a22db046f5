"""Loops: kept as loops by running the body to a fixpoint, peeled or unrolled where that cannot be.

The state at the head of a loop is generalised (`domain.join`) until one more iteration adds nothing. Its holes are what
the loop carries. The generalised state is remembered by place, so that the next visit of an inner loop starts from it:
the number of passes grows with the depth of a nest, never with its power.

A loop is executed with the first of `STRATEGIES` that works for it; what one fails with says which may help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from xlapy.dispatch.host_evaluation import part_of
from xlapy.dispatch.iterators import iteration, sequences
from xlapy.dispatch.protocol import Refused
from xlapy.domain.heap import Slot
from xlapy.domain.join import Aliased, JoinFailure
from xlapy.domain.ownership import SHARED, OwnedObjectChanged
from xlapy.domain.values import (
    NONE,
    Const,
    JaxArray,
    Mapping,
    NdArray,
    Ref,
    Scalar,
    Text,
    Tuple,
    Value,
    alternatives,
    as_ref,
    references,
)
from xlapy.frontend import Code, For, If, Loop, Node, Seq
from xlapy.interpreter import generator_stepping, generators, merge, walk, widening
from xlapy.interpreter.describe import named, unjoined
from xlapy.interpreter.frame import Frame, Tag, place_of, static_tag
from xlapy.interpreter.loop_fixpoint import SHORT, LoopFixpoint, Restart
from xlapy.interpreter.loop_nodes import exit_labels, header_of, sole_exit, step_of
from xlapy.interpreter.specialise import entry_parameters

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine
    from xlapy.ir import Location, TensorType, Var

_MAXIMUM_UNROLL = 20_000
#: iterations of an unrolled loop that may have been left before
_MAXIMUM_CONDITIONAL = 300
#: conditions of an unrolled loop that are worked out beforehand
_MAXIMUM_ASKED = 16
#: how often a loop is unrolled in search of a way around an obstacle
_RETRY_UNROLL = 200
#: iterations of a loop that is unrolled since it had to be in other calls of its function
_FEW_ITERATIONS = 16
#: operations that a short loop may come to when it is unrolled since a list grows in it
_MAXIMUM_SIZE = 600


class _Unending(Exception):
    """Unrolling does not end, or is not possible."""


class _TooLarge(_Unending):
    """Unrolling comes to many operations, where there may be another way."""


def run_loop(machine: Machine, node: Loop) -> None:
    """Execute a loop with the first strategy that works, and remember which."""
    step = step_of(node)
    key = (id(node), machine.frame.path, machine.frame.unrolled)
    iterator = walk.iterator_of(machine, step) if step is not None else NONE
    if step is not None and generator_stepping.is_generator(machine, iterator) and key not in machine.loop_modes:
        if generators.runs_whole(machine, node, as_ref(iterator)):
            if _whole_generator(machine, node, step, as_ref(iterator)):
                return
            machine.loop_modes[key] = LOOP.name
    Search(machine, node, key).run()


@dataclass(frozen=True, eq=False)
class Strategy:
    """A way to execute a loop."""

    name: str
    #: executes it, or raises one of `_FAILURES`
    run: Callable[[Search], None]
    #: whether it may help where the strategies before it have failed
    applies: Callable[[Search], bool] = lambda search: True


class Search:
    """The search for a strategy with which a loop can be executed."""

    def __init__(self, machine: Machine, node: Loop, key: tuple) -> None:
        self.machine, self.node, self.key = machine, node, key
        self.before, self.obstacles = machine.save(), len(machine.blockers)
        #: the first failure that says why
        self.failure: Exception | None = None
        #: whether objects that may be one were the reason; whether the last failure may have been one of the first
        #: iterations only; and whether numbers that decide whether the loop goes on shall be known to unroll it
        self.aliased = self.settling = self.asks = False
        self.todo = self._order()

    def _order(self) -> list[Strategy]:
        """The strategies to try, in order, from the one on that worked when the loop was last met."""
        machine, node, key = self.machine, self.node, self.key
        known = machine.loop_modes.get(key)
        if known is None:
            unrolls = _prefers_unrolling(machine, node) or _unrolls_elsewhere(machine, node, key)
            if not unrolls and place_of(key) in machine.large_places:
                machine.kept_loops.add(key)
                return [*_WITH_GROWABLE_LISTS, UNROLL]
            known = UNROLL.name if unrolls else LOOP.name
        elif known == UNROLL.name and _was_short(machine, node):
            known = LOOP.name
        first = next(index for index, strategy in enumerate(STRATEGIES) if strategy.name == known)
        return [s for s in STRATEGIES[first:] if s is not UNROLL or not _is_recursion(machine, node)]

    def run(self) -> None:
        """Execute the loop.

        Raises:
            Refused: no strategy works.
        """
        machine = self.machine
        while self.todo:
            strategy = self.todo.pop(0)
            if not strategy.applies(self):
                continue
            inside = len(machine.loop_modes)
            try:
                strategy.run(self)
            except _FAILURES as error:
                if isinstance(error, widening.Asked) and error.loop != self.key:
                    raise
                self._failed(strategy, error, inside)
                continue
            except (walk.Poison, Refused):
                strategy = self._way_around(strategy)
                if strategy is None:
                    raise
            if len(machine.blockers) > self.obstacles:
                strategy = self._way_around(strategy) or strategy
            machine.loop_modes[self.key] = strategy.name
            machine.loop_places[self.key] = _header(machine, self.node)
            return
        assert self.failure is not None
        if self.aliased and _is_recursion(machine, self.node):
            self.failure = OwnedObjectChanged(SHARED)
        raise _refusal(machine, self.failure)

    def _rewind(self) -> None:
        self.machine.rewind(self.before)
        del self.machine.blockers[self.obstacles :]

    def _failed(self, strategy: Strategy, error: Exception, inside: int) -> None:
        """Go back to before the loop, and choose what to try next; `inside` strategies of loops were known before."""
        modes = self.machine.loop_modes
        if self.failure is None or isinstance(self.failure, _Unending):
            self.failure = error
        self.aliased = self.aliased or isinstance(error, Aliased)
        self.settling = strategy is PEEL and _settles(error)
        self._rewind()
        if strategy is LOOP:
            # a loop inside may have needed a first iteration of its own only since this one had none
            for inner in list(modes)[inside:]:
                if modes[inner] == PEEL.name:
                    del modes[inner]
        if strategy is UNROLL:
            self._keep_instead(large=isinstance(error, _TooLarge))
        self.asks = self.asks or _are_texts(error)
        may_settle = PEEL_TWICE in self.todo and _settles(error)
        changes = _changes_shape(error) or _changes_keys(error)
        if changes and not may_settle and UNION in self.todo and UNROLL in self.todo:
            self.asks = True
            order = [UNROLL]
            if RESIZED in self.todo and _shrinks_slowly(error):
                order = [RESIZED, PEEL_RESIZED, UNROLL]
            self.todo = [*order, *(strategy for strategy in self.todo if strategy not in order)]

    def _keep_instead(self, large: bool) -> None:
        """A loop that cannot be unrolled, or comes to too many operations, may be kept after all."""
        machine = self.machine
        if _may_be_kept(machine, self.node, self.key):
            self.todo = [*_WITH_GROWABLE_LISTS, *([UNROLL] if large else [])]
        if large:
            machine.large_places.add(place_of(self.key))
        machine.kept_loops.add(self.key)

    def _way_around(self, strategy: Strategy) -> Strategy | None:
        """A strategy with which a loop that met an obstacle meets none; its effects are then in place. The first
        iteration may be a case of its own; a short loop may be unrolled, or kept where it was unrolled."""
        machine, before = self.machine, self.before
        obstacles, after = machine.blockers[self.obstacles :], machine.save()
        operations = machine.builder.region.operations[before.operations :]
        for other in self._others(strategy):
            self._rewind()
            try:
                other.run(self)
            except widening.Asked as error:
                if error.loop != self.key:
                    raise
                continue
            except (*_FAILURES, walk.Poison, Refused):
                continue
            if len(machine.blockers) == self.obstacles:
                return other
            if other is KEEP:
                machine.kept_loops.discard(self.key)
        machine.rewind(before)
        machine.restore(after)
        machine.builder.region.operations.extend(operations)
        machine.blockers[self.obstacles :] = obstacles
        return None

    def _others(self, strategy: Strategy) -> list[Strategy]:
        """What to try where a strategy met obstacles."""
        machine, step = self.machine, step_of(self.node)
        if strategy is UNROLL:
            return [KEEP] if _may_be_kept(machine, self.node, self.key) else []
        others = [PEEL] if strategy is LOOP else []
        length = iteration.known_length(machine, self.before.registers[step.iterator]) if step is not None else None
        retried = not _is_recursion(machine, self.node) and (length is None or length <= _RETRY_UNROLL)
        return [*others, RETRY] if retried else others


def _header(machine: Machine, node: Loop) -> Location:
    """The place of the head of a loop."""
    here, span = machine.frame.location(), header_of(node)
    if span is None:
        return here
    return here._replace(line=span.line, end_line=span.end_line, column=span.col, end_column=span.end_col)


def _was_short(machine: Machine, node: Loop) -> bool:
    """Whether a loop that was to be unrolled makes a number of iterations that is no longer known: it was in the first
    round of a loop around it."""
    step = step_of(node)
    plan = iteration.plan(machine, machine.frame.registers[step.iterator]) if step is not None else None
    if plan is None or not isinstance(plan.iterations, Scalar):
        return False
    return _remaining(machine, node) is None and not _may_be_had(machine, plan.iterations.var)


def _may_be_had(machine: Machine, var: Var) -> bool:
    """Whether a value is computed from numbers among the inputs alone, or from nothing but constants."""
    return machine.specialisable(var) or entry_parameters(var, machine.entry) == []


def _is_recursion(machine: Machine, node: Loop) -> bool:
    """Whether a loop is that of a function which calls itself: it has an iteration for each call and each return."""
    program = machine.frame.program
    if program.code not in machine.facts.recursions or machine.frame.peeled or not isinstance(program.body, Seq):
        return False
    return any(item is node for item in program.body.items)


def _changes_shape(failure: Exception) -> bool:
    """Whether a loop carries an array whose shape or dtype changes from iteration to iteration: it is unrolled, if it
    can be."""
    types = _array_types(failure)
    return types is not None and types[0] != types[1]


def _changes_keys(failure: Exception) -> bool:
    """Whether a loop carries a dict that each iteration makes anew, with longer texts or tuples for keys."""
    values = (failure.first, failure.second) if isinstance(failure, JoinFailure) else ()
    keys = [[*dict.keys(v.entries)] for v in values if isinstance(v, Mapping)]
    if len(keys) < 2 or not (keys[0] and keys[1]) or not {*keys[0]}.isdisjoint(keys[1]):
        return False
    return all(isinstance(key, str | tuple) for found in keys for key in found)


def _shrinks_slowly(failure: Exception) -> bool:
    """Whether a loop carries an array that gets shorter, and does so in many iterations before nothing is left."""
    types = _array_types(failure)
    if types is None or len(types[0].shape) != len(types[1].shape):
        return False
    return any(0 < (m - n) * SHORT < m for m, n in zip(types[0].shape, types[1].shape, strict=True))


def _are_texts(failure: Exception) -> bool:
    """Whether a loop carries a text that is another one in each iteration."""
    values = (failure.first, failure.second) if isinstance(failure, JoinFailure) else (NONE,)
    return all(isinstance(v, Text) or isinstance(v, Const) and isinstance(v.value, str) for v in values)


def _settles(failure: Exception) -> bool:
    """Whether a loop carries an array whose dtype or class changes, not its shape: perhaps in its first iterations
    only."""
    types = _array_types(failure)
    return types is not None and types[0].shape == types[1].shape


def _array_types(failure: Exception) -> tuple[TensorType, TensorType] | None:
    """The types of two arrays that a loop carries in the same place and cannot."""
    if not isinstance(failure, JoinFailure):
        return None
    first, second = failure.first, failure.second
    if not isinstance(first, NdArray | JaxArray) or not isinstance(second, NdArray | JaxArray):
        return None
    one, two = (v.type if isinstance(v, NdArray) else v.var.type for v in (first, second))
    return one, two


def _whole_generator(machine: Machine, node: Loop, step: For, generator: Ref) -> bool:
    """Run a generator as a whole, in step with the loop; False if the loop's body advances it, too."""
    before, obstacles = machine.save(), len(machine.blockers)
    try:
        generators.loop(machine, node, step, generator)
    except generator_stepping.Interleaved:
        machine.rewind(before)
        del machine.blockers[obstacles:]
        return False
    return True


def refusal_of_change(owned: OwnedObjectChanged) -> Refused:
    """The refusal of a change to an item of a list that grew in a loop, or to what calls of a function by itself have
    copies of."""
    if owned.loop == SHARED:
        return Refused(
            "XP0008",
            "a function that calls itself as often as data says goes on with an object that it has made, and to which"
            " others refer, too, and that object is changed",
            "make a copy for the call, or keep the values in an array made before it",
        )
    return Refused(
        "XP0007",
        "an object is changed that was put into a list which grows in a loop, or kept by functools.lru_cache: what is"
        " there is a copy of it, which would not change with it",
        "change it before it is put there, put a copy there, or keep the values in arrays",
    )


def _refusal(machine: Machine, failure: Exception) -> Refused:
    if isinstance(failure, OwnedObjectChanged):
        return refusal_of_change(failure)
    if isinstance(failure, JoinFailure):
        hint = "give the value one type and shape before the loop"
        if _is_object(failure.first) and _is_object(failure.second):
            hint = "where one object is stored and a new one takes its name, store a copy (`out.append(current[:])`)"
        if any(isinstance(v, Tuple) for v in (failure.first, failure.second)):
            hint = "collect values in a list: it may grow in a loop (`out.append(value)`)"
        what = named(machine, failure.place) or "what it changes"
        return Refused("XP0007", f"a loop gives {what} values that {unjoined(machine, failure)}", hint)
    return Refused("XP0009", f"the loop cannot be kept and cannot be unrolled: {failure}")


def _is_object(value: Value) -> bool:
    """Whether a value is one of the program's containers or objects, or one of several."""
    return all(isinstance(v, Ref) for v in alternatives(value))


def _unrolls_elsewhere(machine: Machine, node: Loop, key: tuple) -> bool:
    """Whether a short loop had to be unrolled in another iteration of a loop around it, less deep in a recursion, or in
    several other calls of its function."""
    if not machine.unrolled_places:
        return False
    most = _RETRY_UNROLL if place_of(key) in machine.unrolled_places else _FEW_ITERATIONS
    if most == _FEW_ITERATIONS and key[0] not in machine.unrolled_nodes:
        return False
    length = _remaining(machine, node)
    return length is not None and length <= most


def _prefers_unrolling(machine: Machine, node: Loop) -> bool:
    step = step_of(node)
    if step is None:
        return False
    iterator = machine.frame.registers[step.iterator]
    plan = iteration.plan(machine, iterator)
    if plan is not None:
        # One iteration is no loop: no number has to be as wide as one that a second iteration would make.
        return isinstance(plan.iterations, Const) and plan.iterations.value == 1
    return sequences.is_iterator(machine, iterator)


def _unroll(machine: Machine, node: Loop, most: int = _MAXIMUM_UNROLL, asks: bool = False) -> None:
    """Run the body again and again while control certainly comes back to the head; `asks` says that numbers which
    decide whether it does shall be known at compile time."""
    frame = machine.frame
    outer = frame.unrolled
    _ask_for_iterations(machine, node)
    try:
        _iterations(machine, node, outer, most, asks)
    finally:
        frame.unrolled = outer


def _iterations(machine: Machine, node: Loop, outer: tuple[int, ...], most: int, asks: bool) -> None:
    """The iterations of an unrolled loop. Once it depends on data whether there is a next one, each runs under a
    condition."""
    frame = machine.frame
    obstacles, count = len(machine.blockers), 0
    frame.tag = None
    private: set[int] = set()
    conditional = 0
    key = (id(node), frame.path, outer)
    may_be_kept = _may_be_kept(machine, node, key)
    operations = machine.builder.region.operations
    size, start = 0, len(operations)
    while True:
        if may_be_kept:
            size += sum(operation.size() for operation in operations[start:])
            start = len(operations)
            if size > _MAXIMUM_SIZE:
                raise _TooLarge("it comes to too many operations")
        if count > most or most < _MAXIMUM_UNROLL and len(machine.blockers) > obstacles:
            raise _Unending("it makes too many trips")
        frame.unrolled = (*outer, count)
        tag = frame.tag
        if tag is None or tag.label == node.label:
            frame.tag = None
            walk.run(machine, node.body)
        else:
            _conditional_iteration(machine, node, tag, private)
        assert frame.tag is not None
        if node.label not in frame.tag.labels:
            return
        if len(frame.tag.labels) > 1:
            conditional += 1
            if asks and conditional <= _MAXIMUM_ASKED and _may_be_asked(machine, frame.tag.selector):
                what = "the condition of a loop that has to be unrolled"
                frame.tag = static_tag(machine.static(Scalar(int, frame.tag.selector), what))
                if frame.tag.label != node.label:
                    return
                count += 1
                continue
            if conditional > _MAXIMUM_CONDITIONAL or _remaining(machine, node) is None:
                raise _Unending("its number of trips depends on data")
            found = _private_iterators(machine, node, frame.tag.labels - {node.label})
            if found is None:
                raise _Unending("its number of trips depends on data")
            private = found
        count += 1


def _may_be_asked(machine: Machine, var: Var) -> bool:
    """Whether a value can be known: one of numbers among the inputs, or one that can be worked out beforehand, where
    that is not asked for in each iteration of another loop."""
    once = all(len(frame.unrolled) <= (frame is machine.frame) for frame in machine.frames)
    return machine.specialisable(var) or once and part_of(var, machine.entry) is not None


def _ask_for_iterations(machine: Machine, node: Loop) -> None:
    """Ask for the number of iterations at compile time, where it can be had."""
    step = step_of(node)
    plan = iteration.plan(machine, machine.frame.registers[step.iterator]) if step is not None else None
    if plan is not None and isinstance(plan.iterations, Scalar) and _may_be_had(machine, plan.iterations.var):
        machine.static(plan.iterations, "the number of trips of a loop that has to be unrolled")


def _may_be_kept(machine: Machine, node: Loop, key: tuple) -> bool:
    """Whether a loop that is unrolled since it is short, or since what it iterates over is, may be kept after all: not
    if a value that changes in it has to be known."""
    if key in machine.kept_loops or place_of(key) in machine.unrolled_places:
        return False
    step = step_of(node)
    if key in machine.loops_with_lists or step is None:
        return key in machine.loops_with_lists
    iterator = machine.frame.registers[step.iterator]
    short = iteration.plan_of_short(machine, iterator)
    return short is not None and iteration.plan(machine, iterator) is None


def _remaining(machine: Machine, node: Loop) -> int | None:
    """How many iterations are left, if that is known."""
    step = step_of(node)
    return iteration.known_length(machine, machine.frame.registers[step.iterator]) if step is not None else None


def _conditional_iteration(machine: Machine, node: Loop, tag: Tag, private: set[int]) -> None:
    """An iteration that happens only if control came back to the head. Where it did not, the iterator is dead, so that
    it may as well have advanced: its position stays known."""
    frame = machine.frame
    here = machine.builder.constant(node.label, merge.TAG_TYPE.dtype)
    again = machine.builder.elementwise("eq", tag.selector, here)
    others = tag.labels - {node.label}
    advanced: dict[Slot, Value] = {}

    def one_iteration() -> None:
        before = machine.heap.slots.copy()
        frame.tag = None
        walk.run(machine, node.body)
        for slot, value in machine.heap.slots.items():
            if slot[0] in private and before.get(slot) is not value:
                advanced[slot] = value

    def leave() -> None:
        machine.heap.slots.update(advanced)
        frame.tag = Tag(others, tag.var if len(others) > 1 else None)

    merge.node_branch(machine, again, one_iteration, leave)


def _private_iterators(machine: Machine, node: Loop, exits: Iterable[int]) -> set[int] | None:
    """The loop's iterator and those it draws from, if nobody else refers to any of them, nor goes on with them where
    the loop is left to one of `exits`, as a generator does that is advanced step by step."""
    step = step_of(node)
    iterator = machine.frame.registers[step.iterator] if step is not None else None
    if not isinstance(iterator, Ref):
        return None
    heap = machine.heap
    mine: set[int] = set()
    todo = [iterator.object]
    while todo:
        number = todo.pop()
        if number not in mine and heap.objects[number].kind == "iterator":
            mine.add(number)
            contents = [v for (n, _), v in heap.slots.items() if n == number]
            contents += merge.detail_values(heap.objects[number].details)
            todo += [n for v in contents for n in references(v)]
    frame = machine.frame
    others = values_but_of(machine, mine)
    others += [frame.registers[r] for label in exits for r in merge.live_at(frame, label, frame.program.live)]
    return None if any(n in mine for v in others for n in references(v)) else mine


def values_but_of(machine: Machine, mine: set[int]) -> list[Value]:
    """The values of all variables, and of all objects but these."""
    slots = machine.heap.slots
    # what a running generator has in its slots is in its frame's registers
    running = {n for (n, name), v in slots.items() if name == "state" and v is generator_stepping.RUNNING}
    found = [v for frame in machine.frames for v in _named(frame)]
    return found + [v for (n, _), v in slots.items() if n not in mine and n not in running]


def _named(frame: Frame) -> list[Value]:
    """Values of a frame's variables; an argument without a name, of a comprehension, is its own loop's iterator."""
    names = frame.program.register_names
    return [v for v, name in zip(frame.registers, names, strict=False) if name is not None and not name.startswith(".")]


def _peel(machine: Machine, node: Loop, times: int = 1, shrinking: bool = False) -> None:
    """One iteration or several as straight code, then the loop if control comes back: in the arm in which there is a
    first iteration, so that what is true after an iteration is true in the loop."""
    frame = machine.frame
    outer = frame.unrolled

    def proceed() -> None:
        if times > 1:
            _peel(machine, node, times - 1)
        else:
            _staged(machine, node, shrinking=shrinking)

    def go_on() -> None:
        tag = frame.tag
        assert tag is not None
        before, frame.unrolled = frame.unrolled, outer
        try:
            if node.label not in tag.labels:
                return
            if len(tag.labels) == 1:
                proceed()
                return
            label = machine.builder.constant(node.label, merge.TAG_TYPE.dtype)
            again = machine.builder.elementwise("eq", tag.selector, label)
            others = tag.labels - {node.label}
            merge.node_branch(
                machine,
                again,
                proceed,
                lambda: setattr(frame, "tag", Tag(others, tag.var if len(others) > 1 else None)),
            )
        finally:
            frame.unrolled = before

    frame.unrolled = (*outer, -times)
    frame.tag = None
    try:
        walk.run(machine, _entering(node, go_on))
    finally:
        frame.unrolled = outer


def _entered(machine: Machine, node: Loop) -> None:
    """A loop that makes an iteration in any case, where there is one; else what comes after it."""
    step = step_of(node)
    plan = iteration.plan(machine, machine.frame.registers[step.iterator]) if step is not None else None
    if step is None or plan is None or isinstance(plan.iterations, Const):
        raise _Unending
    zero = machine.builder.constant(0, np.dtype(np.int64))
    some = machine.builder.elementwise("lt", zero, machine.scalar_var(plan.iterations, int))

    def none() -> None:
        plan.finish(Const(0), True)
        walk.run(machine, step.exhausted)

    merge.node_branch(machine, some, lambda: _staged(machine, node, entered=True), none)


def _shared(machine: Machine, node: Loop) -> None:
    """A loop in which one name may stand for containers and objects that have others, too."""
    heap = machine.heap
    outer, heap.sharing = heap.sharing, True
    try:
        _peel(machine, node)
    finally:
        heap.sharing = outer


def _entering(node: Loop, go_on: Callable[[], None]) -> Node | walk.After:
    """The body of a loop, after which `go_on` is called: where its iterator leads into it, if it has one, and behind
    the tests with which it may leave the loop first."""
    step = step_of(node)
    if step is not None:
        return replace(step, body=_behind_tests(step.body, node.label, go_on))
    return _behind_tests(node.body, node.label, go_on)


def _behind_tests(node: Node, head: int, go_on: Callable[[], None]) -> Node | walk.After:
    items = node.items if isinstance(node, Seq) else (node,)
    branch = items[-1] if items else node
    if isinstance(branch, If) and all(isinstance(item, Code) for item in items[:-1]):
        leaves = [sole_exit(arm) not in (None, head) for arm in (branch.then, branch.orelse)]
        if sum(leaves) == 1:
            inside = "orelse" if leaves[0] else "then"
            entering = replace(branch, **{inside: _behind_tests(getattr(branch, inside), head, go_on)})
            return Seq((*items[:-1], entering))
    return walk.After(node, go_on)


def _staged(machine: Machine, node: Loop, unions: bool = False, shrinking: bool = False, entered: bool = False) -> None:
    """Run the body to a fixpoint and emit `for` or `while`."""
    before = machine.save()
    try:
        LoopFixpoint(machine, node, unions, shrinking=shrinking, entered=entered).run()
    except Restart:
        machine.rewind(before)
        LoopFixpoint(machine, node, unions, planned=False, shrinking=shrinking).run()


def _kept(machine: Machine, node: Loop) -> None:
    """Keep a short loop that is unrolled by itself."""
    key = (id(node), machine.frame.path, machine.frame.unrolled)
    machine.kept_loops.add(key)
    try:
        _staged(machine, node)
    except BaseException:
        machine.kept_loops.discard(key)
        raise


_FAILURES = (JoinFailure, _Unending, OwnedObjectChanged)

#: a loop whose body is executed to a fixpoint
LOOP = Strategy("loop", lambda search: _staged(search.machine, search.node))
#: a loop behind the question whether there is a first iteration, where objects of the caller's get others in
#: their place
ENTERED = Strategy(
    "entered",
    lambda search: _entered(search.machine, search.node),
    lambda search: search.failure is None or search.aliased and not search.machine.heap.facts.hands_over,
)
#: an iteration, and then a loop: `best = None`, which is an array afterwards
PEEL = Strategy("peel", lambda search: _peel(search.machine, search.node))
#: two iterations, and then a loop
PEEL_TWICE = Strategy(
    "peel twice",
    lambda search: _peel(search.machine, search.node, 2),
    lambda search: search.failure is None or search.settling,
)
#: a loop in which arrays may become shorter (where they become longer, `LOOP` knows)
RESIZED = Strategy("resized", lambda search: _staged(search.machine, search.node, shrinking=True))
PEEL_RESIZED = Strategy(
    "peel resized",
    lambda search: _peel(search.machine, search.node, shrinking=True),
    lambda search: search.aliased,
)
#: a loop whose values may change their kind
UNION = Strategy("union", lambda search: _staged(search.machine, search.node, unions=True))
#: an iteration and a loop in which containers and objects that may be one are taken for copies of each other until one
#: is written: `best = model` on some iterations
SHARED_NAMES = Strategy(
    "shared",
    lambda search: _shared(search.machine, search.node),
    lambda search: search.failure is None or search.aliased and not search.machine.heap.facts.shares,
)
#: one iteration after the other, while it is known whether there is another
UNROLL = Strategy("unroll", lambda search: _unroll(search.machine, search.node, asks=search.asks))
#: a loop that asks its iterator at each iteration whether there is one
STEPPED = Strategy(
    "stepped", lambda search: LoopFixpoint(search.machine, search.node, unions=False, planned=False).run()
)
STRATEGIES = (LOOP, ENTERED, PEEL, PEEL_TWICE, RESIZED, PEEL_RESIZED, UNION, SHARED_NAMES, UNROLL, STEPPED)
#: what is tried with a loop that is too large to be unrolled, so that a list in it is an array with room
_WITH_GROWABLE_LISTS = (LOOP, PEEL, RESIZED, UNION, STEPPED)
#: around an obstacle: a short loop is unrolled until there is another one, or kept
RETRY = Strategy("unroll", lambda search: _unroll(search.machine, search.node, _RETRY_UNROLL))
KEEP = Strategy("loop", lambda search: _kept(search.machine, search.node))

__all__ = ["refusal_of_change", "exit_labels", "run_loop", "step_of", "values_but_of"]
