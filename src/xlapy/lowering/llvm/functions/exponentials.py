"""Exponentials, and functions that are made of one, of float32 and float64.

The argument is a multiple of log(2) and a rest, whose exponential is 1 + rest + rest**2 * p(rest): p is the Taylor
polynomial for float64, for float32 that of S. L. Moshier's Cephes library (`expf.c`; "Methods and Programs for
Mathematical Functions", 1989). Errors are below 1 unit in the last place, of other functions than exponentials below 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from xlapy.lowering.llvm.functions.float_arithmetic import Writer
from xlapy.lowering.llvm.text import Number

_INVERSE = 1.44269504088896338700
#: log(2) in two parts, of which the first has few bits, for float64 and float32; and float64's Taylor polynomial
TWO = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
TWO_SINGLE = (0.693359375, -2.12194440e-4)
TAYLOR = tuple(1 / math.factorial(k) for k in range(13, 1, -1))


class _Constants(NamedTuple):
    """Of a type of floats.

    Attributes:
        mantissa: bits of it.
        bias: of the exponents.
        whole: what it is added to is rounded to a whole number, which is then the low half of the sum's bits.
        least: arguments below which an exponential is zero.
        most: and above which the half of it is infinite.
        largest: whose exponential is finite.
        flat: arguments below which an exponential is nothing besides 1.
        two: log(2) in two parts, of which the first has few bits.
        series: p, from the highest power down.
        odd: the series of a hyperbolic sine, from the highest power of the square down to that of x**3.
    """

    mantissa: int
    bias: int
    whole: float
    least: float
    most: float
    largest: float
    flat: float
    two: tuple[float, float]
    series: Sequence[float]
    odd: Sequence[float]


_OF = {
    np.dtype(np.float32): _Constants(
        23,
        127,
        1.5 * 2.0**23,
        -104.0,
        90.0,
        88.72283935546875,
        -20.0,
        TWO_SINGLE,
        (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1),
        [1 / math.factorial(k) for k in range(11, 1, -2)],
    ),
    np.dtype(np.float64): _Constants(
        52,
        1023,
        1.5 * 2.0**52,
        -746.0,
        711.0,
        709.782712893384,
        -40.0,
        TWO,
        TAYLOR,
        [1 / math.factorial(k) for k in range(17, 1, -2)],
    ),
}


def exp(w: Writer, x: Number) -> Number:
    """An exponential."""
    exponent, series = _parts(w, x)
    return scaled(w, w.add(series, 1.0), exponent)


def expm1(w: Writer, x: Number) -> Number:
    """An exponential without 1."""
    of = _OF[w.dtype]
    exponent, series = _parts(w, w.choose(w.lt(x, of.flat), of.flat, x))
    # 2**n * series + (2**n - 1), of which the half is finite
    half = w.of_bits(w.shift_left(w.add(exponent, of.bias - 1), of.mantissa))
    found = w.mul(w.fma(half, series, w.sub(half, 0.5)), 2.0)
    return w.choose(w.gt(x, of.largest), np.inf, w.choose(w.eq(x, 0.0), x, found))


def sinh(w: Writer, x: Number) -> Number:
    """A hyperbolic sine."""
    size, square = w.abs(x), w.mul(x, x)
    near = w.fma(w.mul(size, square), w.fused(square, _OF[w.dtype].odd), size)
    half = _half_of_exp(w, size)
    found = w.choose(w.lt(size, 1.0), near, w.sub(half, w.div(w.of(0.25), half)))
    return w.of_sign(x, found)


def cosh(w: Writer, x: Number) -> Number:
    """A hyperbolic cosine."""
    half = _half_of_exp(w, w.abs(x))
    return w.add(half, w.div(w.of(0.25), half))


def logistic(w: Writer, x: Number) -> Number:
    """A logistic function."""
    return w.div(w.of(1.0), w.add(exp(w, w.neg(x)), 1.0))


def limited(w: Writer, x: Number) -> tuple[Number, Number, Number]:
    """The argument of an exponential, not beyond where that is infinite or zero; how often log(2) is in it, and that
    as an integer."""
    of = _OF[w.dtype]
    x = w.choose(w.lt(x, of.least), of.least, w.choose(w.gt(x, of.most), of.most, x))
    rounded = w.fma(x, _INVERSE, of.whole)
    bits = int(np.asarray(of.whole, w.dtype).view(f"i{w.dtype.itemsize}"))
    return x, w.sub(rounded, of.whole), w.sub(w.bits(rounded), bits)


def scaled(w: Writer, x: Number, exponent: Number) -> Number:
    """`x` times a power of two: in two steps, so that there is a subnormal number at the end, if any, and no infinity
    on the way."""
    of, half = _OF[w.dtype], w.shift_right_arithmetic(exponent, 1) if w.dtype.itemsize == 4 else _halved(w, exponent)
    for part in (half, w.sub(exponent, half)):
        x = w.mul(x, w.of_bits(w.shift_left(w.add(part, of.bias), of.mantissa)))
    return x


def _halved(w: Writer, exponent: Number) -> Number:
    """The half of an integer of 64 bits; processors without AVX-512 have no arithmetic shift for vectors of them."""
    return w.sub(w.shift_right_logical(w.add(exponent, 4096), 1), 2048)


def _parts(w: Writer, x: Number) -> tuple[Number, Number]:
    """An exponential as a power of two, and what the other factor is more than 1."""
    of = _OF[w.dtype]
    x, power, exponent = limited(w, x)
    high, low = w.fma(w.neg(power), of.two[0], x), w.mul(power, of.two[1])
    rest = w.sub(high, low)
    lost = w.sub(w.sub(high, rest), low)
    return exponent, w.add(rest, w.fma(w.mul(rest, rest), w.fused(rest, of.series), lost))


def _half_of_exp(w: Writer, x: Number) -> Number:
    exponent, series = _parts(w, x)
    return scaled(w, w.add(series, 1.0), w.sub(exponent, 1))


#: those that are kinds of operations
FUNCTIONS = (exp, expm1, sinh, cosh, logistic)

__all__ = ["FUNCTIONS", "TAYLOR", "TWO", "TWO_SINGLE", "cosh", "exp", "expm1", "limited", "logistic", "scaled", "sinh"]
