"""How often each number occurs: on a CPU a loop over four parts of the numbers, each with counters of its own.

XLA's scatter adds ones from memory, one after the other, and waits for a counter that has just been written; four
independent counters leave the processor something to do meanwhile.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from xlapy.lowering.thresholds import COUNTERS_IN_PARTS, NUMBERS_COUNTED_IN_PARTS

_PARTS = 4


def occurrences(places: jax.Array, bins: int) -> jax.Array:
    """How often each of the numbers 0 to `bins` - 1 occurs.

    Args:
        places: (n,) integers, all of them in that range.
        bins: how many counters there are.

    Returns:
        (bins,) int64.
    """
    if places.size < NUMBERS_COUNTED_IN_PARTS or bins > COUNTERS_IN_PARTS:
        return _scattered(places, bins)
    return lax.platform_dependent(places, cpu=lambda p: _in_parts(p, bins), default=lambda p: _scattered(p, bins))


def _scattered(places: jax.Array, bins: int) -> jax.Array:
    wide = places.astype(jnp.promote_types(places.dtype, jnp.int32))
    return jnp.zeros(bins, jnp.int64).at[wide].add(1, mode="promise_in_bounds", wrap_negative_indices=False)


def _in_parts(places: jax.Array, bins: int) -> jax.Array:
    length = places.size // _PARTS

    def step(i: jax.Array, counters: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        return tuple(
            _incremented(c, lax.dynamic_slice(places, (i + k * length,), (1,))) for k, c in enumerate(counters)
        )

    counters = (jnp.zeros(bins, jnp.int64),) * _PARTS
    counters = lax.fori_loop(jnp.uint32(0), jnp.uint32(length), step, counters)
    return sum(counters, _scattered(places[length * _PARTS :], bins))


def _incremented(counters: jax.Array, place: jax.Array) -> jax.Array:
    # unsigned, a place is not looked at whether it counts from the end
    start = (place[0].astype(jnp.uint32),)
    return lax.dynamic_update_slice(counters, lax.dynamic_slice(counters, start, (1,)) + 1, start)
