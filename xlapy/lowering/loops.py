"""Loops in terms of `jax.lax`: in the form that runs fastest, and in a form that can be differentiated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.lowering.reversible_while import reversible_while

#: trips from which on the adjoint of a scan, which is compiled sooner, is not worth it
_MANY = 16


def counted_loop(
    trips: int | jax.Array, body: Callable[..., list], initial: Sequence, dtype: np.dtype, unroll: int = 1
) -> list:
    """`trips` times `carried = body(index, *carried)`.

    Args:
        trips: how often; an int or a scalar of `dtype`. Not positive: never.
        body: of the index (a scalar of `dtype`) and the carried values.
        initial: the carried values before the loop.
        dtype: the type of the index.
        unroll: trips made at once while that many are left.
    """
    limit = np.asarray(trips, dtype) if isinstance(trips, int) else trips
    one = np.asarray(1, dtype)
    state = [np.zeros((), dtype), *initial]

    def step(carried: Sequence) -> list:
        return [lax.add(carried[0], one), *body(*carried)]

    def several(carried: Sequence) -> list:
        for _ in range(unroll):
            carried = step(carried)
        return list(carried)

    if unroll > 1:
        # Compared by subtraction, so that it is right for limits next to the largest integer as well.
        state = lax.while_loop(lambda c: lax.ge(lax.sub(limit, c[0]), np.asarray(unroll, dtype)), several, state)
    return lax.while_loop(lambda c: lax.lt(c[0], limit), step, state)[1:]


def differentiable_counted_loop(
    trips: int | jax.Array, body: Callable[..., list], initial: Sequence, dtype: np.dtype, reads_elements: bool
) -> list:
    """`counted_loop`, to be differentiated: a scan if the number of trips is known.

    But not if a trip reads few elements of a large array (`reads_elements`): the adjoint of a scan adds a whole array
    of zeros for each of those.
    """
    if isinstance(trips, int) and not (reads_elements and trips >= _MANY):
        lower, upper = np.asarray(0, dtype), np.asarray(trips, dtype)
        return lax.fori_loop(lower, upper, lambda i, carried: body(i, *carried), list(initial))
    one = np.asarray(1, dtype)
    state = [jnp.zeros((), dtype), *initial]
    return reversible_while(
        lambda index, *_: lax.lt(index, trips),
        lambda index, *carried: [lax.add(index, one), *body(index, *carried)],
        state,
    )[1:]


def differentiable_while_loop(condition: Callable, body: Callable[..., list], initial: Sequence) -> list:
    """`while condition(*carried): carried = body(*carried)`, to be differentiated."""
    return reversible_while(condition, body, initial)
