"""Loops and branches around what loads from an array and what stores into it."""

import jax
import numpy as np
import pytest

import xlapy

from .programs import check_in_place
from .test_faster import array_copies


def loop_before_a_store(x):
    total = 0
    for i in range(len(x) - 3):
        largest = 0
        for j in range(3):
            largest = max(largest, x[i + j])
        x[i] = 5 * i
        total += largest
    return total, x


def search_before_a_store(x):
    total = 0
    for i in range(len(x) - 3):
        j = i
        while j < len(x) - 1 and x[j] < 10:
            j += 1
        x[i] = 3
        total += j
    return total, x


def branch_before_a_store(x):
    total = 0
    for i in range(len(x)):
        if x[i] % 2:
            for k in range(x[i]):
                total += x[k]
        x[i] = i % 7
    return total, x


def load_before_a_loop(x):
    total = 0
    for i in range(len(x) - 3):
        total += x[i + 1]
        for j in range(3):
            x[i + j] = j
    return total, x


def load_around_a_loop(x):
    total = 0
    for i in range(len(x) - 4):
        value = x[i]
        for j in range(3):
            x[i + j] += value % 3
        total += value
    return total, x


def loop_between_loads(x):
    """The loop changes another array, by what it loads from the first."""
    y, total = np.zeros_like(x), 0
    for i in range(len(x) - 4):
        before = x[i]
        while y[i] < x[i + 1]:
            y[i] += 1 + before % 3
        x[i + 1] = y[i]
        total += before
    return total, x, y


def checked_index(x):
    y = x.copy()
    for i in range(len(x)):
        y[i] = x.take(y[i])
    return y


PROGRAMS = (
    loop_before_a_store,
    search_before_a_store,
    branch_before_a_store,
    load_before_a_loop,
    load_around_a_loop,
    loop_between_loads,
    checked_index,
)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(function):
    compiled = xlapy.jit(function)
    for seed in (0, 1):
        check_in_place(function, compiled, np.random.default_rng(seed).integers(0, 20, 80))


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="what XLA's CPU backend copies")
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_no_array_is_copied_in_a_trip(function):
    """One copy of an operand, which must not be overwritten, and none in the loops."""
    assert array_copies(function, (np.arange(1234),), 1234) <= 1
