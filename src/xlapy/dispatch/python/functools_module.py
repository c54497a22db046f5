"""functools, and the parts of copy and dataclasses that make objects from objects."""

from __future__ import annotations

import copy
import dataclasses
import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.containers import container_protocol
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers.scalar_values import logical_not, provoke
from xlapy.dispatch.protocol import PythonError, Refused
from xlapy.dispatch.python import attributes, namespaces
from xlapy.dispatch.vectors import borrowed_elements
from xlapy.domain import set_iteration_order
from xlapy.domain.values import (
    NONE,
    UNBOUND,
    BoundMethod,
    Const,
    Function,
    GrowableList,
    Intrinsic,
    JaxArray,
    Mapping,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Slice,
    Tuple,
    Union,
    Value,
    as_ref,
    is_none,
    references,
    tuple_items,
)

# -- partial ----------------------------------------------------------------------------------------------------------

#: from Python 3.14 on: stands for an argument that the call has
_PLACEHOLDER: Any = getattr(functools, "Placeholder", None)
_REAL_PARTIAL: Any = functools.partial
_REAL_REDUCE: Any = functools.reduce


def _is_placeholder(value: Value) -> bool:
    return _PLACEHOLDER is not None and isinstance(value, Const) and value.value is _PLACEHOLDER


def filled(machine, first: Sequence[Value], args: Sequence[Value], called: bool = True) -> list[Value]:
    """The positional arguments of a partial, and behind them those that are given later, but for those that come in the
    places of placeholders; all of these have to be given where the function is `called`."""
    rest, missing = list(args), sum(map(_is_placeholder, first))
    if called and len(rest) < missing:
        what = f"expected at least {missing}, got {len(rest)}"
        machine.raise_(TypeError, f"missing positional arguments in 'partial' call; {what}")
    return [rest.pop(0) if rest and _is_placeholder(value) else value for value in first] + rest


@registry.function(functools.partial)
def partial(machine, /, *args: Value, **kwargs: Value) -> Value:
    """`functools.partial(function, *args, **kwargs)`: a method bound to the function and its arguments."""
    if not args:
        machine.raise_(TypeError, *provoke(functools.partial).args)
    function, *rest = args
    if isinstance(function, Const) and not callable(function.value):
        machine.raise_(TypeError, *provoke(functools.partial, 1).args)
    if rest and _is_placeholder(rest[-1]):
        machine.raise_(TypeError, *provoke(functools.partial, len, _PLACEHOLDER).args)
    if any(map(_is_placeholder, kwargs.values())):
        machine.raise_(TypeError, *provoke(lambda: _REAL_PARTIAL(len, a=_PLACEHOLDER)).args)
    if isinstance(function, BoundMethod) and function.function is _PARTIAL:
        function, first, names, values = tuple_items(function.self)
        rest = filled(machine, tuple_items(first), rest, called=False)
        kwargs = {**dict(zip(machine.static(names), tuple_items(values), strict=True)), **kwargs}
    names = Tuple(tuple(map(Const, kwargs)))
    return BoundMethod(_PARTIAL, Tuple((function, Tuple(tuple(rest)), names, Tuple(tuple(kwargs.values())))))


def _call_partial(machine, given: Tuple, /, *args: Value, **kwargs: Value) -> Value:
    function, first, names, values = given.items
    named = dict(zip(machine.static(names), tuple_items(values), strict=True))
    return machine.call(function, filled(machine, tuple_items(first), args), {**named, **kwargs})


_PARTIAL = Intrinsic(kinds.PARTIAL, _call_partial)


@registry.attribute(functools.partial, "func")
def _partial_function(machine, self: BoundMethod | Const) -> Value:
    return machine.world.wrap_anchored(self.value.func) if isinstance(self, Const) else tuple_items(self.self)[0]


@registry.attribute(functools.partial, "args")
def _partial_arguments(machine, self: BoundMethod | Const) -> Value:
    return machine.world.wrap_anchored(self.value.args) if isinstance(self, Const) else tuple_items(self.self)[1]


# -- reduce -----------------------------------------------------------------------------------------------------------


def _accepts_initial() -> bool:
    try:
        return _REAL_REDUCE(max, [], initial=1) == 1
    except TypeError:
        return False


