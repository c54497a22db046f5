"""Branches with little in them become straight code.

What both arms compute cheaply is computed before the branch. Small results are then selected; what is left in the arms
are stores into arrays, whose operands are known, or the branch is gone. Stores of an element into the same array, one
in each arm, become one store. A branch with more than that in an arm stays as it is: it must not run in vain.

Run on the copy of a program that is not differentiated: the derivative of a select is wrong where the arm that is not
taken has an infinite derivative (0 times infinity), the derivative of a branch is not.
"""

from __future__ import annotations

from math import prod

from xlapy.ir import Operation, Region, TensorType, Var, has_effects
from xlapy.passes.code_motion import adopt, keep_positions, rename, substitute
from xlapy.passes.costs import is_slow, is_store, work

#: simple operations on elements that may be done in vain, both arms together
_MOST_WORK = 96
#: elements of a result that is selected
_LARGEST = 16


def speculate(region: Region) -> bool:
    """Flatten cheap branches in a region and the regions in it, from the inside out; whether there were any."""
    return _region(region, {})


def _region(region: Region, replaced: dict[Var, Var]) -> bool:
    changed = False
    kept: list[Operation] = []
    for operation in region.operations:
        operation.operands = tuple([replaced.get(v, v) for v in operation.operands])
        if "plain" in operation.attributes:
            substitute(operation.attributes["plain"].region, replaced)
        for nested in operation.regions:
            changed |= _region(nested, replaced)
        if operation.kind == "if":
            changed |= _flatten(operation, region, kept, replaced)
        else:
            kept.append(operation)
    region.operations = kept
    region.results = [replaced.get(v, v) for v in region.results]
    return changed


def _flatten(operation: Operation, region: Region, kept: list[Operation], replaced: dict[Var, Var]) -> bool:
    moved = None if has_effects(operation) or _slow_predicate(operation) else _cheap(operation)
    if moved is None:
        kept.append(operation)
        return False
    for arm, (outside, inside) in zip(operation.regions, moved, strict=True):
        adopt(outside, region)
        kept += outside
        arm.operations = inside
    then, orelse = operation.regions
    _merge_stores(operation, region, kept)
    defined = {v for arm in operation.regions for o in arm.operations for v in o.results}
    stay = []
    for i, (result, a, b) in enumerate(zip(operation.results, then.results, orelse.results, strict=True)):
        if a in defined or b in defined or prod(a.type.shape) > _LARGEST:
            stay.append(i)
        else:
            replaced[result] = a if a is b else _select(operation, a, b, result, region, kept)
    if stay:
        keep_positions(operation, stay)
        kept.append(operation)
    return True


def _slow_predicate(branch: Operation) -> bool:
    """Whether it takes long to know which arm to take: then the processor guesses, and goes on with that arm, while a
    select would wait (measured for a Metropolis chain, `if u < exp(e)`: 2.5 times as long)."""
    waiting = [branch.operands[0]]
    seen: set[Var] = set()
    depth = branch.operands[0].depth
    while waiting:
        var = waiting.pop()
        if var in seen or var.depth < depth or not isinstance(var.owner, Operation):
            continue
        seen.add(var)
        if is_slow(var.owner):
            return True
        waiting += var.owner.operands
    return False


def _cheap(operation: Operation) -> list[tuple[list[Operation], list[Operation]]] | None:
    """For each arm the operations to move out and those that stay; None if more than stores would stay."""
    total = 0
    found = []
    for arm in operation.regions:
        outside: list[Operation] = []
        inside: list[Operation] = []
        held: set[Var] = set()
        for inner in arm.operations:
            if is_store(inner):
                inside.append(inner)
                held.update(inner.results)
                continue
            cost = work(inner)
            if cost is None or total + cost > _MOST_WORK:
                return None
            if any(v in held for v in inner.operands):
                # What is computed from an array that the arm has changed: a load behind a store.
                inside.append(inner)
                held.update(inner.results)
                continue
            total += cost
            outside.append(inner)
        found.append((outside, inside))
    return found


def _merge_stores(branch: Operation, region: Region, kept: list[Operation]) -> None:
    """Make one store of two: where both arms store an element, what is stored and where to are selected.

    XLA would copy the array in every iteration of a loop, or take two branches (`one_sided.py`)."""
    then, orelse = branch.regions
    one = 0
    while one < len(then.operations):
        store = then.operations[one]
        outside = {v for arm in branch.regions for o in arm.operations for v in o.results}.isdisjoint
        other = next((o for o in orelse.operations if _is_alike(store, o) and outside(o.operands)), None)
        if other is None or not outside(store.operands):
            one += 1
            continue
        operands = [store.operands[0]]
        for a, b in zip(store.operands[1:], other.operands[1:], strict=True):
            operands.append(a if a is b else _select(branch, a, b, a, region, kept))
        then.operations.remove(store)
        orelse.operations.remove(other)
        rename(branch, {other.results[0]: store.results[0]})
        store.operands = tuple(operands)
        adopt([store], region)
        kept.append(store)


def _is_alike(one: Operation, other: Operation) -> bool:
    """Whether two operations store as much into the same array, at places that may differ."""
    if not is_store(one) or not is_store(other) or one.operands[0] is not other.operands[0]:
        return False
    if one.attributes.get("index") is None or one.attributes["index"] != other.attributes.get("index"):
        return False
    types = [[v.type for v in o.operands] for o in (one, other)]
    return types[0] == types[1] and prod(one.operands[1].type.shape) <= _LARGEST


def _select(operation: Operation, a: Var, b: Var, result: Var, region: Region, kept: list[Operation]) -> Var:
    predicate = operation.operands[0]
    if a.type.shape:
        shape = TensorType(a.type.shape, predicate.type.dtype)
        attributes: dict[str, object] = {"shape": a.type.shape}
        spread = Operation("broadcast", (predicate,), attributes, (shape,), (), operation.location, region.depth)
        kept.append(spread)
        predicate = spread.results[0]
    chosen = Operation("select", (predicate, a, b), {}, (result.type,), (), operation.location, region.depth)
    kept.append(chosen)
    return chosen.results[0]
