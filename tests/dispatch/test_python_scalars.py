"""Operators and built-in functions of Python's numbers, value by value against CPython."""

import itertools
import math

import numpy as np
import pytest
from python_check import check, function_of

INTS = [0, 1, -1, 2, 3, -3, 7, -7, 100, 2**40 + 1, -(2**40), 2**53 + 1]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.75, 1e300, -1e-200, math.inf, -math.inf, math.nan]
COMPLEX = [0j, 1 + 2j, -3.5j, 2 - 1j, complex(-1, -0.0)]
BOOLS = [False, True]
SMALL_INTS = [0, 1, 2, 3, -1, -2, 5]
SMALL_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.75, 2.0, -3.0, 400.0, math.inf, -math.inf, math.nan]
VALUES = {bool: BOOLS, int: INTS, float: FLOATS, complex: COMPLEX}
PAIRS = list(itertools.product(VALUES, VALUES))
NAMES = [f"{a.__name__}-{b.__name__}" for a, b in PAIRS]


def fits(symbol, a, b):
    """Whether the result of an operation fits 64 bits."""
    try:
        result = eval(f"a {symbol} b")
    except Exception:
        return True
    return not isinstance(result, int) or -(2**63) <= result < 2**63


@pytest.mark.parametrize(("one", "two"), PAIRS, ids=NAMES)
@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%", "==", "!=", "<", "<=", ">", ">="])
def test_operator(symbol, one, two):
    pairs = [(a, b) for a, b in itertools.product(VALUES[one], VALUES[two]) if fits(symbol, a, b)]
    if complex in (one, two) and symbol in "*/":
        pairs = [(a, b) for a, b in pairs if all(abs(v) < 1e200 for v in (a, b))]
    check(function_of(f"a {symbol} b", "a", "b"), *pairs)


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%", "==", "<", ">="])
@pytest.mark.parametrize("constant", [0, -3, 0.5, -0.0, True, math.inf])
def test_operator_with_a_constant(symbol, constant):
    for values in (INTS, FLOATS, BOOLS):
        if constant == 0 and symbol in "+-":  # XLA takes x + 0 for x, also where x is -0.0
            values = [v for v in values if v != 0]
        left = [(v,) for v in values if fits(symbol, v, constant)]
        check(function_of(f"a {symbol} c", "a", c=constant), *left)
        right = [(v,) for v in values if fits(symbol, constant, v)]
        check(function_of(f"c {symbol} a", "a", c=constant), *right)


@pytest.mark.parametrize("symbol", ["&", "|", "^", "<<", ">>"])
def test_bits(symbol):
    for one, two in itertools.product((bool, int), (bool, int)):
        counts = [0, 1, 3, 17, -1] if symbol in ("<<", ">>") and two is int else VALUES[two]
        pairs = [(a, b) for a, b in itertools.product(VALUES[one], counts) if fits(symbol, a, b)]
        check(function_of(f"a {symbol} b", "a", "b"), *pairs)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (INTS[:9], SMALL_INTS),
        (SMALL_FLOATS, SMALL_INTS),
        (SMALL_INTS, SMALL_FLOATS),
        (SMALL_FLOATS, SMALL_FLOATS),
        (BOOLS, BOOLS),
    ],
    ids=["int-int", "float-int", "int-float", "float-float", "bool-bool"],
)
def test_power(one, two):
    """A negative base with a fraction is complex in Python: refused, at run time."""
    pairs = list(itertools.product(one, two))
    gives_complex = [isinstance(a**b if a != 0 and abs(b) < 10 else 0, complex) for a, b in pairs]
    for wanted in (False, True):
        some = [pair for pair, is_complex in zip(pairs, gives_complex, strict=True) if is_complex == wanted]
        if some:
            check(function_of("a ** b", "a", "b"), *some, may_refuse=wanted)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, -2, 0.5, 2.0, 2.5, -0.5])
def test_power_with_a_constant_exponent(exponent):
    for values in (INTS[:9], SMALL_FLOATS, BOOLS):
        check(function_of("a ** c", "a", c=exponent), *((v,) for v in values), may_refuse=exponent != int(exponent))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, -2, 0.5, 1j])
def test_power_of_complex(exponent):
    check(function_of("a ** c", "a", c=exponent), *((v,) for v in COMPLEX), rtol=1e-12)


