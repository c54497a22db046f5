"""Iterators: heap objects of kind 'iterator', whose `details` is a `Kind`, the functions of one sort of iterator.

An iterator can be stepped (`step`), and some can be planned (`plan`): then the number of remaining items is a value,
and the k-th one can be computed for an index on the device, which makes a loop over it a loop on the device.
What changes is in slots of the object, values that it refers to too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import gather, unions
from xlapy.dispatch.bounded import lanes as bounded
from xlapy.dispatch.containers import loans, ranges, rows, stacks
from xlapy.dispatch.numbers.scalar_values import (
    INT_MAX,
    bounds_of,
    defines,
    device,
    logical_and,
    logical_not,
    logical_or,
    refuse_where,
    scalar,
)
from xlapy.dispatch.protocol import PythonError, Refused
from xlapy.domain import set_order
from xlapy.domain import stacks as domain
from xlapy.domain.join import JoinFailure
from xlapy.domain.values import (
    UNBOUND,
    BoundedArray,
    Const,
    JaxArray,
    Mapping,
    NdArray,
    Range,
    Ref,
    Scalar,
    Stack,
    Text,
    Tuple,
    Union,
    Value,
    key_value,
)
from xlapy.ir import Var

#: lists and tuples of like numbers longer than this become loops on the device
SHORT_SEQUENCE = 16
#: the number of items of an iterator that does not end
ENDLESS = Const(INT_MAX)
#: items that may be unrolled
MAXIMUM_ITEMS = 100_000
_ZERO = Const(0)
_ONE = Const(1)
_END = Const(-1)

Step = tuple["bool | Var", Callable[[], Value]]


class Plan(NamedTuple):
    """How an iterator becomes a loop on the device.

    `trips` is the number of remaining items, an int; `element(k)` the k-th of them, for a `Scalar` in `range(trips)`;
    `finish(k)` makes the iterator one from which k items were taken.
    """

    trips: Value
    element: Callable[[Value], Value]
    finish: Callable[[Value], None]


@dataclass(frozen=True, eq=False)
class Kind:
    """One sort of iterator: functions of the machine and the object's number."""

    name: str
    step: Callable[[object, int], Step]
    plan: Callable[[object, int], Plan | None] = lambda machine, number: None
    known_length: Callable[[object, int], int | None] = lambda machine, number: None


def new(machine, kind: Kind, cls: type, **slots: Value) -> Ref:
    """A fresh iterator."""
    number = machine.heap.new("iterator", cls, machine.builder.location(), **slots)
    machine.heap.objects[number].details = kind
    return Ref(number)


def is_iterator(machine, value: Value) -> bool:
    """Whether a value is an iterator made by this module."""
    return isinstance(value, Ref) and isinstance(machine.heap.objects[value.object].details, Kind)


_WHICH = "iteration over one of several objects, which one depends on data"


def _kind(machine, iterator: Value) -> Kind | None:
    details = machine.heap.objects[iterator.object].details if isinstance(iterator, Ref) else None
    return details if isinstance(details, Kind) else None


# -- what the interpreter calls ---------------------------------------------------------------------------------------


def make_iterator(machine, value: Value) -> Value:
    """`iter(value)`."""
    if isinstance(value, Union):
        _require_sequences(machine, value)
        return new(machine, INDEXED, type(iter([])), source=value, position=_ZERO)
    if is_iterator(machine, value):
        return value
    source = _sequence(machine, value)
    if source is not None:
        cls = type(iter(())) if not isinstance(value, Ref) else type(iter([]))
        return new(machine, INDEXED, cls, source=source, position=_ZERO)
    if isinstance(value, Ref):
        info = machine.heap.objects[value.object]
        if info.kind in ("dict", "set", "view"):
            return _dict_iterator(machine, value)
        if info.kind == "generator":
            return value
        if info.kind == "instance":
            return _user_iterator(machine, value)
    if isinstance(value, Tuple):
        return _user_iterator(machine, value)
    return machine.raise_(TypeError, f"'{type_name(machine, value)}' object is not iterable")


def step(machine, iterator: Value) -> Step:
    """Whether there is a next item, and a function that produces it and advances the iterator."""
    kind = _kind(machine, iterator)
    if kind is not None:
        return kind.step(machine, iterator.object)  # type: ignore[attr-defined]
    if isinstance(iterator, Union):
        raise Refused("XP0004", _WHICH)
    return _user_step(machine, iterator)


