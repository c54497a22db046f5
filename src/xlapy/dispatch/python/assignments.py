"""Attributes that are set and deleted."""

from __future__ import annotations

import builtins
import collections
import types
from typing import NoReturn

import numpy as np

from xlapy.dispatch.argument_kinds import require_static
from xlapy.dispatch.containers import container_subclasses
from xlapy.dispatch.kinds import has_dict, shown, type_of
from xlapy.dispatch.numbers.scalar_values import provoke
from xlapy.dispatch.numpy import array_attributes
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.python import exceptions, namespaces
from xlapy.dispatch.python.attributes import lookup, missing, over_namespaces
from xlapy.dispatch.unions import over_unions
from xlapy.domain.builtin_bases import BASES
from xlapy.domain.values import (
    NONE,
    UNBOUND,
    BoundedArray,
    BoundMethod,
    Const,
    Function,
    NdArray,
    Ref,
    Tuple,
    Union,
    Value,
    as_ref,
    is_none,
    made_tuple,
)


def setattr_(machine: Machine, value: Value, name: str, item: Value) -> None:
    """`value.name = item`."""
    if isinstance(value, Union):
        over_unions(machine, (value,), lambda v: setattr_(machine, v, name, item) or NONE)
        return
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "instance":
        _set_attribute_of_instance(machine, value, name, item)
    elif isinstance(value, Const) and isinstance(value.value, types.ModuleType):
        machine.heap.write(machine.world.globals_of(value.value.__dict__), name, item)
    elif isinstance(value, Const) and isinstance(value.value, type | types.FunctionType):
        _assign_namespace(machine, value.value, name, item)
    elif isinstance(value, Function):
        set_function_attribute(machine, value, name, item)
    elif isinstance(value, Tuple) and type_of(machine, value) is not tuple:
        _set_tuple_attribute(machine, value, name, item)
    else:
        _set_built_in_attribute(machine, value, name, item)


def _set_attribute_of_instance(machine: Machine, value: Ref, name: str, item: Value) -> None:
    """An attribute of an object of a class of Python's, or of an array's flags, is assigned."""
    cls = machine.heap.objects[value.object].cls
    if cls is array_attributes.Flags and name != "array" and name != "iterator":
        array = machine.heap.read(value.object, "array")
        if not isinstance(array, NdArray):
            raise Refused("XP0004", "the flags of one of several arrays are assigned")
        array_attributes.set_flag(machine, array, name, item)
        return
    inner = container_subclasses.contents(machine, value)
    descriptor = lookup(machine, cls, name)[0]
    if (
        inner is not None
        and hasattr(type(descriptor), "__set__")
        and getattr(descriptor, "__objclass__", None) in BASES
    ):
        setattr_(machine, inner, name, item)  # `default_factory`
        return
    setter, owner = lookup(machine, cls, "__setattr__")
    if isinstance(setter, types.FunctionType) and owner is not None:
        machine.call(machine.world.class_value(owner, "__setattr__"), (value, Const(name), item))
    elif (inherited := container_subclasses.inherited(machine, setter, value)) is not None:
        machine.call(inherited, (Const(name), item))
    else:
        set_instance_attribute(machine, value, name, item)


def _set_built_in_attribute(machine: Machine, value: Value, name: str, item: Value) -> None:
    """An attribute of an object of a built-in class is assigned."""
    cls = type_of(machine, value)
    if issubclass(cls, collections.defaultdict) and name == "default_factory":
        if machine.heap.objects[as_ref(value).object].source is not None:
            raise Refused("XP0010", "the default_factory of the caller's dict is assigned", "make a new defaultdict")
        machine.heap.write(as_ref(value).object, name, item)
        return
    if isinstance(value, NdArray):
        array_attributes.set_attribute(machine, value, name, item)
        return
    if isinstance(value, BoundedArray) and hasattr(np.ndarray, name):
        raise require_static(machine, value, f"setting ndarray.{name}")
    if issubclass(cls, BaseException):
        raise Refused("XP0010", f"the attribute '{name}' of an exception of the caller's is assigned", "make a new one")
    _require_plain(cls)
    if has_dict(cls) and not hasattr(type(lookup(machine, cls, name)[0]), "__set__"):
        what = f"the attribute '{name}' of an object of class '{shown(cls)}', which is kept by value, is assigned"
        raise Refused("XP0010", what, "keep it in an object of a class that has no built-in base, or beside it")
    _raise_unsettable(machine, cls, name)


