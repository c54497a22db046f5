"""Loops of JAX's in leaves: `lax.while_loop`, and what becomes one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xlapy.lowering.llvm.arrays import Room, Value, element, is_view, shape_of
from xlapy.lowering.llvm.memory import Array, Memory, copy
from xlapy.lowering.llvm.text import Number, Text, Unsuitable

#: writes what a closed jaxpr computes of values
Evaluate = Callable[[Any, Sequence[Value]], list[Value]]


def looped(text: Text, room: Room, params: dict, operands: Sequence[Value], evaluate: Evaluate) -> list[Value]:
    """What the equation of a loop computes. Arrays that it carries lie in memory of its own."""
    first, second = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    fixed = [x if is_view(x) else room.kept(x) for x in operands[:second]]
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
    for memory in memories:
        memory.depth = text.loops
    pairs = [(old, new) for old, new in zip(carried, found, strict=True) if isinstance(old, Number)]
    phis.close([element(text, new, ("0",) * len(shape_of(new))) for _, new in pairs])
    text.do(f"br label %{head}")
    text.begin(end)
    return [Array(x.memory, x.memory.version) if isinstance(x, Array) else x for x in carried]


def _carry_on(text: Text, room: Room, arrays: Sequence[tuple[Memory, Value]]) -> None:
    """Put what the next trip gets where it looks for it."""
    moved = []
    for memory, new in arrays:
        if not (isinstance(new, Array) and new.now() is memory):
            moved.append((memory, room.kept(new)))
    for memory, new in moved:
        copy(text, new, memory)
        memory.change()


__all__ = ["looped"]
