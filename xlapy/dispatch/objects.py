"""Attributes and classes: Python's object model over abstract values."""

from __future__ import annotations

import enum
import functools
import re
import types
from collections.abc import Callable, Sequence

import jax
import numpy as np

from xlapy.dispatch import (
    bounded,
    bounded_rules,
    caches,
    containers,
    jax_rules,
    numpy_attributes,
    subclasses,
    table,
    views,
)
from xlapy.dispatch.protocol import Machine, PythonError, Refused
from xlapy.dispatch.scalar_values import refuse_where
from xlapy.dispatch.unions import over_unions
from xlapy.domain.sources import Anchor, attribute
from xlapy.domain.subclasses import BASES
from xlapy.domain.values import (
    NONE,
    UNBOUND,
    BoundedArray,
    BoundMethod,
    Const,
    Function,
    Intrinsic,
    JaxArray,
    Mapping,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Slice,
    Text,
    Tuple,
    Union,
    Value,
)
from xlapy.ir import Var

_GENERIC_GETATTRIBUTE = {object.__getattribute__, BaseException.__getattribute__, type.__getattribute__}
_WRAPPERS = (
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
    types.MethodWrapperType,
)


#: types whose methods, called with known arguments at compile time, change nothing
_IMMUTABLE = (
    str,
    bytes,
    int,
    float,
    complex,
    frozenset,
    range,
    slice,
    type,
    np.dtype,
    np.generic,
    enum.Enum,
    types.FunctionType,
    types.CodeType,
    types.MappingProxyType,
    re.Pattern,
)


def _reports_too_many() -> bool:
    try:
        (_a,) = (1, 2)
    except ValueError as error:
        return "got" in str(error)
    return False


#: whether this CPython's "too many values to unpack" says how many there were
REPORTS_TOO_MANY = _reports_too_many()


# -- kinds ------------------------------------------------------------------------------------------------------------


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
    raise Refused("XP0004", "the type of this value depends on data")


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
        for k, v in cls.__dict__.items()
    )


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


def is_numeric_const(value: Value) -> bool:
    """Whether a value is a known number."""
    return isinstance(value, Const) and isinstance(value.value, bool | int | float | complex | np.generic)


def is_external_instance(item: object) -> bool:
    """Whether a known object defines its own truth in Python code, which would have to be interpreted."""
    cls = type(item)
    return isinstance(getattr(cls, "__bool__", getattr(cls, "__len__", None)), types.FunctionType) and not isinstance(
        item, type
    )


def known_truth(value: Value) -> bool | Var:
    """The device value or the Python value of a bool."""
    if isinstance(value, Scalar | NumpyScalar | JaxArray):
        return value.var
    if isinstance(value, Const):
        return bool(value.value)
    raise Refused("XP0004", "a truth value of an unexpected kind")


class Identity:
    """What `id(x)` is at compile time: it can be compared and used as a key, and is no number."""

    __slots__ = ("of",)

    def __init__(self, of: object) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.of == self.of

    def __hash__(self) -> int:
        return hash(self.of)


@table.function(id)
def _identity(machine: Machine, item: Value) -> Value:
    match item:
        case Ref():
            return Const(Identity(item.object))
        case NdArray():
            return Const(Identity(item.identity))
        case Const():
            return Const(Identity(Anchor(item.value)))
    raise Refused("XP0003", "the identity of a value on the device", "compare objects with 'is'")


def callable_object(value: Value | None) -> object:
    """The Python object behind a callable value, for its name in messages."""
    if isinstance(value, BoundMethod):
        return callable_object(value.function)
    return value.value if isinstance(value, Const) else value


# -- arrays -----------------------------------------------------------------------------------------------------------


def read_array(machine: Machine, array: NdArray) -> Var:
    """The elements of an array as they are now."""
    if not array.lenses:
        return machine.heap.read(array.buffer, "data").var  # type: ignore[attr-defined]
    return views.read_view(machine, array)


def write_array(machine: Machine, array: NdArray, var: Var) -> None:
    """Replace all elements of an array."""
    if not array.writeable:
        machine.raise_(ValueError, "assignment destination is read-only")
    if not array.lenses:
        machine.heap.write(array.buffer, "data", JaxArray(var))
    else:
        views.write_view(machine, array, var)


