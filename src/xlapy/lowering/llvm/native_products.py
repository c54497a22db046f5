"""Products of arrays: by NumPy's library, in parts, or term by term."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from xlapy.lowering.jaxprs.jaxpr_dce import needed
from xlapy.lowering.llvm import blas
from xlapy.lowering.llvm.bufferisation import Array, address
from xlapy.lowering.llvm.elementwise import elementwise
from xlapy.lowering.llvm.lazy_arrays import (
    Extent,
    Lazy,
    Place,
    Room,
    Value,
    dtype_of,
    element,
    for_many,
    is_slow,
    is_view,
    lies_in_rows,
    over,
    reads,
    shape_of,
)
from xlapy.lowering.llvm.native_reductions import JOINED, joined, joined_as_parts
from xlapy.lowering.llvm.scalar_instructions import RULES
from xlapy.lowering.llvm.text import (
    Number,
    Text,
    Unsuitable,
    literal,
)
from xlapy.lowering.thresholds import (
    PRODUCT_ON_GPU,
    PRODUCT_READ_ONCE,
    PRODUCT_WRITTEN,
    PRODUCTS_OF_SMALL,
    TERMS_OF_SMALL,
)


def product(text: Text, room: Room, equation: Any, operands: list[Value]) -> Value:
    """What `lax.dot_general` computes."""
    shape = tuple(equation.outvars[0].aval.shape)
    vector = _vector_of_rows(text, equation, operands)
    if vector is not None:
        kept = [x if is_view(x) or k != vector else room.kept(x) for k, x in enumerate(operands)]
        return _term_by_term(text, equation, shape, kept)
    found = _as_parts(text, room, equation, operands)
    if found is not None:
        return found
    if not text.for_gpu and _is_for_library(equation, operands):
        return _multiplied(text, room, equation, shape, operands)
    ((axes, _), _) = equation.params["dimension_numbers"]
    terms = prod(equation.invars[0].aval.shape[k] for k in axes)
    return _term_by_term(text, equation, shape, [for_many(room, x, (prod(shape) * terms,)) for x in operands])


def _as_parts(text: Text, room: Room, equation: Any, operands: list[Value]) -> Number | None:
    """The product of two long vectors; None if it is another one."""
    types = [v.aval.dtype for v in (*equation.invars, *equation.outvars)]
    if any(isinstance(x, Number) or len(shape_of(x)) != 1 for x in operands) or len(set(types)) > 1:
        return None
    terms = elementwise(
        text, shape_of(operands[0]), dtype_of(operands[0]), partial(RULES["mul"], text), operands, "mul"
    )
    return joined_as_parts(text, room, (0,), terms, *JOINED["reduce_sum"])


def _is_for_library(equation: Any, operands: Sequence[Value]) -> bool:
    """Whether NumPy's library computes a product."""
    left, right = (v.aval for v in equation.invars)
    dtype, numbers = equation.outvars[0].aval.dtype, equation.params["dimension_numbers"]
    in_memory = not any(isinstance(x, Number) for x in operands)
    return in_memory and left.dtype == dtype and blas.suits(left, right, numbers)


def _vector_of_rows(text: Text, equation: Any, operands: Sequence[Value]) -> int | None:
    """Which operand is a vector that is multiplied with rows which are computed, and would be stored only for the
    library to read them once; None if there is no such product."""
    (left, right), batch = equation.params["dimension_numbers"]
    for matrix, (axis,) in enumerate((left, right)) if len(left) == 1 and not batch[0] else ():
        rows, vector = operands[matrix], operands[1 - matrix]
        if isinstance(rows, Lazy) and not isinstance(vector, Number) and len(shape_of(vector)) == 1:
            shape = rows.shape
            known = rows.in_order is None and not rows.is_view and not rows.slow and lies_in_rows(rows, shape)
            if len(shape) == 2 and axis == 1 and known and not text.loops and prod(shape) <= PRODUCT_READ_ONCE:
                return 1 - matrix
    return None


