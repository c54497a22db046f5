"""Methods and operators of deques after which an iterator over the deque cannot go on."""

from __future__ import annotations

import collections
from collections.abc import Callable

from xlapy.dispatch import registry
from xlapy.dispatch.containers import (  # noqa: F401
    container_protocol,
    growable_list_items,
    growable_list_methods,
    growable_list_subscripts,
    lists,
)
from xlapy.dispatch.iterators import sequences
from xlapy.dispatch.iterators.deques import is_deque, note_change
from xlapy.domain.values import Const, Ref, Value, as_ref

_ONE = Const(1)
#: methods that do nothing to some deques: how many changes there are, given the length before and the arguments
_COUNTS: dict[str, Callable] = {
    "clear": lambda machine, self, length: length,
    "rotate": lambda machine, self, length, *by: machine.binary("//", length, Const(2)),
    "extend": lambda machine, self, length, items: _added(machine, self, length, items),
    "extendleft": lambda machine, self, length, items: _added(machine, self, length, items),
}
_ALWAYS = ("append", "appendleft", "pop", "popleft", "insert", "remove")


def _length(machine, owner: Ref) -> Value:
    growable = growable_list_items.settled(machine, owner)
    return growable.length if growable is not None else Const(len(container_protocol.contents(machine, owner)))


def _added(machine, self: Ref, length: Value, items: Value) -> Value:
    """How many items came in; a full deque has as many as before then."""
    if lists.limit(machine, self) is None:
        return machine.binary("-", _length(machine, self), length)
    sized = sequences.sequence_of(machine, items) is not None
    return sequences.length_of(machine, items) if sized else _ONE


def _noted(name: str) -> None:
    before = registry.method_rule(collections.deque, name)
    count = _COUNTS.get(name)

    def rule(machine, self: Value, /, *args: Value, **kwargs: Value) -> Value:
        if not (machine.counts_changes and isinstance(self, Ref)):
            return registry.passed_on(before, machine, self, *args, **kwargs)
        length = _length(machine, self) if count is not None else _ONE
        result = registry.passed_on(before, machine, self, *args, **kwargs)
        note_change(machine, self, count(machine, self, length, *args) if count is not None else _ONE)
        return result

    for mark, marked in (
        (registry.takes_mixed, registry.accepts(before, True)),
        (registry.takes_unions, registry.accepts(before, False)),
        (registry.puts, registry.puts_item(before)),
    ):
        rule = mark(rule) if marked else rule
    registry.method(collections.deque, name)(rule)


for _name in (*_ALWAYS, *_COUNTS):
    _noted(_name)


_operators = registry.OPERATORS[collections.deque]


def _operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    changes = machine.counts_changes and symbol in ("+=", "*=") and is_deque(machine, left)
    if not changes or isinstance(right, Const) and right.value == 1:
        return _operators(machine, symbol, left, right)
    owner = as_ref(left)
    length = _length(machine, owner)
    result = _operators(machine, symbol, left, right)
    note_change(machine, owner, _added(machine, owner, length, right) if symbol == "+=" else length)
    return result


registry.OPERATORS[collections.deque] = _operator


_delete = container_protocol.DELITEM[collections.deque]


def _delitem(machine, self: Ref, key: Value) -> None:
    _delete(machine, self, key)
    note_change(machine, self, _ONE)


container_protocol.DELITEM[collections.deque] = _delitem
