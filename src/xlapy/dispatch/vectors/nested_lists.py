"""Tables as lists of lists: `table[i]` for an `i` on the device is one of several lists.

    table = [[0, 1, 2], [3, 4, 5]]
    table[i][j], table[i][j] = v, len(table[i])

Which of them it is stays open: a subscript of it reads or writes the table, at the row and at the column. Nothing is
done for each of the rows in a branch of its own. Rows of several lengths are laid one after another.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import prod

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch import value_selection
from xlapy.dispatch.numbers.scalar_values import device, scalar
from xlapy.dispatch.unions import contents_of_lists
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.growable_lists import has_own, hollow, known_length
from xlapy.domain.join import JoinFailure
from xlapy.domain.values import Const, GrowableList, NumpyScalar, Ref, Scalar, Tuple, Union, Value, as_ref, tuple_items

#: the contents of a row
Row = GrowableList | Tuple


def of(machine, value: Value) -> Sequence[Row] | None:
    """The contents of each row, if a value is one of several rows of a table, told apart by a device value."""
    if not machine.tables or not isinstance(value, Union):
        return None
    if not value_selection.is_table(machine, value.alternatives):
        return None
    rows = contents_of_lists(machine, value.alternatives)
    if rows is None:
        return value_selection.ragged(machine, value.alternatives)
    held = all(isinstance(item, Ref) for c in rows for item in (c.items if isinstance(c, Tuple) else (c.element,)))
    return rows if held or _kind(rows) is not None else None


def length(machine, which: Union, rows: Sequence[Row]) -> Value:
    """How many items the row has."""
    counts = [Const(known_length(row)) for row in rows]
    return value_selection.gather(machine, counts, _row(machine, which)) if _is_ragged(rows) else counts[0]


def _is_ragged(rows: Sequence[Row]) -> bool:
    return len({known_length(row) for row in rows}) > 1


def item(machine, which: Union, rows: Sequence[Row], at: Value) -> Value | None:
    """`row[at]` of one of the rows, for a position in range; None where there is no common rule."""
    row = _row(machine, which)
    if all(isinstance(c, Tuple) for c in rows):
        if _kind(rows) is None and isinstance(at, Const) and not _is_ragged(rows):
            return value_selection.gather(machine, [tuple_items(c)[at.value] for c in rows], row)
        return value_selection.gather(machine, _flat(rows), _place(machine, row, at, rows))
    kind = _kind(rows)
    if kind is None:
        return None
    tables = [_numbers(machine, c, kind).rows[0] for c in rows]
    table = machine.leaf(_joined, tables)[0]
    var = machine.leaf(_taken, [device(machine, row, int), device(machine, at, int), table])[0]
    return value_selection.from_var(machine, var, kind)


def store(machine, which: Union, rows: Sequence[Row], at: Value, value: Value) -> bool:
    """`row[at] = value` of one of the rows, for a position in range; False where there is no common rule."""
    kind = value_selection.signature(value)
    row, ends = _row(machine, which), _ends(rows)
    number = kind if kind is not None and kind[0] in ("python", "numpy") and kind == _kind(rows) else None
    if number is not None and any(isinstance(c, GrowableList) for c in rows) and not _is_ragged(rows):
        _store_number(machine, which, rows, at, value_selection.as_var(machine, value, number), number)
        return True
    if not all(isinstance(c, Tuple) for c in rows):
        return False
    if number is None and isinstance(at, Const) and not _is_ragged(rows):
        column = value_selection.scatter(machine, [tuple_items(c)[at.value] for c in rows], row, value)
        changed = [
            [*tuple_items(c)[: at.value], new, *tuple_items(c)[at.value + 1 :]]
            for c, new in zip(rows, column, strict=True)
        ]
    else:
        items = value_selection.scatter(machine, _flat(rows), _place(machine, row, at, rows), value)
        changed = [items[start:end] for start, end in itertools.pairwise([0, *ends])]
    for ref, old, new in zip(which.alternatives, rows, changed, strict=True):
        if any(a is not b for a, b in zip(tuple_items(old), new, strict=True)):
            machine.heap.write(as_ref(ref).object, "<items>", Tuple(tuple(new)))
    return True


def _store_number(machine, which: Union, rows: Sequence[Row], at: Value, new, kind: tuple) -> None:
    held = [_numbers(machine, c, kind) for c in rows]
    row, column = device(machine, _row(machine, which), int), device(machine, at, int)
    for k, (ref, growable) in enumerate(zip(which.alternatives, held, strict=True)):
        here = machine.builder.constant(k, np.dtype(np.int64))
        changed = machine.leaf(_stored, [growable.rows[0], row, here, column, new])[0]
        machine.heap.write(as_ref(ref).object, "<items>", growable.with_rows((changed,)))


def _row(machine, which: Union) -> Value:
    return scalar(machine, int, which.selector, (0, len(which.alternatives) - 1))


def _ends(rows: Sequence[Row]) -> list[int]:
    """Where each row ends, in all rows put one after another."""
    return list(itertools.accumulate(known_length(row) or 0 for row in rows))


def _place(machine, row: Value, at: Value, rows: Sequence[Row]) -> Value:
    """The place of an item in all rows put one after another."""
    ends = _ends(rows)
    if _is_ragged(rows):
        start = value_selection.gather(machine, [Const(end) for end in (0, *ends[:-1])], row)
    else:
        start = machine.binary("*", row, Const(ends[0]))
    return machine.binary("+", start, at)


def _flat(rows: Sequence[Row]) -> list[Value]:
    return [item for c in rows for item in tuple_items(c)]


def _kind(rows: Sequence[Row]) -> tuple | None:
    """The signature of all items, if they are numbers of one type."""
    kinds = set()
    for c in rows:
        items = (c.element,) if isinstance(c, GrowableList) else tuple_items(c)
        kinds |= {
            value_selection.signature(item) if isinstance(item, Const | Scalar | NumpyScalar) else None
            for item in items
        }
    return next(iter(kinds)) if len(kinds) == 1 else None


def _numbers(machine, row: Row, kind: tuple) -> GrowableList:
    """A row of numbers as a growable list without room for more."""
    if isinstance(row, GrowableList):
        return growable_list_items.resized(machine, row, machine.static(row.length))
    return growable_list_items.of_items(machine, tuple_items(row), hollow(tuple_items(row)[0]))


def _joined(*tables):
    return jnp.stack(tables)


def _taken(row, column, table):
    return lax.dynamic_slice(table, (row, column), (1, 1))[0, 0]


def _stored(items, row, here, column, new):
    old = lax.dynamic_index_in_dim(items, column, keepdims=False)
    return lax.dynamic_update_index_in_dim(items, jnp.where(row == here, new.astype(items.dtype), old), column, 0)


# -- tables of the program's own --------------------------------------------------------------------------------------


def is_table(machine, table: Ref) -> bool:
    """Whether a list is a table of numbers that only the program has: lists of one length, perhaps of lists."""
    shape = _shape(machine, table)
    return shape is not None and len(shape) > 1 and prod(shape) >= value_selection.LEAST_TABLE


def _shape(machine, table: Value) -> tuple[int, ...] | None:
    """The lengths of a list of the program's own and of the lists in it; () for a number."""
    if value_selection.signature(table) is not None and not isinstance(table, Tuple):
        return ()
    if not isinstance(table, Ref):
        return None
    info = machine.heap.objects[table.object]
    if info.kind != "list" or info.cls is not list or info.source is not None:
        return None
    contents = machine.heap.read(table.object, "<items>")
    if isinstance(contents, GrowableList):
        count = known_length(contents)
        return None if count is None else (count,)
    if not isinstance(contents, Tuple) or not contents.items:
        return None
    if isinstance(contents.items[0], Ref) and len(set(contents.items)) < len(contents.items):
        return None
    shapes = {_shape(machine, item) for item in contents.items}
    inner = shapes.pop()
    if shapes or inner is None or inner == () and not value_selection.stackable(machine, contents.items):
        return None
    return (len(contents.items), *inner)


def as_growable_list(machine, table: Ref) -> GrowableList | None:
    """What a table holds from now on: its rows as a growable list, of growable lists. None if rows are in it twice, or
    elsewhere."""
    try:
        growable = _stacked(machine, table)
    except JoinFailure:
        return None
    if not has_own(growable.element):
        return None
    machine.has_tables = True
    with growable_list_items.places_kept(machine):
        machine.heap.write(table.object, "<items>", growable)
    return growable


def _stacked(machine, table: Ref) -> GrowableList:
    """The items of a table; those of its rows are read as growable lists, too, and left as they are in the rows."""
    contents = machine.heap.read(table.object, "<items>")
    if isinstance(contents, GrowableList):
        return contents
    items = contents.items
    if not isinstance(items[0], Ref):
        return growable_list_items.of_items(machine, items, hollow(items[0]))
    known = {row.object: _stacked(machine, row) for row in items}

    def field(number: int, name: object) -> Value:
        return known[number] if number in known and name == "<items>" else machine.heap.read(number, name)

    element = growable_list_items.common_element(machine, items, table, field)
    return growable_list_items.of_items(machine, items, element, source=table, field=field)
