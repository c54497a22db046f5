"""Large NumPy arrays are copied into memory that is used again: nobody must see that it is."""

import ctypes
import mmap
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import xlapy
from tests.passes.programs import program
from xlapy.lowering.cpu_xla.compiler_options import options_for
from xlapy.lowering.cpu_xla.zero_copy_inputs import passed_by
from xlapy.runtime import transfers

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
    buffers = transfers.Buffers(limit=5 << 20)
    run = transfers.staged(lambda *x: [jax.numpy.sum(a) for a in x], [0, 1, 2], buffers=buffers)
    for _ in range(3):
        run(*(np.ones((k << 18) + 1) for k in (1, 2, 3)))
    assert sum(b.nbytes for b in buffers._free) <= 5 << 20


def test_memory_is_used_again():
    buffers = transfers.Buffers()
    seen = set()
    run = transfers.staged(lambda x: seen.add(x.ctypes.data) or jax.numpy.sum(x), [0], buffers=buffers)
    for _ in range(4):
        run(np.ones(((1 << 18) + 2, 2))[:, 0])
    assert len(seen) == 1
    (address,) = seen
    assert address % 64 == 0


def at(array, offset):
    """A copy of an array that starts `offset` bytes behind a multiple of 64, with NaN (or the largest) around it."""
    room = np.zeros(array.nbytes + 256, np.uint8)
    room[:] = 255
    start = -room.ctypes.data % 64 + 64 + offset
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    assert copy.ctypes.data % 64 == offset
    return copy


PASSED_BY = [
    lambda x: x.sum(),
    lambda x: np.where(x > 0.5, x, -x)[::-1],
    lambda x: x[1:-1, 2:] * 2 - x[:-2, :-2],
    lambda x: x.T + 1,
    lambda x: x.reshape(-1, 50).max(axis=1),
    lambda x: x @ x[0],
    lambda x: x[:, 0] @ x,
    lambda x: x.T @ x[:, 1],
    lambda x: x[2] @ x.T,
    lambda x: (0.5 * x) @ x[1],
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", PASSED_BY)
def test_arrays_are_lent_where_they_lie(function, dtype, monkeypatch):
    x = np.random.default_rng(0).random((603, 700)).astype(dtype)
    monkeypatch.setattr(transfers, "copied", None)  # nothing may be copied
    monkeypatch.setattr(transfers, "_PAGE", 1 << 62)
    compiled = xlapy.jit(function)
    for offset in (0, 8, 16, 40, 56):
        given = at(x + offset, offset)
        np.testing.assert_allclose(
            np.asarray(compiled(given)), function(given), rtol=1e-12 if dtype == np.float64 else 1e-4
        )
    assert compiled.cache_info().misses == 1


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint32, np.complex64, np.complex128, bool, ml_dtypes.bfloat16])
def test_every_type_is_lent(dtype, monkeypatch):
    monkeypatch.setattr(transfers, "copied", None)
    monkeypatch.setattr(transfers, "_PAGE", 1 << 62)
    x = (np.random.default_rng(0).random((1500, 800)) * 100).astype(dtype)
    compiled = xlapy.jit(lambda x: (x[1:] == x[:-1], x[::2, 3:]))
    for offset in (0, 16, 48):
        given = at(x, offset)
        for got, expected in zip(compiled(given), (given[1:] == given[:-1], given[::2, 3:]), strict=True):
            np.testing.assert_array_equal(np.asarray(got), expected)


def test_what_is_lent_is_written_after_the_call():
    @xlapy.jit
    def step(x, y):
        x[1:-1] += y[:-2] * 0.5
        y -= x
        return x

    mine = [at(filled(k + 1.0), 16) for k in range(2)]
    theirs = [a.copy() for a in mine]
    for _ in range(3):
        assert step(*mine) is mine[0]
        step.__wrapped__(*theirs)
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


