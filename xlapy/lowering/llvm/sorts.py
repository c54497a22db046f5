"""Numbers put in order by functions that XLA calls: short rows all at once, long ones digit by digit."""

from __future__ import annotations

import jax
import numpy as np

from xlapy.lowering.llvm import networks, radix
from xlapy.lowering.sorting import keys_of, keys_of_equals, numbers_of


def suits(dtype: np.dtype, shape: tuple[int, ...], axis: int) -> bool:
    """Whether there is such a function for numbers of that type, along that axis."""
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iuf":
        return False
    keys = np.dtype(f"i{dtype.itemsize}") if dtype.kind == "f" else dtype
    return networks.suits(dtype, shape, axis) or radix.suits(keys, shape, axis)


def ordered(x: jax.Array, axis: int) -> jax.Array:
    """`jnp.sort(x, axis)`, on a CPU; NaN last."""
    if networks.suits(x.dtype, x.shape, axis):
        return networks.ordered(x, axis)
    return numbers_of(radix.ordered(keys_of(x), axis), x.dtype) if x.dtype.kind == "f" else radix.ordered(x, axis)


def places(x: jax.Array, axis: int) -> jax.Array:
    """`jnp.argsort(x, axis)`, stable, as int64, on a CPU."""
    if networks.suits(x.dtype, x.shape, axis):
        return networks.places(x, axis)
    return radix.places(keys_of_equals(x) if x.dtype.kind == "f" else x, axis)


__all__ = ["ordered", "places", "suits"]
