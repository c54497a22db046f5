"""Numbers out of a vector, and into one, as few kernels.

Each slice and each number put into its place is a kernel of its own for XLA's CPU backend, which takes 15 ms to compile
each, or is fused into others, which takes longer. Here rows of numbers are taken apart and joined by native functions
(`native_functions.py`), which are alike, so that there are few different ones (measured for 400 numbers: 1 s to
compile, 9 µs).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import jax
from jax import lax

from xlapy.lowering.cpu_xla.native_functions import called_natively
from xlapy.lowering.thresholds import ARRAYS_JOINED


def taken_apart(array: jax.Array, native: bool) -> list[jax.Array]:
    """The elements of a vector."""
    count = array.shape[0]
    if not native:
        return _elements(array)
    width = _width(count)
    rows = lax.reshape(lax.pad(array, _zero(array), [(0, -count % width, 0)]), (-(-count // width), width))
    return [number for row in called_natively(_taken, rows) for number in called_natively(_taken, row)][:count]


def joined(numbers: Sequence[jax.Array], native: bool) -> jax.Array:
    """A vector of numbers of one type."""
    if not native:
        return _in_turns([lax.expand_dims(n, (0,)) for n in numbers])
    count, width = len(numbers), _width(len(numbers))
    numbers = lax.optimization_barrier((*numbers, *(numbers[0],) * (-count % width)))
    join: Callable = partial(called_natively, _joined)
    rows = join(*(join(*numbers[k : k + width]) for k in range(0, len(numbers), width)))
    return lax.slice(lax.reshape(rows, (len(numbers),)), (0,), (count,))


def _width(count: int) -> int:
    return math.isqrt(max(count - 1, 0)) + 1


def _zero(array: jax.Array) -> jax.Array:
    return lax.full((), 0, array.dtype)


def _elements(array: jax.Array) -> list[jax.Array]:
    return [lax.squeeze(lax.slice_in_dim(array, k, k + 1), (0,)) for k in range(array.shape[0])]


@jax.jit
def _taken(array: jax.Array) -> tuple:
    return tuple(_elements(array))


@jax.jit
def _joined(*arrays: jax.Array) -> jax.Array:
    return lax.concatenate([lax.expand_dims(a, (0,)) for a in arrays], 0)


def _in_turns(parts: list[jax.Array]) -> jax.Array:
    while len(parts) > 1:
        parts = [lax.concatenate(parts[k : k + ARRAYS_JOINED], 0) for k in range(0, len(parts), ARRAYS_JOINED)]
        parts = list(lax.optimization_barrier(tuple(parts)))
    return parts[0]
