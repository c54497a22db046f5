"""Exceptions as values: what is raised, its class, its arguments and its cause."""

from __future__ import annotations

from xlapy.dispatch import table
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.unions import over_unions
from xlapy.domain.exceptions import ABSENT, INITIALISED, NOTES
from xlapy.domain.values import (
    NONE,
    UNBOUND,
    Const,
    Ref,
    Tuple,
    Union,
    Value,
    as_ref,
)


def as_exception(machine: Machine, value: Value) -> Value:
    """What `raise value` raises: an instance, or an instance of a class."""
    if isinstance(value, Const) and isinstance(value.value, type) and issubclass(value.value, BaseException):
        return machine.call(value, ())
    if is_exception(machine, value):
        return value
    if isinstance(value, Union):
        return over_unions(machine, (value,), lambda v: as_exception(machine, v))
    return machine.raise_(TypeError, "exceptions must derive from BaseException")


def is_exception(machine: Machine, value: Value) -> bool:
    """Whether a value is an exception that can be raised as it is."""
    if isinstance(value, Const):
        return isinstance(value.value, BaseException)
    return isinstance(value, Ref) and issubclass(machine.heap.objects[value.object].cls, BaseException)


def exception_parts(machine: Machine, value: Value) -> tuple[type, tuple[Value, ...]]:
    """The class of an exception and its arguments."""
    if isinstance(value, Const):
        error = value.value
        return type(error), tuple(map(Const, error.args))
    args = machine.heap.read(as_ref(value).object, "args")
    return machine.heap.objects[as_ref(value).object].cls, args.items if isinstance(args, Tuple) else ()


def attributes(machine: Machine, value: Value) -> tuple[tuple[str, Value], ...]:
    """What an exception has beside its arguments, by name: attributes that were set, its cause, its notes."""
    if not isinstance(value, Ref):
        return ()
    heap = machine.heap
    found = {name: heap.read(value.object, name) for name in sorted(heap.objects[value.object].fields - {"args"})}
    for name, held in found.items():
        if isinstance(held, Union) and UNBOUND in held.alternatives:
            if name in (NOTES, "__cause__"):
                raise Refused("XP0004", f"an exception that has {name} on some paths only")
            known = tuple(Const(ABSENT) if part is UNBOUND else part for part in held.alternatives)
            found[name] = Union(held.selector, known)
    held = {name: v for name, v in found.items() if v is not UNBOUND and not (name == "__cause__" and v == NONE)}
    done = ((INITIALISED, NONE),) if heap.objects[value.object].details == INITIALISED else ()
    return (*done, *((name, _notes(machine, v) if name == NOTES else v) for name, v in held.items()))


def _notes(machine: Machine, notes: Value) -> Value:
    """The notes of an exception, as they are now."""
    return Tuple(tuple(machine.iterate(notes)))


@table.method(BaseException, "add_note")
def add_note(machine: Machine, error: Value, note: Value, /) -> Value:
    """`error.add_note(note)`."""
    if not isinstance(error, Ref):
        raise Refused("XP0003", "a note on an exception that was made outside")
    if not issubclass(machine.type_of(note), str):
        try:
            Exception().add_note(machine.static(note, "a note"))
        except TypeError as failure:
            return machine.reraise(failure)
    notes = machine.heap.read(error.object, NOTES)
    if isinstance(notes, Union):
        raise Refused("XP0004", "a note on an exception that has notes on some paths only")
    if notes is UNBOUND:
        machine.heap.write(error.object, NOTES, machine.new_list([note]))
    else:
        machine.call(machine.getattr(notes, "append"), (note,))
    return NONE
