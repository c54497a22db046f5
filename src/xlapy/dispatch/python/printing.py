"""`print` and `warnings.warn` (and see `log_records`): the lines are values of the program, threaded like any other,
and printed in order when the run has ended.

A `print` under a condition gives the program one of several texts; one in a loop that stays a loop cannot be kept.
"""

from __future__ import annotations

import io
import sys
import warnings
from typing import Any

from xlapy.dispatch import kinds, registry, unions
from xlapy.dispatch.numbers.scalar_values import provoke, stand_in
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.python import environment, string_formatting
from xlapy.dispatch.python.warning_filters import is_ignored
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.heap import STATE
from xlapy.domain.values import (
    NONE,
    UNBOUND,
    Const,
    GrowableList,
    JaxArray,
    MixedScalar,
    NdArray,
    Ref,
    Tuple,
    Union,
    Value,
    is_none,
    tuple_items,
)

_SPACE, _NEWLINE, _ONE = Const(" "), Const("\n"), Const(1)


@registry.function(print)
@registry.takes_mixed
def _print(
    machine: Machine, *items: Value, sep: Value = _SPACE, end: Value = _NEWLINE, file: Value = NONE, flush: Value = NONE
) -> Value:
    """`print(*items, sep=, end=)`; `flush` changes nothing, since all is written at once."""
    stream = None if is_none(file) else _real(machine, file)
    if stream not in (None, sys.stdout, sys.stderr):
        raise Refused("XP0010", "print to a file", "print to standard output")
    for name, value in (("sep", sep), ("end", end)):
        if not is_none(value) and not issubclass(machine.type_of(value), str):
            shown = kinds.shown(machine.type_of(value))
            machine.raise_(TypeError, f"{name} must be None or a string, not {shown}")
    parts: list[Value] = []
    for index, item in enumerate(items):
        if index:
            parts.append(_SPACE if is_none(sep) else sep)
        parts.append(text(machine, item))
    parts.append(_NEWLINE if is_none(end) else end)
    line = string_formatting.join_strings(machine, parts)
    add(machine, line if stream is not sys.stderr else Tuple((Const("stderr"), line)))
    return NONE


#: what streams of texts derive from
_STREAM = io.StringIO.__mro__[1]


@registry.method(_STREAM, "write")
def _write(machine: Machine, stream: Value, line: Value) -> Value:
    """`sys.stdout.write(text)`."""
    real = _real(machine, stream)
    if real not in (sys.stdout, sys.stderr):
        raise Refused("XP0010", "a text is written to a file", "write it after the call")
    if not issubclass(machine.type_of(line), str):
        machine.raise_(TypeError, *provoke(io.StringIO().write, stand_in(machine.type_of(line))).args)
    add(machine, line if real is sys.stdout else Tuple((Const("stderr"), line)))
    return Const(len(line.value)) if isinstance(line, Const) else environment.unknown(machine)


@registry.method(_STREAM, "flush")
def _flush(machine: Machine, stream: Value) -> Value:
    """`sys.stdout.flush()` changes nothing, since all is written at once."""
    if _real(machine, stream) not in (sys.stdout, sys.stderr):
        raise Refused("XP0010", "a file is flushed", "write it after the call")
    return NONE


def _real(machine: Machine, stream: Value) -> Any:
    """A stream of the caller's."""
    info = machine.heap.objects[stream.object] if isinstance(stream, Ref) else None
    return machine.static(stream) if info is None else info.real


@registry.function(warnings.warn)
def _warn(
    machine: Machine,
    message: Value,
    category: Value = NONE,
    stacklevel: Value = _ONE,
    source: Value = NONE,
    *,
    skip_file_prefixes: Value = NONE,
) -> Value:
    """`warnings.warn(message)`: a record that the host shows when the run has ended, as from the place it comes
    from."""
    kind = machine.type_of(message)
    if issubclass(kind, Warning):
        cls: object = kind
        message = text(machine, message)
    else:
        cls = UserWarning if is_none(category) else machine.static(category)
    if not (isinstance(cls, type) and issubclass(cls, Warning)):
        machine.raise_(TypeError, f"category must be a Warning subclass, not '{type(cls).__name__}'")
    if is_ignored(machine, cls):
        return NONE
    frames = machine.frames
    frame = frames[-min(max(int(machine.static(stacklevel)), 1), len(frames))]
    place = frame.location()
    module = machine.heap.objects[frame.globals].real.get("__name__", "<string>")
    where = (Const(place.filename), Const(place.line), Const(module))
    add(machine, Tuple((Const("warning"), Const(cls), message, *where)))
    return NONE


def add(machine: Machine, line: Value) -> None:
    """Add a line to the texts of the run, unless an error came before."""
    error = machine.error_flag()
    if error is None:
        _append(machine, line)
    else:
        machine.cond(error, lambda: NONE, lambda: _append(machine, line))


def _append(machine: Machine, line: Value) -> Value:
    """Add a line to the texts of the run, whichever they are."""
    before = machine.heap.slots.get((STATE, "<items>"), Tuple(()))
    if isinstance(before, GrowableList):
        after: Value = growable_list_items.push(machine, before, line)
    elif isinstance(before, Union) and any(isinstance(a, GrowableList) for a in before.alternatives):
        raise Refused("XP0010", "print where one of several loops may have printed")
    elif isinstance(before, Union):
        after = Union(before.selector, tuple(Tuple((*tuple_items(a), line)) for a in before.alternatives))
    else:
        after = Tuple((*tuple_items(before), line))
    machine.heap.write(STATE, "<items>", after)
    return NONE


def aligned(first: Value, second: Value) -> tuple[Value, Value]:
    """The texts that two paths leave behind, of one length: None stands for a line that only the other path has. So a
    line under a condition is one of two, and the lines of several conditions are not told apart together."""
    if not (isinstance(first, Tuple) and isinstance(second, Tuple)):
        return first, second
    most = max(len(first.items), len(second.items))
    one, two = (
        v if len(v.items) == most else Tuple((*v.items, *[NONE] * (most - len(v.items)))) for v in (first, second)
    )
    return one, two


def text(machine: Machine, value: Value) -> Value:
    """`str(value)`."""
    if isinstance(value, Union) and not isinstance(value, MixedScalar):
        return unions.over_unions(machine, (value,), lambda v: text(machine, v))
    return string_formatting.format_value(machine, snapshot(machine, value), Const(""), "s")


def snapshot(machine: Machine, value: Value) -> Value:
    """A value whose text will not change when its arrays or lists do."""
    match value:
        case NdArray():
            return JaxArray(machine.read(value))
        case Tuple():
            return Tuple(tuple(snapshot(machine, v) for v in value.items), value.cls)
        case Ref():
            info = machine.heap.objects[value.object]
            items = (
                machine.heap.read(value.object, "<items>") if info.kind in ("list", "tuple", "dict", "set") else UNBOUND
            )
            if isinstance(items, Union) or isinstance(items, GrowableList) and info.kind != "list":
                raise Refused(
                    "XP0010",
                    "the text of a container whose length depends on data",
                    "print its items in a loop, or an array of them",
                )
            if info.cls is list:
                return machine.new_list([snapshot(machine, v) for v in growable_list_items.items(machine, items)])
            if info.cls is dict:
                entries = machine.heap.entries(value.object)
                return machine.new_dict({k: snapshot(machine, v) for k, v in entries.items()})
    return value
