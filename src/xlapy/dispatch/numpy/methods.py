"""Methods of arrays and NumPy scalars: most are NumPy's functions with the array as first argument."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from xlapy.dispatch.arrays.indexing import assign, getitem
from xlapy.dispatch.arrays.indexing import is_integer as is_index
from xlapy.dispatch.arrays.memory_order import arranged, is_c_contiguous, lies
from xlapy.dispatch.bounded import array_to_list
from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numbers.scalar_values import python_int, scalar
from xlapy.dispatch.numpy import accumulations, array_attributes, moments, reductions, sorting, view_functions
from xlapy.dispatch.numpy.numpy_leaves import python_scalar
from xlapy.dispatch.numpy.reasons import METHOD_REASONS
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    cast,
    given_dtype,
    kind_of,
    known,
    known_order,
    materialise,
    new_list,
    operand,
    raise_as_numpy,
    raise_real,
    require_dtype,
    reshape,
    skeleton,
)
from xlapy.dispatch.numpy.ufuncs import ufunc_rule
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import method
from xlapy.dispatch.value_selection import unstack
from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.domain.values import NONE, Const, JaxArray, NdArray, NumpyScalar, Ref, Tuple, Value
from xlapy.ir import Var
from xlapy.ir.stacking_leaves import MANY

_NO_VALUE = getattr(np, "_NoValue", None)


def both(*names: str) -> Callable:
    """Register a method for arrays and NumPy scalars."""

    def register(rule):
        for cls in (np.ndarray, np.generic):
            method(cls, *(name for name in names if hasattr(cls, name)))(rule)
        return rule

    return register


# -- reductions ------------------------------------------------------------------------------------------------------


def _typed(ufunc: np.ufunc, name: str):
    def rule(machine, self, axis=None, dtype=None, out=None, keepdims=False, initial=_NO_VALUE, where=True):
        return reductions.reduce_rule(machine, ufunc, self, axis, dtype, out, keepdims, initial, where, name)

    return rule


def _untyped(ufunc: np.ufunc, name: str):
    def rule(machine, self, axis=None, out=None, keepdims=False, initial=_NO_VALUE, where=True):
        return reductions.reduce_rule(machine, ufunc, self, axis, None, out, keepdims, initial, where, name)

    return rule


def _truth(ufunc: np.ufunc, name: str):
    def rule(machine, self, axis=None, out=None, keepdims=False, *, where=True):
        return reductions.reduce_rule(machine, ufunc, self, axis, None, out, keepdims, None, where, name)

    return rule


both("sum")(_typed(np.add, "sum"))
both("prod")(_typed(np.multiply, "prod"))
both("max")(_untyped(np.maximum, "max"))
both("min")(_untyped(np.minimum, "min"))
both("all")(_truth(np.logical_and, "all"))
both("any")(_truth(np.logical_or, "any"))
both("mean")(moments.mean_rule)
both("std")(moments.std_rule)
both("var")(moments.var_rule)
both("argmax")(reductions.argmax_rule)
both("argmin")(reductions.argmin_rule)
both("cumsum")(accumulations.cumsum_rule)
both("cumprod")(accumulations.cumprod_rule)


# -- the same as a function ------------------------------------------------------------------------------------------


def _as_function(name: str, *parameters: str) -> None:
    """A method that is NumPy's function of the same name; `parameters` where its order differs."""
    numpy_function = getattr(np, name)

    def rule(machine, self, /, *args, **kwargs):
        named = dict(zip(parameters, args, strict=False)) if parameters else {}
        return machine.call(Const(numpy_function), (self, *(args if not parameters else ())), {**named, **kwargs})

    both(name)(rule)


for _name in (
    "swapaxes squeeze repeat take round trace diagonal nonzero searchsorted choose ravel argsort"
    " argpartition dot put".split()
):
    _as_function(_name)


@both("clip")
def clip(machine, self, /, min=None, max=None, out=None, **kwargs):  # noqa: A002
    """`array.clip(min, max)`, of which one is enough."""
    given = {name: value for name, value in (("min", min), ("max", max), ("out", out)) if isinstance(value, Value)}
    return machine.call(Const(np.clip), (self,), {**given, **kwargs})


@both("compress")
def compress(machine, self, condition, axis=None, out=None):
    """np.compress with its first arguments exchanged."""
    named = {k: v for k, v in (("axis", axis), ("out", out)) if isinstance(v, Value)}
    return machine.call(Const(np.compress), (condition, self), named)


@both("reshape")
def reshape_method(machine, self, *shape, order="C", copy=None):
    """`array.reshape(3, 4)` and `array.reshape((3, 4))`."""
    wanted = shape[0] if len(shape) == 1 else Tuple(tuple(shape))
    return view_functions.reshape(machine, self, wanted, order, copy=copy)


