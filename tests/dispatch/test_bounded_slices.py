"""Slices whose length depends on a loop: the loop stays a loop, and the program is one."""

import numpy as np
import pytest
from bounded_check import agree, outcome

R = np.random.default_rng(0)
A = R.normal(size=(6, 6))
S = A @ A.T + 6 * np.eye(6)
X = R.normal(size=6)
NAN = np.array([np.nan, 1.0, 2.0])


def row_products(a):
    s = 0.0
    for i in range(6):
        for j in range(i + 1):
            s += a[i, :j] @ a[j, :j]
    return s


def cholesky(a):
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


def lu(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]


def lu_by_outer_products(a):
    for k in range(a.shape[0] - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


def triangular_solve(m, x, b):
    for i in range(m.shape[0]):
        x[i] = (b[i] - m[i, :i] @ x[:i]) / m[i, i]


def durbin(r):
    y = np.empty_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def covariance(data, m, n):
    data -= np.mean(data, axis=0)
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i:m, i] = cov[i, i:m] = data[:, i] @ data[:, i:m] / (n - 1.0)
    return cov


def symm(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += 1.5 * b[i, j] * a[i, :i]
            c[i, j] = 0.5 * c[i, j] + 1.5 * b[i, j] * a[i, i] + 1.5 * (b[:i, j] @ a[i, :i])


def syrk(c, a):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= 0.5
        for k in range(a.shape[1]):
            c[i, : i + 1] += 1.5 * a[i, k] * a[: i + 1, k]


def matrix_vector(a, x):
    y = np.zeros(6)
    for i in range(6):
        y[i:] += a[i:, :i] @ x[:i]
        y[:i] -= x[:i] @ a[:i, :i]
    return y


def outer_products(x, y):
    m = np.zeros((6, 6))
    for i in range(6):
        m[i:, :i] += np.outer(x[i:], y[:i])
    return m


@pytest.mark.parametrize(
    ("program", "args", "loops"),
    [
        (row_products, (A,), 2),
        (cholesky, (S,), 2),
        (lu, (S,), 3),
        (lu_by_outer_products, (S,), 1),
        (triangular_solve, (np.tril(S), np.zeros(6), X), 1),
        (triangular_solve, (np.tril(S), np.full(6, np.nan), X), 1),
        (durbin, (0.1 * X,), 1),
        (durbin, (NAN,), 1),
        (covariance, (R.normal(size=(8, 5)), 5, 8.0), 1),
        (symm, (A, 2 * A, S), 2),
        (syrk, (S, A), 2),
        (matrix_vector, (A, X), 1),
        (outer_products, (X, X + 1), 1),
    ],
)
def test_kernels(program, args, loops):
    agree(program, *args, loops=loops)


def sums(x):
    t = 0.0
    for k in range(len(x) + 1):
        t += x[k:].sum() + x[:k].sum() * 2 + x[:k].size
    return t


def statistics(x):
    t = 0.0
    for k in range(1, len(x)):
        t += x[k:].mean() + x[:k].max() - x[k:].min() * 2 + x[:k].std() + x[:k].argmax() + x[k:].argmin()
    return t


def ends(x):
    t = 0.0
    for k in range(1, len(x)):
        t += x[:k][-1] * 3 + x[k:][0] + x[:k][::-1][0] + x[k::2].sum() + x[:k:2].sum() + x[::-1][:k].sum()
    return t


def negative_bounds(x):
    t = 0.0
    for k in range(-3, 3):
        t += x[k:].sum() + x[:k].sum() * 3 + x[-3:k].size * 100 + x[k::-1].sum()
    return t


def both_bounds(x):
    t = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            t += x[i:j].sum() + len(x[i:j])
            x[i:j] = i - j
    return t


def dead_lanes_hold_nan(x):
    y = np.full(6, np.nan)
    t = 0.0
    for i in range(6):
        t += y[:i] @ x[:i]
        y[i] = x[i]
        t += (y[: i + 1] * x[: i + 1]).max()
    return t


def views_alias(x):
    t = 0.0
    for k in range(1, 4):
        v = x[:k]
        w = np.flip(v)
        x[0] += 1.0
        t += w[-1] + v.sum()
        w[0] = 7.0
        t += x[k - 1]
    return t


def overlapping_assignment(x):
    for k in range(1, len(x)):
        x[1 : k + 1] = x[:k] * 0.5
        x[:k] = x[len(x) - k :]
    return x


def along_the_slice(x):
    y = np.zeros((6, 6))
    for k in range(6):
        y[k, k:] = np.cumsum(x[k:])
        y[k, :k] = np.sort(x[:k])[::-1]
    return y


@pytest.mark.parametrize(
    "program",
    [
        sums,
        statistics,
        ends,
        negative_bounds,
        both_bounds,
        dead_lanes_hold_nan,
        views_alias,
        overlapping_assignment,
        along_the_slice,
    ],
)
def test_vectors(program):
    agree(program, X, loops=2 if program is both_bounds else 1)


def maximum_of_nothing(x):
    t = 0.0
    for k in range(len(x)):
        t += x[:k].max()
    return t


def lengths_differ(x):
    t = 0.0
    for k in range(len(x) - 1):
        t += (x[:k] + x[: k + 2]).sum()
    return t


def product_of_different_lengths(x):
    t = 0.0
    for k in range(len(x) - 1):
        t += x[:k] @ x[: k + 1]
    return t


def item_out_of_range(x):
    t = 0.0
    for k in range(len(x)):
        t += x[:k][2]
    return t


@pytest.mark.parametrize(
    ("program", "error"),
    [
        (maximum_of_nothing, ValueError),
        (lengths_differ, ValueError),
        (product_of_different_lengths, ValueError),
        (item_out_of_range, IndexError),
    ],
)
def test_errors(program, error):
    agree(program, X, raises=error)


def sparse_product(rows, columns, values, x):
    y = np.empty(rows.size - 1)
    for i in range(rows.size - 1):
        y[i] = values[rows[i] : rows[i + 1]] @ x[columns[rows[i] : rows[i + 1]]]
    return y


def test_bounds_read_from_data():
    columns, values = np.array([0, 2, 1, 2]), np.array([1.0, 2, 3, 4])
    agree(sparse_product, np.array([0, 2, 2, 4]), columns, values, np.array([1.0, 10, 100]), loops=1)


def dynamic_steps(x, steps):
    t = 0.0
    for i in range(3):
        t += x[:: steps[i]].sum()
    return t


def test_steps_read_from_data():
    agree(dynamic_steps, X, np.array([1, 2, 3]))
    agree(dynamic_steps, X, np.array([1, 0, 3]), raises=ValueError)


def sieve(n):
    prime = np.ones(60, dtype=bool)
    prime[:2] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            prime[i * i :: i] = False
        i += 1
    return np.flatnonzero(prime[: n + 1])


def test_sieve():
    agree(sieve, 40, loops=1)


def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1)
    for i in range(len(weights)):
        w = weights[i]
        best[w:] = np.maximum(best[w:], best[:-w] + values[i])
    return best


def lagged(x, lags):
    total = 0.0
    for k in lags:
        total += (x[:-k] * x[k:]).sum() - np.hypot(x[k:], x[:-k]).max()
        x[:-k] -= 0.5 * x[k:]
    return total


LEAST = np.iinfo(np.int64).min


@pytest.mark.parametrize("capacity", [11, 1, 0])
@pytest.mark.parametrize("weights", [[3, 5, 1, 2, 9], [-3, -1, -20], [30, 2, 12], [2, 0, 1], [3, LEAST]], ids=str)
def test_slices_from_and_up_to_opposite_places_of_data(weights, capacity):
    """They have one length, unless the place is 0."""
    weights, values = np.array(weights), R.random(len(weights))
    _, error, _ = outcome(knapsack, (weights, values, capacity))
    agree(knapsack, weights, values, capacity, raises=error and type(error))


@pytest.mark.parametrize("lags", [[1, 2, 5], [-1, -4], [1, 0], [3, LEAST]], ids=str)
@pytest.mark.parametrize("size", [7, 2])
def test_lagged_differences(lags, size):
    lags, x = np.array(lags), R.random(size)
    _, error, _ = outcome(lagged, (x, lags))
    agree(lagged, x, lags, raises=error and type(error))
