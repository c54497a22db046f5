"""Calls whose result is known, since the same call has been interpreted before.

Libraries ask the same questions of the same objects over and over (is this name private, is that class abstract), and
make the same helper objects (a bound method, a view of a module). A call that emitted nothing, and changed nothing that
was there before, gives the same value again for the same arguments, as long as all that it read is as it was. The
objects that it made, and that its result refers to, are made anew.

The layers of a network are many objects of few classes; `equivalent_objects` gives what a call gave for one of them for
others.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xlapy.dispatch.identities import Identity
from xlapy.domain.heap import Heap, Object, Slot
from xlapy.domain.join import unchanged
from xlapy.domain.unordered_keys import Unordered
from xlapy.domain.values import (
    UNBOUND,
    BoundMethod,
    Const,
    Function,
    JaxArray,
    Mapping,
    NumpyScalar,
    Ref,
    Scalar,
    Tuple,
    Value,
)
from xlapy.interpreter import equivalent_objects

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

_COMPARED = (str, int, bool, types.NoneType)
#: reads that a call is remembered with, if it made nothing, and if it did
_MOST_READS, _MOST_READS_TO_MAKE = 50, 500
#: kinds of objects that can be made again from their slots
_MADE_AGAIN = frozenset(("instance", "list", "dict"))
#: what a call may give that is remembered, tuples that it has found excepted
_RESULTS = frozenset((Const, Ref, JaxArray, Scalar, NumpyScalar))


class Mark:
    """The state of a machine before a call."""

    __slots__ = (
        "changes", "identified", "identity", "journal", "operations", "outermost", "reads", "region", "registered",
        "untold", "writes",
    )  # fmt: skip

    def __init__(self, machine: Machine) -> None:
        heap, self.region = machine.heap, machine.builder.region
        self.outermost = heap.journal is None
        self.journal = heap.watch()
        self.reads, self.writes = len(self.journal.reads), len(self.journal.writes)
        self.changes, self.operations = heap.changes, len(self.region.operations)
        self.identity, self.untold, self.identified = heap.next_identity, heap.untold, heap.identified
        self.registered = machine.registered()

    def leave(self, machine: Machine) -> None:
        """The call is over, one way or another."""
        if self.outermost:
            machine.heap.journal = None

    def quiet(self, machine: Machine) -> bool:
        """Whether nothing has been emitted since, or come to pass that the journal does not tell of."""
        return (
            machine.builder.region is self.region
            and len(self.region.operations) == self.operations
            and machine.heap.untold == self.untold
            and not machine.pending
            and not machine.blockers
            and machine.registered() == self.registered
        )


@dataclass(slots=True)
class _Call:
    """A remembered call: what it gave, what that depends on, what it made, and the arguments, which are kept alive."""

    result: Value
    reads: list[tuple[Slot, Value]]
    #: the objects that were looked at, each with how many fields it had
    seen: list[tuple[Object, int]]
    arguments: Sequence[Value]
    made: list[tuple[int, Object, list[tuple[str, Value]]]]


class Memory:
    """The calls of one machine that can be given again."""

    def __init__(self) -> None:
        self._calls: dict[tuple, _Call] = {}
        self._alike = equivalent_objects.Memory()

    def recall(self, machine: Machine, key: tuple) -> Value | None:
        """The result of a call, if it is known."""
        found = self._calls.get(key)
        if found is None:
            return self._alike.recall(machine, key)
        for info, fields in found.seen:
            if len(info.fields) != fields:
                return None
        heap = machine.heap
        read = heap.read
        for (number, name), value in found.reads:
            if read(number, name) is not value:
                return None
        return _again(machine, found) if found.made else found.result

    def keep(self, machine: Machine, key: tuple, mark: Mark, result: Value, arguments: Sequence[Value]) -> None:
        """Remember a call, if it can be given again."""
        heap = machine.heap
        if not mark.quiet(machine) or not _is_same_again(result, mark):
            return
        reads = mark.journal.reads[mark.reads :]
        pure, made = heap.changes == mark.changes, []
        if len(reads) > (_MOST_READS if pure else _MOST_READS_TO_MAKE):
            return
        if not pure:
            before = _written(heap, mark)
            contents = None if before is None else _contents(heap, mark, result)
            if before is None or contents is None:
                return
            made = contents
            reads = _undone(heap, mark, reads, before)
        reads = dict.fromkeys(reads)
        numbers = {slot[0] for slot, _ in reads}
        numbers.update(value.object for value in arguments if type(value) is Ref)
        if not pure:
            for value in (*arguments, *(value for _, value in reads)):
                if type(value) is not Const:
                    numbers.update(_objects(value))
        seen = [(heap.objects[n], len(heap.objects[n].fields)) for n in numbers if n in heap.objects]
        self._calls[key] = _Call(result, list(reads), seen, arguments, made)
        if pure and heap.identified == mark.identified:
            self._alike.keep(heap, key, result, reads, arguments)


def _is_same_again(result: Value, mark: Mark) -> bool:
    """Whether the result of a call may be given twice: a tuple may if the call has found it, not made it."""
    if isinstance(result, Tuple):
        return any(value is result for _, value in mark.journal.reads[mark.reads :])
    return type(result) in _RESULTS


def _written(heap: Heap, mark: Mark) -> dict[Slot, tuple[Value | None, Value]] | None:
    """The slots of older objects that a call has written, each with what was in the heap before, if anything, and the
    value that it had; None if one has another value now."""
    before: dict[Slot, tuple[Value | None, Value]] = {}
    for slot, old in mark.journal.writes[mark.writes :]:
        if slot not in before and not heap.made_since(slot[0], mark.identity):
            before[slot] = (old, heap.entry_value(*slot) if old is None else old)
    for slot, (_, value) in before.items():
        if slot in heap.slots and not unchanged(value, heap.slots[slot]):
            return None
    return before


def _undone(
    heap: Heap, mark: Mark, reads: list[tuple[Slot, Value]], before: dict[Slot, tuple[Value | None, Value]]
) -> list[tuple[Slot, Value]]:
    """What a call has read of older objects, once these hold the values again that they had `before` it, if it has
    written others."""
    for slot, (old, value) in before.items():
        if old is None:
            heap.slots.pop(slot, None)
        else:
            heap.slots[slot] = value
    outside = [read for read in reads if read[0] not in before and not heap.made_since(read[0][0], mark.identity)]
    return outside + [(slot, value) for slot, (_, value) in before.items()]


def _contents(heap: Heap, mark: Mark, result: Value) -> list[tuple[int, Object, list[tuple[str, Value]]]] | None:
    """The objects that a call has made and that its result refers to, with what is in them; None if they cannot be made
    again."""
    fields: dict[int, dict[str, None]] = {}
    for (number, name), _ in mark.journal.writes[mark.writes :]:
        fields.setdefault(number, {})[name] = None
    made: dict[int, tuple[int, Object, list[tuple[str, Value]]]] = {}
    todo = [result]
    while todo:
        value = todo.pop()
        if not _is_plain(value):
            return None
        for number in _objects(value):
            if not heap.made_since(number, mark.identity) or number in made:
                continue
            info = heap.objects[number]
            if info.kind not in _MADE_AGAIN or info.details is not None:
                return None
            slots = [(name, heap.slots[(number, name)]) for name in fields.get(number, ())]
            made[number] = (number, info, slots)
            todo += [value for _, value in slots]
    return [made[number] for number in sorted(made)]


def _is_plain(value: Value) -> bool:
    """Whether a value can be made again with other objects in the place of those that it refers to."""
    match value:
        case Const():
            return not isinstance(value.value, Identity | frozenset | tuple)
        case Mapping(entries=Unordered()):
            return False
        case Mapping():
            keys = all(isinstance(key, Ref | str | int | float | types.NoneType) for key in value.entries)
            return keys and value.history is None and all(map(_is_plain, value.entries.values()))
        case Tuple():
            return all(map(_is_plain, value.children()))
        case BoundMethod():
            return _is_plain(value.function) and _is_plain(value.self)
    return value is UNBOUND or isinstance(value, Ref | JaxArray | Scalar | NumpyScalar)


def _objects(value: Value) -> Iterator[int]:
    """The objects that a value refers to, keys and the attributes of functions among them."""
    if isinstance(value, Ref):
        yield value.object
        return
    if isinstance(value, Mapping):
        for key in dict.keys(value.entries):
            if isinstance(key, Ref):
                yield key.object
    if isinstance(value, Function) and value.namespace:
        yield value.namespace
    for part in value.children():
        if isinstance(part, Value):
            yield from _objects(part)


def _again(machine: Machine, found: _Call) -> Value:
    """The result of a remembered call, with the objects that it refers to made anew."""
    heap, place = machine.heap, machine.location()
    numbers = {number: heap.new(info.kind, info.cls, place) for number, info, _ in found.made}
    for number, _, slots in found.made:
        for name, value in slots:
            heap.write(numbers[number], name, _renamed(value, numbers))
    return _renamed(found.result, numbers)


def _renamed(value: Value, numbers: dict[int, int]) -> Value:
    match value:
        case Ref():
            return Ref(numbers[value.object]) if value.object in numbers else value
        case Tuple():
            return value.mapped(lambda part: _renamed(part, numbers))
        case Mapping():
            entries = {_renamed(k, numbers) if isinstance(k, Ref) else k: v for k, v in value.entries.items()}
            return Mapping({k: _renamed(v, numbers) for k, v in entries.items()}, value.history)
        case BoundMethod():
            return BoundMethod(_renamed(value.function, numbers), _renamed(value.self, numbers))
    return value


def key_of(function: object, args: Sequence[Value], kwargs: dict[str, Value]) -> tuple | None:
    """A key for a call with arguments that are known or are objects; None for others."""
    parts: list[object] = [id(function)]
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, Const):
            found = value.value
            parts.append((type(found), found) if type(found) in _COMPARED else id(found))
        elif isinstance(value, Ref):
            parts.append((Ref, value.object))
        else:
            return None
    return (*parts, *kwargs)
