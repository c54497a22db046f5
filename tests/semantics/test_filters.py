"""`filter` and `itertools.filterfalse` by conditions that depend on data."""

import itertools

import numpy as np

from .runner import Programs

program = Programs()

FEW = [1, 5, 2, 7, 0]
X = np.linspace(-2.0, 3.0, 40)


@program((FEW, 2), (FEW, 4), (FEW, 9))
def kept(x, t):
    return list(filter(lambda v: v > t, x)), list(filter(lambda v: v <= t, x)), len(list(filter(None, x)))


program.add("kept_of_many", kept, (X, 1.0), (X, 9.0))


@program((FEW, 2), (FEW, 9))
def kept_as_a_tuple(x, t):
    return tuple(filter(lambda v: v > t, x))


@program((FEW, 2), (FEW, 4), (FEW, 9))
def reduced(x, t):
    above = filter(lambda v: v > t, x)
    return sum(above), max(filter(lambda v: v > t, x), default=-1), sorted(filter(lambda v: v != t, x))


@program((FEW, 2), (FEW, 4), (FEW, 9))
def looped_over(x, t):
    total = 0
    for place, v in enumerate(filter(lambda v: v > t, x)):
        if v == 7:
            continue
        total = total * 3 + v + place
    return total, [v * 2 for v in filter(lambda v: v < t, x)], list(map(abs, filter(lambda v: v < t, x)))


@program((FEW, 2), (FEW, 6), (FEW, 9))
def first_of_them(x, t):
    above = filter(lambda v: v > t, x)
    return next(above, None), next(above, -1), any(filter(lambda v: v > t, x))


@program((FEW, 2), (FEW, 4), (FEW, 9))
def complement(x, t):
    return list(itertools.filterfalse(lambda v: v > t, x)), list(itertools.filterfalse(None, x))


@program((FEW, 2), (FEW, 4))
def known_items_among_objects(x, t):
    rows = [None, x, (), (t, 1), "", "text"]
    return list(filter(None, rows)), list(filter(lambda r: r is not None, rows)), len(list(filter(callable, rows)))


@program((FEW, 2), (FEW, 9), raises=StopIteration)
def first_or_nothing(x, t):
    return next(filter(lambda v: v > t, x))


@program((FEW, 2), (FEW, 0), raises=ZeroDivisionError)
def condition_that_raises(x, t):
    return list(filter(lambda v: v % t, x))


test_programs = program.test()
