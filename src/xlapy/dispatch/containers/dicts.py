"""dict, its views, defaultdict, OrderedDict and Counter: known keys, abstract values."""

from __future__ import annotations

import collections
import types
from typing import Any

import numpy as np

from xlapy.dispatch import registry, value_selection
from xlapy.dispatch.containers import borrowed_elements, container_protocol, growable_list_items, range_objects
from xlapy.dispatch.containers.container_protocol import (
    asked_for,
    compares_by_value,
    default_factory,
    entries,
    key_of,
    new_dict,
    same_item,
    set_entries,
)
from xlapy.dispatch.containers.pairs import pair_of
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers.scalar_values import (
    bounds_of,
    defines,
    logical_and,
    logical_not,
    logical_or,
    provoke,
    refuse_where,
)
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.python import attributes
from xlapy.domain.values import (
    NONE,
    TRUE,
    Const,
    NumpyScalar,
    Ref,
    Scalar,
    Text,
    Tuple,
    Union,
    Value,
    as_ref,
    key_value,
    tuple_items,
    variables,
)
from xlapy.ir import Var

_EMPTY = provoke({}.popitem)
_FACTORY = provoke(collections.defaultdict, 1)
_EMPTY_DICT = Const({})
_HELD = ("list", "dict", "set")
_ORDERED_EMPTY = provoke(collections.OrderedDict().popitem)
_NEW_KEY = "a new key that depends on the contents of arrays is put into a dict"
_NEW_KEY_HINT = "put every key into the dict before, or count with an array"
#: more keys than this are not compared one by one with a dynamic key
_MANY = 256
VIEW_TYPES = {"keys": type({}.keys()), "values": type({}.values()), "items": type({}.items())}


# -- keys that are known, and keys that are not -----------------------------------------------------------------------


def _dynamic(machine, key: Value) -> bool:
    """Whether a key is a number, or a tuple with numbers, that is only known on the device."""
    if isinstance(key, Tuple):
        return any(_dynamic(machine, item) for item in key.items)
    return isinstance(key, Scalar | NumpyScalar) and not machine.is_static(key)


def _matches(machine, table_: dict, key: Value) -> list[tuple[Any, bool | Var]]:
    """The keys of a dict that a dynamic key may be equal to, each with the flag that says so."""
    if len(table_) > _MANY:
        machine.static(key, "a dictionary key")
    found: list[tuple[Any, bool | Var]] = []
    for candidate in table_:
        if container_protocol.is_foreign_number(machine, candidate):
            raise Refused("XP0004", "a number that depends on data, among keys that are fractions or decimals")
        if isinstance(candidate, Value) or isinstance(candidate, tuple) != isinstance(key, Tuple):
            continue
        if isinstance(candidate, tuple) and len(candidate) != len(tuple_items(key)):
            continue
        if not isinstance(candidate, tuple | int | float | complex | np.generic):
            continue
        same = same_item(machine, key_value(candidate), key)
        if same is not False:
            found.append((candidate, same))
        if same is True:
            break
    return found


def find(machine, table_: dict, key: Value) -> tuple[Value | None, bool | Var]:
    """The value under a key, wherever it is there, and whether it is."""
    if not _dynamic(machine, key):
        known = key_of(machine, key, table_)
        return (table_[known], True) if known in table_ else (None, False)
    dense = _dense(table_, key)
    if dense is not None:
        first, values = dense
        low, high = bounds_of(key)
        inside: bool | Var = True
        if low < first or high >= first + len(values):
            above = machine.truth(machine.compare(">=", key, Const(first)))
            below = machine.truth(machine.compare("<", key, Const(first + len(values))))
            inside = logical_and(machine, above, below)
        if inside is False:
            return None, False
        at = range_objects.index(machine, machine.binary("-", key, Const(first)))
        at = range_objects.minimum(machine, range_objects.maximum(machine, at, Const(0)), Const(len(values) - 1))
        return value_selection.gather(machine, values, at), inside
    matches = _matches(machine, table_, key)
    if not matches:
        return None, False
    anywhere: bool | Var = False
    position: Value = Const(0)
    for number, (_, same) in enumerate(matches):
        anywhere = logical_or(machine, anywhere, same)
        if number:
            position = value_selection.choose(machine, same, Const(number), position)
    return value_selection.gather(machine, [table_[k] for k, _ in matches], position), anywhere


def _dense(table_: dict, key: Value) -> tuple[int, list[Value]] | None:
    """The first key and the values, if all keys are consecutive ints and the key is an int."""
    whole = (
        isinstance(key, Scalar) and key.kind is int or isinstance(key, NumpyScalar) and key.var.type.dtype.kind == "i"
    )
    if not whole or len(table_) < 2 or not all(type(k) is int for k in table_):
        return None
    keys = sorted(table_)
    if keys[-1] - keys[0] != len(keys) - 1:
        return None
    return keys[0], [table_[k] for k in keys]


