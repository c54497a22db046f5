"""What of a jaxpr its results need. Functions with derivatives of their own (`derivatives`) take operands that only
those derivatives look at."""

from __future__ import annotations

from typing import Any

from jax.extend.core import Literal

from xlapy.ir.called_jaxprs import called


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
    """What machine code looks at of the operands of an equation: of a kernel whose results are given, these."""
    return equation.invars[: equation.params.get("given") or None]


def _read(equation: Any) -> list:
    """The variables that an equation reads."""
    inner = None if equation.params.get("given") else called(equation)
    atoms = operands_of(equation)
    if inner is not None:
        inner = getattr(inner, "jaxpr", inner)
        _, wanted = needed(inner)
        atoms = [atom for atom, var in zip(atoms, inner.invars, strict=True) if var in wanted]
    return [atom for atom in atoms if not isinstance(atom, Literal)]


__all__ = ["needed", "operands_of"]
