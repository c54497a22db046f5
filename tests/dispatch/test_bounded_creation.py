"""Fresh arrays of dynamic size, and `xlapy.bound`."""

import numpy as np
import pytest
from bounded_check import agree

import xlapy

X = np.array([3.0, -1.0, 2.0, 5.0, -0.5])


def of_counted_size(x):
    n = np.count_nonzero(x > 0)
    k = len(x[x > 0])
    return (
        np.zeros(k),
        np.arange(k),
        np.full(k, 2.5),
        np.ones((k, 2)),
        np.arange(1, k),
        np.arange(k) * 2,
        np.arange(n).sum(),
    )


def of_size_of_trip(x):
    t = 0.0
    for i in range(len(x)):
        a = np.zeros(i + 1)
        a[i] = x[i]
        a += 1
        t += a @ x[: i + 1] + (np.arange(i) * x[:i]).sum()
    return t


def with_steps_of_trip(x):
    n = len(x)
    out = np.zeros((n, 4))
    for i in range(n):
        back, some, left, few = np.arange(i, -1, -1), np.arange(i, n, 3), np.arange(n, i, -2), np.arange(i, n, 1)
        out[i] = x[back].sum(), len(some), (left * 1.5).sum() - len(left), x[few].sum()
        others = np.concatenate((np.r_[0:i], np.r_[i + 1 : n]))
        out[i, 2] += x[np.r_[0:i, i + 1 : n]].sum() + np.c_[x[:i], x[:i]].sum()
        out[i, 1] += x[others].sum() + x[np.r_[i:n:2]].sum() + x[np.r_[i:-1:-1]].sum()
    return out, back, some, left


def bounded_argument(x, n):
    n = xlapy.bound(n, 10)
    a = np.arange(n)
    total = 0.0
    for i in range(n):
        total += a[i]
    return a, np.zeros((n, 2)), x[:n], total


@pytest.mark.parametrize("x", [X, -np.abs(X), np.abs(X)], ids=["mixed", "none", "all"])
def test_sizes_from_data(x):
    agree(of_counted_size, x)
    agree(of_size_of_trip, x, loops=1)
    agree(with_steps_of_trip, x, loops=1)


def test_bound():
    for n in (0, 3, 10):
        agree(bounded_argument, X, n)
    agree(bounded_argument, X, 11, raises=ValueError)
    agree(bounded_argument, X, -1, raises=ValueError)


def test_bound_needs_one_program():
    compiled = xlapy.jit(bounded_argument)
    for n in (0, 3, 10):
        assert compiled(X, n)[0].shape == (n,)
    assert compiled.cache_info().misses == 1
