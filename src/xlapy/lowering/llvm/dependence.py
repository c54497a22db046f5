"""Loops of a program whose iterations do not depend on each other: each has parts of its own of what the loop carries.

    for i in range(n):
        for j in range(m):
            d[i, j] = ...

An array that a loop carries is looked at, and changed, in places that follow from the loop's index. Where these are,
along one axis, sums in which the index has a factor, and what else is in them is the same in all iterations or lies
between known ends, those of one iteration are apart from those of all others (as in the tests of R. Allen and K.
Kennedy, *Optimizing Compilers for Modern Architectures*, 2001, chapter 3, for one index).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from xlapy.ir import Operation, Region, Var, constant_value
from xlapy.ir.access_regions import Dimension, touched
from xlapy.ir.affine import affine
from xlapy.lowering.llvm.bounds_checks import Bounds


class _Dependent(Exception):
    """Iterations that see each other, or of which it is not known whether they do."""


class _Span(NamedTuple):
    """Where an access is along an axis, in the iteration with number i: from `factor * i + same + least` up to `most`,
    which is not among it.

    Attributes:
        factor: of the index of the loop.
        same: what is the same in all iterations, by factors.
        least: the first place, besides that.
        most: the end.
    """

    factor: int
    same: Mapping[Var, int]
    least: int
    most: int


class _Access(NamedTuple):
    """A load or a store: for each axis, where it is, or None if that is not known."""

    is_store: bool
    spans: tuple[_Span | None, ...]


def are_apart(loop: Operation, bounds: Bounds, unless_left: Callable[[Operation], bool]) -> bool:
    """Whether no iteration of a `for` sees what another one stores into the arrays that it carries, and no two store at
    the same place. The numbers that it carries are not looked at.

    Args:
        loop: the loop.
        bounds: what is known of indices at the loop: nothing of its own yet.
        unless_left: whether the program is left at an error in the iterations of a loop: so that no iteration goes on
            behind it.
    """
    (body,) = loop.regions
    try:
        accesses = _Accesses(loop, body, bounds, unless_left).found
    except _Dependent:
        return False
    return all(any(_is_own(along) for along in _by_axes(found)) for found in accesses.values())


def _by_axes(accesses: list[_Access]) -> list[list[tuple[bool, _Span | None]]]:
    """The accesses to an array along each of its axes."""
    rows = [[(access.is_store, span) for span in access.spans] for access in accesses]
    return [list(along) for along in zip(*rows, strict=True)]


def _is_own(along: list[tuple[bool, _Span | None]]) -> bool:
    """Whether what one iteration stores along an axis is apart from what all others access."""
    spans = [span for _, span in along]
    known = [span for span in spans if span is not None]
    if len(known) < len(spans) or any(span.same != known[0].same for span in known):
        return False
    own = [span for span in known if span.factor]
    stored = [span for is_store, span in along if is_store and span is not None]
    if not stored:
        return True
    if not own or any(span.factor != own[0].factor for span in (*own, *stored)):
        return False
    step = own[0].factor
    if max(span.most for span in own) - min(span.least for span in own) > abs(step):
        return False
    # What all iterations load comes before all that any of them stores: the index is not negative.
    first = min(span.least for span in stored)
    return step > 0 and all(span.most <= first for span in known if not span.factor) or len(own) == len(known)


class _Accesses:
    """Finds the accesses to the arrays that a loop carries and changes, by their numbers among its parameters."""

    def __init__(self, loop: Operation, body: Region, bounds: Bounds, unless_left: Callable[[Operation], bool]) -> None:
        self._body, self._bounds, self._unless_left = body, bounds, unless_left
        self._is_left = unless_left(loop)
        self._index = body.params[0]
        #: the numbers of the parameters of which values are versions
        self._slots: dict[Var, int] = {}
        #: indices of loops within, and how many iterations these make
        self._iterations: dict[Var, Var] = {}
        self.found: dict[int, list[_Access]] = {}
        bounds.note(self._index, loop.operands[0])
        for k, (param, result) in enumerate(zip(body.params[1:], body.results, strict=True)):
            if param.type.shape and result is not param:
                self._slots[param] = k
                self.found[k] = []
        self._look_into(body)
        for k in self.found:
            if self._slots.get(body.results[k]) != k:
                raise _Dependent

    def _look_into(self, region: Region) -> None:
        for operation in region.operations:
            self._look_at(operation)

    def _look_at(self, operation: Operation) -> None:
        slots = [self._slots.get(v) for v in operation.operands]
        match operation.kind:
            case "for" | "while":
                self._look_at_loop(operation, slots)
            case "if":
                self._look_at_branches(operation)
            case "load" | "store" if slots and slots[0] is not None and not any(k is not None for k in slots[1:]):
                self._look_at_access(operation, slots[0])
            case _:
                if any(k is not None for k in slots) or operation.regions:
                    raise _Dependent

    def _look_at_loop(self, loop: Operation, slots: list[int | None]) -> None:
        first = 1 if loop.kind == "for" else 0
        for region in loop.regions:
            for param, slot in zip(region.params[first:], slots[first:], strict=True):
                if slot is not None:
                    self._slots[param] = slot
        if loop.kind == "for":
            self._iterations[loop.regions[0].params[0]] = loop.operands[0]
            self._bounds.note(loop.regions[0].params[0], loop.operands[0])
        is_left, self._is_left = self._is_left, self._is_left and self._unless_left(loop)
        for region in loop.regions:
            self._look_into(region)
        self._is_left = is_left
        for k, slot in enumerate(slots[first:]):
            if self._slots.get(loop.regions[-1].results[k]) != slot:
                raise _Dependent
            if slot is not None:
                self._slots[loop.results[k]] = slot

    def _look_at_branches(self, branch: Operation) -> None:
        for region in branch.regions:
            self._look_into(region)
        for k, result in enumerate(branch.results):
            slots = {self._slots.get(region.results[k]) for region in branch.regions}
            if len(slots) > 1:
                raise _Dependent
            (slot,) = slots
            if slot is not None:
                self._slots[result] = slot

    def _look_at_access(self, operation: Operation, slot: int) -> None:
        dims = touched(operation)
        if dims is None:
            raise _Dependent
        is_store, shape = operation.kind != "load", operation.operands[0].type.shape
        spans = tuple(self._span(dim, length) for dim, length in zip(dims, shape, strict=True))
        self.found[slot].append(_Access(is_store, spans))
        if is_store:
            self._slots[operation.results[0]] = slot

    def _span(self, dim: Dimension, length: int) -> _Span | None:
        """Where an access is along an axis, if it is certainly within the array: a place beyond it becomes another."""
        lowest = dim.lowest(0)
        if isinstance(dim.start, int):
            first = min(max(dim.start, -lowest), length - dim.span - lowest)
            return _Span(0, {}, first + lowest, first + lowest + dim.span)
        least, most = -lowest, length - dim.span - lowest
        is_checked = dim.checked and self._is_left
        if not (is_checked or self._bounds.at_least(dim.start, least) and self._bounds.at_most(dim.start, most)):
            return None
        terms, total = affine(dim.start, lambda v: v)
        factor, same, lower, upper = 0, {}, total, total
        for var, by in terms.items():
            assert isinstance(var, Var)
            if var is self._index:
                factor = by
            elif var.depth < self._body.depth:
                same[var] = by
            elif by:
                iterations = constant_value(self._iterations[var]) if var in self._iterations else None
                if iterations is None:
                    return None
                ends = (0, by * max(int(iterations) - 1, 0))
                lower, upper = lower + min(ends), upper + max(ends)
        same = {var: by for var, by in same.items() if by}
        return _Span(factor, same, lower + lowest, upper + lowest + dim.span)


def sums_of(loop: Operation) -> frozenset[int]:
    """The numbers, by place, that a loop carries only to add to them: nothing in its iterations looks at what they
    are."""
    body = loop.regions[-1]
    params = body.params[len(body.params) - len(body.results) :]
    places = enumerate(zip(params, body.results, strict=True))
    return frozenset(k for k, (x, y) in places if x is not y and _is_number(x) and _is_sum(body, x, y))


def _is_number(var: Var) -> bool:
    return var.type.shape == () and isinstance(var.type.dtype, np.dtype) and var.type.dtype.kind in "iuf"


def _is_sum(body: Region, first: Var, last: Var) -> bool:
    """Whether one number is another one and something that does not depend on it."""
    sums = {first}
    return _adds(body, sums) and last in sums and sum(v in sums for v in body.results) == 1


def _adds(region: Region, sums: set[Var]) -> bool:
    """Whether nothing looks at some numbers but to add to them; those that this makes are put to them."""
    for operation in region.operations:
        operands, results, regions = operation.operands, operation.results, operation.regions
        fixed = operands[:1] if operation.kind in ("for", "if") else ()
        carried = operands[len(fixed) :]
        for inner in regions:
            params = inner.params[len(inner.params) - len(carried) :]
            sums.update(param for param, v in zip(params, carried, strict=True) if v in sums)
        if not all(_adds(inner, sums) for inner in regions):
            return False
        if regions:
            ends = [inner.results for inner in regions] if operation.kind == "if" else [carried, regions[-1].results]
            if any(v in sums for v in fixed):
                return False
            for result, *values in zip(results, *ends, strict=True):
                if len({v in sums for v in values}) > 1:
                    return False
                sums.update([result] if values[0] in sums else ())
        elif any(v in sums for v in operands):
            is_first, *others = (v in sums for v in operands)
            is_added = operation.kind == "add" and is_first != any(others)
            if not is_added and not (operation.kind == "sub" and is_first and not any(others)):
                return False
            sums.update(results)
    return True


__all__ = ["are_apart", "sums_of"]
