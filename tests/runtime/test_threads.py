"""Calls from several threads at once."""

import threading
from concurrent.futures import ThreadPoolExecutor

import jax
import numpy as np

import xlapy


def test_one_function_from_two_threads():
    f = xlapy.jit(lambda x, n: np.sin(x) * n)
    start = threading.Barrier(2)

    def work(size):
        start.wait()
        for n in range(200):
            x = np.arange(float(size + n % 3))
            np.testing.assert_allclose(f(x, n), np.sin(x) * n)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, [3, 4]))
    assert f.cache_info().misses == 4


def test_the_first_call_from_many_threads_compiles_once():
    f = xlapy.jit(lambda x: np.cumsum(x) ** 2)
    start = threading.Barrier(4)
    x = np.arange(5.0)

    def work(_):
        start.wait()
        return np.asarray(f(x))

    with ThreadPoolExecutor(4) as pool:
        for made in pool.map(work, range(4)):
            np.testing.assert_array_equal(made, np.cumsum(x) ** 2)
    assert f.cache_info().misses == 1


def test_settings_of_a_thread_are_its_own():
    f = xlapy.jit(lambda x: x * 2)
    x = np.ones(3)
    inside, leave = threading.Event(), threading.Event()

    def plain():
        with xlapy.disable_jit():
            inside.set()
            leave.wait()
            return type(f(x))

    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(plain)
        inside.wait()
        try:
            assert isinstance(f(x), jax.Array)
            assert isinstance(f(x), jax.Array)
        finally:
            leave.set()
        assert result.result() is np.ndarray
    assert not jax.config.jax_enable_x64