def array(machine: Machine, value: Value) -> Var:
    """Any number, array or nested sequence of numbers as a device value, with the dtype NumPy would give it."""
    match value:
        case JaxArray():
            return value.var
        case NdArray():
            return read_array(machine, value)
        case NumpyScalar():
            return value.var
        case BoundedArray():
            raise bounded.require_static(machine, value)
        case Scalar():
            return machine.builder.convert(value.var, value.var.type.dtype)
        case Const():
            made = np.asarray(value.value)
            if made.dtype.kind not in "biufc":
                raise Refused("XP0005", f"an array of dtype {made.dtype} cannot be on the device")
            return machine.builder.constant(made)
        case Range():
            return array(machine, Tuple(tuple(machine.iterate(value))))
        case Union():
            return _one_of_several(machine, value)
        case Tuple() | Ref():
            if isinstance(value, Ref) and is_instance(machine, value):
                method = find_special(machine, value, "__array__") or find_special(machine, value, "__jax_array__")
                if method is not None:
                    return array(machine, machine.call(method, ()))
                raise Refused("XP0005", f"an object of class {type_of(machine, value).__name__} is no array")
            return _nested(machine, machine.iterate(value))
    raise Refused("XP0005", f"{machine.describe(value)} is no array")  # type: ignore[attr-defined]


def _one_of_several(machine: Machine, value: Union) -> Var:
    """The elements of one array or another of the same type. Where the value is None or a string, an array of it would
    be one of objects: the call is refused there."""
    kinds = set()
    bad = [isinstance(v, Const) and np.asarray(v.value).dtype.kind not in "biufc" for v in value.alternatives]
    if True in bad and False in bad:
        for index in (i for i, b in enumerate(bad) if b):
            number = machine.builder.constant(index, value.selector.type.dtype)
            here = machine.builder.elementwise("eq", value.selector, number)
            refuse_where(machine, here, "XP0005", "an array of dtype object cannot be on the device")
        good = value.alternatives[bad.index(False)]
        value = Union(value.selector, tuple(good if b else v for v, b in zip(value.alternatives, bad, strict=True)))

    def elements(alternative: Value) -> Value:
        var = array(machine, alternative)
        kinds.add((var.type.shape, var.type.dtype))
        return JaxArray(var)

    found = over_unions(machine, (value,), elements)
    if len(kinds) != 1 or not isinstance(found, JaxArray):
        raise Refused("XP0004", f"{machine.describe(value)}: the type of the array depends on data")
    return found.var


def _nested(machine: Machine, items: list[Value]) -> Var:
    if all(is_numeric_const(v) for v in items):
        return machine.builder.constant(np.asarray([v.value for v in items]))  # type: ignore[attr-defined]
    parts = [array(machine, item) for item in items]
    shapes = {p.type.shape for p in parts}
    if len(shapes) > 1:
        machine.raise_(
            ValueError,
            "setting an array element with a sequence."
            " The requested array has an inhomogeneous shape after 1 dimensions."
            f" The detected shape was ({len(parts)},) + inhomogeneous part.",
        )
    dtype = np.result_type(*(p.type.dtype for p in parts))
    converted = [machine.builder.convert(p, dtype) for p in parts]
    return machine.leaf(_stack, converted, (), "stack")[0]


def _stack(*parts):
    return jax.numpy.stack(parts)


# -- attribute access -------------------------------------------------------------------------------------------------


def getattr_(machine: Machine, value: Value, name: str) -> Value:
    """`value.name`."""
    if type(value) is Ref and machine.heap.objects[value.object].kind == "instance":
        return instance_attribute(machine, value, name)
    match value:
        case Union():
            return over_unions(machine, (value,), lambda v: getattr_(machine, v, name))
        case Const():
            return _const_attribute(machine, value, name)
        case JaxArray():
            return jax_rules.getattr_(machine, value, name)
        case BoundedArray():
            return bounded_rules.getattr_(machine, value, name)
        case Intrinsic() if value.name == "super":
            return _super_attribute(machine, value, name)
        case Intrinsic():
            inner = value.captures[0] if value.captures else None
            if inner is not None and name == "__wrapped__":
                return inner
        case Function():
            return _function_attribute(machine, value, name)
        case BoundMethod():
            kept = caches.kept_function(value)
            if kept is not None:
                return kept if name == "__wrapped__" else getattr_(machine, kept, name)
            if name == "__self__":
                return value.self
            if name == "__func__":
                return value.function
            return getattr_(machine, value.function, name)
        case Tuple() if value.cls is not tuple:
            fields = getattr(value.cls, "_fields", ())
            if name in fields:
                return value.items[fields.index(name)]
            return _class_level(machine, value, value.cls, name)
    cls = type_of(machine, value)
    if name == "__class__":
        return Const(cls)
    rule = table.find_attribute(cls, name)
    if rule is not None:
        return rule(machine, value)  # type: ignore[return-value]
    rule = table.find_method(cls, name)
    if rule is not None:
        return BoundMethod(Intrinsic(f"{cls.__name__}.{name}", rule), value)
    found, owner = lookup(machine, cls, name)
    if isinstance(found, types.FunctionType) and owner is not None:
        return BoundMethod(machine.world.class_value(owner, name), value)
    if hasattr(cls, name):
        raise Refused("XP0003", f"'{cls.__name__}.{name}' has no rule")
    return _missing(machine, cls, name)


