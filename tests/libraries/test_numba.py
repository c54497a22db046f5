"""Functions that Numba compiles, called in a program: what their Python source says."""

import numba
import numpy as np

import xlapy

from .cases import Cases

case = Cases("numba", tolerance=1e-12)

FACTOR = 2.0


@numba.njit
def scaled(x, by=3.0):
    return x * by + 1


@numba.njit(parallel=True, fastmath=True)
def fill(x, by=2.0):
    for i in numba.prange(len(x)):
        x[i] = scaled(x[i], by)
    return x.sum()


@numba.jit
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@numba.njit(["float64(float64)"], cache=False)
def typed(x):
    return x / 2


class Model:
    @staticmethod
    @numba.njit
    def step(x):
        return x - 0.1 * x**3


@case("njit, called in a loop", lambda: (np.arange(5.0),))
def in_a_loop(x):
    total = 0.0
    for i in numba.prange(len(x)):
        total += scaled(x[i])
    return total


@case("njit(parallel=True) that writes to its argument", lambda: (np.arange(6.0),))
def writes(x):
    return fill(x), fill(x, by=0.5)


@case("jit of a function that calls itself", lambda: (np.array([7]),))
def recursive(n):
    return fibonacci(int(n[0]))


@case("njit with a signature, as an argument of map", lambda: (np.arange(4.0),))
def mapped(x):
    return sum(map(typed, [float(v) for v in x]))


@case("njit as a static method", lambda: (np.linspace(-1.0, 1.0, 7),))
def static_method(x):
    for _ in range(3):
        x = Model.step(x)
    return x


@case("vectorize", lambda: (np.arange(4.0),), refused="compiled code")
def vectorised(x):
    return doubled(x)


@numba.vectorize
def doubled(x):
    return 2 * x


test_case = case.test()


def test_a_function_of_numbas_is_compiled_itself():
    x, mine = np.arange(5.0), np.arange(5.0)
    assert xlapy.jit(fill, returns="numpy")(mine) == fill.py_func(x)
    np.testing.assert_array_equal(mine, x)


def test_a_function_of_numbas_has_a_gradient():
    np.testing.assert_allclose(xlapy.grad(lambda x: scaled(x, 2.0).sum())(np.ones(3)), np.full(3, 2.0))


@numba.njit
def by_a_global(x):
    return FACTOR * x


def test_globals_are_read_at_each_call(monkeypatch):
    """As in Python: Numba keeps those it was compiled with."""
    jitted = xlapy.jit(lambda x: by_a_global(x), returns="numpy")
    np.testing.assert_array_equal(jitted(np.ones(2)), by_a_global.py_func(np.ones(2)))
    monkeypatch.setitem(by_a_global.py_func.__globals__, "FACTOR", 5.0)
    np.testing.assert_array_equal(jitted(np.ones(2)), by_a_global.py_func(np.ones(2)))
