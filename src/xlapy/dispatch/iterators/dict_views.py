"""Iterators over dicts, sets and views of dicts: of known keys, one of several, of keys that only the device knows."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax.numpy as jnp

from xlapy.dispatch import value_selection
from xlapy.dispatch.iterators.sequences import (
    Kind,
    Plan,
    Step,
    indexed_length,
    indexed_plan,
    indexed_step,
    inside,
    item_of,
    length_of,
    loops,
    new,
)
from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numbers.scalar_values import (
    device,
    logical_and,
    refuse_where,
    scalar,
)
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.unions import over_unions
from xlapy.dispatch.vectors import borrowed_elements, dynamic_set_order, growable_list_items, nested_lists
from xlapy.domain import growable_lists, set_iteration_order
from xlapy.domain.join import JoinFailure
from xlapy.domain.values import (
    UNBOUND,
    Const,
    GrowableList,
    Mapping,
    Ref,
    Tuple,
    Union,
    Value,
    as_ref,
    key_value,
)
from xlapy.ir import Var

_ZERO = Const(0)
_ONE = Const(1)
_END = Const(-1)


# -- dicts, sets and views of dicts -----------------------------------------------------------------------------------


def _known_entries(machine, number: int) -> dict:
    """The entries of a dict or set of known keys."""
    contents = machine.heap.read(number, "<items>")
    if not isinstance(contents, Mapping):
        raise Refused(
            "XP0004", "a dict or set gets keys that depend on data while it is iterated over", "loop over a list of it"
        )
    return contents.entries


def ordered_keys(machine, number: int) -> list:
    """The keys of a dict or set in the order of iteration."""
    entries = _known_entries(machine, number)
    if machine.heap.objects[number].kind == "set":
        refs = [key for key in entries if isinstance(key, Ref)]
        if len(entries) > 1 and any(machine.heap.objects[r.object].cls.__hash__ is not object.__hash__ for r in refs):
            raise dynamic_set_order.order_refusal()
        if len(refs) == len(entries):
            return list(entries)
        order = set_iteration_order.order(machine.heap.read(number, "<items>").history, entries)
        if order is None:
            raise dynamic_set_order.order_refusal()
        return order
    return list(entries)


def is_one(machine, value: Value) -> bool:
    """Whether an iterator over a dict or set is one, whichever of several contents that has."""
    if not isinstance(value, Ref) or (kind := machine.heap.objects[value.object].kind) not in ("dict", "set"):
        return False
    return kind == "dict" or dynamic_set_order.has_order(machine.heap.read(value.object, "<items>"))


def dict_iterator(machine, value: Ref) -> Ref:
    """The iterator of a dict, or of its `keys()`, `values()` or `items()`."""
    info = machine.heap.objects[value.object]
    owner, what = value, "keys"
    if info.kind == "view":
        owner = machine.heap.read(value.object, "source")
        what = info.details
    contents = machine.heap.read(owner.object, "<items>")
    if isinstance(contents, Union):
        try:
            contents = growable_list_items.settled(machine, owner)
        except JoinFailure as error:
            raise Refused("XP0004", "iteration over a dict or set with one of several sets of keys") from error
    if isinstance(contents, GrowableList):
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
        keys = heap.read(number, "keys")
        if not isinstance(keys, Tuple):
            raise Refused("XP0004", "iteration over one of several dicts or sets", "make a list of it before")
        keys = keys.items
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

        def finish(k: Value, ended: bool | Var) -> None:
            machine.heap.write(number, "position", machine.binary("+", start, k))

        count = length_of(machine, source)
        return Plan(range_objects.maximum(machine, machine.binary("-", count, start), _ZERO), element, finish)

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
    found = tuple(_shown(machine, as_ref(one), what) for one in owner.alternatives)
    if any(value_selection.signature(one) is None and not value_selection.holds_texts(one) for one in found):
        return None
    if len({len(one.items) for one in found}) == 1:
        return value_selection.gather(machine, found, scalar(machine, int, owner.selector, (0, len(found) - 1)))
    source = Union(owner.selector, found)
    return source if nested_lists.of(machine, source) is not None else None


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
    return isinstance(value, Ref) and isinstance(machine.heap.read(value.object, "<items>"), Mapping)


def _shown(machine, owner: Ref, what: str) -> Tuple:
    """What a view of a dict or set of known keys shows."""
    keys = ordered_keys(machine, owner.object)
    return Tuple(tuple(view_item(machine, owner, what, key) for key in keys))


def _view_length(machine, number: int) -> int | None:
    position = machine.heap.read(number, "position")
    if not isinstance(position, Const) or not isinstance(machine.heap.read(number, "keys"), Tuple):
        return None
    return len(machine.heap.read(number, "keys").items) - position.value if position.value >= 0 else 0


_VIEWS = {what: Kind(what, _view_step(what), _view_plan(what), _view_length) for what in ("keys", "values", "items")}


def _table_iterator(machine, owner: Ref, what: str) -> Ref:
    """Over a dict of unknown keys: over those that it has now, and the values that it has then."""
    pairs: GrowableList = machine.heap.read(owner.object, "<items>")
    if machine.heap.objects[owner.object].kind == "set":
        before = _list_of(machine, growable_lists.column(pairs, "keys"))
        keys = _list_of(machine, dynamic_set_order.in_order(machine, pairs, owner.object))
        cls = type(iter(set()))
        return new(machine, _SET, cls, source=keys, position=_ZERO, owner=owner, size=pairs.length, before=before)
    keys = _list_of(machine, growable_lists.column(pairs, "keys"))
    return new(machine, _TABLES[what], type(iter({})), source=keys, position=_ZERO, owner=owner, size=pairs.length)


def _list_of(machine, contents: GrowableList) -> Ref:
    return Ref(machine.heap.new("list", list, machine.location(), contents))


def _resized(machine, number: int) -> bool | Var:
    """Whether the dict of an iterator has another size than it had."""
    heap = machine.heap
    owner, size = heap.read(number, "owner"), heap.read(number, "size")

    def differs(one: Value) -> Value:
        contents = heap.read(as_ref(one).object, "<items>")
        now = (
            contents.length
            if isinstance(contents, GrowableList)
            else Const(len(_known_entries(machine, as_ref(one).object)))
        )
        return Const(False) if now is size else machine.compare("!=", now, size)

    return machine.truth(over_unions(machine, (owner,), differs))


def _table_item(machine, number: int, what: str, position: Value, owner: Value) -> Value:
    """What a dict of unknown keys shows at a position. Its keys are those that were there when the iteration began, but
    for one that was deleted and put in again."""
    heap = machine.heap
    source, contents = heap.read(number, "source"), heap.read(as_ref(owner).object, "<items>")
    known: GrowableList = heap.read(source.object, "<items>")
    if not isinstance(contents, GrowableList):
        raise Refused(
            "XP0004",
            "a dict with keys that depend on data is emptied while it is iterated over",
            "loop over a list of it",
        )
    keys = growable_lists.column(contents, "keys")
    if len(keys.rows) != len(known.rows):
        raise Refused("XP0004", "a dict gets keys of other types while it is iterated over")
    changed = [pair for pair in zip(keys.rows, known.rows, strict=True) if pair[0] is not pair[1]]
    if changed:
        at = device(machine, position, int)
        bad = machine.leaf(_differ_at, [at, *(row for pair in changed for row in pair)])[0]
        refuse_where(
            machine,
            bad,
            "XP0004",
            "keys of a dict are taken out and put in while it is iterated over",
            "loop over a list of it",
        )
    if what == "keys":
        return growable_list_items.item(machine, keys, position)
    return borrowed_elements.borrow(machine, as_ref(owner), contents, position, what)


def _differ_at(at, *rows):
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return jnp.any(jnp.stack([jnp.any(now[at] != before[at]) for now, before in pairs]))


def _member(machine, number: int, position: Value, owner: Value) -> Value:
    """The member of a set of unknown members at a position; other members may not have come into the set meanwhile."""
    heap = machine.heap
    contents, before = (heap.read(as_ref(held).object, "<items>") for held in (owner, heap.read(number, "before")))
    rows = growable_lists.column(contents, "keys").rows if isinstance(contents, GrowableList) else ()
    if [row.type for row in rows] != [row.type for row in before.rows]:
        raise Refused("XP0004", "a set is changed while it is iterated over", "loop over a list of it")
    changed = [pair for pair in zip(rows, before.rows, strict=True) if pair[0] is not pair[1]]
    if changed:
        bad = machine.leaf(_differ, [row for pair in changed for row in pair])[0]
        refuse_where(
            machine,
            bad,
            "XP0004",
            "members of a set are taken out and put in while it is iterated over",
            "loop over a list of it",
        )
    return item_of(machine, heap.read(number, "source"), position)


def _differ(*rows):
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return jnp.any(jnp.stack([jnp.any(now != before) for now, before in pairs]))


def _table(what: str) -> Kind:
    """The iterator over the keys, values or items of a dict of unknown keys, or over the members of a set."""
    noun = "Set" if what == "members" else "dictionary"

    def check(machine, number: int) -> None:
        machine.check(_resized(machine, number), RuntimeError, f"{noun} changed size during iteration")

    def item(machine, number: int, position: Value) -> Value:
        show = _member if what == "members" else functools.partial(_table_item, what=what)
        owner = machine.heap.read(number, "owner")
        return over_unions(machine, (owner,), lambda one: show(machine, number, position=position, owner=one))

    def step(machine, number: int) -> Step:
        check(machine, number)
        source, position = machine.heap.read(number, "source"), machine.heap.read(number, "position")
        more, advance = indexed_step(machine, number)

        def element() -> Value:
            advance()
            return item(machine, number, inside(machine, position, source))

        return more, element

    def plan(machine, number: int) -> Plan | None:
        source, start = machine.heap.read(number, "source"), machine.heap.read(number, "position")
        if not loops(machine, source):
            return None
        inner = indexed_plan(machine, number, source, start)

        def element(k: Value) -> Value:
            check(machine, number)
            at = machine.binary("+", start, k)
            return item(machine, number, inside(machine, at, source))

        def finish(k: Value, ended: bool | Var) -> None:
            bad = logical_and(
                machine, _resized(machine, number), machine.truth(machine.compare("==", k, inner.iterations))
            )
            if bad is not False:
                bad = bad if isinstance(bad, Var) else machine.builder.constant(True)
                refuse_where(machine, bad, "XP0004", f"{noun} changes size in the last trip of a loop over it")
            inner.finish(k, ended)

        return Plan(inner.iterations, element, finish)

    return Kind("table", step, plan, indexed_length)


_TABLES = {what: _table(what) for what in ("keys", "values", "items")}
_SET = _table("members")
