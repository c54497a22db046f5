"""Which arrays of a leaf are computed element by element though several things read them.

What is read more than once is stored first, since it would be computed more than once. Not so if all that read it, one
behind the other, are read element by element to compute one element of another array: that is one loop, in which the
number is there when it is wanted again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xlapy.lowering.llvm.arrays import Lazy, Place
from xlapy.lowering.llvm.text import Number, Text


def shared_of(equations: Sequence, outvars: Sequence, is_elementwise: Callable[[Any], bool]) -> set:
    """The variables of a jaxpr that are read only to compute, element by element, one other array.

    Args:
        equations: those that are wanted, in their order.
        outvars: the results of the jaxpr.
        is_elementwise: whether an equation computes each element of its result of those of its operands at that place.
    """
    read_by: dict[Any, list] = {}
    for equation in equations:
        for atom in equation.invars:
            if not hasattr(atom, "val"):
                read_by.setdefault(atom, []).append(equation)
    results = {atom for atom in outvars if not hasattr(atom, "val")}
    end: dict[Any, Any] = {}
    for equation in reversed(equations):
        for var in equation.outvars:
            end[var] = var
            if var in results or not is_elementwise(equation):
                continue
            ends = set()
            for reader in read_by.get(var, ()):
                inside = is_elementwise(reader) and reader.outvars[0].aval.shape == var.aval.shape
                ends.add(end[reader.outvars[0]] if inside else var)
            if len(ends) == 1:
                (end[var],) = ends
    return {var for var, last in end.items() if last is not var}


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


__all__ = ["remembered", "shared_of"]
