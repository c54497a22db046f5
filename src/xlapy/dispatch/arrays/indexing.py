"""`array[key]` and `array[key] = value` of NumPy arrays: basic indexing gives views, the rest is
`arrays.advanced_indexing`'s."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, NoReturn

import numpy as np

from xlapy.dispatch.arrays import advanced_indexing
from xlapy.dispatch.arrays.element_conversion import assigned, from_sequence, is_sequence
from xlapy.dispatch.arrays.views import lens_type, make_view, read_view, write_view
from xlapy.dispatch.numbers.scalar_values import clip, too_large
from xlapy.dispatch.numpy.rule_operands import (
    broadcast_to,
    known,
    operand,
    reshape,
    scalar_int,
    sequence_items,
)
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import (
    BoundedArray,
    Const,
    JaxArray,
    Lens,
    NdArray,
    NumpyScalar,
    Scalar,
    Slice,
    Tuple,
    Value,
    number_var,
)
from xlapy.ir import Var, constant_value
from xlapy.ir.affine import difference

_INT64 = np.dtype(np.int64)
#: dimensions that an array of NumPy's may have
_MOST_DIMENSIONS = 64
_BOOL = np.dtype(bool)
#: of how many elements one is a constant
_KNOWN = 4096
_BAD_KEY = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid"
    " indices"
)

_TOO_LARGE = (OverflowError, "Python int too large to convert to C long")


@dataclass(frozen=True)
class Key:
    """A key taken apart: one item for each part. Advanced parts are device arrays (`Var`) of integers or booleans."""

    #: ('int', value) | ('slice', value) | ('new', None) | ('all', None) | ('array', var)
    parts: tuple[tuple[str, Any], ...]
    ellipsis: bool
    #: a rank-0 integer array was used as an integer: NumPy then returns a copy
    scalar_array: bool

    @property
    def advanced(self) -> bool:
        """Whether the key has index or mask arrays."""
        return any(kind == "array" for kind, _ in self.parts)


def getitem(machine: Machine, array: NdArray | NumpyScalar, key: Value) -> Value:
    """`array[key]`."""
    if isinstance(array, NumpyScalar):
        return _of_scalar(machine, array, key)
    parsed = parse(machine, array, key)
    if parsed.advanced:
        return advanced_indexing.take(
            machine, *advanced_indexing.split(machine, array, parsed.parts, basic_view), basic_view
        )
    result = basic_view(machine, array, parsed.parts)
    if result.type.shape == () and not parsed.ellipsis:
        return _element(machine, array, parsed, read_view(machine, result))
    return machine.new_array(read_view(machine, result)) if parsed.scalar_array else result


def _element(machine: Machine, array: NdArray, key: Key, var: Var) -> Value:
    """One element; of known integers (`for i in np.arange(n)`), it is known, or what lies between them."""
    value = machine.numpy_result(var)
    if isinstance(value, NumpyScalar) and var.type.dtype.kind in "iu":
        items = constant_value(number_var(machine.heap.read(array.buffer, "<data>")))
        if items is not None and items.size:
            places = tuple(place.value for kind, place in key.parts if kind == "int" and isinstance(place, Const))
            shown = _shown(items, array) if items.size <= _KNOWN else None
            if shown is not None and len(places) == shown.ndim:
                return Const(shown[places])
            return NumpyScalar(value.var, (int(items.min()), int(items.max())))
    return value


def _shown(items: np.ndarray, array: NdArray) -> np.ndarray | None:
    """What a view shows of known elements; None if that is not told by its slices and shapes alone."""
    for lens in array.lenses:
        if lens.kind == "reshape":
            items = items.reshape(lens.params)
        elif lens.kind == "index" and all(isinstance(start, int) for start, _, _ in lens.params):
            items = items[np.ix_(*(start + step * np.arange(abs(length)) for start, step, length in lens.params))]
            items = items.reshape([length for _, _, length in lens.params if length >= 0])
        else:
            return None
    return items


def _of_scalar(machine: Machine, scalar: NumpyScalar, key: Value) -> Value:
    """`scalar[key]`: only `()`, `...`, `None` and truth values do."""
    if isinstance(key, Const) and key.value == ():
        return scalar
    for item in items_of(key):
        if isinstance(item, Scalar | NumpyScalar) and item.var.type.dtype == _BOOL and item is key:
            one, mask = (machine.new_array(reshape(machine, v.var, (1,))) for v in (scalar, item))
            return machine.getitem(one, mask)
        known = isinstance(item, Const) and (item.value is None or isinstance(item.value, bool | EllipsisType))
        if not known:
            machine.raise_(IndexError, "invalid index to scalar variable.")
    return getitem(machine, machine.new_array(scalar.var), key)


def setitem(machine: Machine, array: NdArray, key: Value, value: Value) -> None:
    """`array[key] = value`."""
    if not array.writeable:
        machine.raise_(ValueError, "assignment destination is read-only")
    parsed = parse(machine, array, key)
    if parsed.advanced:
        advanced_indexing.put(
            machine, *advanced_indexing.split(machine, array, parsed.parts, basic_view), value, basic_view
        )
        return
    target = basic_view(machine, array, parsed.parts)
    element = not target.type.shape and not any(isinstance(k, Const) and k.value is Ellipsis for k in items_of(key))
    if is_sequence(machine, value):
        value = from_sequence(machine, value, target.type.dtype, None if element else target.type.shape)
    elif not target.type.shape and not element and isinstance(value, NdArray) and set(value.type.shape) == {1}:
        value = machine.numpy_result(reshape(machine, machine.read(value), ()))
    assign(machine, target, value)


def assign(machine: Machine, target: NdArray, value: Value) -> None:
    """`target[...] = value`: cast and broadcast."""
    if not target.writeable:
        machine.raise_(ValueError, "assignment destination is read-only")
    var = assigned(machine, value, target.type.dtype, target.type.shape)
    write_view(machine, target, broadcast_to(machine, var, target.type.shape))


# -- keys ------------------------------------------------------------------------------------------------------------


def items_of(key: Value) -> list[Value]:
    """The parts of a key, one or a tuple."""
    if isinstance(key, Tuple):
        return list(key.items)
    if isinstance(key, Const) and isinstance(key.value, tuple):
        return [Const(item) for item in key.value]
    return [key]


def parse(machine: Machine, array: NdArray, key: Value) -> Key:
    """Take a key apart, and fill in the dimensions that it leaves out."""
    items = items_of(key)
    parts: list[tuple[str, Any]] = []
    place, scalar_array = None, False
    for item in items:
        if isinstance(item, Const) and item.value is Ellipsis:
            if place is not None:
                machine.raise_(IndexError, "an index can only have a single ellipsis ('...')")
            place = len(parts)
            continue
        part = _part(machine, item)
        scalar_array = scalar_array or (part[0] == "int" and isinstance(item, NdArray | JaxArray))
        parts.append(part)
    used = sum(_consumes(part) for part in parts)
    rank = len(array.type.shape)
    if used > rank:
        machine.raise_(IndexError, f"too many indices for array: array is {rank}-dimensional, but {used} were indexed")
    results = rank + sum(part[0] == "new" for part in parts) - sum(part[0] == "int" for part in parts)
    if results > _MOST_DIMENSIONS:
        machine.raise_(
            IndexError,
            f"number of dimensions must be within [0, {_MOST_DIMENSIONS}], indexing result would have {results}",
        )
    position = len(parts) if place is None else place
    parts[position:position] = [("all", None)] * (rank - used)
    return Key(tuple(parts), place is not None, scalar_array)


def is_integer(item: Value) -> bool:
    """Whether a part of a key is an integer, of Python or NumPy."""
    if isinstance(item, Const):
        return isinstance(item.value, int | np.integer) and not isinstance(item.value, bool)
    return isinstance(item, Scalar | NumpyScalar) and item.var.type.dtype.kind in "iu"


def _consumes(part: tuple[str, Any]) -> int:
    kind, value = part
    if kind == "new":
        return 0
    if kind == "array" and value.type.dtype == _BOOL:
        return len(value.type.shape)
    return 1


def _part(machine: Machine, item: Value) -> tuple[str, Any]:
    match item:
        case Slice():
            return ("slice", item)
        case Const():
            value = item.value
            if value is None:
                return ("new", None)
            if isinstance(value, slice):
                return ("slice", Slice(Const(value.start), Const(value.stop), Const(value.step)))
            if isinstance(value, bool | np.bool_):
                return ("array", operand(machine, item))
            if not isinstance(value, list | tuple | range | np.floating | np.complexfloating):
                try:
                    index = operator.index(value)
                except TypeError:
                    machine.raise_(IndexError, _BAD_KEY)
                if index.bit_length() > 63 and index != -(2**63):
                    machine.raise_(IndexError, _BAD_KEY)
                return ("int", Const(index))
        case Scalar() | NumpyScalar():
            dtype = item.var.type.dtype
            if dtype.kind in "iu":
                return ("int", item if isinstance(item, Scalar) else _signed(machine, item))
            if dtype != _BOOL:
                machine.raise_(IndexError, _BAD_KEY)
        case NdArray() | JaxArray():
            pass
        case BoundedArray():
            machine.static(item)
        case _:
            if sequence_items(machine, item) is None:
                machine.raise_(IndexError, _BAD_KEY)
    var = operand(machine, item)
    dtype = var.type.dtype
    if 0 in var.type.shape and sequence_items(machine, item) is not None:
        return ("array", machine.builder.convert(var, _INT64))
    if 0 in var.type.shape and dtype == _BOOL:  # it selects nothing, and NumPy takes it for dimensions of any size
        return ("array", machine.builder.constant(np.zeros(var.type.shape, bool)))
    if dtype.kind not in "iub":
        of_array = isinstance(item, NdArray | JaxArray)
        machine.raise_(
            IndexError, "arrays used as indices must be of integer (or boolean) type" if of_array else _BAD_KEY
        )
    if dtype != _BOOL and var.type.shape == ():
        constant = constant_value(var)
        return ("int", Const(int(constant[()])) if constant is not None else _signed(machine, NumpyScalar(var)))
    return ("array", var if dtype == _BOOL else machine.builder.convert(var, _INT64))


def _signed(machine: Machine, index: NumpyScalar) -> NumpyScalar:
    """An integer index of NumPy's; OverflowError where it is too large for a signed integer."""
    huge = too_large(machine, index.var, index.bounds)
    if huge is None:
        return index
    machine.check(huge, *_TOO_LARGE)
    return NumpyScalar(machine.builder.convert(index.var, _INT64), index.bounds and clip(index.bounds))


