"""Methods and attributes of ufuncs: reduce, accumulate, outer, at, reduceat."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch import numpy_fancy
from xlapy.dispatch.indexing import basic_view, parse
from xlapy.dispatch.numpy_reductions import accumulate_rule, reduce_rule
from xlapy.dispatch.numpy_ufunc_table import TABLE, as_function
from xlapy.dispatch.numpy_values import (
    absent,
    cast_array,
    deliver,
    kind_of,
    known,
    operand,
    raise_real,
    require_dtype,
    reshape,
)
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.table import method
from xlapy.dispatch.ufuncs import loop, type_of_operand, ufunc_rule
from xlapy.dispatch.views import read_view, write_view
from xlapy.domain.values import NONE, Const, JaxArray, NdArray, Value
from xlapy.ir import constant_value

_NO_VALUE = getattr(np, "_NoValue", None)


def _binary(machine: Machine, ufunc: Const) -> np.ufunc:
    item: np.ufunc = ufunc.value  # type: ignore[assignment]
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
    return reduce_rule(machine, _binary(machine, self), array, axis, dtype, out, keepdims, initial, where)


@method(np.ufunc, "accumulate")
def accumulate(machine, self, array, axis=0, dtype=None, out=None):
    """`ufunc.accumulate`."""
    return accumulate_rule(machine, _binary(machine, self), array, axis, dtype, out)


@method(np.ufunc, "outer")
def outer(machine, self, A, B, /, **kwargs):  # noqa: N803
    """`ufunc.outer`: all pairs."""
    ufunc = _binary(machine, self)
    left = _axes_after(machine, A, len(operand(machine, B).type.shape))
    return ufunc_rule(machine, ufunc, left, B, **kwargs)


def _axes_after(machine: Machine, value: Value, count: int) -> Value:
    spec = machine.spec(value)
    if count == 0 or isinstance(spec, type):
        return value
    var = operand(machine, value)
    return machine.new_array(reshape(machine, var, (*var.type.shape, *(1,) * count)))


@method(np.ufunc, "at")
def at(machine, self, a, indices, b=None, /):
    """`ufunc.at(a, indices, b)`: unbuffered, so that repeated indices count each time."""
    ufunc: np.ufunc = self.value
    if not isinstance(a, NdArray):
        return machine.raise_(TypeError, "first operand must be array")
    if not a.writeable:
        return machine.raise_(ValueError, "output array is read-only")
    parsed = parse(machine, a, indices)
    if not parsed.advanced or ufunc.nin == 1:
        if ufunc.nin == 1 and parsed.advanced:
            raise Refused("XP0011", f"{ufunc.__name__}.at with index arrays")
        target = basic_view(machine, a, parsed.parts)
        ufunc_rule(machine, ufunc, *((target,) if ufunc.nin == 1 else (target, b)), out=target)
        return NONE
    view, entries, arrays = numpy_fancy.split(machine, a, parsed.parts, basic_view)
    entries, arrays = numpy_fancy._known_masks(machine, view, entries, arrays)
    if any(kind == "mask" for kind, *_ in entries):
        if len(entries) == 1:
            return _at_mask(machine, ufunc, view, arrays[0], b)
        raise Refused("XP0013", f"{ufunc.__name__}.at through a mask and indices")
    arrays = numpy_fancy._checked(machine, view, entries, arrays)
    types = (view.type.dtype, type_of_operand(machine, b))
    try:
        dtypes = loop(ufunc, (*types, view.type.dtype))
    except Exception as error:
        return raise_real(machine, error)
    shape = numpy_fancy.index_shape(view.type.shape, entries, [v.type.shape for v in arrays])
    new = numpy_fancy.converted(machine, b, dtypes[1], shape)
    new = machine.builder.broadcast(new, shape)
    base = read_view(machine, view)
    static = (ufunc, entries, dtypes, view.type.dtype)
    write_view(machine, view, machine.leaf(_at, (base, new, *arrays), static, name=f"{ufunc.__name__}.at")[0])
    return NONE


def _at_mask(machine: Machine, ufunc: np.ufunc, view: NdArray, mask, b: Value) -> Value:
    if constant_value(mask) is None and len(operand(machine, b).type.shape) > 0:
        raise Refused("XP0013", f"{ufunc.__name__}.at of an array through a mask")
    ufunc_rule(machine, ufunc, view, b, out=view, where=JaxArray(mask))
    return NONE


def _at(base, new, *rest):
    *arrays, ufunc, entries, dtypes, target = rest
    key = numpy_fancy._python_key(entries, arrays)
    compute, options = dtypes[2], {"mode": "promise_in_bounds", "wrap_negative_indices": False}
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
        and kind_of(compute) not in "b"
        and (native in ("add", "multiply") or kind_of(compute) != "c")
    ):
        new = cast_array(new, compute)
        new = -new if ufunc is np.subtract else new
        return cast_array(getattr(work.at[key], native)(new, **options), target)
    operation = as_function(ufunc, kind_of(dtypes[0]))
    flat_base = jnp.arange(base.size).reshape(base.shape)
    places = jnp.ravel(flat_base.at[key].get(**options))
    values = jnp.ravel(new)

    def step(k, state):
        old = state[places[k]]
        done = operation(cast_array(old, dtypes[0]), cast_array(values[k], dtypes[1]))
        return state.at[places[k]].set(cast_array(done, target), mode="promise_in_bounds")

    return lax.fori_loop(0, places.size, step, jnp.ravel(base)).reshape(base.shape)


@method(np.ufunc, "reduceat")
def reduceat(machine, self, array, indices, axis=0, dtype=None, out=None):
    """`ufunc.reduceat`, for indices known at compile time."""
    ufunc = _binary(machine, self)
    places = np.asarray(known(machine, indices, "the indices of reduceat"))
    var = operand(machine, array)
    axis = int(known(machine, axis))
    size = var.type.shape[axis]
    bad = [int(p) for p in places if not 0 <= p < size]
    if bad:
        return machine.raise_(IndexError, f"index {bad[0]} out-of-bounds in {ufunc.__name__}.reduceat [0, {size})")
    given = None if absent(dtype) else require_dtype(known(machine, dtype))
    result_type = ufunc.reduceat(np.ones(1, var.type.dtype), [0], dtype=given).dtype
    static = (ufunc, tuple(int(p) for p in places), axis, result_type)
    return deliver(machine, machine.leaf(_reduceat, (var,), static, name=f"{ufunc.__name__}.reduceat")[0], out)


def _reduceat(x, ufunc, places, axis, dtype):
    x = jnp.moveaxis(cast_array(x, dtype), axis, 0)
    ends = (*places[1:], x.shape[0])
    parts = []
    for start, end in zip(places, ends, strict=True):
        piece = x[start:end] if start < end else x[start : start + 1]
        parts.append(_reduce_first(piece, ufunc, dtype))
    return jnp.moveaxis(jnp.stack(parts), 0, axis)


def _reduce_first(piece, ufunc, dtype):
    native = {np.add: jnp.sum, np.multiply: jnp.prod, np.maximum: jnp.max, np.minimum: jnp.min}.get(ufunc)
    if native is not None and kind_of(dtype) in "iuf":
        return native(piece, axis=0).astype(dtype)
    operation = as_function(ufunc, kind_of(dtype))
    result = piece[0]
    for k in range(1, piece.shape[0]):
        result = operation(result, piece[k])
    return result
