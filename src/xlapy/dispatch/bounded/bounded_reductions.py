"""Reductions, cumulative functions and sorting of arrays of dynamic length: other lanes hold what does not count."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.argument_kinds import involved, require_static
from xlapy.dispatch.bounded import layout_matching, masked_axes
from xlapy.dispatch.bounded.bounded_slices import basic
from xlapy.dispatch.bounded.masked_axes import INT64, Lanes, fresh, select_valid, settle_widths, valid_mask, var_of
from xlapy.dispatch.numpy import moments, reductions
from xlapy.dispatch.numpy.accumulations import accumulate_rule
from xlapy.dispatch.numpy.numpy_leaves import bounded as index_within
from xlapy.dispatch.numpy.rule_operands import absent, cast, inexact, kind_of, known, operand, reshape
from xlapy.dispatch.numpy.sorting import is_stable
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, JaxArray, Slice, Tuple, Value
from xlapy.ir import Var
from xlapy.lowering.primitives import long_sorts
from xlapy.lowering.primitives.compaction import positions

#: columns by which rows are put in order
_MOST_COLUMNS = 32
_NONE = np._NoValue if hasattr(np, "_NoValue") else None


def _default(value: object) -> bool:
    return value is True or value is _NONE or (isinstance(value, Const) and value.value is True)


def _axes(machine: Machine, array: BoundedArray, axis: object) -> tuple[int, ...]:
    return reductions.normalised_axes(machine, axis, len(array.axes))


def _counted(machine: Machine, array: BoundedArray, axes: tuple[int, ...], where: object) -> Value:
    """The mask of the elements that a reduction over `axes` counts."""
    lanes = [x if k in axes else None for k, x in enumerate(array.axes)]
    mask = valid_mask(machine, array.base.type.shape, lanes)
    if not _default(where):
        given = _placed(machine, array, where)
        mask = given if mask is None else machine.builder.elementwise("bitwise_and", mask, given)
    return Const(True) if mask is None else JaxArray(mask)


def _placed(machine: Machine, array: BoundedArray, where: Any) -> Var:
    """The mask `where=` of a reduction, with its lanes where those of the array are."""
    if not isinstance(where, BoundedArray) or where.base.type.dtype != masked_axes.BOOL:
        where = machine.new_array(reductions.where_mask(machine, where.base if involved(where) else where))
    if len(masked_axes.taken_apart(machine, where)[1]) > len(array.axes):
        machine.raise_(ValueError, "input operand has more dimensions than allowed by the axis remapping")

    def message() -> Value:
        (one, sizes), (two, more) = (masked_axes.shape_text(machine, v) for v in (array, where))
        text = f"operands could not be broadcast together with remapped shapes [original->remapped]: {one} {two} "
        return machine.message(text, *sizes, *more)

    shape = array.base.type.shape
    return machine.builder.broadcast(layout_matching.fit(machine, where, shape, array.axes, message), shape)


def _remaining(machine: Machine, array: BoundedArray, axes: tuple[int, ...], keep: object, result: Value) -> Value:
    """The result with the dimensions that are left."""
    kept = bool(known(machine, keep if keep is not _NONE else False, "keepdims"))
    out = [None if k in axes else x for k, x in enumerate(array.axes) if kept or k not in axes]
    return masked_axes.made(machine, result, out, own=True)


def _whole_out(machine: Machine, array: BoundedArray, axes: tuple[int, ...], out: object) -> None:
    if not absent(out) and any(x is not None for k, x in enumerate(array.axes) if k not in axes):
        raise require_static(machine, array, "out=")


def reduce(machine, ufunc, array, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True, name=None):
    """`ufunc.reduce`, and np.sum, np.max and their like."""
    axes = _axes(machine, array, axis)
    _whole_out(machine, array, axes, out)
    given = initial if not (initial is _NONE or absent(initial)) else None
    if ufunc in (np.maximum, np.minimum):
        result = _extreme(machine, ufunc, array, axes, out, keepdims, given, where, name)
    elif ufunc in reductions.IGNORING_NAN and array.base.type.dtype.kind in "biu":
        extreme = np.maximum if ufunc is np.fmax else np.minimum
        result = _extreme(machine, extreme, array, axes, out, keepdims, given, where, name, ufunc)
    elif ufunc in reductions.IGNORING_NAN and array.base.type.dtype.kind == "f":
        if given is None:
            _check_some(machine, array, axes, where, ufunc)
        mask, given = _counted(machine, array, axes, where), Const(np.nan) if given is None else given
        room = JaxArray(machine.read(array.base))
        axis = Tuple(tuple(map(Const, axes)))
        result = reductions.reduce_rule(machine, ufunc, room, axis, None, out, keepdims, given, mask, name)
    elif ufunc in reductions.NATIVE or ufunc.identity is not None:
        mask = _counted(machine, array, axes, where)
        room = JaxArray(machine.read(array.base))
        axis = Tuple(tuple(map(Const, axes)))
        result = reductions.reduce_rule(machine, ufunc, room, axis, dtype, out, keepdims, given, mask, name)
    else:
        raise require_static(machine, array, f"{ufunc.__name__}.reduce")
    return _remaining(machine, array, axes, keepdims, result)


def _lowest(dtype: np.dtype, largest: bool) -> Any:
    """The value that loses against all others."""
    kind = kind_of(dtype)
    if kind == "f":
        return -np.inf if largest else np.inf
    if kind == "b":
        return not largest
    info = np.iinfo(dtype)
    return info.min if largest else info.max


def _filled(machine: Machine, array: BoundedArray, mask: Value, largest: bool) -> Var:
    dtype = array.base.type.dtype
    if kind_of(dtype) == "c":
        raise require_static(machine, array, "extremes of complex numbers")
    var = machine.read(array.base)
    if isinstance(mask, JaxArray):
        fill = machine.builder.broadcast(machine.builder.constant(_lowest(dtype, largest), dtype), var.type.shape)
        return machine.builder.elementwise("select", mask.var, var, fill)
    return var


def _empty(machine: Machine, array: BoundedArray, axes: tuple[int, ...]) -> Var:
    """Whether a reduction over `axes` has nothing to reduce, but results to give."""
    builder = machine.builder
    zero = builder.constant(0, INT64)
    lengths = [
        var_of(machine, masked_axes.length_int(machine, x, n))
        for x, n in zip(array.axes, array.base.type.shape, strict=True)
    ]
    bad: Var = builder.constant(False)
    for k in axes:
        bad = builder.elementwise("bitwise_or", builder.elementwise("eq", lengths[k], zero), bad)
    for k, length in enumerate(lengths):
        if k not in axes:
            bad = builder.elementwise("bitwise_and", builder.elementwise("ne", length, zero), bad)
    return bad


def _check_some(machine, array, axes, where, ufunc) -> None:
    """ValueError where there is nothing to reduce, and no element to begin with."""
    if not _default(where):
        message = f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a where mask one has"
        machine.raise_(ValueError, message + " to specify 'initial'")
    message = f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
    machine.check(_empty(machine, array, axes), ValueError, message)
    if any(array.base.type.shape[k] == 0 for k in axes):
        if len(array.axes) == 1:
            machine.raise_(ValueError, message)
        raise require_static(machine, array, "an extreme of nothing")


def _extreme(machine, ufunc, array, axes, out, keepdims, initial, where, name, named=None):
    if initial is None:
        _check_some(machine, array, axes, where, named or ufunc)
    mask = _counted(machine, array, axes, where)
    room = JaxArray(_filled(machine, array, mask, ufunc is np.maximum))
    axis = Tuple(tuple(map(Const, axes)))
    return reductions.reduce_rule(machine, ufunc, room, axis, None, out, keepdims, initial, True, name)


def moment(machine, function, array, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
    """np.mean, np.var and np.std."""
    axes = _axes(machine, array, axis)
    _whole_out(machine, array, axes, out)
    mask = _counted(machine, array, axes, where)
    room = JaxArray(machine.read(array.base))
    axis = Tuple(tuple(map(Const, axes)))
    result = moments.moment(machine, function, room, axis, dtype, out, ddof, keepdims, mask)
    return _remaining(machine, array, axes, keepdims, result)


def arg_extreme(machine, function, array, axis=None, out=None, keepdims=False):
    """np.argmax and np.argmin of vectors, or along one dimension."""
    largest = function is np.argmax
    if absent(axis) and len(array.axes) != 1:
        raise require_static(machine, array, f"np.{function.__name__} over all dimensions")
    axes = _axes(machine, array, Const(0) if absent(axis) else axis)
    (place,) = axes
    lanes = array.axes[place]
    if not absent(out):
        raise require_static(machine, array, "out=")
    message = f"attempt to get {function.__name__} of an empty sequence"
    machine.check(_empty(machine, array, axes), ValueError, message)
    size = array.base.type.shape[place]
    if size == 0 and len(array.axes) == 1:
        return machine.raise_(ValueError, message)
    if size == 0:
        raise require_static(machine, array, f"np.{function.__name__} of nothing")
    keep = bool(known(machine, keepdims if keepdims is not _NONE else False, "keepdims"))
    var = _filled(machine, array, _counted(machine, array, axes, True), largest)
    jax_function = jnp.argmax if largest else jnp.argmin
    found = machine.leaf(reductions._arg_leaf, (var,), (jax_function, place, keep), name=function.__name__)[0]
    if lanes is not None and lanes.valid is not None:
        found = machine.leaf(_rank_of, (lanes.valid, found), name="rank")[0]
    elif lanes is not None and lanes.start != 0:
        found = machine.leaf(_less, (found, var_of(machine, lanes.start)), name="rank")[0]
    return _remaining(machine, array, axes, keepdims, index_within(machine, found, 0, size - 1))


def _rank_of(valid, lane):
    return jnp.maximum(jnp.cumsum(valid, dtype=jnp.int64) - 1, 0)[lane]


def _less(lane, start):
    return jnp.maximum(lane - start, 0)


# -- along one dimension ----------------------------------------------------------------------------------------------


def accumulate(machine, ufunc, array, axis=None, dtype=None, out=None):
    """np.cumsum, np.cumprod and the like: dead lanes change nothing."""
    axis = known(machine, axis, "an axis")
    if axis is None and len(array.axes) != 1 or not absent(out) or ufunc.identity is None:
        raise require_static(machine, array, f"{ufunc.__name__}.accumulate")
    place = 0 if axis is None else int(axis) % len(array.axes)
    dtype_in = array.base.type.dtype
    unit = machine.builder.constant(np.asarray(ufunc.identity).astype(dtype_in), dtype_in)
    lanes = [x if k == place else None for k, x in enumerate(array.axes)]
    var = select_valid(machine, machine.read(array.base), unit, lanes)
    result = accumulate_rule(machine, ufunc, JaxArray(var), Const(place), dtype)
    return masked_axes.made(machine, result, array.axes, own=True)


def _vector(machine: Machine, array: BoundedArray, what: str) -> tuple[Var, Var, Lanes]:
    """The elements, the mask and the lanes of an array of one dimension."""
    if len(array.axes) != 1:
        raise require_static(machine, array, f"{what} of several dimensions")
    settle_widths(machine, array)
    lanes = array.lanes
    return machine.read(array.base), masked_axes.valid_lanes(machine, lanes, array.base.type.shape[0]), lanes


def sort(machine, array, axis=-1, kind=None, order=None, *, stable=None):
    """np.sort: dead lanes come last, after NaN."""
    if kind_of(array.base.type.dtype) == "c" or not absent(order):
        raise require_static(machine, array, "np.sort of complex numbers")
    var, valid, lanes = _vector(machine, array, "np.sort")
    rule = _sort_stable if kind_of(var.type.dtype) == "f" and is_stable(machine, kind, stable) else _sort
    return fresh(machine, machine.leaf(rule, (var, valid), name="sort")[0], (Lanes(lanes.length),))


def argsort(machine, array, axis=-1, kind=None, order=None, *, stable=None):
    """np.argsort, stable."""
    if kind_of(array.base.type.dtype) == "c" or not absent(order):
        raise require_static(machine, array, "np.argsort of complex numbers")
    var, valid, lanes = _vector(machine, array, "np.argsort")
    return fresh(machine, machine.leaf(_argsort, (var, valid), name="argsort")[0], (Lanes(lanes.length),))


def _sort(x, valid):
    """The dead lanes hold what nothing comes behind, not even in a stable sort: equal values are alike."""
    kind = kind_of(np.dtype(x.dtype))
    last = jnp.nan if kind == "f" else True if kind == "b" else jnp.iinfo(x.dtype).max
    return long_sorts.ascending(jnp.where(valid, x, jnp.asarray(last, x.dtype)), 0)


def _sort_stable(x, valid):
    return _in_order(x, valid)[0]


def _argsort(x, valid):
    return _in_order(x, valid)[1]


def _in_order(x, valid):
    """The elements in the lanes that count, in a stable order, and their places among them; then others."""
    rank = jnp.cumsum(valid, dtype=jnp.int64) - 1
    if not long_sorts.many(x):
        return lax.sort((~valid, x, rank), num_keys=2, is_stable=True)[1:]
    lanes = long_sorts.order(x, 0)
    lanes = lanes[positions(valid[lanes])]
    return x[lanes], rank[lanes]


def median(machine, array, axis=None, out=None, overwrite_input=False, keepdims=False):
    """np.median of a vector."""
    if not absent(out) or known(machine, keepdims) or kind_of(array.base.type.dtype) == "c":
        raise require_static(machine, array, "np.median with options")
    var, valid, lanes = _vector(machine, array, "np.median")
    if var.type.shape[0] == 0:
        return machine.numpy_result(machine.builder.constant(np.nan, inexact(var.type.dtype)))
    var = cast(machine, var, inexact(var.type.dtype))
    return machine.numpy_result(machine.leaf(_median, (var, valid, lanes.length), name="median")[0])


def _median(x, valid, length):
    ordered = _sort(x, valid)
    low, high = jnp.maximum((length - 1) // 2, 0), length // 2
    middle = (ordered[low] + ordered[jnp.minimum(high, x.shape[0] - 1)]) / 2
    middle = jnp.where(low == high, ordered[low], middle)
    broken = jnp.any(jnp.isnan(x) & valid) | (length == 0)
    return jnp.where(broken, jnp.nan, middle).astype(x.dtype)


#: whether this NumPy gives the places of the elements of a matrix as a matrix
_INVERSE_OF_SHAPE = np.unique([[1]], return_inverse=True)[1].ndim == 2


def unique(
    machine,
    array,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
):
    """np.unique: of values in order, the first of each run."""
    place = None if absent(axis) else known(machine, axis)
    if place in (0, -1) and not isinstance(array, BoundedArray) and len(operand(machine, array).type.shape) == 1:
        place = axis = None
    if place is not None and _are_rows(machine, array, place):
        wanted = [Const(bool(known(machine, flag))) for flag in (return_index, return_inverse, return_counts)]
        found = machine.call(Const(_unique_rows), (array, Const(place in (1, -1)), *wanted))
        parts = machine.iterate(found)
        return parts[0] if len(parts) == 1 else found
    shape: tuple[int, ...] | None = None
    if not isinstance(array, BoundedArray):
        shape = operand(machine, array).type.shape
        var = reshape(machine, operand(machine, array), (-1,))
        valid = machine.builder.broadcast(machine.builder.constant(True), var.type.shape)
        holder = machine.new_array(var)
        array = BoundedArray(holder, (Lanes(machine.builder.constant(var.type.shape[0], INT64)),))
    else:
        var, valid, _ = _vector(machine, array, "np.unique")
    if not absent(axis) or kind_of(var.type.dtype) == "c":
        raise require_static(machine, array, "np.unique of complex numbers, or along an axis")
    merges = bool(known(machine, equal_nan))
    wanted = [bool(known(machine, flag)) for flag in (return_index, return_inverse, return_counts)]
    places = wanted[0] or wanted[1]
    values, first, index, inverse, counts, number = machine.leaf(_unique, (var, valid), (places, merges), name="unique")
    lanes = Lanes(number)
    found = [fresh(machine, values, (Lanes(number, 0, first),))]
    if wanted[0]:
        found.append(fresh(machine, index, (lanes,)))
    if wanted[1]:
        found.append(fresh(machine, inverse, array.axes if array.lanes.valid is None else (Lanes(array.lanes.length),)))
        if shape is not None and len(shape) != 1 and absent(axis) and _INVERSE_OF_SHAPE:
            found[-1] = machine.new_array(reshape(machine, inverse, shape))
    if wanted[2]:
        found.append(fresh(machine, counts, (lanes,)))
    return found[0] if len(found) == 1 else Tuple(tuple(found))


def _are_rows(machine: Machine, array: Value, axis: object) -> bool:
    """Whether there are a few columns: of a matrix, or of the rows of one that data selects."""
    known_rows = not isinstance(array, BoundedArray)
    holder = machine.new_array(operand(machine, array)) if known_rows else array.base
    shape = holder.type.shape if axis in (0, -2) else holder.type.shape[::-1]
    if len(shape) != 2 or not 0 < shape[1] <= _MOST_COLUMNS:
        return False
    return axis in (-2, -1, 0, 1) if known_rows else axis in (0, -2) and array.axes[1] is None


def _unique_rows(array, turned, index, inverse, counts):
    rows = np.asarray(array).T if turned else np.asarray(array)
    order = np.lexsort(tuple([rows[:, k] for k in range(rows.shape[1])[::-1]]))
    rows = rows[order]
    first = np.append(np.arange(len(rows[:1])) == 0, (rows[1:] != rows[:-1]).any(axis=1))
    found = [rows[first].T if turned else rows[first]]
    if index:
        found.append(order[first])
    if inverse:
        number = np.zeros(len(order), np.int64)
        number[order] = np.cumsum(first) - 1
        found.append(number)
    if counts:
        found.append(np.diff(np.append(np.flatnonzero(first), len(order))))
    return tuple(found)


def _unique(x, valid, places, merges):
    room = x.shape[0]
    ordered, where = _in_order(x, valid) if places else (_sort(x, valid), jnp.zeros(room, jnp.int64))
    dead = lax.iota(jnp.int64, room) >= jnp.sum(valid, dtype=jnp.int64)
    before = jnp.concatenate([ordered[:1], ordered[:-1]])
    different = ordered != before
    if jnp.issubdtype(x.dtype, jnp.floating) and merges:
        different &= ~(jnp.isnan(ordered) & jnp.isnan(before))
    first = ~dead & (different | (lax.iota(jnp.int32, room) == 0))
    group = jnp.cumsum(first, dtype=jnp.int64) - 1
    number = jnp.sum(first, dtype=jnp.int64)
    place = jnp.where(dead, room, group)
    counts = jnp.zeros(room, jnp.int64).at[place].add(1, mode="drop")
    index = jnp.zeros(room, jnp.int64).at[jnp.where(first, group, room)].set(where, mode="drop")
    inverse = jnp.zeros(room, jnp.int64).at[jnp.where(dead, room, where)].set(group, mode="drop")
    return ordered, first, index, inverse, counts, number


def diff(machine, array, n=1, axis=-1, prepend=None, append=None):
    """np.diff of a vector, by slices."""
    times = known(machine, n)
    ends = [() if v in (None, _NONE) else (machine.call(Const(np.atleast_1d), (v,)),) for v in (prepend, append)]
    plain = len(array.axes) == 1 and known(machine, axis) in (0, -1) and isinstance(times, int) and times >= 0
    if not plain or any(len(masked_axes.taken_apart(machine, v)[0].type.shape) != 1 for end in ends for v in end):
        raise require_static(machine, array, "np.diff with options")
    if any(ends) and times:
        array = machine.call(Const(np.concatenate), (Tuple((*ends[0], array, *ends[1])),))
    for done in range(times):
        if not isinstance(array, BoundedArray):  # its length has turned out to be known
            return machine.call(Const(np.diff), (array, Const(times - done)))
        array = _differences(machine, array)
    return array


def _differences(machine: Machine, array: BoundedArray) -> Value:
    var, axes = masked_axes.compacted(machine, array)
    flat = fresh(machine, var, axes)
    later, earlier = _slice(machine, flat, 1, None), _slice(machine, flat, None, -1)
    return machine.binary("^" if var.type.dtype == np.bool_ else "-", later, earlier)


def _slice(machine: Machine, array: Value, start: object, stop: object) -> Value:
    key = ("slice", bounded_slice(start, stop))
    room, axes = masked_axes.taken_apart(machine, array)
    return basic(machine, room, axes, [key])


def bounded_slice(start: object, stop: object):
    """A slice with known bounds."""
    return Slice(Const(start), Const(stop), Const(None))


def count_nonzero(machine, array, axis=None, *, keepdims=False):
    """np.count_nonzero."""
    axes = _axes(machine, array, axis)
    mask = _counted(machine, array, axes, True)
    hit = cast(machine, machine.read(array.base), masked_axes.BOOL)
    if isinstance(mask, JaxArray):
        hit = machine.builder.elementwise("bitwise_and", hit, mask.var)
    result = machine.call(
        Const(np.count_nonzero),
        (machine.new_array(hit),),
        {"axis": Tuple(tuple(map(Const, axes))), "keepdims": Const(bool(known(machine, keepdims)))},
    )
    return _remaining(machine, array, axes, keepdims, result)