def _missing(machine: Machine, cls: type, name: str) -> Value:
    return machine.raise_(AttributeError, f"'{shown(cls)}' object has no attribute '{name}'")


def shown(cls: type) -> str:
    """The name of a class in CPython's messages: types made in C outside `builtins` have their module in it."""
    in_c = not cls.__flags__ & (1 << 9) and cls.__module__ != "builtins"
    return f"{cls.__module__}.{cls.__name__}" if in_c else cls.__name__


def _const_attribute(machine: Machine, value: Const, name: str) -> Value:
    item = value.value
    if isinstance(item, types.ModuleType):
        return machine.world.module_attribute(value, name)  # type: ignore[attr-defined]
    if isinstance(item, type):
        return _class_attribute(machine, value, item, name)
    if isinstance(item, types.FunctionType):
        if not name.startswith("__") and name in item.__dict__ or machine.world.has_namespace(item):  # type: ignore[attr-defined]
            held = machine.heap.read(machine.world.namespace_of(item), name)  # type: ignore[attr-defined]
            if held is not UNBOUND:
                return held
        return _real_attribute(machine, value, name)
    cls = type(item)
    rule = table.find_attribute(cls, name)
    if rule is not None:
        return rule(machine, value)  # type: ignore[return-value]
    rule = table.find_method(cls, name)
    if rule is not None:
        return BoundMethod(Intrinsic(f"{cls.__name__}.{name}", rule), value)
    found, owner = lookup(machine, cls, name)
    if isinstance(found, types.FunctionType) and not isinstance(item, types.MethodType | functools.partial):
        return BoundMethod(machine.world.class_value(owner, name), value)  # type: ignore[arg-type]
    if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
        machine.world.class_value(owner, name)  # type: ignore[arg-type]
        return machine.call(Const(found.fget), (value,))
    return _real_attribute(machine, value, name)


def _real_attribute(machine: Machine, value: Const, name: str) -> Value:
    """An attribute of a known object, read from the object itself."""
    try:
        found = getattr(value.value, name)
    except AttributeError as error:
        return machine.reraise(error)
    if (
        isinstance(found, types.BuiltinMethodType | types.MethodWrapperType)
        and getattr(found, "__self__", None) is value.value
    ):
        if not isinstance(value.value, _IMMUTABLE):
            raise Refused("XP0003", f"'{type(value.value).__name__}.{name}' has no rule")
        return Intrinsic(name, _folding(found))
    source = attribute(value.source, name) if value.source is not None else None
    if source is None and isinstance(value.value, types.FunctionType):
        source = attribute(machine.world.anchor(value.value), name)  # type: ignore[attr-defined]
    return machine.world.wrap(found, source) if source is not None else _plain(machine, found)  # type: ignore[attr-defined]


def _plain(machine: Machine, found: object) -> Value:
    if isinstance(found, tuple):
        return Tuple(tuple(_plain(machine, v) for v in found), type(found))
    if isinstance(found, np.ndarray | jax.Array | list | dict | set):
        return machine.world.wrap(found, machine.world.anchor(found))  # type: ignore[attr-defined]
    return Const(found)


def _folding(function: Callable) -> Callable[..., Value]:
    """A rule that runs a method of a known immutable object on known arguments."""

    def rule(machine: Machine, *args: Value, **kwargs: Value) -> Value:
        known = [machine.static(a, "an argument") for a in args]
        named = {k: machine.static(v, "an argument") for k, v in kwargs.items()}
        try:
            return _plain(machine, function(*known, **named))
        except Exception as error:
            return machine.reraise(error)  # type: ignore[attr-defined]

    return rule


def _class_attribute(machine: Machine, value: Const, cls: type, name: str) -> Value:
    """`cls.name`."""
    if name in ("__name__", "__qualname__", "__module__", "__mro__", "__bases__", "__doc__", "__dict__"):
        found = getattr(cls, name)
        return Tuple(tuple(map(Const, found))) if isinstance(found, tuple) else Const(found)
    if name == "__class__":
        return Const(type(cls))
    assigned = machine.world.assigned(cls, name)  # type: ignore[attr-defined]
    if assigned is not None:
        return assigned
    found, owner = lookup(machine, cls, name)
    if owner is None:
        meta, holder = lookup(machine, type(cls), name)
        if holder is None:
            return machine.raise_(AttributeError, f"type object '{cls.__name__}' has no attribute '{name}'")
        if isinstance(meta, types.FunctionType):
            return BoundMethod(machine.world.class_value(holder, name), value)  # type: ignore[attr-defined]
        if isinstance(meta, property):
            return machine.call(Const(meta.fget), (value,))
        return _real_attribute(machine, value, name)
    if isinstance(found, classmethod):
        return BoundMethod(Const(found.__func__), value)
    if isinstance(found, staticmethod):
        return Const(found.__func__)
    rule = table.find_method(cls, name)
    of_class = isinstance(found, types.ClassMethodDescriptorType)
    unbound = cls in BASES and isinstance(found, _WRAPPERS) and not of_class
    if rule is not None and not unbound and not isinstance(found, types.FunctionType):
        return Intrinsic(f"{cls.__name__}.{name}", rule)
    if isinstance(found, _WRAPPERS):
        return Const(getattr(cls, name))
    if isinstance(found, types.GetSetDescriptorType | types.MemberDescriptorType):
        return Const(found)
    getter, _ = lookup(machine, type(found), "__get__")
    if isinstance(getter, types.FunctionType):
        descriptor = machine.world.class_value(owner, name)  # type: ignore[attr-defined]
        return machine.call(Const(getter), (descriptor, NONE, value))
    return machine.world.class_value(owner, name)  # type: ignore[attr-defined]


