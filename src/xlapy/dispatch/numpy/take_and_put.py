"""Taking and placing elements by index or mask: take, put, place, copyto, fill_diagonal."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays import advanced_indexing
from xlapy.dispatch.arrays.element_conversion import copied, elements
from xlapy.dispatch.arrays.indexing import assign
from xlapy.dispatch.arrays.memory_order import layout_model
from xlapy.dispatch.arrays.views import read_view, write_view
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    any_true,
    cast,
    deliver,
    fresh,
    known,
    operand,
    raise_as_numpy,
    raise_real,
    require_indices,
    reshape,
)
from xlapy.dispatch.numpy.sorting import axis_of
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import NONE, BoundedArray, Const, JaxArray, NdArray, NumpyScalar, Scalar, Value
from xlapy.ir import Var, constant_value

_INT64 = np.dtype(np.int64)


@function(np.take)
def take(machine, a, indices, axis=None, out=None, mode="raise"):
    """np.take."""
    var, index = operand(machine, a), operand(machine, indices)
    if 0 in index.type.shape and not isinstance(indices, NdArray):
        index = machine.builder.constant(np.zeros(index.type.shape, _INT64))
    if index.type.dtype.kind not in "iub":
        require_indices(machine, _take_from, indices)
        index = machine.builder.convert(index, _INT64)
    axis, style = known(machine, axis, "an axis"), str(known(machine, mode))
    if axis is None:
        var, axis = reshape(machine, var, (int(np.prod(var.type.shape)),)), 0
    try:
        axis = int(np.expand_dims(np.arange(len(var.type.shape)), 0).T[axis][0]) if var.type.shape else 0
    except IndexError:
        return raise_as_numpy(machine, np.take, (a, indices), {"axis": Const(axis)}, "axis")
    var = var if var.type.shape else reshape(machine, var, (1,))
    size = var.type.shape[axis]
    if size == 0 and 0 not in index.type.shape:
        return machine.raise_(IndexError, "cannot do a non-empty take from an empty axes.")
    if size == 0:
        shape = (*var.type.shape[:axis], *index.type.shape, *var.type.shape[axis + 1 :])
        result = machine.builder.constant(np.zeros(shape, var.type.dtype))
        return deliver(machine, result, out)
    index = machine.builder.convert(index, _INT64)
    bounds = known_bounds(indices) if isinstance(indices, Value) else None
    if style == "raise" and 0 not in index.type.shape:
        if bounds is None or not 0 <= bounds[0] <= bounds[1] < size:
            index = _take_range(machine, index, size, axis)
    var = machine.leaf(_take, (var, index), (axis, style), name="take")[0]
    return deliver(machine, var, out)


def _take_from(indices):
    return np.take(np.zeros(2), indices)


def _take_range(machine: Machine, index: Var, size: int, axis: int) -> Var:
    constant = constant_value(index)
    if constant is not None:
        return advanced_indexing.in_range(machine, index, size, axis)
    wrapped, bad, first = machine.leaf(advanced_indexing._wrap, (index,), (size,), name="check_indices")
    shown = Scalar(int, machine.builder.convert(first, _INT64, True))
    text = machine.message("index {} is out of bounds for axis {} with size {}", shown, axis, size)
    machine.check(bad, IndexError, text)
    return wrapped


def _take(x, index, axis, mode):
    return jnp.take(x, index, axis=axis, mode="clip" if mode == "raise" else mode)


@function(np.take_along_axis)
def take_along_axis(machine, arr, indices, axis=-1):
    """np.take_along_axis."""
    var, index, axis = _along(machine, arr, indices, axis)
    index = advanced_indexing.in_range(machine, index, var.type.shape[axis], axis)
    return machine.numpy_result(machine.leaf(_take_along, (var, index), (axis,), name="take_along_axis")[0])


def _along(machine: Machine, arr, indices, axis) -> tuple[Var, Var, int]:
    """An array, the places in it and the axis along which they are."""
    var, index = operand(machine, arr), operand(machine, indices)
    axis = known(machine, axis)
    if axis is None:
        if len(index.type.shape) != 1:
            machine.raise_(ValueError, "when axis=None, `indices` must have a single dimension.")
        var, axis = reshape(machine, var, (int(np.prod(var.type.shape)),)), 0
    if index.type.dtype.kind not in "iu":
        machine.raise_(IndexError, "`indices` must be an integer array")
    if len(index.type.shape) != len(var.type.shape):
        machine.raise_(ValueError, "`indices` and `arr` must have the same number of dimensions")
    axis = axis_of(machine, Const(axis), len(var.type.shape))
    assert axis is not None
    return var, machine.builder.convert(index, _INT64), axis


def _take_along(x, index, axis):
    return jnp.take_along_axis(x, index, axis, mode="clip")


@function(np.put_along_axis)
def put_along_axis(machine, arr, indices, values, axis):
    """np.put_along_axis: in place."""
    if absent(axis):
        return _put_flat(machine, arr, indices, values)
    var, index, axis = _along(machine, arr, indices, axis)
    shape, whole, given = var.type.shape, index.type.shape, operand(machine, values, var.type.dtype)
    if whole != (*shape[:axis], whole[axis], *shape[axis + 1 :]) or not _fits(given.type.shape, whole):
        places = machine.new_array(index)  # they are broadcast along the other axes
        return machine.call(Const(_put_at_places), (arr, places, values, Const(axis), Const(shape)))
    index = advanced_indexing.in_range(machine, index, shape[axis], axis)
    new = machine.builder.broadcast(given, whole)
    _write(machine, arr, machine.leaf(_put_along, (var, index, new), (axis,), name="put_along_axis")[0])
    return NONE


def _fits(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Whether an array of one shape is broadcast to another one."""
    return len(shape) <= len(whole) and all(n in (1, m) for n, m in zip(shape[::-1], whole[::-1], strict=False))


