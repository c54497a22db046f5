"""np.quantile and np.percentile, with every method, and np.median.

The definitions are those of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996), and NumPy's own five.
A quantile lies at a *virtual index* of the sorted sample; most methods interpolate between the neighbours of that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.numbers.scalar_values import refuse_where
from xlapy.dispatch.numpy.numpy_leaves import numpy_leaf
from xlapy.dispatch.numpy.rule_operands import absent, known, operand
from xlapy.dispatch.registry import function, function_rule
from xlapy.domain.values import Const, NdArray
from xlapy.lowering.primitives import long_sorts, short_sorts
from xlapy.lowering.primitives.cumulative import apart

#: (alpha, beta) of the methods that interpolate
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
_ROUNDED = {"lower": jnp.floor, "higher": jnp.ceil, "nearest": jnp.round}


def _virtual(method: str, n, q):
    """The virtual index, and the weight of its upper neighbour (None where it is a whole number)."""
    place = n * q - 1
    if method in _CONTINUOUS:
        alpha, beta = _CONTINUOUS[method]
        place = n * q + (alpha + q * (1 - alpha - beta)) - 1
    elif method in _ROUNDED:
        return _ROUNDED[method]((n - 1) * q), None
    elif method == "linear":
        place = (n - 1) * q
    elif method == "midpoint":
        place = 0.5 * (jnp.floor((n - 1) * q) + jnp.ceil((n - 1) * q))
        return place, jnp.where(place % 1 == 0, 0.0, 0.5)
    elif method == "averaged_inverted_cdf":
        return place, jnp.where(place == jnp.floor(place), 0.5, 1.0)
    elif method == "inverted_cdf":
        return jnp.maximum(jnp.ceil(place), 0), None
    elif method == "closest_observation":
        place, below = place - 0.5, jnp.floor(place - 0.5)
        return jnp.maximum(jnp.where((place == below) & (below % 2 == 1), below, below + 1), 0), None
    return place, place - jnp.floor(place)


def _along(at: Callable, q, n, method: str, weak: bool):
    """Quantiles `q` (a vector) of the first `n` of the samples along the last axis; `at(places)` are those at some
    places of their order, and those behind them. What is `weak` has the precision of the samples."""
    place, weight = _virtual(method, n[..., None].astype(q.dtype), q)
    last = jnp.maximum(n[..., None] - 1, 0)
    low = jnp.floor(place)
    high = low + 1
    above, below = place >= last, place < 0
    low, high = (jnp.where(above, last, jnp.where(below, 0, v)).astype(jnp.int64) for v in (low, high))
    first, second = at(low)
    if weight is None:
        return first
    second = jnp.where(low == high, first, second)
    gap = second - first
    precision = first.dtype if weak and first.dtype.kind == "f" else jnp.promote_types(first.dtype, q.dtype)
    weight = jnp.broadcast_to(weight, second.shape).astype(precision)
    return jnp.where(weight >= 0.5, second - gap * (1 - weight), first + gap * weight)


def _weighted(a, w, q, count):
    """The smallest value up to which the weights add up to the fraction `q`, of sorted samples with their weights."""
    total = apart(jnp.cumsum, w, axis=-1)
    total = (total / total[..., -1:]).astype(q.dtype)
    total = jnp.where((total[..., :1] == 0) & (total == 0), -1.0, total)
    place = jnp.sum(total[..., None, :] < q[:, None], axis=-1)
    return jnp.take_along_axis(a, jnp.minimum(place, count[..., None] - 1), axis=-1, mode="clip")


def _quantile(scale: int, ignore_nan: bool, weak: bool):
    def run(a, q, axis=None, method="linear", keepdims=False, weights=None):
        if q.dtype.kind != "f":
            q = q.astype(jnp.float64)
        fractions = jnp.ravel(q / scale if scale != 1 else q)
        axes = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes = tuple(k % max(a.ndim, 1) for k in axes)
        rest = [k for k in range(a.ndim) if k not in axes]
        count = math.prod(a.shape[k] for k in axes)
        flat = jnp.transpose(a, (*rest, *axes)).reshape(*(a.shape[k] for k in rest), count)
        nan = jnp.isnan(flat) if a.dtype.kind in "fc" else jnp.zeros(flat.shape, bool)
        size = jnp.full(flat.shape[:-1], flat.shape[-1])
        count = size - jnp.sum(nan, axis=-1) if ignore_nan else size
        if weights is not None:
            spread = _spread(weights, a.shape, axes)
            spread = jnp.transpose(spread, (*rest, *axes)).reshape(flat.shape)
            spread = jnp.where(nan, 0.0, spread) if ignore_nan else spread
            ordered, spread = lax.sort((flat, spread.astype(jnp.float64)), num_keys=1, is_stable=True)
            found = _weighted(ordered, spread, fractions, count)
        else:
            found = _along(_at_places_of(flat), fractions, count, method, weak)
        bad = count == 0 if ignore_nan else jnp.any(nan, axis=-1)
        if a.dtype.kind in "fc":
            found = jnp.where(bad[..., None], jnp.asarray(jnp.nan, found.dtype), found)
        found = jnp.moveaxis(found, -1, 0)
        if keepdims:
            found = jnp.expand_dims(found, tuple(k + 1 for k in sorted(axes)))
        return found.reshape(q.shape + found.shape[1:])

    return run


def _at_places_of(samples: Any) -> Callable:
    """The samples at places of their order along the last axis, and those behind them, as a function of the places."""
    if long_sorts.selects(samples):
        return lambda places: long_sorts.at_places(samples, places)
    ordered = short_sorts.sort(samples, samples.ndim - 1)
    return lambda places: [jnp.take_along_axis(ordered, k, axis=-1, mode="clip") for k in (places, places + 1)]


def _spread(weights, shape, axes):
    """Weights for all elements."""
    if weights.shape == shape:
        return weights
    target = [1] * len(shape)
    for k, axis in enumerate(axes):
        target[axis] = weights.shape[k]
    return jnp.broadcast_to(jnp.transpose(weights, np.argsort(axes).tolist()).reshape(target), shape)


def _register(numpy_function, scale: int, ignore_nan: bool, message: str) -> None:
    """A quantile whose `q` must lie in [0, scale]."""
    rules = {}
    for weak in (False, True):
        numpy_leaf(numpy_function, _quantile(scale, ignore_nan, weak), "a q weights", "keep")
        rules[weak] = function_rule(numpy_function)

    def checked(machine, a, q, *args, **kwargs):
        if ignore_nan and 0 in operand(machine, a).type.shape:
            axis = kwargs.get("axis", args[0] if args else Const(None))
            return machine.call(Const(np.nanmean), [a, axis], {"keepdims": kwargs.get("keepdims", Const(False))})
        whole = scale == 1 and operand(machine, q).type.dtype.kind in "biu"
        if whole and len(args) < 4 and known(machine, kwargs.get("method", "linear")) == "linear":
            kwargs = {**kwargs, "method": Const("lower")}  # one of the samples, whose neighbour may be infinite
        result = rules[machine.type_of(q) in (int, float)](machine, a, q, *args, **kwargs)
        bad = machine.leaf(_outside, (operand(machine, q),), (scale,), name="check")[0]
        machine.check(bad, ValueError, message)
        weights = kwargs.get("weights")
        if not absent(weights):
            bad = machine.leaf(_negative, (operand(machine, weights),), name="check")[0]
            machine.check(bad, ValueError, "Weights must be non-negative.")
            axis = known(machine, kwargs.get("axis", args[0] if args else None))
            slices = operand(machine, weights).type.shape == operand(machine, a).type.shape
            axes = axis if slices and axis is not None else None
            bad = machine.leaf(_no_weights, (operand(machine, weights),), (axes,), name="check")[0]
            machine.check(bad, ValueError, "Weights included NaN, inf or were all zero.")
            if not ignore_nan and isinstance(result, NdArray) and not result.type.shape:
                var = machine.read(result)
                text = (
                    f"np.{numpy_function.__name__} with weights of what has NaN: the type of its result depends on data"
                )
                refuse_where(machine, machine.builder.elementwise("ne", var, var), "XP0013", text)
        return result

    function(numpy_function)(checked)


def _outside(q, limit):
    return ~jnp.all((q >= 0) & (q <= limit))


def _negative(w):
    return jnp.any(w < 0)


def _no_weights(w, axes):
    totals = jnp.sum(w.astype(float), axis=axes)
    return jnp.any(~jnp.isfinite(totals) | (totals == 0))


_RANGE = "Quantiles must be in the range [0, 1]"
_PERCENT = "Percentiles must be in the range [0, 100]"
_register(np.quantile, 1, False, _RANGE)
_register(np.nanquantile, 1, True, _RANGE)
_register(np.percentile, 100, False, _PERCENT)
_register(np.nanpercentile, 100, True, _PERCENT)


def median(a, axis=None, keepdims=False, ignore_nan=False):
    """np.median, np.nanmedian."""
    if a.size == 0:
        return (jnp.nanmean if ignore_nan else jnp.mean)(a, axis=axis, keepdims=keepdims)
    if np.dtype(a.dtype).kind not in "iuf":
        return (jnp.nanmedian if ignore_nan else jnp.median)(a, axis=axis, keepdims=keepdims)
    axes = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    rows = jnp.moveaxis(a, axes, range(len(axes)))
    rows = rows.reshape(-1, *rows.shape[len(axes) :])
    if not ignore_nan and rows.ndim > 1 and short_sorts.suits(rows, 0):
        found = _middle(short_sorts.sorted_rows(rows).__getitem__, len(rows))
    elif long_sorts.selects(rows):
        found = _middle_of_vector(rows, ignore_nan)
    else:
        ordered = long_sorts.ascending(jnp.moveaxis(rows, 0, -1), -1)
        size = ordered.shape[-1]
        found = _middle_of_numbers(ordered) if ignore_nan else _middle(lambda k: ordered[..., k], size)
    if not keepdims:
        return found
    return jnp.expand_dims(found, axes)


def _middle(place: Callable[[int], Any], size: int) -> Any:
    """The median of `size` sorted values, of which `place(k)` gives one; NaN where the last one is."""
    low, high = place((size - 1) // 2), place(size // 2)
    found = _between(low, high)
    if np.dtype(low.dtype).kind != "f":
        return found
    return jnp.where(jnp.isnan(place(size - 1)), jnp.nan, found).astype(found.dtype)


def _middle_of_vector(samples: Any, ignore_nan: bool) -> Any:
    """The median of many numbers; NaN where one is, or all are."""
    nan = jnp.sum(jnp.isnan(samples))
    count = samples.size - nan if ignore_nan else jnp.asarray(samples.size)
    (low,), (high,) = long_sorts.at_places(samples, (jnp.maximum(count - 1, 0) // 2)[None])
    found = _between(low, jnp.where(count % 2 == 0, high, low))
    if np.dtype(samples.dtype).kind != "f":
        return found
    return jnp.where(count == 0 if ignore_nan else nan > 0, jnp.nan, found).astype(found.dtype)


def _middle_of_numbers(ordered: Any) -> Any:
    """The medians along the last axis, which is sorted, without NaN."""
    count = jnp.sum(~jnp.isnan(ordered), axis=-1, keepdims=True)
    low, high = (jnp.take_along_axis(ordered, jnp.maximum(k, 0), -1)[..., 0] for k in ((count - 1) // 2, count // 2))
    found = _between(low, high)
    return found if found.dtype != ordered.dtype else jnp.where(count[..., 0] == 0, jnp.nan, found).astype(found.dtype)


def _between(low: Any, high: Any) -> Any:
    """The mean of two values, as np.mean computes it."""
    dtype = np.dtype(low.dtype)
    computed = jnp.float64 if dtype.kind != "f" else jnp.float32 if dtype.itemsize < 4 else dtype
    mean = (low.astype(computed) + high.astype(computed)) / 2
    return mean.astype(dtype) if dtype.kind == "f" else mean


def _nanmedian(a, axis=None, keepdims=False):
    return median(a, axis, keepdims, ignore_nan=True)


numpy_leaf(np.median, median, "a")
numpy_leaf(np.nanmedian, _nanmedian, "a")
