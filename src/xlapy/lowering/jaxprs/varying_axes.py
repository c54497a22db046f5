"""Programs inside of `jax.shard_map`, where JAX keeps account of what differs from device to device.

The type of a value says along which axes of the mesh it varies. JAX's functions make values that meet vary along the
same axes; a jaxpr that was made outside knows of none. Here it is evaluated equation by equation, with what JAX's
functions would have put between them, and loops get the types that their bodies lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.ir.called_jaxprs import called, is_kernel
from xlapy.lowering.jaxprs.jaxpr_evaluation import bound, evaluated, parts_of_scan
from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr
from xlapy.lowering.jaxprs.meshes import current_mesh

#: collectives that add up, by whatever name
_SUMS = frozenset(("psum", "psum_invariant"))
#: what a value that does not vary is made one that does by
_CASTS = frozenset(("pvary", "pcast"))


def is_checked() -> bool:
    """Whether values are told apart by the axes along which they vary."""
    axes = current_mesh().manual_axes
    return bool(axes) and bool(axes_of(lax.axis_index(axes[0])))


def axes_of(value: Any) -> frozenset:
    """The axes along which a value varies."""
    return frozenset(jax.typeof(value).mat.varying)


def cast(value: Any, axes: frozenset) -> Any:
    """A value that varies along some axes, too."""
    missing = axes - axes_of(value)
    return lax.pcast(value, tuple(sorted(missing)), to="varying") if missing else value


def joined(values: Sequence) -> list:
    """Values that vary along the same axes."""
    axes = frozenset[Any]().union(*map(axes_of, values))
    return [cast(x, axes) for x in values]


def computed(jaxpr: ClosedJaxpr, operands: Sequence) -> list:
    """The results of a jaxpr."""
    return evaluated(jaxpr, list(operands), _equation)


def _equation(equation: Any, values: list) -> Sequence | None:
    name, params = equation.primitive.name, equation.params
    special = _RULES.get(name)
    if special is not None:
        return special(params, values)
    if is_kernel(equation):
        return computed(params["elsewhere"] or params["jaxpr"], values)
    inner = called(equation)
    if name == "custom_jvp_call":
        values = joined(values)
        return bound(equation, values, {**params, "call_jaxpr": jax.make_jaxpr(partial(_flat, inner))(*values)})
    if inner is not None:
        return computed(inner, values)
    axes = params.get("axis_name", params.get("axes", ()))
    names = frozenset(a for a in (axes if isinstance(axes, tuple) else (axes,)) if isinstance(a, str))
    return bound(equation, joined([cast(x, names) for x in values]))


def _flat(jaxpr: ClosedJaxpr, *operands: Any) -> list:
    return computed(jaxpr, operands)


def _sum(params: dict, values: list) -> Sequence:
    return [lax.psum(x, params["axes"], axis_index_groups=params.get("axis_index_groups")) for x in values]


def _cast(params: dict, values: list) -> Sequence:
    return [cast(x, frozenset(params["axes"])) for x in values]


def _cond(params: dict, values: list) -> Sequence:
    index, *operands = values
    branches = [partial(_flat, branch) for branch in params["branches"]]
    return chosen(index, branches, operands)


def chosen(index: Any, branches: Sequence[Callable[..., list]], operands: Sequence) -> list:
    """The results of one of some functions, of the same types whichever it is."""
    outs = [jax.eval_shape(branch, *operands) for branch in branches]
    axes = [frozenset[Any]().union(*(axes_of(x) for x in column)) for column in zip(*outs, strict=True)]

    def same(branch: Callable[..., list], *xs: Any) -> list:
        return [cast(x, a) for x, a in zip(branch(*xs), axes, strict=True)]

    return lax.switch(jnp.asarray(index, jnp.int32), [partial(same, branch) for branch in branches], *operands)


def settled(step: Callable[..., list], initial: Sequence) -> tuple[Callable[..., list], list]:
    """A step and the first state of a loop that vary along the same axes: all those that any state varies along."""
    initial = [jnp.asarray(x) for x in initial]
    while True:
        outs = jax.eval_shape(step, *initial)
        axes = [axes_of(x) | axes_of(y) for x, y in zip(initial, outs, strict=True)]
        if all(a == axes_of(x) for a, x in zip(axes, initial, strict=True)):
            break
        initial = [cast(x, a) for x, a in zip(initial, axes, strict=True)]

    def same(*state: Any) -> list:
        return [cast(x, a) for x, a in zip(step(*state), axes, strict=True)]

    return same, initial


def repeated(condition: Callable[..., Any], step: Callable[..., list], initial: Sequence) -> list:
    """A loop while `condition(*state)` holds."""
    step, initial = settled(step, initial)
    return lax.while_loop(lambda state: condition(*state), lambda state: step(*state), initial)


def counted(iterations: Any, step: Callable[..., list], initial: Sequence, dtype: Any) -> list:
    """`iterations` times `state = step(index, *state)`. What an iteration makes the same everywhere is so after the
    loop if that is known to make one, which comes before it then."""
    zero, first = jnp.zeros((), dtype), 0
    while isinstance(iterations, int) and first < iterations:
        outs = jax.eval_shape(lambda *state: step(zero, *state), *initial)
        if all(axes_of(x) <= axes_of(y) for x, y in zip(initial, outs, strict=True)):
            break
        initial, first = step(jnp.asarray(first, dtype), *initial), first + 1
    _, initial = settled(lambda *state: step(zero, *state), initial)
    axes = [axes_of(x) for x in initial]

    def body(index: Any, state: Sequence) -> list:
        return [cast(x, a) for x, a in zip(step(index, *state), axes, strict=True)]

    if isinstance(iterations, int):
        # JAX can differentiate a loop between numbers that it knows
        return lax.fori_loop(np.asarray(first, dtype), np.asarray(iterations, dtype), body, initial)
    return lax.fori_loop(zero, iterations, body, initial)


def _while(params: dict, values: list) -> Sequence:
    first, second = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    conditions, constants, initial = values[:first], values[first:second], values[second:]
    return repeated(
        lambda *state: computed(params["cond_jaxpr"], [*conditions, *state])[0],
        lambda *state: computed(params["body_jaxpr"], [*constants, *state]),
        initial,
    )


def _scan(params: dict, values: list) -> Sequence:
    constants, initial, rows = parts_of_scan(params, values)
    carried, jaxpr = len(initial), params["jaxpr"]

    def step(*state: Any) -> list:
        return computed(jaxpr, [*constants, *state, *(x[0] for x in rows)])[:carried]

    axes = [axes_of(x) for x in settled(step, initial)[1]] if params["length"] else list(map(axes_of, initial))

    def body(state: Sequence, row: Sequence) -> tuple[list, list]:
        results = computed(jaxpr, [*constants, *state, *row])
        return [cast(x, a) for x, a in zip(results[:carried], axes, strict=True)], results[carried:]

    state = [cast(x, a) for x, a in zip(initial, axes, strict=True)]
    options = {"length": params["length"], "reverse": params["reverse"], "unroll": params["unroll"]}
    ends, stacked = lax.scan(body, state, rows, **options)
    return [*ends, *stacked]


_RULES: dict[str, Callable[[dict, list], Sequence]] = {
    **dict.fromkeys(_SUMS, _sum),
    **dict.fromkeys(_CASTS, _cast),
    "cond": _cond,
    "while": _while,
    "scan": _scan,
}

__all__ = ["axes_of", "cast", "chosen", "computed", "counted", "is_checked", "joined", "repeated"]
