"""`dtypes="32bit"`: what a program sees of 64-bit arrays of the caller's, of which it has 32-bit copies."""

import math
from typing import Any

import numpy as np
import pytest

import xlapy

A = np.arange(12.0).reshape(3, 4)
ORDERS: Any = ("C", "F", "A", "K")


def narrow(function: Any) -> Any:
    return xlapy.jit(function, dtypes="32bit", returns="numpy")


@pytest.mark.parametrize(
    "array", [A, A.T, np.asfortranarray(A), A[:, ::2], A[::-1], A[:, 1:3].T, A.astype(np.int64), A + 1j, A.astype("f4")]
)
def test_how_arrays_lie_in_memory(array):
    def read(a: Any):
        flags = a.flags.c_contiguous, a.flags.f_contiguous, a.T.flags.f_contiguous
        orders = [np.reshape(a, a.size, order=order) for order in ORDERS[:3]] + [
            a.ravel(order=order) for order in ORDERS
        ]
        return flags, orders, np.shares_memory(a.ravel(), a)

    flags, orders, shares = narrow(read)(array)
    expected = read(array)
    assert (flags, shares) == (expected[0], expected[2])
    for one, other in zip(orders, expected[1], strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_call_with_another_layout():
    f = narrow(lambda a: a.ravel(order="K"))
    for array in (A, np.asfortranarray(A), A.T, A):
        np.testing.assert_array_equal(f(array), array.ravel(order="K"))


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?", "f4", "f8"])
@pytest.mark.parametrize("source", ["f2", "f4", "f8", "c8", "c16"])
def test_conversions(source, kind):
    x: Any = np.array([0, -0.0, 1.5, 2.875, 100.25, 127.5, 255.5, 5e4] + [-1.5, -100.75] * (kind[0] != "u")).astype(
        source
    )

    def convert(x):
        return x.real.astype(kind), np.array([x.real[2], 7.5]).astype(kind)

    fits = np.abs(x.real.astype(float)) <= (float(np.iinfo(kind).max) if kind[0] in "iu" else np.inf)
    for one, other in zip(narrow(convert)(x[fits]), convert(x[fits]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_no_integer_of_32_bits_holds():
    x = np.array([3e9, 4e9, 2.0**31, 2.0**32, -1.0, np.nan, np.inf])
    np.testing.assert_array_equal(narrow(lambda x: x.astype(np.uint64))(x[:3]), x[:3].astype(np.uint32))
    assert (narrow(lambda x: x.astype(int))(x[[0, 3, 5, 6]]) == np.iinfo(np.int32).min).all()


def test_functions_that_make_integers():
    expected = np.logspace(0, 3, 4, dtype=int)
    np.testing.assert_array_equal(narrow(lambda: np.logspace(0, 3, 4, dtype=int))(), expected)
    np.testing.assert_array_equal(narrow(lambda v: np.astype(v, int))(np.array([2.7, -3.2])), [2, -3])


def numbers_in_loops(n, x):
    total, small, k, found, table = 0, 1, 0, [], {}
    for i in range(1, n):
        total = (total + i) % 1003
        small = small * 0.5
    while k < n:
        k += 3
    for v in x:
        if v > 0:
            found.append(len(found))
            table[int(v)] = table.get(int(v), 0) + 1
    return total, small, k, found, table


def test_numbers_that_loops_carry():
    x = np.array([1.0, 3.0, -2.0, 3.0])
    for returns in ("numpy", "jax"):
        found = xlapy.jit(numbers_in_loops, dtypes="32bit", returns=returns)(50, x)
        total, small, *rest = numbers_in_loops(50, x)
        assert (int(found[0]), *found[2:]) == (total, *rest)
        np.testing.assert_allclose(found[1], small, rtol=1e-6)


def test_other_shapes_after_a_program_with_other_inputs():
    f = narrow(lambda x, y: (x.sum() + y.sum(), x is y))
    one, two = np.arange(3.0), np.arange(4.0)
    for x, y in ((one, one), (one, two), (two, two), (one.astype("f4"), two)):
        assert f(x, y) == (x.sum() + y.sum(), x is y)


def test_ints_beyond_32_bits():
    large = 2**40
    programs: list[tuple[Any, int]] = [(lambda n: n + large, 5), (lambda n: n > large, 5), (lambda n: [large, n][n], 0)]
    programs += [(lambda n: n + 5, large), (math.factorial, 13), (lambda n: int(n * 1e9), 3)]
    programs += [(lambda n: pow(2, n, 100_000), 20)]
    for function, n in programs:
        try:
            found = narrow(lambda n, function=function: function(n))(n)
        except xlapy.NotOffloadableError as error:
            assert error.blockers[0].code in ("XP0005", "XP0004")
        else:
            assert found == function(n)
    assert narrow(lambda n: (math.isqrt(n), math.factorial(n // 1000), n == 12345.0))(12345) == (111, 479001600, True)


def test_an_array_that_has_the_type_already():
    x = np.arange(3.0)
    same = narrow(
        lambda x: (x.astype(float, copy=False) is x, np.asarray(x, np.float64) is x, np.asarray(x, "f4") is x)
    )
    assert same(x) == (True, True, True)
