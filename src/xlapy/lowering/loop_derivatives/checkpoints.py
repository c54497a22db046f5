"""Reversing a loop whose number of iterations is not known beforehand, in memory for a fixed number of states.

Forward, online: states are kept at equal distances; when the slots for that are full, every second one is dropped and
the distance doubles (the idea of Wang, Moin and Iaccarino, "Minimal repetition dynamic checkpointing algorithm for
unsteady adjoint calculation", SISC 31(4), 2009, and of Stumm and Walther, "New algorithms for optimal online
checkpointing", SISC 32(2), 2010, in its simplest form). They may fill half of all slots.

Backward, offline: the number of iterations is now known, and the gaps between the kept states are reversed by binomial
checkpointing in the other slots (Griewank, "Achieving logarithmic growth of temporal and spatial complexity in reverse
automatic differentiation", 1992; Griewank and Walther, "Algorithm 799: revolve", TOMS 26(1), 2000). With s free slots,
C(s + r, r) units of some iterations are reversed while no iteration is run more than r times before it is reversed.

Everything is loops within loops without a branch, so that XLA updates the slots in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

_REPEATS = 64
_LARGEST = 2**30


class Kept(NamedTuple):
    """States kept on the way forward: number `j` of `count` is from before iteration `j * distance` of `iterations`."""

    iterations: jax.Array | np.ndarray
    distance: jax.Array | np.ndarray
    count: jax.Array | np.ndarray
    #: for each carried value an array of all slots
    slots: list[jax.Array]

    def with_room(self, slots: int) -> Kept:
        """The same in `slots` slots."""
        stores = [lax.empty((slots, *s.shape[1:]), s.dtype) for s in self.slots]
        stores = [lax.dynamic_update_slice_in_dim(new, old, 0, 0) for new, old in zip(stores, self.slots, strict=True)]
        return self._replace(slots=stores)


def index_type() -> np.dtype:
    """The type of counters: 64 bits where JAX has them."""
    return jax.dtypes.canonicalize_dtype(np.int64)


def run_and_keep(
    condition: Callable, body: Callable, initial: Sequence[jax.Array], slots: int, unit: int
) -> tuple[list, Kept]:
    """`while condition(*carried): carried = body(*carried)`, with states kept for `reverse`.

    Args:
        condition: of the carried values; a boolean scalar.
        body: of the carried values; a list of them.
        initial: the carried values before the loop.
        slots: how many states there is room for, at least 4. Half of that is used here.
        unit: how many iterations are reversed at once: the distance between states is a multiple of it.
    """
    dtype = index_type()
    most = slots // 2 - slots // 2 % 2
    zero, one = np.zeros((), dtype), np.ones((), dtype)

    def halve(distance, count, stores):
        full = count == most

        def move(j, stores):
            return [put(s, get(s, 2 * j), j) for s in stores]

        # No iteration unless the slots are full: a loop, not a branch, which would copy them.
        stores = _times(jnp.where(full, np.asarray(most // 2, dtype), zero), move, stores)
        return jnp.where(full, 2 * distance, distance), jnp.where(full, count // 2, count), stores

    def stretch(state):
        iterations, distance, count, stores, carried = state
        distance, count, stores = halve(distance, count, stores)
        stores = [put(s, x, count) for s, x in zip(stores, carried, strict=True)]

        def goes(inner):
            return (inner[0] < distance) & condition(*inner[1])

        made, carried = lax.while_loop(goes, lambda inner: (inner[0] + one, body(*inner[1])), (zero, carried))
        return iterations + made, distance, count + one, stores, carried

    stores = [lax.empty((slots, *x.shape), x.dtype) for x in initial]
    start = (zero, np.asarray(unit, dtype), zero, stores, list(initial))
    state = lax.while_loop(lambda s: condition(*s[4]), stretch, start)
    iterations, distance, count, stores, carried = state
    return list(carried), Kept(iterations, distance, count, list(stores))


def run_and_keep_first(
    condition: Callable, body: Callable, initial: Sequence[jax.Array], unit: int
) -> tuple[list, Kept]:
    """The same where no more than the first state is wanted."""
    dtype = index_type()
    zero, one = np.zeros((), dtype), np.ones((), dtype)
    iterations, carried = lax.while_loop(
        lambda s: condition(*s[1]), lambda s: (s[0] + one, list(body(*s[1]))), (zero, list(initial))
    )
    distance = jnp.asarray(unit, dtype)
    return list(carried), Kept(iterations, distance, jnp.ones((), dtype), [jnp.asarray(x)[None] for x in initial])


def reverse(
    body: Callable, adjoint: Callable, kept: Kept, cotangents: Sequence, totals: Sequence, unit: int
) -> tuple[list, list]:
    """Run the adjoint of a loop from its last iteration to its first, `unit` iterations at once.

    Args:
        body: of the carried values; a list of them.
        adjoint: of the carried values before some iterations, the number of those (`unit`, or fewer at the end), the
            cotangents of the carried values after them, and totals; the cotangents before them, and the totals with
            what these iterations add.
        kept: from `run_and_keep`.
        cotangents: of the carried values after the loop.
        totals: where the cotangents of what the loop only reads are summed.
        unit: the same as for `run_and_keep`.

    Returns:
        The cotangents of the carried values before the loop, and the totals.
    """
    dtype = index_type()
    slots = kept.slots[0].shape[0]
    lengths = jnp.asarray(_lengths(slots), dtype)
    one, size = np.ones((), dtype), np.asarray(unit, dtype)

    def advance(stores, place, units):
        return _times(units * size, lambda _, carried: body(*carried), [get(s, place) for s in stores])

    def step(state):
        last, used, places, stores, cotangents, totals = state

        def gap(inner):
            used, places, _ = inner
            return (get(places, used - one) < last) & (used < slots)

        def bridge(inner):
            used, places, stores = inner
            place = get(places, used - one)
            length = last - place + one
            row = get(lengths, np.asarray(slots, dtype) - used + one)
            repeats = jnp.sum((row < length).astype(dtype), dtype=dtype)
            step = jnp.clip(get(row, jnp.maximum(repeats - one, 0)), one, length - one)
            carried = advance(stores, used - one, step)
            stores = [put(s, x, used) for s, x in zip(stores, carried, strict=True)]
            return used + one, put(places, place + step, used), stores

        used, places, stores = lax.while_loop(gap, bridge, (used, places, stores))
        place = get(places, used - one)
        carried = advance(stores, used - one, last - place)
        iterations = jnp.minimum(kept.iterations - last * size, size)
        cotangents, totals = adjoint(carried, iterations, cotangents, totals)
        used = jnp.where(place == last, used - one, used)
        return last - one, used, places, stores, list(cotangents), list(totals)

    places = jnp.arange(slots, dtype=dtype) * (kept.distance // size)
    units = (kept.iterations + size - one) // size
    state = (units - one, kept.count, places, list(kept.slots), list(cotangents), list(totals))
    state = lax.while_loop(lambda s: s[0] >= 0, step, state)
    return list(state[4]), list(state[5])


def _lengths(slots: int) -> np.ndarray:
    """How many iterations can be reversed with `s` states while none is run more than `r` times, for all s and r."""
    return np.array([[min(comb(s + r, r), _LARGEST) for r in range(_REPEATS)] for s in range(slots + 1)])


def get(array, place):
    """`array[place]`."""
    return lax.dynamic_index_in_dim(array, place, keepdims=False, allow_negative_indices=False)


def put(array, value, place):
    """`array` with `array[place] = value`."""
    value = jnp.asarray(value, array.dtype)
    return lax.dynamic_update_index_in_dim(array, value, place, 0, allow_negative_indices=False)


def _times(iterations, body: Callable, carried):
    """`carried = body(index, carried)`, `iterations` times."""
    zero = np.zeros((), index_type())
    one = np.ones((), index_type())
    return lax.while_loop(lambda s: s[0] < iterations, lambda s: (s[0] + one, body(*s)), (zero, carried))[1]
