"""Joins of many values (`jnp.stack` of the numbers in a list) that are the same in every iteration of a loop are made
once, before the loop, which is short then: one native function, where it would have been too long for that."""

from __future__ import annotations

from math import prod

from xlapy.ir import Module, Operation, Region, Var
from xlapy.passes.code_motion import adopt, substitute

#: operands of a join that is worth moving
_MANY = 8


def hoist_joins(module: Module) -> None:
    """Move joins out of loops; one in a branch stays there if it cannot leave the loop around the branch."""
    _visit(module.entry, None)


def _visit(region: Region, body: int | None) -> list[Operation]:
    """Take joins out of a region that may stand before the loop around it, whose body has the depth `body`; what comes
    out of loops in the region is put there, once."""
    kept: list[Operation] = []
    leaving: list[Operation] = []
    placed: dict[tuple, Operation] = {}
    replaced: dict[Var, Var] = {}
    for operation in region.operations:
        is_loop = operation.kind in ("for", "while")
        for nested in operation.regions:
            for join in _visit(nested, nested.depth if is_loop else body):
                if _leaves(join, body):
                    leaving.append(join)
                    continue
                first = placed.setdefault((id(join.jaxpr), join.operands), join)
                if first is join:
                    kept.append(join)
                    adopt([join], region)
                else:
                    replaced.update(zip(join.results, first.results, strict=True))
        (leaving if _is_join(operation) and _leaves(operation, body) else kept).append(operation)
    region.operations[:] = kept
    if replaced:
        substitute(region, replaced)
    return leaving


def _leaves(join: Operation, body: int | None) -> bool:
    """Whether all operands are from outside of the body of a loop."""
    return body is not None and all(v.depth < body for v in join.operands)


def _is_join(operation: Operation) -> bool:
    """Whether an operation puts the elements of many small values into one."""
    if operation.jaxpr is None or len(operation.operands) < _MANY:
        return False
    sizes = sum(prod(v.type.shape) for v in operation.operands)
    return len(operation.results) == 1 and prod(operation.results[0].type.shape) == sizes
