"""Integers and slices of dimensions, where the length of the result or of the dimension is only known on the device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from xlapy.dispatch.arrays.indexing import basic_view, is_index, resolved_slice
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.masked_axes import (
    Int,
    add,
    as_int,
    clip,
    known_int,
    length_int,
    subtract,
    subtract_bound,
    var_of,
)
from xlapy.dispatch.numbers.scalar_values import refuse_where
from xlapy.dispatch.numpy.rule_operands import known
from xlapy.dispatch.protocol import Machine
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import NONE, Const, Lanes, NdArray, NumpyScalar, Scalar, Slice, Value
from xlapy.ir import Operation, Var, constant_value
from xlapy.ir.affine import apart, difference
from xlapy.ir.vectorisation_notes import Lanewise, noted

_REVERSED = Slice(NONE, NONE, Const(-1))
Part = tuple[str, Any]


def basic(machine: Machine, array: NdArray, axes: Sequence[Lanes | None], parts: Sequence[Part]) -> Value:
    """The view of a key of integers, slices and None, one part for each dimension."""
    room: list[Part] = []
    out: list[Lanes | None] = []
    axis = 0
    for kind, value in parts:
        if kind == "new":
            room.append((kind, None))
            out.append(None)
            continue
        lanes, size = axes[axis], array.type.shape[axis]
        if kind == "int":
            room.append((kind, value if lanes is None else _lane(machine, value, lanes, size, axis)))
        elif is_whole(kind, value):
            room.append(("all", None))
            out.append(lanes)
        elif lanes is None and _static_length(machine, value, size):
            room.append((kind, value))
            out.append(None)
        else:
            part, found = _sliced(machine, value, lanes, size)
            room.append(part)
            out.append(found)
        axis += 1
    view = basic_view(machine, array, room)
    return view if all(lanes is None for lanes in out) else settled(machine, view, out)


def is_whole(kind: str, value: Any) -> bool:
    """Whether a part of a key takes all of a dimension: `:`, or no part at all."""
    if kind != "slice":
        return kind == "all"
    return all(isinstance(p, Const) and p.value is None for p in (value.start, value.stop, value.step))


def settled(machine: Machine, view: NdArray, axes: Sequence[Lanes | None]) -> Value:
    """An array of lanes; dimensions whose length turns out to be known become static."""
    if all(lanes is None or constant_value(lanes.length) is None or lanes.valid is not None for lanes in axes):
        return masked_axes.made(machine, view, axes)
    room: list[Part] = []
    out: list[Lanes | None] = []
    for lanes in axes:
        start = lanes.start if lanes is not None and lanes.valid is None else None
        length = constant_value(lanes.length) if lanes is not None and isinstance(start, int) else None
        if length is None or not isinstance(start, int):
            room.append(("all", None))
            out.append(lanes)
        else:
            room.append(("slice", Slice(Const(start), Const(start + int(length)), NONE)))
            out.append(None)
    return masked_axes.made(machine, basic_view(machine, view, room), out)


# -- integers ---------------------------------------------------------------------------------------------------------


def _lane(machine: Machine, index: Value, lanes: Lanes, room: int, axis: int) -> Value:
    """The lane of an element; IndexError where there is no such element."""
    builder = machine.builder
    length = length_int(machine, lanes, room)
    place = as_int(machine, index)
    if place.low < 0:
        wrapped = add(machine, place, length)
        if place.high >= 0:
            negative = builder.elementwise("lt", var_of(machine, place), builder.constant(0, masked_axes.INT64))
            value = builder.elementwise("select", negative, var_of(machine, wrapped), var_of(machine, place))
            wrapped = Int(value, min(wrapped.low, 0), max(wrapped.high, place.high))
        below = wrapped.low < 0
    else:
        wrapped, below = place, False
    bad = None
    if below:
        bad = builder.elementwise("lt", var_of(machine, wrapped), builder.constant(0, masked_axes.INT64))
    if subtract_bound(machine, length, wrapped) < 1:
        above = builder.elementwise("ge", var_of(machine, wrapped), var_of(machine, length))
        bad = above if bad is None else builder.elementwise("bitwise_or", bad, above)
    if bad is not None:
        shown = (masked_axes.scalar(machine, place), Const(axis), masked_axes.scalar(machine, length))
        text = machine.message("index {} is out of bounds for axis {} with size {}", *shown)
        machine.check(bad, IndexError, text)
    if lanes.valid is not None:
        picked = machine.leaf(_pick, (masked_axes.order_of(machine, lanes), var_of(machine, wrapped)), name="lane")[0]
        return NumpyScalar(picked, (0, max(room - 1, 0)))
    start = as_int(machine, lanes.start, (0, room)) if isinstance(lanes.start, Var) else known_int(lanes.start)
    lane = clip(machine, add(machine, start, wrapped), known_int(0), known_int(max(room - 1, 0)))
    return masked_axes.scalar(machine, lane)


def _pick(order, place):
    return order[jnp.clip(place, 0, order.shape[0] - 1)] if order.size else jnp.zeros((), order.dtype)


# -- slices -----------------------------------------------------------------------------------------------------------


def _static_length(machine: Machine, part: Slice, size: int) -> bool:
    """Whether a slice of a static dimension has a static length, or is to have one by specialisation."""
    pieces = (part.start, part.stop, part.step)
    if all(machine.is_static(p) for p in pieces) or resolved_slice(machine, part, size):
        return True
    return not all(_is_dynamic(machine, p) for p in pieces if not machine.is_static(p))


def _is_dynamic(machine: Machine, value: Value) -> bool:
    """Whether a bound is an integer that changes from iteration to iteration of a loop, or depends on data."""
    if not isinstance(value, Scalar | NumpyScalar) or value.var.type.dtype.kind not in "iu":
        return False
    return not machine.specialisable(value.var)


def _sliced(machine: Machine, part: Slice, lanes: Lanes | None, room: int) -> tuple[Part, Lanes | None]:
    """The part of a room that a slice takes of its lanes: what to take of the room, and its lanes."""
    step = part.step
    bounds = known_bounds(step)
    if isinstance(step, Const) and step.value is None:
        step, bounds = Const(1), (1, 1)
    if _is_dynamic(machine, step) and (bounds is None or bounds[0] <= 0 <= bounds[1]):
        step, bounds = _upwards(machine, step), (1, masked_axes.INT_MAX)
    elif bounds is None or bounds[0] <= 0 <= bounds[1]:
        step = Const(known(machine, step, "the step of a slice"))
        if step.value == 0:
            machine.raise_(ValueError, "slice step cannot be zero")
        bounds = known_bounds(step)
    length = length_int(machine, lanes, room)
    assert bounds is not None
    down = bounds[1] < 0
    first, stop = _normalised(machine, part, length, down)
    stride = as_int(machine, step)
    base: Part = ("all", None)
    if down:
        base = ("slice", _REVERSED)
        last = subtract(machine, length, known_int(1))
        first, stop = subtract(machine, last, first), subtract(machine, last, stop)
        stride = subtract(machine, known_int(0), stride)
        lanes = _mirrored(machine, lanes, room)
    span = subtract(machine, stop, first)
    if subtract_bound(machine, stop, first) < 0:
        span = clip(machine, span, known_int(0), known_int(room))
    span = Int(span.value, max(span.low, 0), min(span.high, room))
    if lanes is None and stride.value == 1 and isinstance(span.value, int) and isinstance(first.value, int):
        return _static_part(first.value, span.value, room, down), None
    if stride.value == 1 and (lanes is None or lanes.valid is None):
        start = first if lanes is None else add(machine, _start(machine, lanes, room), first)
        most = None if down else _most(part)
        if most is not None and 0 < 2 * most <= room:
            return _window(machine, start, span, most, room)
        length = var_of(machine, span)
        if most is None and not down:
            machine.window_widths[length] = _widths(machine, part)
        if isinstance(start.value, int) and not down and span.high < room and machine.world.lengths:
            return _tight(start.value, span.high, 1), Lanes(length)
        return base, Lanes(length, start.value)
    if not down and (lanes is None or lanes.valid is None) and isinstance(stride.value, int):
        start = first if lanes is None else add(machine, _start(machine, lanes, room), first)
        if isinstance(start.value, int):
            every = min(stride.value, max(room, 1))
            count = _steps(machine, span, every)
            return _tight(start.value, count.high, every), Lanes(var_of(machine, count))
    operands = [var_of(machine, v) for v in (first, stop, stride)]
    if lanes is not None and lanes.valid is not None:
        valid = machine.leaf(_among_ranks, (lanes.valid, *operands), name="lanes")[0]
    else:
        start = known_int(0) if lanes is None else _start(machine, lanes, room)
        found = machine.leaf(_strided, (var_of(machine, start), *operands), (room,), name="lanes")
        valid = noted(found, Lanewise("steps", _strided, (), ()))[0]
    return base, masked_axes.masked_lanes(machine, valid)


def _tight(start: int, most: int, step: int) -> Part:
    """At most so many elements: arrays of one length have one room, whichever slices they are, and nothing moves."""
    return "slice", Slice(Const(start), Const(start + most * step), Const(step))


def _steps(machine: Machine, a: Int, step: int) -> Int:
    """How many steps it takes to get beyond `a` places."""
    over = add(machine, a, known_int(step - 1))
    if isinstance(over.value, int):
        return known_int(over.value // step)
    value = machine.builder.elementwise("div", over.value, var_of(machine, step))
    return Int(value, over.low // step, over.high // step)


def _most(part: Slice) -> int | None:
    """The most elements that a slice with step 1 can have, whatever its bounds are, where that is known of what they
    are computed from."""
    bounds = _bounds(part)
    if len(bounds) > 1 and any(b is None or b[0] < 0 for b in map(known_bounds, (part.start, part.stop))):
        return None  # one that is negative counts from the end, and the other need not
    found = [d for start, stop in bounds if (d := difference(stop, start)) is not None]
    # if it is not negative, and the first bound counts from the end, then the second does or ends the slice earlier
    return min(found) if found and min(found) >= 0 else None


def _widths(machine: Machine, part: Slice) -> list[Var]:
    """Numbers among the inputs that say how many elements a slice with step 1 can have at most."""
    for start, stop in _bounds(part):
        found = apart(stop, start)
        if found and all(map(machine.specialisable, found)):
            return found
    return []


def _bounds(part: Slice) -> list[tuple[Var, Var]]:
    """Of a slice, integers that are not above its first bound, each with those that are not below the second one."""
    if not isinstance(part.start, Scalar | NumpyScalar) or not isinstance(part.stop, Scalar | NumpyScalar):
        return []
    starts, stops = _extremes(part.start.var, "max"), _extremes(part.stop.var, "min")
    return [(start, stop) for start in starts for stop in stops]


def _extremes(var: Var, kind: str) -> list[Var]:
    """What an integer is the largest or smallest of."""
    operation = var.owner
    if not isinstance(operation, Operation) or var.type.dtype != masked_axes.INT64:
        return [var]
    if operation.kind == "convert" and operation.operands[0].type.dtype == masked_axes.INT64:
        return _extremes(operation.operands[0], kind)
    if operation.kind == kind or operation.kind == "select" and _chooses(operation) == kind:
        return [found for v in operation.operands[-2:] for found in _extremes(v, kind)]
    return [var]


def _chooses(select: Operation) -> str | None:
    """Whether a choice between two numbers is for the larger or the smaller one."""
    predicate, one, other = select.operands
    compared = predicate.owner
    if not isinstance(compared, Operation) or compared.kind not in ("lt", "le", "gt", "ge"):
        return None
    for first, second in ((one, other), (other, one)):
        if all(map(masked_axes.same, compared.operands, (first, second))):
            return "max" if (compared.kind in ("gt", "ge")) == (first is one) else "min"
    return None


def _window(machine: Machine, start: Int, span: Int, most: int, room: int) -> tuple[Part, Lanes]:
    """`span` elements from number `start` on, of the `most` among which they are: not of the whole room."""
    begin = clip(machine, start, known_int(0), known_int(room - most))
    end = add(machine, begin, known_int(most))
    offset = subtract(machine, start, begin)
    part = Slice(masked_axes.scalar(machine, begin), masked_axes.scalar(machine, end), NONE)
    return ("slice", part), Lanes(var_of(machine, span), offset.value)


def _static_part(first: int, span: int, room: int, down: bool) -> Part:
    """`span` elements from number `first` on, counted from the other end if `down`."""
    start, stop = (room - 1 - first, room - 1 - first - span) if down else (first, first + span)
    step = Const(-1 if down else 1)
    return "slice", Slice(Const(start if span else 0), Const(stop if span and stop >= 0 else None if span else 0), step)


def _upwards(machine: Machine, step: Value) -> Value:
    """A step of unknown sign: zero is an error, and negative ones cannot be had."""
    zero = machine.builder.constant(0, masked_axes.INT64)
    var = var_of(machine, as_int(machine, step))
    machine.check(machine.builder.elementwise("eq", var, zero), ValueError, "slice step cannot be zero")
    below = machine.builder.elementwise("lt", var, zero)
    refuse_where(machine, below, "XP0013", "a slice with a step that depends on data and is negative")
    return Scalar(int, machine.leaf(_at_least_one, (var,), name="max")[0], (1, masked_axes.INT_MAX))


def _at_least_one(step):
    return jnp.maximum(step, 1)


def _start(machine: Machine, lanes: Lanes, room: int) -> Int:
    return known_int(lanes.start) if isinstance(lanes.start, int) else as_int(machine, lanes.start, (0, room))


def _mirrored(machine: Machine, lanes: Lanes | None, room: int) -> Lanes | None:
    """The lanes of a reversed room."""
    if lanes is None:
        return None
    if lanes.valid is not None:
        return Lanes(lanes.length, 0, machine.leaf(_flip, (lanes.valid,), name="flip")[0])
    end = add(machine, _start(machine, lanes, room), length_int(machine, lanes, room))
    return Lanes(lanes.length, subtract(machine, known_int(room), end).value)


def reversed_parts(machine: Machine, array: NdArray, axes: Sequence[Lanes | None], flipped: Sequence[int]) -> Value:
    """The view with some axes reversed."""
    room: list[Part] = [("slice", _REVERSED) if k in flipped else ("all", None) for k in range(len(axes))]
    out = [_mirrored(machine, x, array.type.shape[k]) if k in flipped else x for k, x in enumerate(axes)]
    return masked_axes.made(machine, basic_view(machine, array, room), out)


def _normalised(machine: Machine, part: Slice, length: Int, down: bool) -> tuple[Int, Int]:
    """First position and the one that ends the slice, as `slice.indices` gives them."""
    low, high = (known_int(-1), subtract(machine, length, known_int(1))) if down else (known_int(0), length)
    high = Int(high.value, max(high.low, low.low), high.high)
    found = []
    for bound, default in ((part.start, high if down else low), (part.stop, low if down else high)):
        if isinstance(bound, Const) and bound.value is None:
            found.append(default)
            continue
        if not isinstance(bound, Const | Scalar | NumpyScalar):
            bound = Const(known(machine, bound, "the bound of a slice"))
        if isinstance(bound, Const) and not hasattr(type(bound.value), "__index__"):
            machine.raise_(TypeError, "slice indices must be integers or None or have an __index__ method")
        if not isinstance(bound, Const) and not is_index(bound):
            machine.raise_(TypeError, "slice indices must be integers or None or have an __index__ method")
        place = as_int(machine, bound)
        if place.low < 0:
            wrapped = add(machine, place, length)
            if place.high >= 0:
                builder = machine.builder
                negative = builder.elementwise("lt", var_of(machine, place), builder.constant(0, masked_axes.INT64))
                value = builder.elementwise("select", negative, var_of(machine, wrapped), var_of(machine, place))
                wrapped = Int(value, min(wrapped.low, 0), max(wrapped.high, place.high))
            place = wrapped
        found.append(clip(machine, place, low, high))
    return found[0], found[1]


def _flip(valid):
    return lax.rev(valid, (0,))


def _among_ranks(valid, first, stop, stride):
    rank = jnp.cumsum(valid, dtype=jnp.int64) - 1
    return valid & (rank >= first) & (rank < stop) & ((rank - first) % stride == 0)


def _strided(start, first, stop, stride, room):
    rank = lax.iota(jnp.int64, room) - start
    return (rank >= first) & (rank < stop) & ((rank - first) % stride == 0)


__all__ = ["basic", "reversed_parts", "settled"]
