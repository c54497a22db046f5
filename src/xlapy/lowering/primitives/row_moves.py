"""Rows of tables that move up or down, to close a gap or to make one. XLA gathers all rows; machine code moves those
that it is about, in memory (`llvm.memmove`)."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from xlapy.lowering.jaxprs.kernel_primitives import Kernel


def moved(rows: jax.Array, count: jax.Array | int, source: jax.Array | int, target: jax.Array | int) -> jax.Array:
    """`rows` after `rows[target : target + count] = rows[source : source + count]`, which are all rows of it."""
    return MOVED(rows, *(jnp.asarray(x, jnp.int64) for x in (count, source, target)))[0]


def _moved(rows: jax.Array, count: jax.Array, source: jax.Array, target: jax.Array) -> jax.Array:
    row = jnp.arange(rows.shape[0])
    inside = (row >= target) & (row < target + count)
    return jnp.take(rows, jnp.where(inside, row - target + source, row), axis=0, mode="clip")


MOVED = Kernel("moved_rows", _moved)

__all__ = ["MOVED", "moved"]
