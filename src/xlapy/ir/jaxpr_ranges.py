"""Between which numbers the elements are that a jaxpr of one of JAX's functions gives: the places that a sort or a
search finds."""

from __future__ import annotations

from typing import Any

import numpy as np

from xlapy.ir.called_jaxprs import called, is_kernel
from xlapy.ir.intervals import Interval
from xlapy.ir.primitive_classes import COPIES, PARTS, SHAPES

#: what moves elements, and changes none
MOVES = SHAPES | PARTS | COPIES
#: equations that are looked through
_DEPTH = 16


def results_between(closed: Any, place: int, depth: int = _DEPTH) -> Interval | None:
    """The ends of a closed interval that has all elements of a result, whatever the operands; None if not known."""
    jaxpr = getattr(closed, "jaxpr", closed)
    made = {var: equation for equation in jaxpr.eqns for var in equation.outvars}
    return _between(made, jaxpr.outvars[place], depth)


def _between(made: dict, var: Any, depth: int) -> Interval | None:
    equation = None if hasattr(var, "val") else made.get(var)
    if equation is None or not depth:
        return None
    name, params, operands = equation.primitive.name, equation.params, equation.invars
    shape, place = equation.outvars[0].aval.shape, equation.outvars.index(var)
    if name == "iota":
        found: Interval | None = (0, max(shape[params["dimension"]] - 1, 0))
    elif name in ("argmax", "argmin"):
        found = (0, max(max(operands[0].aval.shape[axis] for axis in params["axes"]) - 1, 0))
    elif name == "sort":
        found = _between(made, operands[place], depth - 1)
    elif name == "convert_element_type" and operands[0].aval.dtype.kind in "iu" or name in MOVES and len(operands) == 1:
        found = _between(made, operands[0], depth - 1)
    else:
        inner = params["elsewhere"] if is_kernel(equation) and params["elsewhere"] else called(equation)
        found = None if inner is None else results_between(inner, place, depth - 1)
    return found if found is None or _fits(found, var.aval.dtype) else None


def _fits(interval: Interval, dtype: Any) -> bool:
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iu":
        return False
    return np.iinfo(dtype).min <= interval[0] and interval[1] <= np.iinfo(dtype).max


__all__ = ["MOVES", "results_between"]
