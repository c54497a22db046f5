"""Iteration over one of several sequences, and loops over lists of different arrays."""

import copy
import functools

import jax
import numpy as np
import pytest

import xlapy


def chosen(a, b, k):
    c = a if k > 0 else b
    return [i * v for i, v in enumerate(c)], list(reversed(c)), [x * y for x, y in zip(c, a, strict=True)], max(c)


def written_meanwhile(a, b, k):
    c = a if k > 0 else b
    for i, v in enumerate(c):
        c[i] = v * 2
        if i + 1 < len(c):
            c[i + 1] = c[i + 1] + v
    return sum(c)


def tuple_or_list(a, b, k):
    c = tuple(a) if k > 0 else b
    return [v * 2 for v in c]


def array_or_list(a, b, k):
    c = np.array(a) if k > 0 else b
    return sum(v * 2 for v in c)


def different_lengths(a, b, k):
    s = 0.0
    for v in a if k > 0 else b[:2]:
        s += v
    return s


def plain(value):
    return jax.tree.map(lambda v: np.asarray(v).tolist(), value)


@pytest.mark.parametrize(
    "function", [chosen, written_meanwhile, tuple_or_list, array_or_list, different_lengths], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("k", [1, -1])
def test_as_in_cpython(function, k):
    given = ([1.0, 2.0, 3.0], [5.0, 7.0, 9.0])
    mine, theirs = copy.deepcopy(given), copy.deepcopy(given)
    found = xlapy.jit(function)(*mine, np.int64(k))
    assert plain(found) == plain(function(*theirs, k))
    assert plain(mine) == plain(theirs)


def grows(a, b, k):
    c = a if k > 0 else b
    for v in c:
        if len(c) < 6:
            c.append(v)
    return sum(c)


def test_refused():
    with pytest.raises(xlapy.NotOffloadableError, match="XP0004"):
        xlapy.jit(grows)([1.0, 2.0, 3.0], [5.0, 7.0, 9.0], np.int64(1))


def rebinds(p, n):
    for _ in range(n):
        for _ in range(2 * n):
            p = [a * 0.5 + i for i, a in enumerate(p)]
    return p


def writes_in_place(p, n):
    for k in range(n):
        for i in range(len(p)):
            p[i] -= 0.1 * p[i] * k
    return sum(a.sum() for a in p)


def replaces(p, n):
    m = [np.zeros_like(a) for a in p]
    for _ in range(n):
        for i in range(len(p)):
            m[i] = 0.9 * m[i] + p[i]
            p[i] = p[i] - 0.1 * m[i]
    return m


@pytest.mark.parametrize("function", [rebinds, writes_in_place, replaces], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_lists_of_different_arrays(function, n):
    def arrays():
        return [np.linspace(1.0, 2.0, 6).reshape(2, 3), np.ones(4), np.full((3,), 2.0)]

    mine, theirs = arrays(), arrays()
    compiled = xlapy.jit(function)
    compiled(arrays(), 5)
    found, expected = compiled(mine, n), function(theirs, n)
    assert (found is mine) == (expected is theirs)
    for a, b in zip([*jax.tree.leaves(found), *mine], [*jax.tree.leaves(expected), *theirs], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_a_loop_over_parameters_is_unrolled_in_a_loop_that_stays():
    def train(p, n):
        for _ in range(n):
            g = xlapy.grad(lambda p: np.tanh(p[0]).sum() * p[1].sum())(p)
            for i in range(2):
                p[i] -= 0.1 * g[i]

    text = xlapy.jit(train).lower([np.ones((2, 3)), np.ones(4)], 10).as_text()
    assert (text.count("stablehlo.while"), text.count("stablehlo.tanh")) == (1, 1)


# -- functions that get many ways to choose their arguments --


def looked_at(p, q):
    return p[0] * q[1] - p[-1] * q[0]


def gone_through(p, q):
    total = 0.0
    for v in p:
        total += v * q[0]
    return total + sum(q) + len(p)


def changed(p, q):
    p[0] += 1.0
    q[1] = p[0] * 2
    return p[1]


def told_apart(p, q):
    if p is q or p == q:
        return 1.5
    return max(p) if p > q else min(q)


def given_on(p, q):
    def swapped(a, b):
        return looked_at(b, a) if a[0] > 2 else gone_through(a, b)

    return swapped(p, q) + [*p, *q][1]


def unpacked(p, q):
    (a, b), (c, d) = p, q
    return a * d - b * c + (p + q)[2]


@pytest.mark.parametrize(
    "function", [looked_at, gone_through, changed, told_apart, given_on, unpacked], ids=lambda f: f.__name__
)
def test_many_ways_to_choose_arguments(function):
    def program(rows, more, i, j):
        p = rows[0]
        if i == 1:
            p = rows[1]
        elif i == 2:
            p = more
        q = more
        if j == 1:
            q = rows[0]
        elif j == 2:
            q = rows[2]
        found = function(p, q)
        q[0] += found
        return found, p, q

    compiled = xlapy.jit(program)
    for i in range(3):
        for j in range(3):
            given = ([[1.0, 2.0], [5.0, 7.0], [0.5, -3.0]], [4.0, 2.5])
            mine, theirs = copy.deepcopy(given), copy.deepcopy(given)
            assert plain(compiled(*mine, np.int64(i), np.int64(j))) == plain(program(*theirs, i, j))
            assert plain(mine) == plain(theirs)


def test_a_hull_of_points_that_are_lists():
    def turn(p, q, r):
        area = (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1])
        return (area > 0) - (area < 0)

    def with_left_turns(hull, r):
        while len(hull) > 1 and turn(hull[-2], hull[-1], r) != 1:
            hull.pop()
        if not len(hull) or hull[-1] != r:
            hull.append(r)
        return hull

    def half(points):
        return functools.reduce(with_left_turns, sorted(points), [])

    points = [[0.0, 0.0], [2.0, 1.0], [1.0, 3.0], [1.0, 1.0], [2.0, 1.0]]
    compiled = xlapy.jit(half)
    for given in (points, [[y, -x] for x, y in points]):
        assert plain(compiled(copy.deepcopy(given))) == half(given)