@pytest.mark.parametrize(
    "source", ["-a", "+a", "~a", "abs(a)", "not a", "bool(a)", "int(a)", "float(a)", "complex(a)", "round(a)"]
)
@pytest.mark.parametrize("kind", VALUES, ids=lambda k: k.__name__)
def test_unary(source, kind):
    values = [
        v for v in VALUES[kind] if not (source in ("int(a)", "round(a)") and abs(v) > 2**62 and math.isfinite(abs(v)))
    ]
    check(function_of(source, "a"), *((v,) for v in values))


def test_divmod():
    for one, two in itertools.product((int, float, bool), (int, float, bool)):
        check(function_of("divmod(a, b)", "a", "b"), *itertools.product(VALUES[one], VALUES[two]))


ROUNDED = [
    0.5,
    1.5,
    2.5,
    -2.5,
    2.675,
    1.005,
    0.145,
    5.015,
    1.115,
    0.285,
    1e22,
    123456.789,
    -0.05,
    0.0,
    -0.0,
    math.nan,
    math.inf,
    1e-320,
]


@pytest.mark.parametrize("digits", [0, 1, 2, 3, 5, 10, 17, -1, -2, -3])
def test_round_to_digits(digits):
    values = [
        *ROUNDED,
        *(k / 8 for k in range(-50, 50)),
        *(k * 0.005 for k in range(-200, 200)),
        5.0,
        15.0,
        25.0,
        1250.0,
        -350.0,
    ]
    check(function_of("round(a, c)", "a", c=digits), *((v,) for v in values), rtol=0)
    check(function_of("round(a, c)", "a", c=digits), *((v,) for v in [*INTS, 5, 15, 25, 50, 150, 250, -250, -50]))


def test_three_argument_pow():
    check(
        function_of("pow(a, b, m)", "a", "b", "m"),
        *itertools.product([0, 1, 5, -5, 123456], [0, 1, 5, 62], [1, 7, -7, 1000003, 0]),
    )


def test_int_methods():
    check(
        function_of("a.bit_length(), a.bit_count(), a.real, a.imag, a.numerator, a.denominator, a.conjugate()", "a"),
        *((v,) for v in INTS),
    )
    check(function_of("a.is_integer(), a.real, a.imag, a.conjugate()", "a"), *((v,) for v in FLOATS))
    check(function_of("a.real, a.imag, a.conjugate()", "a"), *((v,) for v in COMPLEX))


def test_chains_of_operations_keep_python_types():
    def program(a, b, x):
        return (a + b) // 2 * x, a / b + True, (a > b) + (a == a), -(a < b), a % 3 & b, x // 1, int(x) % 2

    check(program, (7, 3, 2.5), (-7, 3, -2.5), (0, -1, 1e10))


def test_bounds_decide_comparisons():
    def program(n):
        total = 0
        for i in range(5):
            j = i % 3
            total += (j >= 0) + (j < 3) + (i * 2 <= 8) + (-i > 0) + (i // 2 > 5) + n
        return total

    check(program, (1,), (-4,))


def test_big_constants():
    check(function_of("a < c, a == c, a >= -c, a * 1.0 < c", "a", c=2**70), (1,), (-5,), (2**62,))
    check(function_of("2**100 % 7, 10**30 > 1, 3 << 70", "a"), (1,))


@pytest.mark.skipif(not hasattr(float, "from_number"), reason="since Python 3.14")
@pytest.mark.parametrize("cls", ["float", "complex"])
def test_from_number(cls):
    values = [1, True, 2.5, np.float32(1.5), np.array([1.0, 2.0])]
    check(function_of(f"{cls}.from_number(x)", "x"), *((v,) for v in values))
    for source in ("'1'", "[]"):
        check(function_of(f"{cls}.from_number({source})", "x"), (1,))


def test_real_and_complex_quotients():
    reals = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, 3]
    parts = [0.0, -0.0, 1.5, -3.0, math.inf, math.nan]
    pairs = [(x, complex(a, b)) for x in reals for a in parts for b in parts]
    for source in ("x / z", "z / x", "x * z", "z - x", "x - z"):
        check(function_of(source, "x", "z"), *pairs)


def test_complex_products_and_quotients():
    parts = [0.0, -0.0, 1.5, -3.0, math.inf, math.nan]
    numbers = [complex(a, b) for a in parts for b in parts]
    for source in ("z * w", "z / w"):
        check(function_of(source, "z", "w"), *itertools.product(numbers, numbers))
