"""Reductions of the elements in a mask."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.jaxprs.kernel_primitives import Kernel

#: elements from which on it matters how they are added up, and the rows in which they are
_MANY, _ROWS = 4096, 16


def count_and_sum(x, where, axes):
    """How many elements of `x` are in a mask along some axes, and their sum; the axes stay, with one element each.

    Args:
        x: floats or complex numbers.
        where: the mask, of the same shape.
        axes: which axes go.
    """
    count = jnp.sum(where, axis=axes, keepdims=True).astype(x.real.dtype)
    total = jnp.sum(x, axis=axes, keepdims=True, where=where)
    if len(axes) < x.ndim or not _MANY <= x.size < 2**31 or jnp.iscomplexobj(x):
        return count, total
    return tuple(_BY_ROWS(count, total, x, where))


def _by_rows(count, total, x, where):
    """The same two, for XLA; machine code takes them as they are."""
    # In one pass, by rows: XLA's CPU backend makes three for each of the two, of which some have no vectors in them
    # (measured: 4 times as fast). It splits a reduction of 32 or more rows again.
    numbers = x.dtype if x.dtype.itemsize == 8 else np.dtype(np.int32)
    terms = lax.stop_gradient((jnp.where(where, x, 0).ravel(), where.ravel().astype(numbers)))
    size = x.size // _ROWS
    rows = tuple(t[: _ROWS * size].reshape(_ROWS, size) for t in terms)
    zeros = (np.zeros((), x.dtype), np.zeros((), numbers))
    sums = lax.reduce(rows, zeros, lambda a, b: (a[0] + b[0], a[1] + b[1]), (0,))
    one, two = (
        jnp.sum(part, dtype=part.dtype) + jnp.sum(t[_ROWS * size :], dtype=part.dtype)
        for part, t in zip(sums, terms, strict=True)
    )
    return two.astype(count.dtype).reshape(count.shape), differentiated_as(one.reshape(total.shape), total)


_BY_ROWS = Kernel("counted_and_summed_by_rows", _by_rows, given=2)
