"""What each ufunc computes: the one list that is kept by hand.

`TABLE[ufunc]` maps the kind of the loop's first operand ('b', 'i', 'u', 'f', 'c'; '*' for the rest) to the name of an
element-wise operation of the IR, or to a function of JAX arrays that have one shape and the loop's dtypes. Which loop
runs, and its dtypes, NumPy itself says (`ufunc.resolve_dtypes`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.numeric import complex_functions, exact_integer_results, float_bits
from xlapy.lowering.primitives import floor_division


def identity(x):
    """The operand itself."""
    return x


# -- integers --------------------------------------------------------------------------------------------------------


def _int_fmod(x, y):
    return lax.rem(x, jnp.where((y == 0) | (y == -1), 1, y)) if x.dtype.kind == "i" else floor_division.remainder(x, y)


def _int_power(x, y):
    """Integer power by squaring, wrapping around; exponents are not negative (checked by the caller)."""
    y = jnp.maximum(y, 0)

    def step(state):
        result, base, rest = state
        result = jnp.where(rest & 1 == 1, result * base, result)
        return result, base * base, rest >> 1

    def more(state):
        return jnp.any(state[2] > 0)

    return lax.while_loop(more, step, (jnp.ones_like(x), x, y))[0]


def _int_reciprocal(x):
    """1/x truncated; of zero what NumPy's C code gives, the smallest integer."""
    bad = jnp.iinfo(x.dtype).min if x.dtype.itemsize >= 4 else 0
    return jnp.where(x == 0, bad, lax.div(jnp.ones_like(x), jnp.where(x == 0, 1, x))).astype(x.dtype)


def _gcd(x, y):
    def step(state):
        a, b = state
        return jnp.where(b == 0, a, b), jnp.where(b == 0, 0, lax.rem(a, jnp.where(b == 0, 1, b)))

    found = lax.while_loop(lambda s: jnp.any(s[1] != 0), step, (_magnitude(x), _magnitude(y)))[0]
    return found.astype(x.dtype)


def _lcm(x, y):
    dtype, x, y = x.dtype, _magnitude(x), _magnitude(y)
    common = _gcd(x, y)
    return jnp.where(common == 0, 0, lax.div(x, jnp.where(common == 0, 1, common)) * y).astype(dtype)


def _magnitude(x):
    """Absolute values, unsigned: that of the smallest integer has no signed one."""
    return jnp.abs(x).astype(f"u{x.dtype.itemsize}") if x.dtype.kind == "i" else x


def _popcount(x):
    return lax.population_count(jnp.abs(x) if x.dtype.kind == "i" else x).astype(jnp.uint8)


def _int_divmod(x, y):
    return floor_division.floor_divide(x, y), floor_division.remainder(x, y)


# -- floats ----------------------------------------------------------------------------------------------------------


def _float_divmod(x, y):
    """NumPy's `npy_divmod`: floor division and remainder that fit together."""
    remainder = lax.rem(x, y)
    quotient = (x - remainder) / y
    adjust = (remainder != 0) & ((y < 0) != (remainder < 0))
    remainder = jnp.where(adjust, remainder + y, remainder)
    signed = jnp.where(remainder == 0, jnp.copysign(0.0, y).astype(x.dtype), remainder)
    quotient = jnp.where(adjust, quotient - 1, quotient)
    floored = jnp.floor(quotient)
    floored = jnp.where(quotient - floored > 0.5, floored + 1, floored)
    floored = jnp.where(quotient == 0, jnp.copysign(0.0, x / y).astype(x.dtype), floored)
    zero = y == 0
    whole = lax.stop_gradient(jnp.where(zero, x / y, floored))
    return whole, jnp.where(zero, lax.rem(x, y), differentiated_as(signed, remainder))


def _float_floor_divide(x, y):
    return _float_divmod(x, y)[0]


def _float_remainder(x, y):
    return _float_divmod(x, y)[1]


def _heaviside(x, y):
    return jnp.where(jnp.isnan(x), x, jnp.where(x == 0, y, (x > 0).astype(x.dtype)))


def _modf(x):
    whole = jnp.trunc(x)
    fraction = jnp.where(jnp.isinf(x), 0.0, x - whole).astype(x.dtype)
    return differentiated_as(jnp.copysign(fraction, x), fraction), whole


def _frexp(x):
    mantissa, exponent = float_bits.frexp(x)
    return differentiated_as(mantissa, jnp.frexp(x)[0]), exponent


