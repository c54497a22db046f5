"""Lists that grew in loops as arrays: the rows of a growable list as one array, where its items have one type."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.containers import growable_list_items
from xlapy.dispatch.numbers.scalar_values import device
from xlapy.domain import growable_lists
from xlapy.domain.coerce import instantiate
from xlapy.domain.join import JoinFailure
from xlapy.domain.values import (
    Const,
    GrowableList,
    Lanes,
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
    if isinstance(value, Const):
        made = np.asarray(value.value)
        if made.dtype.kind not in "biufc":
            return None
        return machine.builder.broadcast(machine.builder.constant(made), (*lead, *made.shape))
    found = value.children()
    if len(found) != 1 or not isinstance(found[0], Var):
        return None
    return machine.builder.convert(found[0], found[0].type.dtype)


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
