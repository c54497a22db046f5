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


@kernel(lambda random, scale: (random.standard_normal(sized(50000, scale)), 10.0))
def first_above(x, level):
    for i in range(len(x)):
        if x[i] > level:
            return i
    return -1


def two_sorted(random, scale):
    return tuple(np.sort(random.integers(0, 100000, sized(5000, scale))) for _ in range(2))


@kernel(two_sorted)
def merge_sorted(a, b):
    out = np.empty(len(a) + len(b), a.dtype)
    i = j = 0
    for k in range(len(out)):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
    return out


def dominant(random, scale):
    n = sized(60, scale)
    return (random.random((n, n)) + n * np.eye(n),)


@kernel(dominant)
def lu_by_points(a):
    a = a.copy()
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


def letters(random, scale):
    return tuple(random.integers(0, 4, sized(250, scale)) for _ in range(2))


@kernel(letters)
def common_subsequence(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    return table[-1, -1]


@kernel(lambda random, scale: (random.random((sized(120, scale), sized(120, scale))), 5))
def gauss_seidel_by_points(u, sweeps):
    u = u.copy()
    for _ in range(sweeps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


@kernel(lambda random, scale: (sized(100, scale), 50))
def mandelbrot_by_points(size, most):
    counts = np.zeros((size, size), np.int64)
    for i in range(size):
        for j in range(size):
            cr, ci = 3 * j / size - 2, 2 * i / size - 1
            zr = zi = 0.0
            n = 0
            while n < most and zr * zr + zi * zi < 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                n += 1
            counts[i, j] = n
    return counts
