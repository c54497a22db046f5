"""Texts of values: f-strings, `str`, `repr`, and what exceptions say."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Sequence

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.kinds import is_instance, is_string, require_fixed, type_of
from xlapy.dispatch.numbers.scalar_values import of_special
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.python.attributes import find_special, lookup
from xlapy.dispatch.python.exceptions import arguments
from xlapy.dispatch.unions import over_unions
from xlapy.domain.values import (
    Const,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Text,
    Tuple,
    Union,
    Value,
)


def join_strings(machine: Machine, parts: Sequence[Value]) -> Value:
    """The concatenation of strings, some of which may have dynamic parts."""
    template, values = "", []
    for part in parts:
        if isinstance(part, Text):
            template += part.template
            values += part.parts
        elif isinstance(part, Union):
            template += "{}"
            values.append(part)
        else:
            template += str(machine.static(part)).replace("{", "{{").replace("}", "}}")
    return machine.message(template, *values)


def format_value(machine: Machine, value: Value, specification: Value, conversion: str | None) -> Value:
    """One replacement field of an f-string."""
    if is_string(machine, value) and not machine.static(specification) and conversion in (None, "s"):
        return value
    if machine.is_static(value) and machine.is_static(specification):
        item = machine.static(value)
        require_fixed(item)
        try:
            item = {None: lambda v: v, "s": str, "r": repr, "a": ascii}[conversion](item)
            return Const(format(item, machine.static(specification)))
        except Exception as error:
            return machine.reraise(error)
    if is_instance(machine, value):
        if conversion is None:
            cls = type_of(machine, value)
            found, owner = lookup(machine, cls, "__format__")
            method = find_special(machine, value, "__format__") if isinstance(found, types.FunctionType) else None
            if method is not None:
                return machine.call(method, (specification,))
            if owner is object and machine.static(specification):
                machine.raise_(TypeError, f"unsupported format string passed to {cls.__name__}.__format__")
        name = "__repr__" if conversion == "r" or find_special(machine, value, "__str__") is None else "__str__"
        method = find_special(machine, value, name)
        if method is None:
            raise Refused("XP0004", f"the text of an object of class {type_of(machine, value).__name__}")
        text = of_special(machine, value, name, machine.call(method, ()))
        return format_value(machine, text, specification, None)
    wanted = machine.static(specification)
    sample = "" if conversion else _sample(machine, value)
    if sample is not None:
        _check_format(machine, sample, wanted)
    return machine.message("{" + (f"!{conversion}" if conversion else "") + f":{wanted}" + "}", value)


def _check_format(machine: Machine, sample: object, specification: str) -> None:
    """Raise what a value of the kind of `sample` says of a format that it does not have."""
    try:
        format(sample, specification)
    except (TypeError, ValueError) as error:
        machine.reraise(error)


def _sample(machine: Machine, value: Value) -> object:
    """A value of the same kind; None where none is known."""
    match value:
        case Scalar():
            return value.kind(1)
        case NumpyScalar():
            return value.var.type.dtype.type(1)
        case NdArray():
            return np.ones(tuple(min(n, 1) for n in value.type.shape), value.type.dtype)
        case Tuple() if value.cls is tuple:
            return ()
        case Ref() if type_of(machine, value) in (list, dict, set):
            return type_of(machine, value)()
    return None


# -- exceptions -------------------------------------------------------------------------------------------------------

#: classes whose text is that of the arguments; of the others in compiled code it is refused
_PLAIN = (
    BaseException,
    KeyError,
    NameError,
    UnboundLocalError,
    AttributeError,
    StopIteration,
    OSError,  # of one argument: others are refused
    ImportError,
)
_PLAIN_TEXTS = {cls.__str__ for cls in _PLAIN} | {BaseException.__repr__}


def _text_of(how: object) -> Callable[[Machine, Value], Value]:
    def rule(machine: Machine, self: Value) -> Value:
        if how not in _PLAIN_TEXTS:
            raise Refused("XP0004", f"the text of an object of class {type_of(machine, self).__name__}")
        return over_unions(machine, (arguments(machine, self),), lambda v: _of_arguments(machine, self, v, how))

    return rule


for _cls in [cls for cls in vars(builtins).values() if isinstance(cls, type) and issubclass(cls, BaseException)]:
    for _name in ("__str__", "__repr__"):
        if _name in vars(_cls):
            registry.method(_cls, _name)(_text_of(vars(_cls)[_name]))


def _of_arguments(machine: Machine, error: Value, arguments: Value, how: object) -> Value:
    """What `how` makes of an exception with these arguments."""
    if not isinstance(arguments, Tuple):
        raise Refused("XP0004", "the text of an exception with arguments of unknown number")
    args = arguments.items
    if how is BaseException.__repr__:
        parts: list[Value] = [Const(f"{type_of(machine, error).__name__}(")]
        for index, arg in enumerate(args):
            parts += [Const(", ")] * (index > 0) + [format_value(machine, arg, Const(""), "r")]
        return join_strings(machine, [*parts, Const(")")])
    if len(args) == 1:
        return format_value(machine, args[0], Const(""), "r" if how is KeyError.__str__ else "s")
    return format_value(machine, Tuple(args), Const(""), "s") if args else Const("")
