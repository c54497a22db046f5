"""Rows of tables that move up or down, to close a gap or to make one. XLA gathers all rows; machine code moves those
that it is about, in memory (`lowering.llvm.memmove`): it knows the function by its name."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp

_NAME = "xlapy_moved_rows"


def moved(rows: jax.Array, count: jax.Array | int, source: jax.Array | int, target: jax.Array | int) -> jax.Array:
    """`rows` after `rows[target : target + count] = rows[source : source + count]`, which are all rows of it."""
    return _moved(rows, *(jnp.asarray(x, jnp.int64) for x in (count, source, target)))


def _function(rows: jax.Array, count: jax.Array, source: jax.Array, target: jax.Array) -> jax.Array:
    row = jnp.arange(rows.shape[0])
    inside = (row >= target) & (row < target + count)
    return jnp.take(rows, jnp.where(inside, row - target + source, row), axis=0, mode="clip")


_function.__name__ = _function.__qualname__ = _NAME
_moved = jax.jit(_function)


def moves(name: object, shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether a function of that name, of arrays of such shapes, is this one; derivatives of it, and vectorisations,
    are not."""
    return name == _NAME and len(shapes) == 4 and len(shapes[0]) > 0 and shapes[1:] == [(), (), ()]


__all__ = ["moved", "moves"]