#: the arguments that may be named on this CPython
_REDUCE_NAMES = {"initial"} if _accepts_initial() else set()
_REDUCE_NOTHING = provoke(_REAL_REDUCE, max, 1)
_REDUCE_EMPTY = str(provoke(functools.reduce, lambda a, b: a, []))


def _reduce_loop(function, iterator, total):
    for item in iterator:
        total = function(total, item)
    return total


@registry.function(functools.reduce)
def reduce(machine, function: Value, iterable: Value, /, *initially: Value, **named: Value) -> Value:
    """`functools.reduce(function, iterable[, initial])`; from Python 3.14 on `initial` may be named."""
    if len(initially) + len(named) > 1 or named.keys() - _REDUCE_NAMES:
        wrong = [None] * (2 + len(initially)), dict.fromkeys(named)
        machine.raise_(TypeError, *provoke(lambda: _REAL_REDUCE(*wrong[0], **wrong[1])).args)
    initial = next(iter((*initially, *named.values())), None)
    try:
        iterator = iteration.make_iterator(machine, iterable)
    except PythonError as error:
        if isinstance(error.value, Union) or not issubclass(machine.type_of(error.value), TypeError):
            raise
        machine.raise_(TypeError, *_REDUCE_NOTHING.args)
    if initial is None:
        more, element = iteration.step(machine, iterator)
        if more is False:
            machine.raise_(TypeError, _REDUCE_EMPTY)
        if more is not True:
            machine.check(logical_not(machine, more), TypeError, _REDUCE_EMPTY)
        initial = element()
    return machine.call(Const(_reduce_loop), [function, iterator, initial])


# -- singledispatch ---------------------------------------------------------------------------------------------------


def is_single_dispatch(item: object) -> bool:
    """Whether a function is the wrapper that `functools.singledispatch` makes."""
    own = getattr(item, "__dict__", ())
    return "registry" in own and "dispatch" in own and isinstance(item, types.FunctionType)