def _put_at_places(arr, indices, values, axis, shape):
    key = ()
    for k in range(len(shape)):
        line = np.arange(shape[k]).reshape((1,) * k + (-1,) + (1,) * (len(shape) - k - 1))
        key += (indices if k == axis else line,)
    arr[key] = values


def _put_flat(machine: Machine, arr: Value, indices: Value, values: Value) -> Value:
    var, index = operand(machine, arr), operand(machine, indices, _INT64)
    if len(index.type.shape) != 1:
        return machine.raise_(ValueError, "when axis=None, `indices` must have a single dimension.")
    index = advanced_indexing.in_range(machine, index, int(np.prod(var.type.shape)), 0)
    new = machine.builder.broadcast(operand(machine, values, var.type.dtype), index.type.shape)
    _write(machine, arr, machine.leaf(_put_ravelled, (var, index, new), name="put_along_axis")[0])
    return NONE


def _put_ravelled(x, index, new):
    return advanced_indexing._put(jnp.ravel(x), new, index, (("index", 0),), False).reshape(x.shape)


def _put_along(x, index, new, axis):
    grids = list(np.ix_(*(np.arange(n) for n in index.shape)))
    grids[axis] = index
    return advanced_indexing._put(
        x, new, *(jnp.asarray(g) for g in grids), tuple(("index", k) for k in range(x.ndim)), False
    )


def _write(machine: Machine, target: Value, var: Var) -> None:
    if not isinstance(target, NdArray):
        machine.raise_(TypeError, "argument 1 must be numpy.ndarray")
    if not target.writeable:
        machine.raise_(ValueError, "assignment destination is read-only")
    write_view(machine, target, var)


def _require_target(machine: Machine, function: Callable, target: Value, *sample: object) -> None:
    """What is written to must be an array of NumPy's; else the error of the real call."""
    if isinstance(target, NdArray):
        return
    if isinstance(target, JaxArray):
        try:
            function(jnp.zeros(1), *sample)
        except TypeError as error:
            raise_real(machine, error)
    raise Refused("XP0011", f"np.{function.__name__} of something else than an array")


@function(np.put)
def put(machine, a, ind, v, mode="raise"):
    """np.put: in place, by flat index; values are repeated."""
    _require_target(machine, np.put, a, 0, 0.0)
    style = str(known(machine, mode))
    require_indices(machine, _put_into, ind)
    index, new = operand(machine, ind, _INT64), elements(machine, v, a.type.dtype)
    size = int(np.prod(a.type.shape))
    index = reshape(machine, index, (int(np.prod(index.type.shape)),))
    if 0 in index.type.shape and size or 0 in new.type.shape:
        return NONE
    if (
        style == "raise"
        and machine.catching
        and size
        and 0 not in new.type.shape
        and layout_model(machine, a).flags.c_contiguous
    ):
        # else NumPy writes a copy, which it gives up
        places, values = fresh(machine, index), fresh(machine, reshape(machine, new, (math.prod(new.type.shape),)))
        machine.call(Const(_put_until_out_of_range), [a, places, values, Const(size)])
        return NONE
    if style == "raise":
        index = advanced_indexing.in_range(machine, index, size, 0)
    var = machine.leaf(_put, (read_view(machine, a), index, new), (style, size), name="put")[0]
    _write(machine, a, var)
    return NONE


def _put_until_out_of_range(x, places, values, size):
    """What a handler sees: NumPy has stored the elements before the one whose place there is not."""
    k = 0
    for index in places:
        if index < -size or index >= size:
            raise IndexError(f"index {index} is out of bounds for axis 0 with size {size}")
        x.flat[index] = values[k]
        k = (k + 1) % np.size(values)


def _put_into(indices):
    np.put(np.zeros(2), indices, 0.0)


def _put(x, index, new, mode, size):
    index = jnp.clip(index, 0, size - 1) if mode == "clip" else index % size
    new = jnp.resize(new, index.shape)
    return advanced_indexing._put(jnp.ravel(x), new, index, (("index", 0),), False).reshape(x.shape)


