"""Subscripts, length, membership and comparison of Python's containers; their methods are in files of their own.

    x[i], x[i] = v, del d[k]
    v in items; len(items)
    {(i, j): d}: what a key is, and whether it has a hash

Contents are slots of heap objects: `items` is a `Tuple` for lists (and deques), a `Mapping` for dicts and sets.
"""

from __future__ import annotations

import collections
import numbers
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from xlapy.dispatch import identities, kinds
from xlapy.dispatch.containers import hashes
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numbers.scalar_values import defines, fold, logical_or, provoke, too_large
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.unions import over_unions
from xlapy.dispatch.vectors import equality, growable_list_items, nested_lists
from xlapy.domain.set_iteration_order import SetHistory
from xlapy.domain.unordered_keys import Unordered
from xlapy.domain.values import (
    BoundedArray,
    BoundMethod,
    Const,
    Function,
    GrowableList,
    JaxArray,
    Mapping,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Slice,
    Text,
    Tuple,
    Union,
    Value,
    alternatives,
    as_ref,
    made_tuple,
    references,
)
from xlapy.ir import Var

_LIST_INDEX = provoke(operator.getitem, [], 0)
_TUPLE_INDEX = provoke(operator.getitem, (), 0)
_LIST_ASSIGNMENT = provoke(operator.setitem, [], 0, 0)
#: what this Python says of a list in the place of a key of a dict, of an element of a set, and of what is counted; and
#: of one among the arguments of methods of sets
_UNHASHABLE = {
    "key": str(provoke(operator.getitem, {}, [])),
    "element": str(provoke(set().__contains__, [])),
    "counted": str(provoke(collections.Counter, [[]])),
    **{name: str(provoke(getattr({1}, name), [[]])) for name in ("intersection", "intersection_update", "issubset")},
}

#: class -> rule(machine, container, key) -> Value, found along the method resolution order
GETITEM: dict[type, Callable] = {}
#: class -> rule(machine, container, key, item)
SETITEM: dict[type, Callable] = {}
#: class -> rule(machine, container, key)
DELITEM: dict[type, Callable] = {}
#: class -> rule(machine, item, container) -> bool | Var
CONTAINS: dict[type, Callable] = {}
#: class -> rule(machine, container) -> Value
LENGTH: dict[type, Callable] = {}


def register(where: dict[type, Callable], *classes: type) -> Callable[[Callable], Callable]:
    """Register a rule of one of the tables above."""

    def add(rule: Callable) -> Callable:
        for cls in classes:
            where[cls] = rule
        return rule

    return add


def _find(machine, where: dict[type, Callable], value: Value) -> Callable | None:
    return next((where[c] for c in machine.type_of(value).__mro__ if c in where), None)


# -- contents ---------------------------------------------------------------------------------------------------------


def contents(machine, value: Value) -> tuple[Value, ...]:
    """The items of a tuple, list or deque."""
    if isinstance(value, Tuple):
        return value.items
    if isinstance(value, Const):
        return tuple(map(Const, value.value))
    return growable_list_items.items(machine, machine.heap.read(as_ref(value).object, "<items>"))


def _whole(found: Value) -> Mapping:
    """Contents of a dict or set; the interpreter has told apart those of the containers that an operation is about."""
    if isinstance(found, Union):
        raise Refused(
            "XP0004",
            "a list or dict whose size depends on data, inside another container",
            "keep it under a name of its own, or keep its items in an array",
        )
    if isinstance(found, GrowableList):
        raise Refused(
            "XP0004",
            "there is no rule for this operation on a dict or set whose keys depend on data",
            "loop over it, or use an array that is indexed by the keys",
        )
    assert isinstance(found, Mapping), found
    return found


def entries(machine, value: Value) -> dict[Any, Value]:
    """The entries of a dict or set (a fresh dict)."""
    if isinstance(value, Const):
        return {key: Const(True) for key in value.value}
    found = _whole(machine.heap.read(as_ref(value).object, "<items>")).entries
    return Unordered(dict.items(found)) if isinstance(found, Unordered) else dict(found)


#: lists and dicts that JAX takes apart; it takes others for leaves
NODES = (list, dict, collections.OrderedDict, collections.defaultdict)


