"""Generators by internal iteration: the consumer's loop body runs at the place of each `yield`.

A `for` over a generator runs the generator's frame once, from its start; at a `yield` the body of the loop runs, inside
whatever branches and loops of the generator are open there, so that those stay branches and loops. To make them carry
and join what the consumer changes, the consumer's registers live in the heap while its body is not running.

A consumer that leaves its loop closes the generator: GeneratorExit is raised at the `yield`. That is right if nobody
else can go on with the generator; where somebody may, it is advanced step by step instead (see `generator_stepping`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from xlapy.dispatch.iterators import generator_consumers
from xlapy.dispatch.protocol import PythonError, Refused
from xlapy.domain.values import (
    DEAD,
    NONE,
    Const,
    JaxArray,
    Ref,
    Tuple,
    Union,
    Value,
    alternatives,
    as_ref,
    number_var,
    references,
    tuple_items,
)
from xlapy.frontend import FINISHED, RAISE, RETURN, For, Loop
from xlapy.interpreter import generator_stepping, merge, walk
from xlapy.interpreter.frame import Frame, Tag, new_frame, static_tag
from xlapy.ir import Var, constant_value

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

OnYield = Callable[[Value], None]
_MOST_ITEMS = 10_000
#: with what a consumer that leaves its loop closes the generator
CLOSING = Const(GeneratorExit())


def run(machine: Machine, generator: Ref, on_yield: OnYield, may_close: bool = False) -> Value:
    """Run a generator to its end, calling `on_yield` with each value, which may close it; what it returns. Where it
    raises, that is pending."""
    if not generator_stepping.is_fresh(machine, generator):
        if generator_stepping.has_ended(machine, generator):
            return NONE
        raise generator_stepping.Interleaved
    heap = machine.heap
    activation: generator_stepping.Activation = heap.objects[generator.object].details
    frame = new_frame(activation.program, activation.globals, activation.path, activation.caller)
    for register in range(len(frame.registers)):
        value = heap.slots.get((generator.object, str(register)))
        if value is not None:
            frame.registers[register] = value
    heap.write(generator.object, "state", generator_stepping.RUNNING)
    frame.on_yield, frame.may_close = on_yield, may_close
    machine.frames.append(frame)
    machine.catching += 1
    try:
        machine.run(frame)
    finally:
        machine.catching -= 1
        machine.frames.pop()
    end, after = frame.tag, frame.registers
    heap.write(generator.object, "state", generator_stepping.State.value(FINISHED))
    assert end is not None
    returned, exception = after[frame.program.return_register], after[frame.exception_register]
    if end.label == RETURN:
        return returned
    result = returned if RETURN in end.labels else NONE
    if _only_exit(machine, exception):
        return result
    exception = generator_stepping.converted(machine, exception)
    failed = _failed(machine, exception)
    if end.label == RAISE and failed is None:
        raise PythonError(exception)
    raised = failed
    if end.label != RAISE:
        raised = machine.builder.elementwise("eq", end.selector, machine.builder.constant(RAISE, merge.TAG_TYPE.dtype))
        raised = raised if failed is None else machine.builder.elementwise("bitwise_and", raised, failed)
    assert raised is not None
    machine.may_raise(raised, exception)
    return result


def delegate(machine: Machine, generator: Ref, on_yield: OnYield) -> tuple[Value, bool | Var]:
    """`run` for `yield from`: what the generator returns, and whether the consumer has left, whatever the generator
    does then."""
    where = machine.heap.new("frame", Frame, machine.location())

    def note(left: Var) -> None:
        machine.heap.write(where, "left", JaxArray(left))

    def noted(value: Value) -> None:
        before = len(machine.pending)
        try:
            on_yield(value)
        except PythonError:
            note(machine.builder.constant(True))
            raise
        if len(machine.pending) > before:
            note(machine.pending[-1][0])

    note(machine.builder.constant(False))
    result = run(machine, generator, noted, machine.frame.may_close)
    left = number_var(machine.heap.read(where, "left"))
    known = constant_value(left)
    return result, left if known is None else bool(known)


def _failed(machine: Machine, exception: Value) -> Var | None:
    """Where one of several exceptions is not that with which the consumer closes the generator; None if it never is."""
    if not isinstance(exception, Union):
        return None
    failed = None
    for index, alternative in enumerate(exception.alternatives):
        if machine.type_of(alternative) is GeneratorExit:
            number = machine.builder.constant(index, exception.selector.type.dtype)
            other = machine.builder.elementwise("ne", exception.selector, number)
            failed = other if failed is None else machine.builder.elementwise("bitwise_and", failed, other)
    return failed


def _only_exit(machine: Machine, exception: Value) -> bool:
    options = alternatives(exception)
    return all(machine.type_of(e) is GeneratorExit for e in options)


def collect(machine: Machine, generator: Ref) -> list[Value]:
    """All values of a generator that yields a known number of times."""
    if not generator_stepping.is_fresh(machine, generator):
        return _take_all(machine, generator)
    depth = machine.builder.region.depth
    # in the heap, so that an attempt at a loop that is given up leaves nothing behind
    found = machine.heap.new("frame", Frame, machine.location(), Tuple(()))

    def on_yield(value: Value) -> None:
        if machine.builder.region.depth != depth:
            raise Refused("XP0013", "the number of items that the generator yields depends on data")
        before = tuple_items(machine.heap.read(found, "<items>"))
        machine.heap.write(found, "<items>", Tuple((*before, value)))

    run(machine, generator, on_yield)
    return list(tuple_items(machine.heap.read(found, "<items>")))


def _take_all(machine: Machine, generator: Ref) -> list[Value]:
    found: list[Value] = []
    while len(found) < _MOST_ITEMS:
        done, value, _ = generator_stepping.advance(machine, generator)
        if isinstance(done, Var):
            break
        if done:
            return found
        found.append(value)
    raise Refused("XP0013", "the number of items that the generator still yields depends on data")


def runs_whole(machine: Machine, node: Loop, generator: Ref) -> bool:
    """Whether a loop may run a generator as a whole: it was not advanced, and nobody goes on with it where the loop is
    left before its end."""
    if not generator_stepping.is_fresh(machine, generator):
        return False
    return not _leaves(machine, node) or generator.object in machine.private or not is_shared(machine, generator)


def _leaves(machine: Machine, node: Loop) -> bool:
    """Whether a loop may be left before its end: from its body, where the consumer of a generator closes it, or by an
    exception that somebody catches."""
    step = walk.loops.step_of(node)
    if step is None:
        return False
    return bool(walk.loops.exit_labels(step.body) - {node.label} or machine.frame.may_close or machine.catching)


def is_whole(machine: Machine, function: object, value: Value) -> bool:
    """Whether a value is a generator that was not advanced, and that nobody goes on with: the function takes all that
    it yields, or goes through it and nobody else refers to it."""
    if not generator_consumers.consumes(function):
        return False  # `iter` gives the generator itself
    if not generator_stepping.is_generator(machine, value) or not generator_stepping.is_fresh(machine, as_ref(value)):
        return False
    exhausts = generator_consumers.exhausts(function) and not machine.catching
    if exhausts or as_ref(value).object in machine.private or not is_shared(machine, as_ref(value)):
        machine.private.add(as_ref(value).object)
        return True
    return False


def is_shared(machine: Machine, generator: Ref) -> bool:
    """Whether a variable or an object refers to a generator."""
    others = walk.loops.values_but_of(machine, {generator.object})
    return any(generator.object in references(v) for v in others)


def loop(machine: Machine, node: Loop, step: For, generator: Ref) -> None:
    """A `for` loop over a generator."""
    _Consumer(machine, node, step).run(generator)


class _Consumer:
    """The frame with the `for` loop: its registers and tag are kept in the heap between the generator's yields."""

    def __init__(self, machine: Machine, node: Loop, step: For) -> None:
        from_labels = walk.loops.exit_labels(node.body)
        self.machine, self.node, self.step = machine, node, step
        self.frame = machine.frame
        self.position = len(machine.frames) - 1
        live = self.frame.program.live
        registers = set(live[node.label])
        for label in from_labels:
            registers |= merge.live_at(self.frame, label, live)
        registers.add(self.frame.exception_register)
        self.registers = sorted(registers)
        self.labels: set[int] = {node.label}

    def run(self, generator: Ref) -> None:
        machine, frame, node = self.machine, self.frame, self.node
        where = machine.heap.new("frame", Frame, machine.location())
        self.where = where
        at_head = frame.program.live[node.label]
        for register in self.registers:
            machine.heap.write(where, str(register), frame.registers[register] if register in at_head else DEAD)
        machine.heap.write(where, "handled", frame.handled)
        self._write_tag(static_tag(node.label))
        catches = self.step.handler is not None
        machine.catching += catches
        self.catching = machine.catching
        try:
            run(machine, generator, self._body, _leaves(machine, node))
        except PythonError as error:
            self._load()
            walk.raise_to(machine, self.step.handler, error.value)
            return
        finally:
            machine.catching -= catches
        self._load()
        raised, machine.pending = machine.pending, []
        self._after(raised, number_var(machine.heap.read(where, "tag")))

    def _write_tag(self, tag: Tag) -> None:
        self.labels |= tag.labels
        self.machine.heap.write(self.where, "tag", JaxArray(merge.tag_var(self.machine, tag)))

    def _load(self) -> None:
        machine, frame = self.machine, self.frame
        registers: list[Value] = [DEAD] * len(frame.registers)
        for register in self.registers:
            registers[register] = machine.heap.read(self.where, str(register))
        frame.registers = registers
        frame.handled = machine.heap.read(self.where, "handled")

    def _store(self) -> None:
        frame = self.frame
        assert frame.tag is not None
        needed: set[int] = set()
        for label in frame.tag.labels:
            needed |= merge.live_at(frame, label, frame.program.live)
        for register in self.registers:
            value = frame.registers[register] if register in needed else DEAD
            self.machine.heap.write(self.where, str(register), value)
        self.machine.heap.write(self.where, "handled", frame.handled)
        self._write_tag(frame.tag)

    def _body(self, value: Value) -> None:
        """One iteration of the consumer's loop."""
        machine, frame = self.machine, self.frame
        self._load()
        stack = machine.frames
        machine.frames = stack[: self.position + 1]
        # who catches what the generator raises is told of nothing that happens here
        catching, machine.catching = machine.catching, self.catching
        pending, machine.pending = machine.pending, []
        frame.registers[self.step.value] = value
        frame.tag = None
        # loops in the body are told apart by the `yield` that they run at, the same in each round
        outer, yields = frame.unrolled, stack[self.position + 1 :]
        frame.unrolled = (*outer, -3, *(number for f in yields for number in (id(f.span), *f.unrolled)))
        try:
            walk.run(machine, self.step.body)
        finally:
            frame.unrolled = outer
            machine.frames = stack
            machine.catching = catching
            machine.pending = pending
        if not self.catching:
            self._register_raised()
        self._store()
        tag = frame.tag
        assert tag is not None
        if tag.labels == {self.node.label}:
            return
        if self.node.label not in tag.labels:
            raise PythonError(CLOSING)
        here = machine.builder.constant(self.node.label, merge.TAG_TYPE.dtype)
        machine.pending.append((machine.builder.elementwise("ne", tag.var, here), CLOSING))

    def _register_raised(self) -> None:
        """Where the body may have raised, and nobody catches that, the program ends in an error: the exception is
        nothing that the generator's loops need to carry."""
        machine, frame = self.machine, self.frame
        tag = frame.tag
        assert tag is not None
        if RAISE not in tag.labels or len(tag.labels) == 1:
            return
        here = machine.builder.constant(RAISE, merge.TAG_TYPE.dtype)
        raised = machine.builder.elementwise("eq", tag.selector, here)
        machine.register_error(raised, frame.registers[frame.exception_register])
        others = tag.labels - {RAISE}
        frame.tag = Tag(others, tag.var if len(others) > 1 else None)

    def _after(self, raised: Sequence[tuple[Var, Value]], var: Var) -> None:
        """Where control goes after the generator, which has raised one of these exceptions under a condition, or
        none."""
        if not raised:
            self._finish(var)
            return
        machine, (bad, exception) = self.machine, raised[0]
        handler = self.step.handler
        merge.node_branch(
            machine,
            bad,
            lambda: walk.raise_to(machine, handler, exception),
            lambda: self._after(raised[1:], var),
        )

    def _finish(self, var: Var) -> None:
        """Where control goes after the loop: to the end of the iteration, or where the body went."""
        machine, frame, label = self.machine, self.frame, self.node.label
        known = constant_value(var)
        frame.tag = None
        if known is not None:
            if int(known) == label:
                walk.run(machine, self.step.exhausted)
            else:
                frame.tag = static_tag(int(known))
            return
        done = machine.builder.elementwise("eq", var, machine.builder.constant(label, merge.TAG_TYPE.dtype))
        others = frozenset(self.labels - {label})
        merge.node_branch(
            machine,
            done,
            lambda: walk.run(machine, self.step.exhausted),
            lambda: setattr(frame, "tag", Tag(others, var if len(others) > 1 else None)),
        )
