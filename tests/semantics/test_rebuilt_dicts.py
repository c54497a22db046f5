"""Dicts that each trip of a loop makes anew, with keys made from the old ones."""

import numpy as np
import pytest

import xlapy

from .runner import Programs

program = Programs()

X = np.arange(8.0)
XS = [X, X + 1, np.arange(9.0)]


@program(*XS)
def longer_tuples(x):
    found = {(0,): x}
    for _ in range(3):
        new = {}
        for key, value in found.items():
            new[key + (1,)] = value * 2
        found = new
    return found[(0, 1, 1, 1)], list(found)


@program(*XS)
def longer_texts(x):
    found = {"a": x}
    for _ in range(3):
        new = {}
        for key, value in found.items():
            new[key + "b"] = value * 2
        found = new
    return found


@program(*XS)
def by_comprehension(x):
    found = {(0,): x}
    for _ in range(2):
        found = {key + (1,): value * 2 for key, value in found.items()}
    return list(found.values())[0], found[(0, 1, 1)]


@program(*XS)
def two_of_each(x):
    found = {(): x}
    for k in range(3):
        new = {}
        for key, value in found.items():
            new[(*key, 0)] = value * k
            new[(*key, 1)] = value + 1
        found = new
    return found


@program(*XS)
def arrays_that_get_shorter(x):
    found = {(0,): x, (1,): x / 2}
    for k in range(1, 4):
        new = {}
        for key, value in found.items():
            new[(*key, 0)] = value[:-1] * 0.25 + value[1:] * 0.75
        new[(1,) * (k + 1)] = found[(1,) * k][:-1]
        found = new
    return [found[key] for key in sorted(found)]


@program(*XS)
def keys_of_one_length(x):
    found = {(0, 1): x}
    for _ in range(50):
        found = {(b, a + 1): value + a for (a, b), value in found.items()}
    return found


@program((X, 3.0), (X, 3.0), (X, 1.0))
def while_data_says(x, n):
    found, t = {"a": x}, 0.0
    while t < n:
        found = {key + "b": value * 2 for key, value in found.items()}
        t = t + x[1]
    return list(found.values())[0]


@program(*XS)
def pairs_in_a_list(x):
    found = [("a", x)]
    for _ in range(3):
        found = [(key + "b", value * 2) for key, value in found]
    return found


test_programs = program.test()


def test_pairs_in_a_list_for_as_long_as_data_says():
    def function(x, n):
        found, t = [("a", x)], 0.0
        while t < n:
            found = [(key + "b", value * 2) for key, value in found]
            t = t + x[1]
        return found[0][1]

    with pytest.raises(xlapy.NotOffloadableError, match="XP0007"):
        xlapy.jit(function)(X, 3.0)