def lookup(machine: Machine, cls: type, name: str) -> tuple[object, type | None]:
    """The entry of a class along its method resolution order, without descriptors, and the class that has it."""
    return machine.world.lookup(cls.__mro__, name)


def _function_attribute(machine: Machine, value: Function, name: str) -> Value:
    if name in machine.heap.objects[value.namespace].fields:
        held = machine.heap.read(value.namespace, name)
        if isinstance(held, Union) or held is UNBOUND:
            raise Refused("XP0004", f"the attribute '{name}' of a function that has it on some paths only")
        return held
    if name in value.attributes:
        return value.attributes[name]
    if name in ("__name__", "__qualname__"):
        return Const(value.name)
    if name == "__doc__":
        return NONE
    if name == "__dict__":
        return machine.new_dict({})  # type: ignore[attr-defined]
    if name == "__code__":
        return Const(value.code)
    if name == "__module__":
        return machine.heap.read(value.globals.object, "__name__")  # type: ignore[attr-defined]
    return machine.raise_(AttributeError, f"'function' object has no attribute '{name}'")


def _super_attribute(machine: Machine, value: Intrinsic, name: str) -> Value:
    cls_value, self = value.captures
    cls = machine.static(cls_value)
    bound_to_class = isinstance(self, Const) and isinstance(self.value, type) and issubclass(self.value, cls)
    start = self.value if bound_to_class else type_of(machine, self)  # type: ignore[attr-defined]
    found, owner = machine.world.lookup(start.__mro__[start.__mro__.index(cls) + 1 :], name)
    if owner is not None:
        return _bind(machine, owner, name, found, self, start, bound_to_class)
    return machine.raise_(AttributeError, f"'super' object has no attribute '{name}'")


def _bind(machine, owner: type, name: str, found: object, self: Value, cls: type, to_class: bool = False) -> Value:
    """Descriptor binding of a class entry to an instance."""
    if name == "__new__":
        return Const(found.__func__ if isinstance(found, staticmethod) else found)
    if isinstance(found, types.FunctionType):
        function = machine.world.class_value(owner, name)
        return BoundMethod(function, self)
    if isinstance(found, classmethod):
        receiver = self if to_class else Const(cls)
        return BoundMethod(Const(found.__func__), receiver)
    if isinstance(found, staticmethod):
        return Const(found.__func__)
    if isinstance(found, property):
        if found.fget is None:
            machine.raise_(AttributeError, f"property '{name}' of '{cls.__name__}' object has no getter")
        machine.world.class_value(owner, name)
        return machine.call(Const(found.fget), (self,))
    inherited = subclasses.inherited(machine, found, self)
    if inherited is not None:
        return inherited
    rule = table.find_method(owner, name)
    if rule is not None:
        return BoundMethod(Intrinsic(f"{owner.__name__}.{name}", rule), self)
    if isinstance(found, _WRAPPERS):
        return BoundMethod(Const(found), self)
    if isinstance(found, functools._lru_cache_wrapper):
        return BoundMethod(machine.world.class_value(owner, name), self)
    getter, _ = lookup(machine, type(found), "__get__")
    if isinstance(getter, types.FunctionType):
        return machine.call(Const(getter), (machine.world.class_value(owner, name), self, Const(cls)))
    if getter is not None and not isinstance(found, types.FunctionType):
        return _builtin_descriptor(machine, found, name, self)
    return machine.world.class_value(owner, name)


def _builtin_descriptor(machine: Machine, found: object, name: str, self: Value) -> Value:
    if isinstance(found, functools.partialmethod):
        raise Refused("XP0003", "functools.partialmethod is not supported")
    if isinstance(found, functools.singledispatchmethod):
        raise Refused("XP0003", "functools.singledispatchmethod is not supported")
    if isinstance(found, type):
        return Const(found)
    raise Refused("XP0003", f"the descriptor {type(found).__name__} of '{name}' is not supported")


