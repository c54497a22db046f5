"""Functions whose result has a size that depends on data: np.nonzero, np.where(c), np.compress, np.unique...

They stand before the rules for arrays that are known at compile time, so this module is imported after those.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import (
    DEVICE_ARRAY,
    DYNAMIC_LENGTH,
    involved,
    is_device_array,
    require_static,
)
from xlapy.dispatch.arrays.memory_order import set_order
from xlapy.dispatch.bounded import appending, bounded_elementwise, bounded_reductions, masked_axes, size_joins
from xlapy.dispatch.bounded.bounded_elementwise import on_lanes
from xlapy.dispatch.bounded.bounded_indexing import getitem
from xlapy.dispatch.bounded.bounded_rules import Rule, from_source
from xlapy.dispatch.bounded.layout_matching import assign
from xlapy.dispatch.bounded.masked_axes import Lanes, fresh, masked_lanes
from xlapy.dispatch.numpy import register_numpy
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    cast,
    given_dtype,
    is_array_like,
    known,
    operand,
    reshape,
    sequence_items,
)
from xlapy.dispatch.numpy.sorting import axis_of
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import Kind
from xlapy.domain.values import BoundedArray, Const, JaxArray, NdArray, Ref, Scalar, Tuple, Value
from xlapy.ir import Var


def _hits(machine: Machine, a: Value) -> tuple[Var, tuple[int, ...], Lanes | None]:
    """Where an array is not zero, as a flat mask; its shape; the lanes of a vector of dynamic length."""
    lanes = None
    if isinstance(a, BoundedArray):
        if len(a.axes) != 1:
            raise require_static(machine, a, "np.nonzero of several dimensions")
        lanes = a.lanes
        hit = operand(machine, a.base, masked_axes.BOOL)
        hit = machine.builder.elementwise(
            "bitwise_and", hit, masked_axes.valid_lanes(machine, lanes, hit.type.shape[0])
        )
    else:
        hit = operand(machine, a, masked_axes.BOOL)
    return reshape(machine, hit, (-1,)), hit.type.shape, lanes


def _indices(machine: Machine, a: Value) -> list[Value]:
    """np.nonzero: an array of indices for each dimension."""
    flat, shape, lanes = _hits(machine, a)
    if not shape:
        raise Refused("XP0013", "np.nonzero of a number")
    hits = masked_lanes(machine, flat)
    if lanes is not None:
        ranks = machine.leaf(_ranks, (masked_axes.valid_lanes(machine, lanes, shape[0]),), name="rank")
        return [fresh(machine, ranks[0], (hits,))]
    indices = machine.leaf(_unraveled, (), (shape,), name="indices")
    return [fresh(machine, var, (hits,)) for var in indices]


def _ranks(valid):
    return jnp.cumsum(valid, dtype=jnp.int64) - 1


def _unraveled(shape):
    return [g.reshape(-1) for g in jnp.meshgrid(*(jnp.arange(n, dtype=jnp.int64) for n in shape), indexing="ij")]


@registry.function(np.nonzero, kind=DEVICE_ARRAY)
def _nonzero(machine, a):
    return Tuple(tuple(_indices(machine, a)))


registry.method(np.ndarray, "nonzero", kind=DYNAMIC_LENGTH)(_nonzero)


@registry.function(np.flatnonzero, kind=DEVICE_ARRAY)
def _flatnonzero(machine, a):
    if not isinstance(a, BoundedArray):
        a = JaxArray(reshape(machine, operand(machine, a), (-1,)))
    return _indices(machine, a)[0]


@registry.function(np.argwhere, kind=DEVICE_ARRAY)
def _argwhere(machine, a):
    if not isinstance(a, BoundedArray) and not operand(machine, a).type.shape:
        raise Refused("XP0013", "np.argwhere of one number, whose size depends on data")
    indices = _indices(machine, a)
    found = [masked_axes.taken_apart(machine, i) for i in indices]
    hits = found[0][1][0]
    columns = [machine.read(room) for room, _ in found]
    made = fresh(machine, machine.leaf(_columns, columns, name="stack")[0], (hits, None))
    array = made.base if isinstance(made, BoundedArray) else made
    assert isinstance(array, NdArray)
    set_order(machine, array, (1, 0))
    return made


def _columns(*columns):
    return jnp.stack(columns, axis=1)


ARRAY_LIKE = Kind("list or tuple of numbers", Ref, Tuple, test=is_array_like)


def _array_of(machine: Machine, value: Any) -> Any:
    """A list or tuple of numbers as an array; anything else as it is."""
    if isinstance(value, Ref | Tuple) and is_array_like(machine, value):
        return machine.new_array(operand(machine, value))
    return value


def _of_list(item: Any, machine: Machine, a: Value) -> Value:
    return machine.call(Const(item), (machine.new_array(operand(machine, a)),))


for _item in (np.nonzero, np.flatnonzero, np.argwhere):
    registry.function(_item, kind=ARRAY_LIKE)(functools.partial(_of_list, _item))

_where_before = registry.function_rule(np.where)


def _where(machine, condition, *args, **kwargs):
    if not args and not kwargs:
        condition = _array_of(machine, condition)
    if not args and not kwargs and is_device_array(machine, condition):
        return Tuple(tuple(_indices(machine, condition)))
    if involved(condition, *args):
        return bounded_elementwise.lanewise(machine, np.where, (condition, *args), kwargs)
    return _where_before(machine, condition, *args, **kwargs)


registry.function(np.where)(_where)
registry.function(np.where, kind=DYNAMIC_LENGTH)(_where)


@registry.function(np.compress, kind=DEVICE_ARRAY)
def _compress(machine, condition, a, axis: Any = None, out: Any = None):
    if not absent(out):
        result = _compress(machine, condition, a, axis)
        assign(machine, out, result)
        return out
    mask = operand(machine, condition, masked_axes.BOOL)
    if len(mask.type.shape) != 1:
        return machine.raise_(ValueError, "condition must be a 1-d array")
    array = machine.new_array(operand(machine, a))
    where = known(machine, axis)
    if where is None:
        array, where = machine.new_array(reshape(machine, machine.read(array), (-1,))), 0
    where = axis_of(machine, Const(where), len(array.type.shape))
    assert where is not None
    missing = array.type.shape[where] - mask.type.shape[0]
    if missing < 0 and 0 in array.type.shape:
        raise Refused("XP0011", "np.compress of an empty array with more conditions than elements")
    if missing < 0:
        mask = _shortened(machine, mask, array.type.shape[where], where)
    elif missing:
        mask = machine.leaf(_padded, (mask,), (missing,), name="pad")[0]
    key = [Const(slice(None))] * where + [machine.new_array(mask)]
    return getitem(machine, array, Tuple(tuple(key)))


def _shortened(machine, mask: Var, size: int, axis: int) -> Var:
    """The conditions of np.compress that have elements; IndexError where one of the others holds."""
    kept, bad, first = machine.leaf(_split, (mask,), (size,), name="conditions")
    text = "index {} is out of bounds for axis " + f"{axis} with size {size}"
    shown = Scalar(int, machine.builder.convert(first, np.dtype(np.int64), True))
    machine.check(bad, IndexError, machine.message(text, shown))
    return kept


def _split(mask, size):
    return mask[:size], jnp.any(mask[size:]), jnp.argmax(mask[size:]).astype(jnp.int64) + size


def _padded(mask, missing):
    return jnp.pad(mask, (0, missing))


@registry.method(np.ndarray, "compress")
def _compress_method(machine, self, condition, axis=None, out=None):
    return _compress(machine, condition, self, axis, out)


# -- joining --


_ALIKE = (
    "all the input array dimensions except for the concatenation axis must match exactly, but along dimension {}, "
    "the array at index 0 has size {{}} and the array at index {} has size {{}}"
)


def joined(machine, arrays, axis: Any = 0, out=None, *, dtype=None, casting: Any = "same_kind"):
    """np.concatenate along one dimension."""
    items = [v if masked_axes.parts(machine, v) else machine.new_array(operand(machine, v)) for v in arrays]
    axis = axis if isinstance(axis, int) else known(machine, axis)
    if axis is None:
        items, axis = [machine.call(Const(np.ravel), (v,)) for v in items], 0
    found = [masked_axes.taken_apart(machine, v) for v in items]
    wanted = np.result_type(*(room.type.dtype for room, _ in found)) if absent(dtype) else given_dtype(machine, dtype)
    ranks = {len(axes) for _, axes in found}
    rank = ranks.pop()
    unsafe = any(not np.can_cast(room.type.dtype, wanted, known(machine, casting)) for room, _ in found)
    if ranks or unsafe or not absent(out) or not -rank <= axis < rank:
        raise require_static(machine, next(v for v in items if involved(v)), "np.concatenate along such dimensions")
    axis %= rank
    targets = [(None, 0) if k == axis else _common(machine, found, k) for k in range(rank)]
    parts, lengths = [], []
    for room, axes in found:
        var = machine.read(room)
        for k, (lanes, (target, space)) in enumerate(zip(axes, targets, strict=True)):
            if lanes is not None or k != axis and var.type.shape[k] != space:
                var = masked_axes.moved(machine, var, k, lanes, target, var.type.shape[k] if k == axis else space)
        parts.append(cast(machine, var, wanted))
        lengths.append(masked_axes.length_int(machine, axes[axis], room.type.shape[axis]))
    lanes = [target for target, _ in targets]
    if all(axes[axis] is None for _, axes in found):
        return fresh(machine, machine.leaf(_beside, parts, (axis,), name="concatenate")[0], lanes)
    ends = list(itertools.accumulate(lengths, lambda one, two: masked_axes.add(machine, one, two)))
    places = [masked_axes.var_of(machine, end) for end in ends[:-1]]
    whole = appending.one_after_another(machine, parts, places, axis)
    length = masked_axes.settled(machine, ends[-1]).value
    if isinstance(length, int):
        whole = machine.leaf(_beginning, (whole,), (length, axis), name="beginning")[0]
    else:
        lanes[axis] = Lanes(masked_axes.var_of(machine, ends[-1]))
    return fresh(machine, whole, lanes)


def _beside(*rest):
    *parts, axis = rest
    return jnp.concatenate(parts, axis)


def _common(machine: Machine, found: Sequence[masked_axes.Parts], axis: int) -> tuple[Lanes | None, int]:
    """The lanes and the room of a dimension in which all arrays have to be of one length: ValueError where they are
    not."""
    all_lanes, rooms = [axes[axis] for _, axes in found], [room.type.shape[axis] for room, _ in found]
    lengths = [masked_axes.length_int(machine, x, n) for x, n in zip(all_lanes, rooms, strict=True)]
    for number, (lanes, length) in enumerate(zip(all_lanes, lengths, strict=True)):
        first = all_lanes[0]
        if number == 0 or lanes is not None and first is not None and masked_axes.same_length(first, lanes):
            continue
        if isinstance(length.value, int) and isinstance(lengths[0].value, int):
            if length.value != lengths[0].value:
                machine.raise_(ValueError, _ALIKE.format(axis, number).format(lengths[0].value, length.value))
            continue
        bad = machine.builder.elementwise(
            "ne", masked_axes.var_of(machine, lengths[0]), masked_axes.var_of(machine, length)
        )
        shown = (masked_axes.scalar(machine, lengths[0]), masked_axes.scalar(machine, length))
        machine.check(bad, ValueError, machine.message(_ALIKE.format(axis, number), *shown))
    static = next((n for x, n in zip(all_lanes, rooms, strict=True) if x is None), None)
    first = all_lanes[0]
    if static is not None or first is None:
        return None, static or 0
    pairs = zip(all_lanes, rooms, strict=True)
    alike = all(x is not None and n == rooms[0] and masked_axes.same_lanes(first, x) for x, n in pairs)
    return (first if alike else Lanes(first.length)), max(rooms)


def _beginning(x, length, axis):
    return lax.slice_in_dim(x, 0, length, axis=axis)


def _has_dynamic_part(machine: Machine, value: Value) -> bool:
    items = sequence_items(machine, value)
    return items is not None and any(involved(v) or size_joins.is_dynamic(machine, v) for v in items)


DYNAMIC_SEQUENCE = Kind("sequence with an array of dynamic length", Ref, Tuple, test=_has_dynamic_part)


def of_sequences(item: Any, of_items: Rule, kind: Kind = DYNAMIC_SEQUENCE) -> None:
    """Let a function of a sequence of arrays have such of dynamic length in it: then it is `of_items(machine, items,
    ...)`."""

    @registry.function(item, kind=kind)
    def rule(machine, arrays, *args, **kwargs):
        items = [size_joins.one_array(machine, v) for v in sequence_items(machine, arrays) or ()]
        return registry.passed_on(of_items, machine, items, *args, **kwargs)


of_sequences(np.concatenate, joined)


def _from_source(item: Any) -> None:
    def rule(machine, items, *args, **kwargs):
        return from_source(item, item.__wrapped__, machine, Tuple(tuple(items)), *args, **kwargs)

    of_sequences(item, rule)


for _item in (np.vstack, np.hstack, np.dstack, np.column_stack):
    _from_source(_item)
_append_before = registry.function_rule(np.append)


@registry.function(np.append)
def _append(machine, arr, values, axis=None):
    if isinstance(values, Ref | Tuple):
        values = machine.call(Const(np.asarray), (values,))
    if not involved(arr, values):
        return _append_before(machine, arr, values, *([] if absent(axis) else [axis]))
    items = [arr, values]
    if absent(axis):
        items = [machine.call(Const(np.ravel), (v,)) for v in items]
    return joined(machine, items, 0 if absent(axis) else axis)


registry.function(np.append, kind=DYNAMIC_LENGTH)(_append)


# -- sets, in Python --


def _union1d(ar1, ar2):
    return np.unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


def _intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    dtype = np.result_type(ar1.dtype, ar2.dtype)
    ar1, ar2 = ar1.astype(dtype), ar2.astype(dtype)
    if return_indices:
        one, first = np.unique(ar1, return_index=True)
        two, second = np.unique(ar2, return_index=True)
        mine, yours = _among(one, np.ravel(ar2)), _among(two, np.ravel(ar1))
        return one[mine], first[mine], second[yours]
    if assume_unique:  # several of one number are in both
        every = np.sort(np.concatenate((np.ravel(ar1), np.ravel(ar2))))
        return every[:-1][every[1:] == every[:-1]]
    one = np.unique(ar1)
    return one[_among(one, np.ravel(ar2))]


def _setdiff1d(ar1, ar2, assume_unique=False):
    one = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return one[~_among(one, np.ravel(ar2))]


def _trim_zeros(filt, trim="fb", axis=None):
    if axis == ():
        return filt
    hit = filt != 0
    size = len(filt)
    first, last = size, 0
    if hit.any():
        first, last = int(np.argmax(hit)), size - int(np.argmax(hit[::-1]))
    return filt[first if "f" in trim.lower() else 0 : last if "b" in trim.lower() else size]


def _setxor1d(ar1, ar2, assume_unique=False):
    if np.result_type(ar1.dtype, ar2.dtype) in (ar1.dtype, ar2.dtype) and not assume_unique:
        return np.sort(np.concatenate((np.setdiff1d(ar1, ar2), np.setdiff1d(ar2, ar1))))
    if not assume_unique:  # in the type that can hold both, several may be one number
        ar1, ar2 = np.unique(ar1), np.unique(ar2)
    every = np.sort(np.concatenate((np.ravel(ar1), np.ravel(ar2))))
    if len(every) == 0:
        return every
    differ = every[1:] != every[:-1]
    return every[np.append(True, differ) & np.append(differ, True)]


def _among(values, others):
    """Which of some values are among others."""
    raise NotImplementedError  # the rule below stands for it


@registry.function(_among)
def _among_rule(machine, values, others):
    """Which of some values are among others: these are put in order, if their number is known."""
    if involved(others):
        return machine.call(Const(_compared), (values, others))
    if isinstance(values, BoundedArray):
        return on_lanes(machine, values, lambda room: machine.call(Const(np.isin), (room, others)))
    return machine.call(Const(np.isin), (values, others))


def _compared(values, others):
    return (values[:, None] == others[None, :]).any(axis=1)


registry.function(_among, kind=DYNAMIC_LENGTH)(_among_rule)


def _isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    found = _among(np.ravel(element), np.ravel(test_elements)) != invert
    return found if np.ndim(element) == 1 else np.reshape(found, np.shape(element))


def _in_python(implementation, count: int = 2):
    def rule(machine, /, *args, **kwargs):
        arrays = [machine.call(Const(np.asarray), (a,)) if not involved(a) else a for a in args[:count]]
        return machine.call(Const(implementation), [*arrays, *args[count:]], kwargs)

    return rule


@registry.function(np.union1d, kind=DEVICE_ARRAY)
def _union1d_rule(machine, ar1, ar2):
    """np.union1d: a number of Python's takes the dtype of the array."""
    pair = [ar1, ar2]
    for k, value in enumerate(pair):
        weak, other = machine.spec(value), pair[1 - k]
        if isinstance(weak, type):
            room = other.base if isinstance(other, BoundedArray) else other
            source = room.type.dtype if isinstance(room, NdArray) else operand(machine, other).type.dtype
            number = operand(machine, value)
            pair[k] = machine.new_array(cast(machine, number, np.result_type(weak(0), source)))
    return _in_python(_union1d)(machine, *pair)


