"""Exponentials, logarithms, powers and hyperbolic tangents without calls, of which LLVM computes several at a time.

A function of the C library takes 5 to 20 ns for a number, in vectors of four or eight what is here takes 1 to 2. The
reduction of the arguments and the polynomials for float64 are those of FreeBSD's `e_exp.c`, `e_log.c` and `s_log1p.c`,
with errors below 1 unit in the last place; small hyperbolic tangents are those of S. L. Moshier's Cephes library
(`tanh.c`; "Methods and Programs for Mathematical Functions", 1989), with errors below 1.5. A power is the exponential
of a product with a logarithm, which are sums of two numbers each (T. J. Dekker, "A floating-point technique for
extending the available precision", 1971), with errors below 1. float32 is computed in float64. Unlike XLA's, these
keep subnormal numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from xlapy.lowering.llvm.numbers import RULES, convert, select
from xlapy.lowering.llvm.text import Number, Text, literal

_DOUBLE, _BITS = np.dtype(np.float64), np.dtype(np.int64)
#: 1.5 * 2**52: what it is added to is rounded to a whole number, which is then the low half of the sum's bits
_WHOLE = 6755399441055744.0
_WHOLE_BITS = int(np.float64(_WHOLE).view(np.int64))
#: of an exponential: arguments beyond which it is infinite or zero, 1 / log(2), and log(2) in two parts, of which the
#: first has 32 bits
_LEAST, _MOST, _INVERSE = -746.0, 710.0, 1.44269504088896338700
_TWO = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
_EXPONENTIAL = (
    4.13813679705723846039e-08,
    -1.65339022054652515390e-06,
    6.61375632143793436117e-05,
    -2.77777777770155933842e-03,
    1.66666666666666019037e-01,
)
#: of a logarithm: of even and of odd powers of s**2; bits of sqrt(1/2), and how far 1 is from there
_EVEN = (1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01)
_ODD = (1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01)
_ROOT, _ONE, _FRACTION = 0x3FE6A09E00000000, 0x3FF0000000000000, 0x000FFFFFFFFFFFFF
#: the least normal number, and what makes a smaller one normal
_NORMAL, _SCALE, _SCALED = 2.0**-1022, 2.0**54, 54.0
#: of a power: of the logarithm of (1 + s) / (1 - s), the coefficients of s**5, from the highest power of s**2 down, and
#: that of s**3, as a sum; of an exponential, from the highest power down to the square
_SERIES = tuple(2.0 / k for k in range(25, 3, -2))
_THIRD = (2.0 / 3.0, 3.700743415417188e-17)
_TAYLOR = tuple(1.0 / math.factorial(k) for k in range(13, 1, -1))
#: of a hyperbolic tangent: up to where there is a rational function of the square, and beyond which it is 1
_SMALL, _FLAT = 0.625, 20.0
_NUMERATOR = (-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3)
_DENOMINATOR = (1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3)
#: of the inverse of the error function, in w = -log(1 - x**2): the largest w, what is taken off it, or off its root,
#: and the polynomial (M. Giles, "Approximating the erfinv function", 2010)
_INVERSE_ERROR = (
    (6.25, 3.125, (
        -3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18, 1.115787767802518096e-17,
        -1.333171662854620906e-16, 2.0972767875968561637e-17, 6.6376381343583238325e-15, -4.0545662729752068639e-14,
        -8.1519341976054721522e-14, 2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
        1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
        -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352, -0.00074070253416626697512,
        -0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356,
    )),
    (16.0, 3.25, (
        2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
        1.5027403968909827627e-06, -4.013867526981545969e-06, 2.9234449089955446044e-06, 1.2475304481671778723e-05,
        -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
        0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066, -0.0037512085075692412107,
        0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635,
    )),
    (np.inf, 5.0, (
        -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09, -3.7894654401267369937e-09,
        7.6157012080783393804e-09, -1.4960026627149240478e-08, 2.9147953450901080826e-08, -6.7711997758452339498e-08,
        2.2900482228026654717e-07, -9.9298272942317002539e-07, 4.5260625972231537039e-06, -1.9681778105531670567e-05,
        7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026, 1.0103004648645343977,
        4.8499064014085844221,
    )),
)  # fmt: skip


class _Writer:
    """Arithmetic with float64 and its bits, as instructions of a function."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def __getattr__(self, name: str) -> Callable[..., Number]:
        """An operation of `RULES`; other operands than `Number` are literals of the first one's type."""

        def rule(*operands: Number | float) -> Number:
            dtype = next(x.dtype for x in operands if isinstance(x, Number))
            return RULES[name](self._text, *(x if isinstance(x, Number) else literal(x, dtype) for x in operands))

        return rule

    def choose(self, predicate: Number, x: Number | float, y: Number | float) -> Number:
        """`x` where a predicate holds, else `y`."""
        one, other = (v if isinstance(v, Number) else literal(v, _DOUBLE) for v in (x, y))
        return select(self._text, predicate, one, other)

    def bits(self, x: Number) -> Number:
        """The bits of a float."""
        return Number(_BITS, (self._text.new(f"bitcast double {x.name} to i64"),))

    def of_bits(self, x: Number) -> Number:
        """The float of such bits."""
        return Number(_DOUBLE, (self._text.new(f"bitcast i64 {x.name} to double"),))

    def fma(self, x: Number, y: Number | float, z: Number | float) -> Number:
        """`x * y + z`, rounded once."""
        numbers = (x, *(v if isinstance(v, Number) else literal(v, _DOUBLE) for v in (y, z)))
        return Number(_DOUBLE, (self._text.call("llvm.fma.f64", "double", *(v.name for v in numbers)),))

    def fused(self, x: Number, coefficients: Sequence[float]) -> Number:
        """The value of a polynomial of many terms, of which each step is rounded once; the coefficient of the highest
        power comes first. Two sums, of the even and of the odd powers, do not wait for one another."""
        square = self.mul(x, x)
        sums = []
        for terms in (coefficients[-1::-2], coefficients[-2::-2]):
            *rest, found = terms
            found = literal(found, _DOUBLE)
            for c in reversed(rest):
                found = self.fma(found, square, c)
            sums.append(found)
        return self.fma(sums[1], x, sums[0])

    def polynomial(self, x: Number, coefficients: Sequence[float]) -> Number:
        """Its value, by Horner's scheme; the coefficient of the highest power comes first."""
        found = literal(coefficients[0], _DOUBLE)
        for c in coefficients[1:]:
            found = self.add(self.mul(found, x), c)
        return found


