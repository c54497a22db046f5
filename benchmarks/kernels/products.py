"""Products with odd shapes, by points."""

import numpy as np

from benchmarks.kernels.registry import kernel, side, sized


@kernel(lambda random, scale: (random.random((side(150, scale), side(150, scale))), random.random(side(150, scale))))
def symmetric_by_points(a, x):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        y[i] += a[i, i] * x[i]
        for j in range(i):
            y[i] += a[i, j] * x[j]
            y[j] += a[i, j] * x[i]
    return y


@kernel(lambda random, scale: (random.random((sized(5000, scale), 5)), random.random(sized(5000, scale))))
def banded_product(bands, x):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        for k in range(5):
            j = i + k - 2
            if 0 <= j < n:
                y[i] += bands[i, k] * x[j]
    return y


@kernel(
    lambda random, scale: (
        random.random((side(40, scale), side(40, scale), 3)).astype(np.float32),
        random.random((3, 3, 3, 4)).astype(np.float32),
    )
)
def layer_by_points(x, w):
    h, v, c = x.shape
    out = np.zeros((h - 2, v - 2, w.shape[3]), np.float32)
    for i in range(h - 2):
        for j in range(v - 2):
            for o in range(w.shape[3]):
                s = np.float32(0)
                for a in range(3):
                    for b in range(3):
                        for k in range(c):
                            s += x[i + a, j + b, k] * w[a, b, k, o]
                out[i, j, o] = s if s > 0 else np.float32(0)
    return out


@kernel(
    lambda random, scale: (
        random.random((side(50, scale), side(70, scale))).astype(np.float32),
        random.random((side(70, scale), side(30, scale))).astype(np.float32),
    )
)
def float32_product_by_points(a, b):
    n, k = a.shape
    m = b.shape[1]
    c = np.zeros((n, m), np.float32)
    for i in range(n):
        for j in range(m):
            for l in range(k):
                c[i, j] += a[i, l] * b[l, j]
    return c
