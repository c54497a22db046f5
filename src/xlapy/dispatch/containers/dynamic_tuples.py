"""Tuples whose length depends on data: `tuple(items)` of a list that grew, the columns of `zip(*pairs)`.

Such a tuple is an object in the heap of a kind of its own, 'tuple', whose contents are a growable list as those of a
list, and never change. What is done to a tuple of known length goes to `lists` and `container_protocol`. A rule that
knows nothing of such tuples does not take them for lists: indices of arrays, shapes and keys of dicts are refused.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from xlapy.dispatch import registry
from xlapy.dispatch.containers import (
    borrowed_elements,
    container_protocol,
    growable_list_arrays,
    growable_list_items,
    growable_list_methods,
    growable_list_subscripts,
    lists,
    range_objects,
)
from xlapy.dispatch.iterators import iteration, sequences
from xlapy.dispatch.numbers.scalar_values import provoke, refuse_where
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.unions import contents_of_lists
from xlapy.domain import growable_lists
from xlapy.domain.join import JoinFailure
from xlapy.domain.values import (
    BoundedArray,
    Const,
    GrowableList,
    JaxArray,
    NdArray,
    NumpyScalar,
    Ref,
    Stored,
    Tuple,
    Union,
    Value,
    alternatives,
    as_ref,
)
from xlapy.ir import Var

_INDEX = provoke(operator.getitem, (), 0)
_ZERO = Const(0)
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def is_tuple(machine, value: Value) -> bool:
    """Whether a value is a tuple whose length depends on data."""
    return container_protocol.heap_kind(machine, value) == "tuple"


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


def _make() -> None:
    before = registry.function_rule(tuple)

    def made(machine, *args: Value) -> Value:
        if len(args) != 1:
            return before(machine, *args)
        iterable = iteration.begun(machine, args[0], sized=True)
        if is_tuple(machine, iterable):
            return iterable
        if (
            growable_list_items.is_whole(machine, iterable)
            and container_protocol.heap_kind(machine, iterable) == "list"
        ):
            return of_list(machine, iterable)
        grows = growable_list_methods.grows(machine, iterable)
        if grows is False:
            return before(machine, iterable)

        def each() -> Value:
            return of_list(machine, machine.call(Const(list), [iterable]))

        if grows is None:
            return growable_list_items.whole_or_each(machine, lambda: before(machine, iterable), each)
        return each()

    registry.function(tuple)(made)


_make()


def zips(machine, function: Value, rows: Value) -> bool:
    """Whether `function(*rows)` is a `zip` of a list whose length depends on data."""
    if not (isinstance(function, Const) and function.value is zip):
        return False
    if container_protocol.heap_kind(machine, rows) == "list" and isinstance(_contents(machine, rows), Union):
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
        found.append(of_list(machine, machine.call(Const(_column), [rows, Const(k)])))
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


def _column(rows, k):
    return [row[k] for row in rows]


def _room(growable: GrowableList) -> tuple:
    return growable.length, growable.capacity, growable.elastic, growable.loop


# -- operations -------------------------------------------------------------------------------------------------------


def _getitem(machine, self: Ref, key: Value) -> Value:
    if growable_list_subscripts.is_slice(key):
        return of_list(machine, machine.getitem(as_list(machine, self), key))
    at = container_protocol.index_of_item(machine, key, "tuple indices must be integers or slices, not {}")
    growable = machine.heap.read(self.object, "<items>")
    at = range_objects.in_bounds(machine, at, growable.length, _INDEX)
    return borrowed_elements.borrow(machine, self, growable, at, key=key)


def _subscript(where: dict, rule: Callable, receiver: int) -> None:
    before = where[tuple]

    def either(machine, /, *args: Value) -> Any:
        return (rule if is_tuple(machine, args[receiver]) else before)(machine, *args)

    where[tuple] = either


def _contains(machine, item: Value, self: Value) -> bool | Var:
    return container_protocol.contains(machine, item, as_list(machine, self))


_subscript(container_protocol.GETITEM, _getitem, 0)
_subscript(container_protocol.CONTAINS, _contains, 1)


def _as_array(machine, value: Value) -> Value:
    made = growable_list_arrays.as_array(machine, value)
    if made is None:
        raise Refused("XP0004", "a tuple whose length depends on data, which is no array, and an array")
    return made


def _operators() -> None:
    before = registry.OPERATORS[tuple]

    def either(machine, symbol: str, left: Value, right: Value) -> Value | None:
        if not (is_tuple(machine, left) or is_tuple(machine, right)):
            return before(machine, symbol, left, right)
        plain = symbol if symbol in _COMPARISONS else symbol.removesuffix("=")
        arrays = NdArray | JaxArray | BoundedArray if plain == "*" else NdArray | JaxArray | BoundedArray | NumpyScalar
        if any(isinstance(v, arrays) for v in (left, right)):  # a number of NumPy's says how often
            one, two = (_as_array(machine, v) if is_tuple(machine, v) else v for v in (left, right))
            compares = symbol in _COMPARISONS
            return machine.compare(symbol, one, two) if compares else machine.binary(symbol, one, two)
        if plain == "*":
            items, count = (right, left) if is_tuple(machine, right) else (left, right)
            if not range_objects.is_index(machine, count):
                return lists.no_count(machine, count)
            return of_list(machine, machine.binary("*", as_list(machine, items), count))
        if not all(machine.type_of(v) is tuple for v in (left, right)):
            wrong = plain == "+" and machine.type_of(left) is tuple
            return lists.no_tuple(machine, right) if wrong else None
        one, two = as_list(machine, left), as_list(machine, right)
        if plain in _COMPARISONS:
            return machine.compare(plain, one, two)
        return of_list(machine, machine.binary("+", one, two)) if plain == "+" else None

    registry.OPERATORS[tuple] = either


_operators()


def _methods() -> None:
    for name in ("index", "count"):
        before = registry.method_rule(tuple, name)
        of_lists = growable_list_methods.index_in_tuple if name == "index" else registry.method_rule(list, name)

        def either(machine, self: Value, /, *args: Value, _before=before, _of_lists=of_lists) -> Value:
            if not is_tuple(machine, self):
                return _before(machine, self, *args)
            return _of_lists(machine, as_list(machine, self), *args)

        registry.method(tuple, name)(either)


_methods()
