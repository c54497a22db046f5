"""Sources, guards and recipes as plain data: lists, texts and numbers, of which only the classes named here are made.

Objects of the caller's world stand in a table, each with how it is found again and a fingerprint. It is found by a path
of names in a module, or at a source where the program has found it, too.

    ["self"]              the compiled function
    ["module", name]      a module that has been imported; ["globals", name]: its variables
    ["path", name, path]  what is at a path of names in a module
    ["at", source]        what is at a source; ["class at", source]: the class of that
    ["cell", k, n]        cell n of the function that is object k
    ["globals of", k]     the variables of the module of the function that is object k
    ["wrapped", k]        the function that the compiled function k was made of
    ["entry", k, name]    an entry of the class that is object k
    ["part", k, name]     of a property, a class method or a static method, a function
"""

from __future__ import annotations

import dataclasses
import struct
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from xlapy.domain import recipes
from xlapy.domain.assumptions import Guard
from xlapy.domain.compiled_functions import owner_of
from xlapy.domain.sources import Anchor, Source
from xlapy.domain.trusted_libraries import trusted
from xlapy.machine_code.c_calls import Frame, Given
from xlapy.stored.fingerprints import Unstorable, fingerprint, found_at

#: what may be made of data by calling a class, by its name there
_CLASSES: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        *(recipes.Leaf, recipes.Cut, recipes.Known, recipes.External, recipes.Sequence, recipes.Choice, recipes.Effect),
        *(Frame, Given),
    )
}
_TYPES: dict[str, type] = {cls.__name__: cls for cls in (bool, int, float, complex, str, tuple, np.ndarray)}
#: kinds of guards whose value is plain data, or another source; those of one that is an object are "is" and "type"
_PLAIN = frozenset(("equal", "len", "keys", "missing", "same", "distinct", "equals", "apart", "absent", "within"))


class Stale(Exception):
    """Something is not as it was when the program was stored; the message says what."""