def structure(machine, value: Ref) -> Tuple | Mapping:
    """The contents of a list or dict that is taken apart as a pytree."""
    found = machine.heap.read(value.object, "<items>")
    kind = machine.heap.objects[value.object].kind
    if isinstance(found, GrowableList) and kind == "list" and isinstance(found.length, Const):
        return Tuple(growable_list_items.spread(machine, found))
    if isinstance(found, GrowableList | Union):
        raise Refused(
            "XP0013",
            f"a {kind} whose size depends on data as an argument of a JAX function",
            "NumPy's functions take such lists: np.array, np.stack, np.concatenate" if kind == "list" else "",
        )
    assert isinstance(found, Tuple | Mapping), found
    return found


def new_dict(machine, cls: type, items: dict[Any, Value], like: Ref | None = None) -> Ref:
    """A fresh dict of a class, a defaultdict with the `default_factory` of the dict `like`."""
    made = machine.new_dict(items)
    machine.heap.objects[made.object].cls = cls
    if like is not None and issubclass(cls, collections.defaultdict):
        machine.heap.write(made.object, "default_factory", default_factory(machine, like))
    return made


def default_factory(machine, container: Ref) -> Value:
    """`default_factory` of a defaultdict."""
    info = machine.heap.objects[container.object]
    if info.real is not None:
        return machine.world.wrap_anchored(info.real.default_factory)
    return machine.heap.read(container.object, "default_factory")


def set_contents(machine, value: Ref, items) -> None:
    """Replace the items of a list or deque."""
    machine.heap.write(value.object, "<items>", Tuple(tuple(items)))


def set_entries(machine, value: Ref, items: dict[Any, Value], history: SetHistory | None = None) -> None:
    """Replace the entries of a dict or set."""
    machine.heap.write(value.object, "<items>", Mapping(items, history))


def is_modules(machine, value: Value) -> bool:
    """Whether a value is `sys.modules`."""
    return isinstance(value, Ref) and machine.heap.objects[value.object].real is sys.modules


def compares_by_value(machine, key: Value) -> bool:
    """Whether a value is an object that hashes by what it holds: its class defines `__hash__`."""
    if not isinstance(key, Ref):
        return False
    info = machine.heap.objects[key.object]
    return info.kind == "instance" and info.cls.__hash__ not in (None, object.__hash__)


def resolved(machine, among, key: Value) -> Any:
    """The key that an object with an `__eq__` of its own is, or what such an object may be equal to: one of those that
    are there, or itself; None if that depends on data."""
    for candidate in among:
        if not isinstance(candidate, Value) and isinstance(candidate, _COMPARED):
            first: Value = Const(candidate)
        elif compares_by_value(machine, candidate):
            first = candidate
        else:
            continue
        same = hashes.equal(machine, first, key, lambda first=first: equality.same_item(machine, first, key))
        if same is False or same is True and not _hash_alike(machine, candidate, key):
            continue
        return candidate if same is True else None
    return key


def is_foreign_number(machine, key: Any) -> bool:
    """Whether a key is a number of a class that the device does not compare: a fraction, a decimal."""
    cls = machine.type_of(key) if isinstance(key, Value) else type(key)
    return issubclass(cls, numbers.Number) and not issubclass(cls, int | float | complex | np.generic)


#: known keys that an object with an `__eq__` of its own may be equal to
_COMPARED = (int, float, complex, np.generic, str, bytes)


def _hash_alike(machine, one: Any, other: Value) -> bool:
    if isinstance(one, Value) and type(one) is type(other):
        return True  # the user's classes are taken to keep the rule
    first, second = (v if isinstance(v, Value) else Const(v) for v in (one, other))
    hashes = [machine.static(machine.call(Const(hash), (v,)), "the hash of a key") for v in (first, second)]
    return hashes[0] == hashes[1]


def asked_for(machine, item: Value) -> Value:
    """What is looked for in a set: a set stands for a frozenset of its members."""
    if kinds.heap_kind(machine, item) == "set" and machine.type_of(item).__hash__ is None:
        return machine.call(Const(frozenset), [item])
    return item


def key_of(machine, value: Value, among=None, place: str = "key") -> Any:
    """The dictionary key that a value is: the known object, or the reference for an object that hashes by identity, or
    that is compared with the keys `among` which it is to be.

    Raises:
        TypeError (where the program runs): the value is not hashable (see `require_hashable`).
    """
    require_hashable(machine, value, place)
    return _hashed(machine, value, among)


