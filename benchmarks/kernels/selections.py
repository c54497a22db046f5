"""What becomes shorter: masks, peaks, runs."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


@kernel(
    lambda random, scale: (random.normal(size=sized(20000, scale)) + 5 * (random.random(sized(20000, scale)) < 0.02),)
)
def sigma_clipping(x):
    while True:
        m, s = x.mean(), x.std()
        kept = x[np.abs(x - m) < 3 * s]
        if len(kept) == len(x):
            return m, s, len(x)
        x = kept


@kernel(
    lambda random, scale: (random.random(sized(10000, scale)) * 2 * np.pi, random.random(sized(10000, scale)) * 0.8),
    numba=None,
)
def kepler(mean, e):
    x = mean.copy()
    todo = np.ones(len(x), bool)
    for _ in range(50):
        d = (x[todo] - e[todo] * np.sin(x[todo]) - mean[todo]) / (1 - e[todo] * np.cos(x[todo]))
        x[todo] -= d
        todo[todo] = np.abs(d) > 1e-12
        if not todo.any():
            break
    return x


def boxes(random, scale):
    n = sized(250, scale)
    corner = random.random((n, 2)) * 10
    return np.hstack([corner, corner + random.random((n, 2)) * 2]), random.random(n)


@kernel(boxes, numba=None)
def suppressed_boxes(boxes, scores):
    x1, y1, x2, y2 = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
    area = (x2 - x1) * (y2 - y1)
    order = scores.argsort()[::-1]
    kept = []
    while order.size > 0:
        i = order[0]
        kept.append(i)
        w = np.maximum(0, np.minimum(x2[i], x2[order[1:]]) - np.maximum(x1[i], x1[order[1:]]))
        h = np.maximum(0, np.minimum(y2[i], y2[order[1:]]) - np.maximum(y1[i], y1[order[1:]]))
        overlap = w * h / (area[i] + area[order[1:]] - w * h)
        order = order[1:][overlap <= 0.3]
    return np.array(kept)


@kernel(lambda random, scale: (random.normal(size=sized(100000, scale)),))
def peaks_above(x):
    middle = x[1:-1]
    at = np.nonzero((middle > x[:-2]) & (middle > x[2:]) & (middle > 1.5))[0] + 1
    return at, x[at]


@kernel(lambda random, scale: (random.integers(0, 5, sized(20000, scale)),))
def run_lengths(x):
    values, lengths = np.empty_like(x), np.empty_like(x)
    n = 0
    i = 0
    while i < len(x):
        j = i
        while j < len(x) and x[j] == x[i]:
            j += 1
        values[n], lengths[n] = x[i], j - i
        n += 1
        i = j
    return values[:n], lengths[:n]
