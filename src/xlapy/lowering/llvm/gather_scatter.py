"""Elements at places that are data: gathers and scatters, as XLA defines them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from jax.lax import GatherScatterMode

from xlapy.lowering.llvm.bufferisation import put
from xlapy.lowering.llvm.lazy_arrays import (
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
from xlapy.lowering.llvm.reshaping import places, reshaped
from xlapy.lowering.llvm.scalar_instructions import RULES, convert, filling, select
from xlapy.lowering.llvm.text import INDEX, Number, Text, Unsuitable, literal, plus


class _Windows(NamedTuple):
    """Parts of an array that begin at indices.

    Attributes:
        sizes: of a window, along each axis of the array.
        fixed: axes along which a window is one element, and has no axis of its own.
        batching: axes that run beside an axis of the indices, and which.
        indexed: the axis that each number of an index is for.
        checked: whether it matters that a window is within the array.
    """

    sizes: Sequence[int]
    fixed: Collection[int]
    batching: Mapping[int, int]
    indexed: Sequence[int]
    checked: bool

    def place(
        self, text: Text, shape: Sequence[int], indices: Value, row: Place, offset: Place
    ) -> tuple[Place, Number | None]:
        """Where in an array an element of a window is, and whether the window is within it.

        Args:
            shape: of the array.
            row: the place of the index.
            offset: the place in the window.
        """
        offsets = iter(offset)
        where, inside = [], None
        for k, length in enumerate(shape):
            place = "0" if k in self.fixed else next(offsets)
            if k in self.batching:
                place = row[self.batching[k]]
            elif k in self.indexed:
                number = element(text, indices, [*row, str(self.indexed.index(k))])
                if self.checked:
                    inside = _both(text, inside, _fits(text, number, length - self.sizes[k]))
                place = plus(text, place, clamped(text, number, length - self.sizes[k]))
            where.append(place)
        return where, inside


def gather(text: Text, equation: Any, shape: tuple[int, ...], operands: Sequence[Value]) -> Value:
    """`lax.gather`: an element of the result is one of the operand's, at indices and a place in a window."""
    array, indices = operands
    params, dims = equation.params, equation.params["dimension_numbers"]
    rows = [k for k in range(len(shape)) if k not in dims.offset_dims]
    windows = _Windows(
        params["slice_sizes"],
        {*dims.collapsed_slice_dims, *dims.operand_batching_dims},
        dict(zip(dims.operand_batching_dims, dims.start_indices_batching_dims, strict=True)),
        dims.start_index_map,
        _mode(params) is GatherScatterMode.FILL_OR_DROP,
    )

    def at(place: Place) -> Number:
        row, offset = [place[k] for k in rows], [place[k] for k in dims.offset_dims]
        where, inside = windows.place(text, shape_of(array), indices, row, offset)
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
    bounded(text, shape, array, indices, updates)
    # One in another shape than the array in memory that it is: its elements are stored there.
    whole = array.in_order if isinstance(array, Lazy) else None
    kept = room.writable(array if whole is None else whole)
    seen = places(text, shape_of(kept), old)
    indices, updates = (room.kept(x) if kept.memory in reads(x) else x for x in (indices, updates))
    rows = [k for k in range(len(shape)) if k not in dims.update_window_dims]
    fixed = {*dims.inserted_window_dims, *dims.operand_batching_dims}
    lengths = iter(shape[k] for k in dims.update_window_dims)
    windows = _Windows(
        [1 if k in fixed else next(lengths) for k in range(len(old))],
        fixed,
        dict(zip(dims.operand_batching_dims, dims.scatter_indices_batching_dims, strict=True)),
        dims.scatter_dims_to_operand_dims,
        _mode(equation.params) is not GatherScatterMode.CLIP,
    )

    def visit(place: Place, numbers: list) -> list:
        row, offset = [place[k] for k in rows], [place[k] for k in dims.update_window_dims]
        where, inside = windows.place(text, old, indices, row, offset)
        where = where if whole is None else seen(where)
        if inside is None:
            put(text, kept.memory, combine(element(text, kept, where), element(text, updates, place)), where)
            return []
        # Where many are dropped, to store what is there would make each wait for the one before.
        stored, behind = text.label(), text.label()
        text.do(f"br i1 {inside.name}, label %{stored}, label %{behind}")
        text.begin(stored)
        put(text, kept.memory, combine(element(text, kept, where), element(text, updates, place)), where)
        text.do(f"br label %{behind}")
        text.begin(behind)
        return []

    over(text, shape, [], visit)
    return reshaped(text, kept.memory.change(), old)


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
