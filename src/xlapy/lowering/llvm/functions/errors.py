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

from xlapy.lowering.llvm.functions import exponentials
from xlapy.lowering.llvm.functions.float_arithmetic import Writer
from xlapy.lowering.llvm.functions.logs import log
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


def erf(w: Writer, x: Number) -> Number:
    """The error function."""
    size = w.abs(x)
    found = w.choose(w.lt(size, 1.0), _near(w, size), w.sub(w.of(1.0), _rest(w, size)))
    return w.of_sign(x, found)


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


def erf_inv(w: Writer, x: Number) -> Number:
    """The inverse of the error function, of float64."""
    one = w.of(1.0)
    size = w.neg(log(w, w.mul(w.sub(one, x), w.add(x, 1.0))))
    root = w.sqrt(size)
    found: Number | None = None
    for most, middle, coefficients in reversed(_INVERSE_ERROR):
        near = w.polynomial(w.sub(size if found is not None and most < 16.0 else root, middle), coefficients)
        found = near if found is None else w.choose(w.lt(size, most), near, found)
    assert found is not None
    return w.mul(x, w.choose(w.eq(w.abs(x), 1.0), np.inf, found))


#: those that are kinds of operations
FUNCTIONS = (erf, erfc)

__all__ = ["FUNCTIONS", "erf", "erf_inv", "erfc"]
