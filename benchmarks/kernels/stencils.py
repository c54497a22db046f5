"""Stencils on regular grids."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import kernel, sized


def grid(n: int, scale: float, dimensions: int = 2, steps: int = 20):
    def make(random: np.random.Generator, s: float) -> tuple[Any, ...]:
        return random.random((sized(n, s * scale),) * dimensions), steps

    return make


def jacobi_2d_jax(u, steps):
    def step(_, u):
        return u.at[1:-1, 1:-1].set(0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]))

    return lax.fori_loop(0, steps, step, u)


@kernel(grid(300, 1.0), jacobi_2d_jax, writes=(0,))
def jacobi_2d(u, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def heat_3d_jax(u, steps):
    def step(_, u):
        c = u[1:-1, 1:-1, 1:-1]
        change = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
        change = change + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2] - 6.0 * c
        return u.at[1:-1, 1:-1, 1:-1].set(c + 0.1 * change)

    return lax.fori_loop(0, steps, step, u)


@kernel(grid(48, 1.0, 3, 10), heat_3d_jax, writes=(0,))
def heat_3d(u, steps):
    for _ in range(steps):
        c = u[1:-1, 1:-1, 1:-1]
        change = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
        change += u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2] - 6.0 * c
        c += 0.1 * change


def wave_arguments(random, scale):
    n = sized(256, scale)
    start = random.random((n, n))
    return start, start.copy(), 0.4, 20


def wave_2d_jax(u, previous, speed, steps):
    def step(_, state):
        u, previous = state
        curve = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        inner = 2.0 * u[1:-1, 1:-1] - previous[1:-1, 1:-1] + speed**2 * curve
        return jnp.zeros_like(u).at[1:-1, 1:-1].set(inner), u

    return lax.fori_loop(0, steps, step, (u, previous))[0]


@kernel(wave_arguments, wave_2d_jax)
def wave_2d(u, previous, speed, steps):
    for _ in range(steps):
        following = np.zeros_like(u)
        curve = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        following[1:-1, 1:-1] = 2.0 * u[1:-1, 1:-1] - previous[1:-1, 1:-1] + speed**2 * curve
        previous, u = u, following
    return u


def advection_arguments(random, scale):
    n = sized(50000, scale)
    return random.random(n), random.standard_normal(n), 0.1, 20


def upwind_advection_jax(q, velocity, dt, steps):
    def step(_, q):
        left, right = q - jnp.roll(q, 1), jnp.roll(q, -1) - q
        return q - dt * velocity * jnp.where(velocity > 0, left, right)

    return lax.fori_loop(0, steps, step, q)


@kernel(advection_arguments, upwind_advection_jax)
def upwind_advection(q, velocity, dt, steps):
    for _ in range(steps):
        left = q - np.roll(q, 1)
        right = np.roll(q, -1) - q
        q = q - dt * velocity * np.where(velocity > 0, left, right)
    return q


def life_arguments(random, scale):
    n = sized(600, scale)
    return (random.random((n, n)) < 0.35).astype(np.uint8), 10


def game_of_life_jax(board, steps):
    def step(_, b):
        rows = b[:-2] + b[1:-1] + b[2:]
        count = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] - b[1:-1, 1:-1]
        alive = (count == 3) | ((count == 2) & (b[1:-1, 1:-1] == 1))
        return b.at[1:-1, 1:-1].set(alive.astype(b.dtype))

    return lax.fori_loop(0, steps, step, board)


@kernel(life_arguments, game_of_life_jax, writes=(0,))
def game_of_life(board, steps):
    for _ in range(steps):
        rows = board[:-2] + board[1:-1] + board[2:]
        count = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] - board[1:-1, 1:-1]
        born = count == 3
        stays = (count == 2) & (board[1:-1, 1:-1] == 1)
        board[1:-1, 1:-1] = born | stays


def red_black_jax(u, f, sweeps):
    n = len(u)

    def half(u, i, j):
        def shifted(di, dj):
            return u[i + di : n - 1 + di : 2, j + dj : n - 1 + dj : 2]

        around = shifted(-1, 0) + shifted(1, 0) + shifted(0, -1) + shifted(0, 1)
        return u.at[i : n - 1 : 2, j : n - 1 : 2].set(0.25 * (around + f[i : n - 1 : 2, j : n - 1 : 2]))

    def sweep(_, u):
        for i, j in ((1, 1), (2, 2), (1, 2), (2, 1)):
            u = half(u, i, j)
        return u

    return lax.fori_loop(0, sweeps, sweep, u)


def red_black_arguments(random, scale):
    n = 2 * sized(128, scale, 4)
    return random.random((n, n)), random.random((n, n)) * 0.01, 10


@kernel(red_black_arguments, red_black_jax, writes=(0,))
def red_black(u, f, sweeps):
    for _ in range(sweeps):
        u[1:-1:2, 1:-1:2] = 0.25 * (
            u[:-2:2, 1:-1:2] + u[2::2, 1:-1:2] + u[1:-1:2, :-2:2] + u[1:-1:2, 2::2] + f[1:-1:2, 1:-1:2]
        )
        u[2:-1:2, 2:-1:2] = 0.25 * (
            u[1:-2:2, 2:-1:2] + u[3::2, 2:-1:2] + u[2:-1:2, 1:-2:2] + u[2:-1:2, 3::2] + f[2:-1:2, 2:-1:2]
        )
        u[1:-1:2, 2:-1:2] = 0.25 * (
            u[:-2:2, 2:-1:2] + u[2::2, 2:-1:2] + u[1:-1:2, 1:-2:2] + u[1:-1:2, 3::2] + f[1:-1:2, 2:-1:2]
        )
        u[2:-1:2, 1:-1:2] = 0.25 * (
            u[1:-2:2, 1:-1:2] + u[3::2, 1:-1:2] + u[2:-1:2, :-2:2] + u[2:-1:2, 2::2] + f[2:-1:2, 1:-1:2]
        )
