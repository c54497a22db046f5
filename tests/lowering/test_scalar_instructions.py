"""What machine code makes of numbers is what XLA makes of them: of zeros, infinities, NaN and what overflows, too."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import xlapy
from xlapy.lowering.llvm import code_selection
from xlapy.runtime import native_calls

pytestmark = pytest.mark.skipif(jax.default_backend() != "cpu", reason="machine code is for CPUs")

SIGNED = ["int8", "int16", "int32", "int64"]
INTS = [*SIGNED, "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
ARITHMETIC = [lax.add, lax.sub, lax.mul]
BITS = [lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor]
SHIFTS = [lax.shift_left, lax.shift_right_arithmetic, lax.shift_right_logical]
PREDICATES = [lax.eq, lax.ne, lax.lt, lax.le, lax.gt, lax.ge]
EXACT = [lax.neg, lax.abs, lax.sign, lax.floor, lax.ceil, lax.sqrt, lax.is_finite, lax.round, lax.square]
LIBRARY = (
    "exp exp2 expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf erfc rsqrt".split()
)


def values(dtype):
    """Numbers of a type at which operations are special, and some others."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([True, False])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        some = {0, 1, 2, 3, 7, 8, 31, 63, 100, -1, -2, -3, -7, -100, info.min, info.min + 1, info.max, info.max - 1}
        return np.array(sorted(v for v in some if info.min <= v <= info.max), dtype)
    if dtype.kind == "c":
        part = values(f"f{dtype.itemsize // 2}")[[0, 1, 2, 3, 5, -1, -4, -5, -6]]
        return np.array([complex(a, b) for a, b in itertools.product(part, part)], dtype)
    info = np.finfo(dtype)
    usual = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, 1e-3, 1e10, 17.25]
    return np.array([*usual, np.inf, -np.inf, np.nan, info.max, info.min, info.tiny], dtype)


def pairs(dtype):
    both = list(itertools.product(values(dtype), repeat=2))
    return tuple(np.array(column, dtype) for column in zip(*both, strict=True))


def in_machine_code(monkeypatch, function, *args):
    """What a compiled function gives; it has to be machine code that XLA calls, which flushes denormals to zero."""
    monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *_: None)
    made = []
    original = code_selection.function_of
    monkeypatch.setattr(code_selection, "function_of", lambda *a: made.append(original(*a)) or made[-1])
    with jax.enable_x64(True):
        result = xlapy.jit(function)(*args)
    assert made
    return [np.asarray(x) for x in result]


def one_by_one(functions, dtypes):
    """A loop over the elements of arrays, which puts what each function makes of them into an array."""

    def program(*arrays):
        results = [np.zeros(len(arrays[0]), dtype) for dtype in dtypes]
        for i in range(len(arrays[0])):
            for result, function in zip(results, functions, strict=True):
                result[i] = function(*[x[i] for x in arrays])
        return results

    return program


def same(got, wanted, name):
    assert got.dtype == wanted.dtype, name
    np.testing.assert_array_equal(got, wanted, name)
    if got.dtype.kind in "fc":
        for part in (np.real, np.imag):
            numbers = ~np.isnan(part(wanted))
            np.testing.assert_array_equal(np.signbit(part(got))[numbers], np.signbit(part(wanted))[numbers], name)


def computed(monkeypatch, functions, *args):
    """What XLA and what machine code make of numbers, by the name of the function."""
    args = [np.resize(x, max(200, len(x))) for x in args]  # a loop of few trips is none
    with jax.enable_x64(True):
        wanted = [np.asarray(jax.jit(f)(*args)) for f in functions]
    got = in_machine_code(monkeypatch, one_by_one(functions, [w.dtype for w in wanted]), *args)
    return zip(functions, got, wanted, strict=True)


def check(monkeypatch, functions, *args):
    for function, got, wanted in computed(monkeypatch, functions, *args):
        same(got, wanted, function.__name__)


@pytest.mark.parametrize("dtype", INTS + FLOATS)
def test_arithmetic(dtype, monkeypatch):
    check(monkeypatch, [*ARITHMETIC, lax.div, lax.rem, lax.max, lax.min], *pairs(dtype))


