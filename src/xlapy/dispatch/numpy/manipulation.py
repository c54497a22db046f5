"""Joining, tiling, padding, rolling, repeating, inserting; where, clip, take and put."""

from __future__ import annotations

from typing import Any, Literal

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.arrays.element_conversion import elements
from xlapy.dispatch.numbers.scalar_values import python_int
from xlapy.dispatch.numpy.c_signatures import signature_of
from xlapy.dispatch.numpy.numpy_leaves import hashable, numpy_leaf
from xlapy.dispatch.numpy.rule_operands import (
    NO_VALUE,
    absent,
    cast,
    cast_array,
    deliver,
    items_of,
    known,
    operand,
    promoted_type,
    raise_as_numpy,
    raise_real,
    require_dtype,
    reshape,
    try_known,
)
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.registry import function
from xlapy.domain.values import Const, NdArray, NumpyScalar, Scalar, Value
from xlapy.ir import constant_value

_INT64 = np.dtype(np.int64)

# -- joining ---------------------------------------------------------------------------------------------------------


def _joining(numpy_function, jax_function):
    signature = signature_of(numpy_function)

    def rule(machine, /, *args, **kwargs):
        try:
            arguments = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            return raise_as_numpy(machine, numpy_function, args, kwargs, error)
        first = next(iter(signature.parameters))
        given = items_of(machine, arguments.pop(first))
        operands = [operand(machine, v) for v in given]
        out, casting = arguments.pop("out", None), str(known(machine, arguments.pop("casting", "same_kind")))
        dtype = arguments.pop("dtype", None)
        options = {k: known(machine, v, "an axis") for k, v in arguments.items()}
        target = None if absent(dtype) else require_dtype(known(machine, dtype))
        flat = numpy_function is np.concatenate and absent(options.get("axis", 0))
        shown = [np.broadcast_to(np.ones((), v.type.dtype), v.type.shape) for v in operands]
        small = all(float(np.prod(v.type.shape)) < 1e5 for v in operands)
        extra = {"casting": casting, **({"dtype": target} if target is not None else {})}
        try:
            if flat and target is None and given:
                result = promoted_type(machine, given)
            elif small:
                result = numpy_function(shown, **options, **extra).dtype
            else:
                result = target or np.result_type(*shown)
            var = machine.leaf(
                _join, operands, (jax_function, tuple(options.items()), result), name=numpy_function.__name__
            )
        except (TypeError, ValueError, IndexError) as error:
            return _join_error(machine, numpy_function, shown, {**options, **extra}, error)
        return deliver(machine, var[0], out, casting)

    return rule


def _join_error(machine, numpy_function, shown, options, failure):
    try:
        numpy_function(shown, **options)
    except Exception as error:
        return raise_real(machine, error)
    raise Refused("XP0011", f"{numpy_function.__name__}: {failure}")


def _join(*rest):
    *arrays, join, options, dtype = rest
    return join([cast_array(a, dtype) for a in arrays], **dict(options))


function(np.concatenate)(_joining(np.concatenate, jnp.concatenate))


def _block(arrays):
    return jnp.block(_lists(arrays))


def _lists(part):
    return [_lists(item) for item in part] if isinstance(part, tuple) else part


numpy_leaf(np.block, _block, "arrays", "promote")

# -- rearranging -----------------------------------------------------------------------------------------------------


@function(np.roll)
def roll(machine, a, shift, axis: Any = None):
    """np.roll: the shift may be dynamic."""
    var = operand(machine, a)
    axis = hashable(known(machine, axis, "an axis"))
    static = try_known(machine, shift)
    try:
        np.roll(
            np.broadcast_to(np.False_, tuple(min(n, 1) for n in var.type.shape)),
            0 if static is NO_VALUE else static,
            axis,
        )
    except Exception as error:
        return raise_real(machine, error)
    if static is NO_VALUE:
        steps = operand(machine, shift)
        steps = python_int(machine, steps) if steps.type.dtype.kind == "u" else steps
        return machine.numpy_result(machine.leaf(_roll, (var, steps), (axis,), name="roll")[0])
    if np.asarray(static).dtype.kind == "u":
        # minus such a number is none, and of one that is too large for a signed one only the remainder counts
        sizes = np.prod(var.type.shape) if axis is None else np.asarray(var.type.shape)[np.asarray(axis)]
        static = (np.asarray(static) % np.maximum(sizes, 1).astype(np.uint64)).astype(np.int64).tolist()
    result = machine.leaf(_roll_static, (var,), (hashable(static), axis), name="roll")[0]
    return machine.new_array(result)


