"""What an operation gives for known operands, where NumPy computes it bit for bit as the device would.

IEEE arithmetic is exact and rounded the same way everywhere, transcendental functions are not: those are left to XLA.
A function here takes the type of the result and the operands; None is an answer that is the device's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from xlapy.ir.core import TensorType

#: arrays of more elements are not looked into, and those that are made where they are emitted are smaller still
MOST_KNOWN, FEW = 64, 16

Evaluate = Callable[..., np.ndarray | None]


def is_small(type: TensorType) -> bool:
    """Whether a value is of few integers or booleans: what programs compute of shapes, and choose by."""
    return isinstance(type.dtype, np.dtype) and type.dtype.kind in "biu" and math.prod(type.shape) <= FEW


def exactly(ufunc: np.ufunc) -> Evaluate:
    """As the ufunc does, for every type."""
    return lambda result, *operands: np.asarray(ufunc(*operands), result.dtype)


def of_integers(ufunc: np.ufunc) -> Evaluate:
    """As the ufunc does, for integers only: zeros with signs and NaNs are the device's business."""
    return lambda result, *operands: np.asarray(ufunc(*operands), result.dtype) if result.dtype.kind in "iu" else None


def broadcast(result: TensorType, x: np.ndarray) -> np.ndarray:
    """By NumPy's rule."""
    return np.broadcast_to(x, result.shape).copy()


def select(result: TensorType, predicate: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """`x` where the predicate is true, and `y` elsewhere."""
    return np.where(predicate, x, y)


def convert(result: TensorType, x: np.ndarray) -> np.ndarray | None:
    """The same numbers of another type. What a device makes of NaN, and of floats that do not fit, is its own."""
    dtype = result.dtype
    if x.dtype.kind not in "biuf" or dtype.kind not in "biuf":
        return None
    if dtype.kind in "iu" and x.dtype.kind == "f":
        info = np.iinfo(dtype)
        if not np.all(np.isfinite(x) & (x >= float(info.min)) & (x < float(info.max))):
            return None
    return x.astype(dtype)


def divide(result: TensorType, x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """XLA's integer division truncates; by zero, and where the quotient overflows, it is left alone."""
    if result.dtype in (np.float32, np.float64):
        return np.asarray(np.divide(x, y), result.dtype)
    if result.dtype.kind not in "iu" or _is_undefined(x, y):
        return None
    quotient = np.floor_divide(x, y)
    return np.asarray(quotient + ((quotient < 0) & (quotient * y != x)).astype(result.dtype), result.dtype)


def remainder(result: TensorType, x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """What truncating division of integers leaves, which has the sign of the dividend."""
    if result.dtype.kind not in "iu" or _is_undefined(x, y):
        return None
    return np.asarray(np.fmod(x, y), result.dtype)


def _is_undefined(x: np.ndarray, y: np.ndarray) -> bool:
    return bool(np.any(y == 0) or (x.dtype.kind == "i" and np.any((y == -1) & (x == np.iinfo(x.dtype).min))))
