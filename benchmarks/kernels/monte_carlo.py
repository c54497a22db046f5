"""Monte Carlo methods, on random numbers drawn beforehand so that answers can be compared."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import kernel, sized


def magnets(random, scale):
    n = 2 * sized(64, scale, 4)
    spins = random.choice(np.array([-1, 1]), (n, n))
    return spins, random.random((10, n, n)), 0.4


def ising_jax(spins, uniform, beta):
    n = len(spins)
    colour = (jnp.arange(n)[:, None] + jnp.arange(n)[None, :]) % 2

    def sweep(s, numbers):
        for parity in (0, 1):
            around = jnp.roll(s, 1, 0) + jnp.roll(s, -1, 0) + jnp.roll(s, 1, 1) + jnp.roll(s, -1, 1)
            flip = (numbers < jnp.exp(-2.0 * beta * s * around)) & (colour == parity)
            s = jnp.where(flip, -s, s)
        return s, None

    s = lax.scan(sweep, spins, uniform)[0]
    return s.mean(), s


@kernel(magnets, ising_jax, numba=None, writes=(0,))
def ising(spins, uniform, beta):
    n = len(spins)
    colour = (np.arange(n)[:, None] + np.arange(n)[None, :]) % 2
    for numbers in uniform:
        for parity in range(2):
            around = np.roll(spins, 1, 0) + np.roll(spins, -1, 0) + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
            flip = (numbers < np.exp(-2.0 * beta * spins * around)) & (colour == parity)
            spins[flip] *= -1
    return spins.mean()


def metropolis_arguments(random, scale):
    n = sized(20000, scale)
    return random.standard_normal(n), random.random(n)


def metropolis_jax(steps, uniform):
    def step(x, drawn):
        move, u = drawn
        there = x + move
        x = jnp.where(u < jnp.exp(0.5 * (x * x - there * there)), there, x)
        return x, x

    return lax.scan(step, jnp.zeros(()), (steps, uniform))[1]


@kernel(metropolis_arguments, metropolis_jax)
def metropolis(steps, uniform):
    chain = np.empty(len(steps))
    x = 0.0
    for i in range(len(steps)):
        there = x + steps[i]
        if uniform[i] < np.exp(0.5 * (x * x - there * there)):
            x = there
        chain[i] = x
    return chain


def circle_jax(points):
    return 4.0 * jnp.mean(points[:, 0] ** 2 + points[:, 1] ** 2 < 1.0, dtype=points.dtype)


@kernel(lambda random, scale: (random.random((sized(1000000, scale), 2)),), circle_jax)
def circle(points):
    return 4.0 * np.mean(points[:, 0] ** 2 + points[:, 1] ** 2 < 1.0)
