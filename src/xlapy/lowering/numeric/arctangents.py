"""Inverse tangents, sines and cosines of arrays by rational functions, on a CPU.

XLA's CPU backend calls the C library's `atan2` for each element (13 ns, measured; 14 to 30 for an inverse sine); NumPy
has vector instructions for them (1.5 to 3). What is here is made of operations of which XLA makes vector instructions.

The reduction of the arguments and the rational function for float64 are those of S. L. Moshier's Cephes library
(`atan.c`; "Methods and Programs for Mathematical Functions", 1989), whose largest relative error is 1.8e-16. Sines and
cosines come from tangents: `asin x = atan2(x, sqrt((1 - x) (1 + x)))`. `atan2` itself is XLA's for few elements: its
operands often share what is dear (`arctan2(sqrt(a), sqrt(1 - a))`), which XLA then computes for each of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.numeric.polynomials import MANY, polynomial
from xlapy.lowering.primitives.barrier import apart

#: fewer elements are left to the C library
FEW = 16
#: larger tangents are taken from an eighth of a turn
_FAR = 0.66
#: from the highest power of x**2 down
_NUMERATOR = (
    -8.750608600031904122785e-1,
    -1.615753718733365076637e1,
    -7.500855792314704667340e1,
    -1.228866684490136173410e2,
    -6.485021904942025371773e1,
)
_DENOMINATOR = (
    1.0,
    2.485846490142306297962e1,
    1.650270098316988542046e2,
    4.328810604912902668951e2,
    4.853903996359136964868e2,
    1.945506571482613964425e2,
)
#: for float32, by Chebyshev interpolation: a relative error of 0.03 units in the last place
_SINGLE = (-0.0205993512, 0.0556911843, -0.0853632737, 0.110323121, -0.142802159, 0.199998532, -0.333333327)
#: pi / 4, less the nearest float64
_REST = 3.061616997868383e-17


def atan(x: jax.Array) -> jax.Array:
    """`lax.atan`."""
    return _on_cpu(_atan, lax.atan, x)


def asin(x: jax.Array) -> jax.Array:
    """`lax.asin`."""
    return _on_cpu(_asin, lax.asin, x)


def acos(x: jax.Array) -> jax.Array:
    """`lax.acos`."""
    return _on_cpu(_acos, lax.acos, x)


def atan2(y: jax.Array, x: jax.Array) -> jax.Array:
    """`lax.atan2`."""
    if y.size < MANY:
        return lax.atan2(y, x)
    return _on_cpu(_atan2, lax.atan2, y, x)


def _on_cpu(fast: Callable, plain: Callable, *operands: jax.Array) -> jax.Array:
    if operands[0].size < FEW or operands[0].dtype not in (jnp.float32, jnp.float64):
        return plain(*operands)
    if operands[0].size < MANY:
        computed = lax.platform_dependent(*operands, cpu=fast, default=plain)
    else:
        computed = apart(fast, plain, *operands)
    return differentiated_as(computed, plain(*operands))


def _atan(x: jax.Array) -> jax.Array:
    return _but_tiny(x, _angle(x, jnp.ones_like(x)))


def _asin(x: jax.Array) -> jax.Array:
    return _but_tiny(x, _angle(x, lax.sqrt((1 - x) * (1 + x))))


def _acos(x: jax.Array) -> jax.Array:
    return _angle(lax.sqrt((1 - x) * (1 + x)), x)


def _atan2(y: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.where(jnp.isnan(x) | jnp.isnan(y), x + y, _angle(y, x))


def _but_tiny(x: jax.Array, angle: jax.Array) -> jax.Array:
    """`angle`, but `x` where that is so small that they are equal: arithmetic on a CPU takes subnormals for 0."""
    return jnp.where(jnp.abs(x) < np.asarray(1e-10, x.dtype), x, angle)


def _angle(y: jax.Array, x: jax.Array) -> jax.Array:
    """The angle of the point (x, y), from that of the smaller coordinate over the larger one."""
    dtype = np.dtype(x.dtype)
    steep, backward = jnp.abs(y) > jnp.abs(x), jnp.signbit(x)
    large, small = lax.max(jnp.abs(x), jnp.abs(y)), lax.min(jnp.abs(x), jnp.abs(y))
    # so that sums are finite; infinities at 45 degrees; 0 / 1 at the origin
    scale = jnp.where(large > 0.25 * jnp.finfo(dtype).max, dtype.type(0.125), dtype.type(1))
    equal = small == jnp.inf
    small = jnp.where(equal, dtype.type(1), small * scale)
    large = jnp.where(equal | (large == 0), dtype.type(1), large * scale)
    # tan(a - pi / 4) = (tan a - 1) / (tan a + 1)
    far = small > dtype.type(_FAR) * large
    ratio = jnp.where(far, small - large, small) / jnp.where(far, small + large, large)
    rest = _near(ratio)
    # in eighths of a turn, and backwards from there
    eighths = far.astype(dtype)
    eighths = jnp.where(steep, 2 - eighths, eighths)
    rest = jnp.where(steep, -rest, rest)
    eighths = jnp.where(backward, 4 - eighths, eighths)
    rest = jnp.where(backward, -rest, rest)
    one = dtype.type(math.pi / 4)
    low, low_of_three = _lost(dtype)
    found = eighths * one + (jnp.where(eighths == 3, low_of_three, eighths * low) + rest)
    return jnp.copysign(found, y)


def _near(x: jax.Array) -> jax.Array:
    """The angle of a tangent up to `_FAR`."""
    square = x * x
    if x.dtype == jnp.float32:
        return x + x * square * polynomial(square, _SINGLE)
    return x + x * (square * polynomial(square, _NUMERATOR) / polynomial(square, _DENOMINATOR))


def _lost(dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """What is lost in pi / 4 as a float, and in three times that float, of 3 pi / 4."""
    one = np.float64(math.pi / 4)
    near = dtype.type(one)
    three = dtype.type(3) * near
    # the differences are exact in float64
    low, low_of_three = (one - near) + _REST, (2 * one - three) + one + 3 * _REST
    return np.asarray(low, dtype), np.asarray(low_of_three, dtype)


__all__ = ["FEW", "acos", "asin", "atan", "atan2"]
