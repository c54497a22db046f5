"""Filters of hidden states."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


@kernel(lambda random, scale: (np.cumsum(random.normal(size=sized(4000, scale))),))
def kalman_by_numbers(z):
    x, v = 0.0, 0.0
    p00, p01, p11 = 1.0, 0.0, 1.0
    out = np.empty(len(z))
    for i in range(len(z)):
        x = x + v
        p00 = p00 + 2 * p01 + p11 + 0.01
        p01 = p01 + p11
        p11 = p11 + 0.01
        s = p00 + 1.0
        k0, k1 = p00 / s, p01 / s
        e = z[i] - x
        x += k0 * e
        v += k1 * e
        p11 -= k1 * p01
        p01 -= k0 * p01
        p00 -= k0 * p00
        out[i] = x
    return out


def motion(random, scale):
    f = np.eye(4)
    f[0, 2] = f[1, 3] = 1.0
    h = np.zeros((2, 4))
    h[0, 0] = h[1, 1] = 1.0
    return random.normal(size=(sized(500, scale), 2)), f, h, 0.01 * np.eye(4), np.eye(2)


@kernel(motion)
def kalman_filter(z, f, h, q, r):
    x = np.zeros(4)
    p = np.eye(4)
    out = np.empty((len(z), 4))
    for i in range(len(z)):
        x = f @ x
        p = f @ p @ f.T + q
        s = h @ p @ h.T + r
        k = p @ h.T @ np.linalg.inv(s)
        x = x + k @ (z[i] - h @ x)
        p = (np.eye(4) - k @ h) @ p
        out[i] = x
    return out


def chain(random, scale):
    a = random.random((6, 6))
    b = random.random((6, 12))
    return (
        a / a.sum(1, keepdims=True),
        b / b.sum(1, keepdims=True),
        np.full(6, 1 / 6),
        random.integers(0, 12, sized(800, scale)),
    )


@kernel(chain)
def forward_scaled(a, b, start, seen):
    alpha = start * b[:, seen[0]]
    c = alpha.sum()
    alpha = alpha / c
    total = np.log(c)
    for t in range(1, len(seen)):
        alpha = (alpha @ a) * b[:, seen[t]]
        c = alpha.sum()
        alpha = alpha / c
        total += np.log(c)
    return total, alpha


@kernel(
    lambda random, scale: (random.random(sized(3000, scale)) + np.arange(sized(3000, scale)) * 0.01, 0.3, 0.05, 0.2, 12)
)
def holt_winters(y, a, b, g, period):
    level, trend = y[0], 0.0
    season = np.zeros(period)
    out = np.empty(len(y))
    for i in range(len(y)):
        s = season[i % period]
        out[i] = level + trend + s
        last = level
        level = a * (y[i] - s) + (1 - a) * (level + trend)
        trend = b * (level - last) + (1 - b) * trend
        season[i % period] = g * (y[i] - level) + (1 - g) * s
    return out
