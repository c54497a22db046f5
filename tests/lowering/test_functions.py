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


#: functions that are computed by polynomials in large arrays: arguments, and the largest error
_SETS = {
    "log": [lambda u: 0.5 + 1.5 * u, lambda u: np.exp(1200 * u - 600), lambda u: 1 + 1e-6 * (u - 0.5)],
    "log2": [lambda u: 0.5 + 1.5 * u, lambda u: np.exp(1200 * u - 600), lambda u: 1 + 1e-6 * (u - 0.5)],
    "log10": [lambda u: 0.5 + 1.5 * u, lambda u: np.exp(1200 * u - 600), lambda u: 1 + 1e-6 * (u - 0.5)],
    "log1p": [
        lambda u: 3 * u - 0.9,
        lambda u: np.exp(1200 * u - 600),
        lambda u: 1e-6 * (u - 0.5),
        lambda u: np.exp(-30 * u) - 1,
        lambda u: -np.exp(-690 * u),
    ],
}
_SETS |= dict.fromkeys(
    ("sin", "cos", "tan"),
    [
        lambda u: 8 * u - 4,
        lambda u: 2e6 * u - 1e6,
        lambda u: np.exp(-60 * u),
        lambda u: np.rint(1e5 * u) * (np.pi / 2),
        lambda u: 1e12 * u,
    ],
)
_MOST = {"log": 1.0, "log1p": 1.0, "sin": 1.0, "cos": 1.0, "tan": 2.5, "log2": 1.0, "log10": 1.0}


@pytest.mark.parametrize("name", _SETS)
def test_large_arrays_of_doubles(name):
    rng = np.random.default_rng(0)
    function = getattr(np, name)
    compiled = xlapy.jit(lambda x: function(x))
    for arguments in _SETS[name]:
        x = arguments(rng.random(50_000))
        assert units(np.asarray(compiled(x)), function(x.astype(np.longdouble))) <= _MOST[name]
        few = np.asarray(compiled(x[:100]))
        np.testing.assert_allclose(few, np.asarray(compiled(x))[:100], rtol=4e-15, atol=1e-300)
    assert compiled.cache_info().misses == 2


@pytest.mark.parametrize("name", _SETS)
def test_special_values_in_large_arrays(name):
    function = getattr(np, name)
    compiled = xlapy.jit(lambda x: function(x))
    limits = np.finfo(np.float64)
    special = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        -np.nan,
        1,
        -1,
        2,
        -2,
        limits.tiny,
        -limits.tiny,
        1e-200,
        5e-17,
        -5e-17,
    ]
    # for these, a whole array of angles is left to the C library
    for more in ([], [1e22, limits.max], [-limits.max]):
        x = np.full(5000, 0.75)
        values = special + more
        x[: len(values)] = values
        with np.errstate(all="ignore"):
            expected = function(x)
        found = np.asarray(compiled(x))
        np.testing.assert_allclose(found, expected, rtol=1e-15)
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))
    assert compiled.cache_info().misses == 1


