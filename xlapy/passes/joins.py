"""Joins of many values (`jnp.stack` of the numbers in a list) that are the same in every trip of a loop are made once,
before the loop, which is short then: one native function, where it would have been too long for that."""

from __future__ import annotations

from math import prod

from xlapy.ir import Module, Operation, Region, Var
from xlapy.passes.moving import adopt

#: operands of a join that is worth moving
_MANY = 8


def hoist_joins(module: Module) -> None:
    """Move joins out of loops."""
    _visit(module.entry, inside_loop=False)


def _visit(region: Region, inside_loop: bool) -> list[Operation]:
    """Take out of a region what may stand before the loop around it; what comes out of its own loops is put there."""
    kept: list[Operation] = []
    leaving: list[Operation] = []
    placed: dict[tuple, Operation] = {}
    replaced: dict[Var, Var] = {}
    for operation in region.operations:
        loop = operation.kind in ("for", "while")
        for nested in operation.regions:
            for join in _visit(nested, inside_loop or loop):
                if inside_loop and _is_from_outside(join, region):
                    leaving.append(join)
                    continue
                key = (id(join.attributes["jaxpr"]), join.operands)
                first = placed.setdefault(key, join)
                if first is join:
                    kept.append(join)
                    adopt([join], region)
                else:
                    replaced.update(zip(join.results, first.results, strict=True))
        if inside_loop and _is_join(operation) and _is_from_outside(operation, region):
            leaving.append(operation)
        else:
            kept.append(operation)
    region.operations[:] = kept
    if replaced:
        _replace(region, replaced)
    return leaving


def _is_join(operation: Operation) -> bool:
    """Whether an operation puts the elements of many small values into one."""
    if operation.kind != "leaf" or len(operation.operands) < _MANY:
        return False
    sizes = sum(prod(v.type.shape) for v in operation.operands)
    return len(operation.results) == 1 and prod(operation.results[0].type.shape) == sizes


def _is_from_outside(operation: Operation, region: Region) -> bool:
    return all(v.depth < region.depth for v in operation.operands)


def _replace(region: Region, replaced: dict[Var, Var]) -> None:
    for operation in region.operations:
        operation.operands = tuple([replaced.get(v, v) for v in operation.operands])
        for nested in operation.regions:
            _replace(nested, replaced)
    region.results = [replaced.get(v, v) for v in region.results]
