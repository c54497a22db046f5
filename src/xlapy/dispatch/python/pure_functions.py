"""Functions of the standard library that only compute with texts, dates and other plain data: they are called when the
program is compiled, with arguments that are known then."""

from __future__ import annotations

import base64
import binascii
import calendar
import datetime
import json
import operator
import os
import pprint
import re
import shlex
import struct
import urllib.parse
from collections.abc import Callable

from xlapy.dispatch import registry
from xlapy.dispatch.containers import container_protocol
from xlapy.dispatch.numbers.scalar_values import COMPARISONS, fold
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.python.strings import lifted
from xlapy.domain.values import Const, Value


def _folded(function: Callable, *, what: str = "an argument") -> Callable[..., Value]:
    def rule(machine, /, *args: Value, **kwargs: Value) -> Value:
        known = [machine.static(a, what) for a in args]
        named = {name: machine.static(v, what) for name, v in kwargs.items()}
        return lifted(machine, fold(machine, function, *known, **named).value)

    return rule


def _each(function: Callable) -> Callable[..., Value]:
    """What a function gives that makes an iterator: one over a list."""
    listed = _folded(lambda *args, **kwargs: list(function(*args, **kwargs)))
    return lambda machine, /, *args, **kwargs: machine.call(Const(iter), [listed(machine, *args, **kwargs)])


for _function in (
    json.dumps, json.loads, os.fspath, os.path.join, os.path.basename, os.path.dirname, os.path.split,
    os.path.splitext, os.path.normpath, os.path.isabs, os.path.commonprefix, re.compile, re.match, re.search,
    re.fullmatch, struct.pack, struct.unpack, struct.calcsize, base64.b64encode, base64.b64decode, binascii.hexlify,
    binascii.unhexlify, calendar.monthrange, calendar.weekday, calendar.timegm, pprint.pformat, shlex.split,
    urllib.parse.quote, urllib.parse.unquote, urllib.parse.urlencode, urllib.parse.urlparse, urllib.parse.urljoin,
):  # fmt: skip
    registry.function(_function)(_folded(_function))
registry.function(re.finditer)(_each(re.finditer))

for _cls, _names in (
    (re.Pattern, "match search fullmatch findall split sub subn"),
    (re.Match, "group groups groupdict start end span expand"),
):
    for _name in _names.split():
        registry.method(_cls, _name)(_folded(getattr(_cls, _name), what="a text"))
registry.method(re.Pattern, "finditer")(_each(re.Pattern.finditer))


@container_protocol.register(container_protocol.GETITEM, re.Match)
def _group(machine, self: Value, key: Value) -> Value:
    return fold(machine, operator.getitem, machine.static(self), machine.static(key, "a group"))


# -- dates -------------------------------------------------------------------------------------------------------------

_DATES = (datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone)
#: class methods that ask for the time or the time zone of the machine
_CLOCKS = frozenset("now today utcnow fromtimestamp utcfromtimestamp astimezone timestamp".split())
_OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv} | {
    "//": operator.floordiv, "%": operator.mod, **COMPARISONS,
}  # fmt: skip


def _clock(machine, /, *args: Value, **kwargs: Value) -> Value:
    raise Refused("XP0003", "the date or time zone of the machine is asked for", "pass the date as an argument")


@registry.operator(*_DATES)
def _of_dates(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """Arithmetic and comparisons of dates, times and the spans between them."""
    plain = symbol if symbol in COMPARISONS else symbol.removesuffix("=")
    if plain not in _OPERATORS:
        return None
    known = [machine.static(value, "a date or a number beside it") for value in (left, right)]
    return lifted(machine, fold(machine, _OPERATORS[plain], *known).value)


for _cls in _DATES:
    registry.function(_cls)(_folded(_cls))
    for _name in dir(_cls):
        if not _name.startswith("_") and callable(getattr(_cls, _name)):
            registry.method(_cls, _name)(_clock if _name in _CLOCKS else _folded(getattr(_cls, _name)))
