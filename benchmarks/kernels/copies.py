"""Elements that go elsewhere."""

import numpy as np

from benchmarks.kernels.registry import kernel, side, sized


@kernel(lambda random, scale: (random.random(sized(3000, scale)), 8))
def repeated_by_points(x, times):
    out = np.empty(len(x) * times)
    k = 0
    for i in range(len(x)):
        for _ in range(times):
            out[k] = x[i]
            k += 1
    return out


@kernel(lambda random, scale: (random.random((side(60, scale), side(60, scale))), 3))
def windows_as_rows(image, k):
    h, w = image.shape
    out = np.empty(((h - k + 1) * (w - k + 1), k * k))
    r = 0
    for i in range(h - k + 1):
        for j in range(w - k + 1):
            c = 0
            for a in range(k):
                for b in range(k):
                    out[r, c] = image[i + a, j + b]
                    c += 1
            r += 1
    return out


@kernel(lambda random, scale: (random.random((side(150, scale), side(180, scale))),))
def transposed_by_points(a):
    n, m = a.shape
    out = np.empty((m, n))
    for i in range(n):
        for j in range(m):
            out[j, i] = a[i, j]
    return out


@kernel(lambda random, scale: (random.random((4 * side(40, scale), 4 * side(40, scale), 3)),), numba=None)
def space_to_depth(x):
    h, w, c = x.shape
    return x.reshape(h // 4, 4, w // 4, 4, c).transpose(0, 2, 1, 3, 4).reshape(h // 4, w // 4, 16 * c)


@kernel(lambda random, scale: (random.integers(0, 99, (side(120, scale), side(120, scale))),))
def spiral(a):
    out = np.empty(a.size, a.dtype)
    top, left, bottom, right = 0, 0, a.shape[0] - 1, a.shape[1] - 1
    k = 0
    while top <= bottom and left <= right:
        for j in range(left, right + 1):
            out[k] = a[top, j]
            k += 1
        top += 1
        for i in range(top, bottom + 1):
            out[k] = a[i, right]
            k += 1
        right -= 1
        if top <= bottom:
            for j in range(right, left - 1, -1):
                out[k] = a[bottom, j]
                k += 1
            bottom -= 1
        if left <= right:
            for i in range(bottom, top - 1, -1):
                out[k] = a[i, left]
                k += 1
            left += 1
    return out