def vector_product(text: Text, room: Room, jaxpr: Any, operands: Sequence[Value], lanes: Extent) -> Value | None:
    """Some elements of the product of a matrix and a vector; None if a jaxpr does not compute one, or no library does.
    The others may be anything."""
    equations, _ = needed(jaxpr)
    if [e.primitive.name for e in equations] != ["dot_general"] or len(jaxpr.outvars[0].aval.shape) != 1:
        return None
    (equation,) = equations
    if (
        text.for_gpu
        or equation.invars != jaxpr.invars
        or equation.outvars != jaxpr.outvars
        or not _is_for_library(equation, operands)
    ):
        return None
    return _multiplied(text, room, equation, equation.outvars[0].aval.shape, operands, lanes)


def _multiplied(
    text: Text,
    room: Room,
    equation: Any,
    shape: tuple[int, ...],
    operands: Sequence[Value],
    lanes: Extent | None = None,
) -> Value:
    """The product of arrays, in memory of its own."""
    contracted, batch = equation.params["dimension_numbers"]
    shapes, axes, found = [], [], []
    for x, aval, own in zip(operands, (v.aval for v in equation.invars), contracted, strict=True):
        turned = x.transposed if isinstance(x, Lazy) and not batch[0] else None
        found.append(turned or _in_memory(room, x))
        shapes.append(aval.shape[::-1] if turned else aval.shape)
        axes.append(tuple(1 - k for k in own) if turned else own)
    product = blas.product_of(*shapes, dimension_numbers=(axes, batch))
    if product is None:
        raise Unsuitable("a product of arrays in another order")
    place = room.made(equation.outvars[0].aval.dtype, shape)
    left, right = map(address, found)
    blas.multiply(text, place.dtype, product, left, right, place.pointer, lanes)
    text.note_store(place.pointer, "0")
    return place.change()


def _in_memory(room: Room, x: Value) -> Array:
    """An array whose elements lie in memory as those of another one do, in that one's shape or in another."""
    if isinstance(x, Array):
        return x
    return x.in_order if isinstance(x, Lazy) and x.in_order is not None else room.kept(x)


def multiplied_by_itself(text: Text, room: Room, of_rows: bool, x: Value) -> Value:
    """The product of a matrix with its transpose, in memory of its own."""
    array, shape = _in_memory(room, x), shape_of(x)
    place = room.made(dtype_of(x), (shape[0 if of_rows else 1],) * 2)
    blas.multiply_by_itself(text, place.dtype, shape, of_rows, address(array), place.pointer)
    text.note_store(place.pointer, "0")
    return place.change()


def _term_by_term(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    (contracted, batch), (x, y) = equation.params["dimension_numbers"], operands
    left, right = (v.aval.shape for v in equation.invars)
    dtype = np.dtype(equation.outvars[0].aval.dtype)
    extents = [left[k] for k in contracted[0]]
    read_once = prod(shape) * prod(extents) == max(prod(left), prod(right)) and not text.loops
    most = PRODUCT_ON_GPU if text.for_gpu else PRODUCT_READ_ONCE if read_once else PRODUCT_WRITTEN
    if (
        batch[0]
        and not text.for_gpu
        and prod(extents) <= TERMS_OF_SMALL
        and prod(shape) <= TERMS_OF_SMALL**2 * prod(left[k] for k in batch[0])
    ):
        most = PRODUCTS_OF_SMALL
    if any(v.aval.dtype != dtype for v in equation.invars) or prod(shape) * prod(extents) > most:
        raise Unsuitable("such a product")
    if is_slow(x, y):
        raise Unsuitable("a product of what takes long to compute")

    def at(place: Place) -> Number:
        shared, rest = place[: len(batch[0])], iter(place[len(batch[0]) :])
        places = []
        for axes, both, whole in ((contracted[0], batch[0], left), (contracted[1], batch[1], right)):
            free = {k: next(rest) for k in range(len(whole)) if k not in axes and k not in both}
            places.append((axes, {**free, **dict(zip(both, shared, strict=True))}, whole))

        def visit(inner: Place, numbers: list[Number]) -> list[Number]:
            factors = []
            for value, (axes, fixed, whole) in zip((x, y), places, strict=True):
                all_of = {**fixed, **dict(zip(axes, inner, strict=True))}
                factors.append(element(text, value, [all_of[k] for k in range(len(whole))]))
            return [joined(text, "add", numbers[0], RULES["mul"](text, *factors))]

        return over(text, extents, [literal(0, dtype)], visit)[0]

    return Lazy(dtype, shape, at, reads(x, y))


__all__ = ["multiplied_by_itself", "product", "vector_product"]
