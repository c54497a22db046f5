"""Built-in functions of numbers: conversions, abs, divmod, pow, round, and the methods of int, float and complex."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch import kinds, registry, unions
from xlapy.dispatch.numbers import mixed, overflow, range_objects, scalars
from xlapy.dispatch.numbers.scalar_arithmetic import float_divmod, floor_division
from xlapy.dispatch.numbers.scalar_values import (
    bounds_of,
    check,
    constant,
    defines,
    device,
    fold,
    int_info,
    kind_of,
    of_special,
    provoke,
    refuse_where,
    scalar,
    stand_in,
)
from xlapy.dispatch.protocol import Refused
from xlapy.domain.values import (
    NONE,
    Const,
    JaxArray,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Ref,
    Text,
    Tuple,
    Value,
    constants,
    is_none,
)
from xlapy.ir import Var
from xlapy.lowering.numeric.error_free_transformations import two_product

_NAN_TO_INT = provoke(int, math.nan)
_INF_TO_INT = provoke(int, math.inf)
_LENGTH_ONE = provoke(int, np.zeros(2))
_DIVMOD = {kind: provoke(divmod, kind(1), kind(0)) for kind in (int, float)}
_ZERO_MODULUS = provoke(pow, 2, 2, 0)
_NO_INVERSE = provoke(pow, 2, -1, 4)


# -- numbers as device values -----------------------------------------------------------------------------------------


def _reshape(x):
    return x.reshape(())


def _refusal_of_axes() -> TypeError | None:
    """What this NumPy raises where an array of one element that has dimensions is to be a number; None if it is one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            float(np.zeros(1))
        except TypeError as error:
            return error
    return None


_WITH_AXES = _refusal_of_axes()


def number(machine, value: Value) -> Var | None:
    """A NumPy scalar, or an array that is converted to a number, as a rank-0 device value; None for anything else."""
    match value:
        case NumpyScalar():
            return value.var
        case Const() if isinstance(value.value, np.generic):
            return machine.builder.constant(value.value)
        case NdArray():
            if int(np.prod(value.type.shape)) != 1:
                machine.raise_(TypeError, *_LENGTH_ONE.args)
            if value.type.shape and _WITH_AXES is not None:
                machine.raise_(TypeError, *_WITH_AXES.args)
            var = machine.read(value)
            return var if not var.type.shape else machine.leaf(_reshape, [var])[0]
        case JaxArray():
            if value.var.type.shape:
                rank = len(value.var.type.shape)
                machine.raise_(TypeError, f"Only scalar arrays can be converted to Python scalars; got arr.ndim={rank}")
            return value.var
    return None


def _dunder(machine, value: Value, *names: str) -> Value | None:
    """The result of the first of some special methods that a user's object has."""
    if not isinstance(value, Ref | Tuple):
        return None
    for name in names:
        if defines(machine, machine.type_of(value), name):
            return of_special(machine, value, name, machine.call(machine.getattr(value, name), []))
    return None


def truncated(machine, var: Var, round_kind: str | None = None, bounds: tuple[int, int] | None = None) -> Value:
    """A number as a Python int: a float towards zero, or by the element-wise operation `round_kind`; NaN and infinity
    raise. `bounds` is an interval that contains an integer, if one is known."""
    if var.type.dtype.kind in "iub":
        return scalar(machine, int, var, bounds)
    builder = machine.builder
    given = var
    if round_kind is not None:
        var = builder.elementwise(round_kind, var)
    bits = int_info(machine).bits if var.type.dtype.itemsize > 2 else 17  # a number of 16 bits is no larger
    size = builder.elementwise("abs", var)
    fits = builder.elementwise("lt", size, constant(machine, 2.0 ** (bits - 1), size))
    # Each error is one of numbers that do not fit, so that it is one question whether there is any.
    unfit = builder.elementwise("bitwise_not", fits)
    nan, finite = builder.elementwise("ne", given, given), builder.elementwise("is_finite", given)
    check(machine, builder.elementwise("bitwise_and", unfit, nan), _NAN_TO_INT)
    infinite = builder.elementwise("bitwise_and", unfit, builder.elementwise("bitwise_not", finite))
    infinite = builder.elementwise("bitwise_and", infinite, builder.elementwise("bitwise_not", nan))
    check(machine, infinite, _INF_TO_INT)
    if var.type.dtype.itemsize > 2:
        # Of NaN and infinity the first error is told, unless the program catches it.
        large = builder.elementwise("bitwise_and", unfit, finite) if machine.catching else unfit
        refuse_where(machine, large, "XP0005", f"a float beyond {bits} bits is made an int", "keep it a float")
    return scalar(machine, int, builder.convert(var, np.dtype(np.int64), fits=True))


