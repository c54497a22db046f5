"""Structured arrays at the edges: how they are found, what makes them, and how the host gets them (see `records`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.numpy import matrix_class, records
from xlapy.dispatch.numpy.rule_operands import supported
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import Const, Ref, Tuple, Value

_HINT = "use its fields, which are arrays: p['x']"
_STAND_INS = {id(function): stand_in for function, stand_in in records.IMPLEMENTATIONS.items()}
#: where a type is among the arguments of those that take one
_PLACE_OF_TYPE = {
    id(function): names.index("dtype")
    for function, stand_in in records.IMPLEMENTATIONS.items()
    if "dtype" in (names := list(inspect.signature(stand_in).parameters))
}


@registry.function(records.refuse)
def _refuse(machine: Machine, what: Value) -> Value:
    raise Refused("XP0005", machine.static(what), _HINT)


@registry.function(records.subset)
def _subset(machine: Machine, dtype: Value, names: Value) -> Value:
    return Const(records.subset(machine.static(dtype), machine.static(names)))


@registry.function(records.is_records)
def _is_records(machine: Machine, value: Value) -> Value:
    return Const(class_of(machine, value) is not None)


def class_of(machine: Machine, value: Value) -> type[records.Fields] | None:
    """The class of ours that stands for a structured array or a record; None for other things."""
    if not isinstance(value, Ref):
        return None
    cls = machine.heap.objects[value.object].cls
    return cls if issubclass(cls, records.Fields) else None


def seen_as(cls: type) -> type:
    """The class that a program sees an object to be of."""
    return cls.stands_for if issubclass(cls, records.Record | records.Records | matrix_class.Matrix) else cls


def implementation(
    machine: Machine, item: object, args: list[Value], kwargs: dict[str, Value]
) -> tuple[Callable, list[Value], dict[str, Value]] | None:
    """What is called in the place of a function of NumPy's that is given a structured array, or is to make one."""
    of_matrix = matrix_class.implementation(machine, item, args)
    if of_matrix is not None:
        return *of_matrix, kwargs
    stand_in = _STAND_INS.get(id(item))
    if stand_in is None:
        return None
    place = _PLACE_OF_TYPE.get(id(item), len(args))
    given = kwargs.get("dtype", args[place] if len(args) > place else None)
    dtype = None if given is None else _dtype(machine, given)
    if dtype is not None:
        _require_supported("an array", dtype)
        known = Const(dtype)
        if "dtype" in kwargs:
            kwargs = {**kwargs, "dtype": known}
        else:
            args = [*args[:place], known, *args[place + 1 :]]
        return stand_in, args, kwargs
    parts = [*args[:2], *(machine.iterate(args[0]) if _holds_items(machine, item, args) else ())]
    return (stand_in, args, kwargs) if any(class_of(machine, v) for v in parts) else None


def _holds_items(machine: Machine, item: object, args: Sequence[Value]) -> bool:
    """Whether the first argument has what is joined for items."""
    if item is not np.concatenate or not args:
        return False
    first = args[0]
    return isinstance(first, Tuple) or isinstance(first, Ref) and machine.heap.objects[first.object].kind == "list"


def _dtype(machine: Machine, value: Value) -> np.dtype | None:
    """The type with fields that an argument stands for; None if it has none, or is not known."""
    try:
        found = np.dtype(machine.static(value))
    except (Refused, TypeError, ValueError):
        return None
    return found if found.names else None


def required(found: np.ndarray, kind: type, source: object) -> type[records.Records]:
    """The class that stands for a structured array of the caller's.

    Raises:
        Refused: if it is of a subclass of NumPy's, or its fields overlap.
    """
    if kind not in (np.ndarray, np.memmap, np.recarray):
        raise Refused(
            "XP0005", f"{source} is a {kind.__module__}.{kind.__name__}, a subclass of ndarray", "pass np.asarray(x)"
        )
    _require_supported(str(source), found.dtype, deep=False)
    return records.RecordArray if kind is np.recarray else records.Records


def _require_supported(what: str, dtype: np.dtype, deep: bool = True) -> None:
    fields: Any = dtype.fields or {}
    ends = sorted((entry[1], entry[1] + entry[0].itemsize) for entry in fields.values())
    if any(end > start for (_, end), (start, _) in zip(ends, ends[1:], strict=False)):
        raise Refused("XP0005", f"{what} has fields that share memory", _HINT)
    for name in (dtype.names or ()) if deep else ():
        own = dtype[name].base
        if own.names:
            _require_supported(f"field '{name}' of {what}", own)
        elif not supported(own) or not own.isnative:
            raise Refused(
                "XP0005", f"field '{name}' of {what} is of dtype {own}, which XLA does not have", "use numbers"
            )


def on_host(cls: type, parts: Mapping[str, Any]) -> Any:
    """The structured array, or the record, that an object of a class of ours stands for."""
    if cls is matrix_class.Matrix:
        return np.asarray(parts["elements"]).view(np.matrix)
    if "view" in parts:
        return parts["view"][()] if cls is records.Record else parts["view"]
    dtype, axes = parts["dtype"], parts["axes"]
    fields = {name: np.asarray(parts[records.FIELD + name]) for name in dtype.names}
    made = np.empty(next(iter(fields.values())).shape[:axes], dtype)
    for name, elements in fields.items():
        made[name] = elements
    if cls is records.Record:
        return made[()]
    return made.view(np.recarray) if cls is records.RecordArray else made


__all__ = ["class_of", "implementation", "on_host", "required", "seen_as"]
