"""The largest and smallest elements of arrays, and where they are.

The library to which XLA's CPU backend gives maxima of 4096 floats or more loses NaN (jaxlib 0.10): it is looked for
besides, which takes less than XLA's own maximum.

For np.argmax, XLA reduces pairs of value and place one by one (measured for 4096 numbers: 26 µs; NumPy takes 1). To
find the extreme value first, and the first place of it then, are two passes of vector instructions; a large array is
searched in parts that stay in the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import jax
import jax.numpy as jnp
from jax import lax

from xlapy.lowering.jaxprs.kernel_primitives import Kernel

#: elements that are searched at once; up to which no library is called
_PART, _FEW = 1 << 15, 1 << 10


def extreme(x: jax.Array, largest: bool, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, **options):
    """`jnp.max` or `jnp.min`, and NaN where there is one; `options` are theirs."""
    axes = range(x.ndim) if axis is None else sorted(k % x.ndim for k in ((axis,) if isinstance(axis, int) else axis))
    if options or not x.size:
        found = (jnp.max if largest else jnp.min)(x, axis=axis, keepdims=keepdims, **options)
    else:
        # functions of lax, which the tracer meets directly
        found = (lax.reduce_max if largest else lax.reduce_min)(x, axes)
        found = lax.expand_dims(found, axes) if keepdims else found
    if x.size < _FEW or not jnp.issubdtype(x.dtype, jnp.floating):
        return found
    if "where" in options:
        lost = jnp.any(lax.ne(x, x), axis=axis, keepdims=keepdims, where=options["where"])
        return lax.select(lost, lax.full_like(found, jnp.nan), found)
    return OR_NAN(found, x, axes=tuple(axes))[0]


def _or_nan(found: jax.Array, x: jax.Array, axes: tuple[int, ...]) -> jax.Array:
    """The extreme values along some axes, or NaN where there is one. Machine code has found it
    (`llvm.min_max_reductions`)."""
    lost = lax.reshape(lax.reduce_or(lax.ne(x, x), axes), found.shape)
    return lax.select(lost, lax.full_like(found, jnp.nan), found)


def first_place(x: jax.Array, largest: bool, axis: int | None, keep: bool) -> jax.Array:
    """The first place of the largest or smallest element, or of a NaN; `jnp.argmax` and `jnp.argmin`, but int64.

    Args:
        x: booleans, integers or floats, of one dimension or more.
        largest: whether to look for the largest.
        axis: along which dimension; None for all elements in a row.
        keep: whether dimensions that are searched stay, with size 1.
    """
    if x.size == 0 or (_is_wide_integer(x) and axis in (None, x.ndim - 1)):
        return _pairs(x, largest, axis, keep)
    return FIRST_PLACE(x, largest=largest, axis=axis, keep=keep)[0]


def _pairs(x: jax.Array, largest: bool, axis: int | None, keep: bool) -> jax.Array:
    return (jnp.argmax if largest else jnp.argmin)(x, axis=axis, keepdims=keep).astype(jnp.int64)


def _passes(x: jax.Array, largest: bool, axis: int | None, keep: bool) -> jax.Array:
    before, size, after = (1, x.size, 1) if axis is None else _around(x.shape, axis)
    found = _searched(lax.reshape(x, (before, size, after)), largest).astype(jnp.int64)
    kept = tuple(1 if axis is None or k == axis else n for k, n in enumerate(x.shape))
    shape = kept if keep else tuple(n for k, n in enumerate(x.shape) if axis is not None and k != axis)
    return lax.reshape(found, shape)


def _is_wide_integer(x: jax.Array) -> bool:
    """Whether XLA is as fast itself, for neighbours in memory."""
    return jnp.issubdtype(x.dtype, jnp.integer) and x.dtype.itemsize > 1


def _around(shape: tuple[int, ...], axis: int) -> tuple[int, int, int]:
    """Elements before a dimension, in it and behind it."""
    return prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])


def _searched(x: jax.Array, largest: bool) -> jax.Array:
    """The first places along the middle one of three dimensions."""
    if x.dtype == bool and not largest:
        x, largest = lax.bitwise_not(x), True
    before, size, after = x.shape
    if x.size <= 2 * _PART or (x.dtype == bool and size * after <= _PART):
        # one pass over booleans, which what made them may be part of
        return _part(x, largest)[1]
    if size * after <= _PART:
        return _by_rows(x, largest, min(before, _PART // (size * after)))
    return _running(x, largest, max(1, min(size, _PART // (before * after))))


def _part(x: jax.Array, largest: bool) -> tuple[jax.Array, jax.Array]:
    """The extreme values along the middle dimension, and their first places."""
    places = lax.broadcasted_iota(jnp.int32, x.shape, 1)
    if x.dtype == bool:
        hits = x
        value = jnp.any(x, axis=1)
    else:
        value = extreme(x, largest, axis=1)
        hits = lax.eq(x, jnp.broadcast_to(value[:, None], x.shape))
    if jnp.issubdtype(x.dtype, jnp.floating):
        hits = lax.bitwise_or(hits, lax.ne(x, x))
    none = jnp.int32(x.shape[1])
    first = jnp.min(jnp.where(hits, places, none), axis=1)
    return value, jnp.where(first == none, 0, first)


def _by_rows(x: jax.Array, largest: bool, rows: int) -> jax.Array:
    before, size, after = x.shape

    def search(k: jax.Array, found: jax.Array) -> jax.Array:
        start = jnp.minimum(k * rows, before - rows)
        part = lax.dynamic_slice_in_dim(x, start, rows, 0)
        return lax.dynamic_update_slice_in_dim(found, _part(part, largest)[1], start, 0)

    return lax.fori_loop(0, -(-before // rows), search, jnp.zeros((before, after), jnp.int32))


def _running(x: jax.Array, largest: bool, count: int) -> jax.Array:
    size = x.shape[1]
    beyond: Callable = lax.gt if largest else lax.lt

    def search(k: jax.Array, state: tuple) -> tuple:
        value, place = state
        start = jnp.minimum(k * count, size - count)
        here, first = _part(lax.dynamic_slice_in_dim(x, start, count, 1), largest)
        better = beyond(here, value)
        if jnp.issubdtype(x.dtype, jnp.floating):
            better = better | (jnp.isnan(here) & ~jnp.isnan(value))
        return jnp.where(better, here, value), jnp.where(better, first + start.astype(jnp.int32), place)

    return lax.fori_loop(1, -(-size // count), search, _part(x[:, :count], largest))[1]


#: what `extreme` of floats gives; `axes` are those that it looks along
OR_NAN = Kernel("or_nan", _or_nan, given=1)
#: what `first_place` gives
FIRST_PLACE = Kernel("first_place", _passes, _pairs)

__all__ = ["FIRST_PLACE", "extreme", "first_place"]
