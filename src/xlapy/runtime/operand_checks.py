"""What a call asks about its operands where a program cannot take them."""

from __future__ import annotations

import numpy as np

_INT32, _INT64 = np.iinfo(np.int32), np.iinfo(np.int64)


class NewTypes(Exception):
    """The executable was called with operand types for which there is no program yet."""


def is_nested(error: ValueError) -> bool:
    """Whether JAX refuses to trace a program that has options of its own into another one."""
    return "compiler_options" in str(error) and "nested" in str(error)


def overflows(operands: tuple, narrow: bool) -> bool:
    """Whether a Python integer among the operands does not fit a device integer."""
    info = _INT32 if narrow else _INT64
    return any(type(x) is int and not info.min <= x <= info.max for x in operands)


def is_foreign(operands: tuple) -> bool:
    """Whether an array among the operands has a type that JAX does not take: dates, objects, a foreign byte order."""
    return any(
        isinstance(x, np.ndarray) and (x.dtype.char in "OSUMmgG" or x.dtype.names or not x.dtype.isnative)
        for x in operands
    )


__all__ = ["NewTypes", "is_foreign", "is_nested", "overflows"]
