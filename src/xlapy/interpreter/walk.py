"""Executes the nodes of a structured program over abstract values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.protocol import PythonError, Refused
from xlapy.dispatch.unions import selects
from xlapy.domain.heap import STATE
from xlapy.domain.values import (
    NONE,
    POISON,
    BoundMethod,
    Const,
    Function,
    Marker,
    Ref,
    Scalar,
    Union,
    Value,
    alternatives,
    as_ref,
)
from xlapy.frontend import RAISE, Code, Exit, For, Guarded, If, Loop, Node, Send, Seq
from xlapy.interpreter import generator_stepping, generators, interpreted_functions, loops, merge, widening
from xlapy.interpreter.frame import Frame, Tag, static_tag
from xlapy.interpreter.steps import (
    MAXIMUM_OPERATIONS,
    Step,
    TooLarge,
    execute,
    is_exception,
    prepare,
    without,
)
from xlapy.ir import Var

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine


class Poison(Exception):
    """Control depends on a value that could not be computed; the obstacle is recorded."""


def run(machine: Machine, node: Node | After) -> None:
    """Execute a node; afterwards the frame's tag says where control goes (None: on to what follows)."""
    _RUN[type(node)](machine, node)


def _seq(machine: Machine, node: Seq) -> None:
    items(machine, node.items, 0)


def items(machine: Machine, nodes: tuple[Node, ...], start: int) -> None:
    """The items of a `Seq` from `start` on, under the current tag."""
    frame = machine.frames[-1]
    for index in range(start, len(nodes)):
        node = nodes[index]
        tag = frame.tag
        if isinstance(node, Guarded):
            if tag is None or node.label not in tag.labels:
                continue
            if len(tag.labels) == 1:
                frame.tag = None
                run(machine, node.body)
            else:
                _guarded(machine, node, tag)
        elif tag is None:
            if isinstance(node, Code):
                rest = _operations(machine, node, 0)
                if machine.pending:
                    _split(machine, nodes, index, rest)
            else:
                _RUN[type(node)](machine, node)


def _guarded(machine: Machine, node: Guarded, tag: Tag) -> None:
    """A guarded node under a tag that is only known on the device."""
    builder = machine.builder
    label = builder.constant(node.label, merge.TAG_TYPE.dtype)
    here = builder.elementwise("eq", tag.selector, label)

    def inside() -> None:
        machine.frame.tag = None
        machine.frame.go(frozenset((node.label,)))
        _land(machine, node.label)
        run(machine, node.body)

    def outside() -> None:
        others = tag.labels - {node.label}
        machine.frame.tag = Tag(others, tag.var if len(others) > 1 else None)
        machine.frame.go(others)
        if len(others) == 1:
            _land(machine, next(iter(others)))

    merge.node_branch(machine, here, inside, outside)


def _depart(machine: Machine, label: int) -> None:
    """Control goes to a label: note what kinds of values the registers have that are read there. A place on the stack
    has a value of another kind on the way to each label; where the ways are joined, it has one of them all."""
    frame = machine.frames[-1]
    if machine.builder.region.depth == frame.base_depth:
        return  # no branch is open in which ways could be joined
    live = frame.program.live.get(label)
    if not live:
        return
    names = frame.program.register_names
    arrived = frame.arrivals.setdefault(label, {})
    for register in live:
        if register < len(names) and names[register] is None:
            kinds = arrived.setdefault(register, set())
            value = frame.registers[register]
            for alternative in alternatives(value):
                kinds.add(_kind(machine, alternative))


def _kind(machine: Machine, value: Value) -> object:
    """A class that is the same before and after a join; None if it is not known."""
    if isinstance(value, Marker):
        return value.name
    try:
        cls = machine.type_of(value)
    except Refused:
        return None
    return "number" if issubclass(cls, complex | float | int | np.generic) else cls


