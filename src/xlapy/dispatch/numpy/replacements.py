"""NumPy functions that take functions, written in plain Python and interpreted like any callee."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np

from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.registry import function, replacement


@replacement(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """np.apply_along_axis, one slice after the other."""
    arr = np.asanyarray(arr)
    axis = np.lib.array_utils.normalize_axis_index(axis, arr.ndim)
    moved = np.moveaxis(arr, axis, -1)
    shape = moved.shape[:-1]
    count = 1
    for n in shape:
        count = count * n
    if count == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    rows = moved.reshape(count, moved.shape[-1])
    results = [np.asarray(func1d(rows[k], *args, **kwargs)) for k in range(rows.shape[0])]
    stacked = np.stack(results)
    stacked = stacked.reshape(shape + stacked.shape[1:])
    rank = len(shape)
    inner = stacked.ndim - rank
    order = list(range(axis)) + list(range(rank, rank + inner)) + list(range(axis, rank))
    return np.transpose(stacked, order)


def _refuse(name: str) -> Any:
    raise NotImplementedError(name)


@function(_refuse)
def _refuse_rule(machine, name):
    raise Refused("XP0003", f"the attribute {machine.static(name)!r} of np.broadcast", "go through the elements")


class _Broadcast:
    """What np.broadcast says of its arguments, and their elements, side by side."""

    def __init__(self, arrays):
        self.shape = np.broadcast_shapes(*[np.shape(array) for array in arrays])
        self.numiter = len(arrays)
        #: an object of this class cannot leave the program
        self._items = zip(*[np.broadcast_to(array, self.shape).flat for array in arrays])  # noqa: B905

    @property
    def nd(self):
        return len(self.shape)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._items)

    def __getattr__(self, name):
        return _refuse(name)


@replacement(np.broadcast)
def broadcast(*arrays):
    """np.broadcast."""
    return _Broadcast(arrays)


# NumPy's own code: data decides whether the results are complex.


@replacement(np.ndindex)
def ndindex(*shape):
    """np.ndindex: all index tuples, in C order."""
    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    if any(size < 0 for size in shape):
        raise ValueError("negative dimensions are not allowed")
    return itertools.product(*[range(size) for size in shape])


@replacement(np.ndenumerate)
def ndenumerate(arr):
    """np.ndenumerate: all index tuples with their elements."""
    array = np.asarray(arr)
    return zip(np.ndindex(array.shape), array.flat, strict=True)


# -- np.vectorize -----------------------------------------------------------------------------------------------------


def _laid_out(found, arrays):
    """Elements in an array that lies in memory as an element-wise result of `arrays` does."""
    if found.ndim < 2:
        return found
    like = functools.reduce(np.logical_or, arrays) if len(arrays) > 1 else np.logical_not(arrays[0])
    made = np.empty_like(like, found.dtype)
    made[...] = found
    return made


@replacement(np.vectorize._vectorize_call)  # type: ignore[attr-defined]
def _vectorize_call(self, func, args):
    """Element by element, with Python numbers; the first call, whose result says the type, with NumPy's."""
    if self.signature is not None:
        return self._vectorize_call_with_signature(func, args)
    if not args:
        return func()
    arrays = [np.asarray(a) for a in args]
    if self.otypes is not None:
        types = [np.dtype(code) for code in self.otypes]
        several = len(types) > 1
    else:
        if any([a.size == 0 for a in arrays]):  # noqa: C419
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        first = func(*[a[0] if a.ndim == 1 else a.flat[0] for a in arrays])
        several = isinstance(first, tuple)
        types = [np.asarray(v).dtype for v in (first if several else (first,))]
    if len(arrays) == 1 and arrays[0].ndim == 1:
        shape, columns = None, arrays
    else:
        spread = np.broadcast_arrays(*arrays)
        shape = spread[0].shape
        columns = [a.ravel() for a in spread]
    found = [np.empty(columns[0].shape, dtype) for dtype in types]
    start = 0
    if self.otypes is None and self.cache:
        for column, value in zip(found, first if several else (first,), strict=True):
            column[0] = value
        start = 1
    for i in range(start, columns[0].size):
        values = func(*[column[i].item() for column in columns])
        if not several:
            found[0][i] = values
        else:
            for column, value in zip(found, values, strict=True):
                column[i] = value
    made = found if shape is None else [_laid_out(column.reshape(shape), arrays) for column in found]
    return tuple(made) if several else made[0]
