"""Selections by mask, and other sizes that depend on data: empty, full and mixed ones."""

import numpy as np
import pytest
from bounded_check import agree

import xlapy

MIXED = np.array([3.0, -1.0, 2.0, 5.0, -0.5])
NONE = np.full(5, -1.0)
ALL = np.arange(1.0, 6.0)
M = np.random.default_rng(1).normal(size=(5, 3))


def own_memory(x):
    y = x[x > 0]
    z = y
    y *= 2
    z += 1
    y[y > 5] = -1
    return y, z, x, len(y)


def stores(x):
    x[x > 0] += 1
    x[x < 0] = x[x < 0] * 2 - 1
    x[x > 3] *= x[x > 3]


def positions(x):
    (a,) = np.where(x > 0)
    return a, np.where(x[a] > 2, x[a], 0.0), np.clip(x[a], 0, 3), np.round(x[a]), x[a][::-1], a + 1


def everything(x):
    return [x[x > 0], {"a": x[x < 0]}], np.nonzero(x), np.argwhere(x > 0), np.flatnonzero(x > 2)


def index_arrays(x):
    i = np.flatnonzero(x > 0)
    x[i] = x[i] * 2
    y = np.zeros(5)
    y[i] += 3
    return x[i], y, np.arange(5)[i]


def broadcasting(x):
    return x[x > 4] + x[x > 0][:1], x[x > 0] + 1, x[x > 0] * x[x > 0]


def loops(x):
    t = 0.0
    for v in x[x > 0]:
        t += v * t + v
    for i, v in enumerate(x[x < 3]):
        t += i * v
    for i in range(len(x[x > 0])):
        t += x[x > 0][i]
    for a, b in zip(x[x > 0], x[x > 0] * 2):
        t += a * b
    return t


def shrinking(x):
    for _ in range(3):
        x = x[x > x.mean() - 1]
    return x


def reductions(x):
    a = x[x > 0]
    return (
        a.sum(),
        a.prod(),
        a.mean(),
        a.var(),
        a.std(ddof=1),
        np.median(a),
        np.any(a > 4),
        np.all(a > 0),
        (a > 2).sum(),
    )


def along(x):
    a = x[x > 0]
    return np.cumsum(a), np.cumprod(a), np.diff(a), np.sort(a), np.argsort(a), np.count_nonzero(a > 2)


def questions(x):
    a = x[x > 0]
    return 2.0 in a, 2.0 not in a, any(a > 4), all(a > 1), np.linalg.norm(a), np.average(a), float(len(a))


def operators(x):
    a = x[x > 0]
    return a**2, a**0.5, 2**a, a // 2, a % 2, -a, abs(a), np.exp(a), ~(a > 2), a @ a, np.outer(a, a)


def branch_of_selections(x):
    if x[0] > 0:
        y = x[x > 0]
    else:
        y = x[x < 0]
    return y * 2


def branch_with_whole(x):
    if x[0] > 0:
        y = x[x > 0]
    else:
        y = x
    return y * 2, y.sum()


def joined(x):
    return np.concatenate([x[x > 0], x[x <= 0]]), np.concatenate(([0.0], x[x > 0], [9.0])), np.append(x[x > 0], 1.0)


def sets(x):
    return np.union1d(x[:2], x[1:3]), np.intersect1d(x, [2.0, 3.0]), np.setdiff1d(x, [2.0]), np.isin(x[x > 0], [2.0])


def runs(x):
    edges = np.concatenate([[0], np.flatnonzero(np.diff(x)) + 1, [len(x)]])
    return np.diff(edges), x[edges[:-1]]


def compressed(x):
    return np.compress(x > 0, x), np.extract(x > 0, x), x.compress(x > 1), np.compress([True, False], x)


def unique(x):
    u, c = np.unique(np.abs(x), return_counts=True)
    return u, c, u[np.argmax(c)], len(u), u[c > 1], u.sum()


def assigned_elsewhere(x):
    y, z = np.zeros(5), np.zeros(5)
    y[: len(x[x > 0])] = x[x > 0]
    z[z < 10] = x[x > -10]
    return y, z


