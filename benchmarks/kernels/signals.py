"""Filters, rates and levels of signals."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


@kernel(lambda random, scale: (random.random(sized(2000, scale)), random.random(32)))
def fir_by_points(x, h):
    y = np.zeros(len(x))
    for n in range(len(x)):
        for k in range(len(h)):
            if n - k >= 0:
                y[n] += h[k] * x[n - k]
    return y


@kernel(
    lambda random, scale: (
        random.random(sized(4000, scale)),
        np.array([[0.2, 0.3, 0.2, 1, -0.5, 0.2], [0.1, 0.2, 0.1, 1, -0.3, 0.1], [0.3, 0.1, 0.3, 1, 0.2, 0.3]]),
    )
)
def second_order_sections(x, sos):
    y = x.copy()
    for s in range(len(sos)):
        b0, b1, b2, _, a1, a2 = sos[s]
        z1 = z2 = 0.0
        for i in range(len(y)):
            v = y[i]
            o = b0 * v + z1
            z1 = b1 * v - a1 * o + z2
            z2 = b2 * v - a2 * o
            y[i] = o
    return y


@kernel(lambda random, scale: (random.random(sized(2000, scale)), random.random(24), 3, 2))
def polyphase(x, h, up, down):
    n = len(x) * up // down
    out = np.zeros(n)
    for i in range(n):
        t = i * down
        k = t % up
        j = t // up
        s = 0.0
        while k < len(h) and j >= 0:
            if j < len(x):
                s += h[k] * x[j]
            k += up
            j -= 1
        out[i] = s
    return out


@kernel(lambda random, scale: (random.normal(size=sized(1000, scale)), 9))
def median_by_insertion(x, k):
    out = np.empty(len(x) - k + 1)
    w = np.sort(x[:k])
    out[0] = w[k // 2]
    for i in range(k, len(x)):
        old, new = x[i - k], x[i]
        j = 0
        while w[j] != old:
            j += 1
        while j + 1 < k and w[j + 1] < new:
            w[j] = w[j + 1]
            j += 1
        while j > 0 and w[j - 1] > new:
            w[j] = w[j - 1]
            j -= 1
        w[j] = new
        out[i - k + 1] = w[k // 2]
    return out


@kernel(lambda random, scale: (random.normal(size=sized(4000, scale)).astype(np.float32),))
def delta_modulation(x):
    bits = np.zeros(len(x), np.uint8)
    out = np.zeros(len(x), np.float32)
    level, step = np.float32(0), np.float32(0.1)
    last = 0
    for i in range(len(x)):
        bit = 1 if x[i] > level else 0
        step = step * np.float32(1.5) if bit == last else step * np.float32(0.66)
        step = max(np.float32(0.01), min(step, np.float32(1)))
        level = level + step if bit else level - step
        bits[i], out[i], last = bit, level, bit
    return bits, out
