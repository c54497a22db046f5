"""Numba's names on xlapy (`xlapy.numba`): the same as the Python functions, and what vectorised ones make of arrays."""

import subprocess
import sys

import numpy as np
import pytest

import xlapy
from xlapy import numba
from xlapy.numba import float64, guvectorize, njit, prange, typed, types, vectorize

SIZES = [0, 1, 2, 7]


def same(wanted, got):
    assert type(wanted) is type(got)
    if isinstance(wanted, tuple | list):
        assert len(wanted) == len(got)
        for one, two in zip(wanted, got, strict=True):
            same(one, two)
    else:
        np.testing.assert_array_equal(wanted, got)
        assert np.asarray(wanted).dtype == np.asarray(got).dtype


@njit(float64(float64), cache=True)
def square(x):
    return x * x


@njit(parallel=True, fastmath=True)
def squares(x):
    out, total = np.empty_like(x), 0.0
    for i in prange(len(x)):
        out[i] = square(x[i])
        total += out[i]
    return out, total


@njit
def containers(n):
    items, table = typed.List(), typed.Dict.empty(types.int64, types.float64)
    for i in range(n):
        items.append(2 * i)
        table[i] = i * 0.5
    return items, sum(table.values()), typed.List.empty_list(types.int64)


@numba.experimental.jitclass([("total", float64)])
class Counter:
    def __init__(self, total):
        self.total = total

    def add(self, x):
        self.total += x


@numba.jit(nopython=True)
def counted(x):
    counter = Counter(0.0)
    for value in x:
        counter.add(value)
    return counter.total


@pytest.mark.parametrize("n", SIZES)
def test_functions(n):
    x = np.arange(n) / 2
    for f, argument in ((squares, x), (containers, n), (counted, x)):
        for _ in range(2):
            same(f.py_func(argument), f(argument))


@vectorize([float64(float64, float64)])
def larger(a, b):
    return a if a > b else b


@vectorize
def doubled(a):
    return 2 * a


def test_functions_of_numbers():
    for a, b in ((np.arange(4.0), 2.0), (1.0, 2.0), (np.zeros(0), 1.0), (np.ones((2, 1)), np.arange(3.0))):
        same(np.maximum(a, b), larger(a, b))
    same(np.arange(3) * 2, doubled(np.arange(3)))
    same(np.float32(3.0), doubled(np.float32(1.5)))


@guvectorize([(float64[:], float64, float64[:])], "(n),()->(n)")
def shifted(x, k, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + k


@guvectorize("void(float64[:], float64[:])".split("|"), "(n)->()")
def summed(x, out):
    out[0] = 0.0
    for i in range(x.shape[0]):
        out[0] += x[i]


@pytest.mark.parametrize("n", SIZES)
def test_functions_that_fill_arrays(n):
    x = np.arange(3.0 * n).reshape(3, n)
    same(x + 2, shifted(x, 2.0))
    same(x + np.arange(3.0)[:, None], shifted(x, np.arange(3.0)))
    same(x.sum(axis=1), summed(x))
    same(np.float64(x[0].sum()), summed(x[0]))
    out = np.zeros((3, n))
    shifted(x, 1.0, out)
    same(x + 1, out)
    with pytest.raises(ValueError, match="dimensions"):
        summed(1.0)


def test_what_there_is_not():
    with pytest.raises(AttributeError, match="cuda"):
        numba.cuda
    with pytest.raises(TypeError, match="nopyton"):
        njit(nopyton=True)
    with pytest.raises(ValueError, match="no layout"):
        guvectorize([(float64[:],)], "n->n")
    assert numba.get_num_threads() >= 1
    with pytest.raises(ValueError, match="threads"):
        numba.set_num_threads(0)


def test_in_place_of_numba():
    code = """
import xlapy
xlapy.install_as_numba()
import numba, numpy as np
from numba.typed import List
from numba import njit
assert njit(lambda x: x + 1)(2) == 3 and numba.__name__ == "xlapy.numba" and List([1]) == [1]
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert xlapy.install_as_numba is numba.install_as_numba
