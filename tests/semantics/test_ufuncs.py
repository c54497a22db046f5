"""Every ufunc over the grid of dtypes and Python scalars (NEP 50), ufunc arguments and ufunc methods."""

import itertools
import warnings

import numpy as np
import pytest

import xlapy

from .runner import Programs, check

program = Programs()

INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]
COMPLEX = [np.complex64, np.complex128]
DTYPES = [np.bool_, *INTS, *FLOATS, *COMPLEX]
KINDS = {"bool_int": [np.bool_, *INTS], "float": FLOATS, "complex": COMPLEX}
PYTHON_SCALARS = [True, 2, 1.5, 0.5 + 1j]

UNARY = """absolute arccos arccosh arcsin arcsinh arctan arctanh bitwise_count cbrt ceil conjugate cos cosh deg2rad
degrees exp exp2 expm1 fabs floor invert isfinite isinf isnan log log10 log1p log2 logical_not negative positive rad2deg
radians reciprocal rint sign signbit sin sinh spacing sqrt square tan tanh trunc""".split()
BINARY = """add arctan2 bitwise_and bitwise_or bitwise_xor copysign divide equal float_power floor_divide fmax fmin fmod
gcd greater greater_equal heaviside hypot lcm ldexp left_shift less less_equal logaddexp logaddexp2 logical_and
logical_or logical_xor maximum minimum multiply nextafter not_equal power remainder right_shift subtract""".split()
TWO_RESULTS = ["divmod", "frexp", "modf"]
UNSTABLE = {"spacing", "nextafter"}  # their results are of the size of a rounding error: compared at float64 only


def values(dtype):
    """Values that are in the domain of most functions: small, positive, one zero-free."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([True, False, True])
    if kind == "c":
        return np.array([0.5 + 0.25j, 0.75 - 0.5j, 0.25 + 1j], dtype)
    if kind == "f":
        return np.array([0.25, 0.75, 0.5], dtype)
    return np.array([1, 3, 2], dtype)


def applies(f, *args):
    """Does NumPy have a loop for these, and no complaint about these values?"""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            f(*args)
        except (TypeError, ValueError, OverflowError):
            return False
        return True


def tolerance_of(arrays):
    """What precision do NumPy's own results have here? Small ints and halves give float16 results."""
    return 1e-2 if any(np.dtype(a.dtype).itemsize <= 2 for a in arrays) else 1e-5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*UNARY, "frexp", "modf"])
def test_unary(name, kind):
    f = getattr(np, name)
    arrays = [values(d) for d in KINDS[kind] if applies(f, values(d))]
    if name in UNSTABLE:
        arrays = [a for a in arrays if a.dtype == np.float64]
    if not arrays:
        pytest.skip(f"no loop of {name} takes {kind}")

    def program(arrays):
        return [f(a) for a in arrays]

    check(program, arrays, rtol=tolerance_of(arrays))


def pairs_of(f, left, right):
    """All pairs for which `f` has a loop."""
    return [(a, b) for a, b in itertools.product(left, right) if applies(f, a, b)]


def flat(results):
    """Results of programs that return one or two arrays each."""
    return [r for result in results for r in (result if isinstance(result, tuple) else (result,))]


