"""Loops in terms of `jax.lax`: in the form that runs fastest, and in a form that can be differentiated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.ir.called_jaxprs import inner_jaxprs
from xlapy.lowering.loop_derivatives.reversible_while import reversible_while
from xlapy.lowering.thresholds import BYTES_KEPT_BY_SCAN, BYTES_KEPT_UNASKED, ITERATIONS_OF_SCAN

#: what the derivative needs neither operands nor results of
_LINEAR = frozenset(
    "add add_any sub neg convert_element_type broadcast_in_dim reshape transpose squeeze slice concatenate pad rev copy"
    " reduce_sum dynamic_slice dynamic_update_slice gather scatter scatter-add select_n reduce_window_sum real imag"
    " stop_gradient optimization_barrier".split()
)


def counted_loop(
    iterations: int | jax.Array,
    body: Callable[..., list],
    initial: Sequence,
    dtype: np.dtype,
    unroll: int = 1,
    certain: jax.Array | None = None,
) -> list:
    """`iterations` times `carried = body(index, *carried)`.

    Args:
        iterations: how often; an int or a scalar of `dtype`. Not positive: never.
        body: of the index (a scalar of `dtype`) and the carried values.
        initial: the carried values before the loop.
        dtype: the type of the index.
        unroll: iterations made at once while that many are left.
        certain: a predicate that holds, which XLA cannot know: how many iterations there are depends on it.
    """
    limit = np.asarray(iterations, dtype) if isinstance(iterations, int) else iterations
    if certain is not None:
        limit = lax.select(certain, jnp.asarray(limit), jnp.zeros((), dtype))
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
        left = np.asarray(unroll, dtype)
        state = lax.while_loop(lambda c: lax.ge(lax.sub(limit, c[0]), left), several, state)
    return lax.while_loop(lambda c: lax.lt(c[0], limit), step, state)[1:]


def also(predicate: jax.Array, certain: jax.Array | None) -> jax.Array:
    """A predicate, and one that holds always."""
    return predicate if certain is None else lax.bitwise_and(predicate, certain)


def differentiable_counted_loop(
    iterations: int | jax.Array,
    body: Callable[..., list],
    initial: Sequence,
    dtype: np.dtype,
    reads_elements: bool,
    most: int | None = None,
) -> list:
    """`counted_loop`, to be differentiated: a scan if the number of iterations is known.

    But not if an iteration reads few elements of a large array (`reads_elements`): the adjoint of a scan adds a whole
    array of zeros for each of those. Nor if it is so long that what a scan keeps of each iteration is too much. `most`
    says how many iterations there are at most, if that is known.
    """
    if isinstance(iterations, int) and not (
        reads_elements and iterations >= ITERATIONS_OF_SCAN or _long(iterations, body, initial, dtype)
    ):
        lower, upper = np.asarray(0, dtype), np.asarray(iterations, dtype)
        return lax.fori_loop(lower, upper, lambda i, carried: body(i, *carried), list(initial))
    one = np.asarray(1, dtype)
    state = [jnp.zeros((), dtype), *initial]
    return reversible_while(
        lambda index, *_: lax.lt(index, iterations),
        lambda index, *carried: [lax.add(index, one), *body(index, *carried)],
        state,
        iterations if isinstance(iterations, int) else most,
    )[1:]


def differentiable_while_loop(
    condition: Callable, body: Callable[..., list], initial: Sequence, most: int | None = None
) -> list:
    """`while condition(*carried): carried = body(*carried)`, to be differentiated; `most` iterations, if that is
    known."""
    return reversible_while(condition, body, initial, most)


def _long(iterations: int, body: Callable[..., list], initial: Sequence, dtype: np.dtype) -> bool:
    """Whether the adjoint of a scan would keep too much."""
    types = [jax.ShapeDtypeStruct(np.shape(x), x.dtype) for x in initial]
    if iterations <= ITERATIONS_OF_SCAN or iterations * sum(map(_bytes, types)) <= BYTES_KEPT_UNASKED:
        return False
    jaxpr = jax.make_jaxpr(lambda *xs: list(body(*xs)))(jax.ShapeDtypeStruct((), dtype), *types).jaxpr
    return iterations * _kept(jaxpr, set(jaxpr.invars)) > BYTES_KEPT_BY_SCAN


def _kept(jaxpr, varying: set) -> int:
    """About how many bytes of what varies from iteration to iteration the derivative of an iteration needs."""
    kept: set = set()
    total = 0
    for equation in jaxpr.eqns:
        moving = [v for v in equation.invars if not hasattr(v, "val") and v in varying]
        if not moving:
            continue
        varying.update(equation.outvars)
        inner = inner_jaxprs(equation)
        for part in inner:
            total += _kept(part, set(part.invars)) * equation.params.get("length", 1)
        if not inner and equation.primitive.name not in _LINEAR:
            kept.update(v for v in (*moving, *equation.outvars) if jnp.issubdtype(v.aval.dtype, np.inexact))
    return total + sum(_bytes(v.aval) for v in kept)


def _bytes(type) -> int:
    return int(np.prod(type.shape)) * type.dtype.itemsize
