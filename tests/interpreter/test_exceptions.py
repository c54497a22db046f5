"""Exceptions: raised for certain, raised where data says so, caught, and never with anything written back."""

import numpy as np
import pytest

import xlapy

X = np.array([1.0, 2.0, 3.0])


class Odd(ValueError):
    pass


def test_certain_error_with_a_dynamic_message():
    def f(x):
        raise Odd("sum", x.sum(), len(x))

    with pytest.raises(Odd) as error:
        xlapy.jit(f)(X)
    assert error.value.args == ("sum", 6.0, 3) and type(error.value.args[1]) is np.float64


def test_data_decides():
    def f(x, limit):
        if x.sum() > limit:
            raise Odd(f"over {limit}")
        return x * 2

    jitted = xlapy.jit(f)
    np.testing.assert_array_equal(jitted(X, 10), X * 2)
    with pytest.raises(Odd, match="over 3"):
        jitted(X, 3)
    assert jitted.cache_info().misses == 1


def test_the_first_error_wins():
    def f(x, i, j):
        a = x[i]
        b = 1 // j
        return a + b

    jitted = xlapy.jit(f)
    assert jitted(X, 1, 1) == 3
    with pytest.raises(IndexError):
        jitted(X, 9, 0)
    with pytest.raises(ZeroDivisionError):
        jitted(X, 0, 0)


def test_error_in_a_loop():
    def f(x, n):
        s = 0.0
        for i in range(n):
            s += x[i]
        return s

    jitted = xlapy.jit(f)
    assert jitted(X, 3) == 6
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        jitted(X, 5)


def test_caught():
    def f(x, i):
        try:
            return x[i]
        except IndexError:
            return -1.0
        finally:
            x = x * 2

    jitted = xlapy.jit(f)
    assert [float(jitted(X, i)) for i in (0, 2, 7)] == [1, 3, -1]


def test_handler_by_class():
    def f(x, i):
        try:
            if x[i] > 2:
                raise Odd("big")
            return 1 // int(x[i] - 1)
        except ZeroDivisionError:
            return 10
        except Odd as error:
            return len(error.args)

    jitted = xlapy.jit(f)
    assert [int(jitted(X, i)) for i in range(3)] == [f(X, i) for i in range(3)]


def test_nothing_is_written_back():
    def f(x, i):
        x[0] = 9.0
        return x[i]

    x = X.copy()
    with pytest.raises(IndexError):
        xlapy.jit(f)(x, 5)
    np.testing.assert_array_equal(x, X)


def test_error_of_a_callee_has_its_message():
    def inner(x, axis):
        return np.sum(x, axis=axis)

    with pytest.raises(np.exceptions.AxisError, match="axis 3 is out of bounds for array of dimension 1"):
        xlapy.jit(lambda x: inner(x, 3))(X)
    with pytest.raises(ValueError, match="operands could not be broadcast together"):
        xlapy.jit(lambda x: x + np.ones(2))(X)
