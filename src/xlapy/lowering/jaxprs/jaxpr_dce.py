"""What of a jaxpr its results need. Functions with derivatives of their own (`derivatives`) take operands that only
those derivatives look at."""

from __future__ import annotations

from typing import Any

from jax.extend.core import Literal

#: operations that call a program, and the parameter that holds it
_CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "custom_jvp_call": "call_jaxpr"}
#: functions that compute anew, as it suits XLA, what their first operands are: machine code takes these
FOR_XLA = frozenset(("counted_and_summed_by_rows", "xlapy_or_nan", "xlapy_once"))


def needed(jaxpr: Any) -> tuple[list, set]:
    """The equations that the results need, in their order, and the variables that those read."""
    wanted = {atom for atom in jaxpr.outvars if not isinstance(atom, Literal)}
    found = []
    for equation in reversed(jaxpr.eqns):
        if equation.effects or not wanted.isdisjoint(equation.outvars):
            found.append(equation)
            wanted.update(_read(equation))
    return found[::-1], wanted


def operands_of(equation: Any) -> list:
    """What machine code looks at of the operands of an equation."""
    is_for_xla = equation.primitive.name in _CALLS and equation.params.get("name") in FOR_XLA
    return equation.invars[: len(equation.outvars)] if is_for_xla else equation.invars


def _read(equation: Any) -> list:
    """The variables that an equation reads."""
    inner = equation.params.get(_CALLS.get(equation.primitive.name, ""))
    atoms = operands_of(equation)
    if inner is not None and equation.params.get("name") not in FOR_XLA:
        _, wanted = needed(inner.jaxpr)
        atoms = [atom for atom, var in zip(atoms, inner.jaxpr.invars, strict=True) if var in wanted]
    return [atom for atom in atoms if not isinstance(atom, Literal)]


__all__ = ["FOR_XLA", "needed", "operands_of"]
