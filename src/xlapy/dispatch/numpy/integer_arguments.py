"""Arguments of NumPy's functions that have to be integers: sizes, axes, offsets, counts.

A rule takes what it finds there by `int`. What is no ordinary integer (2.0, "2", True, an array of rank 0, an object
with `__index__`) is looked at here, before the rule: the real function is asked, on arrays of such types that hold
nothing, and what it raises is raised. What it takes is handed on as a number.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numpy.c_signatures import signature_of
from xlapy.dispatch.numpy.rule_operands import (
    NO_VALUE,
    known,
    raise_real,
    real_call,
    sequence_items,
    skeleton,
    try_known,
)
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.values import BoundedArray, Const, JaxArray, NdArray, NumpyScalar, Ref, Scalar, Tuple, Union, Value

#: the names that NumPy and SciPy give to such parameters
_NAMES = frozenset(
    "axis axes axis1 axis2 axisa axisb axisc k n N M num kth minlength decimals ndmin count edge_order ddof correction"
    " shift shape new_shape size dimensions dims window_shape repeats reps indices_or_sections source destination"
    " pad_width s offset".split()
)
#: those that take one integer, and no sequence of them
_SINGLE = frozenset(
    "k n m N M num minlength decimals ndmin count edge_order ddof correction axis1 axis2 offset start deg".split()
)
#: those of single functions, of which others of the name are none
_MORE: dict[str, str] = {
    "rollaxis": "start",
    "tril_indices": "m",
    "triu_indices": "m",
    "polyder": "m",
    "polyint": "m",
    "polyfit": "deg",
    "histogram": "bins",
    "histogram_bin_edges": "bins",
    "histogram2d": "bins",
    "kaiser": "M",
    "rand": "args",
    "randn": "args",
    "transpose": "axes",
}
#: parameters of distributions that have one of the names
_REALS = {"gamma": "shape", "standard_gamma": "shape", "binomial": "n", "negative_binomial": "n", "multinomial": "n"}


Arguments = tuple[list[Value], dict[str, Value]]


class Place(NamedTuple):
    """A parameter that has to be an integer: whether it may be none but one, which sequences are nothing special, and
    whether it may be None."""

    single: bool
    several: tuple[type, ...]
    absent: bool


class Places(NamedTuple):
    """Which arguments of a function have to be integers: by position, those behind the last position, by name."""

    positions: tuple[Place | None, ...]
    rest: Place | None
    names: dict[str, Place]

    def of(self, args: Sequence[Value]) -> list[Place | None]:
        """The parameters of positional arguments."""
        named = self.positions[: len(args)]
        return [*named, *([self.rest] * (len(args) - len(named)))]


def _of_numpy(item: Any) -> bool:
    module = getattr(item, "__module__", None) or getattr(getattr(item, "__objclass__", None), "__module__", None) or ""
    return module.partition(".")[0] in ("numpy", "scipy")


@lru_cache(maxsize=2000)
def _places(item: Any) -> Places | None:
    try:
        parameters = signature_of(item).parameters.values()
    except (TypeError, ValueError):
        return None
    name = getattr(item, "__name__", "")
    wanted = (_NAMES | {_MORE.get(name)}) - {_REALS.get(name)}
    names = {
        p.name: Place(p.name in _SINGLE, _sequences(p.name), p.default is None) for p in parameters if p.name in wanted
    }
    kinds = inspect.Parameter
    positional = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    rest = next((names.get(p.name) for p in parameters if p.kind is kinds.VAR_POSITIONAL), None)
    return Places(tuple(names.get(p.name) for p in positional), rest, names) if names else None


def _sequences(name: str) -> tuple[type, ...]:
    return () if name in _SINGLE or name.startswith("ax") else (tuple, list, np.ndarray)


def places_of(item: Any) -> Places | None:
    """Which arguments of a function of NumPy's or SciPy's have to be integers; None if none has."""
    if isinstance(item, np.ufunc | type) or not _of_numpy(item):
        return None
    try:
        return _places(item)
    except TypeError:
        return None


def method_of(machine: Machine, receiver: Value, name: str) -> Any:
    """A method of NumPy's, by the value that it is called of."""
    match receiver:
        case NdArray():
            return getattr(np.ndarray, name, None)
        case NumpyScalar():
            return getattr(np.generic, name, None)
        case Const():
            return getattr(np.ufunc, name, None) if isinstance(receiver.value, np.ufunc) else None
        case Ref():
            cls = machine.heap.objects[receiver.object].cls
            return getattr(cls, name, None) if cls in _GENERATORS else None
    return None


_GENERATORS: dict[type, Callable[[], Any]] = {
    np.random.Generator: lambda: np.random.Generator(np.random.PCG64(0)),
    np.random.RandomState: lambda: np.random.RandomState(0),
}


