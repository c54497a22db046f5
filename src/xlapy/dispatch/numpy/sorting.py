"""Sorting, searching, counting into bins."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from numpy.lib._histograms_impl import _get_bin_edges  # type: ignore

from xlapy.dispatch.numbers.scalar_values import refuse_where
from xlapy.dispatch.numpy.histograms import check_range
from xlapy.dispatch.numpy.numpy_leaves import bounded, numpy_leaf
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    array_type,
    cast_array,
    kind_of,
    known,
    known_index,
    operand,
    raise_as_numpy,
    raise_real,
)
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function
from xlapy.domain.values import Const, JaxArray, NdArray, NumpyScalar, Ref, Scalar, Tuple, Value, tuple_items
from xlapy.ir import constant_value
from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.primitives import long_sorts, searches, short_sorts
from xlapy.lowering.primitives.bincount import occurrences


def axis_of(machine: Machine, axis: Any, rank: int) -> int | None:
    """A single axis, non-negative; NumPy's AxisError for a wrong one."""
    axis = known(machine, axis, "an axis")
    if axis is None:
        return None
    try:
        np.sort(np.broadcast_to(np.False_, (1,) * rank), axis=axis)
    except Exception as error:
        raise_real(machine, error)
    return int(axis) % max(rank, 1)


@function(np.sort)
def sort(machine, a, axis=-1, kind=None, order=None, *, stable=None):
    """np.sort: NaN last."""
    if not absent(order):
        raise Refused("XP0011", "np.sort with order=")
    check_kind(machine, np.sort, kind)
    var = operand(machine, a)
    where = axis_of(machine, axis, len(var.type.shape))
    rule = _sort_stable if var.type.dtype.kind == "f" and is_stable(machine, kind, stable) else _sort
    return machine.new_array(machine.leaf(rule, (var,), (where,), name="sort")[0])


def is_stable(machine, kind, stable):
    """Whether equal elements are asked to stay in their order: of numbers, it shows in the signs of zeros."""
    name = None if absent(kind) else known(machine, kind, "a kind of sorting")
    wanted = None if absent(stable) else known(machine, stable, "whether to sort stably")
    return bool(wanted) or isinstance(name, str) and name.lower()[:1] in ("s", "m")


def check_kind(machine, function, kind, *places):
    """What NumPy says of a way to sort that it does not have."""
    if not absent(kind):
        try:
            function(np.zeros(1), *places, kind=known(machine, kind, "a kind of sorting"))
        except Exception as error:
            raise_real(machine, error)


def check_places(machine, a, kth, axis, kind):
    """What NumPy says of places to partition at that an array does not have."""
    check_kind(machine, np.partition, kind, 0)
    shape = operand(machine, a).type.shape
    where = axis_of(machine, axis, len(shape))
    size = math.prod(shape) if where is None else shape[where] if shape else 1
    if machine.is_static(kth):
        try:
            np.partition(np.zeros(size, bool), machine.static(kth))
        except Exception as error:
            raise_real(machine, error)
    elif isinstance(kth, Tuple | Ref) or isinstance(kth, NdArray) and len(kth.type.shape) == 1:
        for place in machine.iterate(kth):
            check_places(machine, a, place, axis, kind)
    elif isinstance(kth, Scalar | NumpyScalar):
        behind = machine.truth(machine.compare("<", kth, Const(0)))
        place = machine.cond(behind, lambda: machine.binary("+", kth, Const(size)), lambda: kth)
        for symbol, end in (("<", 0), (">=", size)):
            message = machine.message(f"kth(={{!s}}) out of bounds ({size})", place)
            machine.check(machine.truth(machine.compare(symbol, place, Const(end))), ValueError, message)


def _sort(x, axis):
    return long_sorts.ascending(jnp.ravel(x), 0) if axis is None else short_sorts.sort(x, axis)


def _sort_stable(x, axis):
    if axis is None:
        x, axis = jnp.ravel(x), 0
    return jnp.take_along_axis(x, long_sorts.order(x, axis), axis)


