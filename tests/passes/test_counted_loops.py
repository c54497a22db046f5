"""`while` loops that count become `for` loops."""

import numpy as np
import pytest

import xlapy
from xlapy.ir import verify
from xlapy.passes import optimise

from .programs import operations, program

X = np.arange(1.0, 21.0)


def up(x, n):
    total, i = 0.0, 0
    while i < len(x):
        total = total * 0.5 + x[i]
        i += 1
    return total, i


def down(x, n):
    total, i = 0.0, len(x) - 1
    while i >= 0:
        total = total * 0.5 + x[i]
        i -= 3
    return total, i


def mirrored(x, n):
    total, i = 0.0, 2
    while len(x) - 2 >= i:
        total = total * 0.5 + x[i + 1]
        i = 4 + i
    return total, i


def as_many_as_asked(x, n):
    i, total = 0, 0
    while i < n:
        i += 1
        total = total * 3 % 1000 + i
    return i, total


def from_a_number(x, n):
    total = 0
    while n > 3:
        total = total * 3 % 1000 + n
        n -= 2
    return n, total


def nested(x, n):
    i, total = 0, 0.0
    while i < 5:
        j = i
        while j < 6:
            total = total * 0.5 + x[j]
            j += 1
        i += 1
    return total, i, j


def nested_down(x, n):
    total, j = 0.0, 0
    for i in range(8):
        j = i
        while j > 0:
            total = total * 0.5 + x[j]
            j -= 2
    return total, j


COUNTED = [up, down, mirrored, as_many_as_asked, nested, nested_down]


def doubles(x, n):
    i = 1
    while i < 100:
        i *= 2
    return i


def the_limit_moves(x, n):
    i = 0
    while i < n:
        i += 1
        n -= 2
    return i, n


def in_steps_from_data(x, n):
    i = 0
    while i < 50:
        i += n
    return i


def stops_sooner(x, n):
    i = 0
    while i < len(x) and x[i] < n:
        i += 1
    return i


def may_overflow(x, n):
    i, total = 0, 0
    while i <= n:
        i += 7
        total += 1
    return i, total


def at_other_times(x, n):
    i, k = 0, 0
    while i < 9:
        k += 1
        if k % 3 == n % 3:
            i += 1
    return i, k


OTHERS = [
    from_a_number,
    doubles,
    the_limit_moves,
    in_steps_from_data,
    stops_sooner,
    may_overflow,
    at_other_times,
]


def loops(function):
    module, _ = program(function, (X, 5))
    optimise(module)
    entry = module.entry.fast or module.entry
    verify(module)
    return [o.kind for o in operations(entry)]


@pytest.mark.parametrize("function", COUNTED)
def test_counted(function):
    found = loops(function)
    assert "for" in found and "while" not in found


@pytest.mark.parametrize("function", OTHERS)
def test_others_stay(function):
    assert "while" in loops(function)


@pytest.mark.parametrize("function", COUNTED + OTHERS)
def test_the_same_numbers(function):
    compiled = xlapy.jit(function)
    for n in (5, 1, 4, 40):
        expected, got = function(X, n), compiled(X, n)
        for a, b in zip(np.atleast_1d(expected), np.atleast_1d(got), strict=True):
            assert a == b, (n, expected, got)


@pytest.mark.parametrize("n", [0, -3, -(2**62)])
def test_no_trips(n):
    for function in (as_many_as_asked, from_a_number, may_overflow):
        assert tuple(map(int, xlapy.jit(function)(X, n))) == function(X, n)


def test_a_counter_of_numpy():
    def count(n):
        i, total = np.int32(2), np.int32(0)
        while i < n:
            i += np.int32(3)
            total += i
        return i, total

    for n in (np.int32(20), np.int32(1), np.int32(-5)):
        expected, got = count(n), xlapy.jit(count)(n)
        assert [(a.dtype, int(a)) for a in expected] == [(a.dtype, int(a)) for a in got]
