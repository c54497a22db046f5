"""Attributes and special methods, found as Python finds them: along the method resolution order, with descriptors."""

from __future__ import annotations

import collections
import enum
import functools
import re
import types
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, require_static
from xlapy.dispatch.containers import container_subclasses
from xlapy.dispatch.jax import jax_arrays
from xlapy.dispatch.kinds import has_dict, is_instance, shown, type_of
from xlapy.dispatch.numbers.scalar_values import provoke, refuse_compiled, stand_in
from xlapy.dispatch.protocol import Machine, PythonError, Refused
from xlapy.dispatch.python import caches, namespaces
from xlapy.dispatch.python.exceptions import exception_parts, hidden_attribute
from xlapy.dispatch.unions import over_unions
from xlapy.domain.builtin_bases import BASES
from xlapy.domain.sources import attribute
from xlapy.domain.values import (
    NONE,
    UNBOUND,
    BoundedArray,
    BoundMethod,
    Const,
    Function,
    Intrinsic,
    JaxArray,
    Ref,
    Scalar,
    Tuple,
    Union,
    Value,
    alternatives,
    is_none,
)

_GENERIC_GETATTRIBUTE = {object.__getattribute__, BaseException.__getattribute__, type.__getattribute__}


_WRAPPERS = (
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
    types.MethodWrapperType,
)


#: methods that do not get the object through which they are called
_OF_CLASSES = (types.ClassMethodDescriptorType, staticmethod, classmethod)


#: the flag of a class that a program has made
_HEAP_TYPE = 1 << 9


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
            return jax_arrays.getattr_(machine, value, name)
        case Intrinsic() if value.name == "super":
            return _super_attribute(machine, value, name)
        case Intrinsic():
            inner = value.captures[0] if value.captures else None
            if inner is not None and name == "__wrapped__":
                return inner
        case Function():
            return _function_attribute(machine, value, name)
        case BoundMethod() if type_of(machine, value) is not functools.partial:
            return _method_attribute(machine, value, name)
        case Tuple() if value.cls is not tuple:
            return _tuple_attribute(machine, value, name)
    return _built_in_attribute(machine, value, name)


def _method_attribute(machine: Machine, value: BoundMethod, name: str) -> Value:
    """An attribute of a bound method, or of a function whose results are kept."""
    kept = caches.kept_function(value)
    if kept is not None and name == "cache_clear":
        return caches.clearing(value)
    if kept is not None and name in ("cache_info", "cache_parameters"):
        raise Refused("XP0003", f"'{name}' of a function whose results are kept")
    if kept is not None:
        return kept if name == "__wrapped__" else getattr_(machine, kept, name)
    if name == "__self__":
        return value.self
    return value.function if name == "__func__" else getattr_(machine, value.function, name)


def _built_in_attribute(machine: Machine, value: Value, name: str) -> Value:
    """An attribute of an object of a built-in class."""
    cls = type_of(machine, value)
    if name == "__class__":
        return Const(cls)
    if isinstance(value, Scalar) and not hasattr(cls, name):
        return missing(machine, cls, name)  # `int.is_integer` is Python 3.12's
    of_table = _from_tables(machine, value, cls, name)
    if of_table is not None:
        return of_table
    found, owner = lookup(machine, cls, name)
    if isinstance(found, types.FunctionType) and owner is not None:
        return BoundMethod(machine.world.class_value(owner, name), value)
    if owner is not None:
        raise Refused("XP0003", f"'{cls.__name__}.{name}' has no rule")
    return missing(machine, cls, name)


def _from_tables(machine: Machine, value: Value, cls: type, name: str) -> Value | None:
    """An attribute or method of a built-in class that has a rule."""
    kind = DYNAMIC_LENGTH if isinstance(value, BoundedArray) else None
    rule = registry.find_attribute(cls, name, kind)
    if rule is not None:
        return rule(machine, value)
    rule = registry.find_method(cls, name, kind)
    if rule is not None:
        if isinstance(lookup(machine, cls, name)[0], _OF_CLASSES):
            return _class_attribute(machine, Const(cls), cls, name)
        return BoundMethod(Intrinsic(f"{cls.__name__}.{name}", rule), value)
    if isinstance(value, BoundedArray) and hasattr(cls, name):
        raise require_static(machine, value, f"ndarray.{name}")
    return None


