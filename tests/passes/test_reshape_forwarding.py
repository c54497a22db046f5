"""Loops that look at elements of reshaped arrays, and store them."""

from math import prod

import jax
import numpy as np
import pytest

import xlapy
from xlapy.ir import every_operation, verify
from xlapy.passes import optimise
from xlapy.passes.native_loop_forms import plain
from xlapy.passes.reshape_sinking import is_reshape

from .programs import program
from .test_faster import form_that_runs


def raveled(u, k):
    flat = u.ravel()
    for i in range(flat.size):
        flat[i] = 2.0 * flat[i] + flat[i - k] + u[0, 1]


def by_flat(u, k):
    for i in range(u.size):
        u.flat[i] += k * i


def in_rows(u, k):
    rows = u.reshape(-1, 4)
    for i in range(len(rows)):
        for j in range(4):
            rows[i, j] = rows[i - k, j] + j * u[0, 0]


def whole_rows(u, k):
    rows = u.reshape(-1, 4)
    for i in range(len(rows)):
        rows[i] += rows[i - k]
        rows[i, 1:3] = rows[i - 1, 2:]


def in_blocks(u, k):
    blocks = u.reshape(6, -1, 2, 2)
    for i in range(6):
        blocks[i, k] *= 2.0
        blocks[i] += blocks[i - 1, k, 0, 0]
        u[i, k] = blocks[i, 1, 1, k]


def columns(u, k):
    pairs = u.reshape(-1, 2)
    for i in range(len(pairs)):
        pairs[:, 0] += pairs[i, k]
        pairs[i, ::-1] = pairs[i - 1]


def two_shapes(u, k):
    flat, rows = u.ravel(), u.reshape(24, 8)
    for i in range(1, 24):
        rows[i, k] = flat[i] + u[i % 12, 3]
        flat[-i] = rows[i - 1, k] * 0.5
    return rows.sum(), flat[::7].copy()


def some(u, k):
    flat = u.ravel()
    for i in range(flat.size):
        if flat[i] > 0.5:
            flat[i] = flat[i - k]
        elif flat[i] < -0.5:
            u[i % 12, 0] = flat[i]


def until(u, k):
    flat, i = u.ravel(), 0
    while flat[i] < 2.0 and i < 100:
        flat[i + k] += flat[i] ** 2
        i += 1
    return i


def beyond(u, k):
    flat = u.ravel()
    for i in range(flat.size):
        flat[i] = flat[i + k]


def caught(u, k):
    flat, bad = u.reshape(-1, 16), 0
    for i in range(14):
        try:
            flat[i, 3] = flat[i + k, i + k]
        except IndexError as error:
            bad += len(str(error))
            flat[0, 0] = bad
    return bad


def whole_at_the_end(u, k):
    for i in range(20):
        flat = u.reshape(-1)
        flat[i] = k
        u = (flat * 0.5).reshape(u.shape)
    return u


PROGRAMS = [
    raveled, by_flat, in_rows, whole_rows, in_blocks, columns, two_shapes, some, until, beyond, caught, whole_at_the_end
]  # fmt: skip
NAMES = [function.__name__ for function in PROGRAMS]
#: those of which every access has a place in the array that the loop carries
IN_PLACE = [raveled, by_flat, in_rows, whole_rows, some, until]


def grid():
    return np.random.default_rng(0).standard_normal((12, 16))


def shown(array):
    """An array that is a view of one of another shape, as `reshape` makes them."""
    return array.ravel().copy().reshape(array.shape)


def outcome(function, u, k):
    try:
        return function(u, k), u
    except IndexError as error:
        return str(error), grid()


@pytest.mark.parametrize("function", PROGRAMS, ids=NAMES)
@pytest.mark.parametrize("k", [1, 0])
@pytest.mark.parametrize("made", [np.copy, shown, np.asfortranarray, lambda u: np.repeat(u, 2, 1)[:, ::2]])
def test_as_numpy(function, k, made):
    compiled = xlapy.jit(function, returns="numpy")
    found, expected = (outcome(f, made(grid()), k) for f in (compiled, function))
    jax.tree.map(
        lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-13) if x is not y else None, found[1], expected[1]
    )
    if isinstance(expected[0], str):
        assert found[0] == expected[0]
    else:
        jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-13), found[0], expected[0])


@pytest.mark.parametrize("function", PROGRAMS, ids=NAMES)
def test_by_xla(function):
    """Another compiler, and derivatives: of the form that was written."""

    def total(u):
        u = np.array(u)
        found = function(u, 1)
        return (
            (u if found is None or np.ndim(found) == 0 else found[1]).sum() if function is not two_shapes else u.sum()
        )

    if function is beyond:
        return
    with jax.enable_x64(True):
        np.testing.assert_allclose(jax.jit(xlapy.jit(total))(grid()), total(grid()), rtol=1e-12)
    if function is not in_blocks:
        direction = np.random.default_rng(1).standard_normal((12, 16)) * 1e-7
        change = total(grid() + direction) - total(grid() - direction)
        np.testing.assert_allclose((xlapy.grad(total)(grid()) * direction).sum() * 2, change, rtol=1e-4, atol=1e-12)


@pytest.mark.parametrize("function", PROGRAMS, ids=NAMES)
def test_well_formed(function):
    module, _ = program(function, (grid(), 1))
    optimise(module)
    verify(module)
    entry = plain(module)
    for region in (entry, form_that_runs(module)):
        whole = [o for o in every_operation(region) if is_reshape(o) and prod(o.results[0].type.shape) == grid().size]
        assert not whole or function not in IN_PLACE