def plan(machine, iterator: Value) -> Plan | None:
    """How to loop over the iterator on the device; None if it is to be unrolled."""
    kind = _kind(machine, iterator)
    return kind.plan(machine, iterator.object) if kind is not None else None  # type: ignore[attr-defined]


def plan_of_short(machine, iterator: Value) -> Plan | None:
    """The same, where a sequence may be short."""
    outer, machine.short_sequence = machine.short_sequence, 1
    try:
        return plan(machine, iterator)
    finally:
        machine.short_sequence = outer


def known_length(machine, iterator: Value) -> int | None:
    """The number of remaining items, if it is known."""
    kind = _kind(machine, iterator)
    if kind is None:
        return None
    found = kind.known_length(machine, iterator.object)  # type: ignore[attr-defined]
    if found is None:
        made = kind.plan(machine, iterator.object)  # type: ignore[attr-defined]
        if made is not None and isinstance(made.trips, Const) and made.trips.value != INT_MAX:
            return made.trips.value  # type: ignore[return-value]
    return found


def items(machine, value: Value) -> list[Value]:
    """All items of an iterable; their number is asked for if it is dynamic."""
    if isinstance(value, Tuple) and value.cls is tuple:
        return list(value.items)
    if isinstance(value, Ref):
        kind = machine.heap.objects[value.object].kind
        if kind == "list":
            return list(stacks.items(machine, machine.heap.read(value.object, "items")))
        if kind == "generator":
            return machine.run_generator(value)
    iterator = make_iterator(machine, value)
    made = plan(machine, iterator)
    if made is not None:
        trips = made.trips
        if isinstance(trips, Scalar):
            trips = Const(machine.static(trips, "the number of items"))
        if trips.value > MAXIMUM_ITEMS:  # type: ignore[attr-defined]
            raise Refused("XP0009", f"an iterable of more than {MAXIMUM_ITEMS} items would be unrolled")
        found = [made.element(Const(k)) for k in range(trips.value)]  # type: ignore[attr-defined]
        made.finish(trips)
        return found
    found = []
    while True:
        more, element = step(machine, iterator)
        if isinstance(more, Var):
            raise Refused(
                "XP0013", "the number of items depends on data", "use a loop that appends, or an array with a mask"
            )
        if not more:
            return found
        found.append(element())
        if len(found) > MAXIMUM_ITEMS:
            raise Refused("XP0009", f"an iterable of more than {MAXIMUM_ITEMS} items would be unrolled")


def _is_generator(machine, value: Value) -> bool:
    return isinstance(value, Ref) and machine.heap.objects[value.object].kind == "generator"


def type_name(machine, value: Value) -> str:
    """The name of a value's type in CPython's messages."""
    cls = machine.type_of(value)
    return f"numpy.{cls.__name__}" if issubclass(cls, np.generic | np.ndarray) else cls.__name__


# -- sequences: anything with a length and items by index -------------------------------------------------------------


def _sequence(machine, value: Value) -> Value | None:
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
            return bounded.with_order(machine, value)
        case Ref():
            return value if machine.heap.objects[value.object].kind == "list" else None
        case Const():
            return constant_sequence(machine, value)
        case Text():
            return constant_sequence(machine, Const(machine.static(value, "a string whose characters are used")))
    return None


def constant_sequence(machine, value: Const) -> Value | None:
    """The items of a known immutable iterable as a `Tuple`; a range as it is; None if it is not iterable."""
    known = value.value
    if isinstance(known, range):
        return value
    if isinstance(known, tuple | str | bytes | frozenset) or (
        isinstance(known, type) and hasattr(known, "__members__")
    ):
        return Tuple(tuple(Const(item) for item in known))  # type: ignore[union-attr]
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
            lists = rows.of(machine, source)
            if lists is not None:
                return rows.length(machine, source, lists)
            _require_sequences(machine, source)
            return length_of(machine, source.alternatives[0])
        case Tuple():
            return Const(len(source.items))
        case NdArray():
            return Const(source.type.shape[0])
        case JaxArray():
            return Const(source.var.type.shape[0])
        case BoundedArray():
            return bounded.shape_of(machine, source)[0]
        case Ref():
            stack = stacks.settled(machine, source)
            return stack.length if stack is not None else Const(len(machine.heap.read(source.object, "items").items))
    return ranges.length(machine, source)


