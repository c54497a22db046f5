"""Python's and NumPy's numbers as abstract values: kinds, dtypes, bounds, and when two constants are one."""

from __future__ import annotations

from typing import Any

import numpy as np

from xlapy.domain.values import (
    Const,
    MixedScalar,
    NumpyScalar,
    Range,
    Scalar,
    Slice,
    Value,
)
from xlapy.ir import TensorType

#: dtypes of Python's scalars on the device
SCALAR_DTYPES = {
    bool: np.dtype(bool),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}
_SCALAR_TYPES = {kind: TensorType((), dtype, True) for kind, dtype in SCALAR_DTYPES.items()}
_TWINS: dict[Any, type] = {dtype: kind for kind, dtype in SCALAR_DTYPES.items()}
INT64 = np.iinfo(np.int64)
#: A number to which every iteration of a loop adds at most SLOW stays below REACH: it would take 2**45 iterations to
#: get there.
SLOW = 2**14
REACH = 2**61


def scalar_type(kind: type) -> TensorType:
    """The device type of a Python scalar."""
    return _SCALAR_TYPES[kind]


def is_python_scalar(value: object) -> bool:
    """Whether a Python object is a bool, an int that fits 64 bits, a float or a complex."""
    if type(value) is int:
        return bool(INT64.min <= value <= INT64.max)
    return type(value) in SCALAR_DTYPES


def known_bounds(value: Value) -> tuple[int, int] | None:
    """A closed interval that contains an integer value, if one is known."""
    if isinstance(value, Const) and isinstance(value.value, int | np.integer):
        return (int(value.value), int(value.value))
    return value.bounds if isinstance(value, Scalar | NumpyScalar) else None


def interval(value: Value) -> tuple[int, int]:
    """The closed interval that contains an integer value of which one is known."""
    bounds = known_bounds(value)
    assert bounds is not None, value
    return bounds


def reached(before: int, after: int, slow: bool) -> int:
    """The upper end of an interval whose upper end was `before` at the start of an iteration and `after` at its end."""
    if after == before:
        return before
    if slow and after - before <= SLOW and before <= REACH // 2:
        return REACH
    return int(INT64.max)


def hull(a: Value, b: Value) -> tuple[int, int] | None:
    """The interval that contains two integers, if both have one."""
    first, second = known_bounds(a), known_bounds(b)
    if first is None or second is None:
        return None
    return (min(first[0], second[0]), max(first[1], second[1]))


def numeric(value: Value) -> tuple[str, Any] | None:
    """The class of a scalar number: ('python', type) or ('numpy', dtype)."""
    match value:
        case Scalar():
            return ("python", value.kind)
        case NumpyScalar():
            return ("numpy", value.var.type.dtype)
        case Const():
            if is_python_scalar(value.value):
                return ("python", type(value.value))
            if isinstance(value.value, np.generic) and value.value.dtype.kind in "biufc":
                return ("numpy", value.value.dtype)
    return None


def twin_kind(value: Value) -> type | None:
    """The Python class of a number of which there is a NumPy twin of the same dtype; None for all else."""
    if isinstance(value, MixedScalar):
        return value.python.kind
    origin, kind = numeric(value) or ("", None)
    return kind if origin == "python" else _TWINS.get(kind)


def twins(a: Value, b: Value) -> bool:
    """Whether two numbers are of one dtype, one of them Python's and one NumPy's."""
    return (kind := twin_kind(a)) is not None and kind is twin_kind(b)


def same_constant(a: Any, b: Any) -> bool:
    """Whether two known objects may stand for one another: identical, or equal plain data of one type."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same_constant, a, b))
    if isinstance(a, float | complex | np.generic):
        return repr(a) == repr(b)
    if isinstance(a, int | str | bytes | np.dtype | frozenset | range | slice):
        return a == b
    return False


def in_parts(value: Value) -> Value | None:
    """A range or slice, known or not, as one with parts; None for anything else."""
    if isinstance(value, Const) and isinstance(value.value, range | slice):
        known = value.value
        cls = Range if isinstance(known, range) else Slice
        return cls(Const(known.start), Const(known.stop), Const(known.step))
    return value if isinstance(value, Range | Slice) else None


def same_constant_values(a: Value, b: Value) -> bool:
    """Whether both are known, and the same."""
    return isinstance(a, Const) and isinstance(b, Const) and same_constant(a.value, b.value)


def becomes(before: type | np.dtype, after: type | np.dtype) -> bool:
    """Whether a number that is `after` at the end of every iteration of a loop may be that at its start, too."""
    if isinstance(before, type):
        before = np.dtype(bool) if before is bool else np.dtype({int: "b", float: "e", complex: "F"}[before])
    if isinstance(after, type):
        after = np.dtype(after)
    return "b" not in (before.kind, after.kind) and bool(np.can_cast(before, after))


def is_exact_in(value: Value, after: type | np.dtype) -> bool:
    """Whether a number of Python's keeps its value if it is held as a float of another kind. An int that data decides
    is taken to be one of those that a double has."""
    dtype = np.dtype(after)
    if dtype.kind not in "fc":
        return True
    if isinstance(value, Const):
        with np.errstate(all="ignore"):
            held = dtype.type(value.value).item()
        return held == value.value or value.value != value.value
    if isinstance(value, Scalar) and value.kind is int:
        digits = np.finfo(dtype).nmant + 1
        low, high = value.bounds or (0, 0)
        return value.bounds is not None and -low <= 2**digits >= high
    return dtype in _TWINS


def fits(bounds: tuple[int, int] | None, dtype: np.dtype) -> bool:
    """Whether a Python integer in this interval is one of a type of NumPy's."""
    if dtype.kind not in "iu" or dtype.itemsize == 8:
        return True
    info = np.iinfo(dtype)
    return bounds is not None and int(info.min) <= bounds[0] and bounds[1] <= int(info.max)
