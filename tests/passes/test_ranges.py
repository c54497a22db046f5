"""Between which numbers the elements of integer arrays are."""

import numpy as np
import pytest

import xlapy
from xlapy.ir.value_ranges import elements_between

from .programs import operations, program

I, J = np.array([-3, 5, 2, 7]), np.array([4, -1, 0, 9], np.int8)
M = np.array([True, False, True, True])

CASES = {
    "grid": (lambda i, j, m: np.mgrid[0:3, 2:9][1], (0, 8)),
    "moved": (lambda i, j, m: np.arange(5 * 20).reshape(5, 20).T[::-1, 1:], (0, 99)),
    "stored": (lambda i, j, m: _stored(j), (-128, 127)),
    "chosen": (lambda i, j, m: np.where(m, np.arange(100)[:4] - 6, 50), (-6, 93)),
    "arithmetic": (lambda i, j, m: 3 - 2 * j.astype(np.int64), (3 - 254, 3 + 256)),
    "wrapped": (lambda i, j, m: j + np.int8(1), (-128, 127)),
    "clipped": (lambda i, j, m: np.clip(i, 0, 12) + 1, (1, 13)),
    "masked bits": (lambda i, j, m: (i & 7) - 1, (-1, 6)),
    "booleans": (lambda i, j, m: m * 3, (0, 3)),
    "an order": (lambda i, j, m: np.argsort(j, kind="stable"), (0, 3)),
    "a long order": (lambda i, j, m: np.argsort(np.repeat(i, 500), kind="stable")[:9], (0, 1999)),
    "places": (lambda i, j, m: np.argmax(np.outer(i, np.append(i, i)), axis=1), (0, 7)),
    "unknown": (lambda i, j, m: i + 1, (-(2**63), 2**63 - 1)),
    "too large": (lambda i, j, m: np.maximum(i, 0) * 4, (-(2**63), 2**63 - 1)),
}


def _stored(j):
    x = np.zeros(9, np.int64)
    x[2:6] = j
    return x


@pytest.mark.parametrize("name", CASES)
def test_intervals_have_all_elements(name):
    function, expected = CASES[name]
    module, _ = program(function, (I, J, M))
    low, high = elements_between(module.entry.results[0])
    values = function(I, J, M)
    assert low <= values.min() and values.max() <= high
    assert (low, high) == expected


def picked(x, i):
    k = np.arange(90).reshape(9, 10).T % 9
    return x[k], x[np.clip(i, 0, 9)], x[np.minimum(np.abs(i), 9)]


def taken_in_order(x, y):
    order = np.argsort(x)
    return y[order], y[np.argmin(x)]


@pytest.mark.parametrize("size", [0, 1, 2, 3, 2000])
@pytest.mark.parametrize("fewer", [0, 1])
def test_an_order_of_more_elements_than_there_are(size, fewer):
    x, y = np.random.default_rng(size).normal(size=size), np.arange(max(size - fewer, 0)) * 1.5
    try:
        expected = taken_in_order(x, y)
    except (IndexError, ValueError) as error:
        with pytest.raises(type(error)) as ours:
            xlapy.jit(taken_in_order)(x, y)
        assert str(ours.value) == str(error)
    else:
        for a, b in zip(xlapy.jit(taken_in_order)(x, y), expected, strict=True):
            np.testing.assert_array_equal(a, b)


def test_indices_that_are_certainly_in_range_are_not_checked():
    module, _ = program(lambda x, i: x[np.mgrid[0:3, 0:9][1]] + x[np.clip(i, 0, 9)][:1], (np.ones(10), I))
    assert not [o for o in operations(module.entry) if o.attributes.get("name") == "check_indices"]
    for a, b in zip(xlapy.jit(picked)(np.arange(10.0), I), picked(np.arange(10.0), I), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("size", [20, 6000])
@pytest.mark.parametrize("wrong", [None, 10, -11])
def test_the_first_index_that_is_out_of_range_is_named(size, wrong):
    index = np.arange(size) % 10 - 5
    if wrong is not None:
        index[[size // 2, size - 1]] = wrong, 77
    x = np.arange(10.0)

    def take(x, index):
        x[index] = x[index] + 1.0
        return x[index]

    if wrong is None:
        np.testing.assert_array_equal(xlapy.jit(take)(x.copy(), index), take(x.copy(), index))
        return
    with pytest.raises(IndexError) as ours:
        xlapy.jit(take)(x.copy(), index)
    with pytest.raises(IndexError) as theirs:
        take(x.copy(), index)
    assert str(ours.value) == str(theirs.value)
