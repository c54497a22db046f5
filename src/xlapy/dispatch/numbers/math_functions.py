"""The `math` module for floats: results as C's libm gives them, errors and messages as this CPython has them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
from jax import lax

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.numbers.number_functions import number, real_part, truncated
from xlapy.dispatch.numbers.scalar_values import (
    bounds_of,
    check,
    constant,
    defines,
    device,
    fold,
    kind_of,
    of_special,
    provoke,
    scalar,
    surviving,
)
from xlapy.domain.values import Const, NdArray, Ref, Tuple, Value
from xlapy.ir import Var
from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.numeric import error_free_transformations, exact_integer_results, float_bits

_HUGE = 1e308


# -- arguments and errors ---------------------------------------------------------------------------------------------


def real(machine, value: Value) -> Var:
    """An argument of a `math` function as a float64 on the device."""
    kind = kind_of(value)
    if kind is complex:
        machine.raise_(TypeError, *provoke(math.sqrt, 1j).args)
    if kind is not None:
        return device(machine, value, float)
    var = number(machine, value)
    if var is not None:
        return machine.builder.convert(real_part(machine, value, var, math.sqrt), np.dtype(np.float64), True)
    if isinstance(value, Ref):
        for name in ("__float__", "__index__"):
            if defines(machine, machine.type_of(value), name):
                return real(machine, of_special(machine, value, name, machine.call(machine.getattr(value, name), [])))
    name = kinds.shown(machine.type_of(value))
    machine.raise_(TypeError, f"must be real number, not {name}")
    raise AssertionError


def known(machine, args: Sequence[Value]) -> list | None:
    """The numbers that the arguments are, if all are known."""
    return [machine.static(a) for a in args] if all(map(machine.is_static, args)) else None


class Failure:
    """An exception that a function of this CPython raises; its message may show the argument, and be another one where
    that is an int."""

    def __init__(self, function: Callable, *sample: Any) -> None:
        self.cls = type(provoke(function, *sample))
        self._of_floats = _message(function, *sample)
        self._of_ints = self._of_floats
        if len(sample) == 1 and isinstance(sample[0], float) and math.isfinite(sample[0]):
            self._of_ints = _message(function, math.floor(sample[0]))

    def check(self, machine, bad: Var | bool, value: Value) -> None:
        """Raise it where `bad` is true."""
        args, shown = self._of_ints if kind_of(value) in (int, bool) else self._of_floats
        if shown is not None:
            value = scalar(machine, float, real(machine, value)) if shown is float else value
            args = (machine.message(args[0], value),)
        machine.check(bad, self.cls, *args)


def _message(function: Callable, *sample: Any) -> tuple[tuple, type | None]:
    """The arguments of the exception. If it shows the function's argument, they are a template, and the second result
    says as what it is shown."""
    args = provoke(function, *sample).args
    if len(args) == 1 and isinstance(args[0], str):
        kinds = (float, type(sample[0])) if isinstance(sample[0], int | float) else (type(sample[0]),)
        for as_type in kinds:
            head, shown, tail = args[0].partition(repr(as_type(sample[0])))
            if shown:
                return (head.replace("{", "{{") + "{!r}" + tail.replace("{", "{{"),), as_type
    return args, None


def _not(machine, flag: Var) -> Var:
    return machine.builder.elementwise("bitwise_not", flag)


def _and(machine, *flags: Var) -> Var:
    result = flags[0]
    for flag in flags[1:]:
        result = machine.builder.elementwise("bitwise_and", result, flag)
    return result


def is_nan(machine, var: Var) -> Var:
    """Where a float is NaN."""
    return machine.builder.elementwise("ne", var, var)


def is_infinite(machine, var: Var) -> Var:
    """Where a float is an infinity."""
    return _and(
        machine, _not(machine, machine.builder.elementwise("is_finite", var)), _not(machine, is_nan(machine, var))
    )


# -- functions of one float -------------------------------------------------------------------------------------------

#: name -> (element-wise kind or JAX function, argument for which the result is NaN, finite argument for which it is
#: infinite); None where there is no such argument
_UNARY: dict[str, tuple[object, float | None, float | None]] = {
    "acos": ("acos", 2.0, None),
    "acosh": ("acosh", 0.5, None),
    "asin": ("asin", 2.0, None),
    "asinh": ("asinh", None, None),
    "atan": ("atan", None, None),
    "atanh": ("atanh", 2.0, 1.0),
    "cbrt": (jnp.cbrt, None, None),
    "cos": ("cos", math.inf, None),
    "cosh": ("cosh", None, 1000.0),
    "erf": (special.erf, None, None),
    "erfc": (special.erfc, None, None),
    "exp": ("exp", None, 1000.0),
    "exp2": (exact_integer_results.exp2, None, 2000.0),
    "expm1": ("expm1", None, 1000.0),
    "fabs": ("abs", None, None),
    "log10": (exact_integer_results.log10, -1.0, 0.0),
    "log1p": ("log1p", -2.0, -1.0),
    "log2": (exact_integer_results.log2, -1.0, 0.0),
    "sin": ("sin", math.inf, None),
    "sinh": ("sinh", None, 1000.0),
    "sqrt": ("sqrt", -1.0, None),
    "tan": ("tan", math.inf, None),
    "tanh": ("tanh", None, None),
}


def _apply(machine, how: Any, *vars_: Var) -> Var:
    if isinstance(how, str):
        return machine.builder.elementwise(how, *vars_)
    return machine.leaf(how, vars_)[0]


def power_of_two(exponent):
    """2 ** exponent, exactly, for ints from -1022 to 1023."""
    return lax.bitcast_convert_type((exponent.astype(jnp.int64) + 1023) << 52, jnp.float64)


def _unary_rule(name: str, how: Any, nan: float | None, infinite: float | None) -> Callable[..., Value]:
    function = getattr(math, name)
    invalid = Failure(function, nan) if nan is not None else None
    overflow = Failure(function, infinite) if infinite is not None else None

    def rule(machine, x: Value, /) -> Value:
        given = known(machine, [x])
        if given is not None:
            return fold(machine, function, *given)
        var = real(machine, x)
        result = _apply(machine, how, var)
        if invalid is not None:
            invalid.check(machine, _and(machine, is_nan(machine, result), _not(machine, is_nan(machine, var))), x)
        if overflow is not None:
            finite = machine.builder.elementwise("is_finite", var)
            overflow.check(machine, _and(machine, is_infinite(machine, result), finite), x)
        return scalar(machine, float, result)

    return rule


for _name, (_how, _nan, _infinite) in _UNARY.items():
    if hasattr(math, _name):
        registry.function(getattr(math, _name))(_unary_rule(_name, _how, _nan, _infinite))


_LOG_INVALID, _LOG_ZERO = Failure(math.log, -1.0), Failure(math.log, 0.0)
_LOG_BASE_ONE = provoke(math.log, 2.0, 1.0)


@registry.function(math.log)
def log(machine, x: Value, base: Value | None = None, /) -> Value:
    """`math.log(x[, base])`."""
    given = known(machine, [x] if base is None else [x, base])
    if given is not None:
        return fold(machine, math.log, *given)
    result = _logarithm(machine, x)
    if base is None:
        return scalar(machine, float, result)
    divisor = _logarithm(machine, base)
    check(machine, machine.builder.elementwise("eq", divisor, constant(machine, 0.0, divisor)), _LOG_BASE_ONE)
    return scalar(machine, float, machine.builder.elementwise("div", result, divisor))


def _logarithm(machine, x: Value) -> Var:
    var = real(machine, x)
    zero = constant(machine, 0.0, var)
    _LOG_INVALID.check(machine, machine.builder.elementwise("lt", var, zero), x)
    _LOG_ZERO.check(machine, machine.builder.elementwise("eq", var, zero), x)
    return machine.builder.elementwise("log", var)


_GAMMA_POLE, _GAMMA_OVERFLOW = Failure(math.gamma, -1.0), Failure(math.gamma, 1000.0)
_GAMMA_ZERO, _GAMMA_INFINITE = Failure(math.gamma, 0.0), Failure(math.gamma, -math.inf)
_LGAMMA_POLE, _LGAMMA_OVERFLOW = Failure(math.lgamma, -1.0), Failure(math.lgamma, 1.7e308)


def _gamma(x):
    """Gamma away from its poles: the factorials of whole numbers exactly."""
    table_ = jnp.array([math.gamma(n) if n else math.inf for n in range(24)], x.dtype)
    whole = (x == jnp.floor(x)) & (x > 0) & (x < 24)
    place = jnp.where(whole, x, 1.0).astype(jnp.int32)
    gamma = special.gamma(x)
    return differentiated_as(jnp.where(whole, table_[place], jnp.where(x == jnp.inf, jnp.inf, gamma)), gamma)


def _pole(x):
    return (x < 0) & (x == jnp.floor(x)) & jnp.isfinite(x)


@registry.function(math.gamma)
def gamma(machine, x: Value, /) -> Value:
    """`math.gamma(x)`."""
    given = known(machine, [x])
    if given is not None:
        return fold(machine, math.gamma, *given)
    var = real(machine, x)
    _GAMMA_POLE.check(machine, machine.leaf(_pole, [var])[0], x)
    _GAMMA_ZERO.check(machine, machine.builder.elementwise("eq", var, constant(machine, 0.0, var)), x)
    _GAMMA_INFINITE.check(machine, machine.builder.elementwise("eq", var, constant(machine, -math.inf, var)), x)
    result = machine.leaf(_gamma, [var])[0]
    finite = machine.builder.elementwise("is_finite", var)
    _GAMMA_OVERFLOW.check(machine, _and(machine, is_infinite(machine, result), finite), x)
    return scalar(machine, float, result)


@registry.function(math.lgamma)
def lgamma(machine, x: Value, /) -> Value:
    """`math.lgamma(x)`."""
    given = known(machine, [x])
    if given is not None:
        return fold(machine, math.lgamma, *given)
    var = real(machine, x)
    pole = machine.leaf(_nonpositive_whole, [var])[0]
    _LGAMMA_POLE.check(machine, pole, x)
    result = machine.leaf(special.gammaln, [var])[0]
    finite = _and(machine, machine.builder.elementwise("is_finite", var), _not(machine, pole))
    _LGAMMA_OVERFLOW.check(machine, _and(machine, is_infinite(machine, result), finite), x)
    return scalar(machine, float, result)


def _nonpositive_whole(x):
    return (x <= 0) & (x == jnp.floor(x)) & jnp.isfinite(x)


def _plain(function: Callable, how: Callable, results: Sequence[type] = (float,)) -> None:
    """Register a function that never raises: `how` on the arguments as floats."""

    def rule(machine, *args: Value) -> Value:
        given = known(machine, args)
        if given is not None:
            found = fold(machine, function, *given)
            return found if len(results) == 1 else Tuple(tuple(map(Const, found.value)))
        vars_ = machine.leaf(how, [real(machine, a) for a in args])
        made = [scalar(machine, kind, var) for kind, var in zip(results, vars_, strict=True)]
        return made[0] if len(made) == 1 else Tuple(tuple(made))

    registry.function(function)(rule)


def _frexp(x):
    mantissa, exponent = float_bits.frexp(x)
    return differentiated_as(mantissa, jnp.frexp(x)[0]), exponent.astype(jnp.int64)


def _modf(x):
    whole = jnp.trunc(x)
    fraction = jnp.where(jnp.isinf(x), 0.0, x - whole)
    return differentiated_as(jnp.copysign(fraction, x), fraction), whole


def _ulp(x):
    """The gap to the next larger magnitude; of the largest float, to the one before it."""
    return jnp.where(jnp.isinf(x), jnp.inf, float_bits.gap(x))


_plain(math.isnan, jnp.isnan, (bool,))
_plain(math.isinf, jnp.isinf, (bool,))
_plain(math.isfinite, jnp.isfinite, (bool,))
_plain(math.degrees, lambda x: x * (180.0 / math.pi))
_plain(math.radians, lambda x: x * (math.pi / 180.0))
_plain(math.frexp, _frexp, (float, int))
_plain(math.modf, _modf, (float, float))
_plain(math.ulp, _ulp)
_plain(math.copysign, jnp.copysign)
_plain(math.atan2, jnp.arctan2)


# -- functions of two floats ------------------------------------------------------------------------------------------


def _binary_args(machine, function: Callable, x: Value, y: Value) -> tuple[Value | None, list[Var]]:
    given = known(machine, [x, y])
    if given is not None:
        return fold(machine, function, *given), []
    return None, [real(machine, x), real(machine, y)]


_POW_FRACTION, _POW_ZERO = Failure(math.pow, -1.5, 0.5), Failure(math.pow, 0.0, -1.0)
_POW_OVERFLOW = Failure(math.pow, 10.0, 400.0)


@registry.function(math.pow)
def pow_(machine, x: Value, y: Value, /) -> Value:
    """`math.pow(x, y)`."""
    folded, vars_ = _binary_args(machine, math.pow, x, y)
    if folded is not None:
        return folded
    result = machine.builder.elementwise("pow", *vars_)
    finite = _and(machine, *(machine.builder.elementwise("is_finite", v) for v in vars_))
    zero = machine.builder.elementwise("eq", vars_[0], constant(machine, 0.0, vars_[0]))
    _POW_FRACTION.check(machine, _and(machine, is_nan(machine, result), finite), x)
    infinite = _and(machine, is_infinite(machine, result), finite)
    _POW_ZERO.check(machine, _and(machine, infinite, zero), x)
    _POW_OVERFLOW.check(machine, _and(machine, infinite, _not(machine, zero)), x)
    return scalar(machine, float, result)


_FMOD = Failure(math.fmod, 1.5, 0.0)
_REMAINDER = Failure(math.remainder, 1.5, 0.0)


def _remainder(x, y):
    """IEEE 754 remainder, as CPython's `m_remainder` for finite numbers."""
    ax, ay = jnp.abs(x), jnp.abs(y)
    m = jnp.fmod(ax, ay)
    c = ay - m
    r = jnp.where(m < c, m, jnp.where(m > c, -c, m - 2.0 * jnp.fmod(0.5 * (ax - m), ay)))
    result = jnp.copysign(1.0, x) * r
    result = jnp.where(jnp.isinf(y) & jnp.isfinite(x), x, result)
    return jnp.where(jnp.isnan(x) | jnp.isnan(y), x + y, result)


