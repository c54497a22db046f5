"""Comparisons of tuples and lists: what the first items that differ say, in the class in which they say it."""

import collections
import heapq

import numpy as np

from .runner import Programs

program = Programs()

A = np.array([1, 2])


@program((np.float64(-0.0), 3, [1]), (1, np.float64(2.0), [np.float32(1)]), (A[0], 2.0, [A[1]]), (2.0, A[1], [1]))
def classes_of_answers(a, b, c):
    found = [(a,) < (b,), [a, 1] <= [b, 2], (a, 1) < (a, 2), c < [5], c < [], (a, b) > (b, a), (1, a) >= (1, b)]
    return found, max((a, 1), (b, 0)), sorted([(a, 1), (b, 0)]), [a] < [a], ((a,), 1) < ((b,), 0)


@program((np.float64(1.0), 2), (np.float64(2.0), 2))
def deques(a, b):
    first, second = collections.deque([a, 1]), collections.deque([b, 0])
    return first < second, first >= second, "after" if (a, 1) < (b, 0) else "before"


class Odd:
    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        return [self.x, other.x]


@program(1.5)
def whatever_items_say(x):
    return (1, Odd(x)) < (1, Odd(2)), [Odd(x)] < [Odd(x + 1), 3]


class Bare:
    asked = 0

    def __eq__(self, other):
        Bare.asked += 1
        return self is other


def in_order(a, b):
    found = (a, None) < (b, 1), [a, "x"] >= [b, 2.5], (a, (None, b)) <= (b, (1, a)), (a, Bare()) < (b, Bare())
    return found, max([(a, None), (b, 1)]), sorted([(b, Bare), (a, 3)])[0][0], ("x", a, None) > ("x", b, A)


def equal(a, b):
    numbers, bare = A * a, Bare()
    found = (a, numbers) == (b, numbers + 0), [a, bare, a] != [b, Bare(), b], {1: a, 2: numbers} == {1: b, 2: A}
    return found, Bare.asked, b in [b, numbers], [a, b, numbers].index(b), (a, a + 1, numbers).index(a + 1)


def least_first(priorities):
    heap = [(p, k, None) for k, p in enumerate(priorities)]
    heapq.heapify(heap)
    one, two = heapq.heappop(heap), heapq.heappop(heap)
    heapq.heappush(heap, (one[0] + two[0], 77, Bare()))
    return heap[0][:2], len(heap)


# what follows the first items that differ, or the one that is found, is not compared
for _pair in ((3, 4), (4, 3)):
    program.add(f"no_order_of_items_{_pair[0]}", in_order, _pair)
    program.add(f"no_equality_of_items_{_pair[0]}", equal, _pair)
program.add("no_order_of_equal", in_order, (3, 3), raises=TypeError)
program.add("no_equality_of_equal", equal, (3, 3), raises=ValueError)
program.add("least_first", least_first, [5, 9, 1, 8], [2, 2])
test_programs = program.test()
