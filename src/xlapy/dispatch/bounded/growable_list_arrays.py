"""Lists that grew in loops as arrays: the rows of a growable list as one array, where its items have one type.

kept = [v for v in x if v > 0]
np.array(kept), np.sin(kept), x[kept_positions]
"""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch import kinds
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.numbers.scalar_values import COMPARISONS, device
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain import growable_lists
from xlapy.domain.coerce import instantiate
from xlapy.domain.join import JoinFailure
from xlapy.domain.values import (
    BoundedArray,
    BoundMethod,
    Const,
    GrowableList,
    Intrinsic,
    JaxArray,
    Lanes,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Stored,
    Tuple,
    Union,
    Value,
    alternatives,
)
from xlapy.ir import Var


def as_array(machine, value: Value) -> Value | None:
    """A list whose contents are a growable list as an array of its items; None for any other value, and where items
    differ."""
    growable = growable_list_items.of(machine, value)
    if growable is None:
        return None
    element = instantiate(growable.element, iter(growable.rows))
    var = _array(machine, element, (growable.capacity,))
    if var is None:
        return None
    real = _real_ones(machine, element) if var.type.dtype.kind == "c" else None
    if real is None or not isinstance(element, Union):
        return _of_length(machine, growable, var)
    some = machine.leaf(_some_complex, [element.selector, device(machine, growable.length, int)], (real,))[0]
    other = _mixed_numbers(machine, element, (growable.capacity,), real)
    assert other is not None  # as `var`, of the same numbers
    return machine.cond(some, lambda: _of_length(machine, growable, var), lambda: _of_length(machine, growable, other))


def _of_length(machine, growable: GrowableList, var: Var) -> Value:
    """The rows that a growable list has of the room."""
    if isinstance(growable.length, Const):
        short = growable_list_items.resized(
            machine, GrowableList(growable.element, (var,), growable.length, growable.capacity), growable.length.value
        )
        return machine.new_array(short.rows[0])
    axes = (Lanes(device(machine, growable.length, int)), *[None] * (len(var.type.shape) - 1))
    return masked_axes.fresh(machine, var, axes)


def as_index(machine, value: Value) -> Value | None:
    """A list of ints whose length depends on data as an array of them, which indexes an array as the list does."""
    if not isinstance(value, Ref) or machine.heap.objects[value.object].cls is not list:
        return None
    try:
        growable = growable_list_items.settled(machine, value)
    except JoinFailure:
        return None
    if growable is None or isinstance(growable.length, Const):
        return None
    element = instantiate(growable.element, iter(growable.rows))
    dtypes = [v.var.type.dtype for v in alternatives(element) if isinstance(v, Scalar | NumpyScalar)]
    if len(dtypes) < len(alternatives(element)) or any(dtype.kind not in "iu" for dtype in dtypes):
        return None
    return as_array(machine, value) if np.result_type(*dtypes).kind in "iu" else None


def of_rows(machine, growable: GrowableList) -> Var | None:
    """The rows as one array, where items are numbers or arrays of one type (or tuples, or lists of one length, of
    such)."""
    element = instantiate(growable.element, iter(growable.rows))
    return _array(machine, element, (growable.capacity,))


def _arrays(machine, values: Sequence[Value], lead: growable_list_items.Lead) -> list[Var] | None:
    """The same of several values; None if one of them is none."""
    found = [_array(machine, v, lead) for v in values]
    parts = [part for part in found if part is not None]
    return parts if len(parts) == len(found) else None