def _division_rule(function: Callable, how: Callable, failure: Failure) -> None:
    def rule(machine, x: Value, y: Value, /) -> Value:
        folded, vars_ = _binary_args(machine, function, x, y)
        if folded is not None:
            return folded
        result = machine.leaf(how, vars_)[0]
        numbers = [_not(machine, is_nan(machine, v)) for v in vars_]
        failure.check(machine, _and(machine, is_nan(machine, result), *numbers), x)
        return scalar(machine, float, result)

    registry.function(function)(rule)


def _fmod(x, y):
    return jnp.where(jnp.isinf(y) & jnp.isfinite(x), x, jnp.fmod(x, y))


_division_rule(math.fmod, _fmod, _FMOD)
_division_rule(math.remainder, _remainder, _REMAINDER)

_LDEXP_OVERFLOW = Failure(math.ldexp, 1.5, 5000)


def _ldexp(x, exponent):
    return differentiated_as(float_bits.ldexp(x, exponent), jnp.ldexp(x, exponent))


@registry.function(math.ldexp)
def ldexp(machine, x: Value, i: Value, /) -> Value:
    """`math.ldexp(x, i)`."""
    given = known(machine, [x, i])
    if given is not None:
        return fold(machine, math.ldexp, *given)
    if kind_of(i) not in (int, bool):
        machine.raise_(TypeError, *provoke(math.ldexp, 1.0, 1.0).args)
    var = real(machine, x)
    result = machine.leaf(_ldexp, [var, device(machine, i, int)])[0]
    finite = machine.builder.elementwise("is_finite", var)
    _LDEXP_OVERFLOW.check(machine, _and(machine, is_infinite(machine, result), finite), x)
    return scalar(machine, float, result)


