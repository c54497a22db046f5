"""Sorts of iterators, and the one over sequences: anything with a length and items by index.

An iterator is a heap object of kind 'iterator' whose `details` is a `Kind`, the functions of its sort.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from xlapy.dispatch import unions, value_selection
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numbers.scalar_values import (
    INT_MAX,
    bounds_of,
    defines,
    logical_and,
)
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors import borrowed_elements, growable_list_items, nested_lists
from xlapy.domain import growable_lists, set_iteration_order
from xlapy.domain.values import (
    UNBOUND,
    BoundedArray,
    Const,
    JaxArray,
    NdArray,
    Range,
    Ref,
    Scalar,
    Text,
    Tuple,
    Union,
    Value,
    constants,
    tuple_items,
)
from xlapy.ir import Var

#: lists and tuples of like numbers longer than this become loops on the device
SHORT_SEQUENCE = 16
#: the number of items of an iterator that does not end
ENDLESS = Const(INT_MAX)
_ZERO = Const(0)
_ONE = Const(1)
_END = Const(-1)

Step = tuple["bool | Var", Callable[[], Value]]


SEVERAL = "iteration over one of several objects, which one depends on data"


class Plan(NamedTuple):
    """How an iterator becomes a loop on the device.

    `iterations` is the number of remaining items, an int; `element(k)` the k-th of them, for a `Scalar` in
    `range(iterations)`; `finish(k, ended)` makes the iterator one from which k items were taken, and that was asked for
    another one and had none where `ended` holds.
    """

    iterations: Value
    element: Callable[[Value], Value]
    finish: Callable[[Value, bool | Var], None]


@dataclass(frozen=True, eq=False)
class Kind:
    """One sort of iterator: functions of the machine and the object's number."""

    name: str
    step: Callable[[object, int], Step]
    plan: Callable[[object, int], Plan | None] = lambda machine, number: None
    known_length: Callable[[object, int], int | None] = lambda machine, number: None


#: slots that say how an iterator goes on, are known, and do not change
SETTINGS = frozenset(("strict", "size", "shared"))


def new(machine, kind: Kind, cls: type, /, **slots: Value) -> Ref:
    """A fresh iterator."""
    number = machine.heap.new("iterator", cls, machine.builder.location(), **slots)
    source = slots.get("source")
    if isinstance(source, Ref):
        machine.heap.begun[number] = machine.heap.scattered.get(source.object, 0)
    machine.heap.objects[number].details = kind
    return Ref(number)


def is_iterator(machine, value: Value) -> bool:
    """Whether a value is an iterator made by this module."""
    return isinstance(value, Ref) and isinstance(machine.heap.objects[value.object].details, Kind)


# -- sequences: anything with a length and items by index -------------------------------------------------------------


def sequence_of(machine, value: Value) -> Value | None:
    """`value` if its items can be had by index, as the source of an INDEXED iterator; None if they cannot."""
    match value:
        case Tuple():
            return value if value.cls is tuple or "__iter__" not in value.cls.__dict__ else None
        case Range():
            return value
        case NdArray() | JaxArray():
            shape = value.type.shape if isinstance(value, NdArray) else value.var.type.shape
            if not shape:
                machine.raise_(TypeError, "iteration over a 0-d array")
            return value
        case BoundedArray():
            return masked_axes.with_order(machine, value)
        case Ref():
            return value if machine.heap.objects[value.object].kind in ("list", "tuple") else None
        case Const():
            return constant_sequence(machine, value)
        case Text():
            return constant_sequence(machine, Const(machine.static(value, "a string whose characters are used")))
    return None


def constant_sequence(machine, value: Const) -> Value | None:
    """The items of a known immutable iterable as a `Tuple`; a range as it is; None if it is not iterable."""
    known: Any = value.value
    if isinstance(known, range):
        return value
    if isinstance(known, tuple | str | bytes | frozenset) or (
        isinstance(known, type) and hasattr(known, "__members__")
    ):
        items: Any = known
        if isinstance(known, frozenset):
            set_iteration_order.ask(known)
        return Tuple(tuple(map(Const, items)))
    if isinstance(known, np.ndarray | list | dict | set):
        raise Refused("XP0099", f"a {type(known).__name__} that is not in the heap")
    if defines(machine, type(known), "__iter__") and not isinstance(known, type):
        raise Refused(
            "XP0005",
            f"iteration over an object of type '{type(known).__name__}' from outside the program",
            "make a list or tuple of it first",
        )
    return None


def length_of(machine, source: Value) -> Value:
    """The number of items of a sequence."""
    match source:
        case Union():
            lists = nested_lists.of(machine, source)
            if lists is not None:
                return nested_lists.length(machine, source, lists)
            require_sequences(machine, source)
            return length_of(machine, source.alternatives[0])
        case Tuple():
            return Const(len(source.items))
        case NdArray():
            return Const(source.type.shape[0])
        case JaxArray():
            return Const(source.var.type.shape[0])
        case BoundedArray():
            return masked_axes.shape_of(machine, source)[0]
        case Ref():
            growable = growable_list_items.settled(machine, source)
            return (
                growable.length
                if growable is not None
                else Const(len(machine.heap.read(source.object, "<items>").items))
            )
    return range_objects.length(machine, source)


def require_sequences(machine, source: Union) -> None:
    """One of several sequences: all of them must be, and as long as each other, or rows of a table."""
    if nested_lists.of(machine, source) is not None:
        return
    for value in source.alternatives:
        if not isinstance(value, Tuple | Ref | NdArray | JaxArray) or sequence_of(machine, value) is not value:
            raise Refused("XP0004", SEVERAL)
    lengths = [length_of(machine, value) for value in source.alternatives]
    known = constants(lengths)
    if known is None or len(set(known)) > 1:
        raise Refused("XP0004", f"{SEVERAL}, of different lengths")