def _array(machine, value: Value, lead: growable_list_items.Lead) -> Var | None:
    if isinstance(value, Stored) and value.kind == "buffer":
        value = value.parts[0]
    if isinstance(value, Stored) and value.kind == "list" and value.held is not None:
        return _array_of_lists(machine, value.held, lead)
    if isinstance(value, Stored | Tuple) and (isinstance(value, Tuple) or value.kind == "list"):
        inner = value.items if isinstance(value, Tuple) else value.parts
        parts = _arrays(machine, inner, lead)
        if not parts or any(p.type.shape != parts[0].type.shape for p in parts):
            return None
        dtype = np.result_type(*(p.type.dtype for p in parts))
        converted = [machine.builder.convert(p, dtype) for p in parts]
        return machine.leaf(growable_list_items.side_by_side, converted, (len(lead),))[0]
    if isinstance(value, Union):
        return _mixed_numbers(machine, value, lead)
    if isinstance(value, Ref):
        return _of_object(machine, value, lead)
    if isinstance(value, Const):
        made = np.asarray(value.value)
        if made.dtype.kind not in "biufc":
            return None
        return machine.builder.broadcast(machine.builder.constant(made), (*lead, *made.shape))
    found = value.children()
    if len(found) != 1 or not isinstance(found[0], Var):
        return None
    return machine.builder.convert(found[0], found[0].type.dtype)


def _of_object(machine, value: Ref, lead: growable_list_items.Lead) -> Var | None:
    """An array of the caller's, or numbers in a list of the caller's, as they are now, for each row."""
    if machine.heap.objects[value.object].kind == "list":
        contents = machine.heap.read(value.object, "<items>")
        items = contents.items if isinstance(contents, Tuple) else ()
        if not items or not all(isinstance(v, Scalar | NumpyScalar | Const) for v in items):
            return None
    elif machine.heap.objects[value.object].kind != "buffer":
        return None
    found = machine.array(machine.call(Const(np.asarray), [value]))
    return machine.builder.broadcast(found, (*lead, *found.type.shape)) if found.type.dtype.kind in "biufc" else None


def _array_of_lists(machine, held: GrowableList, lead: growable_list_items.Lead) -> Var | None:
    """The items of lists of one known length, side by side."""
    count = growable_lists.known_length(held)
    if count is None:
        return None
    whole = _array(machine, instantiate(held.element, iter(held.rows)), (*lead, held.capacity))
    if whole is None or count == held.capacity:
        return whole
    return machine.leaf(_first_along, [whole], (len(lead), count))[0]


def _first_along(rows, axis, count):
    return lax.slice_in_dim(rows, 0, count, axis=axis)


def _real_ones(machine, value: Value) -> tuple[int, ...] | None:
    """Which alternatives are real numbers, if others are complex ones: as eigenvalues are, of which data says that."""
    if not isinstance(value, Union):
        return None
    parts = [_array(machine, v, tuple(value.selector.type.shape)) for v in value.alternatives]
    found = tuple(k for k, part in enumerate(parts) if part is not None and part.type.dtype.kind != "c")
    return found if found and all(part is not None for part in parts) else None


def _some_complex(selector, length, real):
    places = jnp.arange(selector.shape[0]) < length
    return jnp.any(places & ~jnp.isin(selector, jnp.array(real)))


def _mixed_numbers(
    machine, value: Union, lead: growable_list_items.Lead, among: tuple[int, ...] | None = None
) -> Var | None:
    """Numbers of several types, as NumPy would have them if all of the types are there; of those `among` the
    alternatives that are there."""
    parts = _arrays(machine, value.alternatives, lead)
    if parts is not None and among is not None:
        parts = [parts[k if k in among else among[0]] for k in range(len(parts))]
    if parts is None or any(p.type.shape != parts[0].type.shape for p in parts):
        return None
    dtype = np.result_type(*(p.type.dtype for p in parts))
    converted = [machine.builder.convert(p, dtype) for p in parts]
    return machine.leaf(_chosen, [value.selector, *converted])[0]


def _chosen(selector, *parts):
    which = selector.reshape(selector.shape + (1,) * (parts[0].ndim - selector.ndim))
    result = parts[-1]
    for index, part in enumerate(parts[:-1]):
        result = jnp.where(which == index, part, result)
    return result


