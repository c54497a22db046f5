"""Keeps XLA from copying a whole array in every iteration of a loop.

XLA's CPU backend fuses the load of an element into every computation that uses it, so that in

    a, b = x[i], x[j];  x[i] = b;  x[j] = a

the second store loads `x[i]` again, from `x` as it was before the first store: the old `x` has to live on, and each
iteration copies all of it (measured for 1000 elements: 460 ns an iteration instead of 3). XLA's `optimization-barrier`
is gone by then; the results of a conditional are not fused. So a value loaded before a store and used behind it passes
through a branch whose predicate XLA cannot know, though LLVM later does: `(integer & 1) < 2`. The lowering leaves the
branch out on other devices.

A store must not happen before the loads of what it overwrites, either (`store_ordering.py`), and a load of something
else behind a store must not be fused with it: the store then stands in such a branch itself.
"""

from __future__ import annotations

from math import prod

from xlapy.ir import Operation, Region, Var
from xlapy.passes.costs import is_block_store, is_read, is_small, is_store
from xlapy.passes.mutations import Changes
from xlapy.passes.store_ordering import LARGE, guard_shared, insert, unordered

_NONE: frozenset = frozenset()


def separate_loads_from_stores(region: Region) -> bool:
    """Put barriers into the bodies of the loops in a region; whether there were any to put."""
    return _visit(region, inside_loop=False)


def _visit(region: Region, inside_loop: bool) -> bool:
    changed = False
    for operation in region.operations:
        if "lanes" in operation.attributes:
            continue
        for nested in operation.regions:
            changed |= _visit(nested, inside_loop or operation.kind in ("for", "while"))
    if not inside_loop:
        return changed
    changed |= guard_shared(region)
    waits = unordered(region)
    kept_apart = _conflicts(region) | set(waits)
    if kept_apart:
        insert(region, kept_apart, waits)
    return changed or bool(kept_apart)


def _conflicts(region: Region) -> set[Operation]:
    """Loads whose values are used together with a later state of the array that they read, and stores that a load of
    something else follows."""
    states: dict[Var, tuple[Var, int]] = {}
    #: for each value, the loads that XLA could fuse into what uses it
    fused: dict[Var, frozenset[Operation]] = {}
    found: set[Operation] = set()
    inside: set[object] = set()
    changes = Changes()

    def state(var: Var) -> tuple[Var, int]:
        return states.get(var, (var, 0))

    def older(load: Operation, root: Var, number: int) -> bool:
        its_root, its_number = state(load.operands[0])
        return its_root is root and its_number < number

    for operation in region.operations:
        inside.add(operation)
        if operation.regions:
            for before, after in changes.by(operation):
                root, number = state(before)
                states[after] = (root, number + 1)
            continue
        used = frozenset().union(*(fused.get(v, _NONE) for v in operation.operands)) if operation.operands else _NONE
        if is_store(operation):
            root, number = state(operation.operands[0])
            found |= {load for load in used if older(load, root, number)}
            states[operation.results[0]] = (root, number + 1)
            continue
        if is_read(operation):
            root, number = state(operation.operands[0])
            found |= {load for load in used if older(load, root, number)}
            store = operation.operands[0].owner
            if isinstance(store, Operation) and store in inside and is_block_store(store):
                if prod(root.type.shape) >= LARGE and is_small(store.operands[1], root):
                    found.add(store)
            used = used | {operation}
        elif len(used) > 1:
            newest = {}
            for load in used:
                root, number = state(load.operands[0])
                newest[root] = max(newest.get(root, 0), number)
            found |= {load for load in used if older(load, load_root := state(load.operands[0])[0], newest[load_root])}
        for result in operation.results:
            fused[result] = used
    return found
