"""Masks, and sizes that depend on data."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import kernel, sized


def plane(random, scale):
    n = sized(150, scale, 10)
    x, y = np.linspace(-2.0, 0.6, n), np.linspace(-1.2, 1.2, n)
    return x[None, :] + 1j * y[:, None], 40


def mandelbrot_jax(c, limit):
    def step(_, state):
        z, count = state
        inside = jnp.abs(z) <= 2.0
        return jnp.where(inside, z * z + c, z), count + inside

    return lax.fori_loop(0, limit, step, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int64)))[1]


@kernel(plane, mandelbrot_jax, numba=None)
def mandelbrot(c, limit):
    z = np.zeros_like(c)
    count = np.zeros(c.shape, np.int64)
    for _ in range(limit):
        inside = np.abs(z) <= 2.0
        z[inside] = z[inside] ** 2 + c[inside]
        count[inside] += 1
    return count


def clip_outliers_jax(x):
    mean, deviation = x.mean(), x.std()
    high, low = mean + 2.0 * deviation, mean - 2.0 * deviation
    kept = (x >= low) & (x <= high)
    y = jnp.where(x > high, high, jnp.where(x < low, low, x))
    return jnp.sum(jnp.where(kept, x, 0.0)) / kept.sum(), y


@kernel(lambda random, scale: (random.standard_normal(sized(500000, scale)),), clip_outliers_jax, writes=(0,))
def clip_outliers(x):
    mean, deviation = x.mean(), x.std()
    high, low = mean + 2.0 * deviation, mean - 2.0 * deviation
    kept = x[(x >= low) & (x <= high)].mean()
    x[x > high] = high
    x[x < low] = low
    return kept


@kernel(lambda random, scale: (random.standard_normal(sized(300000, scale)),))
def positive_roots(x):
    return np.sqrt(x[x > 0])


def first_crossings_jax(x, level):
    above = x > level
    return jnp.where(above.any(axis=1), above.argmax(axis=1), -1)


@kernel(
    lambda random, scale: (random.standard_normal((sized(4000, scale), sized(1000, scale))).cumsum(axis=1), 20.0),
    first_crossings_jax,
    numba=None,
)
def first_crossings(x, level):
    above = x > level
    out = above.argmax(axis=1)
    out[~above.any(axis=1)] = -1
    return out


# By hand in JAX every prime would have to look at every candidate: no sensible version, so none is shown.
@kernel(lambda random, scale: (np.ones(sized(2000000, scale, 50), bool),), writes=(0,))
def sieve(candidates):
    n = len(candidates)
    candidates[:2] = False
    p = 2
    while p * p < n:
        if candidates[p]:
            candidates[p * p :: p] = False
        p += 1


def sparse(random, scale):
    n = sized(1000, scale)
    filled = np.arange(0, 8 * n + 1, 8)
    return random.random(8 * n), random.integers(0, n, 8 * n), filled, random.random(n)


def sparse_product_jax(values, columns, starts, x):
    rows = jnp.searchsorted(starts, jnp.arange(len(values)), side="right") - 1
    return jnp.zeros(len(starts) - 1).at[rows].add(values * x[columns])


@kernel(sparse, sparse_product_jax, rtol=1e-8)
def sparse_product(values, columns, starts, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(y)):
        row = slice(starts[i], starts[i + 1])
        y[i] = (values[row] * x[columns[row]]).sum()
    return y


def rank_correlation_jax(x, y):
    n = x.size
    ranks = [jnp.zeros(n).at[jnp.argsort(v)].set(jnp.arange(n)) for v in (x, y)]
    d = ranks[0] - ranks[1]
    return 1.0 - 6.0 * (d * d).sum() / (n * (n * n - 1.0))


@kernel(
    lambda random, scale: (random.random(sized(100000, scale)), random.random(sized(100000, scale))),
    rank_correlation_jax,
)
def rank_correlation(x, y):
    n = x.size
    first, second = np.zeros(n), np.zeros(n)
    first[np.argsort(x)] = np.arange(n)
    second[np.argsort(y)] = np.arange(n)
    d = first - second
    return 1.0 - 6.0 * (d * d).sum() / (n * (n * n - 1.0))


def densities(random, scale):
    n = sized(60000, scale)
    return random.random(n) + 0.1, random.random(n) + 0.5, 1.4


def speed_of_sound_jax(density, entropy, gamma):
    pressure = entropy * density**gamma
    speed = jnp.sqrt(gamma * pressure / density)
    return jnp.where(speed > 1.2, speed, 1.2 * (density / 1.1) ** 0.2)


@kernel(densities, speed_of_sound_jax)
def speed_of_sound(density, entropy, gamma):
    pressure = entropy * density**gamma
    speed = np.sqrt(gamma * pressure / density)
    return np.where(speed > 1.2, speed, 1.2 * (density / 1.1) ** 0.2)


def readings(random, scale):
    table = np.sort(random.random(sized(500, scale)))
    return random.random(sized(60000, scale)), table, np.cumsum(random.random(len(table)))


def calibrated_jax(signal, points, levels):
    found = jnp.interp(signal, points, levels)
    return found, jnp.searchsorted(points, signal)


@kernel(readings, calibrated_jax)
def calibrated(signal, points, levels):
    return np.interp(signal, points, levels), np.searchsorted(points, signal)


def checksum_jax(data):
    def byte(crc, value):
        crc = crc ^ value
        for _ in range(8):
            crc = jnp.where(crc & 1 == 1, (crc >> 1) ^ 0xA001, crc >> 1)
        return crc, None

    return lax.scan(byte, jnp.asarray(0xFFFF), data.astype(int))[0]


@kernel(lambda random, scale: (random.integers(0, 256, sized(3000, scale)).astype(np.uint8),), checksum_jax)
def checksum(data):
    """CRC-16, bit by bit."""
    crc = 0xFFFF
    for k in range(len(data)):
        crc ^= int(data[k])
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return crc