def require_hashable(machine, value: Value, place: str) -> None:
    """Check that a value, none of whose parts is one of several, has a hash.

    Raises:
        TypeError (where the program runs): it has none; `place` says whether it was to be a "key" of a dict, or an
            "element" of a set, or is "counted".
    """
    culprit = _unhashable(machine, value)
    if culprit is not None:
        head, _, tail = _UNHASHABLE.get(place, _UNHASHABLE["element"]).rpartition("list")
        machine.raise_(TypeError, head.replace("list", _name_of(machine.type_of(value))) + culprit + tail)
    if compares_by_value(machine, value):
        hashes.ask(machine, value)


def is_place(name: str) -> bool:
    """Whether a method of sets says in a way of its own that what it is given has no hash."""
    return name in _UNHASHABLE


def is_hashable_or_not(machine, value: Value) -> bool:
    """Whether data says if a value has a hash: one of its parts is one of several values, and one of those has none."""
    match value:
        case Tuple():
            return any(is_hashable_or_not(machine, item) for item in value.items)
        case Union():
            several = value.alternatives
            return any(_unhashable(machine, v) is not None or is_hashable_or_not(machine, v) for v in several)
    return False


def _unhashable(machine, value: Value) -> str | None:
    """The name of the class on account of which a value has no hash."""
    match value:
        case Tuple():
            return next((found for item in value.items if (found := _unhashable(machine, item)) is not None), None)
        case Ref() if (cls := machine.heap.objects[value.object].cls).__hash__ is None:
            return _name_of(cls)
        case NdArray():
            return "numpy.ndarray"
        case Const():
            return None if type(value.value).__hash__ else _name_of(type(value.value))
    return None


def _name_of(cls: type) -> str:
    """How this Python names a class in messages: those of compiled modules with the module."""
    return kinds.shown(cls)


def _hashed(machine, value: Value, among) -> Any:
    match value:
        case Const():
            fold(machine, hash, value.value)
            if among is not None and isinstance(value.value, _COMPARED):
                # whether there is one does not depend on the order
                keys = dict.keys(among) if isinstance(among, dict) else among
                objects = [key for key in keys if isinstance(key, Ref) and compares_by_value(machine, key)]
                found = resolved(machine, objects, value) if objects else value
                if found is not value:
                    if found is None:
                        raise Refused("XP0004", "a key that may be equal to an object among the keys")
                    return found
            return identities.as_key(machine, value.value, among)
        case Tuple():
            inner = None if among is None else [key for key in dict.keys(among) if isinstance(key, tuple)]
            parts = [_hashed(machine, item, inner) for item in value.items]
            return made_tuple(value.cls, parts)
        case Ref():
            machine.heap.identified += 1
            info = machine.heap.objects[value.object]
            if info.cls.__hash__ is object.__hash__:
                return value
            if info.kind == "set":
                return frozenset(entries(machine, value))
            found = resolved(machine, among, value) if among is not None and compares_by_value(machine, value) else None
            if found is not None and not isinstance(found, Value):
                return found
            if found is not None:
                # what a key holds does not change
                machine.heap.freeze(as_ref(found).object)
                return found
            raise Refused(
                "XP0004", f"an object of class {info.cls.__name__}, which has a __hash__ of its own, as a key"
            )
        case Slice():
            return fold(machine, hash, slice(None)).value
        case Function() | BoundMethod():
            raise Refused("XP0004", "a function made inside the program as a key")
    return machine.static(value, "a dictionary key")


# -- the interpreter's entry points -----------------------------------------------------------------------------------


def getitem(machine, container: Value, key: Value) -> Value:
    """`container[key]`."""
    rule = _find(machine, GETITEM, container)
    if rule is not None:
        return rule(machine, container, key)
    if isinstance(container, Const) and hasattr(container.value, "__getitem__"):
        return fold(machine, operator.getitem, container.value, machine.static(key, "an index"))
    return machine.raise_(TypeError, f"'{iteration.type_name(machine, container)}' object is not subscriptable")


def setitem(machine, container: Value, key: Value, item: Value) -> None:
    """`container[key] = item`."""
    rule = _find(machine, SETITEM, container)
    if rule is None:
        name = iteration.type_name(machine, container)
        machine.raise_(TypeError, f"'{name}' object does not support item assignment")
    else:
        rule(machine, container, key, item)


def takes_unions(machine, container: Value) -> bool:
    """Whether the rules of a container take a key that is one of several values as it is."""
    kind = kinds.heap_kind(machine, container)
    return kind == "dict" or kind == "set" and machine.type_of(container) is set