@function(np.argsort)
def argsort(machine, a, axis=-1, kind=None, order=None, *, stable=None):
    """np.argsort: stable, which every order of equal elements may be."""
    check_kind(machine, np.sort, kind)
    var = operand(machine, a)
    if not var.type.shape and known(machine, axis, "an axis") in (0, -1):
        axis = None  # a single number, of which NumPy gives a vector
    where = axis_of(machine, axis, len(var.type.shape))
    return machine.new_array(machine.leaf(_argsort, (var,), (where,), name="argsort")[0])


def _argsort(x, axis):
    return long_sorts.order(jnp.ravel(x), 0) if axis is None else long_sorts.order(x, axis)


@function(np.partition)
def partition(machine, a, kth, axis=-1, kind="introselect", order=None):
    """np.partition: sorted, which every partition may be."""
    check_places(machine, a, kth, axis, kind)
    return sort(machine, a, axis)


@function(np.argpartition)
def argpartition(machine, a, kth, axis=-1, kind="introselect", order=None):
    """np.argpartition: as argsort."""
    check_places(machine, a, kth, axis, kind)
    return argsort(machine, a, axis)


def _lexsort(keys, axis=-1):
    return long_sorts.lexical(keys) if jnp.ndim(keys[0]) == 1 else jnp.lexsort(keys, axis=axis)


numpy_leaf(np.lexsort, _lexsort, "keys", "keep")


def _sort_complex(a):
    return jnp.sort(a.astype(jnp.complex64 if a.dtype.itemsize < 4 and a.dtype.kind in "iu" else a.dtype), axis=-1)


numpy_leaf(np.sort_complex, _sort_complex, "a", "promote")


@function(np.searchsorted)
def searchsorted(machine, a, v, side="left", sorter=None):
    """np.searchsorted: binary search; the result is an index."""
    first, second = operand(machine, a), operand(machine, v)
    if len(first.type.shape) != 1:
        return raise_as_numpy(machine, np.searchsorted, (a, v), {}, "the first array must have one dimension")
    which = str(known(machine, side))
    if which not in ("left", "right"):
        return machine.raise_(ValueError, f"search side must be 'left' or 'right' (got '{which}')")
    dtype = np.result_type(first.type.dtype, second.type.dtype)
    operands = [first, second]
    if not absent(sorter):
        operands.append(operand(machine, sorter))
    result = machine.leaf(_searchsorted, operands, (which, dtype), name="searchsorted")[0]
    return bounded(machine, result, 0, first.type.shape[0])


def _searchsorted(a, v, *rest):
    *sorter, side, dtype = rest
    a = a[sorter[0]] if sorter else a
    if kind_of(dtype) == "c":
        return _complex_places(cast_array(a, dtype), cast_array(v, dtype), side)
    method = "scan" if v.size <= 64 or v.size * 8 < a.size else "scan_unrolled"
    return searches.places(cast_array(a, dtype), cast_array(v, dtype), side, method)


def _precedes(x, y):
    """The order of complex numbers in NumPy's sorts: what has a part that is NaN comes last."""
    real, imag = (x.real, y.real), (x.imag, y.imag)
    gone = [jnp.isnan(part) for part in (*real, *imag)]
    within = (imag[0] < imag[1]) | gone[3] & ~gone[2]
    same = (real[0] == real[1]) | gone[0] & gone[1]
    unequal = jnp.where(
        real[0] < real[1], ~gone[2] | gone[3], jnp.where(real[0] > real[1], gone[3] & ~gone[2], gone[1])
    )
    return jnp.where(same, within, unequal)


