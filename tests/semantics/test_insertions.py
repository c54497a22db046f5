"""Insertions and rotations whose places depend on data; permutations made of them."""

import collections

import numpy as np

from .runner import Programs

program = Programs()
PLACES = (0, 1, 2, 3, -1, -2, -9, 9)


@program(*(([1, 2, 3], k, 7) for k in PLACES), compiles=1)
def inserted(values, k, x):
    values.insert(k, x)
    return values, len(values)


@program(*(([1.0, 2, (3, 4.0)], k, True) for k in PLACES))
def inserted_among_others(values, k, x):
    values.insert(k, x)
    return values


@program(*(([np.ones(2), np.zeros(2)], k) for k in (0, 1, 2)))
def inserted_arrays(values, k):
    values.insert(k, values[0])
    values[0][1] = 5.0
    return values


@program(*((collections.deque([1.0, 2.0, 3.0]), k, 2.5) for k in PLACES))
def inserted_in_a_deque(values, k, x):
    values.insert(k, x)
    values.rotate(k)
    return list(values)


@program(*((collections.deque([1.0, 2.0, 3.0]), k) for k in (0, 1, -1, 5, -7)), compiles=1)
def rotated(values, k):
    values.rotate(k)
    return list(values)


@program(np.array([3.0, 1.0, 2.0, 5.0, 4.0, 0.0]), np.arange(6.0))
def sorted_by_insertion(values):
    found = []
    for v in values:
        k = 0
        for w in found:
            if w < v:
                k += 1
        found.insert(k, v)
    return found


@program(4, 5)
def most_reversals(n):
    """Over all permutations: how often the first k items are reversed, k being the first item, until that is 0."""
    left = list(range(1, n + 1))
    items = list(range(n))
    most, r = 0, n
    while True:
        while r != 1:
            left[r - 1] = r
            r -= 1
        turned = items[:]
        count = 0
        while turned[0]:
            k = turned[0]
            turned[: k + 1] = turned[k::-1]
            count += 1
        most = max(most, count)
        while r != n:
            items.insert(r, items.pop(0))
            left[r] -= 1
            if left[r] > 0:
                break
            r += 1
        else:
            return most


class Point:
    def __init__(self, x):
        self.x = x

    def scale(self, by):
        self.x *= by


@program((np.linspace(0.0, 1.0, 90), 2.0), (np.linspace(1.0, 3.0, 90), 0.5))
def objects_in_a_long_list(values, by):
    points = [None] * len(values)
    for i in range(len(values)):
        points[i] = Point(values[i] * i)
    for point in points[::2]:
        point.scale(by)
    return sum(point.x for point in points)


@program(([4, 1, 5, 2], 4), ([1, 2, 1, 1], 4), ([9, 8, 7, 6], 0))
def put_in_front_by_concatenation(x, n):
    front, pairs, between = [], [], []
    i = 0
    while i < n:
        if x[i] > 2:
            front = [x[i]] + front
            pairs = [(x[i], i)] + pairs
            between = [i] + between + [x[i], -1]
        i += 1
    return front, pairs, between


@program(([4, 1, 5, 2], 3), ([1, 2, 1, 1], 4))
def known_list_before_a_grown_one(x, n):
    head, grown = [1], []
    for k in range(n):
        grown = head + grown
        head[0] = x[k]
    return grown, head


@program(([4, 1, 5, 2], 2), ([1, 2, 1, 1], 9), ([9, 8, 7, 6], 0))
def replaced_by_what_is_left(x, t):
    other = x
    x[:] = [v for v in x if v > t]
    x.append(7)
    return x is other, other, len(other)


@program(([1, 4, 2, 3], 2), ([5, 6, 2, 3], 2), ([1, 2, 0, 9], 2))
def merged_in_place(x, middle):
    left, right, merged = x[:middle], x[middle:], []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    x[0:4] = merged + left[i:] + right[j:]
    return x


test_programs = program.test()
