"""Strings: known ones are folded by Python; those with dynamic parts are put together on the host."""

from __future__ import annotations

import re
import string
import types
import unicodedata
from collections.abc import Callable
from operator import getitem

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.containers import container_protocol, dynamic_dicts
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers import math_functions, range_objects
from xlapy.dispatch.numbers.scalar_values import (
    COMPARISONS,
    bounds_of,
    defines,
    fold,
    kind_of,
    provoke,
    scalar,
    stand_in,
)
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.python import string_formatting
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.growable_lists import has_choice
from xlapy.domain.values import Const, GrowableList, NumpyScalar, Text, Tuple, Union, Value, constants

_PERCENT = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[-+ 0#]*)(?P<width>\d*)(?:\.(?P<digits>\d+))?(?P<kind>[a-zA-Z%])"
)
_NO_NUMBERS = (str, bytes, list, tuple, dict, set, type(None))


def is_text(machine, value: Value) -> bool:
    """Whether a value is a str, perhaps with dynamic parts, or one of several."""
    if isinstance(value, Union):
        return all(is_text(machine, v) for v in value.alternatives)
    return kinds.is_string(machine, value) or (isinstance(value, Const) and isinstance(value.value, str))


@registry.operator(str, bytes)
def operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`+`, `*`, `%` and comparisons."""
    plain = symbol if symbol in ("==", "!=", "<", "<=", ">", ">=") else symbol.removesuffix("=")
    if plain == "%" and kinds.is_string(machine, left):
        left = Const(machine.static(left, "a template"))
    if plain == "%" and isinstance(left, Const) and isinstance(left.value, str):
        return percent(machine, left.value, right)
    if plain == "%" and isinstance(left, Const) and isinstance(left.value, bytes):
        if not machine.is_static(right):
            raise Refused("XP0004", "bytes % values that depend on data", "format a str, and encode it")
        return fold(machine, lambda t, v: t % v, left.value, machine.static(right))
    if plain == "*":
        if range_objects.is_index(machine, left):
            left, right = right, left
        if range_objects.is_index(machine, right) and (is_text(machine, left) or isinstance(left, Const)):
            count = range_objects.static_count(machine, right, "how often a string is repeated")
            if not isinstance(left, Const):
                return string_formatting.join_strings(machine, [left] * max(count, 0))
            return fold(machine, lambda s, n: s * n, left.value, count)
        return None
    both = is_text(machine, left) and is_text(machine, right)
    if both and (kinds.is_string(machine, left) or kinds.is_string(machine, right)):
        if plain == "+":
            return string_formatting.join_strings(machine, [left, right])
        if plain in ("==", "!=") and left == right:
            return Const(plain == "==")
        known = [machine.static(text, "a string that is compared") for text in (left, right)]
        return fold(machine, COMPARISONS[plain], *known) if plain in COMPARISONS else None
    return None


def percent(machine, template: str, right: Value) -> Value:
    """`template % right`."""
    if machine.is_static(right):
        return fold(machine, lambda t, v: t % v, template, machine.static(right))
    if "%" in _PERCENT.sub("", template):
        raise Refused(
            "XP0004", "a width or precision that is an argument of %, or a template that is none", "use an f-string"
        )
    values = list(right.items) if isinstance(right, Tuple) else [right]
    takes_keys = not isinstance(right, Tuple) and defines(machine, machine.type_of(right), "__getitem__")
    mapping = container_protocol.entries(machine, right) if kinds.heap_kind(machine, right) == "dict" else {}
    text, parts, end = "", [], 0
    for match in _PERCENT.finditer(template):
        text += _escaped(template[end : match.start()])
        end = match.end()
        if match["kind"] == "%":
            text += "%"
            continue
        if match["key"] is None and not values:
            machine.raise_(TypeError, "not enough arguments for format string")
        key = match["key"]
        if key is None:
            value = values.pop(0)
        elif not takes_keys:
            machine.raise_(TypeError, "format requires a mapping")
        elif kinds.is_instance(machine, right):
            value = machine.call(machine.getattr(right, "__getitem__"), [Const(key)])
        else:
            value = mapping[key] if key in mapping else machine.raise_(KeyError, key)
        value = _as_number(machine, match["kind"], value)
        text += _field(machine, match, value)
        parts.append(value)
    if values and not takes_keys:
        machine.raise_(TypeError, "not all arguments converted during string formatting")
    return machine.message(text + _escaped(template[end:]), *parts)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _as_number(machine, kind: str, value: Value) -> Value:
    """What CPython makes of the value of a field for numbers: a float, or an int of what is none."""
    number = kind_of(value)
    real = number in (bool, int, float) or isinstance(value, NumpyScalar) and value.var.type.dtype.kind in "iuf"
    if kind in "eEfFgG" and not real:
        return scalar(machine, float, math_functions.real(machine, value))
    if kind in "diu" and (number is complex or issubclass(machine.type_of(value), _NO_NUMBERS)):
        machine.raise_(TypeError, str(provoke(lambda shown: f"%{kind}" % shown, stand_in(machine.type_of(value)))))
    if kind in "diu" and (number is float or isinstance(value, NumpyScalar) and not _is_whole(value)):
        return machine.call(Const(int), [value])
    if kind in "xXo" and number in (float, complex):
        machine.raise_(TypeError, str(provoke(lambda shown: f"%{kind}" % shown, stand_in(machine.type_of(value)))))
    return value


def _is_whole(value: Value) -> bool:
    return kind_of(value) in (bool, int) or isinstance(value, NumpyScalar) and value.var.type.dtype.kind in "iu"


def _field(machine, match: re.Match, value: Value) -> str:
    """A field of `%` formatting as one of `str.format`."""
    kind, flags, width, digits = match["kind"], match["flags"], match["width"], match["digits"]
    if kind in "sr":
        if width or digits:
            align = "<" if "-" in flags else ">"
            return "{" + f"!{kind}:{align}{width}" + (f".{digits}" if digits else "") + "}"
        return "{" + f"!{kind}" + "}"
    number = kind_of(value)
    real = number in (bool, int, float) or isinstance(value, NumpyScalar)
    whole = _is_whole(value)
    if not real or (kind in "diuxXo" and (not whole or digits)) or kind not in "diueEfFgGxXo":
        raise Refused("XP0004", f"'%{kind}' of {machine.describe(value)}", "use an f-string")
    align = "<" if "-" in flags else ""
    sign = "+" if "+" in flags else " " if " " in flags else ""
    zero = "0" if "0" in flags and not align and width else ""
    shape = "#" if "#" in flags else ""
    precision = f".{digits}" if digits else ""
    letter = "d" if kind in "diu" else kind
    return "{:" + align + sign + shape + zero + width + precision + letter + "}"


@registry.method(str, "format")
def format_(machine, self: Value, /, *args: Value, **kwargs: Value) -> Value:
    """`template.format(*args, **kwargs)`."""
    template = machine.static(self)
    if all(machine.is_static(v) for v in (*args, *kwargs.values())):
        known = [machine.static(a) for a in args]
        return fold(machine, template.format, *known, **{k: machine.static(v) for k, v in kwargs.items()})
    text, parts, automatic = "", [], 0
    for literal, name, specification, conversion in string.Formatter().parse(template):
        text += _escaped(literal)
        if name is None:
            continue
        if "{" in (specification or ""):
            raise Refused(
                "XP0004",
                "a replacement field within another one, with arguments that depend on data",
                "use an f-string",
            )
        first, rest = re.findall(r"^([^.\[]*)(.*)", name)[0]
        if not first:
            first, automatic = str(automatic), automatic + 1
        if first.isdigit():
            if int(first) >= len(args):
                machine.raise_(IndexError, f"Replacement index {first} out of range for positional args tuple")
            value = args[int(first)]
        elif first in kwargs:
            value = kwargs[first]
        else:
            value = machine.raise_(KeyError, first)
        for attribute, key in re.findall(r"\.(\w+)|\[([^\]]*)\]", rest):
            value = (
                machine.getattr(value, attribute)
                if attribute
                else machine.getitem(value, Const(int(key) if key.isdigit() else key))
            )
        made = string_formatting.format_value(machine, value, Const(specification or ""), conversion)
        if isinstance(made, Text):
            text += made.template
            parts += made.parts
        else:
            text += _escaped(str(machine.static(made)))
    return machine.message(text, *parts)


@registry.method(str, "join")
def join(machine, self: Value, iterable: Value) -> Value:
    """`separator.join(strings)`."""
    if not isinstance(iterable, Union) and not iteration.is_iterable(machine, iterable):
        machine.raise_(TypeError, "can only join an iterable")
    iterable = iteration.begun_twice(machine, iterable)
    kind = kinds.heap_kind(machine, iterable)
    if kind == "generator" and dynamic_dicts.has_unknown(machine, iterable):
        iterable = machine.call(Const(list), [iterable])
    growable = growable_list_items.of(machine, iterable)
    if growable is not None and (not isinstance(growable.length, Const) or has_choice(growable.element)):
        return _joined_on_the_host(machine, self, iterable, growable)
    parts: list[Value] = []
    for number, item in enumerate(iteration.items(machine, iterable)):
        if not is_text(machine, item):
            name = iteration.type_name(machine, item)
            machine.raise_(TypeError, f"sequence item {number}: expected str instance, {name} found")
        parts += [item] if not number else [self, item]
    known = constants(parts)
    return string_formatting.join_strings(machine, parts) if known is None else Const("".join(known))


def _joined_on_the_host(machine, separator: Value, strings: Value, growable: GrowableList) -> Value:
    """The strings of a list that grew, joined: a part of a text that is a list with a format of its own."""
    if not is_text(machine, growable.element):
        raise Refused("XP0004", "join of a list whose length depends on data, of items that are no strings")
    copied = machine.call(Const(list), [strings])
    return machine.message("{:{}}", copied, string_formatting.join_strings(machine, [Const("join:"), separator]))


@registry.function(str)
@registry.takes_mixed
def text_of(machine, /, *args: Value, **kwargs: Value) -> Value:
    """`str(value)`."""
    if "object" in kwargs and not args:
        args = (kwargs.pop("object"),)
    if not args:
        return fold(machine, str, **{k: machine.static(v) for k, v in kwargs.items()})
    value, *others = args
    if others or kwargs:
        known = [machine.static(a) for a in args]
        return fold(machine, str, *known, **{k: machine.static(v) for k, v in kwargs.items()})
    return string_formatting.format_value(machine, value, Const(""), "s")


@registry.function(repr)
@registry.takes_mixed
def representation(machine, value: Value) -> Value:
    """`repr(value)`."""
    return string_formatting.format_value(machine, value, Const(""), "r")


@registry.function(format)
@registry.takes_mixed
def formatted(machine, value: Value, specification: Value | None = None) -> Value:
    """`format(value, specification)`."""
    return string_formatting.format_value(machine, value, Const("") if specification is None else specification, None)


def _folds(function: Callable) -> Callable[..., Value]:
    def rule(machine, /, *args: Value, **kwargs: Value) -> Value:
        known = [machine.static(a, "an argument") for a in args]
        return fold(machine, function, *known, **{k: machine.static(v) for k, v in kwargs.items()})

    return rule


_OF_CHARACTERS = (f for f in vars(unicodedata).values() if isinstance(f, types.BuiltinFunctionType))
for _function in (ascii, bytes, ord, *_OF_CHARACTERS):
    registry.function(_function)(_folds(_function))
_CHARACTERS = 0x110000
#: where there is no character, and what CPython says of the number
_NO_CHARACTERS = tuple(
    (symbol, end, provoke(chr, end - (symbol == "<")))
    for symbol, end in (("<", -(2**31)), (">=", 2**31), ("<", 0), (">=", _CHARACTERS))
)


def _is_character(given: Value, number: Value) -> bool:
    """Whether there is a character of each number that this one may be."""
    if isinstance(given, NumpyScalar) and given.var.type.dtype.kind in "ub" and given.var.type.dtype.itemsize <= 2:
        return True
    low, high = bounds_of(number)
    return low >= 0 and high < _CHARACTERS


def _of_number(function: Callable, specification: str) -> None:
    """A function whose text is that of a format of the number."""
    folds = _folds(function)

    def rule(machine, /, *args: Value, **kwargs: Value) -> Value:
        if len(args) != 1 or kwargs or machine.is_static(args[0]) or not range_objects.is_index(machine, args[0]):
            return folds(machine, *args, **kwargs)
        number = range_objects.index(machine, args[0])
        if function is chr and not _is_character(args[0], number):
            if machine.catching:  # what may raise here is more than a text
                return folds(machine, *args)
            for symbol, end, error in _NO_CHARACTERS:
                outside = machine.truth(machine.compare(symbol, number, Const(end)))
                machine.check(outside, type(error), *error.args)
        return string_formatting.format_value(machine, number, Const(specification), None)

    registry.function(function)(rule)


for _function, _specification in ((chr, "c"), (bin, "#b"), (hex, "#x"), (oct, "#o")):
    _of_number(_function, _specification)


def lifted(machine, found: object) -> Value:
    """What a fold gave, with fresh lists, dicts and sets."""
    if isinstance(found, list):
        return machine.new_list([lifted(machine, item) for item in found])
    if isinstance(found, dict):
        return machine.new_dict({key: lifted(machine, item) for key, item in found.items()})
    if isinstance(found, tuple):
        return Tuple(tuple(lifted(machine, item) for item in found), type(found))
    return Const(found)


def _method(function: Callable) -> Callable[..., Value]:
    def rule(machine, /, *args: Value, **kwargs: Value) -> Value:
        known = [machine.static(a, "a string") for a in args]
        named = {name: machine.static(v, "a string") for name, v in kwargs.items()}
        return lifted(machine, fold(machine, function, *known, **named).value)

    return rule


for _cls in (str, bytes):
    for _name in dir(_cls):
        if not _name.startswith("_") and registry.find_method(_cls, _name) is None:
            registry.method(_cls, _name)(_method(getattr(_cls, _name)))
for _function in (int.to_bytes, float.as_integer_ratio, float.hex):
    registry.method(_function.__objclass__, _function.__name__)(_method(_function))
for _function in (re.sub, re.subn, re.split, re.findall, re.escape):
    registry.function(_function)(_method(_function))
for _cls, _name in ((int, "from_bytes"), (float, "fromhex")):
    registry.method(_cls, _name)(_method(getattr(_cls, _name)))
for _function in (str.maketrans, bytes.maketrans):
    registry.function(_function)(_method(_function))


@container_protocol.register(container_protocol.GETITEM, str, bytes)
def _getitem(machine, self: Value, key: Value) -> Value:
    text = machine.static(self, "a string whose characters are used")
    if container_protocol.is_slice(key):
        return Const(text[container_protocol.static_slice(machine, key)])
    if not range_objects.is_index(machine, key):
        return fold(machine, getitem, text, machine.static(key))
    number = key if isinstance(key, Const | NumpyScalar) else range_objects.index(machine, key)
    return fold(machine, getitem, text, machine.static(number, "an index into a string"))


@container_protocol.register(container_protocol.CONTAINS, str, bytes)
def _contains(machine, item: Value, self: Value) -> bool:
    known = machine.static(self), machine.static(item)
    return fold(machine, lambda s, i: i in s, *known).value
