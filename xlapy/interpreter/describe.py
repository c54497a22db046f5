"""Abstract values in the words of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xlapy.dispatch.protocol import Refused
from xlapy.domain.object_names import JoinFailure
from xlapy.domain.values import (
    UNBOUND,
    BoundedArray,
    Const,
    JaxArray,
    Mapping,
    Marker,
    NdArray,
    NumpyScalar,
    Scalar,
    Stack,
    Stored,
    Union,
    Value,
)

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

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
        case Stack():
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
