"""`np.hstack(items)` and `np.concatenate(items)` of a list that grew in a loop, of arrays of several lengths.

    parts = [x[:k] for k in lengths]
    np.concatenate(parts)

The items are the rows of one array, each with room for the longest; what is put together are the parts that count.
"""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.numbers.scalar_values import device
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.coerce import instantiate
from xlapy.domain.values import BoundedArray, JaxArray, Lanes, Stored, Union, Value, alternatives
from xlapy.ir import Var

#: elements that there may be room for
_MOST = 2**24
_EMPTY = "need at least one array to concatenate"


def joined(machine, function: object, value: Value, axis: int) -> Value | None:
    """The arrays of the list one behind the other; None where they are no such arrays, or are put together along
    another dimension than the one whose length differs."""
    growable = growable_list_items.of(machine, value)
    if growable is None or function not in (np.hstack, np.concatenate):
        return None
    element = instantiate(growable.element, iter(growable.rows))
    found = [_parts(machine, v, growable.capacity) for v in alternatives(element)]
    parts = [part for part in found if part is not None]
    if len(parts) < len(found) or len({(d, len(rows.type.shape), rows.type.dtype) for d, rows, _, _ in parts}) > 1:
        return None
    place, rank = parts[0][0], len(parts[0][1].type.shape) - 1
    wanted = (0 if rank == 1 else 1) if function is np.hstack else axis % rank if -rank <= axis < rank else None
    shapes = {_without(rows.type.shape[1:], place) for _, rows, _, _ in parts}
    room = max(rows.type.shape[1 + place] for _, rows, _, _ in parts)
    size = growable.capacity * room * math.prod(next(iter(shapes)))
    if wanted != place or len(shapes) > 1 or size > _MOST:
        return None
    operands = [v for _, *three in parts for v in three]
    if isinstance(element, Union):
        operands.append(element.selector)
    count = device(machine, growable.length, int)
    none = machine.builder.elementwise("lt", count, machine.builder.constant(1, masked_axes.INT64))
    machine.check(none, ValueError, _EMPTY)
    whole, valid, length = machine.leaf(_put_together, [count, *operands], (len(parts), place, room), name="rows")
    axes: list[Lanes | None] = [None] * rank
    axes[place] = Lanes(length, 0, valid)
    return masked_axes.fresh(machine, whole, axes)


def _without(shape: tuple[int, ...], place: int) -> tuple[int, ...]:
    return (*shape[:place], *shape[place + 1 :])


def _parts(machine, value: Value, capacity: int) -> tuple[int, Var, Var, Var] | None:
    """Which dimension has a length of its own in each item, the items with all their room, and where what counts begins
    and how long it is."""
    if not isinstance(value, BoundedArray) or not isinstance(value.base, Stored) or value.base.kind != "buffer":
        return None
    dynamic = [d for d, lanes in enumerate(value.axes) if lanes is not None]
    rows = value.base.parts[0]
    if len(dynamic) != 1 or not isinstance(rows, JaxArray):
        return None
    lanes = value.axes[dynamic[0]]
    assert lanes is not None
    if lanes.valid is not None or lanes.length.type.shape != (capacity,):
        return None
    start = lanes.start
    if isinstance(start, int):
        start = machine.builder.broadcast(machine.builder.constant(start, masked_axes.INT64), (capacity,))
    return dynamic[0], rows.var, start, lanes.length


def _put_together(count, *rest):
    *operands, several, place, room = rest
    rows, starts, lengths = operands[0:3]
    rows = _widened(rows, 1 + place, room)
    if several > 1:
        which = operands[-1]
        for k in range(1, several):
            more, begin, long = operands[3 * k : 3 * k + 3]
            chosen = which == k
            shape = (-1,) + (1,) * (rows.ndim - 1)
            rows = jnp.where(chosen.reshape(shape), _widened(more, 1 + place, room), rows)
            starts, lengths = jnp.where(chosen, begin, starts), jnp.where(chosen, long, lengths)
    lengths = jnp.where(jnp.arange(rows.shape[0]) < count, lengths, 0)
    at = jnp.arange(room)[None, :]
    valid = (at >= starts[:, None]) & (at < (starts + lengths)[:, None])
    shape = rows.shape[1:]
    whole = jnp.moveaxis(rows, 0, place).reshape((*shape[:place], rows.shape[0] * room, *shape[place + 1 :]))
    return whole, valid.reshape(-1), jnp.sum(lengths)


def _widened(rows, axis, room):
    widths = [(0, 0)] * rows.ndim
    widths[axis] = (0, room - rows.shape[axis])
    return jnp.pad(rows, widths)
