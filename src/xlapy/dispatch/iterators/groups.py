"""itertools.groupby: a generator that looks for the end of a group before it gives the group out.

CPython asks for the key of an item when the group gets there; here it has been asked for before. Nobody can tell the
difference if that changes nothing and cannot fail, which is checked.
"""

from __future__ import annotations

import itertools

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.iterators import iteration, sequences
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors import equality, growable_list_items
from xlapy.domain.growable_lists import Overfull
from xlapy.domain.heap import STATE
from xlapy.domain.values import NONE, Const, NdArray, Range, Ref, Tuple, Value, is_none
from xlapy.report import NotOffloadableError

#: items of a known sequence of which the groups may be found when the program is compiled
_SHORT = 256
#: objects of which nobody but an iterator sees the state
_PRIVATE = ("iterator", "generator", "frame")


class _Group:
    """The items from `start` up to `stop`, as long as nobody asks for the next group."""

    def __init__(self, owner, items, start, stop):
        self.owner = owner
        self.number = owner.number
        self.items = items
        self.start = start
        self.stop = stop
        self.begun = False

    def __iter__(self):
        if self.begun:
            _begun_again()
        self.begun = True
        stop = self.stop if self.owner.number == self.number else self.start
        return iter(self.items[self.start : stop])

    def __next__(self):
        if self.begun:
            _begun_again()
        if self.owner.number != self.number or self.start >= self.stop:
            raise StopIteration
        self.start += 1
        return self.items[self.start - 1]


class _Owner:
    """What the groups of one call have in common: how many there were."""

    def __init__(self):
        self.number = 0


def _begun_again():
    raise NotImplementedError


@registry.function(_begun_again)
def _refuse(machine) -> Value:
    raise Refused("XP0002", "a group of itertools.groupby that is iterated over again", "make a list of it")


def _groups(items, key):
    owner = _Owner()
    start, count = 0, len(items)
    while start < count:
        value = _key_of(key, _item(items, start))
        stop = start + 1
        while stop < count and _key_of(key, _item(items, stop)) == value:
            stop += 1
        owner.number += 1
        _remember(owner, items)
        yield value, _Group(owner, items, start, stop)
        _compare(owner, items)
        start = stop
    owner.number += 1


def _known_groups(items, keys, bounds):
    owner = _Owner()
    for start, stop in bounds:
        owner.number += 1
        _remember(owner, items)
        yield keys[start], _Group(owner, items, start, stop)
        _compare(owner, items)
    owner.number += 1


def _item(items, position):
    raise NotImplementedError


@registry.function(_item)
def _item_at(machine, items: Value, position: Value) -> Value:
    """`items[position]` for a position in range."""
    return sequences.item_of(machine, items, sequences.inside(machine, position, items))


def _remember(owner, items):
    raise NotImplementedError


@registry.function(_remember)
def _remembered(machine, owner: Ref, items: Value) -> Value:
    machine.heap.objects[owner.object].details = _state(machine, items)
    return NONE


def _compare(owner, items):
    raise NotImplementedError


@registry.function(_compare)
def _compared(machine, owner: Ref, items: Value) -> Value:
    """Refuse a change of a sequence while its groups are iterated over."""
    if machine.heap.objects[owner.object].details is not _state(machine, items):
        raise Refused("XP0002", "itertools.groupby of a sequence that is changed meanwhile", "iterate over a copy")
    return NONE


def _state(machine, items: Value) -> Value | None:
    if isinstance(items, NdArray):
        return machine.heap.read(items.buffer, "<data>")
    return machine.heap.read(items.object, "<items>") if isinstance(items, Ref) else None


def _key_of(key, item):
    raise NotImplementedError


@registry.function(_key_of)
def _asked(machine, key: Value, item: Value) -> Value:
    """The key of an item; refused if somebody can tell when it is asked for."""
    return item if is_none(key) else _unseen(machine, lambda: machine.call(key, [item]))


def _unseen(machine, action) -> Value:
    """The value of an action that changes nothing that was there before, and cannot fail."""
    before, pending = machine.heap.slots.copy(), len(machine.pending)
    value = action()
    changed = [slot for slot, now in machine.heap.slots.items() if before.get(slot) is not now]
    if len(machine.pending) > pending or any(_is_seen(machine, slot, slot in before) for slot in changed):
        what = "itertools.groupby whose keys or items change or print something, or may raise on data"
        raise Refused("XP0002", what, "make a list of the keys first, and group that")
    return value


def _is_seen(machine, slot: tuple[int, str], old: bool) -> bool:
    """Whether the program can tell that a slot was changed. A refusal during the run is never silent, and that a list
    needs more room is the host's business."""
    number, name = slot
    if number != STATE:
        return old and machine.heap.objects[number].kind not in _PRIVATE
    if name.startswith("payload"):
        cls, _ = machine.errors[int(name.removeprefix("payload")) - 1]
        return cls not in (Overfull, NotOffloadableError)
    return name != "error"


@registry.function(itertools.groupby)
def groupby(machine, iterable: Value, key: Value = NONE) -> Value:
    """`itertools.groupby(iterable, key)`."""
    items = _sequence(machine, iterable)
    known = _known(machine, items, key)
    if known is not None:
        return machine.call(Const(_known_groups), [items, *known])
    if isinstance(items, Tuple):
        items = machine.call(Const(list), [items])
    return machine.call(Const(_groups), [items, key])


def _sequence(machine, iterable: Value) -> Value:
    """An iterable as a sequence that can be sliced."""
    if isinstance(iterable, Tuple | Range | NdArray) or kinds.heap_kind(machine, iterable) == "list":
        return iterable
    if isinstance(iterable, Const) and isinstance(iterable.value, str | tuple | range):
        return sequences.constant_sequence(machine, iterable) or iterable
    return _unseen(machine, lambda: machine.call(Const(list), [iterable]))


def _known(machine, items: Value, key: Value) -> list[Tuple] | None:
    """The keys of all items, and where the groups begin and end, if that is known."""
    if (
        isinstance(items, NdArray | Range)
        or isinstance(items, Ref)
        and growable_list_items.of(machine, items) is not None
    ):
        return None
    found = iteration.items(machine, items)
    if len(found) > _SHORT or not all(map(machine.is_static, found)) and is_none(key):
        return None
    keys: list[Value] = [_asked(machine, key, item) for item in found]
    bounds, start = [], 0
    for stop in range(1, len(keys) + 1):
        same = stop < len(keys) and equality.same_item(machine, keys[start], keys[stop])
        if not isinstance(same, bool):
            return None
        if not same:
            bounds.append(Const((start, stop)))
            start = stop
    return [Tuple(tuple(keys)), Tuple(tuple(bounds))]
