"""Tuples whose length depends on data: `tuple(items)` of a list that grew, the columns of `zip(*pairs)`.

    xs, ys = zip(*points); tuple(kept)

Such a tuple is an object in the heap of a kind of its own, 'tuple', whose contents are a growable list as those of a
list, and never change. A rule that knows nothing of such tuples does not take them for lists: indices of arrays, shapes
and keys of dicts are refused.
"""

from __future__ import annotations

from xlapy.dispatch import kinds
from xlapy.dispatch.containers import container_protocol
from xlapy.dispatch.iterators import sequences
from xlapy.dispatch.numbers.scalar_values import refuse_where
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.unions import contents_of_lists
from xlapy.dispatch.vectors import borrowed_elements, growable_list_items
from xlapy.domain import growable_lists
from xlapy.domain.join import JoinFailure
from xlapy.domain.values import (
    Const,
    GrowableList,
    JaxArray,
    Ref,
    Stored,
    Tuple,
    Union,
    Value,
    alternatives,
    as_ref,
)
from xlapy.ir import Var
from xlapy.library.builtins import list as list_library

_ZERO = Const(0)


def is_tuple(machine, value: Value) -> bool:
    """Whether a value is a tuple whose length depends on data."""
    return kinds.heap_kind(machine, value) == "tuple"


def _of(machine, contents: GrowableList) -> Ref:
    return Ref(machine.heap.new("tuple", tuple, machine.location(), contents))


def of_list(machine, items: Value) -> Value:
    """`tuple(items)` of a list."""
    borrowed_elements.share(machine, items)
    growable = growable_list_items.of(machine, items)
    return Tuple(container_protocol.contents(machine, items)) if growable is None else _of(machine, growable)


def as_list(machine, value: Value) -> Value:
    """The items of a tuple, as a list of the same objects."""
    if not is_tuple(machine, value):
        return machine.new_list(container_protocol.contents(machine, value))
    borrowed_elements.share(machine, value)
    contents = machine.heap.read(as_ref(value).object, "<items>")
    return Ref(machine.heap.new("list", list, machine.location(), contents))


def zips(machine, function: Value, rows: Value) -> bool:
    """Whether `function(*rows)` is a `zip` of a list whose length depends on data."""
    if not (isinstance(function, Const) and function.value is zip):
        return False
    if kinds.heap_kind(machine, rows) == "list" and isinstance(_contents(machine, rows), Union):
        try:
            return growable_list_items.settled(machine, as_ref(rows)) is not None and growable_list_items.is_whole(
                machine, rows
            )
        except JoinFailure:
            return False
    return growable_list_items.is_whole(machine, rows)


def _contents(machine, value: Value) -> Value:
    return machine.heap.read(as_ref(value).object, "<items>")


def columns(machine, rows: Value) -> Value:
    """`zip(*rows)` of a list whose length depends on data, of rows of one length."""
    growable = growable_list_items.of(machine, rows)
    assert growable is not None
    element = growable.element
    parts = element.items if isinstance(element, Tuple) else ()
    if isinstance(element, Stored) and element.kind == "list" and element.held is None:
        parts = element.parts
    width = None if parts else _width(machine, element)
    if not parts and width is None:
        raise Refused("XP0004", "zip(*rows) of rows that are no tuples of one length, whose number depends on data")
    empty = machine.truth(machine.compare("==", growable.length, _ZERO))
    if empty is not False:
        where = empty if isinstance(empty, Var) else machine.builder.constant(True)
        refuse_where(machine, where, "XP0004", "zip(*rows) of no rows")
    borrowed_elements.share(machine, rows)
    growable, found, start = growable_list_items.of(machine, rows), [], 0
    assert growable is not None
    for k in range(width or 0):
        found.append(of_list(machine, machine.call(Const(list_library.column), [rows, Const(k)])))
    for part in parts:
        count = len(growable_lists.variables(part))
        column = growable.rows[start : start + count]
        found.append(_of(machine, GrowableList(growable_lists.disowned(part), column, *_room(growable))))
        start += count
    return sequences.new(machine, sequences.INDEXED, zip, source=Tuple(tuple(found)), position=_ZERO)


def _width(machine, element: Value) -> int | None:
    """How many items each row has, of rows that are one of several, lists elsewhere or vectors; None if they differ."""
    widths = {_items_of(machine, one) for one in alternatives(element)}
    return widths.pop() if len(widths) == 1 else None


def _items_of(machine, row: Value) -> int | None:
    if isinstance(row, Stored) and row.kind == "buffer":
        row = row.parts[0]
    match row:
        case Tuple():
            return len(row.items)
        case Stored() if row.kind == "list" and row.held is None:
            return len(row.parts)
        case JaxArray() if row.var.type.shape:
            return row.var.type.shape[0]
    found = contents_of_lists(machine, (row,))
    return None if found is None else growable_lists.known_length(found[0])


def _room(growable: GrowableList) -> tuple:
    return growable.length, growable.capacity, growable.elastic, growable.loop
