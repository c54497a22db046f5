"""set and frozenset, and the set operations of dict views.

    seen = set(x); seen.add(k); seen.discard(k)
    a | b, a & b, a - b, a ^ b, a <= b, a.update(x), a.isdisjoint(b)
    counts.keys() & other

CPython goes through a set in the order of its hash table, which follows from what was done to the set: of known members
that is kept (`SetHistory`), of unknown ones see `dynamic_set_order`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

from xlapy.dispatch import registry, unions
from xlapy.dispatch.containers import container_protocol, dict_subscripts, dynamic_dicts
from xlapy.dispatch.containers.container_protocol import asked_for, compares_by_value, entries, key_of, set_entries
from xlapy.dispatch.containers.dicts import unwrapped, view_keys
from xlapy.dispatch.containers.keyed_methods import keyed
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.kinds import heap_kind
from xlapy.dispatch.numbers.scalar_values import COMPARISONS, logical_and, logical_not, provoke
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors import dynamic_set_order, growable_list_items
from xlapy.domain import growable_lists, set_iteration_order
from xlapy.domain.values import NONE, TRUE, Const, GrowableList, Mapping, Ref, Tuple, Union, Value, as_ref, key_value
from xlapy.library.builtins import set as set_library

_NOTHING = Tuple(())

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
    found = set(taken(machine, value)[0])
    set_iteration_order.ask(found)
    return found


def _made(machine, cls: type, found, function, *operands: object) -> Value:
    """The set or frozenset that a function makes of real operands; `found` are its members."""
    history = set_iteration_order.extended(set_iteration_order.EMPTY, set_iteration_order.Made(function), *operands)
    if cls is not frozenset:
        return machine.new_set(list(found), history)
    if any(isinstance(k, Value) for k in found):
        raise Refused("XP0004", "a frozenset of objects")
    if history is None and len(found) > 1:
        raise dynamic_set_order.order_refusal()
    set_iteration_order.ask(found)
    return Const(frozenset(found) if history is None else set_iteration_order.replayed(history))


@registry.function(set)
def make_set(machine, iterable: Value | None = None, /) -> Value:
    """`set(iterable)`."""
    if iterable is None:
        return _made(machine, set, {}, set, ())
    iterable = unwrapped(machine, iterable)
    each = lambda: machine.call(Const(set_library.set_of), [dynamic_dicts.ordered(machine, iterable)])  # noqa: E731
    if dynamic_dicts.has_unknown(machine, iterable):
        made = each()
        return made if _comes_singly(machine, iterable) else dynamic_dicts.forget_order(machine, made)
    whole = lambda: _made_of(machine, set, iterable)  # noqa: E731
    if heap_kind(machine, iterable) == "generator":
        return growable_list_items.whole_or_each(machine, whole, each)
    return whole()


@registry.function(frozenset)
def make_frozenset(machine, iterable: Value = _NOTHING, /) -> Value:
    """`frozenset(iterable)`."""
    return _made_of(machine, frozenset, iterable)


def _made_of(machine, cls: type, iterable: Value) -> Value:
    keys, real = taken(machine, iterable)
    return _made(machine, cls, keys, cls, real)


def _comes_singly(machine, iterable: Value) -> bool:
    """Whether a set gets the items of an iterable one after the other, and not those of a set or dict as a whole."""
    if isinstance(iterable, Const):
        return not isinstance(iterable.value, set | frozenset | dict)
    kind = heap_kind(machine, iterable)
    return not isinstance(iterable, Union) and kind not in ("set", "dict", "instance")


@registry.operator(*_LIKE_SETS)
def set_operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`| & - ^`, their in-place forms, and comparisons."""
    if dynamic_dicts.owner(machine, left) is not None or dynamic_dicts.owner(machine, right) is not None:
        return _by_data(machine, symbol, left, right)
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


