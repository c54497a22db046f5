"""Objects of classes that derive from list, dict, set, OrderedDict, defaultdict or Counter.

    class Bag(collections.Counter): ...
    class Stack(list):
        def push(self, x): self.append(x)

They have attributes and methods of their own, and a container inside.

Such an object is an instance whose slot `CONTENTS` refers to a plain list, dict or set. What the class defines is found
first, as Python finds it; what it inherits from the built-in class is done to the container.
"""

from __future__ import annotations

import collections
from collections.abc import Callable

from xlapy.dispatch import registry, unions
from xlapy.dispatch.containers import container_protocol, dynamic_dicts
from xlapy.dispatch.numbers.scalar_values import logical_not, refuse_where
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.builtin_bases import BASES, CONTENTS, base_of
from xlapy.domain.values import NONE, BoundMethod, Const, Intrinsic, Ref, Value, as_ref
from xlapy.ir import Var

#: what reads a container of the caller's world between calls
_READING = ("__getitem__", "__iter__", "__len__", "keys")
_OPERATORS = {
    "add": "+", "mul": "*", "or": "|", "and": "&", "sub": "-", "xor": "^",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))


def reads_plainly(cls: type, base: type) -> bool:
    """Whether the caller's objects of a class show their contents as the built-in class would."""
    return not any(name in c.__dict__ for c in cls.__mro__[: cls.__mro__.index(base)] for name in _READING)


def make(machine: Machine, cls: type, base: type) -> Ref:
    """`cls.__new__(cls)`."""
    inner = machine.new_list(()) if base is list else machine.call(Const(base), ())
    heap = machine.heap
    return Ref(heap.new("instance", cls, machine.location(), **{CONTENTS: inner}))


def contents(machine: Machine, value: Value) -> Ref | None:
    """The container inside an object; None if it has none."""
    if isinstance(value, Ref) and (info := machine.heap.objects[value.object]).kind == "instance" and base_of(info.cls):
        return as_ref(machine.heap.read(value.object, CONTENTS))
    return None


def inside(machine: Machine, value: Value) -> Ref:
    """The container inside an object that has one."""
    inner = contents(machine, value)
    assert inner is not None, value
    return inner


def plain(machine: Machine, value: Value) -> Value:
    """The container of an object whose class says nothing else of how it is read; any other value as it is."""
    inner = contents(machine, value)
    if inner is not None and reads_plainly(machine.type_of(value), machine.type_of(inner)):
        return inner
    return value


def inherited(machine: Machine, found: object, self: Value) -> Value | None:
    """A method of list, dict or set that was found in a class, bound to an object of it; None if it is no such method,
    or there is no rule for it."""
    owner, name = getattr(found, "__objclass__", None), getattr(found, "__name__", "")
    if owner not in BASES or contents(machine, self) is None:
        return None
    rule = _rule(owner, name)
    return None if rule is None else BoundMethod(Intrinsic(f"{owner.__name__}.{name}", rule), self)


#: what the operations themselves do, which know more than the methods of these names
_SUBSCRIPTS: dict[str, Callable] = {
    "__getitem__": container_protocol.getitem,
    "__setitem__": container_protocol.setitem,
    "__delitem__": container_protocol.delitem,
}


def _rule(owner: type, name: str) -> Callable[..., Value] | None:
    stem = name.strip("_")
    if name == "__init__":
        return _init
    if name == "__getitem__" and owner is dict:
        return _getitem
    if name == "fromkeys":
        return None
    dunder = name == f"__{stem}__"
    if dunder and stem in _OPERATORS:
        return _operator(_OPERATORS[stem])
    if dunder and stem[:1] in "ir" and stem[1:] in _OPERATORS:
        return _operator(_OPERATORS[stem[1:]] + "=", True) if stem[0] == "i" else _reflected(_OPERATORS[stem[1:]])
    rule = _SUBSCRIPTS.get(name) or registry.find_method(owner, name)
    if rule is None:
        return None

    def on_contents(machine: Machine, self: Value, /, *args: Value, **kwargs: Value) -> Value:
        inner = inside(machine, self)
        given = [plain(machine, a) for a in args]

        def then() -> Value:
            return rule(machine, inner, *given, **kwargs) or NONE

        return unions.over_contents(machine, [inner, *given], then) or then()

    return on_contents


