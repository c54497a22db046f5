"""What a program looks at, or stores, in an array that is reshaped is where it is in the array itself.

    flat = u.ravel()
    for i in range(flat.size):
        flat[i] += 1.0

`flat` is a view, so what the loop carries is `u`: an iteration reshapes it, stores an element, and reshapes it back.
Nothing stores in place through another shape, so that `u` was copied in every iteration. The element is
`u[i // n, i % n]`, and that of a row of `u.reshape(-1, n)` is `u[i * n + j]`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from xlapy.ir import Operation, Region, TensorType, Var
from xlapy.ir.access_regions import Dimension, touched
from xlapy.ir.reshape_groups import groups
from xlapy.ir.stacking_leaves import reshaping
from xlapy.passes.accesses import INDEX, access
from xlapy.passes.code_motion import rename, substitute
from xlapy.passes.costs import is_read
from xlapy.passes.reshape_sinking import is_reshape
from xlapy.passes.store_ordering import LARGE, emit


def access_in_place(region: Region) -> bool:
    """Look at, and store, elements and parts of rows of the arrays themselves, in all loops; whether there were any.
    What was computed before is left to be removed."""
    changed = False
    for operation in region.operations:
        for nested in operation.regions:
            changed |= _Accesses(nested, {}).change() if operation.kind in ("for", "while") else access_in_place(nested)
    return changed


class _Accesses:
    """The accesses in a region, by way of what is known of values to be other arrays in another shape."""

    def __init__(self, region: Region, known: dict[Var, Var]) -> None:
        self.region = region
        #: for each value that is an array in another shape, that array
        self.arrays = dict(known)
        self.kept: list[Operation] = []
        self.replaced: dict[Var, Var] = {}

    def change(self) -> bool:
        changed = False
        for operation in self.region.operations:
            rename(operation, self.replaced)
            for nested in operation.regions:
                changed |= _Accesses(nested, self.arrays).change()
            if not self._look_at(operation):
                self.kept.append(operation)
        self.region.operations = self.kept
        substitute(self.region, self.replaced)
        return changed or bool(self.replaced)

    def _look_at(self, operation: Operation) -> bool:
        """Note what an operation gives; whether another one was put in its place."""
        if is_reshape(operation):
            (source,), (result,) = operation.operands, operation.results
            array = self.arrays.get(source, source)
            if array.type[:2] == result.type[:2] and array is not source:
                self.replaced[result] = array
                return True
            if prod(array.type.shape) >= LARGE and not _is_load(array):
                self.arrays[result] = array
            return False
        dims = touched(operation)
        if dims is None or operation.operands[0] not in self.arrays:
            return False
        shown, array = operation.operands[0], self.arrays[operation.operands[0]]
        runs = _runs(dims, array.type.shape, shown.type.shape)
        if runs is None:
            return False
        self._move(operation, array, dims, runs)
        return True

    def _move(self, operation: Operation, array: Var, dims: list[Dimension], runs: list[_Run]) -> None:
        """Put an access to an array in the place of one to the same in another shape."""
        (result,), shown = operation.results, operation.operands[0].type.shape
        starts = [self._start(operation, dim, n) for dim, n in zip(dims, shown, strict=True)]
        places = [place for run in runs for place in self._places(operation, run, array.type.shape, shown, starts)]
        index = tuple((start if isinstance(start, int) else None, 1, length) for start, length in places)
        numbers = [start for start, _ in places if isinstance(start, Var)]
        part = result.type if operation.kind == "load" else operation.operands[1].type
        attributes = access(operation.kind, array.type, part, index, tuple([v.type for v in numbers]))
        attributes = {**attributes, "checked": operation.attributes.get("checked", False)}
        if operation.kind == "load":
            self.replaced[result] = self._emit(operation, "load", (array, *numbers), result.type, **attributes)
            return
        operands = (array, operation.operands[1], *numbers)
        stored = self._emit(operation, "store", operands, array.type, **attributes)
        # Whoever wants the other shape has it from the array, so that nothing is stored twice.
        shape = reshaping(array.type, result.type.shape)
        shown = self._emit(operation, "leaf", (stored,), result.type, **shape)
        self.replaced[result] = shown
        self.arrays[shown] = stored

    def _places(
        self, like: Operation, run: _Run, shape: tuple[int, ...], shown: tuple[int, ...], starts: list[int | Var]
    ) -> list[tuple[int | Var, int]]:
        """For each axis of the array, the first place and how many there are, -1 for one that is dropped."""
        flat: int | Var = 0
        for k in run.shown:
            stride = prod(shown[j] for j in run.shown if j > k)
            flat = self._two(like, "add", flat, self._two(like, "mul", starts[k], stride))
        if len(run.axes) == 1:
            return [(flat, run.length)]
        if run.length == prod(shape[k] for k in run.axes):
            return [(0, shape[k]) for k in run.axes]
        found: list[tuple[int | Var, int]] = []
        for k in run.axes:
            place = self._two(like, "div", flat, prod(shape[j] for j in run.axes if j > k))
            place = place if k == run.axes[0] else self._two(like, "rem", place, shape[k])
            found.append((place, run.length if k == run.axes[-1] else -1))
        return found

    def _start(self, operation: Operation, dim: Dimension, length: int) -> int | Var:
        """The first place along an axis, which is within the array."""
        last = length - dim.count
        if isinstance(dim.start, int):
            return min(max(dim.start, 0), last)
        start = dim.start
        if start.type.dtype != INDEX.dtype:
            start = self._emit(operation, "convert", (start,), INDEX)
        if operation.attributes.get("checked", False) and dim.dropped:
            return start
        return self._two(operation, "min", self._two(operation, "max", start, 0), last)

    def _two(self, like: Operation, kind: str, one: int | Var, other: int | Var) -> int | Var:
        """The sum, product and the like of two indices, none of which is negative where it is divided."""
        if isinstance(one, int) and isinstance(other, int):
            return _KNOWN[kind](one, other)
        if other == _NEUTRAL.get(kind) or one == 0 and kind == "add":
            return one if isinstance(one, Var) else other
        operands = (one, other)
        return self._emit(like, kind, tuple([self._index(like, v) for v in operands]), INDEX)

    def _index(self, like: Operation, number: int | Var) -> Var:
        if isinstance(number, Var):
            return number
        return self._emit(like, "constant", (), INDEX, value=np.asarray(number, INDEX.dtype))

    def _emit(self, like: Operation, kind: str, operands: tuple[Var, ...], type: TensorType, **attributes: Any) -> Var:
        return emit(self.kept, like, self.region.depth, kind, operands, type, **attributes)


def _is_load(array: Var) -> bool:
    """Whether an array is a part of another one, of which there is a copy anyway."""
    return isinstance(array.owner, Operation) and is_read(array.owner)


class _Run(NamedTuple):
    """Elements that lie behind one another, along axes of an array and of what shows it in another shape.

    Attributes:
        axes: of the array.
        shown: those of the other shape.
        length: how many elements these are; -1 for one, of which no axis is left.
    """

    axes: list[int]
    shown: list[int]
    length: int


def _runs(dims: list[Dimension], shape: tuple[int, ...], shown: tuple[int, ...]) -> list[_Run] | None:
    """What an access to an array in another shape touches of the array; None if that is no part along its axes."""
    if any(dim.step != 1 and dim.count != 1 or dim.count == 0 for dim in dims) or 0 in shape:
        return None
    found: list[_Run] = []
    for axes, others in groups(shape, shown):
        length = block = 1
        for k in reversed(others):
            behind = prod(shown[j] for j in others if j > k)
            if dims[k].count > 1 and length != behind:
                return None
            length *= dims[k].count
            block = behind * shown[k] if dims[k].count > 1 else block
        whole = [shape[k] for k in axes]
        is_whole = len(axes) > 1 and length == prod(whole)
        if len(axes) > 1 and not is_whole and whole[-1] % block:
            return None  # it may go from the end of a row to the next one
        kept = [dims[k].count for k in others if not dims[k].dropped]
        if kept and kept != (whole if is_whole else [length]):
            return None  # the part has another shape, too
        found.append(_Run(axes, others, length if kept else -1))
    return found


_KNOWN: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "mul": operator.mul,
    "min": min,
    "max": max,
    "div": operator.floordiv,
    "rem": operator.mod,
}
#: what changes nothing, on the right
_NEUTRAL = {"add": 0, "mul": 1, "div": 1}

__all__ = ["access_in_place"]
