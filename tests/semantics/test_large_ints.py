"""Python's ints beyond 64 bits: never wrapped silently. A result that does not fit is refused when it occurs."""

import math
import random
import sys

import numpy as np
import pytest

import xlapy

LARGEST = 2**63
#: what every operator may give; beyond, up to `LARGEST`, it may be refused
ROOM = LARGEST - 2**51


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def factorial(n):
    product, i = 1, 1
    while i <= n:
        product *= i
        i += 1
    return product


def doubled_until(x, limit):
    trips = 0
    while x < limit:
        x *= 2
        trips += 1
    return x, trips


def short_sums(weights):
    best, found = sys.maxsize, 0
    for weight in weights:
        if best + int(weight) < 100:
            found += 1
        best = min(best, int(weight))
    return found


def collatz(n):
    trips = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        trips += 1
    return trips


OPERATORS = {
    "add": lambda a, b: a + b,
    "add_known": lambda a, b: a + 10,
    "sub": lambda a, b: a - b,
    "sub_known": lambda a, b: 5 - a - 10,
    "mul": lambda a, b: a * b,
    "mul_known": lambda a, b: a * -7,
    "square": lambda a, b: a * a,
    "cube": lambda a, b: a**3,
    "pow": lambda a, b: a ** (abs(b) % 70),
    "shift": lambda a, b: a << abs(b) % 70,
    "shift_known": lambda a, b: a << 5,
    "neg": lambda a, b: -a,
    "abs": lambda a, b: abs(a),
    "quotient": lambda a, b: a // (b if b else 1),
    "comb": lambda a, b: math.comb(abs(a) % 80, abs(b) % 80),
    "perm": lambda a, b: math.perm(abs(a) % 30, abs(b) % 30),
    "sum_of_list": lambda a, b: sum([a, b, a]),
    "product_of_list": lambda a, b: math.prod([a, b]),
    "augmented": lambda a, b: [total := a, total := total + b][1],
}


def numbers(seed):
    """Ints of every size, with the ends of the range and what lies next to them."""
    draw = random.Random(seed)
    sizes = [draw.choice((2, 8, 20, 31, 32, 33, 46, 62, 63)) for _ in range(40)]
    found = [draw.randrange(2**size) * draw.choice((-1, 1)) for size in sizes]
    return [*found, LARGEST - 1, -LARGEST, -LARGEST + 1, 2**32, -(2**32), 2**31, 0, 1, -1]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    function = OPERATORS[name]
    compiled = xlapy.jit(function)
    refused = 0
    left, right = numbers(name), numbers(name + "right")
    random.Random(name).shuffle(right)
    for a, b in zip(left, right, strict=True):
        expected = function(a, b)
        try:
            found = int(compiled(a, b))
        except xlapy.NotOffloadableError as error:
            assert "outgrows" in str(error)
            largest = max(map(abs, (expected, *_parts(name, a, b))))
            assert largest > ROOM, (a, b, expected)
            refused += 1
        else:
            assert found == expected, (a, b)
    assert refused < len(left)


def _parts(name, a, b):
    """What a program computes on the way."""
    if name in ("pow", "shift", "comb", "perm"):
        return abs(a), abs(b)
    return (a + b, 5 - a) if name in ("sum_of_list", "sub_known") else ()


@pytest.mark.parametrize(
    ("function", "fits", "outgrows"),
    [
        (fibonacci, (90,), (93,)),
        (factorial, (20,), (21,)),
        (doubled_until, (1, 10**9), (3, 2**63 - 1)),
        (short_sums, (np.array([-5, 3, 100]),), (np.array([5, 3, 100]),)),
        (collatz, (27,), (2**62 + 1,)),
        (lambda n: sum(i * i for i in range(n)), (1000,), (4_000_000,)),
        (lambda n: sum(range(n)), (2**20,), (2**33,)),
    ],
)
def test_programs(function, fits, outgrows):
    compiled = xlapy.jit(function, returns="numpy")
    np.testing.assert_array_equal(compiled(*fits), function(*fits))
    with pytest.raises(xlapy.NotOffloadableError, match="outgrows"):
        compiled(*outgrows)
    np.testing.assert_array_equal(compiled(*fits), function(*fits))


def test_nothing_is_changed_where_an_int_outgrows():
    def fill(x, n):
        product = 1
        for i in range(n):
            product *= i + 1
            x[i % 3] = product

    x, expected = np.zeros(3), np.zeros(3)
    compiled = xlapy.jit(fill)
    compiled(x, 10)
    fill(expected, 10)
    np.testing.assert_array_equal(x, expected)
    with pytest.raises(xlapy.NotOffloadableError, match="outgrows the 64 bits") as caught:
        compiled(x, 30)
    assert "product *= i + 1" in str(caught.value)
    np.testing.assert_array_equal(x, expected)


def test_no_handler_of_the_program_sees_it():
    def careful(n):
        try:
            return factorial(n)
        except OverflowError:
            return -1
        except Exception:
            return -2

    with pytest.raises(xlapy.NotOffloadableError, match="outgrows"):
        xlapy.jit(careful)(25)


def test_numpy_ints_wrap_around():
    def wrap(x):
        return x * x

    number = np.int64(2**40)
    with np.errstate(over="ignore"):
        assert int(xlapy.jit(wrap)(number)) == int(wrap(number))


def test_32_bits():
    compiled = xlapy.jit(fibonacci, dtypes="32bit")
    assert compiled(40) == fibonacci(40)
    with pytest.raises(xlapy.NotOffloadableError, match="outgrows the 32 bits"):
        compiled(60)


def test_counters_need_no_check():
    def count(x, limit):
        trips = found = 0
        while trips < limit:
            if x[trips % 4] > 0:
                found += 1
            trips += 1
        return found

    x = np.array([1.0, -1.0, 2.0, 3.0])
    assert xlapy.jit(count)(x, 11) == count(x, 11)
    assert "outgrows" not in str(xlapy.code_typed(count, x, 11))
    lowered = str(xlapy.code_xla(count, x, 11))
    errors = [line for line in lowered.splitlines() if "tensor<i32>" in line and "select" in line]
    assert errors == []
