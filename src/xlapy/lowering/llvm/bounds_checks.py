"""Which indices are certainly within an array: those that grow with the iterations of loops whose numbers are known.

What is asked here is whether XLA's clamping of an index can be left out. Errors are not: the checks that raise them are
operations of the program.
"""

from __future__ import annotations

from xlapy.ir import Var
from xlapy.ir.affine import affine
from xlapy.ir.value_ranges import elements_between

#: how many loops are looked through
_DEPTH = 8
_LARGEST = 1 << 62


class Bounds:
    """The indices of loops that enclose what is looked at, and how many iterations those make."""

    def __init__(self) -> None:
        self._iterations: dict[int, tuple[Var, Var]] = {}

    def note(self, index: Var, iterations: Var) -> None:
        """In what follows, an index runs from 0 to a number of iterations."""
        self._iterations[id(index)] = index, iterations

    def at_least(self, index: Var, least: int) -> bool:
        """Whether an index is never less than a number."""
        found = self._extreme(affine(index), False)
        return found is not None and found >= least or elements_between(index)[0] >= least

    def at_most(self, index: Var, most: int) -> bool:
        """Whether an index is never more than a number."""
        return self.most(index) <= most

    def most(self, index: Var) -> int:
        """What an index is never more than."""
        found, of_elements = self._extreme(affine(index), True), elements_between(index)[1]
        return of_elements if found is None else min(found, of_elements)

    def _extreme(self, sum: tuple[dict, int], largest: bool) -> int | None:
        """The largest or smallest value of a sum; None if it is not known."""
        terms, total = {k: v for k, v in sum[0].items() if v}, sum[1]
        for _ in range(_DEPTH):
            # The innermost loop first: its number of iterations may depend on the indices of those around it.
            known = [k for k in reversed(self._iterations) if k in terms]
            if len(known) < len(terms) and not known:
                return None
            if not terms:
                return total if abs(total) < _LARGEST else None
            key = known[0]
            factor = terms.pop(key)
            if (factor > 0) != largest:
                continue  # the first iteration has the number 0
            others, more = affine(self._iterations[key][1])
            for other, by in others.items():
                terms[other] = terms.get(other, 0) + factor * by
            terms = {k: v for k, v in terms.items() if v}
            total += factor * (more - 1)
        return None


__all__ = ["Bounds"]
