"""Hashes of the contents of functions, classes and values: what is the same in two processes has the same.

In a process a program assumes that an object is the one that it was. In another process there is no such object; what
an object cannot change while it is the same has to be as it was. That is the code of a function (what may change about
a function, its defaults and cells, is guarded), and all of a class, of which programs take for a fact what it is made
of. An object of which that cannot be said has no fingerprint.
"""

from __future__ import annotations

import collections
import enum
import functools
import hashlib
import struct
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from xlapy.domain.compiled_functions import owner_of
from xlapy.domain.trusted_libraries import trusted
from xlapy.stored.surroundings import Unstorable, digest

#: bytes of an array whose elements are looked at
_MOST_BYTES = 1 << 22
#: objects within objects
_DEEPEST = 40
#: what a class has besides what its body says, and what no program depends on
_INCIDENTAL = frozenset(
    "__dict__ __weakref__ __doc__ __module__ __annotations__ __annotate__ __annotate_func__ __annotations_cache__"
    " __firstlineno__ __static_attributes__ __orig_bases__ __parameters__ __type_params__ _abc_impl".split()
)
_DESCRIPTORS = (
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.ClassMethodDescriptorType,
)
_SINGLE = (None, Ellipsis, NotImplemented)
#: the flag of classes that a `class` statement has made
_HEAP_TYPE = 1 << 9


_DISPATCHER = type(np.concatenate)
_CACHED = type(functools.lru_cache(len))
_TUPLE_GETTER = type(vars(collections.namedtuple("_One", "one"))["one"])


def fingerprint(item: object) -> str:
    """The hash of what an object cannot change while it is the same.

    Raises:
        Unstorable: it has none.
    """
    return digest(_Description().of(item))


def found_at(module: str | None, name: str) -> Any:
    """What is at a path of names in a module that has been imported; None if there is nothing."""
    found: Any = sys.modules.get(module or "")
    for part in name.split("."):
        own = getattr(found, "__dict__", None)
        if own is None or part not in own:
            return None
        found = own[part]
    return found


def version_of(module: str | None) -> str:
    """The version of the library that a module belongs to.

    Raises:
        Unstorable: it has none.
    """
    root = (module or "").partition(".")[0]
    if trusted(root) or root == "xlapy":
        return ""  # said by the environment
    found = getattr(sys.modules.get(root), "__version__", None)
    if not isinstance(found, str):
        raise Unstorable(f"compiled code of {module}, which has no version")
    return found


def _code_of(code: types.CodeType) -> str:
    """The hash of a code object, without names of files and numbers of lines."""
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    names = code.co_name, code.co_qualname, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    _refuse_sets(code.co_consts)
    constants = tuple(_Description().of(constant) for constant in code.co_consts)
    return digest(counts, names, code.co_code, code.co_exceptiontable, constants)


def _refuse_sets(constants: tuple) -> None:
    """A set of texts has another order in each process, which the program may depend on."""
    for constant in constants:
        if isinstance(constant, tuple):
            _refuse_sets(constant)
        if isinstance(constant, frozenset) and not all(isinstance(part, int | float) for part in constant):
            raise Unstorable("a set of texts")


class _Identity:
    """A code object by identity: those are equal that differ in the types of constants only."""

    __slots__ = ("code",)

    def __init__(self, code: types.CodeType) -> None:
        self.code = code

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.code is self.code

    def __hash__(self) -> int:
        return id(self.code)


@functools.lru_cache(maxsize=4096)
def _hash_of_code(identity: _Identity) -> str:
    return _code_of(identity.code)


