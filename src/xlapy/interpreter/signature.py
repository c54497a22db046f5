"""Binds call arguments to parameters as CPython does, with its error messages."""

from __future__ import annotations

import inspect
import types
from typing import TYPE_CHECKING

from xlapy.domain.values import UNBOUND, Tuple, Value
from xlapy.immutable import immutable

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine


@immutable()
class Signature:
    """The parameters of a code object with the defaults of its function."""

    code: types.CodeType
    defaults: tuple[Value, ...]
    kwdefaults: dict[str, Value]


_TAKES_MORE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def bind(machine: Machine, name: str, signature: Signature, args: list[Value], kwargs: dict[str, Value]) -> list[Value]:
    """The values of the parameter registers, in order; CPython's TypeError where the call does not fit."""
    code = signature.code
    count, keyword_only = code.co_argcount, code.co_kwonlyargcount
    if len(args) == count and not keyword_only and not kwargs and not code.co_flags & _TAKES_MORE:
        return args
    names = code.co_varnames[: count + keyword_only]
    positional_only = names[: code.co_posonlyargcount]
    values: list[Value] = [UNBOUND] * (count + keyword_only)
    values[: min(len(args), count)] = args[:count]
    rest = args[count:]
    extra: dict[str, Value] = {}
    takes_kwargs = bool(code.co_flags & inspect.CO_VARKEYWORDS)
    for key, value in kwargs.items():
        if key in names and key not in positional_only:
            index = names.index(key)
            if values[index] is not UNBOUND:
                machine.raise_(TypeError, f"{name}() got multiple values for argument '{key}'")
            values[index] = value
        elif takes_kwargs:
            extra[key] = value
        elif key in positional_only:
            machine.raise_(
                TypeError, f"{name}() got some positional-only arguments passed as keyword arguments: '{key}'"
            )
        else:
            machine.raise_(TypeError, f"{name}() got an unexpected keyword argument '{key}'")
    takes_args = bool(code.co_flags & inspect.CO_VARARGS)
    if rest and not takes_args:
        _too_many(machine, name, signature, len(args), values)
    _fill_defaults(machine, name, signature, values)
    if takes_args:
        values.append(Tuple(tuple(rest)))
    if takes_kwargs:
        values.append(machine.new_dict(extra))
    return values


def _fill_defaults(machine: Machine, name: str, signature: Signature, values: list[Value]) -> None:
    code = signature.code
    count = code.co_argcount
    first_default = count - len(signature.defaults)
    missing = []
    for index in range(count):
        if values[index] is UNBOUND:
            if index >= first_default:
                values[index] = signature.defaults[index - first_default]
            else:
                missing.append(code.co_varnames[index])
    if missing:
        _missing(machine, name, "positional", missing)
    for index in range(count, count + code.co_kwonlyargcount):
        if values[index] is UNBOUND:
            parameter = code.co_varnames[index]
            if parameter in signature.kwdefaults:
                values[index] = signature.kwdefaults[parameter]
            else:
                missing.append(parameter)
    if missing:
        _missing(machine, name, "keyword-only", missing)


def _missing(machine: Machine, name: str, kind: str, names: list[str]) -> None:
    quoted = [repr(n) for n in names]
    if len(quoted) == 1:
        text = quoted[0]
    elif len(quoted) == 2:
        text = f"{quoted[0]} and {quoted[1]}"
    else:
        text = f"{', '.join(quoted[:-1])}, and {quoted[-1]}"
    plural = "" if len(names) == 1 else "s"
    machine.raise_(TypeError, f"{name}() missing {len(names)} required {kind} argument{plural}: {text}")


def _too_many(machine: Machine, name: str, signature: Signature, given: int, values: list[Value]) -> None:
    code, defaults = signature.code, len(signature.defaults)
    most = code.co_argcount
    takes = f"from {most - defaults} to {most}" if defaults else str(most)
    plural = "" if most == 1 and not defaults else "s"
    keyword_only = sum(values[i] is not UNBOUND for i in range(most, most + code.co_kwonlyargcount))
    if keyword_only:
        more = f" positional argument{'' if given == 1 else 's'} (and {keyword_only} keyword-only argument"
        more += f"{'' if keyword_only == 1 else 's'}) were given"
        machine.raise_(TypeError, f"{name}() takes {takes} positional argument{plural} but {given}{more}")
    verb = "was" if given == 1 else "were"
    machine.raise_(TypeError, f"{name}() takes {takes} positional argument{plural} but {given} {verb} given")
