"""Iterators over deques, which notice that items came or went: deques count their changes once there is an iterator."""

from __future__ import annotations

import collections

from xlapy.dispatch.iterators.sequences import (
    Kind,
    Plan,
    Step,
    indexed_length,
    indexed_plan,
    indexed_step,
    loops,
    new,
)
from xlapy.dispatch.numbers.scalar_values import logical_and, refuse_where
from xlapy.domain.heap import CHANGES
from xlapy.domain.values import UNBOUND, Const, Ref, Scalar, Value
from xlapy.ir import Var

_CLASS = type(iter(collections.deque()))
_MESSAGE = "deque mutated during iteration"
_ZERO = Const(0)


def is_deque(machine, value: Value) -> bool:
    """Whether a value is a deque."""
    if not isinstance(value, Ref):
        return False
    info = machine.heap.objects[value.object]
    return info.kind == "list" and info.cls is collections.deque


def deque_iterator(machine, owner: Ref) -> Ref:
    """`iter(deque)`."""
    machine.counts_changes = True
    return new(machine, _DEQUE, _CLASS, source=owner, position=_ZERO, begun=_changes(machine, owner))


def note_change(machine, owner: Ref, how_many: Value) -> None:
    """So many items came into a deque or left it."""
    if machine.counts_changes:
        machine.heap.write(owner.object, CHANGES, machine.binary("+", _changes(machine, owner), how_many))


def _changes(machine, owner: Ref) -> Value:
    found = machine.heap.read(owner.object, CHANGES)
    return _ZERO if found is UNBOUND else found


def _changed(machine, number: int) -> bool | Var:
    """Whether the deque of an iterator has changed since the iteration began."""
    now, begun = _changes(machine, machine.heap.read(number, "source")), machine.heap.read(number, "begun")
    same = now is begun or isinstance(now, Scalar) and isinstance(begun, Scalar) and now.var is begun.var
    return False if same else machine.truth(machine.compare("!=", now, begun))


def _step(machine, number: int) -> Step:
    machine.check(_changed(machine, number), RuntimeError, _MESSAGE)
    return indexed_step(machine, number)


def _plan(machine, number: int) -> Plan | None:
    source, start = machine.heap.read(number, "source"), machine.heap.read(number, "position")
    if not loops(machine, source):
        return None
    inner = indexed_plan(machine, number, source, start)

    def element(k: Value) -> Value:
        machine.check(_changed(machine, number), RuntimeError, _MESSAGE)
        return inner.element(k)

    def finish(k: Value, ended: bool | Var) -> None:
        bad = logical_and(machine, _changed(machine, number), ended)
        if bad is not False:
            bad = bad if isinstance(bad, Var) else machine.builder.constant(True)
            refuse_where(machine, bad, "XP0004", "a deque changes in the last trip of a loop over it")
        inner.finish(k, ended)

    return Plan(inner.trips, element, finish)


_DEQUE = Kind("deque", _step, _plan, indexed_length)
