"""Lists that grow in a loop that stays a loop: how much room they need, and what is known of their length.

From one round of a loop's analysis to the next, `Growing` keeps how much each list grows in an iteration, at least and
at most. With a bound of the number of iterations this gives the room; without one, the room is a guess, kept by the
host and raised when the program finds that it was too small.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from xlapy.dispatch.protocol import NeedStatic
from xlapy.domain import growable_lists
from xlapy.domain.facts import Facts, Learn
from xlapy.domain.heap import Slot
from xlapy.domain.join import Joiner, JoinFailure
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import DEAD, Const, GrowableList, Scalar, Value, alternatives
from xlapy.ir import Operation, Var, least_increase

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

#: iterations beyond which a bound is none
_MANY = 1 << 24
#: keys for which a dict has room, if there may be more
_MANY_KEYS = 1024
#: bytes that a list may take
_MOST_BYTES = 1 << 33
#: bytes that a list may take if there are lists in it which may well be shorter than they could be, and items for which
#: these have room at first
_LARGE_BYTES, _FEW = 1 << 24, 64
#: the same if the room of the list is a guess, too, in which case all of it is made in each call
_GUESSED_BYTES, _SHORT = 1 << 20, 128


def most_iterations(machine: Machine, iterations: Value | None, what: str) -> int | None:
    """The largest number of iterations of a loop in which `what` grows, if it has a bound.

    Raises:
        NeedStatic: it would have one if an argument were known.
    """
    bounds = known_bounds(iterations) if iterations is not None else None
    if bounds is not None and bounds[1] <= _MANY:
        return max(bounds[1], 0)
    if machine.settings.sizes_vary:
        return None
    if isinstance(iterations, Scalar) and machine.specialisable(iterations.var):
        raise NeedStatic(iterations.var, f"the number of trips of a loop in which {what} grows")
    return None


#: a length, what there is room for, and with what the room was guessed
Check = tuple[Var, int, object]


class Growing:
    """The lists that grow in one loop. `iterations` is the number of iterations, if it is known before the loop;
    `before` is what slots hold there; `checks` gets the lengths that may be more than there is room for (see
    `array_growth`)."""

    def __init__(
        self, machine: Machine, key: object, iterations: Value | None, before: Mapping[Slot, Value], checks: list[Check]
    ) -> None:
        self.machine, self.key, self.iterations, self.before, self.checks = machine, key, iterations, before, checks
        self.growth: dict[Slot, tuple[int, int]] = {}
        self.entry: dict[Slot, Value] = {}

    def join(self, joiner: Joiner, slot: Slot, entry: Value, old: Value, new: Value, start: Value | None) -> Value:
        """The contents of a list at the head of the loop: `entry` before it, `old` so far, with `start` in an
        iteration, `new` at its end."""
        if not (growable_lists.is_contents(entry) or entry is DEAD):
            raise JoinFailure(entry, new, "are containers of different kinds")
        step = (_least_growth(old, new, start), growable_lists.sizes(new)[1] - growable_lists.sizes(old)[1])
        known = self.growth.get(slot, step)
        grows = self.growth[slot] = (min(known[0], step[0]), max(known[1], step[1]))
        self.entry[slot] = entry
        first, last = growable_lists.sizes(entry) if entry is not DEAD else (0, 0)
        room = growable_lists.capacity_of(entry) if entry is not DEAD else 0
        found = [(number, v) for number, v in ((0, old), (0, entry), (1, new)) if v is not DEAD]
        element = growable_lists.element_of(joiner, *(v for _, v in found), states=[number for number, _ in found])
        elastic, keys = None, self._keys(slot, element)
        if grows[1] <= 0:
            capacity, upper, elastic = max(room, last), last, _elastic(entry)
        elif keys is not None:
            capacity, upper = max(room, keys), max(last, keys)
        else:
            iterations = most_iterations(self.machine, self.iterations, "a list")
            guessed = any(isinstance(v, GrowableList) and v.elastic is not None for v in alternatives(new))
            if iterations is None or self._too_many(slot, element, last + grows[1] * iterations, guessed):
                elastic = _elastic(entry)
                if elastic is None:
                    elastic = (self.key, slot[1], self._is_item(slot, element))
                    capacity = upper = self._guess(elastic, element, last + grows[1])
                    self._guess_items(element, capacity)
                else:
                    capacity = upper = room
                self._check(new, capacity, elastic)
            else:
                capacity = max(room, last + grows[1] * iterations)
                upper = last + grows[1] * max(iterations - 1, 0)
        lower = first if grows[0] >= 0 else 0
        lower = max(lower, 0)
        bounds, fixed = (lower, max(upper, lower)), grows == (0, 0)
        added = growable_lists.only_added(*(v for _, v in found))
        return growable_lists.generalised(old, element, capacity, bounds, elastic, self.key, fixed, added)

    def _check(self, new: Value, capacity: int, elastic: object) -> None:
        """Note that a list may be too long at the end of an iteration. An item that is appended finds that there is no
        room; a loop in the iteration has made more room, for as many items as it may append."""
        for contents in alternatives(new):
            if (
                isinstance(contents, GrowableList)
                and isinstance(contents.length, Scalar)
                and contents.capacity > capacity
            ):
                self.checks.append((contents.length.var, capacity, elastic))

    def _keys(self, slot: Slot, element: Value) -> int | None:
        """How many keys a dict or set may have, if that is known and not too much."""
        keyed = self.machine.heap.objects[slot[0]].kind in ("dict", "set")
        keys = growable_lists.number_of_keys(element) if keyed else None
        return keys if keys is not None and keys <= _MANY_KEYS else None

    def _too_many(self, slot: Slot, element: Value, count: int, guessed: bool) -> bool:
        """Whether a list of so many items would take too much memory, or a dict, in which every key is compared, too
        much time: there may be far fewer. So may there be of a list if what an iteration adds is `guessed`, or the
        number of iterations is."""
        keyed = self.machine.heap.objects[slot[0]].kind in ("dict", "set")
        if count > growable_lists.guessed(element) and (guessed or self._iterations_are_guessed):
            return True
        if count > _FEW and self._is_item(slot, element):
            return True
        self._bound_items(element, count)
        return self._size(element) * count > _MOST_BYTES or keyed and count > _MANY_KEYS

    def _is_item(self, slot: Slot, element: Value) -> bool:
        """Whether a list with such items is one of those that are items of others (see `_bound_items`)."""
        if slot[0] in self.machine.lists_of_frames:
            return False
        return self.key in self.machine.facts.rooms and not growable_lists.inside(element)

    def _bound_items(self, element: Value, count: int) -> None:
        """See to it that the lists in a list do not all have the room of the longest that there could be.

        Raises:
            Learn: they have, and it is too much.
        """
        if self._size(element) * count > _LARGE_BYTES:
            inside = [v for v in growable_lists.inside(element) if v.elastic is None and v.capacity > _FEW]
            self._need_guess({v.loop for v in inside}, _FEW)

    def _need_guess(self, loops: set, room: int) -> None:
        """Have lists that grow in these loops begin with so much room."""
        fresh = loops - self.machine.facts.rooms.keys() - {None}
        if fresh:
            raise Learn(Facts(rooms=dict.fromkeys(fresh, room)))

    def _guess_items(self, element: Value, count: int) -> None:
        """The same where the room of the list is a guess, for lists the room of which is one: most are short.

        Raises:
            Learn: they have more.
        """
        if self._size(element) * count > _GUESSED_BYTES:
            inside = [v for v in growable_lists.inside(element) if v.capacity > _SHORT]
            # a copy has another loop than what has given it its room
            loops = {v.loop for v in inside} | {v.elastic[0] for v in inside if isinstance(v.elastic, tuple)}
            self._need_guess(loops, _SHORT)

    @functools.cached_property
    def _iterations_are_guessed(self) -> bool:
        """Whether the number of iterations comes of the length of a list the room of which is a guess."""
        if not isinstance(self.iterations, Scalar):
            return False
        growable_before = [
            v for value in self.before.values() for v in alternatives(value) if isinstance(v, GrowableList)
        ]
        lengths = {v.length.var for v in growable_before if v.elastic is not None and isinstance(v.length, Scalar)}
        return bool(lengths) and not lengths.isdisjoint(_made_of(self.iterations.var))

    def _size(self, element: Value) -> int:
        return max(growable_lists.size_of(element), 1)

    def _guess(self, elastic: tuple[object, str, bool], element: Value, least: int) -> int:
        machine = self.machine
        first = growable_lists.guessed(element)
        if elastic[2]:
            first = min(first, machine.facts.rooms[self.key])
        found = machine.settings.capacities.get(elastic, first)
        machine.guesses[elastic] = found = max(found, least)
        return found

    def after(self, slot: Slot, growable: GrowableList, whole: bool) -> GrowableList:
        """What is known of the list after the loop; `whole` if every iteration was made."""
        low, high = self.growth.get(slot, (0, 0))
        entry = self.entry.get(slot, DEAD)
        first, last = growable_lists.sizes(entry) if entry is not DEAD else (0, 0)
        iterations = known_bounds(self.iterations) if self.iterations is not None else None
        fewest = iterations[0] if whole and iterations is not None else 0
        lower = first + low * max(fewest, 0) if low >= 0 else 0
        if high <= 0:
            upper = last
        else:
            upper = (
                growable.capacity
                if growable.elastic is not None or iterations is None
                else last + high * max(iterations[1], 0)
            )
        length = growable.length
        if lower == upper:
            length = Const(lower)
        elif isinstance(length, Scalar):
            length = Scalar(int, length.var, (lower, min(upper, growable.capacity)))
        return growable.with_rows(growable.rows, length, growable.added)


def _made_of(var: Var) -> set[Var]:
    """The numbers of which arithmetic has made a number, and this itself."""
    found, todo = set(), [var]
    while todo:
        var = todo.pop()
        if var not in found:
            found.add(var)
            if isinstance(var.owner, Operation) and not var.owner.regions and not var.type.shape:
                todo.extend(var.owner.operands)
    return found


def _elastic(entry: Value) -> object:
    """With what the room was guessed of a list that has grown in a loop around, as it may in this one; None if its room
    is no guess. It keeps its room: a list that is moved to a larger one, and back in each iteration, takes long."""
    found = alternatives(entry) if entry is not DEAD else ()
    names = {v.elastic if isinstance(v, GrowableList) else None for v in found}
    return names.pop() if len(names) == 1 else None


def _least_growth(old: Value, new: Value, start: Value | None) -> int:
    """By how many items a list grows in an iteration, at least; -1 if that is not known."""
    if not (isinstance(old, GrowableList) and isinstance(old.length, Scalar)):
        return growable_lists.sizes(new)[0] - growable_lists.sizes(old)[0]
    if not (isinstance(start, GrowableList) and isinstance(start.length, Scalar)):
        return -1
    steps = []
    for contents in alternatives(new):
        if not (isinstance(contents, GrowableList) and isinstance(contents.length, Scalar)):
            return -1
        steps.append(least_increase(contents.length.var, start.length.var))
    return -1 if None in steps else min(steps)
