"""Texts of values: f-strings, `str`, `repr`, and what exceptions say."""

from __future__ import annotations

import types
from collections.abc import Sequence

from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.python.attributes import find_special, lookup
from xlapy.dispatch.python.exceptions import exception_parts
from xlapy.dispatch.python.kinds import is_instance, is_string, require_fixed, type_of
from xlapy.domain.values import (
    Const,
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
        method = find_special(machine, value, "__repr__" if conversion == "r" else "__str__")
        method = method or find_special(machine, value, "__repr__")
        if method is None and issubclass(type_of(machine, value), BaseException):
            return format_value(machine, exception_text(machine, value, conversion == "r"), specification, None)
        if method is None:
            raise Refused("XP0004", f"the text of an object of class {type_of(machine, value).__name__}")
        return format_value(machine, machine.call(method, ()), specification, None)
    text = "{" + (f"!{conversion}" if conversion else "") + f":{machine.static(specification)}" + "}"
    return machine.message(text, value)


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