# -- basic indexing --------------------------------------------------------------------------------------------------


def basic_view(machine: Machine, array: NdArray, parts: Sequence[tuple[str, Any]]) -> NdArray:
    """The view of a basic key: integers, slices, None; one part for each dimension."""
    dims: list[tuple] = []
    shape: list[int] = []
    added = False
    for kind, value in parts:
        if kind == "new":
            shape.append(1)
            added = True
            continue
        axis, size = len(dims), array.type.shape[len(dims)]
        if kind == "int":
            dims.append((integer_index(machine, value, size, axis), 1, -1))
            continue
        dim = (0, 1, size) if kind == "all" else _slice_dim(machine, value, size)
        dims.append(dim)
        shape.append(dim[2])
    lens = Lens("index", tuple(dims))
    result = make_view(machine, array, lens, lens_type(lens, array.type))
    if added:
        spread = Lens("reshape", tuple(shape))
        result = make_view(machine, result, spread, lens_type(spread, result.type))
    return result


def integer_index(machine: Machine, index: Value, size: int, axis: int) -> int | Var:
    """An integer index into a dimension, non-negative; IndexError where it is out of range."""
    bounds = known_bounds(index)
    if isinstance(index, Const):
        value = int(index.value)
        if not -size <= value < size:
            machine.raise_(IndexError, f"index {value} is out of bounds for axis {axis} with size {size}")
        return value + size if value < 0 else value
    builder = machine.builder
    var = scalar_int(machine, index)
    constant = constant_value(var)
    if constant is not None:
        return integer_index(machine, Const(int(constant[()])), size, axis)
    low, high = bounds or (-(2**63), 2**63 - 1)
    bad = None
    if low < -size:
        bad = builder.elementwise("lt", var, builder.constant(-size, _INT64))
    if high >= size:
        above = builder.elementwise("ge", var, builder.constant(size, _INT64))
        bad = above if bad is None else builder.elementwise("bitwise_or", bad, above)
    if bad is not None:
        text = machine.message(
            "index {} is out of bounds for axis {} with size {}",
            Scalar(int, builder.convert(var, _INT64, True)),
            axis,
            size,
        )
        if size == 0:
            machine.raise_(IndexError, text)
        machine.check(bad, IndexError, text)
    if low >= 0:
        return var
    wrapped = builder.elementwise("add", var, builder.constant(size, _INT64))
    if high < 0:
        return wrapped
    return builder.elementwise("select", builder.elementwise("lt", var, builder.constant(0, _INT64)), wrapped, var)


