"""From the representation to `jax.lax`: evaluates a region on JAX values, structured control flow included."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.ir import Operation, Region, Var, constant_value
from xlapy.lowering.rules import RULES


def evaluate(region: Region, environment: dict[Var, object]) -> list:
    """The results of a region; `environment` maps its parameters and the values it captures to JAX values."""
    for operation in region.operations:
        operands = [environment[v] for v in operation.operands]
        structured = _STRUCTURED.get(operation.kind)
        if structured is not None:
            results = structured(operation, operands, environment)
        else:
            results = RULES[operation.kind](operation, operands)
        environment.update(zip(operation.results, results, strict=True))
    return [environment[v] for v in region.results]


def _strong(values: Sequence, variables: Sequence[Var]) -> list:
    """Values with exactly the types that the representation says: what control flow of JAX demands."""
    return [lax.convert_element_type(x, v.type.dtype) for x, v in zip(values, variables, strict=True)]


def _run(region: Region, environment: dict[Var, object], arguments: Sequence) -> list:
    inner = dict(environment)
    inner.update(zip(region.params, arguments, strict=True))
    return _strong(evaluate(region, inner), region.results)


def _if(operation: Operation, operands: Sequence, environment: dict[Var, object]) -> Sequence:
    then, orelse = operation.regions
    return lax.cond(operands[0], lambda: _run(then, environment, ()), lambda: _run(orelse, environment, ()))


def _while(operation: Operation, operands: Sequence, environment: dict[Var, object]) -> Sequence:
    condition, body = operation.regions
    return lax.while_loop(
        lambda carried: _run(condition, environment, carried)[0],
        lambda carried: _run(body, environment, carried),
        _strong(operands, body.params),
    )


def _for(operation: Operation, operands: Sequence, environment: dict[Var, object]) -> Sequence:
    (body,) = operation.regions
    trips = constant_value(operation.operands[0])
    bound = int(trips) if trips is not None else operands[0]
    initial = _strong(operands[1:], body.params[1:])
    dtype = body.params[0].type.dtype
    if not initial:
        return ()
    lower = np.asarray(0, dtype)
    upper = np.asarray(max(bound, 0), dtype) if isinstance(bound, int) else bound
    if isinstance(bound, int):
        return lax.fori_loop(
            lower, upper, lambda index, carried: _run(body, environment, (index, *carried)), initial
        )
    return lax.while_loop(
        lambda state: state[0] < upper,
        lambda state: [state[0] + jnp.ones((), dtype), *_run(body, environment, state)],
        [jnp.asarray(lower), *initial],
    )[1:]


_STRUCTURED = {"if": _if, "while": _while, "for": _for}

__all__ = ["evaluate", "jax"]
