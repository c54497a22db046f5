"""Elementary functions of complex numbers with NumPy's values on branch cuts, at infinities and NaN.

The sign of a zero says on which side of a cut a number lies (W. Kahan, "Branch cuts for complex elementary functions",
1987). Infinite arguments have the values of C's standard (ISO/IEC 9899:1999, annex G), and where that leaves a sign
open, those of glibc. Each function is computed where both parts are positive; its symmetries give the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.lowering.jaxprs.derivatives import complex_power, differentiated_as
from xlapy.lowering.numeric import arctangents

Pair = tuple[jax.Array, jax.Array]


def _numpys(formula: Callable[..., jax.Array], widest: type = np.complex128) -> Callable[..., Callable]:
    """Make a function of the parts a function of complex arrays, computed in double precision where there is one and
    unless the `widest` type is another, with the derivative of `formula`."""

    def decorate(parts_of: Callable[..., Pair]) -> Callable[..., jax.Array]:
        def function(*operands: jax.Array) -> jax.Array:
            wide = np.promote_types(operands[0].dtype, jax.dtypes.canonicalize_dtype(widest))
            parts = [part for z in operands for part in (lax.real(z.astype(wide)), lax.imag(z.astype(wide)))]
            found = lax.complex(*parts_of(*parts)).astype(operands[0].dtype)
            return differentiated_as(found, formula(*operands))

        function.__name__ = function.__qualname__ = parts_of.__name__
        function.__module__ = parts_of.__module__
        return function

    return decorate


def _choose(*cases: tuple[Any, Any]) -> jax.Array:
    """The value of the first condition that holds; the last one has none."""
    *rest, (_, found) = cases
    for condition, value in reversed(rest):
        found = jnp.where(condition, value, found)
    return found


def _finite(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.isfinite(x) & jnp.isfinite(y)


def _tame(x: jax.Array, y: jax.Array, function: Callable) -> Pair:
    """A function of the parts' absolute values, where these are finite."""
    finite = _finite(x, y)
    found = function(lax.complex(*(jnp.where(finite, jnp.abs(part), 1.0) for part in (x, y))))
    return lax.real(found), lax.imag(found)


# -- roots, logarithms, powers ---------------------------------------------------------------------------------------


@_numpys(lax.sqrt)
def sqrt(x, y):
    """The square root on the side of the cut that the sign of the imaginary part says."""
    a, b = jnp.abs(x), jnp.abs(y)
    scale = jnp.where(jnp.maximum(a, b) < 1e-290, 2.0**106, 2.0**-4)
    sa, sb = a * scale, b * scale
    s = jnp.sqrt((sa + jnp.hypot(sa, sb)) / 2) / jnp.sqrt(scale)
    d = b / (2.0 * jnp.where(s == 0, 1.0, s))
    s = jnp.where(a == jnp.inf, jnp.inf, s)
    d = _choose((b == jnp.inf, jnp.inf), ((a == jnp.inf) & ~jnp.isnan(b), 0.0), (None, d))
    s = jnp.where(b == jnp.inf, jnp.inf, s)
    real, imag = jnp.where(x < 0, d, s), jnp.where(x < 0, s, d)
    real, imag = jnp.where(jnp.isnan(x), s, real), jnp.where(jnp.isnan(x), d, imag)
    return real, jnp.where(jnp.isnan(imag), imag, jnp.copysign(imag, y))


def _log(x, y) -> Pair:
    infinite = jnp.isinf(x) | jnp.isinf(y)
    size, _ = _tame(x, y, lax.log)
    size = _choose((infinite, jnp.inf), (jnp.isnan(x) | jnp.isnan(y), jnp.nan), (None, size))
    return size, arctangents.atan2(y, x)


log = _numpys(lax.log)(_log)


@_numpys(lax.log1p)
def log1p(x, y):
    """log(1 + z), as NumPy computes it."""
    finite = _finite(x, y)
    size = lax.real(lax.log1p(lax.complex(jnp.where(finite, x, 1.0), jnp.where(finite, y, 1.0))))
    infinite = jnp.isinf(x) | jnp.isinf(y)
    size = _choose((finite, size), (infinite, jnp.inf), (None, jnp.nan))
    return size, arctangents.atan2(y, x + 1)


def _exp(x, y) -> Pair:
    half = x > 700
    size, more = jnp.exp(jnp.where(half, x - 700, x)), jnp.where(half, np.exp(700.0), 1.0)
    real = _choose((y == 0, size * more), (None, size * jnp.cos(y) * more))
    imag = _choose((y == 0, y), (None, size * jnp.sin(y) * more))
    gone, grown = (x == -jnp.inf) & ~jnp.isfinite(y), (x == jnp.inf) & ~jnp.isfinite(y)
    return _choose((gone, 0.0), (grown, jnp.inf), (None, real)), jnp.where(gone, jnp.copysign(0.0, y), imag)