def _roll(x, shift, axis):
    return jnp.roll(x, shift, axis)


def _roll_static(x, shift, axis):
    return jnp.roll(x, shift, axis)


#: runs of places that are kept, from which on their elements are looked up one by one
_MANY_RUNS = 16


@function(np.delete)
def delete(machine, arr, obj, axis: Any = None):
    """np.delete at known places, or at one that depends on data."""
    if isinstance(obj, NdArray) and constant_value(machine.read(obj)) is None:
        return machine.call(Const(np.delete.__wrapped__), (arr, obj, axis if isinstance(axis, Value) else Const(axis)))
    var, axis = operand(machine, arr), known(machine, axis)
    if isinstance(obj, Scalar | NumpyScalar) and obj.var.type.dtype.kind in "iu":
        return _delete_at(machine, var, obj, axis)
    places = known(machine, obj, "the places of np.delete (the size of an array depends on them)")
    shape = var.type.shape
    try:
        np.delete(np.broadcast_to(np.False_, tuple(min(n, 1) for n in shape)), [], axis)
        line = np.arange(int(np.prod(shape)) if axis is None else shape[axis])
        if axis is not None:  # it is named in messages
            line = np.moveaxis(line.reshape(-1, *(1,) * (len(shape) - 1)), 0, axis)
        kept = np.delete(line, places, axis).ravel()
    except Exception as error:
        return raise_real(machine, error)
    ends = np.flatnonzero(np.diff(kept) != 1) + 1
    if kept.size and len(ends) < _MANY_RUNS:
        runs = tuple((int(run[0]), int(run[-1]) + 1) for run in np.split(kept, ends))
        return machine.new_array(machine.leaf(_keep_runs, (var,), (runs, axis), name="delete")[0])
    static = (tuple(int(k) for k in kept), axis)
    return machine.new_array(machine.leaf(_keep, (var,), static, name="delete")[0])


def _delete_at(machine, var, obj, axis):
    """np.delete at a place that depends on data."""
    if axis is None:
        var, axis = reshape(machine, var, (-1,)), 0
    try:
        np.delete(np.zeros(tuple(min(n, 1) for n in var.type.shape), bool), [], axis)
    except Exception as error:
        return raise_real(machine, error)
    axis %= len(var.type.shape)
    size = var.type.shape[axis]
    index = _checked_place(machine, obj, axis, size, size - 1)
    if not size:
        return machine.new_array(var)
    return machine.new_array(machine.leaf(_delete_one, (var, index), (axis,), name="delete")[0])


def _checked_place(machine, obj, axis, size, most):
    """A place along a dimension, which may count from its end, and is at most `most`."""
    builder = machine.builder
    index = builder.convert(python_int(machine, obj.var), _INT64)
    below = builder.elementwise("lt", index, builder.constant(-size, _INT64))
    bad = builder.elementwise("bitwise_or", below, builder.elementwise("gt", index, builder.constant(most, _INT64)))
    text = machine.message(f"index {{}} is out of bounds for axis {axis} with size {size}", obj)
    machine.check(bad, IndexError, text)
    return index


def _delete_one(x, place, axis):
    size = x.shape[axis]
    place = jnp.where(place < 0, place + size, place)
    before, after = (lax.slice_in_dim(x, k, size - 1 + k, axis=axis) for k in (0, 1))
    return jnp.where(lax.broadcasted_iota(place.dtype, before.shape, axis) < place, before, after)


def _keep_runs(x, runs, axis):
    x = jnp.ravel(x) if axis is None else x
    return jnp.concatenate([lax.slice_in_dim(x, *run, axis=axis or 0) for run in runs], axis=axis or 0)


def _keep(x, kept, axis):
    x = jnp.ravel(x) if axis is None else x
    return jnp.take(x, np.array(kept, np.int64), axis=axis or 0, mode="clip")