def checked(machine: Machine, item: Any, args: list[Value], kwargs: dict[str, Value]) -> Arguments:
    """The arguments of a call of `item`, with numbers for what NumPy takes as integers; its TypeError for others."""
    places = places_of(item)
    if places is None:
        return args, kwargs
    given = places.of(args)
    found = [
        (p, v) for p, v in (*zip(given, args, strict=True), *((places.names.get(n), v) for n, v in kwargs.items()))
    ]
    if all(place is None or _fits(machine, place, value) for place, value in found):
        return args, kwargs
    if any(isinstance(v, Union | BoundedArray | JaxArray) for _, v in found):
        return args, kwargs
    try:
        shown = [_shown(machine, value, place) for place, value in found]
    except Refused:
        return args, kwargs
    if not any(isinstance(part, _CALLED) for part in shown):
        plain = [
            part if place is None or _fits(machine, place, value) else _plain(part, place)
            for part, (place, value) in zip(shown, found, strict=True)
        ]
        error = _error(item, shown, len(args), kwargs)
        if error is not None and _is_about_these(error, _error(item, plain, len(args), kwargs)):
            raise_real(machine, error)
    numbers = [value if place is None else _number(machine, value) for place, value in found]
    return numbers[: len(args)], dict(zip(kwargs, numbers[len(args) :], strict=True))


_CALLED = types.FunctionType | types.BuiltinFunctionType | types.MethodType


def _fits(machine: Machine, place: Place, value: Value) -> bool:
    """Whether a value is an ordinary one for a parameter."""
    if isinstance(value, Const) and value.value is None:
        return place.absent
    if isinstance(value, Union):
        return False  # what it is is told apart later
    return _is_integer(machine, value) or machine.type_of(value) in place.several and _are_integers(machine, value)


def _is_integer(machine: Machine, value: Value) -> bool:
    match value:
        case Const():
            found = value.value
            return found.bit_length() <= 63 if type(found) is int else isinstance(found, np.signedinteger)
        case Scalar():
            return value.kind is int
        case NumpyScalar():
            return value.var.type.dtype.kind == "i"
    return False


def _are_integers(machine: Machine, value: Value) -> bool:
    if isinstance(value, NdArray):
        return bool(value.type.shape) and value.type.dtype.kind == "i"
    growable = growable_list_items.of(machine, value)
    if growable is not None and not isinstance(growable.length, Const):
        return _is_integer(machine, growable.element)
    items = sequence_items(machine, value)
    return items is not None and all(_is_integer(machine, v) or _are_integers(machine, v) for v in items)


def _shown(machine: Machine, value: Value, place: Place | None) -> Any:
    """What stands for an argument; one that has to be an integer is itself where it is known: messages name it."""
    if isinstance(value, Ref) and (make := _GENERATORS.get(machine.heap.objects[value.object].cls)) is not None:
        return make()
    if place is None:
        return skeleton(machine, value)
    if isinstance(value, Scalar | NumpyScalar) and (machine.is_static(value) or machine.specialisable(value.var)):
        return machine.static(value)
    if isinstance(value, NdArray):
        # axes are known in any case; other arrays may be data
        found = try_known(machine, value) if place.single or place.several else known(machine, value, "an axis")
        if found is not NO_VALUE:
            return np.array(found)
        return np.ones(tuple(min(n, 3) for n in value.type.shape), value.type.dtype)  # NumPy may write to it
    if isinstance(value, Tuple) and value.cls is tuple:
        return tuple(_shown(machine, item, place) for item in value.items)
    if isinstance(value, Ref | Tuple) and range_objects.is_index(machine, value):
        return type(machine.type_of(value).__name__, (), {"__index__": lambda self: 1})()
    return skeleton(machine, value)


def _plain(part: Any, place: Place) -> Any:
    """An ordinary integer in the place of what is none: the same number, if it is one."""
    if isinstance(part, tuple) and not place.single:
        return tuple(_plain(item, place) for item in part) if any(type(item) is not int for item in part) else 1
    if isinstance(part, int | float | np.number) or isinstance(part, np.ndarray) and not part.shape:
        number = part.item() if isinstance(part, np.generic | np.ndarray) else part
        if isinstance(number, int | float) and number == number // 1 and abs(number) < 1 << 63:
            return int(number)
    return 1


def _is_about_these(error: Exception, otherwise: Exception | None) -> bool:
    """Whether the real function raised because of what is no ordinary integer; `otherwise`: what it raises without
    that. An error may be about the lengths of the dummies, too, which are not those of the run."""
    return otherwise is None or isinstance(error, TypeError) and str(error) != str(otherwise)


def _error(item: Any, shown: Sequence, count: int, names: Iterable[str]) -> Exception | None:
    """What the real function raises, called with what holds nothing."""
    make = _GENERATORS.get(type(getattr(item, "__self__", None)))
    item = getattr(make(), item.__name__) if make is not None else item  # not to draw from that of the module
    try:
        real_call(item, shown[:count], dict(zip(names, shown[count:], strict=True)), shrink=True)
    except Exception as error:
        return error
    return None


def _number(machine: Machine, value: Value) -> Value:
    """What NumPy takes as an integer as a number."""
    match value:
        case NdArray() if not value.type.shape and value.type.dtype.kind in "iu":
            return NumpyScalar(machine.read(value))
        case Ref() | Tuple() if range_objects.is_index(machine, value):
            return range_objects.index(machine, value)
        case Tuple() if value.cls is tuple:
            return Tuple(tuple(_number(machine, item) for item in value.items))
    return value