@both("transpose")
def transpose_method(machine, self, *axes):
    """`array.transpose()`, `.transpose(1, 0)` and `.transpose((1, 0))`."""
    order = None if not axes else axes[0] if len(axes) == 1 else Tuple(tuple(axes))
    return view_functions.transpose(machine, self, order)


@both("flatten")
def flatten(machine, self, order="C"):
    """A flat copy."""
    flat = view_functions.ravel(machine, self, order)
    return machine.new_array(machine.read(flat))


@method(np.ndarray, "copy", "__copy__", "__deepcopy__")
def copy(machine, self, order="C"):
    """A copy."""
    return view_functions.copy_of(machine, self, str(known_order(machine, order)))


@method(np.generic, "copy", "__copy__", "__deepcopy__")
def scalar_copy(machine, self, *_):
    """Scalars are immutable."""
    return self


@both("conj", "conjugate")
def conjugate(machine, self, /, *args, **kwargs):
    """The complex conjugate; a real array is returned as it is."""
    if isinstance(self, NdArray) and kind_of(self.type.dtype) in "iufb" and not args and not kwargs:
        return self
    return ufunc_rule(machine, np.conjugate, self, *args, **kwargs)


@both("astype")
def astype(machine, self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """`array.astype(dtype)`."""
    target = given_dtype(machine, dtype)
    rule: Any = str(known(machine, casting))
    var = operand(machine, self)
    try:
        np.zeros((1,) * len(var.type.shape), var.type.dtype).astype(target, casting=rule)
    except Exception as error:
        return raise_real(machine, error)
    if rule == "same_value":
        raise Refused("XP0011", "astype(casting='same_value')", "compare the result with the array, and raise")
    if not isinstance(self, NdArray):
        return machine.numpy_result(cast(machine, var, target))
    asked = known_order(machine, order)
    if not known(machine, copy) and target == var.type.dtype and lies(machine, self, asked):
        return self
    return arranged(machine, machine.new_array(cast(machine, var, target)), self, asked)


@both("view")
def view_method(machine, self, dtype=None, type=None):
    """`array.view()`, also as another dtype of the same size."""
    given = dtype if isinstance(dtype, Value) else type
    wanted = np.float64 if isinstance(dtype, Value) and absent(dtype) else known(machine, given)
    if wanted is None or wanted is np.ndarray:
        return view_functions.make_view(machine, self, None, self.type) if isinstance(self, NdArray) else self
    target = require_dtype(wanted)
    current = operand(machine, self).type.dtype
    if target == current:
        return view_functions.make_view(machine, self, None, self.type) if isinstance(self, NdArray) else self
    if target.itemsize != current.itemsize or "c" in (kind_of(target), kind_of(current)):
        raise Refused("XP0012", f"an array of {current} seen as {target}", "use .astype(), which converts the values")
    array = view_functions.as_array(machine, self)
    seen = view_functions.view(machine, array, "bitcast", (target,))
    return seen if isinstance(self, NdArray) else machine.numpy_result(machine.read(seen))


@method(np.ndarray, "fill")
def fill(machine, self, value):
    """`array.fill(value)`."""
    if not self.writeable:
        return machine.raise_(ValueError, "assignment destination is read-only")
    items = isinstance(value, Ref) and machine.heap.objects[value.object].kind == "list"
    if items or isinstance(value, Tuple) or isinstance(value, NdArray) and value.type.shape:
        return machine.raise_(ValueError, "setting an array element with a sequence.")
    if isinstance(value, NdArray):
        value = JaxArray(machine.read(value))
    assign(machine, self, value)
    return NONE


@method(np.ndarray, "sort")
def sort(machine, self, axis=-1, kind=None, order=None, *, stable=None):
    """In place."""
    sorting.check_kind(machine, np.sort, kind)
    given = {"axis": axis, "kind": kind, "stable": stable}
    named = {name: v if isinstance(v, Value) else Const(v) for name, v in given.items()}
    assign(machine, self, machine.call(Const(np.sort), (self,), named))
    return NONE


@method(np.ndarray, "partition")
def partition(machine, self, kth, axis=-1, kind="introselect", order=None):
    """In place; sorted, which every partition may be."""
    sorting.check_places(machine, self, kth, axis, kind)
    return sort(machine, self, axis)


@method(np.ndarray, "setflags")
def setflags(machine, self, write: Any = None, align=None, uic=None):
    """`array.setflags(write=...)`."""
    if any(not absent(v) and known(machine, v) is not default for v, default in ((align, True), (uic, False))):
        raise Refused("XP0010", "assigning the flags 'aligned' and 'writebackifcopy' of an array is not supported")
    if not absent(write):
        array_attributes.set_flag(machine, self, "writeable", write)
    return NONE


@method(np.generic, "setflags")
def setflags_of_scalar(machine, self, write=None, align=None, uic=None):
    """Nothing, for a number."""
    return NONE


@method(np.ndarray, "resize")
def resize(machine, self, *shape, refcheck=True):
    """Changes the array object itself: another shape of as many elements, of those that lie one after another."""
    if not shape or absent(shape[0]):
        return NONE
    wanted = known(machine, shape[0] if len(shape) == 1 else Tuple(shape), "a shape")
    sizes = (wanted,) if isinstance(wanted, int) else wanted
    whole = isinstance(sizes, tuple | list) and all(isinstance(size, int) and size >= 0 for size in sizes)
    if not whole or math.prod(sizes) != math.prod(self.type.shape) or not is_c_contiguous(machine, self):
        raise Refused("XP0010", "array.resize changes the size of the object in place", "use np.resize")
    if tuple(sizes) != self.type.shape:
        array_attributes.set_attribute(machine, self, "shape", Const(tuple(sizes)))
    return NONE


@method(np.ndarray, "__array_wrap__")
def array_wrap(machine, self, array, context=None, return_scalar=False, /):
    """`like.__array_wrap__(array)`: how NumPy's functions in Python give the result for an array; as a number where
    they ask for one."""
    if isinstance(array, NdArray) and not array.type.shape and known(machine, return_scalar):
        return NumpyScalar(machine.read(array))
    return array


@method(np.ndarray, "__array_namespace__")
def array_namespace(machine, self, *, api_version=None):
    """NumPy, the library of the array API standard that the array is of."""
    if not absent(api_version) and known(machine, api_version) is not None:
        raise Refused("XP0003", "a version of the array API standard")
    return Const(np)


@method(np.generic, "__array__")
def array_of_scalar(machine, self, dtype=None, /):
    """An array of rank 0."""
    return machine.call(Const(np.array), (self,), {} if dtype is None else {"dtype": dtype})


@method(np.ndarray, "__array__")
def array(machine, self, dtype=None, *, copy=None):
    """What np.asarray asks: the array itself where it has the dtype."""
    given = {name: v for name, v in (("dtype", dtype), ("copy", copy)) if isinstance(v, Value)}
    return machine.call(Const(np.asarray), (self,), given)


def _check_places(machine: Machine, array: NdArray, places: Sequence[Value]) -> None:
    """Raise what NumPy says of something that is no place of an element."""
    try:
        np.zeros(array.type.shape, bool).item(*(materialise(skeleton(machine, place)) for place in places))
    except IndexError:
        pass
    except (TypeError, ValueError) as error:
        raise_real(machine, error)


@both("item")
def item(machine, self, *args):
    """A Python number."""
    var = operand(machine, self)
    if args:
        key = args[0] if len(args) == 1 else Tuple(tuple(args))
        array = view_functions.as_array(machine, self)
        if len(args) == 1 and not isinstance(key, Tuple) and len(array.type.shape) != 1:
            array, key = view_functions.ravel(machine, array), range_objects.index(machine, key)
            size = array.type.shape[0]
            text = machine.message(f"index {{!s}} is out of bounds for size {size}", key)
            for symbol, end in (("<", -size), (">=", size)):
                machine.check(machine.truth(machine.compare(symbol, key, Const(end))), IndexError, text)
        elif isinstance(key, Tuple) and len(key.items) != len(array.type.shape):
            machine.raise_(ValueError, "incorrect number of indices for array")
        elif not all(map(is_index, key.items if isinstance(key, Tuple) else (key,))):
            _check_places(machine, array, args)
        picked = getitem(machine, array, key)
        var = operand(machine, picked)
    size = int(np.prod(var.type.shape, dtype=np.int64))
    if size != 1:
        return machine.raise_(ValueError, "can only convert an array of size 1 to a Python scalar")
    return to_python(machine, reshape(machine, var, ()))


#: Python's numbers by the kind of the elements they are made of
_PYTHON = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


def to_python(machine: Machine, var) -> Value:
    """A rank-0 device value as a Python number."""
    return python_scalar(machine, _wide(machine, var), _PYTHON[kind_of(var.type.dtype)])


def _wide(machine: Machine, var: Var) -> Var:
    """Elements with the dtype of Python's numbers."""
    kind = _PYTHON[kind_of(var.type.dtype)]
    return cast(machine, python_int(machine, var) if kind is int else var, SCALAR_DTYPES[kind])


#: elements of which each would be a value of its own in the list
_MANY_ITEMS = 1024


@both("tolist")
def tolist(machine, self):
    """Nested lists of Python numbers."""
    var = operand(machine, self)
    size = int(np.prod(var.type.shape, dtype=np.int64))
    if size > _MANY_ITEMS:
        return array_to_list.tolist(machine, self, len(var.type.shape))
    if not var.type.shape:
        return to_python(machine, var)
    if size >= MANY:
        numbers = unstack(machine, reshape(machine, _wide(machine, var), (size,)))
        return _lists(machine, iter(to_python(machine, number) for number in numbers), var.type.shape)
    return _nested(machine, view_functions.as_array(machine, self))


def _lists(machine: Machine, numbers: Iterator[Value], shape: tuple[int, ...]) -> Value:
    """Nested lists of numbers, as many in each as an array of this shape has."""
    count, *inner = shape
    items = [_lists(machine, numbers, tuple(inner)) if inner else next(numbers) for _ in range(count)]
    return new_list(machine, items)


def _nested(machine: Machine, array: NdArray) -> Value:
    items = []
    for k in range(array.type.shape[0]):
        part = getitem(machine, array, Const(k))
        deeper = isinstance(part, NdArray)
        items.append(_nested(machine, part) if deeper else to_python(machine, operand(machine, part)))
    return new_list(machine, items)


def _number(kind: type):
    """`int(array)`, `float(array)`, `complex(array)`, `bool(array)`."""

    def rule(machine, self):
        var = operand(machine, self)
        if int(np.prod(var.type.shape, dtype=np.int64)) != 1 or (var.type.shape != () and kind is not bool):
            if kind is bool:
                return raise_as_numpy(machine, bool, (self,), {}, "an array as a truth value")
            return raise_as_numpy(machine, kind, (self,), {}, f"an array as {kind.__name__}")
        var = reshape(machine, var, ())
        if kind in (int, float) and kind_of(var.type.dtype) == "c":
            return raise_as_numpy(machine, kind, (self,), {}, "a complex number as a real one")
        if kind is int and kind_of(var.type.dtype) == "f":
            builder = machine.builder
            machine.check(builder.elementwise("ne", var, var), ValueError, "cannot convert float NaN to integer")
            size = builder.elementwise("abs", var)
            infinite = builder.elementwise("eq", size, builder.constant(np.inf, var.type.dtype))
            machine.check(infinite, OverflowError, "cannot convert float infinity to integer")
        if kind is int and kind_of(var.type.dtype) in "iu":
            return scalar(machine, int, var, getattr(self, "bounds", None))
        return python_scalar(machine, cast(machine, var, SCALAR_DTYPES[kind]), kind)

    return rule


for _kind in (int, float, complex, bool):
    both(f"__{_kind.__name__}__")(_number(_kind))


@method(np.integer, "__index__")
@method(np.ndarray, "__index__")
def index(machine, self):
    """An integer as an index."""
    var = operand(machine, self)
    if kind_of(var.type.dtype) not in "iu" or var.type.shape:
        return machine.raise_(TypeError, "only integer scalar arrays can be converted to a scalar index")
    return to_python(machine, var)


@method(np.floating, "is_integer")
def is_integer(machine, self):
    """Whether a float is whole."""
    var = operand(machine, self)
    whole = machine.builder.elementwise("eq", machine.builder.elementwise("floor", var), var)
    finite = machine.builder.elementwise("is_finite", var)
    return python_scalar(machine, machine.builder.elementwise("bitwise_and", whole, finite), bool)


@method(np.integer, "is_integer")
def integer_is_integer(machine, self):
    """Every integer is whole."""
    return Const(True)


@method(np.integer, "bit_count")
def bit_count(machine, self):
    """The number of ones in the binary form of an integer, a Python int."""
    return to_python(machine, operand(machine, ufunc_rule(machine, np.bitwise_count, self), np.dtype(np.int64)))


@both("to_device")
def to_device(machine, self, device, /, *, stream=None):
    """NumPy's arrays live on its only device, 'cpu'."""
    if known(machine, device) != "cpu":
        return machine.raise_(ValueError, f"Unsupported device: {known(machine, device)}.")
    if not absent(stream):
        return machine.raise_(ValueError, "The stream argument in to_device() is not supported")
    return self


def _refused(name: str, reason: str):
    def rule(machine, self, /, *args, **kwargs):
        raise Refused("XP0003", f"ndarray.{name} {reason}", "do it outside the compiled function")

    return rule


for _name, _reason in METHOD_REASONS.items():
    both(_name)(_refused(_name, _reason))


@method(np.ndarray, "__getitem__")
def _getitem(machine: Machine, self: Value, key: Value) -> Value:
    """`a.__getitem__(key)`, as a key of sorting."""
    return machine.getitem(self, key)


@method(np.ndarray, "__setitem__")
def _setitem(machine: Machine, self: Value, key: Value, item: Value) -> Value:
    machine.setitem(self, key, item)
    return NONE


@method(np.ndarray, "__len__")
def _len(machine: Machine, self: Value) -> Value:
    return machine.call(Const(len), (self,))