def _ldexp(x, n):
    x, n = jnp.broadcast_arrays(x, n)
    return differentiated_as(float_bits.ldexp(x, n), jnp.ldexp(x, n))


def _nextafter(x, y):
    return float_bits.nextafter(*jnp.broadcast_arrays(x, y))


def _half_spacing(x):
    """The distance to the next larger number, which for -1 is half that for 1; other floats are as if positive."""
    size = jnp.abs(x)
    bits = lax.bitcast_convert_type(size, jnp.uint16)
    up = lax.bitcast_convert_type(bits + jnp.uint16(1), jnp.float16) - size
    down = size - lax.bitcast_convert_type(bits - jnp.uint16(1), jnp.float16)
    gap = jnp.where(x < 0, down, up)
    return jnp.where(jnp.isfinite(x), gap, jnp.nan).astype(x.dtype)


def _float_spacing(x):
    return _half_spacing(x) if x.dtype == jnp.float16 else float_bits.spacing(x)


def _rint(x):
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)


def _float_reciprocal(x):
    return 1 / x


def square(x):
    """x * x"""
    return x * x


def _is_nan(x):
    return x != x


def _never(x):
    return jnp.zeros(x.shape, bool)


def _always(x):
    return jnp.ones(x.shape, bool)


def _degrees(x):
    return x * np.array(180.0 / np.pi, x.dtype)


def _radians(x):
    return x * np.array(np.pi / 180.0, x.dtype)


# -- complex ---------------------------------------------------------------------------------------------------------


def _complex_less(x, y):
    return (x.real < y.real) & ~jnp.isnan(x.imag) & ~jnp.isnan(y.imag) | (x.real == y.real) & (x.imag < y.imag)


def _complex_less_equal(x, y):
    return (x.real < y.real) & ~jnp.isnan(x.imag) & ~jnp.isnan(y.imag) | (x.real == y.real) & (x.imag <= y.imag)


def _complex_greater(x, y):
    return _complex_less(y, x)


def _complex_greater_equal(x, y):
    return _complex_less_equal(y, x)


def _complex_maximum(x, y):
    return jnp.where(jnp.isnan(x) | (~jnp.isnan(y) & _complex_greater_equal(x, y)), x, y)


def _complex_minimum(x, y):
    return jnp.where(jnp.isnan(x) | (~jnp.isnan(y) & _complex_less_equal(x, y)), x, y)


def _complex_fmax(x, y):
    return jnp.where(jnp.isnan(y) | (~jnp.isnan(x) & _complex_greater_equal(x, y)), x, y)


def _complex_fmin(x, y):
    return jnp.where(jnp.isnan(y) | (~jnp.isnan(x) & _complex_less_equal(x, y)), x, y)


def _real_sign(x):
    """Of -0.0 it is 0.0, where XLA's is -0.0."""
    return jnp.where(x == 0, jnp.zeros((), x.dtype), lax.sign(x))


def _complex_reciprocal(x):
    wide = jnp.abs(x.imag) <= jnp.abs(x.real)
    large, small = jnp.where(wide, x.real, x.imag), jnp.where(wide, x.imag, x.real)
    ratio = small / large
    size = large + small * ratio
    found = lax.complex(jnp.where(wide, 1, ratio) / size, -jnp.where(wide, ratio, 1) / size)
    return differentiated_as(found, 1 / x)


def _complex_divide(x, y):
    """Smith's algorithm, as NumPy has it: zeros, infinities and NaN come out the same."""
    wide, c, d = jnp.abs(y.real) >= jnp.abs(y.imag), y.real, y.imag
    large, small = jnp.where(wide, c, d), jnp.where(wide, d, c)
    ratio = small / large
    scale = 1 / (large + small * ratio)
    a, b = x.real, x.imag
    first = jnp.where(wide, a + b * ratio, a * ratio + b) * scale
    second = jnp.where(wide, b - a * ratio, b * ratio - a) * scale
    zero = (c == 0) & (d == 0)
    first, second = jnp.where(zero, a / jnp.abs(c), first), jnp.where(zero, b / jnp.abs(c), second)
    return differentiated_as(lax.complex(first, second), x / y)