def _complex_places(a, v, side):
    """Places of complex numbers, in halves."""
    low, high = jnp.zeros(v.shape, jnp.int64), jnp.full(v.shape, a.size, jnp.int64)
    for _ in range(int(a.size).bit_length()):
        middle = (low + high) // 2
        element = a[jnp.minimum(middle, a.size - 1)]
        behind = _precedes(element, v) if side == "left" else ~_precedes(v, element)
        is_open = low < high
        low = jnp.where(is_open & behind, middle + 1, low)
        high = jnp.where(is_open & ~behind, middle, high)
    return low


@function(np.digitize)
def digitize(machine, x, bins, right=False):
    """np.digitize: bins may increase or decrease; which is known if the bins are, else they must increase."""
    edges = operand(machine, bins)
    if len(edges.type.shape) != 1:
        return machine.raise_(ValueError, "object too deep for desired array")
    fixed = constant_value(edges)
    side = "left" if known(machine, right) else "right"
    var = operand(machine, x)
    dtype = np.result_type(var.type.dtype, edges.type.dtype)
    if fixed is not None:
        try:
            np.digitize(0, fixed)
        except (TypeError, ValueError) as error:
            return raise_real(machine, error)
    if var.type.dtype.kind == "c":
        return machine.raise_(TypeError, "x may not be complex")
    result, bad, in_no_order = machine.leaf(_digitize, (var, edges), (side, dtype), name="digitize")
    if fixed is None:
        machine.check(bad, ValueError, "bins must be monotonically increasing or decreasing")
    if edges.type.dtype.kind == "f" or edges.type.dtype.itemsize == 8:
        text = "np.digitize with edges that are NaN, or that are in order when rounded only"
        refuse_where(machine, in_no_order, "XP0011", text)
    return bounded(machine, result, 0, edges.type.shape[0])


def _digitize(x, bins, side, dtype):
    order = bins.astype(jnp.promote_types(bins.dtype, jnp.float64))  # NumPy looks at floats
    x, bins = cast_array(x, dtype), cast_array(bins, dtype)
    before, behind = order[:-1], order[1:]
    differ = before != behind
    first = jnp.argmax(differ) if differ.size else 0
    rising = ~jnp.any(differ) | (before[first] < behind[first]) if differ.size else jnp.ones((), bool)
    is_wrong = jnp.where(rising, jnp.any(before > behind), jnp.any(before < behind))
    up = searches.places(bins, x, side)
    down = bins.size - searches.places(bins[::-1], x, side)
    ordered = jnp.where(rising, jnp.all(bins[1:] >= bins[:-1]), jnp.all(bins[1:] <= bins[:-1]))
    return jnp.where(rising, up, down).astype(jnp.int64), is_wrong, ~ordered & ~is_wrong


# -- counting --------------------------------------------------------------------------------------------------------


#: bins of values that are known
_MOST_BINS = 1 << 26


@function(np.bincount)
def bincount(machine, x, /, weights=None, minlength=0):
    """np.bincount of values known to lie below `minlength`, or of known values: the size depends on the data."""
    var = operand(machine, x)
    least = known_index(machine, minlength, "minlength")
    if var.type.shape == (0,) and (var.type.dtype.kind in "iub" or not isinstance(x, NdArray | JaxArray)):
        return machine.new_array(machine.builder.constant(np.bincount([], minlength=least)))
    if len(var.type.shape) != 1:
        return machine.raise_(
            ValueError,
            "object too deep for desired array" if var.type.shape else "object of too small depth for desired array",
        )
    if var.type.dtype.kind not in "iub":
        return raise_as_numpy(machine, np.bincount, (x,), {}, "the values must be integers")
    fixed = constant_value(var)
    if fixed is not None and fixed.size:
        try:
            counts = np.bincount(fixed, minlength=least) if fixed.max() < _MOST_BINS else None
        except ValueError as error:
            return raise_real(machine, error)
        if counts is None:
            raise Refused("XP0013", f"np.bincount with {fixed.max()} bins and more")
        if absent(weights):
            return machine.new_array(machine.builder.constant(counts))
        least = len(counts)
    elif var.type.dtype.kind == "b":
        least = max(least, 2)
        if least > 2 or fixed is None:
            raise Refused("XP0013", "the size of np.bincount depends on data")
    elif var.type.shape[0]:
        raise Refused(
            "XP0013",
            "the size of np.bincount depends on the largest value",
            "use counts = np.zeros(n, int); np.add.at(counts, x, 1), or np.histogram",
        )
    operands = [var, *bincount_weights(machine, weights, var.type.shape)]
    return machine.new_array(machine.leaf(_bincount, operands, (least,), name="bincount")[0])