# -- subscripts -------------------------------------------------------------------------------------------------------


@container_protocol.register(container_protocol.GETITEM, dict)
def getitem(machine, container: Ref, key: Value) -> Value:
    """`d[key]`, with `__missing__` of subclasses."""
    found, there = find(machine, entries(machine, container), key)
    if found is None or there is False:
        return missing(machine, container, key)
    if there is True:
        return found
    if has_missing(machine, container):
        return machine.cond(there, lambda: found, lambda: missing(machine, container, key))
    machine.check(logical_not(machine, there), KeyError, key)
    return found


def has_missing(machine, container: Ref) -> bool:
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
    else:
        method, _ = attributes.lookup(machine, cls, "__missing__")
        if isinstance(method, types.FunctionType):
            return machine.call(Const(method), [container, key])
    return machine.raise_(KeyError, key)


@registry.attribute(collections.defaultdict, "default_factory")
def _default_factory(machine, self: Ref) -> Value:
    return default_factory(machine, self)


def _assign(machine, container: Ref, table_: dict, key: Value, item: Value) -> bool:
    """`d[key] = item` for a dynamic key; False if the key has to be known. Where it is new, the call is refused."""
    _, there = find(machine, table_, key)
    if there is False:
        return False
    if there is not True:
        parts = variables(key)
        if any(machine.specialisable(var) for var in parts) or all(map(machine.unrolls, parts)):
            return False
        refuse_where(machine, logical_not(machine, there), "XP0006", _NEW_KEY, _NEW_KEY_HINT)
    dense = _dense(table_, key)
    if dense is not None:
        first, values = dense
        at = range_objects.index(machine, machine.binary("-", key, Const(first)))
        at = range_objects.minimum(machine, range_objects.maximum(machine, at, Const(0)), Const(len(values) - 1))
        changed = value_selection.scatter(machine, values, at, item)
        set_entries(machine, container, {k: changed[k - first] for k in table_})
        return True
    for candidate, same in _matches(machine, table_, key):
        table_[candidate] = value_selection.choose(machine, same, item, table_[candidate])
    set_entries(machine, container, table_)
    return True


@container_protocol.register(container_protocol.SETITEM, dict)
def setitem(machine, container: Ref, key: Value, item: Value) -> None:
    """`d[key] = item`; with a dynamic key if it is one of those that are there."""
    table_ = entries(machine, container)
    if _dynamic(machine, key) and _assign(machine, container, table_, key, item):
        return
    table_[key_of(machine, key, table_)] = item
    set_entries(machine, container, table_)


@container_protocol.register(container_protocol.DELITEM, dict)
def delitem(machine, container: Ref, key: Value) -> None:
    """`del d[key]`."""
    table_ = entries(machine, container)
    known = key_of(machine, key, table_)
    if known not in table_ and issubclass(machine.type_of(container), collections.Counter):
        return
    if known not in table_:
        machine.raise_(KeyError, key)
    del table_[known]
    set_entries(machine, container, table_)


@container_protocol.register(container_protocol.CONTAINS, dict, set, frozenset)
def contains(machine, item: Value, container: Value) -> bool | Var:
    """`key in d`."""
    table_ = entries(machine, container)
    if not issubclass(machine.type_of(container), dict):
        item = asked_for(machine, item)
    if isinstance(item, Text) and not any(isinstance(key, str) for key in table_):
        return False
    if not _dynamic(machine, item):
        place = "key" if issubclass(machine.type_of(container), dict) else "element"
        return key_of(machine, item, table_, place) in table_
    found: bool | Var = False
    for _, same in _matches(machine, table_, item):
        found = logical_or(machine, found, same)
    return found


# -- construction -----------------------------------------------------------------------------------------------------


def mapping_entries(machine, source: Value, like: Value = _EMPTY_DICT) -> dict[Any, Value]:
    """The entries that a dict like this one has of `source`."""
    if container_protocol.heap_kind(machine, source) == "dict":
        return entries(machine, source)
    if isinstance(source, Const) and isinstance(source.value, types.MappingProxyType):
        raise Refused("XP0005", "a mappingproxy as a dict")
    if isinstance(source, Ref) and defines(machine, machine.type_of(source), "keys"):
        keys = iteration.items(machine, machine.call(machine.getattr(source, "keys"), []))
        made: dict[Any, Value] = {}
        for key in keys:
            made[key_of(machine, key, made)] = machine.getitem(source, key)
        return made
    found: dict[Any, Value] = {}
    for number, pair in enumerate(iteration.items(machine, source)):
        wrong = not isinstance(pair, Union) and not iteration.is_iterable(machine, pair)
        parts = [] if wrong else iteration.items(machine, pair)
        if len(parts) != 2:
            machine.call(Const(pair_of), [like, pair if wrong else Tuple(tuple(parts)), Const(number)])
        found[key_of(machine, parts[0], found)] = parts[1]
    return found


