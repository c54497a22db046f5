"""Arithmetic, powers and bit operations of Python scalars of which at least one is dynamic.

A rule is `rule(machine, symbol, left, right)`; `RULES` finds it by symbol and the wider of the two types.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numbers import complex_arithmetic
from xlapy.dispatch.numbers.overflow import guarded, sum_bounds
from xlapy.dispatch.numbers.scalar_values import (
    BINARY,
    INT_MAX,
    bounds_of,
    bounds_of_any,
    check,
    constant,
    device,
    kind_of,
    provoke,
    refuse_where,
    scalar,
    surviving,
)
from xlapy.domain.values import Const, Scalar, Value
from xlapy.ir import Operation, Var, constant_value
from xlapy.ir.affine import unknown
from xlapy.lowering.jaxprs.derivatives import complex_power, differentiated_as

_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul"}
BITS = {"&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"}
_ZERO_DIVISION = {
    (symbol, kind): provoke(BINARY[symbol], kind(1), kind(0)) for symbol in ("/", "//", "%") for kind in (int, float)
}
_ZERO_POWER = {kind: provoke(operator.pow, kind(0), -1) for kind in (int, float, complex)}
_POWER_OVERFLOW = {float: provoke(operator.pow, 10.0, 400.0), complex: provoke(operator.pow, 10j, 400.5)}
_NEGATIVE_SHIFT = provoke(operator.lshift, 1, -1)
_INT_TO_FLOAT = provoke(float, 10**400)


# -- arithmetic -------------------------------------------------------------------------------------------------------


def _corners(function: Callable, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    found = [function(x, y) for x in a for y in b]
    return (min(found), max(found))


def _int_arithmetic(machine, symbol: str, left: Value, right: Value) -> Value:
    for value, other in ((left, right), (right, left)):
        if isinstance(value, Const) and isinstance(other, Scalar) and other.kind is int:
            if value.value == (1 if symbol == "*" else 0) and (symbol != "-" or value is right):
                return other
    a, b = bounds_of_any(left), bounds_of_any(right)
    bounds = _corners(BINARY[symbol], a, b) if symbol == "*" else sum_bounds(machine, symbol, a, b)
    first, second = device(machine, left, int), device(machine, right, int)
    if symbol == "-" and a[0] >= 0 and _is_remainder(second, first):
        bounds = (0, a[1])
    return scalar(machine, int, machine.builder.elementwise(_ARITHMETIC[symbol], first, second), bounds)


def _is_remainder(rest: Var, number: Var) -> bool:
    """Whether a number is what is left of another one, neither being negative: a block begins at `i - i % size`."""
    made = rest.owner
    return isinstance(made, Operation) and made.kind == "rem" and unknown(made.operands[0]) == unknown(number)


def _float_arithmetic(machine, symbol: str, left: Value, right: Value) -> Value:
    var = machine.builder.elementwise(_ARITHMETIC[symbol], device(machine, left, float), device(machine, right, float))
    return scalar(machine, float, var)


def _nonzero(machine, value: Value, var: Var, error: BaseException) -> None:
    """Raise ZeroDivisionError where a divisor is zero."""
    if isinstance(value, Const):
        check(machine, value.value == 0, error)
        return
    if isinstance(value, Scalar) and value.kind is int:
        low, high = bounds_of(value)
        if low > 0 or high < 0:
            return
    check(machine, machine.builder.elementwise("eq", var, constant(machine, 0, var)), error)


def _int_true_division(machine, symbol: str, left: Value, right: Value) -> Value:
    divisor = device(machine, right, float)
    _nonzero(machine, right, divisor, _ZERO_DIVISION["/", int])
    return scalar(machine, float, machine.builder.elementwise("div", device(machine, left, float), divisor))


def _true_division(machine, symbol: str, left: Value, right: Value) -> Value:
    divisor = device(machine, right, float)
    _nonzero(machine, right, divisor, _ZERO_DIVISION["/", float])
    return scalar(machine, float, machine.builder.elementwise("div", device(machine, left, float), divisor))


def _int_division(machine, symbol: str, left: Value, right: Value) -> Value:
    """`//` and `%` of ints."""
    _nonzero(machine, right, device(machine, right, int), _ZERO_DIVISION[symbol, int])
    return floor_division(machine, symbol, left, right)


def floor_division(machine, symbol: str, left: Value, right: Value) -> Value:
    """`//` and `%` of ints by what is not zero: the device truncates, Python floors."""
    builder = machine.builder
    a, b = device(machine, left, int), device(machine, right, int)
    (low, high), (least, most) = bounds_of(left), bounds_of(right)
    bounds = _division_bounds(symbol, (low, high), (least, most))
    if low >= 0 and least >= 0:
        return scalar(machine, int, builder.elementwise("div" if symbol == "//" else "rem", a, b), bounds)
    zero = constant(machine, 0, a)
    rest = builder.elementwise("rem", a, b)
    off = builder.elementwise("ne", rest, zero)
    signs = builder.elementwise("ne", builder.elementwise("lt", rest, zero), builder.elementwise("lt", b, zero))
    wrong = builder.elementwise("bitwise_and", off, signs)
    if symbol == "%":
        result = builder.elementwise("select", wrong, builder.elementwise("add", rest, b), rest)
    else:
        quotient = builder.elementwise("div", a, b)
        less = builder.elementwise("sub", quotient, constant(machine, 1, a))
        result = builder.elementwise("select", wrong, less, quotient)
    return scalar(machine, int, result, bounds)


def _division_bounds(symbol: str, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int] | None:
    if b[0] > 0 or b[1] < 0:
        if symbol == "//":
            return _corners(operator.floordiv, a, b)
        if b[0] > 0:
            return a if a[0] >= 0 and a[1] < b[0] else (0, min(b[1] - 1, a[1]) if a[0] >= 0 else b[1] - 1)
        return (b[0] + 1, 0)
    if b[0] >= 0 and a[0] >= 0:
        return (0, a[1]) if symbol == "//" else (0, min(a[1], max(b[1] - 1, 0)))
    return None


def _floor_divide(x, y):
    """CPython's `float_floor_div`."""
    return float_divmod(x, y)[0]


