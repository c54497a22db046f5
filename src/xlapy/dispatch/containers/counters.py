"""collections.Counter: a dict whose missing counts are zero."""

from __future__ import annotations

import collections
import operator
from typing import Any

from xlapy.dispatch import registry
from xlapy.dispatch.containers import container_protocol
from xlapy.dispatch.containers.container_protocol import entries, key_of, new_dict, set_entries
from xlapy.dispatch.containers.dicts import dict_operator, is_dict
from xlapy.dispatch.iterators import iteration
from xlapy.domain.values import NONE, Const, Ref, Tuple, Value, as_ref, is_none, key_value


@registry.function(collections.Counter)
def make_counter(machine, /, *args: Value, **kwargs: Value) -> Value:
    """`collections.Counter`."""
    made = new_dict(machine, collections.Counter, {})
    _count(machine, made, args[0] if args else NONE, kwargs, "+")
    return made


def _count(machine, self: Ref, source: Value, more: dict[str, Value], symbol: str) -> None:
    table_ = entries(machine, self)
    counts: list[tuple[Value, Value]] = []
    if container_protocol.heap_kind(machine, source) == "dict":
        counts += [(key_value(key), count) for key, count in entries(machine, source).items()]
    elif not is_none(source):
        counts += [(item, Const(1)) for item in iteration.items(machine, source)]
    for item, count in [*counts, *((Const(name), count) for name, count in more.items())]:
        key = key_of(machine, item, table_, "counted" if symbol == "+" else "key")
        table_[key] = machine.binary(symbol, table_.get(key, Const(0)), count)
    set_entries(machine, self, table_)


@registry.method(collections.Counter, "update")
def _counter_update(machine, self: Ref, iterable: Value = NONE, /, **kwargs: Value) -> Value:
    _count(machine, self, iterable, kwargs, "+")
    return NONE


@registry.method(collections.Counter, "subtract")
def _counter_subtract(machine, self: Ref, iterable: Value = NONE, /, **kwargs: Value) -> Value:
    _count(machine, self, iterable, kwargs, "-")
    return NONE


@registry.method(collections.Counter, "total")
def _counter_total(machine, self: Ref) -> Value:
    total: Value = Const(0)
    for count in entries(machine, self).values():
        total = machine.binary("+", total, count)
    return total


def most_common(pairs, n):
    """The pairs of a key and a count in the order of the counts, the largest first; the first `n` of them."""
    found = sorted(pairs, key=lambda pair: pair[1], reverse=True)
    return found if n is None else found[:n]


@registry.method(collections.Counter, "most_common")
def _counter_most_common(machine, self: Ref, n: Value = NONE) -> Value:
    found = entries(machine, self)
    if not all(map(machine.is_static, found.values())):
        pairs = machine.new_list([Tuple((key_value(k), v)) for k, v in found.items()])
        return machine.call(Const(most_common), [pairs, n])
    known = {k: machine.static(v, "a count") for k, v in found.items()}
    pairs = collections.Counter(known).most_common(machine.static(n))
    return machine.new_list([Tuple((key_value(k), Const(v))) for k, v in pairs])


@registry.method(collections.Counter, "elements")
def _counter_elements(machine, self: Ref) -> Value:
    known = {k: machine.static(v, "a count") for k, v in entries(machine, self).items()}
    repeated = Tuple(tuple(key_value(k) for k in collections.Counter(known).elements()))
    return iteration.make_iterator(machine, repeated)


@registry.operator(collections.Counter)
def counter_operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """Arithmetic of counters, where all counts are known; the rest is dict's."""
    plain = symbol.removesuffix("=")
    if plain not in ("+", "-", "&", "|") or not (is_dict(machine, left) and is_dict(machine, right)):
        return dict_operator(machine, symbol, left, right)
    known = [
        collections.Counter({k: machine.static(v, "a count") for k, v in entries(machine, side).items()})
        for side in (left, right)
    ]
    function = {"+": operator.add, "-": operator.sub, "&": operator.and_, "|": operator.or_}[plain]
    result: dict[Any, Value] = {k: Const(v) for k, v in function(*known).items()}
    if symbol != plain:
        set_entries(machine, as_ref(left), result)
        return left
    return new_dict(machine, collections.Counter, result)


@registry.method(collections.Counter, "__pos__")
def _positive(machine, self: Ref) -> Value:
    """`+counter`: the counts above zero."""
    return machine.binary("+", self, new_dict(machine, collections.Counter, {}))


@registry.method(collections.Counter, "__neg__")
def _negative(machine, self: Ref) -> Value:
    """`-counter`: the counts below zero, without their signs."""
    return machine.binary("-", new_dict(machine, collections.Counter, {}), self)
