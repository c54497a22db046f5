"""Operations change their place: what has to change with them."""

from __future__ import annotations

from collections.abc import Sequence

from xlapy.ir import Operation, Region, Var


def adopt(operations: Sequence[Operation], region: Region) -> None:
    """Set the depth of operations, and of all regions in them, for a place in `region`."""
    for operation in operations:
        for result in operation.results:
            result.depth = region.depth
        for nested in operation.regions:
            nested.depth = region.depth + 1
            for param in nested.params:
                param.depth = nested.depth
            adopt(nested.operations, nested)


def substitute(region: Region, replaced: dict[Var, Var]) -> None:
    """Use other values in the place of some, wherever a region uses them, for those that stand for them as well."""
    for operation in region.operations:
        rename(operation, replaced)
    region.results = [_now(v, replaced) for v in region.results]


def rename(operation: Operation, replaced: dict[Var, Var]) -> None:
    """The same for an operation, and all in it."""
    if not replaced:
        return
    operation.operands = tuple([_now(v, replaced) for v in operation.operands])
    for nested in operation.regions:
        substitute(nested, replaced)
    if "plain" in operation.attributes:
        substitute(operation.attributes["plain"].region, replaced)


def _now(var: Var, replaced: dict[Var, Var]) -> Var:
    while (found := replaced.get(var)) is not None:
        var = found
    return var


def keep_positions(operation: Operation, kept: Sequence[int]) -> None:
    """Keep only some results of an `if`, `while` or `for`, with everything that belongs to their positions."""

    def pick(items: Sequence[Var], first: int = 0) -> list[Var]:
        return [*items[:first], *(items[first + i] for i in kept)]

    operation.results = pick(operation.results)
    if operation.kind == "if":
        for region in operation.regions:
            region.results = pick(region.results)
        return
    first = 1 if operation.kind == "for" else 0
    body = operation.regions[-1]
    operation.operands = tuple(pick(operation.operands, first))
    body.params = pick(body.params, first)
    body.results = pick(body.results)
    if operation.kind == "while":
        condition = operation.regions[0]
        condition.params = pick(condition.params)


def copy_region(region: Region, mapping: dict[Var, Var], depth: int | None = None) -> Region:
    """A copy of a region with everything in it; `mapping` says what stands for values from outside, and is extended."""
    fresh = Region(tuple(p.type for p in region.params), region.depth if depth is None else depth)
    mapping.update(zip(region.params, fresh.params, strict=True))
    for operation in region.operations:
        nested = tuple(copy_region(r, mapping, fresh.depth + 1) for r in operation.regions)
        copy = Operation(
            operation.kind,
            tuple([mapping.get(v, v) for v in operation.operands]),
            operation.attributes,
            tuple([v.type for v in operation.results]),
            nested,
            operation.location,
            fresh.depth,
        )
        mapping.update(zip(operation.results, copy.results, strict=True))
        fresh.operations.append(copy)
    fresh.results = [mapping.get(v, v) for v in region.results]
    return fresh
