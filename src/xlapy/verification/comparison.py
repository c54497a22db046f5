"""Is what xlapy gave what CPython gave? Values, dtypes, shapes, structure, identity."""

from __future__ import annotations

import collections
import dataclasses
import functools
import types
from typing import Any

import numpy as np

from xlapy.verification.world import MISSING, root_of

SCALARS = (bool, int, float, complex, np.generic)
RTOL = {"f2": 1e-2, "f4": 1e-5, "c8": 1e-5, "f8": 1e-12, "c16": 1e-12}
CONTAINERS = (list, dict, set, collections.deque)


#: what is compared of functions that a program makes
_OF_FUNCTIONS = ("__name__", "__qualname__", "__doc__", "__defaults__", "__kwdefaults__", "__annotations__", "__dict__")


class Mismatch(Exception):
    """Two values differ; the message says where and how."""


@dataclasses.dataclass
class Comparison:
    """Compares a value of CPython (`ref`) with one of xlapy (`got`), remembering which object is whose twin."""

    rtol: float | None = None
    twins: dict[int, Any] = dataclasses.field(default_factory=dict)
    back: dict[int, Any] = dataclasses.field(default_factory=dict)
    keep: list = dataclasses.field(default_factory=list)

    def __call__(self, ref: Any, got: Any, path: str) -> None:
        """Compare two values, which are at `path`."""
        if isinstance(ref, (np.ndarray, *SCALARS)) or is_jax_array(ref):
            self.numbers(ref, got, path)
        elif self.first_meeting(ref, got, path):
            self.structure(ref, got, path)

    def numbers(self, ref: Any, got: Any, path: str) -> None:
        """Compare arrays and numbers."""
        if isinstance(got, (str, bytes, list, tuple, dict, set, types.NoneType)) or got is MISSING:
            raise Mismatch(f"{path}: expected {ref!r}, got {got!r}")
        if isinstance(ref, np.ndarray) and type(ref) is type(got):
            self.identical_memory(ref, got, path)
        if isinstance(ref, np.recarray | np.void) and type(ref) is not type(got):
            raise Mismatch(f"{path}: expected {ref!r} ({type(ref).__name__}), got {got!r} ({type(got).__name__})")
        if isinstance(ref, np.ndarray) != isinstance(got, np.ndarray) and not is_jax_array(got):
            raise Mismatch(f"{path}: expected {ref!r} ({type(ref).__name__}), got {got!r} ({type(got).__name__})")
        a, b = np.asarray(ref), np.asarray(got)
        if isinstance(ref, int) and a.dtype == object:  # a Python int beyond 64 bits can only be a constant
            if got != ref:
                raise Mismatch(f"{path}: expected {ref!r}, got {got!r}")
            return
        if a.dtype != b.dtype:
            raise Mismatch(f"{path}: dtype {a.dtype} expected, got {b.dtype}")
        if a.shape != b.shape:
            raise Mismatch(f"{path}: shape {a.shape} expected, got {b.shape}")
        if not equal_numbers(a, b, self.rtol):
            raise Mismatch(f"{path}: expected\n{ref!r}\ngot\n{got!r}")

    def identical_memory(self, ref: np.ndarray, got: np.ndarray, path: str) -> None:
        """Compare which memory arrays are parts of."""
        one, two = root_of(ref), root_of(got)
        # Where data says which array a result is of, it is a copy (docs/accepted-differences.md).
        if id(one) not in self.twins or id(two) in self.back:
            self.first_meeting(one, two, f"memory of {path}")

    def first_meeting(self, ref: Any, got: Any, path: str) -> bool:
        """Record that the two are twins; complain if either already has another twin. False if met before."""
        if not isinstance(ref, (*CONTAINERS, np.ndarray)) and (not is_instance(ref) or is_frozen(ref)):
            return True
        if id(ref) in self.twins or id(got) in self.back:
            if self.twins.get(id(ref), MISSING) is not got:
                raise Mismatch(f"{path}: objects that are one in CPython are two, or two are one")
            return False
        self.twins[id(ref)], self.back[id(got)] = got, ref
        self.keep += [ref, got]
        return True

    def structure(self, ref: Any, got: Any, path: str) -> None:
        """Compare objects part by part."""
        if type(ref) is not type(got):
            raise Mismatch(f"{path}: expected {ref!r} ({type(ref).__name__}), got {got!r} ({type(got).__name__})")
        if isinstance(ref, types.MethodType):
            self(ref.__func__, got.__func__, f"{path}.__func__")
            self(ref.__self__, got.__self__, f"{path}.__self__")
        elif isinstance(ref, functools.partial):
            self((ref.func, ref.args, ref.keywords), (got.func, got.args, got.keywords), path)
        elif isinstance(ref, types.FunctionType):
            self.functions(ref, got, path)
        elif isinstance(ref, dict):
            if isinstance(ref, collections.defaultdict):
                self(ref.default_factory, got.default_factory, f"{path}.default_factory")
            self.dicts(ref, got, path)
        elif isinstance(ref, (list, tuple, collections.deque)):
            self.sequences(ref, got, path)
        elif isinstance(ref, BaseException):
            self.sequences(ref.args, got.args, f"{path}.args")
        elif is_instance(ref):
            self.dicts(attributes(ref), attributes(got), f"{path} attributes")
        elif ref is not got and ref != got:
            raise Mismatch(f"{path}: expected {ref!r}, got {got!r}")

    def functions(self, ref: types.FunctionType, got: types.FunctionType, path: str) -> None:
        """Compare functions: their code, and all that they hold."""
        if ref is got:
            return
        if ref.__code__ is not got.__code__:
            raise Mismatch(f"{path}: expected {ref!r}, got {got!r}")
        if id(ref) in self.twins:
            if self.twins[id(ref)] is not got:
                raise Mismatch(f"{path}: functions that are one in CPython are two")
            return
        self.twins[id(ref)] = got
        self.keep += [ref, got]
        for name in _OF_FUNCTIONS:
            self(getattr(ref, name), getattr(got, name), f"{path}.{name}")
        for name, a, b in zip(ref.__code__.co_freevars, ref.__closure__ or (), got.__closure__ or (), strict=False):
            self(contents_of(a), contents_of(b), f"{path}.<cell {name}>")

    def sequences(self, ref: Any, got: Any, path: str) -> None:
        """Compare item by item."""
        if isinstance(ref, collections.deque) and ref.maxlen != got.maxlen:
            raise Mismatch(f"{path}: maxlen {ref.maxlen} expected, got {got.maxlen}")
        if len(ref) != len(got):
            raise Mismatch(f"{path}: length {len(ref)} expected, got {len(got)}: {ref!r} != {got!r}")
        for i, (a, b) in enumerate(zip(ref, got, strict=True)):
            self(a, b, f"{path}[{i}]")
        if isinstance(ref, tuple) and hasattr(ref, "__dict__"):
            self.dicts(vars(ref), vars(got), f"{path} attributes")

    def dicts(self, ref: dict, got: dict, path: str) -> None:
        """Compare key by key, in order."""
        if len(ref) != len(got):
            raise Mismatch(f"{path}: keys {list(ref)} expected, got {list(got)}")
        for key, other in zip(ref, got, strict=True):
            self(key, other, f"{path}: key {key!r}")
            self(ref[key], got[other], f"{path}[{key!r}]")


