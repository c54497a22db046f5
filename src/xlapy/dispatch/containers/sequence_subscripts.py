"""Subscripts of list, tuple and deque, and membership.

    x[i], x[-1], x[i:j]; x[i] = v; x[:2] = [a, b]; del x[i]
    v in x

A list whose items are known becomes a growable list where it is subscripted by an index that data gives, if its items
are numbers, or lists of several lengths, and too many to be told apart.
"""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable

from xlapy.dispatch import kinds, value_selection
from xlapy.dispatch.containers import container_protocol, lists
from xlapy.dispatch.containers.container_protocol import (
    CONTAINS,
    DELITEM,
    GETITEM,
    SETITEM,
    contents,
    is_slice,
    register,
    set_contents,
    static_slice,
)
from xlapy.dispatch.containers.dynamic_tuples import as_list, is_tuple, of_list
from xlapy.dispatch.containers.lists import write
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.iterators.deques import note_change
from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numbers.scalar_values import provoke
from xlapy.dispatch.vectors import borrowed_elements, equality, growable_list_edits, growable_list_items, nested_lists
from xlapy.domain import growable_lists
from xlapy.domain.facts import Facts
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
    Union,
    Value,
    alternatives,
    as_ref,
    is_none,
    variables,
)
from xlapy.ir import Var
from xlapy.library.builtins import list as list_library

_INDEX = {cls: provoke(operator.getitem, cls(), 0) for cls in (list, tuple, collections.deque)}
_ASSIGNMENT = {list: provoke(operator.setitem, [], 0, 0), collections.deque: _INDEX[collections.deque]}
_NO_INDEX = {
    list: "list indices must be integers or slices, not {}",
    tuple: "tuple indices must be integers or slices, not {}",
    collections.deque: "sequence index must be integer, not '{}'",
}
_NO_ITERABLE = str(provoke(operator.setitem, [], slice(None), 1))
_NO_ITERABLE_IN_STEPS = str(provoke(operator.setitem, [], slice(None, None, 2), 1))
#: items of a list of numbers that becomes a growable list once its subscript is not known, where it is read or where it
#: is written: then each item is one of two, and there is nothing to know of them
_LONG, _WRITTEN = 48, 4
#: the same of ints and floats
_MIXED = 9
_ONE = Const(1)


def _position(machine, self: Value, key: Value, length: Value, errors: dict) -> Value:
    """An index as a position from 0 in so many items."""
    cls = lists.built_in(machine, self) or tuple
    at = container_protocol.index_of_item(machine, key, _NO_INDEX[cls])
    return range_objects.in_bounds(machine, at, length, errors[cls])


def _takes_slices(machine, self: Value, key: Value) -> bool:
    return is_slice(key) and lists.built_in(machine, self) is not collections.deque


@register(GETITEM, list, tuple, collections.deque)
def _getitem(machine, self: Value, key: Value) -> Value:
    growable = (
        growable_list_items.of(machine, self)
        or _of_numbers(machine, self, key, GETITEM)
        or _of_lists(machine, self, key)
        or _sliced_by_data(machine, self, key, GETITEM)
    )
    if growable is not None:
        return _item_on_device(machine, as_ref(self), growable, key)
    items = contents(machine, self)
    if _takes_slices(machine, self, key):
        part = items[static_slice(machine, key)]
        return machine.new_list(part) if isinstance(self, Ref) else Tuple(part)
    return value_selection.gather(machine, items, _position(machine, self, key, Const(len(items)), _INDEX))


def _item_on_device(machine, self: Ref, growable: GrowableList, key: Value) -> Value:
    if not _takes_slices(machine, self, key):
        at = _position(machine, self, key, growable.length, _INDEX)
        return borrowed_elements.borrow(machine, self, growable, at, key=key)
    if is_tuple(machine, self):
        return of_list(machine, machine.getitem(as_list(machine, self), key))
    made = machine.new_list(())
    borrowed_elements.share(machine, self)
    held = growable_list_items.of(machine, self) or growable
    write(machine, made, growable_list_edits.sliced(machine, held, key))
    return made


@register(SETITEM, list, collections.deque)
def _setitem(machine, self: Ref, key: Value, item: Value) -> None:
    growable = (
        growable_list_items.of(machine, self)
        or _of_numbers(machine, self, key, SETITEM)
        or _sliced_by_data(machine, self, key, SETITEM)
    )
    slices = _takes_slices(machine, self, key)
    if slices and (growable is not None or growable_list_items.is_whole(machine, item)):
        if _is_whole(key):
            write(machine, self, growable_list_edits.as_growable_list(machine, item))
        else:
            held = growable or Tuple(contents(machine, self))
            if isinstance(held, Tuple) and held.items and not any(isinstance(v, Ref) for v in held.items):
                held = _packed(machine, held) or held
            growable_list_edits.replace_slice(machine, self, held, key, item)
    elif growable is not None:
        if not borrowed_elements.lies_there(machine, self, key, item):
            borrowed_elements.doubled(machine, self, item)
            at = _position(machine, self, key, growable.length, _ASSIGNMENT)
            write(machine, self, growable_list_items.put(machine, growable, at, item))
    elif slices:
        _set_slice(machine, self, list(contents(machine, self)), key, item)
    else:
        items = contents(machine, self)
        at = _position(machine, self, key, Const(len(items)), _ASSIGNMENT)
        set_contents(machine, self, value_selection.scatter(machine, items, at, item))