@functools.lru_cache(maxsize=256)
def complex_divided_by(divisor: float, sign: float) -> Callable:
    """The same for a known divisor whose imaginary part is zero, with this sign: XLA takes a millisecond less to
    compile each of them."""

    def divided(x, y):
        c = np.asarray(divisor, x.real.dtype)
        with np.errstate(all="ignore"):
            ratio = np.copysign(np.zeros_like(c), sign) / c
            scale = 1 / (c + np.copysign(np.zeros_like(c), sign) * ratio)
        first, second = (x.real + x.imag * ratio) * scale, (x.imag - x.real * ratio) * scale
        return differentiated_as(lax.complex(first, second), x / y)

    return divided


def complex_divided_by_real(x, y):
    """The same for a divisor that is a real number made complex."""
    c = y.real
    ratio, scale, size = 0 / c, 1 / c, jnp.abs(c)
    first = jnp.where(c == 0, x.real / size, (x.real + x.imag * ratio) * scale)
    second = jnp.where(c == 0, x.imag / size, (x.imag - x.real * ratio) * scale)
    return differentiated_as(lax.complex(first, second), x / y)


def _complex_rint(x):
    return lax.complex(_rint(x.real), _rint(x.imag))


@functools.lru_cache(maxsize=256)
def complex_power_by_products(exponent: int) -> Callable:
    """Of a complex array and what is ignored, the power with a known whole exponent that is not zero.

    The products are NumPy's, one by one: it matters which of them overflow, and what becomes of an infinite part.
    """

    def power(base, _):
        if exponent == 3:
            return base * (base * base)
        found, factor, rest = None, base, abs(exponent)
        while rest:
            if rest & 1:
                found = _one_times(factor) if found is None else found * factor
            rest >>= 1
            factor = factor * factor if rest else factor
        if exponent > 0:
            return found
        return jnp.where(base == 0, jnp.full_like(base, complex(np.nan, np.nan)), _complex_reciprocal(found))

    return power


def _one_times(x):
    """`(1 + 0j) * x`, in which an infinite part makes the other one NaN."""
    return lax.complex(x.real - 0 * x.imag, x.imag + 0 * x.real)


def _complex_exp2(x):
    return jnp.exp(_scaled(x, np.log(2.0)))


def _complex_log2(x):
    return _scaled(complex_functions.log(x), 1 / np.log(2.0))


def _complex_log10(x):
    return _scaled(complex_functions.log(x), 1 / np.log(10.0))


def _scaled(x, factor: np.float64):
    """A complex number times a real one, whose infinite parts leave the others as they are."""
    factor = factor.astype(x.real.dtype)
    return lax.complex(x.real * factor, x.imag * factor)


# -- comparisons of integers of different signs ----------------------------------------------------------------------


def _mixed(compare: Callable, unsigned: Callable) -> Callable:
    """Comparison for NumPy's loops on (int64, uint64) and (uint64, int64); `compare` for equal types."""

    def run(x, y):
        if x.dtype == y.dtype:
            return compare(x, y)
        if x.dtype.kind == "i":
            return jnp.where(x < 0, compare(-1, 0), unsigned(x.astype(jnp.uint64), y))
        return jnp.where(y < 0, compare(0, -1), unsigned(x, y.astype(jnp.uint64)))

    run.__name__ = run.__qualname__ = compare.__name__
    return run


_eq = _mixed(jnp.equal, lax.eq)
_ne = _mixed(jnp.not_equal, lax.ne)
_lt = _mixed(jnp.less, lax.lt)
_le = _mixed(jnp.less_equal, lax.le)
_gt = _mixed(jnp.greater, lax.gt)
_ge = _mixed(jnp.greater_equal, lax.ge)


# -- products --------------------------------------------------------------------------------------------------------


def _matmul(x, y):
    if x.dtype == bool:
        return jnp.matmul(x.astype(jnp.int32), y.astype(jnp.int32)) != 0
    return jnp.matmul(x, y)


def _vecdot(x, y):
    if x.dtype == bool:
        return jnp.any(x & y, axis=-1)
    return jnp.sum(jnp.conj(x) * y, axis=-1, dtype=x.dtype)


def _matvec(x, y):
    return _matmul(x, y[..., None])[..., 0]


def _vecmat(x, y):
    return _matmul(jnp.conj(x)[..., None, :], y)[..., 0, :]


Entry = dict[str, "str | Callable"]

