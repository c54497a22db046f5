"""Hyperbolic tangents of floats.

Those of small numbers are S. L. Moshier's, of the Cephes library (`tanh.c`, `tanhf.c`; "Methods and Programs for
Mathematical Functions", 1989). Errors are below 1.5 units in the last place.
"""

from __future__ import annotations

from xlapy.lowering.llvm.functions import exponentials
from xlapy.lowering.llvm.functions.float_arithmetic import Writer
from xlapy.lowering.llvm.text import Number

#: up to where there is a rational function of the square (of float32, a polynomial), and
#: beyond which it is 1
_SMALL, _FLAT = 0.625, 20.0
_NUMERATOR = (-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3)
_TANGENT = (-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
_DENOMINATOR = (1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3)


def tanh(w: Writer, x: Number) -> Number:
    """A hyperbolic tangent of float64."""
    size, square = w.abs(x), w.mul(x, x)
    near, far = w.lt(size, _SMALL), w.choose(w.gt(size, _FLAT), _FLAT, size)
    above = w.choose(near, w.mul(w.mul(size, square), w.polynomial(square, _NUMERATOR)), -2.0)
    below = w.polynomial(square, _DENOMINATOR)
    below = w.choose(near, below, w.add(exponentials.exp(w, w.add(far, far)), 1.0))
    return w.of_sign(x, w.add(w.choose(near, size, 1.0), w.div(above, below)))


def tanh_single(w: Writer, x: Number) -> Number:
    """The same of float32."""
    size, square = w.abs(x), w.mul(x, x)
    near = w.fma(w.mul(size, square), w.horner(square, _TANGENT), size)
    far = w.choose(w.gt(size, _FLAT), _FLAT, size)
    far = w.sub(w.of(1.0), w.div(w.of(2.0), w.add(exponentials.exp(w, w.add(far, far)), 1.0)))
    return w.of_sign(x, w.choose(w.lt(size, _SMALL), near, far))


__all__ = ["tanh", "tanh_single"]
