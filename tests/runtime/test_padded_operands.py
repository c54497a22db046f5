"""What lies behind the elements of a padded operand changes no result: it is NaN, true or a huge number here."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

import xlapy
from xlapy.domain import rooms

from .test_varying_sizes import outcome, same

#: the first sizes get a program each, then come sizes within and beyond what the third one makes room for
SIZES = [9, 12, 10, 31, 32, 33, 3, 2, 1, 0, 40, 16]


def filled(shape, dtype):
    worst = {"f": np.nan, "c": complex(np.nan, np.nan), "b": True}
    dtype = np.dtype(dtype)
    return np.full(shape, worst[dtype.kind] if dtype.kind in worst else np.iinfo(dtype).max - 1, dtype)


@pytest.fixture(autouse=True)
def worst_padding(monkeypatch):
    monkeypatch.setattr(rooms, "blank", filled)


def neighbours(x):
    y = x.copy()
    for _ in range(3):
        y[1:-1] += 0.1 * (y[:-2] - 2 * y[1:-1] + y[2:])
    x[:] = y
    return y[2:][1:-1] + x[3:-1], np.diff(x)


def every_second(x):
    x[1:-1:2] = x[:-2:2] + x[2::2]
    x[2:-1:2] += x[1:-2:2] * x[3::2]
    return x[::2] * 2, x[5::3].sum(), x[-3:].copy(), x[::-2].copy(), x[40:].size, x[1:100:7] + 1


def of_two(x, y):
    return x * y + y, np.maximum(x, y), np.where(x > 0, x, y)


def products(a, b):
    return a @ b, a.sum(axis=0), a.T * 2.0, np.outer(a[:, 0], b[0]), a.max(axis=0)


def reduced(x):
    return x.sum(), x.mean(), x.max(), x.argmin(), np.argmax(x), (x > 0).all(), np.cumsum(x), np.sort(x)[::-1]


def chosen(x, k):
    x[k] = x[k[::-1]] * 2
    np.add.at(x, k, 1)
    return x[k > 2], np.bincount(k), np.nonzero(x)[0], x[len(x) // 2 :].sum(), np.unique(k)


def small_kinds(a, b, c, d):
    return a + a, a.sum(), b.sum(), ~b, c.cumsum(), c * 2, d.conj().sum(), np.flatnonzero(b)


def counted(x):
    table = np.zeros((len(x), 3), dtype=int)
    low, high = 0, len(x)
    while low < high:
        middle = (low + high) // 2
        table[middle, low % 3] += 1
        low, high = (middle + 1, high) if x[middle] < 0 else (low, middle)
    return table, low, [v for v in x if v > 0]


def spread(x):
    return np.histogram(x, bins=4), np.interp(0.3, np.arange(float(len(x))), x), np.convolve(x, [1.0, 2.0])


def wrong_arguments(x):
    found = []
    try:
        found.append(np.sort(x, kind="none"))
    except ValueError as error:
        found.append(str(error))
    try:
        np.tile(x, (2.5, 1))
    except TypeError:
        found.append("tile")
    try:
        np.var(x, ddof="a")
    except TypeError:
        found.append("var")
    return found


def pairs(x):
    try:
        return np.divmod.outer(x, x)
    except ValueError as error:
        return str(error)


def two_of(x):
    try:
        a, b = [v for v in x if v > 1]
        return a - b
    except ValueError as error:
        return str(error)


def numbers(n, dtype=float):
    return ((np.arange(n) * 7919 % 13) - 5).astype(dtype)


PROGRAMS: list[tuple[Callable, Callable[[int], tuple]]] = [
    (neighbours, lambda n: (numbers(n),)),
    (every_second, lambda n: (numbers(n),)),
    (of_two, lambda n: (numbers(n), numbers(n)[::-1].copy())),
    (of_two, lambda n: (numbers(n), numbers(n if n in SIZES[:3] else n + 1))),
    (of_two, lambda n: (numbers(n), numbers(1 if n % 2 else n))),
    (products, lambda n: (numbers(n * 3).reshape(n, 3), numbers(3 * (n % 5 + 1)).reshape(3, -1))),
    (reduced, lambda n: (numbers(n),)),
    (reduced, lambda n: (np.where(numbers(n) == 2, np.nan, numbers(n)),)),
    (chosen, lambda n: (numbers(n), np.arange(n) * 3 % max(n, 1))),
    (
        small_kinds,
        lambda n: (numbers(n, np.int8), numbers(n) > 0, numbers(n, np.float32), numbers(n) + 1j),
    ),
    (counted, lambda n: (np.sort(numbers(n)),)),
    (spread, lambda n: (numbers(n),)),
    (wrong_arguments, lambda n: (numbers(n),)),
    (pairs, lambda n: (np.abs(numbers(n, int)) + 1,)),
    (two_of, lambda n: (numbers(n),)),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program,make", [pytest.param(*p, id=f"{k}-{p[0].__name__}") for k, p in enumerate(PROGRAMS)])
def test_padding_is_not_seen(program, make):
    compiled = xlapy.jit(program)
    for n in SIZES:
        given = make(n)
        theirs, ours = copy.deepcopy(given), copy.deepcopy(given)
        same(outcome(program, theirs), outcome(compiled, ours))
        same(theirs, ours)


def test_which_array_is_returned():
    def either(x, y):
        return x if x[0] > 0 else y

    compiled = xlapy.jit(either)
    for n in (9, 10, 11, 12):
        x, y = np.ones(n) * (-1) ** n, np.ones(n)
        assert compiled(x, y) is either(x, y)


def test_few_operations_for_slices_of_one_length():
    """Where the least size is known, slices of one length need no comparison of lengths and no repeated elements."""
    compiled = xlapy.jit(neighbours)
    for n in (64, 70, 80):
        compiled(numbers(n))
    calls = compiled.cache_info()
    compiled(numbers(90))
    assert compiled.cache_info().misses == calls.misses == 3


@dataclasses.dataclass
class Range:
    low: float
    width: np.ndarray


def test_objects_of_dataclasses_are_returned():
    def between(x):
        return Range(x.min(), x - x.min())

    compiled = xlapy.jit(between)
    for n in (9, 10, 11, 12):
        wanted, got = between(numbers(n)), compiled(numbers(n))
        assert type(got) is Range
        same((wanted.low, wanted.width), (got.low, got.width))
    assert compiled.cache_info().misses == 3


class Pair:
    def __init__(self, x):
        self.second = x
        self.first = x * 2


def test_order_of_attributes_in_a_list_that_grows():
    def made(x):
        found = [Pair(v) for v in x if v > 0]
        return list(vars(found[-1])), found

    names, found = xlapy.jit(made)(np.array([1.0, -1.0, 2.0]))
    assert names == list(vars(found[0])) == list(vars(Pair(1.0)))