def _init(machine: Machine, self: Value, /, *args: Value, **kwargs: Value) -> Value:
    inner = inside(machine, self)
    machine.call(machine.getattr(inner, "clear"), ())
    cls = machine.type_of(inner)
    if cls is collections.defaultdict:
        machine.heap.write(inner.object, "default_factory", args[0] if args else NONE)
        args = args[1:]
    if len(args) > 1 or (kwargs and not issubclass(cls, dict)):
        message = f"{cls.__name__} expected at most 1 argument, got {len(args)}"
        machine.raise_(TypeError, message if len(args) > 1 else f"{cls.__name__}() takes no keyword arguments")
    if args or kwargs:
        method = machine.getattr(inner, "extend" if cls is list else "update")
        machine.call(method, [plain(machine, a) for a in args], kwargs)
    return NONE


def _getitem(machine: Machine, self: Value, key: Value) -> Value:
    """`dict.__getitem__`, which asks a subclass for what is missing."""
    inner = inside(machine, self)

    def then() -> Value:
        method = getattr(machine.type_of(self), "__missing__", None)
        built_in = getattr(method, "__objclass__", None) is collections.defaultdict
        if method is None or built_in or method is collections.Counter.__missing__:
            return machine.getitem(inner, key)
        there = container_protocol.contains(machine, key, inner)
        growable = dynamic_dicts.of(machine, inner)
        if not isinstance(there, Var) or growable is None or not dynamic_dicts.holds_objects(growable):
            return machine.cond(there, lambda: machine.getitem(inner, key), missing)
        machine.cond(there, lambda: NONE, lambda: (missing(), NONE)[1])
        lacking = logical_not(machine, container_protocol.contains(machine, key, inner))
        refuse_where(machine, lacking, "XP0004", "a __missing__ that does not put in the object it gives")
        return machine.getitem(inner, key)

    def missing() -> Value:
        return machine.call(machine.getattr(self, "__missing__"), (key,))

    return unions.over_contents(machine, [inner], then) or then()


def _operator(symbol: str, in_place: bool = False) -> Callable[..., Value]:
    def rule(machine: Machine, self: Value, other: Value) -> Value:
        inner, theirs = inside(machine, self), contents(machine, other)
        other = other if theirs is None else theirs
        if not _fits(machine, inner, other, symbol.removesuffix("=") if in_place else symbol):
            return Const(NotImplemented)
        if symbol in _COMPARISONS:
            return machine.compare(symbol, inner, other)
        made = machine.binary(symbol, inner, other)
        return self if in_place else made

    return rule


def _reflected(symbol: str) -> Callable[..., Value]:
    def rule(machine: Machine, self: Value, other: Value) -> Value:
        inner = inside(machine, self)
        if not _fits(machine, inner, other, symbol):
            return Const(NotImplemented)
        return machine.binary(symbol, other, inner)

    return rule


def _fits(machine: Machine, inner: Value, other: Value, symbol: str) -> bool:
    """Whether the built-in operator takes the other operand."""
    if symbol == "*":
        return machine.type_of(inner) is list
    theirs, cls = machine.type_of(other), machine.type_of(inner)
    if cls is collections.Counter:
        return issubclass(theirs, cls) or symbol in ("==", "!=") and issubclass(theirs, dict)
    return theirs is cls or issubclass(cls, dict) and issubclass(theirs, dict)


@registry.function(list.__new__, dict.__new__, set.__new__)
def _new(machine: Machine, cls: Value, /, *args: Value, **kwargs: Value) -> Value:
    """`dict.__new__(cls)`."""
    made = machine.static(cls)
    base = base_of(made)
    if base is None:
        what = f"objects of class '{made.__module__}.{made.__qualname__}' cannot be made in a program"
        raise Refused("XP0003", what, "make it before the call, and pass what the function needs of it")
    return make(machine, made, base)