def _require_sequences(machine, source: Union) -> None:
    """One of several sequences: all of them must be, and as long as each other, or rows of a table."""
    if rows.of(machine, source) is not None:
        return
    for value in source.alternatives:
        if not isinstance(value, Tuple | Ref | NdArray | JaxArray) or _sequence(machine, value) is not value:
            raise Refused("XP0004", _WHICH)
    lengths = [length_of(machine, value) for value in source.alternatives]
    if not all(isinstance(n, Const) for n in lengths) or len({n.value for n in lengths}) > 1:
        raise Refused("XP0004", f"{_WHICH}, of different lengths")


def item_of(machine, source: Value, position: Value) -> Value:
    """The item of a sequence at a position in range."""
    match source:
        case Union():
            lists = rows.of(machine, source)
            found = rows.item(machine, source, lists, position) if lists else None
            return found or unions.over_unions(machine, (source,), lambda one: item_of(machine, one, position))
        case Tuple():
            return gather.gather(machine, source.items, position)
        case Ref():
            stack = stacks.settled(machine, source)
            if stack is not None:
                return loans.lend(machine, source, stack, position)
            contents = machine.heap.read(source.object, "items").items
            if isinstance(position, Scalar):
                return gather.gather(machine, contents, position)
            return contents[position.value]
        case NdArray() | JaxArray() | BoundedArray():
            return _unchecked(machine, lambda: machine.getitem(source, position))
    return ranges.item(machine, source, position)


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
            _require_sequences(machine, source)
            if not isinstance(length_of(machine, source), Const):
                return True
            return any(loops(machine, alternative) for alternative in source.alternatives)
        case Tuple():
            return len(source.items) > machine.short_sequence and gather.stackable(machine, source.items)
        case Ref():
            stack = stacks.settled(machine, source)
            if stack is not None:
                return not isinstance(stack.length, Const) or stack.length.value > machine.short_sequence
            contents = machine.heap.read(source.object, "items").items
            return len(contents) > machine.short_sequence and gather.stackable(machine, contents)
    return True


def _indexed_step(machine, number: int) -> Step:
    source, position = machine.heap.read(number, "source"), machine.heap.read(number, "position")
    if isinstance(position, Const) and position.value == -1:
        return False, lambda: UNBOUND
    more = machine.truth(machine.compare("<", position, length_of(machine, source)))
    if more is False:
        machine.heap.write(number, "position", _END)

    def element() -> Value:
        at = machine.heap.read(number, "position")
        machine.heap.write(number, "position", machine.binary("+", at, _ONE))
        return item_of(machine, source, inside(machine, at, source))

    return more, element


def inside(machine, position: Value, source: Value) -> Value:
    """A position with the bounds that being in range gives it."""
    if not isinstance(position, Scalar):
        return position
    low, high = bounds_of(position)
    most = bounds_of(length_of(machine, source))[1]
    return Scalar(int, position.var, (max(low, 0), max(min(high, most - 1), 0)))


def _indexed_plan(machine, number: int) -> Plan | None:
    source, start = machine.heap.read(number, "source"), machine.heap.read(number, "position")
    if not loops(machine, source):
        return None
    return indexed_plan(machine, number, source, start)


def indexed_plan(machine, number: int, source: Value, start: Value) -> Plan:
    """The plan of an iterator over a sequence from a position on."""
    count = length_of(machine, source)
    ended = isinstance(start, Const) and start.value == -1
    trips = _ZERO if ended else ranges.maximum(machine, machine.binary("-", count, start), _ZERO)

    def element(k: Value) -> Value:
        return item_of(machine, source, machine.binary("+", start, k))

    def finish(k: Value) -> None:
        machine.heap.write(number, "position", machine.binary("+", start, k))

    return Plan(trips, element, finish)


def _indexed_length(machine, number: int) -> int | None:
    source, start = machine.heap.read(number, "source"), machine.heap.read(number, "position")
    count = length_of(machine, source)
    if isinstance(start, Const) and isinstance(count, Const):
        return max(count.value - start.value, 0) if start.value >= 0 else 0  # type: ignore[operator]
    return None


INDEXED = Kind("sequence", _indexed_step, _indexed_plan, _indexed_length)


# -- dicts, sets and views of dicts -----------------------------------------------------------------------------------


def _known_entries(machine, number: int) -> dict:
    """The entries of a dict or set of known keys."""
    contents = machine.heap.read(number, "items")
    if not isinstance(contents, Mapping):
        raise Refused("XP0004", "a dict or set gets keys that depend on data while it is iterated over")
    return contents.entries


