"""Kernels in machine code: as parts of functions that are written here, and as functions that XLA calls.

Both are found by the kernel's primitive. Where the code is not for such operands, the kernel is what its jaxpr says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from jax.extend.core import Primitive, primitives

from xlapy.lowering.llvm import (
    blas,
    inline_sorts,
    key_search,
    memmove,
    min_max_reductions,
    native_convolution,
    native_products,
    sort_calls,
    stream_compaction,
    winograd,
    winograd_weights,
)
from xlapy.lowering.llvm.elementwise import elementwise
from xlapy.lowering.llvm.lazy_arrays import Room, Value, dtype_of, shape_of
from xlapy.lowering.llvm.native_floor_division import DIVISIONS
from xlapy.lowering.llvm.text import Text
from xlapy.lowering.primitives.compaction import COMPACTED, POSITIONS
from xlapy.lowering.primitives.long_sorts import ORDER, ORDERED
from xlapy.lowering.primitives.min_max import FIRST_PLACE
from xlapy.lowering.primitives.row_moves import MOVED
from xlapy.lowering.primitives.searches import FIRST, PLACES, ROW
from xlapy.lowering.primitives.short_sorts import ORDERED_ROWS
from xlapy.lowering.primitives.symmetric_rank_k import SYMMETRIC
from xlapy.lowering.primitives.vector_convolution import CONVOLVED

#: what writes the code for an equation of a kernel and gives its results; None for operands that it is not for
Writer = Callable[[Text, Room, Any, Sequence[Value]], list[Value] | None]


def _sorted(rule: Callable[..., Value]) -> Writer:
    def write(text: Text, room: Room, equation: Any, operands: Sequence[Value]) -> list[Value]:
        return [rule(text, room, tuple(equation.invars[0].aval.shape), equation.params["axis"], operands[0])]

    return write


def _multiplied_by_itself(text: Text, room: Room, equation: Any, operands: Sequence[Value]) -> list[Value] | None:
    (x,), of_rows = operands, equation.params["of_rows"]
    if not blas.suits_itself(equation.invars[0].aval.dtype, shape_of(x), of_rows):
        return None
    return [native_products.multiplied_by_itself(text, room, of_rows, x)]


def _compacted(text: Text, room: Room, equation: Any, operands: Sequence[Value]) -> list[Value] | None:
    dtype = equation.outvars[0].aval.dtype
    return [stream_compaction.compacted(text, room, dtype, operands)] if stream_compaction.suits(dtype) else None


def _first_place(text: Text, room: Room, equation: Any, operands: Sequence[Value]) -> list[Value] | None:
    (x,), aval, params = operands, equation.outvars[0].aval, equation.params
    if dtype_of(x).kind not in "biuf":
        return None
    search = min_max_reductions.search_of(params["largest"], params["axis"], equation.invars[0].aval.shape)
    return [min_max_reductions.first_places(text, room, search, x, tuple(aval.shape), np.dtype(aval.dtype))]


def _moved(text: Text, room: Room, equation: Any, operands: Sequence[Value]) -> list[Value]:
    return [memmove.moved_rows(text, room, operands)]


def _convolved(text: Text, room: Room, equation: Any, operands: Sequence[Value]) -> list[Value] | None:
    (length,) = equation.outvars[0].aval.shape
    return [native_convolution.convolved(text, room, equation.params["mode"], length, operands)] if length > 1 else None


def _searched(search: Callable[..., list[Value]]) -> Writer:
    def write(text: Text, room: Room, equation: Any, operands: Sequence[Value]) -> list[Value]:
        return search(text, room, equation.invars[0].aval.shape[0], operands, equation.params)

    return write


def _divided(rule: Callable) -> Writer:
    def write(text: Text, room: Room, equation: Any, operands: Sequence[Value]) -> list[Value]:
        aval = equation.outvars[0].aval
        return [elementwise(text, tuple(aval.shape), np.dtype(aval.dtype), partial(rule, text), operands)]

    return write


WRITERS: dict[Primitive, Writer] = {
    ORDERED.primitive: _sorted(inline_sorts.ordered),
    ORDERED_ROWS.primitive: _sorted(inline_sorts.ordered),
    ORDER.primitive: _sorted(inline_sorts.places),
    SYMMETRIC.primitive: _multiplied_by_itself,
    COMPACTED.primitive: _compacted,
    POSITIONS.primitive: _compacted,
    FIRST_PLACE.primitive: _first_place,
    FIRST.primitive: _searched(key_search.first_row),
    ROW.primitive: _searched(key_search.row_of),
    PLACES.primitive: _searched(key_search.places),
    MOVED.primitive: _moved,
    CONVOLVED.primitive: _convolved,
    **{kernel.primitive: _divided(rule) for kernel, rule in DIVISIONS.items()},
}

#: kernels of arrays that take no longer here than in XLA's programs, however many elements there are
IS_FAST = frozenset(kernel.primitive for kernel in (COMPACTED, POSITIONS, FIRST_PLACE, CONVOLVED))
#: kernels each element of whose results is made of the elements of their operands at that place
ELEMENTWISE = frozenset(kernel.primitive for kernel in DIVISIONS)


def called_by_xla(equation: Any) -> Callable | None:
    """What computes an equation, of a kernel or of JAX's, as a function that XLA calls; None if there is none."""
    function = _CALLED.get(equation.primitive)
    return None if function is None else function(equation)


def _sort_called(sort: Callable, axis_of: str) -> Callable[[Any], Callable | None]:
    def of(equation: Any) -> Callable | None:
        aval, axis = equation.invars[0].aval, equation.params[axis_of]
        suits = len(equation.invars) == 1 and sort_calls.suits(aval.dtype, aval.shape, axis)
        return partial(sort, axis=axis) if suits else None

    return of


def _product_called(equation: Any) -> Callable | None:
    aval, of_rows = equation.invars[0].aval, equation.params["of_rows"]
    suits = blas.suits_itself(aval.dtype, aval.shape, of_rows)
    return partial(blas.multiplied_by_itself, of_rows=of_rows) if suits else None


def _convolution_called(equation: Any) -> Callable | None:
    given = winograd.convolution_of(equation)
    if given is not None:
        return lambda x, w: winograd.convolved(given, x, w)
    given = winograd_weights.derivative_of(equation)
    return None if given is None else lambda x, y: winograd_weights.derived(given, x, y)


def _compaction_called(equation: Any) -> Callable | None:
    aval = equation.outvars[0].aval
    suits = stream_compaction.suits(aval.dtype) and aval.size > 0
    return partial(stream_compaction.applied_to, np.dtype(aval.dtype)) if suits else None


_CALLED: dict[Primitive, Callable[[Any], Callable | None]] = {
    ORDERED.primitive: _sort_called(sort_calls.ordered, "axis"),
    ORDERED_ROWS.primitive: _sort_called(sort_calls.ordered, "axis"),
    ORDER.primitive: _sort_called(sort_calls.places, "axis"),
    primitives.sort_p: _sort_called(sort_calls.ordered, "dimension"),
    SYMMETRIC.primitive: _product_called,
    primitives.conv_general_dilated_p: _convolution_called,
    COMPACTED.primitive: _compaction_called,
    POSITIONS.primitive: _compaction_called,
}

__all__ = ["ELEMENTWISE", "IS_FAST", "WRITERS", "called_by_xla"]