def instance_attribute(machine: Machine, value: Ref, name: str, generic: bool = False) -> Value:
    """`object.__getattribute__`, or the class's own."""
    cls = machine.heap.objects[value.object].cls
    if name == "__class__":
        return Const(cls)
    if not generic:
        getter, owner = lookup(machine, cls, "__getattribute__")
        if isinstance(getter, types.FunctionType) and owner is not None:
            return machine.call(machine.world.class_value(owner, "__getattribute__"), (value, Const(name)))  # type: ignore[attr-defined]
    if name == "__dict__":
        return _instance_dict(machine, value)
    found, owner = lookup(machine, cls, name)
    if owner is not None and _is_data_descriptor(found) and not isinstance(found, functools.cached_property):
        if isinstance(found, types.MemberDescriptorType):
            return _own(machine, value, cls, name)
        if isinstance(found, types.GetSetDescriptorType):
            own = machine.heap.read(value.object, name)
            return own if own is not UNBOUND else _missing(machine, cls, name)
        return _bind(machine, owner, name, found, value, cls)
    own = machine.heap.read(value.object, name)
    if own is not UNBOUND:
        if isinstance(own, Union) and any(a is UNBOUND for a in own.alternatives):
            return over_unions(
                machine,
                (own,),
                lambda v: v if v is not UNBOUND else _class_fallback(machine, value, cls, name, found, owner),
            )
        return own
    return _class_fallback(machine, value, cls, name, found, owner)


def _class_fallback(machine, value: Ref, cls: type, name: str, found: object, owner: type | None) -> Value:
    assigned = machine.world.assigned(cls, name)
    if assigned is not None:
        return assigned
    if owner is not None:
        if isinstance(found, functools.cached_property):
            result = machine.call(Const(found.func), (value,))
            machine.heap.write(value.object, name, result)
            return result
        return _bind(machine, owner, name, found, value, cls)
    fallback, holder = lookup(machine, cls, "__getattr__")
    if isinstance(fallback, types.FunctionType):
        return machine.call(machine.world.class_value(holder, "__getattr__"), (value, Const(name)))
    inherited = subclasses.inherited(machine, fallback, value)
    if inherited is not None:
        return machine.call(inherited, (Const(name),))
    return _missing(machine, cls, name)


def _own(machine: Machine, value: Ref, cls: type, name: str) -> Value:
    if name == "value" and issubclass(cls, StopIteration):
        args = exception_parts(machine, value)[1]
        return args[0] if args else NONE
    own = machine.heap.read(value.object, name)
    if own is UNBOUND:
        return _missing(machine, cls, name)
    return own


def _is_data_descriptor(found: object) -> bool:
    cls = type(found)
    return hasattr(cls, "__get__") and (hasattr(cls, "__set__") or hasattr(cls, "__delete__"))


def _instance_dict(machine: Machine, value: Ref) -> Value:
    """A copy of an object's attributes. Neither may be changed afterwards: the other one would have to follow."""
    heap = machine.heap
    info = heap.objects[value.object]
    names = dict.fromkeys(getattr(info.real, "__dict__", ()) if info.real is not None else ())
    names.update(dict.fromkeys(name for number, name in heap.slots if number == value.object))
    if not _has_dict(info.cls):
        raise Refused("XP0003", f"an object of class {info.cls.__name__} has no __dict__", "read its attributes")
    found = {name: heap.read(value.object, name) for name in names}
    made = machine.new_dict({k: v for k, v in found.items() if v is not UNBOUND})  # type: ignore[attr-defined]
    heap.captured.update({value.object: None, made.object: None})
    return made


@table.function(vars)
def _vars(machine: Machine, value: Value) -> Value:
    """`vars(obj)`."""
    return getattr_(machine, value, "__dict__")


def _class_level(machine: Machine, value: Value, cls: type, name: str) -> Value:
    """An attribute of a named tuple's class."""
    if name == "__class__":
        return Const(cls)
    rule = table.find_method(cls, name)
    found, owner = lookup(machine, cls, name)
    if rule is not None and not (isinstance(found, types.FunctionType) and owner is cls and not name.startswith("_")):
        return BoundMethod(Intrinsic(f"{cls.__name__}.{name}", rule), value)
    if owner is None:
        return _missing(machine, cls, name)
    return _bind(machine, owner, name, found, value, cls)


def special(machine: Machine, value: Value, name: str) -> Value:
    """A special method, looked up on the type and bound; its error where there is none."""
    method = find_special(machine, value, name)
    if method is not None:
        return method
    cls = type_of(machine, value).__name__
    if name in ("__enter__", "__exit__"):
        if name == "__exit__" and find_special(machine, value, "__enter__") is not None:
            machine.raise_(
                TypeError, f"'{cls}' object does not support the context manager protocol (missed __exit__ method)"
            )
        machine.raise_(TypeError, f"'{cls}' object does not support the context manager protocol")
    return machine.raise_(AttributeError, f"'{cls}' object has no attribute '{name}'")


