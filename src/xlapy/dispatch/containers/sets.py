"""set and frozenset with known members, and the set operations of dict views."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

from xlapy.dispatch import registry
from xlapy.dispatch.containers import dynamic_set_order
from xlapy.dispatch.containers.container_protocol import (
    asked_for,
    compares_by_value,
    entries,
    heap_kind,
    key_of,
    set_entries,
)
from xlapy.dispatch.containers.dicts import view_keys
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers.scalar_values import COMPARISONS, provoke
from xlapy.dispatch.protocol import Refused
from xlapy.domain import growable_lists, set_iteration_order
from xlapy.domain.values import NONE, TRUE, Const, Mapping, Ref, Tuple, Value, as_ref, key_value

_EMPTY = provoke(set().pop)
_LIKE_SETS = (set, frozenset, type({}.keys()), type({}.items()))
_FUNCTIONS = {"|": operator.or_, "&": operator.and_, "-": operator.sub, "^": operator.xor}
_IN_PLACE = {"|": operator.ior, "&": operator.iand, "-": operator.isub, "^": operator.ixor}
_METHODS = {
    "union": "|",
    "intersection": "&",
    "difference": "-",
    "symmetric_difference": "^",
}
_UPDATES = {
    "update": "|",
    "intersection_update": "&",
    "difference_update": "-",
    "symmetric_difference_update": "^",
}


def taken(machine, value: Value, place: str = "element") -> tuple[dict, Any]:
    """The members of any iterable of known keys, and a real container that CPython would go through as it would through
    this one, or `set_order.UNKNOWN`. `place` says what takes them, if that is not a set."""
    keys = view_keys(machine, value)
    if keys is not None:
        return keys, _real(machine, value, keys)
    keys = {}
    for item in iteration.items(machine, value):
        keys[key_of(machine, item, keys, place)] = TRUE
    if any(compares_by_value(machine, key) for key in keys):
        raise Refused("XP0004", "an operation of sets of objects with an __eq__ of their own", "use 'in' and add")
    plain = dict.fromkeys(keys)
    return keys, plain if machine.type_of(value) is dict else list(plain)


def _real(machine, value: Value, keys: dict) -> Any:
    """A real set or view with the table that CPython's would have."""
    if isinstance(value, Const):
        return value.value
    info = machine.heap.objects[as_ref(value).object]
    if info.kind == "set":
        history = _history(machine, value)
        return (
            set_iteration_order.UNKNOWN
            if history is None or history.order is not None
            else set_iteration_order.replayed(history)
        )
    return dict.fromkeys(keys).keys() if info.details == "keys" else dict([*keys]).items()


def _all_taken(machine, values: Sequence[Value], place: str = "element") -> tuple[list[dict], list[Any]]:
    """What `taken` says of several iterables; CPython treats a set that meets itself in a way of its own."""
    known: dict[int, tuple[dict, Any]] = {}
    parts = []
    for value in values:
        is_set = isinstance(value, Ref) and machine.heap.objects[value.object].kind == "set"
        number = as_ref(value).object if is_set else -1
        part = known.get(number) or taken(machine, value, place)
        if is_set:
            known[number] = part
        parts.append(part)
    return [keys for keys, _ in parts], [real for _, real in parts]


def _history(machine, value: Value) -> set_iteration_order.SetHistory | None:
    contents = machine.heap.read(as_ref(value).object, "<items>")
    return contents.history if isinstance(contents, Mapping) else None


def members(machine, value: Value) -> set:
    """The members of any iterable of known keys, as a real set."""
    return set(taken(machine, value)[0])


def _made(machine, cls: type, found, function, *operands: object) -> Value:
    """The set or frozenset that a function makes of real operands; `found` are its members."""
    history = set_iteration_order.extended(set_iteration_order.EMPTY, set_iteration_order.Made(function), *operands)
    if cls is not frozenset:
        return machine.new_set(list(found), history)
    if any(isinstance(k, Value) for k in found):
        raise Refused("XP0004", "a frozenset of objects")
    if history is None and len(found) > 1:
        raise dynamic_set_order.order_refusal()
    return Const(frozenset(found) if history is None else set_iteration_order.replayed(history))


def _constructor(cls: type):
    def rule(machine, iterable: Value | None = None, /) -> Value:
        keys, real = taken(machine, iterable) if iterable is not None else ({}, ())
        return _made(machine, cls, keys, cls, real)

    return rule


registry.function(set)(_constructor(set))
registry.function(frozenset)(_constructor(frozenset))