def _exp(w: _Writer, x: Number) -> Number:
    x, power, exponent = _limited(w, x)
    high, low = w.sub(x, w.mul(power, _TWO[0])), w.mul(power, _TWO[1])
    rest = w.sub(high, low)
    square = w.mul(rest, rest)
    series = w.sub(rest, w.mul(square, w.polynomial(square, _EXPONENTIAL)))
    ratio = w.div(w.mul(rest, series), w.sub(literal(2.0, _DOUBLE), series))
    found = w.sub(literal(1.0, _DOUBLE), w.sub(w.sub(low, ratio), high))
    return _scaled(w, found, exponent)


def _limited(w: _Writer, x: Number) -> tuple[Number, Number, Number]:
    """The argument of an exponential, not beyond where that is infinite or zero; how often log(2) is in it, and that
    as an integer."""
    x = w.choose(w.lt(x, _LEAST), _LEAST, w.choose(w.gt(x, _MOST), _MOST, x))
    rounded = w.add(w.mul(x, _INVERSE), _WHOLE)
    return x, w.sub(rounded, _WHOLE), w.sub(w.bits(rounded), _WHOLE_BITS)


def _factored(w: _Writer, x: Number) -> tuple[Number, Number]:
    """The exponent of the power of two, and the number near 1, of which a positive normal number is the product."""
    bits = w.add(w.bits(x), _ONE - _ROOT)
    number = w.add(w.shift_right_logical(bits, 52), _WHOLE_BITS - 1023)
    return w.sub(w.of_bits(number), _WHOLE), w.of_bits(w.add(w.bitwise_and(bits, _FRACTION), _ROOT))


