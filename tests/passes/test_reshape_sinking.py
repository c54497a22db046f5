"""What is computed on reshaped arrays and reshaped back."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.ir import every_operation
from xlapy.passes import optimise
from xlapy.passes.reshape_sinking import is_reshape

from .programs import program
from .test_faster import array_copies, form_that_runs


def escapes(c, limit):
    z = np.zeros_like(c)
    count = np.zeros(c.shape, np.int64)
    for _ in range(limit):
        inside = np.abs(z) <= 2.0
        z[inside] = z[inside] ** 2 + c[inside]
        count[inside] += 1
    return z, count


def by_ravel(x, n):
    for _ in range(n):
        x = (x.ravel() * 2 + x.reshape(-1)).reshape(x.shape) - 1.0
    return x


def in_columns(x, n):
    """Not the same order of elements."""
    for _ in range(n):
        x = (x.ravel(order="F") + 1.0).reshape(x.shape)
    return x


def through_three(x, n):
    for _ in range(n):
        flat = x.reshape(-1, 2) * 2.0
        x = np.where(flat.ravel() > 3.0, flat.ravel(), 1.0).reshape(x.shape)
    return x


def used_twice(x, n):
    total = np.zeros(x.size)
    for _ in range(n):
        flat = x.ravel() + 1.0
        total += flat
        x = flat.reshape(x.shape)
    return x, total


def with_a_constant(x, n):
    for _ in range(n):
        x = (x.ravel() + np.arange(x.size)).reshape(x.shape)
    return x


def under_a_mask(x, n):
    for k in range(n):
        x[x > k] -= 1.0
        x[(x > k) & (x < 5)] *= 2.0
    return x


GRID = np.linspace(-2, 2, 24).reshape(4, 6)
PROGRAMS = [
    (escapes, (GRID + 1j * GRID[::-1], 9), True),
    (by_ravel, (GRID, 3), True),
    (in_columns, (GRID, 3), False),
    (through_three, (GRID, 3), True),
    (used_twice, (GRID, 3), True),
    (with_a_constant, (GRID, 3), True),
    (under_a_mask, (GRID * 4, 3), True),
]
NAMES = [function.__name__ for function, *_ in PROGRAMS]


def same(mine, its):
    """Equal, but for products of complex numbers: `a * b + c` is rounded once (see "Accepted differences")."""
    if its.dtype.kind == "c":
        np.testing.assert_allclose(mine, its, rtol=1e-14)
    else:
        np.testing.assert_array_equal(mine, its)


@pytest.mark.parametrize(("function", "arguments", "gone"), PROGRAMS, ids=NAMES)
def test_programs(function, arguments, gone):
    for n in (arguments[1], 0, 1):
        mine, its = ([v.copy() for v in arguments[:1]] for _ in range(2))
        jax.tree.map(same, xlapy.jit(function)(*mine, n), function(*its, n))
        np.testing.assert_array_equal(mine[0], its[0])


@pytest.mark.parametrize(("function", "arguments", "gone"), PROGRAMS, ids=NAMES)
def test_reshapes_go_where_all_is_element_by_element(function, arguments, gone):
    module, _ = program(function, arguments)
    optimise(module)
    loops = [o for o in every_operation(form_that_runs(module)) if o.kind == "for"]
    assert len(loops) == 1
    assert not any(is_reshape(o) for o in loops[0].regions[0].operations) == gone


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="what XLA's CPU backend copies")
def test_masks_are_stored_into_in_place():
    """One copy, of what both results of a trip are computed from."""
    c = np.zeros((30, 40), complex)
    assert array_copies(escapes, (c, 5), "30,40") <= 1
