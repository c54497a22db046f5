"""`obj.__dict__` and `vars(obj)`, which show an object's attributes and change them, and `types.SimpleNamespace`."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable
from typing import Any

from xlapy.dispatch import registry
from xlapy.dispatch.kinds import has_dict, slots_of, type_of
from xlapy.dispatch.numbers.scalar_values import provoke
from xlapy.dispatch.protocol import Machine, NeedNamespace, Refused
from xlapy.domain.builtin_bases import CONTENTS
from xlapy.domain.sources import attribute
from xlapy.domain.values import (
    SHADOWED,
    UNBOUND,
    Const,
    Function,
    Mapping,
    Ref,
    Tuple,
    Union,
    Value,
    alternatives,
    as_ref,
    made_tuple,
)

#: what exceptions have beside their `__dict__`
_OF_EXCEPTIONS = {"args", "value", "__cause__", "__context__", "__suppress_context__", "__traceback__"}


_NO_DICT = provoke(vars, 1)


#: what functions have beside their `__dict__`
_OF_FUNCTIONS = {
    name for cls in types.FunctionType.__mro__ for name, held in vars(cls).items() if hasattr(type(held), "__set__")
}


def _outside(cls: type) -> set[str]:
    """The attributes of an object that do not lie in its `__dict__`."""
    return _OF_FUNCTIONS if cls is types.FunctionType else slots_of(cls)


def _slot(cls: type, key: str) -> str:
    """Where an entry of an object's `__dict__` is kept: that of a function may have the name of another attribute."""
    return SHADOWED + key if cls is types.FunctionType and key in _OF_FUNCTIONS else key


def namespace(machine: Machine, value: Ref) -> Ref:
    """The `__dict__` of an object, or that of the attributes which a program gives a function."""
    heap = machine.heap
    known = next((mirror for mirror, owner in heap.mirrors.items() if owner == value.object), None)
    if known is None:
        known = heap.new("dict", dict, machine.location())
        heap.mirrors[known] = value.object
    return Ref(known)


def of_tuple(machine: Machine, value: Tuple) -> Value:
    """The object in the heap that holds the attributes of a tuple.

    Raises:
        NeedNamespace: there is none yet.
        Refused: there cannot be one.
    """
    if value.namespace is not None:
        return value.namespace
    known = value.cls in machine.world.with_namespaces and value.cls not in machine.world.expected
    if known or not has_dict(value.cls):
        what = f"the attributes of a {value.cls.__name__} that a dict or a function of a library has given"
        raise Refused("XP0010", what, "keep them in an object of a class that has no built-in base")
    raise NeedNamespace(value.cls)


def has_attributes(machine: Machine, value: Tuple) -> bool:
    """Whether a tuple may have attributes beside its items."""
    world = machine.world
    return value.namespace is not None or value.cls in world.with_namespaces or value.cls in world.kept_by_value


@functools.cache
def _is_set_up(cls: type) -> bool:
    """Whether a class of tuples has an `__init__` in Python: most often it sets attributes."""
    return isinstance(cls.__init__, types.FunctionType) and has_dict(cls)


def new_tuple(machine: Machine, items: Iterable[Value], cls: type) -> Tuple:
    """A tuple that the program makes."""
    made = tuple(items)
    world = machine.world
    if cls not in world.with_namespaces:
        if not _is_set_up(cls) or cls in world.without_namespaces:
            return Tuple(made, cls)
        world.with_namespaces.add(cls)
        world.expected.add(cls)
    return Tuple(made, cls, Ref(machine.heap.new("instance", cls, machine.location())))


@registry.method(tuple, "_replace")
def _replace(machine: Machine, self: Tuple, /, **changes: Value) -> Value:
    fields = self.cls._fields
    unexpected = [name for name in changes if name not in fields]
    if unexpected:
        blank = made_tuple(self.cls, [None] * len(fields))
        error = provoke(lambda: blank._replace(**dict.fromkeys(unexpected)))
        machine.raise_(type(error), *error.args)
    items = [changes.get(f, v) for f, v in zip(fields, self.items, strict=True)]
    return new_tuple(machine, items, self.cls)


@registry.method(tuple, "_asdict")
def _asdict(machine: Machine, self: Tuple) -> Value:
    return machine.new_dict(dict(zip(self.cls._fields, self.items, strict=True)))