def find_special(machine: Machine, value: Value, name: str) -> Value | None:
    """A special method, looked up on the type and bound, or None."""
    cls = type_of(machine, value)
    found, owner = lookup(machine, cls, name)
    if found is None or owner is None:
        return None
    if isinstance(value, Ref | Tuple) and is_instance(machine, value):
        method = subclasses.inherited(machine, found, value)
        if method is not None:
            return method
        if owner is object or (isinstance(found, _WRAPPERS) and table.find_method(owner, name) is None):
            return None
        return _bind(machine, owner, name, found, value, cls)
    rule = table.find_method(cls, name)
    if rule is not None:
        return BoundMethod(Intrinsic(f"{cls.__name__}.{name}", rule), value)
    if isinstance(found, types.FunctionType):
        return BoundMethod(Const(found), value)
    if isinstance(value, Const) and isinstance(value.value, _IMMUTABLE):
        return Intrinsic(name, _folding(getattr(value.value, name)))
    return None


def setattr_(machine: Machine, value: Value, name: str, item: Value) -> None:
    """`value.name = item`."""
    if isinstance(value, Union):
        over_unions(machine, (value,), lambda v: setattr_(machine, v, name, item) or NONE)
        return
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "instance":
        cls = machine.heap.objects[value.object].cls
        setter, owner = lookup(machine, cls, "__setattr__")
        if isinstance(setter, types.FunctionType) and owner is not None:
            machine.call(machine.world.class_value(owner, "__setattr__"), (value, Const(name), item))  # type: ignore[attr-defined]
        elif (inherited := subclasses.inherited(machine, setter, value)) is not None:
            machine.call(inherited, (Const(name), item))
        else:
            set_instance_attribute(machine, value, name, item)
        return
    if isinstance(value, Const) and isinstance(value.value, types.ModuleType):
        machine.heap.write(machine.world.globals_of(value.value.__dict__), name, item)  # type: ignore[attr-defined]
        return
    if isinstance(value, Const) and isinstance(value.value, type | types.FunctionType):
        _assign_namespace(machine, value.value, name, item)
        return
    if isinstance(value, Function):
        if name in ("__code__", "__defaults__", "__kwdefaults__", "__globals__", "__closure__"):
            raise Refused("XP0010", f"the attribute '{name}' of a function made inside the program is assigned")
        machine.heap.write(value.namespace, name, item)
        return
    cls = type_of(machine, value)
    if isinstance(value, NdArray):
        numpy_attributes.set_attribute(machine, value, name, item)
        return
    machine.raise_(AttributeError, f"'{cls.__name__}' object has no attribute '{name}'")


def _assign_namespace(machine: Machine, holder: type | types.FunctionType, name: str, item: Value) -> None:
    """An attribute of a class or function is assigned: data only."""
    before = lookup(machine, holder, name)[0] if isinstance(holder, type) else None
    data = (
        not callable(before) and not hasattr(type(before), "__get__") and not isinstance(item, Function | BoundMethod)
    )
    plain = not name.startswith("__") and not (isinstance(holder, type) and type(holder) is not type)
    if (
        not (data and plain)
        or isinstance(item, Const)
        and (callable(item.value) or hasattr(type(item.value), "__get__"))
    ):
        raise Refused("XP0010", f"the attribute '{name}' of a class or function is assigned")
    machine.heap.write(machine.world.namespace_of(holder), name, item)  # type: ignore[attr-defined]


def set_instance_attribute(machine: Machine, value: Ref, name: str, item: Value) -> None:
    """`object.__setattr__`."""
    info = machine.heap.objects[value.object]
    found, owner = lookup(machine, info.cls, name)
    if isinstance(found, property) and owner is not None:
        machine.world.class_value(owner, name)  # type: ignore[attr-defined]
        if found.fset is None:
            machine.raise_(AttributeError, f"property '{name}' of '{info.cls.__name__}' object has no setter")
        machine.call(Const(found.fset), (value, item))
        return
    if owner is not None and not isinstance(found, types.MemberDescriptorType | types.GetSetDescriptorType):
        setter, _ = lookup(machine, type(found), "__set__")
        if isinstance(setter, types.FunctionType):
            machine.call(Const(setter), (machine.world.class_value(owner, name), value, item))  # type: ignore[attr-defined]
            return
    if not isinstance(found, types.MemberDescriptorType) and not _has_dict(info.cls):
        _missing(machine, info.cls, name)
    machine.heap.write(value.object, name, item)


def _has_dict(cls: type) -> bool:
    return any("__dict__" in c.__dict__ for c in cls.__mro__) or issubclass(cls, BaseException)


