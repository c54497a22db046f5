"""Python's ints are of any size, the device's have 64 bits: a result that does not fit is refused when it occurs.

Checked is the arithmetic of the program, where the bounds of its operands allow such a result. What the rules compute
for themselves (lengths, positions) stays below by its nature.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numbers.scalar_values import bounds_of, bounds_of_any, constant, device, kind_of, refuse_where
from xlapy.domain.numbers import REACH, SLOW
from xlapy.domain.values import Const, MixedScalar, Scalar, Value, mixed
from xlapy.ir import Var

_MESSAGE = "an int outgrows the {} bits that integers have on the device"
_HINT = "compute with floats, or with NumPy's integers, which wrap around"
#: How much of the range products and powers may take. They may be estimated in floating point, and a sum of what is
#: below and of a small number needs no check.
_SAFE = 1 - 2.0**-13
_Bounds = tuple[int, int]


def guarded(machine, symbol: str, left: Value, right: Value, result: Value) -> Value:
    """`result`, which is `left symbol right`; the program is refused at run time where it is an int that does not fit.

    Args:
        symbol: a binary operator, or an augmented one.
    """
    if isinstance(result, MixedScalar):
        return _guarded_mixed(machine, symbol, left, right, result)
    if type(result) is not Scalar or result.kind is not int:
        return result
    bad, limits, bits = _overflow(machine, symbol, left, right, result)
    if bad is None:
        return result
    _refuse(machine, bad, bits)
    low, high = bounds_of(result)
    return Scalar(int, result.var, (max(low, limits[0]), min(high, limits[1])))


def _guarded_mixed(machine, symbol: str, left: Value, right: Value, result: MixedScalar) -> Value:
    """The same of a number that is Python's or NumPy's: what does not fit is refused if it is Python's, and wraps
    around if it is NumPy's."""
    if result.python.kind is not int:
        return result
    one, other = (v.python if isinstance(v, MixedScalar) else v for v in (left, right))
    bad, _, bits = _overflow(machine, symbol, one, other, result.python)
    if bad is None:
        return result
    builder = machine.builder
    of_python = builder.elementwise("eq", result.selector, builder.constant(0, result.selector.type.dtype))
    _refuse(machine, builder.elementwise("bitwise_and", bad, of_python), bits)
    return mixed(result.selector, Scalar(int, result.python.var))


def _overflow(machine, symbol: str, left: Value, right: Value, result: Scalar) -> tuple[Var | None, _Bounds, int]:
    """Whether `left symbol right` does not fit, None if it always does; what fits, and the bits of the type."""
    info = np.iinfo(result.var.type.dtype)
    limits = (int(info.min), int(info.max))
    rule = _RULES.get(symbol.removesuffix("="))
    if rule is None or not {kind_of(left), kind_of(right)} <= {int, bool}:
        return None, limits, info.bits
    if rule in (_product, _power, _shift):
        limits = (int(limits[0] * _SAFE), int(limits[1] * _SAFE))
    bad = rule(machine, _Operand(machine, left, info), _Operand(machine, right, info), result.var, limits)
    return bad, limits, info.bits


def guarded_negation(machine, value: Value, result: Value) -> Value:
    """`result`, which is `-value` or `abs(value)`, as `guarded`: the least int has no counterpart."""
    if type(result) is not Scalar or result.kind is not int or kind_of(value) is not int:
        return result
    info = np.iinfo(result.var.type.dtype)
    bad = _Operand(machine, value, info).outside(-int(info.max), int(info.max))
    if bad is not None:
        _refuse(machine, bad, info.bits)
    return result


def _refuse(machine, bad: Var, bits: int) -> None:
    refuse_where(machine, bad, "XP0005", _MESSAGE.format(bits), _HINT)


def refuse_large(machine, estimate: Var, result: Var) -> None:
    """Refuse the program at run time where an int, which is about `estimate` (a float), does not fit `result`."""
    info = np.iinfo(result.type.dtype)
    _refuse(machine, _is_large(machine, estimate, (int(info.min), int(info.max * _SAFE))), info.bits)


def binary(machine, symbol: str, left: Value, right: Value) -> Value:
    """`left symbol right` for values of the program."""
    result = machine.binary(symbol, left, right)
    # powers, which may be floats, are guarded where they are computed
    return result if symbol.startswith("**") else guarded(machine, symbol, left, right, result)


def sum_bounds(machine, symbol: str, a: _Bounds, b: _Bounds) -> _Bounds:
    """Bounds of `a + b` or `a - b`. What a loop adds little to does not leave its reach (see `domain.numbers`)."""
    if symbol == "-":
        b = (-b[1], -b[0])
    low, high = a[0] + b[0], a[1] + b[1]
    if not machine.builder.narrow:
        for number, step in ((a, b), (b, a)):
            if -SLOW <= step[0] and step[1] <= SLOW and -REACH <= number[0] and number[1] <= REACH:
                return (max(low, -REACH), min(high, REACH))
    return (low, high)


