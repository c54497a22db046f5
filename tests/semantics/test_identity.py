"""`is` and `id` of arrays: a view is a new object, whatever memory it shows; two arguments may be one object."""

import numpy as np
import pytest

import xlapy

from .runner import Programs

program = Programs()

X = np.array([1.0, 2.0, 4.0])
M = np.arange(12.0).reshape(3, 4)
SEVEN = M + 7
ROW = M[1]
#: two objects, two views of one memory that overlap, that do not, and one object
PAIRS = [(X, X.copy()), (M[:, 1], M[:, 2]), (M[1], M[1]), (M[1], M[2]), (M[1], M[1][::1]), (X, X), (ROW, ROW)]


@program(X)
def views_are_new(a):
    whole, found = a[:], [a[::-1] is a, a[1:] is a, a[:] is a, a[...] is a, a.T is a, a.view() is a]
    found += [a.reshape(a.shape) is a, a.ravel() is a, np.broadcast_to(a, a.shape) is a, a.copy() is a, +a is a]
    return found, whole is whole, whole is a, a[:] is a[:]


@program(X, X + 1j, M)
def functions_that_give_their_argument(a):
    found = [np.asarray(a) is a, np.asanyarray(a) is a, np.atleast_1d(a) is a, a.squeeze() is a, np.squeeze(a) is a]
    found += [np.ascontiguousarray(a) is a, a.astype(a.dtype, copy=False) is a, np.broadcast_arrays(a, a)[1] is a]
    return found, a.real is a, np.real(a) is a, np.squeeze(a[None]) is a


@program(X)
def of_arrays_that_were_made(x):
    a = x * 2
    return a[:] is a, np.asarray(a) is a, a.squeeze() is a, a.T is a, a.real is a


@program(*PAIRS)
def two_arguments(p, q):
    return p is q, p is not q


@program(*reversed(PAIRS))
def two_arguments_of_which_one_is_written(p, q):
    p[0] = 1
    return p is q


@program(*PAIRS)
def view_and_argument(p, q):
    return p[:] is q, p is q[1:], p.T is q.T


@program(*PAIRS)
def difference_but_of_one(p, q):
    return p[:3] - q[:3] if p is not q else p


@program(*PAIRS, *reversed(PAIRS))
def numbers_of_identity(p, q):
    return id(p) == id(q), id(p) == id(p), id(p[:]) == id(p)


ITEMS = [1.0]


@program((ITEMS, [1.0]), (ITEMS, ITEMS), (ITEMS, [1.0]))
def numbers_of_identity_of_lists(p, q):
    return id(p) == id(q)


@program((M[1], M[1][::1], M), (SEVEN[1], SEVEN[1][::1], SEVEN), (ROW, ROW, M), (X, X, M), (X, X.copy(), M))
def one_of_two_views(p, q, m):
    t = q
    p[1] = m[0, 0]
    if p[0] > 5:
        p = t
    return p is q, q is t


@program((M[1], M[1][::1], 0), (M[1], M[1][::1], 1), (M[1], M[1][::1], 4), (ROW, ROW, 2))
def swapped_views(p, q, n):
    first = p
    p[0] = 2
    for _ in range(n):
        p, q = q, p
    return p is first, q is first


@program((X, 0.0), (X, 1.0))
def returned_views(a, t):
    whole = a[:]
    return [whole, a, whole, a.reshape(3), a[...]], whole is a


@program(np.array([True, False]), np.array([1, 0]), np.array([2.0]))
def truths_of_numpy(a):
    """There are two objects of the class."""
    found = [a[0] is a[0], (a[0] > 0) is np.True_, a.any() is np.True_, (a > 5)[0] is np.False_, (a[0] == 1) is True]
    return found, a.all() is a.any(), np.bool_(a[-1]) is np.bool_(True), a[0] is True, (a.min() > 1) is not np.False_


class Parameter:
    def __init__(self, w):
        self.w = w


def step(p, state, g):
    key, pair = id(p), (id(p), "m")
    state[key] = 0.5 * state.get(key, 0.0) + g
    state[pair] = state.get(pair, 0) + 1
    state[p, 1] = p.w
    p.w = p.w - 0.25 * state[key]
    return id(p)


@pytest.mark.parametrize("turns", [(True, True, True), (True, False, True), (False, True, False)])
def test_identities_as_keys(turns):
    compiled, (p, q), state = xlapy.jit(step, returns="numpy"), (Parameter(0.0), Parameter(0.0)), {}
    other = {}
    for turn in turns:
        assert (compiled if turn else step)(p, state, 1.0) == id(p)
        step(q, other, 1.0)
    renamed = {id(q): id(p), (id(q), "m"): (id(p), "m"), (q, 1): (p, 1)}
    assert p.w == q.w
    assert state == {renamed[key]: value for key, value in other.items()}


def test_a_number_beside_identities():
    def found(p, k):
        return {id(p): 1}.get(k, 0)

    with pytest.raises(xlapy.NotOffloadableError):
        xlapy.jit(found)(Parameter(1.0), id(X))


test_programs = program.test()


def test_returned_whole_view_is_a_new_object():
    x = X.copy()
    assert xlapy.jit(lambda a: a)(x) is x
    view = xlapy.jit(lambda a: a[:], returns="numpy")(x)
    view[0] = 9
    assert view is not x and x[0] == 9


def test_device_arrays_are_told_apart():
    def same(a, b):
        a[0] = 1
        return a is b

    d = xlapy.device_array(M)
    jitted = xlapy.jit(same)
    for pair in ((d[1], d[1]), (d, d), (d[1], d[2]), (d, xlapy.device_array(M)), (d, d[:])):
        assert jitted(*pair) is (pair[0] is pair[1])
    assert xlapy.jit(lambda a: a)(d) is d


def one_of_two_on_some_paths(x, c):
    a = b = x[1:]
    if c > 0:
        b = x[1:]
    return a is b


def numbers_of_identity_on_some_paths(x, c):
    a = b = x * 2
    if c > 0:
        b = a[:]
    return id(a) == id(b)


def apart_from_the_third_trip(m, n):
    a = b = m[0]
    k = 0
    for _ in range(n):
        a = b = m[0]
        if k > 0:
            a = m[0]
        k += 1
    return a is b


@pytest.mark.parametrize(
    "function", [one_of_two_on_some_paths, numbers_of_identity_on_some_paths, apart_from_the_third_trip]
)
def test_views_that_are_one_object_on_some_paths(function):
    with pytest.raises(xlapy.NotOffloadableError, match="on some paths only"):
        xlapy.jit(function)(M, 2)
