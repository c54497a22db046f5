"""Removes what nobody needs: operations, results of branches, and values that loops carry only for themselves.

Marking starts from the results of the program and goes back through definitions (Cytron et al., "Efficiently computing
static single assignment form", TOPLAS 1991, section 7.1): a carried value is needed if its result, or its parameter in
the condition or in the computation of a needed one, is. So a counter that only counts goes away although it uses
itself. Operations have no effects, except leaves with a JAX effect (`jax.debug.print`), which stay.
"""

from __future__ import annotations

from collections.abc import Iterable

from xlapy.ir import Module, Operation, Region, Var, has_effects
from xlapy.passes.code_motion import keep_positions


def remove_dead_code(module: Module) -> None:
    """Remove what the results of the program do not need."""
    marker = _Marker()
    marker.pin_effects(module.entry)
    marker.need(module.entry.results)
    marker.run()
    _sweep(module.entry, marker)


class _Marker:
    def __init__(self) -> None:
        self.needed: set[Var] = set()
        #: operations that stay although nobody needs a result of theirs
        self.pinned: set[Operation] = set()
        self.todo: list[Var] = []
        self.started: set[Operation] = set()
        self.places: dict[Operation | Region, dict[Var, int]] = {}

    def need(self, values: Iterable[Var]) -> None:
        """Mark values as needed."""
        for value in values:
            if value not in self.needed:
                self.needed.add(value)
                self.todo.append(value)

    def pin_effects(self, region: Region) -> bool:
        """Mark operations with effects, and the control flow around them. Whether there are any."""
        found = False
        for operation in region.operations:
            here = has_effects(operation)
            for nested in operation.regions:
                here |= self.pin_effects(nested)
            if here:
                found = True
                self.pinned.add(operation)
                self.need(operation.operands)
                for nested in operation.regions:
                    self.need(nested.results)
                self.need(operation.results)
        return found

    def run(self) -> None:
        """Go back from what is marked until nothing new is."""
        while self.todo:
            var = self.todo.pop()
            owner = var.owner
            if isinstance(owner, Operation):
                if not owner.regions:
                    self.need(owner.operands)
                else:
                    self._position(owner, self._place(var, owner, owner.results))
            elif isinstance(owner, Region) and owner.owner is not None:
                loop = owner.owner
                position = self._place(var, owner, owner.params) - (1 if loop.kind == "for" else 0)
                if position >= 0:
                    self._position(loop, position)

    def _place(self, var: Var, owner: Operation | Region, items: list[Var]) -> int:
        places = self.places.get(owner)
        if places is None:
            places = self.places[owner] = {item: i for i, item in enumerate(items)}
        return places[var]

    def _position(self, operation: Operation, i: int) -> None:
        if operation.kind == "if":
            self.need((operation.operands[0], *(r.results[i] for r in operation.regions)))
            return
        first = 1 if operation.kind == "for" else 0
        body = operation.regions[-1]
        self.need((operation.operands[first + i], body.results[i], operation.results[i]))
        if operation not in self.started:
            self.started.add(operation)
            self.need(operation.operands[:first])
            if operation.kind == "while":
                self.need(operation.regions[0].results)


def _sweep(region: Region, marker: _Marker) -> None:
    kept = []
    for operation in region.operations:
        alive = [i for i, r in enumerate(operation.results) if r in marker.needed]
        if not alive and operation not in marker.pinned:
            continue
        if operation.regions:
            if len(alive) < len(operation.results):
                keep_positions(operation, alive)
            for nested in operation.regions:
                _sweep(nested, marker)
        kept.append(operation)
    region.operations = kept
