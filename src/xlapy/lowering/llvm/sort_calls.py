"""Numbers put in order by functions that XLA calls: short rows all at once, long ones digit by digit."""

from __future__ import annotations

import jax
import numpy as np

from xlapy.lowering.llvm import radix_sort, sorting_networks
from xlapy.lowering.primitives.long_sorts import keys_of, keys_of_equals, numbers_of


def suits(dtype: np.dtype, shape: tuple[int, ...], axis: int) -> bool:
    """Whether there is such a function for numbers of that type, along that axis."""
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iuf":
        return False
    keys = np.dtype(f"i{dtype.itemsize}") if dtype.kind == "f" else dtype
    return sorting_networks.suits(dtype, shape, axis) or radix_sort.suits(keys, shape, axis)


def ordered(x: jax.Array, axis: int) -> jax.Array:
    """`jnp.sort(x, axis)`, on a CPU; NaN last."""
    if sorting_networks.suits(x.dtype, x.shape, axis):
        return sorting_networks.ordered(x, axis)
    return (
        numbers_of(radix_sort.ordered(keys_of(x), axis), x.dtype)
        if x.dtype.kind == "f"
        else radix_sort.ordered(x, axis)
    )


def places(x: jax.Array, axis: int) -> jax.Array:
    """`jnp.argsort(x, axis)`, stable, as int64, on a CPU."""
    if sorting_networks.suits(x.dtype, x.shape, axis):
        return sorting_networks.places(x, axis)
    return radix_sort.places(keys_of_equals(x) if x.dtype.kind == "f" else x, axis)


__all__ = ["ordered", "places", "suits"]
