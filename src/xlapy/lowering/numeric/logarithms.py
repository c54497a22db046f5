"""Logarithms of large float64 arrays by polynomials, on a CPU.

XLA's CPU backend calls the C library for each element (6 ns, measured; 12 for `log1p`), where vectors of polynomials
take 2 to 3. A number is taken apart into a power of two and a factor between sqrt(1/2) and sqrt(2), whose logarithm is
computed as that of FreeBSD's `e_log.c` and `s_log1p.c`, with errors below 1 unit in the last place: as 2 s + 2 s**3 / 3
+ ... with s = f / (2 + f).
Subnormal numbers are 0, as to all arithmetic on a CPU.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.numeric.polynomials import MANY, polynomial
from xlapy.lowering.primitives.barrier import apart

#: log(2), of which the first part has 32 bits, so that its product with an exponent is exact
_TWO = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
#: 1 / log(2), 1 / log(10), and the logarithm of 2 to base 10, in two parts each
_BY_TWO = (1.44269504072144627571e00, 1.67517131648865118353e-10)
_BY_TEN = (4.34294481878168880939e-01, 2.50829467116452752298e-11)
_TWO_OF_TEN = (3.01029995663611771306e-01, 3.69423907715893078616e-13)
#: of even and of odd powers of s**2, from the highest down
_EVEN = (1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01)
_ODD = (1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01)
#: bits of sqrt(1/2), and how far 1 is from there
_ROOT, _BITS = np.int64(0x3FE6A09E00000000), np.int64(0x3FF0000000000000)
_FRACTION, _LEAST_NORMAL = np.int64(0x000FFFFFFFFFFFFF), np.int64(1 << 52)


def log(x: jax.Array) -> jax.Array:
    """`lax.log`."""
    return _on_cpu(x, lax.log, _log)


def log1p(x: jax.Array) -> jax.Array:
    """`lax.log1p`."""
    return _on_cpu(x, lax.log1p, _log1p)


def log2(x: jax.Array, plain: Callable) -> jax.Array:
    """Logarithms to base 2; `plain` computes them on other devices, and of few numbers."""
    return _on_cpu(x, plain, _log2)


def log10(x: jax.Array, plain: Callable) -> jax.Array:
    """Logarithms to base 10, as `log2`."""
    return _on_cpu(x, plain, _log10)


def of_positive(x: jax.Array) -> jax.Array:
    """Logarithms of positive normal float64 numbers."""
    return _of_sum(x, None)


def _on_cpu(x: jax.Array, plain: Callable, fast: Callable) -> jax.Array:
    if x.dtype != jnp.float64 or x.size < MANY:
        return plain(x)
    return differentiated_as(apart(fast, plain, x), plain(x))


def _log2(x: jax.Array) -> jax.Array:
    return _in_base(x, _BY_TWO, (1.0, 0.0))


def _log10(x: jax.Array) -> jax.Array:
    return _in_base(x, _BY_TEN, _TWO_OF_TEN)


def _log(x: jax.Array) -> jax.Array:
    found = _of_sum(x, None)
    found = jnp.where(x == 0, -jnp.inf, jnp.where(x < 0, jnp.nan, found))
    return jnp.where(x < jnp.inf, found, x)  # infinity and NaN are what they are


def _log1p(x: jax.Array) -> jax.Array:
    total = 1.0 + x
    # what the sum has lost
    lost = jnp.where(jnp.abs(x) > 1.0, 1.0 - (total - x), x - (total - 1.0))
    found = _of_sum(total, lost / total)
    found = jnp.where(x == -1, -jnp.inf, jnp.where(x < -1, jnp.nan, found))
    return jnp.where((x < jnp.inf) & (jnp.abs(x) > 1e-300), found, x)


def _of_sum(x: jax.Array, more: jax.Array | None) -> jax.Array:
    """The logarithm of positive normal numbers, with a little `more`."""
    power, rest, half, series = _taken_apart(x)
    last = power * _TWO[1] if more is None else power * _TWO[1] + more
    return power * _TWO[0] - ((half - (series + last)) - rest)


def _in_base(x: jax.Array, inverse: tuple[float, float], two: tuple[float, float]) -> jax.Array:
    """The logarithm to a base, as in FreeBSD's `e_log2.c` and `e_log10.c`: whole for its powers.

    Args:
        x: numbers.
        inverse: 1 / log(base), in two parts.
        two: the logarithm of 2, in two parts, of which the first times an exponent is exact.
    """
    tiny = lax.bitcast_convert_type(x, jnp.int64) < _LEAST_NORMAL  # denormal, zero or negative
    power, rest, half, series = _taken_apart(jnp.where(tiny, x * 2.0**54, x))
    power = jnp.where(tiny, power - 54.0, power)
    bits = lax.bitcast_convert_type(rest - half, jnp.int64)
    high = lax.bitcast_convert_type(bits & np.int64(-1 << 32), jnp.float64)
    low = ((rest - high) - half) + series
    whole, first = power * two[0], high * inverse[0]
    last = power * two[1] + (low + high) * inverse[1] + low * inverse[0]
    total = whole + first
    found = (last + ((whole - total) + first)) + total
    found = jnp.where(x == 0, -jnp.inf, jnp.where(x < 0, jnp.nan, found))
    return jnp.where(x < jnp.inf, found, x)


def _taken_apart(x: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """The exponent of a number, f = what remains - 1, f**2 / 2, and log(1 + f) - f + f**2 / 2."""
    bits = lax.bitcast_convert_type(x, jnp.int64) + (_BITS - _ROOT)
    power = lax.shift_right_arithmetic(bits, np.int64(52)).astype(jnp.int32) - 1023
    rest = lax.bitcast_convert_type((bits & _FRACTION) + _ROOT, jnp.float64) - 1.0
    ratio = rest / (2.0 + rest)
    square = ratio * ratio
    fourth = square * square
    series = fourth * polynomial(fourth, _EVEN) + square * polynomial(fourth, _ODD)
    half = 0.5 * rest * rest
    return power.astype(jnp.float64), rest, half, ratio * (half + series)


__all__ = ["log", "log1p", "log2", "log10", "of_positive"]
