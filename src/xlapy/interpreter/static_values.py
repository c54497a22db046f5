"""The Python object that an abstract value stands for, where all of it is known or can be made known."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from xlapy.dispatch.argument_kinds import require_static
from xlapy.dispatch.protocol import NeedStatic, Refused
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain import set_iteration_order
from xlapy.domain.sources import Source
from xlapy.domain.values import (
    BoundedArray,
    Const,
    JaxArray,
    Mapping,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Slice,
    Text,
    Tuple,
    Value,
    made_tuple,
)
from xlapy.ir import Var, constant_value

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine


def static(machine: Machine, value: Value, what: str) -> Any:
    """The object.

    Raises:
        NeedStatic: it depends on a device value.
        Refused: it cannot be known.
    """
    if isinstance(value, Const):
        return value.value
    kind = machine.heap.objects[value.object].kind if isinstance(value, Ref) else type(value)
    known = _KINDS.get(kind)
    if known is not None:
        return known(machine, value, what)
    raise Refused("XP0006", f"{what} must be known at compile time, but is {machine.describe(value)}")


def _tuple(machine: Machine, value: Tuple, what: str) -> tuple:
    if value.namespace is not None:
        raise Refused("XP0003", f"{what} is a {value.cls.__name__} with attributes", "pass tuple(x)")
    return made_tuple(value.cls, [static(machine, item, what) for item in value.items])


def _text(machine: Machine, value: Text, what: str) -> str:
    return value.template.format(*(static(machine, part, what) for part in value.parts))


def _number(machine: Machine, value: Scalar | NumpyScalar | JaxArray, what: str) -> Any:
    known = constant_value(value.var)
    if known is None:
        known = _worked_out(machine, value.var, what)
    return value.kind(known[()]) if isinstance(value, Scalar) else known[()]


def _array(machine: Machine, value: NdArray, what: str) -> np.ndarray:
    return _worked_out(machine, machine.read(value), what)


def _bounded_array(machine: Machine, value: BoundedArray, what: str) -> Any:
    raise require_static(machine, value)


def _ends(machine: Machine, value: Slice | Range, what: str) -> Any:
    parts = [static(machine, part, what) for part in (value.start, value.stop, value.step)]
    return slice(*parts) if isinstance(value, Slice) else range(*parts)


def _list(machine: Machine, value: Ref, what: str) -> list | collections.deque:
    contents = machine.heap.read(value.object, "<items>")
    items = [static(machine, item, what) for item in growable_list_items.items(machine, contents)]
    if machine.heap.objects[value.object].cls is collections.deque:
        return collections.deque(items, static(machine, machine.heap.read(value.object, "maxlen"), what))
    return items


def _dict(machine: Machine, value: Ref, what: str) -> dict:
    contents, cls = machine.heap.read(value.object, "<items>"), machine.heap.objects[value.object].cls
    if not isinstance(contents, Mapping):
        raise Refused("XP0006", f"{what} must be known at compile time, but is {machine.describe(value)}")
    entries = {k: static(machine, v, what) for k, v in contents.entries.items()}
    if cls is collections.defaultdict:
        factory = static(machine, machine.heap.read(value.object, "default_factory"), what)
        return collections.defaultdict(factory, entries)
    return entries if cls is dict else cls(entries)


def _set(machine: Machine, value: Ref, what: str) -> set:
    contents = machine.heap.read(value.object, "<items>")
    if not isinstance(contents, Mapping):
        raise Refused("XP0006", f"{what} must be known at compile time, but is {machine.describe(value)}")
    history = contents.history
    set_iteration_order.ask(contents.entries)
    if history is None or history.order is not None:
        return set(contents.entries)
    return set_iteration_order.replayed(history)


#: by class of values, or by kind of objects
_KINDS: dict[type[Value] | str, Callable[[Machine, Any, str], Any]] = {
    Tuple: _tuple,
    Text: _text,
    Slice: _ends,
    Range: _ends,
    Scalar: _number,
    NumpyScalar: _number,
    JaxArray: _number,
    NdArray: _array,
    BoundedArray: _bounded_array,
    "list": _list,
    "dict": _dict,
    "set": _set,
}


def _worked_out(machine: Machine, var: Var, what: str) -> np.ndarray:
    """The value of `var` for this call, if there is no other way; asks for specialisation first if there may be."""
    place, world = Source("value", (machine.location(), what)), machine.world
    wanted = place in world.static or machine.works_out and world.is_up_to_data(var)
    known = world.work_out(var) if wanted else None
    if known is None:
        raise NeedStatic(var, what, place)
    return known
