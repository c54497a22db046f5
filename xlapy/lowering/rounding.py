"""XLA's options for programs in NumPy's arithmetic on a CPU.

*Arithmetic as it is written*: XLA's algebraic simplifier is kept from them. It takes `x / 49` for `x * (1 / 49)`,
`(x + 1e16) - 1e16` for `x`, `a / (b / c)` for `a * c / b` and so on. The results differ in the last bit at best;
`int(49.0 / 49)` is 0 then. On CPU, where programs run as fast without it (the passes that matter for speed are others
and LLVM's), it is left out. Programs that only call JAX's functions keep it: `jax.jit` compiles them so.

*Reductions*: XLA gives them to a library, unless they are such as that is not good for (see `lowering.reductions`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import jax
import jaxlib.version

from xlapy.ir import Module, Operation, Region
from xlapy.lowering.loops import inner_jaxprs
from xlapy.lowering.reductions import may_use_library

_AS_WRITTEN = {"xla_disable_hlo_passes": "algsimp"}
#: primitives that give floating-point numbers as they were
_MOVES = frozenset(
    "broadcast_in_dim reshape transpose squeeze expand_dims slice dynamic_slice dynamic_update_slice concatenate pad"
    " rev gather scatter select_n copy copy_p convert_element_type bitcast_convert_type iota stop_gradient max min neg"
    " abs sign sort real imag complex conj stack unstack split tile".split()
)
#: weights of a convolution along one dimension; of 6,000, XLA without its simplifier crashes (jaxlib 0.10)
_LONG = 2048
_ROUNDED = frozenset("add sub mul div rem pow sqrt exp expm1 log log1p".split())
#: the library gets what it gets by default, but reductions
_KINDS = "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT,LIBRARY_FUSION_TYPE_INDIVIDUAL_CONVOLUTION"
#: versions of jaxlib that have been asked: 0.10.2 and 0.12.0
_KNOWN_FROM, _KNOWN_UP_TO = (0, 10, 2), (0, 13, 0)
_OWN_REDUCTIONS = {"xla_cpu_experimental_ynn_fusion_type": _KINDS}


def compiler_options(module: Module, given: dict[str, Any] | None, device: Any) -> dict[str, Any] | None:
    """XLA's options for a program: those given by the caller, and ours.

    Args:
        module: the program.
        given: from the caller; go before ours.
        device: the device that it is compiled for; None for JAX's default.
    """
    platform = device.platform if device is not None else jax.default_backend()
    if platform != "cpu" or not any(map(_rounds, _operations(module.entry))):
        return given
    if any(o.kind == "leaf" and _is_long(o.attributes["jaxpr"].jaxpr) for o in _operations(module.entry)):
        return given
    own = {} if may_use_library(module) or not _is_option(*_OWN_REDUCTIONS.items()) else _OWN_REDUCTIONS
    return {**_AS_WRITTEN, **own, **(given or {})}


@functools.cache
def _is_option(*options: tuple[str, str]) -> bool:
    """Whether this version of XLA knows the options. To ask it takes as long as compiling a small program."""
    if _KNOWN_FROM <= tuple(map(int, jaxlib.version.__version__.split(".")[:3])) < _KNOWN_UP_TO:
        return True
    try:
        jax.jit(lambda: 1, compiler_options=dict(options)).lower().compile()
    except jax.errors.JaxRuntimeError:
        return False
    return True


def _rounds(operation: Operation) -> bool:
    if operation.kind == "leaf":
        return bool(operation.attributes.get("as_written")) and _computes(operation.attributes["jaxpr"].jaxpr)
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


def _operations(region: Region) -> Iterator[Operation]:
    for operation in region.operations:
        yield operation
        for inner in operation.regions:
            yield from _operations(inner)