for _item, _implementation in (
    (np.intersect1d, _intersect1d),
    (np.setdiff1d, _setdiff1d),
    (np.setxor1d, _setxor1d),
):
    registry.function(_item, kind=DEVICE_ARRAY)(_in_python(_implementation))


@registry.function(np.trim_zeros, kind=DEVICE_ARRAY)
def _trim(machine, filt, *args, **kwargs):
    is_vector = (
        len((masked_axes.parts(machine, filt) or (machine.new_array(operand(machine, filt)),))[0].type.shape) == 1
    )
    return machine.call(Const(_trim_zeros if is_vector else np.trim_zeros.__wrapped__), (filt, *args), kwargs)


registry.function(np.isin, kind=DYNAMIC_LENGTH)(_in_python(_isin))
registry.function(np.unique, kind=DEVICE_ARRAY)(bounded_reductions.unique)


def _named_unique(item, *wanted: str) -> None:
    """np.unique_all and its like: named tuples of what np.unique finds, every NaN for itself."""
    result = type(item(np.zeros(1)))

    @registry.function(item, kind=DEVICE_ARRAY)
    def rule(machine, x):
        flags = dict.fromkeys(wanted, Const(True))
        found = machine.call(Const(np.unique), (x,), {**flags, "equal_nan": Const(False)})
        if "return_inverse" in wanted and not involved(x):
            shape = operand(machine, x).type.shape
            at = 2 if "return_index" in wanted else 1
            items = list(found.items)
            if len(shape) != 1:
                items[at] = machine.call(Const(np.reshape), (items[at], Const(shape)))
            found = Tuple(tuple(items))
        return Tuple(found.items, result)


_named_unique(np.unique_all, "return_index", "return_inverse", "return_counts")
_named_unique(np.unique_counts, "return_counts")
_named_unique(np.unique_inverse, "return_inverse")

__all__ = ["register_numpy"]
