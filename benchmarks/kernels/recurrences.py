"""Recurrences: each value from the ones before it."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import kernel, sized


def smoothing_jax(x, alpha):
    def step(level, value):
        level = alpha * value + (1.0 - alpha) * level
        return level, level

    return lax.scan(step, x[0], x)[1]


@kernel(lambda random, scale: (random.random(sized(20000, scale)), 0.1), smoothing_jax)
def smoothing(x, alpha):
    out = np.empty_like(x)
    level = x[0]
    for i in range(len(x)):
        level = alpha * x[i] + (1.0 - alpha) * level
        out[i] = level
    return out


def biquad_arguments(random, scale):
    return random.standard_normal(sized(10000, scale)), np.array([0.2, 0.3, 0.2]), np.array([-0.4, 0.2])


def biquad_jax(x, b, a):
    def step(state, value):
        x1, x2, y1, y2 = state
        y = b[0] * value + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2
        return (value, x1, y, y1), y

    zero = jnp.zeros((), x.dtype)
    return lax.scan(step, (zero,) * 4, x)[1]


@kernel(biquad_arguments, biquad_jax)
def biquad(x, b, a):
    y = np.zeros_like(x)
    x1 = x2 = y1 = y2 = 0.0
    for i in range(len(x)):
        y[i] = b[0] * x[i] + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2
        x2, x1 = x1, x[i]
        y2, y1 = y1, y[i]
    return y


def logistic_map_jax(x, r, steps):
    return lax.fori_loop(0, steps, lambda _, x: r * x * (1.0 - x), x)


@kernel(lambda random, scale: (random.random(sized(10000, scale)), 3.2, 200), logistic_map_jax)
def logistic_map(x, r, steps):
    for _ in range(steps):
        x = r * x * (1.0 - x)
    return x


def lorenz_arguments(random, scale):
    return random.random((3, sized(2000, scale))), 1e-3, 50


def slope(xp, s):
    return xp.stack((10.0 * (s[1] - s[0]), s[0] * (28.0 - s[2]) - s[1], s[0] * s[1] - 8.0 / 3.0 * s[2]))


def lorenz_jax(s, dt, steps):
    def step(_, s):
        k1 = slope(jnp, s)
        k2 = slope(jnp, s + 0.5 * dt * k1)
        k3 = slope(jnp, s + 0.5 * dt * k2)
        k4 = slope(jnp, s + dt * k3)
        return s + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    return lax.fori_loop(0, steps, step, s)


def lorenz_slope(s):
    return np.stack((10.0 * (s[1] - s[0]), s[0] * (28.0 - s[2]) - s[1], s[0] * s[1] - 8.0 / 3.0 * s[2]))


@kernel(lorenz_arguments, lorenz_jax, numba=None, rtol=1e-7)
def lorenz(s, dt, steps):
    for _ in range(steps):
        k1 = lorenz_slope(s)
        k2 = lorenz_slope(s + 0.5 * dt * k1)
        k3 = lorenz_slope(s + 0.5 * dt * k2)
        k4 = lorenz_slope(s + dt * k3)
        s = s + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return s


def autocorrelation(random, scale):
    n = sized(400, scale)
    noise = random.standard_normal(8 * n)
    return (np.array([noise[: len(noise) - k] @ noise[k:] for k in range(n)]) / len(noise),)


def levinson_jax(r):
    n = len(r) - 1
    index = jnp.arange(n)

    def step(k, state):
        y, alpha, beta = state
        beta = beta * (1.0 - alpha * alpha)
        inside = index < k
        flipped = jnp.where(inside, y[jnp.clip(k - 1 - index, 0)], 0.0)
        lags = jnp.where(inside, r[jnp.clip(k - index, 0)], 0.0)
        alpha = -(r[k + 1] + lags @ y) / beta
        y = jnp.where(inside, y + alpha * flipped, y)
        return y.at[k].set(alpha), alpha, beta

    first = -r[1] / r[0]
    y = jnp.zeros(n).at[0].set(first)
    return lax.fori_loop(1, n, step, (y, first, r[0]))[0]


@kernel(autocorrelation, levinson_jax, rtol=1e-6, atol=1e-9)
def levinson(r):
    n = len(r) - 1
    y = np.zeros(n)
    alpha = -r[1] / r[0]
    beta = r[0]
    y[0] = alpha
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k + 1] + r[k:0:-1] @ y[:k]) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def bands(random, scale):
    shape = sized(400, scale, least=16), sized(400, scale)
    below, above, right = (random.random(shape) for _ in range(3))
    return below, 4.0 + random.random(shape), above, right


def tridiagonal_systems_jax(below, middle, above, right):
    def forward(carried, row):
        c, d = carried
        a, b, e, r = row
        inverse = 1.0 / (b - a * c)
        found = e * inverse, (r - a * d) * inverse
        return found, found

    def backward(x, row):
        c, d = row
        x = d - c * x
        return x, x

    rows = [v.T for v in (below, middle, above, right)]
    zero = jnp.zeros_like(rows[0][0])
    _, (c, d) = lax.scan(forward, (zero, zero), rows)
    return lax.scan(backward, zero, (c, d), reverse=True)[1].T


@kernel(bands, tridiagonal_systems_jax)
def tridiagonal_systems(below, middle, above, right):
    """Thomas's algorithm for many systems, each of which lies in a row."""
    n = right.shape[1]
    c, d, x = np.zeros_like(right), np.zeros_like(right), np.zeros_like(right)
    c[:, 0] = above[:, 0] / middle[:, 0]
    d[:, 0] = right[:, 0] / middle[:, 0]
    for k in range(1, n):
        inverse = 1.0 / (middle[:, k] - below[:, k] * c[:, k - 1])
        c[:, k] = above[:, k] * inverse
        d[:, k] = (right[:, k] - below[:, k] * d[:, k - 1]) * inverse
    x[:, n - 1] = d[:, n - 1]
    for k in range(n - 2, -1, -1):
        x[:, k] = d[:, k] - c[:, k] * x[:, k + 1]
    return x
