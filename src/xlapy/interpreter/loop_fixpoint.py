"""A loop that stays a loop: its body is run until the state at its head covers the one at its end, then emitted (see
`loop_emission`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from xlapy.dispatch.arrays.memory_order import join_layouts
from xlapy.dispatch.iterators import iteration, sequences
from xlapy.domain import growable_lists
from xlapy.domain.coerce import instantiate
from xlapy.domain.facts import Facts
from xlapy.domain.heap import STATE, Slot
from xlapy.domain.join import Joiner, JoinFailure
from xlapy.domain.numbers import known_bounds
from xlapy.domain.ownership import Moves, Ownership
from xlapy.domain.values import (
    DEAD,
    NONE,
    STALE,
    UNBOUND,
    BoundedArray,
    Const,
    GrowableList,
    Ref,
    Scalar,
    Tuple,
    Union,
    Value,
    holes,
    references,
)
from xlapy.frontend import Loop, Node
from xlapy.interpreter import merge, walk, widening
from xlapy.interpreter.array_growth import Place, Resizing, Rough, is_rough, smooth
from xlapy.interpreter.carried_objects import Orders
from xlapy.interpreter.fixpoint_cache import cached_head, joined_with_cached
from xlapy.interpreter.list_growth import Growing
from xlapy.interpreter.loop_emission import LoopEmission
from xlapy.interpreter.loop_nodes import exit_labels, sole_exit, step_of, test_of
from xlapy.interpreter.shared_lengths import EqualLanes
from xlapy.ir import Region, TensorType, Var

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine, State

_INT64 = np.dtype(np.int64)
_INDEX = TensorType((), _INT64)
#: in the place of the object that a summary stands for at entry, where there is none
_NOTHING = -1
_MAXIMUM_ROUNDS = 40
#: rounds after which what is moved along a sequence is taken to have come to its end
_SLOW_ROUNDS = 4
#: iterations of a loop that is unrolled if a list grows in it
SHORT = 32
#: how many operations of the interpreter such loops may take when they are unrolled, and how many if the program meets
#: an obstacle otherwise: XLA takes some milliseconds for each operation
SHORT_STEPS, LONG_STEPS = 800, 8_000


class Restart(Exception):
    """The number of iterations cannot be known before: what the loop iterates over grows."""


@dataclass
class Head:
    """The generalised state at the head of a loop: skeletons with holes."""

    registers: dict[int, Value]
    slots: dict[Slot, Value] = field(default_factory=dict)
    handled: Value = DEAD
    #: objects whose state lies in a growable list, as in `Heap.owned`
    owned: dict[int | type, Ownership] = field(default_factory=dict)
    #: summaries of objects, each with the object it stands for at entry
    entries: dict[int, int] = field(default_factory=dict)

    def skeletons(self) -> list[Value]:
        """Everything that may have holes, in the order of the loop's operands."""
        return [*self.registers.values(), self.handled, *self.slots.values()]

    def covers(self, other: Head) -> bool:
        """Whether another head that was joined with this one says nothing new."""
        old, new = self.skeletons(), other.skeletons()
        if self.slots.keys() != other.slots.keys() or self.owned.keys() != other.owned.keys():
            return False
        same = len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True))
        return same and all(ownership.like(other.owned[n]) for n, ownership in self.owned.items())

    def places(self) -> list[tuple]:
        """What has these skeletons."""
        return [*((r,) for r in self.registers), ("handled",), *self.slots]