def takes_choice(machine, container: Value, item: Value) -> bool:
    """Whether a list takes an item that is one of several objects as it is. One whose items are held by value takes
    those of the caller's, which are not."""
    if kinds.heap_kind(machine, container) != "list" or machine.type_of(container) is not list:
        return False
    if not all(isinstance(one, Ref) for one in alternatives(item)):
        return False
    held = machine.heap.read(as_ref(container).object, "<items>")
    return (
        isinstance(held, Tuple)
        or isinstance(held, GrowableList)
        and all(machine.heap.objects[n].source is not None for n in references(item))
    )


def getitem_of_row(machine, which: Union, key: Value) -> Value | None:
    """`row[key]` of one of several rows of a table; None for anything else."""
    found = nested_lists.of(machine, which)
    if found is None or not range_objects.is_index(machine, key):
        return None
    names = {iteration.type_name(machine, row) for row in which.alternatives}
    if len(names) > 1:
        return None
    error = _LIST_INDEX if names == {"list"} else _TUPLE_INDEX
    return nested_lists.item(
        machine, which, found, position(machine, key, nested_lists.length(machine, which, found), error, *names)
    )


def setitem_of_row(machine, which: Union, key: Value, item: Value) -> bool:
    """`row[key] = item` of one of several rows of a table; False for anything else."""
    found = nested_lists.of(machine, which)
    if (
        found is None
        or not range_objects.is_index(machine, key)
        or not all(isinstance(r, Ref) for r in which.alternatives)
    ):
        return False
    at = position(machine, key, nested_lists.length(machine, which, found), _LIST_ASSIGNMENT, "list")
    return nested_lists.store(machine, which, found, at, item)


def delitem(machine, container: Value, key: Value) -> None:
    """`del container[key]`."""
    rule = _find(machine, DELITEM, container)
    if rule is None and machine.type_of(container) is np.ndarray:
        machine.raise_(ValueError, "cannot delete array elements")
    elif rule is None:
        name = iteration.type_name(machine, container)
        # it is the sequences, and what is like one, of which CPython says it in another way
        verb = "doesn't" if defines(machine, machine.type_of(container), "__contains__") else "does not"
        machine.raise_(TypeError, f"'{name}' object {verb} support item deletion")
    else:
        rule(machine, container, key)


#: classes of keys whose hash and comparison are no code of the program
_ORDINARY_KEYS = frozenset((str, int, bool, type(None)))


def _is_ordinary(key: object) -> bool:
    return type(key) in _ORDINARY_KEYS or isinstance(key, type)


def contains(machine, item: Value, container: Value) -> bool | Var:
    """`item in container`."""
    if type(container) is Ref and type(item) is Const and _is_ordinary(item.value):
        plain = machine.type_of(container) in (dict, set) and not is_modules(machine, container)
        held = machine.heap.read(container.object, "<items>") if plain else None
        if type(held) is Mapping:
            return item.value in held.entries
    several = isinstance(item, Union) and not takes_unions(machine, container)
    if several or isinstance(container, Union | NdArray):
        return _contains_other(machine, item, container)
    rule = _find(machine, CONTAINS, container)
    if rule is not None:
        return rule(machine, item, container)
    if isinstance(container, Const) and isinstance(item, Const) and hasattr(type(container.value), "__contains__"):
        return bool(fold(machine, operator.contains, container.value, item.value).value)
    return equality.among(machine, item, iteration.items(machine, container), container)


def _contains_other(machine, item: Value, container: Value) -> bool | Var:
    if isinstance(container, NdArray):
        same = machine.compare("==", container, item)
        if isinstance(same, NdArray | JaxArray | BoundedArray):
            same = machine.call(machine.getattr(same, "any"), [])
        return machine.truth(same)
    for value, others in ((container, item), (item, container)):
        if isinstance(value, Union):
            found: bool | Var = False
            for index, alternative in enumerate(value.alternatives):
                pair = (item, alternative) if value is container else (alternative, others)
                selector = machine.builder.constant(index, value.selector.type.dtype)
                here = machine.builder.elementwise("eq", value.selector, selector)
                result = machine.cond(here, lambda p=pair: machine.boolean(contains(machine, *p)), lambda: Const(False))
                found = logical_or(machine, found, machine.truth(result))
            return found
    raise AssertionError("no union")


