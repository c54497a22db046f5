"""Powers and cube roots of large arrays, on a CPU.

XLA's CPU backend calls the C library for each element, which vectors do several at a time. float64 powers are computed
as in FreeBSD's `e_pow.c`, with errors below 0.9 units in the last place: the logarithm to base 2 as a sum of two
numbers, of which the first has few bits, its product with the exponent as another one, and a power of 2 of that.
float32 powers need no more than the logarithms and exponentials of float64. Cube roots are those of `s_cbrt.c`: a guess
from a third of the exponent, a polynomial, and one step of Newton's method from a number of 23 bits; so the root of a
cube is whole.

Arrays with negative bases, or with infinities and NaN, are left to the C library.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.numeric import logarithms
from xlapy.lowering.numeric.polynomials import MANY, polynomial

_FLOATS = (jnp.float32, jnp.float64)
#: of the logarithm: of powers of s**2, from the highest down
_LOGARITHM = (
    2.06975017800338417784e-01,
    2.30660745775561754067e-01,
    2.72728123808534006489e-01,
    3.33333329818377432918e-01,
    4.28571428578550184252e-01,
    5.99999999999994648725e-01,
)
#: 2 / (3 log(2)), in two parts; the logarithm of 1.5 to base 2, in two parts
_SCALE, _SCALE_HIGH, _SCALE_LOW = 9.61796693925975554329e-01, 9.61796700954437255859e-01, -7.02846165095275826516e-09
_HALF_HIGH, _HALF_LOW = 5.84962487220764160156e-01, 1.35003920212974897128e-08
#: log(2), in two parts
_TWO, _TWO_HIGH, _TWO_LOW = 6.93147180559945286227e-01, 6.93147182464599609375e-01, -1.90465429995776804525e-09
_EXPONENTIAL = (
    4.13813679705723846039e-08,
    -1.65339022054652515390e-06,
    6.61375632143793436117e-05,
    -2.77777777770155933842e-03,
    1.66666666666666019037e-01,
)
#: of a cube root
_CUBE = (
    0.145996192886612446982,
    -0.758397934778766047437,
    1.621429720105354466140,
    -1.88497979543377169875,
    1.87595182427177009643,
)
_HIGH, _MANTISSA = np.int64(-1 << 32), np.int64((1 << 52) - 1)
_ONE = np.int64(1023 << 52)
#: exponents beyond which every power is infinite or zero
_FAR = 1100.0


def power(base: jax.Array, exponent: jax.Array) -> jax.Array:
    """`lax.pow` of real numbers."""
    if base.dtype not in _FLOATS or base.dtype != exponent.dtype or base.size < MANY or not _has_float64():
        return lax.pow(base, exponent)
    fast = _double_power if base.dtype == jnp.float64 else _single_power

    def chosen(base: jax.Array, exponent: jax.Array) -> jax.Array:
        usual = (base < jnp.inf) & (jnp.abs(exponent) < jnp.inf) & ((base > 0) | (base == 0) & (exponent > 0))
        return lax.cond(jnp.all(usual), fast, lax.pow, base, exponent)

    found = lax.platform_dependent(base, exponent, cpu=chosen, default=lax.pow)
    return differentiated_as(found, lax.pow(base, exponent))


def cbrt(x: jax.Array, plain: Callable[[jax.Array], jax.Array]) -> jax.Array:
    """Cube roots; `plain` computes them on other devices, and of few numbers."""
    if x.dtype not in _FLOATS or x.size < MANY or not _has_float64():
        return plain(x)

    def fast(x: jax.Array) -> jax.Array:
        return _cube_root(x.astype(jnp.float64)).astype(x.dtype)

    return differentiated_as(lax.platform_dependent(x, cpu=fast, default=plain), plain(x))


def _has_float64() -> bool:
    return jax.dtypes.canonicalize_dtype(jnp.float64) == jnp.float64


def _single_power(base: jax.Array, exponent: jax.Array) -> jax.Array:
    logarithm = logarithms.of_positive(base.astype(jnp.float64))
    found = lax.exp(exponent.astype(jnp.float64) * logarithm)
    return jnp.where(base == 0, jnp.float32(0), found.astype(jnp.float32))


def _double_power(base: jax.Array, exponent: jax.Array) -> jax.Array:
    high, low = _logarithm(base)
    first = _cut(exponent)
    rest = (exponent - first) * high + exponent * low
    main = first * high
    found = _power_of_two(main, rest)
    # powers of 0 are 0, as the exponents are positive
    return jnp.where(exponent == 0, 1.0, jnp.where(base == 0, 0.0, found))


def _cut(x: jax.Array) -> jax.Array:
    """A number with the first 21 bits of its mantissa: products of two of these are exact."""
    return lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.int64) & _HIGH, jnp.float64)


def _logarithm(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The logarithm to base 2 of positive numbers, as a sum; the first summand is cut."""
    bits = lax.bitcast_convert_type(x, jnp.int64)
    mantissa = lax.bitcast_convert_type(bits & _MANTISSA | _ONE, jnp.float64)
    # near 1, 1.5 or 2
    middle, last = mantissa > 1.224744871391589, mantissa > 1.7320508075688772
    number = lax.shift_right_logical(bits, np.int64(52)).astype(jnp.int32).astype(jnp.float64) - 1023.0
    number = number + jnp.where(last, 1.0, 0.0)
    x = jnp.where(last, 0.5 * mantissa, mantissa)
    middle = middle & ~last
    near = jnp.where(middle, 1.5, 1.0)

    difference, inverse = x - near, 1.0 / (x + near)
    ratio = difference * inverse
    ratio_high = _cut(ratio)
    total_high = _cut(x + near)
    total_low = x - (total_high - near)
    ratio_low = inverse * ((difference - ratio_high * total_high) - ratio_high * total_low)
    square = ratio * ratio
    series = square * square * polynomial(square, _LOGARITHM) + ratio_low * (ratio_high + ratio)
    square = ratio_high * ratio_high
    high = _cut(3.0 + square + series)
    low = series - ((high - 3.0) - square)
    one, other = ratio_high * high, ratio_low * high + low * ratio
    high = _cut(one + other)
    low = other - (high - one)
    one = _SCALE_HIGH * high
    other = _SCALE_LOW * high + low * _SCALE + jnp.where(middle, _HALF_LOW, 0.0)
    half = jnp.where(middle, _HALF_HIGH, 0.0)
    high = _cut(((one + other) + half) + number)
    return high, other - (((high - number) - half) - one)


