"""What is done with whole arrays in a program without loops, as machine code: each is compared with NumPy, and is
called without XLA."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import entry_points
from xlapy.machine_code.result_pool import Blocks

from .ways import check_machine_code

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not entry_points.is_possible(), reason="machine code is for CPUs"
)
RNG = np.random.default_rng(7)
X, Y = RNG.normal(size=6000), RNG.normal(size=6000)
U = np.concatenate((RNG.random(5990) * 2 - 1, [0.0, -0.0, 1.0, -1.0, np.nan, 2.0, 1e-300, -1e-20, 0.5, -0.5]))
FAR = np.concatenate((X * 1e5, [np.inf, -np.inf, np.nan, 1e300, -0.0]))
Z = np.concatenate(
    (X[:995] + 1j * Y[:995], [0j, complex(np.inf, np.nan), complex(-0.0, -0.0), 1e200 + 1e200j, 3e-320j])
)
A, T = RNG.normal(size=(40, 60)), RNG.normal(size=(5, 30, 7))
I, PLACES = RNG.integers(-50, 50, 6000), RNG.integers(-6000, 6000, 6000)
LOST = np.where(RNG.random((40, 60)) < 0.02, np.nan, A)


def taken(x, places):
    return x[places], np.take(x, places)


def put(x, places, y):
    x[places] = y
    return x.sum()


def added(x, places):
    found = np.zeros(6000)
    np.add.at(found, places, x)
    return found


def running(t, lost, i):
    upwards = [np.cumsum(t, axis=k) for k in range(3)] + [np.maximum.accumulate(lost, axis=k) for k in range(2)]
    downwards = [np.cumprod(t[::-1], axis=0)[::-1], np.minimum.accumulate(lost[:, ::-1], axis=1)]
    y = t.copy()
    y.cumsum(axis=1, out=y)
    return upwards, downwards, y, np.cumsum(i), np.maximum.accumulate(i.reshape(60, 100), axis=0)


def in_other_shapes(a, x):
    long = np.repeat(np.exp(x[:50]), 40)
    return (
        long,
        np.tile(x[:30] * 2, (4, 2)),
        np.kron(a[:4, :3], a[5:9, :2]),
        (a * 2).reshape(60, 40) + 1,
        long.reshape(40, 50).T,
    )


def once_and_again(x, y):
    a = np.where(x > y, x, y)
    return (a - a.mean()) / (a * a + 1), a[::2] + a[1::2]


PROGRAMS = {
    "sines": (lambda x: (np.sin(x), np.cos(x), np.tan(x)), (X,)),
    "sines_of_float32": (lambda x: np.sin(x), (X.astype(np.float32),)),
    "inverse": (lambda u: (np.arcsin(u), np.arccos(u), np.arctan(u)), (U,)),
    "angles": (lambda x, y: np.arctan2(x, y), (X, Y)),
    "angles_of_complex": (lambda z: (np.angle(z), np.angle(z, deg=True), np.abs(z)), (Z,)),
    "logarithms": (lambda x: (np.log2(np.abs(x)), np.log10(np.abs(x)), np.cbrt(x)), (X,)),
    "powers": (lambda x, y: np.abs(x) ** y, (X, Y)),
    "exponentials": (lambda z: np.exp(z), (Z,)),
    "running": (running, (T, LOST, I)),
    "in_other_shapes": (in_other_shapes, (A, X)),
    "joined_bits": (lambda i: [f.reduce(i.reshape(60, 100), axis=0) for f in (np.bitwise_xor, np.bitwise_and)], (I,)),
    "taken": (taken, (X, PLACES)),
    "put": (put, (X, np.unique(PLACES % 6000), 3.5)),
    "added": (added, (X, PLACES)),
    "once_and_again": (once_and_again, (X, Y)),
    "bits": (lambda i: np.bitwise_count(i), (I,)),
    "scaled": (lambda x: np.ldexp(x, 3), (X,)),
    "repeated": (lambda x, a: (np.tile(x, 3), np.tile(a, (2, 3)), np.tile(x, 40)), (X, A)),
    "repeated_rows": (lambda a: (np.repeat(a, 3, axis=0), np.repeat(a, 2, axis=1)), (A,)),
    "reshaped": (
        lambda t: ((t + 1).reshape(10, 15, 7)[::3], (t * 2).reshape(5, 1, 210)[1:], t.reshape(-1, 3) - 1),
        (T,),
    ),
    "joined": (lambda x: (np.append(x, 1.0) * 2, np.roll(x, 3), np.concatenate((x, x[:2], -x))), (X,)),
    "rows_times_rows": (lambda a: (np.einsum("ij,ij->i", a, a), np.trace(a), np.trace(a, 3)), (A,)),
    "places_in_columns": (lambda a: (a.argmax(axis=0), a.argmin(axis=0), np.argmax(a, axis=0, keepdims=True)), (LOST,)),
    "places_in_the_middle": (lambda t: (t.argmax(axis=1), (t * t).argmin(axis=0)), (T,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, monkeypatch):
    function, given = PROGRAMS[name]
    with np.errstate(all="ignore"):
        if name == "sines_of_float32":
            np.testing.assert_allclose(np.asarray(xlapy.jit(function)(*given)), function(*given), rtol=2e-7)
            return
        check_machine_code(function, given, True, monkeypatch)


LONG = np.random.default_rng(8).normal(size=1_500_000)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x / (max(1.0, np.abs(x[1:] - x[:-1]).max()) + 1e-9),
        lambda x: (x - x.mean()) / x.std() + np.log(np.exp(-x * x)).sum(),
        lambda x: (x[x > 0.5] * 2 + 1, np.nonzero(np.diff(x) > 1)[0]),
    ],
)
def test_long_arrays_joined_to_a_number_or_selected_from(function, monkeypatch):
    check_machine_code(function, (LONG,), True, monkeypatch)


@pytest.mark.parametrize("dtype", "i1 i2 i4 i8 u1 u2 u4 u8".split())
def test_divisions(dtype):
    about = np.iinfo(dtype)
    edges = np.array([about.min, about.min + 1, 0, 1, 2, about.max], dtype)
    x = np.concatenate((edges, RNG.integers(about.min, about.max, 400, dtype), RNG.integers(0, 100, 400).astype(dtype)))
    y = np.concatenate((edges[[0, -1, 2, 3]], RNG.integers(max(about.min, -9), 9, len(x) - 4).astype(dtype)))
    y = RNG.permutation(y)

    def divided(x, y):
        return x // y, x % y

    def by_known(x):
        return x // 7, x % 7, x // 64, x % 127, x // 1

    with np.errstate(all="ignore"):
        for function, given in ((divided, (x, y)), (divided, (x[:6], y[:6])), (by_known, (x,))):
            for one, other in zip(xlapy.jit(function)(*given), function(*given), strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("sizes", [(50, 1), (50, 7), (50, 8), (50, 9), (7, 50), (50, 33), (20, 20), (1, 1)])
def test_convolutions(sizes, mode):
    def both(x, y):
        return np.convolve(x, y, mode), np.correlate(x, y, mode)

    for dtype in (np.float64, np.int32, np.uint8):
        given = [(RNG.normal(size=size) * 9).astype(dtype) for size in sizes]
        for one, other in zip(xlapy.jit(both)(*given), both(*given), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_arguments_far_away_are_left_to_the_library():
    def sines(x):
        return np.sin(x), np.cos(x)

    with np.errstate(all="ignore"):
        for one, other in zip(xlapy.jit(sines)(FAR), sines(FAR), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_an_index_beyond_the_end_is_an_error():
    compiled = xlapy.jit(taken)
    compiled(X, PLACES)
    beyond = PLACES.copy()
    beyond[4000] = 6000
    with pytest.raises(IndexError, match="index 6000 is out of bounds for axis 0 with size 6000"):
        compiled(X, beyond)


def test_memory_is_used_again_only_if_nobody_has_it():
    blocks = Blocks(most=1 << 20)
    one = blocks.of(200_000)
    address = one.ctypes.data
    view = one[10:20]
    del one
    assert blocks.of(200_000).ctypes.data != address
    del view
    kept = [blocks.of(200_000) for _ in range(2)]
    assert address in [block.ctypes.data for block in kept]
    assert len({block.ctypes.data for block in kept}) == 2


def test_no_more_memory_is_kept_than_is_allowed():
    blocks = Blocks(most=1 << 20)
    held = [blocks.of(size) for size in (300_000, 300_000, 400_000, 500_000)]
    assert blocks.kept <= 1 << 20
    assert len({block.ctypes.data for block in held}) == 4
    assert blocks.of(100).size >= 100


def test_results_that_are_kept_do_not_change():
    compiled = xlapy.jit(lambda x, k: x * k)
    x = np.arange(100_000.0)
    found = [compiled(x, float(k)) for k in range(6)]
    looked_at = [np.asarray(value) for value in found[:3]]
    del found[:3]
    found += [compiled(x, float(k)) for k in range(6, 12)]
    for k, value in enumerate(looked_at + found):
        np.testing.assert_array_equal(value, x * k)
