"""Divisions of integers that round down, as NumPy's do. XLA knows those that round towards zero; machine code takes one
division for each (`llvm.native_floor_division`), and knows the functions here by their names."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

QUOTIENT, REMAINDER = "xlapy_floor_divide", "xlapy_remainder"


def _named(name: str) -> Callable[[Callable], Callable]:
    def under(function: Callable) -> Callable:
        function.__name__ = function.__qualname__ = name
        return jax.jit(function)

    return under


@_named(QUOTIENT)
def floor_divide(x: jax.Array, y: jax.Array) -> jax.Array:
    """Floor division of integers of one type; by zero it gives 0, and the smallest integer by -1 stays."""
    if x.dtype.kind == "u":
        return jnp.where(y == 0, 0, lax.div(x, jnp.where(y == 0, 1, y)))
    zero = y == 0
    overflow = (y == -1) & (x == jnp.iinfo(x.dtype).min)
    safe = jnp.where(zero | overflow, 1, y)
    quotient = lax.div(x, safe)
    quotient = jnp.where((lax.rem(x, safe) != 0) & ((x < 0) != (safe < 0)), quotient - 1, quotient)
    return jnp.where(zero, 0, quotient)


@_named(REMAINDER)
def remainder(x: jax.Array, y: jax.Array) -> jax.Array:
    """What floor division leaves, with the sign of the divisor; by zero it leaves 0."""
    if x.dtype.kind == "u":
        return jnp.where(y == 0, 0, lax.rem(x, jnp.where(y == 0, 1, y)))
    safe = jnp.where((y == 0) | (y == -1), 1, y)
    found = lax.rem(x, safe)
    return jnp.where((found != 0) & ((found < 0) != (y < 0)), found + y, found)


__all__ = ["QUOTIENT", "REMAINDER", "floor_divide", "remainder"]
