"""frexp, ldexp, nextafter, spacing and ulp of all numbers there are, denormals among them, bit by bit."""

import itertools
import math

import numpy as np
import pytest

import xlapy


def numbers(dtype):
    """Zeros, the smallest, the largest, infinities, NaN, and what random bits are."""
    about, rng = np.finfo(dtype), np.random.default_rng(3)
    tiny, small = about.smallest_subnormal, about.tiny
    edges = [0, tiny, 3 * tiny, small - tiny, small, small / 2, 0.1, 1, 1.5, 2, about.max, np.inf, np.nan]
    edges = np.array(edges, dtype)
    return np.concatenate([edges, -edges, np.frombuffer(rng.bytes(1600), dtype)])


def assert_same_bits(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype
    kept = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), ~kept)
    np.testing.assert_array_equal(np.signbit(found)[kept], np.signbit(expected)[kept])
    # NumPy compares denormals as what they are
    np.testing.assert_array_equal(found[kept], expected[kept])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_functions_of_arrays(dtype):
    def program(x, n):
        parts, after = np.frexp(x), np.nextafter(x[:, None], x[:30])
        return *parts, np.spacing(x), after, np.ldexp(x[:, None], n), np.ldexp(x, -(2**31))

    x, n = numbers(dtype), np.concatenate([np.arange(-1100, 1100, 37), np.arange(-30, 30), [2**31 - 1]])
    with np.errstate(all="ignore"):
        expected = program(x, n)
    for found, part in zip(xlapy.jit(program)(x, n), expected, strict=True):
        assert_same_bits(found, part)


def _outcome(function, *args):
    try:
        return repr(function(*args))
    except (OverflowError, ValueError) as error:
        return repr(error)


@pytest.mark.parametrize("name", ["frexp", "ulp", "nextafter", "ldexp"])
def test_functions_of_numbers(name):
    function = getattr(math, name)
    values = [float(x) for x in numbers(np.float64)[:26]]
    second = {"nextafter": values, "ldexp": [-(10**15), -1080, -1074, -1060, -52, -1, 0, 1, 52, 1000, 5000, 10**15]}
    calls = itertools.product(values, second[name]) if name in second else zip(values)
    compiled = xlapy.jit(lambda *args: function(*args), returns="numpy")
    for args in calls:
        assert _outcome(compiled, *args) == _outcome(function, *args), args
