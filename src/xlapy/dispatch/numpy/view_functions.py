"""NumPy functions whose results are views of their argument: reshape, transpose, flip, squeeze, diagonal, split..."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays.memory_order import (
    arranged,
    can_ravel_in_place,
    can_reshape_in_place,
    layout_model,
    perhaps_a_view,
    undecided,
)
from xlapy.dispatch.arrays.views import make_view, view
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    known,
    known_index,
    known_order,
    new_list,
    operand,
    raise_real,
)
from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.registry import function
from xlapy.domain.values import NdArray, NumpyScalar, Tuple, Value

T = TypeVar("T")


def as_array(machine: Machine, value: Value) -> NdArray:
    """`np.asanyarray(value)`: the array itself, or a new one."""
    return value if isinstance(value, NdArray) else machine.new_array(operand(machine, value))


def model(array: NdArray) -> np.ndarray:
    """A stand-in of the same shape that holds nothing."""
    return np.broadcast_to(np.False_, array.type.shape)


def ask(machine: Machine, question: Callable[[], T]) -> T:
    """Ask NumPy about shapes; its exceptions are the program's."""
    try:
        return question()
    except Exception as error:
        return raise_real(machine, error)


# -- transpositions --------------------------------------------------------------------------------------------------


def permuted(machine: Machine, array: NdArray, question: Callable[[np.ndarray], np.ndarray]) -> NdArray:
    """The view in which NumPy's answer about a stand-in has its axes."""
    rank = len(array.type.shape)
    strides = tuple(range(1, rank + 1))
    stand_in = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), array.type.shape, strides)
    answer = ask(machine, lambda: question(stand_in))
    return view(machine, array, "transpose", tuple(s - 1 for s in answer.strides))


@function(np.transpose, np.permute_dims)
def transpose(machine, a, axes=None):
    """np.transpose."""
    if isinstance(a, NumpyScalar) and absent(axes):
        return a
    order = known(machine, axes, "axes")
    return permuted(machine, as_array(machine, a), lambda m: np.transpose(m, order))


@function(np.swapaxes)
def swapaxes(machine, a, axis1, axis2):
    """np.swapaxes."""
    one, two = known(machine, axis1), known(machine, axis2)
    return permuted(machine, as_array(machine, a), lambda m: np.swapaxes(m, one, two))


@function(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(machine, x, /):
    """np.matrix_transpose."""
    return permuted(machine, as_array(machine, x), np.matrix_transpose)


# -- reshapes --------------------------------------------------------------------------------------------------------


def reshaped(
    machine: Machine, array: NdArray, shape: tuple[int, ...], order: str = "C", copy: object = None
) -> NdArray:
    """`array.reshape(shape, order)`: a view where NumPy gives one, else a copy."""
    if order == "A":
        layout = layout_model(machine, array)
        order = "F" if layout.flags.f_contiguous and not layout.flags.c_contiguous else "C"
    if order == "F":
        turned = permuted(machine, array, np.transpose)
        return permuted(machine, reshaped(machine, turned, shape[::-1], "C", copy), np.transpose)
    in_place = can_reshape_in_place(machine, array, shape)
    if in_place and copy is not True:
        return view(machine, array, "reshape", shape)
    if copy is False and in_place is None:
        raise undecided()
    if copy is False:
        machine.raise_(ValueError, "Unable to avoid creating a copy while reshaping.")
    made = machine.new_array(_reshape_var(machine, machine.read(array), shape))
    return perhaps_a_view(machine, array, made) if in_place is None and copy is not True else made


def _reshape_var(machine: Machine, var, shape: tuple[int, ...]):
    return machine.leaf(_reshape, (var,), (shape,), name="reshape")[0]


def _reshape(x, shape):
    return jnp.reshape(x, shape)


def new_shape(machine: Machine, array: NdArray, shape: object) -> tuple[int, ...]:
    """The shape that `reshape` asks for, -1 resolved."""
    wanted = known(machine, shape, "a shape")
    if isinstance(wanted, np.ndarray):
        wanted = wanted.tolist()

    return ask(machine, lambda: np.reshape(model_of_size(array), wanted)).shape


def model_of_size(array: NdArray) -> np.ndarray:
    """A stand-in that reshapes without a copy whatever its size: contiguous, over nothing."""
    shape = array.type.shape
    strides, step = [0] * len(shape), 1
    for axis in reversed(range(len(shape))):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), shape, strides)


@function(np.reshape)
def reshape(machine, a, /, shape, order="C", *, copy=None):
    """np.reshape."""
    array = as_array(machine, a)
    asked = str(known_order(machine, order, "CFA", "order 'K' is not permitted for reshaping"))
    return reshaped(machine, array, new_shape(machine, array, shape), asked, known(machine, copy))


@function(np.ravel)
def ravel(machine, a, order="C"):
    """np.ravel: a view where the array is contiguous."""
    array = as_array(machine, a)
    size = int(np.prod(array.type.shape, dtype=np.int64))
    order = str(known_order(machine, order))
    if order == "K":
        axes = tuple(int(i) for i in np.argsort([-abs(s) for s in layout_model(machine, array).strides], kind="stable"))
        array, order = permuted(machine, array, lambda m: np.transpose(m, axes)), "C"
    if order == "A":
        layout = layout_model(machine, array)
        order = "F" if layout.flags.f_contiguous and not layout.flags.c_contiguous else "C"
    if order == "F":
        array = permuted(machine, array, np.transpose)
    in_place = can_ravel_in_place(machine, array)
    if in_place:
        is_flat = array.type.shape == (size,)
        return make_view(machine, array, None, array.type) if is_flat else view(machine, array, "reshape", (size,))
    made = machine.new_array(_reshape_var(machine, machine.read(array), (size,)))
    return perhaps_a_view(machine, array, made) if in_place is None else made


