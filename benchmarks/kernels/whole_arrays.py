"""Functions of whole arrays: many small systems, phases, angles, and arrays that no cache holds."""

import jax.numpy as jnp
import jax.scipy.special as jax_special
import numpy as np
from scipy import special

from benchmarks.kernels.registry import kernel, sized


def systems(random, scale):
    n = sized(10000, scale)
    return random.standard_normal((n, 3, 3)) + 3 * np.eye(3), random.standard_normal((n, 3))


def many_systems_jax(a, b):
    return jnp.linalg.solve(a, b[..., None])[..., 0]


@kernel(systems, many_systems_jax, numba=None)
def many_systems(a, b):
    return np.linalg.solve(a, b[..., None])[..., 0]


def phases_jax(x, frequency):
    return jnp.exp(1j * frequency * x) * jnp.hanning(len(x))


@kernel(lambda random, scale: (random.random(sized(200000, scale)), 40.0), phases_jax, numba=None)
def phases(x, frequency):
    return np.exp(1j * frequency * x) * np.hanning(len(x))


def wrapped_angles_jax(x):
    return (x + jnp.pi) % (2 * jnp.pi) - jnp.pi


@kernel(lambda random, scale: (10 * random.standard_normal(sized(300000, scale)),), wrapped_angles_jax)
def wrapped_angles(x):
    return (x + np.pi) % (2 * np.pi) - np.pi


def distribution_jax(x, mean, deviation):
    return 0.5 * (1 + jax_special.erf((x - mean) / (deviation * jnp.sqrt(2.0))))


@kernel(lambda random, scale: (random.standard_normal(sized(500000, scale)), 0.1, 1.2), distribution_jax, numba=None)
def distribution(x, mean, deviation):
    return 0.5 * (1 + special.erf((x - mean) / (deviation * np.sqrt(2.0))))


def outer_waves_jax(x, y):
    return jnp.outer(jnp.sin(x), jnp.cos(y))


@kernel(lambda random, scale: tuple(random.standard_normal((2, sized(1500, scale)))), outer_waves_jax)
def outer_waves(x, y):
    return np.outer(np.sin(x), np.cos(y))


def beyond_caches_jax(a):
    return 2.0 * a + 1.0 - a.mean()


@kernel(lambda random, scale: (random.random((sized(3000, scale), sized(3000, scale))),), beyond_caches_jax)
def beyond_caches(a):
    return 2.0 * a + 1.0 - a.mean()
