"""Stores into most of an array that happen in place."""

import numpy as np
import pytest

import xlapy
from xlapy.passes import optimise

from .programs import operations, program

RNG = np.random.default_rng(7)
A, B = RNG.random((9, 12)), RNG.random((9, 12))


def from_one_to_another(a, b, n):
    for _ in range(n):
        b[1:-1, 1:-1] = a[:-2, 1:-1] + a[2:, 1:-1]
        a[1:-1, 1:-1] = 0.1 * (b[1:-1, :-2] - b[1:-1, 2:])


def updated(a, b, n):
    for t in range(n):
        a[0, :] = t
        a[1:, :] -= 0.5 * (b[1:, :] - b[:-1, :])
        b[:-1, 1:] *= a[:-1, 1:]


def into_zeros(a, b, n):
    for _ in range(n):
        c = np.zeros_like(a)
        c[1:, 1:] = a[:-1, :-1] + b[1:, 1:]
        a = np.where(c > 1.0, c - 1.0, c)
    return a


def from_itself(a, b, n):
    for _ in range(n):
        a[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])


def from_a_copy_of_itself(a, b, n):
    for _ in range(n):
        before = a.copy()
        a[1:, 1:] = before[:-1, :-1] * 0.5
        a[:, 0] = a[:, 1]


def outside(a, b, n):
    a[1:, 1:] = b[:-1, :-1]
    return a


def used_before_and_behind(a, b, n):
    total = 0.0
    for _ in range(n):
        old = a.sum(axis=0)
        a[:, 1:] = b[:, 1:] * 2.0
        total += (old * a.sum(axis=0)).sum()
        b = b + 0.1 * total
    return total


def backwards(a, b, n):
    for _ in range(n):
        a[:0:-1, :] = b[1:, :]
        b[1:, ::-1] = a[:-1, :]


def in_place(function):
    module, _ = program(function, (A.copy(), B.copy(), 3))
    optimise(module)
    return sum("in_place" in o.attributes for o in operations(module.entry.fast or module.entry))


@pytest.mark.parametrize(
    ("function", "stores"),
    [
        (from_one_to_another, 2),
        (updated, 2),
        (into_zeros, 1),
        (from_itself, 0),
        (from_a_copy_of_itself, 0),
        (outside, 0),
    ],
)
def test_stores_that_do_not_need_what_they_overwrite(function, stores):
    assert in_place(function) == stores


@pytest.mark.parametrize(
    "function",
    [
        from_one_to_another,
        updated,
        into_zeros,
        from_itself,
        from_a_copy_of_itself,
        outside,
        used_before_and_behind,
        backwards,
    ],
)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_results(function, n):
    ours, theirs = (A.copy(), B.copy()), (A.copy(), B.copy())
    found, expected = xlapy.jit(function)(*ours, n), function(*theirs, n)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)
    if expected is not None:
        np.testing.assert_allclose(found, expected, rtol=1e-13)
