"""XLA's options for programs on a CPU.

*Arithmetic as it is written*: XLA's algebraic simplifier is kept from programs in NumPy's arithmetic (see
`lowering.rounding`). They run as fast without it: the passes that matter for speed are others and LLVM's.

*Reductions*: XLA gives them to a library, unless they are such as that is not good for (see `lowering.reductions`).

*Small programs compile in half the time* without the emitters that write a kernel's loops in MLIR first. The kernels
of large arrays are 1 to 3 times as fast with them; where no array is large, the call of a kernel takes longer than it.
"""

from __future__ import annotations

import functools
from math import prod
from typing import Any

import jax
import jaxlib.version

from xlapy.ir import Region, every_operation
from xlapy.lowering.loops import inner_jaxprs
from xlapy.lowering.reductions import may_use_library
from xlapy.lowering.rounding import rounds

_AS_WRITTEN = {"xla_disable_hlo_passes": "algsimp"}
#: the library gets what it gets by default, but reductions
_KINDS = "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT,LIBRARY_FUSION_TYPE_INDIVIDUAL_CONVOLUTION"
_OWN_REDUCTIONS = {"xla_cpu_experimental_ynn_fusion_type": _KINDS}
_PLAIN_KERNELS = {"xla_cpu_use_fusion_emitters": False}
#: elements of the largest array of a small program
_SMALL = 512
#: versions of jaxlib that have been asked: 0.10.2 and 0.12.0
_KNOWN_FROM, _KNOWN_UP_TO = (0, 10, 2), (0, 13, 0)


def compiler_options(entry: Region, given: dict[str, Any] | None, device: Any) -> dict[str, Any] | None:
    """XLA's options for a program: those given by the caller, and ours.

    Args:
        entry: the program.
        given: from the caller; go before ours.
        device: the device that it is compiled for; None for JAX's default.
    """
    platform = device.platform if device is not None else jax.default_backend()
    if platform != "cpu":
        return given
    own: dict[str, Any] = {}
    if rounds(entry):
        own |= _AS_WRITTEN
        if not may_use_library(entry):
            own |= _known(_OWN_REDUCTIONS)
    if _is_small(entry.fast or entry):
        own |= _known(_PLAIN_KERNELS)
    return {**own, **(given or {})} if own else given


def _known(options: dict[str, Any]) -> dict[str, Any]:
    """The options, if this version of XLA knows them."""
    return options if _is_option(*options.items()) else {}


@functools.cache
def _is_option(*options: tuple[str, Any]) -> bool:
    """Whether this version of XLA knows the options. To ask it takes as long as compiling a small program."""
    if _KNOWN_FROM <= tuple(map(int, jaxlib.version.__version__.split(".")[:3])) < _KNOWN_UP_TO:
        return True
    try:
        jax.jit(lambda: 1, compiler_options=dict(options)).lower().compile()
    except jax.errors.JaxRuntimeError:
        return False
    return True


def _is_small(region: Region) -> bool:
    """Whether no array of a program is large."""
    values = [*region.params, *(v for o in every_operation(region) for v in o.results)]
    if any(prod(v.type.shape) > _SMALL for v in values):
        return False
    return not any(o.kind == "leaf" and _has_large(o.attributes["jaxpr"].jaxpr) for o in every_operation(region))


def _has_large(jaxpr: Any) -> bool:
    for equation in jaxpr.eqns:
        if any(prod(getattr(v.aval, "shape", ())) > _SMALL for v in equation.outvars):
            return True
        if any(map(_has_large, inner_jaxprs(equation))):
            return True
    return False


__all__ = ["compiler_options"]
