"""Generators over few items that are advanced by `next`, more than once, and that yield under conditions on data."""

import itertools

import numpy as np

from .runner import Programs

program = Programs()

FEW = [1, 5, 2, 7, 3]
CALLS = tuple((FEW, t) for t in (2, 1, 6, 9))


@program(*CALLS)
def generator_expression(x, t):
    above = (v for v in x if v > t)
    return next(above, None), next(above, -1), next(above, -2), next(above, -3)


@program(*CALLS, raises=StopIteration)
def without_a_default(x, t):
    above = (v for v in x if v > t)
    return next(above), next(above)


program.add("array", without_a_default, *((np.array(x), t) for x, t in CALLS), raises=StopIteration)


@program(*CALLS, raises=StopIteration)
def the_rest_of_it(x, t):
    def above():
        for v in x:
            if v > t:
                yield v

    rest = above()
    first = next(rest)
    return first, list(rest)


@program(*CALLS, raises=UnboundLocalError)
def loop_that_is_left(x, t):
    above = (v for v in x if v > t)
    for v in above:
        if v > 6:
            break
    return v, next(above, -1)


@program(*CALLS)
def yields_in_both_arms(x, t):
    def signed():
        for v in x:
            if v > t:
                yield v
            else:
                yield -v
            if v == 7:
                return
        yield 100

    numbers = signed()
    return [next(numbers, 0) for _ in range(7)]


@program(*CALLS)
def loop_in_loop(x, t):
    def pairs():
        for k, v in enumerate(x):
            for w in x:
                if w > v and w > t:
                    yield k, w

    found = pairs()
    return next(found, None), next(found, None), next(found, None), next(found, None)


@program(*CALLS)
def two_of_them_in_turn(x, t):
    above, below = (v for v in x if v > t), (v for v in x if v < t)
    return next(above, 0), next(below, 0), next(above, 0), next(below, 0), sum(above), sum(below)


@program(*CALLS)
def from_zipped(x, t):
    pairs = (pair for pair in zip(x, reversed(x)) if pair[0] > t)
    return next(pairs, 0), next(pairs, 0), list(pairs)


@program(*CALLS)
def runs(x, t):
    def groups():
        current = []
        for v in x:
            if v > t:
                current.append(v)
            elif current:
                yield len(current), sum(current)
                current = []
        if current:
            yield len(current), sum(current)

    found = groups()
    return next(found, None), next(found, None)


@program(*CALLS)
def of_a_shared_iterator(x, t):
    items = iter(x)
    return next((v for v in items if v > t), None), list(items)


# -- chains of iterables whose lengths depend on data -----------------------------------------------------------------

CHAINED = (([1.0, 5.0, 2.0, 3.0], 4.0), ([7.0, 1.0, 2.0, 0.0], 6.0))


@program(*CHAINED, compiles=1)
def chained_pairs(xs, most):
    doubled = itertools.chain.from_iterable([x, -x, x] for x in xs if x < most)
    return sum(itertools.chain.from_iterable([x, -x, x] for x in xs if x < most)), list(doubled)


@program(*CHAINED)
def chained_rows(xs, most):
    rows = []
    for x in xs:
        if x < most:
            rows.append([x] * int(x))
    return list(itertools.chain.from_iterable(rows)), sum(rows, [])


@program(*CHAINED, compiles=1)
def chained_lists(xs, most):
    few, many = [x for x in xs if x < most], [x for x in xs if x >= most]
    total = sum(itertools.chain(few, many, [1.0]))
    return list(itertools.chain(many, few)), total, [i * x for i, x in enumerate(itertools.chain(few, xs, many))]


@program(*CHAINED, refuse="maybe")
def obstacles_in_generators_are_named(xs, most):
    def below():
        for x in xs:
            if x < most:
                yield x

    def one_after_the_other(generators):
        for generator in generators:
            yield from generator

    found = one_after_the_other([below(), below()])
    return next(found), next(found), sum(found)


class Point:
    """Coordinates that are iterated over by a generator."""

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __iter__(self):
        yield self.x
        yield self.y
        yield self.z

    def __eq__(self, other):
        return all(a == b for a, b in zip(self, other))

    __hash__ = None


@program(([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), ([1.0, 2.0, 4.0], [1.0, 2.0, 3.0]), ([0.0, 2.0, 3.0], [1.0, 5.0, 4.0]))
def zipped_until_they_differ(a, b):
    p, q = Point(*a), Point(*b)
    equal, below = 0, any(x < y for x, y in zip(p, q))
    for x, y in zip(p, q):
        if x != y:
            break
        equal += 1
    else:
        equal += 100
    return p == q, below, equal, all(x < k for x, k in zip(p, [2.0, 3.0, 4.0])), [x + y for x, y in zip(p, q)]


@program(([1.0, -2.0, 3.0, 4.0],), ([1.0, 2.0, 3.0, -1.0],), ([-1.0, 2.0, 3.0, 4.0],), ([-1.0, -2.0, -3.0, 4.0],))
def zipped_with_itself(x):
    positive = (v for v in x if v > 0)
    total = 0.0
    for a, b in zip(positive, positive):
        total += 10 * a + b
    return total


test_programs = program.test()
