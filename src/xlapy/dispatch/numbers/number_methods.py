"""Attributes and methods of Python's int, float and complex."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
from jax import lax

from xlapy.dispatch import registry
from xlapy.dispatch.numbers import scalars
from xlapy.dispatch.numbers.number_functions import abs_, bool_, complex_, divmod_, float_, int_, round_
from xlapy.dispatch.numbers.scalar_values import COMPARISONS, device, provoke, scalar
from xlapy.dispatch.symbols import BINARY
from xlapy.domain.values import Const, Tuple, Value, number_var


@registry.attribute(complex, "real")
def _real(machine, self: Value) -> Value:
    if isinstance(self, Const):
        return Const(self.value.real)
    return scalar(machine, float, machine.leaf(lax.real, [number_var(self)])[0])


@registry.attribute(complex, "imag")
def _imag(machine, self: Value) -> Value:
    if isinstance(self, Const):
        return Const(self.value.imag)
    return scalar(machine, float, machine.leaf(lax.imag, [number_var(self)])[0])


@registry.method(complex, "conjugate")
def _conjugate(machine, self: Value) -> Value:
    if isinstance(self, Const):
        return Const(self.value.conjugate())
    return scalar(machine, complex, machine.leaf(lax.conj, [number_var(self)])[0])


@registry.attribute(int, "real", "numerator")
@registry.method(int, "conjugate", "__int__", "__index__", "__trunc__", "__floor__", "__ceil__", "__pos__")
@registry.attribute(float, "real")
@registry.method(float, "conjugate", "__float__", "__pos__")
def _itself(machine, self: Value) -> Value:
    return machine.unary("+", self)


@registry.attribute(int, "imag")
def _int_imag(machine, self: Value) -> Value:
    return Const(0)


@registry.attribute(int, "denominator")
def _denominator(machine, self: Value) -> Value:
    return Const(1)


@registry.attribute(float, "imag")
def _float_imag(machine, self: Value) -> Value:
    return Const(0.0)


@registry.method(int, "bit_length")
def _bit_length(machine, self: Value) -> Value:
    if isinstance(self, Const):
        return Const(int(self.value).bit_length())
    return scalar(machine, int, machine.leaf(_bits_of, [device(machine, self, int)])[0], (0, 64))


def _bits_of(n):
    return 64 - lax.clz(jnp.abs(n))


@registry.method(int, "bit_count")
def _bit_count(machine, self: Value) -> Value:
    if isinstance(self, Const):
        return Const(int(self.value).bit_count())
    return scalar(machine, int, machine.leaf(_ones_of, [device(machine, self, int)])[0], (0, 64))


def _ones_of(n):
    return lax.population_count(jnp.abs(n))


def _int_is_integer(machine, self: Value) -> Value:
    return Const(True)


if hasattr(int, "is_integer"):  # from Python 3.12 on
    registry.method(int, "is_integer")(_int_is_integer)


@registry.method(float, "is_integer")
def _is_integer(machine, self: Value) -> Value:
    if isinstance(self, Const):
        return Const(self.value.is_integer())
    builder, var = machine.builder, number_var(self)
    whole = builder.elementwise("eq", builder.elementwise("floor", var), var)
    return machine.boolean(builder.elementwise("bitwise_and", whole, builder.elementwise("is_finite", var)))


@registry.method(int, "as_integer_ratio")
def _ratio(machine, self: Value) -> Value:
    return Tuple((machine.unary("+", self), Const(1)))


_SPECIAL = {name: symbol for symbol, name in BINARY.items()}
_COMPARING = dict(zip(("eq", "ne", "lt", "le", "gt", "ge"), COMPARISONS, strict=True))


def _special_method(takes: tuple[type, ...], symbol: str, reflected: bool):
    """A special method that takes numbers of some classes, and declines others."""

    def rule(machine, self: Value, other: Value) -> Value:
        if not issubclass(machine.type_of(other), takes):
            return Const(NotImplemented)
        pair = (other, self) if reflected else (self, other)
        result = scalars.binary(machine, symbol, *pair)
        return Const(NotImplemented) if result is None else result

    return rule


_TAKES = {int: (int,), float: (int, float), complex: (int, float, complex)}
for _cls in (int, float, complex):
    for _name, _symbol in {**_SPECIAL, **_COMPARING}.items():
        if hasattr(_cls, f"__{_name}__"):
            registry.method(_cls, f"__{_name}__")(_special_method(_TAKES[_cls], _symbol, False))
        if hasattr(_cls, f"__r{_name}__"):
            registry.method(_cls, f"__r{_name}__")(_special_method(_TAKES[_cls], _symbol, True))
    registry.method(_cls, "__neg__")(lambda machine, self: machine.unary("-", self))
    registry.method(_cls, "__abs__")(lambda machine, self: abs_(machine, self))
    registry.method(_cls, "__bool__")(lambda machine, self: bool_(machine, self))
registry.method(int, "__invert__")(lambda machine, self: machine.unary("~", self))
registry.method(int, "__float__")(lambda machine, self: float_(machine, self))
registry.method(float, "__int__")(lambda machine, self: int_(machine, self))
for _cls in (int, float):
    registry.method(_cls, "__round__")(round_)
    registry.method(_cls, "__divmod__")(divmod_)


def _from_number(cls: type, convert: Callable[..., Value]) -> Callable[..., Value]:
    def rule(machine, number: Value, /) -> Value:
        kind = machine.type_of(number)
        if issubclass(kind, str | bytes | bytearray) or not any(hasattr(kind, name) for name in _CONVERSIONS[cls]):
            message = str(provoke(cls.from_number, object())).replace("object", kind.__name__)
            return machine.raise_(TypeError, message)
        return convert(machine, number)

    return rule


_CONVERSIONS = {float: ("__float__", "__index__"), complex: ("__complex__", "__float__", "__index__")}
for _cls, _convert in ((float, float_), (complex, complex_)):
    if hasattr(_cls, "from_number"):
        registry.method(_cls, "from_number")(_from_number(_cls, _convert))