class _Description:
    """Describes one object, with all that is in it, in nested tuples of texts."""

    def __init__(self) -> None:
        #: the objects that are being described
        self._open: list[object] = []

    def of(self, item: Any) -> object:
        """The description of an object."""
        if any(item is single for single in _SINGLE):
            return repr(item)
        describe = _KNOWN.get(type(item))
        if describe is not None:
            return (type(item).__name__, describe(item))
        for k, outer in enumerate(self._open):
            if outer is item:
                return ("around", k)
        if len(self._open) > _DEEPEST:
            raise Unstorable("objects within objects")
        self._open.append(item)
        try:
            return self._of_object(item)
        finally:
            self._open.pop()

    def _of_object(self, item: Any) -> object:
        kind = type(item)
        if kind in (tuple, list):
            return (kind.__name__, *map(self.of, item))
        if kind in (set, frozenset):
            # A program that depends on the order is not stored, where that may be another one in another process.
            return (kind.__name__, *sorted(map(repr, map(self.of, item))))
        if kind in (dict, types.MappingProxyType):
            return ("dict", *((self.of(key), self.of(value)) for key, value in item.items()))
        for classes, describe in _OF_CLASSES:
            if isinstance(item, classes):
                return describe(self, item)
        return self._instance(item)

    def _function(self, function: types.FunctionType) -> object:
        owner = owner_of(function)
        if owner is not None:
            if owner.binder.receiver:
                raise Unstorable(f"the compiled method {function.__qualname__}")
            return ("compiled", self._function(owner.function), repr(owner.policy))
        return ("function", function.__globals__.get("__name__"), function.__qualname__, self.of(function.__code__))

    def _builtin(self, function: Any) -> object:
        owner = function.__self__
        if isinstance(owner, types.ModuleType):
            owner = owner.__name__
        elif owner is not None:
            owner = self.of(owner)
        version = version_of(function.__module__) if function.__module__ is not None else ""
        return ("builtin", function.__module__, function.__qualname__, owner, version)

    def _ufunc(self, ufunc: np.ufunc) -> object:
        for module in ("numpy", "scipy.special"):
            if found_at(module, ufunc.__name__) is ufunc:
                return ("ufunc", module, ufunc.__name__, version_of(module))
        raise Unstorable(f"the ufunc {ufunc.__name__}")

    def _descriptor(self, item: Any) -> object:
        return (type(item).__name__, self._name(item.__objclass__), item.__name__)

    def _property(self, item: property) -> object:
        return ("property", self.of(item.fget), self.of(item.fset), self.of(item.fdel))

    def _static(self, item: Any) -> object:
        return (type(item).__name__, self.of(item.__func__))

    def _method(self, item: types.MethodType) -> object:
        return ("method", self.of(item.__func__), self.of(item.__self__))

    def _partial(self, item: functools.partial) -> object:
        return ("partial", self.of(item.func), self.of(item.args), self.of(item.keywords))

    def _array(self, array: np.ndarray) -> object:
        if array.dtype.hasobject or array.nbytes > _MOST_BYTES:
            raise Unstorable("a large array, or one of objects")
        return ("array", array.dtype.str, array.shape, hashlib.sha256(array.tobytes()).hexdigest())

    def _member(self, item: enum.Enum) -> object:
        return ("member", self.of(type(item)), item.name, self.of(item.value))

    def _module(self, module: types.ModuleType) -> object:
        return ("module", module.__name__)

    def _name(self, cls: type) -> tuple:
        return (cls.__module__, cls.__qualname__)

    def _class(self, cls: type) -> object:
        module, name = self._name(cls)
        if not cls.__flags__ & _HEAP_TYPE:
            return ("class", module, name, version_of(module))
        if module.partition(".")[0] == "xlapy" or trusted(module) and found_at(module, name) is cls:
            return ("class", module, name)
        bases = tuple(map(self.of, cls.__bases__))
        layout = cls.__flags__ & ~(1 << 19), cls.__basicsize__, cls.__itemsize__, cls.__dictoffset__
        own = [(key, self.of(value)) for key, value in vars(cls).items() if key not in _INCIDENTAL]
        return ("class", module, name, self.of(type(cls)), bases, layout, own)

    def _instance(self, item: Any) -> object:
        """An object of a class written in Python, by its attributes; what a library's function is made of."""
        kind = type(item)
        wrapped = getattr(item, "__wrapped__", None) or getattr(item, "_implementation", None)
        if kind is _DISPATCHER:
            inner = self.of(wrapped) if isinstance(wrapped, types.FunctionType) else ""
            return ("dispatcher", item.__module__, item.__qualname__, inner)
        if kind is _TUPLE_GETTER:
            return ("item", item.__reduce__()[1][0])
        if kind.__name__ == "cython_function_or_method":
            return ("cython", item.__module__, item.__qualname__, version_of(item.__module__))
        if isinstance(wrapped, types.FunctionType) and trusted(kind.__module__):
            if kind is _CACHED or trusted(wrapped.__globals__.get("__name__")):
                return ("wrapper", self._name(kind), self.of(wrapped))
        found: dict[str, Any] = {}
        for cls in kind.__mro__:
            if cls is not object and not cls.__flags__ & _HEAP_TYPE:
                raise Unstorable(f"an object of class {kind.__module__}.{kind.__qualname__}")
            for name, entry in vars(cls).items():
                if isinstance(entry, types.MemberDescriptorType):
                    found[name] = getattr(item, name, None)
        hidden = kind.__basicsize__ - object.__basicsize__ - struct.calcsize("P") * len(found)
        if hidden > struct.calcsize("P") * (bool(kind.__dictoffset__) + bool(kind.__weakrefoffset__)):
            raise Unstorable(f"an object of class {kind.__module__}.{kind.__qualname__}")  # made in C
        found |= getattr(item, "__dict__", {})
        if kind.__module__ == "dataclasses":
            found.pop("type", None)  # an annotation
        return ("object", self.of(kind), [(name, self.of(value)) for name, value in found.items()])


def _of_float(value: float) -> str:
    return struct.pack("<d", value).hex()


#: classes of plain values, each with what tells all that there is of one
_KNOWN: dict[type, Callable[[Any], object]] = {
    bool: repr,
    int: repr,
    str: str,
    bytes: bytes.hex,
    float: _of_float,
    complex: lambda value: (_of_float(value.real), _of_float(value.imag)),
    range: repr,
    types.CodeType: lambda code: _hash_of_code(_Identity(code)),
}
_OF_CLASSES: tuple[tuple[Any, Callable[[_Description, Any], object]], ...] = (
    (type, _Description._class),
    (types.FunctionType, _Description._function),
    (types.BuiltinFunctionType, _Description._builtin),
    (types.ModuleType, _Description._module),
    (np.ufunc, _Description._ufunc),
    (_DESCRIPTORS, _Description._descriptor),
    (property, _Description._property),
    ((classmethod, staticmethod), _Description._static),
    (types.MethodType, _Description._method),
    (functools.partial, _Description._partial),
    (np.ndarray, _Description._array),
    (np.generic, lambda self, item: ("scalar", item.dtype.str, item.tobytes().hex())),
    (np.dtype, lambda self, item: ("dtype", repr(item))),
    (slice, lambda self, item: ("slice", self.of(item.start), self.of(item.stop), self.of(item.step))),
    (enum.Enum, _Description._member),
)

__all__ = ["Unstorable", "fingerprint", "found_at"]
