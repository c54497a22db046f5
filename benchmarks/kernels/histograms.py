"""Counts by bins, and what is read off them."""

import numpy as np

from benchmarks.kernels.registry import kernel, side, sized


@kernel(lambda random, scale: (random.random(sized(20000, scale)), random.random(sized(20000, scale)), 32))
def joint_histogram(x, y, bins):
    counts = np.zeros((bins, bins), np.int64)
    for k in range(len(x)):
        counts[int(x[k] * bins), int(y[k] * bins)] += 1
    return counts


@kernel(
    lambda random, scale: (random.integers(0, 500, sized(50000, scale)), random.random(sized(50000, scale))), numba=None
)
def scattered_sums(keys, values):
    sums = np.zeros(500)
    np.add.at(sums, keys, values)
    counts = np.bincount(keys, minlength=500)
    return sums / np.maximum(counts, 1)


@kernel(lambda random, scale: (random.normal(size=sized(50000, scale)), np.linspace(-3, 3, 61)), numba=None)
def histogram_of_edges(x, edges):
    counts, _ = np.histogram(x, edges)
    return counts / (counts.sum() * np.diff(edges))


@kernel(lambda random, scale: (random.integers(0, 256, (side(200, scale), side(200, scale)), dtype=np.uint8),))
def otsu(image):
    counts = np.zeros(256)
    for row in image:
        for v in row:
            counts[v] += 1
    total = image.size
    mean = 0.0
    for i in range(256):
        mean += i * counts[i]
    w = s = best = 0.0
    level = 0
    for i in range(256):
        w += counts[i]
        if w == 0 or w == total:
            continue
        s += i * counts[i]
        between = w * (total - w) * (s / w - (mean - s) / (total - w)) ** 2
        if between > best:
            best, level = between, i
    return level, best


@kernel(lambda random, scale: (random.integers(0, 1 << 32, sized(8000, scale), dtype=np.uint32),))
def radix_sort_by_points(x):
    a, b = x.copy(), np.empty_like(x)
    for shift in range(0, 32, 8):
        counts = np.zeros(257, np.int64)
        for v in a:
            counts[((v >> shift) & 255) + 1] += 1
        for k in range(256):
            counts[k + 1] += counts[k]
        for v in a:
            d = (v >> shift) & 255
            b[counts[d]] = v
            counts[d] += 1
        a, b = b, a
    return a
