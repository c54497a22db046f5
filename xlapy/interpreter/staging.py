"""A loop that stays a loop: its body is run until the state at its head covers the one at its end, then emitted as
`for` or `while`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers import mixed
from xlapy.dispatch.protocol import PythonError, Refused
from xlapy.domain import stacks
from xlapy.domain.coerce import coerce, holes, instantiate, place_in
from xlapy.domain.heap import STATE, Slot
from xlapy.domain.join import Joiner, JoinFailure
from xlapy.domain.values import (
    DEAD,
    NONE,
    UNBOUND,
    Const,
    Hole,
    Scalar,
    Stack,
    Tuple,
    Union,
    Value,
    references,
    variables,
)
from xlapy.frontend import Code, Exit, For, Guarded, If, Loop, Node, Send, Seq
from xlapy.interpreter import merge, walk
from xlapy.interpreter.collecting import Growing
from xlapy.interpreter.frame import Tag
from xlapy.ir import Region, TensorType, Var

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine, State

_INT64 = np.dtype(np.int64)
_INDEX = TensorType((), _INT64)
#: in the place of the object that a summary stands for at entry, where there is none
_NOTHING = -1
_MAXIMUM_ROUNDS = 40
#: trips up to which it is of use to know that there are no more
_FEW_TRIPS = 2**16
#: trips of a loop that is unrolled if a list grows in it
SHORT = 32
#: how many operations of the interpreter such loops may take when they are unrolled, and how many if the program meets
#: an obstacle otherwise: XLA takes some milliseconds for each operation
SHORT_STEPS, LONG_STEPS = 800, 8_000


class Restart(Exception):
    """The number of trips cannot be known before: what the loop iterates over grows."""


def step_of(node: Loop) -> For | None:
    """The `For` of a loop that is nothing but an iteration."""
    body = node.body
    if isinstance(body, Seq) and len(body.items) == 1:
        body = body.items[0]
    if isinstance(body, For) and node.label not in exit_labels(body.exhausted):
        return body
    return None


def test_of(node: Loop) -> tuple[Code | None, If] | None:
    """The header and test of a loop that is `while test: ...`: one arm of the test does nothing but leave the loop."""
    body = node.body
    items = body.items if isinstance(body, Seq) else (body,)
    if not 1 <= len(items) <= 2 or not isinstance(items[-1], If):
        return None
    header = items[0] if len(items) == 2 else None
    if header is not None and not isinstance(header, Code):
        return None
    test = items[-1]
    arms = [sole_exit(test.then), sole_exit(test.orelse)]
    if sum(label is not None and label != node.label for label in arms) != 1:
        return None
    return header, test


@dataclass
class Head:
    """The generalised state at the head of a loop: skeletons with holes."""

    registers: dict[int, Value]
    slots: dict[Slot, Value] = field(default_factory=dict)
    handled: Value = DEAD
    #: summaries of objects, each with the object it stands for at entry
    entries: dict[int, int] = field(default_factory=dict)

    def skeletons(self) -> list[Value]:
        """Everything that may have holes, in the order of the loop's operands."""
        return [*self.registers.values(), self.handled, *self.slots.values()]


