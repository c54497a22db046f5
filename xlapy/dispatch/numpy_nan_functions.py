"""np.ptp, and reductions that ignore NaN."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numpy_leaf import numpy_leaf
from xlapy.dispatch.numpy_values import (
    deliver,
    kind_of,
    known,
    operand,
)
from xlapy.dispatch.table import function

_NONE = getattr(np, "_NoValue", None)


def _ptp(a, axis=None, keepdims=False):
    return jnp.max(a, axis=axis, keepdims=keepdims) - jnp.min(a, axis=axis, keepdims=keepdims)


numpy_leaf(np.ptp, _ptp, "a", "keep")
for _numpy, _jax in (
    (np.nansum, jnp.nansum),
    (np.nanprod, jnp.nanprod),
    (np.nanmean, jnp.nanmean),
    (np.nanstd, jnp.nanstd),
    (np.nanvar, jnp.nanvar),
    (np.nanmedian, jnp.nanmedian),
    (np.nanmax, jnp.nanmax),
    (np.nanmin, jnp.nanmin),
    (np.nancumsum, jnp.nancumsum),
    (np.nancumprod, jnp.nancumprod),
):
    numpy_leaf(_numpy, _jax, "a where initial")


def _nan_position(numpy_function, jax_function):
    def rule(machine, a, axis=None, out=None, *, keepdims=False):
        var = operand(machine, a)
        where = known(machine, axis, "an axis")
        if kind_of(var.type.dtype) == "f" and var.type.shape:
            empty = machine.leaf(_all_nan, (var,), (where,), name="isnan")[0]
            machine.check(empty, ValueError, "All-NaN slice encountered")
        keep = bool(known(machine, keepdims if keepdims is not _NONE else False))
        result = machine.leaf(_nan_arg, (var,), (jax_function, where, keep), name=numpy_function.__name__)[0]
        return deliver(machine, result, out)

    return rule


def _all_nan(x, axis):
    return jnp.any(jnp.all(jnp.isnan(x), axis=axis))


def _nan_arg(x, which, axis, keep):
    return which(x, axis=axis, keepdims=keep).astype(jnp.int64)


function(np.nanargmax)(_nan_position(np.nanargmax, jnp.nanargmax))
function(np.nanargmin)(_nan_position(np.nanargmin, jnp.nanargmin))
