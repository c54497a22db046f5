"""Notes for the lowering: what leaves do lane by lane, of which it may compute a few lanes at a time instead of all;
how the iterations of a loop become lanes, which are all made at once."""

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


class Choice(NamedTuple):
    """What a loop carries and some iterations replace: `if x[i] > best: best, where = x[i], i`.

    Attributes:
        select: of what an iteration puts there and what was there.
        kept: which operand of the select is what was there.
        record: the comparison with what was there, if that is how the iterations that replace it are found: the first
            one with the largest or smallest value does it last. None if each iteration knows by itself, and the last
            one counts.
    """

    select: Operation
    kept: int
    record: Operation | None

    @property
    def replacement(self) -> Var:
        """What an iteration puts there."""
        return self.select.operands[3 - self.kept]


class Lanes(NamedTuple):
    """How the iterations of a loop become lanes: the attribute `lanes` of the loop. If it is its attribute
    `lanes_inside`, they do so where the loop is in another one that is a native function, and are made one by one
    elsewhere.

    Attributes:
        stores: for each carried array that iterations store into, the store.
        folds: for each carried value that iterations add to (or multiply, or take the maximum with ...), the operation.
        choices: for each carried value that some iterations replace.
        axes: for each store, and each load of the place of a lane, the axis along which lanes follow one another.
        frame: the store or load whose axis gives the lanes; None if the lanes are the iterations.
        count: how many lanes there are.
        of_numbers: whether an iteration computes single numbers.
    """

    stores: dict[int, Operation]
    folds: dict[int, Operation]
    choices: dict[int, Choice]
    axes: dict[Operation, int]
    frame: Operation | None
    count: int
    of_numbers: bool = False

    def ends(self) -> list[Operation]:
        """The operations that make what the next iteration gets."""
        return [*self.stores.values(), *self.folds.values(), *(choice.select for choice in self.choices.values())]


def noted(results: Sequence[Var], note: Lanewise) -> Sequence[Var]:
    """The results of a leaf, with a note for the lowering."""
    defining(results[0]).attributes["lanewise"] = note
    return results
