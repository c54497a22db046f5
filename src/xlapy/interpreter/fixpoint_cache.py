"""Where the interpreter meets a loop again, which it does for every round of a loop around it, the head found the last
time is what it starts from. Without it each level of nesting would double the number of rounds.

What a round would find is rehearsed: the values that lay at the head are joined with those at entry as if an iteration
had left them there, by the rules that hold for any iteration. A guess that is too narrow costs a round, one that does
not fit is dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xlapy.domain.heap import Slot
from xlapy.domain.join import JoinFailure
from xlapy.domain.values import STALE, GrowableList, Hole, Value, references, renamed, variables
from xlapy.interpreter.frame import Tag

if TYPE_CHECKING:
    from xlapy.interpreter.loop_fixpoint import Head, LoopFixpoint


#: kinds of objects that may be a new one on each iteration, whose contents are all there is to know of them
_KINDS = frozenset(("buffer", "list", "dict", "set", "instance", "cell"))


class CachedHead(NamedTuple):
    """What is known of a loop's head without the state around it.

    `objects` are those named here that stand for another one on each iteration, with their contents.
    """

    registers: dict[int, Value]
    slots: dict[Slot, Value]
    objects: dict[int, dict[str, Value]]


def cached_head(fixpoint: LoopFixpoint, head: Head) -> CachedHead:
    """What is to be remembered of a loop's head: places that refer to nothing else than is remembered."""
    infos, contents = fixpoint.machine.heap.objects, {}
    for (number, field), value in head.slots.items():
        if number in head.entries and infos[number].kind in _KINDS:
            contents.setdefault(number, {})[field] = value

    def tells(skeleton: Value) -> bool:
        """Whether what is in a place can be told without the state around the loop."""
        alone = all(isinstance(v, Hole) for v in variables(skeleton)) and not isinstance(skeleton, GrowableList)
        return alone and skeleton is not STALE and contents.keys() >= set(references(skeleton))

    while lost := [n for n, fields in contents.items() if not all(map(tells, fields.values()))]:
        for number in lost:
            del contents[number]

    def differs(skeleton: Value) -> bool:
        """Whether what is in a place is not the same on every iteration."""
        return bool(variables(skeleton) or references(skeleton))

    registers = {r: v for r, v in head.registers.items() if differs(v) and tells(v)}
    slots = {s: v for s, v in head.slots.items() if s[0] not in head.entries and differs(v) and tells(v)}
    return CachedHead(registers, slots, contents)


def joined_with_cached(fixpoint: LoopFixpoint, head: Head, known: CachedHead) -> Head:
    """`head`, which is the state at entry, joined with what is known; `head` if that is not possible."""
    machine, entry = fixpoint.machine, fixpoint.entry
    heap, mark = machine.heap, machine.heap.next_identity
    made = {number: heap.new(heap.objects[number].kind, heap.objects[number].cls) for number in known.objects}

    def name(number: int) -> int:
        return made.get(number, number)

    registers, slots = entry.registers.copy(), entry.slots.copy()
    for register, skeleton in known.registers.items():
        if register in head.registers:
            registers[register] = renamed(skeleton, name)
    for slot, skeleton in known.slots.items():
        # objects that an enclosing loop made on its last round are gone
        if slot in entry.slots or heap.objects[slot[0]].source is not None:
            slots[slot] = renamed(skeleton, name)
    for number, contents in known.objects.items():
        heap.objects[made[number]].fields |= contents.keys()
        slots |= {(made[number], field): renamed(skeleton, name) for field, skeleton in contents.items()}
    at_end = entry._replace(registers=registers, slots=slots, tag=Tag(frozenset({fixpoint.node.label})))
    try:
        return fixpoint.generalise(head, entry.slots, at_end, mark)[0]
    except JoinFailure:
        return fixpoint.at_entry_head()
