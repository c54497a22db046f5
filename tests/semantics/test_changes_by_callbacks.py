"""Operations that call functions of the program (keys, `__index__`, `__eq__`) and then change an object: where such a
function raises, and somebody catches it, the object is as before; what the function has changed itself is changed."""

import bisect
import heapq
import itertools
from typing import Any

import numpy as np

from .runner import Programs

program = Programs()
ITEMS = (([3, 1, 2], 0), ([3, 1, 2], 1), ([2, 3, 1], 3))


class Place:
    def __init__(self, of: Any, log: list) -> None:
        self.of, self.log = of, log

    def __index__(self):
        self.log.append("index")
        return 6 // self.of % 2

    def __eq__(self, other):
        return 6 // (self.of - 1) == other


@program(*ITEMS)
def sort(items, d):
    log = []

    def key(v):
        log.append(v)
        return 6 // (v - 1 + d)

    try:
        items.sort(key=key)
    except ZeroDivisionError:
        return "raised", items, log
    return items, log


@program(*ITEMS)
def sort_of_an_unknown_number(x, d):
    items = [v for v in x if v > 0]
    try:
        items.sort(key=lambda v: 6 // (v - 1 + d), reverse=True)
    except ZeroDivisionError:
        items.append(0)
    return items


@program(*ITEMS)
def places(items, d):
    found, log = [], []
    for number in range(6):
        other = [*items, 0]
        try:
            if number == 0:
                other[Place(d, log)] = 7
            elif number == 1:
                del other[Place(d, log)]
            elif number == 2:
                other.pop(Place(d, log))
            elif number == 3:
                other.insert(Place(d, log), 9)
            elif number == 4:
                other.remove(Place(d, log))
            else:
                bisect.insort(other, 1, key=lambda v: 6 // (v - d))
        except (ZeroDivisionError, ValueError) as error:
            found.append(str(error))
        found.append(other)
    return found, log


@program(*ITEMS)
def under_a_condition(items, d):
    try:
        if items[0] > 2:
            items.sort(key=lambda v: 6 // (v - 1 + d))
        else:
            items.pop(Place(d, []))
    except ZeroDivisionError:
        items.append(5)
    return items


@program(*ITEMS)
def pushed(items, d):
    heap = []
    try:
        for v in items:
            heapq.heappush(heap, 6 // (v - d))
    except ZeroDivisionError:
        return "raised", heap
    return heap


@program((np.array([4, 5, 6]), 0), (np.array([4, 5, 6]), 1))
def element_of_an_array(x, d):
    log = []
    try:
        x[0] = max([1, 2], key=lambda v: (log.append(v), 6 // (v - 1 + d))[1])
    except ZeroDivisionError:
        return x, log
    return x, log


class Items:
    def __init__(self, x, log):
        self.x, self.log = x, log

    def __iter__(self):
        return self

    def __next__(self):
        number = len(self.log)
        if number >= len(self.x):
            raise StopIteration
        self.log.append(number)
        return small(self.x[number])


def small(v):
    if v > 3:
        raise ValueError("large")
    return v * 2


@program((np.array([1.0, 4.0, 2.0]),), (np.array([1.0, 2.0, 3.0]),), (np.array([4.0, 4.0, 1.0]),))
def nothing_is_called_after_an_exception(x):
    log, found = [], []

    def added(a, b):
        log.append(b)
        return a + small(b)

    try:
        found = list(itertools.accumulate(x, added))
    except ValueError as error:
        log.append(str(error))
    calls: Any = []
    try:
        found += list(Items(x, calls))
    except ValueError as error:
        log.append(str(error))
    return log, found, calls


@program((np.arange(20.0),), (np.arange(3.0),))
def pairs_of_items_whose_making_shows(x):
    made = []
    pairs = [a * b for a, b in itertools.pairwise(map(lambda v: made.append(v) or v, x))]
    return pairs, made


@program((np.arange(20.0),), (np.arange(3.0),))
def pairs_of_items_that_are_made(x):
    return [a * b for a, b in itertools.pairwise(map(lambda v: v * 2, x))]


test_programs = program.test()
