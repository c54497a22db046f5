"""The error function and what it leaves to 1, of float32 and float64.

Below 1 the error function is x + x * p(x**2). Above, exp(x**2) * erfc(x) * (x + 3) is a polynomial of (x - 3) / (x + 3)
(M. M. Shepherd and J. G. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x**2) erfc x in 0 <= x < oo",
Mathematics of Computation 36, 1981). The polynomials are interpolated at Chebyshev's points, with relative errors
below 3e-17, of float32 3e-9. Errors of `erf` are below 2 units in the last place, of `erfc` below 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from xlapy.lowering.llvm import exponentials
from xlapy.lowering.llvm.arithmetic import Writer
from xlapy.lowering.llvm.text import Number

_MIDDLE = 3.0


class _Constants(NamedTuple):
    """Of a type of floats: where `erfc` is zero for certain, and both polynomials, from the highest power down."""

    far: float
    near: Sequence[float]
    tail: Sequence[float]


_OF = {
    np.dtype(np.float32): _Constants(
        11.0,
        (
            7.84301924e-5,
            -0.0008007761015,
            0.005188148924,
            -0.02685377022,
            0.1128358542,
            -0.3761262596,
            0.1283791658,
        ),
        (
            -0.0003036837949,
            -0.0004689892675,
            0.003066014822,
            -0.001234193439,
            -0.0268363523,
            0.1195302772,
            -0.3104663534,
            0.5902282514,
            -0.883394477,
            1.074006908,
        ),
    ),
    np.dtype(np.float64): _Constants(
        28.0,
        (
            5.930188044732210966e-11,
            -1.135724185489466411e-9,
            1.465583383002653865e-8,
            -1.634974203325307316e-7,
            1.646094820172705023e-6,
            -0.00001492559211077772689,
            0.0001205533098489397295,
            -0.0008548326977493038874,
            0.005223977624762382981,
            -0.0268661706450713481,
            0.1128379167095485125,
            -0.3761263890318374752,
            0.1283791670955125737,
        ),
        (
            -8.886806281440477817e-9,
            3.170046102769537942e-8,
            6.373007545273922932e-8,
            -2.134055376187693346e-7,
            -4.267251981008250472e-7,
            9.865851003720726296e-7,
            2.77675073123621928e-6,
            -4.744546149597226999e-6,
            -0.00001747477935669268894,
            0.00003039702721272664482,
            0.0001075624617262846274,
            -0.0002767776709263326611,
            -0.0005483098299698428484,
            0.003034061984584450937,
            -0.001212416615906771613,
            -0.02682723462358916512,
            0.1195277612868197778,
            -0.3104672619005901254,
            0.5902283571041094353,
            -0.8833944531698834505,
            1.074006907088339682,
        ),
    ),
}


def erf(w: Writer, x: Number) -> Number:
    """The error function."""
    size = w.abs(x)
    found = w.choose(w.lt(size, 1.0), _near(w, size), w.sub(w.of(1.0), _rest(w, size)))
    return w.choose(w.lt(x, 0.0), w.neg(found), w.choose(w.eq(x, 0.0), x, found))


def erfc(w: Writer, x: Number) -> Number:
    """1 - erf(x)."""
    size, near = w.abs(x), _near(w, x)
    rest = _rest(w, size)
    far = w.choose(w.lt(x, 0.0), w.sub(w.of(2.0), rest), rest)
    return w.choose(w.lt(size, 0.5), w.sub(w.of(1.0), near), far)


def _near(w: Writer, x: Number) -> Number:
    return w.fma(x, w.fused(w.mul(x, x), _OF[w.dtype].near), x)


def _rest(w: Writer, x: Number) -> Number:
    """`erfc` of numbers that are not small."""
    of = _OF[w.dtype]
    x = w.choose(w.gt(x, of.far), of.far, x)
    inverse = w.div(w.of(1.0), w.add(x, _MIDDLE))
    ratio = w.fma(inverse, -2 * _MIDDLE, 1.0)
    square = w.mul(x, x)
    lost = w.fma(x, x, w.neg(square))
    power = exponentials.exp(w, w.neg(square))
    return w.mul(w.fma(w.neg(lost), power, power), w.mul(inverse, w.fused(ratio, of.tail)))


#: those that are kinds of operations
FUNCTIONS = (erf, erfc)

__all__ = ["FUNCTIONS", "erf", "erfc"]
