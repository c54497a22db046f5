"""Subscripts of lists and deques whose contents are a growable list, or become one since it is not known which item is
meant, and membership."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable
from typing import Any

from xlapy.dispatch import value_selection
from xlapy.dispatch.containers import (
    borrowed_elements,
    container_protocol,
    growable_list_edits,
    growable_list_items,
    lists,
    nested_lists,
)
from xlapy.dispatch.containers.growable_list_methods import as_growable_list, write
from xlapy.dispatch.numbers.scalar_values import provoke
from xlapy.domain import growable_lists
from xlapy.domain.growable_lists import hollow
from xlapy.domain.join import JoinFailure
from xlapy.domain.values import (
    Const,
    GrowableList,
    NumpyScalar,
    Ref,
    Scalar,
    Slice,
    Tuple,
    Value,
    alternatives,
    as_ref,
    is_none,
    variables,
)
from xlapy.ir import Var

_LIST_INDEX = provoke(operator.getitem, [], 0)
_DEQUE_INDEX = provoke(operator.getitem, collections.deque(), 0)
_LIST_ASSIGNMENT = provoke(operator.setitem, [], 0, 0)
#: items of a list of numbers that becomes a growable list once its subscript is not known, where it is read or where it
#: is written: then each item is one of two, and there is nothing to know of them
_LONG, _WRITTEN = 48, 4
#: the same of ints and floats
_MIXED = 9
_ZERO = Const(0)


def is_slice(key: Value) -> bool:
    """Whether a subscript is a slice."""
    return isinstance(key, Slice) or (isinstance(key, Const) and isinstance(key.value, slice))


def _getitem(machine, self: Ref, growable: GrowableList, key: Value) -> Value:
    if is_slice(key):
        made = machine.new_list(())
        borrowed_elements.share(machine, self)
        write(
            machine, made, growable_list_edits.sliced(machine, growable_list_items.of(machine, self) or growable, key)
        )
        return made
    return borrowed_elements.borrow(
        machine, self, growable, _position(machine, self, growable, key, _LIST_INDEX), key=key
    )


def _position(machine, self: Ref, growable: GrowableList, key: Value, error: BaseException) -> Value:
    key = container_protocol.index_of_item(machine, key, "list indices must be integers or slices, not {}")
    if machine.heap.objects[self.object].cls is collections.deque:
        error = _DEQUE_INDEX
    return growable_list_edits.index(machine, growable, key, error)


def _setitem(machine, self: Ref, growable: GrowableList, key: Value, item: Value) -> None:
    if is_slice(key):
        new = as_growable_list(machine, item)
        write(machine, self, new if _is_whole(key) else growable_list_edits.replaced(machine, growable, key, new))
        return
    if borrowed_elements.lies_there(machine, self, key, item):
        return
    borrowed_elements.doubled(machine, self, item)
    at = _position(machine, self, growable, key, _LIST_ASSIGNMENT)
    write(machine, self, growable_list_items.put(machine, growable, at, item))


def _is_whole(key: Value) -> bool:
    """Whether a slice is `[:]`."""
    parts = (key.start, key.stop, key.step) if isinstance(key, Slice) else (key,)
    return all(is_none(p) or isinstance(p, Const) and p.value == slice(None) for p in parts)


def _delitem(machine, self: Ref, growable: GrowableList, key: Value) -> None:
    if is_slice(key):
        write(machine, self, growable_list_edits.cut(machine, growable, key))
        return
    write(
        machine,
        self,
        growable_list_edits.without(machine, growable, _position(machine, self, growable, key, _LIST_ASSIGNMENT)),
    )


def _has_item(items, wanted):
    for item in items:
        if item == wanted:
            return True
    return False


def _contains(machine, item: Value, self: Ref, growable: GrowableList) -> bool | Var:
    return machine.truth(machine.call(Const(_has_item), [self, item]))


def _of_numbers(machine, self: Value, key: Value, where: dict) -> GrowableList | None:
    """A long list of numbers of one type as a growable list, once it is subscripted by an index on the device: what the
    list holds from now on. A list of the caller's is left as it is while it is only read."""
    read = where is container_protocol.GETITEM
    if (
        not (read or where is container_protocol.SETITEM)
        or isinstance(key, Const)
        or is_slice(key)
        or not isinstance(self, Ref)
    ):
        return None
    if (
        machine.heap.objects[self.object].cls is not list
        or read
        and machine.heap.objects[self.object].source is not None
    ):
        return None
    contents = machine.heap.read(self.object, "<items>")
    if not isinstance(contents, Tuple) or not contents.items:
        return None
    kind = value_selection.signature(contents.items[0])
    if kind is None or kind[0] == "tuple" or not value_selection.stackable(machine, contents.items):
        return _of_mixed_numbers(machine, self, contents)
    if len(contents.items) < _LONG:
        if read or not machine.tables or len(contents.items) < _WRITTEN:
            return None
        machine.has_tables = True
    write(machine, self, growable_list_items.of_items(machine, contents.items, hollow(contents.items[0])))
    return growable_list_items.of(machine, self)


