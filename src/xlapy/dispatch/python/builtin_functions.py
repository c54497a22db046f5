"""Built-in functions about objects: kinds, attributes, calls, construction of containers, iterators."""

from __future__ import annotations

import _abc
import abc
import builtins
import time
import types
import typing
from typing import Any

import jax

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.containers import container_protocol
from xlapy.dispatch.iterators import iteration, sequences
from xlapy.dispatch.iterators.iteration import catching
from xlapy.dispatch.numbers.scalar_values import defines, fold, logical_not, of_special, provoke, stand_in
from xlapy.dispatch.numpy.record_rules import seen_as
from xlapy.dispatch.protocol import Refused
from xlapy.domain import set_iteration_order
from xlapy.domain.values import (
    NONE,
    TRUE,
    UNBOUND,
    BoundedArray,
    BoundMethod,
    Const,
    Function,
    Intrinsic,
    JaxArray,
    NdArray,
    NumpyScalar,
    Ref,
    Tuple,
    Union,
    Value,
)
from xlapy.ir import Var

# -- kinds ------------------------------------------------------------------------------------------------------------


def _classes(machine, value: Value) -> tuple:
    """The classes that the second argument of `isinstance` means, flattened."""
    known = machine.static(value, "a class")
    flat: list = []
    todo = [known]
    while todo:
        item = todo.pop(0)
        if isinstance(item, tuple):
            todo = [*item, *todo]
        elif isinstance(item, types.UnionType):
            todo = [*typing.get_args(item), *todo]
        else:
            flat.append(type(None) if item is None and isinstance(known, types.UnionType) else item)
    return tuple(flat)


def _instance(machine, value: Value, cls: Any) -> bool:
    if not isinstance(cls, type):
        fold(machine, isinstance, 0, cls)  # raises CPython's TypeError
    own = seen_as(machine.type_of(value))
    if isinstance(value, JaxArray) and cls is jax.Array:
        return True
    check = type(cls).__instancecheck__
    if check in (type.__instancecheck__, abc.ABCMeta.__instancecheck__) or isinstance(value, JaxArray):
        return _derived(machine, own, cls)
    written, owner = machine.world.lookup(type(cls).__mro__, "__instancecheck__")
    if isinstance(written, types.FunctionType) and machine.world.may_change(owner):
        found = machine.truth(machine.call(machine.world.class_value(owner, "__instancecheck__"), (Const(cls), value)))
        return bool(machine.static(machine.boolean(found), "whether an object is an instance"))
    if isinstance(value, Const):
        return fold(machine, isinstance, value.value, cls).value
    if getattr(cls, "_is_protocol", False):
        return _has_members(machine, value, cls)
    try:
        return _derived(machine, own, cls)
    except TypeError as error:
        raise Refused("XP0003", f"isinstance with {cls!r}, whose metaclass decides") from error


@registry.function(_abc._abc_instancecheck)
@registry.method(type, "__instancecheck__")
def _ordinary_check(machine, cls: Value, value: Value) -> Value:
    """`type.__instancecheck__(cls, value)`, which metaclasses with a check of their own call."""
    return Const(_derived(machine, machine.type_of(value), machine.static(cls, "a class")))


def _derived(machine, cls: type, base: type) -> bool:
    """Whether a class is derived from another one, or registered as such."""
    found = issubclass(cls, base)
    base = typing.get_origin(base) or base  # `typing.Iterable`
    machine.world.lineage(cls)
    if not found:
        machine.world.registered(base, cls)
    elif base not in cls.__mro__:
        machine.world.registered_already(base, cls)
    return found


def _has_members(machine, value: Value, protocol: type) -> bool:
    """Whether a value has what a runtime-checkable protocol asks for."""
    fold(machine, isinstance, None, protocol)  # raises CPython's TypeError where the protocol cannot be checked
    names: set[str] = set()
    for cls in protocol.__mro__:
        if getattr(cls, "_is_protocol", False) and cls is not typing.Protocol:
            names |= {n for n in (*vars(cls), *vars(cls).get("__annotations__", ())) if n not in _NOT_MEMBERS}
    found = [has_attribute(machine, value, name) for name in sorted(names)]
    if any(isinstance(flag, Var) for flag in found):
        raise Refused("XP0006", "whether an object has the members of a protocol depends on data")
    return all(found)


