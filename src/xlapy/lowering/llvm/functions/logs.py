"""Logarithms of floats.

The reduction of the arguments, and the polynomials of float64, are those of FreeBSD's `e_log.c` and `s_log1p.c`; that
of float32 is S. L. Moshier's, of the Cephes library (`logf.c`). Errors are below 1 unit in the last place.
"""

from __future__ import annotations

import numpy as np

from xlapy.lowering.llvm.functions.exponentials import TWO, TWO_SINGLE
from xlapy.lowering.llvm.functions.float_arithmetic import Writer
from xlapy.lowering.llvm.text import Number

#: 1.5 * 2**52, and 1.5 * 2**23 for float32: in the low half of the sum's bits is a whole number that is added
_WHOLE, _WHOLE_SINGLE = 6755399441055744.0, 12582912.0
_WHOLE_BITS, _SINGLE_BITS = int(np.float64(_WHOLE).view(np.int64)), int(np.float32(_WHOLE_SINGLE).view(np.int32))
#: of a logarithm: of even and of odd powers of s**2; bits of sqrt(1/2), and how far 1 is from there
_EVEN = (1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01)
_ODD = (1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01)
_ROOT, _ONE, _FRACTION = 0x3FE6A09E00000000, 0x3FF0000000000000, 0x000FFFFFFFFFFFFF
#: the least normal number, and what makes a smaller one normal
NORMAL, SCALE, SCALED = 2.0**-1022, 2.0**54, 54.0
#: the same of float32: the polynomial, from the highest power down to the cube
_POLYNOMIAL = (
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
_ROOT_SINGLE, _ONE_SINGLE, _FRACTION_SINGLE = 0x3F3504F3, 0x3F800000, 0x007FFFFF


def factored(w: Writer, x: Number) -> tuple[Number, Number]:
    """The exponent of the power of two, and the number near 1, of which a positive normal number is the product."""
    bits = w.add(w.bits(x), _ONE - _ROOT)
    number = w.add(w.shift_right_logical(bits, 52), _WHOLE_BITS - 1023)
    return w.sub(w.of_bits(number), _WHOLE), w.of_bits(w.add(w.bitwise_and(bits, _FRACTION), _ROOT))


def of_normal(w: Writer, x: Number, more: Number | None = None) -> Number:
    """The logarithm of a positive normal number, with a little `more`; what it is of others does not matter."""
    power, near = factored(w, x)
    rest = w.sub(near, 1.0)
    ratio = w.div(rest, w.add(rest, 2.0))
    square = w.mul(ratio, ratio)
    fourth = w.mul(square, square)
    odd, even = w.mul(square, w.polynomial(fourth, _ODD)), w.mul(fourth, w.polynomial(fourth, _EVEN))
    half = w.mul(w.mul(rest, 0.5), rest)
    series = w.mul(ratio, w.add(half, w.add(even, odd)))
    last = w.mul(power, TWO[1])
    last = last if more is None else w.add(last, more)
    return w.sub(w.mul(power, TWO[0]), w.sub(w.sub(half, w.add(series, last)), rest))


def log(w: Writer, x: Number) -> Number:
    """A logarithm."""
    tiny = w.lt(x, NORMAL)
    found = of_normal(w, w.choose(tiny, w.mul(x, SCALE), x))
    lost = w.choose(tiny, w.of(SCALED * float(np.log(2.0))), 0.0)
    return _but_bad(w, x, w.sub(found, lost), w.eq(x, 0.0), w.lt(x, 0.0))


def log1p(w: Writer, x: Number) -> Number:
    """The logarithm of 1 + x."""
    total, lost = _one_more(w, x)
    found = of_normal(w, total, w.div(lost, total))
    found = _but_bad(w, x, found, w.eq(x, -1.0), w.lt(x, -1.0))
    return w.choose(w.lt(w.abs(x), 1e-300), x, found)


def log_single(w: Writer, x: Number) -> Number:
    """A logarithm of float32."""
    tiny = w.lt(x, 2.0**-126)
    found = _single_of_normal(w, w.choose(tiny, w.mul(x, 2.0**25), x), w.choose(tiny, -25.0, 0.0))
    return _but_bad(w, x, found, w.eq(x, 0.0), w.lt(x, 0.0))


def log1p_single(w: Writer, x: Number) -> Number:
    """The logarithm of 1 + x of float32."""
    total, lost = _one_more(w, x)
    found = _single_of_normal(w, total, w.of(0.0), w.div(lost, total))
    found = _but_bad(w, x, found, w.eq(x, -1.0), w.lt(x, -1.0))
    return w.choose(w.lt(w.abs(x), 1e-30), x, found)


def _single_of_normal(w: Writer, x: Number, more: Number, little: Number | None = None) -> Number:
    """The logarithm of a positive normal number, with `more` times log(2) and a little more."""
    bits = w.add(w.bits(x), _ONE_SINGLE - _ROOT_SINGLE)
    number = w.of_bits(w.add(w.shift_right_logical(bits, 23), _SINGLE_BITS - 127))
    power = w.add(w.sub(number, _WHOLE_SINGLE), more)
    rest = w.sub(w.of_bits(w.add(w.bitwise_and(bits, _FRACTION_SINGLE), _ROOT_SINGLE)), 1.0)
    square = w.mul(rest, rest)
    series = w.mul(w.mul(rest, square), w.horner(rest, _POLYNOMIAL))
    series = w.fma(square, -0.5, w.fma(power, TWO_SINGLE[1], series))
    series = series if little is None else w.add(series, little)
    return w.fma(power, TWO_SINGLE[0], w.add(rest, series))


def _one_more(w: Writer, x: Number) -> tuple[Number, Number]:
    """1 + x, and what that has lost."""
    total = w.add(x, 1.0)
    one, other = w.sub(w.of(1.0), w.sub(total, x)), w.sub(x, w.sub(total, 1.0))
    return total, w.choose(w.gt(w.abs(x), 1.0), one, other)


def _but_bad(w: Writer, x: Number, found: Number, at_zero: Number, below: Number) -> Number:
    """A logarithm, where it is finite; infinity and NaN are what they are."""
    found = w.choose(at_zero, -np.inf, w.choose(below, np.nan, found))
    return w.choose(w.lt(x, np.inf), found, x)


__all__ = ["NORMAL", "SCALE", "SCALED", "factored", "log", "log1p", "log1p_single", "log_single", "of_normal"]
