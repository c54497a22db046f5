"""`list`, `tuple`, `sorted` and `collections.deque` of an iterable, whose number of items may depend on data.

list(range(n)); tuple(x); sorted(x[x > 0], reverse=True)
collections.deque(maxlen=5)
"""

from __future__ import annotations

import collections
from collections.abc import Callable

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.containers import lists, sequence_sorting
from xlapy.dispatch.containers.dynamic_tuples import is_tuple, of_list
from xlapy.dispatch.iterators import iteration, sequences
from xlapy.dispatch.numbers.scalar_values import fold
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.heap import CHANGES
from xlapy.domain.values import FALSE, NONE, Const, Tuple, Value
from xlapy.library.builtins import list as list_library

_NOTHING = Tuple(())


@registry.function(list)
def make_list(machine, iterable: Value = _NOTHING, /) -> Value:
    """`list(iterable)`."""

    def whole(items: Value) -> Value:
        return machine.new_list(iteration.items(machine, items))

    return _made(machine, list, iterable, {}, whole, list_library.list_of)


@registry.function(sorted)
def make_sorted(machine, iterable: Value, /, *, key: Value = NONE, reverse: Value = FALSE) -> Value:
    """`sorted(iterable, key=key, reverse=reverse)`."""
    named = {"key": key, "reverse": reverse}

    def whole(items: Value) -> Value:
        known = lambda: sequence_sorting.sort(machine, iteration.items(machine, items), key, reverse)  # noqa: E731
        each = lambda: machine.call(Const(list_library.sorted_list), [items], named)  # noqa: E731
        return growable_list_items.whole_or_each(machine, lambda: machine.new_list(known()), each, _TOO_MANY)

    return _made(machine, sorted, iterable, named, whole, list_library.sorted_list)


#: the refusal of more known objects than are compared one with another
_TOO_MANY = ("XP0006",)


@registry.function(collections.deque)
def make_deque(machine, iterable: Value = _NOTHING, maxlen: Value = NONE) -> Value:
    """`collections.deque(iterable, maxlen)`: a list of another class."""

    def whole(items: Value) -> Value:
        limit = machine.static(maxlen, "maxlen of a deque")
        fold(machine, collections.deque, (), limit)  # what it says of a wrong one
        held = iteration.items(machine, items)
        made = machine.new_list(held if limit is None else held[max(len(held) - limit, 0) :])
        machine.heap.objects[made.object].cls = collections.deque
        machine.heap.write(made.object, "maxlen", Const(limit))
        machine.heap.write(made.object, CHANGES, Const(0))
        return made

    return _made(machine, collections.deque, iterable, {"maxlen": maxlen}, whole, list_library.deque_of)


def _made(machine, function: Callable, iterable: Value, named: dict, whole: Callable, library: Callable) -> Value:
    """What a function makes of an iterable: `whole` takes all items at once, `library` is a loop over them."""
    users = kinds.heap_kind(machine, iterable) == "instance"
    if users:
        iterable = iteration.begun(machine, iterable, sized=function is not collections.deque)
        if kinds.heap_kind(machine, iterable) == "generator":
            return machine.call(Const(function), [iterable], named)

    def each() -> Value:
        return machine.call(Const(library), [iterable], named)

    growing = lists.grows(machine, iterable)
    if growing:
        return each()
    if growing is None and users:
        return growable_list_items.whole_or_each(
            machine,
            lambda: whole(machine.new_list(iteration.items(machine, iterable, growable_list_items.MANY_ITEMS))),
            lambda: growable_list_items.each_or_whole(machine, each, lambda: whole(iterable)),
        )
    if growing is None:
        return growable_list_items.whole_or_each(machine, lambda: whole(iterable), each)
    if _is_long(machine, iterable):
        return growable_list_items.each_or_whole(machine, each, lambda: whole(iterable))
    return whole(iterable)


def _is_long(machine, value: Value) -> bool:
    """Whether an iterable has so many items that a loop is better than to make each of them by itself."""
    growable = growable_list_items.of(machine, value)
    if growable is not None:
        return not growable_list_items.is_short(growable)
    if not sequences.is_iterator(machine, value):
        return False
    length = iteration.known_length(machine, value)
    return length is not None and length > growable_list_items.MANY_ITEMS


@registry.function(tuple)
def make_tuple(machine, iterable: Value = _NOTHING, /) -> Value:
    """`tuple(iterable)`."""
    iterable = iteration.begun(machine, iterable, sized=True)
    if is_tuple(machine, iterable) or isinstance(iterable, Tuple) and iterable.cls is tuple:
        return iterable
    if growable_list_items.is_whole(machine, iterable):
        return of_list(machine, iterable)

    def whole() -> Value:
        return Tuple(tuple(iteration.items(machine, iterable)))

    def each() -> Value:
        return of_list(machine, machine.call(Const(list), [iterable]))

    growing = lists.grows(machine, iterable)
    if growing is None:
        return growable_list_items.whole_or_each(machine, whole, each)
    return each() if growing else whole()
