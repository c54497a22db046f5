"""The primitives that a leaf is made of."""

from __future__ import annotations

from xlapy.ir import Operation
from xlapy.ir.operations import SLOW
from xlapy.lowering.jaxprs.deferred_tracing import traced

#: primitives and kinds of operations that compute element by element
ELEMENTWISE = frozenset(
    "abs add and atan2 bitwise_and bitwise_not bitwise_or bitwise_xor cbrt ceil clamp conj constant convert"
    " convert_element_type copy copy_p cos cosh div eq erf erfc exp exp2 expm1 floor ge gt integer_pow is_finite le"
    " lgamma log log1p logistic lt max min mul ne neg nextafter not or pow rem round rsqrt select select_n sign sin"
    " sinh sqrt square stop_gradient sub tan tanh xor acos asin atan acosh asinh atanh real imag complex".split()
)


def is_transcendental(operation: Operation) -> bool:
    """Whether an operation takes a function of its operands that is no arithmetic, and no root."""
    return not kinds_of(operation).isdisjoint(SLOW)


def kinds_of(operation: Operation) -> set[str]:
    """What an operation is, or the primitives that a leaf is made of."""
    if operation.jaxpr is None:
        return {operation.kind}
    return {equation.primitive.name for equation in traced(operation.jaxpr).jaxpr.eqns}