# -- conversions ------------------------------------------------------------------------------------------------------


@registry.function(int)
def int_(machine, /, *args: Value, **kwargs: Value) -> Value:
    """`int(x)`, `int(text, base)`."""
    if not args:
        return fold(machine, int, **{k: machine.static(v) for k, v in kwargs.items()})
    value = _known_text(machine, args[0])
    if len(args) > 1 or kwargs or (isinstance(value, Const) and not isinstance(value.value, np.generic)):
        known = [machine.static(a) for a in args]
        return fold(machine, int, *known, **{k: machine.static(v) for k, v in kwargs.items()})
    kind = kind_of(value)
    if kind in (int, bool):
        return scalar(machine, int, device(machine, value, int), bounds_of(value))
    if kind is float:
        return truncated(machine, device(machine, value, float))
    if kind is complex:
        return fold(machine, int, 0j)
    var = number(machine, value)
    if var is not None:
        var = real_part(machine, value, var, int)
        return truncated(machine, var, bounds=getattr(value, "bounds", None))
    result = _dunder(machine, value, "__int__", "__index__", "__trunc__")
    if result is None:
        name = kinds.shown(machine.type_of(value))
        message = str(provoke(int, object())).replace("'object'", f"'{name}'")
        return machine.raise_(TypeError, message)
    return int_(machine, result)


def _known_text(machine, value: Value) -> Value:
    """A string with dynamic parts that is made a number, as a known one; anything else as it is."""
    return Const(machine.static(value, "a string that is made a number")) if isinstance(value, Text) else value


def real_part(machine, value: Value, var: Var, function: Callable) -> Var:
    """A number of NumPy's where a real one is wanted: the real part of a complex scalar; an array raises."""
    if var.type.dtype.kind != "c":
        return var
    if isinstance(value, NdArray):
        machine.raise_(TypeError, *provoke(function, np.array(1j)).args)
    if isinstance(value, JaxArray):
        raise Refused("XP0004", f"{function.__name__}() of a complex jax.Array drops its imaginary part", "use .real")
    return machine.builder.convert(var, np.dtype(np.float64))


def is_numpy(value: Value) -> bool:
    """Whether a value is a NumPy array or scalar."""
    return isinstance(value, NdArray | NumpyScalar) or (
        isinstance(value, Const) and isinstance(value.value, np.generic)
    )


@registry.function(float)
def float_(machine, x: Value | None = None, /) -> Value:
    """`float(x)`."""
    if x is None:
        return Const(0.0)
    value = _known_text(machine, x)
    if isinstance(value, Const) and not isinstance(value.value, np.complexfloating):
        return fold(machine, float, value.value)
    kind = kind_of(value)
    if kind is complex:
        return fold(machine, float, 0j)
    if kind is not None:
        return scalar(machine, float, device(machine, value, float))
    var = number(machine, value)
    if var is not None:
        return scalar(machine, float, real_part(machine, value, var, float))
    result = _dunder(machine, value, "__float__", "__index__")
    if result is None:
        name = kinds.shown(machine.type_of(value))
        message = str(provoke(float, object())).replace("'object'", f"'{name}'")
        return machine.raise_(TypeError, message)
    return float_(machine, result)


@registry.function(bool)
def bool_(machine, x: Value | None = None, /) -> Value:
    """`bool(x)`."""
    return machine.boolean(machine.truth(x)) if x is not None else Const(False)


