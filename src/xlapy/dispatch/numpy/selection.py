"""Choosing elements: where, clip, select, choose, and functions that make indices."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numpy import view_functions
from xlapy.dispatch.numpy.numpy_leaves import hashable
from xlapy.dispatch.numpy.rule_operands import (
    ONE_OF_TWO,
    absent,
    any_true,
    array_type,
    cast,
    cast_array,
    deliver,
    items_of,
    known,
    known_order,
    operand,
    promoted_type,
    raise_as_numpy,
    raise_real,
    require_indices,
    reshape,
)
from xlapy.dispatch.numpy.sorting import axis_of
from xlapy.dispatch.numpy.take_and_put import take
from xlapy.dispatch.numpy.ufuncs import call, type_of_operand, ufunc_rule
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import Const, JaxArray, NdArray, Scalar, Tuple, Value
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


def _index_tuple(machine: Machine, parts) -> Tuple:
    return Tuple(tuple(machine.new_array(machine.builder.constant(p)) for p in parts))


def _nonzero(item):
    def rule(machine, a):
        constant = constant_value(operand(machine, a))
        if constant is None:
            hint = "use np.where(condition, x, y)"
            raise Refused("XP0013", "the number of non-zero elements depends on data", hint)
        try:
            found = item(constant)
        except Exception as error:
            return raise_real(machine, error)
        return _index_tuple(machine, found) if isinstance(found, tuple) else _index_tuple(machine, [found]).items[0]

    function(item)(rule)


for _item in (np.nonzero, np.flatnonzero, np.argwhere):
    _nonzero(_item)


@function(np.clip)
def clip(
    machine, a, a_min: Any = _NO_VALUE, a_max: Any = _NO_VALUE, out=None, *, min=_NO_VALUE, max=_NO_VALUE, **kwargs
):
    """np.clip: minimum(maximum(a, low), high). A number of Python's has NumPy's type for it, unlike in these."""
    if isinstance(machine.spec(a), type):
        a = machine.numpy_result(operand(machine, a))
    low: Any = min if a_min is _NO_VALUE else a_min
    high: Any = max if a_max is _NO_VALUE else a_max
    low = None if low is _NO_VALUE or absent(low) else low
    high = None if high is _NO_VALUE or absent(high) else high
    named = {**kwargs, **({} if absent(out) else {"out": out})}
    type_ = array_type(machine, a).dtype
    if type_.kind in "iu":
        low, high = _within(machine, low, type_, builtins.max), _within(machine, high, type_, builtins.min)
    if low is None and high is None:
        return ufunc_rule(machine, np.positive, a, **named)
    if low is None:
        return ufunc_rule(machine, np.minimum, a, high, **named)
    if high is None:
        return ufunc_rule(machine, np.maximum, a, low, **named)
    if named:
        return ufunc_rule(machine, np.minimum, call(machine, np.maximum, (a, low)), high, **named)
    types = [type_of_operand(machine, v) for v in (a, low, high)]
    wide = np.result_type(*(t(0) if isinstance(t, type) else t for t in types))
    if wide != type_ and not isinstance(a, JaxArray):
        a = machine.numpy_result(operand(machine, a, wide))
    return call(machine, np.minimum, (call(machine, np.maximum, (a, low)), high))


def _within(machine: Machine, bound: Value | None, dtype: np.dtype, extreme: Callable) -> Value | None:
    """A bound of np.clip; Python integers beyond what the array can hold bound nothing."""
    info = np.iinfo(dtype)
    limit = info.min if extreme is builtins.max else info.max
    if isinstance(bound, Const) and type(bound.value) is int:
        return None if extreme(bound.value, limit) == limit else bound
    if isinstance(bound, Scalar) and bound.kind is int and dtype not in (np.int64, np.uint64):
        return machine.call(Const(extreme), (bound, Const(int(limit))))
    return bound


@function(np.choose)
def choose(machine, a, choices, out=None, mode="raise"):
    """np.choose."""
    require_indices(machine, _chosen, a)
    index = operand(machine, a, _INT64)
    given = items_of(machine, choices)
    options = [operand(machine, v) for v in given]
    style = str(known(machine, mode))
    dtype = promoted_type(machine, given)
    if style == "raise":
        bad = machine.leaf(_outside, (index,), (len(options),), name="choose")[0]
        machine.check(bad, ValueError, "invalid entry in choice array")
    elif style not in ("wrap", "clip"):
        raise Refused("XP0011", f"np.choose: mode={style!r}")
    var = machine.leaf(_choose, (index, *options), (style, dtype), name="choose")[0]
    return deliver(machine, var, out)


def _outside(index, count):
    return jnp.any((index < 0) | (index >= count))


def _chosen(a):
    return np.choose(a, [0, 0])


def _choose(index, *rest):
    *options, mode, dtype = rest
    return jnp.choose(index, [cast_array(o, dtype) for o in options], mode="clip" if mode == "raise" else mode)


# -- indices ---------------------------------------------------------------------------------------------------------


@function(np.ix_)
def ix_(machine, /, *args):
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
        if var.type.shape == (0,) and not isinstance(item, NdArray | JaxArray):
            var = machine.builder.constant(np.zeros(0, np.intp))
        constant = constant_value(var)
        shape = (1,) * k + (var.type.shape[0],) + (1,) * (len(args) - k - 1)
        shaped = (
            machine.builder.constant(constant.reshape(shape)) if constant is not None else reshape(machine, var, shape)
        )
        results.append(machine.new_array(shaped))
    return view_functions.Tuple(tuple(results))


@function(np.ravel_multi_index)
def ravel_multi_index(machine, multi_index, dims, mode="raise", order="C"):
    """np.ravel_multi_index."""
    shape, style = hashable(known(machine, dims)), str(known(machine, mode))
    for item in items_of(machine, multi_index):
        require_indices(machine, _ravelled, item)
    parts = [operand(machine, v, _INT64) for v in items_of(machine, multi_index)]
    shape = tuple(shape) if isinstance(shape, tuple | list | np.ndarray) and np.ndim(shape) else (shape,)
    if len(parts) != len(shape):
        return machine.raise_(ValueError, f"parameter multi_index must be a sequence of length {len(shape)}")
    styles = (style,) * len(parts) if isinstance(known(machine, mode), str) else tuple(known(machine, mode))
    if known_order(machine, order, *ONE_OF_TWO) == "F":
        parts, shape, styles = parts[::-1], shape[::-1], styles[::-1]
    flat, bad = machine.leaf(_ravel_index, parts, (shape, styles), name="ravel_multi_index")
    machine.check(bad, ValueError, "invalid entry in coordinates array")
    return machine.numpy_result(flat)


def _ravelled(index):
    return np.ravel_multi_index((index,), (2,))


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
    dims = hashable(known(machine, shape, "a shape"))
    dims = dims if isinstance(dims, tuple) else (dims,)
    if known_order(machine, order, *ONE_OF_TWO) == "F":
        turned = unravel_index(machine, indices, Const(dims[::-1]))
        return view_functions.Tuple(turned.items[::-1])
    require_indices(machine, _unravelled, indices)
    index = operand(machine, indices, _INT64)
    if not dims and index.type.shape:
        return machine.raise_(ValueError, "multiple indices are not supported for 0d arrays")
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
        text = machine.message(
            "index {} is out of bounds for array with size " + str(size),
            Scalar(int, builder.convert(shown, _INT64, True)),
        )
        machine.check(bad, ValueError, text)
    parts = machine.leaf(_unravel, (index,), (tuple(int(n) for n in dims),), name="unravel_index")
    results = []
    for var, n in zip(parts, dims, strict=True):
        value = machine.numpy_result(var)
        results.append(type(value)(value.var, (0, int(n) - 1)) if hasattr(value, "bounds") else value)
    return view_functions.Tuple(tuple(results))


def _unravelled(indices):
    return np.unravel_index(indices, (2,))


def _first_bad(index, size):
    flat = jnp.ravel(index)
    return flat[jnp.argmax((flat < 0) | (flat >= size))]


def _unravel(index, shape):
    parts = []
    for size in reversed(shape):
        parts.append(index % size)
        index = index // size
    return parts[::-1]


@function(np.compress)
def compress(machine, condition, a, axis=None, out=None):
    """A size that depends on data, unless the condition is known."""
    constant = constant_value(operand(machine, condition))
    if constant is None:
        raise Refused("XP0013", "the size of np.compress depends on data", "use np.where")
    if not absent(axis) and not array_type(machine, a).shape:
        a = machine.new_array(reshape(machine, operand(machine, a), (1,)))
    if not absent(axis):
        axis = Const(axis_of(machine, axis, len(operand(machine, a).type.shape)))
    index = machine.new_array(machine.builder.constant(np.nonzero(constant.ravel())[0]))
    return take(machine, a, index, axis, out)
