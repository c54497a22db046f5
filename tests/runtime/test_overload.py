"""`xlapy.overload`: users' own replacements."""

import numpy as np
import pytest

import xlapy
from xlapy.dispatch import registry

X = np.array([1.0, 2.0, 3.0])


@pytest.fixture(autouse=True)
def _restore_tables():
    before = dict(registry.FUNCTIONS)
    yield
    registry.FUNCTIONS.clear()
    registry.FUNCTIONS.update(before)


def helper(x):
    return x + 1


def test_python_function_and_programs_made_before():
    f = xlapy.jit(lambda x: helper(x))
    np.testing.assert_array_equal(f(X), X + 1)

    @xlapy.overload(helper)
    def other(x):
        return x * 10

    np.testing.assert_array_equal(f(X), X * 10)
    np.testing.assert_array_equal(helper(X), X + 1)


def test_compiled_code():
    def f(x):
        return np.busday_count(x, x)

    with pytest.raises(xlapy.NotOffloadableError):
        xlapy.jit(f)(X)

    @xlapy.overload(np.busday_count)
    def count(a, b, scale=2.0):
        if a.sum() > 0:
            return (a + b) * scale
        return a

    np.testing.assert_array_equal(xlapy.jit(f)(X), X * 4)
    np.testing.assert_array_equal(xlapy.jit(f)(-X), -X)


def test_replaces_a_rule():
    @xlapy.overload(np.sinc)
    def sinc(x):
        return x - 1

    np.testing.assert_array_equal(xlapy.jit(lambda x: np.sinc(x))(X), X - 1)


def test_bad_arguments():
    with pytest.raises(TypeError):
        xlapy.overload(3)
    with pytest.raises(TypeError):
        xlapy.overload([].append.__self__.append.__class__)(len)
    with pytest.raises(TypeError, match="bound method"):

        class A:
            def m(self):
                pass

        xlapy.overload(A().m)
