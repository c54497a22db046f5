"""What NumPy says of the arguments of a call: NumPy itself is asked, on arrays of their shapes and dtypes.

Axes, shapes, types and keywords decide over most exceptions, and these are known. Elements are not: an exception is the
program's only if NumPy raises it whatever the elements are that stand for those of the run. So no rule has to look for
wrong arguments, unless elements decide over them.

They also decide what a result is: a number of NumPy's or an array of rank 0, a tuple or a list, and its dtype.
"""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.numpy.c_signatures import signature_of
from xlapy.dispatch.numpy.integer_arguments import places_of
from xlapy.dispatch.numpy.numpy_leaves import python_scalar
from xlapy.dispatch.numpy.rule_operands import (
    Shape,
    describe,
    fresh,
    is_about_values,
    kind_of,
    raise_real,
    real_call,
    sequence_items,
    supported,
)
from xlapy.dispatch.protocol import Machine, NeedStatic, Refused
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.domain.values import Const, NdArray, NumpyScalar, Ref, Scalar, Slice, Tuple, Value, made_tuple
from xlapy.ir import constant_value

_DISPATCHER = type(np.median)
_METHOD = types.MethodDescriptorType
#: classes of known objects that NumPy is shown as they are, and those for dtypes; others are the user's
_SHOWN = frozenset(
    {bool, int, float, complex, str, bytes, type(None), type(...), slice, range, type(getattr(np, "_NoValue", None))}
)
_DTYPES = frozenset({bool, int, float, complex})
#: what touches the world, or looks at objects rather than at their elements
_NOT_ASKED = frozenset(
    "save savez savez_compressed savetxt tofile dump dumps load loadtxt genfromtxt fromfile fromregex memmap seed copy"
    " shares_memory may_share_memory set_printoptions seterr seterrcall setbufsize errstate printoptions result_type"
    " isscalar iterable broadcast_shapes busday_count is_busday setflags resize item".split()
)
#: functions of large sizes that make no large array of it
_OF_SIZES = frozenset({"ravel_multi_index", "unravel_index"})
#: methods of which arrays may be shapes or axes
_OF_SHAPES = frozenset({"reshape", "transpose"})
#: elements that NumPy is asked with at most, and if shorter arrays have brought an exception
_FEW, _MANY = 256, 1 << 21
#: dimensions that an array of XLA's can have here
_MOST_DIMENSIONS = 32
#: an exception, or a described result, or None if nobody knows
Answer = Any


class _Unknown(Exception):
    """Nothing can stand for an argument."""


class Asked:
    """What stands for the arguments of one call; `fill` is the element of arrays, and `sizes` are their lengths."""

    def __init__(self, machine: Machine, allocates: bool, sizes: dict[int, int]) -> None:
        self.machine, self.allocates, self.sizes = machine, allocates, sizes
        self.fill = 0
        self.elements = 1
        #: whether a number that stands in a sequence behind a known one is as that, and whether one did
        self.is_rising, self.is_mixed = False, False

    def of(self, value: Any) -> Any:
        """What stands for an argument."""
        match value:
            case Const():
                return self._known(value.value)
            case NdArray():
                return self._array(value)
            case Scalar() | NumpyScalar():
                return self._number(value)
            case Slice():
                return slice(*map(self.of, (value.start, value.stop, value.step)))
            case Tuple():
                return made_tuple(value.cls, tuple(self._items(value.items)))
            case Ref() if self.machine.heap.objects[value.object].cls is list:
                items = _items(self.machine, value)
                if items is not None and len(items) <= _FEW:
                    return self._items(items)
        raise _Unknown

    def _items(self, items: Sequence[Value]) -> list:
        found: list[Any] = []
        for item in items:
            one = self.of(item)
            if found and isinstance(found[-1], float) and isinstance(item, Scalar) and item.kind is float:
                self.is_mixed = True
                one = found[-1] if self.is_rising else one
            found.append(one)
        return found

    def _known(self, found: Any) -> Any:
        if type(found) is tuple:
            return tuple(map(self._known, found))
        if isinstance(found, type):
            if found not in _DTYPES and not issubclass(found, np.generic | np.dtype):
                raise _Unknown
        elif type(found) not in _SHOWN and not isinstance(found, np.generic | np.dtype):
            raise _Unknown
        if isinstance(found, int | np.integer):
            self._count(found)
        return found

    def _count(self, *sizes: Any) -> None:
        """Integers that may be the sizes of what is made."""
        if self.allocates:
            self.elements *= math.prod(max(abs(int(size)), 1) for size in sizes)

    def _array(self, value: NdArray) -> np.ndarray:
        if not supported(value.type.dtype):
            raise _Unknown
        known = constant_value(self.machine.read(value))
        if known is not None and known.size <= _FEW:
            made = np.array(known)
            if known.dtype.kind in "iu" and known.size <= 4:
                self._count(*known.ravel())
        else:
            shape = tuple(self.sizes.get(n, n) for n in value.type.shape)
            self.elements *= math.prod(shape) + 1
            if self.elements > _MANY:
                raise _Unknown
            made = _filled(shape, value.type.dtype, self.fill)
        made.flags.writeable = value.writeable
        return made

    def _number(self, value: Scalar | NumpyScalar) -> Any:
        known = constant_value(value.var)
        kind = value.kind if isinstance(value, Scalar) else value.var.type.dtype.type
        if known is not None:
            return kind(known[()])
        return kind(self.fill)


