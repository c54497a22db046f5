"""Powers of floats.

A power is the exponential of a product with a logarithm, which are sums of two numbers each (T. J. Dekker, "A
floating-point technique for extending the available precision", 1971), with errors below 1 unit in the last place.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlapy.lowering.llvm.functions import exponentials, logs
from xlapy.lowering.llvm.functions.float_arithmetic import Writer
from xlapy.lowering.llvm.scalar_instructions import convert
from xlapy.lowering.llvm.text import Number

_DOUBLE, _SINGLE = np.dtype(np.float64), np.dtype(np.float32)
#: of a power: of the logarithm of (1 + s) / (1 - s), the coefficients of s**5, from the highest power of s**2 down, and
#: that of s**3, as a sum
_SERIES = tuple(2.0 / k for k in range(25, 3, -2))
_THIRD = (2.0 / 3.0, 3.700743415417188e-17)


def pow(w: Writer, x: Number, y: Number, power: Callable[..., Number] | None = None) -> Number:
    """A power; `power` computes it of positive numbers."""
    size = w.abs(x)
    found = (power or _power_of)(w, size, y)
    far, whole = w.eq(w.abs(y), np.inf), w.eq(w.floor(y), y)
    half = w.mul(y, 0.5)
    odd = w.bitwise_and(whole, w.ne(w.floor(half), half))
    falls = w.lt(y, 0.0)
    # of zeros and infinities, and to the power of infinities
    grows = w.choose(falls, w.of(0.0), np.inf)
    shrinks = w.choose(falls, w.of(np.inf), 0.0)
    found = w.choose(far, w.choose(w.gt(size, 1.0), grows, w.choose(w.lt(size, 1.0), shrinks, 1.0)), found)
    found = w.choose(w.eq(size, np.inf), grows, w.choose(w.eq(size, 0.0), shrinks, found))
    negative = w.lt(w.bits(x), 0)
    found = w.choose(w.bitwise_and(negative, odd), w.neg(found), found)
    between = w.bitwise_and(w.lt(x, 0.0), w.gt(x, -np.inf))
    found = w.choose(w.bitwise_and(between, w.bitwise_not(w.bitwise_or(whole, far))), np.nan, found)
    found = w.choose(w.eq(size, size), w.choose(w.eq(y, y), found, y), x)
    return w.choose(w.bitwise_or(w.eq(y, 0.0), w.eq(x, 1.0)), 1.0, found)


def pow_single(w: Writer, x: Number, y: Number) -> Number:
    """A power of float32: in float64 it takes no more than the exponential of a product."""
    x, y = (convert(w.text, v, _DOUBLE) for v in (x, y))
    power = lambda w, x, y: exponentials.exp(w, w.mul(logs.of_normal(w, x), y))  # noqa: E731
    return convert(w.text, pow(Writer(w.text, _DOUBLE), x, y, power), w.dtype)


def _power_of(w: Writer, x: Number, y: Number) -> Number:
    """A power of a positive finite number; what it is of others does not matter."""
    tiny = w.lt(x, logs.NORMAL)
    power, near = logs.factored(w, w.choose(tiny, w.mul(x, logs.SCALE), x))
    power = w.sub(power, w.choose(tiny, w.of(logs.SCALED), 0.0))
    # the logarithm of what is near 1, as a sum: of (near - 1) / (near + 1)
    above, below = w.add(near, 1.0), w.sub(near, 1.0)
    lost = w.sub(near, w.sub(above, 1.0))
    inverse = w.div(w.of(1.0), above)
    ratio = w.mul(below, inverse)
    rest = w.fma(w.neg(ratio), above, below)
    more = w.mul(w.fma(w.neg(ratio), lost, rest), inverse)
    square = w.mul(ratio, ratio)
    second = w.fma(w.add(ratio, ratio), more, w.fma(ratio, ratio, w.neg(square)))
    third = w.mul(square, _THIRD[0])
    low = w.fma(second, _THIRD[0], w.fma(square, _THIRD[1], w.fma(square, _THIRD[0], w.neg(third))))
    tail = w.mul(w.mul(square, square), w.fused(square, _SERIES))
    sum = w.add(third, tail)
    low = w.add(low, w.add(w.sub(third, sum), tail))
    product = w.mul(ratio, sum)
    low = w.fma(more, sum, w.fma(ratio, low, w.fma(ratio, sum, w.neg(product))))
    twice = w.add(ratio, ratio)
    high = w.add(twice, product)
    low = w.add(w.add(w.add(w.sub(twice, high), product), w.add(more, more)), low)
    # and of the power of two
    whole = w.mul(power, exponentials.TWO[0])
    logarithm = w.add(whole, high)
    low = w.fma(power, exponentials.TWO[1], w.add(w.add(w.sub(whole, logarithm), high), low))
    # the exponential of its product with the exponent
    main = w.mul(logarithm, y)
    low = w.fma(low, y, w.fma(logarithm, y, w.neg(main)))
    limited, times, exponent = exponentials.limited(w, main)
    low = w.choose(w.eq(limited, main), low, 0.0)
    first = w.fma(w.neg(times), exponentials.TWO[0], limited)
    low = w.fma(w.neg(times), exponentials.TWO[1], low)
    argument = w.add(first, low)
    low = w.add(w.sub(first, argument), low)
    series = w.fma(w.mul(argument, argument), w.fused(argument, exponentials.TAYLOR), low)
    return exponentials.scaled(w, w.add(w.add(argument, series), 1.0), exponent)


__all__ = ["pow", "pow_single"]
