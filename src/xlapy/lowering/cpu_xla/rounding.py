"""Whether a program rounds: does arithmetic on floating-point numbers in NumPy's way.

XLA's algebraic simplifier takes `x / 49` for `x * (1 / 49)`, `(x + 1e16) - 1e16` for `x`, `a / (b / c)` for `a * c / b`
and so on. The results differ in the last bit at best; `int(49.0 / 49)` is 0 then. So it is kept from such programs
(`lowering.cpu_xla.compiler_options`). Programs that only call JAX's functions keep it: `jax.jit` compiles them so.
"""

from __future__ import annotations

from typing import Any

from xlapy.ir import Operation, Region, every_operation
from xlapy.ir.called_jaxprs import inner_jaxprs

#: primitives that give floating-point numbers as they were
_MOVES = frozenset(
    "broadcast_in_dim reshape transpose squeeze expand_dims slice dynamic_slice dynamic_update_slice concatenate pad"
    " rev gather scatter select_n copy copy_p convert_element_type bitcast_convert_type iota stop_gradient max min neg"
    " abs sign sort real imag complex conj stack unstack split tile".split()
)
#: weights of a convolution along one dimension; of 6,000, XLA without its simplifier crashes (jaxlib 0.10)
_LONG = 2048
_ROUNDED = frozenset("add sub mul div rem pow sqrt exp expm1 log log1p sin cos tan".split())


def rounds(entry: Region) -> bool:
    """Whether there is such arithmetic, and nothing that XLA cannot compile without its simplifier."""
    operations = list(every_operation(entry))
    if not any(map(_rounds, operations)):
        return False
    return not any(o.jaxpr is not None and _is_long(o.jaxpr.jaxpr) for o in operations)


def _rounds(operation: Operation) -> bool:
    if operation.jaxpr is not None:
        return bool(operation.attributes.get("as_written")) and _computes(operation.jaxpr.jaxpr)
    return operation.kind in _ROUNDED and operation.results[0].type.dtype.kind in "fcV"


def _computes(jaxpr: Any) -> bool:
    """Whether a jaxpr does arithmetic on floating-point numbers, and does not only move them."""
    for equation in jaxpr.eqns:
        inner = inner_jaxprs(equation)
        if any(map(_computes, inner)):
            return True
        floats = any(getattr(v.aval.dtype, "kind", "key") in "fcV" for v in equation.outvars)
        if floats and not inner and equation.primitive.name not in _MOVES:
            return True
    return False


def _is_long(jaxpr: Any) -> bool:
    """Whether there is a convolution with very many weights along one dimension."""
    for equation in jaxpr.eqns:
        if any(map(_is_long, inner_jaxprs(equation))):
            return True
        if equation.primitive.name == "conv_general_dilated":
            shape, places = equation.invars[1].aval.shape, equation.params["dimension_numbers"].rhs_spec[2:]
            if any(shape[k] > _LONG for k in places):
                return True
    return False


__all__ = ["rounds"]
