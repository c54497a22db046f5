"""Rearranging arrays whose length depends on data: views with other axes, and vectors put together anew."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.bounded import data_dependent_sizes, masked_axes
from xlapy.dispatch.bounded.bounded_rules import transposed
from xlapy.dispatch.bounded.layout_matching import assign
from xlapy.dispatch.bounded.library_functions import in_python, is_rows
from xlapy.dispatch.numpy.rule_operands import absent, array_type, known, known_index, operand, raise_real
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import NONE, BoundedArray, Const, NdArray, NumpyScalar, Scalar, Tuple, Value
from xlapy.ir import constant_value

# -- views ------------------------------------------------------------------------------------------------------------


def _permuting(item: Callable) -> Callable:
    """np.moveaxis and its like, as a transposition that NumPy itself works out."""

    def rule(machine, a, *axes):
        if not isinstance(a, BoundedArray):
            raise require_static(machine, first_of((a, *axes), {}), f"np.{item.__name__} with such arguments")
        rank = len(a.axes)
        strides = tuple(range(1, rank + 1))
        model = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), (1,) * rank, strides)
        try:
            order = tuple(s - 1 for s in item(model, *(known(machine, v, "an axis") for v in axes)).strides)
        except Exception as error:
            return raise_real(machine, error)
        return transposed(machine, a, Const(order))

    return rule


registry.function(np.swapaxes, kind=DYNAMIC_LENGTH)(_permuting(np.swapaxes))
registry.method(np.ndarray, "swapaxes", kind=DYNAMIC_LENGTH)(registry.function_rule(np.swapaxes, DYNAMIC_LENGTH))


def _view(machine, self):
    base = machine.call(machine.getattr(self.base, "view"), ())
    return BoundedArray(base, self.axes)


registry.method(np.ndarray, "view", kind=DYNAMIC_LENGTH)(_view)


# -- vectors put together anew, in Python -----------------------------------------------------------------------------


def _compressed(condition, arr):
    return arr[np.flatnonzero(condition)]


def _roll(a, shift):
    count = len(a)
    start = -shift % max(count, 1)
    return np.concatenate((a[start:], a[:start]))


def _tile(a, reps):
    return np.concatenate([a] * reps) if reps > 0 else a[:0].copy()


def _of_vectors(
    item: Callable,
    implementation: Callable,
    arrays: int,
    known_integer: bool = False,
    rows: bool = False,
    keeps_room: bool = False,
) -> Callable:
    """The rule of `item(*arrays, option)` of vectors, where the option is one integer, if there is one. `keeps_room`
    says that the result has no more elements than the array."""

    def rule(machine, *args, axis=None):
        vectors, options = args[:arrays], args[arrays:]
        place = known(machine, axis)
        plain = len(args) == implementation.__code__.co_argcount and place in (None, 0, -1) and not involved(*options)
        plain = plain and all(_is_vector(machine, v) or (rows and place == 0 and is_rows(v)) for v in vectors)
        if not plain or any(not _is_integer(machine, v) for v in options):
            raise require_static(machine, first_of(args, {}), f"np.{item.__name__} with such arguments")
        if known_integer:
            options = tuple(Const(known_index(machine, v)) for v in options)
        result = machine.call(Const(implementation), (*vectors, *options))
        found = masked_axes.parts(machine, vectors[0]) if keeps_room else None
        return result if found is None else masked_axes.with_less_room(machine, result, found[0].type.shape[0])

    return rule


def _is_vector(machine: Machine, value: Value) -> bool:
    found = masked_axes.parts(machine, value)
    return len(found[1] if found is not None else array_type(machine, value).shape) == 1


def _is_integer(machine: Machine, value: Value) -> bool:
    if isinstance(value, Const):
        return isinstance(value.value, int | np.integer) and not isinstance(value.value, bool)
    return isinstance(value, Scalar | NumpyScalar) and value.var.type.dtype.kind in "iu"


registry.function(np.compress, kind=DYNAMIC_LENGTH)(_of_vectors(np.compress, _compressed, 2))
registry.function(np.roll, kind=DYNAMIC_LENGTH)(_of_vectors(np.roll, _roll, 1, rows=True, keeps_room=True))


_tile_vector = _of_vectors(np.tile, _tile, 1, known_integer=True)


def _tile_rows(a, rows, reps):
    row = _tile(a, reps)
    return np.where(np.ones((rows, 1), bool), row, row)  # a broadcast copy


def _tiles(machine, a, reps):
    counts = known(machine, reps) if isinstance(reps, Tuple) and machine.is_static(reps) else ()
    if len(counts) == 2 and counts[0] > 0 and _is_vector(machine, a):
        return machine.call(Const(_tile_rows), (a, *(Const(int(n)) for n in counts)))
    return _tile_vector(machine, a, reps)


registry.function(np.tile, kind=DYNAMIC_LENGTH)(_tiles)


def _array_split(ary, indices_or_sections, axis=0):
    axis = axis + ary.ndim if axis < 0 else axis
    count = ary.shape[axis]
    if isinstance(indices_or_sections, int | np.integer):
        if indices_or_sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        size, longer = count // indices_or_sections, count % indices_or_sections
        ends = [(k + 1) * size + min(k + 1, longer) for k in range(indices_or_sections)]
    else:
        ends = [*indices_or_sections, count]
    pieces, start = [], 0
    for end in ends:
        pieces.append(ary[(slice(None),) * axis + (slice(start, end),)])
        start = end
    return pieces


in_python(np.array_split, _array_split, "ary", kinds="biufc", ranks=(1, 2, 3, 4))


def _along(arr, indices):
    return arr[indices]


def _take_along_axis(machine, arr, indices, axis=-1):
    if known(machine, axis) not in (None, 0, -1) or not all(_is_vector(machine, v) for v in (arr, indices)):
        raise require_static(machine, first_of((arr, indices), {}), "np.take_along_axis of such arrays")
    return machine.call(Const(_along), (arr, indices))


registry.function(np.take_along_axis, kind=DYNAMIC_LENGTH)(_take_along_axis)


def _of_kth(item: Callable, in_order: Callable) -> Callable:
    """np.partition and np.argpartition: what is in order is partitioned."""

    def rule(machine, a, kth, axis=-1):
        if (
            not isinstance(a, BoundedArray)
            or not _is_vector(machine, a)
            or not _is_integer(machine, kth)
            or known(machine, axis) not in (0, -1)
        ):
            raise require_static(machine, first_of((a, kth), {}), f"np.{item.__name__} of such arrays")
        return machine.call(Const(_in_order), (a, kth, Const(in_order)))

    return registry.function(item, kind=DYNAMIC_LENGTH)(rule)


def _in_order(a, kth, in_order):
    count = len(a)
    if count > 0 and not -count <= kth < count:
        raise ValueError(f"kth(={kth + count if kth < 0 else kth}) out of bounds ({count})")
    return in_order(a)


registry.method(np.ndarray, "argpartition", kind=DYNAMIC_LENGTH)(_of_kth(np.argpartition, np.argsort))
_of_kth(np.partition, np.sort)


def _lexsort(machine, items, axis=None):
    if not all(_is_vector(machine, v) for v in items) or axis is not None and known(machine, axis) not in (0, -1):
        raise require_static(machine, first_of(items, {}), "np.lexsort of such keys")
    return machine.call(Const(_by_keys), (Tuple(tuple(items)),))


def _by_keys(keys):
    order = np.argsort(keys[0], kind="stable")
    for key in keys[1:]:
        order = order[np.argsort(key[order], kind="stable")]
    return order


data_dependent_sizes.of_sequences(np.lexsort, _lexsort)


_ix_before = registry.function_rule(np.ix_)


def _ix(machine, *args):
    """np.ix_ of index arrays of dynamic length, and of masks."""
    arrays = [v if involved(v) else machine.new_array(operand(machine, v)) for v in args]
    types = [masked_axes.taken_apart(machine, v)[0].type for v in arrays]
    unknown = [
        not involved(v) and t.dtype == bool and constant_value(machine.read(v)) is None
        for v, t in zip(arrays, types, strict=True)
    ]
    if not any(unknown) and not involved(*arrays) or any(len(t.shape) != 1 for t in types):
        return _ix_before(machine, *args)
    return machine.call(Const(_open_mesh), arrays)


def _open_mesh(*arrays):
    found = []
    for number, array in enumerate(arrays):
        if array.dtype == bool:
            array = np.flatnonzero(array)
        key: list[slice | None] = [None] * len(arrays)
        key[number] = slice(None)
        found.append(array[tuple(key)])
    return tuple(found)


registry.function(np.ix_)(_ix)
registry.function(np.ix_, kind=DYNAMIC_LENGTH)(_ix)


def _compress_method(machine, self, condition, axis=None):
    named = {} if absent(axis) else {"axis": axis}
    return registry.function_rule(np.compress, DYNAMIC_LENGTH)(machine, condition, self, **named)


registry.method(np.ndarray, "compress", kind=DYNAMIC_LENGTH)(_compress_method)


def _copyto(machine, dst, src, casting="same_kind", where=True):
    target = masked_axes.parts(machine, dst)
    weak = machine.spec(src)
    number = isinstance(src, Const | Scalar) and isinstance(weak, type)  # it takes the type of what is written to
    source = (array_type(machine, src) if not involved(src) else src.base.type).dtype
    if target is None or not number and not np.can_cast(source, target[0].type.dtype, known(machine, casting)):
        raise require_static(machine, first_of((dst, src, where), {}), "np.copyto with such arguments")
    mask = None
    if where is not True:
        mask = where if isinstance(where, NdArray | BoundedArray) else machine.new_array(operand(machine, where))
        if masked_axes.taken_apart(machine, mask)[0].type.dtype != bool:
            raise require_static(machine, first_of((dst, src, where), {}), "np.copyto with such arguments")
    assign(machine, dst, src, mask)
    return NONE


registry.function(np.copyto, kind=DYNAMIC_LENGTH)(_copyto)

__all__ = ["data_dependent_sizes"]
