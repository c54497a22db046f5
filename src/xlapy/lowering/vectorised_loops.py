"""Loops that are one iteration over vectors: see `passes/loop_vectorisation.py` for which, and why.

What an iteration computes is computed for all lanes by `jax.vmap`. Loads of the place of a lane are a slice of the
array with an axis of lanes; a load at another place that varies is a gather, and one that does not vary is what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.ir import Operation, Region, Var
from xlapy.ir.access_regions import Dimension, touched
from xlapy.ir.vectorisation_notes import Choice, Lanes
from xlapy.lowering.jaxprs.transpose_sinking import untransposed
from xlapy.lowering.primitives.barrier import loaded

Environment = dict[Var, Any]
Run = Callable[[Sequence[Operation], Environment], None]


def plan_of(loop: Operation, native: bool) -> Lanes | None:
    """How all iterations of a loop are made at once, where it is run in a native function or elsewhere; None if they
    are not."""
    return loop.attributes.get("lanes") or (loop.attributes.get("lanes_inside") if native else None)


def in_lanes(loop: Operation, plan: Lanes, environment: Environment, run: Run) -> list:
    """The results of a loop.

    Args:
        loop: a `for`.
        plan: how its iterations are made at once.
        environment: its operands, and the values that it captures.
        run: evaluates operations, whose results it puts into an environment.
    """
    (body,) = loop.regions
    index, *params = body.params
    initial = [lax.convert_element_type(environment[v], v.type.dtype) for v in loop.operands[1:]]
    iteration: Environment = {**environment, **dict(zip(params, initial, strict=True))}
    ends = plan.ends()
    ends += [choice.record for choice in plan.choices.values() if choice.record is not None]
    inner = [o for o in body.operations if o not in ends and o not in plan.axes]

    zero = np.zeros((), index.type.dtype)
    first = _at_first_iteration(plan, inner, {**iteration, index: zero}, run)
    stored = {params[k] for k in plan.stores}
    # What is loaded from elsewhere than an iteration's own place is the same before the loop.
    once, inner = _divided(inner, ({index, *params} - stored).union(*(o.results for o in plan.axes)))
    run(once, iteration)
    _keep_loaded(once, stored, iteration)
    lane = lax.iota(index.type.dtype, plan.count)
    number, valid = lane, None
    if plan.frame is not None:
        number = lane - first[plan.frame][plan.axes[plan.frame]].astype(lane.dtype)
        valid = (number >= 0) & (number < environment[loop.operands[0]])
    loads = [o for o in plan.axes if o not in ends]
    slabs = [_slab(iteration[o.operands[0]], o, first[o], plan) for o in loads]

    def one(number: Any, *places: Any) -> tuple[list, list, list, list]:
        values = dict(iteration)
        values[index] = number
        for load, place in zip(loads, places, strict=True):
            values[load.results[0]] = lax.reshape(place, load.results[0].type.shape)
        run(inner, values)
        new = [_place(values[o.operands[1]], o, plan) for o in plan.stores.values()]
        folded = [values[_other(o, body.params[1 + k])] for k, o in plan.folds.items()]
        chosen = [values[_decisive(choice, body)] for choice in plan.choices.values()]
        replaced = [None if v in iteration else values[v] for v in (c.replacement for c in plan.choices.values())]
        return new, folded, chosen, replaced

    axes = [plan.axes[o] for o in loads]
    whole = jax.vmap(one, (0, *axes), ([plan.axes[o] for o in plan.stores.values()], 0, 0, 0))
    new, folded, chosen, replaced = untransposed(whole)(number, *slabs)
    results = list(initial)
    for (k, store), part in zip(plan.stores.items(), new, strict=True):
        results[k] = _stored(initial[k], part, store, first[store], plan, valid)
    for (k, operation), values in zip(plan.folds.items(), folded, strict=True):
        results[k] = _folded(operation.kind, initial[k], values, valid)
    for (k, choice), decisive, values in zip(plan.choices.items(), chosen, replaced, strict=True):
        if choice.record is None:
            hit = decisive if choice.kept == 2 else ~decisive
            hit = hit if valid is None else hit & valid
            at, changes = (0, jnp.any(hit)) if values is None else _last(hit)
        else:
            carried = next(v for v in choice.record.operands if v in params)
            at, changes = _record(decisive, iteration[carried], _is_largest(choice.record, carried), valid)
        value = (
            iteration[choice.replacement] if values is None else lax.dynamic_index_in_dim(values, at, keepdims=False)
        )
        results[k] = lax.select(changes, lax.convert_element_type(value, initial[k].dtype), initial[k])
    return results


def _keep_loaded(operations: Sequence[Operation], stored: set[Var], iteration: Environment) -> None:
    """Let what is loaded from arrays that the iterations store into not be loaded again where it is used: XLA would
    keep the arrays as they were for that, in copies."""
    for operation in operations:
        dims = touched(operation) if operation.operands and operation.operands[0] in stored else None
        start = next((d.start for d in dims or [] if isinstance(d.start, Var)), None)
        if start is not None:
            (result,) = operation.results
            iteration[result], _ = loaded(iteration[result], iteration[start])


def _divided(operations: Sequence[Operation], varying: set[Var]) -> tuple[list[Operation], list[Operation]]:
    """The operations that do the same in all iterations, and the others: what is made from values that vary."""
    same: list[Operation] = []
    others: list[Operation] = []
    for operation in operations:
        if varying.isdisjoint(operation.operands):
            same.append(operation)
        else:
            varying.update(operation.results)
            others.append(operation)
    return same, others


def _add(x: Any, y: Any) -> Any:
    """`lax.add`, which `lax.reduce` starts with 0.0, even if told to start with -0.0."""
    return lax.add(x, y)


def added(numbers: Any) -> Any:
    """The sum of the numbers of a vector, -0.0 if all of them are that."""
    return lax.reduce(numbers, _number_of(-0.0, numbers.dtype), _add, (0,))


#: what iterations do to a value, and what changes no value; None if there is no such thing
_FOLDS: dict[str, tuple[Callable, float | int | None]] = {
    "add": (_add, -0.0),
    "sub": (lax.sub, 0.0),
    "mul": (lax.mul, 1),
    "max": (lax.max, None),
    "min": (lax.min, None),
    "bitwise_and": (lax.bitwise_and, -1),
    "bitwise_or": (lax.bitwise_or, 0),
    "bitwise_xor": (lax.bitwise_xor, 0),
}


def _folded(kind: str, initial: Any, values: Any, valid: Any) -> Any:
    """What is carried, after all iterations have added to it (multiplied it ...)."""
    function, neutral = _FOLDS[kind]
    nothing = initial if neutral is None else _number_of(neutral, values.dtype)
    if valid is not None:
        mask = lax.broadcast_in_dim(valid, values.shape, (0,))
        values = lax.select(mask, values, jnp.broadcast_to(nothing, values.shape))
    if neutral is None:
        return lax.reduce(values, initial, function, (0,))
    return function(initial, lax.reduce(values, nothing, lax.add if kind == "sub" else function, (0,)))


def _number_of(number: float | int, dtype: np.dtype) -> np.ndarray:
    """A number of a type; -0.0 with all its signs."""
    if dtype.kind == "c":
        return np.asarray(complex(number, number if number == 0 else 0), dtype)
    return np.asarray(number, np.float64 if dtype.kind == "f" else np.int64).astype(dtype)


def _decisive(choice: Choice, body: Region) -> Var:
    """What says which iterations replace something: a predicate, or what they compare."""
    if choice.record is None:
        return choice.select.operands[0]
    return next(v for v in choice.record.operands if v not in body.params[1:])


def _is_largest(record: Operation, carried: Var) -> bool:
    """Whether a comparison asks for larger values, not smaller ones."""
    return (record.kind == "gt") == (record.operands[1] is carried)


def _last(hit: Any) -> tuple[Any, Any]:
    """The last lane that is hit, and whether there is one."""
    at = jnp.max(jnp.where(hit, lax.iota(np.int32, len(hit)), -1))
    return jnp.maximum(at, 0), at >= 0


def _record(values: Any, carried: Any, largest: bool, valid: Any) -> tuple[Any, Any]:
    """The first lane with the largest or smallest value, and whether that is beyond what was carried; NaN never is."""
    if values.dtype.kind == "f":
        usable, least = ~jnp.isnan(values), -np.inf if largest else np.inf
    else:
        bounds = np.iinfo(values.dtype)
        usable, least = None, bounds.min if largest else bounds.max
    masks = [mask for mask in (usable, valid) if mask is not None]
    for mask in masks:
        values = jnp.where(mask, values, np.asarray(least, values.dtype))
    best = jnp.max(values) if largest else jnp.min(values)
    lane = lax.iota(np.int32, len(values))
    at = jnp.min(jnp.where(values == best, lane, np.int32(len(values) - 1)))
    return at, best > carried if largest else best < carried


def _at_first_iteration(
    plan: Lanes, inner: Sequence[Operation], iteration: Environment, run: Run
) -> dict[Operation, list]:
    """For each load and store, where in its array the place of the first iteration starts."""
    dims = {access: touched(access) or [] for access in plan.axes}
    needed = {d.start for found in dims.values() for d in found if isinstance(d.start, Var)}
    wanted = []
    for operation in reversed(inner):
        if not needed.isdisjoint(operation.results):
            wanted.append(operation)
            needed.update(operation.operands)
    run(wanted[::-1], iteration)
    return {access: [_number(d, iteration) for d in found] for access, found in dims.items()}


def _number(dim: Dimension, iteration: Environment) -> Any:
    return jnp.asarray(iteration[dim.start] if isinstance(dim.start, Var) else dim.start, jnp.int64)


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
    """What an iteration stores, with the axes of the array but that of the lanes."""
    axis = plan.axes[store]
    return lax.reshape(value, [d.count for k, d in enumerate(touched(store) or []) if k != axis])


def _other(addition: Operation, param: Var) -> Var:
    return next(v for v in addition.operands if v is not param)


def _stored(array: Any, part: Any, store: Operation, first: Sequence, plan: Lanes, valid: Any) -> Any:
    """An array after the stores of all iterations."""
    if valid is not None:
        mask = lax.broadcast_in_dim(valid, part.shape, (plan.axes[store],))
        part = lax.select(mask, part, _slab(array, store, first, plan))
    if part.shape == array.shape:
        return part
    return lax.dynamic_update_slice(array, part, _starts(store, first, plan), allow_negative_indices=False)
