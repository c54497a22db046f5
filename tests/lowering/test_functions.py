"""Functions that are computed otherwise than XLA computes them: as exact as said, and NumPy's special values."""

import jax
import numpy as np
import pytest

import xlapy

FLOATS = [np.float64, np.float32]


def apply(name, *arrays):
    function = getattr(np, name)
    return np.asarray(xlapy.jit(lambda *a: function(*a))(*arrays))


def units(found, exact):
    """The largest error in units in the last place. Subnormal results are zero on a CPU."""
    size = np.spacing(np.abs(exact).astype(found.dtype))
    return float(np.max(np.where(np.abs(exact) < np.finfo(found.dtype).tiny, 0, np.abs(found - exact) / size)))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("name", "most"), [("arctan", 1.5), ("arcsin", 2.5), ("arccos", 2.5), ("arctan2", 1.6)])
def test_inverse_trigonometric_functions(name, most, dtype):
    rng = np.random.default_rng(0)
    size = 20_000
    if name == "arctan2":
        near = rng.uniform(0.5, 2, size), rng.uniform(-2, -0.5, size)
        sets = [(rng.standard_normal(size), rng.standard_normal(size)), tuple(np.exp(20 * v) for v in near), near]
    elif name == "arctan":
        sets = [(3 * rng.standard_normal(size),), (np.exp(rng.uniform(-30, 30, size)),), (rng.uniform(0.5, 2.5, size),)]
    else:
        sets = [
            (rng.uniform(-1, 1, size),),
            (np.exp(rng.uniform(-30, 0, size)),),
            (1 - np.exp(rng.uniform(-30, 0, size)),),
        ]
    for operands in sets:
        operands = [v.astype(dtype) for v in operands]
        exact = getattr(np, name)(*(v.astype(np.longdouble) for v in operands))
        assert units(apply(name, *operands), exact) <= most


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["arctan", "arcsin", "arccos", "arctan2", "hypot"])
def test_special_values(name, dtype):
    most = np.finfo(dtype).max
    values = np.array(
        [0.0, -0.0, 1, -1, 3, 4, 0.5, -0.5, 2, np.inf, -np.inf, np.nan, most, -most, most / 2, 1e-30, 1e30], dtype
    )
    with np.errstate(all="ignore"):
        operands = np.meshgrid(values, values) if name in ("arctan2", "hypot") else [values]
        expected = getattr(np, name)(*operands)
    found = apply(name, *operands)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=3 * np.finfo(dtype).eps, atol=np.finfo(dtype).tiny)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


@pytest.mark.parametrize("dtype", FLOATS)
def test_hypotenuses_of_right_triangles(dtype):
    x, y = np.meshgrid(np.arange(120, dtype=dtype), np.arange(-120, 1, dtype=dtype))
    expected = np.hypot(x, y)
    found = apply("hypot", x, y)
    whole = expected == np.rint(expected)
    np.testing.assert_array_equal(found[whole], expected[whole])
    rng = np.random.default_rng(0)
    for scale in (1, 60):
        x, y = (np.exp(rng.uniform(-scale, scale, 20_000)).astype(dtype) for _ in range(2))
        assert units(apply("hypot", x, y), np.hypot(x.astype(np.longdouble), y.astype(np.longdouble))) <= 0.6
    limits = np.finfo(dtype)
    x = np.array([limits.max / 2, limits.max, limits.tiny * 4, 1], dtype)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(apply("hypot", x, x), np.hypot(x, x), rtol=2 * limits.eps)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sines_in_single_precision(name):
    rng = np.random.default_rng(0)
    function = getattr(np, name)
    compiled = xlapy.jit(lambda x: function(x))
    most = np.finfo(np.float32).max
    for largest in (3, 1e5, 1e7, most):
        x = rng.uniform(-largest / 2, largest / 2, 5000).astype(np.float32)
        x[:6] = [0.0, -0.0, np.nan, 1e-30, np.pi, -np.pi / 2]
        found = np.asarray(compiled(x))
        exact = function(x.astype(np.longdouble if largest < most else np.float64))
        assert found.dtype == np.float32
        np.testing.assert_array_equal(np.signbit(found[:2]), np.signbit(exact[:2]))
        assert np.isnan(found[2])
        assert units(found[3:], exact[3:]) <= 0.6
    x[7:10] = [np.inf, -np.inf, most]
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(np.asarray(compiled(x)), function(x), rtol=1e-5, atol=1e-6)
    assert compiled.cache_info().misses == 1
    slope = jax.grad(xlapy.jit(lambda x: function(x).sum()))(x[10:][np.abs(x[10:]) < most].repeat(2)[:6000])
    assert slope.dtype == np.float32
    vectors = jax.vmap(xlapy.jit(lambda x: function(x)))(x.reshape(2, 2500).repeat(2, axis=1))
    np.testing.assert_array_equal(
        vectors[0, ::2], jax.vmap(xlapy.jit(lambda x: function(x)))(x.reshape(1, 5000))[0, :2500]
    )


def test_derivatives():
    def f(x, y):
        return (np.arctan(x) + np.arcsin(x) * np.arccos(y) + np.arctan2(x, y) + np.hypot(x, y)).sum()

    x, y = np.linspace(-0.9, 0.8, 40), np.linspace(0.7, -0.6, 40)
    found = jax.grad(xlapy.jit(f), (0, 1))(x, y)
    step = 1e-6
    for k, gradient in enumerate(found):
        for i in (0, 13, 39):
            move = step * (np.arange(40) == i)
            after = f(x + move, y) if k == 0 else f(x, y + move)
            before = f(x - move, y) if k == 0 else f(x, y - move)
            assert gradient[i] == pytest.approx((after - before) / (2 * step), rel=1e-6)
