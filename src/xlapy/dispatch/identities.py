"""What `id(x)` gives: a number that is known when the program has run."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from xlapy.dispatch.protocol import Refused
from xlapy.domain.values import Const, Ref, Value

#: objects that are the same ones in every run
_CONSTANTS = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
#: no object lies at a lower address
_LOWEST_ADDRESS = 1 << 12


class Identity:
    """What `id(x)` is at compile time: it can be compared with its like and used as a key, and is no number. `value`
    is the object."""

    __slots__ = ("of", "value")

    def __init__(self, of: object, value: Value) -> None:
        self.of, self.value = of, value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int | float | complex | np.generic):
            _no_number(self)
        return isinstance(other, Identity) and other.of == self.of

    def __hash__(self) -> int:
        return hash(("id", self.of))


def _no_number(self: Identity, *args: object) -> object:
    raise Refused(
        "XP0003", "the number that id() gives, which is another one in every run", "compare objects with 'is'"
    )


for _name in (
    "__lt__ __le__ __gt__ __ge__ __index__ __int__ __float__ __str__ __repr__ __format__ __add__ __radd__ __sub__"
    " __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__ __rmod__ __divmod__"
    " __rdivmod__ __pow__ __rpow__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__ __lshift__ __rlshift__ __rshift__"
    " __rrshift__ __neg__ __pos__ __abs__ __invert__ __round__ __trunc__ __floor__ __ceil__"
).split():
    setattr(Identity, _name, _no_number)


def has_number(identity: Identity) -> bool:
    """Whether the number can be had when the program has run."""
    return not isinstance(identity.value, Const) or isinstance(identity.value.value, _CONSTANTS)


def as_key(machine, found: object, among: Any) -> object:
    """A known key that is, or stands beside, what `id` gave: the number of an object of the caller's where numbers that
    may be of that kind are among the keys."""
    keys = () if among is None else dict.keys(among) if isinstance(among, dict) else among
    if not isinstance(found, Identity):
        if type(found) is int and found >= _LOWEST_ADDRESS and any(isinstance(key, Identity) for key in keys):
            raise Refused("XP0004", "a number as a key beside numbers that id() gave")
        return found
    if found in keys or not any(_is_address(part) for key in keys for part in _parts(key)):
        return found
    return _number(machine, found)


def _parts(key: object) -> tuple:
    return tuple(part for one in key for part in _parts(one)) if isinstance(key, tuple) else (key,)


def _is_address(key: object) -> bool:
    return type(key) is int and key >= _LOWEST_ADDRESS


def _number(machine, identity: Identity) -> object:
    """The number of an object that the caller has, which is that object again when the program is used again."""
    value = identity.value
    if isinstance(value, Const) and isinstance(value.value, _CONSTANTS):
        return id(value.value)
    info = machine.heap.objects[value.object] if isinstance(value, Ref) else None
    if info is None:
        raise Refused("XP0004", "id() of an array or a constant as a key beside other numbers")
    if info.source is None or info.real is None:
        return identity
    machine.world.guard("is", info.source, info.real)
    return id(info.real)