def _set_tuple_attribute(machine: Machine, value: Tuple, name: str, item: Value) -> None:
    """An attribute of a tuple of a derived class is assigned."""
    if isinstance(value.namespace, Union):
        over_namespaces(machine, value, lambda v: setattr_(machine, v, name, item) or NONE)
        return
    setter, owner = lookup(machine, value.cls, "__setattr__")
    if isinstance(setter, types.FunctionType) and owner is not None:
        machine.call(machine.world.class_value(owner, "__setattr__"), (value, Const(name), item))
    else:
        set_instance_attribute(machine, value, name, item)


def _raise_unsettable(machine: Machine, cls: type, name: str) -> NoReturn:
    # this CPython may add a reason
    reason = str(provoke(setattr, object(), "attribute", None)).partition("'attribute'")[2]
    machine.raise_(AttributeError, f"'{shown(cls)}' object has no attribute '{name}'{reason}")


def _require_plain(cls: type) -> None:
    """Refuse attributes of objects of a class that sets them, or may set them, in compiled code of its own."""
    hidden = cls.__module__ == "builtins" and vars(builtins).get(cls.__name__) is not cls
    if hidden and cls is not types.NoneType or cls.__setattr__ not in (object.__setattr__, BaseException.__setattr__):
        raise Refused("XP0003", f"'{cls.__module__}.{cls.__name__}.__setattr__' is compiled code")


def _assign_namespace(machine: Machine, holder: type | types.FunctionType, name: str, item: Value) -> None:
    """An attribute of a class or function is assigned: data only."""
    before = lookup(machine, holder, name)[0] if isinstance(holder, type) else None
    data = (
        not callable(before) and not hasattr(type(before), "__get__") and not isinstance(item, Function | BoundMethod)
    )
    plain = not name.startswith("__") and not (isinstance(holder, type) and _is_set_by_metaclass(machine, holder, name))
    if (
        not (data and plain)
        or isinstance(item, Const)
        and (callable(item.value) or hasattr(type(item.value), "__get__"))
    ):
        raise Refused("XP0010", f"the attribute '{name}' of a class or function is assigned")
    machine.forget_calls()
    machine.heap.write(machine.world.namespace_of(holder), name, item)


def _is_set_by_metaclass(machine: Machine, cls: type, name: str) -> bool:
    """Whether a metaclass has a way of its own to set an attribute of its classes."""
    metaclass = type(cls)
    return metaclass is not type and (
        metaclass.__setattr__ is not type.__setattr__ or lookup(machine, metaclass, name)[1] is not None
    )


#: what is part of a function itself
_FIXED = ("__code__", "__defaults__", "__kwdefaults__", "__globals__", "__closure__", "__dict__", "__class__")


def set_function_attribute(machine: Machine, value: Function, name: str, item: Value) -> None:
    """An attribute of a function made inside the program is assigned."""
    heap = machine.heap
    if name == "__dict__" and isinstance(item, Ref) and heap.mirrors.get(item.object) == value.namespace:
        return  # as `f.__dict__ |= ...` does
    if name in _FIXED:
        raise Refused("XP0010", f"the attribute '{name}' of a function made inside the program is assigned")
    if name == "__annotate__" and name in vars(types.FunctionType) and not is_none(item):
        if "annotations" in value.attributes or "__annotations__" in heap.objects[value.namespace].fields:
            raise Refused("XP0010", f"the attribute '{name}' of a function that has its annotations is assigned")
    if name == "__annotations__" and "__annotate__" in vars(types.FunctionType):
        heap.write(value.namespace, "__annotate__", NONE)
    heap.write(value.namespace, name, item)