def delattr_(machine: Machine, value: Value, name: str) -> None:
    """`del value.name`."""
    if isinstance(value, Union):
        over_unions(machine, (value,), lambda v: delattr_(machine, v, name) or NONE)
        return
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "instance":
        deleter, owner = lookup(machine, machine.heap.objects[value.object].cls, "__delattr__")
        if isinstance(deleter, types.FunctionType) and owner is not None:
            machine.call(machine.world.class_value(owner, "__delattr__"), (value, Const(name)))  # type: ignore[attr-defined]
        elif (inherited := subclasses.inherited(machine, deleter, value)) is not None:
            machine.call(inherited, (Const(name),))
        else:
            delete_instance_attribute(machine, value, name)
        return
    raise Refused("XP0010", f"deleting the attribute '{name}' of this object is not supported")


def delete_instance_attribute(machine: Machine, value: Ref, name: str) -> None:
    """`object.__delattr__`."""
    info = machine.heap.objects[value.object]
    found, owner = lookup(machine, info.cls, name)
    if isinstance(found, property) and owner is not None:
        machine.world.class_value(owner, name)  # type: ignore[attr-defined]
        if found.fdel is None:
            machine.raise_(AttributeError, f"property '{name}' of '{info.cls.__name__}' object has no deleter")
        machine.call(Const(found.fdel), (value,))
        return
    if owner is not None:
        deleter, _ = lookup(machine, type(found), "__delete__")
        if isinstance(deleter, types.FunctionType):
            machine.call(Const(deleter), (machine.world.class_value(owner, name), value))  # type: ignore[attr-defined]
            return
    held = machine.heap.read(value.object, name)
    if isinstance(held, Union) and UNBOUND in held.alternatives:
        raise Refused("XP0010", f"deleting the attribute '{name}', which the object has on some paths only")
    if held is UNBOUND:
        _missing(machine, info.cls, name)
    machine.heap.write(value.object, name, UNBOUND)


# -- containers, strings, exceptions ----------------------------------------------------------------------------------


def contains(machine: Machine, item: Value, container: Value) -> bool | Var:
    """`item in container`."""
    if is_instance(machine, container):
        method = find_special(machine, container, "__contains__")
        if method is not None:
            return machine.truth(machine.call(method, (item,)))
        return _among(machine, item, machine.iterate(container))
    if isinstance(container, BoundedArray):
        return known_truth(bounded_rules.contains(machine, item, container))
    if isinstance(container, JaxArray):
        return known_truth(machine.call(jax_rules.MEMBER, (item, container)))
    return containers.contains(machine, item, container)


def _among(machine: Machine, item: Value, items: list[Value]) -> bool | Var:
    found: bool | Var = False
    for other in items:
        same = machine.is_(item, other)
        if same is not True:
            same = machine.truth(machine.compare("==", item, other))
        if same is True:
            return True
        if same is False:
            continue
        found = same if found is False else machine.builder.elementwise("bitwise_or", found, same)  # type: ignore[arg-type]
    return found


def key(machine: Machine, value: Value) -> object:
    """A dictionary key: the known object, or the reference itself for an object that hashes by identity."""
    if isinstance(value, Ref):
        info = machine.heap.objects[value.object]
        if info.kind == "instance" and info.cls.__hash__ is object.__hash__:
            return value
        if info.cls.__hash__ is None:
            machine.raise_(TypeError, f"unhashable type: '{info.cls.__name__}'")
        raise Refused("XP0004", f"an object of class {info.cls.__name__} as a key")
    if isinstance(value, NdArray):
        machine.raise_(TypeError, "unhashable type: 'numpy.ndarray'")
    if isinstance(value, Function | BoundMethod):
        raise Refused("XP0004", "a function made inside the program as a key")
    return machine.static(value, "a dictionary key")


def mapping_entries(machine: Machine, mapping: Value) -> dict:
    """Entries of a dict with known keys."""
    mapping = subclasses.plain(machine, mapping)
    if isinstance(mapping, Ref) and machine.heap.objects[mapping.object].kind == "dict":
        return dict(machine.heap.read(mapping.object, "items").entries)  # type: ignore[attr-defined]
    if isinstance(mapping, Mapping):
        return dict(mapping.entries)
    keys = getattr_(machine, mapping, "keys")
    entries = {}
    for item in machine.iterate(machine.call(keys, ())):
        entries[key(machine, item)] = machine.getitem(mapping, item)  # type: ignore[attr-defined]
    return entries


def is_string(machine: Machine, value: Value) -> bool:
    """Whether a value is a string with dynamic parts."""
    return isinstance(value, Text)


def join_strings(machine: Machine, parts: Sequence[Value]) -> Value:
    """The concatenation of strings, some of which may have dynamic parts."""
    template, values = "", []
    for part in parts:
        if isinstance(part, Text):
            template += part.template
            values += part.parts
        else:
            template += str(machine.static(part)).replace("{", "{{").replace("}", "}}")
    return machine.message(template, *values)  # type: ignore[attr-defined]


