"""The largest and smallest elements, and where the first of them is, in machine code: NaN, zeros, ends of blocks."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import entry_points
from xlapy.lowering.llvm.min_max_reductions import search_of
from xlapy.runtime import native_calls

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not entry_points.is_possible(), reason="machine code is for CPUs"
)
RNG = np.random.default_rng(2)
SIZES = [1, 7, 63, 64, 65, 127, 128, 129, 257, 1000, 4099, 20_000]


def of_all(x):
    return x.max(), x.min(), np.argmax(x), np.argmin(x), np.ptp(x) if x.dtype != bool else x.any()


def of_rows(x):
    return x.max(axis=1), x.min(axis=-1), np.argmax(x, axis=1), np.argmin(x, axis=1, keepdims=True), x.argmax()


def of_columns(x):
    return x.max(axis=0), x.min(axis=0, keepdims=True), np.argmax(x, axis=0), np.amin(x, axis=(0, 1))


def of_parts(x):
    y = x[3:-1:2] if len(x) > 8 else x
    return y.max(), np.argmin(y), np.argmax(y[::-1]), (y != y).argmax(), np.max(y, initial=0)


def of_computed(x):
    y = x * 2 - 1
    return np.argmax(y), (x - x[0]).min(), np.argmin(np.abs(y)), np.abs(y).max()


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        at = int(np.argmax(x))
        total += x.max() * (k + 1)
        x[at] = x.min()
    return total, x


@pytest.fixture
def whole(monkeypatch):
    """Programs are machine code as a whole."""
    made, original = [], native_calls.whole_as_machine_code
    monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *a: made.append(original(*a)) or made[-1])
    yield made
    assert made and all(x is not None for x in made)


def same(function, x):
    """What CPython does, NaN included."""
    theirs, ours = x.copy(), x.copy()
    with np.errstate(all="ignore"):
        wanted = function(theirs)
    found = xlapy.jit(function, returns="numpy")(ours)
    for one, other in zip((*found, ours), (*wanted, theirs), strict=True):
        assert (np.asarray(one).dtype, np.shape(one)) == (np.asarray(other).dtype, np.shape(other))
        np.testing.assert_allclose(one, other, rtol=1e-13)


def samples(dtype, size):
    if dtype == "bool":
        yield from (RNG.random(size) < 0.9, np.zeros(size, bool), np.ones(size, bool))
    elif dtype[0] in "iu":
        info = np.iinfo(dtype)
        yield RNG.integers(0, 100, size, dtype)
        ends = RNG.integers(0, 9, size, dtype)
        ends[size // 2], ends[size // 3] = info.max // 2, info.min // 2
        yield ends
    else:
        x = RNG.standard_normal(size).astype(dtype)
        yield x
        yield np.round(x)
        yield np.full(size, -np.inf, dtype)
        for at in {0, size // 2, size - 1}:
            lost = x.copy()
            lost[at] = np.nan
            yield lost
        first = x.copy()
        first[size // 3 :] = np.nan
        yield first


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8", "bool"])
@pytest.mark.parametrize("size", SIZES)
def test_vectors(size, dtype, whole):
    for x in samples(dtype, size):
        same(of_all, x)


@pytest.mark.parametrize("function", [of_parts, of_computed, in_a_loop])
@pytest.mark.parametrize("size", [5, 200, 3000])
def test_programs(function, size, whole):
    for x in samples("float64", size):
        same(function, x)


@pytest.mark.parametrize("dtype", ["float64", "int32", "bool"])
@pytest.mark.parametrize("shape", [(3, 5), (70, 64), (20, 300), (2, 1000)])
def test_matrices(shape, dtype):
    for x in samples(dtype, shape[0] * shape[1]):
        for function in (of_rows, of_columns):
            same(function, x.reshape(shape))
            same(function, np.asfortranarray(x.reshape(shape)))


def test_zeros(whole):
    """0.0 is larger than -0.0, wherever they are, as for few numbers."""
    for size in (2, 64, 300):
        for at in (0, size // 2, size - 1):
            for rest, other in ((0.0, -0.0), (-0.0, 0.0)):
                x = np.full(size, rest)
                x[at] = other
                largest, smallest = xlapy.jit(lambda x: (x.max(), x.min()), returns="numpy")(x)
                assert (np.signbit(largest), np.signbit(smallest)) == (False, True)
                same(lambda x: (np.argmax(x), np.argmin(x)), x)
        assert np.signbit(xlapy.jit(lambda x: x.max(), returns="numpy")(np.full(size, -0.0)))


def test_transformations():
    x = RNG.permutation(300.0 * np.arange(1, 4))[:, None] + RNG.permutation(200)
    expected = np.zeros(x.shape)
    expected[np.arange(3), x.argmax(axis=1)] = 2 * x.max(axis=1)
    np.testing.assert_allclose(xlapy.grad(lambda x: (x.max(axis=1) ** 2).sum())(x), expected)
    chosen = xlapy.vmap(lambda row: (row[np.argmax(row)], np.argmin(row), row.max()))(x)
    np.testing.assert_array_equal(chosen[0], x.max(axis=1))
    np.testing.assert_array_equal(chosen[1], x.argmin(axis=1))
    np.testing.assert_array_equal(chosen[2], x.max(axis=1))


def test_searches():
    assert search_of(True, 1, (3, 4)) == (True, 3, 4, 1)
    assert search_of(False, None, (3, 4)) == (False, 1, 12, 1)
    assert search_of(True, 0, (3, 4)) == (True, 1, 3, 4)
    assert search_of(True, 1, (3, 4, 5)) == (True, 3, 4, 5)
