"""np.ptp, and reductions that ignore NaN."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numpy.numpy_leaves import numpy_leaf
from xlapy.dispatch.numpy.quantiles import median
from xlapy.dispatch.numpy.reductions import arg_extreme, reduce_rule
from xlapy.dispatch.numpy.rule_operands import (
    array_type,
    kind_of,
    known,
    operand,
)
from xlapy.dispatch.registry import function, function_rule, passed_on
from xlapy.domain.values import Const, JaxArray
from xlapy.lowering.primitives.cumulative import apart
from xlapy.lowering.primitives.min_max import extreme

_NONE = getattr(np, "_NoValue", None)


def _ptp(a, axis=None, keepdims=False):
    return extreme(a, True, axis, keepdims) - extreme(a, False, axis, keepdims)


numpy_leaf(np.ptp, _ptp, "a", "keep")
_ptp_of_reals = function_rule(np.ptp)


@function(np.ptp)
def ptp(machine, /, *args, **kwargs):
    """np.ptp."""
    if args and not array_type(machine, args[0]).shape:
        return machine.binary("-", *(machine.call(Const(f), args, kwargs) for f in (np.max, np.min)))
    if not args or kind_of(array_type(machine, args[0]).dtype) != "c" or "out" in kwargs or len(args) > 2:
        return passed_on(_ptp_of_reals, machine, *args, **kwargs)
    largest, smallest = (machine.call(Const(f), args, kwargs) for f in (np.max, np.min))
    return machine.binary("-", largest, smallest)


def _nan_reduction(jax_function):
    """Reductions of NaN-free elements; `where` is a mask."""

    def run(a, axis=None, where=None, **options):
        if where is not None:
            options["where"] = jnp.broadcast_to(where.astype(bool), a.shape)
        if "initial" in options:
            options["initial"] = options["initial"].astype(a.dtype)
        if jnp.iscomplexobj(a) and jax_function in (jnp.nanmax, jnp.nanmin):
            raise NotImplementedError("of complex numbers")
        return jax_function(a, axis=axis, **options)

    return run


def _nan_moment(jax_function, root: bool):
    def run(a, axis=None, dtype=None, ddof=0, keepdims=False, where=None, mean=None, correction=None):
        a = a if dtype is None else a.astype(dtype)
        where = None if where is None else jnp.broadcast_to(where.astype(bool), a.shape)
        ddof = ddof if correction is None else correction
        if mean is None:
            return jax_function(a, axis=axis, ddof=ddof, keepdims=keepdims, where=where)
        chosen = ~jnp.isnan(a) if where is None else ~jnp.isnan(a) & where
        count = jnp.sum(chosen, axis=axis, keepdims=keepdims)
        far = jnp.where(chosen, a - mean, 0)
        spread = jnp.sum((far * jnp.conj(far)).real, axis=axis, keepdims=keepdims) / (count - ddof)
        spread = jnp.where(count > ddof, spread, jnp.nan)
        return jnp.sqrt(spread) if root else spread

    return run


def _nan_cumulative(total, neutral: int):
    def run(a, axis=None, **options):
        a = jnp.where(jnp.isnan(a), neutral, a) if kind_of(np.dtype(a.dtype)) in "fc" else a
        return apart(total, a, axis=axis, **options)

    return run


def _nan_total(ufunc: np.ufunc, neutral: int):
    """np.nansum and np.nanprod: the plain ones, of an array without NaN."""

    def rule(machine, a, axis=None, dtype=None, out=None, keepdims=_NONE, initial=_NONE, where=_NONE):
        var = operand(machine, a)
        if kind_of(var.type.dtype) in "fc":
            var = machine.leaf(_without_nan, (var,), (neutral,), name="nan_to_num")[0]
        return reduce_rule(machine, ufunc, JaxArray(var), axis, dtype, out, keepdims, initial, where)

    return rule


def _without_nan(a, neutral):
    return jnp.where(jnp.isnan(a), jnp.asarray(neutral, a.dtype), a)


def _nanmedian(a, axis=None, keepdims=False):
    """np.nanmedian, which is a mean where there is nothing."""
    return median(a, axis, keepdims, ignore_nan=True)


function(np.nansum)(_nan_total(np.add, 0))
function(np.nanprod)(_nan_total(np.multiply, 1))
for _numpy, _jax in (
    (np.nanmean, jnp.nanmean),
    (np.nanmax, jnp.nanmax),
    (np.nanmin, jnp.nanmin),
):
    numpy_leaf(_numpy, _nan_reduction(_jax), "a where initial")
numpy_leaf(np.nanmedian, _nanmedian, "a")
numpy_leaf(np.nanstd, _nan_moment(jnp.nanstd, True), "a where mean")
numpy_leaf(np.nanvar, _nan_moment(jnp.nanvar, False), "a where mean")


def _plain_for_integers(numpy_function, plain):
    """A function of which NumPy leaves arrays that have no NaN to the plain one."""
    of_floats = function_rule(numpy_function)

    @function(numpy_function)
    def rule(machine, /, *args, **kwargs):
        if args and array_type(machine, args[0]).dtype.kind in "biu":
            return machine.call(Const(plain), args, kwargs)
        return passed_on(of_floats, machine, *args, **kwargs)


for _nan_function, _plain in ((np.nanmean, np.mean), (np.nanstd, np.std), (np.nanvar, np.var)):
    _plain_for_integers(_nan_function, _plain)
numpy_leaf(np.nancumsum, _nan_cumulative(jnp.cumsum, 0), "a", "promote")
numpy_leaf(np.nancumprod, _nan_cumulative(jnp.cumprod, 1), "a", "promote")


def _nan_position(numpy_function):
    def rule(machine, a, axis=None, out=None, *, keepdims=False):
        var = operand(machine, a)
        if kind_of(var.type.dtype) in "fc" and 0 not in var.type.shape:
            where = known(machine, axis, "an axis")
            empty = machine.leaf(_all_nan, (var,), (where if var.type.shape else None,), name="isnan")[0]
            machine.check(empty, ValueError, "All-NaN slice encountered")
            worst = -np.inf if numpy_function is np.nanargmax else np.inf
            var = machine.leaf(_without_nan, (var,), (worst,), name="nan_to_num")[0]
        plain, search = (np.argmax, jnp.argmax) if numpy_function is np.nanargmax else (np.argmin, jnp.argmin)
        return arg_extreme(machine, plain, search, JaxArray(var), axis, out, keepdims)

    return rule


def _all_nan(x, axis):
    return jnp.any(jnp.all(jnp.isnan(x), axis=axis))


function(np.nanargmax)(_nan_position(np.nanargmax))
function(np.nanargmin)(_nan_position(np.nanargmin))
