"""Operators of list, tuple and deque.

items += [x]; both = left + right; zeros = [0] * n
left == right, (d, k) < (other, j)
"""

from __future__ import annotations

import collections

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.containers import container_protocol, lists
from xlapy.dispatch.containers.container_protocol import contents, set_contents
from xlapy.dispatch.containers.dynamic_tuples import as_list, is_tuple, of_list
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.iterators.deques import note_change
from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numbers.scalar_values import COMPARISONS, defines, kind_of, logical_not
from xlapy.dispatch.vectors import equality, growable_list_edits, growable_list_items
from xlapy.dispatch.vectors.equality import ORDERINGS
from xlapy.domain.values import (
    Const,
    GrowableList,
    Ref,
    Tuple,
    Value,
    as_ref,
    number_var,
)
from xlapy.library.builtins import list as list_library


@registry.operator(list, tuple, collections.deque)
def sequence_operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`+`, `*`, comparisons, and the in-place forms that change a list or deque."""
    cls, other = lists.built_in(machine, left), lists.built_in(machine, right)
    if symbol == "+=" and cls not in (tuple, None):
        lists.extend(machine, as_ref(left), right)
        return left
    if symbol in ("*", "*="):
        return _repeated(machine, symbol, left, right) if cls is not None else _repeated(machine, "*", right, left)
    adds = symbol in ("+", "+=")
    if not adds and symbol not in COMPARISONS:
        return None
    if cls is None or cls is not other:
        if adds and cls is not None and not defines(machine, machine.type_of(right), "__radd__"):
            name = iteration.type_name(machine, right)
            machine.raise_(TypeError, f'can only concatenate {cls.__name__} (not "{name}") to {cls.__name__}')
        return None
    if is_tuple(machine, left) or is_tuple(machine, right):
        one, two = as_list(machine, left), as_list(machine, right)
        return of_list(machine, machine.binary("+", one, two)) if adds else machine.compare(symbol, one, two)
    return _joined(machine, cls, left, right) if adds else _compared(machine, symbol, cls, left, right)


def _is_whole(machine, *values: Value) -> bool:
    """Whether one of several sequences is not taken apart: of a length that depends on data, or a long one."""
    return any(growable_list_items.is_whole(machine, v) for v in values)


# -- times ------------------------------------------------------------------------------------------------------------


def _repeated(machine, symbol: str, items: Value, times: Value) -> Value | None:
    if not range_objects.is_index(machine, times):
        return _no_count(machine, times)
    if is_tuple(machine, items):
        return of_list(machine, machine.binary("*", as_list(machine, items), times))
    if _by_data(machine, items, times):
        return _repeated_by_data(machine, symbol, items, times)
    count = max(range_objects.static_count(machine, times, "how often a sequence is repeated"), 0)
    repeated = contents(machine, items) * count
    if lists.built_in(machine, items) is tuple:
        return Tuple(repeated)
    owner = as_ref(items)
    most = lists.limit(machine, owner)
    repeated = repeated if most is None else repeated[max(len(repeated) - most, 0) :]
    if symbol == "*":
        return lists.like(machine, owner, repeated)
    if count != 1:
        note_change(machine, owner, container_protocol.length(machine, owner))
    set_contents(machine, owner, repeated)
    return items


def _by_data(machine, items: Value, times: Value) -> bool:
    """Whether the length of a sequence that is repeated depends on data."""
    if not isinstance(items, Ref) or lists.built_in(machine, items) is collections.deque:
        return False
    if growable_list_items.is_whole(machine, items):
        return True
    if machine.is_static(times) or machine.specialisable(number_var(times)):
        return False
    machine.could_prefer_growable = True
    return machine.prefers_growable


def _repeated_by_data(machine, symbol: str, items: Value, times: Value) -> Value:
    if isinstance(times, Const):
        range_objects.static_count(machine, times, "how often a list is repeated")
    made = machine.call(Const(list_library.repeated), [items, times])
    if symbol == "*":
        return made
    lists.write(machine, as_ref(items), growable_list_edits.as_growable_list(machine, made))
    return items


def _no_count(machine, value: Value) -> Value | None:
    """A sequence times what is no int: left to the other operand's type, if that is not one of Python's own."""
    cls = machine.type_of(value)
    if kind_of(value) is None and not issubclass(cls, np.generic) and defines(machine, cls, "__rmul__"):
        return None
    name = iteration.type_name(machine, value)
    return machine.raise_(TypeError, f"can't multiply sequence by non-int of type '{name}'")


# -- plus -------------------------------------------------------------------------------------------------------------


def _joined(machine, cls: type, left: Value, right: Value) -> Value:
    if cls is tuple:
        return Tuple((*contents(machine, left), *contents(machine, right)))
    if cls is list and not _is_whole(machine, left, right):
        return machine.new_list((*contents(machine, left), *contents(machine, right)))
    made = lists.copied(machine, as_ref(left))
    if _is_whole(machine, left, right):
        lists.write(machine, made, _room_for_both(machine, as_ref(left), as_ref(right)))
    machine.call(machine.getattr(made, "extend"), [right])
    return made


def _room_for_both(machine, left: Ref, right: Ref) -> GrowableList:
    """The contents of `left` as a growable list; of known ones, as a growable list that takes what is in `right`,
    too."""
    found = growable_list_items.of(machine, left)
    if found is not None:
        return found
    other = growable_list_items.of(machine, right)
    assert other is not None
    items, element = contents(machine, left), other.element
    if items:
        common = growable_list_items.common_element(machine, items)
        element = growable_list_items.exact_joiner(machine).join(common, element)
    return growable_list_items.of_items(machine, items, element)


# -- comparisons ------------------------------------------------------------------------------------------------------


def _compared(machine, symbol: str, cls: type, left: Value, right: Value) -> Value:
    asks_equal = symbol in ("==", "!=")
    if asks_equal and cls is not tuple and left == right:
        return Const(symbol == "==")
    if not _is_whole(machine, left, right):
        sides = contents(machine, left), contents(machine, right)
        found = equality.compare_sequences(machine, symbol, *sides)
        return machine.boolean(machine.truth(found)) if cls is collections.deque else found
    if not asks_equal:
        return machine.call(Const(list_library.in_order), [left, right, Const(ORDERINGS[symbol])])
    same = machine.call(Const(list_library.equal), [left, right])
    return same if symbol == "==" else machine.boolean(logical_not(machine, machine.truth(same)))
