"""Functions of the bits of floating-point numbers: XLA's own are arithmetic, to which denormals are zeros on a CPU."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

_INTEGERS = {2: np.int16, 4: np.int32, 8: np.int64}


@dataclasses.dataclass(frozen=True)
class _Layout:
    """How the bits of a type lie: the sign, the exponent, the fraction."""

    integer: np.dtype
    fraction: int  # bits
    bias: int

    @property
    def largest(self) -> int:
        """The exponent of infinities and NaN."""
        return 2 * self.bias + 1

    @property
    def sign(self) -> int:
        """The integer of which the sign is the only bit."""
        return int(np.iinfo(self.integer).min)


def _layout(dtype: np.dtype) -> _Layout:
    about = jnp.finfo(dtype)
    return _Layout(np.dtype(_INTEGERS[np.dtype(dtype).itemsize]), about.nmant, about.maxexp - 1)


def _split(x: Array, layout: _Layout) -> tuple[Array, Array, Array]:
    """The sign, as a bit, the biased exponent, below one for denormals, and the significand with its leading bit."""
    bits = lax.bitcast_convert_type(x, layout.integer)
    sign, size = bits & layout.sign, bits & ~np.array(layout.sign, layout.integer)
    exponent, fraction = size >> layout.fraction, size & ((1 << layout.fraction) - 1)
    width = np.iinfo(layout.integer).bits
    shift = lax.clz(fraction) - np.array(width - 1 - layout.fraction, layout.integer)
    denormal = exponent == 0
    significand = jnp.where(denormal, fraction << shift, fraction | (1 << layout.fraction))
    return sign, jnp.where(denormal, 1 - shift, exponent), significand


def _is_special(x: Array, layout: _Layout) -> Array:
    """Whether numbers are zeros, infinities or NaN."""
    size = lax.bitcast_convert_type(x, layout.integer) & ~np.array(layout.sign, layout.integer)
    return (size == 0) | (size >> layout.fraction == layout.largest)


def frexp(x: Array) -> tuple[Array, Array]:
    """Mantissas in [0.5, 1) and exponents, which are zero for zeros, infinities and NaN.

    Args:
        x: floats.
    """
    layout = _layout(x.dtype)
    sign, exponent, significand = _split(x, layout)
    fraction = significand & ((1 << layout.fraction) - 1)
    mantissa = lax.bitcast_convert_type(sign | (layout.bias - 1 << layout.fraction) | fraction, x.dtype)
    special = _is_special(x, layout)
    return jnp.where(special, x, mantissa), jnp.where(special, 0, exponent - (layout.bias - 1)).astype(jnp.int32)


def ldexp(x: Array, n: Array) -> Array:
    """`x * 2**n`, rounded once.

    Args:
        x: floats.
        n: integers.
    """
    layout = _layout(x.dtype)
    sign, exponent, significand = _split(x, layout)
    most = 2 * (layout.largest + layout.fraction)
    exponent = exponent.astype(jnp.int32) + jnp.clip(n, -most, most).astype(jnp.int32)
    shift = jnp.clip(1 - exponent, 0, layout.fraction + 2).astype(layout.integer)
    kept = significand >> shift
    rest, half = significand - (kept << shift), (np.array(1, layout.integer) << shift) >> 1
    kept += (shift > 0) & ((rest > half) | (rest == half) & (kept & 1 == 1))
    # the leading bit of a number that is no denormal adds one to the exponent
    head = jnp.clip(exponent - 1, 0, layout.largest).astype(layout.integer) << layout.fraction
    size = jnp.where(exponent >= layout.largest, layout.largest << layout.fraction, head + kept)
    return jnp.where(_is_special(x, layout), x, lax.bitcast_convert_type(sign | size, x.dtype))


def gap(x: Array) -> Array:
    """How far the next larger magnitude is, were there no largest one; NaN for infinities.

    Args:
        x: floats, of which the signs do not matter.
    """
    layout = _layout(x.dtype)
    bits = lax.bitcast_convert_type(x, layout.integer)
    exponent = (bits >> layout.fraction) & layout.largest
    normal = (exponent - layout.fraction) << layout.fraction
    denormal = np.array(1, layout.integer) << jnp.clip(exponent - 1, 0, layout.fraction)
    distance = lax.bitcast_convert_type(jnp.where(exponent > layout.fraction, normal, denormal), x.dtype)
    return jnp.where(exponent == layout.largest, jnp.nan, distance)


def spacing(x: Array) -> Array:
    """The distance to the next number that is further from zero, with the sign of `x`; infinite for the largest one.

    Args:
        x: floats.
    """
    layout = _layout(x.dtype)
    bits = lax.bitcast_convert_type(x, layout.integer)
    last = (layout.largest << layout.fraction) - 1
    distance = jnp.where(bits & ~np.array(layout.sign, layout.integer) == last, jnp.inf, gap(x))
    return jnp.where((bits < 0) & (bits != layout.sign), -distance, distance)


#: whether a half that is equal to the one that it goes to keeps its sign, as NumPy has it before 2.5: C's do not
_HALVES_STAY = not np.signbit(np.nextafter(np.float16(0.0), np.float16(-0.0)))


@jax.custom_jvp
def nextafter(x: Array, y: Array) -> Array:
    """The number after `x` towards `y`, of one shape and type. It moves as `x` does; JAX has no derivative of it."""
    layout = _layout(x.dtype)
    bits = lax.bitcast_convert_type(x, layout.integer)
    here, there = _order(bits, layout), _order(lax.bitcast_convert_type(y, layout.integer), layout)
    after = here + (here < there) - (here > there)
    # what comes to zero keeps its sign
    moved = jnp.where(after == 0, bits & layout.sign, _order(after, layout))
    equal = x if x.dtype == jnp.float16 and _HALVES_STAY else y
    found = jnp.where(here == there, equal, lax.bitcast_convert_type(moved, x.dtype))
    return jnp.where(jnp.isnan(x) | jnp.isnan(y), jnp.nan, found)


def _order(bits: Array, layout: _Layout) -> Array:
    """Integers in the order of the numbers of which these are the bits, and the other way round."""
    return jnp.where(bits < 0, layout.sign - bits, bits)


@nextafter.defjvp
def _nextafter_jvp(primals: tuple, tangents: tuple) -> tuple:
    return nextafter(*primals), tangents[0]
