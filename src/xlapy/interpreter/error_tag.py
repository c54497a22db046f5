"""The error tag: which exception on data came first; the host raises it after the run (see `ir.tags`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xlapy.dispatch import kinds
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.python import exceptions
from xlapy.domain.heap import STATE
from xlapy.domain.values import DEAD, Const, JaxArray, Ref, Text, Tuple, Union, Value, number_var
from xlapy.ir import Location, Var, constant_value

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

_INT32 = np.dtype(np.int32)


def flag(machine: Machine) -> Var | None:
    """Whether an error has been raised so far; None if none can have been."""
    if (STATE, "error") not in machine.heap.slots:
        return None
    known = constant_value(_tag(machine))
    if known is not None and not known:
        return None
    return machine.builder.elementwise("ne", _tag(machine), machine.builder.constant(0, _INT32))


def _tag(machine: Machine) -> Var:
    value = machine.heap.read(STATE, "error")
    return number_var(value)


def register(machine: Machine, bad: Var, exception: Value) -> None:
    """Set the error tag, and keep what the message needs, where `bad` is true and no error came before."""
    if isinstance(exception, Union):
        for index, alternative in enumerate(exception.alternatives):
            if not exceptions.is_exception(machine, alternative):
                # the register held a value on the paths that did not raise
                continue
            here = machine.builder.elementwise("eq", exception.selector, machine.builder.constant(index, _INT32))
            register(machine, machine.builder.elementwise("bitwise_and", bad, here), alternative)
        return
    args = exceptions.arguments(machine, exception)
    if isinstance(args, Union):
        for index, one in enumerate(args.alternatives):
            here = machine.builder.elementwise("eq", args.selector, machine.builder.constant(index, _INT32))
            _register(machine, machine.builder.elementwise("bitwise_and", bad, here), exception, one)
        return
    _register(machine, bad, exception, args)


def attributes_of(machine: Machine, exception: Value) -> tuple[tuple[str, Value], ...]:
    """What an exception that leaves the program has beside its arguments."""
    try:
        return exceptions.attributes(machine, exception)
    except Refused as refusal:
        refusal.location = refusal.location or place_of(machine, exception)
        raise


def _register(machine: Machine, bad: Var, exception: Value, arguments: Value) -> None:
    cls = kinds.type_of(machine, exception)
    if not isinstance(arguments, Tuple):
        raise Refused("XP0004", "an exception with arguments of unknown number")
    args, attributes = arguments.items, attributes_of(machine, exception)
    names = tuple(name for name, _ in attributes)
    shape = (*map(_kind_of_argument, args), names)
    key = (machine.location(), cls, shape)
    code = machine.error_codes.get(key)
    if code is None:
        machine.errors.append((cls, place_of(machine, exception)))
        code = machine.error_codes[key] = len(machine.errors)
    before = _tag(machine)
    fresh = machine.builder.elementwise("eq", before, machine.builder.constant(0, _INT32))
    first = machine.builder.elementwise("bitwise_and", bad, fresh)
    after = machine.builder.elementwise("select", first, machine.builder.constant(code, _INT32), before)
    payload = (STATE, f"payload{code}")
    old = machine.heap.slots.get(payload, DEAD)
    packed = Tuple((Tuple(args), *(Tuple((Const(name), value)) for name, value in attributes)))
    new: Value = packed
    if old is not DEAD:
        new = machine.cond(first, lambda: packed, lambda: old)
    machine.heap.write(STATE, f"payload{code}", new)
    machine.heap.write(STATE, "error", JaxArray(after))


def place_of(machine: Machine, exception: Value) -> Location | None:
    """Where an exception was raised."""
    raised = machine.heap.objects[exception.object].location if isinstance(exception, Ref) else None
    return raised or machine.location()


def adopt(machine: Machine, code: Var, payloads: dict[str, Value]) -> None:
    """Take over the error tag and payloads of a function that ran inside a JAX transformation."""
    before = _tag(machine)
    zero = machine.builder.constant(0, _INT32)
    fresh = machine.builder.elementwise("eq", before, zero)
    raised = machine.builder.elementwise("ne", code, zero)
    first = machine.builder.elementwise("bitwise_and", raised, fresh)
    after = machine.builder.elementwise("select", first, code, before)
    for name, value in payloads.items():
        old = machine.heap.slots.get((STATE, name), DEAD)
        new = value if old is DEAD else machine.cond(first, lambda v=value: v, lambda o=old: o)
        machine.heap.write(STATE, name, new)
    machine.heap.write(STATE, "error", JaxArray(after))


def _kind_of_argument(value: Value) -> object:
    """What arguments of exceptions must have in common to be kept in one place."""
    if isinstance(value, Text):
        return value.template
    if isinstance(value, Const) and isinstance(value.value, str | tuple):
        return value.value
    return type(value).__name__
