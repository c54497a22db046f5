"""Leaves whose results are known without a trace: JAX sees what they compute when the program is lowered, and once.

To trace a leaf, and what was traced again as part of the program, takes twice as long as the second alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from xlapy.ir import Operation, Region
from xlapy.ir.called_jaxprs import called
from xlapy.ir.operations import ELEMENTWISE
from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr

#: what maps, moves, reduces and multiplies elements: JAX maps it over one more axis without conditions
_SAFE = frozenset(
    "abs add and broadcast_in_dim ceil clamp concatenate conv_general_dilated convert_element_type cos div dot_general"
    " eq erf exp exp2 expm1 floor ge gt integer_pow iota is_finite le log log1p logistic lt max min mul ne neg not or"
    " pad pow reduce_and reduce_max reduce_min reduce_or reduce_sum reduce_window_max reduce_window_sum rem reshape rev"
    " round rsqrt select_n sign sin slice split sqrt square squeeze stop_gradient sub tan tanh transpose xor".split()
)


class Untraced:
    """Takes the place of a leaf's jaxpr, and becomes it when somebody looks into it. It has no effects.

    Attributes:
        function: `function(evaluate, *arrays)` gives the results as a list; `evaluate(region, environment)` those of a
            region that it holds.
        trace: makes the jaxpr.
        safe: whether JAX can map it over one more axis whatever its operands are.
        region: what it maps or differentiates, if that is known.
    """

    effects: frozenset = frozenset()

    def __init__(
        self,
        function: Callable[..., list],
        trace: Callable[[], ClosedJaxpr],
        safe: bool = True,
        region: Region | None = None,
    ) -> None:
        self.function, self.trace, self.safe, self.region = function, trace, safe, region

    @cached_property
    def traced(self) -> ClosedJaxpr:
        """What it computes, as JAX sees it."""
        return self.trace()

    @property
    def looked_into(self) -> bool:
        """Whether it has been traced."""
        return "traced" in self.__dict__

    def __getattr__(self, name: str) -> Any:
        return getattr(self.traced, name)


#: the attribute of a leaf that maps a region over axes, if JAX has traced it already
MAPPED = "mapped"


class Mapped(NamedTuple):
    """What a leaf of `vmap` maps.

    Attributes:
        function: see `Untraced`.
        jaxpr: what the leaf was when it was traced.
    """

    function: Callable[..., list]
    jaxpr: ClosedJaxpr


def traced(jaxpr: ClosedJaxpr | Untraced) -> ClosedJaxpr:
    """The jaxpr of a leaf."""
    return jaxpr.traced if isinstance(jaxpr, Untraced) else jaxpr


def branch_on_cpu(params: Mapping[str, Any]) -> int:
    """Which branch of `lax.platform_dependent` is for CPUs, from the parameters of the equation that asks for it."""
    return next(k for k, names in enumerate(params["platforms"]) if names is None or "cpu" in names)


def is_opaque(operation: Operation) -> bool:
    """Whether an operation is a leaf of JAX's that is traced when the program is lowered, and not before."""
    jaxpr = operation.jaxpr
    return isinstance(jaxpr, Untraced) and not jaxpr.looked_into


def is_safe(region: Region) -> bool:
    """Whether JAX can map a region over one more axis, whatever its operands are."""
    return all(map(_is_safe, region.operations))


def _is_safe(operation: Operation) -> bool:
    if operation.jaxpr is None:
        return operation.kind in ELEMENTWISE or operation.kind in ("constant", "convert", "broadcast")
    jaxpr: Any = operation.jaxpr
    return jaxpr.safe if isinstance(jaxpr, Untraced) else not jaxpr.effects and _all_safe(jaxpr.jaxpr.eqns)


def _all_safe(equations: Sequence[Any]) -> bool:
    for equation in equations:
        name = equation.primitive.name
        inner = called(equation)
        if inner is None and name not in _SAFE or inner is not None and not _all_safe(inner.jaxpr.eqns):
            return False
    return True
