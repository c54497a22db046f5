"""Cumulative sums and the like, apart from what is around them.

XLA (of jaxlib 0.10) makes a padding a part of the windows of `lax.cumsum`, and what it has then is wrong where as many
zeros are on both sides as there are elements between them: of rows `[0, 1, 0]` it gives `[1, 1, 1]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax import lax


def apart(total: Callable[..., jax.Array], x: jax.Array, **options: Any) -> jax.Array:
    """`total(x, **options)`, between two barriers: the second one is the first one of the derivative."""
    return lax.optimization_barrier(total(lax.optimization_barrier(x), **options))


__all__ = ["apart"]
