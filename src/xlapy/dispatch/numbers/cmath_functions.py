"""The `cmath` module. Infinite and NaN arguments, for which it has tables of its own, are refused when they occur."""

from __future__ import annotations

import cmath
import math
import sys
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.numbers.math_functions import Failure, known, real
from xlapy.dispatch.numbers.number_functions import number
from xlapy.dispatch.numbers.scalar_values import (
    check,
    constant,
    defines,
    device,
    fold,
    kind_of,
    provoke,
    refuse_where,
    scalar,
)
from xlapy.domain.values import Const, Ref, Tuple, Value
from xlapy.ir import Var


def _complex(machine, value: Value) -> Var:
    """An argument as a complex128 on the device."""
    if kind_of(value) is not None:
        return device(machine, value, complex)
    var = number(machine, value)
    if var is not None:
        return device(machine, scalar(machine, complex, var), complex)
    if isinstance(value, Ref):
        for name in ("__complex__", "__float__", "__index__"):
            if defines(machine, machine.type_of(value), name):
                return _complex(machine, machine.call(machine.getattr(value, name), []))
    machine.raise_(TypeError, f"must be real number, not {kinds.shown(machine.type_of(value))}")
    raise AssertionError


def _differentiated_by(derivative: Callable) -> Callable:
    """For a function of `z` with value `w`: its derivative is `derivative(w, z)`, and not that of the parts it is
    computed from, some of which have none on the axes."""

    def decorate(function: Callable) -> Callable:
        made = jax.custom_jvp(function)
        made.defjvps(lambda dot, w, z: dot * derivative(w, z))
        return made

    return decorate


#: beyond that, sums and squares of parts may overflow
_LARGE = sys.float_info.max / 4
_SQUARED = math.sqrt(_LARGE)
#: squares of smaller numbers are denormal or zero
_SQUARE_VANISHES = math.sqrt(sys.float_info.min)


def _finite(z):
    return jnp.isfinite(z.real) & jnp.isfinite(z.imag)


def _log10(z):
    logarithm = jnp.log(z)
    return lax.complex(logarithm.real / math.log(10), logarithm.imag / math.log(10))


@_differentiated_by(lambda w, z: 0.5 / w)
def _sqrt(z):
    """CPython's `cmath_sqrt` for finite numbers, with its branch cut under signed zeros."""
    x, y = jnp.abs(z.real), jnp.abs(z.imag)
    scale = jnp.where(jnp.maximum(x, y) < 1e-290, 2.0**106, 2.0**-4)
    sx, sy = x * scale, y * scale
    length = jnp.abs(lax.complex(sx, sy))
    s = jnp.sqrt((sx + length) / 2) / jnp.sqrt(scale)
    safe = jnp.where(s == 0, 1.0, s)
    d = y / (2.0 * safe)
    return jnp.where(z.real >= 0, lax.complex(s, jnp.copysign(d, z.imag)), lax.complex(d, jnp.copysign(s, z.imag)))


@_differentiated_by(lambda w, z: 1.0 / ((1.0 - z) * (1.0 + z)))
def _atanh(z):
    """CPython's `cmath_atanh` away from +-1, where its branch cuts are."""
    flipped = (z.real < 0) | ((z.real == 0) & (jnp.signbit(z.real)))
    z = jnp.where(flipped, -z, z)
    x, y = z.real, z.imag
    size = jnp.abs(y)
    real_part = jnp.log1p(4.0 * x / ((1 - x) * (1 - x) + size * size)) / 4.0
    imaginary = -jnp.arctan2(-2.0 * y, (1 - x) * (1 + x) - size * size) / 2
    # at one, beside the cut
    near = (x == 1.0) & (size > 0.0) & (size < _SQUARE_VANISHES)
    length = jnp.where(near, size, 1.0)
    real_part = jnp.where(near, -jnp.log(jnp.sqrt(length) / math.sqrt(2.0)), real_part)
    imaginary = jnp.where(near, jnp.copysign(jnp.arctan2(2.0, -length) / 2, y), imaginary)
    large = (x > _SQUARED) | (size > _SQUARED)
    half = jnp.abs(lax.complex(x / 2, y / 2))
    far = x / 4 / jnp.where(large, half, 1.0) / jnp.where(large, half, 1.0)
    real_part = jnp.where(large, far, real_part)
    imaginary = jnp.where(large, -jnp.copysign(math.pi / 2, -y), imaginary)
    result = lax.complex(real_part, imaginary)
    return jnp.where(flipped, -result, result)