@registry.function(dict)
def make_dict(machine, /, *args: Value, **kwargs: Value) -> Value:
    """`dict(mapping_or_pairs, **kwargs)`."""
    if len(args) > 1:
        machine.raise_(TypeError, f"dict expected at most 1 argument, got {len(args)}")
    return machine.new_dict({**(mapping_entries(machine, args[0]) if args else {}), **kwargs})


@registry.function(collections.OrderedDict)
def make_ordered(machine, /, *args: Value, **kwargs: Value) -> Value:
    """`collections.OrderedDict`."""
    made = new_dict(machine, collections.OrderedDict, {})
    set_entries(machine, made, {**(mapping_entries(machine, args[0], made) if args else {}), **kwargs})
    return made


@registry.function(collections.defaultdict)
def make_default(machine, default_factory: Value = NONE, /, *args: Value, **kwargs: Value) -> Value:
    """`collections.defaultdict`."""
    known = default_factory.value if isinstance(default_factory, Const) else len
    if known is not None and not callable(known) or container_protocol.heap_kind(machine, default_factory) in _HELD:
        machine.raise_(TypeError, *_FACTORY.args)
    contents = {**(mapping_entries(machine, args[0]) if args else {}), **kwargs}
    made = new_dict(machine, collections.defaultdict, contents)
    machine.heap.write(made.object, "default_factory", default_factory)
    return made


# -- methods ----------------------------------------------------------------------------------------------------------


@registry.method(dict, "get")
def _get(machine, self: Ref, key: Value, default: Value = NONE) -> Value:
    found, there = find(machine, entries(machine, self), key)
    return default if found is None else value_selection.choose(machine, there, found, default)


@registry.method(dict, "pop")
def _pop(machine, self: Ref, key: Value, *default: Value) -> Value:
    table_ = entries(machine, self)
    known = key_of(machine, key, table_) if table_ else None  # an empty dict does not ask for the hash
    if known not in table_:
        return default[0] if default else machine.raise_(KeyError, key)
    taken = table_.pop(known)
    set_entries(machine, self, table_)
    return taken


@registry.method(dict, "popitem")
def _popitem(machine, self: Ref) -> Value:
    table_ = entries(machine, self)
    if not table_:
        machine.raise_(KeyError, *_EMPTY.args)
    key, value = table_.popitem()
    set_entries(machine, self, table_)
    return Tuple((key_value(key), value))


@registry.method(dict, "setdefault")
def _setdefault(machine, self: Ref, key: Value, default: Value = NONE) -> Value:
    table_ = entries(machine, self)
    known = key_of(machine, key, table_)
    if known in table_:
        return table_[known]
    table_[known] = default
    set_entries(machine, self, table_)
    return default


@registry.method(dict, "update")
def _update(machine, self: Ref, source: Value | None = None, /, **kwargs: Value) -> Value:
    new_ = mapping_entries(machine, source, self) if source is not None else {}
    found = entries(machine, self)
    for key, value in (new_ | kwargs).items():
        found[key_of(machine, key_value(key), found)] = value
    set_entries(machine, self, found)
    return NONE


@registry.method(dict, "clear")
def _clear(machine, self: Ref) -> Value:
    set_entries(machine, self, {})
    return NONE


@registry.method(dict, "copy", "__copy__")
def copied(machine, self: Ref) -> Ref:
    """`self.copy()`."""
    made = new_dict(machine, machine.type_of(self), {})
    borrowed_elements.share(machine, self)
    machine.heap.write(made.object, "<items>", machine.heap.read(self.object, "<items>"))
    if issubclass(machine.type_of(self), collections.defaultdict):
        machine.heap.write(made.object, "default_factory", default_factory(machine, self))
    return made


@registry.method(dict, "fromkeys")
def _fromkeys(machine, owner: Value, keys: Value, value: Value = NONE) -> Value:
    made: dict[Any, Value] = {}
    for key in iteration.items(machine, keys):
        made[key_of(machine, key, made)] = value
    found = new_dict(machine, class_from_keys(machine, owner), made)
    if machine.type_of(found) is collections.defaultdict:
        machine.heap.write(found.object, "default_factory", NONE)
    return found


def class_from_keys(machine, owner: Value) -> type:
    """The class of the dict that `owner.fromkeys` makes; `owner` is a dict or a class."""
    cls = owner.value if isinstance(owner, Const) and isinstance(owner.value, type) else machine.type_of(owner)
    if cls not in (dict, collections.OrderedDict, collections.defaultdict):
        raise Refused("XP0003", f"'{cls.__qualname__}.fromkeys'", "make it with its constructor")
    return cls