def _slice_dim(machine: Machine, part: Slice, size: int) -> tuple:
    """(start, step, length) of a slice of a dimension."""
    step = known(machine, part.step, "the step of a slice")
    step = 1 if step is None else _as_index(machine, step)
    if step == 0:
        machine.raise_(ValueError, "slice step cannot be zero")
    parts = (part.start, part.stop)
    if not all(machine.is_static(p) for p in parts):
        dim = _dynamic_slice(machine, parts, step, size)
        if dim is not None:
            return dim
    start, stop = (_slice_bound(machine, p) for p in parts)
    places = range(size)[start:stop:step]
    # An empty slice may start at -1, which is the last element to who reads it as an index.
    return (places.start, step, len(places)) if places else (0, step, 0)


def _as_index(machine: Machine, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        machine.raise_(TypeError, "slice indices must be integers or None or have an __index__ method")
        raise


def _slice_bound(machine: Machine, value: Value) -> int | None:
    result = known(machine, value, "the bound of a slice (the size of an array depends on it)")
    return None if result is None else _as_index(machine, result)


def is_index(value: Scalar | NumpyScalar) -> bool:
    """Whether Python takes a number for the bound of a slice: integers, and its own booleans, but not NumPy's."""
    return value.var.type.dtype.kind in ("iub" if isinstance(value, Scalar) else "iu")


def _dynamic_slice(machine: Machine, bounds: tuple[Value, Value], step: int, size: int) -> tuple | None:
    """The dimension of a slice with dynamic bounds and a length that is known all the same; None if it is not."""
    start, stop = bounds
    for bound in bounds:
        if not isinstance(bound, Scalar | NumpyScalar | Const) or (isinstance(bound, Const) and bound.value is None):
            return None
        if not isinstance(bound, Const) and not is_index(bound):
            machine.raise_(TypeError, "slice indices must be integers or None or have an __index__ method")
    distance = _difference(start, stop)
    low, high = known_bounds(start), known_bounds(stop)
    if distance is None:
        return None
    if low is None:
        low = None if high is None else (high[0] - distance, high[1] - distance)
    if low is None:
        return None
    if high is not None:
        low = (max(low[0], high[0] - distance), min(low[1], high[1] - distance))
    high = (low[0] + distance, low[1] + distance)
    limit = size if step > 0 else size - 1
    if low[0] < 0 or high[0] < 0 or low[1] > limit or high[1] > limit:
        return None
    return (scalar_int(machine, start), step, len(range(0, distance, step)))


def resolved_slice(machine: Machine, part: Slice, size: int) -> bool:
    """Whether a slice with dynamic bounds and a known step has a length that is known all the same."""
    if not isinstance(part.step, Const):
        return False
    step = 1 if part.step.value is None else int(part.step.value)
    return step != 0 and _dynamic_slice(machine, (part.start, part.stop), step, size) is not None


def _difference(start: Value, stop: Value) -> int | None:
    """`stop - start`, if it is a known number."""
    first, second = (int(v.value) if isinstance(v, Const) else number_var(v) for v in (start, stop))
    return difference(second, first)


def refuse_data_dependent(what: str) -> NoReturn:
    """A result whose size depends on data."""
    raise Refused("XP0013", f"the size of {what} depends on data", "use np.where, or a mask of weights")