@pytest.mark.parametrize("x", [MIXED, NONE, ALL], ids=["mixed", "none", "all"])
@pytest.mark.parametrize(
    "program",
    [
        own_memory,
        stores,
        positions,
        everything,
        index_arrays,
        broadcasting,
        loops,
        shrinking,
        reductions,
        along,
        operators,
        questions,
        branch_of_selections,
        branch_with_whole,
        joined,
        sets,
        runs,
        compressed,
        unique,
        assigned_elsewhere,
    ],
)
def test_selections(program, x):
    agree(program, x)


def of_different_lengths(x):
    return x[x > 0] + x[:2]


def product_of_different_lengths(x):
    return x[x > 0] @ x[:2]


def too_many_for_a_slice(x):
    x[:2] = x[x > -100]


def too_few_for_a_mask(x):
    x[x < 10] = x[x > 2][:2]


def maximum_of_nothing(x):
    return x[x > 100].max()


def position_in_nothing(x):
    return x[x > 100].argmax()


def first_of_nothing(x):
    return x[x > 100][0]


def truth_of_many(x):
    return 1 if x[x > 0] else 0


@pytest.mark.parametrize(
    ("program", "error"),
    [
        (of_different_lengths, ValueError),
        (product_of_different_lengths, ValueError),
        (too_many_for_a_slice, ValueError),
        (too_few_for_a_mask, ValueError),
        (maximum_of_nothing, ValueError),
        (position_in_nothing, ValueError),
        (first_of_nothing, IndexError),
        (truth_of_many, ValueError),
    ],
)
def test_errors(program, error):
    agree(program, MIXED, raises=error)


def rows(m):
    r = m[m[:, 0] > 0]
    return (
        r,
        r.sum(),
        r.sum(axis=0),
        r.mean(axis=1),
        r.T,
        r[:, 1],
        r @ np.ones(3),
        r.shape,
        r * 2 + r[:, :1],
        r.max(axis=1),
    )


def columns_and_elements(m):
    return m[:, m[0] > 0], m[m[:, 0] < 0, 1], m[m > 0], np.nonzero(m > 0), np.concatenate([m[m[:, 0] > 0], m[:1]])


def stores_in_rows(m):
    m[m[:, 0] < 0] = [7.0, 8.0, 9.0]
    m[m[:, 1] > 0, 2] = -1.0
    m[m[:, 1] > 0, 1:] = [5.0, 6.0]
    m[m < 0] *= 2


@pytest.mark.parametrize("program", [rows, columns_and_elements, stores_in_rows])
@pytest.mark.parametrize("m", [M, -np.abs(M), np.abs(M)], ids=["mixed", "none", "all"])
def test_matrices(program, m):
    agree(program, m)


def wrong_count_in_rows(m):
    m[m[:, 1] > -100, 2] = [1.0, 2.0]


def test_errors_in_matrices():
    agree(wrong_count_in_rows, M, raises=ValueError)


def mandelbrot(re):
    c = re[:, None] + 1j * np.array([0.0, 0.5, 1.0])
    z = np.zeros_like(c)
    count = np.zeros(c.shape, int)
    for i in range(8):
        m = np.abs(z) < 2
        z[m] = z[m] ** 2 + c[m]
        count[m] = i
    return z, count


def test_masked_update_moves_nothing():
    agree(mandelbrot, np.array([-1.5, 0.1, 0.3]), loops=1)


def only_the_result_has_a_dynamic_length(x, y):
    a = x[x > 0]
    np.cumsum(y, out=a)
    return a


def only_the_mask_has_a_dynamic_length(x, y):
    return np.sum(y, where=x[x > 0] > 0.5)


@pytest.mark.parametrize("function", [only_the_result_has_a_dynamic_length, only_the_mask_has_a_dynamic_length])
def test_an_argument_of_dynamic_length_that_is_not_the_first_has_to_be_known(function):
    for x in ([1.0, -1.0, 2.0], [3.0, 4.0, -2.0], [-1.0, 0.1, 0.2]):
        np.testing.assert_array_equal(xlapy.jit(function)(np.array(x), np.ones(2)), function(np.array(x), np.ones(2)))
