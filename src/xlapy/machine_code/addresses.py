"""Names for the addresses of this process that machine code has in it: with them it can be used in another process."""

from __future__ import annotations

import itertools

import numpy as np

from xlapy.machine_code.object_calls import OTHER, address_of_api

#: the class of NumPy's arrays; in front of the number of a type of elements, and of that of a known array
ARRAY_CLASS, _DTYPE, _ARRAY = "xlapy.ndarray", "xlapy.dtype.", "xlapy.array."
#: in front of the name of an object of Python's, of a class of NumPy's numbers, and of a function in C
_OBJECT, _SCALAR, _API = "xlapy.python.", "xlapy.scalar.", "xlapy.api."
_OBJECTS = {"float": float, "int": int, "True": True, "False": False, "other": OTHER}
_numbers = itertools.count()
#: the types of elements of which there is one object each, by the numbers that NumPy gives them
_DTYPES = {dtype.num: dtype for dtype in map(np.dtype, np.typecodes["AllInteger"] + np.typecodes["AllFloat"] + "?")}


def dtype_name(dtype: np.dtype) -> str:
    """The name of the address of a type of elements."""
    if _DTYPES.get(dtype.num) is dtype:
        return f"{_DTYPE}{dtype.num}"
    return f"xlapy.object.{id(dtype)}"


def object_name(name: str) -> str:
    """The name of the address of one of some objects: `float`, `int`, `True`, `False`, `other` for `OTHER`."""
    return _OBJECT + name


def scalar_name(dtype: np.dtype) -> str:
    """The name of the address of the class of NumPy's numbers of a type."""
    return f"{_SCALAR}{dtype.num}"


def api_name(name: str) -> str:
    """The name of the address of a function of Python's or NumPy's C interface."""
    return _API + name


def array_name() -> str:
    """A new name, for the elements of a known array."""
    return f"{_ARRAY}{next(_numbers)}"


def is_array(name: str) -> bool:
    """Whether a name is that of the elements of a known array."""
    return name.startswith(_ARRAY)


def address_of(name: str) -> int | None:
    """What a name stands for that means the same in every process; None for other names."""
    if name == ARRAY_CLASS:
        return id(np.ndarray)
    for prefix, find in _FINDERS.items():
        if name.startswith(prefix):
            return find(name.removeprefix(prefix))
    return None


def _of_dtype(number: str) -> int | None:
    dtype = _DTYPES.get(int(number))
    return None if dtype is None else id(dtype)


#: what finds an address, by the beginning of its name
_FINDERS = {
    _DTYPE: _of_dtype,
    _OBJECT: lambda name: id(_OBJECTS[name]),
    _SCALAR: lambda number: id(_DTYPES[int(number)].type),
    _API: address_of_api,
}

__all__ = [
    "ARRAY_CLASS",
    "address_of",
    "api_name",
    "array_name",
    "dtype_name",
    "is_array",
    "object_name",
    "scalar_name",
]
