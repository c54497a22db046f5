"""Lists that grew in loops, changed as a whole: items in their middle put in and taken out, slices.

kept = [v for v in x if v > 0]
kept.insert(3, v); kept.pop(n); kept.reverse()
kept[i:j], kept[i:j] = other, del kept[::2]
"""

from __future__ import annotations

import jax.numpy as jnp

from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numbers.scalar_values import device, refuse_where, scalar
from xlapy.dispatch.vectors import borrowed_elements, growable_list_items
from xlapy.domain.values import (
    Const,
    GrowableList,
    Range,
    Value,
    constants,
)
from xlapy.ir import Var


def as_growable_list(machine, value: Value) -> GrowableList:
    """The items of an iterable as a growable list."""
    borrowed_elements.share(machine, value)
    made = machine.call(Const(list), [value])
    borrowed_elements.share(machine, made)
    return growable_list_items.of_list(machine, made)


def taken(machine, growable: GrowableList, at: Value, error: BaseException) -> tuple[GrowableList, Value]:
    """The growable list without the item at an index, and that item; `error` where the index is out of range."""
    if isinstance(at, Const) and at.value in (0, -1):
        return (growable_list_items.pop if at.value else growable_list_items.pop_first)(machine, growable)
    at = range_objects.in_bounds(machine, at, growable.length, error)
    item = growable_list_items.item(machine, growable, at, place=growable_list_items.FREE)
    return without(machine, growable, at), item


def without(machine, growable: GrowableList, at: Value) -> GrowableList:
    """The growable list without the item at a position in range."""
    following = machine.binary("+", at, Const(1))
    count = machine.binary("-", growable.length, following)
    rest = growable_list_items.moved(machine, growable, count, following, at)
    return rest.with_rows(rest.rows, growable_list_items.resized_by(machine, growable, -1))


def inserted(machine, growable: GrowableList, at: Value, value: Value) -> GrowableList:
    """The growable list after `insert(at, value)`; positions out of range are those of the ends."""
    length = device(machine, growable.length, int)
    where = machine.leaf(range_objects.place_of_insertion, [device(machine, at, int), length])[0]
    roomy = growable_list_items.with_room(machine, growable)
    place = scalar(machine, int, where)
    count = machine.binary("-", growable.length, place)
    opened = growable_list_items.moved(machine, roomy, count, place, machine.binary("+", place, Const(1)))
    return growable_list_items.push(machine, opened, value, at=place)


def reversed_(machine, growable: GrowableList) -> GrowableList:
    """The items in the opposite order."""
    length = device(machine, growable.length, int)
    rows = tuple(machine.leaf(_backwards, [row, length])[0] for row in growable.rows)
    return growable.with_rows(rows)


def _backwards(rows, length):
    return jnp.take(rows, jnp.maximum(length - 1 - jnp.arange(rows.shape[0]), 0), axis=0)


def sliced(machine, growable: GrowableList, key: Value) -> GrowableList:
    """The items of a slice."""
    start, stop, step = wanted = range_objects.slice_indices(machine, key, growable.length)
    known = constants(wanted)
    count = range_objects.length(machine, Range(start, stop, step)) if known is None else Const(len(range(*known)))
    operands = [device(machine, v, int) for v in (start, step)]
    rows = tuple(machine.leaf(_strided, [row, *operands])[0] for row in growable.rows)
    return growable.with_rows(rows, count)


def replaced(machine, growable: GrowableList, key: Value, new: GrowableList) -> GrowableList:
    """The growable list after `items[key] = new` for a slice, which must be as long as what it replaces."""
    start, stop, step = range_objects.slice_indices(machine, key, growable.length)
    count = range_objects.length(machine, Range(start, stop, step))
    other = machine.truth(machine.compare("!=", count, new.length))
    if other is not False:
        bad = other if isinstance(other, Var) else machine.builder.constant(True)
        refuse_where(
            machine,
            bad,
            "XP0004",
            "a slice of a list is replaced by one of another length, on data",
            "make a new list: items[:i] + new + items[j:]",
        )
    if isinstance(new.length, Const) and new.length.value == 0:
        return growable
    element = growable_list_items.exact_joiner(machine).join(growable.element, new.element)
    growable, new = (
        growable_list_items.widened(machine, growable, element),
        growable_list_items.widened(machine, new, element),
    )
    operands = [device(machine, v, int) for v in (start, step, count)]
    pairs = zip(growable.rows, new.rows, strict=True)
    return growable.with_rows(machine.leaf(_replaced, [old, row, *operands])[0] for old, row in pairs)


def _inside(rows, start, step, count):
    """Where each row is in a slice, and whether it is."""
    distance = jnp.arange(rows.shape[0]) - start
    at = distance // step
    return at, (at >= 0) & (at < count) & (distance % step == 0)


def _replaced(rows, new, start, step, count):
    at, inside = _inside(rows, start, step, count)
    taken = jnp.take(new, jnp.clip(at, 0, new.shape[0] - 1), axis=0).astype(rows.dtype)
    return jnp.where(inside.reshape(inside.shape + (1,) * (rows.ndim - 1)), taken, rows)


def cut(machine, growable: GrowableList, key: Value) -> GrowableList:
    """The growable list without the items of a slice."""
    start, stop, step = range_objects.slice_indices(machine, key, growable.length)
    count = range_objects.length(machine, Range(start, stop, step))
    if isinstance(step, Const) and step.value == 1:
        following = machine.binary("+", start, count)
        rows = growable_list_items.moved(
            machine, growable, machine.binary("-", growable.length, following), following, start
        ).rows
    else:
        operands = [device(machine, v, int) for v in (start, step, count)]
        rows = [machine.leaf(_thinned, [row, *operands])[0] for row in growable.rows]
    return growable.with_rows(rows, machine.binary("-", growable.length, count))


def _thinned(rows, start, step, count):
    _, inside = _inside(rows, start, step, count)
    return jnp.take(rows, jnp.argsort(inside, stable=True), axis=0)


def _strided(rows, start, step):
    return jnp.take(rows, jnp.clip(start + step * jnp.arange(rows.shape[0]), 0, max(rows.shape[0] - 1, 0)), axis=0)
