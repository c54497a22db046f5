"""What some iterations of a loop add to is added to by all of them: `if x[i] > 0: total += x[i]`.

    total = select(x > 0, total + x, total)    becomes    total = total + select(x > 0, x, -0.0)

An iteration then waits for the addition only, and iterations that add to something and do nothing else with it may be
made all at once (`passes/loop_vectorisation.py`). Exact: a number plus -0.0 is that number, for every float; integers
wrap around.
"""

from __future__ import annotations

import numpy as np

from xlapy.ir import Operation, Region, TensorType, Var
from xlapy.passes.store_ordering import emit

#: operations in the update of one value
_MOST = 16


def add_always(region: Region) -> bool:
    """Rewrite such updates in all loops of a region; whether there were any."""
    changed = False
    for operation in region.operations:
        for nested in operation.regions:
            changed |= add_always(nested)
        if operation.kind in ("for", "while"):
            changed |= _in_loop(operation.regions[-1], operation.kind == "for")
    return changed


def _in_loop(body: Region, counted: bool) -> bool:
    params = body.params[1:] if counted else body.params
    uses: dict[Var, list[Operation]] = {}
    for operation in body.operations:
        for operand in operation.operands:
            uses.setdefault(operand, []).append(operation)
        for nested in operation.regions:
            for inner in _used_inside(nested):
                uses.setdefault(inner, []).append(operation)
    changed = False
    for k, (param, result) in enumerate(zip(params, body.results, strict=True)):
        last = result.owner
        if not isinstance(last, Operation) or last.kind != "select" or param.type.dtype.kind not in "iufc":
            continue
        if param.type.shape:
            continue
        if result in uses or body.results.count(result) > 1 or last not in body.operations:
            continue
        update = _Update(param, body, uses)
        if update.is_sum(result) and update.is_all(last):
            kept: list[Operation] = []
            term = update.term(result, kept)
            total = emit(kept, last, body.depth, "add", (param, term), result.type)
            place = body.operations.index(last)
            body.operations[place + 1 : place + 1] = kept
            body.results[k] = total
            changed = True
    return changed


def _used_inside(region: Region) -> set[Var]:
    found = set(region.results)
    for operation in region.operations:
        found.update(operation.operands)
        for nested in operation.regions:
            found |= _used_inside(nested)
    return found


class _Update:
    """How an iteration updates a value: additions to it, and selections of what they make of it."""

    def __init__(self, param: Var, body: Region, uses: dict[Var, list[Operation]]) -> None:
        self.param, self.body, self.uses = param, body, uses
        self.exact = param.type.dtype.kind in "iu"
        #: the additions and selections
        self.nodes: set[Operation] = set()
        self.count = 0

    def is_all(self, last: Operation) -> bool:
        """Whether what the update makes on the way is used for nothing else."""
        values = [self.param, *(v for node in self.nodes - {last} for v in node.results)]
        return all(user in self.nodes for value in values for user in self.uses.get(value, ())) and not any(
            value in self.body.results for value in values[1:]
        )

    def is_sum(self, var: Var) -> bool:
        """Whether `var` is the value plus something that does not depend on it; floats are added to once at most."""
        if var is self.param:
            return True
        operation = var.owner
        self.count += 1
        if not isinstance(operation, Operation) or var.depth != self.body.depth or self.count > _MOST:
            return False
        if operation.kind == "select":
            arms = operation.operands[1:]
            self.nodes.add(operation)
            return self.param is not operation.operands[0] and all(map(self.is_sum, arms))
        self.nodes.add(operation)
        base = self._base(operation)
        return base is not None and (base is self.param or self.exact and self.is_sum(base))

    def _base(self, operation: Operation) -> Var | None:
        """What is added to, if an operation is such an addition: the operand that is made from the value."""
        if operation.kind not in ("add", "sub"):
            return None
        left, right = operation.operands
        if self._depends(left) and not self._depends(right):
            return left
        return right if operation.kind == "add" and self._depends(right) and not self._depends(left) else None

    def _depends(self, var: Var) -> bool:
        """Whether something is made from the value, as far as selections and additions say; the uses of the value tell
        of the rest."""
        if var is self.param:
            return True
        operation = var.owner
        if not isinstance(operation, Operation) or var.depth != self.body.depth:
            return False
        if operation.kind not in ("add", "sub", "select"):
            return self.param in operation.operands
        self.count += 1
        return self.count > 4 * _MOST or any(map(self._depends, operation.operands))

    def term(self, var: Var, kept: list[Operation]) -> Var:
        """What is added to the value; its operations are appended to `kept`."""
        depth, type = self.body.depth, TensorType((), self.param.type.dtype)
        if var is self.param:
            zero = np.zeros((), type.dtype)
            return emit(kept, self.body.operations[0], depth, "constant", (), type, value=zero if self.exact else -zero)
        operation = var.owner
        assert isinstance(operation, Operation)
        if operation.kind == "select":
            arms = [self.term(arm, kept) for arm in operation.operands[1:]]
            return emit(kept, operation, depth, "select", (operation.operands[0], *arms), type)
        base = self._base(operation)
        assert base is not None
        other = next((v for v in operation.operands if v is not base), base)
        if operation.kind == "sub":
            other = emit(kept, operation, depth, "neg", (other,), type)
        if base is self.param:
            return other
        return emit(kept, operation, depth, "add", (self.term(base, kept), other), type)


__all__ = ["add_always"]