def _only_units(numpy_function: Callable) -> Callable:
    """A function that adds or removes dimensions of 1: always a view."""

    def rule(machine, a, *args):
        array = as_array(machine, a)
        known_args = [known(machine, arg, "an axis") for arg in args]
        shape = ask(machine, lambda: numpy_function(model(array), *known_args)).shape
        if shape != array.type.shape:
            return view(machine, array, "reshape", shape)
        # where there is nothing to remove, NumPy gives the array itself
        return array if numpy_function is np.squeeze else make_view(machine, array, None, array.type)

    return rule


squeezed = _only_units(np.squeeze)


@function(np.squeeze)
def squeeze(machine, a, axis=None):
    """np.squeeze."""
    if isinstance(a, NumpyScalar) and absent(axis):
        return a
    return squeezed(machine, a, axis)


# -- slices ----------------------------------------------------------------------------------------------------------


def sliced(machine: Machine, array: NdArray, question: Callable[[np.ndarray], np.ndarray]) -> NdArray:
    """The view whose axes are those of `array`, in order, run through as in NumPy's answer (flip)."""
    shape = array.type.shape
    strides = tuple(16 ** (i + 1) for i in range(len(shape)))
    stand_in = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), shape, strides)
    answer = ask(machine, lambda: question(stand_in))
    strides = answer.strides
    dims = tuple((0, 1, n) if s > 0 or n == 0 else (n - 1, -1, n) for s, n in zip(strides, shape, strict=True))
    return view(machine, array, "index", dims)


def split_at(machine: Machine, array: NdArray, places: Sequence[int | None], axis: int) -> list[NdArray]:
    """Views of the pieces of an axis between `places`."""
    size = array.type.shape[axis]
    edges = [0, *places, size]
    pieces = []
    for start, stop in zip(edges[:-1], edges[1:], strict=True):
        first, last, _ = slice(start, stop if stop is not None else None).indices(size)
        dims = [(0, 1, n) for n in array.type.shape]
        dims[axis] = (first if last > first else 0, 1, max(last - first, 0))
        pieces.append(view(machine, array, "index", tuple(dims)))
    return pieces


@function(np.array_split)
def array_split(machine, ary, indices_or_sections, axis=0):
    """np.array_split: views of the pieces."""
    array = as_array(machine, ary)
    parts, axis = known(machine, indices_or_sections, "where to split"), known_index(machine, axis)
    answer = ask(machine, lambda: np.array_split(model(array), parts, axis))
    if np.ndim(parts):
        places = [None if p is None else int(p) for p in parts]
    else:
        places = [int(p) for p in np.cumsum([m.shape[axis] for m in answer])[:-1]]
    return new_list(machine, split_at(machine, array, places, axis))


# -- the rest --------------------------------------------------------------------------------------------------------


@function(np.diagonal)
def diagonal(machine, a, offset: Any = 0, axis1: Any = 0, axis2: Any = 1):
    """np.diagonal: a read-only view."""
    array = as_array(machine, a)
    offset, axis1, axis2 = (known_index(machine, v) for v in (offset, axis1, axis2))
    ask(machine, lambda: np.diagonal(model(array), offset, axis1, axis2))
    rank = len(array.type.shape)
    return view(machine, array, "diagonal", (offset, axis1 % rank, axis2 % rank), writeable=False)


@function(np.broadcast_to)
def broadcast_to(machine, array, shape, subok=False):
    """np.broadcast_to: a read-only view."""
    source = as_array(machine, array)
    wanted = known(machine, shape, "a shape")
    target = ask(machine, lambda: np.broadcast_to(model(source), wanted)).shape
    return view(machine, source, "broadcast", target, writeable=False)


@function(np.broadcast_arrays)
def broadcast_arrays(machine, *args, subok=False):
    """np.broadcast_arrays."""
    arrays = [as_array(machine, a) for a in args]
    shape = ask(machine, lambda: np.broadcast_shapes(*(a.type.shape for a in arrays)))
    if all(a.type.shape == shape for a in arrays):
        return Tuple(tuple(arrays))
    return Tuple(tuple(view(machine, a, "broadcast", shape, writeable=a.type.shape == shape) for a in arrays))


def complex_part(machine: Machine, array: NdArray, part: str) -> NdArray:
    """`array.real` or `array.imag`: views of a complex array."""
    if array.type.dtype.kind == "c":
        return view(machine, array, part, ())
    if part == "real":
        return array
    zero = machine.builder.broadcast(machine.builder.constant(0, array.type.dtype), array.type.shape)
    result = machine.new_array(zero)
    return NdArray(result.buffer, (), result.type, result.identity, False)


def copy_of(machine: Machine, value: Value, order: object = "K") -> NdArray:
    """`np.array(value, copy=True)`."""
    array = as_array(machine, value)
    return arranged(machine, machine.new_array(machine.read(array)), array, order)
