"""Sums, differences, products and quotients of complex numbers, alone and with real ones.

Since Python 3.14 a real operand is not made complex first, which shows in the signs of zeros and with infinities.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from xlapy.dispatch.numbers.scalar_values import check, constant, device, kind_of, provoke, scalar
from xlapy.domain.values import Const, Value
from xlapy.ir import Var

_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul"}
#: whether this Python computes with a real operand as it is
_MIXES = math.copysign(1.0, (1.0 + complex(-1.0, -0.0)).imag) < 0
#: whether it finds quotients of infinities that the formula loses
_RECOVERS = not cmath.isnan(1 / complex(math.inf, math.inf))
_ZERO_DIVISION = provoke(lambda: 1j / 0j)


def arithmetic(machine, symbol: str, left: Value, right: Value) -> Value:
    """`left symbol right`, one of them complex.

    Raises:
        ZeroDivisionError (where the program runs): the divisor is zero.
    """
    kinds = [complex if kind_of(v) is complex or not _MIXES else float for v in (left, right)]
    a, b = (device(machine, v, kind) for v, kind in zip((left, right), kinds, strict=True))
    if symbol == "/":
        _not_zero(machine, right, b)
    rules = _OF_COMPLEX if kinds[0] is kinds[1] else _WITH_REAL_LEFT if kinds[0] is float else _WITH_REAL_RIGHT
    if symbol not in rules:
        return scalar(machine, complex, machine.builder.elementwise(_ARITHMETIC[symbol], a, b))
    return scalar(machine, complex, machine.leaf(rules[symbol], [a, b])[0])


def _not_zero(machine, value: Value, divisor: Var) -> None:
    known = isinstance(value, Const)
    zero = value.value == 0 if known else machine.builder.elementwise("eq", divisor, constant(machine, 0, divisor))
    check(machine, zero, _ZERO_DIVISION)


def _quotient(z: jax.Array, w: jax.Array) -> jax.Array:
    """`z / w`. Robert L. Smith, "Algorithm 116: Complex division", CACM 5 (1962)."""
    real = not jnp.iscomplexobj(z)
    x, y = (z, None) if real else (lax.real(z), lax.imag(z))
    a, b = lax.real(w), lax.imag(w)
    steep = jnp.abs(b) > jnp.abs(a)
    large, small = jnp.where(steep, b, a), jnp.where(steep, a, b)
    ratio = small / large
    whole = large + small * ratio
    if y is None:
        parts = jnp.where(steep, x * ratio, x) / whole, jnp.where(steep, -x, -x * ratio) / whole
    else:
        parts = (
            jnp.where(steep, x * ratio + y, x + y * ratio) / whole,
            jnp.where(steep, y * ratio - x, y - x * ratio) / whole,
        )
    return _recovered(x, y, a, b, lax.complex(*parts)) if _RECOVERS else lax.complex(*parts)


def _instead(lost: jax.Array, other: jax.Array, found: jax.Array) -> jax.Array:
    """`found`, where it is not lost. Infinities and zeros in its place have no derivative, and none that is multiplied
    by zero and becomes NaN where nothing is lost."""
    return jnp.where(lost, lax.stop_gradient(other), found)


def _recovered(x: jax.Array, y: jax.Array | None, a: jax.Array, b: jax.Array, found: jax.Array) -> jax.Array:
    """What is not a number since something is infinite: the quotient of C11, annex G.5.1."""

    def unit(v: jax.Array) -> jax.Array:
        return jnp.copysign(jnp.where(jnp.isinf(v), 1.0, 0.0), v)

    def products(x, y, a, b):
        return (x * a, -x * b) if y is None else (x * a + y * b, y * a - x * b)

    lost = jnp.isnan(lax.real(found)) & jnp.isnan(lax.imag(found))
    finite = jnp.isfinite(x) if y is None else jnp.isfinite(x) & jnp.isfinite(y)
    to_zero = lost & finite & (jnp.isinf(a) | jnp.isinf(b))
    real, imag = products(x, y, unit(a), unit(b))
    result = _instead(to_zero, lax.complex(0.0 * real, 0.0 * imag), found)
    if y is not None:
        beyond = lost & (jnp.isinf(x) | jnp.isinf(y)) & jnp.isfinite(a) & jnp.isfinite(b)
        real, imag = products(unit(x), unit(y), a, b)
        result = _instead(beyond, lax.complex(math.inf * real, math.inf * imag), result)
    return result


def _product(z: jax.Array, w: jax.Array) -> jax.Array:
    """`z * w`; what is not a number since something is infinite is found as C11 says, annex G.5.1."""
    a, b, c, d = lax.real(z), lax.imag(z), lax.real(w), lax.imag(w)
    found = lax.complex(a * c - b * d, a * d + b * c)
    first, second = jnp.isinf(a) | jnp.isinf(b), jnp.isinf(c) | jnp.isinf(d)
    overflown = jnp.isinf(a * c) | jnp.isinf(b * d) | jnp.isinf(a * d) | jnp.isinf(b * c)

    def boxed(v: jax.Array, infinite: jax.Array) -> jax.Array:
        unit = jnp.copysign(jnp.where(jnp.isinf(v), 1.0, 0.0), v)
        return jnp.where(infinite, unit, jnp.where(jnp.isnan(v), jnp.copysign(0.0, v), v))

    a, b, c, d = boxed(a, first), boxed(b, first), boxed(c, second), boxed(d, second)
    lost = jnp.isnan(lax.real(found)) & jnp.isnan(lax.imag(found)) & (first | second | overflown)
    return _instead(lost, lax.complex(math.inf * (a * c - b * d), math.inf * (a * d + b * c)), found)


_OF_COMPLEX: dict[str, Callable] = {"/": _quotient}
if not cmath.isnan(1.5j * complex(math.inf, math.inf)):
    _OF_COMPLEX["*"] = _product
_WITH_REAL_LEFT: dict[str, Callable] = {
    "+": lambda x, z: lax.complex(x + lax.real(z), lax.imag(z)),
    "-": lambda x, z: lax.complex(x - lax.real(z), -lax.imag(z)),
    "*": lambda x, z: lax.complex(x * lax.real(z), x * lax.imag(z)),
    "/": _quotient,
}
_WITH_REAL_RIGHT: dict[str, Callable] = {
    "+": lambda z, x: lax.complex(lax.real(z) + x, lax.imag(z)),
    "-": lambda z, x: lax.complex(lax.real(z) - x, lax.imag(z)),
    "*": lambda z, x: lax.complex(lax.real(z) * x, lax.imag(z) * x),
    "/": lambda z, x: lax.complex(lax.real(z) / x, lax.imag(z) / x),
}
