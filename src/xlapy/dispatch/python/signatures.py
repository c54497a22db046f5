"""`inspect.signature`: libraries ask which arguments a function takes."""

from __future__ import annotations

import inspect
import types

from xlapy.dispatch import registry
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import BoundMethod, Const, Function, Ref, Tuple, Value


@registry.function(inspect.signature)
def _signature(machine: Machine, obj: Value) -> Value:
    """`inspect.signature(obj)` of a function or method."""
    return Const(_found(machine, obj))


@registry.function(inspect.getfullargspec)
def _full_specification(machine: Machine, func: Value) -> Value:
    """`inspect.getfullargspec(func)` of a known function."""
    found = inspect.getfullargspec(machine.static(func, "a function whose arguments are asked for"))

    def listed(value: object) -> Value:
        match value:
            case list():
                return machine.new_list(list(map(listed, value)))
            case dict():
                return machine.new_dict({key: listed(part) for key, part in value.items()})
            case tuple():
                return Tuple(tuple(map(listed, value)))
        return machine.world.wrap_anchored(value)

    return Tuple(tuple(map(listed, found)), inspect.FullArgSpec)


def _found(machine: Machine, value: Value) -> inspect.Signature:
    match value:
        case Const():
            if isinstance(value.value, types.FunctionType):
                machine.world.signature(value.value)
            try:
                return inspect.signature(value.value)
            except (TypeError, ValueError) as error:
                machine.raise_(type(error), *error.args)
        case Function() if not value.attributes and not _has_attributes(machine, value):
            return inspect.signature(_as_function(value))
        case BoundMethod() if isinstance(value.function, Const | Function) and isinstance(value.self, Ref):
            found = _found(machine, value.function)
            return found.replace(parameters=list(found.parameters.values())[1:])
    raise Refused("XP0003", f"inspect.signature of {machine.describe(value)}")


def _has_attributes(machine: Machine, value: Function) -> bool:
    """Whether the program has given a function attributes, such as `__wrapped__`."""
    return bool(value.namespace and machine.heap.objects[value.namespace].fields)


@registry.attribute(inspect.Signature, "parameters")
def _parameters(machine: Machine, signature: Value) -> Value:
    """The parameters by name: a dict in the place of CPython's read-only view of one."""
    found = machine.static(signature).parameters
    return machine.new_dict({name: Const(parameter) for name, parameter in found.items()})


def _as_function(value: Function) -> types.FunctionType:
    """A real function with the parameters and defaults of one that is made inside the program."""

    def known(default: Value) -> object:
        if not isinstance(default, Const):
            raise Refused("XP0003", "inspect.signature of a function with a default that is no constant")
        return default.value

    code: types.CodeType = value.code
    closure = tuple(types.CellType() for _ in code.co_freevars)
    made = types.FunctionType(code, {}, value.name, tuple(map(known, value.defaults)), closure)
    made.__kwdefaults__ = {name: known(default) for name, default in value.kwdefaults.items()}
    return made
