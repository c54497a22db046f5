"""Sums over ranges that are read from data are computed for the range, not for all of the array."""

import jax
import numpy as np

import xlapy

COUNTS = np.array([3, 0, 1, 40, 0, 7, 9, 8, 2, 30])
STARTS = np.concatenate([[0], np.cumsum(COUNTS)])
RNG = np.random.default_rng(5)
VALUES, COLUMNS, X = RNG.normal(size=100), RNG.integers(0, 20, 100), RNG.normal(size=20)


def product(values, columns, starts, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(y)):
        row = slice(starts[i], starts[i + 1])
        y[i] = values[row] @ x[columns[row]]
    return y


def test_nothing_is_computed_for_all_elements():
    text = xlapy.code_xla(product, VALUES, COLUMNS, STARTS, X, opt=True)
    computed = [line for line in text.splitlines() if "f64[100]" in line.split(" = ")[-1].split("(")[0]]
    assert all("parameter(" in line or "get-tuple-element(" in line for line in computed)


def test_derivatives():
    def total(values, x):
        y = product(values, COLUMNS, STARTS, x)
        return (y * y).sum()

    with jax.enable_x64(True):
        by_values, by_x = xlapy.grad(total, argnums=(0, 1))(VALUES, X)
    y = product(VALUES, COLUMNS, STARTS, X)
    rows = np.repeat(np.arange(len(COUNTS)), COUNTS)
    np.testing.assert_allclose(by_values, 2 * y[rows] * X[COLUMNS], rtol=1e-10)
    expected = np.zeros(20)
    np.add.at(expected, COLUMNS, 2 * y[rows] * VALUES)
    np.testing.assert_allclose(by_x, expected, rtol=1e-10)


def test_derivatives_of_stores_into_every_nth_element():
    def total(x, y, n):
        z = x.copy()
        for i in range(1, n):
            z[i :: 7 * i] = y[i]
            z[i :: 11 * i] *= y[0]
        return (z * z).sum()

    with jax.enable_x64(True):
        slopes = xlapy.grad(total, argnums=(0, 1))(VALUES, X, 6)
    for place, slope in enumerate(slopes):
        for k in (0, 1, 5, 8, 14, 19):
            moved = [VALUES.copy(), X.copy()], [VALUES.copy(), X.copy()]
            moved[0][place][k] += 1e-6
            moved[1][place][k] -= 1e-6
            expected = (total(*moved[0], 6) - total(*moved[1], 6)) / 2e-6
            assert abs(slope[k] - expected) < 1e-6 * max(1.0, abs(expected))
