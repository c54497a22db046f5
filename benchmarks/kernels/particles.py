"""Particles: everything with everything."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import kernel, sized


def bodies(random, scale):
    n = sized(200, scale)
    return random.standard_normal((n, 3)), random.standard_normal((n, 3)) * 0.1, random.random(n) + 0.5, 1e-3, 10


def gravity_jax(position, velocity, mass, dt, steps):
    def step(_, state):
        x, v = state
        apart = x[None, :, :] - x[:, None, :]
        near = (apart**2).sum(axis=2) + 0.01
        v = v + dt * (apart * (mass[None, :, None] / near[:, :, None] ** 1.5)).sum(axis=1)
        return x + dt * v, v

    return lax.fori_loop(0, steps, step, (position, velocity))


def gravity_numba(position, velocity, mass, dt, steps):
    n = len(mass)
    for _ in range(steps):
        for i in range(n):
            pull = np.zeros(3)
            for j in range(n):
                dx = position[j] - position[i]
                pull += dx * (mass[j] / (dx[0] ** 2 + dx[1] ** 2 + dx[2] ** 2 + 0.01) ** 1.5)
            velocity[i] += dt * pull
        position += dt * velocity


@kernel(bodies, gravity_jax, gravity_numba, writes=(0, 1), rtol=1e-8)
def gravity(position, velocity, mass, dt, steps):
    for _ in range(steps):
        apart = position[None, :, :] - position[:, None, :]
        near = (apart**2).sum(axis=2) + 0.01
        velocity += dt * (apart * (mass[None, :, None] / near[:, :, None] ** 1.5)).sum(axis=1)
        position += dt * velocity


def clouds(random, scale):
    return random.random((sized(500, scale), 3)), random.random((sized(600, scale), 3))


def pairwise_distances_jax(x, y):
    return jnp.sqrt(((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2))


@kernel(clouds, pairwise_distances_jax)
def pairwise_distances(x, y):
    return np.sqrt(((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2))


def cluster(random, scale):
    side = sized(8, scale ** (1 / 3), 3)
    corners = np.stack(np.meshgrid(*[np.arange(side)] * 3), axis=-1).reshape(-1, 3) * 1.1
    return (corners + 0.05 * random.standard_normal(corners.shape),)


def lennard_jones_jax(x):
    square = ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)
    upper = jnp.arange(len(x))[None, :] > jnp.arange(len(x))[:, None]
    sixth = 1.0 / jnp.where(upper, square, 1.0) ** 3
    return jnp.where(upper, 4.0 * (sixth**2 - sixth), 0.0).sum()


@kernel(cluster, lennard_jones_jax, rtol=1e-8)
def lennard_jones(x):
    energy = 0.0
    for i in range(len(x) - 1):
        square = ((x[i + 1 :] - x[i]) ** 2).sum(axis=1)
        sixth = 1.0 / square**3
        energy += (4.0 * (sixth**2 - sixth)).sum()
    return energy