@registry.operator(*_LIKE_SETS)
def set_operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`| & - ^`, their in-place forms, and comparisons."""
    if view_keys(machine, left) is None or view_keys(machine, right) is None:
        if machine.type_of(left) in _LIKE_SETS and machine.type_of(right) in _LIKE_SETS:
            raise Refused("XP0004", "an operation of sets and the items of a dict with values that depend on data")
        if symbol in COMPARISONS or not any(_is_view(machine, side) for side in (left, right)):
            return None
    (one, two), (first, second) = _all_taken(machine, (left, right))
    if symbol in COMPARISONS:
        return Const(COMPARISONS[symbol](set(one), set(two)))
    plain = symbol.removesuffix("=")
    if plain not in _FUNCTIONS:
        return None
    found = _FUNCTIONS[plain](set(one), set(two))
    cls = machine.type_of(left)
    if symbol != plain and cls is set and machine.type_of(right) in (set, frozenset):
        operand = set_iteration_order.ITSELF if first is second else second
        history = set_iteration_order.extended(_history(machine, left), _IN_PLACE[plain], operand)
        set_entries(machine, as_ref(left), dict.fromkeys(found, TRUE), history)
        return left
    return _made(machine, cls, found, _FUNCTIONS[plain], first, second)


def _is_view(machine, value: Value) -> bool:
    """Whether a value is a view of the keys or items of a dict: such ones have operators with any iterable."""
    return heap_kind(machine, value) == "view" and view_keys(machine, value) is not None


def check_count(name: str, others: Sequence[Value]) -> None:
    """Methods of sets take any number of others, but for these."""
    if name.startswith("symmetric_difference") and len(others) != 1:
        raise registry.Unfit(f"{name}() takes exactly one argument")


def _combine(name: str, symbol: str):
    def rule(machine, self: Value, *others: Value) -> Value:
        check_count(name, others)
        keys, real = _all_taken(machine, (self, *others), name)
        found = functools.reduce(_FUNCTIONS[symbol], map(set, keys))
        cls = machine.type_of(self)
        return _made(machine, cls, found, getattr(cls, name), *real)

    return rule


def _update(name: str, symbol: str):
    def rule(machine, self: Ref, *others: Value) -> Value:
        check_count(name, others)
        keys, (own, *real) = _all_taken(machine, (self, *others), name)
        found = functools.reduce(_FUNCTIONS[symbol], map(set, keys))
        operands = (set_iteration_order.ITSELF if operand is own else operand for operand in real)
        history = set_iteration_order.extended(_history(machine, self), getattr(set, name), *operands)
        set_entries(machine, self, dict.fromkeys(found, TRUE), history)
        return NONE

    return rule


def _test(name: str):
    def rule(machine, self: Value, other: Value) -> Value:
        mine = members(machine, self)
        if name == "issubset" or view_keys(machine, other) is not None:
            return Const(getattr(mine, name)(set(taken(machine, other, name)[0])))
        wanted = name == "issuperset"
        for item in iteration.items(machine, other):
            # what comes behind one that decides need not have a hash
            if any((key in mine) is not wanted for key in taken(machine, Tuple((item,)))[0]):
                return Const(False)
        return Const(True)

    return rule


for _cls in (set, frozenset):
    for _name, _symbol in _METHODS.items():
        registry.method(_cls, _name)(_combine(_name, _symbol))
    for _name in ("issubset", "issuperset", "isdisjoint"):
        registry.method(_cls, _name)(_test(_name))
for _name, _symbol in _UPDATES.items():
    registry.method(set, _name)(_update(_name, _symbol))


def _change(machine, self: Ref, found: dict, method, *operands: object) -> None:
    set_entries(machine, self, found, set_iteration_order.extended(_history(machine, self), method, *operands))


@registry.method(set, "add")
def _add(machine, self: Ref, item: Value) -> Value:
    found = entries(machine, self)
    key = key_of(machine, item, found, "element")
    if key not in found:
        _change(machine, self, {**found, key: TRUE}, set.add, key)
    return NONE


@registry.method(set, "discard")
def _discard(machine, self: Ref, item: Value) -> Value:
    found = entries(machine, self)
    key = key_of(machine, asked_for(machine, item), found, "element")
    if found.pop(key, None) is not None:
        _change(machine, self, found, set.discard, key)
    return NONE


@registry.method(set, "remove")
def _remove(machine, self: Ref, item: Value) -> Value:
    found = entries(machine, self)
    key = key_of(machine, asked_for(machine, item), found, "element")
    if key not in found:
        machine.raise_(KeyError, item)
    del found[key]
    _change(machine, self, found, set.discard, key)
    return NONE


@registry.method(set, "pop")
def _pop(machine, self: Ref) -> Value:
    found = entries(machine, self)
    if not found:
        machine.raise_(KeyError, *_EMPTY.args)
    real = _real(machine, self, found)
    if real is set_iteration_order.UNKNOWN and len(found) > 1:
        raise dynamic_set_order.order_refusal()
    key = next(iter(found)) if real is set_iteration_order.UNKNOWN else real.pop()
    del found[key]
    _change(machine, self, found, set.pop)
    return key_value(key)


@registry.method(set, "clear")
def _clear(machine, self: Ref) -> Value:
    # of members that were only added, the empty table is left
    if growable_lists.only_added(machine.heap.read(self.object, "<items>")):
        set_entries(machine, self, {}, set_iteration_order.EMPTY)
    else:
        _change(machine, self, {}, set.clear)
    return NONE


@registry.method(set, "copy", "__copy__")
def _copy(machine, self: Ref) -> Value:
    found = entries(machine, self)
    return _made(machine, set, found, set.copy, _real(machine, self, found))


@registry.method(frozenset, "copy")
def _frozen_copy(machine, self: Value) -> Value:
    return self
