"""Reductions: sums, products, extremes, truth, and positions of extremes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.numpy.numpy_leaves import bounded
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    cast,
    cast_array,
    deliver,
    is_everywhere,
    kind_of,
    known,
    operand,
    raise_real,
    require_dtype,
    was_not_passed,
)
from xlapy.dispatch.numpy.ufunc_table import as_function
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function
from xlapy.domain.values import Const, NdArray, Value
from xlapy.ir import Var
from xlapy.ir.vectorisation_notes import Lanewise, noted
from xlapy.lowering.loop_derivatives.zero_derivative_mask import live
from xlapy.lowering.primitives.min_max import extreme, first_place

#: what NumPy has in the place of an argument that was not passed
NO_VALUE = getattr(np, "_NoValue", None)
#: reductions whose implementation JAX has
NATIVE: dict[np.ufunc, Callable] = {
    np.add: jnp.sum,
    np.multiply: jnp.prod,
    np.maximum: jnp.max,
    np.minimum: jnp.min,
    np.logical_and: jnp.all,
    np.logical_or: jnp.any,
}

#: largest and smallest numbers among those that are not NaN, and whether they are the largest
IGNORING_NAN = {np.fmax: True, np.fmin: False}

#: reductions in which a single element counts by its absolute value
_FROM_IDENTITY = (np.hypot, np.gcd)


def normalised_axes(machine: Machine, axis: Any, rank: int) -> tuple[int, ...]:
    """`axis=` as a tuple of non-negative axes; NumPy's AxisError for wrong ones."""
    axis = known(machine, axis, "an axis")
    if axis is None:
        return tuple(range(rank))
    items = axis if isinstance(axis, tuple | list) else (axis,)
    try:
        model = np.broadcast_to(np.False_, (1,) * rank)
        np.add.reduce(model, axis=tuple(items) if isinstance(axis, tuple | list) else axis)
        return tuple(int(a) % max(rank, 1) for a in items) if rank else ()
    except Exception as error:
        raise_real(machine, error)
        raise


def keeps_dimensions(machine: Machine, keepdims: Any) -> bool:
    """The argument `keepdims` of reductions, which has to be an integer."""
    if keepdims is NO_VALUE:
        return False
    given = known(machine, keepdims, "keepdims")
    if isinstance(given, bool):
        return given
    try:
        return bool(np.add.reduce(np.zeros(1), keepdims=given).ndim)
    except Exception as error:
        return raise_real(machine, error)


def reduce_rule(
    machine: Machine,
    ufunc: np.ufunc,
    array: Value,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
    name: str | None = None,
) -> Value:
    """`ufunc.reduce(array, ...)`, which np.sum, np.prod, np.max, np.min, np.all and np.any are."""
    var = operand(machine, array)
    axes = normalised_axes(machine, axis, len(var.type.shape))
    given = None if absent(dtype) else require_dtype(known(machine, dtype, "a dtype"))
    out_type = None
    if not absent(out):
        items = known_out(machine, out)
        out, out_type = items, items.type.dtype
    input_type, result_type = reduction_types(machine, ufunc, var.type.dtype, given, out_type)
    keep = keeps_dimensions(machine, keepdims)
    initial = None if was_not_passed(initial) or absent(initial) else initial
    mask = None if is_everywhere(where) else where
    if mask is not None:
        mask = where_mask(machine, mask)
        check_mask(machine, ufunc.reduce, var, mask, axis=known(machine, axis, "an axis"), initial=0)
        if initial is None and ufunc.identity is None:
            message = (
                f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a where mask one has"
            )
            return machine.raise_(ValueError, message + " to specify 'initial'")
    if initial is None and ufunc.identity is None and any(var.type.shape[a] == 0 for a in axes):
        message = f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
        return machine.raise_(ValueError, message)
    if len(axes) > 1 and not _has_no_order(ufunc, input_type):
        raise Refused("XP0011", f"{ufunc.__name__}.reduce over several axes", "reduce one axis at a time")
    operands = [var]
    flags = (initial is not None, mask is not None)
    if initial is not None:
        operands.append(_initial(machine, initial, result_type))
    if mask is not None:
        operands.append(mask)
    static = (ufunc, input_type, result_type, axes, keep, flags)
    if ufunc is np.power and kind_of(result_type) == "i" and len(axes) == 1 and flags == (False, False):
        bad = machine.leaf(negative_exponents, (var,), (axes[0],), name="check")[0]
        machine.check(bad, ValueError, "Integers to negative integer powers are not allowed.")
    found = machine.leaf(_reduce, operands, static, name=name or f"{ufunc.__name__}.reduce")
    result = found[0]
    if ufunc is np.add and mask is not None and initial is None and len(var.type.shape) == 1 and not keep:
        if var.type.dtype != bool and mask.type.shape == var.type.shape:
            noted(found, Lanewise("sum", cast_array, (input_type,)))
    if out_type is not None:
        return deliver(machine, result, out)
    if ufunc is np.add and var.type.dtype == bool and result_type == np.int64 and initial is None:
        return bounded(machine, result, 0, int(np.prod(var.type.shape)))
    return machine.numpy_result(result)