@function(np.repeat)
def repeat(machine, a, repeats, axis=None):
    """np.repeat with known counts."""
    var = operand(machine, a)
    counts, axis = (
        known(machine, repeats, "the counts of np.repeat (the size of an array depends on them)"),
        known(machine, axis),
    )
    if not var.type.shape and axis is not None:
        var = reshape(machine, var, (1,))
    try:
        shape = var.type.shape
        np.repeat(np.broadcast_to(np.False_, tuple(min(n, 1) for n in shape)), 1, axis)
        size = int(np.prod(shape)) if axis is None else shape[axis]
        every = np.asarray(counts)
        uniform = every.size == 1 and every.ndim < 2 and every.dtype.kind in "iub"
        order = np.repeat(np.arange(min(size, 1) if uniform else size), np.minimum(every, 1) if uniform else counts)
    except Exception as error:
        return raise_real(machine, error)
    static = (int(every.item()) if uniform else tuple(order.tolist()), axis, uniform)
    return machine.new_array(machine.leaf(_repeat, (var,), static, name="repeat")[0])


def _repeat(x, counts, axis, uniform):
    if uniform:
        return jnp.repeat(x, counts, axis=axis)
    x = jnp.ravel(x) if axis is None else x
    return jnp.take(x, np.array(counts, np.int64), axis=axis or 0, mode="clip")


_PAD_NAMES = {"constant_values", "end_values", "stat_length", "reflect_type"}


@function(np.pad)
def pad(machine, array, pad_width, mode="constant", **kwargs):
    """np.pad."""
    var, widths, style = (
        operand(machine, array),
        known(machine, pad_width, "the widths of np.pad"),
        known(machine, mode),
    )
    if callable(style):
        raise Refused("XP0011", "np.pad with a function as mode")
    if style in ("maximum", "minimum", "median") and var.type.dtype.kind == "c":
        raise Refused("XP0011", f"np.pad of complex numbers with mode={style!r}", "pad their real and imaginary parts")
    named = dict(kwargs)
    value = named.pop("constant_values", None)
    options = {k: hashable(known(machine, v)) for k, v in named.items()}
    if isinstance(widths, dict):
        raise Refused("XP0011", "np.pad with a dict of widths")
    try:
        small = np.broadcast_to(np.ones((), var.type.dtype), tuple(min(n, 64) for n in var.type.shape))
        if small.size < 1e5 and set(options) <= _PAD_NAMES:
            pad_: Any = np.pad  # whose modes have types of their own
            pad_(small, widths, style, **options)
    except Exception as error:
        return raise_real(machine, error)
    pairs = np.broadcast_to(np.asarray(widths, int), (len(var.type.shape), 2))
    if style == "linear_ramp":
        ends = np.broadcast_to(np.asarray(options.get("end_values", 0)), (len(pairs), 2))
        pairs, ends = (Const(tuple(map(tuple, v.tolist()))) for v in (pairs, ends))
        return machine.call(Const(_with_ramps), (machine.new_array(var), pairs, ends))
    operands = [var]
    if value is not None:
        operands.append(cast(machine, operand(machine, value), var.type.dtype))
    static = (tuple(map(tuple, pairs.tolist())), style, tuple(options.items()))
    return machine.new_array(machine.leaf(_pad, operands, static, name="pad")[0])


def _with_ramps(array, widths, ends):
    """`np.pad(mode="linear_ramp")`, one axis after the other."""
    for axis, ((before, after), (first, last)) in enumerate(zip(widths, ends, strict=True)):
        left = np.linspace(first, array.take(0, axis), before, endpoint=False, dtype=array.dtype, axis=axis)
        right = np.linspace(last, array.take(-1, axis), after, endpoint=False, dtype=array.dtype, axis=axis)
        array = np.concatenate((left, array, np.flip(right, axis)), axis)
    return array


def _pad(x, *rest):
    *value, widths, mode, options = rest
    named = dict(options)
    if value:
        named["constant_values"] = value[0]
    return jnp.pad(x, widths, mode, **named)


