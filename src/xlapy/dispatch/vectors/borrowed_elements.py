"""Objects that lie in a growable list and are changed there: `groups[k].append(x)`, `nodes[i].value += 1`.

    groups[k].append(x)
    nodes[i].value += 1
    row = table[i]; row[j] = v

A growable list holds its items by value (see `domain.growable_lists`). An object that is taken out is *borrowed*: what
is changed of it is put back where it lies, as long as it lies there. That is right only if nothing else refers to the
object, neither another row nor another growable list; such items are the growable list's *own* (`Stored.own`). What
else has been put in or taken out before and may show the same object is out of date after a change, and must not be
read (`values.STALE`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain import growable_lists
from xlapy.domain.heap import Borrow
from xlapy.domain.values import (
    STALE,
    TRUE,
    GrowableList,
    Mapping,
    NdArray,
    Ref,
    Tuple,
    Value,
)

#: rows of a container in a growable list at first
_GUESS = 8


def borrow(
    machine,
    owner: Ref,
    growable: GrowableList,
    at: Value,
    what: str = "items",
    key: Value | None = None,
    iterator: int | None = None,
) -> Value:
    """An item of a container at a position in range, which may be changed; of a dict, `what` ('values' or 'items') is
    taken out. `key` is what the program asked for, `iterator` the one that gives the item."""
    heap = machine.heap
    if not growable_lists.has_own(growable.element):
        return growable_list_items.item(
            machine, growable_lists.column(growable, what) if _is_dict(machine, owner) else growable, at
        )
    made: list[int] = []
    place: tuple[object, ...] = (object(),)
    if not _is_dict(machine, owner):
        found = whole = growable_list_items.item(machine, growable, at, made, place)
    else:
        whole = growable_list_items.item(machine, growable_lists.column(growable, "values"), at, made, (*place, 1))
        found = whole if what == "values" else Tuple((_key(machine, growable, at), whole))
    if made:
        number = heap.new("borrow", object)
        borrow = Borrow(owner.object, at, whole, number, machine.builder.region, place, tuple(made), key, iterator)
        heap.add_borrow(borrow)
        for one in made:
            heap.borrows[one] = borrow
    return found


def _is_dict(machine, owner: Ref) -> bool:
    return machine.heap.objects[owner.object].kind == "dict"


def _key(machine, growable: GrowableList, at: Value) -> Value:
    return growable_list_items.item(machine, growable_lists.column(growable, "keys"), at)


def lies_there(machine, owner: Ref, key: Value, value: Value) -> bool:
    """Whether a value is the item that has been borrowed for this very key: `groups[k] += [x]` puts back what is
    there."""
    number = _number(value)
    borrow = machine.heap.borrows.get(number) if number is not None else None
    if borrow is None or borrow.owner != owner.object or borrow.key is not key:
        return False
    return _number(borrow.whole) == number and _valid(machine, borrow)


def _number(value: Value) -> int | None:
    """The object that a value is, or the memory of which an array is the whole."""
    if isinstance(value, NdArray):
        return None if value.lenses else value.buffer
    return value.object if isinstance(value, Ref) else None


def doubled(machine, owner: Ref, value: Value) -> None:
    """A container gets an item that it may hold at another place, too: then it may not leave the program, as it would
    hold two copies."""
    heap = machine.heap
    number = _number(value)
    if number is None or number not in heap.owned:
        return
    borrow = heap.borrows.get(number)
    if borrow is not None and borrow.owner == owner.object:
        heap.doubled.update(heap.objects[n].cls for n in borrow.made)
    elif heap.owned[number].where[0] == owner:
        heap.doubled.add(heap.objects[number].cls)


def _valid(machine, borrow: Borrow) -> bool:
    heap = machine.heap
    home = heap.slots.get((borrow.number, "home"))
    return home is TRUE and not borrow.lost and machine.builder.sees(borrow.region)


def _home(machine, borrow: Borrow) -> GrowableList | None:
    """The growable list in which a borrow lies; None if it may lie elsewhere."""
    if not _valid(machine, borrow):
        return None
    growable = machine.heap.read(borrow.owner, "<items>")
    # what has been read may have been out of date, and the item with it
    return growable if isinstance(growable, GrowableList) and _valid(machine, borrow) else None


def fetch(machine, number: int, name: str) -> Value | None:
    """A slot of an object that lies in a growable list, since something else was changed there that may be the same
    object; None if it may lie elsewhere, or other objects lie in it."""
    heap = machine.heap
    borrow = heap.borrows.get(number)
    if borrow is None or heap.giving or _number(borrow.whole) != number or len(borrow.made) > 1:
        return None
    growable = _home(machine, borrow)
    if growable is None:
        return None
    row = growable_lists.column(growable, "values") if heap.objects[borrow.owner].kind == "dict" else growable
    lying = growable_list_items.item(machine, row, borrow.at)
    there = _number(lying)
    value = heap.read(there, name) if there is not None else None
    if value is None or _refers(value):
        return None
    if name == "<items>":
        heap.scatter(number)
    return value


def _refers(value: Value) -> bool:
    """Whether there are objects among values."""
    return isinstance(value, Ref | NdArray) or any(_refers(p) for p in value.children() if isinstance(p, Value))


def give_back(machine, number: int, name: str, value: Value) -> bool:
    """Write a slot of an object that lies in a growable list, or was taken out of the only one; False if that may not
    be."""
    heap = machine.heap
    if heap.is_free(number):
        _change(machine, number, name, value)
        # what showed it while it lay there is out of date
        heap.outdate({number}, {heap.objects[number].cls})
        return True
    borrow = heap.borrows.get(number)
    growable = _home(machine, borrow) if borrow is not None else None
    if borrow is None or growable is None:
        return False
    if not heap.giving:
        _outdate_others(machine, borrow)
    _change(machine, number, name, value)
    outermost = not heap.giving
    heap.giving.append(borrow)
    kept, heap.keeps_places = heap.keeps_places, True
    try:
        item = borrow.whole
        if heap.objects[borrow.owner].kind == "dict":
            item = Tuple((_key(machine, growable, borrow.at), item))
        heap.write(borrow.owner, "<items>", growable_list_items.put(machine, growable, borrow.at, item, borrow.place))
        if outermost:
            current = {n for one in heap.giving for n in (*one.made, one.owner)}
            heap.outdate(current, {heap.objects[n].cls for n in current if n in heap.owned})
    finally:
        heap.keeps_places = kept
        if outermost:
            heap.giving.clear()
    return True


def _outdate_others(machine, borrow: Borrow) -> None:
    """What is changed in one container may lie in another one, too, which is out of date then."""
    heap = machine.heap
    classes = {heap.objects[n].cls for n in borrow.made if heap.is_twice(heap.objects[n].cls)}
    if all(heap.is_ahead(borrow, n) for n in borrow.made if heap.objects[n].cls in classes):
        return
    homes: set[int] = set()
    home: Borrow | None = borrow
    while home is not None:
        homes.add(home.owner)
        home = heap.borrows.get(home.owner)
    for slot, value in list(heap.slots.items()):
        if slot[0] not in homes and growable_lists.classes_of(value) & classes:
            heap.untold += 1
            heap.slots[slot] = STALE
    for cls in classes:
        del heap.owned[cls]


def _change(machine, number: int, name: str, value: Value) -> None:
    heap = machine.heap
    if name == "<items>":
        value = _with_room(machine, heap.slots.get((number, name)), value)
    heap.store(number, name, value)


def _with_room(machine, before: Value | None, value: Value) -> Value:
    """New contents of a container in a growable list, with room to grow where it has grown."""
    if isinstance(before, Tuple | Mapping) and isinstance(value, Tuple | Mapping):
        if _shape(before) == _shape(value):
            return value
        items = growable_lists.items_of(value)
        value = growable_list_items.of_items(
            machine, items, growable_list_items.common_element(machine, (*items, *growable_lists.items_of(before)))
        )
    if (
        isinstance(value, GrowableList)
        and isinstance(before, GrowableList)
        and growable_lists.sizes(value) == growable_lists.sizes(before)
    ):
        return value
    if isinstance(value, GrowableList) and value.elastic is None:
        guess = ("items", machine.builder.location())
        room = max(machine.capacities.get(guess, _GUESS), value.capacity)
        machine.guesses[guess] = room
        grown = growable_list_items.resized(machine, value, room)
        return GrowableList(grown.element, grown.rows, grown.length, room, guess, grown.loop, grown.added)
    return value


def _shape(contents: Tuple | Mapping) -> object:
    return len(contents.items) if isinstance(contents, Tuple) else list(contents.entries)


@contextlib.contextmanager
def receiving(machine, container: Ref, growable: GrowableList) -> Iterator[None]:
    """Within this context, a container with these contents gets an item."""
    heap = machine.heap
    heap.receiver, heap.receives_first = container.object, growable_lists.sizes(growable) == (0, 0)
    try:
        yield
    finally:
        heap.receiver, heap.receives_first = None, False


def share(machine, container: Value) -> None:
    """Another container gets the items of one, too: from now on they are nobody's own."""
    if isinstance(container, Ref):
        contents = machine.heap.read(container.object, "<items>")
        if isinstance(contents, GrowableList):
            machine.heap.copied(growable_lists.classes_of(contents))
        if isinstance(contents, GrowableList) and growable_lists.has_own(contents.element):
            machine.heap.write(container.object, "<items>", growable_lists.disowned(contents))