def _modulo(x, y):
    """CPython's `float_rem`."""
    return float_divmod(x, y)[1]


def float_divmod(x, y):
    """CPython's `_float_div_mod` (Objects/floatobject.c), for y != 0."""
    rest = jnp.fmod(x, y)
    quotient = (x - rest) / y
    other_sign = (rest != 0) & ((y < 0) != (rest < 0))
    rest = jnp.where(other_sign, rest + y, rest)
    signed = differentiated_as(jnp.where(rest == 0, jnp.copysign(0.0, y), rest), rest)
    quotient = jnp.where(other_sign, quotient - 1.0, quotient)
    whole = jnp.floor(quotient)
    whole = jnp.where(quotient - whole > 0.5, whole + 1.0, whole)
    return jnp.where(quotient == 0, jnp.copysign(0.0, x / y), whole), signed


def _float_division(machine, symbol: str, left: Value, right: Value) -> Value:
    a, b = device(machine, left, float), device(machine, right, float)
    _nonzero(machine, right, b, _ZERO_DIVISION[symbol, float])
    return scalar(machine, float, machine.leaf(_floor_divide if symbol == "//" else _modulo, [a, b])[0])


# -- powers -----------------------------------------------------------------------------------------------------------


def _product_power(machine, base: Var, exponent: int) -> Var:
    """`base ** exponent` for exponent >= 1, by squaring."""
    result: Var | None = None
    while True:
        if exponent & 1:
            result = base if result is None else machine.builder.elementwise("mul", result, base)
        exponent >>= 1
        if not exponent:
            assert result is not None
            return result
        base = machine.builder.elementwise("mul", base, base)


def _int_power(machine, symbol: str, left: Value, right: Value) -> Value:
    low, high = bounds_of(right)
    if low >= 0:
        return _whole_power(machine, left, right)
    if high < 0:
        return _negative_power(machine, left, right)
    exponent = device(machine, right, int)
    negative = machine.builder.elementwise("lt", exponent, constant(machine, 0, exponent))
    return machine.cond(
        negative, lambda: _negative_power(machine, left, right), lambda: _whole_power(machine, left, right)
    )


