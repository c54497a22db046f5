"""Convolutions of vectors (`primitives.vector_convolution`): a few numbers of the shorter one at a time are multiplied
with all of the longer one."""

from __future__ import annotations

from collections.abc import Sequence

from xlapy.lowering.llvm.bufferisation import Array, put
from xlapy.lowering.llvm.lazy_arrays import (
    Place,
    Room,
    Value,
    bounded,
    counted,
    dtype_of,
    element,
    is_view,
    over,
    shape_of,
)
from xlapy.lowering.llvm.scalar_instructions import RULES, any_order
from xlapy.lowering.llvm.text import Number, Text, literal, plus

#: numbers that are multiplied at a time
_TOGETHER = 8


def convolved(text: Text, room: Room, mode: str, length: int, operands: Sequence[Value]) -> Value:
    """The convolution of two vectors, of which the second is not longer: so many numbers."""
    x, y = (v if is_view(v) else room.kept(v) for v in operands)
    m, dtype = 1 if isinstance(y, Number) else shape_of(y)[0], dtype_of(x)
    bounded(text, (length,), x)
    if mode != "valid":
        x = _between_zeros(text, room, x, m - 1)
    first = {"full": 0, "same": (m - 1) // 2, "valid": 0}[mode]
    found = room.made(dtype, (length,))

    def add(start: str, count: int, is_new: bool) -> None:
        """Add the products with so many numbers of the second vector, which is read from its end."""
        factors = []
        for k in range(count):
            index = plus(text, start, str(k))
            last = text.new(f"sub nsw i64 {m - 1}, {index}") if index.startswith("%") else str(m - 1 - int(index))
            factors.append(element(text, y, (last,)))

        def visit(at: Place, numbers: list) -> list:
            total = None if is_new else element(text, Array(found, found.version), at)
            for k, factor in enumerate(factors):
                place = plus(text, plus(text, at[0], start), str(first + k))
                product = RULES["mul"](text, element(text, x, (place,)), factor)
                total = product if total is None else _sum(text, total, product)
            put(text, found, total or literal(0, dtype), at)
            return []

        over(text, (length,), [], visit)

    rest = m % _TOGETHER or _TOGETHER
    add("0", rest, True)
    if m > rest:

        def iteration(k: str, numbers: list) -> list:
            start = text.new(f"mul nsw i64 {k}, {_TOGETHER}") if k.startswith("%") else str(int(k) * _TOGETHER)
            add(plus(text, start, str(rest)), _TOGETHER, False)
            return []

        counted(text, (m - rest) // _TOGETHER, [], iteration)
    return found.change()


def _between_zeros(text: Text, room: Room, x: Value, count: int) -> Array:
    """A vector between so many zeros."""
    (n,), dtype = shape_of(x), dtype_of(x)
    found = room.made(dtype, (n + 2 * count,))

    def zero(at: Place, numbers: list) -> list:
        put(text, found, literal(0, dtype), at)
        put(text, found, literal(0, dtype), (plus(text, at[0], str(n + count)),))
        return []

    def move(at: Place, numbers: list) -> list:
        put(text, found, element(text, x, at), (plus(text, at[0], str(count)),))
        return []

    if count:
        over(text, (count,), [], zero)
    over(text, (n,), [], move)
    return found.change()


def _sum(text: Text, x: Number, y: Number) -> Number:
    return any_order(text, "fadd", x, y) if x.dtype.kind == "f" else RULES["add"](text, x, y)


__all__ = ["convolved"]
