"""Loops carry, and branches give, arrays of numbers that are put together and taken apart in them."""

import jax
import numpy as np
import pytest

from xlapy.interpreter.analyse import analyse
from xlapy.ir import Module, Region, every_operation, verify
from xlapy.ir.stacking_leaves import is_stack, is_unstack
from xlapy.lowering.evaluate import evaluate
from xlapy.passes import clean
from xlapy.passes.simplify import simplify
from xlapy.runtime.codegen import locate
from xlapy.runtime.packing import packing_of_operands, travelling

NUMBERS = [float(k * k) for k in range(20)]
PLACES = np.arange(70) * 7 % 20


def added(x, places):
    for p in places:
        x[p] += 1.0
    return x


def under_a_condition(x, places):
    for p in places:
        if p > 2:
            x[p] += 1.0
            if x[p] > 10:
                x[0] = x[p]
    return x


def until(x, places):
    k = 0
    while x[k] < 50:
        x[k + 1] = x[k] * 2 + 1
        k += 1
    return x, k


def nested(x, places):
    for p in places:
        for q in places:
            x[p] = x[q] + x[p]
    return x


def in_rows(x, places):
    table = x
    for p in places:
        for j in range(8):
            table[p % 2][j] -= table[1][7 - j]
        table[p % 2][0] = 2.0
    return table


def in_a_branch(x, places):
    table = x
    for p in places:
        for j in range(8):
            if table[p % 3][j] > 10:
                table[p % 3][j] = table[1][7 - j] / 2
                if p > 2:
                    table[(p + 1) % 3][p % 8] = table[2][j]
    return table


def turned(x, places):
    return np.array([[x[4 * i + j] for j in range(4)] for i in range(5)]), np.array(x), x[3:12]


TABLES = [in_rows, in_a_branch]
FUNCTIONS = [added, under_a_condition, until, nested, turned, *TABLES]


def program(function) -> tuple[Module, list]:
    x = [NUMBERS[:8], NUMBERS[8:16], NUMBERS[4:12]] if function in TABLES else list(NUMBERS)
    arguments = {"x": x, "places": PLACES}
    analysis = analyse(function, arguments, set(), set(), True, False)
    return analysis.module, [np.asarray(locate(p.source, arguments)) for p in analysis.parameters]


def inside(region: Region) -> list:
    """What puts many numbers together, or takes an array of many apart, in loops."""
    bodies = [r for o in every_operation(region) if o.kind in ("for", "while") for r in o.regions]
    found = {id(o): o for body in bodies for o in every_operation(body) if is_stack(o) or is_unstack(o)}
    return [o for o in found.values() if max(len(o.operands), len(o.results)) >= 8]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_stay_what_they_are(function):
    module, arguments = program(function)
    with jax.enable_x64(True):
        before = evaluate(module.entry, dict(zip(module.entry.params, arguments, strict=True)))
        clean(module.entry)
        verify(module)
        after = evaluate(module.entry, dict(zip(module.entry.params, arguments, strict=True)))
    for one, two in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, two)
        assert one.dtype == two.dtype


@pytest.mark.parametrize("function", [in_rows])
def test_nothing_is_put_together_in_loops(function):
    module, _ = program(function)
    assert inside(module.entry)
    clean(module.entry)
    assert not inside(module.entry)


def test_numbers_of_one_array_are_that_array():
    analysis = analyse(turned, {"x": list(NUMBERS), "places": PLACES}, set(), set(), True, False)
    packing = packing_of_operands(analysis.parameters, ())
    assert packing is not None and [len(group.places) for group in packing.groups] == [20]
    made = travelling(analysis, packing, None).module
    simplify(made)
    verify(made)
    assert [p.type.shape for p in made.entry.params] == [(70,), (20,)]
    assert not [o for o in made.entry.operations if is_stack(o) and len(o.operands) >= 8]
