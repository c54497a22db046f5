"""The math and cmath modules, value by value against CPython."""

import cmath
import itertools
import math

import pytest
from python_check import check, function_of

from xlapy.dispatch import register_all
from xlapy.dispatch.registry import find_function, find_replacement

assert register_all

REALS = [
    0.0,
    -0.0,
    0.3,
    -0.3,
    1.0,
    -1.0,
    2.0,
    0.5,
    -2.5,
    7.25,
    30.0,
    171.0,
    500.0,
    1000.0,
    1e17,
    -1e300,
    math.inf,
    -math.inf,
    math.nan,
]
UNARY = (
    "acos acosh asin asinh atan atanh cbrt cos cosh degrees erf erfc exp exp2 expm1 fabs frexp isfinite isinf isnan"
    " log log10 log1p log2 modf radians sin sinh sqrt tan tanh ulp"
).split()
INTS = [0, 1, 2, 3, 7, 12, 18, 20, -1, -6, 100]
COMPLEX = [0j, 1 + 0j, 1j, 1 + 2j, -0.5 + 0.1j, complex(-3, -0.0), complex(-3, 0.0), 2 - 1j, 0.25 - 4j, 3 + 700j]
EXTREME = [1 + 1e-200j, -1e-200 - 1j, 1.5e308 - 1.5e308j, 1e160j, complex(-1e300, 2.0)]


@pytest.mark.parametrize("module", [math, cmath])
def test_every_function_has_a_rule(module):
    functions = [getattr(module, n) for n in dir(module) if not n.startswith("_") and callable(getattr(module, n))]
    assert [f for f in functions if find_function(f) is None and find_replacement(f) is None] == []


@pytest.mark.parametrize("name", UNARY)
def test_of_one_float(name):
    function = getattr(math, name)
    values = [v for v in REALS if not (name in ("sin", "cos", "tan") and abs(v) > 1e16 and math.isfinite(v))]
    if name == "ulp":  # denormal numbers are zero on the device
        values = [v for v in values if v != 0]
    check(function_of("g(x)", "x", g=function), *((v,) for v in values), rtol=2e-14)
    check(function_of("g(x)", "x", g=function), *((v,) for v in (0, 1, -1, 3) if name != "ulp"), rtol=2e-14)


@pytest.mark.parametrize("name", ["gamma", "lgamma"])
def test_gamma(name):
    values = [*REALS, -1.5, -2.0, 4.5, 5.0, 170.0, -30.5, 1e-5]
    check(function_of("g(x)", "x", g=getattr(math, name)), *((v,) for v in values), rtol=1e-12)


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc"])
def test_whole_numbers(name):
    values = [v for v in REALS if not abs(v) > 1e18 or math.isinf(v)]
    check(function_of("g(x)", "x", g=getattr(math, name)), *((v,) for v in [*values, 2, -3, True]))


@pytest.mark.parametrize(
    "name", ["atan2", "copysign", "fmod", "remainder", "pow", "hypot", "nextafter", "isclose", "log"]
)
def test_of_two_floats(name):
    values = [0.0, -0.0, 1.0, 2.5, -2.5, 7.0, -1.0, 3.0, 300.0, math.inf, -math.inf, math.nan]
    pairs = itertools.product(values, values)
    check(function_of("g(x, y)", "x", "y", g=getattr(math, name)), *pairs, rtol=1e-13)


def test_ldexp():
    check(
        function_of("g(x, n)", "x", "n", g=math.ldexp),
        *itertools.product([0.0, 1.5, -3.0, math.inf], [0, 3, -3, 1000, 1100, -500]),
    )


@pytest.mark.parametrize("name", ["gcd", "lcm", "comb", "perm"])
def test_of_two_ints(name):
    pairs = [(a, b) for a, b in itertools.product(INTS, INTS) if name in ("gcd", "lcm") or (a <= 20 and b <= 20)]
    check(function_of("g(a, b)", "a", "b", g=getattr(math, name)), *pairs)


def test_of_one_int():
    check(function_of("g(n)", "n", g=math.isqrt), *((n,) for n in [*INTS, 2**62, 2**62 - 1, 999_999_999_999]))
    check(function_of("g(n)", "n", g=math.factorial), *((n,) for n in INTS), may_refuse=True)
    check(function_of("g(a), h(), h(a)", "a", g=math.gcd, h=math.lcm), (4,), (-6,))


def test_sequences():
    check(
        function_of(
            "fsum(v), prod(v), prod(v, start=2), dist(v, w), hypot(*v)",
            "v",
            "w",
            fsum=math.fsum,
            prod=math.prod,
            dist=math.dist,
            hypot=math.hypot,
        ),
        ([1.0, 2.0, 3.0], [0.0, 1.0, 2.5]),
        ([1e100, 1.0, -1e100], [0.0, 0.0, 0.0]),
        ([math.inf, 1.0, 2.0], [0.0, 0.0, 0.0]),
    )
    check(function_of("dist(v, w)", "v", "w", dist=math.dist), ([1.0], [1.0, 2.0]))
    check(function_of("hypot(a, b)", "a", "b", hypot=math.hypot), (3e200, 4e200), (3e-200, 4e-200), (0.0, 0.0))


def test_wrong_types():
    check(function_of("g(x)", "x", g=math.sqrt), (1j,))
    check(function_of("g(x)", "x", g=math.factorial), (1.5,))
    check(function_of("g('a', x)", "x", g=math.pow), (1.5,))


@pytest.mark.parametrize("name", [n for n in dir(cmath) if n in dir(math) or n == "phase"])
def test_of_complex(name):
    function = getattr(cmath, name)
    if not callable(function) or name == "isclose":
        return
    values = [z for z in COMPLEX if not (name in ("asin", "acos", "acosh", "asinh") and abs(z) > 1e3)]
    values += EXTREME if name[0] == "a" else []
    check(function_of("g(z)", "z", g=function), *((z,) for z in values), rtol=1e-13)


def test_polar_coordinates():
    check(
        function_of("polar(z), rect(abs(z), phase(z))", "z", polar=cmath.polar, rect=cmath.rect, phase=cmath.phase),
        (1 + 2j,),
        (-3.0 + 0j,),
        (1.5e308 - 1.5e308j,),
    )
    check(function_of("abs(z)", "z"), (3 + 4j,), (1.5e308 - 1.5e308j,), (complex(math.inf, math.nan),))
    check(function_of("g(z, w), g(z, w, rel_tol=0.5)", "z", "w", g=cmath.isclose), (1 + 1j, 1 + 1.0000001j), (1j, 2j))
    check(function_of("g(z, b)", "z", "b", g=cmath.log), (1 + 2j, 10), (2 + 0j, 1))
