"""Making arrays: zeros, arange, array, linspace, eye, meshgrid, indices..., and the classes of NumPy scalars."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays.element_conversion import copied
from xlapy.dispatch.arrays.memory_order import arranged, keep_order
from xlapy.dispatch.numpy import view_functions
from xlapy.dispatch.numpy.numpy_leaves import hashable, numpy_leaf
from xlapy.dispatch.numpy.rule_operands import (
    ONE_OF_TWO,
    absent,
    array_type,
    broadcast_to,
    known,
    known_index,
    known_order,
    operand,
    raise_real,
    require_dtype,
)
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function
from xlapy.domain.values import Const, NdArray, Tuple, Value
from xlapy.ir import TensorType

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
    items = wanted if isinstance(wanted, tuple | list) else (wanted,)
    return all(isinstance(n, int | np.integer) and n >= 0 for n in items)


def filled(machine: Machine, value: object, shape: tuple[int, ...], dtype: np.dtype) -> NdArray:
    """A fresh array of one number."""
    return machine.new_array(machine.builder.broadcast(machine.builder.constant(value, dtype), shape))


def ordered(machine: Machine, array: NdArray, order: object) -> NdArray:
    """Record the memory order of a fresh array."""
    return arranged(machine, array, None, known_order(machine, order, *ONE_OF_TWO))


@function(np.zeros)
def zeros(machine, shape, dtype=None, order=None, *, device=None, like=None):
    """np.zeros."""
    return ordered(machine, filled(machine, 0, shape_of(machine, shape), dtype_or(machine, dtype, float)), order)


@function(np.ones)
def ones(machine, shape, dtype=None, order=None, *, device=None, like=None):
    """np.ones."""
    return ordered(machine, filled(machine, 1, shape_of(machine, shape), dtype_or(machine, dtype, float)), order)


function(np.empty)(zeros)


@function(np.ndarray)
def ndarray(machine, shape, dtype=None, buffer=None, offset=0, strides=None, order=None):
    """np.ndarray(shape): a fresh array."""
    if not absent(buffer) or not absent(strides):
        raise Refused("XP0003", "numpy.ndarray over a buffer of the host's memory", "use np.zeros or a slice")
    return zeros(machine, shape, dtype, order)


@function(np.full)
def full(machine, shape, fill_value, dtype=None, order=None, *, device=None, like=None):
    """np.full."""
    wanted = shape_of(machine, shape)
    target = array_type(machine, fill_value).dtype if absent(dtype) else dtype_or(machine, dtype, None)
    var = copied(machine, fill_value, target)
    return ordered(machine, machine.new_array(broadcast_to(machine, var, wanted)), order)


def _like(value: int):
    def rule(machine, a, /, dtype=None, order=None, subok=True, shape=None, *, device=None):
        source = array_type(machine, a)
        wanted = source.shape if absent(shape) else shape_of(machine, shape)
        result = filled(machine, value, wanted, dtype_or(machine, dtype, source.dtype))
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


def _accept_a(rule):
    def accepting(machine, /, *args, **kwargs):
        first = [kwargs.pop("a")] if "a" in kwargs else []
        return rule(machine, *first, *args, **kwargs)

    return accepting


function(np.zeros_like)(_accept_a(_like(0)))
function(np.ones_like)(_accept_a(_like(1)))
function(np.empty_like)(_like_named(_like(0)))


@function(np.full_like)
def full_like(machine, a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """np.full_like."""
    source = array_type(machine, a)
    wanted = source.shape if absent(shape) else shape_of(machine, shape)
    target = dtype_or(machine, dtype, source.dtype)
    var = copied(machine, fill_value, target)
    result = machine.new_array(broadcast_to(machine, var, wanted))
    return _laid_out_like(machine, result, a, source, order)


# -- matrices --------------------------------------------------------------------------------------------------------


@function(np.eye)
def eye(machine, N, M=None, k=0, dtype: Any = float, order="C", *, device=None, like=None):  # noqa: N803
    """np.eye."""
    rows, columns = shape_of(machine, Tuple((N, M if M is not None and not absent(M) else N)))
    static = (rows, columns, known_index(machine, k), dtype_or(machine, dtype, float))
    return ordered(machine, machine.new_array(machine.leaf(_eye, (), static, name="eye")[0]), order)


@function(np.identity)
def identity(machine, n, dtype=None, *, like=None):
    """np.identity."""
    return eye(machine, n, dtype=float if absent(dtype) else dtype)


def _eye(rows, columns, k, dtype):
    return jnp.eye(rows, columns, k, dtype)


@function(np.tri)
def tri(machine, N, M=None, k=0, dtype=float, *, like=None):  # noqa: N803
    """np.tri."""
    rows, columns = known(machine, N), known(machine, M)
    columns = rows if columns is None else columns
    sizes = (rows, columns, known(machine, k))
    if not all(isinstance(n, int | np.integer) for n in sizes):
        raise Refused("XP0011", "np.tri of sizes that are no integers")
    static = (max(int(rows), 0), max(int(columns), 0), int(sizes[2]), dtype_or(machine, dtype, float))
    return machine.new_array(machine.leaf(_tri, (), static, name="tri")[0])


def _tri(rows, columns, k, dtype):
    return jnp.tri(rows, columns, k, dtype)


def _lower(m, k=0):
    return jnp.tril(_rows(m), k)


def _upper(m, k=0):
    return jnp.triu(_rows(m), k)


def _rows(m):
    """A matrix for a vector: NumPy repeats it."""
    return jnp.broadcast_to(m, (m.shape[0],) * 2) if m.ndim == 1 else m


numpy_leaf(np.tril, _lower, "m", "keep")
numpy_leaf(np.triu, _upper, "m", "keep")
numpy_leaf(np.diagflat, jnp.diagflat, "v", "keep")
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


# -- grids -----------------------------------------------------------------------------------------------------------


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


@function(np.indices)
def indices(machine, dimensions, dtype: Any = int, sparse=False):
    """np.indices."""
    if not isinstance(dimensions, Const) or not isinstance(dimensions.value, tuple | list):  # a generator, too
        dimensions = machine.call(Const(tuple), (dimensions,))
    shape, target = shape_of(machine, dimensions), dtype_or(machine, dtype, int)
    if known(machine, sparse):
        parts = np.indices(shape, target, sparse=True)
        return Tuple(tuple(machine.new_array(machine.builder.constant(p)) for p in parts))
    return machine.new_array(machine.leaf(_indices, (), (hashable(shape), target), name="indices")[0])


def _indices(shape, dtype):
    return jnp.indices(shape, dtype)


@function(np.fromfunction)
def fromfunction(machine, function, shape, *, dtype=float, like=None, **kwargs):
    """np.fromfunction: calls the function once, with the coordinates."""
    grids = indices(machine, shape, dtype)
    assert isinstance(grids, NdArray)
    coordinates = [machine.getattr(grids, "copy")] * 0
    coordinates += [view_functions.view(machine, grids, "index", _row(k, grids)) for k in range(grids.type.shape[0])]
    return machine.call(function, coordinates, kwargs)


def _row(k: int, grids: NdArray) -> tuple:
    return ((k, 1, -1), *((0, 1, n) for n in grids.type.shape[1:]))


def _known_indices(numpy_function):
    """Index arrays that depend on shapes only."""

    def rule(machine, /, *args, **kwargs):
        known_args = [known(machine, a, "a size") for a in args]
        known_named = {k: known(machine, v, "a size") for k, v in kwargs.items()}
        try:
            parts = numpy_function(*known_args, **known_named)
        except Exception as error:
            return raise_real(machine, error)
        if isinstance(parts, np.ndarray):  # an array of rank 0 times a tuple of one
            return machine.new_array(machine.builder.constant(parts))
        return Tuple(tuple(machine.new_array(machine.builder.constant(p)) for p in parts))

    return rule


for _function in (np.tril_indices, np.triu_indices, np.diag_indices):
    function(_function)(_known_indices(_function))


def _indices_from(numpy_function, base):
    def rule(machine, arr, k=0):
        shape = array_type(machine, arr).shape
        try:
            offset = (known(machine, k),) if base is not np.diag_indices else ()
            parts = numpy_function(np.broadcast_to(np.False_, shape), *offset)
        except Exception as error:
            return raise_real(machine, error)
        return Tuple(tuple(machine.new_array(machine.builder.constant(p)) for p in parts))

    return rule


for _function, _base in (
    (np.tril_indices_from, np.tril_indices),
    (np.triu_indices_from, np.triu_indices),
    (np.diag_indices_from, np.diag_indices),
):
    function(_function)(_indices_from(_function, _base))