class LoopFixpoint:
    """The fixpoint of one loop: its body is interpreted until what it carries is of the types that it started with."""

    def __init__(
        self,
        machine: Machine,
        node: Loop,
        unions: bool,
        planned: bool = True,
        shrinking: bool = False,
        entered: bool = False,
    ) -> None:
        self.machine, self.node, self.unions, self.entered = machine, node, unions, entered
        self.frame = machine.frame
        self.key = (id(node), self.frame.path, self.frame.unrolled)
        self.step = step_of(node) if planned else None
        self.iterator = self.step.iterator if self.step is not None else 0
        self.plan = self._plan() if self.step else None
        if self.plan is None:
            self.step = None
        self.iterations = machine.scalar_var(self.plan.iterations, int) if self.plan is not None else None
        self.header, self.test = (None, None) if self.step is not None else test_of(node) or (None, None)
        #: the test of a rotated `while`, and whether its header has to run once more after the loop
        self.predicate: Var | None = None
        self.repeat_header = False
        live = self.frame.program.live
        self.exits = exit_labels(node.body) - {node.label}
        self.at_head = live[node.label]
        registers = set(self.at_head)
        for label in self.exits:
            registers |= merge.live_at(self.frame, label, live)
        registers.add(self.frame.exception_register)
        self.registers = sorted(registers)
        merge.forget_moves(machine, self.at_head)
        self.entry = machine.save()
        self.depth = machine.builder.region.depth + 1
        self.steps = self.rounds = 0
        self.grown: Growing | None = None
        self.resizing = Resizing(machine, self.key, self.plan.iterations if self.plan is not None else None, shrinking)
        self.resizing.prefers_unrolling = self._is_short
        #: places of arrays that change their size and are views at the end of an iteration, or one of several arrays
        self._rough: set[Place] = set()
        self.lanes = EqualLanes()
        self._orders = Orders()
        #: array objects at the head that may be others on each iteration, by identity
        self._named: set[int] = set()
        #: the heap at the head of the last iteration
        self.start: dict[Slot, Value] = {}
        self.entangled: set[int] = set()

    def _plan(self) -> sequences.Plan | None:
        """How to iterate; a loop that has been unrolled in vain stays one over short sequences, too."""
        machine, iterator = self.machine, self.frame.registers[self.iterator]
        if self.key in machine.kept_loops:
            return iteration.plan_of_short(machine, iterator)
        return iteration.plan(machine, iterator)

    def growing(self, number: int, grows: bool) -> Growing | None:
        """What makes growable lists of containers that grow, or of tables; None for a list that `grows` if the loop is
        short enough to be unrolled instead, and has not been in vain. A dict whose keys are not known would not be
        known then, either."""
        machine = self.machine
        if (grows or machine.facts.no_tables) and machine.heap.objects[number].kind == "list" and self._is_short():
            if not machine.facts.grows_lists_of_objects or not any(self._holds_objects(n) for n in self._sources()):
                return None
        if self.grown is None:
            iterations = self.plan.iterations if self.plan is not None else None
            self.grown = Growing(machine, self.key, iterations, self.entry.slots, self.resizing.checks)
        return self.grown

    def _holds_objects(self, number: int) -> bool:
        """Whether a list holds objects by value (see `dispatch.vectors.growable_list_items.of_objects`)."""
        contents = self.entry.slots.get((number, "<items>"))
        return isinstance(contents, GrowableList) and growable_lists.has_own(contents.element)

    def _is_short(self) -> bool:
        """Whether the loop is unrolled if something grows in it."""
        iterations, machine = self.plan.iterations if self.plan is not None else None, self.machine
        if not isinstance(iterations, Const) or iterations.value > SHORT or self.key in machine.kept_loops:
            return False
        steps = iterations.value * self.steps
        if steps <= (LONG_STEPS if machine.facts.unrolls_more else SHORT_STEPS):
            machine.loops_with_lists.add(self.key)
            return True
        if steps <= LONG_STEPS:
            machine.options |= Facts(unrolls_more=True)
        return False

    def run(self) -> None:
        """Interpret the loop to its fixpoint and emit it."""
        plan, step = self.plan, self.step
        if plan is not None and step is not None and isinstance(plan.iterations, Const) and plan.iterations.value <= 0:
            plan.finish(Const(0), True)
            walk.run(self.machine, step.exhausted)
            return
        head = self._initial()
        for self.rounds in range(_MAXIMUM_ROUNDS):
            try:
                body, out, fresh = self._round(head)
            except Rough as rough:
                self._smooth_entry(rough.place)
                head = self.at_entry_head()
                continue
            if out is None:
                self._once()
                return
            if fresh is head and self.resizing.left_out:
                if self.resizing.left_out <= self._rough:
                    raise JoinFailure(DEAD, DEAD, "are arrays of several sizes")
                self._rough |= self.resizing.left_out
                continue
            if fresh is head and LoopEmission(self).emit(head, body, out):
                return
            head = fresh
        raise JoinFailure(DEAD, DEAD, "do not settle")

    # -- rounds --

    def _initial(self) -> Head:
        head = self.at_entry_head()
        known = self.machine.loop_memory.get((self.key, self.unions))
        try:
            return head if known is None else joined_with_cached(self, head, known)
        except Rough:
            return self.at_entry_head()

    def at_entry_head(self) -> Head:
        """The state before the loop."""
        entry = self.entry
        registers = {r: entry.registers[r] if r in self.at_head else DEAD for r in self.registers}
        return Head(registers, handled=entry.handled, owned=entry.owned.copy())

    def remember(self, head: Head) -> None:
        """A loop that the interpreter meets again starts from the head found here."""
        self.machine.loop_memory[(self.key, self.unions)] = cached_head(self, head)
        self.resizing.remember()

    def new_joiner(self, entries: dict[int, int]) -> Joiner:
        """A joiner of the state at the head of the loop with that at the end of an iteration."""
        joiner = self.machine.joiner(self.depth, widen=True, unions=self.unions)
        joiner.absorbed = dict.fromkeys(entries)
        joiner.loop = self.key
        joiner.hastens = self.rounds >= _SLOW_ROUNDS
        joiner.named = self._named
        joiner.sizes = self.resizing
        joiner.iterates = self.iterates()
        return joiner

    def iterates(self) -> bool:
        """Whether there is a first iteration for certain."""
        iterations = self.plan.iterations if self.plan is not None else None
        return isinstance(iterations, Const) and iterations.value >= 1 or self.entered

    def entry_value(self, slot: Slot, entries: dict[int, int]) -> Value:
        """What a slot holds before the first iteration."""
        number = entries.get(slot[0], slot[0])
        if number == _NOTHING:
            return DEAD
        value = self.entry.slots.get((number, slot[1]))
        if value is None:
            value = self.machine.heap.entry_value(number, slot[1])
            if slot[0] == STATE and value is UNBOUND:
                return Tuple(()) if slot[1] == "<items>" else DEAD
        return self._orders.arranged(slot[0], value)

    def _comes_twice(self) -> bool:
        """Whether the loop has at least two iterations: then numbers have their last types behind it, too."""
        iterations = self.plan.iterations if self.plan is not None else None
        return iterations is not None and (known_bounds(iterations) or (0, 0))[0] > 1

    def _round(self, head: Head):
        """One pass over the body from a generalised head: its region, the state at its end, the next head."""
        machine, frame = self.machine, self.frame
        machine.restore(self.entry)
        types = tuple(hole.type for skeleton in head.skeletons() for hole in holes(skeleton))
        self.lanes.assume(head, self.at_entry(head))
        body = machine.builder.open_region((_INDEX, *types))
        machine.loop_bodies[id(body)] = self.key
        machine.loops_begun.append(id(self.node))
        self.enter(head, iter(body.params[1:]))
        found = [*(frame.registers[r] for r in head.registers), frame.handled, *map(machine.heap.slots.get, head.slots)]
        noted = widening.note(machine, self.key, self.at_entry(head), found)
        machine.widening[self.key] = bool(noted) and not self._comes_twice()
        mark = machine.heap.next_identity
        start, executed, self.entangled = machine.heap.slots.copy(), machine.executed, machine.heap.entangled.copy()
        self.start = start
        outer, machine.short_index = machine.short_index, None
        around = machine.short_indices
        if self.plan is not None and isinstance(self.plan.iterations, Const) and self._may_unroll():
            machine.short_index = body.params[0]
            machine.short_indices = {
                **around,
                machine.short_index: (self.plan.iterations.value, len(machine.loops_begun)),
            }
        try:
            with machine.region(body):
                if self.step is not None:
                    self._iteration(body.params[0])
                elif self.test is not None:
                    self._tested()
                else:
                    walk.run(machine, self.node.body)
        finally:
            machine.short_index, machine.short_indices = outer, around
            for var in noted:
                machine.widened.pop(var, None)
        if frame.tag is not None:
            frame.go(frame.tag.labels)
        self.steps = max(self.steps, machine.executed - executed)
        if self.plan is not None and self._advanced(start):
            raise Restart
        if frame.tag is None or self.node.label not in frame.tag.labels:
            return body, None, head
        out = machine.save()
        fresh = self._generalised(head, start, out, mark, body)
        if self.resizing.checks:
            machine.restore(out)
            with machine.region(body):
                self.resizing.check()
            out = machine.save()
            fresh = self._generalised(head, start, out, mark, body)
        return body, out, fresh

    def _generalised(self, head: Head, start: dict[Slot, Value], out: State, mark: int, body: Region) -> Head:
        """The next head; arrays that change their size and are views become copies of these at the end of the
        iteration."""
        resizing = self.resizing
        for place in self._rough:
            value = out.registers[place[0]] if len(place) == 1 else out.slots.get(place)
            if value is not None and is_rough(value):
                smooth(self.machine, place, out, body)
        for _ in range(_MAXIMUM_ROUNDS):
            resizing.checks.clear()
            resizing.left_out.clear()
            self.machine.restore(self.entry)
            try:
                fresh, self.joiner = self.generalise(head, start, out, mark)
            except Rough as rough:
                if rough.at_entry:
                    raise
                smooth(self.machine, rough.place, out, body)
                continue
            return fresh
        raise JoinFailure(DEAD, DEAD, "do not settle")

    def _smooth_entry(self, place: Place) -> None:
        """Copy what is a view in one place before the loop; where there is none, what becomes one in each iteration."""
        machine = self.machine
        value = self.entry.registers[place[0]] if len(place) == 1 else self.entry.slots.get(place)
        if value is None or not is_rough(value):
            if place in self._rough:
                raise JoinFailure(DEAD, DEAD, "are views of different arrays")
            self._rough.add(place)
            return
        smooth(machine, place, self.entry)
        machine.restore(self.entry)
        self.entry = machine.save()

    def at_entry(self, head: Head) -> list[Value]:
        """What stands in the places of the head before the loop."""
        entry = self.entry
        values = [entry.registers[r] if r in self.at_head else DEAD for r in head.registers]
        return [*values, entry.handled, *(self.entry_value(slot, head.entries) for slot in head.slots)]

    def _may_unroll(self) -> bool:
        """Whether the loop is so short that it is unrolled if its iterations use different things, and that is
        possible."""
        iterations = self.plan.iterations if self.plan is not None else None
        return isinstance(iterations, Const) and iterations.value <= SHORT and self.key not in self.machine.kept_loops

    def check_source(self, number: int) -> None:
        """A list that the loop iterates over must not change its length, if the number of iterations is to be known."""
        if self.plan is not None and number in self._sources():
            raise Restart

    def _advanced(self, start: dict[Slot, Value]) -> bool:
        """Whether the body has advanced the iterator of the loop, or one that this draws from."""
        heap = self.machine.heap
        mine = [n for n in self._sources() if heap.objects[n].kind in ("iterator", "generator")]
        slots = [(n, name) for n in mine for name in heap.objects[n].fields if (n, name) in start]
        return any(heap.slots[slot] is not start[slot] for slot in slots)

    def _sources(self) -> set[int]:
        """The objects that the loop iterates over, and iterators of them. The `owner` of one may change: what it had at
        first is the iterator's own."""
        heap, todo, seen = self.machine.heap, list(references(self.entry.registers[self.iterator])), set()
        while todo:
            number = todo.pop()
            if number not in seen and heap.objects[number].kind == "iterator":
                slots = [(number, name) for name in heap.objects[number].fields if name != "owner"]
                contents = [self.entry.slots[slot] for slot in slots if slot in self.entry.slots]
                contents += merge.detail_values(heap.objects[number].details)
                todo += [n for v in contents for n in references(v)]
            seen.add(number)
        return seen

    def enter(self, head: Head, fill: Iterator[Var]) -> None:
        """The state at the head of the loop, with the next values of `fill` in its holes."""
        machine, frame = self.machine, self.frame
        fill = iter(self.lanes.filled(list(fill)))
        for register, skeleton in head.registers.items():
            frame.registers[register] = instantiate(skeleton, fill)
        frame.handled = instantiate(head.handled, fill)
        frame.go(frozenset((self.node.label,)))
        machine.heap.owned = head.owned.copy()
        for slot, skeleton in head.slots.items():
            machine.heap.slots[slot] = instantiate(skeleton, fill)
        begin = {**{(r,): frame.registers[r] for r in head.registers}, **{s: machine.heap.slots[s] for s in head.slots}}
        self.resizing.begin = {place: v for place, v in begin.items() if isinstance(v, BoundedArray)}
        frame.tag = None

    def _iteration(self, index: Var) -> None:
        """The body of a planned loop, with the element at an index."""
        machine, plan, frame, node = self.machine, self.plan, self.frame, self.step
        assert plan is not None and node is not None
        iterations = plan.iterations
        most = int(iterations.value) if isinstance(iterations, Const) else (known_bounds(iterations) or (0, None))[1]
        bounds = (0, max(most - 1, 0)) if most is not None else (0, np.iinfo(np.int64).max)
        frame.span = node.span

        def draw() -> None:
            frame.registers[node.value] = plan.element(Scalar(int, index, bounds))

        walk.attempt(machine, node.handler, draw, lambda: walk.run(machine, node.body))

    def leaving(self) -> Node:
        """The arm of the test that leaves the loop."""
        assert self.test is not None
        label = sole_exit(self.test.then)
        return self.test.then if label is not None and label != self.node.label else self.test.orelse

    def run_header(self) -> bool | Var | None:
        """Run the header; whether the loop goes on. None if the header may raise, and so does more than test."""
        machine, frame = self.machine, self.frame
        if self.header is not None:
            walk._operations(machine, self.header, 0)
            if machine.pending or frame.tag is not None:
                machine.pending.clear()
                return None
        assert self.test is not None
        value = frame.registers[self.test.reg]
        if self.test.test == "none":
            found = machine.is_(value, NONE)
        else:
            found = machine.truth(value)
        if self.leaving() is self.test.then:
            return machine.builder.elementwise("bitwise_not", found) if isinstance(found, Var) else not found
        return found

    def _tested(self) -> None:
        """One iteration of a rotated `while`: the header, then the body under the assumption that the test holds."""
        machine, frame = self.machine, self.frame
        before = machine.save()
        test, poisoned = self.test, len(machine.blockers)
        assert test is not None
        goes = self.run_header()
        if goes is None or frame.registers[test.reg] is walk.POISON or len(machine.blockers) != poisoned:
            machine.rewind(before)
            self.header = self.test = None
            self.predicate = None
            walk.run(machine, self.node.body)
            return
        self.predicate = goes if isinstance(goes, Var) else None
        if goes is False:
            walk.run(machine, self.leaving())
            return
        changed = machine.heap.slots.keys() != before.slots.keys() or any(
            machine.heap.slots[k] is not v for k, v in before.slots.items()
        )
        live: set[int] = set()
        for label in exit_labels(self.leaving()):
            live |= merge.live_at(frame, label, frame.program.live)
        writes = {r for op in self.header.ops for r in op.dst} if self.header is not None else set()
        tells = self.predicate is not None and bool(machine.outcomes.compared(self.predicate))
        self.repeat_header = changed or tells or bool(writes & live)
        walk.narrow(machine, goes, True)
        walk.run(machine, test.orelse if self.leaving() is test.then else test.then)

    def generalise(self, head: Head, start: dict[Slot, Value], out: State, mark: int) -> tuple[Head, Joiner]:
        """The join of the head with the state at the end of the body; `head` itself if nothing is new."""
        heap = self.machine.heap
        arriving = self._arriving(head, out)
        pinned: set[int] = set()
        for _ in range(_MAXIMUM_ROUNDS + 1):
            joiner = self.new_joiner(head.entries)
            joiner.pinned, joiner.mark = pinned, mark
            joiner.states, joiner.owned_states = (self.entry.slots, out.slots), (self.entry.owned, out.owned)
            fresh = self._joined(head, start, arriving, out, mark, joiner)
            aliases = self._aliases(joiner, fresh.registers, fresh.slots)
            if not aliases - pinned:
                break
            pinned |= aliases
        else:
            raise JoinFailure(DEAD, DEAD, "do not settle")
        self._join_layouts(joiner)
        # what has become entangled at the end of the body was perhaps written at its beginning
        entangled = heap.entangled - self.entangled
        joiner.unsettled = joiner.unsettled or any(not heap.made_since(number, mark) for number in entangled)
        fresh.owned = self._owned(head, joiner, fresh.entries, out, mark)
        return head if head.covers(fresh) and not joiner.unsettled else fresh, joiner

    def _arriving(self, head: Head, out: State) -> dict[int, Value]:
        """What comes to the registers of the head from the end of the body, where somebody reads it."""
        assert out.tag is not None
        needed: set[int] = set()
        for label in out.tag.labels:
            needed |= merge.live_at(self.frame, label, self.frame.program.live)
        return {r: out.registers[r] if r in needed else DEAD for r in head.registers}

    def _joined(
        self,
        head: Head,
        start: dict[Slot, Value],
        arriving: dict[int, Value],
        out: State,
        mark: int,
        joiner: Joiner,
    ) -> Head:
        """The join of registers and slots, without what is owned."""
        heap = self.machine.heap
        registers, slots = dict(head.registers), dict(head.slots)
        changed: set[Slot] = set()
        # few of many
        written = [slot for slot, value in out.slots.items() if start.get(slot) is not value or slot in slots]
        self.machine.count_joins(len(out.slots), len(written))
        for slot in written:
            if not heap.made_since(slot[0], mark) and slot[0] not in head.entries:
                slots.setdefault(slot, self.entry_value(slot, {}))
                changed.add(slot)
        handled = joiner.join(head.handled, out.handled)
        # what refers to an object at the head gives it its name; then come the places that only get one
        try:
            for turn in range(3):
                for register, skeleton in head.registers.items():
                    if _turn(skeleton) == turn:
                        self.resizing.place = (register,)
                        registers[register] = joiner.join(skeleton, arriving[register])
                for slot in slots:
                    if slot in changed and _turn(old := slots[slot]) == turn:
                        changed.remove(slot)
                        slots[slot] = _join_slot(self, joiner, slot, old, out.slots[slot], {})
        except JoinFailure as failure:
            failure.place = self.resizing.place
            raise
        fresh = Head(registers, slots, handled, entries=dict(head.entries))
        self._summaries(head, joiner, fresh, out)
        self._require_older(fresh, mark)
        return fresh

    def _summaries(self, head: Head, joiner: Joiner, fresh: Head, out: State) -> None:
        """Join the contents of summarised objects: what they stand for at entry with what at the end of the body."""
        done: set[int] = set()
        while True:
            merged = {made: pair for pair, made in joiner.merged.items()}
            todo = [n for n in (*merged, *(n for n, o in joiner.absorbed.items() if o is not None)) if n not in done]
            if not todo:
                break
            for number in todo:
                done.add(number)
                if number in merged:
                    first, second = merged[number]
                    fresh.entries[number] = head.entries.get(first, first)
                else:
                    first, second = number, joiner.absorbed[number]
                    assert second is not None
                    if number in joiner.adopted:
                        fresh.entries[number] = _NOTHING
                self._summary(head, joiner, fresh, out, number, (first, second))
        for number in head.entries:
            if joiner.absorbed.get(number) is None:
                for slot in [s for s in head.slots if s[0] == number]:
                    fresh.slots[slot] = joiner.join(head.slots[slot], out.slots.get(slot) or DEAD)

    def _summary(self, head: Head, joiner: Joiner, fresh: Head, out: State, number: int, pair: tuple[int, int]) -> None:
        """Join the contents of one summary, which stands for a pair of objects."""
        heap, (first, second) = self.machine.heap, pair
        for name in sorted(heap.objects[first].fields | heap.objects[second].fields):
            slot = (number, name)
            new = out.slots.get((second, name))
            if new is None:
                new = heap.entry_value(second, name)
            old = head.slots.get(slot)
            if old is None:
                old = self.entry_value(slot, fresh.entries)
                if first in heap.handed_over.values() and self._orders.differ(number, old, new):
                    old = self.entry_value(slot, fresh.entries)
            fresh.slots[slot] = _join_slot(self, joiner, slot, old, new, fresh.entries)
            heap.objects[number].fields.add(name)

    def _require_older(self, fresh: Head, mark: int) -> None:
        """Nothing at the head refers to an object that the body has made."""
        made_since = self.machine.heap.made_since
        for skeleton in [*fresh.registers.values(), *fresh.slots.values()]:
            if any(made_since(number, mark) and number not in fresh.entries for number in references(skeleton)):
                raise JoinFailure(DEAD, DEAD, "refer to an object made inside the loop")

    def _join_layouts(self, joiner: Joiner) -> None:
        """What is one array at the head of the loop lies in memory as each of those does that it stands for."""
        objects = self.machine.heap.objects
        for pair, made in joiner.merged.items():
            if objects[made].kind == "buffer":
                join_layouts(self.machine, made, pair)
        for number, last in joiner.absorbed.items():
            if last not in (None, number) and objects[number].kind == "buffer":
                made = (last,) if number in joiner.adopted else (number, last)
                joiner.unsettled = join_layouts(self.machine, number, made) or joiner.unsettled

    def _owned(
        self, head: Head, joiner: Joiner, entries: dict[int, int], out: State, mark: int
    ) -> dict[int | type, Ownership]:
        """What is owned at the head of the next iteration: what was so before, what is so at the end of this
        iteration and has been there all the time, and what stands for such an object."""
        entry, found = self.entry.owned, {**self.entry.owned, **head.owned}
        heap, merged = self.machine.heap, {made: pair for pair, made in joiner.merged.items()}
        for number, ownership in out.owned.items():
            if isinstance(number, type) and isinstance(ownership.where, Moves):
                moves = heap.settle(ownership.where, joiner.name_at_head, lambda n: not heap.made_since(n, mark))
                if moves is None:
                    continue
                ownership = Ownership(ownership.loop, moves)
            if isinstance(number, type) or number not in entries and not heap.made_since(number, mark):
                found[number] = ownership.joined(found.get(number))
        for number in entries:
            first, last = merged.get(number) or (number, joiner.absorbed.get(number))
            for known, one in ((entry, entries[number]), (head.owned, first), (out.owned, last)):
                if one in known:
                    found[number] = known[one].joined(found.get(number))
        return found

    def _aliases(self, joiner: Joiner, registers, slots) -> set[int]:
        """Objects in the place of which a summary stands, that can still be reached under their own name."""
        replaced = {n for pair in joiner.merged for n in pair} | {
            o for s, o in joiner.absorbed.items() if o not in (s, None)
        }
        replaced -= joiner.absorbed.keys()
        if not replaced:
            return set()
        machine = self.machine
        roots = [*registers.values(), *(v for f in machine.frames[:-1] for v in f.registers)]
        return replaced & merge.reachable(machine.heap, roots, {**self.entry.slots, **slots})

    # -- emission --

    def _once(self) -> None:
        """Control never comes back to the head: the body is straight code after all."""
        machine, frame = self.machine, self.frame
        machine.rewind(self.entry)
        frame.tag = None
        walk.run(machine, self.node.body)
        assert frame.tag is not None
        if self.node.label in frame.tag.labels:
            raise JoinFailure(DEAD, DEAD, "differ between the first trip and the others")


