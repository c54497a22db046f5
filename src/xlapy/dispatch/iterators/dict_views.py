"""Iterators over dicts, sets and views of dicts: of known keys, one of several, of keys that only the device knows."""

from __future__ import annotations

import operator

import jax.numpy as jnp

from xlapy.dispatch import value_selection
from xlapy.dispatch.iterators.sequences import (
    Kind,
    Plan,
    Step,
    goes_on,
    item_of,
    loops,
    new,
    position_behind,
    remaining,
    within,
)
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
    alternatives,
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
    is_set = machine.heap.objects[owner.object].kind == "set"
    slots: dict[str, Value] = {"owner": owner, "position": _ZERO}
    if isinstance(contents, GrowableList):
        keys = growable_lists.column(contents, "keys")
        slots["size"] = contents.length
        slots["source"] = _list_of(machine, keys)
        if is_set:
            slots["before"] = slots["source"]
            slots["source"] = _list_of(machine, dynamic_set_order.in_order(machine, contents, owner.object))
    else:
        known = tuple(map(key_value, ordered_keys(machine, owner.object)))
        slots |= {"source": Tuple(known), "size": Const(len(known))}
        slots["before"] = machine.new_set([*_known_entries(machine, owner.object)], None)
    return new(machine, _VIEWS[what], type(iter(set())) if is_set else type(iter({})), **slots)


def view_item(machine, owner: Ref, what: str, key: object) -> Value:
    """What a view of a dict shows for a key."""
    if what == "keys":
        return key_value(key)
    value = _known_entries(machine, owner.object)[key]
    return value if what == "values" else Tuple((key_value(key), value))


def _list_of(machine, contents: GrowableList) -> Ref:
    return Ref(machine.heap.new("list", list, machine.location(), contents))


def _resized(machine, number: int) -> bool | Var:
    """Whether the dict of an iterator has another size than it had."""
    heap = machine.heap
    owner, size = heap.read(number, "owner"), heap.read(number, "size")

    def length(one: Value) -> Value:
        contents = heap.read(as_ref(one).object, "<items>")
        known = isinstance(contents, GrowableList)
        return contents.length if known else Const(len(_known_entries(machine, as_ref(one).object)))

    lengths = [length(one) for one in alternatives(owner)]
    if isinstance(owner, Union):
        now = value_selection.gather(machine, lengths, _number(machine, owner))
    else:
        now = lengths[0]
    return False if now is size else machine.truth(machine.compare("!=", now, size))


def _number(machine, several: Union) -> Value:
    return scalar(machine, int, several.selector, (0, len(several.alternatives) - 1))


def _one_of_several(machine, owner: Value, what: str) -> Value | None:
    """What one of several dicts or sets of known keys shows, as one of several tuples; None where there is no common
    rule."""
    if not isinstance(owner, Union):
        return None
    owners = [as_ref(one) for one in owner.alternatives]
    if not all(isinstance(machine.heap.read(one.object, "<items>"), Mapping) for one in owners):
        return None
    found = tuple(
        Tuple(tuple(view_item(machine, one, what, key) for key in ordered_keys(machine, one.object))) for one in owners
    )
    if any(value_selection.signature(one) is None and not value_selection.holds_texts(one) for one in found):
        return None
    if len({len(one.items) for one in found}) == 1:
        return value_selection.gather(machine, found, _number(machine, owner))
    source = Union(owner.selector, found)
    return source if nested_lists.of(machine, source) is not None else None


def _item(machine, number: int, what: str, position: Value, owner: Ref) -> Value:
    """What a dict or set shows at a position."""
    source, contents = machine.heap.read(number, "source"), machine.heap.read(owner.object, "<items>")
    if not isinstance(contents, GrowableList):
        if not _has_keys(machine, number, owner):
            what = "a dict or set gets other keys in the place of some while it is iterated over"
            raise Refused("XP0004", what, "loop over a list of it")
        return _known_item(machine, source, what, position, owner)
    if not isinstance(source, Ref):
        _known_entries(machine, owner.object)
    if machine.heap.objects[owner.object].kind == "set":
        return _member(machine, number, position, contents)
    return _item_of_row(machine, source, contents, what, position, owner)


def _known_item(machine, source: Value, what: str, position: Value, owner: Ref) -> Value:
    if isinstance(source, Ref):
        raise Refused(
            "XP0004",
            "a dict with keys that depend on data is emptied while it is iterated over",
            "loop over a list of it",
        )
    if what == "keys" and isinstance(source, Tuple):
        return value_selection.gather(machine, source.items, position)
    keys = ordered_keys(machine, owner.object)
    if len(keys) <= (position.value if isinstance(position, Const) else 0):  # of several one that nobody comes to
        machine.raise_(IndexError, "no such item")
    if isinstance(position, Const):
        return view_item(machine, owner, what, keys[position.value])
    return value_selection.gather(machine, [view_item(machine, owner, what, key) for key in keys], position)