def _power_of_two(main: jax.Array, rest: jax.Array) -> jax.Array:
    """2 to the power of a sum, of which the first summand is the larger one."""
    total = main + rest
    whole = jnp.clip(jnp.round(total), -_FAR, _FAR)
    far = jnp.abs(total) > _FAR
    main = jnp.where(far, 0.0, main - whole)
    rest = jnp.where(far, 0.0, rest)
    high = _cut(main + rest)
    one = high * _TWO_HIGH
    other = (rest - (high - main)) * _TWO + high * _TWO_LOW
    total = one + other
    lost = other - (total - one)
    square = total * total
    series = total - square * polynomial(square, _EXPONENTIAL)
    found = 1.0 - ((total * series) / (series - 2.0) - (lost + total * lost) - total)
    whole = whole.astype(jnp.int32)
    half = lax.shift_right_arithmetic(whole, np.int32(1))
    return found * _scale(half) * _scale(whole - half)


def _scale(exponent: jax.Array) -> jax.Array:
    return lax.bitcast_convert_type((exponent.astype(jnp.int64) + 1023) << np.int64(52), jnp.float64)


def _cube_root(x: jax.Array) -> jax.Array:
    size = jnp.abs(x)
    tiny = size < np.finfo(np.float64).tiny
    size = jnp.where(tiny, size * 2.0**54, size)
    bits = lax.bitcast_convert_type(size, jnp.int64)
    # a third of the upper half, as an integer, is a root with an error of 5 percent
    upper = lax.shift_right_logical(bits, np.int64(32)).astype(jnp.int32)
    third = (upper.astype(jnp.float64) * (1 / 3)).astype(jnp.int32) + np.int32(715094163)
    root = lax.bitcast_convert_type(third.astype(jnp.int64) << np.int64(32), jnp.float64)
    ratio = (root * root) * (root / size)
    root = root * polynomial(ratio, _CUBE)
    bits = lax.bitcast_convert_type(root, jnp.int64) + np.int64(0x80000000)
    root = lax.bitcast_convert_type(bits & np.int64(-1 << 30), jnp.float64)
    ratio = size / (root * root)
    root = root + root * ((ratio - root) / (root + root + ratio))
    root = jnp.where(tiny, root * 2.0**-18, root)
    usual = (size > 0) & (size < jnp.inf)
    return jnp.where(usual, jnp.copysign(root, x), x)  # NaN, infinities and zeros are what they are


__all__ = ["cbrt", "power"]
