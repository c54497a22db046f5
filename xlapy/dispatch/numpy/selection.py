"""Choosing and placing elements: where, clip, select, take, put, and functions that make indices."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays import fancy as numpy_fancy
from xlapy.dispatch.arrays.elements import copied, elements
from xlapy.dispatch.arrays.indexing import assign
from xlapy.dispatch.arrays.views import read_view, write_view
from xlapy.dispatch.numpy import views as numpy_views
from xlapy.dispatch.numpy.leaf import hashable
from xlapy.dispatch.numpy.ufuncs import call, type_of_operand, ufunc_rule
from xlapy.dispatch.numpy.values import (
    absent,
    any_true,
    cast,
    cast_array,
    deliver,
    items_of,
    known,
    operand,
    raise_as_numpy,
    raise_real,
    reshape,
)
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.table import function
from xlapy.domain.join import known_bounds
from xlapy.domain.values import NONE, Const, JaxArray, NdArray, NumpyScalar, Scalar, Value
from xlapy.ir import Var, constant_value

_INT64 = np.dtype(np.int64)
_NO_VALUE = getattr(np, "_NoValue", None)

# -- choosing --------------------------------------------------------------------------------------------------------


@function(np.where)
def where(machine, condition, x=None, y=None, /):
    """np.where with three arguments; with one, a size depends on data."""
    if x is None and y is None:
        constant = constant_value(operand(machine, condition))
        if constant is not None:
            parts = np.nonzero(constant)
            return machine.call(Const(tuple), (Const(()),)) if not parts else _index_tuple(machine, parts)
        raise Refused("XP0013", "the size of np.where(condition) depends on data", "use np.where(condition, x, y)")
    if x is None or y is None:
        return machine.raise_(ValueError, "either both or neither of x and y should be given")
    test = cast(machine, operand(machine, condition), np.dtype(bool))
    types = [type_of_operand(machine, v) for v in (x, y)]
    dtype = np.result_type(*(t(0) if isinstance(t, type) else t for t in types))
    if all(isinstance(t, type) for t in types):
        dtype = np.result_type(*types)
    try:
        one, two = (_weak_operand(machine, v, t, dtype) for v, t in zip((x, y), types, strict=True))
        shape = np.broadcast_shapes(test.type.shape, one.type.shape, two.type.shape)
    except (ValueError, OverflowError) as error:
        return raise_as_numpy(machine, np.where, (condition, x, y), {}, error)
    builder = machine.builder
    parts = [builder.broadcast(v, shape) for v in (test, one, two)]
    result = builder.elementwise("select", *parts)
    return machine.new_array(result)


def _weak_operand(machine: Machine, value: Value, type_: object, dtype: np.dtype) -> Var:
    if isinstance(type_, type) and isinstance(value, Const):
        return machine.builder.constant(np.array(value.value, dtype), dtype)
    return operand(machine, value, dtype)


def _index_tuple(machine: Machine, parts) -> Value:
    return numpy_views.Tuple(tuple(machine.new_array(machine.builder.constant(p)) for p in parts))


@function(np.nonzero, np.flatnonzero, np.argwhere)
def nonzero(machine, a):
    """A size that depends on data."""
    constant = constant_value(operand(machine, a))
    if constant is not None:
        return _index_tuple(machine, np.nonzero(constant))
    raise Refused("XP0013", "the number of non-zero elements depends on data", "use np.where(condition, x, y)")


@function(np.clip)
def clip(machine, a, a_min=_NO_VALUE, a_max=_NO_VALUE, out=None, *, min=_NO_VALUE, max=_NO_VALUE, **kwargs):
    """np.clip: minimum(maximum(a, low), high)."""
    low = min if a_min is _NO_VALUE else a_min
    high = max if a_max is _NO_VALUE else a_max
    low = None if low is _NO_VALUE or absent(low) else low
    high = None if high is _NO_VALUE or absent(high) else high
    named = {**kwargs, **({} if absent(out) else {"out": out})}
    if low is None and high is None:
        return ufunc_rule(machine, np.positive, a, **named)
    if low is None:
        return ufunc_rule(machine, np.minimum, a, high, **named)
    if high is None:
        return ufunc_rule(machine, np.maximum, a, low, **named)
    if named:
        return ufunc_rule(machine, np.minimum, call(machine, np.maximum, (a, low)), high, **named)
    return call(machine, np.minimum, (call(machine, np.maximum, (a, low)), high))


@function(np.select)
def select(machine, condlist, choicelist, default=0):
    """np.select."""
    conditions, choices = items_of(machine, condlist), items_of(machine, choicelist)
    if len(conditions) != len(choices):
        return machine.raise_(ValueError, "list of cases must be same length as list of conditions")
    if not conditions:
        return machine.raise_(ValueError, "select with an empty condition list is not possible")
    default = default if isinstance(default, Value) else Const(default)
    specs = [machine.spec(v) for v in (*choices, default)]
    dtype = np.result_type(
        *(
            s(0) if isinstance(s, type) else operand(machine, v).type.dtype
            for s, v in zip(specs, (*choices, default), strict=True)
        )
    )
    result: Value = machine.numpy_result(operand(machine, default, dtype))
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        if operand(machine, condition).type.dtype != bool:
            return machine.raise_(TypeError, "invalid entry 0 in condlist: should be boolean ndarray")
        result = where(machine, condition, machine.numpy_result(operand(machine, choice, dtype)), result)
    return result


@function(np.choose)
def choose(machine, a, choices, out=None, mode="raise"):
    """np.choose."""
    index = operand(machine, a, _INT64)
    options = [operand(machine, v) for v in items_of(machine, choices)]
    style = str(known(machine, mode))
    dtype = np.result_type(*(v.type.dtype for v in options))
    if style == "raise":
        bad = machine.leaf(_outside, (index,), (len(options),), name="choose")[0]
        machine.check(bad, ValueError, "invalid entry in choice array")
    elif style not in ("wrap", "clip"):
        raise Refused("XP0011", f"np.choose: mode={style!r}")
    var = machine.leaf(_choose, (index, *options), (style, dtype), name="choose")[0]
    return deliver(machine, var, out)


def _outside(index, count):
    return jnp.any((index < 0) | (index >= count))


def _choose(index, *rest):
    *options, mode, dtype = rest
    return jnp.choose(index, [cast_array(o, dtype) for o in options], mode="clip" if mode == "raise" else mode)


# -- take and put ----------------------------------------------------------------------------------------------------


@function(np.take)
def take(machine, a, indices, axis=None, out=None, mode="raise"):
    """np.take."""
    var, index = operand(machine, a), operand(machine, indices)
    if index.type.dtype.kind not in "iub":
        message = f"Cannot cast array data from {index.type.dtype!r} to dtype('int64') according to the rule 'safe'"
        return machine.raise_(TypeError, message)
    axis, style = known(machine, axis, "an axis"), str(known(machine, mode))
    if axis is None:
        var, axis = reshape(machine, var, (int(np.prod(var.type.shape)),)), 0
    try:
        axis = int(np.expand_dims(np.arange(len(var.type.shape)), 0).T[axis][0]) if var.type.shape else 0
    except IndexError:
        return raise_as_numpy(machine, np.take, (a, indices), {"axis": Const(axis)}, "axis")
    size = var.type.shape[axis]
    index = machine.builder.convert(index, _INT64)
    bounds = known_bounds(indices) if isinstance(indices, Value) else None
    if style == "raise":
        if size == 0 and 0 not in index.type.shape:
            return machine.raise_(IndexError, "cannot do a non-empty take from an empty axes.")
        if bounds is None or not 0 <= bounds[0] <= bounds[1] < size:
            index = _take_range(machine, index, size, axis)
    var = machine.leaf(_take, (var, index), (axis, style), name="take")[0]
    return deliver(machine, var, out)


def _take_range(machine: Machine, index: Var, size: int, axis: int) -> Var:
    constant = constant_value(index)
    if constant is not None:
        return numpy_fancy.in_range(machine, index, size, axis)
    wrapped, bad, first = machine.leaf(numpy_fancy._wrap, (index,), (size,), name="check_indices")
    shown = Scalar(int, machine.builder.convert(first, _INT64, True))
    text = machine.message(  # type: ignore[attr-defined]
        "index {} is out of bounds for axis {} with size {}", shown, axis, size
    )
    machine.check(bad, IndexError, text)
    return wrapped


def _take(x, index, axis, mode):
    return jnp.take(x, index, axis=axis, mode="clip" if mode == "raise" else mode)


@function(np.take_along_axis)
def take_along_axis(machine, arr, indices, axis=-1):
    """np.take_along_axis."""
    return machine.numpy_result(
        machine.leaf(_take_along, *_along(machine, arr, indices, axis), name="take_along_axis")[0]
    )


def _along(machine: Machine, arr, indices, axis):
    var, index = operand(machine, arr), operand(machine, indices)
    axis = known(machine, axis)
    if axis is None:
        var, axis = reshape(machine, var, (int(np.prod(var.type.shape)),)), 0
    if index.type.dtype.kind not in "iu":
        machine.raise_(IndexError, "`indices` must be an integer array")
    if len(index.type.shape) != len(var.type.shape):
        machine.raise_(ValueError, "`indices` and `arr` must have the same number of dimensions")
    axis = int(axis) % len(var.type.shape)
    index = numpy_fancy.in_range(machine, machine.builder.convert(index, _INT64), var.type.shape[axis], axis)
    return (var, index), (axis,)


def _take_along(x, index, axis):
    return jnp.take_along_axis(x, index, axis, mode="clip")


@function(np.put_along_axis)
def put_along_axis(machine, arr, indices, values, axis):
    """np.put_along_axis: in place."""
    if absent(axis):
        return _put_flat(machine, arr, indices, values)
    (var, index), (axis,) = _along(machine, arr, indices, axis)
    new = machine.builder.broadcast(operand(machine, values, var.type.dtype), index.type.shape)
    _write(machine, arr, machine.leaf(_put_along, (var, index, new), (axis,), name="put_along_axis")[0])
    return NONE


def _put_flat(machine: Machine, arr: Value, indices: Value, values: Value) -> Value:
    var, index = operand(machine, arr), operand(machine, indices, _INT64)
    if len(index.type.shape) != 1:
        return machine.raise_(ValueError, "when axis=None, `indices` must have a single dimension.")
    index = numpy_fancy.in_range(machine, index, int(np.prod(var.type.shape)), 0)
    new = machine.builder.broadcast(operand(machine, values, var.type.dtype), index.type.shape)
    _write(machine, arr, machine.leaf(_put_ravelled, (var, index, new), name="put_along_axis")[0])
    return NONE


def _put_ravelled(x, index, new):
    return numpy_fancy._put(jnp.ravel(x), new, index, (("index", 0),), False).reshape(x.shape)


def _put_along(x, index, new, axis):
    grids = list(np.ix_(*(np.arange(n) for n in index.shape)))
    grids[axis] = index
    return numpy_fancy._put(x, new, *(jnp.asarray(g) for g in grids), tuple(("index", k) for k in range(x.ndim)), False)


def _write(machine: Machine, target: Value, var: Var) -> None:
    if not isinstance(target, NdArray):
        machine.raise_(TypeError, "argument 1 must be numpy.ndarray")
    if not target.writeable:  # type: ignore[attr-defined]
        machine.raise_(ValueError, "assignment destination is read-only")
    write_view(machine, target, var)  # type: ignore[arg-type]


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
    index, new = operand(machine, ind, _INT64), elements(machine, v, a.type.dtype)
    size = int(np.prod(a.type.shape))
    index = reshape(machine, index, (int(np.prod(index.type.shape)),))
    if style == "raise":
        index = numpy_fancy.in_range(machine, index, size, 0)
    var = machine.leaf(_put, (read_view(machine, a), index, new), (style, size), name="put")[0]
    _write(machine, a, var)
    return NONE


def _put(x, index, new, mode, size):
    index = jnp.clip(index, 0, size - 1) if mode == "clip" else index % size
    new = jnp.resize(new, index.shape)
    return numpy_fancy._put(jnp.ravel(x), new, index, (("index", 0),), False).reshape(x.shape)


@function(np.putmask)
def putmask(machine, a, /, mask, values):
    """np.putmask: in place; values are repeated, by position."""
    _require_target(machine, np.putmask, a, True, 0.0)
    test, new = cast(machine, operand(machine, mask), np.dtype(bool)), elements(machine, values, a.type.dtype)
    if test.type.shape != a.type.shape:
        return machine.raise_(ValueError, "putmask: mask and data must be the same size")
    _write(machine, a, machine.leaf(_putmask, (read_view(machine, a), test, new), name="putmask")[0])
    return NONE


def _putmask(x, mask, values):
    return jnp.where(mask, jnp.resize(values, x.shape), x)


@function(np.place)
def place(machine, arr, mask, vals):
    """np.place: in place; the values go to the true places in order, repeated."""
    _require_target(machine, np.place, arr, True, 0.0)
    test, new = cast(machine, operand(machine, mask), np.dtype(bool)), elements(machine, vals, arr.type.dtype)
    _write(machine, arr, machine.leaf(_place, (read_view(machine, arr), test, new), name="place")[0])
    return NONE


def _place(x, mask, values):
    order = jnp.cumsum(jnp.ravel(mask).astype(jnp.int64)) - 1
    values = jnp.ravel(values)
    return jnp.where(mask, values[order % values.size].reshape(x.shape), x)


@function(np.copyto)
def copyto(machine, dst, src, casting="same_kind", where=True):
    """np.copyto: in place."""
    _require_target(machine, np.copyto, dst, 0.0)
    rule = str(known(machine, casting))
    spec = machine.spec(src)
    source = operand(machine, src).type
    shown = spec(0) if isinstance(spec, type) else np.zeros((1,) * len(source.shape), source.dtype)[()]
    try:
        np.copyto(np.empty((1,) * len(source.shape), dst.type.dtype), shown, casting=rule)  # type: ignore[arg-type]
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
    new = operand(machine, val, a.type.dtype)
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


# -- indices ---------------------------------------------------------------------------------------------------------


@function(np.ix_)
def ix_(machine, *args):
    """np.ix_: an open mesh."""
    results = []
    for k, item in enumerate(args):
        var = operand(machine, item)
        if len(var.type.shape) != 1:
            return machine.raise_(ValueError, "Cross index must be 1 dimensional")
        if var.type.dtype == bool:
            constant = constant_value(var)
            if constant is None:
                raise Refused("XP0013", "np.ix_ of a mask")
            var = machine.builder.constant(np.nonzero(constant)[0])
        constant = constant_value(var)
        shape = (1,) * k + (var.type.shape[0],) + (1,) * (len(args) - k - 1)
        shaped = (
            machine.builder.constant(constant.reshape(shape)) if constant is not None else reshape(machine, var, shape)
        )
        results.append(machine.new_array(shaped))
    return numpy_views.Tuple(tuple(results))


@function(np.ravel_multi_index)
def ravel_multi_index(machine, multi_index, dims, mode="raise", order="C"):
    """np.ravel_multi_index."""
    shape, style = known(machine, dims), str(known(machine, mode))
    parts = [operand(machine, v, _INT64) for v in items_of(machine, multi_index)]
    shape = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    styles = (style,) * len(parts) if isinstance(known(machine, mode), str) else tuple(known(machine, mode))  # type: ignore
    if str(known(machine, order)) == "F":
        parts, shape, styles = parts[::-1], shape[::-1], styles[::-1]
    flat, bad = machine.leaf(_ravel_index, parts, (hashable(shape), styles), name="ravel_multi_index")
    machine.check(bad, ValueError, "invalid entry in coordinates array")
    return machine.numpy_result(flat)


def _ravel_index(*rest):
    *parts, shape, styles = rest
    bad, flat = jnp.zeros((), bool), jnp.zeros((), jnp.int64)
    for index, size, style in zip(parts, shape, styles, strict=True):
        if style == "raise":
            bad = bad | jnp.any((index < 0) | (index >= size))
        index = index % size if style == "wrap" else jnp.clip(index, 0, size - 1) if style == "clip" else index
        flat = flat * size + index
    return flat, bad


@function(np.unravel_index)
def unravel_index(machine, indices, shape, order="C"):
    """np.unravel_index."""
    dims = known(machine, shape, "a shape")
    dims = dims if isinstance(dims, tuple | list) else (dims,)
    if str(known(machine, order)) == "F":
        turned = unravel_index(machine, indices, Const(tuple(dims)[::-1]))
        return numpy_views.Tuple(turned.items[::-1])
    index = operand(machine, indices, _INT64)
    size = int(np.prod(dims))
    low = machine.builder.constant(0, _INT64)
    high = machine.builder.constant(size, _INT64)
    shape_ = index.type.shape
    builder = machine.builder
    bounds = known_bounds(indices)
    if 0 not in shape_ and (bounds is None or bounds[0] < 0 or bounds[1] >= size):
        below = builder.elementwise("lt", index, builder.broadcast(low, shape_))
        above = builder.elementwise("ge", index, builder.broadcast(high, shape_))
        bad = any_true(machine, builder.elementwise("bitwise_or", below, above))
        shown = machine.leaf(_first_bad, (index,), (size,), name="unravel_index")[0]
        text = machine.message(  # type: ignore[attr-defined]
            "index {} is out of bounds for array with size " + str(size),
            Scalar(int, builder.convert(shown, _INT64, True)),
        )
        machine.check(bad, ValueError, text)
    parts = machine.leaf(_unravel, (index,), (tuple(int(n) for n in dims),), name="unravel_index")
    results = []
    for var, n in zip(parts, dims, strict=True):
        value = machine.numpy_result(var)
        results.append(type(value)(value.var, (0, int(n) - 1)) if hasattr(value, "bounds") else value)
    return numpy_views.Tuple(tuple(results))


def _first_bad(index, size):
    flat = jnp.ravel(index)
    return flat[jnp.argmax((flat < 0) | (flat >= size))]


def _unravel(index, shape):
    parts = []
    for size in reversed(shape):
        parts.append(index % size)
        index = index // size
    return parts[::-1]


@function(np.compress, np.extract)
def compress(machine, condition, a, axis=None, out=None):
    """A size that depends on data, unless the condition is known."""
    constant = constant_value(operand(machine, condition))
    if constant is None:
        raise Refused("XP0013", "the size of np.compress and np.extract depends on data", "use np.where")
    index = machine.new_array(machine.builder.constant(np.nonzero(constant.ravel())[0]))
    return take(machine, a, index, axis, out)
