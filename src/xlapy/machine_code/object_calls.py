"""A C function of Python's objects as a function of Python: the call of a small program, from arguments to result.

    scaled(x, 2.0)    # 0.3 µs, of which the program itself takes a few nanoseconds

Such a function looks at its arguments, makes the arrays of the result, runs the program, and puts the result together.
Where an argument is another than the program is for, or the program has met an error, it returns `OTHER` and has
changed nothing.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

#: what such a function returns where it cannot do what is wanted
OTHER = type("Other", (), {"__repr__": lambda self: "<other>", "__reduce__": lambda self: "OTHER"})()
#: the functions of NumPy that it calls: their places in the table of NumPy's C interface (`__multiarray_api.h`)
_OF_NUMPY = {"PyArray_Scalar": 60, "PyArray_NewFromDescr": 94}
#: the module that has it, as `import_array()` of NumPy's headers finds it
_NUMPY = importlib.import_module("numpy._core._multiarray_umath")
#: how C functions get their arguments: as an array of objects
_FASTCALL = 0x80


class Output(NamedTuple):
    """An object that is made of output number `index`: an "array", a "scalar" of NumPy's, or a number of Python's.
    Of an array there are as many rows as output number `length` says, if that is not None."""

    index: int
    kind: str | type
    length: int | None = None


class Chosen(NamedTuple):
    """One of several objects that are made of outputs, by output number `selector`."""

    selector: int
    alternatives: tuple[Output, ...]


class Operand(NamedTuple):
    """The object that is operand number `index`."""

    index: int


class Constant(NamedTuple):
    """A known object."""

    value: Any


class Plan(NamedTuple):
    """What such a function does when the program has run.

    Attributes:
        result: an `Output`, `Chosen`, `Operand`, `Constant`, or a tuple of such.
        writes: operands whose elements become those of an output, by number.
        error: the output that is not zero where the program has met an error.
    """

    result: Any
    writes: tuple[tuple[int, int], ...]
    error: int | None


class _Method(ctypes.Structure):
    """`PyMethodDef`."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    ]


def constants_of(result: Any) -> list[Any]:
    """The known objects in a result, in order."""
    if isinstance(result, Constant):
        return [result.value]
    if type(result) is tuple:
        return [value for item in result for value in constants_of(item)]
    return []  # a `Chosen` has none


def function_at(address: int, constants: Sequence[Any], kept: object) -> Callable[..., Any]:
    """The Python function that is the C function at an address.

    Args:
        address: of a function of `self`, the address of the arguments, and their number.
        constants: known objects, which the C function finds in `self`.
        kept: what has to stay as long as the function is there.
    """
    method = _Method(b"xlapy", address, _FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.POINTER(_Method), ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.byref(method), (*constants, method, kept), None)


@functools.cache
def address_of_api(name: str) -> int | None:
    """The address of a function of Python's or NumPy's C interface; None for an unknown one."""
    if name in _OF_NUMPY:
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        table = get(_NUMPY._ARRAY_API, None)
        return (ctypes.c_void_p * (_OF_NUMPY[name] + 1)).from_address(table)[_OF_NUMPY[name]]
    function = getattr(ctypes.pythonapi, name, None)
    return None if function is None else ctypes.cast(function, ctypes.c_void_p).value


__all__ = ["OTHER", "Chosen", "Constant", "Operand", "Output", "Plan", "address_of_api", "constants_of", "function_at"]