def item_of(machine, source: Value, position: Value, iterator: int | None = None) -> Value:
    """The item of a sequence at a position in range, which an iterator gives once."""
    match source:
        case Union():
            lists = nested_lists.of(machine, source)
            found = nested_lists.item(machine, source, lists, position) if lists else None
            return found or unions.over_unions(machine, (source,), lambda one: item_of(machine, one, position))
        case Tuple():
            return value_selection.gather(machine, source.items, position)
        case Ref():
            growable = growable_list_items.settled(machine, source)
            if growable is not None:
                return borrowed_elements.borrow(machine, source, growable, position, iterator=iterator)
            contents = tuple_items(machine.heap.read(source.object, "<items>"))
            known = isinstance(position, Const)
            if len(contents) <= (position.value if known else 0):  # of several contents one that nobody comes to
                machine.raise_(IndexError, "list index out of range")
            return contents[position.value] if known else value_selection.gather(machine, contents, position)
        case NdArray() | JaxArray() | BoundedArray():
            return _unchecked(machine, lambda: machine.getitem(source, position))
    return range_objects.item(machine, source, position)


def _unchecked(machine, action: Callable[[], Value]) -> Value:
    """The value of an action that raises nothing, though it may look so."""
    outer, machine.pending = machine.pending, []
    machine.catching += 1
    try:
        return action()
    finally:
        machine.catching -= 1
        machine.pending = outer


def loops(machine, source: Value) -> bool:
    """Whether a loop over a sequence is to be a loop on the device."""
    match source:
        case Union():
            require_sequences(machine, source)
            if not isinstance(length_of(machine, source), Const):
                return True
            return any(loops(machine, alternative) for alternative in source.alternatives)
        case Tuple():
            return len(source.items) > machine.short_sequence and value_selection.stackable(machine, source.items)
        case Ref():
            growable = growable_list_items.settled(machine, source)
            if growable is None:
                growable = growable_list_items.of_objects(machine, source)
            if growable is not None:
                if machine.facts.grows_lists_of_objects and growable_lists.has_own(growable.element):
                    return True
                return not isinstance(growable.length, Const) or growable.length.value > machine.short_sequence
            contents = tuple_items(machine.heap.read(source.object, "<items>"))
            return len(contents) > machine.short_sequence and value_selection.stackable(machine, contents)
    return True


def indexed_step(machine, number: int) -> Step:
    """Whether an iterator over a sequence has an item left, and how to get it."""
    source, position = machine.heap.read(number, "source"), machine.heap.read(number, "position")
    if isinstance(position, Const) and position.value == -1:
        return False, lambda: UNBOUND
    more = machine.truth(machine.compare("<", position, length_of(machine, source)))
    more = logical_and(machine, goes_on(machine, position), more)
    if more is False:
        machine.heap.write(number, "position", _END)

    def element() -> Value:
        at = machine.heap.read(number, "position")
        machine.heap.write(number, "position", machine.binary("+", at, _ONE))
        return item_of(machine, source, inside(machine, at, source), number)

    return more, element


def inside(machine, position: Value, source: Value) -> Value:
    """A position in a sequence with the bounds that being in range gives it."""
    return within(position, length_of(machine, source)) if isinstance(position, Scalar) else position


def within(position: Value, count: Value) -> Value:
    """A position among so many items with the bounds that being in range gives it."""
    if not isinstance(position, Scalar):
        return position
    (low, high), (_, most) = bounds_of(position), bounds_of(count)
    return Scalar(int, position.var, (max(low, 0), max(min(high, most - 1), 0)))


def goes_on(machine, position: Value) -> bool | Var:
    """Whether an iterator with a position has not come to its end, where it stays whatever becomes of the items."""
    return True if bounds_of(position)[0] >= 0 else machine.truth(machine.compare(">=", position, _ZERO))


def remaining(machine, position: Value, count: Value) -> Value:
    """How many of so many items an iterator has left."""
    left = range_objects.maximum(machine, machine.binary("-", count, position), _ZERO)
    return value_selection.choose(machine, goes_on(machine, position), left, _ZERO)


def position_behind(machine, start: Value, k: Value, ended: bool | Var) -> Value:
    """The position of an iterator from which k more items were taken, as for `Plan.finish`."""
    return value_selection.choose(machine, ended, _END, machine.binary("+", start, k))


def _indexed_plan(machine, number: int) -> Plan | None:
    source, start = machine.heap.read(number, "source"), machine.heap.read(number, "position")
    if not loops(machine, source):
        return None
    return indexed_plan(machine, number, source, start)


def indexed_plan(machine, number: int, source: Value, start: Value) -> Plan:
    """The plan of an iterator over a sequence from a position on."""
    count = length_of(machine, source)
    iterations = remaining(machine, start, count)

    def element(k: Value) -> Value:
        return item_of(machine, source, machine.binary("+", start, k), number)

    def finish(k: Value, ended: bool | Var) -> None:
        machine.heap.write(number, "position", position_behind(machine, start, k, ended))

    return Plan(iterations, element, finish)


def indexed_length(machine, number: int) -> int | None:
    """How many items an iterator over a sequence has left; None if that is not known."""
    source, start = machine.heap.read(number, "source"), machine.heap.read(number, "position")
    count = length_of(machine, source)
    if isinstance(start, Const) and isinstance(count, Const):
        return max(count.value - start.value, 0) if start.value >= 0 else 0
    return None


INDEXED = Kind("sequence", indexed_step, _indexed_plan, indexed_length)