class Encoder:
    """Makes data of one program.

    Args:
        function: the compiled function.
        guards: of the program, which say where objects are found.
    """

    def __init__(self, function: types.FunctionType, guards: Sequence[Guard]) -> None:
        #: the table: how each object is found, and its fingerprint
        self.table: list[list] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []
        self._found: dict[int, list | Callable[[], list]] = {id(function): ["self"]}
        self._cells: dict[int, tuple[object, int]] = {}
        #: functions by the variables of their modules
        self._namespaces: dict[int, object] = {}
        self._classes: set[int] = set()
        self._note_cells(function)
        for guard in guards:
            if guard.kind == "is":
                self._note(guard.value, lambda source=guard.source: ["at", self.value(source)])
            elif guard.kind == "type":
                self._note(guard.value, lambda source=guard.source: ["class at", self.value(source)])

    def _note(self, item: object, how: Callable[[], list]) -> None:
        self._found.setdefault(id(item), how)
        owner = owner_of(item)
        if owner is not None:
            self._note(owner.function, lambda: ["wrapped", self.number(item)])
        elif isinstance(item, types.FunctionType):
            self._note_cells(item)
        elif isinstance(item, property):
            for name in ("fget", "fset", "fdel"):
                self._note(getattr(item, name), lambda name=name: ["part", self.number(item), name])
        elif isinstance(item, classmethod | staticmethod):
            self._note(item.__func__, lambda: ["part", self.number(item), "__func__"])
        elif isinstance(item, type) and id(item) not in self._classes:
            self._classes.add(id(item))
            for cls in item.__mro__:
                if not trusted(cls.__module__):
                    self._note_class(cls)

    def _note_class(self, cls: type) -> None:
        self._note(cls, lambda: self.path(cls))
        for name, entry in vars(cls).items():
            if isinstance(entry, types.FunctionType | property | classmethod | staticmethod):
                self._note(entry, lambda name=name: ["entry", self.number(cls), name])

    def _note_cells(self, function: types.FunctionType) -> None:
        self._namespaces.setdefault(id(function.__globals__), function)
        for n, cell in enumerate(function.__closure__ or ()):
            self._cells.setdefault(id(cell), (function, n))

    def number(self, item: object) -> int:
        """The number of an object in the table.

        Raises:
            Unstorable: it cannot be found again, or told to be the same.
        """
        if id(item) not in self._numbers:
            how = self._how(item)
            has_print = not isinstance(item, types.ModuleType | dict | types.CellType)
            self._kept.append(item)
            self._numbers[id(item)] = len(self.table)
            self.table.append([how, fingerprint(item) if has_print else None])
        return self._numbers[id(item)]

    def _how(self, item: Any) -> list:
        if isinstance(item, types.ModuleType):
            return self._in_module("module", item.__name__, item)
        if isinstance(item, dict):
            try:
                return self._in_module("globals", item.get("__name__"), item)
            except Unstorable:
                if id(item) not in self._namespaces:
                    raise
                return ["globals of", self.number(self._namespaces[id(item)])]
        if id(item) in self._cells:
            function, n = self._cells[id(item)]
            return ["cell", self.number(function), n]
        how = self._found.get(id(item))
        if callable(how):
            self._found.pop(id(item))  # it is not found by itself
            how = self._found[id(item)] = how()
        if how is not None:
            return how
        return self.path(item)

    def path(self, item: Any) -> list:
        """How an object is found by names."""
        module = getattr(item, "__module__", None)
        if isinstance(item, types.FunctionType):
            module = item.__globals__.get("__name__")
        name = getattr(item, "__qualname__", None)
        if not isinstance(module, str) or not isinstance(name, str):
            raise Unstorable(f"an object of class {type(item).__qualname__}")
        found = found_at(module, name)
        if found is item:
            return ["path", module, name]
        owner = owner_of(found)
        if owner is not None and owner.function is item:
            self._found.setdefault(id(found), ["path", module, name])
            return ["wrapped", self.number(found)]
        raise Unstorable(f"{module}.{name}, which is not found under its name")

    def _in_module(self, kind: str, name: Any, item: object) -> list:
        module = sys.modules.get(name) if isinstance(name, str) else None
        if item is not (module if kind == "module" else getattr(module, "__dict__", None)):
            raise Unstorable(f"a module or namespace {name} that has not been imported under this name")
        return [kind, name]

    def guard(self, guard: Guard) -> list:
        """A guard as data."""
        value: Any
        if guard.kind in ("is", "type"):
            value = fingerprint(guard.value)
        elif guard.kind in _PLAIN:
            value = self.value(tuple(sorted(guard.value)) if guard.kind == "absent" else guard.value)
        else:
            raise Unstorable(f"that {guard}")
        return [guard.kind, self.value(guard.source), value]

    def value(self, value: Any) -> Any:
        """A value as data."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return ["float", struct.pack("<d", value).hex()]
        if kind in (tuple, list):
            return [kind.__name__, *map(self.value, value)]
        if kind in _CLASSES.values():
            names = getattr(kind, "_fields", None) or [f.name for f in dataclasses.fields(kind)]
            return [kind.__name__, *(self.value(getattr(value, name)) for name in names)]
        if kind is dict:
            return ["dict", *([self.value(k), self.value(v)] for k, v in value.items())]
        if kind is Source:
            return ["Source", value.kind, self.value(value.key), self.value(value.base)]
        if kind is Anchor:
            return ["anchor", self.number(value.item)]
        if isinstance(value, type) and _TYPES.get(value.__name__) is value:
            return ["class", value.__name__]
        return self._rarely(value, kind)

    def _rarely(self, value: Any, kind: type) -> list:
        if kind is bytes:
            return ["bytes", value.hex()]
        if kind is complex:
            return ["complex", struct.pack("<dd", value.real, value.imag).hex()]
        if isinstance(value, np.dtype) and value.isbuiltin == 1 and np.dtype(value.char) is value:
            return ["dtype", value.char]
        if isinstance(value, np.generic) and value.dtype.isbuiltin == 1 and value.dtype.kind in "biufc":
            return ["scalar", value.dtype.char, value.tobytes().hex()]
        if isinstance(value, type | types.FunctionType):
            return ["object", self.number(value)]
        raise Unstorable(f"a value of class {kind.__module__}.{kind.__qualname__}")


class Decoder:
    """Makes a program of data again, for a call.

    Args:
        table: of the objects.
        function: the compiled function.
        locate: what is at a source, in the caller's world and the arguments of the call.

    Raises (in all methods):
        Stale: something is not as it was.
    """

    def __init__(self, table: Sequence, function: types.FunctionType, locate: Callable[[Source], Any]) -> None:
        self._table, self._function, self._locate = table, function, locate
        self._objects: dict[int, Any] = {}

    def object(self, number: int) -> Any:
        """An object of the table, which is as it was."""
        if number not in self._objects:
            how, wanted = self._table[number]
            found = self._find(*how)
            self._compare(found, wanted, f"{how[1:] or 'the function'}")
            self._objects[number] = found
        return self._objects[number]

    def _compare(self, found: object, wanted: str | None, what: object) -> None:
        try:
            same = wanted is None or fingerprint(found) == wanted
        except Exception:  # an object of the caller's may raise anything where it is looked into
            same = False
        if not same:
            raise Stale(f"{what} is not as it was")

    def _find(self, kind: str, *rest: Any) -> Any:
        match kind:
            case "self":
                return self._function
            case "module" | "globals":
                module = sys.modules.get(rest[0])
                if module is None:
                    raise Stale(f"{rest[0]} has not been imported")
                return module if kind == "module" else module.__dict__
            case "path":
                found = found_at(*rest)
                if found is None:
                    raise Stale(f"{rest[0]}.{rest[1]} is not there")
                return found
            case "at":
                return self.at(self.value(rest[0]))
            case "class at":
                return type(self.at(self.value(rest[0])))
            case "cell":
                return self.object(rest[0]).__closure__[rest[1]]
            case "entry":
                return vars(self.object(rest[0]))[rest[1]]
            case "part" if rest[1] in ("fget", "fset", "fdel", "__func__"):
                return getattr(self.object(rest[0]), rest[1])
            case "globals of":
                return self.object(rest[0]).__globals__
            case "wrapped":
                return owner_of(self.object(rest[0])).function
        raise ValueError(kind)

    def at(self, source: Source) -> Any:
        """What is at a source."""
        try:
            return self._locate(source)
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            raise Stale(f"{source} is not there") from None

    def check(self, check: Sequence) -> None:
        """What was found in a library, which nobody has replaced."""
        source, wanted = check
        if not self._is_elsewhere(source):
            decoded = self.value(source)
            self._compare(self.at(decoded), wanted, decoded)

    def _is_elsewhere(self, source: Any) -> bool:
        """Whether something is in a module that nobody has imported yet, so that nobody can have replaced it."""
        while source[3] is not None:
            source = source[3]
        anchor = source[2] if source[2][0] == "anchor" else source[2][1]
        how = self._table[anchor[1]][0]
        return how[0] in ("module", "globals") and how[1] not in sys.modules

    def guard(self, guard: Sequence) -> Guard:
        """A guard, which speaks of the objects of this process."""
        kind, where, value = guard
        source = self.value(where)
        if kind in ("is", "type"):
            found = self.at(source)
            found = found if kind == "is" else type(found)
            self._compare(found, value, source)
            return Guard(kind, source, found)
        if kind not in _PLAIN:
            raise ValueError(kind)
        made = self.value(value)
        return Guard(kind, source, frozenset(made) if kind == "absent" else made)

    def value(self, data: Any) -> Any:
        """A value."""
        if not isinstance(data, list):
            return data
        kind, *rest = data
        if kind in _CLASSES:
            return _CLASSES[kind](*map(self.value, rest))
        match kind:
            case "float":
                return struct.unpack("<d", bytes.fromhex(rest[0]))[0]
            case "tuple" | "list":
                made = map(self.value, rest)
                return tuple(made) if kind == "tuple" else list(made)
            case "dict":
                return {self.value(key): self.value(value) for key, value in rest}
            case "Source":
                return Source(rest[0], self.value(rest[1]), self.value(rest[2]))
            case "object":
                return self.object(rest[0])
            case "anchor":
                return Anchor(self.object(rest[0]))
            case "class":
                return _TYPES[rest[0]]
            case "bytes":
                return bytes.fromhex(rest[0])
            case "complex":
                return complex(*struct.unpack("<dd", bytes.fromhex(rest[0])))
            case "dtype":
                return np.dtype(rest[0])
            case "scalar":
                return np.frombuffer(bytes.fromhex(rest[1]), rest[0])[0]
        raise ValueError(kind)


def checks_of(encoder: Encoder, of_libraries: Mapping[Source, object]) -> list[list]:
    """What was found in libraries, as data: a replacement that somebody has put there in another process is noticed."""
    return [[encoder.value(source), fingerprint(found)] for source, found in of_libraries.items()]


def find_again(encoder: Encoder, taken: Iterable[Any]) -> None:
    """Put objects that a program takes as they are into the table, those of libraries and of ours excepted."""
    for item in taken:
        if isinstance(item, types.FunctionType):
            name = item.__globals__.get("__name__")
        else:
            name = item.__name__ if isinstance(item, types.ModuleType) else getattr(item, "__module__", None)
        plain = item is None or isinstance(item, bool | int | float | complex | str | bytes | np.generic | np.ufunc)
        known = isinstance(item, types.ModuleType) or callable(item)
        if not plain and not (known and (trusted(name) or is_ours(name))):
            encoder.number(item)


def is_ours(name: object) -> bool:
    """Whether a module is one of ours, whose files the environment tells."""
    return isinstance(name, str) and name.partition(".")[0] == "xlapy"


def is_about_ours(guard: Guard) -> bool:
    """Whether a guard is about functions and classes of ours, which nobody changes."""
    key = guard.source.root().key
    anchor = key[0] if isinstance(key, tuple) and key else key
    if not isinstance(anchor, Anchor):
        return False
    item: Any = anchor.item
    if isinstance(item, dict):
        return is_ours(item.get("__name__"))
    return is_ours(getattr(item, "__globals__", {}).get("__name__") or getattr(item, "__module__", None))


__all__ = ["Decoder", "Encoder", "Stale", "checks_of", "find_again", "is_about_ours"]