def bincount_weights(machine, weights, shape):
    """The weights of values of this shape, as an operand, or no operand. Raises what NumPy says of others."""
    if absent(weights):
        return []
    given = array_type(machine, weights)
    try:
        np.bincount(np.zeros(shape, np.int8), np.zeros(given.shape, given.dtype))
    except (TypeError, ValueError) as error:
        return raise_real(machine, error)
    return [operand(machine, weights, np.dtype(np.float64))]


def _bincount(x, *rest):
    *weights, length = rest
    values = weights[0] if weights else jnp.ones(x.shape, jnp.int64)
    return jnp.zeros(length, values.dtype).at[x.astype(jnp.int64)].add(values)


@function(np.histogram)
def histogram(machine, a, bins=10, range=None, density=None, weights=None):
    """np.histogram with a known number of bins, or given edges."""
    var = operand(machine, a)
    if kind_of(var.type.dtype) == "c":
        raise Refused("XP0011", "np.histogram of complex numbers")
    flags = (bool(known(machine, density)), not absent(weights))
    operands = [var]
    if flags[1]:
        operands.append(operand(machine, weights))
    count = _bin_count(machine, a, bins, range, weights)
    limits = None if absent(range) else known(machine, range)
    if count is None:
        edges = operand(machine, bins)
        falls, unknown = machine.leaf(_edges_fall, (edges,), name="check")
        machine.check(falls, ValueError, "`bins` must increase monotonically, when an array")
        refuse_where(machine, unknown, "XP0011", "np.histogram with edges that are NaN")
        result = machine.leaf(_histogram_edges, (*operands, edges), flags, name="histogram")[0]
        return Tuple((machine.new_array(result), machine.new_array(edges)))
    if limits is None:
        if 0 in var.type.shape:
            limits = (0.0, 1.0)
        else:
            check_range(machine, var)
    elif limits[0] > limits[1]:
        return machine.raise_(ValueError, "max must be larger than min in range parameter.")
    limits = None if limits is None else (float(limits[0]), float(limits[1]))
    edge_type = var.type.dtype if kind_of(var.type.dtype) == "f" else np.dtype(np.float64)
    static = (count, limits, edge_type, *flags)
    counts, edges = machine.leaf(_histogram_even, operands, static, name="histogram")
    too_many = f"Too many bins for data range. Cannot create {count} finite-sized bins."
    machine.check(machine.leaf(_edges_stay, (edges,), name="check")[0], ValueError, too_many)
    return Tuple((machine.new_array(counts), machine.new_array(edges)))


def _bin_count(machine: Machine, a: Value, bins: Any, range: Any, weights: Any) -> int | None:
    if not isinstance(bins, Value):
        return bins
    if isinstance(machine.spec(bins), type) or isinstance(bins, Const | NumpyScalar):
        number = known(machine, bins, "the number of bins")
        if isinstance(number, str):  # NumPy's own functions are compiled; data says how long the edges are
            others = [v if isinstance(v, Value) else Const(v) for v in (range, weights)]
            flat = machine.call(Const(np.ravel), [a])
            if operand(machine, a).type.dtype.kind == "b":
                flat = machine.call(Const(np.ndarray.astype), [flat, Const(np.uint8)])
            edges = tuple_items(machine.call(Const(_get_bin_edges), [flat, bins, *others]))[0]
            if not isinstance(edges, NdArray):
                raise Refused("XP0013", f"np.histogram with bins={number!r}: the type of the edges depends on data")
            return edges.type.shape[0] - 1
        if isinstance(number, int | np.integer):
            if number < 1:
                machine.raise_(ValueError, "`bins` must be positive, when an integer")
            return int(number)
    return None


