"""What kind of thing a value is: its class, and whether its rules are the built-in ones."""

from __future__ import annotations

import enum
import functools
import types

import jax
import numpy as np

from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import (
    BoundedArray,
    BoundMethod,
    Const,
    Function,
    Intrinsic,
    JaxArray,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Slice,
    Text,
    Tuple,
    Value,
)
from xlapy.ir import Var

#: the name of what a `functools.partial` that the program makes calls
PARTIAL = "partial"


def type_of(machine: Machine, value: Value) -> type:
    """The Python class that the value would have under CPython."""
    match value:
        case Const():
            return type(value.value)
        case Scalar():
            return value.kind
        case NumpyScalar():
            return value.var.type.dtype.type
        case JaxArray():
            return jax.Array
        case NdArray() | BoundedArray():
            return np.ndarray
        case Tuple():
            return value.cls
        case Ref():
            return machine.heap.objects[value.object].cls
        case Function():
            return types.FunctionType
        case BoundMethod(function=Intrinsic(name=name)) if name == PARTIAL:
            return functools.partial
        case BoundMethod():
            return types.BuiltinMethodType if isinstance(value.function, Intrinsic) else types.MethodType
        case Text():
            return str
        case Range():
            return range
        case Slice():
            return slice
        case Intrinsic():
            return super if value.name == "super" else types.BuiltinFunctionType
    raise Refused(
        "XP0004", "which type this value has depends on data", "make it one type on all paths, as by float(...)"
    )


def is_instance(machine: Machine, value: Value) -> bool:
    """Whether a value is an object of a class of the user's (or of a library), with state in the heap."""
    if isinstance(value, Ref):
        return machine.heap.objects[value.object].kind == "instance"
    return isinstance(value, Tuple) and value.cls is not tuple and _overrides(value.cls)


def has_methods(value: Value) -> bool:
    """Whether a value is a member of an enumeration that is no number: its class may define operators in Python."""
    item = value.value if isinstance(value, Const) else None
    return isinstance(item, enum.Enum) and not isinstance(item, int | str | float)


def _overrides(cls: type) -> bool:
    return any(
        isinstance(v, types.FunctionType)
        and k.startswith("__")
        and k not in ("__new__", "__repr__", "__replace__", "__getnewargs__")
        for owner in cls.__mro__[: cls.__mro__.index(tuple)]
        for k, v in owner.__dict__.items()
    )


def ordered_as_tuple(value: Tuple) -> bool:
    """Whether a tuple is compared by its items, whatever else its class defines."""
    owners = value.cls.__mro__[: value.cls.__mro__.index(tuple)]
    return not any(name in owner.__dict__ for owner in owners for name in ("__lt__", "__eq__"))


#: what a subclass of a built-in container may define without changing what its items are
_HARMLESS = frozenset(
    "__init__ __new__ __repr__ __str__ __format__ __doc__ __module__ __dict__ __weakref__ __slots__ __reduce__"
    " __reduce_ex__ __getstate__ __setstate__ __sizeof__ __dir__ __init_subclass__ __class_getitem__ __hash__ copy"
    " __copy__ __deepcopy__ __getnewargs__ __annotations__ __static_attributes__ __firstlineno__ __match_args__"
    " __replace__ __delattr__".split()
)


#: what a subclass of tuple must not define; its other special methods are called
_TUPLES = ("__len__", "__iter__", "__getattribute__", "__contains__", "__bool__", "__reversed__", "count", "index")


def check_container(cls: type) -> None:
    """Refuse a subclass of list, dict, set or tuple that changes what these do: their rules know nothing of it."""
    name = changes(cls)
    if name is not None:
        base = next(c for c in (list, dict, set, frozenset, tuple) if issubclass(cls, c))
        raise Refused(
            "XP0005",
            f"an object of class '{cls.__qualname__}', which derives from {base.__name__} and defines '{name}'",
            f"hold the {base.__name__} in an attribute",
        )


