"""set and frozenset with known members, and the set operations of dict views."""

from __future__ import annotations

import operator

from xlapy.dispatch import table
from xlapy.dispatch.containers.common import compares_by_value, entries, key_of, set_entries
from xlapy.dispatch.containers.dicts import view_keys
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers.scalar_values import COMPARISONS, provoke
from xlapy.dispatch.protocol import Refused
from xlapy.domain.values import NONE, TRUE, Const, Ref, Value, key_value

_EMPTY = provoke(set().pop)
_FUNCTIONS = {"|": operator.or_, "&": operator.and_, "-": operator.sub, "^": operator.xor}
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


def members(machine, value: Value) -> set:
    """The members of any iterable of known keys, as a real set."""
    keys = view_keys(machine, value)
    if keys is None:
        keys = {}
        for item in iteration.items(machine, value):
            keys[key_of(machine, item, keys, "element")] = TRUE
    if any(compares_by_value(machine, key) for key in keys):
        raise Refused("XP0004", "an operation of sets of objects with an __eq__ of their own", "use 'in' and add")
    return set(keys)


def _made(machine, like: Value, found) -> Value:
    """A set of the class of `like`: a frozenset if that is one."""
    if machine.type_of(like) is frozenset:
        return frozen(machine, found)
    return machine.new_set(list(found))


def frozen(machine, found) -> Value:
    """A frozenset with these members."""
    if any(isinstance(k, Value) for k in found):
        raise Refused("XP0004", "a frozenset of objects")
    return Const(frozenset(found))


@table.function(set)
def make_set(machine, iterable: Value | None = None, /) -> Value:
    """`set(iterable)`."""
    return machine.new_set(list(members(machine, iterable)) if iterable is not None else [])


@table.function(frozenset)
def make_frozenset(machine, iterable: Value | None = None, /) -> Value:
    """`frozenset(iterable)`."""
    return frozen(machine, members(machine, iterable) if iterable is not None else [])


@table.operator(set, frozenset, type({}.keys()), type({}.items()))
def set_operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`| & - ^`, their in-place forms, and comparisons."""
    one, two = view_keys(machine, left), view_keys(machine, right)
    if one is None or two is None:
        return None
    if symbol in COMPARISONS:
        return Const(COMPARISONS[symbol](set(one), set(two)))
    plain = symbol.removesuffix("=")
    if plain not in _FUNCTIONS:
        return None
    found = _FUNCTIONS[plain](set(one), set(two))
    if symbol != plain and machine.type_of(left) is set:
        set_entries(machine, left, dict.fromkeys(found, TRUE))  # type: ignore[arg-type]
        return left
    return _made(machine, left, found)


def _combine(symbol: str):
    def rule(machine, self: Value, *others: Value) -> Value:
        found = members(machine, self)
        for other in others:
            found = _FUNCTIONS[symbol](found, members(machine, other))
        return _made(machine, self, found)

    return rule


def _update(symbol: str):
    def rule(machine, self: Ref, *others: Value) -> Value:
        found = members(machine, self)
        for other in others:
            found = _FUNCTIONS[symbol](found, members(machine, other))
        set_entries(machine, self, dict.fromkeys(found, TRUE))
        return NONE

    return rule


def _test(name: str):
    def rule(machine, self: Value, other: Value) -> Value:
        return Const(getattr(members(machine, self), name)(members(machine, other)))

    return rule


for _cls in (set, frozenset):
    for _name, _symbol in _METHODS.items():
        table.method(_cls, _name)(_combine(_symbol))
    for _name in ("issubset", "issuperset", "isdisjoint"):
        table.method(_cls, _name)(_test(_name))
for _name, _symbol in _UPDATES.items():
    table.method(set, _name)(_update(_symbol))


@table.method(set, "add")
def _add(machine, self: Ref, item: Value) -> Value:
    found = entries(machine, self)
    found[key_of(machine, item, found, "element")] = TRUE
    set_entries(machine, self, found)
    return NONE


@table.method(set, "discard")
def _discard(machine, self: Ref, item: Value) -> Value:
    found = entries(machine, self)
    found.pop(key_of(machine, item, found, "element"), None)
    set_entries(machine, self, found)
    return NONE


@table.method(set, "remove")
def _remove(machine, self: Ref, item: Value) -> Value:
    found = entries(machine, self)
    key = key_of(machine, item, found, "element")
    if key not in found:
        machine.raise_(KeyError, item)
    del found[key]
    set_entries(machine, self, found)
    return NONE


@table.method(set, "pop")
def _pop(machine, self: Ref) -> Value:
    found = members(machine, self)
    if not found:
        machine.raise_(KeyError, *_EMPTY.args)
    key = found.pop()
    rest = entries(machine, self)
    del rest[key]
    set_entries(machine, self, rest)
    return key_value(key)


@table.method(set, "clear")
def _clear(machine, self: Ref) -> Value:
    set_entries(machine, self, {})
    return NONE


@table.method(set, "copy", "__copy__")
def _copy(machine, self: Ref) -> Value:
    return machine.new_set(list(entries(machine, self)))


@table.method(frozenset, "copy")
def _frozen_copy(machine, self: Value) -> Value:
    return self
