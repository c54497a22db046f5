"""Iterators over deques, which notice that items came or went: deques count their changes once there is an iterator."""

from __future__ import annotations

import collections

from xlapy.dispatch.iterators.sequences import (
    INDEXED,
    Kind,
    Plan,
    Step,
    new,
)
from xlapy.dispatch.numbers.scalar_values import logical_and, refuse_where
from xlapy.domain.heap import CHANGES
from xlapy.domain.values import UNBOUND, Const, Ref, Scalar, Value
from xlapy.ir import Var

_CLASS, _REVERSED_CLASS = type(iter(collections.deque())), type(reversed(collections.deque()))
_BACKWARDS: dict[Kind, Kind] = {}
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


def reversed_deque(machine, owner: Ref, backwards: Kind, left: Value) -> Ref:
    """`reversed(deque)`, given how a list is gone through backwards and how many items are left."""
    machine.counts_changes = True
    kind = _BACKWARDS.setdefault(backwards, _noticing(backwards))
    return new(machine, kind, _REVERSED_CLASS, source=owner, left=left, begun=_changes(machine, owner))


def note_change(machine, owner: Ref, how_many: Value) -> None:
    """So many items came into a list or left it; those of deques are counted."""
    if machine.counts_changes and is_deque(machine, owner):
        machine.heap.write(owner.object, CHANGES, machine.binary("+", _changes(machine, owner), how_many))


def _changes(machine, owner: Ref) -> Value:
    found = machine.heap.read(owner.object, CHANGES)
    return _ZERO if found is UNBOUND else found


def _changed(machine, number: int) -> bool | Var:
    """Whether the deque of an iterator has changed since the iteration began."""
    now, begun = _changes(machine, machine.heap.read(number, "source")), machine.heap.read(number, "begun")
    same = now is begun or isinstance(now, Scalar) and isinstance(begun, Scalar) and now.var is begun.var
    return False if same else machine.truth(machine.compare("!=", now, begun))


def _noticing(kind: Kind) -> Kind:
    """An iterator over a sequence, as one over a deque."""

    def step(machine, number: int) -> Step:
        machine.check(_changed(machine, number), RuntimeError, _MESSAGE)
        return kind.step(machine, number)

    def plan(machine, number: int) -> Plan | None:
        inner = kind.plan(machine, number)
        if inner is None:
            return None
        iterations, item = inner.iterations, inner.element

        def element(k: Value) -> Value:
            machine.check(_changed(machine, number), RuntimeError, _MESSAGE)
            return item(k)

        def finish(k: Value, ended: bool | Var) -> None:
            bad = logical_and(machine, _changed(machine, number), ended)
            if bad is not False:
                bad = bad if isinstance(bad, Var) else machine.builder.constant(True)
                refuse_where(machine, bad, "XP0004", "a deque changes in the last trip of a loop over it")
            inner.finish(k, ended)

        return Plan(iterations, element, finish)

    return Kind(kind.name, step, plan, kind.known_length)


_DEQUE = _noticing(INDEXED)
