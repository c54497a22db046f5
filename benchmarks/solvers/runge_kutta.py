"""Dormand and Prince's Runge-Kutta method of order five with step rejection, on the Lorenz system."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import SAME, Kernel

# The tableau of Dormand and Prince (1980): stages, the fifth-order weights (its last row), and those less the
# fourth-order ones.
STAGES = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
ERROR = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])


def adaptive_runge_kutta(y, end, tol, stages, error):
    """From y (3,) at time 0 to `end` with local error below `tol`: the state, and the accepted and rejected steps."""
    t, h = 0.0, 1e-3
    accepted, rejected = 0, 0
    k = np.zeros((7, 3))
    while t < end:
        h = min(h, end - t)
        z = y
        for s in range(7):
            z = y + h * (stages[s, :s] @ k[:s])
            k[s, 0] = 10.0 * (z[1] - z[0])
            k[s, 1] = z[0] * (28.0 - z[2]) - z[1]
            k[s, 2] = z[0] * z[1] - 8.0 / 3.0 * z[2]
        size = np.sqrt(((h * (error @ k)) ** 2).mean()) / tol
        if size <= 1.0:
            t += h
            y = z
            accepted += 1
        else:
            rejected += 1
        h *= min(5.0, max(0.2, 0.9 * (size + 1e-12) ** -0.2))
    return y, accepted, rejected


def step_by_hand(end: Any, tol: Any, stages: Any, error: Any) -> Callable[[Any], Any]:
    """One step of the loop by hand: (time, step size, state, accepted, rejected) to the same."""

    def slope(z: Any) -> Any:
        return jnp.stack([10.0 * (z[1] - z[0]), z[0] * (28.0 - z[2]) - z[1], z[0] * z[1] - 8.0 / 3.0 * z[2]])

    def step(state: Any) -> Any:
        t, h, y, accepted, rejected = state
        h = jnp.minimum(h, end - t)
        slopes: list[Any] = []
        z = y
        for s in range(7):
            z = y + h * sum((stages[s, i] * slopes[i] for i in range(s)), jnp.zeros(3))
            slopes.append(slope(z))
        size = jnp.sqrt(((h * (error @ jnp.stack(slopes))) ** 2).mean()) / tol
        good = size <= 1.0
        factor = jnp.clip(0.9 * (size + 1e-12) ** -0.2, 0.2, 5.0)
        return jnp.where(good, t + h, t), h * factor, jnp.where(good, z, y), accepted + good, rejected + ~good

    return step


def adaptive_runge_kutta_jax(y: Any, end: Any, tol: Any, stages: Any, error: Any) -> Any:
    step = step_by_hand(end, tol, stages, error)
    start = (jnp.zeros(()), jnp.full((), 1e-3), y, jnp.int64(0), jnp.int64(0))
    _, _, y, accepted, rejected = lax.while_loop(lambda s: s[0] < end, step, start)
    return y, accepted, rejected


def arguments(random: np.random.Generator, scale: float) -> tuple[Any, ...]:
    """Short enough that the system's chaos does not blow up rounding."""
    return np.array([1.0, 1.0, 1.0]) + 0.01 * random.random(3), 4.0 * max(scale, 0.1), 1e-7, STAGES, ERROR


RUNGE_KUTTA = Kernel(
    "adaptive_runge_kutta",
    "solvers",
    adaptive_runge_kutta,
    arguments,
    adaptive_runge_kutta_jax,
    SAME,
    (),
    (),
    rtol=1e-6,
    atol=1e-9,
)