def missing(machine: Machine, cls: type, name: str) -> Value:
    """Raise the AttributeError of an object of class `cls`."""
    error = machine.exception(AttributeError, f"'{shown(cls)}' object has no attribute '{name}'")
    machine.heap.write(error.object, "name", Const(name))
    raise PythonError(error)


def _const_attribute(machine: Machine, value: Const, name: str) -> Value:
    item = value.value
    if isinstance(item, types.ModuleType):
        return machine.world.module_attribute(value, name)
    if isinstance(item, type):
        return _class_attribute(machine, value, item, name)
    if isinstance(item, types.FunctionType):
        if not name.startswith("__") and name in item.__dict__ or machine.world.has_namespace(item):
            held = machine.heap.read(machine.world.namespace_of(item), name)
            if held is not UNBOUND:
                return held
        if name == "__dict__":
            return namespaces.namespace(machine, Ref(machine.world.namespace_of(item)))
        if not hasattr(item, name):
            machine.world.lacks(item, name)
        return _real_attribute(machine, value, name)
    cls = type(item)
    of_table = _from_tables(machine, value, cls, name)
    if of_table is not None:
        return of_table
    found, owner = lookup(machine, cls, name)
    if owner is None:
        return _real_attribute(machine, value, name)
    if owner is BaseException and (hidden := hidden_attribute(machine, value, name)) is not None:
        return hidden
    if isinstance(found, types.FunctionType) and not isinstance(item, types.MethodType | functools.partial):
        return BoundMethod(machine.world.class_value(owner, name), value)
    if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
        machine.world.class_value(owner, name)
        return machine.call(Const(found.fget), (value,))
    return _real_attribute(machine, value, name)


def _real_attribute(machine: Machine, value: Const, name: str) -> Value:
    """An attribute of a known object, read from the object itself."""
    machine.world.runs(value.value)
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
        source = attribute(machine.world.anchor(value.value), name)
    return machine.world.wrap(found, source) if source is not None else plain(machine, found)


def plain(machine: Machine, found: object) -> Value:
    """The abstract value of an object that CPython has computed while compiling."""
    if isinstance(found, tuple):
        return Tuple(tuple(plain(machine, v) for v in found), type(found))
    if isinstance(found, np.ndarray | jax.Array | list | dict | set):
        return machine.world.wrap(found, machine.world.anchor(found))
    return Const(found)


