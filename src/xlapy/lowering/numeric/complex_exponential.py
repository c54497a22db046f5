"""Exponentials of large complex arrays, on a CPU: that of the real part, and an angle.

XLA's CPU backend calls the C library for both, where vectors of polynomials take a fifth of the time (`sines`). What
is infinite is as in C's standard (ISO/IEC 9899:1999, G.6.3.1), and in NumPy.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.numeric import sines
from xlapy.lowering.numeric.polynomials import MANY

#: beyond which an exponential is taken in two parts: it may be too large, and its product with a cosine not
_LARGE = {jnp.dtype("float32"): 80.0, jnp.dtype("float64"): 700.0}


def exp(x: jax.Array) -> jax.Array:
    """`lax.exp`."""
    if x.dtype.kind != "c" or x.size < MANY or jax.dtypes.canonicalize_dtype(jnp.float64) != jnp.float64:
        return lax.exp(x)
    computed = lax.platform_dependent(x, cpu=_exp, default=lax.exp)
    return differentiated_as(computed, lax.exp(x))


def _exp(x: jax.Array) -> jax.Array:
    real, angle = lax.real(x), lax.imag(x)
    limit = jnp.asarray(_LARGE[real.dtype], real.dtype)
    is_large = (real > limit) & (real < jnp.inf)
    size, more = lax.exp(jnp.where(is_large, real - limit, real)), jnp.where(is_large, lax.exp(limit), 1)
    nowhere = ~jnp.isfinite(angle)
    vanishes, grows = (real == -jnp.inf) & nowhere, (real == jnp.inf) & nowhere
    across = jnp.where(vanishes, 0, jnp.where(grows, real, size * sines.cos(angle) * more))
    up = jnp.where(vanishes, 0, jnp.where(angle == 0, angle, size * sines.sin(angle) * more))
    return lax.complex(across, up)


__all__ = ["exp"]