def set_instance_attribute(machine: Machine, value: Ref | Tuple, name: str, item: Value) -> None:
    """`object.__setattr__`."""
    cls = type_of(machine, value)
    if name == "__dict__" and isinstance(item, Ref) and item.object in machine.heap.mirrors:
        if machine.heap.mirrors[item.object] == namespaces.owner_of(machine, value):
            return  # as `obj.__dict__ |= ...` does
    if name in ("__dict__", "__class__"):
        raise Refused("XP0010", f"the {name} of an object is assigned", "change its attributes")
    found, owner = lookup(machine, cls, name)
    if isinstance(found, property) and owner is not None:
        machine.world.class_value(owner, name)
        if found.fset is None:
            machine.raise_(AttributeError, f"property '{name}' of '{cls.__name__}' object has no setter")
        machine.call(Const(found.fset), (value, item))
        return
    if owner is not None and not isinstance(found, types.MemberDescriptorType | types.GetSetDescriptorType):
        setter, _ = lookup(machine, type(found), "__set__")
        if isinstance(setter, types.FunctionType):
            machine.call(Const(setter), (machine.world.class_value(owner, name), value, item))
            return
    if isinstance(value, Tuple) and hasattr(type(found), "__set__"):
        machine.reraise(provoke(setattr, made_tuple(cls, [None] * len(value.items)), name, None))
    if not isinstance(found, types.MemberDescriptorType) and not has_dict(cls):
        _require_plain(cls)
        _raise_unsettable(machine, cls, name)
    if issubclass(cls, BaseException) and isinstance(value, Ref):
        item = exceptions.assigned(machine, value, name, item)
    machine.heap.write(namespaces.owner_of(machine, value), name, item)


def delattr_(machine: Machine, value: Value, name: str) -> None:
    """`del value.name`."""
    if isinstance(value, Union):
        over_unions(machine, (value,), lambda v: delattr_(machine, v, name) or NONE)
        return
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "instance":
        deleter, owner = lookup(machine, machine.heap.objects[value.object].cls, "__delattr__")
        if isinstance(deleter, types.FunctionType) and owner is not None:
            machine.call(machine.world.class_value(owner, "__delattr__"), (value, Const(name)))
        elif (inherited := container_subclasses.inherited(machine, deleter, value)) is not None:
            machine.call(inherited, (Const(name),))
        else:
            delete_instance_attribute(machine, value, name)
        return
    if isinstance(value, Tuple) and value.cls is not tuple:
        if isinstance(value.namespace, Union):
            over_namespaces(machine, value, lambda v: delattr_(machine, v, name) or NONE)
            return
        deleter, owner = lookup(machine, value.cls, "__delattr__")
        if isinstance(deleter, types.FunctionType) and owner is not None:
            machine.call(machine.world.class_value(owner, "__delattr__"), (value, Const(name)))
        else:
            delete_instance_attribute(machine, value, name)
        return
    raise Refused("XP0010", f"deleting the attribute '{name}' of this object is not supported")


def delete_instance_attribute(machine: Machine, value: Ref | Tuple, name: str) -> None:
    """`object.__delattr__`."""
    cls = type_of(machine, value)
    found, owner = lookup(machine, cls, name)
    if isinstance(found, property) and owner is not None:
        machine.world.class_value(owner, name)
        if found.fdel is None:
            machine.raise_(AttributeError, f"property '{name}' of '{cls.__name__}' object has no deleter")
        machine.call(Const(found.fdel), (value,))
        return
    if owner is not None:
        deleter, _ = lookup(machine, type(found), "__delete__")
        if isinstance(deleter, types.FunctionType):
            machine.call(Const(deleter), (machine.world.class_value(owner, name), value))
            return
    if owner is BaseException and isinstance(found, types.GetSetDescriptorType):
        machine.reraise(provoke(delattr, BaseException(), name))
    if isinstance(value, Tuple) and (not has_dict(cls) or hasattr(type(found), "__delete__")):
        machine.reraise(provoke(delattr, made_tuple(cls, [None] * len(value.items)), name))
    number = namespaces.owner_of(machine, value)
    held = machine.heap.read(number, name)
    if isinstance(held, Union) and UNBOUND in held.alternatives:
        raise Refused("XP0010", f"deleting the attribute '{name}', which the object has on some paths only")
    if held is UNBOUND:
        missing(machine, cls, name)
    machine.heap.write(number, name, UNBOUND)
