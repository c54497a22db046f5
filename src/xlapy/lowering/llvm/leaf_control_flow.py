"""Loops and branches of JAX's in leaves: `lax.while_loop`, `lax.cond`, and what becomes one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from xlapy.lowering.llvm.bufferisation import Array, Memory, copy, put
from xlapy.lowering.llvm.lazy_arrays import Room, Value, element, is_little, lies_in_rows, over, shape_of
from xlapy.lowering.llvm.text import Number, Text, Unsuitable, type_of

#: writes what a closed jaxpr computes of values
Evaluate = Callable[[Any, Sequence[Value]], list[Value]]


def looped(text: Text, room: Room, params: dict, operands: Sequence[Value], evaluate: Evaluate) -> list[Value]:
    """What the equation of a loop computes. Arrays that it carries lie in memory of its own."""
    first, second = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    fixed = [x if is_little(x) else room.kept(x) for x in operands[:second]]
    initial = [x if isinstance(x, Number) else room.kept(x) for x in operands[second:]]
    memories = [x.memory for x in initial if isinstance(x, Array)]
    text.has_loops = True
    phis = text.phis([x for x in initial if isinstance(x, Number)])
    head, body, end = text.label(), text.label(), text.label()
    text.do(f"br label %{head}")
    phis.begin(head)
    numbers = iter(phis.numbers)
    carried: list[Value] = [next(numbers) if isinstance(x, Number) else x.memory.change() for x in initial]
    text.loops += 1
    factors, room.factors = room.factors, {}
    (more,) = evaluate(params["cond_jaxpr"], [*fixed[:first], *carried])
    if not isinstance(more, Number):
        raise Unsuitable("a condition that is an array")
    text.do(f"br i1 {more.name}, label %{body}, label %{end}")
    text.begin(body)
    for memory in memories:
        memory.depth = text.loops
    found = evaluate(params["body_jaxpr"], [*fixed[first:], *carried])
    arrays = [(old.memory, new) for old, new in zip(carried, found, strict=True) if isinstance(old, Array)]
    _carry_on(text, room, arrays)
    text.loops -= 1
    room.factors = factors
    for memory in memories:
        memory.depth = text.loops
    pairs = [(old, new) for old, new in zip(carried, found, strict=True) if isinstance(old, Number)]
    phis.close([element(text, new, ("0",) * len(shape_of(new))) for _, new in pairs])
    text.do(f"br label %{head}")
    text.begin(end)
    return [Array(x.memory, x.memory.version) if isinstance(x, Array) else x for x in carried]


def branched(text: Text, room: Room, equation: Any, operands: Sequence[Value], evaluate: Evaluate) -> list[Value]:
    """What the equation of a branch computes; arrays lie in memory of its own."""
    predicate, *values = operands
    orelse, then = equation.params["branches"]
    assert isinstance(predicate, Number)
    is_so = text.new(f"icmp ne {type_of(predicate.dtype)} {predicate.name}, 0")
    types = [(np.dtype(v.aval.dtype), tuple(v.aval.shape)) for v in equation.outvars]
    rooms = [None if prod(shape) == 1 else room.made(dtype, shape) for dtype, shape in types]
    labels, end = [text.label(), text.label()], text.label()
    text.do(f"br i1 {is_so}, label %{labels[0]}, label %{labels[1]}")
    arms: list[tuple[str, list[Number]]] = []
    text.arms += 1
    factors = room.factors
    for label, jaxpr in zip(labels, (then, orelse), strict=True):
        text.begin(label)
        room.factors = {}
        numbers = []
        for value, place in zip(evaluate(jaxpr, values), rooms, strict=True):
            if place is None:
                numbers.append(element(text, value, ("0",) * len(shape_of(value))))
            else:
                _put_all(text, place, value)
        arms.append((text.block, numbers))
        text.do(f"br label %{end}")
    text.arms -= 1
    room.factors = factors
    text.begin(end)
    (one, first), (other, second) = arms
    merged = iter(_merged(text, one, x, other, y) for x, y in zip(first, second, strict=True))
    return [next(merged) if place is None else place.change() for place in rooms]


def _put_all(text: Text, place: Memory, value: Value) -> None:
    """Store all elements of an array."""
    if isinstance(value, Array):
        copy(text, value, place)
        return

    def visit(at: Sequence[str], numbers: list) -> list:
        put(text, place, element(text, value, [*at]), at)
        return []

    in_rows = isinstance(value, Number) or lies_in_rows(value, place.shape)
    over(text, place.shape, [], visit, in_rows=in_rows, is_apart=True)


def _merged(text: Text, block: str, x: Number, other: str, y: Number) -> Number:
    """A number that is one thing behind one block, and another behind another."""
    type = type_of(x.dtype)
    pairs = zip(x.parts, y.parts, strict=True)
    return Number(x.dtype, tuple(text.new(f"phi {type} [{a}, %{block}], [{b}, %{other}]") for a, b in pairs))


def _carry_on(text: Text, room: Room, arrays: Sequence[tuple[Memory, Value]]) -> None:
    """Put what the next iteration gets where it looks for it."""
    moved = []
    for memory, new in arrays:
        if not (isinstance(new, Array) and new.now() is memory):
            moved.append((memory, room.kept(new)))
    for memory, new in moved:
        copy(text, new, memory)
        memory.change()


__all__ = ["branched", "looped"]