def ordered_keys(machine, number: int) -> list:
    """The keys of a dict or set in the order of iteration."""
    entries = _known_entries(machine, number)
    if machine.heap.objects[number].kind == "set":
        refs = [key for key in entries if isinstance(key, Ref)]
        if len(entries) > 1 and any(machine.heap.objects[r.object].cls.__hash__ is not object.__hash__ for r in refs):
            raise order_refusal()
        if len(refs) == len(entries):
            return list(entries)
        order = set_order.order(machine.heap.read(number, "items").history, entries)
        if order is None:
            raise order_refusal()
        return order
    return list(entries)


def _dict_iterator(machine, value: Ref) -> Ref:
    info = machine.heap.objects[value.object]
    owner, what = value, "keys"
    if info.kind == "view":
        owner = machine.heap.read(value.object, "source")
        what = info.details
    contents = machine.heap.read(owner.object, "items")
    if isinstance(contents, Union) and machine.heap.objects[owner.object].kind == "dict":
        try:
            contents = stacks.settled(machine, owner)
        except JoinFailure as error:
            raise Refused("XP0004", "iteration over a dict with one of several sets of keys") from error
    if isinstance(contents, Stack):
        return _table_iterator(machine, owner, what)
    keys = ordered_keys(machine, owner.object)
    cls = type(iter({})) if machine.heap.objects[owner.object].kind == "dict" else type(iter(set()))
    return new(
        machine,
        _VIEWS[what],
        cls,
        source=owner,
        keys=Tuple(tuple(map(key_value, keys))),
        size=Const(len(keys)),
        position=_ZERO,
    )


def view_item(machine, owner: Ref, what: str, key: object) -> Value:
    """What a view of a dict shows for a key."""
    if what == "keys":
        return key_value(key)
    value = _known_entries(machine, owner.object)[key]
    return value if what == "values" else Tuple((key_value(key), value))


def _view_step(what: str) -> Callable[[object, int], Step]:
    def step_(machine, number: int) -> Step:
        heap = machine.heap
        owner, position = heap.read(number, "source"), heap.read(number, "position")
        if not isinstance(owner, Ref):
            return _step_of_several(machine, number, what)
        at = machine.static(position, "the position of an iterator over a dict")
        if at < 0:
            return False, lambda: UNBOUND
        keys = heap.read(number, "keys").items
        entries = _known_entries(machine, owner.object)
        if len(entries) != heap.read(number, "size").value:
            noun = "dictionary" if heap.objects[owner.object].kind == "dict" else "Set"
            machine.raise_(RuntimeError, f"{noun} changed size during iteration")
        if at >= len(keys):
            heap.write(number, "position", _END)
            return False, lambda: UNBOUND

        def element() -> Value:
            heap.write(number, "position", Const(at + 1))
            if what == "keys":
                return keys[at]
            key = ordered_keys(machine, owner.object)[at]
            return view_item(machine, owner, what, key)

        return True, element

    return step_


def _view_plan(what: str) -> Callable[[object, int], Plan | None]:
    """The plan of an iterator over one of several dicts or sets of known keys."""

    def plan(machine, number: int) -> Plan | None:
        start, source = machine.heap.read(number, "position"), _one_of_several(machine, number, what)
        if source is None:
            return None

        def element(k: Value) -> Value:
            return _item_of_one(machine, number, what, machine.binary("+", start, k))

        def finish(k: Value) -> None:
            machine.heap.write(number, "position", machine.binary("+", start, k))

        count = length_of(machine, source)
        return Plan(ranges.maximum(machine, machine.binary("-", count, start), _ZERO), element, finish)

    return plan


def _step_of_several(machine, number: int, what: str) -> Step:
    """A step of an iterator over one of several dicts or sets of known keys."""
    position, source = machine.heap.read(number, "position"), _one_of_several(machine, number, what)
    if source is None:
        raise Refused("XP0004", "iteration over one of several dicts or sets", "make a list of it before")
    more = machine.truth(machine.compare("<", position, length_of(machine, source)))

    def element() -> Value:
        at = machine.heap.read(number, "position")
        machine.heap.write(number, "position", machine.binary("+", at, _ONE))
        return _item_of_one(machine, number, what, inside(machine, at, source))

    return more, element


def _one_of_several(machine, number: int, what: str) -> Value | None:
    """What an iterator over one of several dicts or sets goes through now, as one of several tuples; None where there
    is no common rule."""
    owner = machine.heap.read(number, "source")
    if not isinstance(owner, Union) or not all(_has_known_keys(machine, one) for one in owner.alternatives):
        return None
    found = tuple(_shown(machine, one, what) for one in owner.alternatives)
    if any(gather.signature(one) is None for one in found):
        return None
    if len({len(one.items) for one in found}) == 1:
        return gather.gather(machine, found, scalar(machine, int, owner.selector, (0, len(found) - 1)))
    source = Union(owner.selector, found)
    return source if rows.of(machine, source) is not None else None