def tuple_with_array(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """An operation of a tuple whose length depends on data and an array; None for one of anything else."""
    if not any(kinds.heap_kind(machine, v) == "tuple" for v in (left, right)):
        return None
    arrays = NdArray | JaxArray | BoundedArray
    if symbol not in ("*", "*="):  # a number of NumPy's says how often
        arrays = arrays | NumpyScalar
    if not any(isinstance(v, arrays) for v in (left, right)):
        return None
    one, two = (as_array(machine, v) if kinds.heap_kind(machine, v) == "tuple" else v for v in (left, right))
    if one is None or two is None:
        raise Refused("XP0004", "a tuple whose length depends on data, which is no array, and an array")
    return machine.compare(symbol, one, two) if symbol in COMPARISONS else machine.binary(symbol, one, two)


# -- arguments of functions that take arrays --------------------------------------------------------------------------

#: functions that take a sequence of arrays, not an array
_OF_SEQUENCES = {
    np.concatenate, np.vstack, np.hstack, np.dstack, np.column_stack, np.block, np.stack, np.select, np.choose,
    np.linalg.multi_dot, np.savez, np.lexsort,
}  # fmt: skip


_OF_PLACES = (np.ix_, np.lexsort, np.argsort, np.nonzero, np.flatnonzero, np.count_nonzero, np.argwhere)
_METHODS_OF_UFUNCS = ("outer", "reduce", "accumulate", "reduceat")
#: contents that are told apart by branches
_FEW_CONTENTS = 3
#: functions with several arguments that all may be arrays
_OF_ARRAYS = {
    np.dot, np.vdot, np.inner, np.outer, np.cross, np.convolve, np.correlate, np.interp, np.polyval, np.where,
    np.searchsorted, np.isin, np.allclose, np.isclose, np.array_equal, np.append,
    np.meshgrid, np.ix_, np.broadcast_arrays, np.repeat, np.delete, np.insert,
}  # fmt: skip


def as_arrays(machine, function: object, args: Sequence[Value], kwargs: dict[str, Value]) -> tuple[list, dict]:
    """The arguments of a function of NumPy's or JAX's, with arrays in the place of lists that grew in loops."""

    def convert(value: Value, of_arrays: bool) -> Value:
        made = as_array(machine, value)
        if made is None:
            return value
        if not of_arrays and kinds.heap_kind(machine, value) == "tuple":
            # axes or a shape, perhaps
            raise Refused("XP0004", "a tuple whose length depends on data, as this argument", "make an array of it")
        return JaxArray(machine.read(made)) if jax and isinstance(made, NdArray) else made

    jax = (getattr(function, "__module__", None) or "").startswith("jax")
    of_arrays = isinstance(function, np.ufunc) or function in _OF_ARRAYS
    given = [convert(a, of_arrays or k == 0) for k, a in enumerate(args)]
    return given, {k: convert(v, of_arrays) for k, v in kwargs.items()}


def ufunc_of(method: Intrinsic, receiver: Value) -> np.ufunc | None:
    """The ufunc, if a method is one of its that makes arrays of the lists it is given."""
    if not isinstance(receiver, Const) or not isinstance(receiver.value, np.ufunc):
        return None
    return receiver.value if method.name.rpartition(".")[2] in _METHODS_OF_UFUNCS else None


def takes_arrays(function: object) -> bool:
    """Whether a callable makes arrays of the lists it is given."""
    if isinstance(function, np.ufunc):
        return True
    root = (getattr(function, "__module__", None) or "").partition(".")[0]
    if root not in ("numpy", "jax"):
        return False
    try:
        return function not in _OF_SEQUENCES
    except TypeError:
        return False


def gives_places(function: Value) -> bool:
    """Whether a function gives integers, whatever the type of the numbers is that it is given."""
    return isinstance(function, Const) and any(function.value is f for f in _OF_PLACES)


def are_many(machine, function: Value, args: Sequence[Value]) -> bool:
    """Whether a function that makes arrays of lists is given one that may have one of many contents."""
    if isinstance(function, BoundMethod):
        takes = isinstance(function.function, Intrinsic) and ufunc_of(function.function, function.self) is not None
    else:
        takes = isinstance(function, Const) and takes_arrays(function.value)
    if not takes:
        return False
    for value in args:
        if isinstance(value, Ref) and growable_list_items.holds_numbers(machine, value):
            contents = machine.heap.read(value.object, "<items>")
            if len(contents.alternatives) > _FEW_CONTENTS:
                return True
    return False