#: how many bytes there are
_BYTES = 256
#: where numbers belong: in which bin, and whether they are in one
Place = Callable[[jax.Array], tuple[jax.Array, jax.Array]]


def _weighted(
    place: Place, x: jax.Array, weights: jax.Array | None, count: int, density: bool, edges: jax.Array
) -> jax.Array:
    if weights is not None:
        weights = jnp.ravel(weights)
    if x.dtype.itemsize == 1 and x.size > _BYTES:  # there are few, so that each is looked for once
        bits = x.astype(jnp.uint8) if x.dtype == bool else lax.bitcast_convert_type(x, jnp.uint8)
        x = lax.bitcast_convert_type(jnp.arange(_BYTES, dtype=jnp.uint8), jnp.uint8 if x.dtype == bool else x.dtype)
        index, valid = place(x)
        if weights is None:
            weights = occurrences(bits, _BYTES)
        else:
            index, valid = index[bits], valid[bits]
    else:
        index, valid = place(x)
    if weights is None:  # what is in no bin has a counter of its own
        counts = occurrences(jnp.where(valid, index, count), count + 1)[:-1]
    else:
        values = jnp.where(valid, weights, jnp.zeros((), weights.dtype))
        counts = jnp.zeros(count, values.dtype).at[index].add(values, mode="promise_in_bounds")
    if density:
        counts = counts / jnp.diff(edges).astype(jnp.float64) / jnp.sum(counts)
    return counts


def _histogram_even(x, *rest):
    """NumPy's algorithm for even bins: scale, then correct by comparison with the edges."""
    *weights, count, limits, edge_type, density, weighted = rest
    x = jnp.ravel(x)
    computed = np.dtype(np.float64) if kind_of(np.dtype(x.dtype)) != "f" else edge_type
    wide = cast_array(x, computed)
    if limits is None:
        low, high = jnp.min(wide), jnp.max(wide)
    else:
        low, high = (jnp.asarray(v, wide.dtype) for v in limits)
    same = low == high
    low, high = jnp.where(same, low - 0.5, low), jnp.where(same, high + 0.5, high)
    edges = jnp.arange(count + 1).astype(wide.dtype) * ((high - low) / count) + low
    edges = edges.at[-1].set(high)

    def place(x):
        wide = cast_array(x, computed)
        valid = (wide >= low) & (wide <= high)
        index = jnp.where(valid, (wide - low) / (high - low) * count, 0).astype(jnp.int64)
        index = jnp.where(index == count, count - 1, index)
        index = index - (valid & (wide < edges[index]))
        return index + (valid & (wide >= edges[index + 1]) & (index != count - 1)), valid

    counts = _weighted(place, x, weights[0] if weighted else None, count, density, edges)
    return counts, edges.astype(edge_type)


def _edges_stay(edges):
    return jnp.any(edges[:-1] >= edges[1:])


def _edges_fall(edges):
    return jnp.any(edges[:-1] > edges[1:]), jnp.any(edges != edges)


def _histogram_edges(x, *rest):
    *operands, density, weighted = rest
    edges = operands[-1]
    x = jnp.ravel(x)
    dtype = np.result_type(np.dtype(x.dtype), np.dtype(edges.dtype))
    limits = cast_array(edges, dtype)

    def place(x):
        wide = cast_array(x, dtype)
        index = searches.places(limits, wide, "right") - 1
        index = jnp.where(wide == limits[-1], edges.size - 2, index)
        return jnp.clip(index, 0, edges.size - 2), (wide >= limits[0]) & (wide <= limits[-1])

    return _weighted(place, x, operands[0] if weighted else None, edges.size - 1, density, edges)