@registry.function(complex)
def complex_(machine, /, *args: Value, **kwargs: Value) -> Value:
    """`complex(real, imag)`."""
    named = dict(zip(("real", "imag"), args, strict=False)) | kwargs
    if len(named) < len(args) + len(kwargs) or not named.keys() <= {"real", "imag"}:
        return _no_complex(machine, args, kwargs)
    real, imag = named.get("real"), named.get("imag")
    real = real if real is None else _known_text(machine, real)
    given = [v for v in (real, imag) if v is not None]
    known = constants(given)
    if known is not None and (real is not None or imag is None):
        return fold(machine, complex, *known)
    if any(issubclass(machine.type_of(v), str) for v in given):
        return _no_complex(machine, args, kwargs)
    parts = [None if v is None else _complex_part(machine, v) for v in (real, imag)]
    if parts[0] is None and real is not None or parts[1] is None and imag is not None:
        return _no_complex(machine, args, kwargs)
    first = device(machine, parts[0], complex) if parts[0] is not None else None
    if imag is None and first is not None:
        return scalar(machine, complex, first)
    assert parts[1] is not None
    second = device(machine, parts[1], complex)
    if first is None:
        first = constant(machine, 0, second)
    return scalar(machine, complex, machine.leaf(_complex_of, [first, second])[0])


