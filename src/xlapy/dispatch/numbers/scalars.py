"""Operators of Python's bool, int, float and complex, with CPython's results, errors and messages.

Known operands are folded by Python itself. Dynamic ones become element-wise operations on 64-bit device scalars.
"""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.numbers.scalar_arithmetic import BITS, RULES, bits
from xlapy.dispatch.numbers.scalar_values import (
    BINARY,
    COMPARISONS,
    EXACT,
    RANK,
    UNARY,
    bounds_of,
    bounds_of_any,
    constant,
    device,
    fold,
    kind_of,
    scalar,
)
from xlapy.dispatch.protocol import Refused
from xlapy.domain.values import Const, Scalar, Value, number_var
from xlapy.ir import Var

PREDICATE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
#: bits of the largest int that is computed at compile time
_MAXIMUM_BITS = 1_000_000


@registry.operator(bool, int, float, complex)
def binary(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`left symbol right` for Python scalars, comparisons included; None where Python returns NotImplemented."""
    one, two = kind_of(left), kind_of(right)
    if one is None or two is None:
        return None
    if symbol not in COMPARISONS:
        symbol = symbol.removesuffix("=")
    if isinstance(left, Const) and isinstance(right, Const):
        return _fold_binary(machine, symbol, left.value, right.value)
    if symbol in COMPARISONS:
        return _compare(machine, symbol, left, right, one, two)
    kind = max(one, two, key=RANK.__getitem__)
    if symbol in BITS or symbol in ("<<", ">>"):
        if RANK[kind] > 1:
            return None
        return bits(machine, symbol, left, right, one is two is bool)
    rule = RULES.get((symbol, int if kind is bool else kind))
    return rule(machine, symbol, left, right) if rule is not None else None


def unary(machine, symbol: str, value: Value) -> Value | None:
    """`-value`, `+value`, `~value` for Python scalars; None for anything else."""
    kind = kind_of(value)
    if kind is None:
        return None
    if symbol == "~" and RANK[kind] > 1:
        return machine.raise_(TypeError, f"bad operand type for unary ~: '{kinds.shown(machine.type_of(value))}'")
    if isinstance(value, Const):
        return fold(machine, UNARY[symbol], value.value)
    kind = int if kind is bool else kind
    var = device(machine, value, kind)
    low, high = bounds_of(value)
    if symbol == "+":
        return scalar(machine, kind, var, (low, high))
    if symbol == "~":
        return scalar(machine, int, machine.builder.elementwise("bitwise_not", var), (~high, ~low))
    return scalar(machine, kind, machine.builder.elementwise("neg", var), (-high, -low))


def truth_of_scalar(machine, value: Value) -> bool | Var:
    """`bool(value)` of a Python scalar."""
    if isinstance(value, Const):
        return bool(value.value)
    assert isinstance(value, Scalar)
    if value.kind is bool:
        return value.var
    low, high = bounds_of(value)
    if value.kind is int and (low > 0 or high < 0):
        return True
    return machine.builder.elementwise("ne", value.var, constant(machine, 0, value.var))


def _length(z):
    """The length of a complex number, and whether it is infinite, though the number is not."""
    size = jnp.abs(z)
    return size, jnp.isinf(size) & jnp.isfinite(z.real) & jnp.isfinite(z.imag)


def absolute(machine, value: Value) -> Value | None:
    """`abs(value)` of a Python scalar."""
    kind = kind_of(value)
    if kind is None:
        return None
    if isinstance(value, Const):
        return fold(machine, abs, value.value)
    if kind is complex:
        size, overflows = machine.leaf(_length, [number_var(value)], name="abs")
        machine.check(overflows, OverflowError, "absolute value too large")
        return scalar(machine, float, size)
    kind = int if kind is bool else kind
    low, high = bounds_of(value)
    if kind is int and low >= 0:
        return scalar(machine, int, device(machine, value, int), (low, high))
    result = (0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high)))
    return scalar(machine, kind, machine.builder.elementwise("abs", device(machine, value, kind)), result)


def _fold_binary(machine, symbol: str, left: object, right: object) -> Value:
    if isinstance(left, int) and isinstance(right, int):
        bits = right if symbol == "<<" else left.bit_length() * right if symbol == "**" else 0
        if bits > _MAXIMUM_BITS and abs(left) > 1:
            raise Refused("XP0005", f"the result of {symbol} has more than {_MAXIMUM_BITS} bits")
    function = COMPARISONS.get(symbol) or BINARY[symbol]
    return fold(machine, function, left, right)


# -- comparisons ------------------------------------------------------------------------------------------------------


def _compare(machine, symbol: str, left: Value, right: Value, one: type, two: type) -> Value | None:
    if complex in (one, two):
        if symbol not in ("==", "!="):
            return None
        return _predicate(machine, symbol, device(machine, left, complex), device(machine, right, complex))
    if float in (one, two):
        if one is two or min(RANK[one], RANK[two]) == 0:
            return _predicate(machine, symbol, device(machine, left, float), device(machine, right, float))
        if one is float:
            return _int_float(machine, _MIRROR[symbol], right, left)
        return _int_float(machine, symbol, left, right)
    decided = _by_bounds(symbol, bounds_of_any(left), bounds_of_any(right))
    if decided is not None:
        return Const(decided)
    if one is two is bool and symbol in ("==", "!="):
        return _predicate(machine, symbol, device(machine, left, bool), device(machine, right, bool))
    return _predicate(machine, symbol, device(machine, left, int), device(machine, right, int))


_MIRROR = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _predicate(machine, symbol: str, a: Var, b: Var) -> Value:
    return machine.boolean(machine.builder.elementwise(PREDICATE[symbol], a, b))


def _by_bounds(symbol: str, a: tuple[int, int], b: tuple[int, int]) -> bool | None:
    """The result of a comparison, if intervals decide it."""
    match symbol:
        case "<" | ">=":
            less = True if a[1] < b[0] else False if a[0] >= b[1] else None
            return less if symbol == "<" or less is None else not less
        case ">" | "<=":
            more = True if a[0] > b[1] else False if a[1] <= b[0] else None
            return more if symbol == ">" or more is None else not more
    if a[1] < b[0] or a[0] > b[1]:
        return symbol == "!="
    return symbol == "==" if a == b and a[0] == a[1] else None


def _int_float(machine, symbol: str, number: Value, real: Value) -> Value | None:
    """An int with a float, exactly, as Python compares them."""
    if isinstance(real, Const):
        known = float(real.value)
        if math.isnan(known):
            return Const(symbol == "!=")
        if math.isinf(known):
            return Const(COMPARISONS[symbol](0.0, known))
        if known == math.floor(known):
            return _compare(machine, symbol, number, Const(int(known)), int, int)
        if symbol in ("==", "!="):
            return Const(symbol == "!=")
        limit = math.ceil(known) if symbol in ("<", ">=") else math.floor(known)
        return _compare(machine, symbol, number, Const(limit), int, int)
    if isinstance(number, Const):
        return _known_int_float(machine, symbol, int(number.value), device(machine, real, float))
    low, high = bounds_of_any(number)
    if -EXACT <= low and high <= EXACT:
        return _predicate(machine, symbol, device(machine, number, float), device(machine, real, float))
    function = _EXACT_COMPARISONS[symbol]
    return machine.boolean(machine.leaf(function, [device(machine, number, int), device(machine, real, float)])[0])


def _known_int_float(machine, symbol: str, number: int, real: Var) -> Value:
    """A known int, which no float may be equal to, with a dynamic float."""
    try:
        nearest = float(number)
    except OverflowError:
        nearest = math.inf if number > 0 else -math.inf
    above = math.isinf(nearest) and nearest > 0 or math.isfinite(nearest) and int(nearest) > number
    exact = math.isfinite(nearest) and int(nearest) == number
    if not exact:
        # between the int and the float next to it there are no floats
        if symbol in ("==", "!="):
            return Const(symbol == "!=")
        lower = symbol in ("<", "<=")
        symbol = ("<=" if above else "<") if lower else (">" if above else ">=")
    return _predicate(machine, symbol, constant(machine, nearest, real), real)


def _cut(real, dtype):
    """A float as an integer, wherever it fits one."""
    end = 2.0 ** (np.iinfo(dtype).bits - 1)
    fits = (real >= -end) & (real < end)
    return fits, jnp.where(fits, real, 0.0).astype(dtype)


def _exact_lt(number, real):
    """number < real, which for an int is number < ceil(real)."""
    fits, whole = _cut(jnp.ceil(real), number.dtype)
    return jnp.where(fits, number < whole, real > 0)


def _exact_le(number, real):
    """number <= real, which for an int is number <= floor(real)."""
    fits, whole = _cut(jnp.floor(real), number.dtype)
    return jnp.where(fits, number <= whole, real > 0)


def _exact_eq(number, real):
    fits, whole = _cut(real, number.dtype)
    return fits & (jnp.floor(real) == real) & (number == whole)


def _exact_ne(number, real):
    return ~_exact_eq(number, real)


def _exact_gt(number, real):
    return ~_exact_le(number, real) & ~jnp.isnan(real)


def _exact_ge(number, real):
    return ~_exact_lt(number, real) & ~jnp.isnan(real)


_EXACT_COMPARISONS = {
    "<": _exact_lt,
    "<=": _exact_le,
    "==": _exact_eq,
    "!=": _exact_ne,
    ">": _exact_gt,
    ">=": _exact_ge,
}