def _filled(shape: tuple[int, ...], dtype: np.dtype, fill: int) -> np.ndarray:
    """An array of one number; ones have a heavy diagonal, so that a regular matrix is among what is asked with."""
    made = np.full(shape, fill, dtype)
    if fill and len(shape) > 1 and dtype.kind in "iufc":
        made += (max(shape[-2:]) * np.eye(shape[-2], shape[-1])).astype(dtype)
    return made


def _items(machine: Machine, value: Tuple | Ref) -> list[Value] | None:
    if isinstance(value, Ref) and growable_list_items.of(machine, value) is not None:
        raise _Unknown
    return sequence_items(machine, value)


def _lengths(machine: Machine, values: Sequence[Any]) -> Iterator[int]:
    for value in values:
        if isinstance(value, NdArray):
            yield from value.type.shape
        elif isinstance(value, Tuple) or isinstance(value, Ref) and machine.heap.objects[value.object].cls is list:
            yield from _lengths(machine, _items(machine, value) or ())


def _is_asked(item: Any) -> bool:
    """Whether a callable is one of NumPy's that may be called with anything."""
    if isinstance(item, np.ufunc):
        return True
    if getattr(item, "__name__", None) in _NOT_ASKED:
        return False
    if isinstance(item, _METHOD):
        return item.__objclass__ in (np.ndarray, np.generic)
    if isinstance(item, types.BuiltinFunctionType) and not isinstance(item.__self__, types.ModuleType | None):
        return isinstance(item.__self__, np.ufunc)
    if isinstance(item, types.FunctionType) and registry.find_function(item) is None:
        return False
    whose = isinstance(item, _DISPATCHER | types.BuiltinFunctionType | types.FunctionType)
    return whose and (getattr(item, "__module__", None) or "").partition(".")[0] == "numpy"


_is_asked_memo = functools.lru_cache(maxsize=4096)(_is_asked)


def takes(machine: Machine, item: Any, args: Sequence[Value], kwargs: dict[str, Value], is_data: bool = False) -> Any:
    """Raise in the program what NumPy raises for arguments like these whatever the elements are; the description of
    what it gives otherwise, and None if nobody can say. `is_data` says that no number will have to be known, since a
    rule has taken them: then nothing is raised."""
    try:
        if not _is_asked_memo(item):
            return None
    except TypeError:
        return None
    try:
        if not is_data and not _takes_data(machine, item, args, kwargs):
            return None
        answer = _answer(machine, item, args, kwargs)
    except (_Unknown, Refused, NeedStatic):
        return None
    if not isinstance(answer, Exception):
        return answer
    return None if is_data else raise_real(machine, answer)


def _answer(machine: Machine, item: Any, args: Sequence[Value], kwargs: dict[str, Value]) -> Answer:
    values = (*args, *kwargs.values())
    lengths = {*_lengths(machine, values)}
    long = sorted(n for n in lengths if n > 4)
    total = sum(math.prod(v.type.shape) for v in values if isinstance(v, NdArray))
    sizes = {n: 5 + k for k, n in enumerate(long)} if total > _FEW else {}
    answer = _asked(machine, item, args, kwargs, sizes)
    if sizes and isinstance(answer, Exception):
        answer = _asked(machine, item, args, kwargs, {})
    return answer