@typing.runtime_checkable
class _EmptyProtocol(typing.Protocol):
    """What any protocol class has in its namespace, besides its members."""


_NOT_MEMBERS = frozenset((*vars(_EmptyProtocol), "__annotations__", "__slots__", "__init__", "__class_getitem__"))


@registry.function(isinstance)
def isinstance_(machine, obj: Value, class_or_tuple: Value, /) -> Value:
    """`isinstance(obj, class_or_tuple)`: known, except for one of several objects."""
    if type(class_or_tuple) is Const and type(class_or_tuple.value) is type:
        # An ordinary class: nothing but the method resolution order decides.
        return Const(_instance(machine, obj, class_or_tuple.value))
    return Const(any(_instance(machine, obj, cls) for cls in _classes(machine, class_or_tuple)))


@registry.function(issubclass)
def issubclass_(machine, cls: Value, class_or_tuple: Value, /) -> Value:
    """`issubclass(cls, class_or_tuple)`."""
    known, bases = machine.static(cls, "a class"), machine.static(class_or_tuple, "a class")
    result = fold(machine, issubclass, known, bases)
    for base in bases if isinstance(bases, tuple) else (bases,):
        if isinstance(base, type):
            _derived(machine, known, base)  # what it depends on
    return result


@registry.function(type)
def type_(machine, /, *args: Value, **kwargs: Value) -> Value:
    """`type(obj)`."""
    if len(args) != 1 or kwargs:
        raise Refused("XP0002", "a class is made inside the function", "define the class at module level")
    return Const(seen_as(machine.type_of(args[0])))


@registry.function(callable)
def callable_(machine, obj: Value, /) -> Value:
    """`callable(obj)`."""
    if isinstance(obj, Const):
        return Const(callable(obj.value))
    if isinstance(obj, Function | BoundMethod | Intrinsic):
        return TRUE
    return Const(defines(machine, machine.type_of(obj), "__call__"))


# -- attributes -------------------------------------------------------------------------------------------------------


def attribute_or(machine, value: Value, name: str) -> tuple[Value, bool | Var]:
    """`value.name`, and whether that raises AttributeError instead."""
    return catching(machine, AttributeError, lambda: machine.getattr(value, name))


def has_attribute(machine, value: Value, name: str) -> bool | Var:
    """`hasattr(value, name)`; False at once where the class says so."""
    if isinstance(value, NdArray | BoundedArray | NumpyScalar):
        # they have no attributes of their own, and those of their class's class are not theirs
        return any(name in cls.__dict__ for cls in machine.type_of(value).__mro__)
    found, missing = attribute_or(machine, value, name)
    if isinstance(found, Union) and any(a is UNBOUND for a in found.alternatives):
        raise Refused("XP0006", f"whether there is an attribute '{name}' depends on data")
    return logical_not(machine, missing)


def _name(machine, name: Value, function: str) -> str:
    known = machine.static(name, "an attribute name")
    if not isinstance(known, str):
        fold(machine, getattr(builtins, function), 0, known)
    return known


@registry.function(getattr)
def getattr_(machine, obj: Value, name: Value, *default: Value) -> Value:
    """`getattr(obj, name[, default])`."""
    known = _name(machine, name, "getattr")
    if not default:
        return machine.getattr(obj, known)
    found, missing = attribute_or(machine, obj, known)
    if missing is True:
        return default[0]
    return found if missing is False else machine.cond(missing, lambda: default[0], lambda: found)


@registry.function(hasattr)
def hasattr_(machine, obj: Value, name: Value) -> Value:
    """`hasattr(obj, name)`."""
    return machine.boolean(has_attribute(machine, obj, _name(machine, name, "hasattr")))


@registry.function(setattr)
def setattr_(machine, obj: Value, name: Value, value: Value) -> Value:
    """`setattr(obj, name, value)`."""
    known = machine.static(name, "an attribute name")
    if not isinstance(known, str):
        machine.raise_(TypeError, str(provoke(setattr, 1, stand_in(type(known)), 1)))
    machine.setattr(obj, known, value)
    return NONE


