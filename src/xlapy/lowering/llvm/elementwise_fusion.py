"""Which arrays are computed element by element though several things read them.

What is read more than once is stored first, since it would be computed more than once. Not so if all that read it, one
behind the other, are read element by element to compute one element of another array: that is one loop, in which the
number is there when it is wanted again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from xlapy.ir import Operation, Region, Var, captured
from xlapy.ir.operations import ELEMENTWISE
from xlapy.lowering.llvm.lazy_arrays import Lazy, Place
from xlapy.lowering.llvm.text import Number, Text

V = TypeVar("V", bound=Hashable)


class Step(NamedTuple):
    """What an operation reads and makes.

    Attributes:
        reads: variables, also those that are read in what it contains.
        makes: variables.
        is_elementwise: whether it makes one array, each element of those at that place in the arrays that it reads.
    """

    reads: Sequence
    makes: Sequence
    is_elementwise: bool


def shared_of(steps: Sequence[Step], results: Iterable[V], shape_of: Callable[[V], tuple[int, ...]]) -> set[V]:
    """The variables that are read only to compute, element by element, one other array.

    Args:
        steps: the operations that are wanted, in their order.
        results: what somebody reads behind them.
        shape_of: the shape of a variable.
    """
    read_by: dict[V, list[Step]] = {}
    for step in steps:
        for var in step.reads:
            read_by.setdefault(var, []).append(step)
    results = set(results)
    end: dict[V, V] = {}
    for step in reversed(steps):
        for var in step.makes:
            end[var] = var
            if var in results or not step.is_elementwise:
                continue
            ends = set()
            for reader in read_by.get(var, ()):
                inside = reader.is_elementwise and shape_of(reader.makes[0]) == shape_of(var)
                ends.add(end[reader.makes[0]] if inside else var)
            if len(ends) == 1:
                (end[var],) = ends
    return {var for var, last in end.items() if last is not var}


def shared_in(region: Region, is_elementwise: Callable[[Operation], bool]) -> set[Var]:
    """The same of a region.

    Args:
        region: what is computed.
        is_elementwise: whether a leaf computes each element of its result of those of its operands at that place.
    """
    steps = []
    for operation in region.operations:
        inner = [var for nested in operation.regions for var in captured(nested)]
        steps.append(Step([*operation.operands, *inner], operation.results, _fits(operation, is_elementwise)))
    return shared_of(steps, region.results, lambda var: var.type.shape)


def _fits(operation: Operation, is_elementwise: Callable[[Operation], bool]) -> bool:
    if len(operation.results) != 1 or not operation.results[0].type.shape:
        return False
    if operation.jaxpr is not None:
        return is_elementwise(operation)
    return operation.kind in ELEMENTWISE or operation.kind in ("convert", "live")


def remembered(text: Text, value: Lazy) -> Lazy:
    """The same array; an element that was computed in a block is not computed there again."""
    known: dict[tuple[str, tuple[str, ...]], Number] = {}

    def at(place: Place) -> Number:
        found = known.get((text.block, tuple(place)))
        if found is None:
            found = value.at(place)
            known[text.block, tuple(place)] = found
        return found

    return value._replace(at=at, is_shared=True)


__all__ = ["Step", "remembered", "shared_in", "shared_of"]
