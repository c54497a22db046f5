"""Elements at places that are data: gathers and scatters, as XLA defines them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jax.lax import GatherScatterMode

from xlapy.lowering.llvm.arrays import (
    Lazy,
    Place,
    Room,
    Value,
    bounded,
    clamped,
    dtype_of,
    element,
    is_slow,
    over,
    reads,
    shape_of,
)
from xlapy.lowering.llvm.memory import put
from xlapy.lowering.llvm.numbers import RULES, convert, filling, select
from xlapy.lowering.llvm.text import INDEX, Number, Text, Unsuitable, literal, plus


def gather(text: Text, equation: Any, shape: tuple[int, ...], operands: Sequence[Value]) -> Value:
    """`lax.gather`: an element of the result is one of the operand's, at indices and a place in a window."""
    array, indices = operands
    params, dims = equation.params, equation.params["dimension_numbers"]
    sizes, old = params["slice_sizes"], shape_of(array)
    rows = [k for k in range(len(shape)) if k not in dims.offset_dims]
    batching = dict(zip(dims.operand_batching_dims, dims.start_indices_batching_dims, strict=True))
    fixed = {*dims.collapsed_slice_dims, *dims.operand_batching_dims}
    fills = _mode(params) is GatherScatterMode.FILL_OR_DROP

    def at(place: Place) -> Number:
        row = [place[k] for k in rows]
        offsets = iter(place[k] for k in dims.offset_dims)
        where, inside = [], None
        for k, length in enumerate(old):
            index = "0" if k in fixed else next(offsets)
            if k in batching:
                where.append(row[batching[k]])
            elif k in dims.start_index_map:
                number = element(text, indices, [*row, str(dims.start_index_map.index(k))])
                if fills:
                    inside = _both(text, inside, _fits(text, number, length - sizes[k]))
                where.append(plus(text, index, clamped(text, number, length - sizes[k])))
            else:
                where.append(index)
        found = element(text, array, where)
        return found if inside is None else select(text, inside, found, filling(found.dtype, params["fill_value"]))

    return Lazy(dtype_of(array), shape, at, reads(array, indices), False, is_slow(array, indices))


def scatter(text: Text, room: Room, equation: Any, operands: Sequence[Value], combine: Any) -> Value:
    """`lax.scatter` and its kin: one update after the other is put where its indices say, or nowhere.

    Args:
        combine: writes what computes a new element of the old one and of the update.
    """
    array, indices, updates = operands
    dims, old = equation.params["dimension_numbers"], shape_of(array)
    shape = equation.invars[2].aval.shape
    bounded(shape, array, indices, updates)
    kept = room.writable(array)
    indices, updates = (room.kept(x) if kept.memory in reads(x) else x for x in (indices, updates))
    rows = [k for k in range(len(shape)) if k not in dims.update_window_dims]
    batching = dict(zip(dims.operand_batching_dims, dims.scatter_indices_batching_dims, strict=True))
    fixed = {*dims.inserted_window_dims, *dims.operand_batching_dims}
    window = iter(shape[k] for k in dims.update_window_dims)
    sizes = [1 if k in fixed else next(window) for k in range(len(old))]
    drops = _mode(equation.params) is not GatherScatterMode.CLIP

    def visit(place: Place, numbers: list) -> list:
        row = [place[k] for k in rows]
        offsets = iter(place[k] for k in dims.update_window_dims)
        where, inside = [], None
        for k, length in enumerate(old):
            index = "0" if k in fixed else next(offsets)
            if k in batching:
                where.append(row[batching[k]])
            elif k in dims.scatter_dims_to_operand_dims:
                number = element(text, indices, [*row, str(dims.scatter_dims_to_operand_dims.index(k))])
                if drops:
                    inside = _both(text, inside, _fits(text, number, length - sizes[k]))
                where.append(plus(text, index, clamped(text, number, length - sizes[k])))
            else:
                where.append(index)
        before = element(text, kept, where)
        after = combine(before, element(text, updates, place))
        put(text, kept.memory, after if inside is None else select(text, inside, after, before), where)
        return []

    over(text, shape, [], visit)
    return kept.memory.change()


def _mode(params: dict) -> GatherScatterMode:
    mode = GatherScatterMode.from_any(params["mode"])
    if mode not in (GatherScatterMode.FILL_OR_DROP, GatherScatterMode.CLIP, GatherScatterMode.PROMISE_IN_BOUNDS):
        raise Unsuitable("such indices")
    return mode


def _fits(text: Text, number: Number, most: int) -> Number:
    """Whether a start is one that is possible."""
    index = convert(text, number, INDEX)
    not_less = RULES["ge"](text, index, literal(0, INDEX))
    return _both(text, not_less, RULES["le"](text, index, literal(most, INDEX)))


def _both(text: Text, one: Number | None, other: Number) -> Number:
    return other if one is None else RULES["bitwise_and"](text, one, other)


__all__ = ["gather", "scatter"]
