"""Subscripts of dicts, and membership of dicts, sets and views of dicts.

count[k] += 1; groups[k].append(v); del table[k]
k in table, (k, v) in table.items()
"""

from __future__ import annotations

import collections
import types

from xlapy.dispatch import unions
from xlapy.dispatch.containers import container_protocol, dynamic_dicts, known_keys, loaded_modules
from xlapy.dispatch.containers.container_protocol import (
    CONTAINS,
    DELITEM,
    GETITEM,
    SETITEM,
    asked_for,
    default_factory,
    entries,
    is_hashable_or_not,
    key_of,
    register,
    set_entries,
)
from xlapy.dispatch.containers.keyed_methods import is_unknown, takes_new
from xlapy.dispatch.numbers.scalar_values import defines, logical_and, logical_not, logical_or
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors import equality, growable_list_items
from xlapy.dispatch.vectors.equality import same_item
from xlapy.domain.values import (
    NONE,
    Const,
    GrowableList,
    Mapping,
    NdArray,
    Ref,
    Text,
    Tuple,
    Union,
    Value,
    as_ref,
    tuple_items,
)
from xlapy.ir import Var
from xlapy.library.builtins import dict as dict_library

_DICTS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
VIEW_TYPES = {"keys": type({}.keys()), "values": type({}.values()), "items": type({}.items())}


# -- reading ----------------------------------------------------------------------------------------------------------


@register(GETITEM, dict)
def getitem(machine, self: Ref, key: Value) -> Value:
    """`d[key]`, with `__missing__` of subclasses."""
    if loaded_modules.is_asked(machine, self, key):
        return loaded_modules.subscript(machine, self, key)
    if is_hashable_or_not(machine, key):
        return unions.over_parts(machine, key, lambda k: getitem(machine, self, k))
    if is_unknown(machine, self, key):
        return _looked_up(machine, self, dynamic_dicts.converted(machine, self), key)
    growable = _of_containers(machine, self, key)
    if growable is not None:
        return _looked_up(machine, self, growable, key)
    if not entries(machine, self) and dynamic_dicts.unknown(machine, key):
        return _made(machine, self, key)
    found = known_keys.value_of_known_keys(machine, self, key)
    return found or unions.over_parts(machine, key, lambda k: _known(machine, self, k))


def _known(machine, self: Ref, key: Value) -> Value:
    found, there = known_keys.find(machine, entries(machine, self), key)
    if found is None or there is False:
        return missing(machine, self, key)
    if there is True:
        return found
    if _has_missing(machine, self):
        return machine.cond(there, lambda: found, lambda: missing(machine, self, key))
    machine.check(logical_not(machine, there), KeyError, key)
    return found


def _looked_up(machine, self: Ref, growable: GrowableList, key: Value) -> Value:
    at, there = dynamic_dicts.locate(machine, growable, key)
    if there is False:
        return _made(machine, self, key)
    if not _has_missing(machine, self):
        machine.check(logical_not(machine, there), KeyError, key)
        return dynamic_dicts.borrowed(machine, self, growable, at, key)
    if not dynamic_dicts.holds_objects(growable):
        return machine.cond(
            there, lambda: dynamic_dicts.value(machine, growable, at), lambda: missing(machine, self, key)
        )
    machine.cond(there, lambda: NONE, lambda: (missing(machine, self, key), NONE)[1])
    return once_there(machine, self, key)


def _made(machine, self: Ref, key: Value) -> Value:
    """What a key gives that is not there."""
    found = missing(machine, self, key)
    growable = dynamic_dicts.of(machine, self)
    if growable is None or not isinstance(found, Ref | NdArray) or not dynamic_dicts.holds_objects(growable):
        return found
    return once_there(machine, self, key)


def once_there(machine, self: Ref, key: Value) -> Value:
    """The value of a key that has just been put in, if it was not there."""
    growable = dynamic_dicts.of(machine, self)
    assert growable is not None
    at, _ = dynamic_dicts.locate(machine, growable, key)
    return dynamic_dicts.borrowed(machine, self, growable, at, key)


def _of_containers(machine, self: Value, key: Value) -> GrowableList | None:
    """A dict of known keys whose values are the program's own containers of several lengths, or empty ones, as one of
    unknown keys, once it is subscripted by a key that depends on data."""
    if not isinstance(self, Ref) or machine.heap.objects[self.object].cls not in _DICTS:
        return None
    contents = machine.heap.read(self.object, "<items>")
    if not isinstance(contents, Mapping):
        return None
    values = tuple(dict.values(contents.entries))
    if not growable_list_items.grow(machine, values, least=1 if _has_missing(machine, self) else 2):
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


def _has_missing(machine, container: Ref) -> bool:
    """Whether the class of a dict says what a missing key gives."""
    return defines(machine, machine.type_of(container), "__missing__")


def missing(machine, container: Ref, key: Value) -> Value:
    """What a missing key gives, by `__missing__` or in its place."""
    cls = machine.type_of(container)
    if issubclass(cls, collections.defaultdict):
        factory = default_factory(machine, container)
        if isinstance(factory, Union):
            raise Refused("XP0004", "a defaultdict with one of several factories, which one depends on data")
        if not (isinstance(factory, Const) and factory.value is None):
            made = machine.call(factory, [])
            with growable_list_items.places_kept(machine):  # the key is new: it takes nothing's place
                container_protocol.setitem(machine, container, key, made)
            return made
    elif issubclass(cls, collections.Counter):
        return Const(0)
    elif isinstance(getattr(cls, "__missing__", None), types.FunctionType):
        return machine.call(machine.getattr(container, "__missing__"), [key])
    return machine.raise_(KeyError, key)