@registry.method(dict, "__len__")
@registry.method(set, "__len__")
def _len(machine, self: Ref) -> Value:
    return container_protocol.length(machine, self)


@registry.method(collections.OrderedDict, "move_to_end")
def _move_to_end(machine, self: Ref, key: Value, last: Value = TRUE) -> Value:
    table_ = entries(machine, self)
    known = key_of(machine, key, table_)
    if known not in table_:
        machine.raise_(KeyError, key)
    value = table_.pop(known)
    at_end = machine.static(last)
    set_entries(machine, self, {**table_, known: value} if at_end else {known: value, **table_})
    return NONE


@registry.method(collections.OrderedDict, "popitem")
def _ordered_popitem(machine, self: Ref, last: Value = TRUE) -> Value:
    table_ = entries(machine, self)
    if not table_:
        machine.raise_(KeyError, *_ORDERED_EMPTY.args)
    key = list(table_)[-1 if machine.static(last) else 0]
    value = table_.pop(key)
    set_entries(machine, self, table_)
    return Tuple((key_value(key), value))


# -- operators --------------------------------------------------------------------------------------------------------


def is_dict(machine, value: Value) -> bool:
    """Whether a value is a dict."""
    return container_protocol.heap_kind(machine, value) == "dict"


@registry.operator(dict)
def dict_operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`|`, `|=`, `==` and `!=`."""
    if symbol == "|=" and isinstance(left, Ref) and is_dict(machine, left):
        return _update(machine, left, right) and left
    if not (is_dict(machine, left) and is_dict(machine, right)):
        return None
    if symbol == "|":
        made = copied(machine, as_ref(left))
        _update(machine, made, right)
        return made
    if symbol in ("==", "!="):
        same = _equal(machine, left, right)
        return machine.boolean(same if symbol == "==" else logical_not(machine, same))
    return None


def _equal(machine, left: Value, right: Value) -> bool | Var:
    one, two = entries(machine, left), entries(machine, right)
    if left == right:
        return True
    if len(one) == len(two):
        one = {key_of(machine, key_value(key), two): value for key, value in one.items()}
    if one.keys() != two.keys():
        return False
    ordered = all(issubclass(machine.type_of(v), collections.OrderedDict) for v in (left, right))
    if ordered and list(one) != list(two):
        return False
    same: bool | Var = True
    for key, value in one.items():
        same = logical_and(machine, same, same_item(machine, value, two[key]))
        if same is False:
            return False
    return same


# -- views ------------------------------------------------------------------------------------------------------------


def _view(what: str):
    def rule(machine, self: Ref) -> Value:
        number = machine.heap.new("view", VIEW_TYPES[what], machine.builder.location(), source=self)
        machine.heap.objects[number].details = what
        return Ref(number)

    return rule


for _what in VIEW_TYPES:
    registry.method(dict, _what)(_view(_what))


@container_protocol.register(container_protocol.CONTAINS, *VIEW_TYPES.values())
def _view_contains(machine, item: Value, view: Ref) -> bool | Var:
    owner = machine.heap.read(view.object, "source")
    what = machine.heap.objects[view.object].details
    if what == "keys":
        return contains(machine, item, owner)
    if what == "items" and not (isinstance(item, Tuple) and len(item.items) == 2):
        return False
    if what == "items":
        found, there = find(machine, entries(machine, owner), tuple_items(item)[0])
        if found is None:
            return False
        return logical_and(machine, there, same_item(machine, found, tuple_items(item)[1]))
    return container_protocol.among(machine, item, list(entries(machine, owner).values()))


def view_keys(machine, value: Value) -> dict[Any, Value] | None:
    """The keys of a set or of a view of keys, as the keys of a dict; None for anything else."""
    found = _view_keys(machine, value)
    if found is not None and any(isinstance(k, Ref) and compares_by_value(machine, k) for k in found):
        raise Refused("XP0004", "an operation of sets of objects with an __eq__ of their own", "use 'in' and add")
    return found


def _view_keys(machine, value: Value) -> dict[Any, Value] | None:
    if isinstance(value, Const):
        return entries(machine, value) if isinstance(value.value, frozenset) else None
    kind = container_protocol.heap_kind(machine, value)
    if kind == "set":
        return entries(machine, value)
    if kind == "view":
        owner = machine.heap.read(as_ref(value).object, "source")
        what = machine.heap.objects[as_ref(value).object].details
        if what == "keys":
            return dict.fromkeys(entries(machine, owner), Const(True))
        if what == "items" and all(map(machine.is_static, entries(machine, owner).values())):
            return {(k, machine.static(v)): Const(True) for k, v in entries(machine, owner).items()}
    return None