def _set_slice(machine, self: Ref, items: list[Value], key: Value, item: Value) -> None:
    where = static_slice(machine, key)
    if not isinstance(item, Union) and not iteration.is_iterable(machine, item):
        machine.raise_(TypeError, _NO_ITERABLE if where.step in (None, 1) else _NO_ITERABLE_IN_STEPS)
    try:
        items[where] = iteration.items(machine, iteration.begun_twice(machine, item))
    except ValueError as error:
        machine.raise_(ValueError, *error.args)
    set_contents(machine, self, items)


def _is_whole(key: Value) -> bool:
    """Whether a slice is `[:]`."""
    parts = (key.start, key.stop, key.step) if isinstance(key, Slice) else (key,)
    return all(is_none(p) or isinstance(p, Const) and p.value == slice(None) for p in parts)


@register(DELITEM, list, collections.deque)
def _delitem(machine, self: Ref, key: Value) -> None:
    growable = growable_list_items.of(machine, self) or _sliced_by_data(machine, self, key, DELITEM)
    slices = _takes_slices(machine, self, key)
    if growable is not None and slices:
        write(machine, self, growable_list_edits.cut(machine, growable, key))
    elif growable is not None:
        at = _position(machine, self, key, growable.length, _ASSIGNMENT)
        write(machine, self, growable_list_edits.without(machine, growable, at))
    elif slices:
        items = list(contents(machine, self))
        del items[static_slice(machine, key)]
        set_contents(machine, self, items)
    else:
        items = contents(machine, self)
        at = _position(machine, self, key, Const(len(items)), _ASSIGNMENT)
        if machine.is_static(at):
            at = Const(machine.static(at, "the index of an item to delete"))
        elif lists.built_in(machine, self) is list:
            machine.call(machine.getattr(self, "pop"), (at,))
            return
        set_contents(machine, self, lists.without(machine, items, lists.place(machine, at, items)))
    note_change(machine, self, _ONE)


@register(CONTAINS, list, tuple, collections.deque)
def _contains(machine, item: Value, self: Value) -> bool | Var:
    if growable_list_items.of(machine, self) is not None:
        return machine.truth(machine.call(Const(list_library.contains), [self, item]))
    return equality.among(machine, item, contents(machine, self))


def _of_numbers(machine, self: Value, key: Value, where: dict) -> GrowableList | None:
    """A long list of numbers of one type as a growable list, once it is subscripted by an index on the device: what the
    list holds from now on. A list of the caller's is left as it is while it is only read."""
    read = where is GETITEM
    if not (read or where is SETITEM) or isinstance(key, Const) or is_slice(key) or not isinstance(self, Ref):
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
        if read or machine.facts.no_tables or len(contents.items) < _WRITTEN:
            return None
        machine.options |= Facts(no_tables=True)
    write(machine, self, growable_list_items.of_items(machine, contents.items, hollow(contents.items[0])))
    return growable_list_items.of(machine, self)


def _of_mixed_numbers(machine, self: Ref, contents: Tuple) -> GrowableList | None:
    """A list of ints and floats as a growable list, if these are too many to be told apart in branches."""
    if machine.facts.no_tables or len(contents.items) < _MIXED or not all(map(_is_number, contents.items)):
        return None
    growable = _packed(machine, contents, contents)
    if growable is None:
        return None
    machine.options |= Facts(no_tables=True)
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
    if not machine.facts.no_tables and not machine.is_static(key) and nested_lists.is_table(machine, self):
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
    if not isinstance(key, Slice) or kinds.heap_kind(machine, self) != "list":
        return None
    parts = [v for part in (key.start, key.stop) if not machine.is_static(part) for v in variables(part)]
    if all(machine.unrolls(var) or machine.specialisable(var) for var in parts):
        return None
    contents = machine.heap.read(as_ref(self).object, "<items>")
    if not isinstance(contents, Tuple) or not contents.items or any(isinstance(v, Ref) for v in contents.items):
        return None
    growable = _packed(machine, contents)
    if growable is not None and where is not GETITEM:
        write(machine, as_ref(self), growable)
    return growable
