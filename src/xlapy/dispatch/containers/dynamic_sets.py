"""Sets and counters with members that depend on data (see `dynamic_dicts`), and built-ins that take dicts and sets of
them."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable

from xlapy.dispatch import registry, unions
from xlapy.dispatch.containers import (
    container_protocol,
    container_subclasses,
    counters,
    dicts,
    dynamic_dicts,
    dynamic_set_order,
    growable_list_items,
    sets,
)
from xlapy.dispatch.containers.dynamic_dict_methods import add_method, update
from xlapy.dispatch.containers.pairs import dict_of
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.iterators.generator_functions import with_hash
from xlapy.dispatch.numbers.scalar_values import logical_and, logical_not
from xlapy.domain import set_iteration_order
from xlapy.domain.values import NONE, Const, GrowableList, Ref, Stored, Tuple, Union, Value, as_ref
from xlapy.ir import Var

# -- methods of sets --------------------------------------------------------------------------------------------------


def _set_copy(machine, self: Ref, growable: GrowableList) -> Value:
    made = machine.new_set([], set_iteration_order.EMPTY)
    dynamic_dicts.write(machine, made, growable.with_rows(growable.rows))
    return made


def _add(machine, self: Ref, growable: GrowableList | None, key: Value) -> Value:
    dynamic_dicts.add(machine, self, key)
    return NONE


def _discard(machine, self: Ref, growable: GrowableList, key: Value) -> Value:
    at, there = dynamic_dicts.locate(machine, growable, key, "element")

    def drop() -> Value:
        dynamic_dicts.remove(machine, self, growable, at)
        return NONE

    return machine.cond(there, drop, lambda: NONE)


def _remove(machine, self: Ref, growable: GrowableList, key: Value) -> Value:
    container_protocol.DELITEM[dict](machine, self, key)
    return NONE


add_method(set, "add", _add, grows=True)
add_method(set, "discard", _discard)
add_method(set, "remove", _remove)
add_method(set, "copy", _set_copy)
add_method(set, "__copy__", _set_copy)


# -- making them, and what takes several keys -------------------------------------------------------------------------


def _add_each(self, iterable):
    for item in iterable:
        self.add(item)
    return self


@registry.function(with_hash)
@registry.takes_unions
def _check_hash(machine, item: Value, place: Value) -> Value:
    def check(one: Value) -> Value:
        container_protocol.require_hashable(machine, one, machine.static(place))
        return NONE

    unions.over_parts(machine, item, check) if container_protocol.is_hashable_or_not(machine, item) else check(item)
    return item


def _count_each(self, iterable):
    for item in iterable:
        item = with_hash(item, "counted")
        self[item] = self.get(item, 0) + 1


def _subtract_each(self, iterable):
    for item in iterable:
        self[item] = self.get(item, 0) - 1


def _count_more(self, counts, sign):
    for item, count in counts.items():
        self[item] = self.get(item, 0) + sign * count


def _add_each_taken(made, iterable, place):
    for item in iterable:
        made.add(with_hash(item, place))
    return made


def _set(iterable):
    made = set()
    for item in iterable:
        made.add(item)
    return made


def _comes_singly(machine, iterable: Value) -> bool:
    """Whether a set gets the items of an iterable one after the other, and not those of a set or dict as a whole."""
    if isinstance(iterable, Const):
        return not isinstance(iterable.value, set | frozenset | dict)
    kind = container_protocol.heap_kind(machine, iterable)
    return not isinstance(iterable, Union) and kind not in ("set", "dict", "instance")


def _constructor(function: type, made_by: Callable) -> None:
    before = registry.function_rule(function)

    def either(machine, /, *args: Value, **kwargs: Value) -> Value:
        args = tuple(_unwrapped(machine, a) for a in args)
        if len(args) == 1 and not kwargs and dynamic_dicts.has_unknown(machine, args[0]):
            if container_protocol.heap_kind(machine, args[0]) == "dict" and function is dict:
                made = machine.new_dict({})
                update(machine, made, args[0])
                return made
            made = machine.call(Const(made_by), [dynamic_dicts.ordered(machine, args[0])])
            return (
                made
                if function is dict or _comes_singly(machine, args[0])
                else dynamic_dicts.forget_order(machine, made)
            )
        whole = lambda: before(machine, *args, **kwargs)  # noqa: E731
        if len(args) == 1 and not kwargs and container_protocol.heap_kind(machine, args[0]) == "generator":
            return growable_list_items.whole_or_each(machine, whole, lambda: machine.call(Const(made_by), list(args)))
        return whole()

    registry.function(function)(either)


_constructor(set, _set)
_constructor(dict, dict_of)


def _counting() -> None:
    def counts(name: str, loop: Callable) -> None:
        before = registry.method_rule(collections.Counter, name)

        def either(machine, self: Ref, iterable: Value = NONE, /, **kwargs: Value) -> Value:
            unknown = dynamic_dicts.of(machine, self) is not None or dynamic_dicts.has_unknown(machine, iterable)
            kind = container_protocol.heap_kind(machine, iterable)
            whole = lambda: before(machine, self, iterable, **kwargs)  # noqa: E731
            if not kwargs and not unknown and kind == "generator":
                return growable_list_items.whole_or_each(
                    machine, whole, lambda: machine.call(Const(loop), [self, iterable])
                )
            if kwargs or not unknown:
                return whole()
            if kind == "dict":
                source = machine.call(machine.getattr(iterable, "copy"), []) if iterable == self else iterable
                machine.call(Const(_count_more), [self, source, Const(1 if name == "update" else -1)])
            else:
                machine.call(Const(loop), [self, dynamic_dicts.ordered(machine, iterable)])
            return NONE

        registry.method(collections.Counter, name)(either)

    counts("update", _count_each)
    counts("subtract", _subtract_each)
    before = registry.function_rule(collections.Counter)

    def make(machine, /, *args: Value, **kwargs: Value) -> Value:
        is_generator = len(args) == 1 and container_protocol.heap_kind(machine, args[0]) == "generator"
        if len(args) == 1 and not kwargs and (is_generator or dynamic_dicts.has_unknown(machine, args[0])):
            made = container_protocol.new_dict(machine, collections.Counter, {})
            machine.call(machine.getattr(made, "update"), [args[0]])
            return made
        return before(machine, *args, **kwargs)

    registry.function(collections.Counter)(make)

    def most_common(machine, self: Ref, growable: GrowableList, n: Value = NONE) -> Value:
        return machine.call(Const(counters.most_common), [dynamic_dicts.listed(machine, self, "items"), n])

    def total(machine, self: Ref, growable: GrowableList) -> Value:
        return machine.call(Const(sum), [dynamic_dicts.listed(machine, self, "values")])

    add_method(collections.Counter, "most_common", most_common)
    add_method(collections.Counter, "total", total)


_counting()


# -- operators of counters --------------------------------------------------------------------------------------------


def _combined_counts(made, one, other, combine):
    for key, count in one.items():
        count = combine(count, other.get(key, 0))
        if count > 0:
            made[key] = count
    for key, count in other.items():
        if key not in one:
            count = combine(0, count)
            if count > 0:
                made[key] = count
    return made


def _all_counts(one, other, holds):
    for key, count in one.items():
        if not holds(count, other.get(key, 0)):
            return False
    for key, count in other.items():
        if key not in one and not holds(0, count):
            return False
    return True


def _with_keys_on_device(machine, counter: Ref) -> Value:
    """A counter as one of unknown keys, if it has any."""
    if dynamic_dicts.of(machine, counter) is not None or not container_protocol.entries(machine, counter):
        return counter
    made = container_protocol.new_dict(machine, collections.Counter, {})
    dynamic_dicts.write(machine, made, dynamic_dicts.converted(machine, counter))
    return made


def _counter_operators() -> None:
    before = registry.OPERATORS[collections.Counter]
    combine = {"+": operator.add, "-": operator.sub, "&": min, "|": max}

    def either(machine, symbol: str, left: Value, right: Value) -> Value | None:
        plain = symbol if symbol in ("==", "!=", "<", "<=", ">", ">=") else symbol.removesuffix("=")
        sides = (left, right)
        if not all(dicts.is_dict(machine, v) for v in sides) or not (plain in combine or plain == symbol):
            return before(machine, symbol, left, right)
        if not all(issubclass(machine.type_of(v), collections.Counter) for v in sides):
            return before(machine, symbol, left, right)
        unknown = any(dynamic_dicts.of(machine, v) is not None for v in sides)
        counts = () if unknown else [c for v in sides for c in container_protocol.entries(machine, v).values()]
        if not unknown and all(map(machine.is_static, counts)):
            return before(machine, symbol, left, right)
        one, other = (_with_keys_on_device(machine, as_ref(v)) for v in sides)
        if plain not in combine:
            return _counts_compared(machine, symbol, one, other)
        made = container_protocol.new_dict(machine, collections.Counter, {})
        machine.call(Const(_combined_counts), [made, one, other, Const(combine[plain])])
        if plain == symbol:
            return made
        machine.heap.write(as_ref(left).object, "<items>", machine.heap.read(made.object, "<items>"))
        return left

    registry.operator(collections.Counter)(either)


def _counts_compared(machine, symbol: str, one: Value, other: Value) -> Value:
    def every(holds: Callable) -> bool | Var:
        return machine.truth(machine.call(Const(_all_counts), [one, other, Const(holds)]))

    if symbol in (">", ">="):
        one, other = other, one
    if symbol in ("==", "!="):
        same = every(operator.eq)
        return machine.boolean(same if symbol == "==" else logical_not(machine, same))
    at_most = every(operator.le)
    if symbol in ("<", ">"):
        at_most = logical_and(machine, at_most, logical_not(machine, every(operator.eq)))
    return machine.boolean(at_most)


_counter_operators()


# -- operators of sets ------------------------------------------------------------------------------------------------


def _union(made, items, more):
    for item in items:
        made.add(item)
    for item in more:
        made.add(item)
    return made


def _kept(made, items, among, wanted):
    for item in items:
        if (item in among) is wanted:
            made.add(item)
    return made


def _is_subset(items, other):
    for item in items:
        if item not in other:
            return False
    return True


def _is_disjoint(items, other):
    for item in items:
        if item in other:
            return False
    return True


def _has_each(items, self):
    for item in items:
        if item not in self:
            return False
    return True


def _combined(machine, symbol: str, left: Value, right: Value) -> Value:
    """A set operation; both are sets, or views of keys."""
    one, two = dynamic_dicts.whole(machine, left), dynamic_dicts.whole(machine, right)
    made = machine.new_set([], set_iteration_order.EMPTY)
    if symbol == "|":
        machine.call(Const(_union), [made, one, two])
    elif symbol == "^":
        machine.call(Const(_kept), [made, one, right, Const(False)])
        machine.call(Const(_kept), [made, two, left, Const(False)])
    else:
        machine.call(Const(_kept), [made, one, right, Const(symbol == "&")])
    return dynamic_dicts.forget_order(machine, made)


def _compared(machine, symbol: str, left: Value, right: Value) -> Value:
    if symbol in (">", ">="):
        left, right, symbol = right, left, {">": "<", ">=": "<="}[symbol]
    sizes = [container_protocol.length(machine, v) for v in (left, right)]
    subset = machine.truth(machine.call(Const(_is_subset), [dynamic_dicts.whole(machine, left), right]))
    if symbol == "<=":
        return machine.boolean(subset)
    size = machine.truth(machine.compare("<" if symbol == "<" else "==", *sizes))
    same = logical_and(machine, subset, size)
    return machine.boolean(logical_not(machine, same) if symbol == "!=" else same)


def _is_set(machine, value: Value) -> bool:
    found = dynamic_dicts.owner(machine, value)
    kind = container_protocol.heap_kind(machine, value)
    what = machine.heap.objects[as_ref(value).object].details if kind == "view" else ""
    return kind == "set" or what == "keys" or found is not None and kind == "set"


def _thawed(machine, value: Value) -> Value:
    """A set with the members of a frozenset, which are known; any other value is itself."""
    return machine.call(Const(set), [value]) if machine.type_of(value) is frozenset else value


def _contents(machine, value: Value) -> Value | None:
    """What a set holds now."""
    is_set = container_protocol.heap_kind(machine, value) == "set"
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
        machine.call(Const(_kept), [kept, listed(keys), among, Const(False)])
        return dynamic_set_order.in_order_unless(machine, growable(machine.heap.read(kept.object, "<items>")), copied)

    def of_intersection() -> GrowableList:
        kept, sides = machine.new_set([], set_iteration_order.EMPTY), (growable(left), growable(right))
        smaller = machine.truth(machine.compare(">", sides[1].length, sides[0].length))

        def among(own: int) -> Value:
            keys = listed(dynamic_set_order.in_order(machine, sides[own]))
            return machine.call(Const(_kept), [kept, keys, holder(sides[1 - own]), Const(True)]) and NONE

        machine.cond(smaller, lambda: among(0), lambda: among(1))
        return dynamic_set_order.in_order(machine, growable(machine.heap.read(kept.object, "<items>")))

    machine.orders_of_sets[(as_ref(made).object, found.rows[0])] = of_difference if symbol == "-" else of_intersection


def _set_operators(*classes: type) -> None:
    before = registry.OPERATORS[set]

    def either(machine, symbol: str, left: Value, right: Value) -> Value | None:
        if dynamic_dicts.owner(machine, left) is None and dynamic_dicts.owner(machine, right) is None:
            return before(machine, symbol, left, right)
        is_frozen = machine.type_of(left) is frozenset
        left, right = (_thawed(machine, side) for side in (left, right))
        if not (_is_set(machine, left) and _is_set(machine, right)):
            return None
        if symbol in ("==", "!=", "<", "<=", ">", ">="):
            return _compared(machine, symbol, left, right)
        plain = symbol.removesuffix("=")
        if plain not in ("|", "&", "-", "^"):
            return None
        before_it = [_contents(machine, v) for v in (left, right)]
        made = _combined(machine, plain, left, right)
        if is_frozen:
            return machine.call(Const(frozenset), [made])
        if plain == symbol or machine.type_of(left) is not set:
            _note_order(machine, plain, made, *before_it)
            return made
        machine.heap.write(as_ref(left).object, "<items>", machine.heap.read(as_ref(made).object, "<items>"))
        return left

    registry.operator(*classes)(either)


_set_operators(set, frozenset, type({}.keys()), type({}.items()))


def _set_methods() -> None:
    symbols = {"union": "|", "intersection": "&", "difference": "-", "symmetric_difference": "^"}
    updates = {"update": "|", "intersection_update": "&", "difference_update": "-", "symmetric_difference_update": "^"}

    def involved(machine, self: Value, others: tuple[Value, ...]) -> bool:
        return dynamic_dicts.of(machine, self) is not None or any(dynamic_dicts.has_unknown(machine, v) for v in others)

    def taken_by(machine, name: str, other: Value) -> Value:
        if not container_protocol.is_place(name) or not _comes_singly(machine, other):
            return machine.call(Const(set), [other])
        made = machine.new_set([], set_iteration_order.EMPTY)
        return machine.call(Const(_add_each_taken), [made, dynamic_dicts.ordered(machine, other), Const(name)])

    def combine(name: str, symbol: str, in_place: bool) -> None:
        before = registry.method_rule(set, name)

        def either(machine, self: Ref, *others: Value) -> Value:
            def each() -> Value:
                for other in others:
                    machine.call(Const(_add_each), [self, dynamic_dicts.whole(machine, other)])
                    if not _comes_singly(machine, other):
                        dynamic_dicts.forget_order(machine, self)
                return NONE

            if not involved(machine, self, others):
                whole = lambda: before(machine, self, *others)  # noqa: E731
                generators = any(container_protocol.heap_kind(machine, other) == "generator" for other in others)
                return (
                    growable_list_items.whole_or_each(machine, whole, each)
                    if generators and name == "update"
                    else whole()
                )
            sets.check_count(name, others)
            if in_place and symbol == "|":
                return each()
            made = self if others else machine.call(machine.getattr(self, "copy"), [])
            for other in others:
                made = _combined(machine, symbol, made, taken_by(machine, name, other))
            if not in_place:
                return made
            contents = machine.heap.read(as_ref(made).object, "<items>")
            machine.heap.write(self.object, "<items>", contents)
            return NONE

        registry.method(set, name)(either)

    def test(name: str, answer: Callable, one_by_one: Callable | None = None) -> None:
        before = registry.method_rule(set, name)

        def either(machine, self: Value, other: Value) -> Value:
            if not involved(machine, self, (other,)):
                return before(machine, self, other)
            if one_by_one is not None and _comes_singly(machine, other):
                return machine.call(Const(one_by_one), [dynamic_dicts.ordered(machine, other), self])
            return answer(machine, self, taken_by(machine, name, other))

        registry.method(set, name)(either)

    for name, symbol in symbols.items():
        combine(name, symbol, False)
    for name, symbol in updates.items():
        combine(name, symbol, True)
    test("issubset", lambda machine, a, b: _compared(machine, "<=", a, b))
    test("issuperset", lambda machine, a, b: _compared(machine, ">=", a, b), _has_each)
    disjoint = lambda machine, a, b: machine.call(Const(_is_disjoint), [dynamic_dicts.whole(machine, a), b])  # noqa: E731
    test("isdisjoint", disjoint, _is_disjoint)


_set_methods()


# -- what takes an iterable -------------------------------------------------------------------------------------------

#: built-ins to which the order of a set does not matter
_UNORDERED = (sorted, min, max, sum, any, all, len)
_ORDERED = (list, tuple, enumerate, zip, map, filter, iter, reversed, frozenset)
#: those of them that take one item after the other, as the dict has it then
_LAZY = (enumerate, zip, map, filter, iter)


def arguments(machine, function: object, args: list[Value], kwargs: dict[str, Value]) -> tuple[list, dict]:
    """The arguments of a built-in, with lists in the place of dicts and sets of unknown keys and their views."""
    try:
        unordered, ordered = function in _UNORDERED[:-1], function in _ORDERED
    except TypeError:
        return args, kwargs
    if not (unordered or ordered):
        return args, kwargs
    args = [_unwrapped(machine, a) for a in args]
    if not any(dynamic_dicts.owner(machine, a) for a in args):
        return args, kwargs
    for value in args:
        if container_protocol.heap_kind(machine, value) == "set" and dynamic_dicts.of(machine, value) is not None:
            if function is reversed:
                raise dynamic_set_order.order_refusal()
    if function in _LAZY:
        found = [
            iteration.make_iterator(machine, a) if dynamic_dicts.owner(machine, a) is not None else a for a in args
        ]
        return found, kwargs
    if function in (sorted, min, max) and len(args) == 1 and "key" not in kwargs and _of_objects(machine, args[0]):
        # no two keys are equal, so that no two values are compared
        kwargs = {**kwargs, "key": Const(_first)}
    listed = dynamic_dicts.ordered if ordered or "key" in kwargs else dynamic_dicts.whole
    return [listed(machine, a) for a in args], kwargs


def _unwrapped(machine, value: Value) -> Value:
    """The dict or set of unknown keys inside an object of a subclass; other values as they are."""
    inner = container_subclasses.plain(machine, value)
    return inner if dynamic_dicts.owner(machine, inner) is not None else value


def _first(pair):
    return pair[0]


def _of_objects(machine, value: Value) -> bool:
    """Whether a value shows the items of a dict whose values are objects."""
    found = dynamic_dicts.owner(machine, value)
    if found is None or found[1] != "items":
        return False
    growable = dynamic_dicts.of(machine, found[0])
    element = growable.element if growable is not None else None
    return isinstance(element, Tuple) and isinstance(element.items[1], Stored)