def check_mask(machine: Machine, reduction: Callable, var: Var, mask: Var, **options: Any) -> None:
    """Let NumPy complain of a mask that has no place in the array's shape."""
    array, where = (np.broadcast_to(np.zeros((), v.type.dtype), v.type.shape) for v in (var, mask))
    try:
        if np.broadcast_shapes(array.shape, where.shape) == array.shape:
            return
    except ValueError:
        pass
    try:
        reduction(array, where=where, **options)
    except Exception as error:
        raise_real(machine, error)


def _initial(machine: Machine, initial: Any, dtype: np.dtype) -> Var:
    """The first operand of a reduction, which NumPy stores in an element of the result's type."""
    if isinstance(initial, Const) or not isinstance(initial, Value):
        element = np.zeros((), dtype)
        try:
            element[()] = initial.value if isinstance(initial, Const) else initial
        except Exception as error:
            raise_real(machine, error)
        return machine.builder.constant(element, dtype)
    var = operand(machine, initial, dtype)
    if var.type.shape:
        raise Refused("XP0011", "an array as the initial value of a reduction")
    return var


def known_out(machine: Machine, out: Any) -> NdArray:
    """The array given as `out=`."""
    items = getattr(out, "items", None)
    if items is not None and not isinstance(out, NdArray) and len(items) == 1:
        out = items[0]
    if not isinstance(out, NdArray):
        machine.raise_(TypeError, "return arrays must be of ArrayType")
    return out


def reduction_types(
    machine: Machine, ufunc: np.ufunc, source: np.dtype, given: np.dtype | None, out: np.dtype | None
) -> tuple[np.dtype, np.dtype]:
    """The dtypes in which a reduction computes and that it gives, from NumPy."""
    sample = np.ones(1, source)
    try:
        with np.errstate(all="ignore"):
            if out is not None:
                ufunc.reduce(sample, dtype=given, out=np.empty((), out))
                signature = {} if given is None else {"signature": (given, None, None)}
                types = ufunc.resolve_dtypes((out, source, None), **signature, casting="unsafe", reduction=True)
                return types[1], types[2]
            result = ufunc.reduce(sample, dtype=given)
            return result.dtype, result.dtype
    except Exception as error:
        raise_real(machine, error)
        raise


def where_mask(machine: Machine, where: Any) -> Var:
    """The argument `where=` of a reduction, which has to be of booleans."""
    var = operand(machine, where)
    if var.type.dtype != bool:
        text = f"Cannot cast array data from {var.type.dtype!r} to dtype('bool') according to the rule 'safe'"
        machine.raise_(TypeError, text)
    return var


def negative_exponents(x, axis):
    """Whether a power of powers along an axis has a negative exponent."""
    return jnp.any(lax.slice_in_dim(x, 1, None, axis=axis) < 0) if x.shape[axis] else jnp.zeros((), bool)


def _has_no_order(ufunc: np.ufunc, dtype: np.dtype) -> bool:
    """Whether it does not matter in which order elements are reduced."""
    if ufunc in IGNORING_NAN:
        return kind_of(dtype) != "c"
    return ufunc in NATIVE or ufunc in _OF_BITS or ufunc.identity == 0


def _reduce(x, *rest):
    *extra, ufunc, input_type, result_type, axes, keep, (has_initial, has_mask) = rest
    extra = iter(extra)
    options = {}
    if has_initial:
        options["initial"] = next(extra)
    if has_mask:
        options["where"] = next(extra)
    logical = ufunc in (np.logical_and, np.logical_or, np.logical_xor)
    if logical:
        x = cast_array(x, np.dtype(bool))
    else:
        x = cast_array(x, input_type)
    if ufunc in IGNORING_NAN and kind_of(x.dtype) == "f" and x.size and axes:
        return _extreme_without_nan(x, ufunc, axes, keep, **options).astype(result_type)
    native = NATIVE.get(ufunc)
    if native is not None and not (logical and has_initial):
        if ufunc in (np.maximum, np.minimum):
            if kind_of(x.dtype) == "c":
                return _generic_reduce(x, ufunc, axes, keep, options).astype(result_type)
            if has_mask and not has_initial:
                raise NotImplementedError("where without initial")
            if not options and kind_of(x.dtype) == "f" and x.size:
                return _extreme(x, ufunc is np.maximum, axes, keep).astype(result_type)
            return extreme(x, ufunc is np.maximum, axes, keep, **options).astype(result_type)
        if ufunc in (np.add, np.multiply):
            if x.dtype == bool:
                combine, also = (jnp.any, jnp.logical_or) if ufunc is np.add else (jnp.all, jnp.logical_and)
                result = combine(x, axis=axes, keepdims=keep, **({"where": options["where"]} if has_mask else {}))
                if has_initial:
                    result = also(result, options["initial"])
                return result.astype(result_type)
            return native(x, axis=axes, keepdims=keep, dtype=input_type, **options).astype(result_type)
        return native(x, axis=axes, keepdims=keep, **options).astype(result_type)
    return _generic_reduce(x, ufunc, axes, keep, options).astype(result_type)


