"""Loads behind stores, stores behind stores, and checks behind checks."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.passes import optimise

from .programs import operations, program

X = np.linspace(-1, 1, 10)
A = np.arange(49.0).reshape(7, 7)


def count(function, arguments, kind):
    module, _ = program(function, arguments)
    optimise(module)
    return sum(o.kind == kind for o in operations(module.entry))


def update_twice(x, n):
    for i in range(n):
        x[i] += 1.0
        x[i] *= 2.0
        x[i] -= 3.0


def update_neighbours(x, n):
    for i in range(n):
        x[i] = x[i + 1]
        x[i + 1] = x[i] + x[i + 2]
        x[i] = x[i + 2]


def update_unknown(x, n, j):
    for i in range(n):
        x[i] = 1.0
        x[j] = x[i] + x[j]


def rows_and_elements(a, n):
    for i in range(n):
        a[i, 2] = 1.0
        a[i, :] = a[i + 1, :]
        a[i, 3] = 2.0


def large_parts_in_place(a, n):
    for _ in range(n):
        a[1:] -= a[:-1]
        a[:, 1:] *= 2.0


def put_back_elsewhere(a, n):
    for _ in range(n):
        a[1:] = a[:-1]
        b = a[1:].copy()
        a[2:, 1:] += 1.0
        a[1:] = b


def put_back_beside_a_store(a, n):
    for i in range(n):
        b = a[:, 1:].copy()
        a[i, 0] = 7.0
        a[:, 1:] = b


@pytest.mark.parametrize(
    ("function", "arguments", "loads", "stores"),
    [
        (update_twice, (X, 3), 1, 1),
        (update_neighbours, (X, 3), 2, 3),
        (update_unknown, (X, 3, 4), 1, 2),
        (rows_and_elements, (A, 3), 1, 2),
        (large_parts_in_place, (A, 3), 3, 2),
        (put_back_elsewhere, (A, 3), 3, 3),
        (put_back_beside_a_store, (A, 3), 0, 1),
    ],
)
def test_loads_and_stores_that_stay(function, arguments, loads, stores):
    assert count(function, arguments, "load") == loads
    assert count(function, arguments, "store") == stores


def sweep(a, n):
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            a[i, j] += a[i, j - 1] + a[i, j + 1] + a[i - 1, j] + a[i + 1, j]
            a[i, j] /= 5.0


def test_one_check_for_each_place_beyond_those_checked():
    module, _ = program(sweep, (A, 7))
    optimise(module)
    codes = [o for o in operations(module.entry) if o.kind == "ge"]
    # i, i + 1, j, j + 1
    assert len(codes) == 4


@pytest.mark.parametrize("n", [7, 8, 9, 20])
def test_the_first_error_is_the_one_that_is_raised(n):
    with pytest.raises(IndexError) as ours:
        xlapy.jit(sweep)(A.copy(), n + 1)
    with pytest.raises(IndexError) as theirs:
        sweep(A.copy(), n + 1)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("function", [update_twice, update_neighbours])
def test_derivatives(function):
    def total(x, i):
        y = x.copy()
        function(y, i)
        return (y * y).sum()

    compiled = xlapy.grad(total)
    for i in (1, 3):
        with jax.enable_x64(True):
            slope = np.asarray(compiled(X, i))
        for k in range(len(X)):
            step = np.zeros_like(X)
            step[k] = 1e-6
            assert abs(slope[k] - (total(X + step, i) - total(X - step, i)) / 2e-6) < 1e-7


@pytest.mark.parametrize("function", [large_parts_in_place, put_back_elsewhere, put_back_beside_a_store])
def test_what_is_put_back_is_put_back_where_it_was(function):
    ours, theirs = A.copy(), A.copy()
    xlapy.jit(function)(ours, 3)
    function(theirs, 3)
    np.testing.assert_array_equal(ours, theirs)
