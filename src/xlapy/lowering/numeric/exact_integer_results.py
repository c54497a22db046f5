"""Logarithms, powers of two, cube roots and hypotenuses that are exact where the result is a whole number.

XLA divides the natural logarithm by that of the base: `log10(1e15)` is 14.999999999999998, `log2(2**29)` more than 29.
Programs cut such results to an int, or round them up (the digits of a number, the next power of two), so that the last
bit decides. Here the exponent of a float is taken out of its bits, and the function is left with what remains.
A TPU has no bits of float64: there, XLA's functions are taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.numeric import logarithms, powers_and_cube_roots


def log2(x: jax.Array) -> jax.Array:
    """The logarithm to base 2; whole numbers for powers of two."""
    return logarithms.log2(x, _log2)


def log10(x: jax.Array) -> jax.Array:
    """The logarithm to base 10; whole numbers for powers of ten."""
    return logarithms.log10(x, _log10)


def _log2(x: jax.Array) -> jax.Array:
    def parts(x: jax.Array) -> jax.Array:
        ordinary, exponent, rest = _taken_apart(x)
        found = logarithms.log(rest)
        found *= _constant(x, 1 / math.log(2))
        return jnp.where(ordinary, exponent + found, found)

    return _by_parts(x, parts, jnp.log2)


def _log10(x: jax.Array) -> jax.Array:
    def parts(x: jax.Array) -> jax.Array:
        ordinary, exponent, rest = _taken_apart(x)
        found = logarithms.log(rest)
        step = 2.0 ** (40 if x.dtype == jnp.float64 else 14)  # so that exponent * high is exact
        high = round(math.log10(2) * step) / step
        found *= _constant(x, 1 / math.log(10))
        low = exponent * _constant(x, math.log10(2) - high) + found
        return jnp.where(ordinary, exponent * _constant(x, high) + low, found)

    return _by_parts(x, parts, jnp.log10)


def exp2(x: jax.Array) -> jax.Array:
    """Powers of two, exact for whole exponents."""

    def parts(x: jax.Array) -> jax.Array:
        limit = 1100.0 if x.dtype == jnp.float64 else 160.0
        whole = jnp.round(jnp.clip(x, -limit, limit))
        half = jnp.floor(whole * 0.5)
        scales = (_power_of_two(half, x.dtype), _power_of_two(whole - half, x.dtype))
        return jnp.exp((x - whole) * _constant(x, math.log(2))) * scales[0] * scales[1]

    return _by_parts(x, parts, jnp.exp2)


def cbrt(x: jax.Array) -> jax.Array:
    """Cube roots: XLA's, and one step of Newton's method; of large arrays other ones."""
    return powers_and_cube_roots.cbrt(x, _cbrt)


def _cbrt(x: jax.Array) -> jax.Array:
    root = lax.cbrt(x)
    better = root - (root * root * root - x) / (3 * root * root)
    return differentiated_as(jnp.where(jnp.isfinite(better), better, root), root)


def hypot(x: jax.Array, y: jax.Array) -> jax.Array:
    """The hypotenuse: 5 for 3 and 4. JAX's, `large * sqrt(1 + (small / large)**2)`, is wrong for one triple in six.

    The correction of the root is that of C. F. Borges, "Algorithm 1014: An Improved Algorithm for hypot(x,y)" (ACM
    Transactions on Mathematical Software 47, 2021), without fused operations.
    """
    large, small = lax.max(lax.abs(x), lax.abs(y)), lax.min(lax.abs(x), lax.abs(y))
    # so that squares neither overflow nor vanish
    kind, limits = np.dtype(x.dtype).type, jnp.finfo(x.dtype)
    step = kind(2.0 ** (limits.maxexp * 5 // 8))
    too_large, too_small = large > kind(2.0 ** (limits.maxexp // 2 - 2)), small < kind(2.0 ** (limits.minexp * 2 // 5))
    scale = jnp.where(too_large, 1 / step, jnp.where(too_small, step, kind(1)))
    back = jnp.where(too_large, step, jnp.where(too_small, 1 / step, kind(1)))
    found = _root_of_squares(large * scale, small * scale) * back
    found = jnp.where(small <= large * (limits.eps / 2), large, found)
    infinite = lax.bitwise_or(lax.abs(x) == jnp.inf, lax.abs(y) == jnp.inf)
    return differentiated_as(jnp.where(infinite, kind(jnp.inf), found), _smooth_hypot(x, y, large))


def _smooth_hypot(x: jax.Array, y: jax.Array, large: jax.Array) -> jax.Array:
    """The hypotenuse, to be differentiated: JAX's has a second derivative of zero where both sides are as long."""
    kind, limits = np.dtype(x.dtype).type, jnp.finfo(x.dtype)
    rough = lax.bitwise_or(large == 0, ~jnp.isfinite(large))
    step = kind(2.0 ** (limits.maxexp * 5 // 8))
    scale = jnp.where(large > kind(1 / limits.eps), 1 / step, jnp.where(large < limits.eps, step, kind(1)))
    one = jnp.ones_like(x)
    a, b = (jnp.where(rough, one, v) * scale for v in (x, y))
    plain = jnp.hypot(*(jnp.where(rough, v, one) for v in (x, y)))
    return jnp.where(rough, plain, lax.sqrt(a * a + b * b) / scale)


def _root_of_squares(a: jax.Array, b: jax.Array) -> jax.Array:
    h = lax.sqrt(a * a + b * b)
    near, far = h - b, h - a
    level = near * (near - 2 * (a - b)) + a * (2 * near - a)
    flat = far * far + (b * (4 * far - b) + 2 * far * (a - 2 * b))
    return h - jnp.where(h <= 2 * b, level, flat) / (2 * h)


def _by_parts(x: jax.Array, parts: Callable, plain: Callable) -> jax.Array:
    if x.dtype not in (jnp.float32, jnp.float64):
        return plain(x)
    x = lax.convert_element_type(x, x.dtype)  # of strong type
    return differentiated_as(lax.platform_dependent(x, tpu=plain, default=parts), plain(x))


def _bits(dtype: np.dtype) -> tuple[np.dtype, int, int]:
    """Of a type of floats: the integers of its size, its bits of mantissa, and the bias of its exponents."""
    mantissa, bias = (52, 1023) if dtype == np.float64 else (23, 127)
    return np.dtype(f"i{dtype.itemsize}"), mantissa, bias


def _constant(x: jax.Array, value: float) -> np.ndarray:
    return np.asarray(value, x.dtype)


def _taken_apart(x: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Whether a float is finite, positive and normal, its exponent, and its mantissa, within a factor 1.42 of 1.

    For other floats the third is the float itself.
    """
    dtype = np.dtype(x.dtype)
    integer, mantissa, bias = _bits(dtype)
    bits = lax.bitcast_convert_type(x, integer)
    one = bias << mantissa
    rest = lax.bitcast_convert_type((bits & ((1 << mantissa) - 1)) | one, dtype)
    large = rest > math.sqrt(2)
    exponent = ((bits >> mantissa).astype(jnp.int32) - bias + large).astype(dtype)  # int32, which vectors convert
    ordinary = (x >= jnp.finfo(dtype).tiny) & (x < jnp.inf)
    return ordinary, exponent, jnp.where(ordinary, jnp.where(large, 0.5 * rest, rest), x)


def _power_of_two(exponent: jax.Array, dtype: np.dtype) -> jax.Array:
    integer, mantissa, bias = _bits(np.dtype(dtype))
    return lax.bitcast_convert_type((exponent.astype(jnp.int32).astype(integer) + bias) << mantissa, dtype)