def _land(machine: Machine, label: int) -> None:
    """At a label, a register holds what it held on one of the paths that lead there, whatever it holds on others."""
    frame = machine.frame
    for register, kinds in frame.arrivals.get(label, {}).items():
        if None not in kinds:
            possible = (*kinds, None)
            value = _without(
                machine, frame.registers[register], lambda v, known=possible: _kind(machine, v) not in known
            )
            frame.registers[register] = value
    where = frame.program.handlers.get(label)
    if where is None:
        return
    value = frame.registers[where.exception]
    frame.registers[where.exception] = _without(machine, value, lambda v: not is_exception(machine, v))


def _exit(machine: Machine, node: Exit) -> None:
    machine.frames[-1].tag = static_tag(node.label)
    _depart(machine, node.label)


def _code(machine: Machine, node: Code) -> None:
    _straight(machine, (node,), 0, 0)


def _straight(machine: Machine, nodes: tuple[Node, ...], index: int, start: int) -> None:
    """The `Code` at `nodes[index]` from its operation `start` on."""
    node = nodes[index]
    assert isinstance(node, Code)
    rest = _operations(machine, node, start)
    if machine.pending:
        _split(machine, nodes, index, rest)


def _split(machine: Machine, nodes: tuple[Node, ...], index: int, rest: int) -> None:
    """An operation of the `Code` at `nodes[index]` raises under a predicate: what follows (the rest of the code, from
    its operation `rest` on, and the nodes up to the next guarded one) becomes an arm of a branch."""
    node = nodes[index]
    assert isinstance(node, Code)
    bad, exception = machine.pending.pop(0)
    pending = machine.pending.copy()
    machine.pending.clear()
    before, machine.before = machine.before, None

    def raised() -> None:
        if before is not None:
            before.undo(machine)
        raise_to(machine, node.handler, exception)

    def passed() -> None:
        machine.pending.extend(pending)
        machine.before = before
        _straight(machine, nodes, index, rest)
        after = index + 1
        while after < len(nodes) and machine.frame.tag is None and not isinstance(nodes[after], Guarded):
            if isinstance(nodes[after], Code):
                _straight(machine, nodes, after, 0)
            else:
                run(machine, nodes[after])
            after += 1

    merge.node_branch(machine, bad, raised, passed)


class Before:
    """The heap before an operation that changes an object, or raises and changes none; or as it was left by the last
    function of the program's that the operation has called (a key, `__index__`), which has raised in the middle."""

    def __init__(self, machine: Machine) -> None:
        self.mark, self.slots = machine.heap.next_identity, machine.heap.slots.copy()

    def is_other(self, machine: Machine) -> bool:
        """Whether something was changed since."""
        slots = self.slots
        return any(s[0] <= self.mark and slots.get(s) is not v for s, v in machine.heap.slots.items() if s[0] != STATE)

    def undo(self, machine: Machine) -> None:
        """Take back what the operation has changed. What it made, the exception among it, stays."""
        heap = machine.heap
        made = {slot: value for slot, value in heap.slots.items() if slot[0] > self.mark or slot[0] == STATE}
        heap.slots = {**self.slots, **made}
        heap.untold += 1


