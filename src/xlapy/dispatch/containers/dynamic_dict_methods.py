"""Operations of dicts with keys that depend on data (see `dynamic_dicts`); those of others go to `dicts` and `sets`."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from xlapy.dispatch import registry, unions, value_selection
from xlapy.dispatch.containers import (
    borrowed_elements,
    container_protocol,
    dicts,
    dynamic_dicts,
    growable_list_edits,
    growable_list_items,
)
from xlapy.dispatch.containers.pairs import put_all
from xlapy.dispatch.numbers.scalar_values import logical_and, logical_not, provoke, scalar
from xlapy.dispatch.protocol import Refused
from xlapy.domain.growable_lists import Overfull
from xlapy.domain.values import (
    NONE,
    TRUE,
    Const,
    GrowableList,
    Mapping,
    NdArray,
    Ref,
    Tuple,
    Union,
    Value,
    as_ref,
    key_value,
)
from xlapy.ir import Var

_EMPTY = provoke({}.popitem)
_ORDERED_EMPTY = provoke(collections.OrderedDict().popitem)
_ZERO = Const(0)
_DICTS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)


def _takes_new(machine, self: Ref, key: Value) -> bool:
    """Whether a dict of known keys becomes one of unknown keys with this key. Where it may be one of those that are
    there, it is taken for one at first: if it is not, the call is compiled again."""
    known = container_protocol.entries(machine, self)
    if dynamic_dicts.holds_tuples(machine, key):
        return True
    if container_protocol.compares_by_value(machine, key) and container_protocol.resolved(machine, known, key) is None:
        return True
    if not dynamic_dicts.is_new(machine, key):
        return False
    one_of = dynamic_dicts.choices(key)
    if one_of is not None:
        return not all(container_protocol.key_of(machine, one, known) in known for one in one_of)
    if len(known) < 2 or isinstance(key, Ref):
        return True
    _, there = dicts.find(machine, known, key)
    if isinstance(there, bool):
        return not there
    guess = ("keys", machine.builder.location())
    if machine.capacities.get(guess):
        return True
    machine.guesses[guess] = 1
    machine.register_error(logical_not(machine, there), machine.exception(Overfull, Const(guess)))
    return False


def _rows(machine, self: Value, key: Value) -> GrowableList | None:
    """The contents of a dict or set in which a key is looked for row by row."""
    growable = dynamic_dicts.of(machine, self)
    if growable is not None or not isinstance(self, Ref):
        return growable
    if dynamic_dicts.holds_tuples(machine, key):
        return (
            dynamic_dicts.converted(machine, self)
            if container_protocol.heap_kind(machine, self) in ("dict", "set")
            else None
        )
    if not container_protocol.compares_by_value(machine, key):
        return None
    known = container_protocol.entries(machine, self)
    return (
        dynamic_dicts.converted(machine, self)
        if container_protocol.resolved(machine, known, as_ref(key)) is None
        else None
    )


def _check(machine, there: bool | Var, key: Value) -> None:
    machine.check(logical_not(machine, there), KeyError, key)


# -- subscripts -------------------------------------------------------------------------------------------------------


def _subscripts() -> None:
    get, set_, delete = (
        where[dict] for where in (container_protocol.GETITEM, container_protocol.SETITEM, container_protocol.DELITEM)
    )

    def getitem(machine, self: Ref, key: Value) -> Value:
        if container_protocol.is_hashable_or_not(machine, key):
            return unions.over_parts(machine, key, lambda k: getitem(machine, self, k))
        growable = _rows(machine, self, key) or _of_containers(machine, self, key)
        if growable is None:
            if not (_is_empty(machine, self) and dynamic_dicts.unknown(machine, key)):
                found = _of_known_keys(machine, self, key)
                return found or unions.over_parts(machine, key, lambda k: get(machine, self, k))
            return made(machine, self, key)
        at, there = dynamic_dicts.locate(machine, growable, key)
        if there is False:
            return made(machine, self, key)
        if dicts.has_missing(machine, self):
            if dynamic_dicts.holds_objects(growable):
                machine.cond(there, lambda: NONE, lambda: (dicts.missing(machine, self, key), NONE)[1])
                return _again(machine, self, key)
            return machine.cond(
                there,
                lambda: dynamic_dicts.value(machine, growable, at),
                lambda: dicts.missing(machine, self, key),
            )
        _check(machine, there, key)
        return dynamic_dicts.borrowed(machine, self, growable, at, key)

    def made(machine, self: Ref, key: Value) -> Value:
        found = dicts.missing(machine, self, key)
        growable = dynamic_dicts.of(machine, self)
        if growable is None or not isinstance(found, Ref | NdArray) or not dynamic_dicts.holds_objects(growable):
            return found
        return _again(machine, self, key)

    def setitem(machine, self: Ref, key: Value, item: Value) -> None:
        if container_protocol.is_hashable_or_not(machine, key):
            unions.over_parts(machine, key, lambda k: container_protocol.setitem(machine, self, k, item) or NONE)
            return None
        several = unions.union_in(key) is not None
        if dynamic_dicts.of(machine, self) is not None or _takes_new(machine, self, key):
            try:
                return dynamic_dicts.set_item(machine, self, key, item)
            except Refused:
                if not several or dynamic_dicts.of(machine, self) is not None:
                    raise
        if several:
            if not _put_under_known_keys(machine, self, key, item):
                unions.over_parts(machine, key, lambda k: container_protocol.setitem(machine, self, k, item) or NONE)
        else:
            set_(machine, self, key, item)

    def delitem(machine, self: Ref, key: Value) -> None:
        growable = _rows(machine, self, key)
        if growable is None or container_protocol.is_hashable_or_not(machine, key):
            unions.over_parts(
                machine, key, lambda k: (delete if growable is None else delitem)(machine, self, k) or NONE
            )
            return
        at, there = dynamic_dicts.locate(machine, growable, key, dynamic_dicts.place_in(machine, self))
        if issubclass(machine.type_of(self), collections.Counter):

            def remove() -> Value:
                dynamic_dicts.remove(machine, self, growable, at)
                return NONE

            machine.cond(there, remove, lambda: NONE)
            return
        _check(machine, there, key)
        dynamic_dicts.remove(machine, self, growable, at)

    container_protocol.GETITEM[dict], container_protocol.SETITEM[dict], container_protocol.DELITEM[dict] = (
        getitem,
        setitem,
        delitem,
    )


def _of_containers(machine, self: Value, key: Value) -> GrowableList | None:
    """A dict of known keys whose values are the program's own containers of several lengths, or empty ones, as one of
    unknown keys, once it is subscripted by a key that depends on data."""
    if not isinstance(self, Ref) or machine.heap.objects[self.object].cls not in _DICTS:
        return None
    contents = machine.heap.read(self.object, "<items>")
    if not isinstance(contents, Mapping) or not growable_list_items.grow(machine, tuple(dict.values(contents.entries))):
        return None
    if not dynamic_dicts.is_new(machine, key):
        return None
    try:
        growable = dynamic_dicts.converted(machine, self)
    except Refused:
        return None
    if not dynamic_dicts.holds_objects(growable):
        return None
    with growable_list_items.places_kept(machine):
        dynamic_dicts.write(machine, self, growable)
    return growable


def _again(machine, self: Ref, key: Value) -> Value:
    """The value of a key that has just been put in, if it was not there."""
    growable = dynamic_dicts.of(machine, self)
    assert growable is not None
    at, _ = dynamic_dicts.locate(machine, growable, key)
    return dynamic_dicts.borrowed(machine, self, growable, at, key)


def _is_empty(machine, value: Value) -> bool:
    return isinstance(value, Ref) and not container_protocol.entries(machine, value)


_subscripts()


# -- keys that are one of several known ones --------------------------------------------------------------------------


def known_keys(machine, self: Value, key: Value) -> list[Any] | None:
    """The keys of a dict or set that the alternatives of a key are, if all that are possible are there."""
    if type(key) is not Union or not isinstance(self, Ref) or not all(isinstance(k, Const) for k in key.alternatives):
        return None
    contents = machine.heap.read(self.object, "<items>")
    if not isinstance(contents, Mapping):
        return None
    keys = [container_protocol.key_of(machine, one, contents.entries) for one in key.alternatives]
    there = [keys[index] for index in unions.possible(machine, key)]
    if len(set(there)) < len(there) or not all(one in contents.entries for one in there):
        return None
    return [one if index in unions.possible(machine, key) else there[0] for index, one in enumerate(keys)]


def _of_known_keys(machine, self: Value, key: Value) -> Value | None:
    """`self[key]` by the number of the alternative that the key is, without a branch for each; None if values differ
    in type."""
    keys = known_keys(machine, self, key)
    if keys is None or not isinstance(key, Union):
        return None
    held = container_protocol.entries(machine, self)
    values = [held[one] for one in keys]
    if all(isinstance(v, Ref) for v in values) and len(set(values)) == len(values):
        kinds = {(machine.heap.objects[as_ref(v).object].kind, machine.type_of(v)) for v in values}
        return Union(key.selector, tuple(values)) if len(kinds) == 1 else None
    numbers = value_selection.signature(values[0]) is not None and value_selection.stackable(machine, values)
    return (
        value_selection.gather(machine, values, _number(machine, key))
        if numbers or value_selection.coded(machine, values)
        else None
    )


def _put_under_known_keys(machine, self: Ref, key: Value, item: Value) -> bool:
    """`self[key] = item` in the same way; False if that is not possible."""
    keys = known_keys(machine, self, key)
    if keys is None or not isinstance(key, Union):
        return False
    held = container_protocol.entries(machine, self)
    values = [held[one] for one in keys]
    kind = value_selection.signature(item)
    numbers = kind is not None and kind[0] != "tuple" and value_selection.stackable(machine, [item, *values])
    if not numbers and value_selection.coded(machine, [item, *values]) is None:
        return False
    changed = value_selection.scatter(machine, values, _number(machine, key), item)
    for index in unions.possible(machine, key):
        held[keys[index]] = changed[index]
    container_protocol.set_entries(machine, self, held)
    return True


def _number(machine, key: Union) -> Value:
    return scalar(machine, int, key.selector, (0, len(key.alternatives) - 1))


def _membership(cls: type) -> None:
    before = container_protocol.CONTAINS[cls]

    def contains(machine, item: Value, self: Value) -> bool | Var:
        growable = _rows(machine, self, item)
        either = container_protocol.is_hashable_or_not(machine, item)
        if growable is not None and not either:
            return dynamic_dicts.locate(machine, growable, item, dynamic_dicts.place_in(machine, self))[1]
        if unions.union_in(item) is None:
            return before(machine, item, self)
        if not either and known_keys(machine, self, item) is not None:
            return True
        return machine.truth(
            unions.over_parts(machine, item, lambda k: machine.boolean(container_protocol.contains(machine, k, self)))
        )

    container_protocol.CONTAINS[cls] = contains


def _has_item(table, key, value):
    return key in table and table[key] == value


def _view_membership(cls: type) -> None:
    before = container_protocol.CONTAINS[cls]

    def contains(machine, item: Value, self: Value) -> bool | Var:
        found = dynamic_dicts.owner(machine, self)
        if found is None:
            return before(machine, item, self)
        owner, what = found
        growable = dynamic_dicts.of(machine, owner)
        if what == "keys" and growable is not None:
            return dynamic_dicts.locate(machine, growable, item)[1]
        if what == "items" and isinstance(item, Tuple):
            if len(item.items) != 2:
                return False
            return machine.truth(machine.call(Const(_has_item), (owner, *item.items)))
        return container_protocol.contains(machine, item, dynamic_dicts.listed(machine, owner, what))

    container_protocol.CONTAINS[cls] = contains


for _cls in (dict, set):
    _membership(_cls)
for _cls in dicts.VIEW_TYPES.values():
    _view_membership(_cls)


# -- methods ----------------------------------------------------------------------------------------------------------


def add_method(cls: type, name: str, rule: Callable, grows: bool = False) -> None:
    """`rule(machine, self, growable, *args)` for tables; where it `grows`, for a new unknown key, too."""
    before = registry.method_rule(cls, name)

    @registry.takes_unions
    def either(machine, self: Value, /, *args: Value, **kwargs: Value) -> Value:
        key, more = args[:1], args[1:]

        def chosen(self: Value, *rest: Value) -> Value:
            named = dict(zip(kwargs, rest[len(more) :], strict=True))
            return either(machine, self, *key, *rest[: len(more)], **named)

        others = (self, *more, *kwargs.values())
        if any(type(v) is Union for v in others):
            return unions.over_unions(machine, others, chosen)
        if key and container_protocol.is_hashable_or_not(machine, key[0]):
            return unions.over_parts(machine, key[0], lambda k: either(machine, self, k, *args[1:], **kwargs))
        growable = _rows(machine, self, args[0]) if args else dynamic_dicts.of(machine, self)
        if growable is not None or grows and isinstance(self, Ref) and args and _takes_new(machine, self, args[0]):
            return rule(machine, self, growable, *args, **kwargs)
        if key:
            return unions.over_parts(machine, key[0], lambda k: before(machine, self, k, *args[1:], **kwargs))
        return before(machine, self, *args, **kwargs)

    registry.method(cls, name)(either)


def _get(machine, self: Ref, growable: GrowableList, key: Value, default: Value = NONE) -> Value:
    at, there = dynamic_dicts.locate(machine, growable, key)
    return machine.cond(there, lambda: dynamic_dicts.value(machine, growable, at), lambda: default)


def _setdefault(machine, self: Ref, growable: GrowableList | None, key: Value, default: Value = NONE) -> Value:
    growable = dynamic_dicts.converted(machine, self, Tuple((key, default)))
    at, there = dynamic_dicts.locate(machine, growable, key)

    def insert() -> Value:
        dynamic_dicts.set_item(machine, self, key, default)
        return default

    if isinstance(default, Ref | NdArray) or dynamic_dicts.holds_objects(growable):
        machine.cond(there, lambda: NONE, lambda: (insert(), NONE)[1])
        return _again(machine, self, key)
    return machine.cond(there, lambda: dynamic_dicts.value(machine, growable, at), insert)


def _pop(machine, self: Ref, growable: GrowableList, key: Value, *default: Value) -> Value:
    at, there = dynamic_dicts.locate(machine, growable, key)

    def taken() -> Value:
        found = dynamic_dicts.value(machine, growable, at)
        dynamic_dicts.remove(machine, self, growable, at)
        return found

    if default:
        return machine.cond(there, taken, lambda: default[0])
    _check(machine, there, key)
    return taken()


def _popitem(machine, self: Ref, growable: GrowableList, last: Value = TRUE) -> Value:
    ordered = issubclass(machine.type_of(self), collections.OrderedDict)
    error = _ORDERED_EMPTY if ordered else _EMPTY
    machine.check(machine.truth(machine.compare("==", growable.length, _ZERO)), KeyError, *error.args)
    rest, pair = (growable_list_items.pop if machine.static(last) else growable_list_items.pop_first)(machine, growable)
    dynamic_dicts.write(machine, self, rest)
    return pair


def _move_to_end(machine, self: Ref, growable: GrowableList, key: Value, last: Value = TRUE) -> Value:
    at, there = dynamic_dicts.locate(machine, growable, key)
    _check(machine, there, key)
    pair = growable_list_items.item(machine, growable, at)
    rest = growable_list_edits.without(machine, growable, at)
    dynamic_dicts.write(
        machine,
        self,
        (growable_list_items.push if machine.static(last) else growable_list_items.push_first)(machine, rest, pair),
    )
    return NONE


def _updating(cls: type, name: str) -> None:
    before = registry.method_rule(cls, name)

    def either(machine, self: Ref, source: Value | None = None, /, **kwargs: Value) -> Value:
        unknown = (
            dynamic_dicts.of(machine, self) is not None
            or source is not None
            and dynamic_dicts.has_unknown(machine, source)
        )
        whole = lambda: before(machine, self, *([] if source is None else [source]), **kwargs)  # noqa: E731
        if (
            source is not None
            and not unknown
            and not kwargs
            and container_protocol.heap_kind(machine, source) == "generator"
        ):
            each = lambda: machine.call(Const(put_all), [self, source])  # noqa: E731
            return growable_list_items.whole_or_each(machine, whole, each)
        if not unknown:
            return whole()
        if source is not None:
            update(machine, self, source)
        for key, value in kwargs.items():
            container_protocol.setitem(machine, self, Const(key), value)
        return NONE

    registry.method(cls, name)(either)


def update(machine, self: Ref, source: Value) -> None:
    """`self.update(source)`; what an empty dict gets is the whole of a table."""
    growable = dynamic_dicts.of(machine, source)
    is_set = container_protocol.heap_kind(machine, source) == "set"
    if (
        growable is not None
        and not is_set
        and dynamic_dicts.of(machine, self) is None
        and not container_protocol.entries(machine, self)
    ):
        borrowed_elements.share(machine, source)
        shared = dynamic_dicts.of(machine, source)
        assert shared is not None
        dynamic_dicts.write(machine, self, shared)
        return
    if growable is not None:
        source = (
            dynamic_dicts.ordered(machine, source) if is_set else dynamic_dicts.listed(machine, as_ref(source), "items")
        )
    elif container_protocol.heap_kind(machine, source) in ("dict", "instance"):
        for key, value in dicts.mapping_entries(machine, source, self).items():
            container_protocol.setitem(machine, self, key_value(key), value)
        return
    machine.call(Const(put_all), [self, source])


def _fromkeys(keys, value):
    made = {}
    for key in keys:
        made[key] = value
    return made


def _of_keys() -> None:
    before = registry.method_rule(dict, "fromkeys")

    def fromkeys(machine, owner: Value, keys: Value, value: Value = NONE) -> Value:
        if dynamic_dicts.has_unknown(machine, keys):
            if dicts.class_from_keys(machine, owner) is not dict:
                raise Refused("XP0004", "fromkeys of keys that depend on data, of another class than dict")
            return machine.call(Const(_fromkeys), [dynamic_dicts.ordered(machine, keys), value])
        return before(machine, owner, keys, value)

    registry.method(dict, "fromkeys")(fromkeys)


_of_keys()
for _name, _rule in {
    "get": _get,
    "pop": _pop,
    "popitem": _popitem,
}.items():
    add_method(dict, _name, _rule)
_updating(dict, "update")
add_method(dict, "setdefault", _setdefault, grows=True)
add_method(collections.OrderedDict, "popitem", _popitem)
add_method(collections.OrderedDict, "move_to_end", _move_to_end)


# -- operators --------------------------------------------------------------------------------------------------------


def _dicts_equal(items, other):
    for key, value in items:
        if key not in other or other[key] != value:
            return False
    return True


def _dict_operators(*classes: type) -> None:
    before = registry.OPERATORS[dict]

    def either(machine, symbol: str, left: Value, right: Value) -> Value | None:
        involved = dynamic_dicts.of(machine, left) is not None or dynamic_dicts.of(machine, right) is not None
        if not involved or not (dicts.is_dict(machine, left) and dicts.is_dict(machine, right)):
            return before(machine, symbol, left, right)
        if symbol == "|=":
            update(machine, as_ref(left), right)
            return left
        if symbol == "|":
            made = dicts.copied(machine, as_ref(left))
            update(machine, made, right)
            return made
        if symbol in ("==", "!="):
            sizes = [container_protocol.length(machine, v) for v in (left, right)]
            same = machine.truth(machine.compare("==", *sizes))
            items = machine.call(machine.getattr(left, "items"), [])
            inside = machine.truth(machine.call(Const(_dicts_equal), [dynamic_dicts.whole(machine, items), right]))
            same = logical_and(machine, same, inside)
            return machine.boolean(same if symbol == "==" else logical_not(machine, same))
        return None

    registry.operator(*classes)(either)


_dict_operators(dict)
