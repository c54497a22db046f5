"""Calls whose result is known, since the same call has been interpreted before.

Libraries ask the same questions of the same objects over and over (is this name private, is that class abstract). A
call that changed nothing, made nothing and emitted nothing gives the same value again for the same arguments, as long
as all that it read is as it was.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xlapy.domain.heap import Slot
from xlapy.domain.values import Const, JaxArray, NumpyScalar, Ref, Scalar, Value

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

_COMPARED = (str, int, bool, types.NoneType)
_MOST_READS = 50


class Mark:
    """The state of a machine before a call."""

    __slots__ = ("changes", "journal", "operations", "outermost", "region", "start")

    def __init__(self, machine: Machine) -> None:
        heap, self.region = machine.heap, machine.builder.region
        self.outermost = heap.journal is None
        if heap.journal is None:
            heap.journal = []
        self.journal, self.start = heap.journal, len(heap.journal)
        self.changes, self.operations = heap.changes, len(self.region.operations)

    def leave(self, machine: Machine) -> None:
        """The call is over, one way or another."""
        if self.outermost:
            machine.heap.journal = None

    def pure(self, machine: Machine) -> bool:
        """Whether nothing has happened since."""
        return (
            machine.heap.changes == self.changes
            and machine.builder.region is self.region
            and len(self.region.operations) == self.operations
            and not machine.pending
            and not machine.blockers
            and len(self.journal) - self.start <= _MOST_READS
        )

    def reads(self) -> list[tuple[Slot, Value]]:
        """What the call has read."""
        return list(dict.fromkeys(self.journal[self.start :]))


class Memory:
    """The calls of one machine that were pure: their results, what they read, and what their keys name by identity."""

    def __init__(self) -> None:
        self._calls: dict[tuple, tuple[Value, list[tuple[Slot, Value]], Sequence[Value]]] = {}

    def recall(self, machine: Machine, key: tuple) -> Value | None:
        """The result of a call, if it is known."""
        found = self._calls.get(key)
        if found is None:
            return None
        read = machine.heap.read
        for (number, name), value in found[1]:
            if read(number, name) is not value:
                return None
        return found[0]

    def keep(self, machine: Machine, key: tuple, mark: Mark, result: Value, arguments: Sequence[Value]) -> None:
        """Remember a call that was pure."""
        if isinstance(result, Const | Ref | JaxArray | Scalar | NumpyScalar) and mark.pure(machine):
            self._calls[key] = (result, mark.reads(), arguments)


def key_of(function: object, args: Sequence[Value], kwargs: dict[str, Value]) -> tuple | None:
    """A key for a call with arguments that are known or are objects; None for others."""
    parts: list[object] = [id(function)]
    for value in (*args, *kwargs.values()) if kwargs else args:
        kind = type(value)
        if kind is Const:
            found = value.value  # type: ignore[attr-defined]
            parts.append((type(found), found) if type(found) in _COMPARED else id(found))
        elif kind is Ref:
            parts.append((Ref, value.object))  # type: ignore[attr-defined]
        else:
            return None
    return (*parts, *kwargs)
