"""Pictures, by points and whole."""

import numpy as np

from benchmarks.kernels.registry import kernel, side


@kernel(lambda random, scale: (random.random((side(40, scale, 12), side(40, scale, 12))), 2, 1.5, 0.2))
def bilateral(a, r, ss, sr):
    h, w = a.shape
    out = np.zeros_like(a)
    for i in range(h):
        for j in range(w):
            total = weight = 0.0
            for y in range(max(0, i - r), min(h, i + r + 1)):
                for x in range(max(0, j - r), min(w, j + r + 1)):
                    d = a[y, x] - a[i, j]
                    k = np.exp(-((y - i) ** 2 + (x - j) ** 2) / (2 * ss * ss) - d * d / (2 * sr * sr))
                    total += k * a[y, x]
                    weight += k
            out[i, j] = total / weight
    return out


@kernel(lambda random, scale: (random.random((side(120, scale, 12), side(120, scale, 12))) < 0.01,))
def distance_transform(mask):
    h, w = mask.shape
    d = np.where(mask, 0.0, 1e9)
    for i in range(h):
        for j in range(w):
            if i > 0:
                d[i, j] = min(d[i, j], d[i - 1, j] + 1)
            if j > 0:
                d[i, j] = min(d[i, j], d[i, j - 1] + 1)
    for i in range(h - 1, -1, -1):
        for j in range(w - 1, -1, -1):
            if i < h - 1:
                d[i, j] = min(d[i, j], d[i + 1, j] + 1)
            if j < w - 1:
                d[i, j] = min(d[i, j], d[i, j + 1] + 1)
    return d


@kernel(lambda random, scale: (random.random((side(100, scale, 12), side(100, scale, 12))) < 0.55,))
def components(a):
    h, w = a.shape
    label = np.zeros((h, w), np.int64)
    parent = np.arange(h * w // 2 + 2)
    n = 1
    for i in range(h):
        for j in range(w):
            if not a[i, j]:
                continue
            up = label[i - 1, j] if i > 0 else 0
            left = label[i, j - 1] if j > 0 else 0
            if up == 0 and left == 0:
                label[i, j] = n
                n += 1
            elif up == 0 or left == 0:
                label[i, j] = up + left
            else:
                x, y = up, left
                while parent[x] != x:
                    x = parent[x]
                while parent[y] != y:
                    y = parent[y]
                low = min(x, y)
                parent[max(x, y)] = low
                label[i, j] = low
    for i in range(h):
        for j in range(w):
            x = label[i, j]
            while parent[x] != x:
                x = parent[x]
            label[i, j] = x
    return label


def grey(random, scale):
    return (random.random((side(100, scale, 12), side(100, scale, 12))),)


@kernel(grey)
def dithered(a):
    b = a.copy()
    h, w = b.shape
    out = np.zeros((h, w), np.uint8)
    for i in range(h):
        for j in range(w):
            new = 1.0 if b[i, j] > 0.5 else 0.0
            e = b[i, j] - new
            out[i, j] = 255 if new > 0 else 0
            if j + 1 < w:
                b[i, j + 1] += e * 7 / 16
            if i + 1 < h:
                if j > 0:
                    b[i + 1, j - 1] += e * 3 / 16
                b[i + 1, j] += e * 5 / 16
                if j + 1 < w:
                    b[i + 1, j + 1] += e / 16
    return out


@kernel(
    lambda random, scale: (random.random((side(150, scale, 16), side(150, scale, 16))).astype(np.float32), 1.5),
    numba=None,
    rtol=1e-5,
)
def blurred(a, sigma):
    t = np.arange(-4, 5)
    k = np.exp(-t * t / (2 * sigma * sigma)).astype(np.float32)
    k /= k.sum()
    p = np.pad(a, 4, mode="reflect")
    rows = np.zeros((a.shape[0] + 8, a.shape[1]), np.float32)
    for i in range(9):
        rows += k[i] * p[:, i : i + a.shape[1]]
    out = np.zeros_like(a)
    for i in range(9):
        out += k[i] * rows[i : i + a.shape[0]]
    return out


@kernel(lambda random, scale: (random.integers(0, 256, (side(80, scale, 8), side(80, scale, 8)), dtype=np.uint8),))
def local_patterns(a):
    h, w = a.shape
    out = np.zeros((h - 2, w - 2), np.uint8)
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            c = a[i, j]
            code = 0
            code |= (a[i - 1, j - 1] >= c) << 7
            code |= (a[i - 1, j] >= c) << 6
            code |= (a[i - 1, j + 1] >= c) << 5
            code |= (a[i, j + 1] >= c) << 4
            code |= (a[i + 1, j + 1] >= c) << 3
            code |= (a[i + 1, j] >= c) << 2
            code |= (a[i + 1, j - 1] >= c) << 1
            code |= (a[i, j - 1] >= c) << 0
            out[i - 1, j - 1] = code
    return out