def _log_of(w: _Writer, x: Number, more: Number | None = None) -> Number:
    """The logarithm of a positive normal number, with a little `more`; what it is of others does not matter."""
    power, near = _factored(w, x)
    rest = w.sub(near, 1.0)
    ratio = w.div(rest, w.add(rest, 2.0))
    square = w.mul(ratio, ratio)
    fourth = w.mul(square, square)
    odd, even = w.mul(square, w.polynomial(fourth, _ODD)), w.mul(fourth, w.polynomial(fourth, _EVEN))
    half = w.mul(w.mul(rest, 0.5), rest)
    series = w.mul(ratio, w.add(half, w.add(even, odd)))
    last = w.mul(power, _TWO[1])
    last = last if more is None else w.add(last, more)
    return w.sub(w.mul(power, _TWO[0]), w.sub(w.sub(half, w.add(series, last)), rest))


def _log(w: _Writer, x: Number) -> Number:
    tiny = w.lt(x, _NORMAL)
    found = _log_of(w, w.choose(tiny, w.mul(x, _SCALE), x))
    lost = w.choose(tiny, literal(_SCALED * float(np.log(2.0)), _DOUBLE), 0.0)
    return _but_bad(w, x, w.sub(found, lost), w.eq(x, 0.0), w.lt(x, 0.0))


def _log1p(w: _Writer, x: Number) -> Number:
    total = w.add(x, 1.0)
    # what the sum has lost
    one, other = w.sub(literal(1.0, _DOUBLE), w.sub(total, x)), w.sub(x, w.sub(total, 1.0))
    lost = w.choose(w.gt(w.abs(x), 1.0), one, other)
    found = _log_of(w, total, w.div(lost, total))
    found = _but_bad(w, x, found, w.eq(x, -1.0), w.lt(x, -1.0))
    return w.choose(w.lt(w.abs(x), 1e-300), x, found)


def _pow(w: _Writer, x: Number, y: Number) -> Number:
    size = w.abs(x)
    found = _power_of(w, size, y)
    far, whole = w.eq(w.abs(y), np.inf), w.eq(w.floor(y), y)
    half = w.mul(y, 0.5)
    odd = w.bitwise_and(whole, w.ne(w.floor(half), half))
    falls = w.lt(y, 0.0)
    # of zeros and infinities, and to the power of infinities
    grows = w.choose(falls, literal(0.0, _DOUBLE), np.inf)
    shrinks = w.choose(falls, literal(np.inf, _DOUBLE), 0.0)
    found = w.choose(far, w.choose(w.gt(size, 1.0), grows, w.choose(w.lt(size, 1.0), shrinks, 1.0)), found)
    found = w.choose(w.eq(size, np.inf), grows, w.choose(w.eq(size, 0.0), shrinks, found))
    negative = w.lt(w.bits(x), 0)
    found = w.choose(w.bitwise_and(negative, odd), w.neg(found), found)
    between = w.bitwise_and(w.lt(x, 0.0), w.gt(x, -np.inf))
    found = w.choose(w.bitwise_and(between, w.bitwise_not(w.bitwise_or(whole, far))), np.nan, found)
    found = w.choose(w.eq(size, size), w.choose(w.eq(y, y), found, y), x)
    return w.choose(w.bitwise_or(w.eq(y, 0.0), w.eq(x, 1.0)), 1.0, found)