def length(machine, value: Value) -> Value:
    """`len(value)`."""
    if isinstance(value, Union):
        found = nested_lists.of(machine, value)
        if found:
            return nested_lists.length(machine, value, found)
        return over_unions(machine, (value,), lambda v: length(machine, v))
    match value:
        case Tuple() if value.cls.__len__ is tuple.__len__:
            return Const(len(value.items))
        case Range():
            return range_objects.length(machine, value)
        case NdArray() | JaxArray():
            shape = value.type.shape if isinstance(value, NdArray) else value.var.type.shape
            if not shape:
                machine.raise_(TypeError, "len() of unsized object")
            return Const(shape[0])
        case Const():
            kinds.require_fixed(value.value)
            return fold(machine, len, value.value)
        case Text():
            return Const(len(machine.static(value, "a string whose length is used")))
        case Ref():
            kind = machine.heap.objects[value.object].kind
            if kind in ("list", "tuple"):
                growable = growable_list_items.of(machine, value)
                return growable.length if growable is not None else Const(len(contents(machine, value)))
            if kind in ("dict", "set"):
                found = machine.heap.read(value.object, "<items>")
                return found.length if isinstance(found, GrowableList) else Const(len(entries(machine, value)))
            if kind == "view":
                return length(machine, machine.heap.read(value.object, "source"))
    cls = machine.type_of(value)
    if isinstance(value, Ref | Tuple) and defines(machine, cls, "__len__"):
        return as_length(machine, machine.call(machine.getattr(value, "__len__"), []))
    return machine.raise_(TypeError, f"object of type '{iteration.type_name(machine, value)}' has no len()")


def as_length(machine, result: Value) -> Value:
    """What `__len__` has returned, as an int."""
    count = range_objects.index(machine, result)
    machine.check(machine.truth(machine.compare("<", count, Const(0))), ValueError, "__len__() should return >= 0")
    return count


# -- indices and slices of sequences ----------------------------------------------------------------------------------


def is_slice(key: Value) -> bool:
    """Whether a key is a slice object."""
    return isinstance(key, Slice) or (isinstance(key, Const) and isinstance(key.value, slice))


def static_slice(machine, key: Value) -> slice:
    """A slice whose parts are known; asks for them if they are not."""
    known = machine.static(key, "the bounds of a slice of a list or tuple")
    parts = []
    for part in (known.start, known.stop, known.step):
        if part is not None and not hasattr(type(part), "__index__"):
            machine.raise_(TypeError, "slice indices must be integers or None or have an __index__ method")
        parts.append(None if part is None else operator.index(part))
    if parts[2] == 0:
        machine.raise_(ValueError, "slice step cannot be zero")
    return slice(*parts)


def position(machine, key: Value, count: int | Value, error: BaseException, noun: str) -> Value:
    """An index into `count` items, from 0; `error` where it is out of range."""
    at = index_of_item(machine, key, noun + " indices must be integers or slices, not {}")
    count = count if isinstance(count, Value) else Const(count)
    return range_objects.in_bounds(machine, at, count, error)


def index_of_item(machine, key: Value, wrong: str) -> Value:
    """An index of an item as an int of 64 bits; `wrong` is what is said of the class of what is none."""
    if not range_objects.is_index(machine, key) and not isinstance(key, NdArray):
        machine.raise_(TypeError, wrong.format(iteration.type_name(machine, key)))
    huge = too_large(machine, key.var, key.bounds) if isinstance(key, NumpyScalar) else None
    if huge is not None:
        machine.check(huge, IndexError, _too_large_an_index(machine, key))
    at = range_objects.index(machine, key)
    if isinstance(at, Const) and not range_objects.INT_MIN <= at.value <= range_objects.INT_MAX:
        machine.raise_(IndexError, _too_large_an_index(machine, key))
    return at


def _too_large_an_index(machine, key: Value) -> str:
    return f"cannot fit '{iteration.type_name(machine, key)}' into an index-sized integer"


@register(GETITEM, range)
def _range_getitem(machine, container: Value, key: Value) -> Value:
    return range_objects.getitem(machine, container, key)


@register(CONTAINS, range)
def _range_contains(machine, item: Value, container: Value) -> bool | Var:
    return range_objects.contains(machine, item, container)


def is_number(value: Value) -> bool:
    """Whether a value is a Python or NumPy number."""
    if isinstance(value, Const):
        return isinstance(value.value, bool | int | float | complex | np.generic)
    return isinstance(value, Scalar | NumpyScalar)