@function(np.insert)
def insert(machine, arr, obj, values, axis=None):
    """np.insert at known places, or at one that depends on data."""
    if isinstance(obj, Scalar | NumpyScalar) and obj.var.type.dtype.kind in "iu":
        return _insert_at(machine, arr, obj, values, known(machine, axis))
    places = known(machine, obj, "the places of np.insert")
    var = operand(machine, arr)
    new = elements(machine, values, var.type.dtype)
    axis = known(machine, axis)
    try:
        small = [np.broadcast_to(np.ones((), v.type.dtype), v.type.shape) for v in (var, new)]
        np.insert(small[0], places, small[1], axis)
    except Exception as error:
        return raise_real(machine, error)
    if type(places) is int:  # several places are found by sums, which XLA would work out at compile time, for seconds
        return _insert_at(machine, arr, obj, values, axis, places)
    if isinstance(places, slice):
        shape = var.type.shape
        places = range(*places.indices(int(np.prod(shape)) if axis is None else shape[axis]))
        places = list(places)
    elif np.asarray(places).dtype == bool and np.ndim(places):
        places = np.flatnonzero(places)
    return machine.new_array(machine.leaf(_insert, (var, new), (hashable(places), axis), name="insert")[0])


def _insert_at(machine, arr, obj, values, axis, place=None):
    """np.insert at one place, `place` or what depends on data."""
    var = operand(machine, arr)
    new = elements(machine, values, var.type.dtype)
    if axis is None:
        var, axis = reshape(machine, var, (-1,)), 0
    shape = var.type.shape
    try:
        result = np.insert(np.zeros(shape, bool), 0, np.zeros(new.type.shape, bool), axis).shape
    except Exception as error:
        return raise_real(machine, error)
    axis %= len(shape)
    if place is not None:
        static = (place % shape[axis] if place < 0 else place, axis, result[axis])
        return machine.new_array(machine.leaf(_insert_there, (var, new), static, name="insert")[0])
    index = _checked_place(machine, obj, axis, shape[axis], shape[axis])
    return machine.new_array(machine.leaf(_insert_one, (var, new, index), (axis, result[axis]), name="insert")[0])


def _to_insert(x, values, axis, room):
    """What is put into an array, in its shape."""
    if values.ndim:
        values = values.reshape((1,) * (x.ndim - values.ndim) + values.shape[max(values.ndim - x.ndim, 0) :])
        values = jnp.moveaxis(values, 0, axis)
    return jnp.broadcast_to(values, (*x.shape[:axis], room - x.shape[axis], *x.shape[axis + 1 :]))


def _insert_there(x, values, place, axis, room):
    values = _to_insert(x, values, axis, room)
    before, after = (lax.slice_in_dim(x, *ends, axis=axis) for ends in ((0, place), (place, x.shape[axis])))
    return lax.concatenate([part for part in (before, values, after) if part.size], axis)


def _insert_one(x, values, place, axis, room):
    place = jnp.where(place < 0, place + x.shape[axis], place)
    more = room - x.shape[axis]
    values = _to_insert(x, values, axis, room)
    pads = [[(0, 0, 0)] * x.ndim for _ in range(2)]
    pads[0][axis], pads[1][axis] = (0, more, 0), (more, 0, 0)
    before, after = (lax.pad(x, jnp.zeros((), x.dtype), p) for p in pads)
    lane = lax.broadcasted_iota(place.dtype, before.shape, axis)
    return lax.dynamic_update_slice_in_dim(jnp.where(lane < place, before, after), values, place, axis)


def _insert(x, values, places, axis):
    return jnp.insert(x, np.asarray(places) if isinstance(places, tuple) else places, values, axis)


# -- bits ------------------------------------------------------------------------------------------------------------

_BitOrder = Literal["big", "little"]


def _packbits(a, axis=None, bitorder: _BitOrder = "big"):
    if a.size:
        return jnp.packbits(a, axis=axis, bitorder=bitorder)
    return jnp.zeros(np.packbits(np.zeros(a.shape, bool), axis, bitorder).shape, jnp.uint8)


def _unpackbits(a, axis=None, count=None, bitorder: _BitOrder = "big"):
    if a.size:
        return jnp.unpackbits(a, axis=axis, count=count, bitorder=bitorder)
    return jnp.zeros(np.unpackbits(np.zeros(a.shape, np.uint8), axis, count, bitorder).shape, jnp.uint8)


numpy_leaf(np.packbits, _packbits, "a", "keep")
numpy_leaf(np.unpackbits, _unpackbits, "a", "keep")