def single_dispatch(machine, item, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A call of a generic function: the implementation for the type of the first argument."""
    if not args:
        name = getattr(item, "__name__", "singledispatch function")
        machine.raise_(TypeError, f"{name} requires at least 1 positional argument")
    return machine.call(Const(machine.world.implementation(item, machine.type_of(args[0]))), args, kwargs)


# -- methods -----------------------------------------------------------------------------------------------------------


@registry.function(types.MethodType)
def _bound(machine, function: Value, instance: Value, /) -> Value:
    """`types.MethodType(function, instance)`."""
    if is_none(instance):
        return machine.reraise(provoke(types.MethodType, len, None))
    if isinstance(function, Ref) and attributes.find_special(machine, function, "__call__") is not None:
        return BoundMethod(function, instance)
    if isinstance(function, Function) or isinstance(function, Const) and isinstance(function.value, types.FunctionType):
        return BoundMethod(function, instance)
    raise Refused("XP0003", f"a method that is made of {machine.describe(function)}")


# -- copy -------------------------------------------------------------------------------------------------------------

_IMMUTABLE = Const | Scalar | NumpyScalar | JaxArray | Range | Slice | Function | BoundMethod | Intrinsic


@registry.function(copy.copy)
def copy_(machine, x: Value) -> Value:
    """`copy.copy(x)`."""
    if isinstance(x, _IMMUTABLE) or isinstance(x, Tuple) and x.cls is tuple:
        return x
    if isinstance(x, Tuple):
        return _copied_tuple(machine, x, lambda value: value, "__copy__")
    if isinstance(x, NdArray):
        return machine.call(machine.getattr(x, "copy"), [])
    return _copied(machine, x, lambda value: value, "__copy__")


@registry.function(copy.deepcopy)
def deepcopy(machine, x: Value, memo: Value = NONE) -> Value:
    """`copy.deepcopy(x)`."""
    return _deep(machine, x, {})


def _deep(machine, value: Value, memo: dict[int, Value]) -> Value:
    if isinstance(value, _IMMUTABLE):
        return value
    if isinstance(value, Tuple) and value.cls is tuple:
        return Tuple(tuple(_deep(machine, item, memo) for item in value.items))
    if isinstance(value, Tuple):
        return _copied_tuple(machine, value, lambda part: _deep(machine, part, memo), "__deepcopy__", memo)
    number = value.identity if isinstance(value, NdArray) else as_ref(value).object
    if number not in memo:
        if isinstance(value, NdArray):
            memo[number] = machine.call(machine.getattr(value, "copy"), [])
        else:
            _copied(machine, value, lambda part: _deep(machine, part, memo), "__deepcopy__", memo)
    return memo[number]


def _copied_tuple(machine, value: Tuple, part, hook: str, memo: dict[int, Value] | None = None) -> Value:
    """The same of a tuple of a derived class."""
    cls = value.cls
    if isinstance(getattr(cls, hook, None), types.FunctionType):
        return machine.call(machine.getattr(value, hook), [] if hook == "__copy__" else [machine.new_dict({})])
    for name in ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__", "__getnewargs_ex__"):
        if isinstance(getattr(cls, name, None), types.FunctionType):
            raise Refused("XP0004", f"a copy of an object of class {cls.__name__}, which defines {name}")
    args: Sequence[Value] = [Tuple(value.items)]
    if isinstance(getattr(cls, "__getnewargs__", None), types.FunctionType):
        args = machine.iterate(machine.call(machine.getattr(value, "__getnewargs__"), []))
    made = machine.call(machine.getattr(Const(cls), "__new__"), [Const(cls), *map(part, args)])
    if namespaces.has_attributes(machine, value):
        state = namespaces.contents(machine, namespaces.owner_of(machine, value))
        for name, item in state.entries.items():
            machine.heap.write(namespaces.owner_of(machine, made), name, part(item))
    return made


def _copied(machine, value: Value, part, hook: str, memo: dict[int, Value] | None = None) -> Value:
    """A new object with the slots of another, each put through `part`."""
    if not isinstance(value, Ref):
        raise Refused("XP0004", f"a copy of {machine.describe(value)}")
    info = machine.heap.objects[value.object]
    if isinstance(getattr(info.cls, hook, None), types.FunctionType):
        args = [] if hook == "__copy__" else [machine.new_dict({})]
        made = machine.call(machine.getattr(value, hook), args)
        if memo is not None:
            memo[value.object] = made
        return made
    for name in ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__"):
        if isinstance(getattr(info.cls, name, None), types.FunctionType):
            raise Refused("XP0004", f"a copy of an object of class {info.cls.__name__}, which defines {name}")
    if info.kind not in ("list", "dict", "set", "instance"):
        raise Refused("XP0004", f"a copy of an object of class {info.cls.__name__}")
    if info.cls is set and hook == "__copy__":
        return machine.call(machine.getattr(value, "copy"), [])
    if hook == "__copy__":
        borrowed_elements.share(machine, value)
    number = machine.heap.new(info.kind, info.cls, machine.builder.location())
    if memo is not None:
        memo[value.object] = Ref(number)
    for name in _slots(machine, value.object):
        contents = machine.heap.read(value.object, name)
        if isinstance(contents, GrowableList) and hook != "__copy__" and references(contents.element):
            raise Refused("XP0004", "a deep copy of a list that grew in a loop, of objects of the caller's")
        if contents is not UNBOUND:
            machine.heap.write(number, name, _contents(contents, part))
        if info.cls is set and isinstance(contents, Mapping):
            if any(isinstance(key, Ref) for key in contents.entries):
                raise Refused("XP0004", "a deep copy of a set of objects")
            order = set_iteration_order.order(contents.history, contents.entries)
            history = (
                None if order is None else set_iteration_order.extended(set_iteration_order.EMPTY, set.update, order)
            )
            machine.heap.write(number, name, Mapping(contents.entries, history))
    return Ref(number)


def _slots(machine, number: int) -> list[str]:
    info = machine.heap.objects[number]
    names = ["<items>"] if info.kind in ("list", "dict", "set") else []
    if info.source is not None and info.kind == "instance":
        names += machine.world.own_attributes(number)
        names += sorted(kinds.slots_of(info.cls))
    known = machine.heap.order.sorted(number, info.cls, info.fields)
    return list(dict.fromkeys([*names, *(sorted(info.fields) if known is None else known)]))


def _contents(value: Value, part) -> Value:
    if isinstance(value, GrowableList):
        # its items are values
        return value
    if isinstance(value, Mapping):
        return Mapping({k: part(v) for k, v in value.entries.items()})
    if isinstance(value, Tuple) and value.cls is tuple:
        return Tuple(tuple(map(part, value.items)))
    return part(value)


# -- dataclasses ------------------------------------------------------------------------------------------------------


@registry.replacement(dataclasses.replace)
def _replace(obj, /, **changes):
    for name in _field_names(obj):
        if name not in changes:
            changes[name] = getattr(obj, name)
    return type(obj)(**changes)


def _replace_any(obj: Any, /, **changes):
    if dataclasses.is_dataclass(obj):
        return dataclasses.replace(obj, **changes)  # type: ignore[type-var]
    if isinstance(obj, tuple):
        return obj._replace(**changes)  # type: ignore[attr-defined]
    if not hasattr(type(obj), "__replace__"):
        raise TypeError(f"replace() does not support {type(obj).__name__} objects")
    return obj.__replace__(**changes)


#: from Python 3.13 on
_REPLACE = getattr(copy, "replace", None)
if _REPLACE is not None:
    registry.replacement(_REPLACE)(_replace_any)


def _field_names(obj):
    """The fields that `__init__` takes; a rule answers it at compile time."""
    return [f.name for f in dataclasses.fields(obj) if f.init]


@registry.function(_field_names)
def _field_names_rule(machine, obj: Value) -> Value:
    cls = machine.type_of(obj)
    if not dataclasses.is_dataclass(cls):
        machine.raise_(TypeError, "replace() should be called on dataclass instances")
    return Tuple(tuple(Const(f.name) for f in dataclasses.fields(cls) if f.init))


def _class_of(machine, value: Value) -> type:
    """The class that a value is, or of which it is."""
    if isinstance(value, Const) and isinstance(value.value, type):
        return value.value
    return machine.type_of(value)


@registry.function(dataclasses.fields)
def fields(machine, class_or_instance: Value) -> Value:
    """`dataclasses.fields(obj)`."""
    cls = _class_of(machine, class_or_instance)
    if not dataclasses.is_dataclass(cls):
        machine.raise_(TypeError, "must be called with a dataclass type or instance")
    return Tuple(tuple(map(Const, dataclasses.fields(cls))))


@registry.function(dataclasses.is_dataclass)
def is_dataclass(machine, obj: Value) -> Value:
    """`dataclasses.is_dataclass(obj)`."""
    return Const(dataclasses.is_dataclass(_class_of(machine, obj)))


@registry.function(dataclasses.asdict)
def asdict(machine, obj: Value) -> Value:
    """`dataclasses.asdict(obj)`."""
    _require_dataclass(machine, obj, dataclasses.asdict)
    return _plain(machine, obj, lambda names, values: machine.new_dict(dict(zip(names, values, strict=True))))


@registry.function(dataclasses.astuple)
def astuple(machine, obj: Value) -> Value:
    """`dataclasses.astuple(obj)`."""
    _require_dataclass(machine, obj, dataclasses.astuple)
    return _plain(machine, obj, lambda names, values: Tuple(tuple(values)))


def _require_dataclass(machine, value: Value, function: Callable) -> None:
    if not isinstance(value, Union) and not dataclasses.is_dataclass(machine.type_of(value)):
        machine.raise_(TypeError, *provoke(function, 1).args)


def _plain(machine, value: Value, made) -> Value:
    if isinstance(value, Tuple):
        return Tuple(tuple(_plain(machine, item, made) for item in value.items), value.cls)
    if isinstance(value, Ref):
        info = machine.heap.objects[value.object]
        if info.kind == "instance" and dataclasses.is_dataclass(info.cls):
            names = [f.name for f in dataclasses.fields(info.cls)]
            return made(names, [_plain(machine, machine.getattr(value, name), made) for name in names])
        if info.kind == "list":
            return machine.new_list(
                [_plain(machine, item, made) for item in container_protocol.contents(machine, value)]
            )
        if info.kind == "dict":
            return machine.new_dict(
                {k: _plain(machine, v, made) for k, v in container_protocol.entries(machine, value).items()}
            )
    return _deep(machine, value, {})
