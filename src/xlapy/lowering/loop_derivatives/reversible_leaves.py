"""JAX's own `while` loops in what is differentiated: `lax.while_loop`, and `lax.fori_loop` over a number of iterations
that is not known, have no reverse mode in JAX, and are evaluated as loops that have one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import jaxpr_as_fun

from xlapy.lowering.jaxprs.jaxpr_evaluation import evaluated, parts_of_scan
from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr
from xlapy.lowering.loop_derivatives.reversible_while import reversible_while

#: calls that are looked into, each with the parameter that holds what is called
_CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "remat2": "jaxpr"}


def has_while(closed: Any) -> bool:
    """Whether a jaxpr has a `while` in it that `evaluate` can reach."""
    return any(_reaches(equation) for equation in _open(closed).eqns)


def evaluate(closed: ClosedJaxpr, operands: Sequence) -> list:
    """What the jaxpr computes."""

    def rule(equation: Any, values: list) -> list | None:
        if not _reaches(equation):
            return None
        return _RULES.get(equation.primitive.name, _called)(equation.params, values, equation)

    return evaluated(closed, operands, rule)


def _open(jaxpr: Any) -> Any:
    return getattr(jaxpr, "jaxpr", jaxpr)


def _reaches(equation: Any) -> bool:
    name, parameters = equation.primitive.name, equation.params
    if name == "while":
        return not _open(parameters["body_jaxpr"]).effects and not _open(parameters["cond_jaxpr"]).effects
    if name == "cond":
        return any(map(has_while, parameters["branches"]))
    if name == "scan" or name in _CALLS:
        return has_while(parameters["jaxpr" if name == "scan" else _CALLS[name]])
    return False


def _closed(jaxpr: Any) -> ClosedJaxpr:
    return jaxpr if isinstance(jaxpr, ClosedJaxpr) else ClosedJaxpr(jaxpr, ())


def _function(jaxpr: Any) -> Callable[..., list]:
    closed = _closed(jaxpr)
    return (lambda *values: evaluate(closed, values)) if has_while(closed) else jaxpr_as_fun(closed)


def _called(parameters: dict, values: list, equation: Any) -> list:
    return evaluate(_closed(parameters[_CALLS[equation.primitive.name]]), values)


def _while(parameters: dict, values: list, equation: Any) -> list:
    first, second = parameters["cond_nconsts"], parameters["body_nconsts"]
    of_test, of_body, initial = values[:first], values[first : first + second], values[first + second :]
    test, body = _function(parameters["cond_jaxpr"]), _function(parameters["body_jaxpr"])
    types = [v.aval.dtype for v in equation.outvars]

    def strong(found: Sequence) -> list:
        return [lax.convert_element_type(x, dtype) for x, dtype in zip(found, types, strict=True)]

    if any(jnp.issubdtype(dtype, jax.dtypes.extended) for dtype in types):
        return list(equation.primitive.bind(*values, **parameters))
    start = strong([jnp.asarray(x) for x in initial])
    return reversible_while(lambda *xs: test(*of_test, *xs)[0], lambda *xs: strong(body(*of_body, *xs)), start)


def _cond(parameters: dict, values: list, equation: Any) -> list:
    index, *operands = values
    return list(lax.switch(index, [_function(branch) for branch in parameters["branches"]], *operands))


def _scan(parameters: dict, values: list, equation: Any) -> list:
    constants, carried, rows = parts_of_scan(parameters, values)
    count, body = len(carried), _function(parameters["jaxpr"])

    def step(carry: Any, row: Any) -> tuple[list, list]:
        found = body(*constants, *carry, *row)
        return list(found[:count]), list(found[count:])

    options = {name: parameters[name] for name in ("length", "reverse", "unroll")}
    last, out = lax.scan(step, list(carried), list(rows), **options)
    return [*last, *out]


_RULES: dict[str, Callable[[dict, list, Any], list]] = {"while": _while, "cond": _cond, "scan": _scan}
