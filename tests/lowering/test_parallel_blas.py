"""Products that are large enough for several threads, each of which has the library compute a part."""

import ctypes
import os
import threading

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import blas
from xlapy.lowering.llvm.thread_pool import thread_pool

get, change = (blas.address_of(blas._THREADS, what) for what in ("get", "set"))
pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or thread_pool() is None or get is None or change is None,
    reason="several threads of a CPU take part, and the library says how many it has",
)
RNG = np.random.default_rng(5)
threads = ctypes.CFUNCTYPE(ctypes.c_int)(get or 0)
use = ctypes.CFUNCTYPE(None, ctypes.c_int)(change or 0)


def numbers(shape, dtype):
    found = RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if np.dtype(dtype).kind == "c" else 0)
    return found.astype(dtype)


def products(a, b, at, bt, matrix, row, column):
    return a @ b, at.T @ b, a @ bt.T, at.T @ bt.T, matrix @ row, column @ matrix, matrix.T @ column, matrix @ row


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_parts_are_all_there(dtype):
    """Of products with ends that are no multiples of a part, high ones and wide ones."""
    compiled = xlapy.jit(products, returns="numpy")
    precision = 2000 * np.finfo(dtype).eps
    for rows, inner, columns in [(97, 101, 83), (1500, 40, 9), (7, 300, 400)]:
        a, b, matrix = (numbers(shape, dtype) for shape in ((rows, inner), (inner, columns), (361, 377)))
        row, column = numbers(377, dtype), numbers(361, dtype)
        operands = a, b, np.ascontiguousarray(a.T), np.ascontiguousarray(b.T), matrix, row, column
        for got, wanted in zip(compiled(*operands), products(*operands), strict=True):
            assert got.dtype == wanted.dtype
            np.testing.assert_allclose(got, wanted, rtol=precision, atol=precision)


def by_itself(a):
    return a @ a.T, a.T @ a


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_with_the_transpose(dtype):
    compiled, a = xlapy.jit(by_itself, returns="numpy"), numbers((123, 117), dtype)
    for got, wanted in zip(compiled(a), by_itself(a), strict=True):
        np.testing.assert_array_equal(got, got.T)
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=2000 * np.finfo(dtype).eps)


def product(a, b):
    return a @ b


def test_the_library_has_its_threads_again():
    """Also where several threads have been at products, and where it had been told to use one."""
    compiled = xlapy.jit(product, returns="numpy")
    a, b = numbers((130, 120), "float64"), numbers((120, 140), "float64")
    wanted, before, wrong = compiled(a, b), threads(), []

    def work():
        for _ in range(50):
            if not np.array_equal(compiled(a, b), wanted):
                wrong.append(1)

    team_of_callers = [threading.Thread(target=work) for _ in range(4)]
    for thread in team_of_callers:
        thread.start()
    for thread in team_of_callers:
        thread.join()
    assert not wrong and threads() == before
    try:
        for count in (1, 2):
            use(count)
            np.testing.assert_allclose(compiled(a, b), wanted)
            assert threads() == count
    finally:
        use(before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_products_in_a_forked_process():
    compiled = xlapy.jit(product, returns="numpy")
    a, b = numbers((130, 120), "float64"), numbers((120, 140), "float64")
    wanted = compiled(a, b)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.allclose(compiled(a, b), wanted) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
