"""`math.fsum`, whose result is rounded once, and `math.sumprod`, which keeps what floats lose when added.

Both are loops in Python over the items; what they do with an item is arithmetic of the device.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.numbers.math_functions import real
from xlapy.dispatch.numbers.scalar_values import scalar
from xlapy.domain.values import NdArray, Tuple, Value
from xlapy.lowering.numeric import error_free_transformations


def _pieces(x) -> Any:
    """See `lowering.numeric.error_free_transformations.pieces`."""


def _rounded(words, near) -> Any:
    """See `lowering.numeric.error_free_transformations.rounded`."""


def _add_product(x, y, high, low, tiny) -> Any:
    """See `lowering.numeric.error_free_transformations.add_product`."""


@registry.function(_pieces)
def _pieces_rule(machine, x: Value) -> Value:
    return Tuple(tuple(map(machine.numpy_result, machine.leaf(error_free_transformations.pieces, [real(machine, x)]))))


@registry.function(_rounded)
def _rounded_rule(machine, words: NdArray, near: Value) -> Value:
    return scalar(
        machine, float, machine.leaf(error_free_transformations.rounded, [machine.read(words), real(machine, near)])[0]
    )


@registry.function(_add_product)
def _add_product_rule(machine, *given: Value) -> Value:
    parts = machine.leaf(error_free_transformations.add_product, [real(machine, v) for v in given])
    return Tuple(tuple(scalar(machine, float, part) for part in parts))


@registry.replacement(math.fsum)
def _fsum(seq):
    """Infinities and NaN are added apart, and begin the sum anew."""
    words = np.zeros(error_free_transformations.WORDS, np.int64)
    total = special = infinite = 0.0
    for item in seq:
        if not hasattr(item, "__float__") and not hasattr(item, "__index__"):
            raise TypeError(f"must be real number, not {type(item).__name__}")
        item = float(item)
        if not math.isfinite(item):
            special = special + item
            if math.isinf(item):
                infinite = infinite + item
            total = item = 0.0
            words[:] = 0
        total = total + item
        if not math.isfinite(total):
            raise OverflowError("intermediate overflow in fsum")
        place, first, second, third = _pieces(item)
        words[place] += first
        words[place + 1] += second
        words[place + 2] += third
    if math.isnan(infinite):
        raise ValueError("-inf + inf in fsum")
    return special if special != 0.0 else _rounded(words, total)


_NOTHING: Any = object()


def _pairs(p, q) -> Any:
    if hasattr(p, "__len__") and hasattr(q, "__len__"):
        if len(p) != len(q):
            raise ValueError("Inputs are not the same length")
        return zip(p, q)  # noqa: B905
    return _pairs_of_iterators(p, q)


def _pairs_of_iterators(p, q) -> Any:
    others = iter(q)
    for a in p:
        b = next(others, _NOTHING)
        if b is _NOTHING:
            raise ValueError("Inputs are not the same length")
        yield a, b
    if next(others, _NOTHING) is not _NOTHING:
        raise ValueError("Inputs are not the same length")


def _in_one(high, low, tiny):
    near = low + high
    part = near - low
    return tiny + ((low - (near - part)) + (high - part)) + near


def _sumprod(p, q, /):
    """Products of floats, or of a float and an int, are kept in three parts, until another comes or one overflows."""
    total, high, low, tiny = 0, 0.0, 0.0, 0.0
    in_parts, ended = False, False
    for a, b in _pairs(p, q):
        floats = type(a) is float and type(b) in (float, int, bool) or type(b) is float and type(a) in (int, bool)
        if floats and not ended:
            found = _add_product(a, b, high, low, tiny)
            if math.isfinite(found[0]):
                total, in_parts = total + 0.0, True
                high, low, tiny = found
                continue
        if floats or in_parts or not (type(a) is int and type(b) is int):
            if in_parts:
                total = total + _in_one(high, low, tiny)
            in_parts, ended = False, True
            high = low = tiny = 0.0
        total = total + a * b
    return total + _in_one(high, low, tiny) if in_parts else total


#: from Python 3.12 on
_SUMPROD = getattr(math, "sumprod", None)
if _SUMPROD is not None:
    registry.replacement(_SUMPROD)(_sumprod)
