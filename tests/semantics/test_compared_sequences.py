"""Comparisons of tuples and lists: what the first items that differ say, in the class in which they say it."""

import collections

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


test_programs = program.test()
