"""collections.Counter: a dict whose missing counts are zero.

counts = collections.Counter(x); counts.update(y); counts.subtract(z)
counts.most_common(3), counts.total(), counts + other, counts - other, counts <= other
"""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.containers import dynamic_dicts
from xlapy.dispatch.containers.container_protocol import entries, key_of, new_dict, set_entries
from xlapy.dispatch.containers.dicts import dict_operator, is_dict
from xlapy.dispatch.containers.keyed_methods import keyed
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers.scalar_values import COMPARISONS, logical_and, logical_not
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.values import NONE, Const, Mapping, Ref, Tuple, Value, as_ref, is_none, key_value
from xlapy.ir import Var
from xlapy.library.builtins import counter as counter_library

_COMBINED = {"+": operator.add, "-": operator.sub, "&": min, "|": max}


@registry.function(collections.Counter)
def make_counter(machine, iterable: Value = NONE, /, **kwargs: Value) -> Value:
    """`collections.Counter`."""
    made = new_dict(machine, collections.Counter, {})
    _counted(machine, made, iterable, kwargs, "+")
    return made


@registry.method(collections.Counter, "update")
def _update(machine, self: Ref, iterable: Value = NONE, /, **kwargs: Value) -> Value:
    return _counted(machine, self, iterable, kwargs, "+")


@registry.method(collections.Counter, "subtract")
def _subtract(machine, self: Ref, iterable: Value = NONE, /, **kwargs: Value) -> Value:
    return _counted(machine, self, iterable, kwargs, "-")


def _counted(machine, self: Ref, source: Value, more: dict[str, Value], symbol: str) -> Value:
    """`self.update(source, **more)`, or the same of `subtract`."""
    unknown = dynamic_dicts.of(machine, self) is not None or dynamic_dicts.has_unknown(machine, source)
    kind = kinds.heap_kind(machine, source)
    loop = counter_library.count_each if symbol == "+" else counter_library.subtract_each
    whole = lambda: _count_known(machine, self, source, more, symbol)  # noqa: E731
    if more or not unknown and kind != "generator":
        whole()
    elif not unknown:
        each = lambda: machine.call(Const(loop), [self, source])  # noqa: E731
        growable_list_items.whole_or_each(machine, whole, each)
    elif kind == "dict":
        counts = machine.call(machine.getattr(source, "copy"), []) if source == self else source
        machine.call(Const(counter_library.count_more), [self, counts, Const(1 if symbol == "+" else -1)])
    else:
        machine.call(Const(loop), [self, dynamic_dicts.ordered(machine, source)])
    return NONE


def _count_known(machine, self: Ref, source: Value, more: dict[str, Value], symbol: str) -> Value:
    table_ = entries(machine, self)
    counts: list[tuple[Value, Value]] = []
    if kinds.heap_kind(machine, source) == "dict":
        counts += [(key_value(key), count) for key, count in entries(machine, source).items()]
    elif not is_none(source):
        counts += [(item, Const(1)) for item in iteration.items(machine, source)]
    for item, count in [*counts, *((Const(name), count) for name, count in more.items())]:
        key = key_of(machine, item, table_, "counted" if symbol == "+" else "key")
        table_[key] = machine.binary(symbol, table_.get(key, Const(0)), count)
    set_entries(machine, self, table_)
    return NONE


@keyed("total", collections.Counter)
def _total(machine, self: Ref, unknown: bool) -> Value:
    if unknown:
        return machine.call(Const(sum), [dynamic_dicts.listed(machine, self, "values")])
    total: Value = Const(0)
    for count in entries(machine, self).values():
        total = machine.binary("+", total, count)
    return total


@registry.method(collections.Counter, "most_common")
def _most_common(machine, self: Ref, n: Value = NONE) -> Value:
    if dynamic_dicts.of(machine, self) is not None:
        return machine.call(Const(counter_library.most_common), [dynamic_dicts.listed(machine, self, "items"), n])
    found = entries(machine, self)
    if not all(map(machine.is_static, found.values())):
        pairs = machine.new_list([Tuple((key_value(k), v)) for k, v in found.items()])
        return machine.call(Const(counter_library.most_common), [pairs, n])
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
    """Arithmetic and comparisons of counters; the rest is dict's."""
    plain = symbol if symbol in COMPARISONS else symbol.removesuffix("=")
    sides = (left, right)
    if not all(is_dict(machine, v) for v in sides) or not (plain in _COMBINED or plain == symbol):
        return dict_operator(machine, symbol, left, right)
    if _has_unknown_counts(machine, sides) and all(issubclass(machine.type_of(v), collections.Counter) for v in sides):
        one, other = (_with_keys_on_device(machine, as_ref(v)) for v in sides)
        if plain not in _COMBINED:
            return _compared(machine, symbol, one, other)
        made = new_dict(machine, collections.Counter, {})
        machine.call(Const(counter_library.combined), [made, one, other, Const(_COMBINED[plain])])
        contents = machine.heap.read(made.object, "<items>")
    elif plain not in _COMBINED:
        return dict_operator(machine, symbol, left, right)
    else:
        counters = [{k: machine.static(v, "a count") for k, v in entries(machine, v).items()} for v in sides]
        one, other = map(collections.Counter, counters)
        function = {"+": operator.add, "-": operator.sub, "&": operator.and_, "|": operator.or_}[plain]
        contents = Mapping({k: Const(v) for k, v in function(one, other).items()})
    owner = as_ref(left) if plain != symbol else new_dict(machine, collections.Counter, {})
    machine.heap.write(owner.object, "<items>", contents)
    return owner


def _has_unknown_counts(machine, counters: tuple[Value, ...]) -> bool:
    if any(dynamic_dicts.of(machine, v) is not None for v in counters):
        return True
    return not all(machine.is_static(count) for v in counters for count in entries(machine, v).values())


def _with_keys_on_device(machine, counter: Ref) -> Value:
    """A counter as one of unknown keys, if it has any."""
    if dynamic_dicts.of(machine, counter) is not None or not entries(machine, counter):
        return counter
    made = new_dict(machine, collections.Counter, {})
    dynamic_dicts.write(machine, made, dynamic_dicts.converted(machine, counter))
    return made


def _compared(machine, symbol: str, one: Value, other: Value) -> Value:
    def every(holds: Callable) -> bool | Var:
        return machine.truth(machine.call(Const(counter_library.all_hold), [one, other, Const(holds)]))

    if symbol in (">", ">="):
        one, other = other, one
    if symbol in ("==", "!="):
        same = every(operator.eq)
        return machine.boolean(same if symbol == "==" else logical_not(machine, same))
    at_most = every(operator.le)
    if symbol in ("<", ">"):
        at_most = logical_and(machine, at_most, logical_not(machine, every(operator.eq)))
    return machine.boolean(at_most)


@registry.method(collections.Counter, "__pos__")
def _positive(machine, self: Ref) -> Value:
    """`+counter`: the counts above zero."""
    return machine.binary("+", self, new_dict(machine, collections.Counter, {}))


@registry.method(collections.Counter, "__neg__")
def _negative(machine, self: Ref) -> Value:
    """`-counter`: the counts below zero, without their signs."""
    return machine.binary("-", new_dict(machine, collections.Counter, {}), self)
