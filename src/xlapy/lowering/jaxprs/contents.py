"""The primitives that a leaf is made of."""

from __future__ import annotations

from xlapy.ir import Operation, operations
from xlapy.ir.operations import SLOW
from xlapy.ir.primitive_classes import ARITHMETIC, COPIES, ROOTS
from xlapy.lowering.jaxprs.deferred_tracing import traced

#: primitives and kinds of operations that compute element by element
ELEMENTWISE = operations.ELEMENTWISE | SLOW | ARITHMETIC | ROOTS | COPIES | {"constant", "convert"}


def is_transcendental(operation: Operation) -> bool:
    """Whether an operation takes a function of its operands that is no arithmetic, and no root."""
    return not kinds_of(operation).isdisjoint(SLOW)


def kinds_of(operation: Operation) -> set[str]:
    """What an operation is, or the primitives that a leaf is made of."""
    if operation.jaxpr is None:
        return {operation.kind}
    return {equation.primitive.name for equation in traced(operation.jaxpr).jaxpr.eqns}
