"""What operations give for known operands, and which of it becomes a constant where it is emitted.

Only what gives bit for bit what the device would give: IEEE arithmetic is exact and rounded the same way everywhere,
transcendental functions are not, so those are left to XLA.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from xlapy.ir.core import TensorType
from xlapy.ir.exact import EXACT, OF_INTEGERS

#: arrays of more elements are not looked into, and those that are made where they are emitted are smaller still
MOST_KNOWN, FEW = 64, 16


def is_small(type: TensorType) -> bool:
    """Whether a value is of few integers or booleans: what programs compute of shapes, and choose by."""
    return isinstance(type.dtype, np.dtype) and type.dtype.kind in "biu" and math.prod(type.shape) <= FEW


def computed(kind: str, values: Sequence[np.ndarray], result: TensorType) -> np.ndarray | None:
    """The value of an operation without regions, of known operands; None where that is not for NumPy to say."""
    with np.errstate(all="ignore"):
        if kind == "broadcast":
            return np.broadcast_to(values[0], result.shape).copy()
        if kind == "convert":
            return converted(values[0], result.dtype)
        if kind == "select":
            return np.where(values[0], values[1], values[2])
        if kind in EXACT:
            return np.asarray(EXACT[kind](*values), result.dtype)
        if result.dtype.kind in "iu":
            if kind in OF_INTEGERS:
                return np.asarray(OF_INTEGERS[kind](*values), result.dtype)
            if kind in ("div", "rem"):
                return _divided(kind, values[0], values[1], result.dtype)
        if kind == "div" and result.dtype in (np.float32, np.float64):
            return np.asarray(np.divide(values[0], values[1]), result.dtype)
    return None


def converted(value: np.ndarray, dtype: np.dtype) -> np.ndarray | None:
    """A known array as another type."""
    if value.dtype.kind not in "biuf" or dtype.kind not in "biuf":
        return None
    if dtype.kind in "iu" and value.dtype.kind == "f":
        info = np.iinfo(dtype)
        # What a device makes of NaN and of what does not fit is its own.
        if not np.all(np.isfinite(value) & (value >= float(info.min)) & (value < float(info.max))):
            return None
    return value.astype(dtype)


def _divided(kind: str, x: np.ndarray, y: np.ndarray, dtype: np.dtype) -> np.ndarray | None:
    """XLA's integer division truncates; by zero, and where the quotient overflows, it is left alone."""
    if np.any(y == 0) or (dtype.kind == "i" and np.any((y == -1) & (x == np.iinfo(dtype).min))):
        return None
    quotient = np.floor_divide(x, y)
    quotient = quotient + ((quotient < 0) & (quotient * y != x)).astype(dtype)
    return np.asarray(quotient if kind == "div" else x - quotient * y, dtype)
