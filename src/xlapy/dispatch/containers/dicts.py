"""dict, its views, defaultdict and OrderedDict: construction, methods and operators.

dict(zip(names, x)), collections.defaultdict(list)
d.get(k, 0), d.setdefault(k, []).append(v), d.update(other), d.pop(k)
left | right, left == right
"""

from __future__ import annotations

import collections
import types
from typing import Any

from xlapy.dispatch import kinds, registry, value_selection
from xlapy.dispatch.containers import (
    container_protocol,
    container_subclasses,
    dynamic_dicts,
    known_keys,
    loaded_modules,
)
from xlapy.dispatch.containers.container_protocol import (
    compares_by_value,
    default_factory,
    entries,
    key_of,
    new_dict,
    set_entries,
)
from xlapy.dispatch.containers.dict_subscripts import VIEW_TYPES, once_there
from xlapy.dispatch.containers.keyed_methods import keyed
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers.scalar_values import defines, logical_and, logical_not, provoke
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors import borrowed_elements, growable_list_edits, growable_list_items
from xlapy.dispatch.vectors.equality import sequences_equal
from xlapy.domain.values import (
    NONE,
    TRUE,
    Const,
    NdArray,
    Ref,
    Tuple,
    Union,
    Value,
    as_ref,
    key_value,
)
from xlapy.ir import Var
from xlapy.library.builtins import dict as dict_library

_EMPTY = provoke({}.popitem)
_ORDERED_EMPTY = provoke(collections.OrderedDict().popitem)
_FACTORY = provoke(collections.defaultdict, 1)
_HELD = ("list", "dict", "set")


# -- construction -----------------------------------------------------------------------------------------------------


@registry.attribute(collections.defaultdict, "default_factory")
def _default_factory(machine, self: Ref) -> Value:
    return default_factory(machine, self)


def mapping_entries(machine, source: Value, like: Value) -> dict[Any, Value]:
    """The entries that a dict like this one has of `source`."""
    if kinds.heap_kind(machine, source) == "dict":
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
            machine.call(Const(dict_library.pair_of), [like, pair if wrong else Tuple(tuple(parts)), Const(number)])
        found[key_of(machine, parts[0], found)] = parts[1]
    return found


def _filled(machine, made: Ref, lead: tuple, args: tuple[Value, ...], more: dict[str, Value]) -> Ref:
    """A new dict with what its constructor is given, after the arguments `lead` that are not for its contents."""
    if len(args) > 1:
        error = provoke(machine.type_of(made), *lead, *((),) * len(args))
        machine.raise_(type(error), *error.args)
    if args or more:
        update(machine, made, *(unwrapped(machine, a) for a in args), **more)
    return made


def unwrapped(machine, value: Value) -> Value:
    """The dict or set of unknown keys inside an object of a subclass; other values as they are."""
    inner = container_subclasses.plain(machine, value)
    return inner if dynamic_dicts.owner(machine, inner) is not None else value


@registry.function(dict)
def make_dict(machine, /, *args: Value, **kwargs: Value) -> Value:
    """`dict(mapping_or_pairs, **kwargs)`."""
    return _filled(machine, machine.new_dict({}), (), args, kwargs)


@registry.function(collections.OrderedDict)
def make_ordered(machine, /, *args: Value, **kwargs: Value) -> Value:
    """`collections.OrderedDict`."""
    return _filled(machine, new_dict(machine, collections.OrderedDict, {}), (), args, kwargs)


@registry.function(collections.defaultdict)
def make_default(machine, default_factory: Value = NONE, /, *args: Value, **kwargs: Value) -> Value:
    """`collections.defaultdict`."""
    known = default_factory.value if isinstance(default_factory, Const) else len
    if known is not None and not callable(known) or kinds.heap_kind(machine, default_factory) in _HELD:
        machine.raise_(TypeError, *_FACTORY.args)
    made = new_dict(machine, collections.defaultdict, {})
    machine.heap.write(made.object, "default_factory", default_factory)
    return _filled(machine, made, (None,), args, kwargs)


@registry.method(dict, "fromkeys")
def _fromkeys(machine, owner: Value, keys: Value, value: Value = NONE) -> Value:
    cls = _class_from_keys(machine, owner)
    if dynamic_dicts.has_unknown(machine, keys):
        if cls is not dict:
            raise Refused("XP0004", "fromkeys of keys that depend on data, of another class than dict")
        return machine.call(Const(dict_library.from_keys), [dynamic_dicts.ordered(machine, keys), value])
    made: dict[Any, Value] = {}
    for key in iteration.items(machine, keys):
        made[key_of(machine, key, made)] = value
    found = new_dict(machine, cls, made)
    if cls is collections.defaultdict:
        machine.heap.write(found.object, "default_factory", NONE)
    return found


