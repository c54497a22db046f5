"""Loops that carry the same value several times carry it once."""

import numpy as np

from xlapy.ir import verify
from xlapy.passes import optimise

from .programs import operations, program, run

RNG = np.random.default_rng(5)
X, Y, Z = RNG.random(40), RNG.random(40), RNG.random(40)


def masks(function, *arguments):
    """How many masks of 40 lanes the loop carries, and the program's results."""
    module, operands = program(function, arguments)
    before = [np.asarray(v) for v in run(module, operands)]
    optimise(module)
    verify(module)
    for a, b in zip(before, run(module, operands), strict=True):
        np.testing.assert_array_equal(a, b)
    loops = [o for o in operations(module.entry) if o.kind in ("for", "while")]
    return [sum(v.type.shape == (40,) and v.type.dtype == bool for v in o.results) for o in loops]


def shrinking_together(x, y, z, n):
    for k in range(n):
        np.add(x, y, x)
        inside = x < 0.9 + 0.4 * k
        x, y, z = x[inside], y[inside], z[inside]
    return x.sum(), y, z


def shrinking_apart(x, y, z, n):
    for k in range(n):
        inside = x < 0.9 - 0.05 * k
        x = x[inside]
        y = y[y < 0.9]
    return x.sum(), y.sum(), z


def one_only_at_first(x, y, z, n):
    inside = x < 0.8
    x, y = x[inside], y[inside]
    for k in range(n):
        x = x[x > 0.1]
    return x.sum(), y.sum(), z


def test_lanes_that_shrink_together_have_one_mask():
    assert masks(shrinking_together, X, Y, Z, 3) == [1]


def test_lanes_that_shrink_apart_have_their_own():
    assert masks(shrinking_apart, X, Y, Z, 3) == [2]
    assert masks(one_only_at_first, X, Y, Z, 3) == [1]


def filtered_until_empty(x, y, z, n):
    for _ in range(n):
        if not len(x):
            break
        np.multiply(x, x, x)
        np.add(x, y, out=x)
        inside = x < 1.5
        x, y, z = x[inside], y[inside], z[inside]
    return x, y, z


def filtered_sometimes(x, y, z, n):
    inside = x < 0.9
    x, y, z = x[inside], y[inside], z[inside]
    for k in range(n):
        if k % 2:
            inside = y > 0.05 * k
            x, y = x[inside], y[inside]
        np.add(x, y, out=x)
    return x, y, z


def moved_on(module):
    """How often a program moves elements to other lanes."""
    return sum(o.kind in ("compact", "expand") for o in operations(module.entry))


def test_arrays_that_are_filtered_together_are_not_moved():
    for function in (filtered_until_empty, filtered_sometimes):
        module, _ = program(function, (X, Y, Z, 3))
        optimise(module)
        loops = [o for o in operations(module.entry) if o.kind in ("for", "while")]
        inside = [o for loop in loops for o in operations(loop.regions[-1])]
        assert not [o for o in inside if o.kind in ("compact", "expand", "positions")]