def _power_of(w: _Writer, x: Number, y: Number) -> Number:
    """A power of a positive finite number; what it is of others does not matter."""
    tiny = w.lt(x, _NORMAL)
    power, near = _factored(w, w.choose(tiny, w.mul(x, _SCALE), x))
    power = w.sub(power, w.choose(tiny, literal(_SCALED, _DOUBLE), 0.0))
    # the logarithm of what is near 1, as a sum: of (near - 1) / (near + 1)
    above, below = w.add(near, 1.0), w.sub(near, 1.0)
    lost = w.sub(near, w.sub(above, 1.0))
    inverse = w.div(literal(1.0, _DOUBLE), above)
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
    whole = w.mul(power, _TWO[0])
    logarithm = w.add(whole, high)
    low = w.fma(power, _TWO[1], w.add(w.add(w.sub(whole, logarithm), high), low))
    # the exponential of its product with the exponent
    main = w.mul(logarithm, y)
    low = w.fma(low, y, w.fma(logarithm, y, w.neg(main)))
    limited, times, exponent = _limited(w, main)
    low = w.choose(w.eq(limited, main), low, 0.0)
    first = w.fma(w.neg(times), _TWO[0], limited)
    low = w.fma(w.neg(times), _TWO[1], low)
    argument = w.add(first, low)
    low = w.add(w.sub(first, argument), low)
    series = w.fma(w.mul(argument, argument), w.fused(argument, _TAYLOR), low)
    return _scaled(w, w.add(w.add(argument, series), 1.0), exponent)


def _scaled(w: _Writer, x: Number, exponent: Number) -> Number:
    """`x` times a power of two: in two steps, so that there is a subnormal number at the end, if any, and no infinity
    on the way."""
    half = w.sub(w.shift_right_logical(w.add(exponent, 2048), 1), 1024)
    for part in (half, w.sub(exponent, half)):
        x = w.mul(x, w.of_bits(w.shift_left(w.add(part, 1023), 52)))
    return x


def _but_bad(w: _Writer, x: Number, found: Number, at_zero: Number, below: Number) -> Number:
    """A logarithm, where it is finite; infinity and NaN are what they are."""
    found = w.choose(at_zero, -np.inf, w.choose(below, np.nan, found))
    return w.choose(w.lt(x, np.inf), found, x)


def _tanh(w: _Writer, x: Number) -> Number:
    size = w.abs(x)
    square = w.mul(x, x)
    ratio = w.div(w.polynomial(square, _NUMERATOR), w.polynomial(square, _DENOMINATOR))
    near = w.add(x, w.mul(x, w.mul(square, ratio)))
    far = w.choose(w.gt(size, _FLAT), _FLAT, size)
    quotient = w.div(literal(2.0, _DOUBLE), w.add(_exp(w, w.add(far, far)), 1.0))
    far = w.sub(literal(1.0, _DOUBLE), quotient)
    far = w.choose(w.lt(x, 0.0), w.neg(far), far)
    return w.choose(w.eq(x, 0.0), x, w.choose(w.lt(size, _SMALL), near, far))


def _erf_inv(w: _Writer, x: Number) -> Number:
    one = literal(1.0, _DOUBLE)
    size = w.neg(_log(w, w.mul(w.sub(one, x), w.add(x, 1.0))))
    root = w.sqrt(size)
    found: Number | None = None
    for most, middle, coefficients in reversed(_INVERSE_ERROR):
        near = w.polynomial(w.sub(size if found is not None and most < 16.0 else root, middle), coefficients)
        found = near if found is None else w.choose(w.lt(size, most), near, found)
    assert found is not None
    return w.mul(x, w.choose(w.eq(w.abs(x), 1.0), np.inf, found))


def _logistic(w: _Writer, x: Number) -> Number:
    return w.div(literal(1.0, _DOUBLE), w.add(_exp(w, w.neg(x)), 1.0))


def _in_double(function: Callable[..., Number]) -> Callable[..., Number]:
    """A rule for floats: float32 is computed in float64."""

    def rule(text: Text, *operands: Number) -> Number:
        numbers = (convert(text, x, _DOUBLE) for x in operands)
        return convert(text, function(_Writer(text), *numbers), operands[0].dtype)

    return rule


#: functions of floats, by the kinds of operations that they are
IN_VECTORS = {
    "exp": _in_double(_exp),
    "log": _in_double(_log),
    "log1p": _in_double(_log1p),
    "tanh": _in_double(_tanh),
    "logistic": _in_double(_logistic),
    "erf_inv": _in_double(_erf_inv),
    "pow": _in_double(_pow),
}

__all__ = ["IN_VECTORS"]
