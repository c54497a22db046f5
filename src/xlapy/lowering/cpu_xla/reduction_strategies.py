"""How XLA is to reduce on a CPU: whether by a library, and whether in the form of a tree.

XLA gives reductions, with what is computed for them, to YNNPACK, which adds up thousands of elements two to twenty
times as fast as XLA's own code. But

- it takes twenty times as long for three elements (`((a - b) ** 2).sum(axis=-1)`);
- where XLA's algebraic simplifier is off (`lowering.cpu_xla.rounding`), it crashes the process with some: `x.mean() /
  x.std() ** 3` did in jaxlib 0.10.2, where axes of one element come and go within what is computed for the reduction.

So a program's reductions go there if all of them are long, and what is computed for them is element by element: from
arrays in memory, and from such as are repeated along whole axes.

Else XLA reduces parts of 32 elements first, and these results then, which makes sums as accurate as NumPy's. What is
reduced is written to memory for that; without, it takes a third to a fifth of the time (measured). So it does not in
programs of NumPy's, where long sums are made in parts by us (`lowering.cpu_xla.sums`), nor where nothing rounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from jax.extend.core import Literal

from xlapy.ir import Region, every_operation
from xlapy.ir.called_jaxprs import inner_jaxprs, is_kernel
from xlapy.lowering.cpu_xla.dot_products import DOT, is_sum
from xlapy.lowering.cpu_xla.rounding import rounds
from xlapy.lowering.jaxprs.contents import ELEMENTWISE

#: shorter reductions are faster in XLA's own code
_SHORT = 64
#: primitives whose results are in memory
_STORED = frozenset(
    "dot_general conv_general_dilated sort cumsum cumprod cummax cummin while scan cond scatter scatter-add scatter_add"
    " cholesky triangular_solve lu householder_product eigh qr svd fft random_bits threefry2x32".split()
)
REDUCTIONS = frozenset(
    "reduce reduce_sum reduce_max reduce_min reduce_prod reduce_and reduce_or reduce_xor argmax argmin".split()
)
_CALLS = frozenset(
    "jit pjit closed_call custom_jvp_call custom_vjp_call custom_vjp_call_jaxpr remat checkpoint".split()
)


class _Unfit(Exception):
    """A reduction is not for the library."""


def may_use_library(entry: Region) -> bool:
    """Whether all reductions of a program are such as the library is good for."""
    try:
        _region(entry)
    except _Unfit:
        return False
    return not has_lanes(entry)


def are_own(entry: Region, zero_copy: bool = False) -> bool:
    """Whether XLA's own code is told to reduce in a program of NumPy's. The library would copy arrays that are
    `zero_copy` (see `lowering.cpu_xla.zero_copy_inputs`)."""
    return (rounds(entry) or has_lanes(entry)) and (zero_copy or not may_use_library(entry))


def has_lanes(entry: Region) -> bool:
    """Whether all iterations of a loop are made at once, with what reduces them."""
    return entry.fast is not None and any("lanes" in o.attributes for o in every_operation(entry.fast))


def are_exact(entry: Region) -> bool:
    """Whether no reduction of a program rounds."""
    found: list[bool] = []
    for operation in every_operation(entry):
        if operation.jaxpr is not None:
            _rounding(operation.jaxpr.jaxpr, found)
    return not any(found)


def _rounding(jaxpr: Any, found: list[bool]) -> None:
    """For each reduction whether it rounds."""
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        if name in REDUCTIONS:
            rounds = getattr(equation.invars[0].aval.dtype, "kind", "key") not in "biu"
            found.append(rounds and name in ("reduce", "reduce_sum", "reduce_prod"))
        for inner in inner_jaxprs(equation):
            _rounding(inner, found)


def _region(region: Region) -> None:
    plain = {id(p): True for p in region.params}
    for operation in region.operations:
        given = [plain.get(id(v), True) for v in operation.operands]
        for inner in operation.regions:
            _region(inner)
        if operation.jaxpr is not None:
            found = _jaxpr(operation.jaxpr.jaxpr, given)
        elif operation.regions:
            found = [True] * len(operation.results)
        elif operation.kind == "broadcast":
            found = [given[0] and 1 not in operation.operands[0].type.shape]
        else:
            found = [operation.kind in ELEMENTWISE and all(given)] * len(operation.results)
        plain.update(zip(map(id, operation.results), found, strict=True))


def _jaxpr(jaxpr: Any, given: Sequence[bool]) -> list[bool]:
    """For each result whether it is in memory, or computed element by element from what is."""
    plain = dict(zip(map(id, jaxpr.invars), given, strict=True))

    def of(var: Any) -> bool:
        return isinstance(var, Literal) or plain.get(id(var), True)

    for equation in jaxpr.eqns:
        name, operands = equation.primitive.name, [of(v) for v in equation.invars]
        inner = inner_jaxprs(equation)
        if calls_one(equation, inner):
            found = _jaxpr(inner[0], operands)
        elif _is_sum(equation):
            if not all(operands) or _length(equation) < _SHORT:
                raise _Unfit
            found = [True]
        elif name in REDUCTIONS:
            alone = len(equation.outvars) == 1
            if alone and _is_float(equation.invars[0].aval) and (not all(operands) or _length(equation) < _SHORT):
                raise _Unfit
            found = [True] * len(equation.outvars)
        elif name == "broadcast_in_dim":
            found = [operands[0] and 1 not in equation.invars[0].aval.shape]
        else:
            for one in inner:
                _jaxpr(one, [True] * len(one.invars))
            known = name in _STORED or is_kernel(equation) or name in ELEMENTWISE and all(operands)
            found = [known] * len(equation.outvars)
        plain.update(zip(map(id, equation.outvars), found, strict=True))
    return [of(v) for v in jaxpr.outvars]


def calls_one(equation: Any, inner: Sequence) -> bool:
    """Whether an equation, with these jaxprs in it, calls one of its operands."""
    is_call = equation.primitive.name in _CALLS or is_kernel(equation)
    return is_call and len(inner) == 1 and len(inner[0].invars) == len(equation.invars)


def _is_sum(equation: Any) -> bool:
    """Whether an equation is a product of vectors that becomes a sum."""
    if equation.primitive is not DOT:
        return False
    return is_sum(*(v.aval for v in equation.invars), dimension_numbers=equation.params["dimension_numbers"])


def _is_float(type: Any) -> bool:
    return getattr(type.dtype, "kind", "key") in "fV"


def _length(equation: Any) -> int:
    """How many elements become one."""
    return math.prod(equation.invars[0].aval.shape) // max(math.prod(equation.outvars[0].aval.shape), 1)


__all__ = ["REDUCTIONS", "are_exact", "are_own", "calls_one", "has_lanes", "may_use_library"]