def _asked(
    machine: Machine, item: Any, args: Sequence[Value], kwargs: dict[str, Value], sizes: dict[int, int]
) -> Answer:
    if item is np.arange and any(isinstance(v, Const) and isinstance(v.value, float) for v in args):
        return None  # there is no telling how many elements there would be
    allocates = not isinstance(item, np.ufunc) and item.__name__ not in _OF_SIZES
    asked = Asked(machine, allocates, sizes)
    found: list[Exception] = []
    for asked.fill, asked.is_rising in ((0, False), (1, False), (1, True)):
        asked.elements = 1
        try:
            shown, named = [asked.of(v) for v in args], {k: asked.of(v) for k, v in kwargs.items()}
        except (_Unknown, Refused):
            return None
        if asked.elements > _MANY:
            return None
        if asked.is_rising and not asked.is_mixed:
            break
        try:
            return describe(real_call(item, shown, named))
        except Exception as error:
            found.append(error)
    same = len({(type(error), str(error)) for error in found}) == 1
    return found[0] if same and not is_about_values(found[0]) else None


def _takes_data(machine: Machine, item: Any, args: Sequence[Value], kwargs: dict[str, Value]) -> bool:
    """Whether what depends on data are elements. Else it may be sizes or axes, which are known when the call is looked
    at for the next time."""
    if isinstance(item, np.ufunc):
        return True
    places = None if isinstance(item, _METHOD) else places_of(item)
    if places is None and _has_signature(item):
        return True
    if places is None:
        values, shapes = (*args[isinstance(item, _METHOD) :], *kwargs.values()), item.__name__ in _OF_SHAPES
        return not any(_may_be_a_size(machine, v, shapes) for v in values)
    given = [*zip(places.of(args), args, strict=True), *((places.names.get(n), v) for n, v in kwargs.items())]
    return not any(place is not None and _may_be_a_size(machine, value, True) for place, value in given)


def _has_signature(item: Any) -> bool:
    try:
        return not isinstance(item, _METHOD) and bool(signature_of(item))
    except (TypeError, ValueError):
        return False


def _may_be_a_size(machine: Machine, value: Value, arrays: bool) -> bool:
    """Whether a value is or holds integers that will have to be known; `arrays` of them, too."""
    match value:
        case Scalar() | NumpyScalar():
            return value.var.type.dtype.kind in "iub" and constant_value(value.var) is None
        case NdArray():
            return arrays and value.type.dtype.kind in "iu" and constant_value(machine.read(value)) is None
        case Tuple() | Ref():
            return any(_may_be_a_size(machine, item, arrays) for item in _items(machine, value) or ())
    return False


def refuse_difference(name: str, cls: type, error: BaseException) -> None:
    """Refuse a call for which a rule raises, for certain, while NumPy takes its arguments."""
    if not issubclass(cls, Warning | FloatingPointError | MemoryError):
        raise Refused("XP0011", f"{name} with these arguments ({cls.__name__} in its rule)") from error


def _is_sequence(described: Any) -> TypeGuard[tuple[type, tuple]]:
    """Whether NumPy gives a sequence: its class, and what is in it."""
    return isinstance(described, tuple) and not isinstance(described, Shape)


def agreed(machine: Machine, name: str, described: Any, result: Value) -> Value:
    """A result of a rule as NumPy would give it; refuses one of another type."""
    match result:
        case NdArray() | NumpyScalar() if isinstance(described, Shape):
            dtype = result.type.dtype if isinstance(result, NdArray) else result.var.type.dtype
            if dtype != machine.builder.narrowed(described.dtype) and {kind_of(dtype), kind_of(described.dtype)} != {
                "f",
                "c",
            }:
                raise Refused("XP0011", f"{name}, which gives {dtype} here, where NumPy gives {described.dtype}")
            if described.ndim > _MOST_DIMENSIONS:
                raise Refused("XP0011", f"{name}, which gives an array of {described.ndim} dimensions")
            if isinstance(result, NumpyScalar):
                return fresh(machine, result.var) if described.ndim == 0 and not described.scalar else result
            return NumpyScalar(machine.read(result)) if described.scalar and not result.type.shape else result
        case Const() if isinstance(described, Shape) and isinstance(result.value, np.generic) and not described.scalar:
            return fresh(machine, machine.builder.constant(np.asarray(result.value)))
        case NumpyScalar() if isinstance(described, type) and described in SCALAR_DTYPES:
            return python_scalar(machine, result.var, described)
        case Tuple() if _is_sequence(described) and len(described[1]) == len(result.items):
            items = [agreed(machine, name, d, item) for d, item in zip(described[1], result.items, strict=True)]
            if described[0] is list and result.cls is tuple:
                return machine.new_list(items)
            same = all(new is old for new, old in zip(items, result.items, strict=True))
            return result if same else Tuple(tuple(items), result.cls)
    return result


__all__ = ["agreed", "refuse_difference", "takes"]
