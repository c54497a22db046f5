"""The `operator` module: its functions as the operators they are, and getters as methods bound to their keys."""

from __future__ import annotations

import operator
from collections.abc import Callable

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.containers import container_protocol
from xlapy.dispatch.numbers import overflow, range_objects
from xlapy.dispatch.numbers.scalar_values import BINARY, COMPARISONS, UNARY, defines, kind_of, logical_not, provoke
from xlapy.dispatch.protocol import Refused
from xlapy.domain.values import NONE, BoundMethod, Const, Intrinsic, NumpyScalar, Tuple, Value, tuple_items
from xlapy.library.builtins import lazy_iterators

_INPLACE = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "@=": operator.imatmul,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
}


def _binary(symbol: str) -> Callable[..., Value]:
    return lambda machine, a, b, /: overflow.binary(machine, symbol, a, b)


def _compare(symbol: str) -> Callable[..., Value]:
    return lambda machine, a, b, /: machine.compare(symbol, a, b)


def _unary(symbol: str) -> Callable[..., Value]:
    return lambda machine, a, /: machine.unary(symbol, a)


for _symbol, _function in {**BINARY, **_INPLACE}.items():
    registry.function(_function)(_binary(_symbol))
for _symbol, _function in COMPARISONS.items():
    registry.function(_function)(_compare(_symbol))
for _symbol, _function in UNARY.items():
    registry.function(_function)(_unary(_symbol))
registry.function(operator.inv)(_unary("~"))


@registry.function(operator.concat)
def _concat(machine, a: Value, b: Value, /) -> Value:
    if kind_of(a) is not None or isinstance(a, NumpyScalar):
        machine.raise_(TypeError, f"'{kinds.shown(machine.type_of(a))}' object can't be concatenated")
    return machine.binary("+", a, b)


registry.function(operator.iconcat)(_binary("+="))


@registry.function(operator.not_)
def _not(machine, a: Value, /) -> Value:
    return machine.boolean(logical_not(machine, machine.truth(a)))


@registry.function(operator.truth)
def _truth(machine, a: Value, /) -> Value:
    return machine.boolean(machine.truth(a))


@registry.function(operator.is_)
def _is(machine, a: Value, b: Value, /) -> Value:
    return machine.boolean(machine.is_(a, b))


@registry.function(operator.is_not)
def _is_not(machine, a: Value, b: Value, /) -> Value:
    return machine.boolean(logical_not(machine, machine.is_(a, b)))


def _is_none(machine, a: Value, /) -> Value:
    return machine.boolean(machine.is_(a, NONE))


def _is_not_none(machine, a: Value, /) -> Value:
    return machine.boolean(logical_not(machine, machine.is_(a, NONE)))


# from Python 3.14 on
for _name, _rule in (("is_none", _is_none), ("is_not_none", _is_not_none)):
    if hasattr(operator, _name):
        registry.function(getattr(operator, _name))(_rule)


@registry.function(operator.getitem)
def _getitem(machine, a: Value, b: Value, /) -> Value:
    return machine.getitem(a, b)


@registry.function(operator.setitem)
def _setitem(machine, a: Value, b: Value, c: Value, /) -> Value:
    machine.setitem(a, b, c)
    return NONE


@registry.function(operator.delitem)
def _delitem(machine, a: Value, b: Value, /) -> Value:
    machine.delitem(a, b)
    return NONE


@registry.replacement(operator.contains)
def _contains(a, b, /):
    return b in a


@registry.replacement(operator.abs)
def _abs(a, /):
    return abs(a)


@registry.replacement(operator.call)
def _call(obj, /, *args, **kwargs):
    return obj(*args, **kwargs)


@registry.replacement(operator.indexOf)
def _index_of(a, b, /):
    position = 0
    for item in a:
        if item is b or item == b:
            return position
        position += 1
    raise ValueError("sequence.index(x): x not in sequence")


@registry.replacement(operator.countOf)
def _count_of(a, b, /):
    return sum([1 if item is b or item == b else 0 for item in a])


@registry.function(operator.index)
def _index(machine, a: Value, /) -> Value:
    return range_objects.index(machine, a)


@registry.function(operator.length_hint)
def _length_hint(machine, obj: Value, default: Value = Const(0), /) -> Value:  # noqa: B008
    default = range_objects.index(machine, default)
    cls = machine.type_of(obj)
    asks = [defines(machine, cls, name) for name in ("__len__", "__length_hint__")]
    if not any(asks):
        return default
    if kinds.is_instance(machine, obj):
        return machine.call(Const(lazy_iterators.length_hint), [obj, default, *map(Const, asks)])
    if not asks[0]:
        raise Refused("XP0010", f"operator.length_hint of a {cls.__name__}")
    return container_protocol.length(machine, obj)


# -- getters ----------------------------------------------------------------------------------------------------------


def _one_or_all(found: list[Value]) -> Value:
    return found[0] if len(found) == 1 else Tuple(tuple(found))


def _get_items(machine, keys: Tuple, obj: Value) -> Value:
    return _one_or_all([machine.getitem(obj, key) for key in keys.items])


def _get_attributes(machine, keys: Tuple, obj: Value) -> Value:
    found = []
    for key in keys.items:
        value = obj
        for name in machine.static(key).split("."):
            value = machine.getattr(value, name)
        found.append(value)
    return _one_or_all(found)


def _call_method(machine, given: Tuple, obj: Value) -> Value:
    name, args, names, values = given.items
    named = dict(zip(machine.static(names), tuple_items(values), strict=True))
    return machine.call(machine.getattr(obj, machine.static(name)), list(tuple_items(args)), named)


_ITEM_GETTER = Intrinsic("itemgetter", _get_items)
_ATTRIBUTE_GETTER = Intrinsic("attrgetter", _get_attributes)
_METHOD_CALLER = Intrinsic("methodcaller", _call_method)


@registry.function(operator.itemgetter)
def itemgetter(machine, *items: Value) -> Value:
    """`operator.itemgetter(*items)`."""
    if not items:
        machine.raise_(TypeError, *provoke(operator.itemgetter).args)
    return BoundMethod(_ITEM_GETTER, Tuple(items))


@registry.function(operator.attrgetter)
def attrgetter(machine, *attrs: Value) -> Value:
    """`operator.attrgetter(*attrs)`."""
    if not attrs:
        machine.raise_(TypeError, *provoke(operator.attrgetter).args)
    if not all(issubclass(machine.type_of(name), str) for name in attrs):
        machine.raise_(TypeError, *provoke(operator.attrgetter, 1).args)
    return BoundMethod(_ATTRIBUTE_GETTER, Tuple(attrs))


@registry.function(operator.methodcaller)
def methodcaller(machine, name: Value, /, *args: Value, **kwargs: Value) -> Value:
    """`operator.methodcaller(name, *args, **kwargs)`."""
    names, values = Tuple(tuple(map(Const, kwargs))), Tuple(tuple(kwargs.values()))
    return BoundMethod(_METHOD_CALLER, Tuple((name, Tuple(args), names, values)))