def _rotated(z):
    """i * z."""
    return lax.complex(-z.imag, z.real)


@_differentiated_by(lambda w, z: 1.0 / (1.0 + z * z))
def _atan(z):
    """atan(z) = -i atanh(iz)."""
    w = _atanh(_rotated(z))
    return lax.complex(w.imag, -w.real)


def _where_large(z, large, found):
    """The real or imaginary part of a result: `large(log(2 |z|))` for large numbers."""
    length = jnp.log(jnp.abs(lax.complex(z.real / 2, z.imag / 2))) + 2 * math.log(2)
    return jnp.where((jnp.abs(z.real) > _LARGE) | (jnp.abs(z.imag) > _LARGE), large(length), found)


@_differentiated_by(lambda w, z: -1.0 / (_sqrt(1.0 - z) * _sqrt(1.0 + z)))
def _acos(z):
    first, second = _sqrt(lax.complex(1 - z.real, -z.imag)), _sqrt(lax.complex(1 + z.real, z.imag))
    real_part = 2.0 * jnp.arctan2(first.real, second.real)
    imaginary = jnp.arcsinh(second.real * first.imag - second.imag * first.real)
    return lax.complex(real_part, _where_large(z, lambda length: jnp.copysign(length, -z.imag), imaginary))


@_differentiated_by(lambda w, z: 1.0 / (_sqrt(1.0 + 1j * z) * _sqrt(1.0 - 1j * z)))
def _asinh(z):
    first = _sqrt(lax.complex(1 + z.imag, -z.real))
    second = _sqrt(lax.complex(1 - z.imag, z.real))
    real_part = jnp.arcsinh(first.real * second.imag - second.real * first.imag)
    real_part = _where_large(z, lambda length: jnp.copysign(length, z.real), real_part)
    return lax.complex(real_part, jnp.arctan2(z.imag, first.real * second.real - first.imag * second.imag))


@_differentiated_by(lambda w, z: 1.0 / (_sqrt(1.0 - z) * _sqrt(1.0 + z)))
def _asin(z):
    """asin(z) = -i asinh(iz)."""
    w = _asinh(_rotated(z))
    return lax.complex(w.imag, -w.real)


@_differentiated_by(lambda w, z: 1.0 / (_sqrt(z - 1.0) * _sqrt(z + 1.0)))
def _acosh(z):
    first, second = _sqrt(lax.complex(z.real - 1, z.imag)), _sqrt(lax.complex(z.real + 1, z.imag))
    real_part = jnp.arcsinh(first.real * second.real + first.imag * second.imag)
    real_part = _where_large(z, lambda length: length, real_part)
    return lax.complex(real_part, 2.0 * jnp.arctan2(first.imag, second.real))


def _sinh(z):
    x, y = z.real, z.imag
    return lax.complex(jnp.cos(y) * jnp.sinh(x), jnp.sin(y) * jnp.cosh(x))


def _cosh(z):
    x, y = z.real, z.imag
    return lax.complex(jnp.cos(y) * jnp.cosh(x), jnp.sin(y) * jnp.sinh(x))


def _sin(z):
    x, y = z.real, z.imag
    return lax.complex(jnp.sin(x) * jnp.cosh(y), jnp.cos(x) * jnp.sinh(y))


