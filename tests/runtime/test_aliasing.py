"""Arrays and objects passed twice, and results that share memory with arguments."""

import numpy as np
import pytest

import xlapy


def vector():
    return np.array([1.0, 2.0, 3.0])


def both(f, *make):
    """Run in CPython and compiled on arguments made anew; everything must agree, or the call be refused."""
    plain = make[0]()
    expected = f(*plain)
    given = make[0]()
    before = [np.copy(a) if isinstance(a, np.ndarray) else a for a in given]
    try:
        made = xlapy.jit(f)(*given)
    except xlapy.NotOffloadableError as refusal:
        assert {b.code for b in refusal.blockers} == {"XP0012"} and all(b.line for b in refusal.blockers)
        for a, b in zip(given, before, strict=True):
            np.testing.assert_array_equal(a, b)
        return "refused"
    np.testing.assert_array_equal(made, expected)
    for a, b in zip(given, plain, strict=True):
        np.testing.assert_array_equal(a, b)
    return "right"


def add_into(x, y):
    x += y
    x[0] = y[-1] * 10
    return y.sum()


def test_the_same_array_twice():
    def same():
        x = vector()
        return x, x

    assert both(add_into, same) == "right"


def test_overlapping_views():
    def overlap():
        base = np.arange(5.0)
        return base[:-1], base[1:]

    assert both(add_into, overlap) in ("right", "refused")


def test_disjoint_views():
    def halves():
        base = np.arange(6.0)
        return base[:3], base[3:]

    assert both(add_into, halves) == "right"


def test_programs_for_aliases_and_for_others_do_not_mix():
    f = xlapy.jit(add_into)
    for alias in (False, True, False, True):
        x, y = vector(), vector() * 2
        a, b = vector(), vector() * 2
        if alias:
            y, b = x, a
        expected = add_into(x, y)
        assert f(a, b) == expected
        np.testing.assert_array_equal(a, x)
        np.testing.assert_array_equal(b, y)
    assert f.cache_info().misses == 2


def test_identity():
    f = xlapy.jit(lambda x, y: 1 if x is y else 2)
    a, b = vector(), vector()
    assert [f(a, b), f(a, a), f(a, b), f(b, b)] == [2, 1, 2, 1]


def test_a_list_twice():
    def f(p, q):
        p.append(1.0)
        return len(q)

    jitted = xlapy.jit(f)
    for _ in range(2):
        p, q = [1.0], [2.0]
        assert jitted(p, q) == 1 and p == [1.0, 1.0]
        assert jitted(p, p) == 3


def test_result_does_not_see_later_writes():
    def old(u):
        before = u.copy()
        u[:] = 0.0
        return before

    u = vector()
    before = xlapy.jit(old)(u)
    np.testing.assert_array_equal(before, vector())
    np.testing.assert_array_equal(u, 0.0)


@pytest.mark.parametrize("returns", ["jax", "numpy"])
@pytest.mark.parametrize("size", [3, 1024, 65536])
def test_result_of_a_copy_is_independent(size, returns):
    u = np.arange(float(size))
    made = xlapy.jit(lambda u: u.copy(), returns=returns)(u)
    u[:] = -1.0
    np.testing.assert_array_equal(made, np.arange(float(size)))


def test_argument_may_be_changed_right_after_the_call():
    n = 600
    f = xlapy.jit(lambda a: (a @ a @ a @ a)[0, 0])
    for _ in range(3):
        a = np.ones((n, n))
        made = f(a)
        a[:] = 0.0
        assert made == float(n) ** 3


def test_an_argument_that_is_returned_is_the_same_object():
    u = vector()
    assert xlapy.jit(lambda u: (u, 1))(u)[0] is u
    assert xlapy.jit(lambda u: u)(u) is u
