"""Gradients of loops that data ends: as users write them, and by hand with Equinox's checkpointed loop beside it.

`lax.while_loop` has no reverse mode, so that loop is what one writes in JAX. It has to be told how many trips there are
at most; ours need not be.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import equinox.internal as eqxi
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.solvers import runge_kutta, tsvd


@dataclass(frozen=True)
class Gradient:
    """A loss, its first argument what it is differentiated by, and the same by hand."""

    function: Callable[..., Any]
    by_hand: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]

    @property
    def name(self) -> str:
        """Its name in the tables."""
        return f"gradient of {self.function.__name__}"


def loop(condition: Callable, body: Callable, initial: Any, most: int) -> Any:
    """Equinox's loop."""
    return eqxi.while_loop(condition, body, initial, kind="checkpointed", max_steps=most)


def pendulum(p, n):
    """p: angle, speed, friction, length. The angle after n small steps."""
    angle, speed = p[0], p[1]
    for _ in range(n):
        speed = speed - 0.001 * (p[2] * speed + 9.81 / p[3] * np.sin(angle))
        angle = angle + 0.001 * speed
    return angle


def pendulum_by_hand(p: Any, n: Any) -> Any:
    def step(state: Any) -> Any:
        i, angle, speed = state
        speed = speed - 0.001 * (p[2] * speed + 9.81 / p[3] * jnp.sin(angle))
        return i + 1, angle + 0.001 * speed, speed

    return loop(lambda s: s[0] < n, step, (0, p[0], p[1]), 10_000)[1]


def recurrence(x, n):
    """Writes into an array that the loop also reads."""
    y = x * 1.0
    for i in range(1, n):
        y[i] = np.sin(y[i - 1]) * x[i] + y[i]
    return (y**2).sum()


def recurrence_by_hand(x: Any, n: Any) -> Any:
    def step(state: Any) -> Any:
        i, y = state
        return i + 1, y.at[i].set(jnp.sin(y[i - 1]) * x[i] + y[i])

    y = loop(lambda s: s[0] < n, step, (1, x * 1.0), 2000)[1]
    return (y**2).sum()


def relaxation(u, tol):
    """Jacobi steps on a grid until the largest change is below `tol`."""
    diff = 1.0
    while diff > tol:
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        diff = np.abs(new - u).max()
        u = new
    return (u**2).sum()


def relaxation_by_hand(u: Any, tol: Any) -> Any:
    def step(state: Any) -> Any:
        _, u = state
        new = u.at[1:-1, 1:-1].set(0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]))
        return jnp.abs(new - u).max(), new

    u = loop(lambda s: s[0] > tol, step, (jnp.ones((), u.dtype), u), 1000)[1]
    return (u**2).sum()


def nest(x, n):
    """A loop of up to ten trips in a loop."""
    s = x * 1.0
    for i in range(n):
        y = s
        for _ in range(i % 10 + 1):
            y = np.sin(y) * x
        s = y + 0.1 * s
    return s.sum()


def nest_by_hand(x: Any, n: Any) -> Any:
    def step(state: Any) -> Any:
        i, s = state
        inner = loop(lambda t: t[0] < i % 10 + 1, lambda t: (t[0] + 1, jnp.sin(t[1]) * x), (0, s), 10)
        return i + 1, inner[1] + 0.1 * s

    return loop(lambda t: t[0] < n, step, (0, x * 1.0), 400)[1].sum()


def heated() -> np.ndarray:
    """A grid with one warm edge."""
    grid = np.zeros((64, 64))
    grid[0] = np.linspace(0.5, 1.5, 64)
    return grid


def truncated_svd(a, start):
    """The sum of the largest five singular values of a (m, n), by twenty steps of nested loops."""
    return tsvd.truncated_svd(a, start, 20, 5).sum()


def truncated_svd_by_hand(a: Any, start: Any) -> Any:
    """`lax.fori_loop` has a reverse mode where its bounds are known: each inner loop makes as many steps as the
    longest, and those too many change nothing."""
    steps, (m, n) = 20, a.shape

    def orthogonal(w: Any, basis: Any, count: Any) -> Any:
        def less(w: Any, pair: Any) -> Any:
            j, row = pair
            return jnp.where(j < count, w - (row @ w) * row, w), None

        return lax.scan(less, w, (jnp.arange(steps), basis))[0]

    def step(state: Any, k: Any) -> Any:
        left, right, u, v, beta = state
        right = right.at[k].set(v)
        u = orthogonal(a @ v - beta * u, left, k)
        alpha = jnp.sqrt((u**2).sum())
        u = u / alpha
        v = orthogonal(a.T @ u - alpha * v, right, k + 1)
        beta = jnp.sqrt((v**2).sum())
        v = v / beta
        return (left.at[k].set(u), right, u, v, beta), (alpha, beta)

    v = start / jnp.sqrt((start**2).sum())
    state = (jnp.zeros((steps, m)), jnp.zeros((steps, n)), jnp.zeros(m), v, jnp.zeros(()))
    alphas, betas = lax.scan(step, state, jnp.arange(steps))[1]
    return jnp.linalg.svd(jnp.diag(alphas) + jnp.diag(betas[:-1], 1))[1][:5].sum()


def lorenz(y, end, tol):
    """The last state of an adaptive Runge-Kutta method with rejected steps, from y (3,) at time 0."""
    y, _, _ = runge_kutta.adaptive_runge_kutta(y, end, tol, runge_kutta.STAGES, runge_kutta.ERROR)
    return y.sum()


def lorenz_by_hand(y: Any, end: Any, tol: Any) -> Any:
    step = runge_kutta.step_by_hand(end, tol, runge_kutta.STAGES, runge_kutta.ERROR)
    start = (jnp.zeros(()), jnp.full((), 1e-3), y, jnp.int64(0), jnp.int64(0))
    return loop(lambda s: s[0] < end, step, start, 1000)[2].sum()


GRADIENTS = (
    Gradient(pendulum, pendulum_by_hand, lambda: (np.array([0.5, 0.0, 0.1, 1.2]), 10_000)),
    Gradient(recurrence, recurrence_by_hand, lambda: (np.linspace(0.0, 1.0, 2000), 2000)),
    Gradient(relaxation, relaxation_by_hand, lambda: (heated(), 1e-3)),
    Gradient(nest, nest_by_hand, lambda: (np.linspace(0.0, 1.0, 100), 400)),
    Gradient(truncated_svd, truncated_svd_by_hand, lambda: tsvd.TSVD.made(0.5)[:2]),
    Gradient(lorenz, lorenz_by_hand, lambda: (np.array([1.0, 1.1, 0.9]), 1.0, 1e-7)),
)
