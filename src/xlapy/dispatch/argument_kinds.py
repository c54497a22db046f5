"""The kinds of abstract values by which rules are chosen; see `registry`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeGuard, overload

from xlapy.dispatch.protocol import Machine, NeedStatic, Refused
from xlapy.dispatch.registry import Kind
from xlapy.domain.sources import Source
from xlapy.domain.values import BoundedArray, JaxArray, NdArray
from xlapy.ir import constant_value

#: stands for the lengths of all arrays that are made, where one is wanted that is not just one of these
ALL_LENGTHS = Source("value", (None, "the sizes of all arrays"))
DEVICE_ARRAY = Kind(
    "array that is only known on the device",
    NdArray,
    JaxArray,
    BoundedArray,
    test=lambda machine, value: is_device_array(machine, value),
)
DYNAMIC_LENGTH = Kind(
    "array of dynamic length",
    BoundedArray,
    wider=DEVICE_ARRAY,
    missing=lambda machine, values, what: require_static(machine, first_of(values, {}), what),
)
DYNAMIC_AXES = Kind(
    "array of several axes and dynamic length", wider=DYNAMIC_LENGTH, test=lambda machine, value: len(value.axes) > 1
)
DYNAMIC_ROWS = Kind(
    "matrix with a dynamic number of rows",
    wider=DYNAMIC_AXES,
    test=lambda machine, value: len(value.axes) == 2 and value.axes[1] is None,
)


def is_device_array(machine: Machine, value: object) -> bool:
    """Whether a value is an array that is only known on the device."""
    if isinstance(value, NdArray):
        return constant_value(machine.read(value)) is None
    return isinstance(value, BoundedArray) or isinstance(value, JaxArray) and constant_value(value.var) is None


@overload
def involved(value: object, /) -> TypeGuard[BoundedArray]: ...


@overload
def involved(*values: object) -> bool: ...


def involved(*values: object) -> bool:
    """Whether an array of dynamic length is among the values."""
    return any(isinstance(v, BoundedArray) for v in values)


def first_of(args: Iterable[object], kwargs: Mapping[str, object]) -> BoundedArray:
    """The array of dynamic length among the arguments of a call."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, BoundedArray):
            return value
    raise Refused("XP0011", "a call with arguments that depend on data in this way")


def require_static(machine: Machine, value: BoundedArray, what: str = "") -> NeedStatic:
    """Asks for the lengths of an array at compile time, where no rule can do without them."""
    for lanes in value.axes:
        if lanes is not None:
            length = lanes.length
            if constant_value(length) is None:
                where = f" (there is no rule for {what} of an array of dynamic length)" if what else ""
                place = machine.length_places.get(length, ALL_LENGTHS)
                return NeedStatic(length, f"the size of an array{where}", place)
    return NeedStatic(machine.read(value.base), "an array")