def _class_from_keys(machine, owner: Value) -> type:
    """The class of the dict that `owner.fromkeys` makes; `owner` is a dict or a class."""
    cls = owner.value if isinstance(owner, Const) and isinstance(owner.value, type) else machine.type_of(owner)
    if cls not in (dict, collections.OrderedDict, collections.defaultdict):
        raise Refused("XP0003", f"'{cls.__qualname__}.fromkeys'", "make it with its constructor")
    return cls


# -- methods ----------------------------------------------------------------------------------------------------------


@keyed("get", dict)
def _get(machine, self: Ref, unknown: bool, key: Value, default: Value = NONE) -> Value:
    if not unknown and loaded_modules.is_asked(machine, self, key):
        return loaded_modules.module_of(machine, self, key) or default
    if not unknown:
        found, there = known_keys.find(machine, entries(machine, self), key)
        return default if found is None else value_selection.choose(machine, there, found, default)
    growable = dynamic_dicts.converted(machine, self)
    at, there = dynamic_dicts.locate(machine, growable, key)
    return machine.cond(there, lambda: dynamic_dicts.value(machine, growable, at), lambda: default)


@keyed("setdefault", dict, grows=True)
def _setdefault(machine, self: Ref, unknown: bool, key: Value, default: Value = NONE) -> Value:
    if not unknown:
        table = entries(machine, self)
        known = key_of(machine, key, table)
        if known not in table:
            table[known] = default
            set_entries(machine, self, table)
        return table[known]
    growable = dynamic_dicts.converted(machine, self, Tuple((key, default)))
    at, there = dynamic_dicts.locate(machine, growable, key)

    def insert() -> Value:
        dynamic_dicts.set_item(machine, self, key, default)
        return default

    if isinstance(default, Ref | NdArray) or dynamic_dicts.holds_objects(growable):
        machine.cond(there, lambda: NONE, lambda: (insert(), NONE)[1])
        return once_there(machine, self, key)
    return machine.cond(there, lambda: dynamic_dicts.value(machine, growable, at), insert)


@keyed("pop", dict)
def _pop(machine, self: Ref, unknown: bool, key: Value, *default: Value) -> Value:
    if not unknown:
        table = entries(machine, self)
        known = key_of(machine, key, table) if table else None  # an empty dict does not ask for the hash
        if known not in table:
            return default[0] if default else machine.raise_(KeyError, key)
        found = table.pop(known)
        set_entries(machine, self, table)
        return found
    growable = dynamic_dicts.converted(machine, self)
    at, there = dynamic_dicts.locate(machine, growable, key)

    def taken() -> Value:
        found = dynamic_dicts.value(machine, growable, at)
        dynamic_dicts.remove(machine, self, growable, at)
        return found

    if default:
        return machine.cond(there, taken, lambda: default[0])
    machine.check(logical_not(machine, there), KeyError, key)
    return taken()


@keyed("popitem", dict)
def _popitem(machine, self: Ref, unknown: bool) -> Value:
    return _taken_from_end(machine, self, TRUE, _EMPTY)


@keyed("popitem", collections.OrderedDict)
def _ordered_popitem(machine, self: Ref, unknown: bool, last: Value = TRUE) -> Value:
    return _taken_from_end(machine, self, last, _ORDERED_EMPTY)


def _taken_from_end(machine, self: Ref, last: Value, error: BaseException) -> Value:
    growable, at_end = dynamic_dicts.of(machine, self), machine.static(last)
    machine.check(
        machine.truth(machine.compare("==", container_protocol.length(machine, self), Const(0))), KeyError, *error.args
    )
    if growable is not None:
        take = growable_list_items.pop if at_end else growable_list_items.pop_first
        rest, pair = take(machine, growable)
        dynamic_dicts.write(machine, self, rest)
        return pair
    table = entries(machine, self)
    key = list(table)[-1 if at_end else 0]
    value = table.pop(key)
    set_entries(machine, self, table)
    return Tuple((key_value(key), value))


@keyed("move_to_end", collections.OrderedDict)
def _move_to_end(machine, self: Ref, unknown: bool, key: Value, last: Value = TRUE) -> Value:
    at_end = machine.static(last)
    if not unknown:
        table = entries(machine, self)
        known = key_of(machine, key, table)
        if known not in table:
            machine.raise_(KeyError, key)
        value = table.pop(known)
        set_entries(machine, self, {**table, known: value} if at_end else {known: value, **table})
        return NONE
    growable = dynamic_dicts.converted(machine, self)
    at, there = dynamic_dicts.locate(machine, growable, key)
    machine.check(logical_not(machine, there), KeyError, key)
    pair = growable_list_items.item(machine, growable, at)
    put = growable_list_items.push if at_end else growable_list_items.push_first
    dynamic_dicts.write(machine, self, put(machine, growable_list_edits.without(machine, growable, at), pair))
    return NONE


