"""Sums, products and extremes of all elements up to each one along an axis."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from xlapy.lowering.llvm.bufferisation import Array, load, put
from xlapy.lowering.llvm.lazy_arrays import Place, Room, Value, counted, dtype_of, element, over, shape_of
from xlapy.lowering.llvm.scalar_instructions import RULES, select
from xlapy.lowering.llvm.text import Number, Text, plus
from xlapy.lowering.thresholds import ELEMENTS_RUNNING_TOGETHER


def running(kind: str) -> Callable[[Text, Room, Any, list[Value]], Value]:
    """What writes what elements are joined to by an operation of a kind, one after the other."""

    def whole(text: Text, room: Room, equation: Any, operands: list[Value]) -> Value:
        (source,), axis, reverse = operands, equation.params["axis"], equation.params["reverse"]
        shape = tuple(equation.invars[0].aval.shape)
        length = shape[axis]
        if isinstance(source, Number) or length == 1:
            return source
        if isinstance(source, Array) and not source.memory.fixed:
            source = room.writable(source)
            target = source.memory
        else:
            target = room.made(dtype_of(source), shape_of(source))

        def place(outer: Place, k: str, inner: Place) -> Place:
            index = text.new(f"sub nsw i64 {length - 1}, {k}") if reverse else k
            return [*outer, index, *inner]

        def next_one(outer: Place, k: str, inner: Place, before: Number) -> Number:
            where = place(outer, k, inner)
            total = _joined(text, kind, before, element(text, source, where))
            put(text, target, total, where)
            return total

        def first(at: Place, numbers: list) -> list[Number]:
            where = place(at[:axis], "0", at[axis:])
            number = element(text, source, where)
            put(text, target, number, where)
            return [number]

        def one_by_one(at: Place, numbers: list) -> list:
            def iteration(k: str, carried: list[Number]) -> list[Number]:
                return [next_one(at[:axis], plus(text, k, "1"), at[axis:], carried[0])]

            counted(text, length - 1, first(at, []), iteration)
            return []

        def row_by_row(outer: Place, numbers: list) -> list:
            def row(k: str, numbers: list) -> list:
                following = plus(text, k, "1")

                def visit(inner: Place, numbers: list) -> list:
                    now = Array(target, target.version)
                    next_one(outer, following, inner, load(text, now, place(outer, k, inner)))
                    return []

                over(text, shape[axis + 1 :], [], visit)
                return []

            over(text, shape[axis + 1 :], [], lambda inner, numbers: first((*outer, *inner), numbers) and [])
            counted(text, length - 1, [], row)
            return []

        if prod(shape[axis + 1 :]) < ELEMENTS_RUNNING_TOGETHER:
            over(text, [*shape[:axis], *shape[axis + 1 :]], [], one_by_one)
        else:
            over(text, shape[:axis], [], row_by_row)
        return target.change()

    return whole


def _joined(text: Text, kind: str, before: Number, new: Number) -> Number:
    """The next one. Of extremes of floats as few instructions as can be wait for the one before: a NaN stays, since no
    comparison with it holds, and a new one is taken without one."""
    if kind not in ("max", "min") or new.dtype.kind != "f":
        return RULES[kind](text, before, new)
    better = RULES["gt" if kind == "max" else "lt"](text, new, before)
    return select(text, RULES["ne"](text, new, new), new, select(text, better, new, before))


__all__ = ["running"]