def check_types(program, *args):
    """Compare dtypes and shapes only, which the front end knows: nothing is compiled by XLA."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [np.asarray(r) for r in flat(program(*args))]
    cache = xlapy.jit(program)._xlapy_cache.cache
    found = cache.analyse(cache.binder.bind(args, {})).module.entry.results[: len(expected)]
    assert [(r.dtype, r.shape) for r in expected] == [(v.type.dtype, v.type.shape) for v in found]


def one_of_each_loop(f, pairs):
    """One pair of arguments for each loop that NumPy would run."""
    ufunc = f if isinstance(f, np.ufunc) else np.add
    found = {}
    for a, b in pairs:
        dtypes = [getattr(x, "dtype", None) or {bool: np.dtype(bool)}.get(type(x), type(x)) for x in (a, b)]
        found.setdefault(ufunc.resolve_dtypes((*dtypes, *(None,) * ufunc.nout)), (a, b))
    return list(found.values())


@pytest.mark.parametrize("name", [*BINARY, "divmod"])
def test_binary_types(name):
    """NEP 50 over all pairs of dtypes and Python scalars, which are weak on either side."""
    f = getattr(np, name)
    arrays = [values(d) for d in DTYPES]
    pairs = pairs_of(f, arrays, arrays) + pairs_of(f, arrays, PYTHON_SCALARS) + pairs_of(f, PYTHON_SCALARS, arrays)
    check_types(lambda pairs: [f(a, b) for a, b in pairs], pairs)
    check_types(lambda arrays: [f(a, 2) for a in arrays], [a for a in arrays if applies(f, a, 2)])


@pytest.mark.parametrize("name", [*BINARY, "divmod"])
def test_binary(name):
    """A pair of dtypes for each loop of the ufunc, and pairs with Python scalars."""
    f = getattr(np, name)
    arrays = [values(d) for d in DTYPES]
    pairs = one_of_each_loop(f, [(a, b) for a, b in pairs_of(f, arrays, arrays) if a.dtype != b.dtype])
    pairs += one_of_each_loop(f, pairs_of(f, arrays, PYTHON_SCALARS)) + one_of_each_loop(
        f, pairs_of(f, PYTHON_SCALARS, arrays)
    )
    if name in UNSTABLE:
        pairs = [(values(np.float64), values(np.float64))]
    check(lambda pairs: [f(a, b) for a, b in pairs], pairs, rtol=1e-2)


@pytest.mark.parametrize("name", [*BINARY, "divmod"])
def test_binary_float64_precision(name):
    """The same function where full precision must hold, with signs and zeros."""
    f = getattr(np, name)
    a, b = np.array([7.5, -7.5, 7.5, -7.5, 0.0, 3.0]), np.array([2.0, 2.0, -2.0, -2.0, 3.0, 3.0])
    if not applies(f, a, b):
        a, b = a.astype(np.int64), np.abs(b.astype(np.int64))
    check(lambda a, b: f(a, b), a, b)


NUMPY_SCALARS = [np.int8(2), np.int64(2), np.uint8(2), np.float16(1.5), np.float32(1.5), np.float64(1.5)]


@pytest.mark.parametrize("name", ["add", "multiply", "divide", "power", "maximum", "less", "floor_divide"])
def test_binary_numpy_scalar(name):
    """NEP 50: a NumPy scalar is as strong as an array."""
    f = getattr(np, name)
    pairs = pairs_of(f, map(values, DTYPES), NUMPY_SCALARS)
    check_types(lambda pairs: [f(a, s) for a, s in pairs] + [f(s, a) for a, s in pairs], pairs)
    check(lambda pairs: [f(a, s) for a, s in pairs], one_of_each_loop(f, pairs), rtol=1e-2)


OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


UFUNC_OF = dict(
    zip(
        OPERATORS,
        "add subtract multiply divide floor_divide remainder power left_shift right_shift bitwise_and bitwise_or"
        " bitwise_xor less less_equal equal not_equal".split(),
        strict=True,
    )
)


@pytest.mark.parametrize("symbol", OPERATORS)
def test_operator(symbol):
    """Operators over all pairs of dtypes and Python scalars."""
    f = OPERATORS[symbol]
    operands = [*map(values, DTYPES), *PYTHON_SCALARS]
    pairs = pairs_of(f, operands, operands)
    pairs = [(a, b) for a, b in pairs if isinstance(a, np.ndarray) or isinstance(b, np.ndarray)]
    check_types(lambda pairs: [f(a, b) for a, b in pairs], pairs)
    chosen = one_of_each_loop(getattr(np, UFUNC_OF[symbol]), pairs)
    check(lambda pairs: [f(a, b) for a, b in pairs], chosen, rtol=1e-2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [n for n in UNARY if n not in ("invert", "bitwise_count", "spacing")])
def test_unary_precision_and_special_values(name, dtype):
    f = getattr(np, name)
    x = np.array([0.0, -0.0, 0.3, -0.7, 1.0, 25.0, -100.0, np.inf, -np.inf, np.nan], dtype)
    rtol = {np.float32: 2e-5, np.float64: 1e-12}[dtype]
    check(lambda x: f(x), x, rtol=rtol)


# Signs, wrap-around, special values


@program((np.array([7, -7, 7, -7]), np.array([3, 3, -3, -3])))
def floor_division_signs(a, b):
    return a // b, a % b, np.fmod(a, b), np.divmod(a, b), np.trunc(a / b)


@program((np.array([7, -7, 0]), np.array([0, 0, 0])))
def integer_division_by_zero_array(a, b):
    return a // b, a % b, a / b


@program((np.array([1.0, -1.0, 0.0, np.inf, np.nan]), np.array([0.0, 0.0, 0.0, np.inf, 1.0])))
def float_special_division(a, b):
    return a / b, a // b, a % b, np.fmod(a, b)


@program(np.array([250, 5, 128], dtype=np.uint8))
def uint8_wraps(x):
    return x + np.uint8(10), x * x, -x, x - np.uint8(6), ~x, x << 1, x >> 1, x + 10


@program(np.array([127, -128, 100], dtype=np.int8))
def int8_wraps(x):
    return x + np.int8(1), abs(x), -x, x * np.int8(3), x // np.int8(-1), x << np.int8(2)


@program((np.array([1, 2], dtype=np.uint8), 3), (np.array([1, 2], dtype=np.uint8), 255))
def uint8_with_python_int(x, n):
    return x + n


@program(np.array([1, 2], dtype=np.uint8), raises=OverflowError)
def uint8_with_too_large_constant(x):
    return x + 300


@program(np.array([1, -2, 3], dtype=np.int32))
def int32_true_division_is_float64(x):
    return x / x, x / 2, x / np.int32(2), x // 2.0


@program(np.array([2**63 - 1, -(2**63)], dtype=np.int64))
def int64_wraps(x):
    return x + 1, x * 2, -x, np.abs(x)


@program((np.array([1, 2], dtype=np.uint64), np.array([1, -2], dtype=np.int64)))
def uint64_with_int64_is_float64(a, b):
    return a + b, a < b, a == b


@program(np.array([0, 1, 5, 62, 63, 64, 100]))
def shifts_beyond_width(n):
    return np.int64(1) << n, np.int64(-8) >> n


@program((np.array([2, -3, 5]), np.array([3, 2, 0])))
def integer_power(a, b):
    return a**b, a**2, a**0.5, 2.0**a, np.float_power(a, b), np.power(a, b, dtype=float)


@program((np.array([2, 3]), np.array([1, -1])), raises=ValueError)
def integer_negative_power_raises(a, b):
    return a**b


@program(np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]))
def rounding_functions(x):
    return np.rint(x), np.floor(x), np.ceil(x), np.trunc(x), np.fix(x), np.round(x), np.round(x * 1.234, 2), x.round(1)


@program((np.array([1.0, np.nan, 3.0]), np.array([2.0, 2.0, np.nan])))
def nan_in_minmax(a, b):
    return np.maximum(a, b), np.fmax(a, b), np.minimum(a, b), np.fmin(a, b), np.clip(a, 1.5, 2.5)


@program((np.array([1 + 2j, 1 - 2j, 0j]), np.array([1 + 1j, 1 - 3j, 1j])))
def complex_ordering_and_parts(a, b):
    return np.maximum(a, b), a < b, np.abs(a), np.angle(a), a.conj(), a.real, a.imag, np.sign(a), np.isreal(a)


@program((np.array([True, False]), np.array([True, True])))
def bool_ufuncs(a, b):
    return a + b, a * b, a & b, a ^ b, ~a, a / b, a < b, np.logical_xor(a, b), a.astype(int) - b


@program((np.array([True, False]), np.array([True, True])), raises=TypeError)
def bool_subtract_raises(a, b):
    return a - b


@program(np.array([1.0, 2.0]), raises=TypeError)
def float_invert_raises(x):
    return ~x


# Arguments of ufuncs


@program((np.arange(4.0), np.array([True, False, True, False])))
def ufunc_where_out(x, m):
    out = np.full(4, -1.0)
    np.sqrt(x, out=out, where=m)
    return out, np.add(x, 1, out=np.zeros(4), where=~m)


@program(np.arange(4))
def ufunc_dtype(k):
    return np.add(k, 1, dtype=np.float32), np.multiply(k, k, dtype=np.int16, casting="unsafe"), np.sin(k, dtype=float)


@program((np.arange(3.0), np.arange(4.0)))
def ufunc_outer(a, b):
    return np.add.outer(a, b), np.multiply.outer(a, b), np.maximum.outer(a, b[:2])


@program(np.arange(1.0, 7.0).reshape(2, 3))
def ufunc_reduce(m):
    return (
        np.add.reduce(m),
        np.multiply.reduce(m, axis=1),
        np.maximum.reduce(m, axis=None),
        np.add.reduce(m, axis=(0, 1), keepdims=True),
        np.subtract.reduce(m, axis=1),
        np.add.reduce(m, initial=10.0),
        np.logical_and.reduce(m > 2, axis=1),
        np.minimum.reduce(m, axis=0, initial=2.0, where=m > 1),
        np.bitwise_xor.reduce(np.array([5, 3, 9])),
    )


@program(np.arange(1.0, 7.0).reshape(2, 3))
def ufunc_accumulate(m):
    return (
        np.add.accumulate(m),
        np.multiply.accumulate(m, axis=1),
        np.maximum.accumulate(m[:, ::-1], axis=1),
        np.subtract.accumulate(m[0]),
        np.divide.accumulate(m[1]),
    )


@program((np.arange(8.0), np.array([0, 4, 1, 5, 2, 6, 3, 7])))
def ufunc_reduceat(x, idx):
    return np.add.reduceat(x, idx)[::2], np.maximum.reduceat(x, [0, 3, 6]), np.add.reduceat(x, [4, 1])


@program((np.zeros(4), np.array([0, 1, 1, 3, 1]), np.arange(5.0)))
def ufunc_at(x, idx, v):
    np.add.at(x, idx, v)
    np.multiply.at(x, [1, 1], 2.0)
    np.maximum.at(x, idx, 3.5)
    np.negative.at(x, [0, 0, 3])


@program((np.ones((2, 1, 3)), np.ones((4, 1)), 2.0))
def broadcasting(a, b, c):
    return a + b * c, np.broadcast_shapes((2, 1, 3), (4, 1)), (a * 2).shape


@program(np.float32(2.5), np.int8(3), np.float64(2.5), np.uint16(7))
def numpy_scalar_arguments(s):
    return s + 1, s * 2.5, s / 2, -s, s**2, s + np.float32(1), s == 3


@program(5, 7)
def python_int_stays_weak(n):
    x = np.float32([1, 2])
    return x + n, x * (n / 2), np.int8([1]) + 3, np.float32(n) + x, np.array(n) + x, np.asarray(n).dtype == np.int64


@program(np.float16([1, 2, 3]))
def float16_arithmetic(x):
    return x + 1, x * x, x + np.float32(1), x + np.int16(1), x + np.int8(1), x.sum(), x / 3


@program(np.arange(3.0))
def special_constants(x):
    return x + np.pi, x * np.e, np.inf * (x + 1), x + np.nan, np.newaxis, np.euler_gamma * x


@program((np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.2, 0.1])))
def composed_expression(a, b):
    return np.sqrt(a**2 + b**2) / (1 + np.exp(-a * b)) - np.log1p(a) * np.where(a > b, a, -b)


@program((np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-9])))
def isclose_allclose(a, b):
    exact = np.allclose(a, b, rtol=0, atol=0)
    return np.isclose(a, b), np.allclose(a, b), np.array_equal(a, b), np.array_equiv(a, a), exact


@program(np.array([0.5, 1.5, 2.5]))
def special_functions_in_numpy(x):
    return np.sinc(x), np.i0(x), np.nan_to_num(x / 0), np.heaviside(x - 1.5, 0.5), np.unwrap(x * 4)


@program((np.array([1.0, -2.0, 3.0]), np.array([0, 1, 2])))
def astype_and_casts(x, k):
    return x.astype(np.int32), k.astype(float), k.astype("f4"), x.astype(bool), (x * 300).astype(np.int16)


@program(np.array([1.9, -1.9, 250.5]))
def float_to_int_truncates(x):
    return x.astype(int), np.trunc(x).astype(np.uint8) if False else x[:1].astype(np.uint8), np.int64(x)


@program((np.array([1, 2], dtype=np.int16), np.array([1.5, 2.5], dtype=np.float32)))
def result_types(a, b):
    limits = np.iinfo(a.dtype).max, np.finfo(b.dtype).eps
    kinds = np.can_cast(np.int64, np.float32), np.issubdtype(a.dtype, np.integer)
    return np.result_type(a, b) == np.float32, a.dtype.name, np.promote_types("i4", "f4").name, limits, kinds


test_programs = program.test()