def _require_safe(machine: Machine, placing, array, values) -> None:
    """NumPy's error where the elements of an array may not be cast to those of the one that they are put into."""
    base = values.base if isinstance(values, BoundedArray) else values
    if isinstance(base, NdArray):
        try:
            placing(
                np.zeros(1, array.type.dtype), np.ones(1, bool), np.zeros((1,) * len(base.type.shape), base.type.dtype)
            )
        except TypeError as error:
            raise_real(machine, error)


@function(np.putmask)
def putmask(machine, a, /, mask, values):
    """np.putmask: in place; values are repeated, by position."""
    _require_target(machine, np.putmask, a, True, 0.0)
    _require_safe(machine, np.putmask, a, values)
    test, new = cast(machine, operand(machine, mask), np.dtype(bool)), elements(machine, values, a.type.dtype)
    if math.prod(test.type.shape) != math.prod(a.type.shape):
        return machine.raise_(ValueError, "putmask: mask and data must be the same size")
    if 0 in new.type.shape:
        return NONE
    _write(machine, a, machine.leaf(_putmask, (read_view(machine, a), test, new), name="putmask")[0])
    return NONE


def _putmask(x, mask, values):
    return jnp.where(mask.reshape(x.shape), jnp.resize(values, x.shape), x)


def places(machine, arr, mask, vals) -> Var:
    """The mask of np.place, as booleans, after what NumPy asks of the arrays."""
    _require_target(machine, np.place, arr, True, 0.0)
    _require_safe(machine, np.place, arr, vals)
    test = cast(machine, operand(machine, mask), np.dtype(bool))
    if math.prod(test.type.shape) != math.prod(arr.type.shape):
        machine.raise_(ValueError, "place: mask and data must be the same size")
    return test


@function(np.place)
def place(machine, arr, mask, vals):
    """np.place: in place; the values go to the true places in order, repeated."""
    test = places(machine, arr, mask, vals)
    new = elements(machine, vals, arr.type.dtype)
    if 0 in new.type.shape:
        machine.check(any_true(machine, test), ValueError, "Cannot insert from an empty array!")
        return NONE
    _write(machine, arr, machine.leaf(_place, (read_view(machine, arr), test, new), name="place")[0])
    return NONE


def _place(x, mask, values):
    order = jnp.cumsum(jnp.ravel(mask).astype(jnp.int64)) - 1
    values = jnp.ravel(values)
    return jnp.where(mask.reshape(x.shape), values[order % values.size].reshape(x.shape), x)


@function(np.copyto)
def copyto(machine, dst, src, casting="same_kind", where=True):
    """np.copyto: in place."""
    _require_target(machine, np.copyto, dst, 0.0)
    rule: Any = str(known(machine, casting))
    if rule != "unsafe":  # which takes None, too
        spec = machine.spec(src)
        source = operand(machine, src).type
        shown = spec(0) if isinstance(spec, type) else np.zeros((1,) * len(source.shape), source.dtype)[()]
        try:
            np.copyto(np.empty((1,) * len(source.shape), dst.type.dtype), shown, casting=rule)
        except TypeError as error:
            return raise_real(machine, error)
    var = copied(machine, src, dst.type.dtype)
    if isinstance(where, Value) and not (isinstance(where, Const) and where.value is True):
        mask = machine.builder.broadcast(operand(machine, where), dst.type.shape)
        var = machine.builder.broadcast(var, dst.type.shape)
        _write(machine, dst, machine.builder.elementwise("select", mask, var, read_view(machine, dst)))
        return NONE
    assign(machine, dst, JaxArray(var) if var.type.shape else NumpyScalar(var))
    return NONE


@function(np.fill_diagonal)
def fill_diagonal(machine, a, val, wrap=False):
    """np.fill_diagonal: in place."""
    if not isinstance(a, NdArray):
        raise Refused("XP0011", "np.fill_diagonal of something else than an array")
    wraps = bool(known(machine, wrap)) and len(a.type.shape) == 2
    if len(a.type.shape) < 2:
        return machine.raise_(ValueError, "array must be at least 2-d")
    if len(a.type.shape) > 2 and len(set(a.type.shape)) > 1:
        return machine.raise_(ValueError, "All dimensions of input must be of equal length")
    if not a.writeable:
        return machine.raise_(ValueError, "underlying array is read-only")
    if machine.type_of(val) is complex and a.type.dtype.kind != "c":
        return assign(machine, a, val) or NONE  # which raises
    new = operand(machine, val, a.type.dtype)
    if 0 in new.type.shape:
        return NONE
    _write(machine, a, machine.leaf(_fill_diagonal, (read_view(machine, a), new), (wraps,), name="fill_diagonal")[0])
    return NONE


def _fill_diagonal(x, value, wraps):
    if wraps:
        places = np.arange(0, x.size, x.shape[1] + 1)
        new = jnp.resize(value, (places.size,)) if value.ndim else value
        return jnp.ravel(x).at[places].set(new).reshape(x.shape)
    length = min(x.shape)
    index = jnp.arange(length)
    return x.at[(index,) * x.ndim].set(jnp.resize(value, (length,)) if value.ndim else value)
