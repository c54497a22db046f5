"""Methods and attributes of ufuncs: reduce, accumulate, outer, at, reduceat."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.arrays import advanced_indexing
from xlapy.dispatch.arrays.indexing import basic_view, parse
from xlapy.dispatch.arrays.views import read_view, write_view
from xlapy.dispatch.numpy.accumulations import accumulate_rule
from xlapy.dispatch.numpy.reductions import reduce_rule
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    as_arrays,
    asks_for_array,
    cast_array,
    deliver,
    kind_of,
    known,
    operand,
    raise_real,
    require_dtype,
    require_indices,
    reshape,
)
from xlapy.dispatch.numpy.ufunc_table import TABLE, as_function
from xlapy.dispatch.numpy.ufuncs import loop, type_of_operand, ufunc_rule
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import method
from xlapy.domain.values import NONE, Const, JaxArray, NdArray, Scalar, Value
from xlapy.ir import constant_value
from xlapy.lowering.jaxprs.derivatives import differentiated_as, multiplied_at
from xlapy.lowering.loop_derivatives.lax_loops import differentiable_counted_loop

_NO_VALUE = getattr(np, "_NoValue", None)
#: what `ufunc.at` says of values that do not fit
UNFIT = "array is not broadcastable to correct shape"


def binary(machine: Machine, ufunc: Const) -> np.ufunc:
    """The ufunc, which must have two operands and a rule."""
    item: np.ufunc = ufunc.value
    if item.nin != 2 or item.nout != 1:
        machine.raise_(ValueError, "reduce only supported for binary functions")
    if item.signature is not None:
        machine.raise_(RuntimeError, f"Reduction not defined on ufunc with signature {item.signature}")
    if item not in TABLE:
        raise Refused("XP0003", f"the ufunc {item.__name__} has no rule")
    return item


@method(np.ufunc, "reduce")
def reduce(machine, self, array, axis=0, dtype=None, out=None, keepdims=False, initial=_NO_VALUE, where=True):
    """`ufunc.reduce`."""
    if asks_for_array(out):
        return as_arrays(machine, reduce(machine, self, array, axis, dtype, None, keepdims, initial, where))
    return reduce_rule(machine, binary(machine, self), array, axis, dtype, out, keepdims, initial, where)


@method(np.ufunc, "accumulate")
def accumulate(machine, self, array, axis: Any = 0, dtype=None, out=None):
    """`ufunc.accumulate`."""
    out = None if asks_for_array(out) else out
    where = known(machine, axis, "an axis")
    where = where[0] if isinstance(where, tuple) and len(where) == 1 else where
    if where is None and len(operand(machine, array).type.shape) != 1:
        return machine.raise_(ValueError, "accumulate does not allow multiple axes")
    return accumulate_rule(machine, binary(machine, self), array, where, dtype, out)


@method(np.ufunc, "outer")
def outer(machine, self, A, B, /, **kwargs):  # noqa: N803
    """`ufunc.outer`: all pairs."""
    ufunc: np.ufunc = self.value
    if ufunc.nin != 2 or ufunc.signature is not None:
        binary(machine, self)
    right = JaxArray(operand(machine, B))
    left = _axes_after(machine, A, len(right.var.type.shape))
    return ufunc_rule(machine, ufunc, left, right, **kwargs)


def _axes_after(machine: Machine, value: Value, count: int) -> Value:
    var = operand(machine, value)
    return JaxArray(reshape(machine, var, (*var.type.shape, *(1,) * count)))


@method(np.ufunc, "at")
def at(machine, self, a, indices, b: Any = None, /):
    """`ufunc.at(a, indices, b)`: unbuffered, so that repeated indices count each time."""
    ufunc: np.ufunc = self.value
    if not isinstance(a, NdArray):
        return machine.raise_(TypeError, "first operand must be array")
    if not a.writeable:
        return machine.raise_(ValueError, "output array is read-only")
    parsed = parse(machine, a, indices)
    if not parsed.advanced:
        target = basic_view(machine, a, parsed.parts)
        if ufunc.nin == 2 and not _fits(machine, b, target.type.shape):
            return machine.raise_(ValueError, UNFIT)
        ufunc_rule(machine, ufunc, *((target,) if ufunc.nin == 1 else (target, b)), out=target, casting="unsafe")
        return NONE
    view, entries, arrays = advanced_indexing.split(machine, a, parsed.parts, basic_view)
    entries, arrays = advanced_indexing._known_masks(machine, view, entries, arrays)
    if any(kind == "mask" for kind, *_ in entries):
        if len(entries) == 1:
            return _at_mask(machine, ufunc, view, arrays[0], b)
        raise Refused("XP0013", f"{ufunc.__name__}.at through a mask and indices")
    arrays = advanced_indexing._checked(machine, view, entries, arrays)
    if ufunc.nin == 1:
        return _at_unary(machine, ufunc, view, entries, arrays)
    types = (view.type.dtype, type_of_operand(machine, b))
    try:
        dtypes = loop(ufunc, (*types, view.type.dtype), casting="unsafe")
    except Exception as error:
        return raise_real(machine, error)
    shape = advanced_indexing.index_shape(view.type.shape, entries, [v.type.shape for v in arrays])
    if not _fits(machine, b, shape):
        return machine.raise_(ValueError, UNFIT)
    new = advanced_indexing.converted(machine, b, dtypes[1], shape)
    new = machine.builder.broadcast(new, shape)
    if 0 in shape:
        return NONE
    base = read_view(machine, view)
    static = (ufunc, entries, dtypes, view.type.dtype)
    write_view(machine, view, machine.leaf(_at, (base, new, *arrays), static, name=f"{ufunc.__name__}.at")[0])
    return NONE


def _fits(machine: Machine, b: Value, shape: tuple[int, ...]) -> bool:
    """Whether values may be broadcast to a shape; dimensions of length 1 in front of it are too many for `ufunc.at`."""
    mine = () if b is None or isinstance(b, Const) else operand(machine, b).type.shape
    return len(mine) <= len(shape) and all(n in (1, m) for n, m in zip(reversed(mine), reversed(shape), strict=False))


def _at_unary(machine: Machine, ufunc: np.ufunc, view: NdArray, entries: tuple, arrays: list) -> Value:
    """A unary ufunc, once for each time an element is named."""
    try:
        dtypes = loop(ufunc, (view.type.dtype, view.type.dtype), casting="unsafe")
    except Exception as error:
        return raise_real(machine, error)
    base, static = read_view(machine, view), (ufunc, entries, dtypes, view.type.dtype)
    write_view(machine, view, machine.leaf(_at_one, (base, *arrays), static, name=f"{ufunc.__name__}.at")[0])
    return NONE


def _at_one(base, *rest):
    *arrays, ufunc, entries, dtypes, target = rest
    key = advanced_indexing._python_key(entries, arrays)
    options = {"mode": "promise_in_bounds", "wrap_negative_indices": False}
    times = jnp.zeros(base.shape, jnp.int64).at[key].add(1, **options)
    operation = as_function(ufunc, kind_of(dtypes[0]))

    def step(k, state):
        return [jnp.where(k < times, cast_array(operation(cast_array(state, dtypes[0])), target), state)]

    iterations = jnp.max(times, initial=0)
    return differentiable_counted_loop(iterations, step, [base], np.dtype(iterations.dtype), False)[0]


def _at_mask(machine: Machine, ufunc: np.ufunc, view: NdArray, mask, b: Value) -> Value:
    if constant_value(mask) is None and len(operand(machine, b).type.shape) > 0:
        raise Refused("XP0013", f"{ufunc.__name__}.at of an array through a mask")
    ufunc_rule(machine, ufunc, view, b, out=view, where=JaxArray(mask), casting="unsafe")
    return NONE


def _at(base, new, *rest):
    *arrays, ufunc, entries, dtypes, target = rest
    key = advanced_indexing._python_key(entries, arrays)
    compute, options = dtypes[2], {"mode": "promise_in_bounds", "wrap_negative_indices": False}

    def places():
        return jnp.ravel(jnp.arange(base.size).reshape(base.shape).at[key].get(**options))

    native = {
        np.add: "add",
        np.subtract: "add",
        np.multiply: "multiply",
        np.maximum: "max",
        np.minimum: "min",
    }.get(ufunc)
    work = cast_array(base, compute)
    if (
        native is not None
        and compute == target
        and kind_of(compute) not in "b"
        and (native in ("add", "multiply") or kind_of(compute) != "c")
    ):
        new = cast_array(new, compute)
        new = -new if ufunc is np.subtract else new
        if ufunc is np.multiply and kind_of(compute) in "fc":
            done = lax.stop_gradient(work).at[key].multiply(lax.stop_gradient(new), **options)
            return cast_array(differentiated_as(done, multiplied_at(work, places(), jnp.ravel(new))), target)
        return cast_array(getattr(work.at[key], native)(new, **options), target)
    operation = as_function(ufunc, kind_of(dtypes[0]))
    where, values = places(), jnp.ravel(new)

    def step(k, state):
        old = state[where[k]]
        done = operation(cast_array(old, dtypes[0]), cast_array(values[k], dtypes[1]))
        return state.at[where[k]].set(cast_array(done, target), mode="promise_in_bounds")

    return lax.fori_loop(0, where.size, step, jnp.ravel(base)).reshape(base.shape)


@method(np.ufunc, "reduceat")
def reduceat(machine, self, array, indices, axis=0, dtype=None, out=None):
    """`ufunc.reduceat`: each index starts a piece that ends before the next one."""
    out = None if asks_for_array(out) else out
    ufunc = binary(machine, self)
    require_indices(machine, _from_places, indices)
    places, var = operand(machine, indices), operand(machine, array)
    places = machine.builder.convert(places, np.dtype(np.int64))
    axis = known(machine, axis)
    if axis is None and len(var.type.shape) != 1:
        return machine.raise_(ValueError, "reduceat does not allow multiple axes")
    axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    axis = int(axis or 0)  # pyright: ignore[reportArgumentType]
    try:
        np.add.reduceat(np.broadcast_to(np.True_, (1,) * len(var.type.shape)), [0], axis)
    except ValueError as error:
        raise_real(machine, error)
    size = var.type.shape[axis]
    if size == 0 and 0 not in places.type.shape:
        constant = constant_value(places)
        if constant is None:
            raise Refused("XP0011", f"{ufunc.__name__}.reduceat of nothing")
        text = f"index {int(constant.flat[0])} out-of-bounds in {ufunc.__name__}.reduceat [0, 0)"
        return machine.raise_(IndexError, text)
    given = None if absent(dtype) else require_dtype(known(machine, dtype))
    result_type = ufunc.reduceat(np.ones(1, var.type.dtype), [0], dtype=given).dtype
    if 0 in places.type.shape:
        shape = (*var.type.shape[:axis], 0, *var.type.shape[axis:][1:])
        return deliver(machine, machine.builder.constant(np.zeros(shape, result_type)), out)
    bad, first = machine.leaf(_outside, (places,), (size,), name="check_indices")
    shown = Scalar(int, machine.builder.convert(first, np.dtype(np.int64), True))
    text = machine.message("index {} out-of-bounds in " + f"{ufunc.__name__}.reduceat [0, {size})", shown)
    machine.check(bad, IndexError, text)
    static = (ufunc, axis, result_type)
    return deliver(machine, machine.leaf(_reduceat, (var, places), static, name=f"{ufunc.__name__}.reduceat")[0], out)


def _from_places(indices):
    return np.add.reduceat(np.zeros(2), indices)


def _outside(places, size):
    bad = (places < 0) | (places >= size)
    return jnp.any(bad), places[jnp.argmax(bad)]


def _reduceat(x, places, ufunc, axis, dtype):
    x = jnp.moveaxis(cast_array(x, dtype), axis, 0)
    return jnp.moveaxis(_pieces(x, places, jnp.append(places[1:], x.shape[0]), ufunc, dtype), 0, axis)


def reduceat_of(x, places, length, count, ufunc, dtype):
    """`ufunc.reduceat` of the first `length` elements of a vector, at the first `count` of some places; whether one of
    these is out of range, and the first such."""
    alive = jnp.arange(places.size) < count
    bad = alive & ((places < 0) | (places >= length))
    ends = jnp.where(jnp.arange(places.size) + 1 < count, jnp.append(places[1:], length), length)
    starts = jnp.clip(jnp.where(alive, places, length), 0, x.shape[0] - 1)
    result = _pieces(cast_array(x, dtype), starts, ends, ufunc, dtype)
    return result, jnp.any(bad), places[jnp.argmax(bad)]


def _pieces(x, places, ends, ufunc, dtype):
    """A scan over the first axis that starts anew at each piece, for every piece at once."""
    ends = jnp.maximum(ends, places + 1)
    operation = as_function(ufunc, kind_of(dtype))
    shape = (places.size,) + (1,) * (x.ndim - 1)

    def step(state, item):
        k, row = item
        inside = ((k > places) & (k < ends)).reshape(shape)
        done = operation(state, jnp.broadcast_to(row, state.shape))
        return jnp.where(inside, cast_array(done, dtype), state), None

    return lax.scan(step, x[places], (jnp.arange(x.shape[0]), x))[0]
