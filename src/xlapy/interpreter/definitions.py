"""Functions, classes and modules of the caller's world: what a program finds in them, and what it finds out about them,
with the guards that notice when that changes."""

from __future__ import annotations

import abc
import types
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from xlapy.dispatch import libraries, registry
from xlapy.domain.sources import Anchor, Source, anchor, attribute, item
from xlapy.domain.trusted_libraries import trusted
from xlapy.domain.values import UNBOUND, Const, Ref, Value
from xlapy.interpreter.signature import Signature

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

#: flags of types: made by a `class` statement, and without attributes that can be set
_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8


#: special methods that are called when objects and classes are made only
_MAKING = frozenset(
    "__init__ __new__ __post_init__ __init_subclass__ __class_getitem__ __set_name__ __replace__".split()
)


def is_taken_as_it_is(function: types.FunctionType) -> bool:
    """Whether a program may know of a function what no guard says: it is a library's, or has a rule."""
    ruled = registry.find_function(function) is not None or registry.find_replacement(function) is not None
    return ruled or trusted(function.__globals__.get("__name__"))


class Definitions:
    """The part of a `CallerEnvironment` that knows of functions, classes and modules."""

    machine: Machine
    #: what was found in libraries, and where
    of_libraries: dict[Source, object]
    #: modules that the program imports
    imports: set[str]
    #: what the program depends on that another process cannot tell
    momentary: list[str]

    def __init__(self) -> None:
        #: what stands for objects that were found, by identity
        self._known: dict[int, tuple[object, Value, Source]] = {}
        self._globals: dict[int, int] = {}
        self._namespaces: dict[int, int] = {}
        self._signatures: dict[types.FunctionType, Signature] = {}
        self._class_values: dict[tuple[type, str], Value] = {}
        #: names that were looked for in a class that does not have them
        self.absent: dict[type, set[str]] = {}
        self._changeable: dict[type, bool] = {}
        self._operators: dict[type, bool] = {}

    @abstractmethod
    def guard(self, kind: str, source: Source, value: object = None) -> None:
        """Record an assumption."""

    @abstractmethod
    def wrap(self, found: object, source: Source) -> Value:
        """The abstract value of a real object."""

    @abstractmethod
    def found_in_library(self, found: object, source: Source) -> Value:
        """A global of a trusted library, which may have been replaced."""

    @abstractmethod
    def unguarded(self, found: object) -> Value:
        """The same of what does not change."""

    def globals_of(self, namespace: dict) -> int:
        """The heap object of a namespace."""
        number = self._globals.get(id(namespace))
        if number is None:
            number = self.machine.heap.external("globals", dict, anchor(namespace), namespace)
            self._globals[id(namespace)] = number
        return number

    def module_attribute(self, module: Const, name: str) -> Value:
        """`module.name`."""
        real: types.ModuleType = module.value
        if name not in real.__dict__:
            libraries.has_attribute(real, name)
        value = self.machine.heap.read(self.globals_of(real.__dict__), name)
        if value is UNBOUND:
            try:
                return self.found_in_library(getattr(real, name), attribute(anchor(real), name))
            except AttributeError as error:
                return self.machine.reraise(error)
        return value

    def namespace_of(self, holder: type | types.FunctionType) -> int:
        """The heap object of the attributes of a class or a function, which the program assigns."""
        number = self._namespaces.get(id(holder))
        if number is None:
            kind = "class" if isinstance(holder, type) else "function"
            number = self.machine.heap.external(kind, type(holder), anchor(holder), holder)
            self._namespaces[id(holder)] = number
        return number

    def has_namespace(self, holder: object) -> bool:
        """Whether the program has touched an attribute of a function."""
        return id(holder) in self._namespaces

    def assigned(self, cls: type, name: str) -> Value | None:
        """What the program has assigned to an attribute of a class or of one of its bases, if it comes first."""
        if not self._namespaces:
            return None
        for owner in cls.__mro__:
            number = self._namespaces.get(id(owner))
            if number is not None:
                value = self.machine.heap.read(number, name)
                if (number, name) in self.machine.heap.slots:
                    return None if value is UNBOUND else value
            if name in owner.__dict__:
                return None
        return None

    def lookup(self, order: tuple[type, ...], name: str) -> tuple[Any, type | None]:
        """The entry `name` of the first class in `order` that has it, without descriptors, and that class."""
        for owner in order:
            if name in owner.__dict__:
                return owner.__dict__[name], owner
            if self.may_change(owner):
                self.absent.setdefault(owner, set()).add(name)
        return None, None

    def lineage(self, cls: type) -> None:
        """The program depends on the bases of a class."""
        if self.may_change(cls):
            self.absent.setdefault(cls, set())

    def subclasses(self, cls: type) -> list[type]:
        """The classes that are derived from a class, on which the program depends from now on."""
        found = cls.__subclasses__()
        self.guard("subclasses", anchor(cls), found)
        return found

    def registered(self, cls: type, own: type) -> None:
        """The program depends on that a class has not been registered with an abstract one."""
        if isinstance(cls, abc.ABCMeta) and (self.may_change(cls) or self.may_change(own)):
            self.guard("registrations", anchor(abc), abc.get_cache_token())

    def registered_already(self, cls: type, own: type) -> None:
        """The program depends on that a class has been registered with an abstract one, which cannot be undone."""
        if self.may_change(cls) or self.may_change(own):
            self.momentary.append(f"{own.__qualname__} is registered with {cls.__qualname__}")

    def runs(self, *items: object) -> None:
        """What the caller's classes say about operators and attributes of some objects may run, when the program is
        compiled."""
        for known in items:
            kind = known if isinstance(known, type) else type(known)
            if any(map(self._has_operators, (kind, type(kind)))):
                self.momentary.append(f"code of {kind.__qualname__} was run")

    def _has_operators(self, cls: type) -> bool:
        found = self._operators.get(cls)
        if found is None:
            own = [vars(c).items() for c in cls.__mro__ if self.may_change(c)]
            special = {n for items in own for n, v in items if isinstance(v, types.FunctionType) and n[:2] == "__"}
            found = self._operators[cls] = not special <= _MAKING
        return found

    def implementation(self, function: types.FunctionType, cls: type) -> Any:
        """What `functools.singledispatch` made of `function` calls for a class."""
        if not trusted(function.__module__):
            self.guard("registry", anchor(function), list(function.registry.items()))
        self.lineage(cls)
        return function.dispatch(cls)

    def fact(self, item: type | types.FunctionType, name: str) -> Any:
        """An attribute that a class or a function has by nature, such as its name."""
        found = getattr(item, name)
        if self.may_change(item) if isinstance(item, type) else not trusted(item.__module__):
            self.guard("equal" if isinstance(found, str) else "is", attribute(anchor(item), name), found)
        return found

    def lacks(self, function: types.FunctionType, name: str) -> None:
        """The program depends on that a function does not have an attribute."""
        if not trusted(function.__module__):
            self.guard("missing", attribute(anchor(function), name))

    def may_change(self, cls: type) -> bool:
        """Whether a class is the user's own, who may change it between two calls."""
        changeable = self._changeable.get(cls)
        if changeable is None:
            fixed = not cls.__flags__ & _HEAP_TYPE or cls.__flags__ & _IMMUTABLE_TYPE
            changeable = self._changeable[cls] = not fixed and not trusted(cls.__module__)
        return changeable

    def class_value(self, owner: type, name: str) -> Value:
        """An entry of a class's namespace."""
        if self._namespaces:
            value = self.assigned(owner, name)
            if value is not None:
                return value
        return self._entry(owner, name)

    def _entry(self, owner: type, name: str) -> Value:
        value = self._class_values.get((owner, name))
        if value is None:
            value = self._class_values[(owner, name)] = self._class_value(owner, name)
        return value

    def _class_value(self, owner: type, name: str) -> Value:
        found = owner.__dict__[name]
        source = Source("entry", (Anchor(owner), name))
        if isinstance(found, types.FunctionType | property | classmethod | staticmethod | type) or _is_descriptor(
            found
        ):
            if not trusted(owner.__module__):
                self.guard("is", source, found)
            elif isinstance(found, types.FunctionType):
                self.of_libraries[source] = found
            return Const(found, source)
        return self.wrap(found, source)

    def signature(self, function: types.FunctionType) -> Signature:
        """The parameters of a function with its defaults; its code and defaults are assumed not to change."""
        found = self._signatures.get(function)
        if found is None:
            found = self._signatures[function] = self._signature(function)
        return found

    def _signature(self, function: types.FunctionType) -> Signature:
        base = anchor(function)
        if trusted(function.__module__):
            defaults = tuple(self.unguarded(v) for v in function.__defaults__ or ())
            named = {k: self.unguarded(v) for k, v in (function.__kwdefaults__ or {}).items()}
            return Signature(function.__code__, defaults, named)
        self.guard("is", attribute(base, "__code__"), function.__code__)
        where, named_where = attribute(base, "__defaults__"), attribute(base, "__kwdefaults__")
        defaults, named = (), {}
        if function.__defaults__:
            self.guard("len", where, len(function.__defaults__))
            defaults = tuple(self.wrap(v, item(where, i)) for i, v in enumerate(function.__defaults__))
        else:
            self.guard("is", where, function.__defaults__)
        if function.__kwdefaults__:
            self.guard("keys", named_where, tuple(function.__kwdefaults__))
            named = {k: self.wrap(v, item(named_where, k)) for k, v in function.__kwdefaults__.items()}
        return Signature(function.__code__, defaults, named)

    def cells(self, function: types.FunctionType) -> list[Value]:
        """The closure of a function."""
        found = []
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            known = self._known.get(id(cell))
            if known is None:
                source = Source("object", (Anchor(cell), name))
                value = Ref(self.machine.heap.external("cell", types.CellType, source, cell))
                self._known[id(cell)] = known = (cell, value, source)
            found.append(known[1])
        return found

    def own_attributes(self, number: int) -> tuple[str, ...]:
        """The attributes in the `__dict__` of an object of the caller's, on which the program depends from now on."""
        info = self.machine.heap.objects[number]
        own = getattr(info.real, "__dict__", None)
        if not isinstance(own, dict):
            return ()
        names = tuple(own)
        self.guard("keys", attribute(info.found, "__dict__"), names)
        return names


def _is_descriptor(found: object) -> bool:
    return hasattr(type(found), "__get__")
