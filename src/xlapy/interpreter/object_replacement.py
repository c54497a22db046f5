"""An array object that changes its own shape or flags: every place that refers to it sees the new one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xlapy.dispatch.protocol import Refused
from xlapy.domain.facts import Facts, Learn
from xlapy.domain.values import NdArray, Union, Value
from xlapy.interpreter.merge import detail_values

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine


def replace_array(machine: Machine, old: NdArray, new: NdArray) -> None:
    """Put `new` in the place of the array object `old`. Where calling functions refer to it, too, and only its flags
    are others, it must not be written there.

    Raises:
        Refused: the object is the caller's, or a calling function may refer to it too.
        Learn: the array may or may not be the same object as another one.
    """
    heap, frame = machine.heap, machine.frame
    if old.buffer in heap.entangled:
        raise Learn(Facts(aliases=True))
    elsewhere = [v for f in machine.frames[:-1] for v in f.registers]
    elsewhere += [v for o in heap.objects.values() for v in detail_values(o.details)]
    elsewhere += heap.initial.values()
    replaced = NdArray(new.buffer, new.lenses, new.type, old.identity, new.writeable)

    def visit(value: Value) -> Value:
        if isinstance(value, NdArray):
            if value.identity == old.identity:
                return replaced
            if _perhaps_same(value, old):
                raise _refusal()
        parts = value.children()
        changed = tuple(visit(p) if isinstance(p, Value) else p for p in parts)
        if all(a is b for a, b in zip(parts, changed, strict=True)):
            return value
        if isinstance(value, Union):
            raise _refusal()
        return value.rebuilt(changed)

    if heap.objects[old.buffer].source is not None and not old.lenses:
        raise _refusal()
    if new.lenses == old.lenses and new.type == old.type:
        for value in elsewhere:
            heap.locked.update(_identities(value, old))
    elif any(visit(value) is not value for value in elsewhere):
        raise _refusal()
    registers = [visit(value) for value in frame.registers]
    slots = {slot: visit(value) for slot, value in heap.slots.items()}
    frame.registers[:] = registers
    heap.untold += 1
    heap.slots.update(slots)


def _identities(value: Value, old: NdArray) -> Iterator[int]:
    """The identities of array objects in a value that are `old`, or may be."""
    if isinstance(value, NdArray):
        if value.identity == old.identity or _perhaps_same(value, old):
            yield value.identity
        return
    for part in value.children():
        if isinstance(part, Value):
            yield from _identities(part, old)


def _perhaps_same(value: NdArray, old: NdArray) -> bool:
    """Whether two values of different identity may be one object: joins of paths give a new identity."""
    return (
        value.buffer == old.buffer
        and value.type == old.type
        and [(x.kind, x.params) for x in value.lenses] == [(x.kind, x.params) for x in old.lenses]
    )


def _refusal() -> Refused:
    return Refused(
        "XP0010",
        "assigning the shape or a flag of an array that others may refer to is not supported",
        "use array.reshape(...)",
    )