def _operations(machine: Machine, node: Code, start: int) -> int:
    """Execute operations; the index of the next one if `machine.pending` asks for a split."""
    frame = machine.frames[-1]
    steps = node.prepared or prepare(node)
    machine.executed += len(steps) - start
    if machine.executed > MAXIMUM_OPERATIONS:
        raise TooLarge
    catches = node.handler is not None
    machine.catching += catches
    try:
        for index in range(start, len(steps)):
            if machine.pending:
                return index
            step = steps[index]
            if step.constant is not None:
                frame.registers[step.dst] = step.constant
                continue
            if step.copied is not None:
                value = frame.registers[step.copied]
                if type(value) is not Marker and type(value) is not Union:
                    frame.registers[step.dst] = value
                    continue
            op = step.op
            frame.span = op.span
            machine.before = Before(machine) if machine.catching and step.changes and _undone(frame, step) else None
            try:
                execute(machine, frame, step)
            except PythonError as error:
                if machine.widened:
                    widening.look_at_error(machine, error.value, [frame.registers[r] for r in op.args])
                if node.handler is not None and op.kind != "raise":
                    machine.caught_for_certain |= _noted(machine, error.value)
                raised, machine.pending = machine.pending, []
                machine.before = None
                certain = functools.partial(raise_to, machine, node.handler, error.value)
                _unless_raised(machine, node.handler, raised, certain)
                return len(node.ops)
            except Refused as refusal:
                machine.block(refusal)
                machine.pending.clear()
                for register in op.dst:
                    frame.registers[register] = POISON
    finally:
        machine.catching -= catches
    if not machine.pending:
        machine.before = None
    return len(node.ops)


def _undone(frame: Frame, step: Step) -> bool:
    """Whether what an operation changes is taken back where it raises: not what a function of Python's does, which has
    raised in the middle."""
    if step.called is None:
        return True
    function = frame.registers[step.called]
    if type(function) is BoundMethod:
        function = function.function
    return not (
        type(function) is Function or type(function) is Const and interpreted_functions.is_plain(function.value)
    )


def _noted(machine: Machine, exception: Value) -> set[tuple[type, int | None]]:
    """The classes that an exception may have, with the line of the function that is being executed."""
    line = machine.frames[0].span.line
    return {(machine.heap.objects[e.object].cls, line) for e in alternatives(exception) if type(e) is Ref}


def raise_to(machine: Machine, handler: int | None, exception: Value) -> None:
    """Send control to a handler with an exception."""
    frame = machine.frame
    if handler is None:
        frame.tag = static_tag(RAISE)
        frame.registers[frame.exception_register] = exception
        return
    frame.tag = static_tag(handler)
    machine.caught |= _noted(machine, exception)
    where = frame.program.handlers[handler]
    frame.registers[where.exception] = exception
    if where.lasti is not None:
        frame.registers[where.lasti] = Const(0)
    _depart(machine, handler)


def _if(machine: Machine, node: If) -> None:
    frame = machine.frames[-1]
    frame.span = node.span
    value = frame.registers[node.reg]
    if value is POISON:
        explore(machine, node.then, node.orelse)
    if node.test == "none":
        test = machine.is_(value, NONE)
    else:
        if isinstance(value, Const):
            test = bool(value.value)
        elif isinstance(value, Scalar):
            test = value.var
        else:
            test = machine.truth(value)
    if not isinstance(test, Var):
        run(machine, node.then if test else node.orelse)
    else:
        merge.run_if(machine, node.then, node.orelse, test)


#: values of which more is known on a path, and what they were before, by `id`
Narrowed = dict[int, tuple[Value, Value]]


def narrow(machine: Machine, test: Value | Var | bool | None, holds: bool) -> Narrowed:
    """What is known on a path on which a test holds, or does not, of all variables and attributes of the program's own
    objects: which alternatives of a union they are not."""
    if not isinstance(test, Var):
        return {}
    outcomes = machine.outcomes
    told = outcomes.compared(test)
    if not told:
        return {}
    made: dict[Value, Value] = {}

    def known(held: Value) -> Value:
        if type(held) is not Union or held.selector not in told:
            return held
        if held not in made:
            options = range(len(held.alternatives))
            ruled_out = [outcomes.decided(test, held.selector, index) is (not holds) for index in options]
            made[held] = _of_others(machine, held, ruled_out)
        return made[held]

    registers = machine.frame.registers
    for register, held in enumerate(registers):
        if type(held) is Union:
            registers[register] = known(held)
    heap = machine.heap
    for slot in [s for s, held in heap.slots.items() if type(held) is Union and heap.objects[s[0]].source is None]:
        heap.slots[slot] = known(heap.slots[slot])
    return {id(new): (new, old) for old, new in made.items() if new is not old}


