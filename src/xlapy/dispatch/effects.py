"""What a call has changed, for rules that call a function once where CPython may call it another number of times."""

from __future__ import annotations

from xlapy.domain.growable_lists import Overfull
from xlapy.domain.heap import STATE, Slot
from xlapy.domain.values import Value
from xlapy.ir import OURS
from xlapy.report import NotOffloadableError


def changes(machine, before: dict[Slot, Value], mark: int) -> bool:
    """Whether objects that were there when `mark` was the last identity differ from `before`; errors do not count."""
    heap = machine.heap
    for slot, value in heap.slots.items():
        if before.get(slot) is value or heap.made_since(slot[0], mark) or heap.objects[slot[0]].kind == "memo":
            continue
        if slot[0] != STATE or slot[1] != "error" and not slot[1].startswith("payload"):
            return True
    return False


class Trial:
    """A context in which something is done of which it is to be found out whether anybody can tell that it was done."""

    def __init__(self, machine) -> None:
        self._machine = machine

    def __enter__(self) -> Trial:
        machine = self._machine
        # what is raised before would be raised in the functions that are called
        self._pending, machine.pending = machine.pending, []
        self._state, self._before, self._mark = machine.save(), machine.heap.slots.copy(), machine.heap.next_identity
        return self

    def __exit__(self, *raised: object) -> None:
        self._machine.pending = [*self._pending, *self._machine.pending]

    def changes(self) -> bool:
        """Whether an object that was there before was changed."""
        return changes(self._machine, self._before, self._mark)

    def raises(self, in_ours: bool = True) -> bool:
        """Whether an exception may have been raised; a refusal during the run is never silent.

        Args:
            in_ours: whether checks count that are made in Python code of this package: for comparisons, they hold.
        """
        machine = self._machine
        if machine.pending:
            return True
        slots = machine.heap.slots.items()
        names = [slot[1] for slot, v in slots if slot[0] == STATE and self._before.get(slot) is not v]
        codes = [int(name.removeprefix("payload")) for name in names if name.startswith("payload")]
        errors = [machine.errors[code - 1] for code in codes]
        found = [place for cls, place in errors if cls not in (Overfull, NotOffloadableError)]
        return any(in_ours or place is None or not place.filename.startswith(OURS) for place in found)

    def take_back(self) -> None:
        """As if it had not been done."""
        self._machine.rewind(self._state)
