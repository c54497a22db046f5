"""Means, variances and standard deviations."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.numpy.masked import count_and_sum
from xlapy.dispatch.numpy.reductions import (
    NO_VALUE,
    check_mask,
    keeps_dimensions,
    known_out,
    normalised_axes,
    where_mask,
)
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    cast_array,
    deliver,
    is_everywhere,
    kind_of,
    known,
    operand,
    raise_real,
    require_dtype,
)
from xlapy.dispatch.numpy.ufunc_table import complex_divided_by_real
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function
from xlapy.domain.values import Value
from xlapy.lowering.loop_derivatives.zero_derivative_mask import live
from xlapy.lowering.numeric import complex_functions


@function(np.mean)
def mean_rule(machine, a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """np.mean: integers in float64, float16 in float32, and the result's dtype NumPy's."""
    return moment(machine, np.mean, a, axis, dtype, out, 0, keepdims, where)


def _spread(numpy_function):
    def rule(
        machine, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None
    ):
        if correction is not None and correction is not NO_VALUE:
            ddof = correction
        mean = None if mean is None or mean is NO_VALUE or absent(mean) else operand(machine, mean)
        return moment(machine, numpy_function, a, axis, dtype, out, ddof, keepdims, where, mean)

    return rule


std_rule = function(np.std)(_spread(np.std))
var_rule = function(np.var)(_spread(np.var))


def moment(machine: Machine, numpy_function, a, axis, dtype, out, ddof, keepdims, where, mean=None) -> Value:
    """Mean, variance or standard deviation."""
    var = operand(machine, a)
    axes = normalised_axes(machine, axis, len(var.type.shape))
    if not var.type.shape and known(machine, axis, "an axis") is not None:  # where a sum would take 0 and -1
        try:
            np.mean(np.zeros(()), axis=known(machine, axis, "an axis"))
        except Exception as error:
            return raise_real(machine, error)
    given = None if absent(dtype) else require_dtype(known(machine, dtype, "a dtype"))
    if given is not None and kind_of(given) not in "fc" and numpy_function is not np.mean:
        raise Refused("XP0011", f"np.{numpy_function.__name__} with dtype={given}", "convert the result instead")
    with np.errstate(all="ignore"):
        sample = numpy_function(np.ones(2, var.type.dtype), dtype=given)
    operands = [var]
    masked = not is_everywhere(where)
    if masked:
        operands.append(where_mask(machine, where))
        check_mask(machine, numpy_function, var, operands[-1], axis=known(machine, axis, "an axis"))
    keep = keeps_dimensions(machine, keepdims)
    offset = known(machine, ddof, "ddof")
    if np.ndim(offset) or np.iscomplexobj(offset):
        raise Refused("XP0011", "a ddof that is no real number")
    if mean is not None:
        operands.append(mean)
    target = sample.dtype if absent(out) else known_out(machine, out).type.dtype
    static = (numpy_function, given, sample.dtype, target, axes, keep, float(offset), masked, mean is not None)
    result = machine.leaf(_moments, operands, static, name=numpy_function.__name__)[0]
    return deliver(machine, result, out)


def _moments(x, *rest):
    *mask, which, given, result_type, target, axes, keep, ddof, masked, centred = rest
    if given is not None and kind_of(given) not in "fc":
        return _mean_of_integers(x, mask[0] if masked else None, given, axes, keep)
    compute = given if given is not None else result_type
    summed = compute
    if compute.kind == "f" and kind_of(np.dtype(x.dtype)) == "c":
        compute = np.dtype(f"c{2 * compute.itemsize}")
    if compute == np.float16:
        compute = np.dtype(np.float32)
    x = cast_array(x, compute)
    where = jnp.broadcast_to(mask[0], x.shape) if masked else None
    real = x.real.dtype
    if masked:
        count, total = (jnp.squeeze(found, axes) for found in count_and_sum(x, where, axes))
    else:
        count = jnp.asarray(float(np.prod([x.shape[a] for a in axes])), real)
        total = jnp.sum(x, axis=axes)
    mean = (
        complex_divided_by_real(total, lax.complex(count, jnp.zeros_like(count)))
        if total.dtype.kind == "c"
        else total / count
    )
    if given is not None and summed.kind == "f" and total.dtype.kind == "c":  # a sum of real numbers
        mean = mean.real.astype(compute)
    if which is np.mean:
        result = mean if target == result_type else _divided(total, count, target)
    else:
        # not by way of axes of one element, which keep a reduction from the fast library
        # (`lowering.cpu_xla.reduction_strategies`)
        kept = [a for a in range(x.ndim) if a not in {axis % x.ndim for axis in axes}]
        middle = cast_array(mask[-1], compute) if centred else lax.broadcast_in_dim(mean, x.shape, kept)
        deviation = x - middle
        deviation = live(where, deviation) if masked else deviation
        square = (jnp.conj(deviation) * deviation).real if jnp.iscomplexobj(x) else deviation * deviation
        squares = jnp.sum(square, axis=axes, where=where)
        divisor = jnp.maximum(count - np.asarray(ddof, real), 0)
        result = (
            squares / divisor if target == result_type and target.kind == "f" else _divided(squares, divisor, target)
        )
        if which is np.std:
            result = complex_functions.sqrt(result) if result.dtype.kind == "c" else jnp.sqrt(result)
    return cast_array(jnp.expand_dims(result, axes) if keep else result, target)


def _divided(total, count, dtype):
    """A quotient of a sum that lies in an array of a dtype, in which NumPy divides it."""
    total = cast_array(total, dtype)
    if kind_of(dtype) == "c":
        part = total.real.dtype
        return complex_divided_by_real(total, lax.complex(count.astype(part), jnp.zeros(count.shape, part)))
    total = total if kind_of(dtype) == "f" else total.astype(jnp.float64)
    return cast_array(total / count.astype(total.dtype), dtype)


def _mean_of_integers(x, where, dtype, axes, keep):
    """np.mean with an integer dtype: the sum wraps in it, and the quotient is cut."""
    where = None if where is None else jnp.broadcast_to(where, x.shape)
    count = math.prod(x.shape[a] for a in axes) if where is None else jnp.sum(where, axis=axes, keepdims=keep)
    x = cast_array(x, dtype)
    if kind_of(dtype) == "b":
        total = jnp.any(x, axis=axes, keepdims=keep, where=where)
    else:
        total = jnp.sum(x, axis=axes, keepdims=keep, where=where, dtype=dtype)
    return cast_array(total.astype(jnp.float64) / count, dtype)
