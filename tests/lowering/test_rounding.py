"""Arithmetic is rounded as it is written: no division becomes a product, no constants are drawn together."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from xlapy.lowering.cpu_xla.compiler_options import options_for

rng = np.random.default_rng(20260101)
X = rng.normal(size=500) * 10.0 ** rng.integers(-5, 6, 500)
Y = rng.normal(size=500)
Z = rng.normal(size=500)
GRID = X.reshape(20, 25)


def horner_of_divisions(x):
    total = 0 * x
    for divisor in (3.0, 7.0, 49.0):
        total = (total + x) / divisor
    return total


def kahan(x):
    total = lost = 0.0
    for value in x:
        value = value - lost
        larger = total + value
        lost = (larger - total) - value
        total = larger
    return total


def machine_epsilon(one):
    step = one
    while one + step / 2 != one:
        step /= 2
    return step


def halves(x):
    scaled = 134217729.0 * x
    high = scaled - (scaled - x)
    return high, x - high


PROGRAMS = [
    (lambda x: x / 49, (X,)),
    (lambda x, s: x / s, (X, 7.3)),
    (lambda x, row: x / row, (GRID, Y[:25])),
    (lambda x, column: x / column, (GRID, Y[:20, None])),
    (lambda x: x * 0.1 * 3, (X,)),
    (lambda x: (x + 1e16) - 1e16, (X,)),
    (lambda x: (x + 0.1) + 0.2, (X,)),
    (lambda x, y, z: x / (y / z), (X, Y, Z)),
    (lambda x, y, z: (x / y) / z, (X, Y, Z)),
    (lambda x, y, z: x / y / 3, (X, Y, Z)),
    (lambda x, y: (x + y) - x, (X, Y)),
    (lambda x: np.sqrt(np.abs(x)) * np.sqrt(np.abs(x)), (X,)),
    (lambda x, y: x / np.sqrt(np.abs(y)), (X, Y)),
    (lambda x: np.sqrt(x * x), (np.array([1e200, 1e-200, -3.0]),)),
    (lambda x, y, z: x / (y / z), (np.array([1e200]), np.array([1e250]), np.array([1e250]))),
    (lambda x: (x**2.0) ** 0.5, (np.array([-3.0, 0.1]),)),
    (lambda x: (x**0.5, x**-1.0, x**0.0, x**1.0), (np.array([0.0, -0.0, np.inf, -np.inf, 2.0, np.nan]),)),
    (lambda x: np.log(np.exp(x)), (np.array([800.0, -800.0, 1.0]),)),
    (lambda x: x.mean(axis=0), (np.array([[1.0, 5.0], [2.0, 7.0], [4.0, 9.0]]),)),
    (horner_of_divisions, (X,)),
    (kahan, (X,)),
    (machine_epsilon, (1.0,)),
    (halves, (X,)),
    (lambda k: [int(k * j / 49) for j in range(1, 8)], (49.0,)),
    (lambda x: np.floor(x / 49).astype(int), (np.arange(1.0, 500.0),)),
    (lambda x: (x / np.float32(3), x * np.float32(0.1) * np.float32(3)), (X.astype(np.float32),)),
]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_every_bit_is_numpys(number):
    function, arguments = PROGRAMS[number]
    with np.errstate(all="ignore"):
        expected = function(*(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments))
    got = xlapy.jit(function)(*arguments)
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        one, other = np.asarray(one), np.asarray(other)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(np.signbit(one), np.signbit(other))


def test_lowered_programs_are_rounded_as_called_ones():
    x = np.arange(1.0, 100.0)
    compiled = xlapy.jit(lambda x: x / 49).lower(x).compile()
    np.testing.assert_array_equal(compiled(x), x / 49)


def test_programs_of_jax_are_compiled_as_jax_compiles_them():
    def f(x):
        return jnp.sin(x) / 49

    x = jnp.arange(1.0, 100.0)
    assert (xlapy.jit(f)(x) == jax.jit(f)(x)).all()


def test_options_of_the_caller_go_before():
    options = {"xla_disable_hlo_passes": "dce"}
    x = np.arange(1.0, 100.0)
    assert (np.asarray(xlapy.jit(lambda x: x / 49, compiler_options=options)(x)) != x / 49).any()


def test_a_list_of_what_jax_computed_is_compiled_as_jax_compiles_it(monkeypatch):
    """Putting numbers into a list that grows is no arithmetic."""
    options = []

    def spy(*arguments):
        options.append(options_for(*arguments))
        return options[-1]

    monkeypatch.setattr("xlapy.runtime.specialisation.options_for", spy)

    def history(x, n):
        found = []
        for _ in range(n):
            x = jnp.sin(x) / 49
            found.append(x.sum())
        return jnp.stack(found)

    x = jnp.asarray(X, jnp.float32)
    found = xlapy.jit(history)(x, 50)
    assert options and set(options) == {None}
    np.testing.assert_allclose(found, jax.jit(history, static_argnums=1)(x, 50), rtol=1e-6)


def _in_the_library(f, *args, **options):
    return "ynn" in xlapy.code_xla(xlapy.jit(f, **options), *args, opt=True)


def test_reductions_that_are_not_left_to_a_library():
    """YNNPACK crashes with some like the first of these, and takes twenty times as long for short sums."""
    points, x = np.ones((50, 3)), np.arange(5000.0)
    for reduced in (
        lambda p, x: ((x - x[None].mean(axis=1)) ** 3).mean() / x.std() ** 3,
        lambda p, x: ((p[:, None] - p) ** 2).sum(-1),
        lambda p, x: np.exp(p.T).max(axis=1) + x.sum(),
        lambda p, x: (x.reshape(50, 100) - x.reshape(50, 100).mean(axis=1, keepdims=True)).sum(),
    ):
        assert not _in_the_library(reduced, points, x)
        assert np.isfinite(xlapy.jit(reduced)(points, x)).all()


@pytest.mark.parametrize("size", [1000, 5000, 100_000])
def test_reductions_that_may_be(size):
    """These crashed the process once, or were twenty times slower without the library."""
    x = np.random.default_rng(0).normal(size=size)
    for reduced in (
        lambda x: ((x - x.mean()) ** 3).mean() / x.std() ** 3,
        lambda x: x.mean() / x.std() ** 3,
        lambda x: np.abs(x[:500, None] - x[:500]).sum(),
        lambda x: (x.max() - x.min()) / x.var(),
        lambda x: ((x - x.mean()) / x.std()).sum() + np.exp(-x).sum(),
    ):
        f = xlapy.jit(reduced)
        for _ in range(20):
            np.testing.assert_allclose(f(x), reduced(x), rtol=1e-9, atol=1e-9)


def test_the_callers_options_go_first():
    table = np.ones((300, 1000), np.float32)
    if "ynn" in jax.jit(lambda t: (t * 2).sum(1)).lower(table).compile().as_text():
        kinds = {"xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_REDUCE"}
        assert _in_the_library(lambda t: (t * 2).sum(1), table, compiler_options=kinds)
