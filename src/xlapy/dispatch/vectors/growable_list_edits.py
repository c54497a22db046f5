"""Lists that grew in loops, changed as a whole: items in their middle put in and taken out, slices.

kept = [v for v in x if v > 0]
kept.insert(3, v); kept.pop(n); kept.reverse()
kept[i:j], kept[i:j] = other, del kept[::2]
"""

from __future__ import annotations

import jax.numpy as jnp

from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numbers.scalar_values import device, refuse_where, scalar
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors import borrowed_elements, growable_list_items
from xlapy.domain import growable_lists
from xlapy.domain.values import (
    Const,
    GrowableList,
    Range,
    Ref,
    Tuple,
    Value,
    constants,
)
from xlapy.ir import Var
from xlapy.library.builtins import list as list_library


def as_list(machine, value: Value) -> Value:
    """The items of an iterable as a list, whose items are nobody's own."""
    borrowed_elements.share(machine, value)
    made = machine.call(Const(list), [value])
    borrowed_elements.share(machine, made)
    return made


def as_growable_list(machine, value: Value) -> GrowableList:
    """The items of an iterable as a growable list."""
    return growable_list_items.of_list(machine, as_list(machine, value))


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


def replace_slice(machine, items: Ref, held: Tuple | GrowableList, key: Value, value: Value) -> None:
    """`items[key] = value`. Where data says whether a slice gets another length, it is taken to keep it at first: if it
    does not, the call is compiled again."""
    made = as_list(machine, value)
    new = growable_list_items.of_list(machine, made)
    length = held.length if isinstance(held, GrowableList) else Const(len(held.items))
    start, stop, step = range_objects.slice_indices(machine, key, length)
    count = range_objects.length(machine, Range(start, stop, step))
    other = machine.truth(machine.compare("!=", count, new.length))
    by_one = isinstance(step, Const) and step.value == 1
    if by_one and (isinstance(held, Tuple) or _changes_length(machine, other)):
        machine.call(Const(list_library.replace_slice), [items, start, stop, made])
        return
    if isinstance(held, Tuple):
        raise Refused("XP0004", "items of a list are replaced by others, how many or in which steps depends on data")
    if not isinstance(step, Const):
        refuse_where(machine, other, "XP0004", "a slice with steps is replaced by another number of items, on data")
    elif not by_one:
        machine.check(other, ValueError, machine.message(_OF_ANOTHER_SIZE, new.length, count))
    machine.heap.write(items.object, "<items>", _replaced(machine, held, new, start, step, count))


_OF_ANOTHER_SIZE = "attempt to assign sequence of size {} to extended slice of size {}"


def _changes_length(machine, other: bool | Var) -> bool:
    """Whether a slice has been seen to get another length, where `other` is true."""
    if not isinstance(other, Var):
        return other
    guess = ("slices", machine.builder.location())
    if machine.settings.capacities.get(guess):
        return True
    machine.guesses[guess] = 1
    machine.register_error(other, machine.exception(growable_lists.Overfull, Const(guess)))
    return False


def _replaced(machine, growable: GrowableList, new: GrowableList, start: Value, step: Value, count: Value):
    if isinstance(new.length, Const) and new.length.value == 0:
        return growable
    element = growable_list_items.exact_joiner(machine).join(growable.element, new.element)
    growable, new = (
        growable_list_items.widened(machine, growable, element),
        growable_list_items.widened(machine, new, element),
    )
    operands = [device(machine, v, int) for v in (start, step, count)]
    pairs = zip(growable.rows, new.rows, strict=True)
    return growable.with_rows(machine.leaf(_with_items, [old, row, *operands])[0] for old, row in pairs)


def _inside(rows, start, step, count):
    """Where each row is in a slice, and whether it is."""
    distance = jnp.arange(rows.shape[0]) - start
    at = distance // step
    return at, (at >= 0) & (at < count) & (distance % step == 0)


def _with_items(rows, new, start, step, count):
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
