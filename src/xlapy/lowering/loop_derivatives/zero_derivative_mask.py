"""Values that are computed everywhere and count only in some places: elsewhere they have no derivative.

A masked array is computed in all its room, and a loop that is batched runs for examples that have ended. What comes out
there is not looked at, and its cotangent is zero; but zero times an infinite derivative is NaN.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax


def live(mask: Any, x: Any) -> Any:
    """`x`, whose derivative is zero where `mask` is false, whatever comes in. XLA makes nothing of it but `x`.

    Args:
        mask: booleans, of the shape of `x` or a scalar.
        x: an array. Nothing happens if it is not of floating point.
    """
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        return x
    return lax.select(jnp.broadcast_to(mask, x.shape), x, lax.stop_gradient(x))
