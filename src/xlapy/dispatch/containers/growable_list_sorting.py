"""Sorting lists that grew in loops: by numbers all at once, by what the items say of each other one by one.

kept = [(d[k], k) for k in range(n) if d[k] < far]
kept.sort(); kept.sort(key=lambda pair: pair[1], reverse=True)
"""

from __future__ import annotations

import jax.numpy as jnp

from xlapy.dispatch.containers import sequence_sorting
from xlapy.dispatch.effects import changes
from xlapy.dispatch.kinds import ordered_as_tuple
from xlapy.dispatch.numbers.scalar_values import device, logical_not, refuse_nan, refuse_where
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.coerce import instantiate
from xlapy.domain.join import JoinFailure
from xlapy.domain.values import (
    Const,
    GrowableList,
    MixedScalar,
    NumpyScalar,
    Ref,
    Scalar,
    Stored,
    Tuple,
    Union,
    Value,
    is_none,
)
from xlapy.ir import Var
from xlapy.library.builtins import list as list_library
from xlapy.lowering.primitives.long_sorts import lexical

#: items of lists that are compared as lists are
_LONGEST = 64


class Unsortable(Refused):
    """The order of these items is not that of numbers."""


def sort(machine, items: Ref, growable: GrowableList, key: Value, descending: bool) -> GrowableList:
    """The growable list that the contents of a list are, in the order of its items, or of their keys."""
    keys = growable
    if not is_none(key):
        keys = _made(machine, machine.call(Const(list_library.keys_of), [items, key]))
    if not keys.capacity:
        return growable
    try:
        return _sorted(machine, growable, growable_list_items.resized(machine, keys, growable.capacity), descending)
    except Unsortable as refusal:
        order = _order_by_comparison(machine, items, key, descending, refusal)
        return _in_order(machine, growable, order)


def _made(machine, made: Value) -> GrowableList:
    """What was made of the items of a list."""
    try:
        return growable_list_items.of_list(machine, made)
    except JoinFailure as error:
        raise Refused("XP0007", "sorting by keys of too many kinds") from error


# -- by what they say of each other -----------------------------------------------------------------------------------


def _order_by_comparison(machine, items: Ref, key: Value, descending: bool, refusal: Refused) -> GrowableList:
    """The order that `<` of the items of a list, or of their keys, gives; `refusal` is raised if asking for it changes
    something."""
    compared = items if is_none(key) else machine.call(Const(list_library.keys_of), [items, key])
    before, mark = machine.heap.slots.copy(), machine.heap.next_identity
    order = machine.call(Const(list_library.order), [compared, Const(descending)])
    sound = machine.call(Const(list_library.is_sound), [compared, order, Const(descending)])
    if changes(machine, before, mark):
        raise refusal
    refuse_where(machine, logical_not(machine, machine.truth(sound)), *sequence_sorting.UNSOUND)
    return _made(machine, order)


# -- by numbers -------------------------------------------------------------------------------------------------------


def _sorted(machine, growable: GrowableList, keys: GrowableList, reverse: bool) -> GrowableList:
    """The items in the order of their keys, which are real numbers or tuples of them.

    Raises:
        Unsortable: the keys are neither.
    """
    columns = _sortable(machine, instantiate(keys.element, iter(keys.rows)))
    length = device(machine, growable.length, int)
    for column_ in columns:
        refuse_nan(machine, column_, length)
    order = machine.leaf(_by_columns, [length, *columns], (reverse, growable.capacity))[0]
    return growable.with_rows([machine.leaf(_reordered, [row, order])[0] for row in growable.rows])


def _in_order(machine, growable: GrowableList, order: GrowableList) -> GrowableList:
    """The items at these positions."""
    (positions,) = growable_list_items.resized(machine, order, growable.capacity).rows
    return growable.with_rows([machine.leaf(_reordered, [row, positions])[0] for row in growable.rows])


def _sortable(machine, value: Value) -> list[Var]:
    """The rows that sort keys are compared by, the first one first."""
    match value:
        case MixedScalar():
            return _sortable(machine, value.python)
        case Scalar() | NumpyScalar() if value.var.type.dtype.kind != "c":
            return [value.var]
        case Tuple() if ordered_as_tuple(value):
            return [row for part in value.items for row in _sortable(machine, part)]
        case Const():
            return []
        case Stored() if value.kind in ("list", "tuple") and value.cls in (list, tuple):
            return _columns(machine, value)
        case Union() if (ranks := sequence_sorting.ranked(machine, [value])) is not None:
            return ranks
    raise Unsortable(
        "XP0004",
        "sorting a list whose length depends on data, of items or by keys that are no real numbers",
        "sort by numbers, or by tuples of numbers",
    )


def _columns(machine, value: Stored) -> list[Var]:
    """The rows that lists or tuples in a growable list are compared by: of each position, whether there is an item, and
    it."""
    if value.held is None:
        return [row for part in value.parts for row in _sortable(machine, part)]
    count = value.held.capacity
    if count > _LONGEST:
        raise Refused(
            "XP0004", f"sorting lists, or by lists, with room for more than {_LONGEST} items", "make an array of them"
        )
    parts = _sortable(machine, instantiate(value.held.element, iter(value.held.rows)))
    if not parts or any(len(part.type.shape) != 2 for part in parts):
        raise Refused(
            "XP0004", "sorting lists of lists whose lengths depend on data, or by them", "make an array of them"
        )
    length = value.held.length
    lengths = (
        length.var
        if isinstance(length, Scalar)
        else machine.builder.broadcast(device(machine, length, int), parts[0].type.shape[:1])
    )
    return list(machine.leaf(_by_position, [lengths, *parts]))


def _by_position(lengths, *parts):
    found = []
    for position in range(parts[0].shape[1]):
        present = lengths > position
        found.append(present)
        found += [jnp.where(present, part[:, position], jnp.zeros((), part.dtype)) for part in parts]
    return found


def _by_columns(length, *columns):
    """A stable sort in which lanes beyond the length stay behind all others."""
    *columns, reverse, capacity = columns
    lane = jnp.arange(capacity)
    outside = lane >= length
    if not reverse:
        return lexical((lane, *columns[::-1], outside))
    return lexical((-lane, *columns[::-1], ~outside))[::-1]


def _reordered(rows, order):
    return jnp.take(rows, order[: rows.shape[0]], axis=0)