@registry.function(math.nextafter)
def nextafter(machine, x: Value, y: Value, /, *, steps: Value | None = None) -> Value:
    """`math.nextafter(x, y)`."""
    given = known(machine, [x, y])
    if given is not None or steps is not None:
        extra = {} if steps is None else {"steps": machine.static(steps)}
        return fold(machine, math.nextafter, machine.static(x), machine.static(y), **extra)
    return scalar(machine, float, machine.builder.elementwise("nextafter", real(machine, x), real(machine, y)))


def _isclose(a, b, relative, absolute):
    gap = jnp.abs(b - a)
    close = (gap <= jnp.abs(relative * b)) | (gap <= jnp.abs(relative * a)) | (gap <= absolute)
    return (a == b) | (close & jnp.isfinite(a) & jnp.isfinite(b))


_TOLERANCE = provoke(lambda: math.isclose(1, 1, rel_tol=-1))


@registry.function(math.isclose)
def isclose(machine, a: Value, b: Value, *, rel_tol: Value = Const(1e-9), abs_tol: Value = Const(0.0)) -> Value:  # noqa: B008
    """`math.isclose(a, b, rel_tol=..., abs_tol=...)`."""
    given = known(machine, [a, b, rel_tol, abs_tol])
    if given is not None:
        return fold(machine, lambda x, y, r, s: math.isclose(x, y, rel_tol=r, abs_tol=s), *given)
    vars_ = [real(machine, v) for v in (a, b, rel_tol, abs_tol)]
    for var in vars_[2:]:
        check(machine, machine.builder.elementwise("lt", var, constant(machine, 0.0, var)), _TOLERANCE)
    return machine.boolean(machine.leaf(_isclose, vars_)[0])


