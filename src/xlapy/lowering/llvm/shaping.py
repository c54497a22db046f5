"""Elements of an array at other places: slices, transposes, paddings, and arrays of several."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from xlapy.lowering.llvm import concatenation
from xlapy.lowering.llvm.bufferisation import Array
from xlapy.lowering.llvm.lazy_arrays import (
    Lazy,
    Place,
    Value,
    clamped,
    dtype_of,
    element,
    is_slow,
    reads,
    rows_of,
    shape_of,
    view,
)
from xlapy.lowering.llvm.reshaping import reshaped
from xlapy.lowering.llvm.scalar_instructions import convert, select
from xlapy.lowering.llvm.text import (
    INDEX,
    Number,
    Text,
    Unsuitable,
    plus,
    times,
)


def _reshape(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    return reshaped(text, operands[0], shape)


def _transpose(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    (x,), order = operands, equation.params["permutation"]
    made = view(text, x, shape, lambda at: [at[order.index(k)] for k in range(len(order))])
    made = made._replace(rows=frozenset(order.index(k) for k in rows_of(x, shape_of(x))))
    return made._replace(transposed=x) if isinstance(x, Array) and order == (1, 0) else made


def _rev(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    axes = equation.params["dimensions"]

    def where(at: Place) -> Place:
        return [text.new(f"sub nsw i64 {shape[k] - 1}, {i}") if k in axes else i for k, i in enumerate(at)]

    return view(text, operands[0], shape, where)


def _slice(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    starts, strides = equation.params["start_indices"], equation.params["strides"] or (1,) * len(shape)

    def where(at: Place) -> Place:
        return [
            plus(text, times(text, i, step), str(first)) for i, step, first in zip(at, strides, starts, strict=True)
        ]

    (x,) = operands
    if isinstance(x, Number):
        return x
    rows = frozenset(k for k in rows_of(x, shape_of(x)) if strides[k] == 1)
    return view(text, x, shape, where)._replace(rows=rows)


def unstacked(text: Text, equation: Any, x: Value) -> list[Value]:
    """The parts of an array along an axis, without that axis."""
    axis, found = equation.params["axis"], []
    for k, var in enumerate(equation.outvars):
        shape = tuple(var.aval.shape)
        if prod(shape) == 0:
            raise Unsuitable("an array without elements")
        where = partial(_with_index, axis, str(k))
        part = x if isinstance(x, Number) else view(text, x, shape, where)
        found.append(element(text, part, ("0",) * len(shape)) if prod(shape) == 1 else part)
    return found


def _with_index(axis: int, index: str, place: Place) -> Place:
    return [*place[:axis], index, *place[axis:]]


def _dynamic_slice(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    x, *starts = operands
    if isinstance(x, Number):
        return x
    first = [clamped(text, element(text, i, ()), n - m) for i, n, m in zip(starts, shape_of(x), shape, strict=True)]
    return view(text, x, shape, lambda at: [plus(text, i, start) for i, start in zip(at, first, strict=True)])


def _iota(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    axis, dtype = equation.params["dimension"], np.dtype(equation.params["dtype"])
    return Lazy(dtype, shape, lambda at: convert(text, Number(INDEX, (at[axis],)), dtype), frozenset(), True, work=1)


def _concatenate(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    lengths = [v.aval.shape[equation.params["dimension"]] for v in equation.invars]
    return concatenation.concatenated(text, shape, equation.params["dimension"], operands, lengths)


def _stack(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    return concatenation.stacked(text, shape, equation.params["axis"], operands)


def _pad(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    x, filling = operands
    config = equation.params["padding_config"]
    if any(inner or low < 0 or high < 0 for low, high, inner in config):
        raise Unsuitable("such a padding")
    old = tuple(equation.invars[0].aval.shape)

    def at(place: Place) -> Number:
        inner = [plus(text, i, str(-low)) for i, (low, _, _) in zip(place, config, strict=True)]
        found = element(text, x, [concatenation.near(text, i, n) for i, n in zip(inner, old, strict=True)])
        for i, n in zip(inner, old, strict=True):
            found = select(text, concatenation.within(text, i, n), found, element(text, filling, ()))
        return found

    return Lazy(dtype_of(x), shape, at, reads(x), False, is_slow(x))


SHAPES: dict[str, Callable[..., Value]] = {
    "reshape": _reshape,
    "squeeze": _reshape,
    "expand_dims": _reshape,
    "transpose": _transpose,
    "rev": _rev,
    "slice": _slice,
    "dynamic_slice": _dynamic_slice,
    "iota": _iota,
    "concatenate": _concatenate,
    "stack": _stack,
    "pad": _pad,
}


__all__ = ["SHAPES", "unstacked"]
