"""Exceptions as values: what is raised, its class, its arguments and its cause."""

from __future__ import annotations

from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.unions import over_unions
from xlapy.domain.values import (
    NONE,
    UNBOUND,
    Const,
    Ref,
    Tuple,
    Union,
    Value,
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
        return type(error), tuple(map(Const, error.args))  # type: ignore[attr-defined]
    args = machine.heap.read(value.object, "args")  # type: ignore[attr-defined]
    return machine.heap.objects[value.object].cls, args.items if isinstance(args, Tuple) else ()  # type: ignore[attr-defined]


def cause(machine: Machine, value: Value) -> Value:
    """The exception that another one was raised from, or None."""
    if isinstance(value, Ref):
        found = machine.heap.read(value.object, "__cause__")
        return NONE if found is UNBOUND else found
    return NONE
