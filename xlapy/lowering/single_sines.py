"""Sines and cosines of float32 by polynomials in float64, on a CPU.

XLA's CPU backend calls the C library for each element (9 to 13 ns, measured), where a vector of polynomials takes less
than 1. In float64, a multiple of pi / 2 is subtracted in two parts, of which the first has 33 bits (W. J. Cody and W.
Waite, "Software Manual for the Elementary Functions", 1980): this is exact enough for arguments up to 2e5. An array
with larger ones is left to the C library. The polynomials are those of FreeBSD's `k_sinf.c` and `k_cosf.c`, of relative
errors below 2**-34.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
from jax import lax

from xlapy.lowering.derivatives import differentiated_as
from xlapy.lowering.polynomials import polynomial

#: fewer elements are left to the C library: they may be in a native loop (`lowering.native`), without branches
_FEW = 4097
_LARGEST = 2e5
_QUARTER = (1.5707963267341256, 6.077100506506192e-11)
#: from the highest power of x**2 down
_SINE = (2.718311493989822e-06, -0.00019839334836096632, 0.008333329385889463, -0.16666666641626524, 1.0)
_COSINE = (2.43904487962774090654e-05, -0.00138867637746099294692, 0.0416666233237390631894, -0.499999997251031, 1.0)


def sin(x: jax.Array) -> jax.Array:
    """`lax.sin`."""
    return _on_cpu(x, lax.sin, 0)


def cos(x: jax.Array) -> jax.Array:
    """`lax.cos`."""
    return _on_cpu(x, lax.cos, 1)


def _on_cpu(x: jax.Array, plain, quarters: int) -> jax.Array:
    if x.dtype != jnp.float32 or x.size < _FEW or jax.dtypes.canonicalize_dtype(jnp.float64) != jnp.float64:
        return plain(x)

    def fast(x: jax.Array) -> jax.Array:
        return lax.cond(jnp.max(jnp.abs(x)) <= _LARGEST, lambda x: _sine(x, quarters), plain, x)

    return differentiated_as(lax.platform_dependent(x, cpu=fast, default=plain), plain(x))


def _sine(x: jax.Array, quarters: int) -> jax.Array:
    """The sine, some quarters of a turn further."""
    wide = x.astype(jnp.float64)
    count = lax.round(wide * (2 / math.pi), lax.RoundingMethod.TO_NEAREST_EVEN)
    rest = (wide - count * _QUARTER[0]) - count * _QUARTER[1]
    turn = count.astype(jnp.int32) + quarters
    square = rest * rest
    found = jnp.where(turn & 1, polynomial(square, _COSINE), rest * polynomial(square, _SINE))
    found = jnp.where(turn & 2, -found, found).astype(jnp.float32)
    # -0.0 - 0.0 * c is 0.0
    return found if quarters else jnp.where(x == 0, x, found)


__all__ = ["cos", "sin"]
