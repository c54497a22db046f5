"""Short rows put in order by machine code, called by XLA and inside machine code: compared with NumPy."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import entry_points, sorting_networks
from xlapy.runtime import native_calls

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not entry_points.is_possible(), reason="machine code is for CPUs"
)
RNG = np.random.default_rng(5)
DTYPES = ["i1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
#: rows and columns, alone and many, of a few numbers and of more; more and fewer than a vector has lanes
SHAPES = [((40,), 0), ((37, 9), 1), ((3, 17), 1), ((9, 37), 0), ((200, 33), 0), ((33, 3), 0), ((2, 19, 21), 1)]


def samples(dtype, shape):
    """Numbers with many that are equal, NaN, infinities, and zeros of both signs; and the ends of the type."""
    if dtype[0] != "f":
        info = np.iinfo(dtype)
        x = RNG.integers(max(info.min, -9), 9, shape).astype(dtype)
        x.flat[:4] = info.max, info.min, info.max, info.min
        return x
    x = RNG.integers(-9, 9, shape).astype(dtype) / 4
    x.flat[::7], x.flat[1::11], x.flat[2::13], x.flat[3::17], x.flat[4::5] = np.nan, np.inf, -np.inf, 0.0, -0.0
    x.flat[5] = -np.array(np.nan, dtype)
    return x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_order(dtype, shape, axis):
    x = samples(dtype, shape)
    assert sorting_networks.suits(x.dtype, shape, axis)
    with jax.enable_x64(True):
        found = jax.jit(lambda x: sorting_networks.ordered(x, axis))(x)
        places = jax.jit(lambda x: sorting_networks.places(x, axis))(x)
    assert found.dtype == x.dtype and places.dtype == np.int64
    np.testing.assert_array_equal(found, np.sort(x, axis))
    np.testing.assert_array_equal(places, np.argsort(x, axis, kind="stable"))


@pytest.mark.parametrize("count", [2, 3, 16, 17, 64, 255, 256, 600])
def test_as_many_numbers(count):
    x = RNG.normal(size=(11, count))
    with jax.enable_x64(True):
        np.testing.assert_array_equal(jax.jit(lambda x: sorting_networks.ordered(x, 1))(x), np.sort(x, 1))
        np.testing.assert_array_equal(jax.jit(lambda x: sorting_networks.places(x, 1))(x), np.argsort(x, 1))


@pytest.mark.parametrize("dtype", ["i2", "i8", "f4", "f8"])
def test_functions_that_sort(dtype, monkeypatch):
    monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *_: None)
    called = []
    for name in ("ordered", "places"):
        original = getattr(sorting_networks, name)
        monkeypatch.setattr(sorting_networks, name, lambda *a, f=original, n=name: (called.append(n), f(*a))[1])

    def program(rows, more):
        return (
            np.sort(rows, axis=1),
            np.sort(rows, axis=0),
            np.sort(more, axis=-1),
            np.argsort(rows, axis=1, kind="stable"),
            np.argsort(more, axis=1, kind="stable"),
            np.median(more, axis=1),
            np.percentile(more, [20, 75], axis=1),
            np.partition(more, 7, axis=1)[:, 7],
        )

    arguments = samples(dtype, (60, 9)), samples(dtype, (30, 40))
    with np.errstate(all="ignore"):
        wanted = program(*arguments)
    got = xlapy.jit(program, returns="numpy")(*arguments)
    for one, other in zip(got, wanted, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    assert {"ordered", "places"} <= set(called)


def test_where_jax_transforms_the_program():
    def program(x):
        return np.sort(x) * np.arange(x.size) + x[np.argsort(x, kind="stable")[::-1]]

    x = RNG.normal(size=(300, 5))
    with jax.enable_x64(True):
        columns = jax.vmap(xlapy.jit(program), in_axes=1, out_axes=1)(x)
        np.testing.assert_allclose(columns, np.stack([program(c) for c in x.T], axis=1), rtol=1e-15)
        inside = xlapy.jit(lambda x: jax.vmap(program, in_axes=1, out_axes=1)(x))(x)
        np.testing.assert_allclose(inside, columns, rtol=1e-15)

    def total(x):
        return (np.sort(x, axis=0) * np.arange(len(x))[:, None]).sum()

    ranks = np.argsort(np.argsort(x, axis=0), axis=0)
    np.testing.assert_array_equal(xlapy.grad(total)(x), ranks.astype(float))


# -- inside machine code --


def medians_in_windows(x):
    out = np.empty(x.size - 8)
    for i in range(x.size - 8):
        out[i] = np.median(x[i : i + 9])
    return out


def sorted_windows(x):
    out = np.zeros(x.size)
    for i in range(20, x.size):
        s = np.sort(x[i - 20 : i])
        out[i] = s[3] + (out[i - 1] if out[i - 1] < 2 else 0)
    return out


def places_in_windows(x):
    total, last = 0, 0
    for i in range(20, x.size):
        order = np.argsort(x[i - 20 : i], kind="stable")
        last = order[last % 20]
        total += last * i
    return total


def rows_one_after_another(a):
    a = a.copy()
    for i in range(1, len(a)):
        a[i] = np.sort(a[i])
        a[i, 0] += i
        a[i - 1] = a[i][np.argsort(a[i - 1], kind="stable")]
    return a


def columns_of_a_table(a):
    found = np.zeros(a.shape[1], np.int64)
    for k in range(12):
        found += np.argsort(a, axis=0, kind="stable")[k]
        a = np.sort(a, axis=0)[::-1]
    return found, a


def in_order_of_others(x, y):
    for k in range(5):
        order = np.lexsort((y, np.floor(x)))
        x, y = y[order], x[order] + k
    return x, y


def rows_of_one(a):
    """Nothing changes its place."""
    for k in range(len(a)):
        a[k] += np.sort(a, axis=1)[k - 1] + np.argsort(a, axis=1, kind="stable")[k]
        a[-1] += np.lexsort((a, a), axis=1)[k]
    return a, np.sort(a[:, None], axis=1), np.argsort(a, kind="stable")


FLOATS = samples("f8", (60,))
PROGRAMS = [
    (rows_of_one, (samples("f8", (17, 1)),)),
    (rows_of_one, (samples("i8", (9, 1)),)),
    (medians_in_windows, (FLOATS,)),
    (medians_in_windows, (samples("i4", (60,)),)),
    (sorted_windows, (FLOATS,)),
    (sorted_windows, (RNG.normal(size=90).astype("f4"),)),
    (places_in_windows, (FLOATS,)),
    (places_in_windows, (samples("u8", (60,)),)),
    (rows_one_after_another, (samples("f8", (8, 31)),)),
    (rows_one_after_another, (samples("f4", (8, 9)),)),
    (columns_of_a_table, (samples("f8", (23, 5)),)),
    (columns_of_a_table, (RNG.random((23, 5)) < 0.5,)),
    (in_order_of_others, (RNG.normal(size=40), RNG.normal(size=40))),
]


@pytest.mark.parametrize("function, arguments", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_inside_machine_code(function, arguments, monkeypatch):
    found = []
    original = native_calls.whole_as_machine_code
    monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *a: found.append(original(*a)) or found[-1])
    with np.errstate(all="ignore"):
        wanted = function(*(x.copy() for x in arguments))
    got = xlapy.jit(function, returns="numpy")(*arguments)
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(one, other)
    assert found and found[-1] is not None