def _turn(skeleton: Value) -> int:
    """When a place is joined at the head of a loop: objects first, then values without any, then what is dead."""
    return 2 if skeleton is DEAD else 0 if references(skeleton) else 1


def _join_slot(
    fixpoint: LoopFixpoint, joiner: Joiner, slot: Slot, old: Value, new: Value, entries: dict[int, int]
) -> Value:
    """The join of a slot's values."""
    joiner.holder = Ref(slot[0]) if slot[1] == "<items>" else None
    fixpoint.resizing.place = slot
    try:
        return _joined_slot(fixpoint, joiner, slot, old, new, entries)
    finally:
        joiner.holder = None


def _joined_slot(
    fixpoint: LoopFixpoint, joiner: Joiner, slot: Slot, old: Value, new: Value, entries: dict[int, int]
) -> Value:
    """The join of a slot's values; a container that grows in a loop has no finite number of contents."""
    contents = slot[1] == "<items>" and growable_lists.is_contents(old) and growable_lists.is_contents(new)
    grown = contents and growable_lists.differ(old, new)
    if (
        slot[1] == "<items>"
        and fixpoint.machine.heap.objects[slot[0]].kind == "dict"
        and growable_lists.differ_in_keys(old, new)
    ):
        fixpoint.machine.options |= Facts(grows_lists=True)
        grown = fixpoint.unions or fixpoint.machine.facts.grows_lists
    if grown or slot[1] == "<items>" and new is STALE:
        fixpoint.check_source(slot[0])
    growing = fixpoint.growing(slot[0], growable_lists.sizes(old) != growable_lists.sizes(new)) if grown else None
    if growing is not None:
        return growing.join(joiner, slot, fixpoint.entry_value(slot, entries), old, new, fixpoint.start.get(slot))
    if slot[1] == "state" or slot[1] == "args" and _is_exception(fixpoint, slot[0]):
        # a generator's state is one of few, and never a number; an exception's arguments may be of any kinds
        unions, joiner.unions = joiner.unions, True
        joined = joiner.join(old, new)
        joiner.unions = unions
        return joined
    joined = joiner.elements(slot[0], old, new) if slot[1] == "<data>" else joiner.join(old, new)
    if slot[1] == "<items>" and isinstance(joined, Union) and not isinstance(old, Union):
        raise JoinFailure(old, new, "are containers of different lengths")
    return joined


def _is_exception(fixpoint: LoopFixpoint, number: int) -> bool:
    return issubclass(fixpoint.machine.heap.objects[number].cls, BaseException)