def _whole_power(machine, left: Value, right: Value) -> Value:
    base, (low, high) = device(machine, left, int), bounds_of(left)
    least, most = bounds_of(right)
    bounds = None
    if 0 <= least and most <= 64 and max(abs(low), abs(high)) < 2**32:
        bounds = (0 if low >= 0 else -(max(-low, high, 1) ** most), max(abs(low), abs(high), 1) ** most)
    elif low >= 0:
        bounds = (0, INT_MAX)
    if isinstance(right, Const):
        if right.value == 0:
            return Const(1)
        if right.value % 2 == 0:
            bounds = (0, bounds[1] if bounds is not None else INT_MAX)
        var = _product_power(machine, base, int(right.value))
    else:
        var = machine.leaf(jnp.power, [base, device(machine, right, int)])[0]
    return guarded(machine, "**", left, right, scalar(machine, int, var, bounds))


def _negative_power(machine, left: Value, right: Value) -> Value:
    _nonzero(machine, left, device(machine, left, int), _ZERO_POWER[int])
    power = machine.builder.elementwise("pow", device(machine, left, float), device(machine, right, float))
    return scalar(machine, float, power)


def _float_power(machine, symbol: str, left: Value, right: Value) -> Value:
    """`x ** y` of floats: 0.0 to a negative power, overflow, and negative numbers to a fraction (complex in Python)."""
    builder = machine.builder
    base, exponent = device(machine, left, float), device(machine, right, float)
    zero = constant(machine, 0.0, base)
    known = float(right.value) if isinstance(right, Const) else None
    if known == 0:
        return Const(1.0)
    if known is None or known < 0:
        bad = builder.elementwise("eq", base, zero)
        if known is None:
            bad = builder.elementwise("bitwise_and", bad, builder.elementwise("lt", exponent, zero))
            bad = builder.elementwise("bitwise_and", bad, builder.elementwise("is_finite", exponent))
        if known is None or math.isfinite(known):
            check(machine, bad, _ZERO_POWER[float])
    whole = known is not None and (math.isinf(known) or known == math.floor(known)) or kind_of(right) in (int, bool)
    if not whole and not nonnegative(base):
        negative = builder.elementwise("lt", base, zero)
        bad = builder.elementwise("bitwise_and", negative, builder.elementwise("is_finite", base))
        if known is None:
            fraction = builder.elementwise("ne", builder.elementwise("floor", exponent), exponent)
            fraction = builder.elementwise("bitwise_and", fraction, builder.elementwise("is_finite", exponent))
            bad = builder.elementwise("bitwise_and", bad, fraction)
        refuse_where(
            machine,
            bad,
            "XP0007",
            "a negative float to a power that is no whole number is complex in Python",
            "make sure that the base is not negative, or make it complex",
        )
    if known is not None and whole and 0 < known <= 8:
        power = _product_power(machine, base, int(known))
    elif known == 0.5 and nonnegative(base):
        power = builder.elementwise("sqrt", base)
    else:
        power = builder.elementwise("pow", base, exponent)
    if known is None or not 0 < known <= 1:
        finite = builder.elementwise("is_finite", power)
        finite_operands = builder.elementwise("is_finite", base)
        if known is None:
            finite_operands = builder.elementwise(
                "bitwise_and", finite_operands, builder.elementwise("is_finite", exponent)
            )
        infinite = builder.elementwise("bitwise_and", builder.elementwise("bitwise_not", finite), finite_operands)
        check(machine, infinite, _POWER_OVERFLOW[float])
    return scalar(machine, float, power)


def nonnegative(var: Var, depth: int = 8) -> bool:
    """Whether a float is certainly not less than zero (it may be NaN), by how it was computed."""
    known = constant_value(var)
    if known is not None:
        return known.dtype.kind in "iufb" and not bool(np.any(known < 0))
    owner = var.owner
    if not isinstance(owner, Operation) or depth == 0:
        return var.type.dtype.kind == "b"
    match owner.kind:
        case "abs" | "exp" | "sqrt":
            return True
        case "mul" if owner.operands[0] is owner.operands[1]:
            return True
        case "add" | "mul" | "div" | "min" | "pow":
            return all(nonnegative(v, depth - 1) for v in owner.operands)
        case "max":
            return any(nonnegative(v, depth - 1) for v in owner.operands)
        case "select":
            return all(nonnegative(v, depth - 1) for v in owner.operands[1:])
        case "convert" | "broadcast":
            return nonnegative(owner.operands[0], depth - 1)
    return False


