"""Numbers that are looked for, and put, at places that depend on data stay in one array.

    for i in range(n):
        counts[digits[i]] += 1          # counts is a list

A list's items are values by themselves, and each is carried by the loop; an iteration puts them into an array, changes
it at one place, and takes it apart. Where a loop carries all that goes into an array, or a branch gives it, it carries
the array: what puts together what was taken apart then falls away (`simplify`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xlapy.ir import Module, Operation, Region, Var, every_operation
from xlapy.ir.stacking_leaves import MANY, giving, is_stack, is_unstack, like
from xlapy.passes.simplify import simplify


def keep_in_arrays(module: Module) -> None:
    """Let loops carry, and branches give, arrays in place of the numbers in them."""
    if any(map(is_unstack, every_operation(module.entry))) and _visit(module.entry):
        simplify(module)


def _visit(region: Region) -> bool:
    changed = False
    for operation in list(region.operations):
        for nested in operation.regions:
            changed |= _visit(nested)
        if operation.kind in ("for", "while"):
            changed |= _loop(operation, region)
    return _branches(region) or changed


def _loop(loop: Operation, region: Region) -> bool:
    first = 1 if loop.kind == "for" else 0
    body = loop.regions[-1]
    changed = False
    for stack, unstack in _pairs(body):
        places = _places(stack, body.params[first:])
        if places is None:
            continue
        before = like(stack, [loop.operands[first + k] for k in places], region.depth)
        results = [loop.results[k] for k in places]
        whole = stack.results[0].type
        for inner in loop.regions:
            start = first if inner is body else 0
            numbers = [inner.params[start + k] for k in places]
            array = Var(whole, inner, inner.depth)
            inner.params = [*_without(inner.params, numbers), array]
            inner.operations.insert(0, giving(numbers, like(unstack, [array], inner.depth)))
        end = like(stack, [body.results[k] for k in places], body.depth)
        body.operations.append(end)
        body.results = [*(v for k, v in enumerate(body.results) if k not in set(places)), end.results[0]]
        kept = [v for k, v in enumerate(loop.operands[first:]) if k not in set(places)]
        loop.operands = (*loop.operands[:first], *kept, before.results[0])
        array = Var(whole, loop, region.depth)
        loop.results = [*_without(loop.results, results), array]
        after = giving(results, like(unstack, [array], region.depth))
        at = region.operations.index(loop)
        region.operations[at : at + 1] = [before, loop, after]
        changed = True
    return changed


def _branches(region: Region) -> bool:
    """Branches all results of which, in their order, go into an array give that."""
    changed = False
    for stack, unstack in _pairs(region, False):
        branch = stack.operands[0].owner
        if not isinstance(branch, Operation) or branch.kind != "if" or branch not in region.operations:
            continue
        places = _places(stack, branch.results)
        if places is None:
            continue
        for arm in branch.regions:
            end = like(stack, [arm.results[k] for k in places], arm.depth)
            arm.operations.append(end)
            arm.results = [*(v for k, v in enumerate(arm.results) if k not in set(places)), end.results[0]]
        results = [branch.results[k] for k in places]
        array = Var(stack.results[0].type, branch, region.depth)
        branch.results = [*_without(branch.results, results), array]
        after = giving(results, like(unstack, [array], region.depth))
        region.operations.insert(region.operations.index(branch) + 1, after)
        for arm in branch.regions:
            _branches(arm)
        changed = True
    return changed


def _pairs(region: Region, everywhere: bool = True) -> Iterator[tuple[Operation, Operation]]:
    """What puts many numbers into an array in a region, each with something that takes such an array apart."""
    every = list(every_operation(region))
    apart = {(len(o.results), o.operands[0].type[:2]): o for o in every if is_unstack(o)}
    for operation in every if everywhere else list(region.operations):
        if is_stack(operation) and len(operation.operands) >= MANY:
            unstack = apart.get((len(operation.operands), operation.results[0].type[:2]))
            if unstack is not None:
                yield operation, unstack


def _places(stack: Operation, values: Sequence[Var]) -> list[int] | None:
    """Which of some values go into an array, each once; None if others do."""
    place = {v: k for k, v in enumerate(values)}
    places = [place.get(v, -1) for v in stack.operands]
    return None if -1 in places or len(set(places)) < len(places) else places


def _without(values: Sequence[Var], gone: Sequence[Var]) -> list[Var]:
    dropped = set(gone)
    return [v for v in values if v not in dropped]


__all__ = ["keep_in_arrays"]
