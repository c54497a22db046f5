"""The derivative of max-pooling, for CPUs, where XLA's own code takes 3 ns for each element."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import primitives

from xlapy.lowering.thresholds import WINDOW_UNPOOLED

UNPOOL = primitives.select_and_scatter_add_p


def unpooled(source: Any, operand: Any, **params: Any) -> Any:
    """`UNPOOL`: where windows do not overlap, by comparing their elements, which XLA makes one loop of."""
    window = params["window_dimensions"]
    simple = (
        params["window_strides"] == window and not any(map(any, params["padding"])) and prod(window) <= WINDOW_UNPOOLED
    )
    if not simple or not operand.size or not source.size:
        return UNPOOL.bind(source, operand, **params)
    whole = tuple(n * w for n, w in zip(source.shape, window, strict=True))
    best, place = None, jnp.zeros(source.shape, jnp.int8)
    for number, start in enumerate(product(*map(range, window))):
        item = lax.slice(operand, start, whole, window)
        if best is None:
            best = item
            continue
        keep = params["select_prim"].bind(best, item)
        best, place = lax.select(keep, best, item), jnp.where(keep, place, jnp.int8(number))
    numbers = np.arange(prod(window), dtype=np.int8).reshape([n for w in window for n in (1, w)])
    apart = [n for size in source.shape for n in (size, 1)]
    made = jnp.where(place.reshape(apart) == numbers, source.reshape(apart), jnp.zeros((), source.dtype))
    rest = [(0, n - m, 0) for n, m in zip(operand.shape, whole, strict=True)]
    return lax.pad(made.reshape(whole), jnp.zeros((), source.dtype), rest)