def format_value(machine: Machine, value: Value, specification: Value, conversion: str | None) -> Value:
    """One replacement field of an f-string."""
    if is_string(machine, value) and not machine.static(specification) and conversion in (None, "s"):
        return value
    if machine.is_static(value) and machine.is_static(specification):
        item = machine.static(value)
        try:
            item = {None: lambda v: v, "s": str, "r": repr, "a": ascii}[conversion](item)  # type: ignore[index]
            return Const(format(item, machine.static(specification)))  # type: ignore[arg-type]
        except Exception as error:
            return machine.reraise(error)  # type: ignore[attr-defined]
    if is_instance(machine, value):
        method = find_special(machine, value, "__repr__" if conversion == "r" else "__str__")
        method = method or find_special(machine, value, "__repr__")
        if method is None and issubclass(type_of(machine, value), BaseException):
            return format_value(machine, exception_text(machine, value, conversion == "r"), specification, None)
        if method is None:
            raise Refused("XP0004", f"the text of an object of class {type_of(machine, value).__name__}")
        return format_value(machine, machine.call(method, ()), specification, None)
    text = "{" + (f"!{conversion}" if conversion else "") + f":{machine.static(specification)}" + "}"
    return machine.message(text, value)  # type: ignore[attr-defined]


#: what gives the arguments of an exception as its text
_PLAIN_TEXTS = {
    c.__str__ for c in (BaseException, KeyError, NameError, UnboundLocalError, AttributeError, StopIteration)
}


def exception_text(machine: Machine, value: Value, shown_as_code: bool) -> Value:
    """`str(error)`, or `repr(error)`, of an exception whose class has no text of its own."""
    cls, args = exception_parts(machine, value)
    if cls.__str__ not in _PLAIN_TEXTS or cls.__repr__ is not BaseException.__repr__:
        raise Refused("XP0004", f"the text of an object of class {cls.__name__}")
    if not shown_as_code and len(args) == 1:
        return format_value(machine, args[0], Const(""), "r" if cls.__str__ is KeyError.__str__ else "s")
    if not shown_as_code:
        return format_value(machine, Tuple(args), Const(""), "s") if args else Const("")
    parts: list[Value] = [Const(f"{cls.__name__}(")]
    for index, arg in enumerate(args):
        parts += [Const(", ")] * (index > 0) + [format_value(machine, arg, Const(""), "r")]
    return join_strings(machine, [*parts, Const(")")])


def as_exception(machine: Machine, value: Value) -> Value:
    """What `raise value` raises: an instance, or an instance of a class."""
    if isinstance(value, Const) and isinstance(value.value, type) and issubclass(value.value, BaseException):
        return machine.call(value, ())
    if is_exception(machine, value):
        return value
    if isinstance(value, Union):
        return over_unions(machine, (value,), lambda v: as_exception(machine, v))
    return machine.raise_(TypeError, "exceptions must derive from BaseException")


def is_exception(machine: Machine, value: Value) -> bool:
    """Whether a value is an exception that can be raised as it is."""
    if isinstance(value, Const):
        return isinstance(value.value, BaseException)
    return isinstance(value, Ref) and issubclass(machine.heap.objects[value.object].cls, BaseException)


def exception_parts(machine: Machine, value: Value) -> tuple[type, tuple[Value, ...]]:
    """The class of an exception and its arguments."""
    if isinstance(value, Const):
        error = value.value
        return type(error), tuple(map(Const, error.args))  # type: ignore[attr-defined]
    args = machine.heap.read(value.object, "args")  # type: ignore[attr-defined]
    return machine.heap.objects[value.object].cls, args.items if isinstance(args, Tuple) else ()  # type: ignore[attr-defined]


def cause(machine: Machine, value: Value) -> Value:
    """The exception that another one was raised from, or None."""
    if isinstance(value, Ref):
        found = machine.heap.read(value.object, "__cause__")
        return NONE if found is UNBOUND else found
    return NONE


def match_class(machine: Machine, subject: Value, cls_value: Value, names: tuple[str, ...], count: int) -> Value:
    """The values a class pattern binds, or None."""
    cls = machine.static(cls_value)
    if not issubclass(type_of(machine, subject), cls):  # type: ignore[arg-type]
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
                    f"{cls.__name__}() accepts {len(positions)} positional sub-pattern{plural} ({count} given)",  # type: ignore[attr-defined]
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
    """`cls[key]`: a generic alias or `__class_getitem__`."""
    try:
        return Const(value.value[machine.static(key_)])  # type: ignore[index]
    except TypeError as error:
        return machine.reraise(error)  # type: ignore[attr-defined]
