"""The jaxprs in the equations of a leaf's jaxpr: those that are called, and all others."""

from __future__ import annotations

from typing import Any

#: primitives that call a jaxpr, and the parameter that holds it
_CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr",
}


def is_kernel(equation: Any) -> bool:
    """Whether an equation is one of a kernel, a primitive that holds what it computes (`kernel_primitives.py`)."""
    return "elsewhere" in equation.params


def called(equation: Any) -> Any:
    """The jaxpr, with its constants where it has some, that stands for an equation on every platform: that of a call,
    or of a kernel; None for other equations, and for kernels that are computed otherwise elsewhere than on CPUs."""
    if is_kernel(equation):
        return equation.params["jaxpr"] if equation.params["elsewhere"] is None else None
    parameter = _CALLS.get(equation.primitive.name)
    return None if parameter is None else equation.params[parameter]


def called_on_cpu(equation: Any) -> Any:
    """The same on a CPU."""
    return equation.params["jaxpr"] if is_kernel(equation) else called(equation)


def inner_jaxprs(equation: Any) -> list:
    """The jaxprs in an equation: calls, branches, scans; without their constants."""
    found = []
    for value in equation.params.values():
        for item in value if isinstance(value, tuple) else (value,):
            item = getattr(item, "jaxpr", item)
            if hasattr(item, "eqns"):
                found.append(item)
    return found


__all__ = ["called", "called_on_cpu", "inner_jaxprs", "is_kernel"]