def explore(machine: Machine, *nodes: Node) -> None:
    """Look for obstacles on all ways that control may go, then give up this path."""
    for node in nodes:
        before = machine.save()
        try:
            run(machine, node)
        except Poison:
            pass
        machine.restore(before)
    raise Poison


def iterator_of(machine: Machine, node: For) -> Value:
    """What a loop iterates over. Where an exception may end the loop, it lies in the same register on that path
    only."""
    registers = machine.frame.registers
    value = registers[node.iterator]
    if isinstance(value, Union):
        value = registers[node.iterator] = _without(machine, value, lambda v: is_exception(machine, v))
    return value


def _without(machine: Machine, value: Value, rules_out: Callable[[Value], bool]) -> Value:
    """A value that is certainly none of the alternatives for which `rules_out` holds, unless it holds for all of
    them."""
    return _of_others(machine, value, list(map(rules_out, value.alternatives))) if isinstance(value, Union) else value


def _of_others(machine: Machine, value: Union, ruled_out: list[bool]) -> Value:
    """A union without the alternatives that are ruled out; itself if none is, or all are."""
    if all(ruled_out):
        return value
    found: Value = value
    for index in reversed([index for index, out in enumerate(ruled_out) if out]):
        assert isinstance(found, Union)
        found = without(machine, found, index)
    return found


def _for(machine: Machine, node: For) -> None:
    """One step of an iterator outside a loop that stays a loop."""
    frame = machine.frame
    frame.span = node.span
    iterator = iterator_of(machine, node)
    if iterator is POISON:
        frame.registers[node.value] = POISON
        explore(machine, node.body, node.exhausted)
    if isinstance(iterator, Union):
        _each(machine, node.iterator, iterator, lambda: _for(machine, node))
        return
    steps: list[iteration.Step] = []

    def step() -> None:
        steps.append(iteration.step(machine, iterator))
        if steps[0][0] is True:
            draw()

    def draw() -> None:
        frame.registers[node.value] = steps[0][1]()

    def body() -> None:
        attempt(machine, node.handler, draw, lambda: run(machine, node.body))

    def go_on() -> None:
        more = steps[0][0]
        if isinstance(more, Var):
            merge.node_branch(machine, more, body, lambda: run(machine, node.exhausted))
        else:
            run(machine, node.body if more else node.exhausted)

    attempt(machine, node.handler, step, go_on)


def attempt(machine: Machine, handler: int | None, action: Callable[[], None], then: Callable[[], None]) -> None:
    """Do something, and then something else, unless the first raises: that goes to the handler."""
    machine.catching += handler is not None
    certain = None
    try:
        action()
    except PythonError as error:
        certain = error.value
    finally:
        machine.catching -= handler is not None
    raised, machine.pending = machine.pending, []
    _unless_raised(machine, handler, raised, then if certain is None else lambda: raise_to(machine, handler, certain))


def _unless_raised(
    machine: Machine, handler: int | None, raised: Sequence[tuple[Var, Value]], then: Callable[[], None]
) -> None:
    """What follows something that has raised one of these exceptions, under a condition, or none."""
    if not raised:
        then()
        return
    bad, exception = raised[0]
    merge.node_branch(
        machine,
        bad,
        lambda: raise_to(machine, handler, exception),
        lambda: _unless_raised(machine, handler, raised[1:], then),
    )


def _each(machine: Machine, register: int, union: Union, then: Callable[[], None], index: int = 0) -> None:
    """Run `then` for each alternative of the union in a register, under branches that tell them apart."""

    def chosen() -> None:
        machine.frame.registers[register] = union.alternatives[index]
        then()

    if index == len(union.alternatives) - 1:
        chosen()
        return
    merge.node_branch(
        machine, selects(machine, union, index), chosen, lambda: _each(machine, register, union, then, index + 1)
    )


