"""The places of an array that a load or a store touches."""

from __future__ import annotations

from typing import NamedTuple

from xlapy.ir.core import Operation, Region, Var


class Dimension(NamedTuple):
    """What a load or store touches of one dimension: `count` places from `start` on; `dropped` from the shape;
    `checked` if it is within the array unless an error has been raised."""

    start: int | Var
    step: int
    count: int
    dropped: bool
    checked: bool = False

    @property
    def known_start(self) -> int:
        """The start of a dimension where that is known."""
        assert not isinstance(self.start, Var)
        return self.start

    @property
    def span(self) -> int:
        """From the first place to behind the last one."""
        return (self.count - 1) * abs(self.step) + 1

    def lowest(self, first: int) -> int:
        """The lowest place, if `first` is the start."""
        return first if self.step > 0 else first + (self.count - 1) * self.step


def touched(operation: Operation | Region | None) -> list[Dimension] | None:
    """What a load or store touches; None if an operation is neither."""
    if not isinstance(operation, Operation) or operation.kind not in ("load", "store"):
        return None
    dims: tuple = operation.attributes["index"]
    starts = iter(operation.operands[1 if operation.kind == "load" else 2 :])
    checked = operation.attributes.get("checked", False)
    return [
        Dimension(
            next(starts) if start is None else start,
            step,
            1 if length < 0 else length,
            length < 0,
            checked and length < 0,
        )
        for start, step, length in dims
    ]
