"""Generators over few items that are advanced by `next`, more than once, and that yield under conditions on data."""

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


test_programs = program.test()
