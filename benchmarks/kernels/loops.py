"""Loops over single numbers, as one writes them for Numba: without NumPy's functions for whole arrays."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


@kernel(lambda random, scale: (random.random((sized(120, scale), sized(120, scale))),))
def heat_by_points(a):
    b = a.copy()
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    return b


@kernel(lambda random, scale: (random.integers(0, 256, sized(20000, scale)),))
def histogram_by_points(x):
    counts = np.zeros(256, dtype=np.int64)
    for i in range(len(x)):
        counts[x[i]] += 1
    return counts


@kernel(lambda random, scale: (random.random((sized(60, scale), 60)), random.random((60, sized(60, scale)))))
def product_by_points(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total
    return c


@kernel(lambda random, scale: (random.standard_normal(sized(50000, scale)),))
def above_and_best(x):
    total, best, where = 0.0, x[0], 0
    for i in range(len(x)):
        if x[i] > 0.5:
            total += x[i]
        if x[i] > best:
            best = x[i]
            where = i
    return total, best, where


@kernel(lambda random, scale: (random.standard_normal(sized(400, scale)),))
def insertion_sort(x):
    y = x.copy()
    for i in range(1, len(y)):
        value = y[i]
        j = i - 1
        while j >= 0 and y[j] > value:
            y[j + 1] = y[j]
            j -= 1
        y[j + 1] = value
    return y
