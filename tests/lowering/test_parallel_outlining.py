"""Loops over elements that several threads share: the same as one thread's, whoever else is at work."""

import os
import subprocess
import sys
import threading

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import entry_points, lazy_arrays, parallel_outlining
from xlapy.lowering.llvm.thread_pool import processors, thread_pool

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not entry_points.is_possible(), reason="machine code is for CPUs"
)
RNG = np.random.default_rng(5)
SIZES = [1, 2, 5, 63, 64, 65, 1000, 4099]


def of_numbers(x, k):
    return np.where(x > 0.5, np.log(x + 1) * k, x**3), (x > k).astype(np.int8), x * (1 + 2j) - k


def in_place(x, k):
    for t in range(7):
        x[1:-1] = (x[2:] + x[:-2]) * (0.25 + t) + k
        x += t
    x[::2] *= k
    return x


def of_matrices(x, k):
    y = x[: len(x) // 5 * 5].reshape(-1, 5)
    return y.sum(axis=1), y.max(axis=0), np.sort(y, axis=1), (y[:, ::-1] * y[:1]).T, y[:, :2] @ np.ones((2, 3)) * k


def of_places(x, k):
    places = np.arange(len(x))[::-1] // 2
    return x[places] + k, np.concatenate([x, x * k]), np.pad(x, 2), np.repeat(x, 2)


def of_branches(x, k):
    if k > 0.3:
        y = np.sin(x) * k
    else:
        y = x - k
    for i in range(3):
        y = y * x + i if y[0] > i else y - i
    return y


def of_carried_numbers(x, k):
    total, is_large, z = 1.0, False, 1 + 0j
    for t in range(5):
        x[:] = np.where(is_large, x * total, x + k * z.real)
        total = total * 0.5 + x[0]
        is_large = total > 1.5
        z = z * 1j + k
    return x, total


@pytest.fixture
def shares(monkeypatch, parts):
    """Every loop over elements is shared out, however few they are, and every program is machine code."""
    monkeypatch.setattr(lazy_arrays, "_FEWEST_SHARED", 2)
    return parts


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("function", [of_numbers, in_place, of_matrices, of_places, of_branches, of_carried_numbers])
def test_shared_out(function, size, shares):
    if size < 5 and function is of_matrices:
        pytest.skip("no rows")
    if size < 3 and function is in_place:
        pytest.skip("nothing between the ends")
    compiled = xlapy.jit(function)
    for k in (0.25, 1.5):
        x = RNG.random(size)
        mine, theirs = x.copy(), x.copy()
        found, wanted = compiled(mine, k), function(theirs, k)
        for a, b in zip(
            found if isinstance(found, tuple) else (found,), wanted if isinstance(wanted, tuple) else (wanted,)
        ):
            assert a.dtype == b.dtype and a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=0)
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=0)
    assert shares or thread_pool() is None or size < 3


def test_one_thread_finds_what_many_find(monkeypatch):
    def steps(x, y):
        for _ in range(5):
            y[1:-1] = np.sqrt(x[2:] * x[:-2]) + np.exp(-x[1:-1])
            x[1:-1] = y[1:-1] * 0.25
        return y

    x = RNG.random(50_000)
    shared = xlapy.jit(steps)(x.copy(), x.copy())
    monkeypatch.setattr(parallel_outlining, "INSTRUCTIONS_SHARED", np.inf)
    np.testing.assert_array_equal(shared, xlapy.jit(steps)(x.copy(), x.copy()))


def test_threads_of_the_caller_do_not_meet(shares):
    def power(x, k):
        y = x.copy()
        for _ in range(20):
            y[:] = y * k + x
        return y

    compiled, wrong = xlapy.jit(power), []
    operands = [(RNG.random(3000), 0.1 * n) for n in range(6)]
    wanted = [compiled(*o) for o in operands]

    def again(n):
        for _ in range(100):
            if not np.array_equal(compiled(*operands[n]), wanted[n]):
                wrong.append(n)

    threads = [threading.Thread(target=again, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    np.testing.assert_allclose(wanted[3], power(*operands[3]), rtol=1e-12)


_PROGRAM = """
import os
import numpy as np, xlapy
from xlapy.lowering.llvm.thread_pool import processors, thread_pool

@xlapy.jit
def f(x):
    return np.sqrt(x) * np.exp(-x) + np.log1p(x)

x = np.random.default_rng(1).random(100_000)
y = np.asarray(f(x))
if hasattr(os, "fork"):
    child = os.fork()
    if child == 0:  # JAX would wait for its threads, which are not there
        os._exit(0 if all(np.array_equal(np.asarray(f(x)), y) for _ in range(20)) else 1)
    assert os.waitpid(child, 0)[1] == 0
assert np.array_equal(np.asarray(f(x)), y)
print(processors(), thread_pool() is None)
"""


@pytest.mark.parametrize("asked", [None, "1", "3", "many"])
def test_as_many_threads_as_are_asked_for_and_none_in_a_forked_process(asked):
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    environment.pop("OMP_NUM_THREADS", None)
    if asked:
        environment["OMP_NUM_THREADS"] = asked
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _PROGRAM], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    number, alone = done.stdout.split()
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert int(number) == (int(asked) if asked and asked.isdigit() else available)
    assert (alone == "True") == (int(number) == 1)
    assert processors() >= 1
