"""Attributes and classes: Python's object model over abstract values."""

from __future__ import annotations

import _thread
import operator
from typing import Any

import numpy as np

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.bounded import bounded_rules
from xlapy.dispatch.containers import container_protocol, container_subclasses
from xlapy.dispatch.identities import Identity
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.jax import jax_arrays
from xlapy.dispatch.kinds import is_instance, known_truth, type_of
from xlapy.dispatch.numbers.scalar_values import provoke
from xlapy.dispatch.protocol import Machine, PythonError, Refused
from xlapy.dispatch.python.attributes import find_special, getattr_
from xlapy.domain.sources import Anchor
from xlapy.domain.values import (
    NONE,
    BoundedArray,
    Const,
    JaxArray,
    Mapping,
    NdArray,
    Ref,
    Tuple,
    Union,
    Value,
)
from xlapy.ir import Var


def _reports_too_many() -> bool:
    try:
        two: Any = (1, 2)
        (_a,) = two
    except ValueError as error:
        return "got" in str(error)
    return False


#: whether this CPython's "too many values to unpack" says how many there were
REPORTS_TOO_MANY = _reports_too_many()


def check_items(sequence, count):
    """That an array or a list has `count` items, in Python: what `a, b = sequence` asks for."""
    found = len(sequence)
    if found < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {found})")
    if found > count:
        if REPORTS_TOO_MANY and isinstance(sequence, list | tuple):
            raise ValueError(f"too many values to unpack (expected {count}, got {found})")
        raise ValueError(f"too many values to unpack (expected {count})")


def unpacked_around(sequence, before, after):
    """The items of an array or a list, those between the first and the last ones as a list: what `a, *b = sequence`
    does."""
    found = len(sequence)
    if found < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {found})")
    middle = [sequence[k] for k in range(before, found - after)]
    last = [sequence[found - k] for k in range(after, 0, -1)]
    return (*[sequence[k] for k in range(before)], middle, *last)


_NOTHING = object()


def unpacked_users(iterator, before, after):
    """The same of an iterator of the user's, of which CPython makes a list when it has taken the first ones."""
    first = []
    while len(first) < before:
        item = next(iterator, _NOTHING)
        if item is _NOTHING:
            raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(first)})")
        first.append(item)
    rest = list(iterator)
    last = len(rest) - after
    if last < 0:
        found = before + len(rest)
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {found})")
    return (*first, rest[:last], *rest[last:])


@registry.function(id)
def _identity(machine: Machine, item: Value) -> Value:
    machine.heap.identified += 1
    match item:
        case Ref():
            for other in machine.heap.shared.get(item.object, ()):
                machine.heap.tell_apart(item.object, other)
            info = machine.heap.objects[item.object]
            if info.source is not None:
                machine.world.tell_apart(info.source, info.cls)
            return Const(Identity(item.object, item))
        case NdArray():
            if item.identity in machine.heap.joined:
                raise Refused("XP0004", "id() of an array that is one object on some paths only")
            for other in machine.heap.entangled:
                machine.heap.tell_apart(item.buffer, other)
            if item.identity in machine.heap.found:
                machine.world.tell_apart(machine.heap.found[item.identity], np.ndarray)
            return Const(Identity(item.identity, item))
        case Const():
            return Const(Identity(Anchor(item.value), item))
    raise Refused("XP0003", "the identity of a value on the device", "compare objects with 'is'")


@registry.function(_thread.get_ident)
def _thread_number(machine: Machine) -> Value:
    """`threading.get_ident()`: a call runs in one thread, as `reprlib.recursive_repr` asks."""
    return Const(Identity(_thread, NONE))


def called_name(machine: Machine, function: Any) -> str:
    """How CPython names what is called where it complains of `*` or `**`."""
    name = machine.static(machine.getattr(function, "__qualname__"))
    module = machine.static(machine.getattr(function, "__module__"))
    return f"{name}()" if module in (None, "builtins") else f"{module}.{name}()"


def contains(machine: Machine, item: Value, container: Value) -> bool | Var:
    """`item in container`."""
    if is_instance(machine, container):
        method = find_special(machine, container, "__contains__")
        if method is not None:
            return machine.truth(machine.call(method, (item,)))
    if not isinstance(container, Union) and not iteration.is_iterable(machine, container):
        name = iteration.type_name(machine, container)
        machine.raise_(TypeError, _NO_CONTAINER.replace("object", name))
    if is_instance(machine, container) or kinds.heap_kind(machine, container) in ("iterator", "generator"):
        return machine.truth(machine.call(Const(_comes), (item, container)))
    if isinstance(container, BoundedArray):
        return known_truth(bounded_rules.contains(machine, item, container))
    if isinstance(container, JaxArray):
        return known_truth(machine.call(jax_arrays.MEMBER, (item, container)))
    return container_protocol.contains(machine, item, container)


#: what CPython says of `1 in object()`
_NO_CONTAINER = str(provoke(operator.contains, object(), 1))


def _comes(item, iterable):
    for other in iterable:
        if other is item or other == item:
            return True  # what comes after it is left in the iterator
    return False


def mapping_entries(machine: Machine, mapping: Value) -> dict:
    """Entries of a dict with known keys."""
    mapping = container_subclasses.plain(machine, mapping)
    if isinstance(mapping, Ref) and machine.heap.objects[mapping.object].kind == "dict":
        return container_protocol.entries(machine, mapping)
    if isinstance(mapping, Mapping):
        return dict(mapping.entries)
    keys = getattr_(machine, mapping, "keys")
    entries = {}
    for item in machine.iterate(machine.call(keys, ())):
        entries[container_protocol.key_of(machine, item, entries)] = machine.getitem(mapping, item)
    return entries


def match_class(machine: Machine, subject: Value, cls_value: Value, names: tuple[str, ...], count: int) -> Value:
    """The values a class pattern binds, or None."""
    cls = machine.static(cls_value)
    if not issubclass(type_of(machine, subject), cls):
        return NONE
    found: list[Value] = []
    if count:
        itself = cls in (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
        if itself and count == 1:
            found.append(subject)
        else:
            positions = getattr(cls, "__match_args__", ())
            if len(positions) < count:
                plural = "" if len(positions) == 1 else "s"
                machine.raise_(
                    TypeError,
                    f"{cls.__name__}() accepts {len(positions)} positional sub-pattern{plural} ({count} given)",
                )
            names = (*positions[:count], *names)
    for name in names:
        try:
            found.append(getattr_(machine, subject, name))
        except PythonError as error:
            if issubclass(type_of(machine, error.value), AttributeError):
                return NONE
            raise
    return Tuple(tuple(found))


def subscript_class(machine: Machine, value: Const, key_: Value) -> Value:
    """`cls[key]`: a generic alias, `__class_getitem__`, or a member of an enumeration."""
    try:
        return Const(value.value[machine.static(key_)])
    except (TypeError, KeyError) as error:
        return machine.reraise(error)
