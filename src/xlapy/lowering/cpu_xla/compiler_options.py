"""XLA's options for programs on a CPU.

*Arithmetic as it is written*: XLA's algebraic simplifier is kept from programs in NumPy's arithmetic (see
`lowering.cpu_xla.rounding`). They run as fast without it: the passes that matter for speed are others and LLVM's.

*Reductions*: XLA gives them to a library, unless they are such as that is not good for, or reduces parts first, unless
they are exact (see `lowering.cpu_xla.reduction_strategies`).

*Small programs compile in half the time* without the emitters that write a kernel's loops in MLIR first. The kernels
of large arrays are 1 to 3 times as fast with them; where no array is large, the call of a kernel takes longer than it.

Programs that only call JAX's functions are compiled as `jax.jit` compiles them.
"""

from __future__ import annotations

import functools
from math import prod
from typing import Any, NamedTuple

import jax
import jaxlib.version

from xlapy.ir import Region, every_operation
from xlapy.ir.called_jaxprs import inner_jaxprs
from xlapy.lowering.cpu_xla.native_functions import SLOW_KERNELS
from xlapy.lowering.cpu_xla.reduction_strategies import are_exact, are_own
from xlapy.lowering.cpu_xla.rounding import rounds
from xlapy.lowering.jaxprs.deferred_tracing import is_opaque

#: passes that are left out
_LEFT_OUT = "xla_disable_hlo_passes"
_SIMPLIFIER, _TREES = "algsimp", "tree_reduction_rewriter"
#: the library gets what it gets by default, but reductions
_KINDS = "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT,LIBRARY_FUSION_TYPE_INDIVIDUAL_CONVOLUTION"
_OWN_REDUCTIONS = {"xla_cpu_experimental_ynn_fusion_type": _KINDS}
_PLAIN_KERNELS = {"xla_cpu_use_fusion_emitters": False}
#: elements of the largest array of a small program, and of one of which every element takes tens of instructions
#: (measured in a loop: as fast up to these)
_SMALL, _SMALL_SLOW = 2048, 256
#: from which version of jaxlib on and before which one an option is known to exist, or known not to
_ASKED = (
    ("xla_cpu_experimental_ynn_fusion_type", (0, 10, 2), (0, 13, 0), True),
    ("xla_cpu_use_fusion_emitters", (0, 10, 2), (0, 10, 3), True),
    ("xla_cpu_use_fusion_emitters", (0, 12, 0), (0, 13, 0), False),
)


class Traits(NamedTuple):
    """What the options of a program depend on; of several programs that have one executable, of all of them.

    Attributes:
        as_written: whether arithmetic is NumPy's.
        known: whether nothing is left to JAX.
        own_reductions: whether XLA's own code reduces, not a library.
        exact: whether no reduction rounds.
        small: whether no array is large.
    """

    as_written: bool
    known: bool
    own_reductions: bool
    exact: bool
    small: bool

    def joined(self, other: Traits) -> Traits:
        """Those of both programs."""
        return Traits(
            self.as_written or other.as_written,
            self.known and other.known,
            self.own_reductions or other.own_reductions,
            self.exact and other.exact,
            self.small and other.small,
        )


def traits_of(entry: Region, zero_copy: bool = False) -> Traits:
    """The traits of a program; `zero_copy` says whether some parameters are parts of memory (see
    `lowering.cpu_xla.zero_copy_inputs`)."""
    as_written, leaves = rounds(entry), [o for o in every_operation(entry) if o.jaxpr is not None]
    known = not any(map(is_opaque, leaves)) and (as_written or all(o.attributes.get("as_written") for o in leaves))
    own = are_own(entry, zero_copy)
    return Traits(as_written, known, own, known and are_exact(entry), known and _is_small(entry.fast or entry))


def options_for(traits: Traits, given: dict[str, Any] | None, device: Any) -> dict[str, Any] | None:
    """XLA's options for a program: those given by the caller, and ours.

    Args:
        traits: of the program.
        given: from the caller; go before ours.
        device: the device that it is compiled for; None for JAX's default.
    """
    platform = device.platform if device is not None else jax.default_backend()
    if platform != "cpu":
        return given
    own: dict[str, Any] = {}
    trees = traits.known and (traits.own_reductions or traits.exact)
    left_out = [_SIMPLIFIER] * traits.as_written + [_TREES] * trees
    if left_out:
        own[_LEFT_OUT] = ",".join(left_out)
    if traits.own_reductions:
        own |= _known(_OWN_REDUCTIONS)
    if traits.small:
        own |= _known(_PLAIN_KERNELS)
    return {**own, **(given or {})} if own else given


def compiler_options(entry: Region, given: dict[str, Any] | None, device: Any) -> dict[str, Any] | None:
    """`options_for` one program."""
    return options_for(traits_of(entry), given, device)


def _known(options: dict[str, Any]) -> dict[str, Any]:
    """Those of the options that this version of XLA knows."""
    return {name: value for name, value in options.items() if _is_option(name, value)}


@functools.cache
def _is_option(name: str, value: Any) -> bool:
    """Whether this version of XLA knows an option. To ask it takes as long as compiling a small program."""
    version = tuple(map(int, jaxlib.version.__version__.split(".")[:3]))
    for asked, first, end, found in _ASKED:
        if asked == name and first <= version < end:
            return found
    try:
        jax.jit(lambda: 1, compiler_options={name: value}).lower().compile()
    except jax.errors.JaxRuntimeError:
        return False
    return True


def _is_small(region: Region) -> bool:
    """Whether no array of a program is large."""
    if any(prod(v.type.shape) > _SMALL for v in region.params):
        return False
    for operation in every_operation(region):
        most = _SMALL_SLOW if operation.kind in SLOW_KERNELS else _SMALL
        if any(prod(v.type.shape) > most for v in operation.results):
            return False
        if operation.jaxpr is not None and _has_large(operation.jaxpr.jaxpr):
            return False
    return True


def _has_large(jaxpr: Any) -> bool:
    for equation in jaxpr.eqns:
        most = _SMALL_SLOW if equation.primitive.name in SLOW_KERNELS else _SMALL
        if any(prod(getattr(v.aval, "shape", ())) > most for v in equation.outvars):
            return True
        if any(map(_has_large, inner_jaxprs(equation))):
            return True
    return False


__all__ = ["Traits", "compiler_options", "options_for", "traits_of"]
