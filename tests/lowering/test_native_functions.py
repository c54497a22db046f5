"""Loops of little work in each trip are one native function: what they compute, and when they are."""

import jax
import numpy as np
import pytest

import xlapy
from tests.passes.programs import program
from xlapy.lowering.cpu_xla import native_functions
from xlapy.lowering.evaluate import evaluate_fast
from xlapy.passes import optimise

RNG = np.random.default_rng(7)
WHOLE, REAL, FLAGS = np.arange(5), RNG.random(5), np.array([True, False, True, True, False])

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not native_functions._TESTED,
    reason="for CPUs and versions of jaxlib that are known",
)


def unchanged(x, n):
    for _ in range(n):
        x = x + 0
    return x


def result_not_needed(x, n):
    y = x * 2
    for _ in range(n):
        y = y | 0
    return x


def two_unchanged(x, y, n):
    for _ in range(n):
        x = x & True
        y = y * 1
    return x, y


def zeros(x, n):
    z = np.zeros(5)
    for _ in range(n):
        z = z * 0 + 0
    return z


def one_trip(x, y):
    for i in range(1):
        x = x + y[i]
    return x


def from_constants(x):
    z, w = np.zeros(7), np.arange(7.0)
    for i in range(7):
        z[i] = w[6 - i] * 2 + x
    return z


def no_operands():
    z = np.zeros(9)
    for i in range(9):
        z[i] = i * 2
    return z


def count(x, n):
    i = 0
    while i < n:
        i += 1
    return i


def guarded(x, flag):
    i = 0
    while flag and i < 5:
        i += 1
    return i, x


def taken_back(x, y, n):
    for _ in range(n):
        t = y * 0
        x = x + t - t
    return x


def overwritten(x, y, n):
    for _ in range(n):
        y[:] = x
    return y


def branch_never_taken(x, y, n):
    c = np.array([1, 2, 3, 4])
    for i in range(n):
        if c[i % 4] > 100:
            x = x + y
    return x


def nothing_in_it(x, n):
    e = np.zeros(0)
    for _ in range(n):
        x = x + e.sum()
    return x


def complex_square(z, n):
    for _ in range(n):
        z = z * z * 0.5
    return z


def small_integers(x, n):
    for _ in range(n):
        x = x.astype(np.uint8)
        x = x * 3 + 1
    return x


def half(x, n):
    x = x.astype(np.float16)
    for _ in range(n):
        x = x * 0.75
    return x


def running(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1] * 0.5 + x[i]
    return x


def largest(x):
    best = (0, 1.5)
    for i in range(len(x)):
        if x[i] > best[1]:
            best = (i, x[i])
    return best


def nested(a):
    n = len(a)
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[j, :j]
            a[i, j] /= a[j, j]
        a[i, i] -= (a[i, :i] ** 2).sum()
    return a


PROGRAMS = [
    (unchanged, WHOLE, 3),
    (unchanged, REAL, 3),
    (result_not_needed, WHOLE, 3),
    (two_unchanged, FLAGS, WHOLE, 3),
    (two_unchanged, FLAGS, REAL, 0),
    (zeros, REAL, 3),
    (one_trip, WHOLE, WHOLE),
    (one_trip, REAL, REAL),
    (from_constants, 2.0),
    (no_operands,),
    (count, REAL, 4),
    (count, REAL, 0),
    (guarded, REAL, True),
    (guarded, REAL, False),
    (taken_back, WHOLE, WHOLE, 3),
    (taken_back, REAL, REAL, 3),
    (overwritten, REAL, WHOLE.astype(float), 3),
    (overwritten, REAL, WHOLE.astype(float), 0),
    (branch_never_taken, WHOLE, WHOLE, 4),
    (nothing_in_it, REAL, 3),
    (complex_square, REAL + 1j * REAL, 3),
    (small_integers, WHOLE, 5),
    (half, REAL, 3),
    (running, REAL),
    (running, np.array([1.0, np.nan, np.inf, -0.0])),
    (largest, REAL),
    (largest, REAL * 4),
    (nested, RNG.random((6, 6)) + 6 * np.eye(6)),
]