def _cos(z):
    x, y = z.real, z.imag
    return lax.complex(jnp.cos(x) * jnp.cosh(y), -jnp.sin(x) * jnp.sinh(y))


@_differentiated_by(lambda w, z: 1.0 - w * w)
def _tanh(z):
    x, y = z.real, z.imag
    tx, ty = jnp.tanh(x), jnp.tan(y)
    cx = 1.0 / jnp.cosh(x)
    product = tx * ty
    denominator = 1.0 + product * product
    near = lax.complex(tx * (1.0 + ty * ty) / denominator, (ty / denominator) * cx * cx)
    far = lax.complex(jnp.copysign(1.0, x), 4.0 * jnp.sin(y) * jnp.cos(y) * jnp.exp(-2.0 * jnp.abs(x)))
    return jnp.where(jnp.abs(x) > 300.0, far, near)


@_differentiated_by(lambda w, z: 1.0 + w * w)
def _tan(z):
    """tan(z) = -i tanh(iz)."""
    w = _tanh(_rotated(z))
    return lax.complex(w.imag, -w.real)


#: name -> (function, an argument for which CPython raises ValueError, one for which it raises OverflowError)
_FUNCTIONS: dict[str, tuple[Callable, complex | None, complex | None]] = {
    "acos": (_acos, None, None),
    "acosh": (_acosh, None, None),
    "asin": (_asin, None, None),
    "asinh": (_asinh, None, None),
    "atan": (_atan, 1j, None),
    "atanh": (_atanh, 1 + 0j, None),
    "cos": (_cos, None, 1000j),
    "cosh": (_cosh, None, 1000 + 0j),
    "exp": (jnp.exp, None, 1000 + 0j),
    "log10": (_log10, 0j, None),
    "sin": (_sin, None, 1000j),
    "sinh": (_sinh, None, 1000 + 0j),
    "sqrt": (_sqrt, None, None),
    "tan": (_tan, None, None),
    "tanh": (_tanh, None, None),
}


def _not(machine, flag: Var) -> Var:
    return machine.builder.elementwise("bitwise_not", flag)


def _require_finite(machine, name: str, var: Var) -> None:
    bad = _not(machine, machine.leaf(_finite, [var])[0])
    refuse_where(machine, bad, "XP0011", f"cmath.{name} of an infinity or NaN")


def _rule(name: str, how: Callable, invalid: complex | None, overflow: complex | None) -> Callable[..., Value]:
    function = getattr(cmath, name)
    failures = [Failure(function, sample) for sample in (invalid, overflow) if sample is not None]

    def rule(machine, z: Value, /) -> Value:
        given = known(machine, [z])
        if given is not None:
            return fold(machine, function, *given)
        var = _complex(machine, z)
        _require_finite(machine, name, var)
        result = machine.leaf(how, [var])[0]
        for failure in failures:
            failure.check(machine, _not(machine, machine.leaf(_finite, [result])[0]), z)
        return scalar(machine, complex, result)

    return rule


for _name, _entry in _FUNCTIONS.items():
    registry.function(getattr(cmath, _name))(_rule(_name, *_entry))

_LOG_ZERO = Failure(cmath.log, 0j)
_LOG_BASE_ONE = provoke(cmath.log, 2.0, 1.0)


@registry.function(cmath.log)
def log(machine, z: Value, *base: Value) -> Value:
    """`cmath.log(z[, base])`."""
    given = known(machine, [z, *base])
    if given is not None:
        return fold(machine, cmath.log, *given)
    parts = []
    for value in (z, *base):
        var = _complex(machine, value)
        _require_finite(machine, "log", var)
        zero = machine.builder.elementwise("eq", var, constant(machine, 0, var))
        if base:
            refuse_where(machine, zero, "XP0011", "cmath.log of zero to a base")
        else:
            _LOG_ZERO.check(machine, zero, value)
        parts.append(machine.leaf(jnp.log, [var])[0])
    if len(parts) == 1:
        return scalar(machine, complex, parts[0])
    zero = machine.builder.elementwise("eq", parts[1], constant(machine, 0, parts[1]))
    check(machine, zero, _LOG_BASE_ONE)
    return scalar(machine, complex, machine.builder.elementwise("div", *parts))


