"""Where CPython calls `iter` of an object of the program's, and asks it for its length: once, in its order."""

import collections
import itertools
import operator
from typing import Any

from .runner import Programs

program = Programs()


class Sized:
    """Something with a length, if that is not negative."""

    def __init__(self, items, length, log):
        self.items, self.length, self.log = items, length, log

    def __iter__(self):
        self.log.append("iter")
        return iter(self.items)

    def __len__(self):
        self.log.append("len")
        return self.length


class Hinting:
    """An iterator that says how many items are left; `hint` may be nonsense."""

    def __init__(self, items, hint, log):
        self.items, self.hint, self.log, self.taken = items, hint, log, 0

    def __iter__(self):
        self.log.append("iter")
        return self

    def __next__(self):
        if self.taken == len(self.items):
            raise StopIteration
        self.taken += 1
        return self.items[self.taken - 1]

    def __length_hint__(self):
        self.log.append("hint")
        return self.hint


class Failing(Hinting):
    def __len__(self):
        raise self.hint

    __length_hint__ = None  # type: ignore[assignment]


def extended(items):
    made = [0.5]
    made.extend(items)
    return made


def added(items):
    made = [0.5]
    made += items
    return made


def added_to_deque(items):
    made = collections.deque([0.5])
    made += items
    return list(made)


def in_place_of_a_slice(items):
    made = [0.5, 1.5, 2.5]
    made[:2] = items
    return made


def unpacked(items):
    first, *rest = items
    return first, rest


def called(items):
    def function(*args):
        return args

    return function(*items)


WAYS = (
    [extended, added, in_place_of_a_slice, list, tuple, sorted, lambda items: [*items, 3], lambda items: (*items, 3)],
    [added_to_deque, collections.deque, called, unpacked, max, sum, set, lambda items: list(filter(None, items))],
    [lambda items: list(itertools.chain(items, items)), lambda items: list(zip(items, items)), operator.length_hint],
)
ITEMS: Any = [2.5, 1.5]


@program((ITEMS, 2), ([4.5, 3.5], 2))
def of_a_length(items, length):
    found, log = [], []
    for way in WAYS[0] + WAYS[1] + WAYS[2]:
        found.append(way(Sized(items, length, log)))
        log.append("made")
    return found, log


@program((ITEMS,), ([4.5, 3.5],))
def that_are_hinted(items):
    found, log = [], []
    for way in WAYS[0] + WAYS[1] + WAYS[2]:
        found.append(way(Hinting(items, 2, log)))
        log.append("made")
    return found, log


@program((ITEMS, -1), ([4.5, 3.5], 2))
def that_are_wrong(items, length):
    found, log = [], []
    things = [Sized(items, length, log), Hinting(items, "a", log), Hinting(items, -1, log)]
    things += [Hinting(items, NotImplemented, log), Failing(items, TypeError("no"), log)]
    things.append(Failing(items, ValueError("none"), log))
    for thing in things:
        for way in (extended, added):
            try:
                found.append(way(thing))
            except (TypeError, ValueError) as error:
                found.append(str(error))
    return found, log


class Right:
    def __iter__(self):
        return iter([1, 2])

    def __radd__(self, other):
        return "added from the right"


class Mapped:
    def keys(self):
        return ["a", "b"]

    def __getitem__(self, key):
        return key + key


@program(3)
def in_place(n):
    items, messages = [n], []
    table: Any = {"a": n}
    table |= Mapped()
    for wrong in (n, [(1, 2, n)], Right()):
        try:
            table |= wrong
        except (TypeError, ValueError) as error:
            messages.append(str(error))
    for step in (1, 2):
        try:
            [1, 2, 3][::step] = n
        except TypeError as error:
            messages.append(str(error))
    items += Right()
    return items, table, messages


test_programs = program.test()
