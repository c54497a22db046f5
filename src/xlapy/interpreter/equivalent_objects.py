"""Calls that are known for one object, given for another one of its class whose attributes are alike.

What a call that changed and emitted nothing has read says all that it depends on. If that is attributes of one object,
and else nothing but globals, closures and classes that hold no objects, the call has taken no notice of which object it
was. For another one whose attributes are equal constants, or inputs of the program of equal type, it goes the same way;
what it gives is the same constant, or the attribute that it gave then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xlapy.domain.heap import Heap, Slot
from xlapy.domain.numbers import same_constant
from xlapy.domain.values import UNBOUND, Const, JaxArray, NumpyScalar, Ref, Scalar, Tuple, Value
from xlapy.ir import Region, Var

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

#: kinds of objects, besides the one object, that such a call may read: they are found without looking into others
_SURROUNDINGS = frozenset(("globals", "cell", "class"))


@dataclass(slots=True)
class _Call:
    """A call for an object: the attributes that it read, what else it read, and what it gave, the name of an attribute
    if it was that."""

    attributes: list[tuple[str, Value]]
    reads: list[tuple[Slot, Value]]
    result: Value
    name: str | None
    arguments: Sequence[Value]


class Memory:
    """Such calls, by what they have in common: the function, the class of the object, and the other arguments."""

    def __init__(self) -> None:
        self._calls: dict[tuple, _Call] = {}

    def recall(self, machine: Machine, key: tuple) -> Value | None:
        """The result of a call, if it is known."""
        if not self._calls:
            return None
        number, common = _common(machine.heap, key)
        found = self._calls.get(common) if common is not None else None
        if found is None:
            return None
        read = machine.heap.read
        for (other, name), value in found.reads:
            if read(other, name) is not value:
                return None
        result = found.result
        for name, value in found.attributes:
            now = read(number, name)
            if not _similar(value, now):
                return None
            if name == found.name:
                result = now
        return result

    def keep(
        self, heap: Heap, key: tuple, result: Value, reads: Iterable[tuple[Slot, Value]], arguments: Sequence[Value]
    ) -> None:
        """Remember a call that changed nothing, made nothing, and did not ask which object it was given."""
        number, common = _common(heap, key)
        if common is None or common in self._calls:
            return
        attributes: list[tuple[str, Value]] = []
        others: list[tuple[Slot, Value]] = []
        for slot, value in reads:
            if slot[0] == number:
                attributes.append((slot[1], value))
            elif heap.objects[slot[0]].kind in _SURROUNDINGS and (type(value) is Const or value is UNBOUND):
                others.append((slot, value))
            else:
                return
        if not all(_is_plain(value) for _, value in attributes):
            return
        arrays = [id(value.var) for _, value in attributes if isinstance(value, JaxArray | Scalar | NumpyScalar)]
        names = [name for name, value in attributes if value is result]
        if len(set(arrays)) < len(arrays) or len(names) > 1 or not (names or type(result) is Const):
            return
        self._calls[common] = _Call(attributes, others, result, names[0] if names else None, arguments)


def _common(heap: Heap, key: tuple) -> tuple[int, tuple | None]:
    """The one object among the arguments of a call, and its key with the object's class in its place; None if there are
    several, or none."""
    found, parts = 0, []
    for part in key:
        if type(part) is tuple and part[0] is Ref:
            info = heap.objects[part[1]]
            if found or info.kind != "instance":
                return 0, None
            found = part[1]
            part = (Ref, info.cls)
        parts.append(part)
    return found, tuple(parts) if found else None


def _is_input(var: Var) -> bool:
    """Whether nothing is known of a device value but its type: a number of an array of integers may be bounded."""
    return isinstance(var.owner, Region) and var.type.dtype.kind not in "biu"


def _is_plain(value: Value) -> bool:
    """Whether a value is known, or an input."""
    if isinstance(value, Tuple):
        return all(map(_is_plain, value.children()))
    if isinstance(value, JaxArray | Scalar | NumpyScalar):
        return _is_input(value.var)
    return type(value) is Const or value is UNBOUND


def _similar(one: Value, two: Value) -> bool:
    """Whether a call that reads the one value goes the way that it goes with the other."""
    if one is two:
        return True
    if type(one) is not type(two):
        return False
    match one, two:
        case Const(), Const():
            return same_constant(one.value, two.value)
        case Tuple(), Tuple():
            same = one.cls is two.cls and len(one.children()) == len(two.children())
            return same and all(map(_similar, one.children(), two.children()))
        case (JaxArray(), JaxArray()) | (Scalar(), Scalar()) | (NumpyScalar(), NumpyScalar()):
            if isinstance(one, Scalar) and isinstance(two, Scalar) and one.kind is not two.kind:
                return False
            same = getattr(one, "bounds", None) == getattr(two, "bounds", None)
            return same and one.var.type == two.var.type and one.var.owner is two.var.owner
    return False