@registry.function(cmath.phase)
def phase(machine, z: Value, /) -> Value:
    """`cmath.phase(z)`."""
    given = known(machine, [z])
    if given is not None:
        return fold(machine, cmath.phase, *given)
    return scalar(machine, float, machine.leaf(_phase, [_complex(machine, z)])[0])


def _phase(z):
    return jnp.arctan2(z.imag, z.real)


def _overflows(z):
    """Whether the length of a finite number is infinite."""
    return _finite(z) & jnp.isinf(jnp.abs(z))


_POLAR_OVERFLOW = Failure(cmath.polar, complex(1.5e308, 1.5e308))


@registry.function(cmath.polar)
def polar(machine, z: Value, /) -> Value:
    """`cmath.polar(z)`."""
    given = known(machine, [z])
    if given is not None:
        return Tuple(tuple(map(Const, fold(machine, cmath.polar, *given).value)))
    size = machine.leaf(jnp.abs, [_complex(machine, z)])[0]
    _POLAR_OVERFLOW.check(machine, machine.leaf(_overflows, [_complex(machine, z)])[0], z)
    return Tuple((scalar(machine, float, size), phase(machine, z)))


def _rect(r, phi):
    return lax.complex(r * jnp.cos(phi), jnp.where(phi == 0, r * phi, r * jnp.sin(phi)))


@registry.function(cmath.rect)
def rect(machine, r: Value, phi: Value, /) -> Value:
    """`cmath.rect(r, phi)`."""
    given = known(machine, [r, phi])
    if given is not None:
        return fold(machine, cmath.rect, *given)
    vars_ = [real(machine, r), real(machine, phi)]
    for var in vars_:
        bad = _not(machine, machine.builder.elementwise("is_finite", var))
        refuse_where(machine, bad, "XP0011", "cmath.rect of an infinity or NaN")
    return scalar(machine, complex, machine.leaf(_rect, vars_)[0])


def _question(function: Callable, how: Callable) -> None:
    def rule(machine, z: Value, /) -> Value:
        given = known(machine, [z])
        if given is not None:
            return fold(machine, function, *given)
        return machine.boolean(machine.leaf(how, [_complex(machine, z)])[0])

    registry.function(function)(rule)


_question(cmath.isfinite, jnp.isfinite)
_question(cmath.isinf, jnp.isinf)
_question(cmath.isnan, jnp.isnan)


def _isclose(a, b, relative, absolute):
    gap = jnp.abs(a - b)
    close = (gap <= relative * jnp.abs(b)) | (gap <= relative * jnp.abs(a)) | (gap <= absolute)
    return (a == b) | (close & jnp.isfinite(a) & jnp.isfinite(b))


_TOLERANCE = provoke(lambda: cmath.isclose(1, 1, rel_tol=-1))


@registry.function(cmath.isclose)
def isclose(machine, a: Value, b: Value, *, rel_tol: Value = Const(1e-9), abs_tol: Value = Const(0.0)) -> Value:  # noqa: B008
    """`cmath.isclose(a, b, rel_tol=..., abs_tol=...)`."""
    given = known(machine, [a, b, rel_tol, abs_tol])
    if given is not None:
        return fold(machine, lambda x, y, r, s: cmath.isclose(x, y, rel_tol=r, abs_tol=s), *given)
    tolerances = [real(machine, rel_tol), real(machine, abs_tol)]
    for var in tolerances:
        check(machine, machine.builder.elementwise("lt", var, constant(machine, 0.0, var)), _TOLERANCE)
    return machine.boolean(machine.leaf(_isclose, [_complex(machine, a), _complex(machine, b), *tolerances])[0])
