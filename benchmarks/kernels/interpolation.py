"""Between points of tables."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


def table(random, scale):
    n = sized(500, scale)
    x = np.cumsum(random.random(n) + 0.1)
    return x, np.sin(x), np.sort(random.random(4 * n)) * (x[-1] - x[0]) + x[0]


@kernel(table)
def cubic_spline(x, y, t):
    n = len(x)
    a, b, c, d = np.zeros(n), np.ones(n), np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        h0, h1 = x[i] - x[i - 1], x[i + 1] - x[i]
        a[i], b[i], c[i] = h0, 2 * (h0 + h1), h1
        d[i] = 6 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0)
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    m = np.zeros(n)
    m[n - 1] = d[n - 1] / b[n - 1]
    for i in range(n - 2, -1, -1):
        m[i] = (d[i] - c[i] * m[i + 1]) / b[i]
    out = np.empty(len(t))
    for k in range(len(t)):
        lo, hi = 0, n - 1
        while hi - lo > 1:
            mid = (lo + hi) // 2
            if x[mid] > t[k]:
                hi = mid
            else:
                lo = mid
        h = x[hi] - x[lo]
        p, q = (x[hi] - t[k]) / h, (t[k] - x[lo]) / h
        out[k] = p * y[lo] + q * y[hi] + ((p**3 - p) * m[lo] + (q**3 - q) * m[hi]) * h * h / 6
    return out


@kernel(lambda random, scale: (random.random(30), random.random(sized(3000, scale)) * 2 - 1))
def clenshaw(c, x):
    b1 = np.zeros_like(x)
    b2 = np.zeros_like(x)
    for k in range(len(c) - 1, 0, -1):
        b1, b2 = c[k] + 2 * x * b1 - b2, b1
    return c[0] + x * b1 - b2


@kernel(lambda random, scale: (random.random(12), np.linspace(0, 0.999, sized(600, scale))))
def de_boor(control, t):
    p = 3
    n = len(control)
    knots = np.concatenate((np.zeros(p), np.linspace(0, 1, n - p + 1), np.ones(p)))
    out = np.empty(len(t))
    d = np.empty(p + 1)
    for i in range(len(t)):
        k = p
        while k < n - 1 and knots[k + 1] <= t[i]:
            k += 1
        for j in range(p + 1):
            d[j] = control[j + k - p]
        for r in range(1, p + 1):
            for j in range(p, r - 1, -1):
                left = knots[j + k - p]
                a = (t[i] - left) / (knots[j + 1 + k - r] - left)
                d[j] = (1 - a) * d[j - 1] + a * d[j]
        out[i] = d[p]
    return out
