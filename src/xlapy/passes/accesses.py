"""Loads and stores, and other shapes, that passes make."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import lax

from xlapy.ir import TensorType

INDEX = TensorType((), np.dtype(np.int64))


@functools.lru_cache(maxsize=1024)
def access(
    kind: str, array: TensorType, part: TensorType, index: tuple, starts: tuple[TensorType, ...]
) -> dict[str, Any]:
    """The attributes of a load, or of a store, of a part of an array, each step of which is 1; some of its starts are
    known when it runs."""

    def places(numbers: Sequence[jax.Array]) -> tuple[list, list[int]]:
        rest = iter([n.astype(INDEX.dtype) for n in numbers])
        return [next(rest) if start is None else start for start, _, _ in index], [max(n, 1) for _, _, n in index]

    def load(x: jax.Array, *numbers: jax.Array) -> jax.Array:
        return lax.dynamic_slice(x, *places(numbers)).reshape(part.shape)

    def store(x: jax.Array, new: jax.Array, *numbers: jax.Array) -> jax.Array:
        at, sizes = places(numbers)
        return lax.dynamic_update_slice(x, new.reshape(sizes), at)

    function, arrays = (load, [array]) if kind == "load" else (store, [array, part])
    with jax.enable_x64(True):
        jaxpr = jax.make_jaxpr(function)(*(jax.ShapeDtypeStruct(t.shape, t.dtype) for t in (*arrays, *starts)))
    return {"jaxpr": jaxpr, "as_written": True, "index": index}


__all__ = ["INDEX", "access"]
