"""Notes for the lowering: what leaves do lane by lane, of which it may compute a few lanes at a time instead of all;
how the trips of a loop become lanes, which are all made at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xlapy.ir.core import Operation, Var, defining


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


class Lanes(NamedTuple):
    """How the trips of a loop become lanes.

    Attributes:
        stores: for each carried array that trips store into, the store.
        sums: for each carried value that trips add to (or subtract from), the addition.
        axes: for each store, and each load of the place of a lane, the axis along which lanes follow one another.
        frame: the store whose axis gives the lanes; None if the lanes are the trips.
        count: how many lanes there are.
    """

    stores: dict[int, Operation]
    sums: dict[int, Operation]
    axes: dict[Operation, int]
    frame: Operation | None
    count: int


def noted(results: Sequence[Var], note: Lanewise) -> Sequence[Var]:
    """The results of a leaf, with a note for the lowering."""
    defining(results[0]).attributes["lanewise"] = note
    return results