def _item_of_one(machine, number: int, what: str, position: Value) -> Value:
    heap, source = machine.heap, _one_of_several(machine, number, what)
    if source is None:
        raise Refused("XP0004", "one of several dicts gets other values while it is iterated over")
    resized = machine.truth(machine.compare("!=", length_of(machine, source), heap.read(number, "size")))
    first = heap.read(number, "source").alternatives[0].object
    noun = "dictionary" if heap.objects[first].kind == "dict" else "Set"
    machine.check(resized, RuntimeError, f"{noun} changed size during iteration")
    return item_of(machine, source, position)


def _has_known_keys(machine, value: Value) -> bool:
    return isinstance(value, Ref) and isinstance(machine.heap.read(value.object, "items"), Mapping)


def _shown(machine, owner: Ref, what: str) -> Tuple:
    """What a view of a dict or set of known keys shows."""
    keys = ordered_keys(machine, owner.object)
    return Tuple(tuple(view_item(machine, owner, what, key) for key in keys))


def _view_length(machine, number: int) -> int | None:
    position = machine.heap.read(number, "position")
    if not isinstance(position, Const) or not isinstance(machine.heap.read(number, "keys"), Tuple):
        return None
    return len(machine.heap.read(number, "keys").items) - position.value if position.value >= 0 else 0  # type: ignore[operator]


_VIEWS = {what: Kind(what, _view_step(what), _view_plan(what), _view_length) for what in ("keys", "values", "items")}


def _table_iterator(machine, owner: Ref, what: str) -> Ref:
    """Over a dict of unknown keys: over those that it has now, and the values that it has then."""
    if machine.heap.objects[owner.object].kind == "set":
        raise order_refusal()
    pairs: Stack = machine.heap.read(owner.object, "items")
    keys = Ref(machine.heap.new("list", list, machine.location(), items=domain.column(pairs, "keys")))
    return new(machine, _TABLES[what], type(iter({})), source=keys, position=_ZERO, owner=owner, size=pairs.length)


def order_refusal() -> Refused:
    """The refusal of an iteration over a set of unknown members."""
    return Refused(
        "XP0004",
        "iteration over a set whose members depend on data: CPython's order is that of their hashes",
        "iterate over sorted(...) of it, or use a dict",
    )


def _resized(machine, number: int) -> bool | Var:
    """Whether the dict of an iterator has another size than it had."""
    heap = machine.heap
    contents = heap.read(heap.read(number, "owner").object, "items")
    now = contents.length if isinstance(contents, Stack) else Const(len(_known_entries(machine, number)))
    size = heap.read(number, "size")
    return False if now is size else machine.truth(machine.compare("!=", now, size))


def _table_item(machine, number: int, what: str, position: Value) -> Value:
    """What a dict of unknown keys shows at a position. Its keys are those that were there when the iteration began, but
    for one that was deleted and put in again."""
    heap = machine.heap
    source, contents = heap.read(number, "source"), heap.read(heap.read(number, "owner").object, "items")
    known: Stack = heap.read(source.object, "items")
    if not isinstance(contents, Stack):
        raise Refused("XP0004", "a dict with keys that depend on data is emptied while it is iterated over")
    keys = domain.column(contents, "keys")
    if len(keys.rows) != len(known.rows):
        raise Refused("XP0004", "a dict gets keys of other types while it is iterated over")
    changed = [pair for pair in zip(keys.rows, known.rows, strict=True) if pair[0] is not pair[1]]
    if changed:
        at = device(machine, position, int)
        bad = machine.leaf(_differ_at, [at, *(row for pair in changed for row in pair)])[0]
        refuse_where(machine, bad, "XP0004", "keys of a dict are taken out and put in while it is iterated over")
    if what == "keys":
        return stacks.item(machine, keys, position)
    return loans.lend(machine, heap.read(number, "owner"), contents, position, what)


def _differ_at(at, *rows):
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return jnp.any(jnp.stack([jnp.any(now[at] != before[at]) for now, before in pairs]))