TABLE: dict[np.ufunc, Entry] = {
    np.add: {"b": "bitwise_or", "*": "add"},
    np.subtract: {"*": "sub"},
    np.multiply: {"b": "bitwise_and", "*": "mul"},
    np.divide: {"c": _complex_divide, "*": "div"},
    np.floor_divide: {"i": floor_division.floor_divide, "u": floor_division.floor_divide, "f": _float_floor_divide},
    np.remainder: {"i": floor_division.remainder, "u": floor_division.remainder, "f": _float_remainder},
    np.fmod: {"i": _int_fmod, "u": _int_fmod, "f": "rem"},
    np.divmod: {"i": _int_divmod, "u": _int_divmod, "f": _float_divmod},
    np.power: {"i": _int_power, "u": _int_power, "f": "pow", "c": complex_functions.power},
    np.float_power: {"f": "pow", "c": complex_functions.power},
    np.negative: {"*": "neg"},
    np.positive: {"*": identity},
    np.absolute: {"b": identity, "u": identity, "c": jnp.abs, "*": "abs"},
    np.fabs: {"f": "abs"},
    np.sign: {"u": jnp.sign, "f": _real_sign, "c": complex_functions.sign, "*": "sign"},
    np.heaviside: {"f": _heaviside},
    np.conjugate: {"c": jnp.conj, "*": identity},
    np.square: {"b": identity, "*": square},
    np.reciprocal: {"i": _int_reciprocal, "u": _int_reciprocal, "f": _float_reciprocal, "c": _complex_reciprocal},
    np.sqrt: {"c": complex_functions.sqrt, "*": "sqrt"},
    np.cbrt: {"*": exact_integer_results.cbrt},
    np.exp: {"*": "exp"},
    np.exp2: {"c": _complex_exp2, "*": exact_integer_results.exp2},
    np.expm1: {"c": complex_functions.expm1, "*": "expm1"},
    np.log: {"c": complex_functions.log, "*": "log"},
    np.log2: {"c": _complex_log2, "*": exact_integer_results.log2},
    np.log10: {"c": _complex_log10, "*": exact_integer_results.log10},
    np.log1p: {"c": complex_functions.log1p, "*": "log1p"},
    np.logaddexp: {"f": jnp.logaddexp},
    np.logaddexp2: {"f": jnp.logaddexp2},
    np.sin: {"c": complex_functions.sin, "*": "sin"},
    np.cos: {"c": complex_functions.cos, "*": "cos"},
    np.tan: {"c": complex_functions.tan, "*": "tan"},
    np.arcsin: {"c": complex_functions.asin, "*": "asin"},
    np.arccos: {"c": complex_functions.acos, "*": "acos"},
    np.arctan: {"c": complex_functions.atan, "*": "atan"},
    np.arctan2: {"f": "atan2"},
    np.sinh: {"c": complex_functions.sinh, "*": "sinh"},
    np.cosh: {"c": complex_functions.cosh, "*": "cosh"},
    np.tanh: {"c": complex_functions.tanh, "*": "tanh"},
    np.arcsinh: {"c": complex_functions.asinh, "*": "asinh"},
    np.arccosh: {"c": complex_functions.acosh, "*": "acosh"},
    np.arctanh: {"c": complex_functions.atanh, "*": "atanh"},
    np.hypot: {"f": exact_integer_results.hypot},
    np.degrees: {"f": _degrees},
    np.rad2deg: {"f": _degrees},
    np.radians: {"f": _radians},
    np.deg2rad: {"f": _radians},
    np.floor: {"f": "floor", "*": identity},
    np.ceil: {"f": "ceil", "*": identity},
    np.trunc: {"f": jnp.trunc, "*": identity},
    np.rint: {"f": _rint, "c": _complex_rint, "*": identity},
    np.copysign: {"f": jnp.copysign},
    np.nextafter: {"f": _nextafter},
    np.spacing: {"f": _float_spacing},
    np.ldexp: {"f": _ldexp},
    np.frexp: {"f": _frexp},
    np.modf: {"f": _modf},
    np.signbit: {"f": jnp.signbit},
    np.isnan: {"f": _is_nan, "c": _is_nan, "*": _never},
    np.isinf: {"f": jnp.isinf, "c": jnp.isinf, "*": _never},
    np.isfinite: {"f": "is_finite", "c": jnp.isfinite, "*": _always},
    np.maximum: {"b": "bitwise_or", "c": _complex_maximum, "*": "max"},
    np.minimum: {"b": "bitwise_and", "c": _complex_minimum, "*": "min"},
    np.fmax: {"b": "bitwise_or", "f": jnp.fmax, "c": _complex_fmax, "*": "max"},
    np.fmin: {"b": "bitwise_and", "f": jnp.fmin, "c": _complex_fmin, "*": "min"},
    np.equal: {"i": _eq, "u": _eq, "*": "eq"},
    np.not_equal: {"i": _ne, "u": _ne, "*": "ne"},
    np.less: {"i": _lt, "u": _lt, "c": _complex_less, "*": "lt"},
    np.less_equal: {"i": _le, "u": _le, "c": _complex_less_equal, "*": "le"},
    np.greater: {"i": _gt, "u": _gt, "c": _complex_greater, "*": "gt"},
    np.greater_equal: {"i": _ge, "u": _ge, "c": _complex_greater_equal, "*": "ge"},
    np.logical_and: {"*": "bitwise_and"},
    np.logical_or: {"*": "bitwise_or"},
    np.logical_xor: {"*": "bitwise_xor"},
    np.logical_not: {"*": "bitwise_not"},
    np.bitwise_and: {"*": "bitwise_and"},
    np.bitwise_or: {"*": "bitwise_or"},
    np.bitwise_xor: {"*": "bitwise_xor"},
    np.invert: {"*": "bitwise_not"},
    np.left_shift: {"*": "shift_left"},
    np.right_shift: {"u": "shift_right_logical", "*": "shift_right_arithmetic"},
    np.bitwise_count: {"*": _popcount},
    np.gcd: {"*": _gcd},
    np.lcm: {"*": _lcm},
}

