"""Messages: abstract values in words, and obstacles at their places in the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xlapy.dispatch.protocol import Refused
from xlapy.domain.object_names import JoinFailure
from xlapy.domain.values import (
    UNBOUND,
    BoundedArray,
    Const,
    GrowableList,
    JaxArray,
    Mapping,
    Marker,
    NdArray,
    NumpyScalar,
    Scalar,
    Stored,
    Union,
    Value,
)
from xlapy.ir import OURS, Location
from xlapy.report import Blocker

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

    from xlapy.interpreter.frame import Frame
    from xlapy.interpreter.machine import Machine


def name_of(code: CodeType, frames: Sequence[Frame]) -> str:
    """The name of a function that is called by these frames; if it stands for a built-in one, of what calls that."""
    codes = [code, *(frame.code for frame in reversed(frames))]
    return next((c for c in codes if not c.co_filename.startswith(OURS)), code).co_qualname


#: texts of constants that are longer are not shown
_LONGEST = 60


def describe(machine: Machine, value: Value) -> str:
    """A phrase for a value: what it is, as far as that is known."""
    match value:
        case Const():
            text = repr(value.value)
            return text if len(text) < _LONGEST else _a(type(value.value).__name__)
        case Scalar():
            return f"{_a(value.kind.__name__)} that depends on data"
        case NumpyScalar():
            return f"a numpy.{value.var.type.dtype} that depends on data"
        case JaxArray():
            return f"a jax.Array of type {value.var.type}"
        case NdArray():
            return f"an array of type {value.type}"
        case BoundedArray():
            return f"an array whose length depends on data, at most of type {value.base.type}"
        case Union():
            return "one of " + ", ".join(describe(machine, v) for v in value.alternatives)
        case GrowableList():
            return "the items of a list whose length depends on data"
        case Stored():
            return f"{_a(value.cls.__name__)} in a list that grew in a loop"
        case Mapping():
            return f"a dict with the keys {list(value.entries)}" if value.entries else "an empty dict"
        case Marker():
            return "no value, as its name is not bound" if value is UNBOUND else "no value"
    try:
        return _a(machine.type_of(value).__name__)
    except Refused:
        return "a value whose type depends on data"


def unjoined(machine: Machine, failure: JoinFailure) -> str:
    """What is wrong with two values that cannot be one: a phrase that goes on after 'values that'."""
    values = [v for v in (failure.first, failure.second) if not isinstance(v, Marker) or v is UNBOUND]
    if len(values) < 2:
        return failure.reason
    first, second = (describe(machine, v) for v in values)
    return f"{failure.reason}: {first} and {second}" if first != second else f"{failure.reason} (each is {first})"


def named(machine: Machine, place: tuple | None) -> str:
    """The variable or attribute that a place is, in quotes; empty if it has no name."""
    if place is None:
        return ""
    if len(place) == 1:
        name = machine.frame.program.register_names[place[0]]
        return f"'{name}'" if name is not None else ""
    info = machine.heap.objects.get(place[0])
    return f"'{info.cls.__name__}.{place[1]}'" if info is not None and info.kind == "instance" else ""


def _a(noun: str) -> str:
    return f"an {noun}" if noun[:1].lower() in "aeiou" else f"a {noun}"


def locate(code: str, message: str, hint: str, location: Location | None) -> Blocker:
    """A blocker at a place in the source. Functions of this package that stand for others are passed over."""
    if location is None:
        return Blocker(code, message, hint=hint)
    places = [location]
    while places[-1].caller is not None:
        places.append(places[-1].caller)
    location, *callers = [p for p in places if not p.filename.startswith(OURS)] or places
    chain = [(caller.function, caller.filename, caller.line) for caller in callers]
    return Blocker(
        code,
        message,
        location.filename,
        location.function,
        location.line,
        location.end_line,
        location.column,
        location.end_column,
        tuple(chain),
        hint,
    )
