"""Operators, attributes and methods of JAX arrays."""

from __future__ import annotations

import operator as python_operators
from typing import Any

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.jax.device_placement import PLACES, place
from xlapy.dispatch.jax.jax_functions import call
from xlapy.dispatch.numbers.scalar_values import python_int
from xlapy.dispatch.protocol import Machine
from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.domain.values import (
    Const,
    Intrinsic,
    JaxArray,
    NdArray,
    NumpyScalar,
    Scalar,
    Tuple,
    Value,
)

_BINARY = {
    "+": python_operators.add,
    "-": python_operators.sub,
    "*": python_operators.mul,
    "/": python_operators.truediv,
    "//": python_operators.floordiv,
    "%": python_operators.mod,
    "**": python_operators.pow,
    "@": python_operators.matmul,
    "<<": python_operators.lshift,
    ">>": python_operators.rshift,
    "&": python_operators.and_,
    "|": python_operators.or_,
    "^": python_operators.xor,
    "==": python_operators.eq,
    "!=": python_operators.ne,
    "<": python_operators.lt,
    "<=": python_operators.le,
    ">": python_operators.gt,
    ">=": python_operators.ge,
}
_UNARY = {"-": python_operators.neg, "+": python_operators.pos, "~": python_operators.invert}


def _member(item, container):
    return item in container


MEMBER = Intrinsic("in", lambda machine, item, container: call(machine, _member, [item, container], {}))


def operator(machine: Machine, symbol: str, left: Value, right: Value) -> Value | None:
    """An operator with a JAX array on one side."""
    plain = symbol if symbol in _BINARY else symbol[:-1]
    for value in (left, right):
        if not isinstance(value, JaxArray | NdArray | NumpyScalar | Scalar | Const):
            return None
        if isinstance(value, Const) and not isinstance(value.value, np.generic | bool | int | float | complex):
            return None
    return call(machine, _BINARY[plain], [left, right], {})


def unary(machine: Machine, symbol: str, value: JaxArray) -> Value:
    """A unary operator of a JAX array."""
    return call(machine, _UNARY[symbol], [value], {})


def getitem(machine: Machine, value: JaxArray, key: Value) -> Value:
    """`x[key]`; JAX clamps what is out of bounds."""
    return call(machine, python_operators.getitem, [value, key], {})


def setitem(machine: Machine, value: JaxArray, key: Value, item: Value) -> None:
    """JAX arrays are immutable: their own TypeError."""
    try:
        jnp.zeros(1)[0] = 1
    except TypeError as error:
        machine.reraise(error)


_STATIC = ("shape", "dtype", "ndim", "size", "weak_type", "nbytes", "itemsize", "aval")


def getattr_(machine: Machine, value: JaxArray, name: str) -> Value:
    """An attribute or bound method of a JAX array."""
    type_ = value.var.type
    match name:
        case "shape":
            return Tuple(tuple(map(Const, type_.shape)))
        case "dtype":
            return Const(type_.dtype)
        case "ndim":
            return Const(len(type_.shape))
        case "size":
            return Const(int(np.prod(type_.shape, dtype=np.int64)))
        case "__class__":
            return Const(jax.Array)
        case _ if name in PLACES and (found := place(machine, value, name)) is not None:
            return found
        case "at":
            return _At.of(machine, value)
        case "item" | "tolist" if type_.shape == ():
            return Intrinsic(name, lambda machine: _python_scalar(machine, value), (value,))
        case "block_until_ready" | "copy":
            return Intrinsic(name, lambda machine: value, (value,))
    probe = getattr(jax.Array, name, None)
    if probe is None:
        machine.raise_(AttributeError, f"'jaxlib._jax.ArrayImpl' object has no attribute '{name}'")
    if isinstance(probe, property) or not callable(probe):
        try:
            return call(machine, _attribute, [value, Const(name)], {})
        except AttributeError as error:
            # Where an array lies is not known in a program, as it is not under `jax.jit`.
            return machine.raise_(AttributeError, str(error).splitlines()[0])

    def method(inner: Machine, *args: Value, **kwargs: Value) -> Value:
        return call(inner, _method, [value, Const(name), *args], kwargs)

    return Intrinsic(name, method, (value,))


def _attribute(x, name):
    return getattr(x, name)


def _method(x, name, *args, **kwargs):
    return getattr(x, name)(*args, **kwargs)


def _python_scalar(machine: Machine, value: JaxArray) -> Value:
    kind = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[value.var.type.dtype.kind]
    var = python_int(machine, value.var) if kind is int else value.var
    return Scalar(kind, machine.builder.convert(var, SCALAR_DTYPES[kind], True))


class _At:
    """`x.at[index].set(values)` and its relatives."""

    @staticmethod
    def of(machine: Machine, value: JaxArray) -> Value:
        return machine.world.helper_instance(AtIndexer, array=value)


class AtIndexer:
    """What `x.at` is inside a program: an object whose subscript gives the update methods."""

    array: Any

    def __getitem__(self, index):
        return AtUpdate(self.array, index)


class AtUpdate:
    """`x.at[index]`: the methods that return an updated copy."""

    def __init__(self, array, index):
        self.array, self.index = array, index

    def set(self, values, **options):
        return at_set(self.array, self.index, "set", values, **options)

    def add(self, values, **options):
        return at_set(self.array, self.index, "add", values, **options)

    def subtract(self, values, **options):
        return at_set(self.array, self.index, "subtract", values, **options)

    def multiply(self, values, **options):
        return at_set(self.array, self.index, "multiply", values, **options)

    def divide(self, values, **options):
        return at_set(self.array, self.index, "divide", values, **options)

    def power(self, values, **options):
        return at_set(self.array, self.index, "power", values, **options)

    def min(self, values, **options):
        return at_set(self.array, self.index, "min", values, **options)

    def max(self, values, **options):
        return at_set(self.array, self.index, "max", values, **options)

    def get(self, **options):
        return at_get(self.array, self.index, **options)

    def apply(self, function, **options):
        return at_set(self.array, self.index, "apply", function, **options)


def at_set(array, index, method, values, **options):
    """A leaf: `array.at[index].method(values)`."""
    return getattr(array.at[index], method)(values, **options)


def at_get(array, index, **options):
    """A leaf: `array.at[index].get()`."""
    return array.at[index].get(**options)


at_set.__module__ = at_get.__module__ = "jax.xlapy"
