"""Divisions of integers that round down: `primitives.floor_division`, with one division of numbers that are
not negative.

`-1 - x` is `x` with all bits inverted, and `floor(x / y)` is `-1 - floor((-1 - x) / y)`. A known divisor becomes a
product, which LLVM makes shorter for numbers of which it knows that they are not negative.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlapy.lowering.jaxprs.kernel_primitives import Kernel
from xlapy.lowering.llvm.scalar_instructions import RULES, select
from xlapy.lowering.llvm.text import Number, Text, known_int, literal, type_of
from xlapy.lowering.primitives.floor_division import QUOTIENT, REMAINDER


def _quotient(text: Text, x: Number, y: Number) -> Number:
    """Floor division; by zero it gives 0, and the smallest integer by -1 stays."""
    type, zero, known = type_of(x.dtype), literal(0, x.dtype), known_int(y)
    if known == 0:
        return zero
    if known is not None and known > 0:
        return _by_known(text, x, known)
    by_zero, safe = _safe(text, y)
    if x.dtype.kind == "u":
        return select(text, by_zero, zero, Number(x.dtype, (text.new(f"udiv {type} {x.name}, {safe.name}"),)))
    size, other, below = _sizes(text, x, y, safe)
    found = text.new(f"udiv {type} {size}, {other}")
    found = text.new(f"xor {type} {found}, {text.new(f'sext i1 {below} to {type}')}")
    return select(text, by_zero, zero, Number(x.dtype, (found,)))


def _remainder(text: Text, x: Number, y: Number) -> Number:
    """What that leaves, with the sign of the divisor; by zero it leaves 0."""
    type, zero, known = type_of(x.dtype), literal(0, x.dtype), known_int(y)
    if known == 0:
        return zero
    if known is not None and known > 0:
        return RULES["sub"](text, x, RULES["mul"](text, _by_known(text, x, known), y))
    by_zero, safe = _safe(text, y)
    if x.dtype.kind == "u":
        return select(text, by_zero, zero, Number(x.dtype, (text.new(f"urem {type} {x.name}, {safe.name}"),)))
    size, other, below = _sizes(text, x, y, safe)
    found = text.new(f"urem {type} {size}, {other}")
    # of -1 - x the remainder is what x lacks, less one
    lacking = text.new(f"sub {type} {text.new(f'sub {type} {other}, 1')}, {found}")
    found = Number(x.dtype, (text.new(f"select i1 {below}, {type} {lacking}, {type} {found}"),))
    return select(text, RULES["lt"](text, y, zero), RULES["neg"](text, found), found)


def _by_known(text: Text, x: Number, divisor: int) -> Number:
    """Floor division by a positive number."""
    type = type_of(x.dtype)
    if x.dtype.kind == "u":
        return Number(x.dtype, (text.new(f"udiv {type} {x.name}, {divisor}"),))
    sign = text.new(f"ashr {type} {x.name}, {8 * x.dtype.itemsize - 1}")
    size = text.new(f"xor {type} {x.name}, {sign}")
    size = text.new(f"and {type} {size}, {np.iinfo(x.dtype).max}")
    found = text.new(f"udiv {type} {size}, {divisor}")
    return Number(x.dtype, (text.new(f"xor {type} {found}, {sign}"),))


def _safe(text: Text, y: Number) -> tuple[Number, Number]:
    """Whether a divisor is zero, and one that is not."""
    by_zero = RULES["eq"](text, y, literal(0, y.dtype))
    return by_zero, select(text, by_zero, literal(1, y.dtype), y)


def _sizes(text: Text, x: Number, y: Number, safe: Number) -> tuple[str, str, str]:
    """Two numbers that are not negative, and whether the first one is of `-1 - x`, as the quotient is negative."""
    type, zero = type_of(x.dtype), literal(0, x.dtype)
    one, other = RULES["abs"](text, x).name, RULES["abs"](text, safe).name
    differ = RULES["lt"](text, RULES["bitwise_xor"](text, x, y), zero)
    below = RULES["bitwise_and"](text, differ, RULES["ne"](text, x, zero)).name
    return text.new(f"sub {type} {one}, {text.new(f'zext i1 {below} to {type}')}"), other, below


#: by the names of the functions
DIVISIONS: dict[Kernel, Callable[[Text, Number, Number], Number]] = {QUOTIENT: _quotient, REMAINDER: _remainder}

__all__ = ["DIVISIONS"]
