"""Cumulative sums and products, and accumulations by other ufuncs."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.numpy.reductions import known_out, negative_exponents
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    cast_array,
    deliver,
    kind_of,
    known,
    operand,
    raise_real,
    require_dtype,
)
from xlapy.dispatch.numpy.ufunc_table import as_function
from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.registry import function
from xlapy.domain.values import Value
from xlapy.lowering.primitives.cumulative import apart


def accumulate_rule(
    machine: Machine, ufunc: np.ufunc, array: Value, axis: Any = 0, dtype: Any = None, out: object = None
) -> Value:
    """`ufunc.accumulate(array, axis)`, which np.cumsum and np.cumprod are."""
    var = operand(machine, array)
    axis = known(machine, axis, "an axis")
    if isinstance(axis, tuple):
        return machine.raise_(TypeError, "'tuple' object cannot be interpreted as an integer")
    if axis is None:
        var = machine.leaf(_ravel, (var,), name="reshape")[0]
        axis = 0
    given = None if absent(dtype) else require_dtype(known(machine, dtype, "a dtype"))
    try:
        small = np.broadcast_to(np.ones((), var.type.dtype), (1,) * len(var.type.shape))
        result_type = ufunc.accumulate(small, axis=axis, dtype=given).dtype
    except Exception as error:
        return raise_real(machine, error)
    axis = int(axis) % len(var.type.shape)
    if ufunc is np.power and kind_of(result_type) == "i":
        bad = machine.leaf(negative_exponents, (var,), (axis,), name="check")[0]
        machine.check(bad, ValueError, "Integers to negative integer powers are not allowed.")
    if not absent(out):
        target = known_out(machine, out)
        if given is None:
            types = (target.type.dtype, var.type.dtype, None)
            result_type = ufunc.resolve_dtypes(types, casting="unsafe", reduction=True)[1]
    result = machine.leaf(_accumulate, (var,), (ufunc, result_type, axis), name=f"{ufunc.__name__}.accumulate")[0]
    return deliver(machine, result, out) if not absent(out) else machine.new_array(result)


def _ravel(x):
    return jnp.ravel(x)


def _accumulate(x, ufunc, dtype, axis):
    x = cast_array(x, dtype)
    if x.shape[axis] == 0:
        return x
    native = {np.add: jnp.cumsum, np.multiply: jnp.cumprod}.get(ufunc)
    if native is not None and x.dtype != bool:
        return apart(native, x, axis=axis, dtype=dtype)
    if ufunc in (np.maximum, np.minimum) and kind_of(np.dtype(x.dtype)) in "iuf":
        return apart(lax.cummax if ufunc is np.maximum else lax.cummin, x, axis=axis)
    operation = as_function(ufunc, kind_of(np.dtype(x.dtype)))
    items = jnp.moveaxis(x, axis, 0)

    def step(state, item):
        new = operation(state, item).astype(dtype)
        return new, new

    rest = lax.scan(step, items[0], items[1:])[1]
    return jnp.moveaxis(jnp.concatenate([items[:1], rest]), 0, axis)


def _cumulative(ufunc):
    def rule(machine, a, axis=None, dtype=None, out=None):
        if not operand(machine, a).type.shape and known(machine, axis, "an axis") in (0, -1):
            axis = None
        return accumulate_rule(machine, ufunc, a, axis, dtype, out)

    return rule


cumsum_rule = function(np.cumsum)(_cumulative(np.add))
cumprod_rule = function(np.cumprod)(_cumulative(np.multiply))
