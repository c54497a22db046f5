"""Loads from arrays that were stored into just before.

A load of exactly what a store put there is the value that was stored; a load of something else is a load from the array
as it was before; and a store that a later one overwrites did not happen, nor did one of what is there already
(`a[1:] += x` stores twice). NumPy programs write a temporary's worth of loads and stores for each statement
(`a[i] += x; a[i] /= y`). XLA fuses a store into the load behind it, for which the array of before has to live on: it
copies all of it, in every iteration of a loop. Loads of large parts are left alone: there a load is as good as to
compute the value twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

from xlapy.ir import Module, Operation, Region, Var
from xlapy.ir.access_regions import Dimension, touched
from xlapy.ir.affine import difference
from xlapy.passes.costs import is_block_store, is_small

#: stores that a load looks behind
_DEPTH = 16


def forward(module: Module) -> bool:
    """Take loads past stores, and drop stores that are overwritten; whether there were any."""
    changed = _loads(module.entry, {})
    uses: Counter[Var] = Counter()
    _count(module.entry, uses)
    return _stores(module.entry, uses) or changed


def look_at_newest(region: Region, stored: dict[Var, tuple[Var, list[Dimension]]] | None = None) -> None:
    """Let loads be from the array as it is after all stores before them that do not touch what they load.

    What `forward` does for XLA it undoes for machine code, which stores at once: the array of before would be a copy.
    """
    stored = dict(stored or {})
    for operation in region.operations:
        for nested in operation.regions:
            look_at_newest(nested, stored)
        mine = touched(operation)
        if mine is None:
            continue
        source = operation.operands[0]
        if operation.kind != "load":
            stored[source] = operation.results[0], mine
            continue
        while (store := stored.get(source)) is not None and _apart(mine, store[1]):
            source = store[0]
        operation.operands = (source, *operation.operands[1:])


def _loads(region: Region, replaced: dict[Var, Var]) -> bool:
    changed = False
    kept: list[Operation] = []
    before: set[Operation] = set()
    for operation in region.operations:
        kept.append(operation)
        before.add(operation)
        if not replaced.keys().isdisjoint(operation.operands):
            operation.operands = tuple([replaced.get(v, v) for v in operation.operands])
        for nested in operation.regions:
            changed |= _loads(nested, replaced)
        mine = touched(operation)
        if mine is None:
            continue
        if operation.kind != "load":
            if _puts_back(operation, mine):
                replaced[operation.results[0]] = operation.operands[0]
                kept.pop()
                changed = True
            continue
        source, value = _behind(operation, mine, before)
        if value is not None:
            replaced[operation.results[0]] = value
            kept.pop()
            changed = True
        elif source is not operation.operands[0]:
            operation.operands = (source, *operation.operands[1:])
            changed = True
    region.operations = kept
    region.results = [replaced.get(v, v) for v in region.results]
    return changed


def _count(region: Region, uses: Counter[Var]) -> None:
    """How often each value is used."""
    uses.update(region.results)
    for operation in region.operations:
        uses.update(operation.operands)
        for nested in operation.regions:
            _count(nested, uses)


def _stores(region: Region, uses: Counter[Var]) -> bool:
    changed = False
    for operation in region.operations:
        for nested in operation.regions:
            changed |= _stores(nested, uses)
        mine = touched(operation)
        if mine is None or operation.kind == "load":
            continue
        source = _before(operation, mine, uses)
        if source is not operation.operands[0]:
            operation.operands = (source, *operation.operands[1:])
            changed = True
    return changed


def _behind(load: Operation, mine: list[Dimension], before: Container[Operation]) -> tuple[Var, Var | None]:
    """The array that a load may be from, and the value that it is if that is known.

    A branch or loop that loads from the array of before a store outside of it would capture both: only stores `before`
    it in its region are looked behind, all of them for a value.
    """
    source = near = load.operands[0]
    if any(d.count == 0 for d in mine) or not is_small(load.results[0], source):
        return source, None
    for _ in range(_DEPTH):
        store = source.owner
        theirs = touched(store)
        if theirs is None or not isinstance(store, Operation) or store.kind == "load":
            break
        # What is no store of a block in place, but a select or scatter over the whole array, is not fused with loads.
        if is_block_store(store) and _apart(mine, theirs):
            source = store.operands[0]
            near = source if store in before else near
            continue
        value: Var = store.operands[1]
        same_type = value.type[:2] == load.results[0].type[:2]
        return near, value if same_type and _equal(mine, theirs) else None
    return near, None


def _puts_back(store: Operation, mine: list[Dimension]) -> bool:
    """Whether a store changes nothing: it puts what a load took from the array to where that took it."""
    load = store.operands[1].owner
    theirs = touched(load)
    if theirs is None or not isinstance(load, Operation) or load.kind != "load":
        return False
    if store.operands[1].type != load.results[0].type:
        return False
    source, taken = store.operands[0], load.operands[0]
    if source.type != store.results[0].type or source.type[:2] != taken.type[:2] or not _equal(mine, theirs):
        return False
    for _ in range(_DEPTH):
        if source is taken:
            return True
        earlier = source.owner
        others = touched(earlier)
        if others is None or not isinstance(earlier, Operation) or earlier.kind == "load":
            return False
        if not _apart(mine, others):
            return False
        source = earlier.operands[0]
    return False


def _before(store: Operation, mine: list[Dimension], uses: Counter[Var]) -> Var:
    """The array into which a store may store, without those parts that it overwrites before anybody looks at them."""
    source = store.operands[0]
    for _ in range(_DEPTH):
        earlier = source.owner
        theirs = touched(earlier)
        if theirs is None or not isinstance(earlier, Operation) or earlier.kind == "load":
            break
        if uses[source] > 1 or not _covers(mine, theirs):
            break
        source = earlier.operands[0]
    return source


def _equal(a: list[Dimension], b: list[Dimension]) -> bool:
    return all(
        x.count == y.count
        and x.dropped == y.dropped
        and (x.step == y.step or x.count == 1)
        and difference(x.start, y.start) == 0
        for x, y in zip(a, b, strict=True)
    )


def _apart(a: list[Dimension], b: list[Dimension]) -> bool:
    """Whether two parts of an array have no element in common."""
    for x, y in zip(a, b, strict=True):
        distance = difference(x.start, y.start)
        if distance is None or not x.count or not y.count:
            continue
        lower = x.lowest(distance) - y.lowest(0)
        if lower >= y.span or -lower >= x.span:
            return True
        if abs(x.step) == abs(y.step) and lower % x.step:
            return True
    return False


def _covers(a: list[Dimension], b: list[Dimension]) -> bool:
    """Whether all elements of the second part are elements of the first."""
    for x, y in zip(a, b, strict=True):
        distance = difference(y.start, x.start)
        if distance is None or not x.count or not y.count:
            return False
        lower = y.lowest(distance) - x.lowest(0)
        dense = abs(x.step) == 1 or x.count == 1
        aligned = y.count == 1 or abs(y.step) == abs(x.step)
        if lower < 0 or lower + y.span > x.span or not (dense or (aligned and lower % x.step == 0)):
            return False
    return True
