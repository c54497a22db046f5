"""Derivatives of SciPy's own solvers, compiled from their bytecode."""

import numpy as np
import pytest
from scipy import integrate, optimize

import xlapy


def decayed(rate):
    """Where an adaptive Runge-Kutta solver, with its rejected steps, ends."""
    return integrate.solve_ivp(lambda t, y: -rate * y**2, (0.0, 1.0), np.ones(1), rtol=1e-9).y[0, -1]


def oscillated(start, stiffness):
    def field(t, y):
        return np.array([y[1], -stiffness * y[0]])

    return integrate.solve_ivp(field, (0.0, 2.0), start, method="RK23", rtol=1e-8).y[0, -1]


def root(a):
    return optimize.newton(lambda x: x**3 - a, 1.5)


@pytest.mark.parametrize("point", [0.7, 1.9])
def test_solve_ivp_in_a_parameter(point):
    # the solver bounds the error of the state, not that of its derivative
    exact = -1.0 / (1.0 + point) ** 2
    assert xlapy.grad(decayed)(point) == pytest.approx(exact, rel=1e-4)


def test_solve_ivp_in_the_initial_state_inside_and_outside():
    start, stiffness = np.array([1.0, 0.5]), 4.0
    slope = xlapy.jit(lambda y, k: xlapy.grad(oscillated, argnums=(0, 1))(y, k))(start, stiffness)
    w = np.sqrt(stiffness)
    np.testing.assert_allclose(slope[0], [np.cos(2 * w), np.sin(2 * w) / w], rtol=1e-5)
    h = 1e-4
    difference = (oscillated(start, stiffness + h) - oscillated(start, stiffness - h)) / (2 * h)
    np.testing.assert_allclose(slope[1], difference, rtol=1e-4)


@pytest.mark.parametrize("a", [2.0, 5.0])
def test_newton(a):
    assert xlapy.grad(root)(a) == pytest.approx(a ** (-2 / 3) / 3, rel=1e-5)


@pytest.mark.parametrize("function", [lambda x: np.nextafter(x, np.inf) * 2.0, lambda x: x * np.nextafter(x, -np.inf)])
def test_the_next_number_moves_with_the_number(function):
    x = 1.25
    h = 1e-6
    assert xlapy.grad(function)(x) == pytest.approx((function(x + h) - function(x - h)) / (2 * h), rel=1e-6)