@_numpys(lax.expm1, np.complex64)
def expm1(x, y):
    """exp(z) - 1, as NumPy computes it."""
    half = jnp.sin(y / 2)
    return jnp.expm1(x) * jnp.cos(y) - 2 * half * half, jnp.exp(x) * jnp.sin(y)


def _product(a, b, c, d) -> Pair:
    """(a + bi)(c + di), in which an infinite factor makes the product infinite."""
    real, imag = a * c - b * d, a * d + b * c
    lost = jnp.isnan(real) & jnp.isnan(imag)
    first, second = jnp.isinf(a) | jnp.isinf(b), jnp.isinf(c) | jnp.isinf(d)

    def boxed(part, infinite, other):
        box = jnp.copysign(jnp.where(jnp.isinf(part), 1.0, 0.0), part)
        return jnp.where(infinite, box, jnp.where(other & jnp.isnan(part), jnp.copysign(0.0, part), part))

    a, b, c, d = boxed(a, first, second), boxed(b, first, second), boxed(c, second, first), boxed(d, second, first)
    lost = lost & (first | second)
    real = jnp.where(lost, jnp.inf * (a * c - b * d), real)
    return real, jnp.where(lost, jnp.inf * (a * d + b * c), imag)


@_numpys(complex_power)
def power(a, b, c, d):
    """A power; exact for exponents of zero, one, two and three, and for a base of zero."""
    real, imag = _exp(*_product(c, d, *_log(a, b)))
    found = a, b
    for exponent in (1, 2, 3):
        is_this = (c == exponent) & (d == 0)
        real, imag = jnp.where(is_this, found[0], real), jnp.where(is_this, found[1], imag)
        found = a * found[0] - b * found[1], a * found[1] + b * found[0]
    none, nothing = (c == 0) & (d == 0), (a == 0) & (b == 0)
    real = _choose((none, 1.0), (nothing & (c > 0), 0.0), (nothing, jnp.nan), (None, real))
    imag = _choose((none, 0.0), (nothing & (c > 0), 0.0), (nothing, jnp.nan), (None, imag))
    return real, imag


# -- hyperbolic and circular functions -------------------------------------------------------------------------------


def _wave(y) -> Pair:
    """The cosine and sine of the imaginary part, of which an exact zero keeps its sign."""
    return jnp.cos(y), jnp.where(y == 0, y, jnp.sin(y))


