"""What some trips of a loop add to is added to by all of them."""

import numpy as np
import pytest

import xlapy
from xlapy.ir import verify
from xlapy.passes import optimise
from xlapy.passes.accumulators import add_always

from .programs import operations, program

X = np.array([0.5, -2.0, 3.0, np.nan, -0.0, 7.0])


def under_a_condition(x):
    total = 0.0
    for v in x:
        if v > 0:
            total += v
    return total


def one_of_three(x):
    total = 1.0
    for v in x:
        if v > 1:
            total -= v
        elif v < 0:
            total = 2 * v + total
    return total


def counts_twice(x):
    count = 0
    for v in x:
        count += 1
        if v > 0:
            count += 3
    return count


def multiplied(x):
    total = 1.0
    for v in x:
        if v > 0:
            total *= v
    return total


def added_twice(x):
    """Two roundings: to add the sum of both is another number."""
    total = 0.1
    for v in x:
        if v > 0:
            total += v
            total += 0.3
    return total


def looked_at(x):
    total = 0.0
    for v in x:
        if v > total:
            total += v
    return total


def replaced(x):
    total = 0.0
    for v in x:
        if v > 0:
            total += v
        else:
            total = v
    return total


def updates(function):
    module, _ = program(function, (X,))
    optimise(module)
    entry = module.entry.fast
    loop = next(o for o in operations(entry) if o.kind == "for")
    assert not add_always(entry)  # once is enough
    verify(module)
    return {result.owner.kind for result in loop.regions[0].results}


@pytest.mark.parametrize("function", [under_a_condition, one_of_three, counts_twice])
def test_added_to_always(function):
    assert "add" in updates(function)


@pytest.mark.parametrize("function", [multiplied, added_twice, looked_at, replaced])
def test_others_stay(function):
    assert updates(function) == {"select"}


@pytest.mark.parametrize(
    "function", [under_a_condition, one_of_three, counts_twice, multiplied, added_twice, looked_at, replaced]
)
def test_bit_by_bit(function):
    for x in (X, X[:3], X.astype(np.float32), X[4:5], X[:0]):
        expected, got = function(x), xlapy.jit(function, returns="numpy")(x)
        assert np.asarray(expected).tobytes() == np.asarray(got).tobytes(), (expected, got)
