"""Generators advanced step by step: `next`, `send`, `throw`, and loops over one that somebody else may advance, too.

What such a generator keeps from one step to the next is in slots of its object, so that branches and loops join it as
they join anything else: its `state` (see `frontend.generator_state_machines`), known or one of several, and its
registers.
"""

from __future__ import annotations

import contextlib
import types
from typing import TYPE_CHECKING

from xlapy.dispatch import unions
from xlapy.dispatch.effects import changes
from xlapy.dispatch.numbers.scalar_values import logical_not, logical_or, refuse_where
from xlapy.dispatch.protocol import Advanced, PythonError, Refused
from xlapy.dispatch.python import generator_methods
from xlapy.domain.values import DEAD, NONE, UNBOUND, Const, Ref, Union, Value, alternatives
from xlapy.frontend import FINISHED, RAISE, START, FrontendError, Resumable, resumable
from xlapy.interpreter import merge, walk
from xlapy.interpreter.frame import Frame, call_path, new_frame
from xlapy.ir import Var

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine


class State:
    """A state of a generator; there is one object for each number, so that states are told apart like other objects."""

    _all: dict[int, Const] = {}  # noqa: RUF012

    def __init__(self, number: int) -> None:
        self.number = number

    @classmethod
    def value(cls, number: int) -> Const:
        """The state of this number."""
        found = cls._all.get(number)
        if found is None:
            found = cls._all[number] = Const(cls(number))
        return found


_START, _FINISHED = State.value(START), State.value(FINISHED)
#: the state of a generator that a loop runs from its start to its end, and of one that is being advanced
RUNNING = State.value(-2)
#: the state of a generator in which an obstacle was met
_LOST = State.value(-3)


#: where generators are ended by a `with` statement
_MANAGERS = (contextlib.__file__, generator_methods.__file__)
_LEFT = "a generator with `finally`, `with` or `except` around a `yield` is left before its end"
_LEFT_HINT = "close it, or take all that it yields"


class Interleaved(Exception):
    """A generator is advanced while a loop runs it as a whole."""


def make(machine: Machine, frame: Frame) -> Ref:
    """The generator object that a call of a generator function returns."""
    number = machine.heap.new("generator", types.GeneratorType, machine.location(), state=_START)
    machine.heap.objects[number].details = Activation(frame)
    for register, value in enumerate(frame.registers):
        if value is not UNBOUND and value is not DEAD:
            machine.heap.write(number, str(register), value)
    return Ref(number)


class Activation:
    """What does not change about a generator: its program and where it was called."""

    def __init__(self, frame: Frame) -> None:
        self.program, self.globals, self.path, self.caller = frame.program, frame.globals, frame.path, frame.caller

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Activation) and (self.program, self.globals) == (other.program, other.globals)

    def __hash__(self) -> int:
        return hash((self.program, self.globals))


def is_generator(machine: Machine, value: Value) -> bool:
    """Whether a value is a generator object."""
    return isinstance(value, Ref) and machine.heap.objects[value.object].kind == "generator"


def state_of(machine: Machine, generator: Ref) -> Value:
    """The state of a generator."""
    if not isinstance(generator, Ref):
        raise Refused("XP0004", "a generator that was made outside of the program is advanced")
    return machine.heap.read(generator.object, "state")


def is_fresh(machine: Machine, generator: Ref) -> bool:
    """Whether a generator certainly has not been advanced."""
    return state_of(machine, generator) is _START


def has_ended(machine: Machine, generator: Ref) -> bool:
    """Whether a generator certainly has come to its end."""
    return state_of(machine, generator) is _FINISHED


def machine_of(machine: Machine, generator: Ref) -> Resumable:
    """The state machine of a generator."""
    activation: Activation = machine.heap.objects[generator.object].details
    try:
        return resumable(activation.program.code)
    except FrontendError as error:
        raise Refused("XP0014", str(error)) from error


def advance(machine: Machine, generator: Ref, sent: Value = NONE, thrown: Value | None = None) -> Advanced:
    """Run a generator to its next `yield`, or to its end.

    Raises:
        PythonError: what the generator raises for certain.
    """
    state = state_of(machine, generator)
    if state is RUNNING:
        raise Interleaved
    if state is _LOST:
        raise walk.Poison
    number = generator.object
    if state is _FINISHED:
        if thrown is not None:
            raise PythonError(thrown)
        return Advanced(True, DEAD, NONE)
    cut = machine_of(machine, generator)
    if cut.cleans_up and machine.frame.program.filename not in _MANAGERS:
        machine.unfinished.setdefault(number, machine.location())
    frame = _frame(machine, generator, cut)
    frame.registers[cut.state] = state
    frame.sent, frame.thrown = sent, thrown
    machine.heap.write(number, "state", RUNNING)
    machine.frames.append(frame)
    machine.catching += 1
    try:
        machine.run(frame)
    except Exception as error:
        error.__dict__.setdefault("location", frame.location())
        if isinstance(error, Refused):
            machine.heap.write(number, "state", _LOST)
        raise
    finally:
        machine.catching -= 1
        machine.frames.pop()
    return _after(machine, generator, frame, cut)


