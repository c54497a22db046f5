"""Members of enumerations that data chooses: `Op(code[i])`."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import numpy as np

from xlapy.dispatch.containers import known_keys
from xlapy.dispatch.numbers.scalar_values import logical_not
from xlapy.dispatch.python import attributes
from xlapy.domain.values import NumpyScalar, Scalar, Value

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

_INT64 = np.dtype(np.int64)
#: members that are told apart
_MOST = 8


def member(machine: Machine, cls: type, value: Value) -> Value | None:
    """The member of an enumeration of a few integers that a number out of an array has; None for all else."""
    if not isinstance(value, Scalar | NumpyScalar) or machine.is_static(value) or value.var.type.dtype != _INT64:
        return None
    if machine.specialisable(value.var) or machine.unrolls(value.var):
        return None
    members = cls._value2member_map_
    if issubclass(cls, enum.Flag) or any("_missing_" in vars(c) and c is not enum.Enum for c in cls.__mro__):
        return None
    if not 1 < len(members) <= _MOST or not all(type(number) is int for number in members):
        return None
    known = {number: attributes.plain(machine, one) for number, one in members.items()}
    found, there = known_keys.find(machine, known, value)
    shown = "{}" if isinstance(value, Scalar) else "np.int64({})"
    number = Scalar(int, machine.builder.convert(value.var, _INT64, True))
    text = machine.message(f"{shown} is not a valid {cls.__qualname__}", number)
    machine.check(logical_not(machine, there), ValueError, text)
    return found
