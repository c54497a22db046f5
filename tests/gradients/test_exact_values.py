"""Values set right at single points (zeros of a remainder, knots, factorials) have the derivative of the formula."""

import cmath
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy

#: a function of two numbers as Python has it, and the same for JAX
PAIRS = {
    "%": (lambda a, b: a % b, jnp.mod),
    "divmod": (lambda a, b: divmod(a, b)[1], jnp.mod),
    "remainder": (np.remainder, jnp.mod),
    "np.divmod": (lambda a, b: np.divmod(a, b)[1], jnp.mod),
    "math.modf": (lambda a, b: math.modf(a)[0] * b, lambda a, b: jnp.modf(a)[0] * b),
    "np.modf": (lambda a, b: np.modf(a)[0] * b, lambda a, b: jnp.modf(a)[0] * b),
    "interp": (
        lambda a, b: np.interp(a, [-2.0, -1.0, 1.0, 2.0], [1.0, b, 5.0, 2.0]),
        lambda a, b: jnp.interp(a, jnp.array([-2.0, -1.0, 1.0, 2.0]), jnp.array([1.0, b, 5.0, 2.0])),
    ),
}


POINTS = [(2.0, 1.0), (-1.0, 0.5), (1.0, -0.5), (0.7, 0.5), (-1.3, 0.5)]


def expected(name):
    with jax.enable_x64(True):
        return np.array([jax.grad(PAIRS[name][1], argnums=(0, 1))(a, b) for a, b in POINTS])


@pytest.mark.parametrize("name", PAIRS)
def test_numbers(name):
    gradient = xlapy.grad(PAIRS[name][0], argnums=(0, 1))
    np.testing.assert_allclose([gradient(a, b) for a, b in POINTS], expected(name), atol=1e-14)


@pytest.mark.parametrize("name", ["%", "remainder", "np.divmod", "np.modf"])
def test_arrays(name):
    function = PAIRS[name][0]
    gradient = xlapy.grad(lambda x, y: function(x, y).sum(), argnums=(0, 1))
    np.testing.assert_allclose(np.transpose(gradient(*np.transpose(POINTS))), expected(name), atol=1e-14)


def test_gamma_of_whole_numbers():
    gradient = xlapy.grad(math.gamma)
    for n in (1.0, 3.0, 6.0):
        expected = (math.gamma(n + 1e-6) - math.gamma(n - 1e-6)) / 2e-6
        np.testing.assert_allclose(gradient(n), expected, rtol=1e-6)


def test_floor_division_by_zero_that_is_not_chosen():
    found = xlapy.grad(lambda x, y: np.where(y != 0, x // y + x, x).sum())(np.array([1.0, 2.5]), np.array([0.0, 1.0]))
    np.testing.assert_array_equal(found, [1.0, 1.0])


def test_curvature_of_sinc():
    found = xlapy.hessian(lambda x: np.sinc(x).sum())(np.array([0.0, 0.5]))
    np.testing.assert_allclose(np.diag(found)[0], -(np.pi**2) / 3)


ON_THE_AXES = [0.4 + 0j, -0.3 + 0j, 0.5j, -0.2j, 0.3 - 0.6j]


W = 1.5 - 0.5j

#: functions of complex numbers, which Python computes otherwise where something is infinite
ARITHMETIC = {
    "square": lambda z: z * z,
    "product": lambda z: z * W + 2.5 * z - z * -1.5,
    "reciprocal": lambda z: 1 / z,
    "quotient": lambda z: z / W + W / z + z / 4.0,
}


@pytest.mark.parametrize("name", [*"sqrt asin acos atan asinh acosh atanh tan tanh log10".split(), *ARITHMETIC])
def test_functions_of_complex_numbers(name):
    function = ARITHMETIC[name] if name in ARITHMETIC else getattr(cmath, name)

    def parts(x, y):
        w = function(complex(x, y))
        return w.real + 2 * w.imag

    gradient = xlapy.grad(parts, argnums=(0, 1))
    for z in ON_THE_AXES:
        slope = (function(z + 1e-6 * (1 + z)) - function(z - 1e-6 * (1 + z))) / (2e-6 * (1 + z))
        if abs(slope) > 1e3:
            continue  # a branch cut
        expected = [slope.real + 2 * slope.imag, -slope.imag + 2 * slope.real]
        np.testing.assert_allclose(gradient(z.real, z.imag), expected, rtol=1e-6, atol=1e-9)


def test_powers_of_complex_numbers():
    def to_the(z, w):
        return (z**w).real

    found = xlapy.grad(lambda t: to_the(2.0 + 1j, t * (1 + 2j)))(0.0)
    np.testing.assert_allclose(found, ((1 + 2j) * cmath.log(2 + 1j)).real)
    found = xlapy.grad(lambda t: (np.array([2.0 + 1j]) ** (np.array([1 + 2j]) * t)).real.sum())(0.0)
    np.testing.assert_allclose(found, ((1 + 2j) * cmath.log(2 + 1j)).real)
    np.testing.assert_allclose(xlapy.grad(lambda x: ((x * (1 + 0j)) ** 0).real.sum())(np.zeros(2)), [0, 0])


def test_powers_that_become_products():
    """Also at zero, where the root among the factors has no derivative, and twice."""
    for exponent in (3, 5, 12, -2, -3, 1.5, 2.5, -1.5):
        slope = xlapy.grad(lambda x, exponent=exponent: (x**exponent).sum())
        points = np.array([0.5, 2.0, 3.0] + ([0.0] if exponent > 1 else []))
        np.testing.assert_allclose(slope(points), exponent * points ** (exponent - 1), rtol=1e-13)
    np.testing.assert_allclose(xlapy.grad(lambda x: (x**1.5).sum())(np.array([0.0, 4.0])), [0.0, 3.0])
    second = xlapy.grad(lambda y: xlapy.grad(lambda x: x**2.5)(y))
    np.testing.assert_allclose(second(4.0), 2.5 * 1.5 * 2.0)
    z = 0.7 - 0.4j
    cube = xlapy.grad(lambda t: ((np.array([0.7 - 0.4j]) * t) ** 3).real.sum())
    np.testing.assert_allclose(cube(1.5), (3 * (z * 1.5) ** 2 * z).real)
    inverse = xlapy.grad(lambda t: ((np.array([0.7 - 0.4j]) * t) ** -2).real.sum())
    np.testing.assert_allclose(inverse(1.5), (-2 * (z * 1.5) ** -3 * z).real)


def test_second_derivatives_of_the_hypotenuse_of_equal_sides():
    for x, y in ((1.0, 1.0), (1.0, -1.0), (-2.0, 2.0), (0.0, 3.0), (3.0, 4.0), (1e-200, 1e-200), (1e180, -1e180)):
        found = xlapy.hessian(lambda v: np.hypot(v[0], v[1]))(np.array([x, y]))
        h = np.hypot(x, y)
        a, b = x / h, y / h
        np.testing.assert_allclose(found, np.array([[b * b, -a * b], [-a * b, a * a]]) / h, rtol=1e-12)
    slopes = xlapy.grad(lambda v: np.hypot(v[0], v[1]))(np.array([3e250, 4e250]))
    np.testing.assert_allclose(slopes, [0.6, 0.8], rtol=1e-12)
