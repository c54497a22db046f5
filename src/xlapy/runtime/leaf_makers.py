"""What becomes of an output on the host: NumPy's arrays and scalars, Python's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.core
import numpy as np

from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.domain.recipes import Cut, Leaf


def number(value: Any) -> Any:
    """A number on the host. To ask a `jax.Array` itself for its `int` takes seven times as long."""
    if type(value) in SCALAR_DTYPES:
        return value
    return value if isinstance(value, jax.core.Tracer) else np.asarray(value).item()


def to_numpy(value: Any, leaf: Leaf) -> Any:
    """Results as CPython would have them: writable arrays, NumPy scalars, Python numbers."""
    if leaf.python is not None:
        return leaf.python(number(value))
    made = np.asarray(value)
    return made.copy() if made.shape or leaf.mutable else made[()]


def extent(recipe: Cut, outputs: Any) -> tuple[slice, ...]:
    """The part of an array that is cut out of it."""
    lengths = [None if n is None else int(number(outputs[n])) for n in recipe.lengths]
    starts = [0 if n is None else int(number(outputs[n])) for n in recipe.starts or (None,) * len(lengths)]
    return tuple(slice(start, None if n is None else start + n) for start, n in zip(starts, lengths, strict=True))


def cut_on_host(recipe: Cut, outputs: Sequence) -> np.ndarray:
    """An array of NumPy's of the length that it has."""
    return np.asarray(outputs[recipe.whole.index])[extent(recipe, outputs)].copy()


__all__ = ["cut_on_host", "extent", "number", "to_numpy"]
