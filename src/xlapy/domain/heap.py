"""The abstract heap: objects with identity, whose contents are slots.

A slot is `(object, field)`. `initial` holds what the caller's world held at entry, loaded when first read, and is the
same on every path; `slots` holds what the program has changed or made, and is what branches copy and join.

    kind       fields
    buffer     <data>: JaxArray (the array's elements)
    list       <items>: Tuple, or a GrowableList
    dict, set  <items>: Mapping, or a GrowableList of pairs
    cell       value
    instance   one for each attribute (UNBOUND where there is none)
    iterator   as `interpreter.iteration` says
    globals    one for each global name

Names of fields that are no identifiers are those that no attribute or global variable of the program's can have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from xlapy.domain.attribute_order import AttributeOrder
from xlapy.domain.facts import Facts, Learn
from xlapy.domain.layouts import IN_ROWS, Layouts
from xlapy.domain.ownership import FREE, FROZEN, Moves, OwnedObjectChanged, Ownership
from xlapy.domain.sources import Source
from xlapy.domain.values import DEAD, STALE, TRUE, UNBOUND, Mapping, NdArray, Ref, Union, Value
from xlapy.ir import Location, Region, TensorType

Slot = tuple[int, str]

#: the object that holds the interpreter's own threaded state: fields `error`, `effects` and the payloads of errors
STATE = 0
#: the field of a deque that says how often items came or went
CHANGES = "<changes>"
#: the slot of a merged buffer with the number of the caller's array that it is, 0 if it is none
ORIGIN = "<origin>"


@dataclass(slots=True)
class Object:
    """What does not change about an object. `real` and `source` are set for objects of the caller's world;
    `lies` says how an array that the program has made lies in memory."""

    kind: str
    cls: type
    source: Source | None = None
    real: Any = None
    location: Location | None = None
    fields: set[str] = field(default_factory=set)
    details: Any = None
    lies: Layouts = IN_ROWS
    #: the type of an array's elements and how many there are, where somebody asks for it in another state of the heap
    base: TensorType | None = None
    #: the call that has made an array (the function, which item of what it gives, its arguments), until somebody asks
    #: how the array lies in memory (see `dispatch.arrays.memory_order`)
    maker: tuple[Any, int | None, Sequence[Value], dict[str, Value]] | None = None

    @property
    def found(self) -> Source:
        """Where an object of the caller's world was found."""
        assert self.source is not None
        return self.source


@dataclass(slots=True, eq=False)
class Borrow:
    """Where an object lies that was taken out of a growable list: in the container `owner`, at a position, `whole`
    being the item (of a dict: the value). What is changed of it is changed there.

    `number` is a heap object whose field `home` is true as long as the item is still there.
    """

    owner: int
    at: Value
    whole: Value
    number: int
    region: Region
    #: where what has been taken out lies (see `domain.ownership`), and the objects among it
    place: tuple[object, ...]
    made: tuple[int, ...]
    #: what the program asked for
    key: Value | None = None
    #: the iterator that has given the item, if one has: it gives each of the owner's items once
    iterator: int | None = None
    #: whether the owner has another name by now
    lost: bool = False


@dataclass(slots=True)
class Journal:
    """What happens to slots, in order: each with the value read, or with what was there before it was written, None if
    nothing had been written there."""

    reads: list[tuple[Slot, Value]] = field(default_factory=list)
    writes: list[tuple[Slot, Value | None]] = field(default_factory=list)