def _one_by_one(machine: Machine, iterator: Value) -> Iterator[Value]:
    """The items of an iterator, each taken when it is asked for."""
    while True:
        more, element = iteration.step(machine, iterator)
        if isinstance(more, Var):
            raise Refused("XP0013", "the number of items of an iterator in 'yield from' depends on data")
        if not more:
            return
        yield element()


def _send(machine: Machine, node: Send) -> None:
    """`yield from`: every value goes to whoever consumes this generator."""
    frame = machine.frame
    frame.span = node.span
    receiver = frame.registers[node.receiver]
    if receiver is POISON:
        frame.registers[node.value] = POISON
        explore(machine, node.returned)
    if frame.on_yield is None and isinstance(receiver, Union):
        _each(machine, node.receiver, receiver, lambda: _send(machine, node))
        return
    if frame.on_yield is None:
        _send_step(machine, node, receiver)
        return
    closed: bool | Var = False
    try:
        if generator_stepping.is_generator(machine, receiver):
            result, closed = generators.delegate(machine, as_ref(receiver), frame.on_yield)
        else:
            for value in _one_by_one(machine, receiver) if frame.may_close else machine.iterate(receiver):
                frame.on_yield(value)
                if machine.pending:
                    raise Refused("XP0002", "the consumer of 'yield from' leaves its loop under a condition")
            result = NONE
    except PythonError as error:
        raise_to(machine, node.handler, error.value)
        return
    if closed is True:
        # the consumer closes this generator, too
        raise_to(machine, node.handler, generators.CLOSING)
        return
    raised, machine.pending = machine.pending, []
    frame.registers[node.value] = result
    raised = [*raised, *([(closed, generators.CLOSING)] if isinstance(closed, Var) else [])]
    _unless_raised(machine, node.handler, raised, lambda: run(machine, node.returned))


def _send_step(machine: Machine, node: Send, receiver: Value) -> None:
    """One step of `yield from` in a generator that is advanced step by step."""
    frame = machine.frame
    returned: Value = NONE
    try:
        if generator_stepping.is_generator(machine, receiver):
            done, value, returned = machine.advance(as_ref(receiver), frame.registers[node.sent])
        else:
            more, element = iteration.step(machine, receiver)
            done, value = (
                (not more, NONE) if isinstance(more, bool) else (machine.builder.elementwise("bitwise_not", more), NONE)
            )
            if done is False:
                value = element()
            elif done is not True:
                raise Refused("XP0002", "'yield from' an iterator whose end depends on data, step by step")
    except PythonError as error:
        raise_to(machine, node.handler, error.value)
        return
    if machine.pending:
        raise Refused("XP0002", "'yield from' a generator that may raise, step by step")

    def ended() -> None:
        frame.registers[node.value] = returned
        run(machine, node.returned)

    def yielded() -> None:
        frame.registers[node.value] = value
        run(machine, node.yielded)

    if isinstance(done, Var):
        merge.node_branch(machine, done, ended, yielded)
    elif done:
        ended()
    else:
        yielded()


def _loop(machine: Machine, node: Loop) -> None:
    loops.run_loop(machine, node)


def _unsupported_guard(machine: Machine, node: Guarded) -> None:
    items(machine, (node,), 0)


@dataclass(frozen=True, eq=False)
class After:
    """A node of the interpreter's own: a node, and what is done when it has run."""

    body: Node
    action: Callable[[], None]


def _after(machine: Machine, node: After) -> None:
    run(machine, node.body)
    node.action()


_RUN = {
    After: _after,
    Seq: _seq,
    Code: _code,
    If: _if,
    For: _for,
    Send: _send,
    Loop: _loop,
    Exit: _exit,
    Guarded: _unsupported_guard,
}

__all__ = ["POISON", "Poison", "raise_to", "run"]
