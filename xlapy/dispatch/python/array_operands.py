"""Objects of classes as operands of NumPy's operators: which of both decides, as NumPy's `binop_override.h` has it.

An array asks an object of an unknown class only where that says so, by `__array_ufunc__ = None` or a higher
`__array_priority__`; otherwise it takes the object for an array, of objects if need be.
"""

from __future__ import annotations

import numpy as np

from xlapy.dispatch.containers import subclasses
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.python import attributes, kinds
from xlapy.domain.values import BoundedArray, Const, NdArray, NumpyScalar, Value, is_none

#: what `__array_priority__` is of arrays, and of NumPy's scalars and all else
_OF_ARRAYS, _OF_OTHERS = 0.0, -1_000_000.0
_PRODUCT = ("@", "@=")


def taken_as_array(machine: Machine, symbol: str, array: Value, other: Value, rich: bool = False) -> Value | None:
    """The object `other` as what NumPy makes of it beside an array on its left, or on its right if the object has
    declined; None if it is the object that decides, or if NumPy works with the object itself.

    Raises:
        Refused: NumPy makes an array of objects.
    """
    is_array = isinstance(array, NdArray | BoundedArray)
    if not kinds.is_instance(machine, other) or not is_array and (not _is_scalar(array) or symbol in _PRODUCT):
        return None
    cls = machine.type_of(other)
    inplace = is_array and symbol.endswith("=") and not rich
    if _decides(machine, cls, is_array):
        if inplace and _attribute(machine, cls, "__array_ufunc__") is not None:
            machine.raise_(TypeError, f"operand '{cls.__name__}' does not support ufuncs (__array_ufunc__=None)")
        return None
    if attributes.find_special(machine, other, "__array__") is not None:
        return machine.call(Const(np.asarray), [other])
    plain = subclasses.plain(machine, other)
    if plain is not other:
        return plain
    if attributes.find_special(machine, other, "__getitem__") and attributes.find_special(machine, other, "__len__"):
        raise Refused("XP0010", f"an object of class '{cls.__name__}', a sequence for NumPy, beside an array")
    if is_array and (rich or inplace or symbol in _PRODUCT or not isinstance(array, NdArray) or array.type.shape):
        raise Refused(
            "XP0003",
            f"an array beside an object of class '{cls.__name__}', of which NumPy makes an array of objects",
            f"write the object on the left, or `__array_ufunc__ = None` into class {cls.__name__}: it decides then",
        )
    return None


def as_objects_see_it(machine: Machine, symbol: str, value: Value, other: Value) -> Value:
    """A number of NumPy's, or an array without axes, as the reflected method of the object `other` gets it."""
    is_array = isinstance(value, NdArray)
    if not is_array and not _is_scalar(value) or not kinds.is_instance(machine, other) or symbol in _PRODUCT:
        return value
    decides = _decides(machine, machine.type_of(other), is_array)
    return value if decides else machine.call(machine.getattr(value, "item"), [])


def _decides(machine: Machine, cls: type, is_array: bool) -> bool:
    """Whether an array, or a number of NumPy's, leaves an operator to an object of a class."""
    overriding = _attribute(machine, cls, "__array_ufunc__")
    if overriding is not None:
        if not is_none(overriding):
            raise Refused("XP0010", f"'{cls.__name__}.__array_ufunc__' beside an array")
        return True
    priority = _attribute(machine, cls, "__array_priority__")
    own = _OF_ARRAYS if is_array else _OF_OTHERS
    return priority is not None and float(machine.static(priority)) > own


def _is_scalar(value: Value) -> bool:
    return isinstance(value, NumpyScalar) or isinstance(value, Const) and isinstance(value.value, np.generic)


def _attribute(machine: Machine, cls: type, name: str) -> Value | None:
    """A class attribute."""
    found, owner = attributes.lookup(machine, cls, name)
    return None if owner is None else found if isinstance(found, Value) else Const(found)
