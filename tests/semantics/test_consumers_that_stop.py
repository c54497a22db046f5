"""What is left of an iterator, and in a container, where a built-in complains of an item and somebody catches that."""

import collections
import itertools

import numpy as np

from .runner import Programs

program = Programs()
X = np.array([3.0, 1.0, 2.0, 5.0, 4.0])


def yields(x, wrong):
    for k in range(5):
        yield x[k] if k != 2 else wrong


def small(v, n):
    if v > n:
        raise ValueError(f"{v} is too large")
    return v


@program((X,))
def sums_and_extremes(x):
    left = []
    for consumer in (sum, max, min, set, dict, sorted):
        it = yields(x, None if consumer is not set else [])
        try:
            consumer(it)
        except TypeError:
            left.append(len(list(it)))
        else:
            left.append(-1)
    return left


@program((X,))
def pairs(x):
    it = iter([(1, x[0]), (2, x[1]), (3,), (4, x[3])])
    try:
        made = dict(it)
    except ValueError as error:
        return str(error), list(it)
    return made


@program((X, 4), (X, 9), (X, 2))
def a_function_of_the_users(x, n):
    def total(values):
        t = 0.0
        for v in values:
            t = t + small(v, n)
        return t

    it = (v for v in x)
    try:
        s = total(it)
    except ValueError:
        s = -1.0
    return s, list(it)


@program((X, 4), (X, 9), (X, 2))
def keys_that_raise(x, n):
    found = []
    for consumer in (min, max, sorted):
        it = iter([int(v) for v in x])
        try:
            consumer(it, key=lambda q: 6 // (q - n))
        except ZeroDivisionError:
            pass
        found.append(list(it))
    return found


@program((X, 4), (X, 9), (X, 2))
def maps_that_raise(x, n):
    found = []
    for consumer in (sorted, list, tuple, sum, max):
        it = iter(x)
        try:
            consumer(map(lambda v: small(v, n), it))
        except ValueError as error:
            found.append(str(error))
        found.append(list(it))
    return found


@program((X,))
def updates(x):
    members, table, counts = {0}, {0: x[0]}, collections.Counter("a")
    try:
        members.update([1, [], 2])
    except TypeError:
        members.add(9)
    it = iter([(1, x[1]), 5, (2, x[2])])
    try:
        table.update(it)
    except TypeError as error:
        table[9] = str(error)
    try:
        counts.update(["a", [], "b"])
    except TypeError:
        counts["c"] += 1
    return members, table, counts, list(it)


@program((X,))
def unpacked(x):
    it, others = iter(x), yields(x, 1)
    found = []
    for source in (it, others):
        try:
            a, b = source
        except ValueError as error:
            found.append(str(error))
        found.append(next(source))
    return found


@program((X, 4), (X, 9), (X, 2), (X, 5))
def zips_that_are_left(x, n):
    first, second = iter(range(10)), iter(x)
    total = 0.0
    for a, b in zip(first, second):
        if b > n:
            break
        total += a * b
    return total, next(first), list(second)


@program((X, 4), (X, 9), (X, 2), (X, 3))
def nested_zips_that_are_left(x, n):
    first, second = iter(range(10)), iter(x)
    total = 0.0
    for (a, b), c in zip(zip(first, second), x[:3]):
        if b > n:
            break
        total += a * b * c
    return total, next(first), list(second)


@program((X, 5), (X, 9), (X, 2))
def slices_that_are_left(x, n):
    it = iter(x)
    for a in itertools.islice(it, 0, None, 2):
        if a > n:
            break
    pairs = iter(x)
    for _, b in itertools.pairwise(pairs):
        if b > n:
            break
    return a, b, list(it), list(pairs)


@program((X, 3), (X, 4))
def exact_pairs_of_what_has_grown(x, n):
    grown = []
    for k in range(n):
        grown.append(x[k])
    it = iter(grown)
    try:
        return list(zip(it, it, strict=True))
    except ValueError as error:
        return str(error)


test_programs = program.test()