def _folding(function: Callable) -> Callable[..., Value]:
    """A rule that runs a method of a known immutable object on known arguments."""

    def rule(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
        known = [machine.static(a, "an argument") for a in args]
        named = {k: machine.static(v, "an argument") for k, v in kwargs.items()}
        try:
            return plain(machine, function(*known, **named))
        except Exception as error:
            return machine.reraise(error)

    return rule


def _class_attribute(machine: Machine, value: Const, cls: type, name: str) -> Value:
    """`cls.name`."""
    if name in ("__name__", "__qualname__", "__module__", "__mro__", "__bases__", "__doc__", "__dict__"):
        if name == "__dict__":
            return namespaces.of_class(machine, cls)
        found = machine.world.fact(cls, name)
        return Tuple(tuple(map(Const, found))) if isinstance(found, tuple) else Const(found)
    if name == "__subclasses__":
        return Intrinsic(name, lambda machine: machine.new_list(map(Const, machine.world.subclasses(cls))))
    if name == "__class__":
        return Const(type(cls))
    assigned = machine.world.assigned(cls, name)
    if assigned is not None:
        return assigned
    found, owner = lookup(machine, cls, name)
    if name == "fromkeys" and owner in (dict, collections.OrderedDict):
        return BoundMethod(Intrinsic(name, registry.find_method(dict, name)), value)
    if owner is None:
        meta, holder = lookup(machine, type(cls), name)
        if holder is None:
            return machine.raise_(AttributeError, f"type object '{cls.__name__}' has no attribute '{name}'")
        if isinstance(meta, types.FunctionType):
            return BoundMethod(machine.world.class_value(holder, name), value)
        if isinstance(meta, property):
            return machine.call(Const(meta.fget), (value,))
        return _real_attribute(machine, value, name)
    if isinstance(found, classmethod):
        return BoundMethod(Const(found.__func__), value)
    if isinstance(found, staticmethod):
        return Const(found.__func__)
    rule = registry.find_method(cls, name)
    of_class = isinstance(found, types.ClassMethodDescriptorType)
    if of_class and rule is not None and owner is not cls:
        return _inherited_class_method(machine, cls, name)
    unbound = cls in BASES and isinstance(found, _WRAPPERS) and not of_class
    if rule is not None and not unbound and not isinstance(found, types.FunctionType):
        return Intrinsic(f"{cls.__name__}.{name}", rule)
    if isinstance(found, _WRAPPERS):
        return Const(getattr(cls, name))
    if isinstance(found, types.GetSetDescriptorType | types.MemberDescriptorType):
        return Const(found)
    getter, _ = lookup(machine, type(found), "__get__")
    if isinstance(getter, types.FunctionType):
        descriptor = machine.world.class_value(owner, name)
        return machine.call(Const(getter), (descriptor, NONE, value))
    return machine.world.class_value(owner, name)


def _inherited_class_method(machine: Machine, cls: type, name: str) -> Value:
    """A class method of a built-in class, called through a class that inherits it: it makes one of that class."""
    if cls.__flags__ & _HEAP_TYPE:
        raise Refused("XP0003", f"'{cls.__qualname__}.{name}'", "make it with the constructor")
    return Intrinsic(f"{cls.__name__}.{name}", _folding(getattr(cls, name)))


@registry.method(types.MemberDescriptorType, "__get__")
@registry.method(types.GetSetDescriptorType, "__get__")
def _described(machine: Machine, self: Const, instance: Value, owner: Value = NONE) -> Value:
    """`descriptor.__get__(obj)` of an attribute of compiled code, taken from the namespace of its class."""
    descriptor, cls = self.value, machine.type_of(instance)
    if is_none(instance) and not is_none(owner):
        return self
    if not issubclass(cls, descriptor.__objclass__):
        text = f"descriptor '{descriptor.__name__}' for '{shown(descriptor.__objclass__)}' objects"
        return machine.raise_(TypeError, f"{text} doesn't apply to a '{shown(cls)}' object")
    if lookup(machine, cls, descriptor.__name__)[0] is not descriptor:
        raise Refused("XP0003", f"the attribute '{descriptor.__name__}' of a base of '{shown(cls)}'")
    return machine.getattr(instance, descriptor.__name__)


def lookup(machine: Machine, cls: type, name: str) -> tuple[Any, type | None]:
    """The entry of a class along its method resolution order, without descriptors, and the class that has it."""
    return machine.world.lookup(cls.__mro__, name)


#: attributes that a function has from its code
_OF_CODE = tuple(
    name for name in ("__name__", "__qualname__", "__doc__", "__type_params__") if name in vars(types.FunctionType)
)


def _function_attribute(machine: Machine, value: Function, name: str) -> Value:
    if name in machine.heap.objects[value.namespace].fields:
        held = machine.heap.read(value.namespace, name)
        if UNBOUND in alternatives(held) and held is not UNBOUND:
            raise Refused("XP0004", f"the attribute '{name}' of a function that has it on some paths only")
        if held is not UNBOUND:
            return held
    if name in value.attributes:
        return value.attributes[name]
    if name in _OF_CODE:
        cells = tuple(types.CellType() for _ in value.code.co_freevars)
        return Const(getattr(types.FunctionType(value.code, {}, None, None, cells), name))
    if name == "__dict__":
        return namespaces.namespace(machine, Ref(value.namespace))
    if name == "__code__":
        return Const(value.code)
    if name == "__module__":
        return machine.heap.read(value.globals.object, "__name__")
    if name == "__defaults__":
        return Tuple(value.defaults) if value.defaults else NONE
    if name == "__kwdefaults__" and not value.kwdefaults:
        return NONE
    if name == "__annotations__":
        held = value.attributes.get("annotations") or _computed_annotations(machine, value)
        machine.heap.write(value.namespace, name, held)
        return held
    if name == "__annotate__" and name in vars(types.FunctionType):
        return value.attributes.get("annotate", NONE)
    if name in dir(types.FunctionType):
        raise Refused("XP0003", f"the attribute '{name}' of a function")
    return missing(machine, types.FunctionType, name)


def _computed_annotations(machine: Machine, value: Function) -> Value:
    """The annotations of a function that has not been asked for them: since 3.14 another function gives them."""
    held = machine.heap.objects[value.namespace].fields
    known = "__annotate__" in held or "annotate" in value.attributes
    annotate = _function_attribute(machine, value, "__annotate__") if known else NONE
    return machine.new_dict({}) if is_none(annotate) else machine.call(annotate, [Const(1)])


def _super_attribute(machine: Machine, value: Intrinsic, name: str) -> Value:
    cls_value, self = value.captures
    cls = machine.static(cls_value)
    known = self.value if isinstance(self, Const) else None
    bound_to_class = isinstance(known, type) and issubclass(known, cls)
    start = known if isinstance(known, type) and bound_to_class else type_of(machine, self)
    found, owner = machine.world.lookup(start.__mro__[start.__mro__.index(cls) + 1 :], name)
    if owner is not None:
        return _bind(machine, owner, name, found, self, start, bound_to_class)
    return machine.raise_(AttributeError, f"'super' object has no attribute '{name}'")


def _bind(machine, owner: type, name: str, found: object, self: Value, cls: type, to_class: bool = False) -> Value:
    """Descriptor binding of a class entry to an instance."""
    if name == "__new__":
        return Const(found.__func__ if isinstance(found, staticmethod) else found)
    inherited = container_subclasses.inherited(machine, found, self)
    if inherited is not None:
        return inherited
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
    rule = registry.find_method(owner, name)
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
            return machine.call(machine.world.class_value(owner, "__getattribute__"), (value, Const(name)))
    if name == "__dict__" and has_dict(cls):
        return namespaces.namespace(machine, value)
    found, owner = lookup(machine, cls, name)
    if owner is not None and _is_data_descriptor(found) and not isinstance(found, functools.cached_property):
        if isinstance(found, types.MemberDescriptorType):
            inner = container_subclasses.contents(machine, value)
            if inner is not None and found.__objclass__ in BASES:
                return machine.getattr(inner, name)
            return _own(machine, value, cls, name, found.__objclass__)
        if isinstance(found, types.GetSetDescriptorType):
            if found.__objclass__ is BaseException and (hidden := hidden_attribute(machine, value, name)) is not None:
                return hidden
            own = machine.heap.read(value.object, name)
            return own if own is not UNBOUND else missing(machine, cls, name)
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


def _class_fallback(machine, value: Ref | Tuple, cls: type, name: str, found: object, owner: type | None) -> Value:
    assigned = machine.world.assigned(cls, name)
    if assigned is not None:
        return assigned
    if owner is not None:
        if isinstance(found, functools.cached_property):
            result = machine.call(Const(found.func), (value,))
            machine.heap.write(namespaces.owner_of(machine, value), name, result)
            return result
        return _bind(machine, owner, name, found, value, cls)
    fallback, holder = lookup(machine, cls, "__getattr__")
    if isinstance(fallback, types.FunctionType):
        return machine.call(machine.world.class_value(holder, "__getattr__"), (value, Const(name)))
    inherited = container_subclasses.inherited(machine, fallback, value)
    if inherited is not None:
        return machine.call(inherited, (Const(name),))
    return missing(machine, cls, name)


def _own(machine: Machine, value: Ref, cls: type, name: str, owner: type) -> Value:
    own = machine.heap.read(value.object, name)
    if owner is BaseException and (hidden := hidden_attribute(machine, value, name)) is not None:
        return hidden
    if own is UNBOUND and (name, owner) in (("value", StopIteration), ("code", SystemExit)):
        args = exception_parts(machine, value)[1]
        if len(args) > 1 and owner is SystemExit:
            return Tuple(tuple(args))
        return args[0] if args else NONE
    if own is UNBOUND and issubclass(owner, BaseException) and owner.__module__ == "builtins":
        raise Refused("XP0003", f"the attribute '{name}' of an exception of class {cls.__name__}")
    if own is UNBOUND:
        return missing(machine, cls, name)
    return own


def _is_data_descriptor(found: object) -> bool:
    cls = type(found)
    return hasattr(cls, "__get__") and (hasattr(cls, "__set__") or hasattr(cls, "__delete__"))


def _tuple_attribute(machine: Machine, value: Tuple, name: str) -> Value:
    """An attribute of a tuple of a derived class."""
    cls = value.cls
    if isinstance(value.namespace, Union):
        return over_namespaces(machine, value, lambda v: _tuple_attribute(machine, v, name))
    fields = getattr(cls, "__match_args__" if hasattr(cls, "n_sequence_fields") else "_fields", ())
    if name in fields:
        return value.items[fields.index(name)]
    if name == "__class__":
        return Const(cls)
    found, owner = lookup(machine, cls, name)
    if name == "__dict__" and has_dict(cls):
        return namespaces.namespace(machine, Ref(namespaces.owner_of(machine, value)))
    if not _is_data_descriptor(found) or isinstance(found, functools.cached_property):
        world = machine.world
        assigned = value.namespace is not None or cls in world.with_namespaces
        if assigned or name in world.kept_by_value.get(cls, ()):
            own = machine.heap.read(namespaces.owner_of(machine, value), name)
            if UNBOUND not in alternatives(own):
                return own
            if isinstance(own, Union):
                fallback = functools.partial(_tuple_class_level, machine, value, name, found, owner)
                return over_unions(machine, (own,), lambda v: fallback() if v is UNBOUND else v)
    return _tuple_class_level(machine, value, name, found, owner)


def _tuple_class_level(machine: Machine, value: Tuple, name: str, found: object, owner: type | None) -> Value:
    """What the class of a tuple says of an attribute."""
    cls = value.cls
    rule = registry.find_method(cls, name)
    if rule is not None and not (isinstance(found, types.FunctionType) and owner is cls and not name.startswith("_")):
        return BoundMethod(Intrinsic(f"{cls.__name__}.{name}", rule), value)
    return _class_fallback(machine, value, cls, name, found, owner)


def over_namespaces(machine: Machine, value: Tuple, then: Callable[[Tuple], Value]) -> Value:
    """`then(value)` for each of the objects that may hold the attributes of a tuple."""
    assert value.namespace is not None
    return over_unions(machine, (value.namespace,), lambda own: then(Tuple(value.items, value.cls, own)))


def special(machine: Machine, value: Value, name: str) -> Value:
    """A special method, looked up on the type and bound; its error where there is none."""
    method = find_special(machine, value, name)
    if method is not None:
        return method
    cls = type_of(machine, value)
    if name in ("__enter__", "__exit__"):
        refuse_compiled(machine, cls, name)
        found = [method for method in _OF_MANAGERS if find_special(machine, value, method) is not None]
        has = dict.fromkeys(found, lambda self, *args: None)
        return machine.raise_(TypeError, str(provoke(_enter, stand_in(cls, has))))
    return machine.raise_(AttributeError, f"'{cls.__name__}' object has no attribute '{name}'")


_OF_MANAGERS = ("__enter__", "__exit__", "__aenter__", "__aexit__")


def _enter(manager: Any) -> None:
    with manager:
        pass


def find_special(machine: Machine, value: Value, name: str) -> Value | None:
    """A special method, looked up on the type and bound, or None."""
    cls = type_of(machine, value)
    found, owner = lookup(machine, cls, name)
    if found is None or owner is None:
        return None
    if isinstance(value, Ref | Tuple) and is_instance(machine, value):
        method = container_subclasses.inherited(machine, found, value)
        if method is not None:
            return method
        if owner is object or (isinstance(found, _WRAPPERS) and registry.find_method(owner, name) is None):
            return None
        return _bind(machine, owner, name, found, value, cls)
    rule = registry.find_method(cls, name)
    if rule is not None:
        return BoundMethod(Intrinsic(f"{cls.__name__}.{name}", rule), value)
    if isinstance(found, types.FunctionType):
        return BoundMethod(Const(found), value)
    if isinstance(value, Const) and isinstance(value.value, _IMMUTABLE):
        return Intrinsic(name, _folding(getattr(value.value, name)))
    return None
