"""Functions of floats without calls, of which LLVM computes several at a time.

A function of the C library takes 5 to 20 ns for a number, in vectors of four or eight what is here takes 0.3 to 2. The
reduction of the arguments, and the polynomials of logarithms of float64, are those of FreeBSD's `e_exp.c`, `e_log.c`
and `s_log1p.c`; logarithms of float32, and small hyperbolic tangents, are those of S. L. Moshier's Cephes library
(`logf.c`, `tanh.c`, `tanhf.c`; "Methods and Programs for Mathematical Functions", 1989). A power is the exponential of
a product with a logarithm, which are sums of two numbers each (T. J. Dekker, "A floating-point technique for extending
the available precision", 1971). Errors are below 1 unit in the last place, of hyperbolic tangents below 1.5. What has
no form for float32 is computed in float64. Unlike XLA's, these functions keep subnormal numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from xlapy.lowering.llvm import error_functions, exponentials, logs
from xlapy.lowering.llvm.arithmetic import Writer
from xlapy.lowering.llvm.numbers import convert
from xlapy.lowering.llvm.text import Number, Text

_DOUBLE, _SINGLE = np.dtype(np.float64), np.dtype(np.float32)
#: log(2) in two parts, of which the first has 32 bits
_TWO = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
#: of a power: of the logarithm of (1 + s) / (1 - s), the coefficients of s**5, from the highest power of s**2 down, and
#: that of s**3, as a sum; of an exponential, from the highest power down to the square
_SERIES = tuple(2.0 / k for k in range(25, 3, -2))
_THIRD = (2.0 / 3.0, 3.700743415417188e-17)
_TAYLOR = tuple(1.0 / math.factorial(k) for k in range(13, 1, -1))
#: of a hyperbolic tangent: up to where there is a rational function of the square (of float32, a polynomial), and
#: beyond which it is 1
_SMALL, _FLAT = 0.625, 20.0
_NUMERATOR = (-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3)
_TANGENT = (-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
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


def _pow(w: Writer, x: Number, y: Number, power: Callable[..., Number] | None = None) -> Number:
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


def _pow_single(w: Writer, x: Number, y: Number) -> Number:
    """A power of float32: in float64 it takes no more than the exponential of a product."""
    x, y = (convert(w.text, v, _DOUBLE) for v in (x, y))
    power = lambda w, x, y: exponentials.exp(w, w.mul(logs.of_normal(w, x), y))  # noqa: E731
    return convert(w.text, _pow(Writer(w.text, _DOUBLE), x, y, power), w.dtype)


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
    whole = w.mul(power, _TWO[0])
    logarithm = w.add(whole, high)
    low = w.fma(power, _TWO[1], w.add(w.add(w.sub(whole, logarithm), high), low))
    # the exponential of its product with the exponent
    main = w.mul(logarithm, y)
    low = w.fma(low, y, w.fma(logarithm, y, w.neg(main)))
    limited, times, exponent = exponentials.limited(w, main)
    low = w.choose(w.eq(limited, main), low, 0.0)
    first = w.fma(w.neg(times), _TWO[0], limited)
    low = w.fma(w.neg(times), _TWO[1], low)
    argument = w.add(first, low)
    low = w.add(w.sub(first, argument), low)
    series = w.fma(w.mul(argument, argument), w.fused(argument, _TAYLOR), low)
    return exponentials.scaled(w, w.add(w.add(argument, series), 1.0), exponent)


def _tanh(w: Writer, x: Number) -> Number:
    size, square = w.abs(x), w.mul(x, x)
    near, far = w.lt(size, _SMALL), w.choose(w.gt(size, _FLAT), _FLAT, size)
    above = w.choose(near, w.mul(w.mul(size, square), w.polynomial(square, _NUMERATOR)), -2.0)
    below = w.polynomial(square, _DENOMINATOR)
    below = w.choose(near, below, w.add(exponentials.exp(w, w.add(far, far)), 1.0))
    return _of_sign(w, x, w.add(w.choose(near, size, 1.0), w.div(above, below)))


def _erf_inv(w: Writer, x: Number) -> Number:
    one = w.of(1.0)
    size = w.neg(logs.log(w, w.mul(w.sub(one, x), w.add(x, 1.0))))
    root = w.sqrt(size)
    found: Number | None = None
    for most, middle, coefficients in reversed(_INVERSE_ERROR):
        near = w.polynomial(w.sub(size if found is not None and most < 16.0 else root, middle), coefficients)
        found = near if found is None else w.choose(w.lt(size, most), near, found)
    assert found is not None
    return w.mul(x, w.choose(w.eq(w.abs(x), 1.0), np.inf, found))


def _tanh_single(w: Writer, x: Number) -> Number:
    size, square = w.abs(x), w.mul(x, x)
    near = w.fma(w.mul(size, square), w.horner(square, _TANGENT), size)
    far = w.choose(w.gt(size, _FLAT), _FLAT, size)
    far = w.sub(w.of(1.0), w.div(w.of(2.0), w.add(exponentials.exp(w, w.add(far, far)), 1.0)))
    return _of_sign(w, x, w.choose(w.lt(size, _SMALL), near, far))


def _of_sign(w: Writer, x: Number, found: Number) -> Number:
    """An odd function of `x`, of which it is known for the size of that."""
    return w.choose(w.lt(x, 0.0), w.neg(found), w.choose(w.eq(x, 0.0), x, found))


def _of_floats(function: Callable[..., Number], single: Callable[..., Number] | None = None) -> Callable[..., Number]:
    """A rule for floats: float32 has a function of its own, or is computed in float64."""

    def rule(text: Text, *operands: Number) -> Number:
        dtype = operands[0].dtype
        if dtype == _SINGLE and single is not None:
            return single(Writer(text, dtype), *operands)
        numbers = (convert(text, x, _DOUBLE) for x in operands)
        return convert(text, function(Writer(text, _DOUBLE), *numbers), dtype)

    return rule


#: functions of floats, by the kinds of operations that they are
IN_VECTORS = {
    **{f.__name__: _of_floats(f, f) for f in (*exponentials.FUNCTIONS, *error_functions.FUNCTIONS)},
    "log": _of_floats(logs.log, logs.log_single),
    "log1p": _of_floats(logs.log1p, logs.log1p_single),
    "tanh": _of_floats(_tanh, _tanh_single),
    "erf_inv": _of_floats(_erf_inv),
    "pow": _of_floats(_pow, _pow_single),
}

__all__ = ["IN_VECTORS"]