def _of_mixed_numbers(machine, self: Ref, contents: Tuple) -> GrowableList | None:
    """A list of ints and floats as a growable list, if these are too many to be told apart in branches."""
    if not machine.tables or len(contents.items) < _MIXED or not all(map(_is_number, contents.items)):
        return None
    growable = _packed(machine, contents, contents)
    if growable is None:
        return None
    machine.has_tables = True
    write(machine, self, growable)
    return growable


def _packed(
    machine, contents: Tuple, source: Value | None = None, field: Callable | None = None
) -> GrowableList | None:
    """Known items as a growable list, if they have enough in common; `source` and `field` as for
    `growable_list_items.of_items`."""
    try:
        element = growable_list_items.common_element(machine, contents.items, source, field)
        return growable_list_items.of_items(machine, contents.items, element, source=source, field=field)
    except JoinFailure:
        return None


def _is_number(value: Value) -> bool:
    options = alternatives(value)
    return all(container_protocol.is_number(v) for v in options)


def _of_lists(machine, self: Value, key: Value) -> GrowableList | None:
    """A list of the program's own lists of several lengths, or empty ones, as a growable list, once it is subscripted
    by an index that depends on data: what the list holds from now on."""
    if not isinstance(self, Ref) or not isinstance(key, Scalar | NumpyScalar):
        return None
    contents = machine.heap.read(self.object, "<items>")
    if machine.heap.objects[self.object].cls is not list or not isinstance(contents, Tuple):
        return None
    if machine.tables and not machine.is_static(key) and nested_lists.is_table(machine, self):
        return nested_lists.as_growable_list(machine, self)
    if not growable_list_items.grow(machine, contents.items) or len(set(contents.items)) < len(contents.items):
        return None
    if machine.is_static(key):
        return None
    if machine.unrolls(key.var) and not machine.is_of_items(key.var):
        # the length of a list that depends on data would still be unknown
        if not machine.specialisable(key.var) or not any(_is_of_data(machine, v) for v in contents.items):
            return None
    growable = _packed(machine, contents, self, growable_list_items.of_several_lengths(machine, contents.items))
    if growable is None or not growable_lists.has_own(growable.element):
        return None
    with growable_list_items.places_kept(machine):
        write(machine, self, growable)
    return growable


def _is_of_data(machine, value: Value) -> bool:
    """Whether the number of items of a list or dict depends on data."""
    contents = machine.heap.read(value.object, "<items>") if isinstance(value, Ref) else value
    low, high = growable_lists.sizes(contents) if growable_lists.is_contents(contents) else (0, 0)
    return low < high


def _sliced_by_data(machine, self: Value, key: Value, where: dict) -> GrowableList | None:
    """The items of a list as a growable list, if it is sliced between bounds that depend on data. A list whose slice is
    assigned or deleted holds the growable list from now on."""
    if (
        where is container_protocol.CONTAINS
        or not isinstance(key, Slice)
        or container_protocol.heap_kind(machine, self) != "list"
    ):
        return None
    parts = [v for part in (key.start, key.stop) if not machine.is_static(part) for v in variables(part)]
    if all(machine.unrolls(var) or machine.specialisable(var) for var in parts):
        return None
    contents = machine.heap.read(as_ref(self).object, "<items>")
    if not isinstance(contents, Tuple) or not contents.items or any(isinstance(v, Ref) for v in contents.items):
        return None
    growable = _packed(machine, contents)
    if growable is not None and where is not container_protocol.GETITEM:
        write(machine, as_ref(self), growable)
    return growable


def _given_data(machine, self: Value, key: Value, item: Value) -> GrowableList | None:
    """The items of a list as a growable list, if a list whose length depends on data takes the place of a slice of
    it."""
    if not is_slice(key) or not isinstance(self, Ref) or not growable_list_items.is_whole(machine, item):
        return None
    contents = machine.heap.read(self.object, "<items>")
    if machine.heap.objects[self.object].cls is not list or not isinstance(contents, Tuple):
        return None
    if _is_whole(key):
        return growable_list_items.of(machine, item)
    known = contents.items and not any(isinstance(v, Ref) for v in contents.items)
    return _packed(machine, contents) if known else None


def _subscripts(where: dict, rule: Callable, receiver: int) -> None:
    for cls in (list, collections.deque):
        before = where[cls] if cls in where else where[list]

        def either(machine, /, *args: Value, _before=before) -> Any:
            self = args[receiver]
            growable = growable_list_items.of(machine, self) or _of_numbers(machine, self, args[1], where)
            if growable is None and where is container_protocol.GETITEM:
                growable = _of_lists(machine, self, args[1])
            growable = growable or _sliced_by_data(machine, self, args[1], where)
            if growable is None and where is container_protocol.SETITEM:
                growable = _given_data(machine, self, args[1], args[2])
            if growable is None:
                return _before(machine, *args)
            if where is not container_protocol.CONTAINS and machine.type_of(self) is collections.deque:
                args = (self, container_protocol.index_of_item(machine, args[1], lists.NO_DEQUE_INDEX), *args[2:])
            place = receiver + 1
            return rule(machine, *args[:place], growable, *args[place:])

        where[cls] = either


_subscripts(container_protocol.GETITEM, _getitem, 0)
_subscripts(container_protocol.SETITEM, _setitem, 0)
_subscripts(container_protocol.DELITEM, _delitem, 0)
_subscripts(container_protocol.CONTAINS, _contains, 1)