def _extreme(x, largest: bool, axes: tuple[int, ...], keep: bool):
    """The largest or smallest elements, whose derivative is shared among equal extreme elements.

    JAX looks for the elements that equal the result. XLA may compute both anew, rounded differently, and find none
    then: the derivative is NaN. So the first one is among them in any case.
    """
    place = jnp.argmax if largest else jnp.argmin

    @jax.custom_jvp
    def reduced(x):
        return extreme(x, largest, axes, keep)

    @reduced.defjvp
    def reduced_jvp(primals, tangents):
        ((x,), (dot,)) = primals, tangents
        result = reduced(x)
        first = x.ndim - len(axes)
        rows = jnp.moveaxis(x, axes, range(first, x.ndim)).reshape(-1, math.prod(x.shape[a] for a in axes))
        dots = jnp.moveaxis(dot, axes, range(first, x.ndim)).reshape(rows.shape)
        first_one = lax.broadcasted_iota(jnp.int32, rows.shape, 1) == place(rows, axis=1, keepdims=True)
        hits = first_one | (rows == result.reshape(-1, 1))
        shared = jnp.sum(jnp.where(hits, dots, 0), axis=1) / jnp.sum(hits, axis=1, dtype=rows.dtype)
        return result, shared.reshape(result.shape)

    return reduced(x)


def _extreme_without_nan(x, ufunc, axes, keep, initial=None, where=None):
    missing = jnp.isnan(x) if where is None else jnp.isnan(x) | ~where
    largest = IGNORING_NAN[ufunc]
    found = _extreme(jnp.where(missing, -jnp.inf if largest else jnp.inf, x), largest, axes, keep)
    found = jnp.where(jnp.all(missing, axis=axes, keepdims=keep), jnp.nan, found)
    return found if initial is None else as_function(ufunc, "f")(found, initial.astype(x.dtype))


#: of which the order does not matter
_OF_BITS = {np.bitwise_and: lax.reduce_and, np.bitwise_or: lax.reduce_or, np.bitwise_xor: lax.reduce_xor}


def _generic_reduce(x, ufunc, axes, keep, options):
    """Any binary ufunc, one axis after the other, in order from the first element."""
    operation = as_function(ufunc, kind_of(np.dtype(x.dtype)))
    where = jnp.broadcast_to(options["where"], x.shape) if "where" in options else None
    initial = options.get("initial")
    if not axes and initial is not None:
        done = operation(jnp.broadcast_to(initial.astype(x.dtype), x.shape), x)
        return done if where is None else jnp.where(where, done, initial.astype(x.dtype))
    if ufunc in _OF_BITS and axes and x.dtype.kind in "biu":
        if where is not None:
            x = jnp.where(where, x, jnp.invert(jnp.zeros_like(x)) if ufunc is np.bitwise_and else jnp.zeros_like(x))
        found = _OF_BITS[ufunc](x, tuple(axes))
        found = found if initial is None else operation(found, initial.astype(x.dtype))
        return jnp.expand_dims(found, axes) if keep else found
    for axis in sorted(axes, reverse=True):
        items = jnp.moveaxis(x, axis, 0)
        masks = None if where is None else jnp.moveaxis(where, axis, 0)
        if initial is not None:
            start = jnp.broadcast_to(initial.astype(x.dtype), items.shape[1:])
        elif where is not None or items.shape[0] == 0 or ufunc in _FROM_IDENTITY:
            start = jnp.full(items.shape[1:], ufunc.identity, x.dtype)
        else:
            start, items = items[0], items[1:]

        masks = jnp.ones(items.shape[0], bool) if masks is None else masks
        x = lax.scan(partial(_step, operation), start, (items, masks))[0]
        initial = None
        where = None if where is None else jnp.ones(x.shape, bool)
    return jnp.expand_dims(x, axes) if keep else x