def _frame(machine: Machine, generator: Ref, cut: Resumable) -> Frame:
    activation: Activation = machine.heap.objects[generator.object].details
    caller = machine.frame
    path = call_path(caller)
    frame = new_frame(cut.program, activation.globals, path, caller.location())
    for register in cut.saved:
        kept = machine.heap.slots.get((generator.object, str(register)))
        frame.registers[register] = DEAD if kept is None else kept
    return frame


def _after(machine: Machine, generator: Ref, frame: Frame, cut: Resumable) -> Advanced:
    tag = frame.tag
    if tag is None:
        raise Refused("XP0002", "a generator that cannot be followed")
    number, heap = generator.object, machine.heap
    exception = frame.registers[frame.exception_register]
    if tag.label == RAISE:
        heap.write(number, "state", _FINISHED)
        raise PythonError(converted(machine, exception))
    for register in cut.saved:
        heap.write(number, str(register), frame.registers[register])
    state = frame.registers[cut.state]
    raised: Var | None = None
    if len(tag.labels) > 1:
        raised = machine.builder.elementwise("eq", tag.selector, machine.builder.constant(RAISE, merge.TAG_TYPE.dtype))
        if state is not _FINISHED:
            state = machine.cond(raised, lambda: _FINISHED, lambda: state)
    heap.write(number, "state", state)
    if raised is not None:
        machine.may_raise(raised, converted(machine, exception))
    value = frame.registers[cut.value]
    returned = frame.registers[cut.program.return_register]
    return Advanced(_is_one(machine, state, FINISHED), value, NONE if returned is DEAD else returned)


def _is_one(machine: Machine, state: Value, number: int) -> bool | Var:
    """Whether a state, which may be one of several, is the one of this number."""
    wanted = State.value(number)
    if not isinstance(state, Union):
        return state is wanted
    found = [index for index, alternative in enumerate(state.alternatives) if alternative is wanted]
    if len(found) != 1:
        return bool(found)
    return unions.selects(machine, state, found[0])


def converted(machine: Machine, exception: Value) -> Value:
    """What leaves a generator: a RuntimeError for a StopIteration that is raised inside (PEP 479)."""
    if isinstance(exception, Union):
        return Union(exception.selector, tuple(converted(machine, e) for e in exception.alternatives))
    if isinstance(exception, Ref | Const) and issubclass(machine.type_of(exception), StopIteration):
        error = machine.exception(RuntimeError, "generator raised StopIteration")
        machine.heap.write(error.object, "__cause__", exception)
        return error
    return exception


def resume(machine: Machine, frame: Frame, where: str | None) -> Value:
    """What a generator finds where it goes on: the value sent to it, or an exception thrown at it."""
    if frame.on_yield is not None:
        return NONE
    thrown = frame.thrown
    if thrown is not None:
        if where == "delegated":
            raise Refused("XP0002", "an exception is thrown at a generator that delegates to another one")
        raise PythonError(thrown)
    if where == "start" and not (isinstance(frame.sent, Const) and frame.sent.value is None):
        machine.raise_(TypeError, "can't send non-None value to a just-started generator")
    return frame.sent


def is_state(machine: Machine, state: Value, wanted: int) -> Value:
    """Whether a generator is in a state."""
    return machine.boolean(_is_one(machine, state, wanted))


def check_finished(machine: Machine) -> None:
    """A generator with something to clean up must have ended: CPython would run its `finally` where the last reference
    to it goes, which is not followed here. It need not have if nothing can be seen of that."""
    for number, location in machine.unfinished.items():
        state = machine.heap.slots.get((number, "state"))
        states = alternatives(state) if state is not None else ()
        if all(one is _FINISHED or one is _START or _closes_quietly(machine, number, one) for one in states):
            continue
        if isinstance(state, Union):
            ended = logical_or(machine, _is_one(machine, state, FINISHED), _is_one(machine, state, START))
            refuse_where(machine, logical_not(machine, ended), "XP0002", _LEFT, _LEFT_HINT, location)
            continue
        refusal = Refused("XP0002", _LEFT, _LEFT_HINT)
        refusal.location = location
        raise refusal


def _closes_quietly(machine: Machine, number: int, state: Value | None) -> bool:
    """Whether a generator that is left in a state does nothing that can be seen when it is closed."""
    heap, region = machine.heap, machine.builder.region
    before, mark, operations = heap.slots, heap.next_identity, len(region.operations)
    if state is None or state is RUNNING:
        return False
    activation: Activation = heap.objects[number].details
    frames, pending, blockers = machine.frames, machine.pending, len(machine.blockers)
    machine.frames = [new_frame(activation.program, activation.globals, activation.path, activation.caller)]
    machine.pending = []
    heap.slots = {**before, (number, "state"): state}
    try:
        advance(machine, Ref(number), thrown=machine.exception(GeneratorExit))
        left = False
    except PythonError as error:
        left = machine.type_of(error.value) is GeneratorExit
    except (Refused, Interleaved):
        left = False
    finally:
        heap.slots = {slot: value for slot, value in heap.slots.items() if slot[0] != number}
        reference = {slot: value for slot, value in before.items() if slot[0] != number}
        quiet = not machine.pending and len(machine.blockers) == blockers
        quiet = quiet and not changes(machine, reference, mark)
        machine.frames, machine.pending, heap.slots = frames, pending, before
        heap.untold += 1
        del machine.blockers[blockers:], region.operations[operations:]
    return left and quiet