def copies(values):
    return [v.copy() if isinstance(v, np.ndarray) else v for v in values]


@pytest.mark.parametrize("native_loops", [True, False])
@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case[0].__name__)
def test_results_and_changes_are_numpys(case, native_loops, monkeypatch):
    if not native_loops:
        monkeypatch.setattr(native_functions, "suits", lambda loop: False)
    function, *arguments = case
    theirs, ours = copies(arguments), copies(arguments)
    expected, found = function(*theirs), xlapy.jit(function)(*ours)
    for a, b in zip(jax.tree.leaves((expected, theirs)), jax.tree.leaves((found, ours)), strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(b, a, rtol=1e-14)


def calls(function, *arguments):
    """The native functions of a program that we made."""
    text = xlapy.code_xla(function, *arguments, opt=True)
    found = [line for line in text.splitlines() if " call(" in line and 'inlineable="false"' in line]
    return [line for line in found if "jit_function" in line]  # not what is computed apart in one


def test_a_nest_is_one_function():
    assert len(calls(nested, np.eye(50))) == 1


def test_large_vectors_products_of_matrices_and_sorts_have_kernels_of_their_own():
    def add(x, n):
        for _ in range(n):
            x = x + 1.5
        return x

    def product(x, n):
        for _ in range(n):
            x = x @ x
        return x

    def ordered(x, n):
        for i in range(n):
            x = np.sort(x) + i
        return x

    def exponentials(x, n):
        for _ in range(n):
            x = np.exp(-x)
        return x

    assert len(calls(add, np.ones(50), 3)) == 1
    assert len(calls(exponentials, np.ones(50), 3)) == 1
    assert calls(add, np.ones(50_000), 3) == []
    assert calls(product, np.ones((50, 50)), 3) == []
    assert calls(ordered, np.ones(50), 3) == []
    assert calls(exponentials, np.ones(5000), 3) == []


def test_the_inner_loop_of_one_that_does_not_suit():
    def sorted_between(x, n):
        for _ in range(n):
            for i in range(1, 50):
                x[i] = x[i - 1] * 0.5 + x[i]
            x[:8] = np.sort(x[:8])
        return x

    x = RNG.random(12345)
    assert len(calls(sorted_between, x, 3)) == 1
    text = xlapy.code_xla(sorted_between, x, 3, opt=True)
    copied = [line for line in text.splitlines() if " copy(" in line and "[12345]" in line.split(" copy(")[0]]
    assert len(copied) == 1  # the argument, once
    ours, theirs = x.copy(), x.copy()
    np.testing.assert_allclose(xlapy.jit(sorted_between)(ours, 3), sorted_between(theirs, 3), rtol=1e-14)
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)


def test_other_platforms_have_no_such_functions():
    module, operands = program(nested, (np.eye(9),))
    optimise(module)

    def run(*values):
        return evaluate_fast(module.entry, dict(zip(module.entry.params, values, strict=True)))

    with jax.enable_x64(True):
        traced = jax.jit(run).trace(*operands)
        cpu, cuda = (traced.lower(lowering_platforms=(p,)).as_text() for p in ("cpu", "cuda"))
    assert "xla_cpu_small_call" in cpu and "xla_cpu_small_call" not in cuda


def test_what_xla_cannot_do_in_such_a_function_is_compiled_without(monkeypatch):
    """From 4096 elements on, sums call a library."""
    monkeypatch.setattr(native_functions, "NATIVE_REDUCED", 1 << 20)
    monkeypatch.setattr(native_functions, "NATIVE_ELEMENTS", 1 << 20)

    def summed(x, n):
        for _ in range(n):
            x = x * 0.5 + x.sum()
        return x

    compiled = xlapy.jit(summed)
    for n in (2, 3):
        np.testing.assert_allclose(compiled(np.arange(5000.0), n), summed(np.arange(5000.0), n), rtol=1e-13)
    assert compiled.cache_info().misses == 1


def test_an_array_on_the_device_is_changed_in_place():
    x = RNG.random(1000)
    array = xlapy.device_array(x)
    xlapy.jit(running)(array)
    np.testing.assert_allclose(np.asarray(array), running(x.copy()), rtol=1e-14)
