"""What is computed element by element on reshaped arrays and reshaped back is computed in the shape that they have.

    z[inside] = z[inside] ** 2 + c[inside]

A selection has one dimension, and so has all that is computed from it; the store gives it the shape of `z` again. XLA
does not store in place what passes through another shape, so that a loop copied `z` in every iteration.
"""

from __future__ import annotations

import numpy as np

from xlapy.ir import Operation, Region, TensorType, Var, constant_value
from xlapy.ir.operations import ELEMENTWISE
from xlapy.passes.code_motion import substitute

#: operations that are computed in another shape, for one that is reshaped back
_MOST = 64


def keep_shapes(region: Region) -> bool:
    """Compute in the shape that is wanted, in all regions; whether there was anything to change. What was computed
    before is left to be removed."""
    changed = False
    kept: list[Operation] = []
    replaced: dict[Var, Var] = {}
    for operation in region.operations:
        for nested in operation.regions:
            changed |= keep_shapes(nested)
        if is_reshape(operation):
            other = _Other(region, operation.results[0].type.shape)
            value = other.of(operation.operands[0])
            if value is not None and other.made:
                kept += other.made
                replaced[operation.results[0]] = value
        kept.append(operation)
    if replaced:
        region.operations = kept
        substitute(region, replaced)
    return changed or bool(replaced)


def is_reshape(operation: object) -> bool:
    """Whether an operation gives the elements of an array, in their order, another shape."""
    if not isinstance(operation, Operation) or operation.jaxpr is None or len(operation.operands) != 1:
        return False
    equations = operation.jaxpr.jaxpr.eqns
    return bool(equations) and all(
        e.primitive.name == "squeeze" or (e.primitive.name == "reshape" and e.params["dimensions"] is None)
        for e in equations
    )


class _Other:
    """Values in another shape."""

    def __init__(self, region: Region, shape: tuple[int, ...]) -> None:
        self.region = region
        self.shape = shape
        self.made: list[Operation] = []
        self.known: dict[Var, Var | None] = {}

    def of(self, var: Var) -> Var | None:
        """A value in the shape; None if that takes more than operations on elements."""
        if var not in self.known:
            self.known[var] = self._found(var)
        return self.known[var]

    def _found(self, var: Var) -> Var | None:
        operation = var.owner
        if not isinstance(operation, Operation):
            return None
        if is_reshape(operation):
            (source,) = operation.operands
            return source if source.type.shape == self.shape else self.of(source)
        constant = constant_value(var)
        if constant is not None:
            return self._emit(operation, (), {"value": np.reshape(constant, self.shape)})
        if var.depth != self.region.depth or len(self.made) >= _MOST:
            return None
        if operation.kind == "broadcast":
            (scalar,) = operation.operands
            return None if scalar.type.shape else self._emit(operation, (scalar,), {"shape": self.shape})
        if operation.kind not in ELEMENTWISE and operation.kind not in ("convert", "live") or operation.attributes:
            return None
        operands = [v if v.type.shape != var.type.shape else self.of(v) for v in operation.operands]
        found = [v for v in operands if v is not None]
        return self._emit(operation, tuple(found), operation.attributes) if len(found) == len(operands) else None

    def _emit(self, operation: Operation, operands: tuple[Var, ...], attributes: dict) -> Var:
        old = operation.results[0].type
        types = (TensorType(self.shape, old.dtype, old.weak),)
        made = Operation(operation.kind, operands, attributes, types, (), operation.location, self.region.depth)
        self.made.append(made)
        return made.results[0]


__all__ = ["keep_shapes"]
