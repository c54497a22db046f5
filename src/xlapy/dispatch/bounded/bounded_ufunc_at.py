"""`ufunc.at` where the array, the indices or the values have a dynamic length."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch import registry, unions
from xlapy.dispatch.argument_kinds import first_of, involved, require_static
from xlapy.dispatch.arrays.memory_order import is_c_contiguous
from xlapy.dispatch.bounded import growable_list_arrays, masked_axes
from xlapy.dispatch.bounded.layout_matching import fit
from xlapy.dispatch.bounded.masked_axes import INT64, var_of
from xlapy.dispatch.numpy import register_numpy
from xlapy.dispatch.numpy.rule_operands import cast, operand
from xlapy.dispatch.numpy.ufunc_methods import UNFIT
from xlapy.dispatch.numpy.ufuncs import loop, type_of_operand
from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.python.subscripts import array_key
from xlapy.domain.values import NONE, BoundedArray, Const, NdArray, Scalar, Union, Value
from xlapy.ir import constant_value
from xlapy.lowering.jaxprs.derivatives import differentiated_as, multiplied_at

_NATIVE = {np.add: "add", np.subtract: "add", np.multiply: "multiply", np.maximum: "max", np.minimum: "min"}
_of_static = registry.method_rule(np.ufunc, "at")


@registry.method(np.ufunc, "at")
def at(machine: Machine, self, a, indices, b: Any = None, /):
    """`ufunc.at(a, indices, b)`; arrays with a dynamic length have one dimension."""
    b = None if b is None else growable_list_arrays.as_array(machine, b) or b
    if isinstance(a, NdArray | BoundedArray):
        indices = array_key(machine, indices)
        if unions.union_in(indices) is not None:
            return unions.over_parts(machine, indices, lambda k: at(machine, self, a, k, b))
        if isinstance(b, Union):
            return unions.over_unions(machine, (b,), lambda v: at(machine, self, a, indices, v))
        a, indices = _places_of_mask(machine, a, indices, b)
    if not involved(a, indices, b):
        return _of_static(machine, self, a, indices, b)
    ufunc, array = self.value, first_of([a, indices, *([] if b is None else [b])], {})
    found, picked = masked_axes.parts(machine, a), masked_axes.parts(machine, indices)
    if found is None or picked is None or not len(found[1]) == 1 == len(picked[1]):
        raise require_static(machine, array, f"np.{ufunc.__name__}.at")
    (room, (lanes,)), (places, (mine,)) = found, picked
    if ufunc not in _NATIVE or places.type.dtype.kind not in "iu":
        raise require_static(machine, array, f"np.{ufunc.__name__}.at")
    if lanes is not None and (lanes.valid is not None or not isinstance(lanes.start, int)):
        raise require_static(machine, array, f"np.{ufunc.__name__}.at")
    if not room.writeable:
        return machine.raise_(ValueError, "output array is read-only")
    other: Any = b
    types = (room.type.dtype, type_of_operand(machine, other.base if isinstance(other, BoundedArray) else other))
    if not _computes_alike(ufunc, loop(ufunc, (*types, room.type.dtype), casting="unsafe"), room.type.dtype):
        raise require_static(machine, array, f"np.{ufunc.__name__}.at with a cast")
    values = _values(machine, other, places, mine, room.type.dtype)
    length = masked_axes.length_int(machine, lanes, room.type.shape[0])
    index = machine.builder.convert(machine.read(places), INT64)
    valid = masked_axes.valid_mask(machine, places.type.shape, (mine,))
    valid = machine.builder.constant(np.ones(places.type.shape, bool)) if valid is None else valid
    start = 0 if lanes is None else lanes.start
    result, bad, first = machine.leaf(
        _at, (machine.read(room), index, values, valid, var_of(machine, length)), (ufunc, start), name="at"
    )
    shown = (Scalar(int, machine.builder.convert(first, INT64, True)), Const(0), masked_axes.scalar(machine, length))
    text = machine.message("index {} is out of bounds for axis {} with size {}", *shown)
    machine.check(bad, IndexError, text)
    machine.write(room, result)
    return NONE


def _places_of_mask(machine: Machine, a: Value, indices: Value, b: Value | None) -> tuple[Value, Value]:
    """An array and where a mask of its shape is true, as a vector and places in it, if there is a value for each."""
    found, mask = masked_axes.parts(machine, a), masked_axes.parts(machine, indices)
    if b is None or found is None or mask is None or mask[0].type.dtype != bool or not _has_dimensions(machine, b):
        return a, indices
    if not involved(a, indices):
        constant = constant_value(machine.read(mask[0])) is not None
        if constant or found[0].type.shape != mask[0].type.shape or not is_c_contiguous(machine, found[0]):
            return a, indices
        if len(found[1]) > 1:
            a, indices = (machine.call(machine.getattr(v, "reshape"), (Const(-1),)) for v in (found[0], mask[0]))
    else:
        (lanes,), (mine,) = (found[1], mask[1]) if len(found[1]) == len(mask[1]) == 1 else ((None,), (None,))
        if lanes is None or mine is None or not masked_axes.same_length(lanes, mine):
            return a, indices
    return a, machine.call(Const(np.flatnonzero), (indices,))


def _has_dimensions(machine: Machine, value: Value) -> bool:
    return masked_axes.parts(machine, value) is not None or len(operand(machine, value).type.shape) > 0


def _computes_alike(ufunc: np.ufunc, loop: tuple[np.dtype, ...], dtype: np.dtype) -> bool:
    """Whether a loop of NumPy gives what the array's own type gives, up to rounding: NumPy casts after each index."""
    if all(d == dtype for d in loop[:2]):
        return True
    kinds = {d.kind for d in (*loop, dtype)}
    if kinds <= {"i", "u"}:
        return ufunc not in (np.maximum, np.minimum)
    return kinds in ({"f"}, {"c"})


def _values(machine: Machine, b: Value, places: NdArray, lanes, dtype: np.dtype):
    if not isinstance(b, BoundedArray | NdArray):
        return machine.builder.broadcast(operand(machine, b, dtype), places.type.shape)

    if len(masked_axes.taken_apart(machine, b)[1]) > 1:
        machine.raise_(ValueError, UNFIT)
    var = cast(machine, fit(machine, b, places.type.shape, (lanes,), lambda: Const(UNFIT)), dtype)
    return machine.builder.broadcast(var, places.type.shape)


def _at(base, index, values, valid, length, ufunc, start):
    bad = valid & ((index < -length) | (index >= length))
    place = jnp.where(valid, start + jnp.where(index < 0, index + length, index), base.shape[0])
    values = -values if ufunc is np.subtract else values
    options = {"mode": "drop", "wrap_negative_indices": False}
    if ufunc is np.multiply and jnp.issubdtype(base.dtype, np.inexact):
        done = lax.stop_gradient(base).at[place].multiply(lax.stop_gradient(values), **options)
        done = differentiated_as(done, multiplied_at(base, place, values))
    else:
        done = getattr(base.at[place], _NATIVE[ufunc])(values, **options)
    return done, jnp.any(bad), index[jnp.argmax(bad)]


__all__ = ["register_numpy"]