class Staging:
    def __init__(self, machine: Machine, node: Loop, unions: bool, planned: bool = True) -> None:
        self.machine, self.node, self.unions = machine, node, unions
        self.frame = machine.frame
        self.key = (id(node), self.frame.path, self.frame.unrolled)
        self.step = step_of(node) if planned else None
        self.iterator = self.step.iterator if self.step is not None else 0
        self.plan = iteration.plan(machine, self.frame.registers[self.step.iterator]) if self.step else None
        if self.plan is None:
            self.step = None
        self.trips = machine.scalar_var(self.plan.trips, int) if self.plan is not None else None
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
        self.entry = machine.save()
        self.depth = machine.builder.region.depth + 1
        self.steps = 0
        self._growing: Growing | None = None

    def growing(self, number: int) -> Growing | None:
        """What makes stacks of containers that grow; None for a list if the loop is short enough to be unrolled
        instead. A dict whose keys are not known would not be known then, either."""
        trips = self.plan.trips if self.plan is not None else None
        machine = self.machine
        if isinstance(trips, Const) and trips.value <= SHORT and machine.heap.objects[number].kind == "list":
            steps = trips.value * self.steps
            if steps <= (LONG_STEPS if machine.unrolls_more else SHORT_STEPS):
                return None
            machine.could_unroll_more |= steps <= LONG_STEPS
        if self._growing is None:
            self._growing = Growing(machine, self.key, trips)
        return self._growing

    def run(self) -> None:
        if self.plan is not None and isinstance(self.plan.trips, Const) and self.plan.trips.value <= 0:  # type: ignore
            self.plan.finish(Const(0))
            walk.run(self.machine, self.step.exhausted)  # type: ignore[union-attr]
            return
        head = self._initial()
        for _ in range(_MAXIMUM_ROUNDS):
            body, out, fresh = self._round(head)
            if out is None:
                self._once()
                return
            if fresh is head:
                self._emit(head, body, out)
                return
            head = fresh
        raise JoinFailure(DEAD, DEAD, "do not settle")

    # -- rounds --

    def _initial(self) -> Head:
        registers = self.entry.registers
        head = Head(
            {r: registers[r] if r in self.at_head else DEAD for r in self.registers}, handled=self.entry.handled
        )
        remembered = self.machine.loop_memory.get((self.key, self.unions))
        if remembered is None:
            return head
        joiner = self._joiner({})
        old_registers, old_slots = remembered  # type: ignore[misc]
        try:
            for register, skeleton in old_registers.items():
                if register in head.registers:
                    head.registers[register] = joiner.join(head.registers[register], skeleton)
            for slot, skeleton in old_slots.items():
                # objects that an enclosing loop made on its last round are gone
                if slot in self.entry.slots or self.machine.heap.objects[slot[0]].source is not None:
                    head.slots[slot] = joiner.join(self._entry_value(slot, {}), skeleton)
        except JoinFailure:
            return Head(
                {r: registers[r] if r in self.at_head else DEAD for r in self.registers}, handled=self.entry.handled
            )
        return head

    def _remember(self, head: Head) -> None:
        def plain(skeleton: Value) -> bool:
            found = variables(skeleton)
            plainly = bool(found) and all(isinstance(v, Hole) for v in found) and not references(skeleton)
            return plainly and not isinstance(skeleton, Stack)

        registers = {r: v for r, v in head.registers.items() if plain(v)}
        slots = {s: v for s, v in head.slots.items() if plain(v) and s[0] not in head.entries}
        self.machine.loop_memory[(self.key, self.unions)] = (registers, slots)

    def _joiner(self, entries: dict[int, int]) -> Joiner:
        joiner = self.machine.joiner(self.depth, widen=True, unions=self.unions)
        joiner.absorbed = dict.fromkeys(entries)
        joiner.loop = self.key
        return joiner

    def _entry_value(self, slot: Slot, entries: dict[int, int]) -> Value:
        number = entries.get(slot[0], slot[0])
        if number == _NOTHING:
            return DEAD
        value = self.entry.slots.get((number, slot[1]))
        if value is None:
            value = self.machine.heap.entry_value(number, slot[1])
            if slot[0] == STATE and value is UNBOUND:
                return Tuple(()) if slot[1] == "items" else DEAD
        return value

    def _round(self, head: Head):
        """One pass over the body from a generalised head: its region, the state at its end, the next head."""
        machine, frame = self.machine, self.frame
        machine.restore(self.entry)
        types = tuple(hole.type for skeleton in head.skeletons() for hole in holes(skeleton))
        body = machine.builder.open_region((_INDEX, *types))
        machine.loop_bodies[id(body)] = self.key
        self._enter(head, iter(body.params[1:]))
        mark = machine.heap.next_identity
        start, executed = machine.heap.slots.copy(), machine.executed
        outer, machine.short_index = machine.short_index, body.params[0] if self._may_unroll() else None
        around = machine.short_indices
        machine.short_indices = (*around, body.params[0]) if machine.short_index is not None else around
        try:
            with machine.region(body):
                if self.step is not None:
                    self._element(body.params[0])
                    if frame.tag is None:
                        walk.run(machine, self.step.body)
                elif self.test is not None:
                    self._tested()
                else:
                    walk.run(machine, self.node.body)
        finally:
            machine.short_index, machine.short_indices = outer, around
        self.steps = max(self.steps, machine.executed - executed)
        if self.plan is not None and self._advanced(start):
            raise Restart
        if frame.tag is None or self.node.label not in frame.tag.labels:
            return body, None, head
        out = machine.save()
        machine.restore(self.entry)
        fresh, self.joiner = self._generalise(head, start, out, mark)
        return body, out, fresh

    def _may_unroll(self) -> bool:
        """Whether the loop is so short that it is unrolled if its trips use different things, and that is possible."""
        trips = self.plan.trips if self.plan is not None else None
        return isinstance(trips, Const) and trips.value <= SHORT and self.key not in self.machine.kept_loops

    def check_source(self, number: int) -> None:
        """A list that the loop iterates over must not change its length, if the number of trips is to be known."""
        if self.plan is not None and number in self._sources():
            raise Restart

    def _advanced(self, start: dict[Slot, Value]) -> bool:
        """Whether the body has advanced the iterator of the loop, or one that this draws from."""
        heap = self.machine.heap
        mine = {n for n in self._sources() if heap.objects[n].kind in ("iterator", "generator")}
        return any(heap.slots[slot] is not value for slot, value in start.items() if slot[0] in mine)

    def _sources(self) -> set[int]:
        """The objects that the loop iterates over, and iterators of them. The `owner` of one may change: what it had at
        first is the iterator's own."""
        heap, todo, seen = self.machine.heap, references(self.entry.registers[self.iterator]), set()
        while todo:
            number = todo.pop()
            if number not in seen and heap.objects[number].kind == "iterator":
                contents = [v for (n, name), v in self.entry.slots.items() if n == number and name != "owner"]
                contents += merge.detail_values(heap.objects[number].details)
                todo += [n for v in contents for n in references(v)]
            seen.add(number)
        return seen

    def _enter(self, head: Head, fill: Iterator[Var]) -> None:
        """The state at the head of the loop, with the next values of `fill` in its holes."""
        machine, frame = self.machine, self.frame
        for register, skeleton in head.registers.items():
            frame.registers[register] = instantiate(skeleton, fill)
        frame.handled = instantiate(head.handled, fill)
        for slot, skeleton in head.slots.items():
            machine.heap.slots[slot] = instantiate(skeleton, fill)
        frame.tag = None

    def _element(self, index: Var) -> None:
        plan, frame = self.plan, self.frame
        assert plan is not None and self.step is not None
        trips = plan.trips
        most = int(trips.value) if isinstance(trips, Const) else (trips.bounds or (0, None))[1]
        bounds = (0, max(most - 1, 0)) if most is not None else (0, np.iinfo(np.int64).max)
        frame.span = self.step.span
        try:
            frame.registers[self.step.value] = plan.element(Scalar(int, index, bounds))
        except PythonError as error:
            walk.raise_to(self.machine, self.step.handler, error.value)

    def _leaving(self) -> Node:
        """The arm of the test that leaves the loop."""
        assert self.test is not None
        label = sole_exit(self.test.then)
        return self.test.then if label is not None and label != self.node.label else self.test.orelse

    def _run_header(self) -> bool | Var | None:
        """Run the header; whether the loop goes on. None if the header may raise, and so does more than test."""
        machine, frame = self.machine, self.frame
        if self.header is not None:
            walk._operations(machine, self.header, 0)
            if machine.pending or frame.tag is not None:
                machine.pending.clear()
                return None
        value = frame.registers[self.test.reg]  # type: ignore[union-attr]
        if self.test.test == "none":  # type: ignore[union-attr]
            found = machine.is_(value, NONE)
        else:
            found = machine.truth(value)
        if self._leaving() is self.test.then:  # type: ignore[union-attr]
            return machine.builder.elementwise("bitwise_not", found) if isinstance(found, Var) else not found
        return found

    def _tested(self) -> None:
        """One trip of a rotated `while`: the header, then the body under the assumption that the test holds."""
        machine, frame = self.machine, self.frame
        before = machine.save()
        poisoned = self.test is not None and len(machine.blockers)
        goes = self._run_header()
        if goes is None or frame.registers[self.test.reg] is walk.POISON or len(machine.blockers) != poisoned:  # type: ignore
            machine.rewind(before)
            self.header = self.test = None
            self.predicate = None
            walk.run(machine, self.node.body)
            return
        self.predicate = goes if isinstance(goes, Var) else None
        if goes is False:
            walk.run(machine, self._leaving())
            return
        changed = machine.heap.slots.keys() != before.slots.keys() or any(
            machine.heap.slots[k] is not v for k, v in before.slots.items()
        )
        live: set[int] = set()
        for label in exit_labels(self._leaving()):
            live |= merge.live_at(frame, label, frame.program.live)
        writes = {r for op in self.header.ops for r in op.dst} if self.header is not None else set()
        self.repeat_header = changed or bool(writes & live)
        test = self.test
        walk.run(machine, test.orelse if self._leaving() is test.then else test.then)  # type: ignore[union-attr]

    def _generalise(self, head: Head, start: dict[Slot, Value], out: State, mark: int):
        """The join of the head with the state at the end of the body; `head` itself if nothing is new."""
        heap = self.machine.heap
        pinned: set[int] = set()
        for attempt in itertools.count():
            if attempt > _MAXIMUM_ROUNDS:
                raise JoinFailure(DEAD, DEAD, "do not settle")
            joiner = self._joiner(head.entries)
            joiner.pinned = pinned
            joiner.mark = mark
            joiner.states = (out.slots, self.entry.slots)
            labels = out.tag.labels  # type: ignore[union-attr]
            live = self.frame.program.live
            needed: set[int] = set()
            for label in labels:
                needed |= merge.live_at(self.frame, label, live)
            arriving = {r: out.registers[r] if r in needed else DEAD for r in head.registers}
            registers, slots = dict(head.registers), dict(head.slots)
            changed: set[Slot] = set()
            for slot, value in out.slots.items():
                if (
                    not heap.made_since(slot[0], mark)
                    and slot[0] not in head.entries
                    and (start.get(slot) is not value or slot in slots)
                ):
                    slots.setdefault(slot, self._entry_value(slot, {}))
                    changed.add(slot)
            handled = joiner.join(head.handled, out.handled)
            # what refers to an object at the head gives it its name; then come the places that only get one
            for turn in range(3):
                for register, skeleton in head.registers.items():
                    if _turn(skeleton) == turn:
                        registers[register] = joiner.join(skeleton, arriving[register])
                for slot in slots:
                    if slot in changed and _turn(old := slots[slot]) == turn:
                        changed.remove(slot)
                        slots[slot] = _join_slot(self, joiner, slot, old, out.slots[slot], {})
            entries = dict(head.entries)
            self._summaries(head, joiner, registers, slots, entries, out, mark)
            aliases = self._aliases(joiner, registers, slots)
            if not aliases - pinned:
                break
            pinned |= aliases
        fresh = Head(registers, slots, handled, entries)
        old_parts, new_parts = head.skeletons(), fresh.skeletons()
        same = len(old_parts) == len(new_parts) and all(a is b for a, b in zip(old_parts, new_parts, strict=True))
        if same and head.slots.keys() == slots.keys() and not joiner.unsettled:
            return head, joiner
        return fresh, joiner

    def _summaries(
        self, head, joiner: Joiner, registers, slots, entries: dict[int, int], out: State, mark: int
    ) -> None:
        """Join the contents of summarised objects: what they stand for at entry with what at the end of the body."""
        heap = self.machine.heap
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
                    entries[number] = head.entries.get(first, first)
                else:
                    first, second = number, joiner.absorbed[number]  # type: ignore[assignment]
                    if number in joiner.adopted:
                        entries[number] = _NOTHING
                for name in sorted(heap.objects[first].fields | heap.objects[second].fields):
                    slot = (number, name)
                    old = head.slots.get(slot)
                    if old is None:
                        old = self._entry_value(slot, entries)
                    new = out.slots.get((second, name))
                    if new is None:
                        new = heap.entry_value(second, name)
                    slots[slot] = _join_slot(self, joiner, slot, old, new, entries)
                    heap.objects[number].fields.add(name)
        for number in head.entries:
            if joiner.absorbed.get(number) is None:
                for slot in [s for s in head.slots if s[0] == number]:
                    new = out.slots.get(slot)
                    slots[slot] = joiner.join(head.slots[slot], new if new is not None else DEAD)
        for skeleton in [*registers.values(), *slots.values()]:
            for number in references(skeleton):
                if heap.made_since(number, mark) and number not in entries:
                    raise JoinFailure(DEAD, DEAD, "refer to an object made inside the loop")

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
        if self.node.label in frame.tag.labels:  # type: ignore[union-attr]
            raise JoinFailure(DEAD, DEAD, "differ between the first trip and the others")

    def _emit(self, head: Head, body: Region, out: State) -> None:
        machine, builder = self.machine, self.machine.builder
        joiner = self.joiner
        machine.restore(self.entry)
        self._remember(head)
        at_entry = self._joiner({})
        at_entry.absorbed = dict(head.entries)  # type: ignore[arg-type]
        initial = [v for value, skeleton in self._at_entry(head) for v in coerce(value, skeleton, at_entry, builder)]
        with builder.inside(body):
            finals = [
                v
                for value, skeleton in self._at_end(head, joiner, out)
                for v in coerce(value, skeleton, joiner, builder)
            ]
        tag = out.tag
        assert tag is not None
        others = tag.labels - {self.node.label}
        errors = self._carries_error(head)
        if self.step is not None and not others:
            body.results = finals
            types = tuple(v.type for v in body.params[1:])
            results = builder.emit("for", (self.trips, *initial), self._most_trips(), types, (body,))
            self._after(head, results, out, None)
        else:
            self._emit_while(head, body, initial, finals, tag, others, errors, out)

    def _at_entry(self, head: Head) -> list[tuple[Value, Value]]:
        entry = self.entry
        values = [entry.registers[r] if r in self.at_head else DEAD for r in head.registers]
        values.append(entry.handled)
        values += [self._entry_value(slot, head.entries) for slot in head.slots]
        return list(zip(values, head.skeletons(), strict=True))

    def _at_end(self, head: Head, joiner: Joiner, out: State) -> list[tuple[Value, Value]]:
        labels = out.tag.labels  # type: ignore[union-attr]
        needed: set[int] = set()
        for label in labels:
            needed |= merge.live_at(self.frame, label, self.frame.program.live)
        values = [out.registers[r] if r in needed else DEAD for r in head.registers]
        values.append(out.handled)
        for slot in head.slots:
            number = joiner.absorbed.get(slot[0]) or slot[0]
            value = out.slots.get((number, slot[1]))
            if value is None:
                value = self.machine.heap.entry_value(number, slot[1])
                if slot[0] == STATE and value is UNBOUND or slot[0] in head.entries:
                    value = DEAD
            values.append(value)
        return list(zip(values, head.skeletons(), strict=True))

    def _carries_error(self, head: Head) -> int | None:
        """The position of the error tag among the carried values, if the loop may set it."""
        skeleton = head.slots.get((STATE, "error"))
        if skeleton is None or not holes(skeleton):
            return None
        position = 0
        for part in head.skeletons():
            if part is skeleton:
                return position
            position += len(holes(part))
        return None

    def _emit_while(self, head, body: Region, initial, finals, tag: Tag, others, errors, out: State) -> None:
        machine, builder = self.machine, self.machine.builder
        label = self.node.label
        with builder.inside(body):
            next_tag = merge.tag_var(machine, tag)
            one = builder.constant(1, _INT64)
            following = builder.elementwise("add", body.params[0], one)
        types = tuple(v.type for v in body.params[1:])
        carried = (_INDEX, merge.TAG_TYPE, *types)
        inner = builder.open_region(carried)
        _rename(body, dict(zip([body.params[0], *body.params[1:]], [inner.params[0], *inner.params[2:]], strict=True)))
        inner.operations = body.operations
        mapping = dict(zip(body.params, [inner.params[0], *inner.params[2:]], strict=True))
        inner.results = [mapping.get(v, v) for v in (following, next_tag, *finals)]
        machine.loop_bodies[id(inner)] = self.key
        condition = builder.open_region(carried)
        with builder.inside(condition):
            go = builder.elementwise("eq", condition.params[1], builder.constant(label, merge.TAG_TYPE.dtype))
            if not others:
                go = builder.constant(True)
            if self.predicate is not None:
                go = builder.elementwise("bitwise_and", go, self._condition(head, condition))
            if self.trips is not None:
                go = builder.elementwise("bitwise_and", go, builder.elementwise("lt", condition.params[0], self.trips))
            if errors is not None:
                error = condition.params[2 + errors]
                go = builder.elementwise(
                    "bitwise_and", go, builder.elementwise("eq", error, builder.constant(0, error.type.dtype))
                )
            condition.results = [go]
        start = (builder.constant(0, _INT64), builder.constant(label, merge.TAG_TYPE.dtype), *initial)
        results = builder.emit("while", start, self._most_trips(), carried, (condition, inner))
        self._after(head, results[2:], out, Tag(tag.labels, results[1]), results[0])

    def _most_trips(self) -> dict[str, object]:
        """The attribute of the loop that says how many trips there are at most, if that is known."""
        bounds = getattr(self.plan.trips, "bounds", None) if self.plan is not None else None
        return {} if bounds is None or bounds[1] > _FEW_TRIPS else {"most": max(bounds[1], 1)}

    def _condition(self, head: Head, condition: Region) -> Var:
        """The test of a rotated `while` on the carried values."""
        machine = self.machine
        machine.restore(self.entry)
        self._enter(head, iter(condition.params[2:]))
        with machine.region(condition):
            goes = self._run_header()
        machine.restore(self.entry)
        return goes if isinstance(goes, Var) else machine.builder.constant(bool(goes))

    def _after(self, head: Head, results: list[Var], out: State, tag: Tag | None, count: Var | None = None) -> None:
        """The state after the loop."""
        machine, frame = self.machine, self.frame
        fill = iter(results)
        surely = (self.step is None and self.predicate is None) or (
            self.plan is not None and isinstance(self.plan.trips, Const) and self.plan.trips.value >= 1
        )
        registers: list[Value] = [DEAD] * len(self.entry.registers)
        for register, skeleton in head.registers.items():
            value = instantiate(skeleton, fill)
            last = out.registers[register]
            registers[register] = self._refine(value, skeleton, last) if surely else value
        frame.registers = registers
        frame.handled = instantiate(head.handled, fill)
        slots = dict(self.entry.slots)
        for slot, skeleton in head.slots.items():
            after = skeleton
            if isinstance(skeleton, Stack) and self._growing is not None and slot in self._growing.growth:
                after = self._growing.after(slot, skeleton, whole=tag is None)
            slots[slot] = instantiate(after, fill)
            if isinstance(skeleton, Stack) and len(variables(after)) < len(variables(skeleton)):
                next(fill)  # the length, which is known
        machine.heap.slots = slots
        if self.plan is not None:
            if tag is None:
                self.plan.finish(self.plan.trips)
            else:
                assert count is not None
                self.plan.finish(Scalar(int, count))
        frame.tag = None
        builder = machine.builder
        if self.step is not None:
            if tag is None:
                walk.run(machine, self.step.exhausted)
                return
            leaving = sole_exit(self.step.exhausted)
            if leaving is None:
                raise Refused("XP0014", "the end of the loop does more than leave it")
            done = builder.elementwise("eq", tag.var, builder.constant(self.node.label, merge.TAG_TYPE.dtype))
            labels = (tag.labels - {self.node.label}) | {leaving}
            var = builder.elementwise("select", done, builder.constant(leaving, merge.TAG_TYPE.dtype), tag.var)
            if len(tag.labels) == 2:
                other = next(iter(tag.labels - {self.node.label}))
                var = builder.elementwise(
                    "select",
                    done,
                    builder.constant(leaving, merge.TAG_TYPE.dtype),
                    builder.constant(other, merge.TAG_TYPE.dtype),
                )
            frame.tag = Tag(labels, var if len(labels) > 1 else None)
            return
        assert tag is not None
        others = tag.labels - {self.node.label}
        if self.predicate is not None:
            self._after_test(tag, others)
            return
        if not others:
            raise Refused("XP0009", "the loop never ends")
        frame.tag = Tag(others, tag.var if len(others) > 1 else None)

    def _after_test(self, tag: Tag, others: frozenset[int]) -> None:
        """Control after a rotated `while`: the test failed, or the body left the loop."""
        machine, frame, builder = self.machine, self.frame, self.machine.builder

        def failed() -> None:
            frame.tag = None
            if self.repeat_header:
                self._run_header()
            walk.run(machine, self._leaving())

        if not others:
            failed()
            return

        def left() -> None:
            frame.tag = Tag(others, tag.var if len(others) > 1 else None)

        done = builder.elementwise("eq", tag.var, builder.constant(self.node.label, merge.TAG_TYPE.dtype))
        if self.repeat_header:
            merge.node_branch(machine, done, failed, left)
            return
        leaving = sole_exit(self._leaving())
        assert leaving is not None
        labels = others | {leaving}
        exit_label = builder.constant(leaving, merge.TAG_TYPE.dtype)
        other = builder.constant(next(iter(others)), merge.TAG_TYPE.dtype) if len(others) == 1 else tag.var
        frame.tag = Tag(labels, builder.elementwise("select", done, exit_label, other) if len(labels) > 1 else None)

    def _refine(self, value: Value, skeleton: Value, last: Value) -> Value:
        """A value after at least one trip, given what the body leaves: a known alternative of a union."""
        if isinstance(value, Union) and not isinstance(last, Union) and last is not DEAD:
            return mixed.alternative(self.machine, value, place_in(last, skeleton, self.joiner))  # type: ignore[arg-type]
        return value