def _has_keys(machine, number: int, owner: Ref) -> bool:
    """Whether a dict or set still has the keys that an iterator goes through, a dict in the same order."""
    holder, now = machine.heap.read(number, "before"), _known_entries(machine, owner.object)
    before = machine.heap.read(holder.object, "<items>") if isinstance(holder, Ref) else None
    if not isinstance(before, Mapping):
        return True
    same = before.entries.keys() == now.keys()
    return same and (machine.heap.objects[owner.object].kind == "set" or [*before.entries] == [*now])


def _item_of_row(machine, source: Ref, contents: GrowableList, what: str, position: Value, owner: Ref) -> Value:
    """What a dict of unknown keys shows. Its keys are those that were there when the iteration began, but for one that
    was deleted and put in again."""
    known: GrowableList = machine.heap.read(source.object, "<items>")
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
    return borrowed_elements.borrow(machine, owner, contents, position, what)


def _differ_at(at, *rows):
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return jnp.any(jnp.stack([jnp.any(now[at] != before[at]) for now, before in pairs]))


def _member(machine, number: int, position: Value, contents: GrowableList) -> Value:
    """The member of a set of unknown members; other members may not have come into the set meanwhile."""
    heap = machine.heap
    before = heap.read(as_ref(heap.read(number, "before")).object, "<items>")
    rows = growable_lists.column(contents, "keys").rows
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


def _held(machine, number: int) -> list[Value]:
    """What the dicts or sets that an iterator may be over hold."""
    owners = alternatives(machine.heap.read(number, "owner"))
    return [machine.heap.read(as_ref(one).object, "<items>") for one in owners]


def _noun(machine, number: int) -> str:
    first = alternatives(machine.heap.read(number, "owner"))[0]
    return "dictionary" if machine.heap.objects[as_ref(first).object].kind == "dict" else "Set"


def _check(machine, number: int, alive: bool | Var = True) -> None:
    resized = logical_and(machine, alive, _resized(machine, number))
    if resized is not False:
        machine.check(resized, RuntimeError, f"{_noun(machine, number)} changed size during iteration")


def _is_known(machine, number: int) -> bool:
    """Whether an iterator is over one dict or set, of known keys: loops over it are unrolled."""
    owner = machine.heap.read(number, "owner")
    return isinstance(owner, Ref) and not isinstance(machine.heap.read(number, "source"), Ref)


def _view(what: str) -> Kind:
    """The iterator over the keys, values or items of a dict, or over the members of a set."""

    def item(machine, number: int, position: Value) -> Value:
        owner = machine.heap.read(number, "owner")
        several = _one_of_several(machine, owner, what)
        if several is not None:
            return item_of(machine, several, position)
        return over_unions(machine, (owner,), lambda one: _item(machine, number, what, position, one))

    def step(machine, number: int) -> Step:
        heap = machine.heap
        position, size = heap.read(number, "position"), heap.read(number, "size")
        if _is_known(machine, number):
            position = Const(machine.static(position, "the position of an iterator over a dict"))
        if isinstance(position, Const) and position.value < 0:
            return False, lambda: UNBOUND
        alive = goes_on(machine, position)
        _check(machine, number, alive)
        more = logical_and(machine, alive, machine.truth(machine.compare("<", position, size)))
        if more is False:
            heap.write(number, "position", _END)

        def element() -> Value:
            heap.write(number, "position", machine.binary("+", position, _ONE))
            return item(machine, number, within(position, size))

        return more, element

    def plan(machine, number: int) -> Plan | None:
        source, start = machine.heap.read(number, "source"), machine.heap.read(number, "position")
        if _is_known(machine, number) or isinstance(source, Ref) and not loops(machine, source):
            return None
        size, before = machine.heap.read(number, "size"), _held(machine, number)
        iterations = remaining(machine, start, size)

        def element(k: Value) -> Value:
            _check(machine, number)
            return item(machine, number, within(machine.binary("+", start, k), size))

        def finish(k: Value, ended: bool | Var) -> None:
            same = all(map(operator.is_, before, _held(machine, number)))
            bad = False if same else _resized(machine, number)
            bad = logical_and(machine, bad, machine.truth(machine.compare("==", k, iterations)))
            if bad is not False:
                bad = bad if isinstance(bad, Var) else machine.builder.constant(True)
                what = f"{_noun(machine, number)} changes size in the last trip of a loop over it"
                refuse_where(machine, bad, "XP0004", what)
            machine.heap.write(number, "position", position_behind(machine, start, k, ended))

        return Plan(iterations, element, finish)

    def known_length(machine, number: int) -> int | None:
        position, size = machine.heap.read(number, "position"), machine.heap.read(number, "size")
        if not isinstance(position, Const) or not isinstance(size, Const):
            return None
        return max(size.value - position.value, 0) if position.value >= 0 else 0

    return Kind(what, step, plan, known_length)


_VIEWS = {what: _view(what) for what in ("keys", "values", "items")}
