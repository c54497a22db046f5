"""Tables of best choices."""

import numpy as np

from benchmarks.kernels.registry import kernel, side, sized


def two(random, scale):
    return random.integers(0, 4, side(120, scale)), random.integers(0, 4, side(130, scale))


@kernel(two)
def affine_gaps(a, b):
    n, m = len(a), len(b)
    low = -1e9
    best = np.full((n + 1, m + 1), low)
    right = np.full((n + 1, m + 1), low)
    down = np.full((n + 1, m + 1), low)
    best[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            right[i, j] = max(best[i, j - 1] - 3.0, right[i, j - 1] - 1.0)
            down[i, j] = max(best[i - 1, j] - 3.0, down[i - 1, j] - 1.0)
            s = 2.0 if a[i - 1] == b[j - 1] else -1.0
            best[i, j] = max(max(best[i - 1, j - 1] + s, 0.0), max(right[i, j], down[i, j]))
    return best.max()


@kernel(lambda random, scale: (np.array([1, 5, 10, 25, 50, 100]), sized(3000, scale)))
def coin_change(coins, amount):
    ways = np.zeros(amount + 1, np.int64)
    ways[0] = 1
    least = np.full(amount + 1, amount + 1)
    least[0] = 0
    for c in coins:
        for v in range(c, amount + 1):
            ways[v] = (ways[v] + ways[v - c]) % 1000000007
            least[v] = min(least[v], least[v - c] + 1)
    return ways[amount], least[amount]


@kernel(lambda random, scale: (random.random(side(150, scale)), random.random(side(160, scale))))
def time_warping(x, y):
    n, m = len(x), len(y)
    d = np.full((n + 1, m + 1), np.inf)
    d[0, 0] = 0
    for i in range(n):
        for j in range(m):
            d[i + 1, j + 1] = abs(x[i] - y[j]) + min(d[i, j], d[i, j + 1], d[i + 1, j])
    return d[n, m]


@kernel(lambda random, scale: (random.random((side(150, scale), side(150, scale))),), numba=None)
def seam(energy):
    total = energy.copy()
    h, w = total.shape
    for i in range(1, h):
        above = np.pad(total[i - 1], 1, constant_values=np.inf)
        total[i] += np.minimum(np.minimum(above[:-2], above[1:-1]), above[2:])
    path = np.empty(h, np.int64)
    path[-1] = np.argmin(total[-1])
    for i in range(h - 2, -1, -1):
        j = path[i + 1]
        a, b = max(j - 1, 0), min(j + 2, w)
        path[i] = a + np.argmin(total[i, a:b])
    return path, total[-1].min()


@kernel(lambda random, scale: (random.integers(5, 50, side(40, scale) + 1),))
def matrix_chain(dims):
    n = len(dims) - 1
    cost = np.zeros((n, n), np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            best = 1 << 60
            for k in range(i, j):
                c = cost[i, k] + cost[k + 1, j] + dims[i] * dims[k + 1] * dims[j + 1]
                if c < best:
                    best = c
            cost[i, j] = best
    return cost[0, n - 1]
