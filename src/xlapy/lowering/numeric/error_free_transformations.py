"""Sums and products of float64 without what rounding loses, of which CPython makes `fsum`, `sumprod`, `fma`, `round`.

A product that is added to something may be rounded once with it (docs/accepted-differences.md). So all products here
are exact, of halves.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.numeric import float_bits

#: so many words of 32 bits hold any sum of float64: bit 0 of word 0 is the smallest denormal number
WORDS = 68
_LOW = 0xFFFFFFFF
_SMALLEST = -1074


def _bits(x: Array) -> Array:
    return lax.bitcast_convert_type(x, jnp.int64)


def _float(bits: Array) -> Array:
    return lax.bitcast_convert_type(bits, jnp.float64)


def two_sum(x: Array, y: Array) -> tuple[Array, Array]:
    """`x + y`, and what is lost in it (D. Knuth)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def two_product(x: Array, y: Array) -> tuple[Array, Array]:
    """`x * y`, and what is lost in it (T. J. Dekker), with halves of 26 bits."""

    def split(v: Array) -> tuple[Array, Array]:
        high = _float((_bits(v) + np.int64(1 << 26)) & np.int64(-(1 << 27)))
        return high, v - high

    (xh, xl), (yh, yl) = split(x), split(y)
    first, second = xh * yh, xh * yl + xl * yh
    near = first + second
    rest = (first - near) + second + xl * yl
    product = near + rest
    return product, rest - (product - near)


def fma(x: Array, y: Array, z: Array) -> Array:
    """`x * y + z`, rounded once (S. Boldo, G. Melquiond, "Emulation of a FMA and correctly rounded sums", 2008)."""
    product, rest = two_product(x, y)
    low, lost = two_sum(z, rest)
    high, middle = two_sum(product, low)
    total = high + _to_odd(*two_sum(middle, lost))
    return differentiated_as(jnp.where(jnp.isfinite(total), total, x * y + z), x * y + z)


def _to_odd(total: Array, lost: Array) -> Array:
    """A rounded sum as it is if nothing was lost, else that of its two neighbours of which the last bit is one."""
    bits = _bits(total)
    outwards = (lost > 0) == (total > 0)
    odd = (lost == 0) | (bits & 1 == 1)
    return jnp.where(odd, total, _float(jnp.where(outwards, bits + 1, bits - 1)))


def add_product(x: Array, y: Array, high: Array, low: Array, tiny: Array) -> tuple[Array, Array, Array]:
    """A sum in three parts with `x * y` (`tl_fma` in CPython's `mathmodule.c`).

    Args:
        x, y: the factors.
        high, low, tiny: the parts.
    """
    product, rest = two_product(x, y)
    total, lost = two_sum(high, product)
    first, more = two_sum(low, rest)
    second, last = two_sum(first, lost)
    stay = lax.stop_gradient
    return differentiated_as(total, high + x * y), stay(second), stay(tiny + more + last)


def pieces(x: Array) -> tuple[Array, Array, Array, Array]:
    """The number of a word, and what a finite float adds to that one and to the two behind it."""
    bits = _bits(x)
    exponent, fraction = (bits >> 52) & 0x7FF, bits & ((1 << 52) - 1)
    significand = jnp.where(exponent > 0, fraction | (1 << 52), fraction)
    place = jnp.maximum(exponent - 1, 0)
    shift, sign = place & 31, jnp.where(bits < 0, -1, 1)
    rest = significand >> (32 - shift)
    return place >> 5, sign * ((significand << shift) & _LOW), sign * (rest & _LOW), sign * (rest >> 32)


def rounded(words: Array, near: Array) -> Array:
    """The float that is next to a sum, of two equally near ones the even one.

    Args:
        words: the sum.
        near: about the same, of which the derivative is taken.
    """

    def carried(carry: Array, word: Array) -> tuple[Array, Array]:
        word = word + carry
        return word >> 32, word & _LOW

    none = jnp.int64(0)
    negative = lax.scan(carried, none, words)[0] < 0
    words = lax.scan(carried, none, jnp.where(negative, -words, words))[1]
    words = jnp.concatenate([jnp.zeros(2, jnp.int64), words])
    places = jnp.arange(WORDS + 2)
    top = jnp.max(jnp.where(words != 0, places, 2))
    # the first 62 bits, of which the last one says whether there is more
    left = lax.clz(words[top]) - 32
    head, tail = (words[top] << 30) | (words[top - 1] >> 2), ((words[top - 1] & 3) << 32) | words[top - 2]
    right = 34 - left
    more = ((tail & ((np.int64(1) << right) - 1)) != 0) | jnp.any((words != 0) & (places < top - 2))
    head = (head << left) | (tail >> right) | more
    found = float_bits.ldexp(head.astype(jnp.float64), 32 * (top - 2) - 30 - left + _SMALLEST)
    return differentiated_as(jnp.where(negative, -found, found), near)


__all__ = ["WORDS", "add_product", "fma", "pieces", "rounded", "two_product", "two_sum"]
