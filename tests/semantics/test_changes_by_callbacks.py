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


@program(*ITEMS, refuse="XP0006")
def sort_by_a_key_that_looks_at_the_list(items, d):
    items.sort(key=lambda v: v + len(items))
    return items


@program(*ITEMS, refuse="XP0006")
def sort_by_a_key_that_changes_the_list(items, d):
    try:
        items.sort(key=lambda v: items.append(v) or v)
    except ValueError:
        return items
    return None


@program(*ITEMS)
def sorted_by_a_key_that_looks_at_the_list(items, d):
    kept = items.copy()
    items.sort(key=lambda v: kept.count(v) - v)
    return items, sorted(items, key=lambda v: v * len(items))


class Wrong:
    """An index that is none, in some way."""

    def __init__(self, n, how):
        self.n, self.how = n, how

    def __index__(self):
        if self.n < 0:
            if self.how == 0:
                raise ValueError("negative")
            raise IndexError("mine")
        return self.n


@program((np.arange(6.0), 2), (np.arange(6.0), -2))
def no_indices_for_numpy(x, n):
    found: list = []
    for how in range(2):
        for number in range(5):
            place: Any = Wrong(n, how)
            try:
                if number == 0:
                    found.append(x[place])
                elif number == 1:
                    found.append(x.reshape(3, 2)[place, 1])
                elif number == 2:
                    x[place] = 7.0
                elif number == 3:
                    found.append([1, 2, 3][place])
                else:
                    found.append((1, 2, 3)[place])
            except (ValueError, IndexError, TypeError) as error:
                found.append((type(error).__name__, str(error)))
    return found, x


@program((np.arange(6.0), -2), (np.arange(6.0), 2))
def no_bounds_of_slices(x, n):
    try:
        x[0] = x[Wrong(n, 0) :][0]
    except ValueError as error:
        return str(error)
    return x


@program(*((np.arange(6.0), np.array(i), np.array([7.0, 8.0])) for i in ([1, 2, 3], [4, 9, 2], [-7, 1, 1])))
def put_up_to_a_wrong_place(x, places, values):
    messages = []
    for number in range(6):
        try:
            if number == 0:
                np.put(x, places, values)
            elif number == 1:
                x.flat[places + 1] = values * 2
            elif number == 2:
                x.flat[[0, int(places[1])]] = 5
            elif number == 3:
                np.put(x[::2], places % 4, values * 3)
            elif number == 4:
                np.add.at(x, places, values[0])
            else:
                x[places] = 1.0
        except IndexError as error:
            messages.append(str(error))
        messages.append(x.copy())
    return messages


class Key:
    def __init__(self, v):
        self.v = v

    def __hash__(self):
        if self.v < 0:
            raise ValueError("negative")
        return hash(self.v)

    def __eq__(self, other):
        return isinstance(other, Key) and self.v == other.v


class Colliding:
    def __init__(self, v, number):
        self.v, self.number = v, number

    def __hash__(self):
        return self.number

    def __eq__(self, other):
        if self.v + other.v == 3:
            raise ValueError("three")
        return self.v == other.v


@program((1, 2), (1, -2), (2, 2), (-1, 1))
def keys_that_raise(a, b):
    found: list = []
    table, members = {}, set()
    try:
        table[Key(a)] = 1
        members.add(Key(b))
        table[Key(b)] = 2
        found.append(table.get(Key(a + b), 7))
    except ValueError as error:
        found.append(str(error))
    others = {Colliding(a, 1): 1}
    try:
        others[Colliding(b, 2)] = 2
    except ValueError as error:
        found.append(str(error))
    return found, len(table), len(members), len(others)


@program((1, 2), refuse="XP0004")
def keys_that_raise_when_compared(a, b):
    return len({Colliding(a, a): 1, Colliding(b, b): 2})


class Counted(Key):
    calls: list = []

    def __hash__(self):
        self.calls.append(self.v)
        return 0


@program((1, 2), refuse=True)
def keys_that_change_something(a, b):
    return Counted(a) in {Counted(b)}, len(Counted.calls)


test_programs = program.test()
