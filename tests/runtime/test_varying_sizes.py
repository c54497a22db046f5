"""One program for many sizes (`runtime.varying_sizes`): the third size compiles for all, and results are CPython's."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest

import xlapy

RNG = np.random.default_rng(4)
SIZES = [5, 6, 7, 20, 31, 1, 2, 0, 32, 5, 40, 64, 3]


def spread(x):
    mean, total = x.mean(), 0.0
    for i in range(len(x)):
        total += (x[i] - mean) ** 2
    return np.sqrt(total / len(x)), np.sort(x), x * 2, x.shape


def in_place(x, y):
    x += y
    x[0] = 5
    y[len(y) // 2 :] = 0
    return x


def dot(x, y):
    return x @ y, np.concatenate([x, y]), np.cumsum(x * y)


def rows(table, weights):
    out = np.zeros(len(table))
    for i in range(table.shape[0]):
        out[i] = (table[i] * weights).sum()
    return out, table @ weights, table.sum(axis=0), table.T * 2


def leading(x, n):
    return x[:n].sum(), np.zeros(n), np.arange(n) * 2.0, sum(range(n))


def squares(n):
    table = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            table[i, j] = i * j
    return table, table.sum()


def strict(x, k):
    if x[k] < 0:
        raise ValueError(f"{x[k]} at {k}")
    return x[k]


def view(x):
    return x[1:], x


PROGRAMS: list[tuple[Callable, Callable[[int], tuple], int]] = [
    (spread, lambda n: (RNG.random(n),), 6),
    (in_place, lambda n: (RNG.random(n), RNG.random(n)), 6),
    (dot, lambda n: (RNG.random(n), RNG.random(n)), 6),
    (rows, lambda n: (RNG.random((n, 3)), RNG.random(3)), 6),
    (leading, lambda n: (RNG.random(64), n), 5),
    (squares, lambda n: (n,), 5),
    (strict, lambda n: (RNG.random(n) - 0.3, n // 2 + (n == 31) * n), len(set(SIZES))),
    (view, lambda n: (RNG.random(n),), len(set(SIZES))),
]


def outcome(f: Callable, arguments: tuple):
    try:
        return f(*arguments)
    except (IndexError, ValueError, ZeroDivisionError) as error:
        return type(error), str(error)


def same(one, two):
    assert type(one) is type(two)
    if isinstance(one, tuple):
        assert len(one) == len(two)
        for a, b in zip(one, two, strict=True):
            same(a, b)
    elif isinstance(one, np.ndarray | np.generic):
        assert one.dtype == two.dtype and one.shape == two.shape
        np.testing.assert_allclose(one, two, rtol=1e-12)
    else:
        assert one == two


@pytest.mark.filterwarnings("ignore:.*(mean of empty|divide|invalid)")
@pytest.mark.parametrize("program,make,programs", [pytest.param(*p, id=p[0].__name__) for p in PROGRAMS])
def test_sizes_that_vary(program, make, programs):
    compiled = xlapy.jit(program)
    for n in SIZES:
        given = make(n)
        theirs, ours = copy.deepcopy(given), copy.deepcopy(given)
        wanted, got = outcome(program, theirs), outcome(compiled, ours)
        same(wanted, got)
        same(theirs, ours)
        if program is in_place and n:
            assert got is ours[0]
    assert compiled.cache_info().currsize <= programs


def sum_of_the_rest(x):
    total = 0
    for v in x[1:]:
        total += v
    return total


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8])
def test_numbers_keep_their_types_where_a_loop_makes_none_wider(dtype):
    compiled = xlapy.jit(sum_of_the_rest)
    for size in SIZES:
        x = np.arange(size).astype(dtype) % 3
        expected, got = sum_of_the_rest(x), compiled(x)
        assert type(got) is type(expected) and got == expected, size
    # Sizes of which the loop may be over before it has begun have programs of their own.
    assert compiled.cache_info().misses < len(set(SIZES))


def test_arrays_that_are_something_else_get_programs_of_their_own():
    compiled = xlapy.jit(dot)
    for n in (3, 4, 5, 6):
        compiled(RNG.random(n), RNG.random(n))
    known = compiled.cache_info().misses
    x = RNG.random(20)
    for a, b in ((x[::2], x[1::2]), (x.astype(np.float32), x), (x[::-1], x), (x, x)):
        same(dot(a, b), compiled(a, b))
    assert compiled.cache_info().misses > known
    with pytest.raises(ValueError, match="mismatch"):
        compiled(x, x[:3])


def test_what_is_written_through_two_names():
    def shifted(x, y):
        x[1:] = y[:-1] + 1
        return x.sum()

    compiled = xlapy.jit(shifted)
    for n in (3, 4, 5, 6, 7, 9):
        compiled(RNG.random(n), RNG.random(n))
    one, two = np.arange(8.0), np.arange(8.0)
    same(shifted(one, one), compiled(two, two))
    same(one, two)