_FMA: Any = getattr(math, "fma", None)


if _FMA is not None:
    _FMA_INVALID, _FMA_OVERFLOW = Failure(_FMA, math.inf, 0.0, 1.0), Failure(_FMA, 1e300, 1e300, 1.0)

    @registry.function(_FMA)
    def fma(machine, x: Value, y: Value, z: Value, /) -> Value:
        """`math.fma(x, y, z)`."""
        given = known(machine, [x, y, z])
        if given is not None:
            return fold(machine, _FMA, *given)
        vars_ = [real(machine, v) for v in (x, y, z)]
        result = machine.leaf(error_free_transformations.fma, vars_)[0]
        numbers = [_not(machine, is_nan(machine, v)) for v in vars_]
        finite = [machine.builder.elementwise("is_finite", v) for v in vars_]
        _FMA_INVALID.check(machine, _and(machine, is_nan(machine, result), *numbers), x)
        _FMA_OVERFLOW.check(machine, _and(machine, is_infinite(machine, result), *finite), x)
        return scalar(machine, float, result)


# -- whole numbers of floats ------------------------------------------------------------------------------------------


def _whole(function: Callable, kind: str | None, special_name: str) -> None:
    def rule(machine, x: Value, /) -> Value:
        given = known(machine, [x])
        if given is not None:
            return fold(machine, function, *given)
        if kind_of(x) in (int, bool):
            return scalar(machine, int, device(machine, x, int), bounds_of(x))
        if function is math.trunc and not defines(machine, machine.type_of(x), special_name):
            name = kinds.shown(machine.type_of(x))
            return machine.raise_(TypeError, f"type {name} doesn't define {special_name} method")
        if isinstance(x, Ref | Tuple) and defines(machine, machine.type_of(x), special_name):
            return machine.call(machine.getattr(x, special_name), [])
        if kind_of(x) is None and not isinstance(x, NdArray):
            var = number(machine, x)
            if var is not None and var.type.dtype.kind in "iub":
                return scalar(machine, int, var, getattr(x, "bounds", None))
        return truncated(machine, real(machine, x), kind)

    registry.function(function)(rule)


_whole(math.floor, "floor", "__floor__")
_whole(math.ceil, "ceil", "__ceil__")
_whole(math.trunc, None, "__trunc__")


for _function in vars(math).values():
    _rule = registry.find_function(_function)
    if _rule is not None:
        registry.function(_function)(surviving(_rule))