def _table(what: str) -> Kind:
    """The iterator over the keys, values or items of a dict of unknown keys."""

    def check(machine, number: int) -> None:
        machine.check(_resized(machine, number), RuntimeError, "dictionary changed size during iteration")

    def step(machine, number: int) -> Step:
        check(machine, number)
        source, position = machine.heap.read(number, "source"), machine.heap.read(number, "position")
        more, advance = _indexed_step(machine, number)

        def element() -> Value:
            advance()
            return _table_item(machine, number, what, inside(machine, position, source))

        return more, element

    def plan(machine, number: int) -> Plan | None:
        source, start = machine.heap.read(number, "source"), machine.heap.read(number, "position")
        if not loops(machine, source):
            return None
        inner = indexed_plan(machine, number, source, start)

        def element(k: Value) -> Value:
            check(machine, number)
            at = machine.binary("+", start, k)
            return _table_item(machine, number, what, inside(machine, at, source))

        def finish(k: Value) -> None:
            bad = logical_and(machine, _resized(machine, number), machine.truth(machine.compare("==", k, inner.trips)))
            if bad is not False:
                bad = bad if isinstance(bad, Var) else machine.builder.constant(True)
                refuse_where(machine, bad, "XP0004", "a dict changes its size in the last trip of a loop over it")
            inner.finish(k)

        return Plan(inner.trips, element, finish)

    return Kind("table", step, plan, _indexed_length)


_TABLES = {what: _table(what) for what in ("keys", "values", "items")}


# -- objects of the user's --------------------------------------------------------------------------------------------


def _special(machine, value: Value, name: str) -> bool:
    return defines(machine, machine.type_of(value), name)


def _user_iterator(machine, value: Value) -> Value:
    if _special(machine, value, "__iter__"):
        made = machine.call(machine.getattr(value, "__iter__"), [])
        if is_iterator(machine, made) or isinstance(made, Union) or _special(machine, made, "__next__"):
            return made
        return machine.raise_(TypeError, f"iter() returned non-iterator of type '{type_name(machine, made)}'")
    if _special(machine, value, "__getitem__"):
        return new(machine, _GETITEM, type(iter(_Subscriptable())), source=value, position=_ZERO)
    return machine.raise_(TypeError, f"'{type_name(machine, value)}' object is not iterable")


class _Subscriptable:
    """Something with `__getitem__` alone, for the type of its iterator."""

    def __getitem__(self, index: int) -> int:
        raise IndexError(index)


def catching(machine, cls: type, action: Callable[[], Value]) -> tuple[Value, bool | Var]:
    """The value of `action()`, and whether it raised an exception of class `cls` instead (other ones propagate)."""
    outer, machine.pending = machine.pending, []
    machine.catching += 1
    try:
        value = action()
        mine = machine.pending
    except PythonError as error:
        if issubclass(machine.type_of(error.value), cls):
            return UNBOUND, True
        raise
    finally:
        machine.catching -= 1
        machine.pending = outer
    raised: bool | Var = False
    for bad, exception in mine:
        bad = logical_and(machine, bad, logical_not(machine, raised))
        if not isinstance(exception, Union) and issubclass(machine.type_of(exception), cls):
            raised = logical_or(machine, raised, bad)
        elif isinstance(bad, Var):
            machine.may_raise(bad, exception)
    return value, raised


def _user_step(machine, iterator: Value) -> Step:
    """One call of `__next__`; StopIteration is the end."""
    if _is_generator(machine, iterator):
        done, item, _ = machine.advance(iterator)
        return logical_not(machine, done), lambda: item
    value, ended = catching(machine, StopIteration, lambda: machine.call(machine.getattr(iterator, "__next__"), []))
    return logical_not(machine, ended), lambda: value


def _getitem_step(machine, number: int) -> Step:
    source, position = machine.heap.read(number, "source"), machine.heap.read(number, "position")
    value, ended = catching(machine, IndexError, lambda: machine.getitem(source, position))

    def element() -> Value:
        machine.heap.write(number, "position", machine.binary("+", position, _ONE))
        return value

    return logical_not(machine, ended), element


_GETITEM = Kind("getitem", _getitem_step)


def _sentinel_step(machine, number: int) -> Step:
    """`iter(function, sentinel)`."""
    if machine.heap.read(number, "position") is not UNBOUND:
        return False, lambda: UNBOUND
    value = machine.call(machine.heap.read(number, "function"), [])
    ended = machine.truth(machine.compare("==", value, machine.heap.read(number, "sentinel")))
    if ended is True:
        machine.heap.write(number, "position", _END)
    return logical_not(machine, ended), lambda: value


SENTINEL = Kind("sentinel", _sentinel_step)