@pytest.mark.parametrize("dtype, other", [("float64", "int64"), ("float32", "int32"), ("int16", "uint16")])
def test_the_same_bits_as_other_numbers(dtype, other, monkeypatch):
    def bits(x, y):
        return lax.bitcast_convert_type(x, other) ^ lax.bitcast_convert_type(y, other)

    def back(x, y):
        return lax.bitcast_convert_type(lax.bitcast_convert_type(x, other) + lax.bitcast_convert_type(y, other), dtype)

    check(monkeypatch, [bits, back, *((jnp.copysign,) if dtype[0] == "f" else ())], *pairs(dtype))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_numbers(dtype, monkeypatch):
    x, y = pairs(dtype)
    check(monkeypatch, [lax.add, lax.sub, lax.eq, lax.ne], x, y)
    finite = np.isfinite(x) & np.isfinite(y) & (np.abs(x) < 1e5) & (np.abs(y) < 1e5)
    check(monkeypatch, [lax.mul], x[finite], y[finite])
    check(monkeypatch, [lax.neg, lax.real, lax.imag, lax.conj], x)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_exponential_of_complex_numbers(dtype, monkeypatch):
    largest = np.log(np.finfo(dtype).max)
    near = [complex(largest + a, b) for a in (-0.5, 0.2, 1.0) for b in (0.0, 0.5, 1.5, -1.55)]
    ends = [complex(a, b) for a in (np.inf, -np.inf, np.nan) for b in (np.inf, np.nan, 0.0, -0.0, 2.0)]
    x = np.resize(np.array([*near, *ends, *values(dtype)], dtype), 200)
    (got,) = in_machine_code(monkeypatch, one_by_one([lax.exp], [x.dtype]), x)
    with np.errstate(all="ignore"):
        wanted = np.exp(x)
    assert got.dtype == wanted.dtype
    # the angle of the largest numbers is that of C's library or of NumPy's: both are far from exact in 32 bits
    usual = (np.abs(x.imag) < 1e6) | ~np.isfinite(x.imag)
    for part in (np.real, np.imag):
        rtol, atol = 1e-4 if dtype == "complex64" else 1e-11, np.finfo(dtype).tiny
        np.testing.assert_allclose(part(got)[usual], part(wanted)[usual], rtol, atol)


@pytest.mark.parametrize("dtype", ["bool", *INTS])
def test_bits(dtype, monkeypatch):
    check(monkeypatch, BITS + ([] if dtype == "bool" else SHIFTS), *pairs(dtype))


@pytest.mark.parametrize("dtype", ["bool", *INTS, *FLOATS])
def test_comparisons(dtype, monkeypatch):
    check(monkeypatch, PREDICATES, *pairs(dtype))


@pytest.mark.parametrize("dtype", [*SIGNED, *FLOATS])
def test_functions_of_one_number(dtype, monkeypatch):
    check(
        monkeypatch, EXACT if np.dtype(dtype).kind == "f" else [lax.neg, lax.abs, lax.sign, lax.square], values(dtype)
    )


@pytest.mark.parametrize("dtype", FLOATS)
def test_rounding_to_even(dtype, monkeypatch):
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 2.6, -0.0, np.inf, np.nan, 1e30], dtype)
    check(monkeypatch, [jnp.round], x)


@pytest.mark.parametrize("source", ["bool", *INTS, *FLOATS])
def test_conversions(source, monkeypatch):
    def to(dtype):
        return lambda x: lax.convert_element_type(x, np.dtype(dtype))

    check(monkeypatch, [to(dtype) for dtype in ("bool", *INTS, *FLOATS, *COMPLEX)], values(source))


@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_of_the_library(dtype, monkeypatch):
    """Within some units in the last place of NumPy's, or of XLA's own where NumPy has none; what is special alike."""
    x = np.concatenate([values(dtype), np.linspace(-3, 3, 200).astype(dtype)])
    usual = np.abs(x) < 1e5
    for function, got, wanted in computed(monkeypatch, [getattr(lax, name) for name in LIBRARY], x):
        known = getattr(np, function.__name__, None)
        if known is not None:
            with np.errstate(all="ignore"):
                wanted = known(x)
        rtol, atol = 16 * np.finfo(dtype).eps, np.finfo(dtype).tiny
        np.testing.assert_allclose(got[usual], wanted[usual], rtol, atol, err_msg=function.__name__)


@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_of_two_numbers(dtype, monkeypatch):
    for function, got, wanted in computed(monkeypatch, [lax.pow, lax.atan2], *pairs(dtype)):
        rtol, atol = 32 * np.finfo(dtype).eps, np.finfo(dtype).tiny
        np.testing.assert_allclose(got, wanted, rtol, atol, err_msg=function.__name__)


def test_whole_exponents(monkeypatch):
    x, y = values("float32"), np.arange(-8, 8, dtype=np.int32)
    for _, got, wanted in computed(monkeypatch, [lax.pow], x, y):
        np.testing.assert_allclose(got, wanted, 1e-5)
