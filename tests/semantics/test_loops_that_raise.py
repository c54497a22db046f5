"""Loops that nothing ends but an exception, which a function raises that they call, or an operation."""

import numpy as np

from .runner import Programs

program = Programs()
X = np.array([3.0, 1.0, 2.0])


def halved(x, limit):
    if x < limit:
        raise ValueError(f"{x} is below {limit}")
    return x / 2


def until_it_raises(x, limit):
    while True:
        x = halved(x, limit)


def until_an_index_is_too_large(v):
    k = 0
    while True:
        k += int(v[k])


def in_a_branch(x, limit, n):
    if n > 2:
        while True:
            x = halved(x, limit)
    else:
        x = x + n
    return x


def caught_outside(x, limit):
    try:
        until_it_raises(x, limit)
    except ValueError as error:
        return str(error)
    return "never"


def caught_inside(x, limit):
    trips = 0
    while True:
        try:
            x = halved(x, limit)
        except ValueError:
            return x, trips
        trips += 1


def in_a_loop(v, limit):
    total = 0.0
    for x in v:
        if x > 2.5:
            until_it_raises(x, limit)
        total += x
    return total


program.add("until_it_raises", until_it_raises, (9.0, 0.5), raises=ValueError)
program.add("until_an_index_is_too_large", until_an_index_is_too_large, (X,), raises=IndexError)
program.add("in_a_branch", in_a_branch, (9.0, 0.5, 1), (9.0, 0.5, 5), raises=ValueError)
program.add("in_a_loop", in_a_loop, (X - 1, 0.5), (X, 0.5), raises=ValueError)
program.each((9.0, 0.5), (3.0, 1.0), caught_outside=caught_outside, caught_inside=caught_inside)

test_programs = program.test()
