"""Large arrays at a few places: `x[[i, j]] = x[[j, i]]`."""

import jax
import numpy as np
import pytest

import xlapy
from tests.passes.test_faster import array_copies

from .runner import Programs

program = Programs()

X = np.arange(100.0) * 1.5
TABLE = np.arange(600).reshape(100, 6)
WIDE = np.arange(1200.0).reshape(2, 100, 6)
CALLS = ((X, 3, -4), (X, 7, 7), (X, -100, 99), (X, 0, 100), (X, -101, 5))


@program(*CALLS, raises=IndexError, compiles=1)
def swapped(x, i, j):
    x[[i, j]] = x[[j, i]]
    return x


@program(*CALLS, raises=IndexError)
def nothing_is_stored_before_an_error(x, i, j):
    x[[1, i, j]] = -1
    return x


@program(*CALLS[:3], compiles=1)
def duplicates(x, i, j):
    x[[i, j, i]] = np.array([1.0, 2.0, 3.0])
    x[np.array([j, j])] = i, j
    return x


@program(*CALLS[:3], compiles=1)
def one_for_all(x, i, j):
    x[np.array([i, j])] = 7
    x[[j, i, 4]] = np.array([5])
    return x


@program(*CALLS[:3], compiles=1)
def added(x, i, j):
    x[[i, j]] += 1
    x[[i]] *= 2
    return x, x[[i, j, 0, -1]], x[np.array([i, i], np.int32)], x[[i, j]].sum()


@program((X,))
def known_places(x):
    x[[5, -5, 5]] = 1, 2, 3
    return x[[1, 1, -1]], x[np.array([], int)], x


@program((X, np.array([3, 200])), (X, np.array([3, -1])), raises=IndexError)
def places_from_an_array(x, at):
    y = x[at]
    x[at[::-1]] = y
    return y, x


@program((TABLE, 2, 90), (TABLE, -1, -1))
def rows_swapped(a, i, j):
    a[[i, j]] = a[[j, i]]
    return a, a[[i, j]], a[[j], :]


@program((TABLE, 2, 90), (TABLE, -1, -1))
def rows_from_one(a, i, j):
    a[[i, j]] = np.arange(6)
    a[[j, 1], 1:3] = np.array([[8], [9]])
    a[:, [0, 3]] = a[:, [3, 0]]
    return a


@program((WIDE, 2, 90), (WIDE, -1, 5))
def behind_another_axis(a, i, j):
    a[:, [i, j]] = a[:, [j, i]] * 2
    a[1, [i, j]] = -1
    a[..., [i, 4], 1] = 3
    return a, a[:, [i, j]], a[0, [i, j]], a.T[[0, 1]]


@program((WIDE, 2, 90))
def of_a_view(a, i, j):
    part = a[1, ::2].T[:, ::-1]
    part[:, [i, j % 40]] = 1
    return a, part


@program((X, 2), (X, 3))
def wrong_shapes(x, n):
    try:
        x[[n, 1]] = np.ones(3)
    except ValueError as error:
        return str(error), x
    return None, x


@program((X, 2, 5))
def numbers_are_cast(x, i, j):
    k = (x * 10).astype(np.int8)
    k[[i, j]] = 3.9
    b = x > 50
    b[[i, j]] = 2
    z = x.astype(np.float32)
    z[[i, j]] = np.array([1e300, 0.1])
    return k, b, z


@program((np.arange(300.0), 300), (np.arange(300.0)[::-1], 299))
def in_a_loop(x, n):
    for i in range(n - 1):
        j = (i * 7) % n
        if x[i] > x[j]:
            x[[i, j]] = x[[j, i]]
        x[[i, -1]] += 1, 2
    return x


@program((np.random.default_rng(0).random((70, 70)),))
def rows_by_pivots(a):
    for k in range(len(a)):
        p = k + np.argmax(np.abs(a[k:, k]))
        a[[k, p]] = a[[p, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


def test_gradient():
    def f(x, i, j):
        y = x * x
        y[[i, j]] = y[[j, i]] * np.array([2.0, 3.0])
        return (y[[i, j, 0]] * np.array([1.0, 10.0, 100.0])).sum()

    expected = np.zeros(100)
    expected[[3, 8, 0]] = 10 * 3 * 2 * X[3], 2 * 2 * X[8], 100 * 2 * X[0]
    np.testing.assert_allclose(xlapy.grad(f)(X, 3, 8), expected)
    np.testing.assert_allclose(xlapy.jit(lambda x: xlapy.grad(f)(x, 3, 8) * 2)(X), expected * 2)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="what XLA's CPU backend copies")
@pytest.mark.parametrize(("function", "argument"), [(in_a_loop, 1234), (rows_by_pivots, None)])
def test_no_array_is_copied_in_a_trip(function, argument):
    if argument is None:
        arguments, elements = (np.ones((40, 50)),), "40,50"
    else:
        arguments, elements = (np.ones(argument), argument), argument
    assert array_copies(function, arguments, elements) <= 2


test_programs = program.test()