@registry.method(dict, "update")
def update(machine, self: Ref, source: Value | None = None, /, **kwargs: Value) -> Value:
    """`self.update(source, **kwargs)`."""
    unknown = dynamic_dicts.of(machine, self) is not None
    if source is not None:
        unknown = unknown or dynamic_dicts.has_unknown(machine, source)
    whole = lambda: _update_known(machine, self, source, kwargs)  # noqa: E731
    if not unknown and not kwargs and kinds.heap_kind(machine, source or NONE) == "generator":
        each = lambda: machine.call(Const(dict_library.put_all), [self, source])  # noqa: E731
        growable_list_items.whole_or_each(machine, whole, each)
        return NONE
    if not unknown:
        return whole()
    if source is not None:
        _update_unknown(machine, self, source)
    for key, value in kwargs.items():
        container_protocol.setitem(machine, self, Const(key), value)
    return NONE


def _update_known(machine, self: Ref, source: Value | None, more: dict[str, Value]) -> Value:
    new = mapping_entries(machine, source, self) if source is not None else {}
    table = entries(machine, self)
    for key, value in (new | more).items():
        table[key_of(machine, key_value(key), table)] = value
    set_entries(machine, self, table)
    return NONE


def _update_unknown(machine, self: Ref, source: Value) -> None:
    """What an empty dict gets is the whole of a table."""
    growable = dynamic_dicts.of(machine, source)
    is_set = kinds.heap_kind(machine, source) == "set"
    if growable is not None and not is_set and dynamic_dicts.of(machine, self) is None and not entries(machine, self):
        borrowed_elements.share(machine, source)
        shared = dynamic_dicts.of(machine, source)
        assert shared is not None
        dynamic_dicts.write(machine, self, shared)
        return
    if growable is not None:
        source = (
            dynamic_dicts.ordered(machine, source) if is_set else dynamic_dicts.listed(machine, as_ref(source), "items")
        )
    elif kinds.heap_kind(machine, source) in ("dict", "instance"):
        for key, value in mapping_entries(machine, source, self).items():
            container_protocol.setitem(machine, self, key_value(key), value)
        return
    machine.call(Const(dict_library.put_all), [self, source])


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


@registry.method(dict, "__len__")
@registry.method(set, "__len__")
def _len(machine, self: Ref) -> Value:
    return container_protocol.length(machine, self)


# -- operators --------------------------------------------------------------------------------------------------------


def is_dict(machine, value: Value) -> bool:
    """Whether a value is a dict."""
    return kinds.heap_kind(machine, value) == "dict"


@registry.operator(dict)
def dict_operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`|`, `|=`, `==` and `!=`."""
    if symbol == "|=" and isinstance(left, Ref) and is_dict(machine, left):
        update(machine, left, right)
        return left
    if not (is_dict(machine, left) and is_dict(machine, right)):
        return None
    if symbol == "|":
        made = copied(machine, as_ref(left))
        update(machine, made, right)
        return made
    if symbol in ("==", "!="):
        same = _equal(machine, left, right)
        return machine.boolean(same if symbol == "==" else logical_not(machine, same))
    return None


def _equal(machine, left: Value, right: Value) -> bool | Var:
    if dynamic_dicts.of(machine, left) is not None or dynamic_dicts.of(machine, right) is not None:
        return _equal_by_data(machine, left, right)
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
    return sequences_equal(machine, list(one.values()), [two[key] for key in one])


def _equal_by_data(machine, left: Value, right: Value) -> bool | Var:
    sizes = [container_protocol.length(machine, v) for v in (left, right)]
    same = machine.truth(machine.compare("==", *sizes))
    pairs = dynamic_dicts.whole(machine, machine.call(machine.getattr(left, "items"), []))
    return logical_and(machine, same, machine.truth(machine.call(Const(dict_library.equal), [pairs, right])))


# -- views ------------------------------------------------------------------------------------------------------------


def _view(what: str):
    def rule(machine, self: Ref) -> Value:
        number = machine.heap.new("view", VIEW_TYPES[what], machine.builder.location(), source=self)
        machine.heap.objects[number].details = what
        return Ref(number)

    return rule


for _what in VIEW_TYPES:
    registry.method(dict, _what)(_view(_what))


def view_keys(machine, value: Value) -> dict[Any, Value] | None:
    """The keys of a set or of a view of keys, as the keys of a dict; None for anything else."""
    found = _view_keys(machine, value)
    if found is not None and any(isinstance(k, Ref) and compares_by_value(machine, k) for k in found):
        raise Refused("XP0004", "an operation of sets of objects with an __eq__ of their own", "use 'in' and add")
    return found


def _view_keys(machine, value: Value) -> dict[Any, Value] | None:
    if isinstance(value, Const):
        return entries(machine, value) if isinstance(value.value, frozenset) else None
    kind = kinds.heap_kind(machine, value)
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
