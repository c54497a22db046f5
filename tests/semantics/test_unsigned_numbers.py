"""NumPy's unsigned integers beyond what Python's ints have on the device: never wrapped to negative ones.

Where such a number becomes a Python int the call is refused; as an index it raises what CPython raises, or is refused.
"""

import math
import operator

import numpy as np
import pytest

import xlapy
from xlapy.verification.comparison import Comparison

from .runner import Programs

SMALL, LARGE, LARGEST = np.uint64(5), np.uint64(2**63), np.uint64(2**64 - 1)
program = Programs()


def large_ones(a):
    found = 0
    for i in range(len(a)):
        if int(a[i]) > 100:
            found += 1
    return found


def collected(a, n):
    found = []
    for i in range(n):
        found.append(int(a[i]))
    return found


OF_NUMBERS = {
    "int": lambda x: int(x),
    "item": lambda x: x.item(),
    "tolist": lambda x: x.tolist(),
    "round": lambda x: round(x),
    "floor": lambda x: math.floor(x),
    "ceil": lambda x: math.ceil(x),
    "index": lambda x: x.__index__(),
    "int_method": lambda x: x.__int__(),
    "operator_index": lambda x: operator.index(x),
    "remainder": lambda x: int(x) % 10,
    "comparison": lambda x: int(x) > 5,
    "float": lambda x: float(int(x)),
    "bits": lambda x: int(x) ^ 1,
    "text": lambda x: f"{int(x)}",
    "key": lambda x: {int(x): 1},
    "gcd": lambda x: math.gcd(x, 6),
    "isqrt": lambda x: math.isqrt(x),
    "length": lambda x: int(x).bit_length(),
    "of_array": lambda x: int(np.array([x])[0]),
    "range": lambda x: len(range(x)) > 3,
    "pop": lambda x: [1, 2, 3, 4, 5, 6].pop(x),
}
OF_ARRAYS = {
    "tolist": lambda a: a.tolist(),
    "item": lambda a: a.item(0),
    "sum": lambda a: [int(v) + 0 for v in a],
    "max": lambda a: max(a.tolist()),
    "reshaped": lambda a: a.reshape(2, 2).tolist(),
    "many": lambda a: np.tile(a, 100).tolist(),
    "selected": lambda a: a[a > 1].tolist(),
    "loop": large_ones,
    "collected": lambda a: collected(a, len(a)),
}


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_numbers(name):
    f = OF_NUMBERS[name]
    compiled = xlapy.jit(f, returns="numpy")
    Comparison()(f(SMALL), compiled(SMALL), "result")
    for number in (LARGE, LARGEST):
        with pytest.raises(xlapy.NotOffloadableError, match="made an int"):
            compiled(number)


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_arrays(name):
    f = OF_ARRAYS[name]
    compiled = xlapy.jit(f, returns="numpy")
    small = np.array([7, 5, 200, 3], np.uint64)
    Comparison()(f(small), compiled(small), "result")
    for number in (LARGE, LARGEST):
        with pytest.raises(xlapy.NotOffloadableError, match="made an int"):
            compiled(np.array([number, 5, 200, 3], np.uint64))


def test_no_handler_sees_it():
    def caught(x):
        try:
            return int(x)
        except OverflowError:
            return 3

    with pytest.raises(xlapy.NotOffloadableError, match="made an int"):
        xlapy.jit(caught)(LARGEST)


def test_common_divisor_of_the_least_int():
    assert xlapy.jit(lambda x: math.gcd(6, x))(-(2**63)) == 2
    with pytest.raises(xlapy.NotOffloadableError, match="outgrows"):
        xlapy.jit(lambda x: math.gcd(x, 0))(-(2**63))
    with pytest.raises(xlapy.NotOffloadableError, match="outgrows"):
        xlapy.jit(lambda x: math.lcm(x, 3))(2**62)


@program(SMALL, LARGE, LARGEST)
def only_small_ones_become_ints(x):
    return int(x) if x < 10 else 0


