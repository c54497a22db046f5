"""Diffrax: differential equations."""

import diffrax
import jax.numpy as jnp

from .cases import Cases

case = Cases("diffrax", tolerance=1e-5)


def field(t, y, args):
    return -args * y + jnp.sin(t)


SOLVERS = {
    "Euler": diffrax.Euler(),
    "Heun": diffrax.Heun(),
    "Midpoint": diffrax.Midpoint(),
    "Tsit5": diffrax.Tsit5(),
    "Dopri5": diffrax.Dopri5(),
    "Dopri8": diffrax.Dopri8(),
}
for name, solver in SOLVERS.items():

    @case(f"diffeqsolve, {name}, constant steps", lambda: (jnp.array([1.0, 2.0]), jnp.asarray(0.5)))
    def solve(y, k, solver=solver):
        term = diffrax.ODETerm(field)
        return diffrax.diffeqsolve(term, solver, 0.0, 1.0, 0.1, y, args=k).ys


@case("diffeqsolve, Tsit5, adaptive steps", lambda: (jnp.array([1.0, 2.0]), jnp.asarray(0.5)))
def adaptive(y, k):
    control = diffrax.PIDController(rtol=1e-4, atol=1e-6)
    return diffrax.diffeqsolve(
        diffrax.ODETerm(field), diffrax.Tsit5(), 0.0, 1.0, 0.1, y, args=k, stepsize_controller=control
    ).ys


@case("diffeqsolve, saved at times", lambda: (jnp.array([1.0, 2.0]), jnp.asarray(0.5)))
def saved(y, k):
    at = diffrax.SaveAt(ts=jnp.linspace(0.0, 1.0, 5))
    return diffrax.diffeqsolve(diffrax.ODETerm(field), diffrax.Tsit5(), 0.0, 1.0, 0.1, y, args=k, saveat=at).ys


@case("LinearInterpolation", lambda: (jnp.linspace(0.0, 1.0, 5), jnp.linspace(0.0, 1.0, 5) ** 2))
def interpolation(ts, ys):
    return diffrax.LinearInterpolation(ts, ys).evaluate(0.3)


test_cases = case.test()
