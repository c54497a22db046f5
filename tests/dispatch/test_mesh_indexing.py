"""Open meshes of selected rows and columns, read and written: one program for all masks."""

import numpy as np
import pytest
from bounded_check import outcome, same

import xlapy

A = np.arange(36.0).reshape(6, 6)
MASKS = [np.array([1, 0, 1, 1, 0, 0], bool), np.zeros(6, bool), np.ones(6, bool), np.arange(6) == 2]


def rows_and_columns(a, m):
    i = np.flatnonzero(m)
    return a[i[:, None], i], a[i[:, None], np.array([0, 2])], a[[[1], [-1]], i], a[i[:, None], 3]


def open_mesh(a, m):
    return a[np.ix_(m, m)], a[np.ix_(m, [0, 1])], a[np.ix_(np.flatnonzero(~m), m)], np.ix_(m, [1, 2])


def three_dimensions(a, m):
    b = a[:, :, None] * np.arange(4.0)
    return b[np.ix_(m, [5, 0], [1, 3])], b[np.ix_(m, m)]


def stored(a, m):
    a[np.ix_(m, m)] = 7
    a[np.ix_(~m, ~m)] += 2 * a[np.ix_(~m, ~m)].T
    a[np.flatnonzero(m)[:, None], [0, 5]] = [[-1.0, -2.0]]
    return a


def stored_twice(a, m):
    i = np.flatnonzero(m)
    a[i[:, None] % 2, i] = a[i[:, None], i] + 100
    return a


def out_of_range(a, m):
    i = np.flatnonzero(m) * 2
    return a[i[:, None], i]


def wrong_value(a, m):
    a[np.ix_(m, m)] = np.ones((3, 2))
    return a


def reduced_system(a, m):
    free = np.flatnonzero(m)
    u = np.zeros(6)
    u[free] = np.linalg.solve((a + 50 * np.eye(6))[np.ix_(free, free)], np.ones(len(free)))
    return u


@pytest.mark.parametrize(
    "program",
    [rows_and_columns, open_mesh, three_dimensions, stored, stored_twice, out_of_range, wrong_value, reduced_system],
    ids=lambda f: f.__name__,
)
def test_one_program_for_all_masks(program):
    compiled = xlapy.jit(program)
    for mask in MASKS:
        value, error, after = outcome(program, (A, mask))
        found, failure, changed = outcome(compiled, (A, mask))
        assert (type(error), str(error)) == (type(failure), str(failure))
        if error is None:
            same(value, found)
            same(after, changed)
    assert compiled.cache_info().misses == 1