_SIZE = 6000
_POWERS = {
    "usual": lambda u, v: (10 * u + 1e-3, 8 * v - 4),
    "near one": lambda u, v: (1 + 1e-3 * (u - 0.5), 1e3 * v),
    "wide": lambda u, v: (np.exp(60 * u - 30), 2 * v - 1),
    "large": lambda u, v: (100 * u, 15 * v),
    "near powers of two": lambda u, v: (2 ** np.floor(10 * u - 5) * (1 + 1e-8 * v), 20 * v - 10),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", _POWERS)
def test_powers_in_large_arrays(name, dtype):
    rng = np.random.default_rng(0)
    x, y = (v.astype(dtype) for v in _POWERS[name](rng.random(_SIZE), rng.random(_SIZE)))
    found = np.asarray(xlapy.jit(np.power)(x, y))
    assert found.dtype == dtype
    assert units(found, x.astype(np.longdouble) ** y.astype(np.longdouble)) <= 0.9


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_powers_in_large_arrays(dtype):
    compiled = xlapy.jit(np.power)
    values = np.array([0.0, -0.0, 1, -1, 2, -2, 0.5, 3, -3, 1e30, 1e-30, np.inf, -np.inf, np.nan], dtype)
    bases, exponents = (np.tile(v.ravel(), 60) for v in np.meshgrid(values, values))
    usual = (bases >= 0) & (bases < np.inf) & np.isfinite(exponents) & ((bases > 0) | (exponents > 0))
    for x, y in ((bases, exponents), (bases[usual], exponents[usual])):
        assert len(x) > 4097
        with np.errstate(all="ignore"):
            expected = x**y
        np.testing.assert_allclose(np.asarray(compiled(x, y)), expected, rtol=3 * np.finfo(dtype).eps)
    whole = np.arange(5000, dtype=dtype) % 20
    np.testing.assert_array_equal(np.asarray(compiled(whole, whole[::-1] % 5)), whole ** (whole[::-1] % 5))


@pytest.mark.parametrize("dtype", FLOATS)
def test_cube_roots_in_large_arrays(dtype):
    rng = np.random.default_rng(0)
    compiled = xlapy.jit(np.cbrt)
    for x in (100 * rng.standard_normal(_SIZE), np.exp(80 * rng.random(_SIZE) - 40), np.arange(_SIZE) % 200.0**3):
        x = x.astype(dtype)
        assert units(np.asarray(compiled(x)), np.cbrt(x.astype(np.longdouble))) <= 0.7
    whole = np.arange(-2500, 2501).astype(dtype) % 200
    np.testing.assert_array_equal(np.asarray(compiled(whole**3)), whole)
    x[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, -8]
    found = np.asarray(compiled(x))
    np.testing.assert_array_equal(found[:6], np.cbrt(x[:6]))
    np.testing.assert_array_equal(np.signbit(found[:2]), [False, True])


def test_derivatives_of_powers_in_large_arrays():
    def f(x, y):
        return (x**y + np.cbrt(x) + np.arctan2(x, y)).sum()

    x, y = np.linspace(0.5, 9, 5000), np.linspace(-2, 3, 5000)
    slopes = y * x ** (y - 1) + x ** (-2 / 3) / 3 + y / (x * x + y * y), x**y * np.log(x) - x / (x * x + y * y)
    for found, expected in zip(xlapy.grad(f, (0, 1))(x, y), slopes, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


def test_derivatives_in_large_arrays():
    def f(x):
        return (np.log(x) * np.sin(3 * x) + np.log1p(x) * np.cos(x) + np.tan(x / 9)).sum()

    def slope(x):
        first = np.sin(3 * x) / x + 3 * np.log(x) * np.cos(3 * x)
        return first + np.cos(x) / (1 + x) - np.log1p(x) * np.sin(x) + 1 / (9 * np.cos(x / 9) ** 2)

    x = np.linspace(0.5, 9, 5000)
    with jax.enable_x64(True):
        np.testing.assert_allclose(jax.grad(xlapy.jit(f))(x), slope(x), rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(xlapy.grad(f)(x), slope(x), rtol=1e-11, atol=1e-11)
        second = jax.grad(lambda x: (jax.grad(xlapy.jit(f))(x) ** 2).sum())(x)
        step = 1e-6
        expected = 2 * slope(x) * (slope(x + step) - slope(x - step)) / (2 * step)
        np.testing.assert_allclose(second, expected, rtol=1e-5, atol=1e-5)


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


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_exponentials_of_large_complex_arrays(dtype):
    rng = np.random.default_rng(8)
    edges = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 709.5, 710, 88.5, 89, -760, 3.14, 1e7])
    grid = np.array(np.meshgrid(edges, edges)).reshape(2, -1)
    real, imaginary = np.concatenate([grid, rng.normal(size=(2, 20_000)) * [[5], [50]]], axis=1)
    x = real.astype(dtype)
    x.imag = imaginary
    with np.errstate(all="ignore"):
        expected, found = np.exp(x), apply("exp", x)
    assert found.dtype == expected.dtype
    for one, other in ((found.real, expected.real), (found.imag, expected.imag)):
        np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
        np.testing.assert_array_equal(one[np.isinf(other)], other[np.isinf(other)])
        usual = np.isfinite(other)
        size = np.where(np.isfinite(expected), np.abs(expected), np.abs(other))[usual]
        limits = np.finfo(other.dtype)
        np.testing.assert_array_less(np.abs(one - other)[usual], 8 * limits.eps * size + limits.tiny)


def test_derivatives_of_exponentials_of_large_complex_arrays():
    def total(x):
        return np.exp(1j * x).real.sum()

    x = np.random.default_rng(9).normal(size=20_000)
    np.testing.assert_allclose(xlapy.grad(total)(x), -np.sin(x), rtol=1e-12, atol=1e-15)