@registry.function(delattr)
def delattr_(machine, obj: Value, name: Value) -> Value:
    """`delattr(obj, name)`."""
    machine.delattr(obj, machine.static(name, "an attribute name"))
    return NONE


# -- length, containers, iterators ------------------------------------------------------------------------------------


@registry.function(len)
@registry.takes_unions
def len_(machine, obj: Value, /) -> Value:
    """`len(obj)`."""
    return container_protocol.length(machine, obj)


@registry.function(iter)
def iter_(machine, source: Value, sentinel: Value | None = None, /) -> Value:
    """`iter(iterable)`, `iter(function, sentinel)`."""
    if sentinel is not None:
        if isinstance(source, Const) and not callable(source.value):
            machine.raise_(TypeError, *provoke(iter, 1, 1).args)
        cls = type(iter(int, 1))
        return sequences.new(machine, iteration.SENTINEL, cls, function=source, sentinel=sentinel)
    return iteration.make_iterator(machine, source)


@registry.function(next)
def next_(machine, iterator: Value, *default: Value) -> Value:
    """`next(iterator[, default])`."""
    if len(default) > 1:
        machine.raise_(TypeError, *provoke(next, *[None] * (1 + len(default))).args)
    steps = sequences.is_iterator(machine, iterator) or kinds.heap_kind(machine, iterator) == "generator"
    if not steps and not defines(machine, machine.type_of(iterator), "__next__"):
        name = iteration.type_name(machine, iterator)
        machine.raise_(TypeError, f"'{name}' object is not an iterator")
    if not steps and not default:
        return machine.call(machine.getattr(iterator, "__next__"), [])
    more, element = iteration.step(machine, iterator)
    if default:
        return machine.cond(more, element, lambda: default[0])
    if more is True:
        return element()
    if more is False:
        return machine.raise_(StopIteration)
    machine.check(logical_not(machine, more), StopIteration)
    return element()


_ONE = Const(1)


# -- identity and hashes ----------------------------------------------------------------------------------------------


@registry.function(hash)
def hash_(machine, obj: Value, /) -> Value:
    """`hash(obj)` of known objects."""
    if isinstance(obj, Ref):
        cls = machine.type_of(obj)
        if cls.__hash__ is None:
            machine.raise_(TypeError, f"unhashable type: '{kinds.shown(cls)}'")
    if isinstance(obj, Ref | Tuple):
        if isinstance(getattr(machine.type_of(obj), "__hash__", None), types.FunctionType):
            return of_special(machine, obj, "__hash__", machine.call(machine.getattr(obj, "__hash__"), []))
    if machine.hashing is not None and not machine.is_static(obj):
        machine.hashing.append(obj)
        for item in obj.items if isinstance(obj, Tuple) else ():
            machine.call(Const(hash), [item])
        return _ONE
    if isinstance(obj, Tuple):
        obj = Tuple(obj.items, obj.cls)
    if isinstance(obj, Ref):
        raise Refused("XP0003", "the hash of an object that is made on the device has no meaning")
    known = machine.static(obj, "what is hashed")
    set_iteration_order.ask((known,))
    return fold(machine, hash, known)


def _refuses(what: str, hint: str = ""):
    def rule(machine, /, *args: Value, **kwargs: Value) -> Value:
        raise Refused("XP0003", what, hint)

    return rule


for _function, _what, _hint in (
    (dir, "dir() of an object", "name the attributes"),
    (globals, "globals() as a dict", "name the variables"),
    (eval, "eval() of text", "call a function"),
    (compile, "compile() of text", "call a function"),
    (open, "opening a file", "read files before the call, and write them after it"),
    (input, "reading from the terminal", "pass the value as an argument"),
    (breakpoint, "a breakpoint", "run the function within xlapy.disable_jit()"),
):
    registry.function(_function)(_refuses(f"{_what} is not possible on the device", _hint))

_CLOCKS = "time monotonic perf_counter process_time thread_time".split()
registry.function(*(getattr(time, name + unit) for name in _CLOCKS for unit in ("", "_ns")), time.sleep)(
    _refuses(
        "the program runs on the device as a whole: a clock cannot be read in its midst",
        "measure around the call, and wait for its result with jax.block_until_ready",
    )
)
