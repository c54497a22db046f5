"""Loops along rows make all iterations for a few rows, then for the next few.

    for k in range(1, n):
        x[:, k] = phi * x[:, k - 1] + e[:, k]

An iteration stores a column: of each row one number, and with it the processor loads its neighbours, which the next
iterations are about to need; but in a long column they are gone by then. Where rows have nothing to do with one
another, the loop may be run for some of them after the other (strip mining and interchange of loops: M. Wolfe, *More
Iteration Space Tiling*, Supercomputing 1989). For machine code; XLA would be called for each of the strips.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from xlapy.ir import Operation, Region, TensorType, Var, captured, constant_value
from xlapy.ir.access_regions import Dimension, touched
from xlapy.ir.operations import ELEMENTWISE, SLOW
from xlapy.passes.accesses import INDEX, access
from xlapy.passes.code_motion import copy_region
from xlapy.passes.store_ordering import emit

#: lanes that an iteration has at least; iterations
_LEAST, _ITERATIONS = 256, 8
#: numbers in a strip, for which LLVM writes the instructions one after the other; operations in a loop
_WIDTH, _LONGEST = 8, 200


class _Unsuitable(Exception):
    """A loop whose lanes are not apart, or of which that is not known."""


class _Part(NamedTuple):
    """Where lanes are in an array: along which axis, and from where on."""

    axis: int
    start: int


def in_strips(region: Region) -> None:
    """Run loops in strips of lanes, in all regions."""
    kept: list[Operation] = []
    for operation in region.operations:
        for nested in operation.regions:
            in_strips(nested)
        strips = [operation]
        if operation.kind == "for":
            with contextlib.suppress(_Unsuitable):
                strips = _Loop(operation, region).strips()
        kept += strips
    region.operations = kept


class _Loop:
    """A loop, and what its values are: `uniform` ones are the same for all lanes, `lanes` have these as their first
    axis, `parts` are arrays with all lanes in them.

    Raises:
        _Unsuitable: its lanes are not apart.
    """

    def __init__(self, loop: Operation, region: Region) -> None:
        self.loop, self.region = loop, region
        (self.body,) = loop.regions
        if self.body.size() > _LONGEST:
            raise _Unsuitable
        self.count = self._lanes_stored()
        iterations = constant_value(loop.operands[0])
        if iterations is not None and int(iterations) < _ITERATIONS:
            raise _Unsuitable
        self.uniform: set[Var] = {self.body.params[0]}
        self.lanes: set[Var] = set()
        #: the number of the loop's parameter of which a value is a version
        self.slots: dict[Var, int] = {}
        self.parts: dict[int, _Part] = {}
        #: of loads and stores: where the lanes are
        self.where: dict[Operation, _Part] = {}
        #: arrays from outside with one element for each lane
        self.outside: dict[Var, None] = {}
        self._look_at_parameters()
        for operation in self.body.operations:
            self._look_at(operation)
        for k, (param, result) in enumerate(zip(self.body.params[1:], self.body.results, strict=True)):
            if not (self.slots.get(result) == k if param in self.slots else self._is_like(param, result)):
                raise _Unsuitable
        if not any(map(self._skips, self.where)):
            raise _Unsuitable

    def _is_like(self, param: Var, result: Var) -> bool:
        if param in self.lanes:
            return self._as_lanes(result)
        return result in self.uniform or result.depth < self.body.depth and result.type.shape == ()

    def _lanes_stored(self) -> int:
        for operation in self.body.operations:
            if operation.kind == "store":
                shape = operation.operands[1].type.shape
                if shape and prod(shape) >= _LEAST:
                    return shape[0]
        raise _Unsuitable

    def _look_at_parameters(self) -> None:
        accessed = {o.operands[0] for o in self.body.operations if touched(o) is not None}
        for k, param in enumerate(self.body.params[1:]):
            shape = param.type.shape
            if shape == ():
                self.uniform.add(param)
            elif param in accessed:
                self.slots[param] = k
            elif shape[0] == self.count:
                self.lanes.add(param)
            else:
                raise _Unsuitable

    def _look_at(self, operation: Operation) -> None:
        operands = operation.operands
        if operation.jaxpr is not None:
            self._look_at_access(operation)
        elif operation.kind == "constant":
            self.uniform.update(operation.results)
        elif operation.kind == "broadcast":
            (operand,), shape = operands, operation.results[0].type.shape
            if len(operand.type.shape) == len(shape) and operand.type.shape[:1] == (self.count,):
                self._computed(operation)
            elif operand in self.uniform or operand.depth < self.body.depth:
                (self.lanes if shape[:1] == (self.count,) else self.uniform).update(operation.results)
            else:
                raise _Unsuitable
        elif operation.kind in ELEMENTWISE or operation.kind in ("convert", "live"):
            self._computed(operation)
        elif operation.kind == "if":
            self._branches(operation)
        else:
            raise _Unsuitable

    def _branches(self, operation: Operation) -> None:
        """Look at a choice of numbers that is the same for all lanes."""
        used = [*operation.operands, *(v for region in operation.regions for v in captured(region))]
        inside = [o for region in operation.regions for o in region.operations]
        if not all(map(self._is_uniform, used)) or any(o.regions or o.kind in SLOW for o in inside):
            raise _Unsuitable
        if any(v.type.shape for v in operation.results):
            raise _Unsuitable
        self.uniform.update(operation.results)

    def _computed(self, operation: Operation) -> None:
        """Look at what is computed element by element."""
        operands = operation.operands
        if all(v in self.uniform or v.depth < self.body.depth and v.type.shape == () for v in operands):
            # It is computed for each strip again.
            if operation.kind in SLOW or operation.results[0].type.shape:
                raise _Unsuitable
            self.uniform.update(operation.results)
        elif all(v.type.shape == () or self._as_lanes(v) for v in operands):
            self.lanes.update(operation.results)
        else:
            raise _Unsuitable

    def _as_lanes(self, var: Var) -> bool:
        """Whether a value has one element, or row, for each lane."""
        if var.depth < self.body.depth and var.type.shape[:1] == (self.count,):
            self.outside[var] = None
            return True
        return var in self.lanes

    def _look_at_access(self, operation: Operation) -> None:
        dims = touched(operation)
        if dims is None or not all(isinstance(d.start, int) or self._is_uniform(d.start) for d in dims):
            raise _Unsuitable
        array, is_load = operation.operands[0], operation.kind == "load"
        part = self._part(dims)
        slot = self.slots.get(array)
        if slot is not None:
            if part is None or self.parts.setdefault(slot, part) != part:
                raise _Unsuitable
            if not is_load and not self._as_lanes(operation.operands[1]):
                raise _Unsuitable
        elif not is_load or array.depth >= self.body.depth:
            raise _Unsuitable
        if part is not None:
            if any(d.step != 1 and not d.dropped for d in dims):  # which `access` does not trace
                raise _Unsuitable
            self.where[operation] = part
        if slot is not None and not is_load:
            self.slots[operation.results[0]] = slot
        else:
            (self.uniform if part is None else self.lanes).update(operation.results)

    def _is_uniform(self, var: Var) -> bool:
        return var in self.uniform or var.depth < self.body.depth

    def _part(self, dims: Sequence[Dimension]) -> _Part | None:
        """Where the lanes are among the places of a load or a store; None if it has none."""
        for axis, dim in enumerate(dims):
            if not dim.dropped:
                if isinstance(dim.start, int) and dim.step == 1 and dim.count == self.count:
                    return _Part(axis, dim.start)
                return None
        return None

    def _skips(self, operation: Operation) -> bool:
        """Whether a load or a store takes one number of each row, and the next iteration another one."""
        dims = touched(operation)
        assert dims is not None
        return dims[-1].dropped and isinstance(dims[-1].start, Var)

    # -- the loops that take its place

    def strips(self) -> list[Operation]:
        """The loops that compute the same."""
        shape = next(o.operands[1].type.shape for o in self.where if o.kind != "load")
        most = max(_WIDTH // prod(shape[1:]), 1)
        width = next((n for n in range(most, most // 2, -1) if self.count % n == 0), most)
        made: list[Operation] = []
        values = list(self.loop.operands[1:])
        whole = self.count // width
        for first, strips, lanes in ((0, whole, width), (whole * width, 1, self.count % width)):
            if lanes:
                values = self._nest(made, values, first, strips, lanes)
        made[-1].results = self.loop.results
        for result in self.loop.results:
            result.owner = made[-1]
        return made

    def _nest(self, made: list[Operation], values: list[Var], first: int, strips: int, lanes: int) -> list[Var]:
        """The loop for so many strips of so many lanes, from one on; the results."""
        loop, depth = self.loop, self.region.depth
        outer = Region((INDEX, *(v.type for v in loop.results)), depth + 1)
        inner = Region((self.body.params[0].type, *(self._narrow(p, lanes) for p in self.body.params[1:])), depth + 2)
        nest = _Nest(self, outer, inner, first, lanes)
        starts = [
            nest.rows(param) if old in self.lanes else param if old in self.slots else value
            for param, old, value in zip(outer.params[1:], self.body.params[1:], loop.operands[1:], strict=True)
        ]
        nest.copy()
        types = tuple(p.type for p in inner.params[1:])
        run = Operation("for", (loop.operands[0], *starts), {}, types, (inner,), loop.location, depth + 1)
        outer.operations.append(run)
        outer.results = [
            nest.put(param, result) if old in self.lanes else result
            for param, old, result in zip(outer.params[1:], self.body.params[1:], run.results, strict=True)
        ]
        count = emit(made, loop, depth, "constant", (), INDEX, value=np.asarray(strips, np.int64))
        types = tuple(p.type for p in outer.params[1:])
        made.append(Operation("for", (count, *values), {}, types, (outer,), loop.location, depth))
        return list(made[-1].results)

    def _narrow(self, var: Var, lanes: int) -> TensorType:
        return _with_lanes(var.type, lanes) if var in self.lanes else var.type


class _Nest:
    """A loop over strips, `outer`, and in it the loop of before, `inner`, for the lanes of one of them."""

    def __init__(self, of: _Loop, outer: Region, inner: Region, first: int, lanes: int) -> None:
        self._of, self._outer, self._inner, self._first, self._lanes = of, outer, inner, first, lanes
        self._known: dict[Var, Var] = dict(zip(of.body.params, inner.params, strict=True))
        self._starts: dict[int, Var] = {}
        for var in of.outside:
            self._known[var] = self.rows(var)

    def start(self, start: int) -> Var:
        """The first place of a strip in an array in which the lanes begin at a place."""
        if start not in self._starts:
            constants = (np.asarray(n, np.int64) for n in (self._lanes, start + self._first))
            width, first = (self._emit("constant", (), INDEX, value=n) for n in constants)
            product = self._emit("mul", (self._outer.params[0], width), INDEX)
            self._starts[start] = self._emit("add", (product, first), INDEX)
        return self._starts[start]

    def rows(self, var: Var) -> Var:
        """The lanes of the strip, of an array that consists of them."""
        type = _with_lanes(var.type, self._lanes)
        attributes = access("load", var.type, type, self._whole(var.type.shape), (INDEX,))
        return self._emit("load", (var, self.start(0)), type, **attributes)

    def put(self, var: Var, rows: Var) -> Var:
        """An array that consists of lanes, with those of the strip replaced."""
        attributes = access("store", var.type, rows.type, self._whole(var.type.shape), (INDEX,))
        return self._emit("store", (var, rows, self.start(0)), var.type, **attributes)

    def _whole(self, shape: tuple[int, ...]) -> tuple:
        return ((None, 1, self._lanes), *((0, 1, n) for n in shape[1:]))

    def _emit(self, kind: str, operands: tuple[Var, ...], type: TensorType, **attributes: Any) -> Var:
        region = self._outer
        return emit(region.operations, self._of.loop, region.depth, kind, operands, type, **attributes)

    def copy(self) -> None:
        """Put what the loop of before does into the inner one."""
        of, inner = self._of, self._inner
        for operation in of.body.operations:
            operands = tuple([self._known.get(v, v) for v in operation.operands])
            types = [_with_lanes(v.type, self._lanes) if v in of.lanes else v.type for v in operation.results]
            attributes = operation.attributes
            if operation.kind == "broadcast":
                attributes = {**attributes, "shape": types[0].shape}
            if operation in of.where:
                operands, attributes = self._access_to_strip(operation, operands, types[0])
            regions = tuple(copy_region(r, self._known, inner.depth + 1) for r in operation.regions)
            copy = Operation(
                operation.kind, operands, attributes, tuple(types), regions, operation.location, inner.depth
            )
            inner.operations.append(copy)
            self._known.update(zip(operation.results, copy.results, strict=True))
        inner.results = [self._known.get(v, v) for v in of.body.results]

    def _access_to_strip(
        self, operation: Operation, operands: tuple[Var, ...], type: TensorType
    ) -> tuple[tuple[Var, ...], dict]:
        axis, start = self._of.where[operation]
        index: tuple = operation.attributes["index"]
        before = sum(entry[0] is None for entry in index[:axis])
        arrays = 1 if operation.kind == "load" else 2
        first = arrays + before
        operands = (*operands[:first], self.start(start), *operands[first:])
        index = (*index[:axis], (None, 1, self._lanes), *index[axis + 1 :])
        taken = type if operation.kind == "load" else operands[1].type
        attributes = access(operation.kind, operands[0].type, taken, index, tuple([v.type for v in operands[arrays:]]))
        return operands, {**operation.attributes, **attributes}


def _with_lanes(type: TensorType, count: int) -> TensorType:
    return type._replace(shape=(count, *type.shape[1:]))


__all__ = ["in_strips"]
