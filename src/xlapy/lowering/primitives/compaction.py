"""Lanes moved about: those that a mask selects to the front and back, and whole rows of lanes along a dimension.

On a CPU a loop takes 1 ns a lane (3, if each iteration does one), where a scatter takes 7 to 16 and a sort 200;
elsewhere a scatter gives every lane a place of its own. Machine code takes half a nanosecond
(`llvm.stream_compaction`).
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.jaxprs.kernel_primitives import Kernel

#: lanes that an iteration of a loop does, where there are many
_LANES, _MANY = 8, 512


def positions(valid):
    """The lanes that a mask selects, from the first to the last; then others."""
    return POSITIONS(valid)[0]


def _positions_at_once(valid):
    """By a scatter in which every lane has a place of its own: dead ones behind the others."""
    room = valid.shape[0]
    rank = jnp.cumsum(valid, dtype=jnp.int32)
    lane = lax.iota(jnp.int32, room)
    place = jnp.where(valid, rank - 1, jnp.sum(valid, dtype=jnp.int32) + lane - rank)
    lanes = lane.astype(jnp.int64)
    return jnp.zeros(room, jnp.int64).at[place].set(lanes, mode="promise_in_bounds", unique_indices=True)


def _positions_in_turn(valid):
    def lanes(first, count):
        return first.astype(jnp.int64) + lax.iota(jnp.int64, count)

    return _in_turn(lanes, valid, jnp.int64)


def _in_turn(elements, valid, dtype):
    """`elements(first, count)` of the lanes that a mask selects, one behind the other: each is put behind the last,
    where the next one takes the place of one that is not selected. An iteration of the loop does several lanes."""

    def step(first, state, lanes):
        found, count = state
        given, chosen = elements(first, lanes), lax.dynamic_slice(valid, (first,), (lanes,)).astype(jnp.uint32)
        for k in range(lanes):
            found = lax.dynamic_update_slice(found, given[k : k + 1], (count,))
            count = count + chosen[k]
        return found, count

    room = valid.shape[0]
    if room == 0:
        return jnp.zeros(0, dtype)
    # unsigned, a lane is not looked at whether it counts from the end
    iterations = room // _LANES if room >= _MANY else 0
    state = jnp.zeros(room, dtype), jnp.uint32(0)
    if iterations:
        several = lambda k, state: step(k * jnp.uint32(_LANES), state, _LANES)  # noqa: E731
        state = lax.fori_loop(jnp.uint32(0), jnp.uint32(iterations), several, state)
    return lax.fori_loop(jnp.uint32(iterations * _LANES), jnp.uint32(room), lambda k, state: step(k, state, 1), state)[
        0
    ]


def gather(x, order, axis):
    """The lanes `order` of a dimension."""
    return jnp.take(x, order, axis=axis, mode="clip")


def compacted(x, valid):
    """The elements of a vector in the lanes that a mask selects, moved to the front; then others."""
    made = COMPACTED(x, valid)[0]
    return differentiated_as(made, _compacted_at_once(x, valid)) if jnp.issubdtype(x.dtype, jnp.inexact) else made


def _compacted_at_once(x, valid):
    return jnp.take(x, _positions_at_once(valid), mode="clip")


def _compacted_in_turn(x, valid):
    return _in_turn(lambda first, count: lax.dynamic_slice(x, (first,), (count,)), valid, x.dtype)


def expand(x, valid, axis):
    """The first lanes of a dimension where a mask has its true ones."""
    rank = jnp.cumsum(valid, dtype=jnp.int32) - 1
    return jnp.take(x, jnp.maximum(rank, 0), axis=axis, mode="clip")


def shift(x, *rest):
    """`room` lanes of a dimension, of which that at `start` comes to `goal`; zeros where there are none."""
    *dynamic, start, goal, axis, room = rest
    remaining = iter(dynamic)
    start = next(remaining) if start is None else start
    moves = goal is None or goal != 0
    goal = next(remaining) if goal is None else goal
    # Lanes that start at the front are only moved back: there is something behind them only where there is more room.
    behind = max(0, room - x.shape[axis]) if isinstance(start, int) and start == 0 else room
    pads = [(0, 0, 0)] * x.ndim
    pads[axis] = (room if moves else 0, behind, 0)
    x = lax.pad(x, jnp.zeros((), x.dtype), pads)
    first = start - goal + (room if moves else 0)
    if isinstance(first, int):
        return lax.slice_in_dim(x, first, first + room, axis=axis)
    return lax.dynamic_slice_in_dim(x, first, room, axis)


COMPACTED = Kernel("compacted", _compacted_in_turn, _compacted_at_once)
POSITIONS = Kernel("positions", _positions_in_turn, _positions_at_once)
