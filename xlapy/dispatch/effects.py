"""What a call has changed, for rules that call a function once where CPython may call it another number of times."""

from __future__ import annotations

from xlapy.domain.heap import STATE, Slot
from xlapy.domain.values import Value


def changes(machine, before: dict[Slot, Value], mark: int) -> bool:
    """Whether objects that were there when `mark` was the last identity differ from `before`; errors do not count."""
    heap = machine.heap
    for slot, value in heap.slots.items():
        if before.get(slot) is value or heap.made_since(slot[0], mark) or heap.objects[slot[0]].kind == "memo":
            continue
        if slot[0] != STATE or slot[1] != "error" and not slot[1].startswith("payload"):
            return True
    return False
