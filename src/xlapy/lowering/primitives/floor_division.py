"""Divisions of integers that round down, as NumPy's do. XLA knows those that round towards zero; machine code takes one
division for each (`llvm.native_floor_division`)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from xlapy.lowering.jaxprs.kernel_primitives import Kernel, elementwise


def floor_divide(x: jax.Array, y: jax.Array) -> jax.Array:
    """Floor division of integers of one type; by zero it gives 0, and the smallest integer by -1 stays."""
    return QUOTIENT(*jnp.broadcast_arrays(x, y))[0]


def remainder(x: jax.Array, y: jax.Array) -> jax.Array:
    """What floor division leaves, with the sign of the divisor; by zero it leaves 0."""
    return REMAINDER(*jnp.broadcast_arrays(x, y))[0]


def _quotient(x: jax.Array, y: jax.Array) -> jax.Array:
    if x.dtype.kind == "u":
        return jnp.where(y == 0, 0, lax.div(x, jnp.where(y == 0, 1, y)))
    zero = y == 0
    overflow = (y == -1) & (x == jnp.iinfo(x.dtype).min)
    safe = jnp.where(zero | overflow, 1, y)
    quotient = lax.div(x, safe)
    quotient = jnp.where((lax.rem(x, safe) != 0) & ((x < 0) != (safe < 0)), quotient - 1, quotient)
    return jnp.where(zero, 0, quotient)


def _remainder(x: jax.Array, y: jax.Array) -> jax.Array:
    if x.dtype.kind == "u":
        return jnp.where(y == 0, 0, lax.rem(x, jnp.where(y == 0, 1, y)))
    safe = jnp.where((y == 0) | (y == -1), 1, y)
    found = lax.rem(x, safe)
    return jnp.where((found != 0) & ((found < 0) != (y < 0)), found + y, found)


QUOTIENT = Kernel("floor_divide", _quotient, batch=elementwise(lambda: QUOTIENT))
REMAINDER = Kernel("remainder", _remainder, batch=elementwise(lambda: REMAINDER))

__all__ = ["QUOTIENT", "REMAINDER", "floor_divide", "remainder"]