def _step(operation, state, item):
    value, hit = item
    return jnp.where(hit, operation(*(live(jnp.broadcast_to(hit, v.shape), v) for v in (state, value))), state), None


# -- the functions ---------------------------------------------------------------------------------------------------


def reduction_function(ufunc: np.ufunc, name: str) -> Callable:
    """The rule of np.sum and its like: `reduce` with all axes by default."""

    def rule(machine, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        return reduce_rule(machine, ufunc, a, axis, dtype, out, keepdims, initial, where, name)

    return rule


def untyped_reduction(ufunc: np.ufunc, name: str) -> Callable:
    """The same for np.max and its like, which have no `dtype`."""

    def rule(machine, a, axis=None, out=None, keepdims=False, initial=None, where=True):
        return reduce_rule(machine, ufunc, a, axis, None, out, keepdims, initial, where, name)

    return rule


def truth_reduction(ufunc: np.ufunc, name: str) -> Callable:
    """np.all and np.any."""

    def rule(machine, a, axis=None, out=None, keepdims=False, *, where=True):
        return reduce_rule(machine, ufunc, a, axis, None, out, keepdims, None, where, name)

    return rule


sum_rule = function(np.sum)(reduction_function(np.add, "sum"))
prod_rule = function(np.prod)(reduction_function(np.multiply, "prod"))
max_rule = function(np.max, np.amax)(untyped_reduction(np.maximum, "max"))
min_rule = function(np.min, np.amin)(untyped_reduction(np.minimum, "min"))
all_rule = function(np.all)(truth_reduction(np.logical_and, "all"))
any_rule = function(np.any)(truth_reduction(np.logical_or, "any"))


# -- positions of extremes -------------------------------------------------------------------------------------------


def _arg_extreme(numpy_function, jax_function):
    def rule(machine, a, axis=None, out=None, *, keepdims=False):
        return arg_extreme(machine, numpy_function, jax_function, a, axis, out, keepdims)

    return rule


def arg_extreme(machine: Machine, numpy_function, jax_function, a, axis, out, keepdims) -> Value:
    """np.argmax and np.argmin; the result is known to be an index."""
    var = operand(machine, a)
    axis = known(machine, axis, "an axis")
    keep = bool(known(machine, keepdims if keepdims is not NO_VALUE else False, "keepdims"))
    try:
        numpy_function(
            np.broadcast_to(np.ones((), var.type.dtype), tuple(min(n, 1) for n in var.type.shape)), axis=axis
        )
    except Exception as error:
        return raise_real(machine, error)
    axis = None if axis is None else int(axis) % max(len(var.type.shape), 1)
    result = machine.leaf(_arg_leaf, (var,), (jax_function, axis, keep), name=numpy_function.__name__)[0]
    if not absent(out):
        return deliver(machine, result, out)
    size = int(np.prod(var.type.shape)) if axis is None else var.type.shape[axis] if var.type.shape else 1
    return bounded(machine, result, 0, max(size - 1, 0))


def _arg_leaf(x, which, axis, keep):
    if x.ndim == 0:
        return jnp.zeros((), jnp.int64)
    if kind_of(np.dtype(x.dtype)) == "c":
        x = _complex_rank(x, which is jnp.argmax, axis)
        which = jnp.argmax
    return first_place(x, which is jnp.argmax, axis, keep)


def _complex_rank(x, largest, axis):
    """2 for NaN, 1 for the lexicographic extremes along the axis, 0 for the rest."""
    extreme, worst = (jnp.max, -jnp.inf) if largest else (jnp.min, jnp.inf)
    best = x.real == extreme(x.real, axis=axis, keepdims=True)
    imag = jnp.where(best, x.imag, jnp.asarray(worst, x.imag.dtype))
    best = best & (imag == extreme(imag, axis=axis, keepdims=True))
    return jnp.where(jnp.isnan(x), 2, best.astype(jnp.int32))


argmax_rule = function(np.argmax)(_arg_extreme(np.argmax, jnp.argmax))
argmin_rule = function(np.argmin)(_arg_extreme(np.argmin, jnp.argmin))


@function(np.count_nonzero)
def count_nonzero(machine, a, axis=None, *, keepdims=False):
    """np.count_nonzero: a Python int where it counts everything."""
    var = cast(machine, operand(machine, a), np.dtype(bool))
    axes = normalised_axes(machine, axis, len(var.type.shape))
    keep = bool(known(machine, keepdims))
    result = machine.leaf(_count, (var,), (axes, keep), name="count_nonzero")[0]
    return bounded(machine, result, 0, int(np.prod(var.type.shape)))


def _count(x, axes, keep):
    return jnp.sum(x, axis=axes, keepdims=keep, dtype=jnp.int64)