#: what takes several steps, each of which would round: computed in float32 for float16, as NumPy does
IN_SINGLE = frozenset(
    {np.floor_divide, np.remainder, np.divmod, np.power, np.cbrt, np.exp, np.exp2, np.expm1, np.log, np.log2}
    | {np.log10, np.log1p, np.logaddexp, np.logaddexp2, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan}
    | {np.arctan2, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh, np.hypot}
    | {np.degrees, np.rad2deg, np.radians, np.deg2rad}
)

#: what has a finite derivative everywhere, whatever its operands are
FINITE_SLOPES = frozenset(
    {np.add, np.subtract, np.negative, np.positive, np.maximum, np.minimum, np.floor, np.ceil, np.trunc, np.rint}
)
#: ufuncs that look at the truth of their operands only
LOGICAL = frozenset({np.logical_and, np.logical_or, np.logical_xor, np.logical_not})

#: what is monotone in each of its operands
MONOTONE = frozenset({np.add, np.subtract, np.multiply, np.negative, np.positive, np.maximum, np.minimum})

#: comparisons of operands of one type need no function
PLAIN_COMPARISON = {
    np.equal: "eq",
    np.not_equal: "ne",
    np.less: "lt",
    np.less_equal: "le",
    np.greater: "gt",
    np.greater_equal: "ge",
}

#: generalised ufuncs: functions of whole arrays of the loop's dtypes
GENERALISED: dict[np.ufunc, Callable] = {np.matmul: _matmul}
for _name, _rule in (("vecdot", _vecdot), ("matvec", _matvec), ("vecmat", _vecmat)):
    if hasattr(np, _name):
        GENERALISED[getattr(np, _name)] = _rule

#: ufuncs without a meaning on numbers, with the reason for the refusal
REFUSED: dict[np.ufunc, str] = {np.isnat: "XLA has no dates"}

#: the function of `jax.lax` behind each element-wise operation of the IR
LAX: dict[str, Callable] = {
    name: getattr(lax, name)
    for name in (
        "add sub mul div rem pow max min neg abs sign floor ceil sqrt exp expm1 log log1p sin cos tan asin acos atan"
        " sinh cosh tanh asinh acosh atanh atan2 cbrt bitwise_and bitwise_or bitwise_xor bitwise_not shift_left"
        " shift_right_arithmetic shift_right_logical nextafter eq ne lt le gt ge is_finite"
    ).split()
}


def entry(ufunc: np.ufunc, kind: str) -> str | Callable | None:
    """The operation of a ufunc for a loop whose first operand is of `kind`."""
    table = TABLE.get(ufunc)
    if table is None:
        return None
    return table.get(kind, table.get("*"))


def as_function(ufunc: np.ufunc, kind: str) -> Callable:
    """The same as a function of JAX arrays, of a ufunc that has one."""
    found = entry(ufunc, kind)
    assert found is not None, ufunc
    function: Callable = LAX[found] if isinstance(found, str) else found
    if ufunc in LOGICAL and kind != "b":
        return lambda *operands: function(*(x != 0 for x in operands))
    return function
