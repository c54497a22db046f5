"""What jaxprs compute, equation by equation, some of them in another way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax.extend.core import Literal

from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr


def bound(equation: Any, operands: Sequence, params: dict | None = None) -> Sequence:
    """The results of an equation for other operands, and with other parameters if such are given; before JAX 0.10
    callables came apart from other parameters."""
    found: Any = equation.primitive.get_bind_params(equation.params if params is None else params)
    functions, parameters = found if isinstance(found, tuple) else ((), found)
    results = equation.primitive.bind(*functions, *operands, **parameters)
    return results if equation.primitive.multiple_results else [results]


def evaluated(closed: ClosedJaxpr, operands: Sequence, rule: Callable[[Any, list], Sequence | None]) -> list:
    """The results of a jaxpr, of which `rule(equation, values)` computes equations, or gives None for those that are
    computed as they are."""
    jaxpr = closed.jaxpr
    known: dict[Any, Any] = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    known.update(zip(jaxpr.invars, operands, strict=True))

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, Literal) else known[atom]

    for equation in jaxpr.eqns:
        values = list(map(read, equation.invars))
        results = rule(equation, values)
        known.update(zip(equation.outvars, bound(equation, values) if results is None else results, strict=True))
    return list(map(read, jaxpr.outvars))


def parts_of_scan(parameters: Mapping[str, Any], operands: Sequence) -> tuple[list, list, list]:
    """The constants of a `scan`, what it carries, and what it goes through, of its operands."""
    if "ft_in" in parameters:  # JAX 0.12
        constants, carried = (len(list(part)) for part in parameters["ft_in"].unpack()[:2])
    else:
        constants, carried = parameters["num_consts"], parameters["num_carry"]
    return [*operands[:constants]], [*operands[constants : constants + carried]], [*operands[constants + carried :]]


__all__ = ["bound", "evaluated", "parts_of_scan"]
