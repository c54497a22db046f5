"""Making arrays: zeros, arange, array, linspace, eye, meshgrid, indices..., and the classes of NumPy scalars."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays.memory_order import arranged, keep_order
from xlapy.dispatch.numpy import view_functions
from xlapy.dispatch.numpy.numpy_leaves import numpy_leaf
from xlapy.dispatch.numpy.rule_operands import (
    ONE_OF_TWO,
    absent,
    array_type,
    known,
    known_index,
    known_order,
    operand,
    raise_real,
    require_dtype,
)
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function
from xlapy.domain.values import NdArray, Tuple, Value
from xlapy.ir import TensorType
from xlapy.ir.builder import MOST_ELEMENTS

#: constants up to this many elements are part of the program; larger ones are computed
SMALL = 1024


def small(shape: tuple[int, ...]) -> bool:
    """Whether an array of this shape may be a constant of the program."""
    return math.prod(shape) <= SMALL


def dtype_or(machine: Machine, dtype: object, default: object) -> np.dtype:
    """The dtype of an argument, or a default."""
    return require_dtype(default if absent(dtype) else known(machine, dtype, "a dtype"))


def shape_of(machine: Machine, shape: object) -> tuple[int, ...]:
    """A shape argument as a tuple; NumPy's errors for bad ones."""
    wanted = known(machine, shape, "a shape")
    try:
        empty = np.broadcast_to(np.False_, wanted) if _valid(wanted) else np.empty(wanted)
        return empty.shape
    except Exception as error:
        raise_real(machine, error)
        raise


def _valid(wanted: object) -> bool:
    items: Any = wanted if isinstance(wanted, tuple | list) else (wanted,)
    return (
        all(isinstance(n, int | np.integer) and n >= 0 for n in items)
        and math.prod(int(n) for n in items) < MOST_ELEMENTS
    )


def filled(machine: Machine, value: object, shape: tuple[int, ...], dtype: np.dtype) -> NdArray:
    """A fresh array of one number."""
    return machine.new_array(machine.builder.broadcast(machine.builder.constant(value, dtype), shape))


def _unset(machine: Machine, shape: tuple[int, ...], dtype: np.dtype) -> NdArray:
    """A fresh array of which nothing is known: of zeros, where a large one takes no time to fill."""
    if small(shape) or not isinstance(dtype, np.dtype) or dtype.kind not in "iufc":
        return filled(machine, 0, shape, dtype)
    return machine.new_array(machine.builder.broadcast(machine.builder.constant(0, dtype), shape, unset=True))


def ordered(machine: Machine, array: NdArray, order: object) -> NdArray:
    """Record the memory order of a fresh array."""
    return arranged(machine, array, None, known_order(machine, order, *ONE_OF_TWO))


@function(np.zeros)
def zeros(machine, shape, dtype=None, order=None, *, device=None, like=None):
    """np.zeros."""
    return ordered(machine, filled(machine, 0, shape_of(machine, shape), dtype_or(machine, dtype, float)), order)


@function(np.empty)
def empty(machine, shape, dtype=None, order=None, *, device=None, like=None):
    """np.empty."""
    return ordered(machine, _unset(machine, shape_of(machine, shape), dtype_or(machine, dtype, float)), order)


@function(np.ndarray)
def ndarray(machine, shape, dtype=None, buffer=None, offset=0, strides=None, order=None):
    """np.ndarray(shape): a fresh array."""
    if not absent(buffer) or not absent(strides):
        raise Refused("XP0003", "numpy.ndarray over a buffer of the host's memory", "use np.zeros or a slice")
    return zeros(machine, shape, dtype, order)


def _like(value: int | None):
    def rule(machine, a, /, dtype=None, order=None, subok=True, shape=None, *, device=None):
        source = array_type(machine, a)
        wanted = source.shape if absent(shape) else shape_of(machine, shape)
        of = dtype_or(machine, dtype, source.dtype)
        result = _unset(machine, wanted, of) if value is None else filled(machine, value, wanted, of)
        return _laid_out_like(machine, result, a, source, order)

    return rule


def _laid_out_like(machine: Machine, result: NdArray, a: Value, source: TensorType, order: object) -> NdArray:
    """Record the memory order of a fresh array for an argument `order`, which is 'K' if it is not given."""
    asked = "K" if absent(order) else known_order(machine, order)
    if asked == "K":
        return keep_order(machine, result, (a,)) if result.type.shape == source.shape else result
    return arranged(machine, result, a, asked)


def _like_named(rule):
    def named(machine, /, *args, prototype=None, **kwargs):
        return rule(machine, *(args if prototype is None else (prototype, *args)), **_renamed(kwargs))

    return named


def _renamed(kwargs: dict) -> dict:
    return {k: v for k, v in kwargs.items() if k != "a"}


function(np.empty_like)(_like_named(_like(None)))


# -- matrices --------------------------------------------------------------------------------------------------------


@function(np.eye)
def eye(machine, N, M=None, k=0, dtype: Any = float, order="C", *, device=None, like=None):  # noqa: N803
    """np.eye."""
    rows, columns = shape_of(machine, Tuple((N, M if M is not None and not absent(M) else N)))
    static = (rows, columns, known_index(machine, k), dtype_or(machine, dtype, float))
    return ordered(machine, machine.new_array(machine.leaf(_eye, (), static, name="eye")[0]), order)


def _eye(rows, columns, k, dtype):
    return jnp.eye(rows, columns, k, dtype)


numpy_leaf(np.vander, jnp.vander, "x", "promote")


@function(np.diag)
def diag(machine, v, k=0):
    """np.diag: a matrix from a vector, or a read-only view of a diagonal."""
    if len(array_type(machine, v).shape) == 2:
        return view_functions.diagonal(machine, v, k)
    offset = known_index(machine, k)
    var = operand(machine, v)
    if len(var.type.shape) != 1:
        return machine.raise_(ValueError, "Input must be 1- or 2-d.")
    return machine.new_array(machine.leaf(_diag, (var,), (offset,), name="diag")[0])


def _diag(v, k):
    return jnp.diag(v, k)


@function(np.meshgrid)
def meshgrid(machine, *xi, copy=True, sparse=False, indexing="xy"):
    """np.meshgrid."""
    thin, style = bool(known(machine, sparse)), str(known(machine, indexing))
    operands = [operand(machine, x) for x in xi]
    if style not in ("xy", "ij"):
        return machine.raise_(ValueError, "Valid values for `indexing` are 'xy' and 'ij'.")
    if not operands:
        return Tuple(())
    results = machine.leaf(_meshgrid, operands, (thin, style), name="meshgrid")
    return Tuple(tuple(machine.new_array(v) for v in results))


def _meshgrid(*rest):
    *arrays, sparse, indexing = rest
    arrays = [jnp.ravel(a) for a in arrays]
    rank = len(arrays)
    grids = [a.reshape((1,) * i + (-1,) + (1,) * (rank - 1 - i)) for i, a in enumerate(arrays)]
    if indexing == "xy" and rank > 1:
        grids = [jnp.swapaxes(g, 0, 1) for g in grids]
    if sparse:
        return grids
    shape = jnp.broadcast_shapes(*(g.shape for g in grids))
    return [jnp.broadcast_to(g, shape) for g in grids]