def owner_of(machine: Machine, value: Ref | Tuple) -> int:
    """The object in the heap that holds the attributes of an instance, or of a tuple."""
    return as_ref(of_tuple(machine, value) if isinstance(value, Tuple) else value).object


def contents(machine: Machine, number: int) -> Mapping:
    """What lies in an object's `__dict__`, in order.

    Raises:
        Refused: that depends on the path.
    """
    heap = machine.heap
    info, found = heap.objects[number], {}
    heap.untold += 1
    own = machine.world.own_attributes(number) if info.source is not None else ()
    hidden = _outside(info.cls) | {CONTENTS} | (_OF_EXCEPTIONS if issubclass(info.cls, BaseException) else set())
    for name in (info.fields | set(own)) - hidden:
        value = heap.read(number, name)
        if value is UNBOUND:
            continue
        if UNBOUND in alternatives(value):
            raise Refused("XP0004", f"the __dict__ of an object that has the attribute '{name}' on some paths only")
        found[name] = value
    for other, that in heap.objects.items():
        if that.cls is info.cls and that.kind == info.kind and that.source is not None:
            heap.order.found(other, info.cls, machine.world.own_attributes(other))
    order = heap.order.sorted(number, info.cls, set(found))
    if order is None:
        what = f"the order of the attributes of a {info.cls.__name__}, which depends on data"
        raise Refused("XP0004", what, "read the attributes by name")
    return Mapping({name.removeprefix(SHADOWED): found[name] for name in order})


def fill(machine: Machine, number: int, items: Value) -> None:
    """Change an object's `__dict__` to hold `items`."""
    heap = machine.heap
    if heap.objects[number].kind == "function" and heap.objects[number].source is not None:
        raise Refused(
            "XP0010", "the __dict__ of a function of the caller's is changed", "assign its attributes by name"
        )
    cls, before = heap.objects[number].cls, contents(machine, number).entries
    if not isinstance(items, Mapping):
        raise Refused("XP0010", "a __dict__ gets keys that depend on data")
    odd = next((key for key in items.entries if not isinstance(key, str) or _slot(cls, key) in _outside(cls)), None)
    if odd is not None:
        raise Refused("XP0010", f"a __dict__ gets the key {odd!r}, which is no attribute")
    for name in before.keys() - items.entries.keys():
        heap.write(number, _slot(cls, name), UNBOUND)
    for name, value in items.entries.items():
        if before.get(name) is not value:
            heap.write(number, _slot(cls, name), value)


def of_class(machine: Machine, cls: type) -> Value:
    """The `__dict__` of a class, to be read."""
    names = tuple(vars(cls))
    machine.world.guard("keys", attribute(machine.world.anchor(cls), "__dict__"), names)
    entries = {name: machine.world.class_value(cls, name) for name in names}
    made = machine.new_dict(entries)
    machine.heap.freeze(made.object)
    return made


@registry.function(vars)
def _vars(machine: Machine, value: Value) -> Value:
    """`vars(obj)`."""
    if not isinstance(value, Const | Function | Union) and not has_dict(type_of(machine, value)):
        return machine.reraise(_NO_DICT)
    return machine.getattr(value, "__dict__")


# -- types.SimpleNamespace --------------------------------------------------------------------------------------------


def _most_positional() -> int:
    try:
        make: Any = types.SimpleNamespace
        make({})
    except TypeError:
        return 0
    return 1


_MOST_POSITIONAL = _most_positional()


@registry.function(types.SimpleNamespace)
def _simple(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
    """`types.SimpleNamespace(**attributes)`; since Python 3.13 also of a mapping."""
    if len(args) > _MOST_POSITIONAL:
        return machine.reraise(provoke(types.SimpleNamespace, *[{}] * len(args)))
    given = machine.call(Const(dict), args) if args else None
    made = machine.heap.new("instance", types.SimpleNamespace, machine.location())
    if given is not None:
        fill(machine, made, machine.heap.read(as_ref(given).object, "<items>"))
    for name, value in kwargs.items():
        machine.heap.write(made, name, value)
    return Ref(made)


@registry.method(types.SimpleNamespace, "__eq__")
def _equal(machine: Machine, self: Ref, other: Value) -> Value:
    """Two namespaces are equal if their attributes are."""
    if not isinstance(other, Ref) or not issubclass(machine.heap.objects[other.object].cls, types.SimpleNamespace):
        return Const(NotImplemented)
    return machine.compare("==", namespace(machine, self), namespace(machine, other))