@function(np.histogram_bin_edges)
def histogram_bin_edges(machine, a, bins=10, range=None, weights=None):
    """np.histogram_bin_edges."""
    return histogram(machine, a, bins, range).items[1]


# -- interpolation ---------------------------------------------------------------------------------------------------


@function(np.interp)
def interp(machine, x, xp, fp, left=None, right=None, period=None):
    """np.interp."""
    variables = [operand(machine, v) for v in (x, xp, fp)]
    if any(v.type.dtype.kind == "c" for v in variables[:2]):
        return raise_as_numpy(machine, np.interp, (x, xp, fp), {}, "complex positions")
    if not absent(period):
        return machine.call(Const(_periodic), (x, xp, fp, period))
    result_type = np.dtype(np.complex128 if variables[2].type.dtype.kind == "c" else np.float64)
    sizes = [v.type.shape for v in variables[1:]]
    if sizes[0] != sizes[1] or len(sizes[0]) != 1 or sizes[0][0] == 0:
        return raise_as_numpy(machine, np.interp, (x, xp, fp), {}, "xp and fp must be vectors of one length")
    ends = [e for e in (left, right) if not absent(e)]
    for e in ends:
        if operand(machine, e).type.shape or result_type.kind != "c" and operand(machine, e).type.dtype.kind == "c":
            return raise_as_numpy(machine, np.interp, (x, xp, fp, left, right), {}, "left and right must be numbers")
    operands = [*variables, *(operand(machine, e, result_type) for e in ends)]
    static = (result_type, not absent(left), not absent(right))
    return machine.numpy_result(machine.leaf(_interp, operands, static, name="interp")[0])


def _periodic(x, xp, fp, period):
    """np.interp of a function with a period: the samples are brought into one period, sorted, and continued."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    period = abs(period)
    x, xp, fp = np.asarray(x) % period, np.asarray(xp) % period, np.asarray(fp)
    order = np.argsort(xp)
    xp, fp = xp[order], fp[order]
    xp = np.concatenate((xp[-1:] - period, xp, xp[0:1] + period))
    return np.interp(x, xp, np.concatenate((fp[-1:], fp, fp[0:1])))


def _interp(x, xp, fp, *rest):
    *ends, dtype, has_left, has_right = rest
    ends = iter(ends)
    x, xp, fp = cast_array(x, np.dtype(np.float64)), cast_array(xp, np.dtype(np.float64)), cast_array(fp, dtype)
    left = next(ends) if has_left else fp[0]
    right = next(ends) if has_right else fp[-1]
    if dtype.kind != "c":
        return _interpolated(x, xp, fp, left, right, x)
    imaginary = _interpolated(x, xp, fp.imag, left.imag, right.imag, jnp.zeros_like(x))
    return lax.complex(_interpolated(x, xp, fp.real, left.real, right.real, x), imaginary)


def _interpolated(x, xp, fp, left, right, where_nan):
    """np.interp of real samples; `where_nan` at the points that are NaN."""
    inner = jnp.broadcast_to(fp[0], x.shape) if xp.size == 1 else _between(x, xp, fp)
    found = jnp.where(x < xp[0], left, jnp.where(x > xp[-1], right, inner))
    return found if xp.size == 1 else jnp.where(jnp.isnan(x), where_nan, found)


def _between(x, xp, fp):
    """The lines between samples; what is NaN from the sample before is tried from the one behind, as in NumPy."""
    index = jnp.clip(searches.places(xp, x, "right", "scan") - 1, 0, xp.size - 2)
    start, end, first, last = xp[index], xp[index + 1], fp[index], fp[index + 1]
    slope = (last - first) / (end - start)
    line = slope * (x - start) + first
    back = slope * (x - end) + last
    back = jnp.where(jnp.isnan(back) & (first == last), first, back)
    inner = jnp.where(x == start, first, jnp.where(jnp.isnan(line), back, line))
    return differentiated_as(jnp.where(x == xp[-1], fp[-1], inner), line)