def _turn(skeleton: Value) -> int:
    """When a place is joined at the head of a loop: objects first, then values without any, then what is dead."""
    return 2 if skeleton is DEAD else 0 if references(skeleton) else 1


def _join_slot(staging: Staging, joiner: Joiner, slot: Slot, old: Value, new: Value, entries: dict[int, int]) -> Value:
    """The join of a slot's values; a container that grows in a loop has no finite number of contents."""
    grown = slot[1] == "items" and stacks.is_contents(old) and stacks.is_contents(new) and stacks.differ(old, new)
    if grown:
        staging.check_source(slot[0])
    growing = staging.growing(slot[0]) if grown else None
    if growing is not None:
        return growing.join(joiner, slot, staging._entry_value(slot, entries), old, new)
    if slot[1] == "state" or slot[1] == "args" and _is_exception(staging, slot[0]):
        # a generator's state is one of few, and never a number; an exception's arguments may be of any kinds
        unions, joiner.unions = joiner.unions, True
        joined = joiner.join(old, new)
        joiner.unions = unions
        return joined
    joined = joiner.join(old, new)
    if slot[1] == "items" and isinstance(joined, Union) and not isinstance(old, Union):
        raise JoinFailure(old, new, "are containers of different lengths")
    return joined


def _is_exception(staging: Staging, number: int) -> bool:
    return issubclass(staging.machine.heap.objects[number].cls, BaseException)