@program(SMALL, LARGE, LARGEST)
def remainders_fit(x):
    return int(x % np.uint64(10)), int(x & np.uint64(255)), float(x), f"{x}", x + np.uint64(1), x == 2**63


@program((np.arange(6.0).reshape(2, 3), SMALL), (np.ones((0, 3)), SMALL), (np.arange(6.0).reshape(2, 3), LARGEST))
def rolled(a, j):
    return np.roll(a, j), np.roll(a, j, 1), np.roll(a, j, (0, 1)), np.roll(a.T, [j, j], (0, 1))


@program((np.arange(6.0), SMALL), (np.arange(6.0), LARGE), (np.arange(6.0), LARGEST), raises=OverflowError)
def element(a, j):
    return a[j]


@program((np.arange(6.0), SMALL), (np.arange(6.0), LARGEST), raises=OverflowError)
def assigned_element(a, j):
    a[j] = -1
    return a


@program((np.ones((6, 2)), SMALL), (np.ones((6, 2)), LARGEST), raises=OverflowError)
def row_and_columns(m, j):
    return m[j, :], m[j, 0], m[:, j % np.uint64(2)]


@program((np.ones((6, 6)), SMALL), (np.ones((6, 6)), LARGEST), raises=OverflowError)
def with_an_index_array(m, j):
    return m[np.array([0, 1]), j]


@program(
    (np.arange(6.0), np.array([1, 2], np.uint64)),
    (np.arange(6.0), np.array([1, LARGEST], np.uint64)),
    raises=OverflowError,
)
def loop_of_elements(a, places):
    s = 0.0
    for j in places:
        s += a[j]
        a[j] = -1
    return s


@program(
    (np.arange(6.0), SMALL, True),
    (np.arange(6.0), SMALL, False),
    (np.arange(6.0), LARGEST, False),
    (np.arange(6.0), LARGEST, True),
    raises=OverflowError,
)
def place_of_either_kind(a, j, chosen):
    place = 1
    if chosen:
        place = j
    a[place] += 1
    return a[place], a


@program((np.arange(6.0), np.uint8(5), np.int8(2)), (np.arange(6.0), SMALL, np.int8(-2)))
def place_that_changes(a, j, k):
    total, place = 0.0, k
    for x in a:
        total += a[place]
        if x > 1:
            place = j
    return total


@program(
    (np.arange(6.0), SMALL, np.int8(2), True),
    (np.arange(6.0), LARGEST, np.int8(-2), False),
    (np.arange(6.0), LARGEST, np.int8(-2), True),
    raises=OverflowError,
)
def place_of_either_class(a, j, k, chosen):
    return a[j if chosen else k]


@program((np.arange(6.0), np.array([1, LARGEST], np.uint64)))
def index_arrays_wrap_as_in_numpy(a, places):
    return a[places]


@program((np.arange(6.0), SMALL), (np.arange(6.0), LARGEST))
def slices_end_with_the_array(a, j):
    return a[:j]


@program(([1, 2, 3, 4, 5, 6], SMALL), ([1, 2, 3], LARGE), ([1, 2, 3], LARGEST), raises=IndexError)
def item_of_list(l, j):
    return l[j]


@program(([1, 2, 3, 4, 5, 6], SMALL), ([1, 2, 3], LARGEST), raises=IndexError)
def assigned_item(l, j):
    l[j] = 0
    return l


@program(SMALL, LARGEST, raises=IndexError)
def item_of_tuple(j):
    return (1, 2, 3, 4, 5, 6)[j]


@program(np.uint64(1), LARGEST, raises=IndexError)
def character(j):
    return "abc"[j]


@program(np.uint64(2), LARGEST, raises=OverflowError)
def repeated_list(x):
    return [1] * x


@program(np.uint64(2), LARGEST, raises=OverflowError)
def repeated_text(x):
    return x * 1, "ab" * x


@program(np.int8(2), np.float64(3), raises=TypeError)
def range_of_a_float(x):
    return len(range(x))


@program(np.int8(2), np.float32(3), raises=TypeError)
def item_of_range(x):
    return range(5)[x]


test_programs = program.test()
