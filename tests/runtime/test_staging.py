"""Large NumPy arrays are copied into memory that is used again: nobody must see that it is."""

from concurrent.futures import ThreadPoolExecutor

import jax
import numpy as np
import pytest

import xlapy
from xlapy.runtime import staging

SHAPE = (600, 700)


def filled(value, dtype=np.float64):
    return np.full(SHAPE, value, dtype)


def test_results_do_not_change_with_later_calls():
    same = xlapy.jit(lambda x: (x, x[1:], x.T, x + 1))
    results = [same(filled(k)) for k in range(5)]
    for k, parts in enumerate(results):
        for part, expected in zip(parts, (k, k, k, k + 1), strict=True):
            assert (np.asarray(part) == expected).all()


def test_the_caller_may_write_at_once():
    total = xlapy.jit(lambda x, y: x @ y.T)
    x, y = filled(1.0), filled(2.0)
    result = total(x, y)
    x[:], y[:] = 5.0, 7.0
    assert (np.asarray(result) == 2.0 * SHAPE[1]).all()
    assert (np.asarray(total(x, y)) == 35.0 * SHAPE[1]).all()


def test_arguments_that_are_written():
    @xlapy.jit
    def step(x, y):
        x += y
        y[:] = x[::-1]
        return x.sum()

    mine = [filled(1.0), np.random.default_rng(0).random(SHAPE)]
    theirs = [a.copy() for a in mine]
    for _ in range(3):
        got = step(*mine)
        theirs[0] += theirs[1]
        theirs[1][:] = theirs[0][::-1]
        np.testing.assert_allclose(got, theirs[0].sum(), rtol=1e-12)
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.complex128, bool])
@pytest.mark.parametrize("view", ["whole", "rows", "columns", "reversed", "transposed", "unaligned"])
def test_layouts(dtype, view):
    base = (np.random.default_rng(1).random((1600, 1400)) * 100).astype(dtype)
    bytes_ = np.zeros(base.nbytes + 1, np.uint8)
    x = {
        "whole": lambda: base,
        "rows": lambda: base[::2],
        "columns": lambda: base[:, 1::2],
        "reversed": lambda: base[::-1, ::-1],
        "transposed": lambda: base.T,
        "unaligned": lambda: bytes_[1:].view(dtype).reshape(base.shape),
    }[view]()
    f = xlapy.jit(lambda x: x[3:, 5:])
    for _ in range(2):
        np.testing.assert_array_equal(np.asarray(f(x)), x[3:, 5:])


def test_threads():
    f = xlapy.jit(lambda x, y: (x * y).sum(axis=0))

    def run(k):
        return np.asarray(f(filled(k), filled(k + 1.0)))

    with ThreadPoolExecutor(4) as pool:
        for k, result in enumerate(pool.map(run, range(24))):
            np.testing.assert_array_equal(result, np.full(SHAPE[1], k * (k + 1.0) * SHAPE[0]))


def test_known_arrays_under_a_transformation():
    inner = xlapy.jit(lambda x: x * 2.0)
    known = filled(3.0)

    def outer(y):
        return (inner(known) + y).sum()

    slope = jax.grad(outer)
    with jax.enable_x64(True):
        first = slope(jax.numpy.ones(SHAPE))
        traced = jax.jit(outer)
        assert float(traced(jax.numpy.zeros(SHAPE))) == 6.0 * known.size
        inner(filled(100.0))
        assert float(traced(jax.numpy.zeros(SHAPE))) == 6.0 * known.size
    np.testing.assert_array_equal(np.asarray(first), np.ones(SHAPE))


def test_what_is_kept_is_bounded():
    buffers = staging.Buffers(limit=5 << 20)
    run = staging.staged(lambda *x: [jax.numpy.sum(a) for a in x], [0, 1, 2], buffers)
    for _ in range(3):
        run(*(np.ones((k << 18) + 1) for k in (1, 2, 3)))
    assert sum(b.nbytes for b in buffers._free) <= 5 << 20


def test_memory_is_used_again():
    buffers = staging.Buffers()
    seen = set()
    run = staging.staged(lambda x: seen.add(x.ctypes.data) or jax.numpy.sum(x), [0], buffers)
    for _ in range(4):
        run(np.ones(((1 << 18) + 2, 2))[:, 0])
    assert len(seen) == 1
    (address,) = seen
    assert address % 64 == 0
