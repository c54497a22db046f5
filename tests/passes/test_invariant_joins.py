"""Joins of many numbers leave the loops in which they do not change."""

import numpy as np

import xlapy
from xlapy.interpreter.analyse import analyse
from xlapy.ir import Module, Operation, Region, verify
from xlapy.passes.invariant_joins import hoist_joins

NUMBERS = [float(n * n) for n in range(20)]


def joins(region: Region, depth: int = 0) -> list[int]:
    """How many regions are around each join of at least eight values."""
    found = []
    for operation in region.operations:
        if operation.kind in ("leaf", "stacked") and len(operation.operands) >= 8:
            found.append(depth)
        for nested in operation.regions:
            found += joins(nested, depth + 1)
    return found


def loops(region: Region) -> list[Operation]:
    found = [o for o in region.operations if o.kind in ("for", "while")]
    return found + [o for r in region.operations for nested in r.regions for o in loops(nested)]


def hoisted(function, items, x) -> Module:
    module = analyse(function, {"items": items, "x": x}, set(), set(), False, False).module
    hoist_joins(module)
    verify(module)
    return module


def picked(items, x):
    s = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if x[j] > 0.5:
                s += items[x.astype(int)[i] % 20] * items[j]
    return s


def changed(items, x):
    s = 0.0
    for i in range(len(x)):
        items = [v + 1.0 for v in items]
        s += items[int(x[i]) % 20]
    return s


def rarely(items, x):
    s = 0.0
    for i in range(len(x)):
        items = [v + s for v in items]
        if x[i] > 18.0:
            s += items[int(x[i]) % 20]
    return s


X = np.linspace(0.0, 19.0, 20)


def test_a_join_of_arguments_is_made_once():
    module = hoisted(picked, NUMBERS, X)
    assert loops(module.entry)
    assert joins(module.entry) == [0]


def test_a_join_of_what_the_loop_changes_stays():
    assert float(xlapy.jit(changed)(list(NUMBERS), X)) == changed(list(NUMBERS), X)
    assert max(joins(hoisted(changed, list(NUMBERS), X).entry)) > 0


def test_a_join_in_a_branch_stays_in_it():
    module = hoisted(rarely, list(NUMBERS), X)
    body = loops(module.entry)[0].regions[-1]
    assert not any(
        o.kind in ("leaf", "stacked") and len(o.operands) >= 8 and len(o.results) == 1 for o in body.operations
    )
    assert float(xlapy.jit(rarely)(list(NUMBERS), X)) == rarely(list(NUMBERS), X)


def test_the_answers_are_the_same():
    np.testing.assert_allclose(xlapy.jit(picked)(NUMBERS, X), picked(NUMBERS, X))