def _rename(region: Region, mapping: dict[Var, Var]) -> None:
    """Replace parameters in a region and the regions inside it."""
    for operation in region.operations:
        operation.operands = tuple(mapping.get(v, v) for v in operation.operands)
        for nested in operation.regions:
            _rename(nested, mapping)
            nested.results = [mapping.get(v, v) for v in nested.results]


def sole_exit(node: Node) -> int | None:
    if isinstance(node, Seq) and len(node.items) == 1:
        node = node.items[0]
    return node.label if isinstance(node, Exit) else None


_EXITS: dict[int, tuple[Node, frozenset[int]]] = {}


def exit_labels(node: Node) -> frozenset[int]:
    """The labels that control may go to when it leaves a node."""
    known = _EXITS.get(id(node))
    if known is not None:
        return known[1]
    match node:
        case Exit():
            found = frozenset((node.label,))
        case Seq():
            found = frozenset().union(*map(exit_labels, node.items))
        case If():
            found = exit_labels(node.then) | exit_labels(node.orelse)
        case For():
            found = exit_labels(node.body) | exit_labels(node.exhausted) | _handler(node.handler)
        case Send():
            found = exit_labels(node.yielded) | exit_labels(node.returned) | _handler(node.handler)
        case Loop() | Guarded():
            found = exit_labels(node.body)
        case Code():
            found = _handler(node.handler)
    guards = {i.label for i in node.items if isinstance(i, Guarded)} if isinstance(node, Seq) else set()
    if isinstance(node, Loop):
        guards = {node.label}
    found = found - guards
    _EXITS[id(node)] = (node, found)
    return found


def _handler(label: int | None) -> frozenset[int]:
    return frozenset((label,)) if label is not None else frozenset()