# -- writing ----------------------------------------------------------------------------------------------------------


@register(SETITEM, dict)
def setitem(machine, self: Ref, key: Value, item: Value) -> None:
    """`d[key] = item`."""
    apart = lambda k: container_protocol.setitem(machine, self, k, item) or NONE  # noqa: E731
    if is_hashable_or_not(machine, key):
        unions.over_parts(machine, key, apart)
        return
    several = unions.union_in(key) is not None
    if dynamic_dicts.of(machine, self) is not None or takes_new(machine, self, key):
        try:
            dynamic_dicts.set_item(machine, self, key, item)
            return
        except Refused:
            if not several or dynamic_dicts.of(machine, self) is not None:
                raise
    if not several:
        _set_known(machine, self, key, item)
    elif not known_keys.put_under_known_keys(machine, self, key, item):
        unions.over_parts(machine, key, apart)


def _set_known(machine, self: Ref, key: Value, item: Value) -> None:
    table = entries(machine, self)
    if known_keys.is_dynamic(machine, key) and known_keys.assign(machine, self, table, key, item):
        return
    table[key_of(machine, key, table)] = item
    set_entries(machine, self, table)


@register(DELITEM, dict)
def delitem(machine, self: Ref, key: Value) -> None:
    """`del d[key]`, and `s.remove(key)` of a set of unknown members."""
    if not is_unknown(machine, self, key):
        unions.over_parts(machine, key, lambda k: _delete_known(machine, self, k) or NONE)
        return
    if is_hashable_or_not(machine, key):
        unions.over_parts(machine, key, lambda k: delitem(machine, self, k) or NONE)
        return
    growable = dynamic_dicts.converted(machine, self)
    at, there = dynamic_dicts.locate(machine, growable, key, dynamic_dicts.place_in(machine, self))
    if issubclass(machine.type_of(self), collections.Counter):
        machine.cond(there, lambda: dynamic_dicts.remove(machine, self, growable, at) or NONE, lambda: NONE)
        return
    machine.check(logical_not(machine, there), KeyError, key)
    dynamic_dicts.remove(machine, self, growable, at)


def _delete_known(machine, self: Ref, key: Value) -> None:
    table = entries(machine, self)
    known = key_of(machine, key, table)
    if known in table:
        del table[known]
        set_entries(machine, self, table)
    elif not issubclass(machine.type_of(self), collections.Counter):
        machine.raise_(KeyError, key)


# -- membership -------------------------------------------------------------------------------------------------------


@register(CONTAINS, dict, set, frozenset)
def contains(machine, item: Value, self: Value) -> bool | Var:
    """`key in d`."""
    if loaded_modules.is_asked(machine, self, item):
        return loaded_modules.module_of(machine, self, item) is not None
    either = is_hashable_or_not(machine, item)
    if not either and is_unknown(machine, self, item):
        growable = dynamic_dicts.converted(machine, as_ref(self))
        return dynamic_dicts.locate(machine, growable, item, dynamic_dicts.place_in(machine, self))[1]
    if unions.union_in(item) is None:
        return _in_known(machine, item, self)
    if not either and known_keys.known_keys(machine, self, item) is not None:
        return True
    apart = lambda k: machine.boolean(container_protocol.contains(machine, k, self))  # noqa: E731
    return machine.truth(unions.over_parts(machine, item, apart))


def _in_known(machine, item: Value, self: Value) -> bool | Var:
    table = entries(machine, self)
    is_dict = issubclass(machine.type_of(self), dict)
    if not is_dict:
        item = asked_for(machine, item)
    if isinstance(item, Text) and not any(isinstance(key, str) for key in table):
        return False
    if not known_keys.is_dynamic(machine, item):
        return key_of(machine, item, table, "key" if is_dict else "element") in table
    found: bool | Var = False
    for _, same in known_keys.matches(machine, table, item):
        found = logical_or(machine, found, same)
    return found


@register(CONTAINS, *VIEW_TYPES.values())
def _view_contains(machine, item: Value, view: Ref) -> bool | Var:
    owner, what = machine.heap.read(view.object, "source"), machine.heap.objects[view.object].details
    growable = dynamic_dicts.of(machine, owner)
    if what == "keys":
        return contains(machine, item, owner)
    pair = isinstance(item, Tuple) and len(item.items) == 2
    if what == "items" and not pair and (growable is None or isinstance(item, Tuple)):
        return False
    if growable is not None and pair and what == "items":
        return machine.truth(machine.call(Const(dict_library.has_item), (owner, *tuple_items(item))))
    if growable is not None:
        return container_protocol.contains(machine, item, dynamic_dicts.listed(machine, owner, what))
    if what == "values":
        return equality.among(machine, item, list(entries(machine, owner).values()))
    found, there = known_keys.find(machine, entries(machine, owner), tuple_items(item)[0])
    if found is None:
        return False
    return logical_and(machine, there, same_item(machine, found, tuple_items(item)[1]))