class Heap:
    """All objects of one compilation. `load(object, field)` fetches a slot of the caller's world."""

    def __init__(self, load: Callable[[int, str], Value], facts: Facts) -> None:
        self.facts = facts
        self.objects: dict[int, Object] = {STATE: Object("state", object)}
        #: those of the caller's world
        self.outside: list[int] = [STATE]
        self.initial: dict[Slot, Value] = {}
        self.slots: dict[Slot, Value] = {}
        #: arrays that may or may not be one object are taken for different ones until one of them is written
        self.entangled: set[int] = set()
        #: the same of containers and objects: whether that is allowed now, and for each of them those that may be the
        #: same one
        self.sharing = False
        #: objects that take the place of one of the caller's in a loop, with its number
        self.handed_over: dict[int, int] = {}
        self.shared: dict[int, set[int]] = {}
        #: where array objects of the caller's world were found, by identity
        self.found: dict[int, Source] = {}
        #: arrays of the caller's of which a merged buffer may be one, which its slot `ORIGIN` says
        self.origins: dict[int, frozenset[int]] = {}
        #: identities of array objects that are one of several
        self.joined: set[int] = set()
        #: identities of array objects that may be read-only by now, though the values that show them do not say so
        self.locked: set[int] = set()
        #: objects whose state lies in a growable list, or that must not be changed for another reason; like the slots,
        #: branches copy and join this. A class stands for objects of it that are in two places, of which it is not
        #: known which
        self.owned: dict[int | type, Ownership] = {}
        #: objects that were taken out of growable lists, and what stands for them
        self.taken: set[int] = set()
        #: objects of each class that were ever put into growable lists or taken out
        self._placed: dict[type, set[int]] = {}
        #: objects that were taken out of a growable list and may be changed, and for each container those of its items
        self.borrows: dict[int, Borrow] = {}
        self.borrowed: dict[int, list[Borrow]] = {}
        #: `give_back(number, field, value)` writes an object that lies in a growable list; False if that may not be
        self.give_back: Callable[[int, str, Value], bool] = lambda number, name, value: False
        #: `fetch(number, field)` reads a slot that is out of date where the object lies; None if that is not known
        self.fetch: Callable[[int, str], Value | None] = lambda number, name: None
        #: how often the items of each container may have come to lie elsewhere, also when an iterator was made
        self.scattered: dict[int, int] = {}
        self.begun: dict[int, int] = {}
        #: whether an object that several lists may get in an iteration of a loop is now taken to be in one
        self.hopes = False
        #: the container that gets an item
        self.receiver: int | None = None
        self.receives_first = False
        #: classes of objects that one container may hold twice
        self.doubled: set[type] = set()
        #: the borrows of which something is being given back
        self.giving: list[Borrow] = []
        #: whether items stay where they are in what is being written
        self.keeps_places = False
        #: whether some container may have one of several contents
        self.has_unions = False
        #: the order of the attributes of objects
        self.order = AttributeOrder()
        #: dicts that are the `__dict__` of an object: what they hold are its attributes, which these two read and write
        self.mirrors: dict[int, int] = {}
        self.reflected: Callable[[int], Value] = lambda number: UNBOUND
        self.reflect: Callable[[int, Value], None] = lambda number, contents: None
        self.load = load
        #: how an array lies in memory whose buffer holds such elements (see `dispatch.arrays.memory_order`)
        self.layouts: Callable[[NdArray, Value], Layouts] = lambda array, data: self.objects[array.buffer].lies
        self.next_identity = 1
        #: grows with every change of a slot and every object made
        self.changes = 0
        #: what has been read and written, while somebody wants to know
        self.journal: Journal | None = None
        #: grows with every change that the journal does not tell of
        self.untold = 0
        #: grows where the program asks which object one is
        self.identified = 0

    def identity(self) -> int:
        """A number no object has had."""
        self.next_identity += 1
        self.changes += 1
        return self.next_identity

    def new(
        self, kind: str, cls: type, location: Location | None = None, contents: Value | None = None, /, **fields: Value
    ) -> int:
        """A new object with the given fields; `contents` are the elements of a buffer, or what is in a container."""
        number = self.identity()
        self.objects[number] = Object(kind, cls, location=location)
        if contents is not None:
            self.write(number, "<data>" if kind == "buffer" else "<items>", contents)
        for name, value in fields.items():
            self.write(number, name, value)
        return number

    def external(self, kind: str, cls: type, source: Source, real: object) -> int:
        """An object of the caller's world."""
        number = self.identity()
        self.objects[number] = Object(kind, cls, source, real, fields={"<data>"} if kind == "buffer" else set())
        self.outside.append(number)
        return number

    def made_since(self, number: int, mark: int) -> bool:
        """Whether the program has made an object after the identity `mark` was given out. Objects of the caller's world
        have been there all the time, though they get a number when they are first met."""
        return number > mark and self.objects[number].source is None

    def read(self, number: int, name: str) -> Value:
        """The value of a slot; UNBOUND if the object has no such field."""
        if number in self.mirrors and name == "<items>":
            return self.reflected(self.mirrors[number])
        slot = (number, name)
        value = self.slots.get(slot) or self.initial.get(slot)
        if value is None:
            value = self.entry_value(number, name)
        if value is STALE:
            value = self.fetch(number, name)
            if value is None:
                raise OwnedObjectChanged(self.owned.get(number, Ownership()).loop)
            self.untold += 1
            self.slots[slot] = value
        if self.journal is not None:
            self.journal.reads.append((slot, value))
        return value

    def entries(self, number: int) -> dict[Any, Value]:
        """The entries of a dict with known keys."""
        contents = self.read(number, "<items>")
        assert isinstance(contents, Mapping)
        return contents.entries

    def watch(self) -> Journal:
        """The journal of what happens from now on."""
        if self.journal is None:
            self.journal = Journal()
        return self.journal

    def entry_value(self, number: int, name: str) -> Value:
        """The value of a slot of the caller's world before the program ran."""
        slot = (number, name)
        value = self.initial.get(slot)
        if value is None:
            changes = self.changes
            info = self.objects[number]
            value = DEAD if info.kind == "generator" else UNBOUND
            if info.source is not None:
                value = self.load(number, name)
            # The objects that this meets for the first time have been there all the time.
            self.changes = changes
            self.initial[slot] = value
        return value

    def write(self, number: int, name: str, value: Value) -> None:
        """Change a slot.

        Raises:
            Learn: the array may or may not be the same object as another one.
            OwnedObjectChanged: a growable list holds the object's state.
        """
        if number in self.entangled:
            raise Learn(Facts(aliases=True))
        if number in self.shared:
            raise self._told_apart()
        if number in self.owned:
            if not self.give_back(number, name, value):
                raise OwnedObjectChanged(self.owned[number].loop)
            return
        if number in self.mirrors and name == "<items>":
            self.reflect(self.mirrors[number], value)
            return
        self.store(number, name, value)

    def _told_apart(self) -> Learn:
        """What is learnt where a container or an object is written, or asked for, that may or may not be another."""
        return Learn(Facts(hands_over=True) if self.handed_over else Facts(shares=True))

    def store(self, number: int, name: str, value: Value) -> None:
        """Change a slot of an object that no growable list holds."""
        if name == "<items>" and not self.keeps_places:
            self.scatter(number)
        self.changes += 1
        info, slot = self.objects[number], (number, name)
        info.fields.add(name)
        before = self.slots.get(slot)
        if self.journal is not None:
            self.journal.writes.append((slot, before))
        if info.kind in ("instance", "function") and value is not UNBOUND:
            self._created(number, info, name, before)
        self.slots[slot] = value

    def _created(self, number: int, info: Object, name: str, before: Value | None) -> None:
        """Keep the order of attributes, if this is one that the object has not had on every path."""
        own = getattr(info.real, "__dict__", ()) if info.source is not None else ()
        if before is None and name in own:
            return
        if before is not None and before is not UNBOUND:
            if not isinstance(before, Union) or all(v is not UNBOUND for v in before.alternatives):
                return

        def has(other: str) -> bool:
            held = self.slots.get((number, other))
            return other in own if held is None else held is not UNBOUND

        if own:
            self.order.found(number, info.cls, tuple(own))
        self.order.created(number, info.cls, name, has, before is UNBOUND)

    def scatter(self, number: int) -> None:
        """The items of a container may lie elsewhere from now on."""
        self.scattered[number] = self.scattered.get(number, 0) + 1
        for borrow in self.borrowed.get(number, ()):
            if (borrow.number, "home") in self.slots:
                self.untold += 1
                self.slots[(borrow.number, "home")] = STALE

    def add_borrow(self, borrow: Borrow) -> None:
        """An item of a container is where a borrow says."""
        self.untold += 1
        self.slots[(borrow.number, "home")] = TRUE
        self.borrowed.setdefault(borrow.owner, []).append(borrow)

    def freeze(self, number: int) -> None:
        """An object must not be changed from now on."""
        self.hold(number, self.owned.get(number, Ownership()))

    def hold(self, number: int | type, ownership: Ownership) -> None:
        """An object is owned, or one of a class is in two places."""
        self.untold += 1
        self.owned[number] = ownership

    def release(self, number: int, ownership: Ownership | None) -> None:
        """An object to which nothing refers any more is owned as it was before, or not at all."""
        self.untold += 1
        if ownership is None:
            del self.owned[number]
        else:
            self.owned[number] = ownership

    def take_ownership(self, number: int, loop: object, where: tuple[object, ...]) -> bool:
        """An object is put into a growable list; whether it is in no other place."""
        self.show(number)
        if number in self.mirrors:
            self.freeze(self.mirrors[number])
        known = self.owned.get(number)
        if known is not None and known.where == where:
            return True
        within = known is not None and isinstance(where[0], Value) and known.where[0] == where[0]
        alone = known is None or known.where is FREE or within
        moved = not alone and self._moved(number, where)
        if alone or moved:
            self.hold(number, Ownership(loop, where))
        if not alone:
            mark = Ownership(loop, Moves(frozenset((moved,)), False) if moved else Moves())
            cls = self.objects[number].cls
            self.hold(cls, mark.joined(self.owned.get(cls)))
        return alone or moved is not None

    def may_move(self, number: int, where: tuple[object, ...]) -> bool:
        """Whether an item of another container is put into one that does not hold it yet."""
        return self._moved(number, where) is not None

    def _moved(self, number: int, where: tuple[object, ...]) -> tuple[int, int, int] | None:
        """What moves an item into another container: the iterator, its container and the other one. None if that might
        hold it twice."""
        borrow, known = self.borrows.get(number), self.owned.get(number)
        target = where[0].object if isinstance(where[0], Ref) else self.receiver
        if borrow is None or borrow.iterator is None or borrow.lost or target is None or target == borrow.owner:
            return None
        still = self.scattered.get(borrow.owner, 0) == self.begun.get(borrow.iterator)
        if not still or known is None or known.where[:1] != borrow.place[:1]:
            return None
        move, mark = (borrow.iterator, borrow.owner, target), self.owned.get(self.objects[number].cls)
        if mark is None:
            return move
        assert isinstance(mark.where, Moves)
        if move in mark.where.made:
            return move
        # what lies there may be what is being moved, unless nothing does
        others = any(into == target for _, _, into in mark.where.made)
        filled = self.receiver is not None and not self.receives_first
        return None if others or filled else move

    def settle(self, moves: Moves, name: Callable[[int], int | None], lasts: Callable[[int], bool]) -> Moves | None:
        """`Moves.at_head`; what was taken out of a container that has no name any more lies elsewhere."""
        for number in {n for move in moves.made for n in move[1:] if name(n) is None}:
            for borrow in self.borrowed.get(number, ()):
                borrow.lost = True
        return moves.at_head(name, lasts)

    def copied(self, classes: set[type]) -> None:
        """What a container holds of these classes is in another one, too, or lies elsewhere from now on."""
        for cls in classes & self.owned.keys():
            self.hold(cls, Ownership(self.owned[cls].loop, Moves()).joined(self.owned[cls]))

    def is_ahead(self, borrow: Borrow, number: int) -> bool:
        """Whether an object that may be in two growable lists is in that of a borrow alone: an iterator has just given
        it, and all that is in two growable lists is what the same one has moved before."""
        mark, known = self.owned[self.objects[number].cls].where, self.owned.get(number)
        if borrow.iterator is None or known is None or known.where[:1] != borrow.place[:1]:
            return False
        if self.scattered.get(borrow.owner, 0) != self.begun.get(borrow.iterator) or not isinstance(mark, Moves):
            return False
        return not mark.others and all(move[:2] == (borrow.iterator, borrow.owner) for move in mark.made)

    def is_free(self, number: int) -> bool:
        """Whether an object was taken out of the only growable list that it was in, and was put into no other."""
        known = self.owned.get(number)
        return known is not None and known.where is FREE and not self.is_twice(self.objects[number].cls)

    def is_twice(self, cls: type) -> bool:
        """Whether some object of a class is in two places."""
        return cls in self.owned

    def may_be_locked(self, array: NdArray) -> bool:
        """Whether an array may be read-only by now, though it was not when its value was made."""
        return array.writeable and array.identity in self.locked

    def show(self, number: int) -> None:
        """A growable list holds the state of an object."""
        self._placed.setdefault(self.objects[number].cls, set()).add(number)

    def outdate(self, but: set[int], classes: set[type]) -> None:
        """An item of a growable list is changed: what else may show it, of these classes, must not be read any more."""
        self.untold += 1
        for cls in classes:
            # what no growable list has held on this path, or holds any more, is another object
            shown = self._placed.get(cls, set()) & self.owned.keys() - but
            for number in {n for n in shown if not self.is_free(n)}:
                for name in self.objects[number].fields:
                    if (number, name) in self.slots:
                        self.slots[(number, name)] = STALE

    @contextmanager
    def owning(self, owned: dict[int | type, Ownership], hopes: bool = False) -> Iterator[None]:
        """What is put into growable lists meanwhile is owned in another state; `hopes` as the attribute."""
        outer, self.owned, self.hopes = (self.owned, self.hopes), owned, hopes
        try:
            yield
        finally:
            self.owned, self.hopes = outer

    def renamed(self, summary: int, number: int) -> None:
        """`summary` stands for an object from now on."""
        if number in self._placed.get(self.objects[number].cls, ()):
            self.show(summary)
        if number in self.taken:
            self.taken.add(summary)
        for borrow in self.borrowed.get(number, ()):
            borrow.lost = borrow.lost or summary != number

    def share(self, numbers: set[int]) -> bool:
        """Containers or objects may be one; whether that was known of them."""
        group = set(numbers).union(*(self.shared.get(n, ()) for n in numbers))
        known = all(self.shared.get(n) == group for n in group)
        self.shared.update(dict.fromkeys(group, group))
        return known

    def part(self, number: int) -> None:
        """A container or object that might have been another one is none of these after all."""
        group = self.shared.pop(number, set()) - {number}
        self.shared.update(dict.fromkeys(group, group))

    def may_be_items(self, first: int, second: int) -> bool:
        """Whether both objects may lie in growable lists, which do not tell which object an item was."""
        if self.objects[first].cls is not self.objects[second].cls:
            return False
        one, two = self.owned.get(first), self.owned.get(second)
        if one is None or two is None or FROZEN in (one.where, two.where) or not {first, second} & self.taken:
            return False
        return not one.where == two.where == FREE

    def is_callers_array(self, number: int) -> bool:
        """Whether an object is the memory of an array of NumPy's that the caller has."""
        info = self.objects[number]
        return info.source is not None and isinstance(info.real, np.ndarray)

    def are_two(self, first: NdArray, second: NdArray) -> bool:
        """Whether these are two array objects of the caller's, which may show the same memory."""
        return first.identity != second.identity and {first.identity, second.identity} <= self.found.keys()

    def tell_apart(self, first: int, second: int) -> None:
        """The program depends on whether two objects are one.

        Raises:
            Learn: that is not known.
        """
        if first != second and {first, second} <= self.entangled:
            raise Learn(Facts(aliases=True))
        if first != second and second in self.shared.get(first, ()):
            raise self._told_apart()