def contents_of(cell: types.CellType) -> Any:
    """What is in a cell."""
    try:
        return cell.cell_contents
    except ValueError:
        return "nothing is in the cell"


def is_jax_array(value: Any) -> bool:
    """Is it a `jax.Array`?"""
    return type(value).__module__.startswith("jaxlib") and hasattr(value, "dtype")


def is_instance(value: Any) -> bool:
    """Is this an object of an ordinary Python class, to be compared by its attributes?"""
    cls = type(value)
    if cls.__module__ == "builtins" or isinstance(value, (type, types.ModuleType, types.FunctionType, np.ufunc)):
        return False
    if cls.__eq__ is not object.__eq__ and not hasattr(value, "__dict__") and not hasattr(cls, "__slots__"):
        return False
    return not hasattr(cls, "__members__")  # enum members are constants


def is_frozen(value: Any) -> bool:
    """Frozen dataclasses and the like: which of two equal ones it is, is of no consequence."""
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and parameters.frozen


def attributes(value: Any) -> dict:
    """The attributes of an object, by name."""
    held = dict(vars(value)) if hasattr(value, "__dict__") else {}
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                held[name] = getattr(value, name)
    return dict(sorted(held.items()))


def equal_numbers(a: np.ndarray, b: np.ndarray, rtol: float | None) -> bool:
    """Integers and booleans exactly; floats to rounding, NaN equal to NaN, zeros without sign; each field by itself."""
    if a.dtype.names:
        return all(equal_numbers(a[name], b[name], rtol) for name in a.dtype.names)
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    if rtol is None:
        rtol = RTOL.get(a.dtype.str[1:], 1e-12)
    if a.dtype == np.float16:
        a, b = a.astype(np.float32), b.astype(np.float32)
    return bool(np.allclose(b, a, rtol=rtol, atol=rtol, equal_nan=True))