def _complex_pow(z, w):
    """CPython's `_Py_c_pow`, for z != 0 or w == 0."""
    length = jnp.abs(z)
    angle = jnp.arctan2(z.imag, z.real)
    size = jnp.power(length, w.real) * jnp.exp(-angle * w.imag)
    phase = angle * w.real + w.imag * jnp.log(jnp.where(length == 0, 1.0, length))
    result = size * (jnp.cos(phase) + 1j * jnp.sin(phase))
    exact = jnp.where(w == 0, 1.0 + 0j, jnp.where(z == 0, 0j, result))
    return differentiated_as(exact, complex_power(z, w))


def _complex_power(machine, symbol: str, left: Value, right: Value) -> Value:
    builder = machine.builder
    base, exponent = device(machine, left, complex), device(machine, right, complex)
    known = complex(right.value) if isinstance(right, Const) else None
    if known == 0:
        return Const(1 + 0j)
    if known is None or known.imag != 0 or known.real < 0:
        bad = builder.elementwise("eq", base, constant(machine, 0, base))
        if known is None:
            bad = builder.elementwise("bitwise_and", bad, machine.leaf(_forbids_zero, [exponent])[0])
        check(machine, bad, _ZERO_POWER[complex])
    if known is not None and known.imag == 0 and known.real == math.floor(known.real) and 0 < abs(known.real) <= 100:
        power = _product_power(machine, base, int(abs(known.real)))
        if known.real < 0:
            power = builder.elementwise("div", constant(machine, 1, base), power)
    else:
        power = machine.leaf(_complex_pow, [base, exponent])[0]
    check(machine, machine.leaf(_overflowed, [power, base, exponent])[0], _POWER_OVERFLOW[complex])
    return scalar(machine, complex, power)


def _forbids_zero(w):
    """Whether zero cannot be raised to w."""
    return (w.imag != 0) | (w.real < 0)


def _overflowed(power, base, exponent):
    return jnp.isinf(power) & jnp.isfinite(base) & jnp.isfinite(exponent)


# -- bits -------------------------------------------------------------------------------------------------------------


def bits(machine, symbol: str, left: Value, right: Value, booleans: bool) -> Value:
    """`left & right`, `|`, `^`, `<<` or `>>` of two numbers of Python's."""
    builder = machine.builder
    if symbol in BITS and booleans:
        var = builder.elementwise(BITS[symbol], device(machine, left, bool), device(machine, right, bool))
        return machine.boolean(var)
    a, b = device(machine, left, int), device(machine, right, int)
    (low, high), (least, most) = bounds_of(left), bounds_of(right)
    if symbol in BITS:
        bounds = None
        if symbol == "&" and (low >= 0 or least >= 0):
            bounds = (0, min(h for lo, h in ((low, high), (least, most)) if lo >= 0))
        elif low >= 0 and least >= 0:
            bounds = (0, (1 << max(high, most).bit_length()) - 1)
        return scalar(machine, int, builder.elementwise(BITS[symbol], a, b), bounds)
    if least < 0:
        check(machine, builder.elementwise("lt", b, constant(machine, 0, b)), _NEGATIVE_SHIFT)
    counts = (max(least, 0), max(min(most, 64), 0))
    bounds = _corners(BINARY[symbol], (low, high), counts)
    kind = "shift_left" if symbol == "<<" else "shift_right_arithmetic"
    return scalar(machine, int, builder.elementwise(kind, a, b), bounds)


RULES: dict[tuple[str, type], Callable] = {
    **{(s, int): _int_arithmetic for s in _ARITHMETIC},
    **{(s, float): _float_arithmetic for s in _ARITHMETIC},
    **{(s, complex): complex_arithmetic.arithmetic for s in _ARITHMETIC},
    ("/", int): _int_true_division,
    ("/", float): surviving(_true_division),
    ("/", complex): surviving(complex_arithmetic.arithmetic),
    ("//", int): _int_division,
    ("%", int): _int_division,
    ("//", float): _float_division,
    ("%", float): _float_division,
    ("**", int): _int_power,
    ("**", float): surviving(_float_power),
    ("**", complex): _complex_power,
}
