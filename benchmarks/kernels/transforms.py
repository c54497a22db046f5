"""Transforms by stages and by points."""

import numpy as np

from benchmarks.kernels.registry import kernel, power, sized


@kernel(lambda random, scale: (random.random(power(4096, scale)) + 1j * random.random(power(4096, scale)),))
def fft_by_points(x):
    n = len(x)
    y = x.copy()
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            y[i], y[j] = y[j], y[i]
    length = 2
    while length <= n:
        step = np.exp(-2j * np.pi / length)
        for i in range(0, n, length):
            w = 1.0 + 0j
            for k in range(length // 2):
                u = y[i + k]
                v = y[i + k + length // 2] * w
                y[i + k] = u + v
                y[i + k + length // 2] = u - v
                w *= step
        length *= 2
    return y


@kernel(lambda random, scale: (random.integers(0, 998244353, power(2048, scale)),))
def number_theoretic_transform(x):
    p, g = 998244353, 3
    n = len(x)
    a = x.copy()
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            t = a[i]
            a[i] = a[j]
            a[j] = t
    size = 2
    while size <= n:
        e, w, base = (p - 1) // size, 1, g
        while e > 0:
            if e & 1:
                w = w * base % p
            base = base * base % p
            e >>= 1
        half = size // 2
        for i in range(0, n, size):
            z = 1
            for k in range(i, i + half):
                u, v = a[k], a[k + half] * z % p
                a[k] = (u + v) % p
                a[k + half] = (u - v) % p
                z = z * w % p
        size *= 2
    return a


@kernel(lambda random, scale: (random.random(power(16384, scale)),))
def daubechies(x):
    r3 = np.sqrt(3.0)
    h = np.array([1 + r3, 3 + r3, 3 - r3, 1 - r3]) / (4 * np.sqrt(2.0))
    out = x.copy()
    n = len(x)
    while n >= 4:
        t = np.zeros(n)
        half = n // 2
        for i in range(half):
            j = 2 * i
            a, b = out[j], out[j + 1]
            c, d = out[(j + 2) % n], out[(j + 3) % n]
            t[i] = h[0] * a + h[1] * b + h[2] * c + h[3] * d
            t[i + half] = h[3] * a - h[2] * b + h[1] * c - h[0] * d
        out[:n] = t
        n = half
    return out


@kernel(lambda random, scale: (random.random(sized(4000, scale)), np.array([0.01, 0.05, 0.11, 0.2])))
def goertzel(x, frequencies):
    power = np.empty(len(frequencies))
    for k in range(len(frequencies)):
        c = 2 * np.cos(2 * np.pi * frequencies[k])
        s1 = s2 = 0.0
        for v in x:
            s0 = v + c * s1 - s2
            s2 = s1
            s1 = s0
        power[k] = s1 * s1 + s2 * s2 - c * s1 * s2
    return power
