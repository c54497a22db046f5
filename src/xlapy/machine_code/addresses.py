"""Names for the addresses of this process that machine code has in it: with them it can be used in another process."""

from __future__ import annotations

import itertools

import numpy as np

#: the class of NumPy's arrays; in front of the number of a type of elements, and of that of a known array
ARRAY_CLASS, _DTYPE, _ARRAY = "xlapy.ndarray", "xlapy.dtype.", "xlapy.array."
_numbers = itertools.count()
#: the types of elements of which there is one object each, by the numbers that NumPy gives them
_DTYPES = {dtype.num: dtype for dtype in map(np.dtype, np.typecodes["AllInteger"] + np.typecodes["AllFloat"] + "?")}


def dtype_name(dtype: np.dtype) -> str:
    """The name of the address of a type of elements."""
    if _DTYPES.get(dtype.num) is dtype:
        return f"{_DTYPE}{dtype.num}"
    return f"xlapy.object.{id(dtype)}"


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
    number = name.removeprefix(_DTYPE)
    if number != name and number.isdigit() and int(number) in _DTYPES:
        return id(_DTYPES[int(number)])
    return None


__all__ = ["ARRAY_CLASS", "address_of", "array_name", "dtype_name", "is_array"]
