"""A loop that has been staged becomes a `for` or `while`; and the state after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from xlapy.dispatch.numbers import mixed
from xlapy.dispatch.protocol import Refused
from xlapy.domain.coerce import coerce, instantiate, place_in
from xlapy.domain.heap import STATE
from xlapy.domain.join import Joiner
from xlapy.domain.values import (
    DEAD,
    UNBOUND,
    BoundedArray,
    Const,
    GrowableList,
    Ref,
    Scalar,
    Union,
    Value,
    holes,
    variables,
)
from xlapy.frontend import For
from xlapy.interpreter import merge, walk
from xlapy.interpreter.carried_objects import take_over
from xlapy.interpreter.frame import Tag
from xlapy.interpreter.loop_nodes import header_of, sole_exit
from xlapy.ir import Region, TensorType, Var, constant_value, greatest_increase, least_increase

if TYPE_CHECKING:
    from xlapy.interpreter.loop_fixpoint import Head, LoopFixpoint
    from xlapy.interpreter.machine import State

_INT64 = np.dtype(np.int64)
_INDEX = TensorType((), _INT64)
#: iterations up to which it is of use to know that there are no more
_FEW_ITERATIONS = 2**16


class LoopEmission:
    """Emits what `loop_fixpoint` has found."""

    def __init__(self, fixpoint: LoopFixpoint) -> None:
        self.fixpoint, self.machine, self.frame, self.node = fixpoint, fixpoint.machine, fixpoint.frame, fixpoint.node
        self.step, self.plan, self.iterations, self.predicate = (
            fixpoint.step,
            fixpoint.plan,
            fixpoint.iterations,
            fixpoint.predicate,
        )
        self.entry, self.joiner, self.key = fixpoint.entry, fixpoint.joiner, fixpoint.key
        self.repeat_header = fixpoint.repeat_header

    def emit(self, head: Head, body: Region, out: State) -> bool:
        """Emit the loop, and go on after it; False if what was taken for equal in its body is not."""
        machine, builder = self.machine, self.machine.builder
        joiner = self.joiner
        machine.restore(self.entry)
        self.fixpoint.remember(head)
        at_entry = self.fixpoint.new_joiner({})
        at_entry.absorbed = dict(head.entries)
        with machine.heap.owning(self.entry.owned):
            initial = self._coerced(head, self.fixpoint.at_entry(head), at_entry)
        machine.heap.slots = out.slots.copy()
        with builder.inside(body), machine.heap.owning(out.owned):
            finals = self._coerced(head, self._at_end(head, joiner, out), joiner)
        machine.heap.slots = self.entry.slots.copy()
        if self.fixpoint.lanes.tell_apart(head, finals):
            machine.rewind(self.entry)
            return False
        tag, header = out.tag, header_of(self.node)
        assert tag is not None
        if header is not None:
            self.frame.span = header
        others = tag.labels - {self.node.label}
        errors = self._carries_error(head)
        if self.iterations is not None and not others:
            body.results = finals
            types = tuple(v.type for v in body.params[1:])
            results = builder.emit("for", (self.iterations, *initial), self._most_iterations(), types, (body,))
            results = self._known_lengths(head, body, initial, results)
            self._after(head, results, out, None)
        else:
            self._emit_while(head, body, initial, finals, tag, others, errors, out)
        return True

    def _known_lengths(self, head: Head, body: Region, initial: list[Var], results: list[Var]) -> list[Var]:
        """The results of a loop of a known number of iterations; lengths of arrays that each iteration changes by the
        same known number, from a known one, are known after it."""
        iterations = (
            self.plan.iterations.value if self.plan is not None and isinstance(self.plan.iterations, Const) else None
        )
        if iterations is None:
            return results
        found, position = list(results), 0
        for skeleton in head.skeletons():
            for own in holes(skeleton):
                first = constant_value(initial[position])
                if isinstance(skeleton, BoundedArray) and own.type == _INDEX and first is not None:
                    ends = body.results[position], body.params[position + 1]
                    step = least_increase(*ends)
                    if step is not None and step == greatest_increase(*ends):
                        found[position] = self.machine.builder.constant(int(first) + step * iterations, _INT64)
                position += 1
        return found

    def _coerced(self, head: Head, values: list[Value], joiner: Joiner) -> list[Var]:
        """The device values of the head's parts, where they are these."""
        found: list[Var] = []
        for value, skeleton, place in zip(values, head.skeletons(), head.places(), strict=True):
            joiner.holder = Ref(place[0]) if place[-1] == "<items>" else None
            found += coerce(value, skeleton, joiner, self.machine.builder)
        return found

    def _at_end(self, head: Head, joiner: Joiner, out: State) -> list[Value]:
        assert out.tag is not None
        labels = out.tag.labels
        needed: set[int] = set()
        for label in labels:
            needed |= merge.live_at(self.frame, label, self.frame.program.live)
        values = [out.registers[r] if r in needed else DEAD for r in head.registers]
        values.append(out.handled)
        for slot in head.slots:
            last = joiner.absorbed.get(slot[0])
            number = slot[0] if last is None else last
            value = out.slots.get((number, slot[1]))
            if value is None:
                # An object of the caller's, perhaps, that nothing has looked at yet.
                value = self.machine.heap.entry_value(number, slot[1])
                if slot[0] == STATE and value is UNBOUND or last is None and slot[0] in head.entries:
                    value = DEAD
            values.append(value)
        return values

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
            if self.iterations is not None:
                go = builder.elementwise(
                    "bitwise_and", go, builder.elementwise("lt", condition.params[0], self.iterations)
                )
            if errors is not None:
                error = condition.params[2 + errors]
                go = builder.elementwise(
                    "bitwise_and", go, builder.elementwise("eq", error, builder.constant(0, error.type.dtype))
                )
            condition.results = [go]
        start = (builder.constant(0, _INT64), builder.constant(label, merge.TAG_TYPE.dtype), *initial)
        results = builder.emit("while", start, self._most_iterations(), carried, (condition, inner))
        self._after(head, results[2:], out, Tag(tag.labels, results[1]), results[0])

    def _most_iterations(self) -> dict[str, object]:
        """The attribute of the loop that says how many iterations there are at most, if that is known."""
        bounds = getattr(self.plan.iterations, "bounds", None) if self.plan is not None else None
        return {} if bounds is None or bounds[1] > _FEW_ITERATIONS else {"most": max(bounds[1], 1)}

    def _condition(self, head: Head, condition: Region) -> Var:
        """The test of a rotated `while` on the carried values."""
        machine = self.machine
        machine.restore(self.entry)
        self.fixpoint.enter(head, iter(condition.params[2:]))
        with machine.region(condition):
            goes = self.fixpoint.run_header()
        machine.restore(self.entry)
        return goes if isinstance(goes, Var) else machine.builder.constant(bool(goes))

    def _after(self, head: Head, results: list[Var], out: State, tag: Tag | None, count: Var | None = None) -> None:
        """The state after the loop."""
        machine, frame = self.machine, self.frame
        self._values_after(head, iter(results), out, tag)
        machine.heap.untold += 1
        if tag is None and self.fixpoint.iterates():
            take_over(machine.heap, head, self.joiner)
        if self.plan is not None:
            if tag is None:
                self.plan.finish(self.plan.iterations, True)
            else:
                assert count is not None
                label = machine.builder.constant(self.node.label, merge.TAG_TYPE.dtype)
                self.plan.finish(Scalar(int, count), machine.builder.elementwise("eq", tag.selector, label))
        frame.tag = None
        if self.step is not None:
            self._after_iterator(self.step, tag)
            return
        assert tag is not None
        others = tag.labels - {self.node.label}
        if self.predicate is not None:
            self._after_test(tag, others)
            return
        if not others:
            if self._carries_error(head) is None:
                raise Refused("XP0009", "the loop never ends", "let it end, or leave it by `break` or `return`")
            # what it is left by has been raised before this
            walk.raise_to(machine, None, machine.exception(RuntimeError, "the loop has ended"))
            return
        frame.tag = Tag(others, tag.var if len(others) > 1 else None)

    def _values_after(self, head: Head, fill: Iterator[Var], out: State, tag: Tag | None) -> None:
        """What registers and slots hold after the loop."""
        machine, frame, grown = self.machine, self.frame, self.fixpoint.grown
        surely = (self.step is None and self.predicate is None) or self.fixpoint.iterates()
        registers: list[Value] = [DEAD] * len(self.entry.registers)
        for register, skeleton in head.registers.items():
            value = instantiate(skeleton, fill)
            last = out.registers[register]
            registers[register] = self._refine(value, skeleton, last) if surely else value
        frame.registers = [whole(v) for v in registers]
        frame.handled = instantiate(head.handled, fill)
        slots = dict(self.entry.slots)
        for slot, skeleton in head.slots.items():
            after = skeleton
            if isinstance(skeleton, GrowableList) and grown is not None and slot in grown.growth:
                after = grown.after(slot, skeleton, whole=tag is None)
            slots[slot] = whole(instantiate(after, fill))
            if isinstance(skeleton, GrowableList) and len(variables(after)) < len(variables(skeleton)):
                next(fill)  # the length, which is known
        machine.heap.slots, machine.heap.owned = slots, {**self.entry.owned, **head.owned}

    def _after_iterator(self, step: For, tag: Tag | None) -> None:
        """Control after a `for`: its iterator is exhausted, or the body left the loop."""
        machine, builder = self.machine, self.machine.builder
        if tag is None:
            walk.run(machine, step.exhausted)
            return
        leaving = sole_exit(step.exhausted)
        if leaving is None:
            raise Refused("XP0014", "the end of the loop does more than leave it")

        def constant(label: int) -> Var:
            return builder.constant(label, merge.TAG_TYPE.dtype)

        done = builder.elementwise("eq", tag.selector, constant(self.node.label))
        others = tag.labels - {self.node.label}
        other = constant(next(iter(others))) if len(tag.labels) == 2 else tag.selector
        var = builder.elementwise("select", done, constant(leaving), other)
        labels = others | {leaving}
        self.frame.tag = Tag(labels, var if len(labels) > 1 else None)

    def _after_test(self, tag: Tag, others: frozenset[int]) -> None:
        """Control after a rotated `while`: the test failed, or the body left the loop."""
        machine, frame, builder = self.machine, self.frame, self.machine.builder

        def failed() -> None:
            frame.tag = None
            if self.repeat_header:
                walk.narrow(machine, self.fixpoint.run_header(), False)
            walk.run(machine, self.fixpoint.leaving())

        if not others:
            failed()
            return

        def left() -> None:
            frame.tag = Tag(others, tag.var if len(others) > 1 else None)

        done = builder.elementwise("eq", tag.selector, builder.constant(self.node.label, merge.TAG_TYPE.dtype))
        if self.repeat_header:
            merge.node_branch(machine, done, failed, left)
            return
        leaving = sole_exit(self.fixpoint.leaving())
        assert leaving is not None
        labels = others | {leaving}
        exit_label = builder.constant(leaving, merge.TAG_TYPE.dtype)
        other = builder.constant(next(iter(others)), merge.TAG_TYPE.dtype) if len(others) == 1 else tag.selector
        frame.tag = Tag(labels, builder.elementwise("select", done, exit_label, other) if len(labels) > 1 else None)

    def _refine(self, value: Value, skeleton: Value, last: Value) -> Value:
        """A value after at least one iteration, given what the body leaves: a known alternative of a union."""
        if isinstance(value, Union) and not isinstance(last, Union) and last is not DEAD:
            assert isinstance(skeleton, Union)
            return mixed.alternative(self.machine, value, place_in(last, skeleton, self.joiner))
        return value


def whole(value: Value) -> Value:
    """An array that is known to fill its room is one of static size."""
    if not isinstance(value, BoundedArray):
        return value
    for lanes, size in zip(value.axes, value.base.type.shape, strict=True):
        length = constant_value(lanes.length) if lanes is not None else None
        if lanes is not None and (length is None or int(length) != size or lanes.start != 0 or lanes.valid is not None):
            return value
    return value.base


def _rename(region: Region, mapping: dict[Var, Var]) -> None:
    """Replace parameters in a region and the regions inside it."""
    for operation in region.operations:
        operation.operands = tuple(mapping.get(v, v) for v in operation.operands)
        for nested in operation.regions:
            _rename(nested, mapping)
            nested.results = [mapping.get(v, v) for v in nested.results]
