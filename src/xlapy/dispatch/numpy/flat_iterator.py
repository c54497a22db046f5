"""`array.flat` beside NumPy: its attributes, its indices, and the vector that it is for NumPy's functions. What is read
of it is a copy, and what is written is repeated as often as it takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from xlapy.dispatch.arrays.flat import begin, is_flat, rewind, vector
from xlapy.dispatch.arrays.indexing import is_integer
from xlapy.dispatch.arrays.memory_order import can_reshape_in_place, layout_model, undecided
from xlapy.dispatch.arrays.views import view
from xlapy.dispatch.bounded import bounded_indexing
from xlapy.dispatch.containers.container_protocol import GETITEM, SETITEM, register
from xlapy.dispatch.numpy.rule_operands import fresh, materialise, operand, raise_real, skeleton
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import attribute, method, operator
from xlapy.domain.values import (
    NONE,
    BoundedArray,
    Const,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Slice,
    Tuple,
    Value,
    as_ref,
)
from xlapy.ir import TensorType

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
#: functions for which it is an iterator
_ITERATING = (np.iterable, np.fromiter)


@attribute(np.ndarray, "flat")
def flat(machine: Machine, self: NdArray) -> Value:
    """`array.flat`."""
    return begin(machine, self)


# -- what it is as an array -------------------------------------------------------------------------------------------


@method(np.flatiter, "__array__")
def as_array(machine: Machine, self: Ref, dtype: Value = NONE, *, copy: Value = NONE) -> Value:
    """What NumPy's functions take it for: a view of an array whose elements lie in order, else a copy that is not to be
    written. (NumPy's method does not look at its arguments.)"""
    elements, base = vector(machine, self), _base(machine, self)
    in_order = can_reshape_in_place(machine, base, elements.type.shape)
    if in_order is None:
        raise undecided()
    if in_order and layout_model(machine, base).flags.c_contiguous:
        return view(machine, base, "reshape", elements.type.shape, base.writeable)
    made = fresh(machine, machine.read(elements))
    return NdArray(made.buffer, made.lenses, made.type, made.identity, False)


def _base(machine: Machine, self: Ref) -> NdArray:
    base = machine.heap.read(self.object, "base")
    assert isinstance(base, NdArray)
    return base


def arguments(
    machine: Machine, function: object, args: Sequence[Value], kwargs: dict[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """The arguments of a function of NumPy's, with arrays in the place of `array.flat`."""
    root = (getattr(function, "__module__", None) or "").partition(".")[0]
    if not isinstance(function, np.ufunc) and root != "numpy" or function in _ITERATING:
        return list(args), kwargs
    count = function.nin if isinstance(function, np.ufunc) else len(args)

    def plain(value: Value) -> Value:
        return as_array(machine, as_ref(value)) if is_flat(machine, value) else value

    given = [plain(a) if k < count else a for k, a in enumerate(args)]
    return given, {k: plain(v) if k != "out" else v for k, v in kwargs.items()}


@operator(np.flatiter)
def compared(machine: Machine, symbol: str, left: Value, right: Value) -> Value | None:
    """Comparisons, which are the array's; it has no other operators."""
    if symbol not in _COMPARISONS:
        return None
    one, two = (as_array(machine, as_ref(v)) if is_flat(machine, v) else v for v in (left, right))
    return machine.compare(symbol, one, two)


# -- attributes and methods -------------------------------------------------------------------------------------------


@attribute(np.flatiter, "index")
def index(machine: Machine, self: Ref) -> Value:
    """How many elements it has given."""
    return machine.heap.read(self.object, "position")


@attribute(np.flatiter, "coords")
def coords(machine: Machine, self: Ref) -> Value:
    """The indices of the next element."""
    base = _base(machine, self)
    shape = base.type.shape
    around = len(shape) > 2 and not layout_model(machine, base).flags.c_contiguous
    known = Tuple(tuple(Const(int(n)) for n in shape))
    return machine.call(Const(_coords), (index(machine, self), known, Const(around)))


def _coords(index, shape, around):
    found, factor = (), 1
    for length in shape:
        factor *= length
    if around and index == factor:
        index = 0  # an odometer that was moved on once more than there are elements
    for length in shape:
        factor = factor // length if length else 0
        found += (index // factor if factor else 0,)
        index = index % factor if factor else index
    return found


@attribute(np.flatiter, "base")
def base(machine: Machine, self: Ref) -> Value:
    """The array."""
    return _base(machine, self)


@method(np.flatiter, "copy")
def copy(machine: Machine, self: Ref) -> Value:
    """A fresh vector."""
    return fresh(machine, machine.read(vector(machine, self)))


@method(np.flatiter, "__len__")
def length(machine: Machine, self: Ref) -> Value:
    """The number of elements of the array."""
    return Const(vector(machine, self).type.shape[0])


@method(np.flatiter, "__iter__")
def itself(machine: Machine, self: Ref) -> Value:
    """An iterator is its own."""
    return self


@method(np.flatiter, "__next__")
def following(machine: Machine, self: Ref) -> Value:
    """The next element."""
    return machine.call(Const(next), (self,))


# -- indices ----------------------------------------------------------------------------------------------------------


@register(GETITEM, np.flatiter)
def getitem(machine: Machine, iterator: Ref, key: Value) -> Value:
    """`array.flat[key]`."""
    rewind(machine, iterator)
    found = bounded_indexing.getitem(machine, vector(machine, iterator), _key(machine, iterator, _alone(machine, key)))
    return machine.call(machine.getattr(found, "copy"), ()) if isinstance(found, NdArray) else found


@register(SETITEM, np.flatiter)
def setitem(machine: Machine, iterator: Ref, key: Value, value: Value) -> None:
    """`array.flat[key] = value`."""
    rewind(machine, iterator)
    value = as_array(machine, as_ref(value)) if is_flat(machine, value) else value
    empty, key = isinstance(key, Tuple) and not key.items, _alone(machine, key)
    _check_item(machine, iterator, key, value, empty)
    elements = vector(machine, iterator)
    places = _places(machine, key) if machine.catching else None
    if places is not None:
        values = machine.call(Const(np.ravel), [value])
        machine.call(Const(_until_out_of_range), (elements, places, values, Const(elements.type.shape[0])))
        return
    key = _key(machine, iterator, key)
    if isinstance(value, Scalar | NumpyScalar) or isinstance(value, Const) and np.ndim(value.value) == 0:
        bounded_indexing.setitem(machine, elements, key, value)
        return
    if isinstance(value, NdArray) and value.buffer == elements.buffer and value.type.dtype == elements.type.dtype:
        size = Const(elements.type.shape[0])
        machine.call(Const(_one_by_one), (elements, key, vector(machine, begin(machine, value)), size))
        return
    if not isinstance(value, BoundedArray):
        # converted one by one, before anything is written
        value = fresh(machine, operand(machine, value, elements.type.dtype))
    machine.call(Const(_repeated), (elements, key, value))


@method(np.flatiter, "__getitem__")
def _getitem(machine: Machine, self: Ref, key: Value) -> Value:
    return machine.getitem(self, key)


@method(np.flatiter, "__setitem__")
def _setitem(machine: Machine, self: Ref, key: Value, value: Value) -> Value:
    machine.setitem(self, key, value)
    return NONE


def _key(machine: Machine, iterator: Ref, key: Value) -> Value:
    """The key for the vector: an integer in range, a slice, integers, or a mask as long as the array."""
    size = vector(machine, iterator).type.shape[0]
    known = key.value if isinstance(key, Const) else None
    if is_integer(key) and machine.type_of(key) not in (bool, np.bool_):
        machine.call(Const(_in_range), (key, Const(size)))
        return key
    if isinstance(key, BoundedArray | Slice) or known is Ellipsis or isinstance(known, slice):
        return key
    if isinstance(key, NdArray) and (key.type.dtype.kind in "iu" or key.type == TensorType((size,), np.dtype(bool))):
        if key.type.dtype != bool:
            machine.call(Const(_all_in_range), (key, Const(size)))
        return key
    _as_numpy(machine, iterator, key)
    if isinstance(key, Tuple) and not key.items:
        return Const(Ellipsis)
    if isinstance(key, Ref):
        made = machine.call(Const(np.asarray), [key])
        if isinstance(made, NdArray) and (made.type.dtype.kind in "iu" or made.type.shape == (0,)):
            return _key(machine, iterator, machine.call(machine.getattr(made, "astype"), [Const(np.int64)]))
    raise Refused("XP0010", "an index of `array.flat` that NumPy is about to refuse", "use an integer or a slice")


def _places(machine: Machine, key: Value) -> NdArray | None:
    """A key that is several integers, as an array of them."""
    if isinstance(key, Ref) and machine.heap.objects[key.object].kind == "list":
        key = machine.call(Const(np.asarray), [key])
    return key if isinstance(key, NdArray) and key.type.dtype.kind in "iu" and key.type.shape else None


def _alone(machine: Machine, key: Value) -> Value:
    """The one key of a tuple, an integer array without dimensions as its number."""
    if isinstance(key, Tuple) and len(key.items) == 1:
        (key,) = key.items
        if isinstance(key, Tuple) and key.items:
            return machine.new_list(key.items)
    if is_flat(machine, key):
        return as_array(machine, as_ref(key))
    if isinstance(key, NdArray) and not key.type.shape and key.type.dtype.kind in "iu":
        return NumpyScalar(machine.read(key))
    return key


def _check_item(machine: Machine, iterator: Ref, key: Value, value: Value, empty: bool) -> None:
    """Raise what NumPy raises where it takes a key for reading alone, or where a value is no number."""
    several = is_integer(key) and isinstance(value, NdArray | Ref | Tuple | BoundedArray)
    foreign = isinstance(value, Const) and not isinstance(value.value, int | float | np.number | np.bool_)
    kind = vector(machine, iterator).type.dtype.kind
    number = isinstance(value, Scalar | NumpyScalar) or isinstance(value, Const) and not foreign
    complex_ = number and kind != "c" and np.dtype(operand(machine, value).type.dtype).kind == "c"
    if not (empty or several or foreign or complex_):
        return
    try:
        _sample(machine, iterator)[materialise(skeleton(machine, key))] = materialise(skeleton(machine, value))
    except IndexError as error:
        if empty:
            raise_real(machine, error)
    except (TypeError, ValueError) as error:
        raise_real(machine, error)
    if several or foreign and kind != "c":
        raise Refused("XP0010", "what is assigned to a place of `array.flat` is no number", "assign a number")


def _as_numpy(machine: Machine, iterator: Ref, key: Value) -> None:
    """Raise what NumPy raises of a key whose sort alone tells."""
    try:
        _sample(machine, iterator)[materialise(skeleton(machine, key))]
    except (TypeError, ValueError, OverflowError) as error:
        raise_real(machine, error)
    except IndexError as error:
        if "out of bounds" not in str(error):
            raise_real(machine, error)


def _sample(machine: Machine, iterator: Ref) -> np.flatiter:
    elements = vector(machine, iterator).type
    return np.zeros(elements.shape, elements.dtype).flat


def _in_range(index, size):
    if index < -size or index >= size:
        raise IndexError(f"index {index} is out of bounds for size {size}")


def _all_in_range(keys, size):
    for index in keys[(keys < -size) | (keys >= size)][:1]:
        raise IndexError(f"index {index} is out of bounds for size {size}")


def _repeated(vector, key, values):
    values = values.ravel()
    if np.size(values) == 0:
        return
    taken = vector[key]
    values = values[np.arange(np.size(taken)) % np.size(values)]
    vector[key] = values if np.ndim(taken) == 1 else values.reshape(np.shape(taken))


def _until_out_of_range(vector, keys, values, size):
    """What a handler sees: NumPy has stored the elements before the one whose place there is not."""
    k = 0
    for index in keys.ravel():
        if index < -size or index >= size:
            raise IndexError(f"index {index} is out of bounds for size {size}")
        vector[index] = values[k]
        k = (k + 1) % np.size(values)


def _one_by_one(vector, key, values, size):
    k = 0
    for place in np.arange(size)[key].ravel():
        vector[place] = values[k]
        k = (k + 1) % np.size(values)