def test_memory_that_the_process_does_not_have_is_not_told_of():
    """Pages before and behind the array may not be read: it starts, or ends, with a page."""
    size, page = 1 << 21, mmap.PAGESIZE
    memory = mmap.mmap(-1, size + 2 * page)
    room = np.frombuffer(memory, np.uint8)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    for place in (room.ctypes.data, room.ctypes.data + size + page):
        assert protect(ctypes.c_void_p(place), ctypes.c_size_t(page), 0) == 0
    inner = room[page:-page].view(np.float64)
    compiled = xlapy.jit(lambda x: (x.sum(), x[::-1] + 1))
    for x in (inner, inner[1:], inner[:-1]):
        x[:] = np.arange(x.size)
        total, turned = compiled(x)
        assert float(total) == x.size * (x.size - 1) / 2
        np.testing.assert_array_equal(np.asarray(turned), x[::-1] + 1)


def test_what_needs_an_array_of_its_own_gets_a_copy():
    x = np.random.default_rng(0).random((400, 400))

    def passed(function, *arguments):
        return passed_by(program(function, arguments)[0].entry)

    assert passed(lambda x: x + 1, x) == passed(lambda x: x.T @ x[0], x) == {0}
    assert (
        passed(lambda x: x @ x, x) == passed(lambda x: np.sort(x), x) == passed(lambda x: np.linalg.inv(x), x) == set()
    )
    assert passed(lambda x, y: x @ (y + 1), x, x.copy()) == {1}
    assert passed(lambda x: x.reshape(800, 200) @ x[0, :200], x) == set()
    assert passed(lambda x: x[:9] @ x[0], x) == passed(lambda x: (x > 0.5).argmax(axis=1), x) == {0}
    assert passed(lambda x: jnp.sum(x), x) == passed(lambda x: jnp.dot(x, x[0]), x) == set()
    assert passed(lambda x: x[1:] - 2 * x[:-1], x) == {0}
    across = lambda x: x[:, 2:] - 2 * x[:, 1:-1] + x[:, :-2]  # noqa: E731
    assert passed(lambda x: across(x)[:, 1:] + x[:, 3:], x) == {0}
    assert passed(lambda x: across(across(across(x))), x) == set()


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 63, 64, 65, 71, 72, 1000])
def test_products_with_any_number_of_rows(rows):
    random = np.random.default_rng(0)
    x = random.random((rows, (1 << 18) // rows))
    u, v = random.random(x.shape[0]), random.random(x.shape[1])
    for function in (lambda x, u, v: u @ x, lambda x, u, v: x @ v, lambda x, u, v: x.T @ u, lambda x, u, v: v @ x.T):
        np.testing.assert_allclose(np.asarray(xlapy.jit(function)(x, u, v)), function(x, u, v), rtol=1e-12)


def test_small_arrays_do_not_decide_for_large_ones(monkeypatch):
    """Neither whether they are lent nor with which options of XLA's they are compiled."""
    found = []

    def spy(*arguments):
        found.append(options_for(*arguments) or {})
        return found[-1]

    monkeypatch.setattr("xlapy.runtime.specialisation.options_for", spy)
    monkeypatch.setattr(transfers, "copied", None)
    function = lambda x: (x @ x[0], (x - x.mean(axis=1, keepdims=True)).sum())  # noqa: E731
    compiled = xlapy.jit(function)
    random = np.random.default_rng(0)
    for shape in ((3, 4), (600, 500), (3, 4), (600, 500)):
        x = at(random.random(shape), 16)
        for got, expected in zip(compiled(x), function(x), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-9)
    assert compiled.cache_info().misses == 2
    assert len(found) == 2
    assert "xla_cpu_use_fusion_emitters" not in found[1]
    assert "tree_reduction_rewriter" in found[1]["xla_disable_hlo_passes"]


def test_lent_arrays_beside_numbers_that_travel_together():
    def function(a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, x, y, v):  # 16 numbers are one operand
        return (a + b + c + d + e + f + g + h + i + j + k + m + n + o + p + q) * (v @ x), v @ y, x.sum()

    random = np.random.default_rng(0)
    x, y, v = at(random.random((400, 401)), 16), at(random.random((400, 401)), 48), random.random(400)
    numbers = [float(k) for k in range(16)]
    for got, expected in zip(xlapy.jit(function)(*numbers, x, y, v), function(*numbers, x, y, v), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)
