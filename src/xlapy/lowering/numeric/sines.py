"""Sines, cosines and tangents of large arrays by polynomials, on a CPU.

XLA's CPU backend calls the C library for each element (9 to 27 ns, measured), where vectors of polynomials take 1 to 3.
A multiple of pi / 2 is subtracted in parts, of which all but the last have 33 bits, so that products are exact (W. J.
Cody and W. Waite, "Software Manual for the Elementary Functions", 1980). float32 is computed in float64, for which
two parts do; float64 takes four, and what is left two numbers. This is exact enough for arguments up to 2e5 and 1e6; an
array with larger ones is left to the C library. The parts and the polynomials are those of FreeBSD's `e_rem_pio2.c`,
`k_sin.c` and `k_cos.c` (relative errors below 2**-58), `k_sinf.c` and `k_cosf.c` (2**-34).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.numeric.polynomials import MANY, polynomial

_LARGEST = {jnp.dtype("float32"): 2e5, jnp.dtype("float64"): 1e6}
_QUARTER = (1.5707963267341256, 6.077100506506192e-11)
#: 33 bits of pi / 2 each, and what is left of it
_QUARTERS = (
    1.57079632673412561417e00,
    6.07710050630396597660e-11,
    2.02226624871116645580e-21,
    8.47842766036889956997e-32,
)
#: from the highest power of x**2 down
_SINE = (2.718311493989822e-06, -0.00019839334836096632, 0.008333329385889463, -0.16666666641626524, 1.0)
_COSINE = (2.43904487962774090654e-05, -0.00138867637746099294692, 0.0416666233237390631894, -0.499999997251031, 1.0)
#: of (sin(x) - x + x**3 / 6) / x**5, and of (cos(x) - 1 + x**2 / 2) / x**4
_SIXTH = -1.66666666666666324348e-01
_LONG_SINE = (
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
)
_LONG_COSINE = (
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
)


def sin(x: jax.Array) -> jax.Array:
    """`lax.sin`."""
    return _on_cpu(x, lax.sin, lambda x: _single(x, 0) if x.dtype == jnp.float32 else _double(x, 0))


def cos(x: jax.Array) -> jax.Array:
    """`lax.cos`."""
    return _on_cpu(x, lax.cos, lambda x: _single(x, 1) if x.dtype == jnp.float32 else _double(x, 1))


def tan(x: jax.Array) -> jax.Array:
    """`lax.tan`."""
    return _on_cpu(x, lax.tan, lambda x: _tangent(x.astype(jnp.float64)).astype(x.dtype))


def _on_cpu(x: jax.Array, plain: Callable, fast: Callable) -> jax.Array:
    if x.dtype not in _LARGEST or x.size < MANY or jax.dtypes.canonicalize_dtype(jnp.float64) != jnp.float64:
        return plain(x)

    def chosen(x: jax.Array) -> jax.Array:
        size = jnp.abs(x)
        far = jnp.any((size > _LARGEST[x.dtype]) & (size < jnp.inf))
        return lax.cond(far, plain, fast, x)

    return differentiated_as(lax.platform_dependent(x, cpu=chosen, default=plain), plain(x))


def _turns(x: jax.Array) -> jax.Array:
    return lax.round(x * (2 / math.pi), lax.RoundingMethod.TO_NEAREST_EVEN)


def _single(x: jax.Array, quarters: int) -> jax.Array:
    """The sine of float32, some quarters of a turn further."""
    wide = x.astype(jnp.float64)
    count = _turns(wide)
    rest = (wide - count * _QUARTER[0]) - count * _QUARTER[1]
    turn = count.astype(jnp.int32) + quarters
    square = rest * rest
    found = jnp.where(turn & 1, polynomial(square, _COSINE), rest * polynomial(square, _SINE))
    found = jnp.where(turn & 2, -found, found).astype(jnp.float32)
    # -0.0 - 0.0 * c is 0.0
    return found if quarters else jnp.where(x == 0, x, found)


def _double(x: jax.Array, quarters: int) -> jax.Array:
    """The same of float64."""
    turn, high, low = _rest(x)
    turn = turn + quarters
    found = jnp.where(turn & 1, _cosine(high, low), _sine(high, low))
    found = jnp.where(turn & 2, -found, found)
    return found if quarters else jnp.where(jnp.abs(x) < 1e-8, x, found)


def _tangent(x: jax.Array) -> jax.Array:
    turn, high, low = _rest(x)
    sine, cosine = _sine(high, low), _cosine(high, low)
    odd = turn & 1
    found = jnp.where(odd, -cosine, sine) / jnp.where(odd, sine, cosine)
    return jnp.where(jnp.abs(x) < 1e-8, x, found)


def _rest(x: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Quarters of a turn, and what is left of an angle, as a sum of two numbers."""
    count = _turns(x)
    left, lost = x - count * _QUARTERS[0], jnp.zeros_like(x)
    for part in _QUARTERS[1:-1]:
        product, before = count * part, left
        left = before - product
        lost = lost + ((before - left) - product)
    lost = count * _QUARTERS[-1] - lost
    high = left - lost
    return count.astype(jnp.int32), high, (left - high) - lost


def _sine(high: jax.Array, low: jax.Array) -> jax.Array:
    square = high * high
    cube = square * high
    return high - ((square * (0.5 * low - cube * polynomial(square, _LONG_SINE)) - low) - cube * _SIXTH)


def _cosine(high: jax.Array, low: jax.Array) -> jax.Array:
    square = high * high
    half = 0.5 * square
    near = 1.0 - half
    return near + (((1.0 - near) - half) + (square * (square * polynomial(square, _LONG_COSINE)) - high * low))


__all__ = ["cos", "sin", "tan"]