def _no_complex(machine, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """What this CPython says of such arguments, which make no complex number."""
    given = [_like(machine, v) for v in args], {k: _like(machine, v) for k, v in kwargs.items()}
    return machine.raise_(TypeError, str(provoke(lambda: complex(*given[0], **given[1]))))


def _complex_of(real, imag):
    """`real + 1j * imag`, without making NaN of infinities."""
    return lax.complex(real.real - imag.imag, real.imag + imag.real)


def _like(machine, value: Value) -> Any:
    """A text for a text, a number for a number, and something of a class of that name for anything else."""
    cls = machine.type_of(value)
    if issubclass(cls, str):
        return "1"
    if any(hasattr(cls, name) for name in _MAKE_NUMBERS):
        return 1.0
    return stand_in(cls)


_MAKE_NUMBERS = ("__complex__", "__float__", "__index__")


def _complex_part(machine, value: Value) -> Value | None:
    """A number; None for what is none and cannot be made one."""
    if kind_of(value) is not None:
        return value
    var = number(machine, value)
    if var is not None:
        return scalar(machine, complex if var.type.dtype.kind == "c" else float, var)
    return _dunder(machine, value, *_MAKE_NUMBERS)


# -- abs, divmod, pow -------------------------------------------------------------------------------------------------


@registry.function(abs)
@registry.takes_mixed
def abs_(machine, value: Value, /) -> Value:
    """`abs(x)`."""
    if isinstance(value, MixedScalar):
        found = mixed.unary(machine, value, lambda v: abs_(machine, v))
        return found or unions.over_unions(machine, (value,), lambda v: abs_(machine, v))
    result = scalars.absolute(machine, value)
    if result is not None:
        overflow.guarded_negation(machine, value, result)
    if result is None and isinstance(value, JaxArray):
        result = machine.call(Const(jnp.abs), [value])
    elif result is None and is_numpy(value):
        result = machine.call(Const(np.absolute), [value])
    elif result is None:
        result = _dunder(machine, value, "__abs__")
    if result is None and isinstance(value, Const):
        return fold(machine, abs, value.value)
    if result is None:
        return machine.raise_(TypeError, f"bad operand type for abs(): '{kinds.shown(machine.type_of(value))}'")
    return result


@registry.function(divmod)
def divmod_(machine, left: Value, right: Value, /) -> Value:
    """`divmod(a, b)`."""
    one, two = kind_of(left), kind_of(right)
    if one is not None and two is not None:
        if isinstance(left, Const) and isinstance(right, Const):
            return Tuple(tuple(map(Const, fold(machine, divmod, left.value, right.value).value)))
        if complex in (one, two):
            return fold(machine, divmod, one(1), two(1))
        return _divmod_scalars(machine, left, right, float if float in (one, two) else int)
    if isinstance(left, JaxArray) or isinstance(right, JaxArray):
        return machine.call(Const(jnp.divmod), [left, right])
    classes = [machine.type_of(v) for v in (left, right)]
    of_complex = np.ndarray not in classes and any(issubclass(c, np.complexfloating) for c in classes)
    if (is_numpy(left) or is_numpy(right)) and not of_complex:
        return machine.call(Const(np.divmod), [left, right])
    for value, other, name in ((left, right, "__divmod__"), (right, left, "__rdivmod__")):
        if isinstance(value, Ref | Tuple) and defines(machine, machine.type_of(value), name):
            result = machine.call(machine.getattr(value, name), [other])
            if not (isinstance(result, Const) and result.value is NotImplemented):
                return result
    if isinstance(left, Const) and isinstance(right, Const):
        found = fold(machine, divmod, left.value, right.value)
        return Tuple(tuple(map(Const, found.value))) if isinstance(found, Const) else found
    names = [kinds.shown(cls) for cls in classes]
    message = f"unsupported operand type(s) for divmod(): '{names[0]}' and '{names[1]}'"
    return machine.raise_(TypeError, message)


def _divmod_scalars(machine, left: Value, right: Value, kind: type) -> Value:
    divisor = device(machine, right, kind)
    low, high = bounds_of(right) if kind is int else (0, 0)
    if isinstance(right, Const):
        check(machine, right.value == 0, _DIVMOD[kind])
    elif low <= 0 <= high:
        check(machine, machine.builder.elementwise("eq", divisor, constant(machine, 0, divisor)), _DIVMOD[kind])
    if kind is float:
        parts = machine.leaf(float_divmod, [device(machine, left, float), divisor])
        return Tuple(tuple(scalar(machine, float, p) for p in parts))
    return Tuple(tuple(floor_division(machine, symbol, left, right) for symbol in ("//", "%")))


@registry.function(pow)
def pow_(machine, base: Value, exp: Value, mod: Value = NONE) -> Value:
    """`pow(base, exp[, mod])`."""
    if is_none(mod):
        return machine.binary("**", base, exp)
    known = constants((base, exp, mod))
    if known is not None:
        return fold(machine, pow, *known)
    kinds = [kind_of(v) for v in (base, exp, mod)]
    if any(k not in (int, bool) for k in kinds):
        classes = [k for k in kinds if k is not None]
        if len(classes) < len(kinds):
            raise Refused("XP0004", "pow() with three arguments that are not Python ints")
        return fold(machine, pow, *(k(1) for k in classes))
    m = device(machine, mod, int)
    check(machine, machine.builder.elementwise("eq", m, constant(machine, 0, m)), _ZERO_MODULUS)
    negative = machine.truth(machine.compare("<", exp, Const(0)))
    if negative is False:
        return _power(machine, base, exp, mod)
    if negative is True:
        return _power_of_inverse(machine, base, exp, mod)
    return machine.cond(
        negative, lambda: _power_of_inverse(machine, base, exp, mod), lambda: _power(machine, base, exp, mod)
    )


def _power_of_inverse(machine, base: Value, exp: Value, mod: Value) -> Value:
    inverse = machine.call(Const(_inverse_modulo), [base, mod])
    return _power(machine, inverse, machine.binary("-", Const(0), exp), mod)


def _inverse_modulo(base, modulus):
    size = abs(modulus)
    if size == 1:
        return 0
    remainder, following, factor, next_factor = base % size, size, 1, 0
    while following:
        quotient = remainder // following
        remainder, following = following, remainder % following
        factor, next_factor = next_factor, factor - quotient * next_factor
    if remainder != 1:
        raise ValueError("base is not invertible for the given modulus")
    return factor % size


def _power(machine, base: Value, exp: Value, mod: Value) -> Value:
    """`pow(base, exp, mod)` of ints, the exponent not negative and the modulus not 0."""
    b, e, m = (device(machine, v, int) for v in (base, exp, mod))
    builder = machine.builder
    low, high = bounds_of(mod)
    most = math.isqrt(int_info(machine).max)
    if max(-low, high) > most:
        large = builder.elementwise("gt", builder.elementwise("abs", m), constant(machine, most, m))
        refuse_where(machine, large, "XP0004", f"pow() with a modulus beyond {most}")
    return scalar(machine, int, machine.leaf(_power_modulo, [b, e, m])[0], (0, high) if low > 0 else None)


def _power_modulo(base, exponent, modulus):
    """By squaring, with Python's sign of the modulus."""

    def body(i, state):
        result, square = state
        bit = (exponent >> i) & 1
        return jnp.where(bit == 1, jnp.mod(result * square, modulus), result), jnp.mod(square * square, modulus)

    modulus = jnp.where(modulus == 0, 1, modulus)
    first = jnp.mod(jnp.ones_like(base), modulus)
    return lax.fori_loop(0, np.iinfo(exponent.dtype).bits - 1, body, (first, jnp.mod(base, modulus)))[0]


# -- round ------------------------------------------------------------------------------------------------------------


@registry.function(round)
def round_(machine, number: Value, ndigits: Value = NONE) -> Value:
    """`round(number, ndigits)`: half to even, exactly as decimal text would be rounded."""
    kind = kind_of(number)
    if kind is complex:
        return fold(machine, round, 0j)
    if kind is None:
        return _round_other(machine, number, ndigits)
    if isinstance(number, Const) and isinstance(ndigits, Const):
        return fold(machine, round, number.value, ndigits.value)
    if is_none(ndigits):
        if kind is float:
            var = machine.leaf(jnp.round, [device(machine, number, float)])[0]
            return truncated(machine, var)
        return scalar(machine, int, device(machine, number, int), bounds_of(number))
    digits = int(machine.static(range_objects.index(machine, ndigits), "the digits to round to"))
    if kind is float:
        if abs(digits) > 22:
            raise Refused("XP0011", f"round() of a float to {digits} digits")
        function = _round_up_to if digits >= 0 else _round_down_to
        var = machine.leaf(function, [device(machine, number, float)], (10 ** abs(digits),))[0]
        return scalar(machine, float, var)
    if digits >= 0:
        return scalar(machine, int, device(machine, number, int), bounds_of(number))
    if digits < -18:
        return Const(0)
    return scalar(machine, int, machine.leaf(_round_int, [device(machine, number, int)], (10**-digits,))[0])


def _opaque(x, power):
    """A power of ten that XLA does not see to be constant: it would multiply by the reciprocal."""
    return jnp.where(jnp.isnan(x), x, float(power))


def _round_up_to(x, power):
    """`round(x, n)` for power = 10 ** n: the exact product decides where it lies half way."""
    scale = _opaque(x, power)
    product, rest = two_product(x, scale)
    below = jnp.floor(product)
    half = product - below == 0.5
    tie = jnp.where(rest == 0, jnp.round(product), jnp.where(rest > 0, below + 1, below))
    # the sum of a whole number and a small rest never crosses a half
    whole = jnp.where(half, tie, jnp.round(product))
    result = jnp.copysign(whole / scale, x)
    return jnp.where(jnp.abs(product) < 2.0**52, result, x)


def _round_down_to(x, power):
    """`round(x, -n)` for power = 10 ** n."""
    scale = _opaque(x, power)
    size = jnp.abs(x)
    rest = jnp.fmod(size, scale)
    count = (size - rest) / scale
    up = (rest > scale / 2) | ((rest == scale / 2) & (jnp.fmod(count, 2.0) == 1))
    return jnp.where(jnp.isfinite(x), jnp.copysign((count + up) * scale, x), x)


def _round_int(n, power):
    rest = jnp.mod(n, power)
    base = n - rest
    odd = jnp.mod(base // power, 2) == 1
    up = (rest * 2 > power) | ((rest * 2 == power) & odd)
    return jnp.where(up, base + power, base)


def _round_other(machine, value: Value, ndigits: Value) -> Value:
    if isinstance(value, JaxArray):
        return machine.call(Const(jnp.round), [value, Const(0) if is_none(ndigits) else ndigits])
    numpys = isinstance(value, NumpyScalar) or (isinstance(value, Const) and isinstance(value.value, np.generic))
    if numpys and defines(machine, machine.type_of(value), "__round__"):
        if is_none(ndigits):
            var = number(machine, value)
            assert var is not None
            return truncated(machine, var if var.type.dtype.kind in "iub" else machine.leaf(jnp.round, [var])[0])
        return machine.call(Const(np.round), [value, ndigits])
    if isinstance(value, Ref | Tuple) and defines(machine, machine.type_of(value), "__round__"):
        return machine.call(machine.getattr(value, "__round__"), [] if is_none(ndigits) else [ndigits])
    if isinstance(value, Const) and not isinstance(value.value, np.generic):
        return fold(machine, round, value.value, machine.static(ndigits))
    name = kinds.shown(machine.type_of(value))
    return machine.raise_(TypeError, f"type {name} doesn't define __round__ method")