class _Operand:
    """An int, its bounds, and its device value where that is needed."""

    def __init__(self, machine, value: Value, info: np.iinfo) -> None:
        self.machine, self.value = machine, value
        low, high = bounds_of_any(value)
        self.bounds = (low, high) if isinstance(value, Const) else (max(low, int(info.min)), min(high, int(info.max)))

    @property
    def known(self) -> int | None:
        return int(self.value.value) if isinstance(self.value, Const) else None

    @property
    def var(self) -> Var:
        return device(self.machine, self.value, int)

    def float(self) -> Var:
        return device(self.machine, self.value, float)

    def outside(self, low: int, high: int) -> Var | None:
        """Whether it is below `low` or above `high`; None if it never is."""
        found = None
        for kind, limit, possible in (("lt", low, self.bounds[0] < low), ("gt", high, self.bounds[1] > high)):
            if possible:
                test = self.machine.builder.elementwise(kind, self.var, constant(self.machine, limit, self.var))
                found = test if found is None else self.machine.builder.elementwise("bitwise_or", found, test)
        return found


def _fits(bounds: _Bounds, limits: _Bounds) -> bool:
    return limits[0] <= bounds[0] and bounds[1] <= limits[1]


def _negative(machine, var: Var) -> Var:
    return machine.builder.elementwise("lt", var, constant(machine, 0, var))


def _sum(machine, a: _Operand, b: _Operand, result: Var, limits: _Bounds) -> Var | None:
    if _fits(sum_bounds(machine, "+", a.bounds, b.bounds), limits):
        return None
    builder = machine.builder
    for number, other in ((a, b), (b, a)):
        if other.known is not None:
            return builder.elementwise("lt" if other.known > 0 else "gt", result, number.var)
    if a.bounds[0] >= 0 and b.bounds[0] >= 0:
        return _negative(machine, result)
    # the sign of the result is that of neither operand
    first, second = (builder.elementwise("bitwise_xor", x.var, result) for x in (a, b))
    return _negative(machine, builder.elementwise("bitwise_and", first, second))


def _difference(machine, a: _Operand, b: _Operand, result: Var, limits: _Bounds) -> Var | None:
    if _fits(sum_bounds(machine, "-", a.bounds, b.bounds), limits):
        return None
    builder = machine.builder
    if b.known is not None:
        return builder.elementwise("gt" if b.known > 0 else "lt", result, a.var)
    first = builder.elementwise("bitwise_xor", a.var, b.var)
    second = builder.elementwise("bitwise_xor", a.var, result)
    return _negative(machine, builder.elementwise("bitwise_and", first, second))


def _product(machine, a: _Operand, b: _Operand, result: Var, limits: _Bounds) -> Var | None:
    corners = [x * y for x in a.bounds for y in b.bounds]
    if _fits((min(corners), max(corners)), limits):
        return None
    for number, other in ((a, b), (b, a)):
        factor = other.known
        if factor:
            low, high = (limits[0], limits[1]) if factor > 0 else (limits[1], limits[0])
            # rounded towards zero, as what fits lies between
            return number.outside(-(-low // factor), high // factor)
    if a.var is b.var:
        return a.outside(-math.isqrt(limits[1]), math.isqrt(limits[1]))
    return _is_large(machine, machine.builder.elementwise("mul", a.float(), b.float()), limits)


def _is_large(machine, estimate: Var, limits: _Bounds) -> Var:
    """Whether a result that was estimated in floating point is beyond the limits."""
    builder = machine.builder
    most = constant(machine, float(limits[1]), estimate)
    return builder.elementwise("gt", builder.elementwise("abs", estimate), most)


def _power(machine, a: _Operand, b: _Operand, result: Var, limits: _Bounds) -> Var | None:
    exponent = b.known
    if exponent is not None:
        if exponent < 2:
            return None
        return a.outside(-_root(limits[1], exponent), _root(limits[1], exponent))
    if abs(a.bounds[0]) <= 1 and abs(a.bounds[1]) <= 1:
        return None
    size = max(map(abs, a.bounds))
    if b.bounds[1] <= limits[1].bit_length() and size ** b.bounds[1] <= limits[1]:
        return None
    estimate = machine.leaf(jnp.power, [a.float(), b.float()])[0]
    return _is_large(machine, estimate, limits)


def _root(number: int, degree: int) -> int:
    """The largest integer whose power is not above `number`."""
    low, high = 1, number
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle - 1)
    return low


def _shift(machine, a: _Operand, b: _Operand, result: Var, limits: _Bounds) -> Var | None:
    most = max(b.bounds[1], 0)
    if most <= 64 and _fits((a.bounds[0] << most, a.bounds[1] << most), limits):
        return None
    count = b.known
    if count is not None:
        return a.outside(-(-limits[0] >> count) if count < 64 else 0, limits[1] >> count)
    builder = machine.builder
    back = builder.elementwise("shift_right_arithmetic", result, b.var)
    return builder.elementwise("ne", back, a.var)


def _quotient(machine, a: _Operand, b: _Operand, result: Var, limits: _Bounds) -> Var | None:
    if a.bounds[0] > limits[0] or not b.bounds[0] <= -1 <= b.bounds[1]:
        return None
    builder = machine.builder
    least = builder.elementwise("eq", a.var, constant(machine, limits[0], a.var))
    minus = builder.elementwise("eq", b.var, constant(machine, -1, b.var))
    return builder.elementwise("bitwise_and", least, minus)


_RULES: dict[str, Callable] = {
    "+": _sum,
    "-": _difference,
    "*": _product,
    "**": _power,
    "<<": _shift,
    "//": _quotient,
}