def changes(cls: type) -> str | None:
    """What a subclass of list, dict, set or tuple defines that changes what these do; None if nothing."""
    base = next(c for c in (list, dict, set, frozenset, tuple) if issubclass(cls, c))
    for owner in cls.__mro__[: cls.__mro__.index(base)]:
        if owner.__module__.partition(".")[0] in ("collections", "typing", "builtins"):
            continue
        for name, entry in owner.__dict__.items():
            if base is tuple:
                changes = name in _TUPLES and isinstance(entry, types.FunctionType)
            else:
                changes = hasattr(base, name) and name not in _HARMLESS
            if changes or name in ("__getattr__", "__setattr__") and base is not tuple:
                return name
    return None


#: what numbers and strings are derived from
PLAIN = (int, float, complex, str, bytes)
#: what a subclass of one may define without changing what its objects do
_NEUTRAL = frozenset(
    "__new__ __init__ __doc__ __module__ __qualname__ __dict__ __weakref__ __slots__ __slotnames__ __annotations__"
    " __annotate__ __annotate_func__ __annotations_cache__ __static_attributes__ __firstlineno__ __parameters__"
    " __orig_bases__".split()
)


def check_plain(item: object) -> None:
    """Refuse a number or string of a subclass with methods or attributes of its own: they would not be seen."""
    cls = type(item)
    base = next(c for c in PLAIN if isinstance(item, c))
    owners = [c for c in cls.__mro__ if c not in (base, object)]
    own = [name for c in owners for name in vars(c) if name not in _NEUTRAL] + list(getattr(item, "__dict__", ()))
    if own:
        raise Refused(
            "XP0005",
            f"an object of class '{cls.__qualname__}', which derives from {base.__name__} and has '{own[0]}'",
            f"pass {base.__name__}(x), or hold the {base.__name__} in an attribute",
        )


def is_numeric_const(value: Value) -> bool:
    """Whether a value is a known number."""
    return isinstance(value, Const) and isinstance(value.value, bool | int | float | complex | np.generic)


def is_external_instance(item: object) -> bool:
    """Whether a known object defines its own truth in Python code, which would have to be interpreted."""
    cls = type(item)
    return isinstance(getattr(cls, "__bool__", getattr(cls, "__len__", None)), types.FunctionType) and not isinstance(
        item, type
    )


def require_fixed(item: object) -> None:
    """Refuse to look into an object that may hold something else at the next call, which no guard would see: weak
    references, and memory of C's."""
    if any(cls.__module__ in _CHANGING for cls in type(item).__mro__):
        raise Refused(
            "XP0005", f"what a {type(item).__name__} holds may change between calls", "pass an array, a list or a dict"
        )


_CHANGING = ("weakref", "_weakrefset", "_ctypes")


def known_truth(value: Value) -> bool | Var:
    """The device value or the Python value of a bool."""
    if isinstance(value, Scalar | NumpyScalar | JaxArray):
        return value.var
    if isinstance(value, Const):
        return bool(value.value)
    raise Refused("XP0004", "a truth value of an unexpected kind")


_HEAP, _IMMUTABLE = 1 << 9, 1 << 8
_HEAP_OR_IMMUTABLE = _HEAP | _IMMUTABLE


def shown(cls: type) -> str:
    """The name of a class in CPython's messages: types made in C outside `builtins` have their module in it."""
    in_c = cls.__flags__ & _HEAP_OR_IMMUTABLE != _HEAP and cls.__module__ != "builtins"
    return f"{cls.__module__}.{cls.__name__}" if in_c else cls.__name__


def has_dict(cls: type) -> bool:
    """Whether instances of a class take any attribute: `__slots__` alone do not."""
    return any("__dict__" in c.__dict__ for c in cls.__mro__) or issubclass(cls, BaseException)


def is_string(machine: Machine, value: Value) -> bool:
    """Whether a value is a string with dynamic parts."""
    return isinstance(value, Text)


def slots_of(cls: type) -> set[str]:
    """The attributes that a class has in `__slots__`."""
    found: set[str] = set()
    for base in cls.__mro__:
        own = base.__dict__.get("__slots__", ())
        found |= {own} if isinstance(own, str) else set(own)
    return found - {"__dict__", "__weakref__"}


def heap_kind(machine: Machine, value: Value) -> str | None:
    """The kind of the heap object that a value refers to."""
    return machine.heap.objects[value.object].kind if isinstance(value, Ref) else None
