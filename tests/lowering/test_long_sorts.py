"""Sorting many numbers: floats as integers, places packed with what is sorted."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from xlapy.lowering.primitives import long_sorts

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split()


def samples(dtype, shape):
    random = np.random.default_rng(3)
    if dtype == "?":
        return random.random(shape) < 0.5
    if dtype[0] != "f":
        info = np.iinfo(dtype)
        x = random.integers(info.min, info.max, shape, dtype, endpoint=True)
        x.flat[:6] = info.min, info.max, 0, info.max, info.min, 1
        return x
    x = (random.standard_normal(shape) * 3).astype(dtype)
    x.flat[:10] = np.nan, np.inf, -np.inf, -0.0, 0.0, -0.0, np.nan, np.finfo(dtype).smallest_subnormal, -np.inf, 0.0
    x.flat[10] = -np.float64(np.nan)
    return x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "axis"), [((2000,), 0), ((40, 30), 0), ((40, 30), 1), ((3, 20, 40), 1)])
def test_order(dtype, shape, axis):
    x = samples(dtype, shape)
    with jax.enable_x64(True):
        found = jax.jit(long_sorts.order, static_argnums=1)(x, axis)
        ordered = jax.jit(long_sorts.ascending, static_argnums=1)(x, axis)
    assert found.dtype == np.int64 and ordered.dtype == x.dtype
    np.testing.assert_array_equal(found, np.argsort(x, axis=axis, kind="stable"))
    np.testing.assert_array_equal(ordered, np.sort(x, axis=axis))


@pytest.mark.parametrize("dtype", ["i8", "u8"])
def test_integers_near_and_far_from_one_another(dtype):
    info = np.iinfo(dtype)
    for low, high in ((0, 9), (info.max - 2**32 + 1, info.max), (info.max - 2**32, info.max), (info.min, info.min + 7)):
        x = np.random.default_rng(0).integers(low, high, 900, dtype, endpoint=True)
        x[:2] = high, low
        with jax.enable_x64(True):
            np.testing.assert_array_equal(long_sorts.order(jnp.asarray(x), 0), np.argsort(x, kind="stable"))


def test_without_64_bits():
    x = samples("f4", (2000,))
    x[7] = 1.0  # to JAX, numbers below the smallest normal one are zeros
    np.testing.assert_array_equal(jax.jit(long_sorts.order, static_argnums=1)(x, 0), np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(jax.jit(long_sorts.ascending, static_argnums=1)(x, 0), np.sort(x))


def test_derivatives():
    """Of many numbers as of few, mapped over rows or not."""
    x = np.random.default_rng(0).permutation(np.repeat(np.arange(300.0), 2)).reshape(2, 300)
    weights = np.cos(np.arange(300.0))

    def weighted(x):
        return (np.sort(x, axis=-1) ** 2 * weights).sum()

    def expected(x):
        return (jnp.sort(x, axis=-1) ** 2 * weights).sum()

    with jax.enable_x64(True):
        for mine, its in ((xlapy.grad(weighted), jax.grad(expected)), (xlapy.jit(weighted), expected)):
            np.testing.assert_allclose(mine(x), its(x), rtol=1e-13)
        mine = jax.vmap(jax.grad(xlapy.jit(weighted)))(np.stack([x, x + 0.25]))
        np.testing.assert_allclose(mine, jax.vmap(jax.grad(expected))(np.stack([x, x + 0.25])), rtol=1e-13)
        tangent = np.sin(np.arange(600.0)).reshape(2, 300)
        mine, its = (jax.jvp(jax.grad(f), (x,), (tangent,))[1] for f in (lambda x: xlapy.jit(weighted)(x), expected))
        np.testing.assert_allclose(mine, its, rtol=1e-13)


PROGRAMS = dict(
    sort=lambda x, k: np.sort(x),
    argsort=lambda x, k: np.argsort(x, kind="stable"),
    flat=lambda x, k: np.sort(x.reshape(2, -1), axis=None),
    lexsort=lambda x, k: np.lexsort((x, k % 3)),
    lexsort_rows=lambda x, k: np.lexsort((x.reshape(2, -1), k.reshape(2, -1))),
    unique=lambda x, k: np.unique(k, return_index=True, return_inverse=True, return_counts=True),
    selected=lambda x, k: (np.sort(x[k > 9]), np.argsort(x[k > 9], kind="stable"), np.median(x[k > 9])),
    selected_unique=lambda x, k: np.unique(k[x > 0], return_index=True, return_inverse=True, return_counts=True),
    median=lambda x, k: (np.median(x), np.median(k), np.median(x[1:]), np.median(x.astype(np.float32))),
    median_rows=lambda x, k: (
        np.median(x.reshape(30, -1), axis=0),
        np.median(k.reshape(30, -1), axis=1, keepdims=True),
    ),
    median_whole=lambda x, k: np.median(x.reshape(30, -1), keepdims=True),
    nanmedian=lambda x, k: (
        np.nanmedian(np.where(k > 30, np.nan, x)),
        np.nanmedian(np.where(k > 30, np.nan, x).reshape(30, -1), axis=0),
        np.nanmedian(np.where(k < 99, np.nan, x).reshape(30, -1), axis=1, keepdims=True),
        np.nanmedian(k),
    ),
    percentiles=lambda x, k: (np.percentile(x, [1, 50, 99.5]), np.quantile(k, 0.3, method="lower")),
    with_nan=lambda x, k: (np.median(np.where(k == 3, np.nan, x)), np.sort(np.where(k == 3, np.nan, x))),
    infinite=lambda x, k: np.median(np.where(k > 25, np.inf, -np.inf)),
    sorted_pairs=lambda x, k: [i for _, i in sorted(zip(k.tolist(), range(len(k)), strict=True))][:5],
)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("size", [60, 1200])
def test_programs(name, size):
    random = np.random.default_rng(1)
    x, k = random.standard_normal(size), random.integers(0, 50, size)
    compiled = xlapy.jit(PROGRAMS[name])
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of rows without numbers
            found, expected = compiled(x, k), PROGRAMS[name](x, k)
        flat, wanted = (jax.tree.leaves(tuple(v) if isinstance(v, tuple) else v) for v in (found, expected))
        assert len(flat) == len(wanted)
        for a, b in zip(flat, wanted, strict=True):
            assert np.shape(a) == np.shape(b) and np.asarray(a).dtype == np.asarray(b).dtype
            np.testing.assert_allclose(a, b, rtol=1e-14)
        x, k = random.standard_normal(size), random.integers(0, 50, size)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="what XLA's CPU backend sorts")
@pytest.mark.parametrize("function", [np.sort, np.argsort, np.median])
def test_numbers_are_sorted_by_themselves(function):
    """An operand besides, or floats, are compared by a function that is called for every pair."""
    text = xlapy.code_xla(lambda x: function(x), np.ones(5000), opt=True)
    sorts = [line for line in text.splitlines() if " sort(" in line]
    assert sorts and all(line.split(" sort(")[0].split("= ")[1].startswith(("s64", "u64")) for line in sorts)


@pytest.mark.parametrize("dtype", DTYPES[1:])
@pytest.mark.parametrize("few", [False, True])
def test_numbers_at_places(dtype, few):
    x = samples(dtype, (20_000,))
    x = x[np.random.default_rng(0).integers(0, 16, x.size)] if few else x
    places = [0, 1, 3, 9_999, 10_000, 15_000, 19_998, 19_999]
    with jax.enable_x64(True):
        assert long_sorts.selects(jnp.asarray(x))
        found, after = jax.jit(long_sorts.at_places)(x, jnp.asarray(places))
    ordered = np.sort(x)
    np.testing.assert_array_equal(found, ordered[places])
    np.testing.assert_array_equal(after, ordered[np.minimum(np.asarray(places) + 1, x.size - 1)])
    assert found.dtype == after.dtype == x.dtype


@pytest.mark.parametrize("numbers", ["different", "few", "equal", "nan", "infinite"])
def test_quantiles_of_many(numbers):
    random = np.random.default_rng(1)
    x = random.standard_normal((1 << 14) + (numbers in ("few", "nan")))
    x = {"few": np.round(x), "equal": x * 0 + 2.5}.get(numbers, x)
    if numbers in ("nan", "infinite"):
        x[100] = np.nan if numbers == "nan" else np.inf
    q = np.array([0, 0.1, 0.5, 0.99, 1])

    def statistics(x, q):
        whole = np.median(x), np.quantile(x, q), np.percentile(x, 30), np.quantile(x, 0.5, method="lower")
        return *whole, np.median(x.reshape(1, -1, 1), axis=(0, 1)), np.median(x, keepdims=True)

    def of_numbers(x, q):
        return np.nanmedian(x), np.nanquantile(x, q)

    for function in (statistics, of_numbers):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = function(x, q)
        for got, wanted in zip(xlapy.jit(function)(x, q), expected, strict=True):
            assert np.shape(got) == np.shape(wanted) and np.asarray(got).dtype == np.asarray(wanted).dtype
            np.testing.assert_allclose(got, wanted, rtol=1e-14)


def test_derivatives_of_quantiles_of_many():
    x = np.random.default_rng(0).permutation(18_000.0 + np.arange(18_000.0))

    def function(x, np=np):
        return np.median(x) ** 2 + (np.quantile(x, np.array([0.2, 0.7])) ** 2).sum()

    with jax.enable_x64(True):
        np.testing.assert_allclose(xlapy.grad(function)(x), jax.grad(lambda x: function(x, jnp))(x), rtol=1e-13)
        rows = jnp.stack([x, x[::-1] + 0.25])
        mine = jax.vmap(jax.grad(xlapy.jit(lambda x: function(x))))(rows)
        np.testing.assert_allclose(mine, jax.vmap(jax.grad(lambda x: function(x, jnp)))(rows), rtol=1e-13)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="what is done on CPUs")
@pytest.mark.parametrize("function", [np.median, np.nanmedian])
def test_a_median_sorts_nothing(function):
    assert " sort(" not in xlapy.code_xla(lambda x: function(x), np.ones(20_000), opt=True)


COMPUTED = {
    "sort": lambda v: np.sort(np.sqrt(v), axis=-1),
    "argsort": lambda v: np.argsort(np.sqrt(v), axis=-1, kind="stable"),
    "median": lambda v: np.nanmedian(np.sqrt(v), axis=-1),
    "unique": lambda v: np.unique(np.log(v)),
    "lexsort": lambda v: np.lexsort((v.ravel(), np.sqrt(v).ravel())),
    "in a loop": lambda v: [np.sort(np.sqrt(v) * k) for k in range(3)][2],
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", COMPUTED)
def test_nan_that_is_computed_comes_last_whatever_its_sign(name, dtype):
    for shape in ((5,), (17,), (300,), (1000,), (50, 9)):
        v = np.random.default_rng(0).normal(size=shape).astype(dtype)
        with np.errstate(all="ignore"):
            wanted = COMPUTED[name](v)
        np.testing.assert_allclose(xlapy.jit(COMPUTED[name], returns="numpy")(v), wanted, rtol=1e-6)
