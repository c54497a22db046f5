"""Loops that are one trip over vectors: see `passes/lanes.py` for which, and why.

What a trip computes is computed for all lanes by `jax.vmap`. Loads of the place of a lane are a slice of the array with
an axis of lanes; a load at another place that varies is a gather, and one that does not vary is what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.ir import Operation, Var
from xlapy.ir.lanes import Lanes
from xlapy.ir.places import Dimension, touched

Environment = dict[Var, Any]
Run = Callable[[Sequence[Operation], Environment], None]


def in_lanes(
    loop: Operation, environment: Environment, run: Callable[[Sequence[Operation], Environment], None]
) -> list:
    """The results of a loop.

    Args:
        loop: a `for` with the attribute `lanes`.
        environment: its operands, and the values that it captures.
        run: evaluates operations, whose results it puts into an environment.
    """
    plan: Lanes = loop.attributes["lanes"]
    (body,) = loop.regions
    index, *params = body.params
    initial = [lax.convert_element_type(environment[v], v.type.dtype) for v in loop.operands[1:]]
    trip: Environment = {**environment, **dict(zip(params, initial, strict=True))}
    ends = [*plan.stores.values(), *plan.sums.values()]
    inner = [o for o in body.operations if o not in ends and o not in plan.axes]

    zero = np.zeros((), index.type.dtype)
    first = _at_first_trip(plan, inner, {**trip, index: zero}, run)
    lane = lax.iota(index.type.dtype, plan.count)
    number, valid = lane, None
    if plan.frame is not None:
        number = lane - first[plan.frame][plan.axes[plan.frame]].astype(lane.dtype)
        valid = (number >= 0) & (number < environment[loop.operands[0]])
    loads = [o for o in plan.axes if o not in ends]
    slabs = [_slab(trip[o.operands[0]], o, first[o], plan) for o in loads]

    def one(number: Any, *places: Any) -> tuple[list, list]:
        values = dict(trip)
        values[index] = number
        for load, place in zip(loads, places, strict=True):
            values[load.results[0]] = lax.reshape(place, load.results[0].type.shape)
        run(inner, values)
        new = [_place(values[o.operands[1]], o, plan) for o in plan.stores.values()]
        return new, [values[_added(o, body.params[1 + k])] for k, o in plan.sums.items()]

    axes = [plan.axes[o] for o in loads]
    new, terms = jax.vmap(one, (0, *axes), ([plan.axes[o] for o in plan.stores.values()], 0))(number, *slabs)
    results = list(initial)
    for (k, store), part in zip(plan.stores.items(), new, strict=True):
        results[k] = _stored(initial[k], part, store, first[store], plan, valid)
    for (k, addition), values in zip(plan.sums.items(), terms, strict=True):
        if valid is not None:
            mask = lax.broadcast_in_dim(valid, values.shape, (0,))
            values = lax.select(mask, values, lax.full_like(values, 0))
        total = jnp.sum(values, axis=0, dtype=values.dtype)
        results[k] = (lax.sub if addition.kind == "sub" else lax.add)(initial[k], total)
    return results


def _at_first_trip(plan: Lanes, inner: Sequence[Operation], trip: Environment, run: Run) -> dict[Operation, list]:
    """For each load and store, where in its array the place of the first trip starts."""
    dims = {access: touched(access) or [] for access in plan.axes}
    needed = {d.start for found in dims.values() for d in found if isinstance(d.start, Var)}
    wanted = []
    for operation in reversed(inner):
        if not needed.isdisjoint(operation.results):
            wanted.append(operation)
            needed.update(operation.operands)
    run(wanted[::-1], trip)
    return {access: [_number(d, trip) for d in found] for access, found in dims.items()}


def _number(dim: Dimension, trip: Environment) -> Any:
    return jnp.asarray(trip[dim.start] if isinstance(dim.start, Var) else dim.start, jnp.int64)


def _extents(access: Operation, plan: Lanes) -> list[int]:
    dims = touched(access) or []
    return [plan.count if k == plan.axes[access] else d.count for k, d in enumerate(dims)]


def _starts(access: Operation, first: Sequence, plan: Lanes) -> list:
    whole = plan.frame is not None
    return [jnp.zeros((), jnp.int64) if whole and k == plan.axes[access] else s for k, s in enumerate(first)]


def _slab(array: Any, access: Operation, first: Sequence, plan: Lanes) -> Any:
    """The part of an array in which the places of all lanes are."""
    extents = _extents(access, plan)
    if tuple(extents) == array.shape:
        return array
    return lax.dynamic_slice(array, _starts(access, first, plan), extents, allow_negative_indices=False)


def _place(value: Any, store: Operation, plan: Lanes) -> Any:
    """What a trip stores, with the axes of the array but that of the lanes."""
    axis = plan.axes[store]
    return lax.reshape(value, [d.count for k, d in enumerate(touched(store) or []) if k != axis])


def _added(addition: Operation, param: Var) -> Var:
    return next(v for v in addition.operands if v is not param)


def _stored(array: Any, part: Any, store: Operation, first: Sequence, plan: Lanes, valid: Any) -> Any:
    """An array after the stores of all trips."""
    if valid is not None:
        mask = lax.broadcast_in_dim(valid, part.shape, (plan.axes[store],))
        part = lax.select(mask, part, _slab(array, store, first, plan))
    if part.shape == array.shape:
        return part
    return lax.dynamic_update_slice(array, part, _starts(store, first, plan), allow_negative_indices=False)
