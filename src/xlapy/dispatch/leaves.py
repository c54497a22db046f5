"""Leaf operations: a JAX function of arrays becomes one operation that carries its jaxpr.

The jaxpr is traced once for each combination of function, static arguments and operand types, and kept: the hundredth
call of a layer costs a dictionary look-up.
"""

from __future__ import annotations

import functools
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.core
from jax.api_util import debug_info
from jax.extend.linear_util import wrap_init
from jax.interpreters.partial_eval import trace_to_jaxpr_dynamic

from xlapy.dispatch.leaf_folding import evaluated
from xlapy.ir import Builder, TensorType, Var
from xlapy.ir.called_jaxprs import inner_jaxprs
from xlapy.ir.operations import OF_JAXPRS
from xlapy.lowering.jaxprs.deferred_tracing import Untraced
from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr
from xlapy.lowering.jaxprs.meshes import with_auto_mesh, without_mesh
from xlapy.lowering.matmul_precision import precision_of_products

_TRACES: OrderedDict[object, Any] = OrderedDict()
_LIMIT = 8192
#: what JAX raises where it needs a value that is known only on the device
UNKNOWN = (
    jax.errors.TracerBoolConversionError,
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
)


_JAX = os.path.dirname(jax.__file__ or "")


def of_jax(error: Exception) -> bool:
    """Whether JAX itself has raised an error, of what it does not take; not one that says that a value is unknown."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_filename.startswith(_JAX) and not isinstance(error, UNKNOWN)


def struct(type: TensorType) -> jax.ShapeDtypeStruct:
    """JAX's description of a device value."""
    return jax.ShapeDtypeStruct(type.shape, type.dtype, weak_type=type.weak)


def tensor_type(aval) -> TensorType:
    """Our description of a JAX abstract value."""
    return TensorType(tuple(aval.shape), aval.dtype, bool(getattr(aval, "weak_type", False)))


def trace(function: Callable, types: Sequence[TensorType], x64: bool, own: bool = False) -> ClosedJaxpr:
    """The closed jaxpr of `function` for operands of these types; one of our `own` knows of no mesh."""
    avals = [jax.core.ShapedArray(t.shape, t.dtype, weak_type=t.weak) for t in types]

    def flat(*arrays):
        return jax.tree.leaves(function(*arrays))

    with jax.enable_x64(x64), without_mesh() if own else with_auto_mesh():
        jaxpr, _, constants = trace_to_jaxpr_dynamic(wrap_init(flat, debug_info=_about(len(types))), avals)
    return ClosedJaxpr(jaxpr, constants)


@functools.cache
def _about(count: int):
    """What JAX says in messages about a leaf of so many operands. To find the names of its parameters would take as
    long as to trace an operation, and the program's own places are better ones."""
    return debug_info("leaf", lambda *operands: operands, (None,) * count, {})


def emit(
    builder: Builder, function: Callable, operands: tuple[Var, ...], static: tuple, name: str | None, x64: bool
) -> list[Var]:
    """Emit `function(*operands, *static)` as one operation of NumPy's; its results, flattened."""
    types, precision = tuple(v.type for v in operands), precision_of_products()
    key = (function, static, types, x64, precision)
    known = _TRACES.get(key)
    if known is None:
        with jax.default_matmul_precision(precision):
            made = trace(lambda *arrays: function(*arrays, *static), types, x64, own=True)
        known = made, _has_products(made.jaxpr)
        remember(key, known)
    jaxpr, has_products = known
    if has_products:
        builder.has_products = True
    found = evaluated(jaxpr, operands)
    if found is not None:
        types = [tensor_type(aval) for aval in jaxpr.out_avals]
        return [builder.emit("constant", (), {"value": x}, (t,))[0] for x, t in zip(found, types, strict=True)]
    if name in OF_JAXPRS:
        types = tuple(map(tensor_type, jaxpr.out_avals))
        return builder.emit(name, operands, {"jaxpr": jaxpr, "as_written": True}, types)
    return emit_jaxpr(builder, jaxpr, operands, name or getattr(function, "__name__", "leaf"), as_written=True)


def _has_products(jaxpr: Any) -> bool:
    """Whether a precision has been chosen for something in a jaxpr."""
    return any(e.params.get("precision") is not None or any(map(_has_products, inner_jaxprs(e))) for e in jaxpr.eqns)


def remember(key: object, value: Any) -> None:
    """Keep a trace, and forget the oldest one where there are too many."""
    _TRACES[key] = value
    if len(_TRACES) > _LIMIT:
        _TRACES.popitem(last=False)


def recall(key: object) -> Any:
    """A kept trace."""
    return _TRACES.get(key)


def emit_jaxpr(
    builder: Builder, jaxpr: ClosedJaxpr, operands: tuple[Var, ...], name: str, as_written: bool = False
) -> list[Var]:
    """Emit a closed jaxpr as one operation; `as_written` if its rounding is to be NumPy's, not JAX's."""
    return emit_typed(builder, jaxpr, operands, tuple(map(tensor_type, jaxpr.out_avals)), name, as_written)


def emit_typed(
    builder: Builder,
    jaxpr: ClosedJaxpr | Untraced,
    operands: tuple[Var, ...],
    types: tuple[TensorType, ...],
    name: str,
    as_written: bool = False,
) -> list[Var]:
    """The same where the types of the results are known: then it need not have been traced. What has neither results
    nor effects is nothing."""
    if not types and not jaxpr.effects:
        return []
    return builder.emit("leaf", operands, {"jaxpr": jaxpr, "name": name, "as_written": as_written}, types)