def _growth(x) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Hyperbolic cosine and sine, divided by a factor that keeps them finite."""
    large = (jnp.abs(x) > 700) & jnp.isfinite(x)
    near = jnp.where(large, x - jnp.copysign(700.0, x), x)
    cosh = jnp.where(large, jnp.exp(jnp.abs(near)) / 2, jnp.cosh(near))
    sinh = jnp.where(large, jnp.copysign(cosh, x), jnp.sinh(near))
    return cosh, sinh, jnp.where(large, np.exp(700.0), 1.0)


def _cosh(x, y) -> Pair:
    (cosine, sine), (cosh, sinh, more) = _wave(y), _growth(x)
    nowhere = ~jnp.isfinite(y)
    real, imag = cosh * cosine * more, sinh * sine * more
    imag = _choose(
        (nowhere & (x == 0), 0.0), (y == 0, jnp.where(jnp.isnan(x), y, y * jnp.copysign(1.0, x))), (None, imag)
    )
    return jnp.where(nowhere & jnp.isinf(x), jnp.inf, real), imag


def _sinh(x, y) -> Pair:
    (cosine, sine), (cosh, sinh, more) = _wave(y), _growth(x)
    nowhere = ~jnp.isfinite(y)
    real, imag = sinh * cosine * more, cosh * sine * more
    real = _choose((nowhere & jnp.isinf(x), jnp.inf), (nowhere & (x == 0), x), (None, real))
    return real, jnp.where(y == 0, y, imag)


def _tanh(x, y) -> Pair:
    cosine, sine = _wave(y)
    size = jnp.abs(x)
    tiny = jnp.finfo(x.dtype).eps
    inner = jnp.where(size > 350, 1.0, x)
    cosh, sinh = jnp.cosh(inner), jnp.where(jnp.abs(inner) > tiny, jnp.sinh(inner), inner)
    scale = sinh * sinh + cosine * cosine
    far = size > 350
    real = jnp.where(far, jnp.copysign(1.0, x), sinh * cosh / scale)
    imag = jnp.where(far, 4 * sine * cosine * jnp.exp(-2 * size), sine * cosine / scale)
    at_end = jnp.isinf(x)
    steep = at_end & jnp.isfinite(y) & (jnp.abs(y) > 1)
    imag = _choose((steep, jnp.copysign(0.0, sine * cosine)), (at_end, jnp.copysign(0.0, y)), (y == 0, y), (None, imag))
    nowhere = ~jnp.isfinite(y)
    real = _choose(((x == 0) & nowhere | jnp.isnan(x), x), (nowhere & ~at_end, jnp.nan), (None, real))
    return real, jnp.where(jnp.isnan(x) & (y != 0), jnp.nan, imag)


def _turned(parts_of: Callable[..., Pair]) -> Callable[..., Pair]:
    """sin of sinh, asin of asinh and so on: f(x + iy) where the given function maps y + ix."""

    def turned(x, y):
        imag, real = parts_of(y, x)
        return real, imag

    turned.__name__ = parts_of.__name__.replace("h", "")
    return turned


def _cos(x, y) -> Pair:
    return _cosh(-y, x)


cosh, sinh, tanh = _numpys(lax.cosh)(_cosh), _numpys(lax.sinh)(_sinh), _numpys(lax.tanh)(_tanh)
cos, sin, tan = _numpys(lax.cos)(_cos), _numpys(lax.sin)(_turned(_sinh)), _numpys(lax.tan)(_turned(_tanh))


# -- their inverses --------------------------------------------------------------------------------------------------


def _asinh_at_ends(x, y) -> Pair:
    """Where a part is no finite number."""
    endless = jnp.isinf(y)
    real = _choose((endless | jnp.isinf(x), jnp.inf), (None, jnp.nan))
    corner = _choose((jnp.isnan(x), jnp.nan), (jnp.isinf(x), np.pi / 4), (None, np.pi / 2))
    level = jnp.isinf(x) & jnp.isfinite(y) | jnp.isnan(x) & (y == 0)
    return jnp.copysign(real, x), jnp.copysign(_choose((endless, corner), (level, 0.0), (None, jnp.nan)), y)


def _asin_at_ends(x, y) -> Pair:
    imag, real = _asinh_at_ends(y, x)
    unknown = jnp.isnan(x) | jnp.isnan(y)
    on_axis, endless = (x == 0) & unknown, unknown & (jnp.isinf(x) | jnp.isinf(y))
    real = _choose((on_axis, x), (unknown, jnp.nan), (None, real))
    return real, _choose((on_axis, y), (endless, jnp.copysign(jnp.inf, y)), (None, imag))


def _or_at_ends(x, y, near: Pair, ends: Pair) -> Pair:
    finite = _finite(x, y)
    return jnp.where(finite, near[0], ends[0]), jnp.where(finite, near[1], ends[1])


def _odd(function: Callable, x, y) -> Pair:
    real, imag = _tame(x, y, function)
    return jnp.copysign(real, x), jnp.copysign(imag, y)


def _asinh(x, y) -> Pair:
    return _or_at_ends(x, y, _odd(lax.asinh, x, y), _asinh_at_ends(x, y))


def _asin(x, y) -> Pair:
    return _or_at_ends(x, y, _odd(lax.asin, x, y), _asin_at_ends(x, y))


def _acos(x, y) -> Pair:
    real, imag = _tame(x, y, lax.acos)
    other, height = _asin_at_ends(x, y)
    near = jnp.where(x < 0, np.pi - real, real), jnp.copysign(imag, -y)
    return _or_at_ends(x, y, near, (np.pi / 2 - other, -height))


def _acosh(x, y) -> Pair:
    angle, height = _acos(x, y)
    infinite = jnp.isinf(x) | jnp.isinf(y)
    real = jnp.where(infinite, jnp.inf, jnp.abs(height))
    edge = jnp.where((x == 0) & jnp.isnan(y), np.pi / 2, angle)
    return real, jnp.copysign(edge, y)


def _atanh(x, y) -> Pair:
    real, imag = _tame(x, y, lax.atanh)
    finite = _finite(x, y)
    flat = jnp.isinf(y) | jnp.isinf(x) | (x == 0)
    real = _choose((finite, real), (flat, 0.0), (None, jnp.nan))
    high = jnp.isinf(y) | flat & ~jnp.isnan(y)
    imag = _choose((finite, imag), (high, np.pi / 2), (None, jnp.nan))
    return jnp.copysign(real, x), jnp.copysign(imag, y)


asinh, acosh, atanh = _numpys(lax.asinh)(_asinh), _numpys(lax.acosh)(_acosh), _numpys(lax.atanh)(_atanh)
asin, acos, atan = _numpys(lax.asin)(_asin), _numpys(lax.acos)(_acos), _numpys(lax.atan)(_turned(_atanh))


def sign(z: jax.Array) -> jax.Array:
    """The number of absolute value 1 in the same direction; of one infinite part, this part's direction."""
    size, x, y = jnp.abs(z), lax.real(z), lax.imag(z)
    one = jnp.isinf(x) ^ jnp.isinf(y)

    def part(own: jax.Array) -> jax.Array:
        whole = jnp.where(jnp.isinf(own), jnp.sign(own), jnp.zeros((), own.dtype))
        return _choose((one, whole), (size == 0, jnp.zeros((), own.dtype)), (None, own / size))

    safe = jnp.where(size == 0, 1, size)
    return differentiated_as(lax.complex(part(x), part(y)), (z / safe).astype(z.dtype))