def _by_data(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """An operation of sets, or views, of which one has unknown members."""
    is_frozen = machine.type_of(left) is frozenset
    left, right = (_thawed(machine, side) for side in (left, right))
    if not (_is_set(machine, left) and _is_set(machine, right)):
        return None
    if symbol in COMPARISONS:
        return _compared(machine, symbol, left, right)
    plain = symbol.removesuffix("=")
    if plain not in _FUNCTIONS:
        return None
    before = [_contents(machine, v) for v in (left, right)]
    made = _combined(machine, plain, left, right)
    if is_frozen:
        return machine.call(Const(frozenset), [made])
    if plain == symbol or machine.type_of(left) is not set:
        _note_order(machine, plain, made, *before)
        return made
    machine.heap.write(as_ref(left).object, "<items>", machine.heap.read(as_ref(made).object, "<items>"))
    return left


def _combined(machine, symbol: str, left: Value, right: Value) -> Value:
    """A set operation; both are sets, or views of keys."""
    one, two = dynamic_dicts.whole(machine, left), dynamic_dicts.whole(machine, right)
    made = machine.new_set([], set_iteration_order.EMPTY)
    if symbol == "|":
        machine.call(Const(set_library.union), [made, one, two])
    elif symbol == "^":
        machine.call(Const(set_library.add_different), [made, one, right, two, left])
    else:
        machine.call(Const(set_library.add_those), [made, one, right, Const(symbol == "&")])
    return dynamic_dicts.forget_order(machine, made)


def _compared(machine, symbol: str, left: Value, right: Value) -> Value:
    if symbol in (">", ">="):
        left, right, symbol = right, left, {">": "<", ">=": "<="}[symbol]
    sizes = [container_protocol.length(machine, v) for v in (left, right)]
    subset = machine.truth(machine.call(Const(set_library.all_in), [dynamic_dicts.whole(machine, left), right]))
    if symbol == "<=":
        return machine.boolean(subset)
    size = machine.truth(machine.compare("<" if symbol == "<" else "==", *sizes))
    same = logical_and(machine, subset, size)
    return machine.boolean(logical_not(machine, same) if symbol == "!=" else same)


def _is_set(machine, value: Value) -> bool:
    found = dynamic_dicts.owner(machine, value)
    kind = heap_kind(machine, value)
    what = machine.heap.objects[as_ref(value).object].details if kind == "view" else ""
    return kind == "set" or what == "keys" or found is not None and kind == "set"


def _thawed(machine, value: Value) -> Value:
    """A set with the members of a frozenset, which are known; any other value is itself."""
    return machine.call(Const(set), [value]) if machine.type_of(value) is frozenset else value


def _contents(machine, value: Value) -> Value | None:
    """What a set holds now."""
    is_set = heap_kind(machine, value) == "set"
    return machine.heap.read(as_ref(value).object, "<items>") if is_set else None


def _note_order(machine, symbol: str, made: Value, left: Value | None, right: Value | None) -> None:
    """Note how the order of `left - right` or `left & right` follows from theirs, should somebody ask for it."""
    found = dynamic_dicts.of(machine, made)
    if found is None or not found.rows or symbol not in ("-", "&") or left is None or right is None:
        return

    def holder(contents: Value) -> Ref:
        one = machine.new_set([], None)
        machine.heap.write(one.object, "<items>", contents)
        return one

    def growable(contents: Value) -> GrowableList:
        return dynamic_dicts.converted(machine, holder(contents))

    def listed(keys: GrowableList) -> Value:
        return Ref(machine.heap.new("list", list, machine.location(), keys))

    def of_difference() -> GrowableList:
        among = holder(right)
        keys, copied = dynamic_set_order.in_order_of_difference(
            machine, growable(left), container_protocol.length(machine, among)
        )
        kept = machine.new_set([], set_iteration_order.EMPTY)
        machine.call(Const(set_library.add_those), [kept, listed(keys), among, Const(False)])
        return dynamic_set_order.in_order_unless(machine, growable(machine.heap.read(kept.object, "<items>")), copied)

    def of_intersection() -> GrowableList:
        kept, sides = machine.new_set([], set_iteration_order.EMPTY), (growable(left), growable(right))
        smaller = machine.truth(machine.compare(">", sides[1].length, sides[0].length))

        def among(own: int) -> Value:
            keys = listed(dynamic_set_order.in_order(machine, sides[own]))
            machine.call(Const(set_library.add_those), [kept, keys, holder(sides[1 - own]), Const(True)])
            return NONE

        machine.cond(smaller, lambda: among(0), lambda: among(1))
        return dynamic_set_order.in_order(machine, growable(machine.heap.read(kept.object, "<items>")))

    machine.orders_of_sets[(as_ref(made).object, found.rows[0])] = of_difference if symbol == "-" else of_intersection


# -- methods ----------------------------------------------------------------------------------------------------------


def _is_involved(machine, self: Value, others: Sequence[Value]) -> bool:
    return dynamic_dicts.of(machine, self) is not None or any(dynamic_dicts.has_unknown(machine, v) for v in others)


def _as_set(machine, name: str, other: Value) -> Value:
    """What a method of that name is given, as a set."""
    if not container_protocol.is_place(name) or not _comes_singly(machine, other):
        return machine.call(Const(set), [other])
    made = machine.new_set([], set_iteration_order.EMPTY)
    items = dynamic_dicts.ordered(machine, other)
    return machine.call(Const(set_library.add_each_with_hash), [made, items, Const(name)])


def _combine(name: str, symbol: str):
    def rule(machine, self: Value, *others: Value) -> Value:
        _check_count(name, others)
        if _is_involved(machine, self, others):
            return _each_combined(machine, self, name, symbol, others)
        keys, real = _all_taken(machine, (self, *others), name)
        found = functools.reduce(_FUNCTIONS[symbol], map(set, keys))
        cls = machine.type_of(self)
        return _made(machine, cls, found, getattr(cls, name), *real)

    return rule


def _each_combined(machine, self: Value, name: str, symbol: str, others: Sequence[Value]) -> Value:
    made = self if others else machine.call(machine.getattr(self, "copy"), [])
    for other in others:
        made = _combined(machine, symbol, made, _as_set(machine, name, other))
    return made


def _update(name: str, symbol: str):
    def rule(machine, self: Ref, *others: Value) -> Value:
        _check_count(name, others)
        involved = _is_involved(machine, self, others)
        if involved and symbol != "|":
            made = _each_combined(machine, self, name, symbol, others)
            machine.heap.write(self.object, "<items>", machine.heap.read(as_ref(made).object, "<items>"))
        elif involved:
            _add_all(machine, self, others)
        elif name == "update" and any(heap_kind(machine, other) == "generator" for other in others):
            whole, each = (lambda: known(machine, self, *others)), (lambda: _add_all(machine, self, others))
            growable_list_items.whole_or_each(machine, whole, each)
        else:
            known(machine, self, *others)
        return NONE

    def known(machine, self: Ref, *others: Value) -> Value:
        keys, (own, *real) = _all_taken(machine, (self, *others), name)
        found = functools.reduce(_FUNCTIONS[symbol], map(set, keys))
        operands = (set_iteration_order.ITSELF if operand is own else operand for operand in real)
        history = set_iteration_order.extended(_history(machine, self), getattr(set, name), *operands)
        set_entries(machine, self, dict.fromkeys(found, TRUE), history)
        return NONE

    return rule


def _add_all(machine, self: Ref, others: Sequence[Value]) -> Value:
    for other in others:
        machine.call(Const(set_library.add_each), [self, dynamic_dicts.whole(machine, other)])
        if not _comes_singly(machine, other):
            dynamic_dicts.forget_order(machine, self)
    return NONE


def _test(name: str):
    def rule(machine, self: Value, other: Value) -> Value:
        if _is_involved(machine, self, (other,)):
            return _tested(machine, name, self, other)
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


def _tested(machine, name: str, self: Value, other: Value) -> Value:
    """The same where members depend on data."""
    if name != "issubset" and _comes_singly(machine, other):
        one_by_one = set_library.all_in if name == "issuperset" else set_library.none_in
        return machine.call(Const(one_by_one), [dynamic_dicts.ordered(machine, other), self])
    other = _as_set(machine, name, other)
    if name == "isdisjoint":
        return machine.call(Const(set_library.none_in), [dynamic_dicts.whole(machine, self), other])
    return _compared(machine, "<=" if name == "issubset" else ">=", self, other)


def _check_count(name: str, others: Sequence[Value]) -> None:
    """Methods of sets take any number of others, but for these."""
    if name.startswith("symmetric_difference") and len(others) != 1:
        raise registry.Unfit(f"{name}() takes exactly one argument")


for _cls in (set, frozenset):
    for _name, _symbol in _METHODS.items():
        registry.method(_cls, _name)(_combine(_name, _symbol))
    for _name in ("issubset", "issuperset", "isdisjoint"):
        registry.method(_cls, _name)(_test(_name))
for _name, _symbol in _UPDATES.items():
    registry.method(set, _name)(_update(_name, _symbol))


def _change(machine, self: Ref, found: dict, method, *operands: object) -> Value:
    set_entries(machine, self, found, set_iteration_order.extended(_history(machine, self), method, *operands))
    return NONE


@keyed("add", set, grows=True)
def _add(machine, self: Ref, unknown: bool, item: Value) -> Value:
    if unknown:
        dynamic_dicts.add(machine, self, item)
        return NONE
    found = entries(machine, self)
    key = key_of(machine, item, found, "element")
    return NONE if key in found else _change(machine, self, {**found, key: TRUE}, set.add, key)


@keyed("discard", set)
def _discard(machine, self: Ref, unknown: bool, item: Value) -> Value:
    if unknown:
        growable = dynamic_dicts.converted(machine, self)
        at, there = dynamic_dicts.locate(machine, growable, item, "element")
        return machine.cond(there, lambda: dynamic_dicts.remove(machine, self, growable, at) or NONE, lambda: NONE)
    found = entries(machine, self)
    key = key_of(machine, asked_for(machine, item), found, "element")
    return NONE if found.pop(key, None) is None else _change(machine, self, found, set.discard, key)


@keyed("remove", set)
def _remove(machine, self: Ref, unknown: bool, item: Value) -> Value:
    if unknown:
        dict_subscripts.delitem(machine, self, item)
        return NONE
    found = entries(machine, self)
    key = key_of(machine, asked_for(machine, item), found, "element")
    if key not in found:
        machine.raise_(KeyError, item)
    del found[key]
    return _change(machine, self, found, set.discard, key)


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
    growable = dynamic_dicts.of(machine, self)
    if growable is not None:
        made = machine.new_set([], set_iteration_order.EMPTY)
        dynamic_dicts.write(machine, made, growable.with_rows(growable.rows))
        return made
    found = entries(machine, self)
    return _made(machine, set, found, set.copy, _real(machine, self, found))


@registry.method(frozenset, "copy")
def _frozen_copy(machine, self: Value) -> Value:
    return self


@registry.function(set_library.with_hash)
@registry.takes_unions
def _with_hash(machine, item: Value, place: Value) -> Value:
    def check(one: Value) -> Value:
        container_protocol.require_hashable(machine, one, machine.static(place))
        return NONE

    unions.over_parts(machine, item, check) if container_protocol.is_hashable_or_not(machine, item) else check(item)
    return item
