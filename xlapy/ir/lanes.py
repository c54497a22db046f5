"""What leaves do lane by lane: notes for the lowering, which may compute a few lanes at a time instead of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xlapy.ir.core import Var


class Lanewise(NamedTuple):
    """How a leaf treats vectors of lanes.

    Attributes:
        kind: "map": each lane of the result comes from the same lane of the operands; "check": the same, then whether
            any lane is bad and the first bad value; "lanes": a mask of a range of lanes; "steps": of every n-th lane;
            "sum": of the lanes in a mask, the last operand; "dot": the same of products of two operands.
        function: of operands and static arguments, for vectors of any length.
        static: static arguments of the function.
        operands: which operands are vectors of lanes; the others are the same for all lanes.
    """

    kind: str
    function: Callable
    static: tuple = ()
    operands: tuple[int, ...] = (0,)


def noted(results: Sequence[Var], note: Lanewise) -> Sequence[Var]:
    """The results of a leaf, with a note for the lowering."""
    results[0].owner.attributes["lanewise"] = note  # type: ignore[union-attr]
    return results
