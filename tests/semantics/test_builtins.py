"""Built-in functions, scalar arithmetic as Python has it, math, cmath, print.

PYTEST_DONT_REWRITE: the assert statements here are programs, and must stay as they are written.
"""

import cmath
import math
import numbers

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.5])
K = np.array([3, -1, 2])


@program((3, 4.0), (-3, -4.0))
def abs_builtin(n, x):
    return abs(n), abs(x), abs(-2 + 1j), abs(True)


@program((7, 3), (-7, 3), (7, -3), (-7, -3))
def int_arithmetic(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, divmod(a, b), -a, +a, a**2


@program((7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-7.5, -2.0))
def float_arithmetic(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, divmod(a, b), -a, a**2, a**-1


@program((6, 3), (-6, 2), (0, 0))
def int_bits(a, b):
    return a & b, a | b, a ^ b, ~a, a << b, a >> b


@program((2, 10), (2, 0), (-3, 3))
def int_power(a, b):
    return a**b, pow(a, b), pow(a, b, 7)


@program((2, -1), (4, -2), refuse="maybe")
def int_negative_power_is_float(a, b):
    return a**b


@program((2, 3), (2, -3), refuse="maybe")
def int_power_type_depends_on_value(a, b):
    return a**b


@program((2.0, 0.5), (9.0, -1.5))
def float_power(a, b):
    return a**b, pow(a, b)


@program((-8.0, 1 / 3), refuse="maybe")
def negative_float_to_fraction_is_complex(a, b):
    return a**b


@program((1 + 2j, 3 - 1j))
def complex_arithmetic(a, b):
    return a + b, a * b, a / b, a - b, -a, a.real, b.imag, a.conjugate(), abs(a), a**2, a == b


@program((True, False), (True, True))
def bool_arithmetic(a, b):
    return a + b, a & b, a | b, a ^ b, not a, a * 3.0, int(a), float(b), a == 1, -a


@program((3, 2.0), (2, 2.0))
def mixed_comparisons(a, b):
    return a < b, a <= b, a == b, a != b, a > b, a >= b, a is None, b is not None


@program(7.9, -7.9, 0.0)
def int_of_float(x):
    return int(x), math.floor(x), math.ceil(x), math.trunc(x), round(x)


@program(2.5, 3.5, -2.5, 0.49999)
def round_half_even(x):
    return round(x), round(x, 1), round(x * 1.11, 2)


@program(1234.5678, -1234.5678)
def round_negative_digits(x):
    return round(x, -2), round(x, 2), round(x, 0)


@program(1250, 1350, -1250)
def round_int(n):
    return round(n), round(n, -2)


@program(3, 0, -2)
def conversions_of_int(n):
    return float(n), bool(n), complex(n), int(n), float(str(2.5)), int("12")


@program((X, 1), (X, 0))
def conversions_of_elements(x, i):
    return float(x[i]), int(x[i]), bool(x[i]), complex(x[i]), x[i].item(), x.item(2)


@program(np.array([2.5]), np.array([-3.5]))
def conversions_of_one_element_arrays(x):
    return float(x[0]), int(x[0]), x.item()


@program((X,))
def min_max_of_array_elements(x):
    return max(x), min(x), max(x[0], x[2], 2.0), min(x, key=abs), max(x, default=0)


@program((3, 4.0, 1), (9, 4.0, 1), (3, 4.0, 8), refuse="maybe")
def min_max_of_mixed_types(a, b, c):
    return max(a, b, c), min(a, b, c)


@program((3.0, 4.0, 1.0), (9.0, 4.0, 1.0))
def min_max_of_scalars(a, b, c):
    return max(a, b, c), min([a, b, c]), max((a, b), key=lambda v: -v), min([], default=a)


@program((np.nan, 1.0), (1.0, np.nan))
def min_max_with_nan_follow_python(a, b):
    return max(a, b), min(a, b)


@program((X, K))
def sum_builtin(x, k):
    return sum(x), sum(k), sum([1, 2.5]), sum(k, 10), sum([[1], [2]], []), sum(v for v in x)


@program(X, np.abs(X), np.zeros(3))
def any_all_builtin(x):
    return any(x > 0), all(x > 0), any([]), all([]), any(x), all(v > 0 for v in x)


@program(np.zeros((2, 3)))
def len_builtin(m):
    return len(m), len(m[0]), len([m, m]), len({"a": 1}), len(range(7)), len("abc")


@program(X)
def sorted_reversed(x):
    return sorted([3, 1, 2]), list(reversed([1, 2, 3])), sorted("bca"), sorted(x, reverse=True), x[::-1]


@program((5, 2))
def list_tuple_set_of_range(n, k):
    return list(range(4)), tuple(range(4, 0, -2)), set(range(3)), [*range(k)]


@program(X)
def isinstance_checks(x):
    return (
        isinstance(x, np.ndarray),
        isinstance(x[0], float),
        isinstance(x[0], np.floating),
        isinstance(1, int),
        isinstance(True, int),
        isinstance(x.sum(), numbers.Number),
        isinstance(len(x), (int, str)),
        issubclass(bool, int),
        type(1.0) is float,
        type(x) is np.ndarray,
        type(x[0]) is np.float64,
    )


@program((3, 2.0), (True, 1j))
def isinstance_of_arguments(a, b):
    return isinstance(a, bool), isinstance(a, int), isinstance(b, float), isinstance(b, complex), type(a) is int


@program(X)
def callable_getattr_hasattr(x):
    return callable(np.sin), callable(x), hasattr(x, "shape"), getattr(x, "ndim"), getattr(x, "nope", 3), id(x) == id(x)


@program(X)
def iter_next_slice(x):
    it = iter(x)
    a = next(it)
    b = next(it)
    return a, b, next(it), next(it, 0.0), x[slice(0, 2)]


@program((X, 2))
def enumerate_zip_map_lists(x, k):
    return list(enumerate(["a", "b"])), list(zip([1, 2], (3, 4))), list(map(lambda v: v * k, x)), dict(a=k)


@program(2, 9)
def iter_with_sentinel(n):
    state = [0]

    def nxt():
        state[0] += 1
        return state[0]

    return list(iter(nxt, 4)), n


@program(10, -10)
def bin_hex_chr_static(n):
    return bin(5), hex(255), chr(97), ord("b"), repr("s"), str(3), n


@program((13, 5), (1 << 40, 3))
def int_methods(a, b):
    return a.bit_length(), a.real, a.imag, a.numerator, a.conjugate(), b.__add__(a), (3.0).is_integer(), a.bit_count()


@program(0.75, -2.0)
def float_methods(x):
    return x.is_integer(), x.real, x.conjugate(), x.imag


@program(0.3, 0.9, 0.0)
def math_elementary(x):
    return (
        math.sin(x),
        math.cos(x),
        math.tan(x),
        math.asin(x),
        math.acos(x),
        math.atan(x),
        math.sinh(x),
        math.cosh(x),
        math.tanh(x),
        math.asinh(x),
        math.acosh(x + 1),
        math.atanh(x),
        math.exp(x),
        math.expm1(x),
        math.exp2(x),
        math.cbrt(x),
    )


@program(0.3, 2.0, 10.0)
def math_logs_and_powers(x):
    return (
        math.log(x),
        math.log2(x),
        math.log10(x),
        math.log1p(x),
        math.log(x, 3),
        math.sqrt(x),
        math.pow(x, 1.5),
        math.hypot(x, 1.0, 2.0),
        math.atan2(x, -1.0),
    )


@program(0.3, 2.0, 4.5)
def math_special(x):
    return math.gamma(x), math.lgamma(x), math.erf(x), math.erfc(x), math.degrees(x), math.radians(x)


@program((7.3, 2.0), (-7.3, 2.0))
def math_float_parts(x, y):
    return (
        math.fmod(x, y),
        math.remainder(x, y),
        math.copysign(1.0, x),
        math.modf(x),
        math.frexp(x),
        math.ldexp(x, 3),
        math.fabs(x),
        math.floor(x),
        math.ceil(x),
        math.trunc(x),
        math.nextafter(1.0, x),
        math.ulp(1.0),
    )


@program((12, 18), (7, 0), (100, 75))
def math_integers(a, b):
    return math.gcd(a, b), math.lcm(a, b), math.isqrt(a), math.comb(6, 2), math.perm(5, 2), math.factorial(5)


@program((10, 3), (5, 0), (6, 6))
def math_comb_dynamic(n, k):
    return math.comb(n, k), math.factorial(n)


@program(0.5, float("nan"), float("inf"))
def math_classification(x):
    return math.isnan(x), math.isinf(x), math.isfinite(x), math.isclose(x, 0.5), math.pi, math.e, math.tau, math.inf


@program([1.0, 2.0, 3.0])
def math_sequences(v):
    return math.fsum(v), math.prod(v), math.dist(v, [0.0, 1.0, 2.0]), math.hypot(*v)


@program((X, 1))
def math_on_array_element(x, i):
    return math.sin(x[i]), math.sqrt(abs(x[i])), math.exp(x[0])


@program(1 + 2j, -0.5 + 0.1j)
def cmath_functions(z):
    return (
        cmath.exp(z),
        cmath.log(z),
        cmath.sqrt(z),
        cmath.sin(z),
        cmath.cosh(z),
        cmath.atan(z),
        cmath.phase(z),
        cmath.polar(z),
        cmath.rect(2.0, 0.5),
        cmath.isfinite(z),
        cmath.log10(z),
    )


@program(X)
def print_static(x):
    print("start")
    print("a", "b", sep="-", end="!\n")
    print(f"shape {x.shape}", len(x))
    return x


@program(3, 5)
def print_dynamic_int(n):
    print("n =", n)
    print(n * 2, n > 4)


@program(0.1, 1e20, 2.0, float("nan"))
def print_dynamic_float(x):
    print(x, x / 3)


@program(X)
def print_dynamic_array(x):
    print(x * 2)
    print("sum:", x.sum())


@program((X, 3), (X, 0))
def print_in_dynamic_loop(x, n):
    for i in range(n):
        print(i, x[i])
    print("end")


@program(X, -X)
def print_under_dynamic_if(x):
    if x[0] > 0:
        print("positive", x[0])
    else:
        print("negative")
    print("after")


@program((3, 0.5), (12, 1.25))
def print_formatted_dynamic(n, x):
    print(f"step {n:03d}: {x:.3e}")
    print("%d %5.2f" % (n, x))


@program(X)
def print_container(x):
    print([1, 2], (x[0],), {"k": 2})


@program(X)
def fstring_static_used_as_key(x):
    d = {f"k{i}": x * i for i in range(3)}
    return d[f"k{2}"], f"{x.ndim}d", f"{'s'!r}"


@program((10, 3))
def divmod_and_pow_in_loop(n, k):
    digits = 0
    while n > 0:
        n, r = divmod(n, k)
        digits = digits * 10 + r
    return digits


@program((X, 0), (X, 2))
def numpy_scalar_methods(x, i):
    v = x[i]
    return v.shape, v.ndim, v.dtype == np.float64, v.sum(), v.astype(np.float32), v.real, v.T, v.size


@program((9007199254740993, 1), (-5, 2))
def large_ints_are_exact(a, b):
    return a + b, a * b, a // 3, a % 7


@program(5, 250)
def numpy_scalar_construction(n):
    return np.int32(n), np.float32(n), np.uint8(n), np.int8(3) + np.int8(4), np.bool_(n), np.float64(n) / 2


@program((1, 2))
def all_constant(a, b):
    return 2**100 % 7, 10**30 > 1, 1e308 * 10, "a" * 3, (1, 2) + (3,), 7 // -2, -7 % 3


@program(X)
def complex_constructor(x):
    return complex(x[0], x[1]), complex(1, 2), 1j * x[0], (2 + 3j).imag


@program(np.array([3, 1, 2]))
def builtin_on_rows(k):
    m = np.outer(k, k)
    return [max(row) for row in m], [sum(row) for row in m], [len(row) for row in m]


@program((5, 3))
def string_of_dynamic_not_leaking(n, k):
    table = {"0": 1.0, "1": 2.0}
    return table[str(k % 2 * 0 + 1 if False else 1)] * n


@program(X, refuse="maybe")
def fstring_of_dynamic_value_returned(x):
    return f"{x[0]:.2f}"


@program(7, refuse="maybe")
def str_of_dynamic_int_returned(n):
    return str(n + 1)


@program((3, [1, 2]), (4, [1, 2]))
def assert_and_walrus_mix(n, items):
    if (k := len(items)) and n > (m := k + 1):
        return m
    return k


@program((np.array([2.5]), np.array([[3]])), (np.array([-1.0]), np.array([[0]])))
def arrays_of_one_element_as_numbers(x, n):
    def attempt(action):
        try:
            return action()
        except (TypeError, ValueError) as error:
            return type(error), str(error)

    found = [float(v[()]) if v.shape == () else attempt(lambda v=v: float(v)) for v in (x, n, x[0], n[0, 0])]
    of_math = [attempt(lambda: f(x)) for f in (math.floor, math.radians, math.frexp, math.exp, math.isnan)]
    return found, of_math, attempt(lambda: math.atan2(x, 2)), attempt(lambda: math.hypot(1, n)), attempt(lambda: int(n))


@program((2.5, 3, np.array([1.0]), [1]), (-1.0, 0, np.array([2.0]), [2]))
def formats_that_kinds_do_not_have(x, n, a, items):
    def attempt(action):
        try:
            return action()
        except (TypeError, ValueError) as error:
            return type(error), str(error)

    wrong = [
        lambda: f"{x:5d}",
        lambda: f"{x:b}",
        lambda: f"{a:.2f}",
        lambda: f"{items:>5}",
        lambda: format((x, n), "x"),
    ]
    return [attempt(w) for w in wrong], f"{x:.2f} {n:5d} {n:b} {a[0]:.1f} {x!r:>6}"


@program((2.5, 3), (-1.0, 0))
def strings_and_numbers(x, n):
    def attempt(action):
        try:
            return action()
        except TypeError as error:
            return str(error)

    wrong = [lambda: "a" + n, lambda: "a" + x, lambda: "a" * x, lambda: x * "a", lambda: b"a" + n, lambda: "a" + None]
    return [attempt(w) for w in wrong], hasattr(n > 1, "is_integer"), hasattr(n, "is_integer")


@program((np.array([2.0, 0.5]),))
def wrong_numbers(x):
    def attempt(action):
        try:
            return action()
        except (TypeError, IndexError) as error:
            return str(error)

    n = x[0]
    return [
        attempt(action)
        for action in (
            lambda: round(n > 1),
            lambda: round(n > 1, 1),
            lambda: round(np.bool_(True)),
            lambda: complex(n, None),
            lambda: complex(real=n, imag=None),
            lambda: complex(None, n),
            lambda: complex(real=n, imag=2),
            lambda: complex(n, "2"),
            lambda: x[np.float64(1.0)],
            lambda: x[[0, 1.0]],
        )
    ]


@program(np.array([1e16, 1.0, -1e16, 3.25]), np.array([1e300, 1.0, np.inf, 2.0]), np.array([0.1, -0.2, 0.3, 1e20]))
def sums_of_floats(a):
    """From Python 3.12 on, `sum` adds at the end what was lost, if all are Python's floats and integers."""
    first, second, third, fourth = a.tolist()
    listed = sum([first, second, third]), sum([first, 1, second, third, 2]), sum([second, third], first)
    others = sum([first, second, a[2], 0.5]), sum([a[0], a[1], a[2]]), sum([1, 2, first, third])
    grown = []
    for x in a:
        if x > -1e17:
            grown.append(float(x))
    return listed, others, sum(grown), sum(float(x) * 0.1 for x in a), sum(sum(float(x) for x in a) for _ in range(3))


test_programs = program.test()
