"""Cells and their neighbours."""

import numpy as np

from benchmarks.kernels.registry import kernel, side, sized


@kernel(lambda random, scale: (random.integers(0, 2, side(200, scale), dtype=np.uint8), side(60, scale), 110))
def elementary_by_points(cells, steps, rule):
    n = len(cells)
    out = np.zeros((steps, n), np.uint8)
    out[0] = cells
    for t in range(1, steps):
        for i in range(n):
            k = 4 * out[t - 1, (i - 1) % n] + 2 * out[t - 1, i] + out[t - 1, (i + 1) % n]
            out[t, i] = (rule >> k) & 1
    return out


@kernel(lambda random, scale: (side(60, scale), sized(5000, scale)))
def langtons_ant(n, steps):
    grid = np.zeros((n, n), np.bool_)
    y = x = n // 2
    dy, dx = -1, 0
    for _ in range(steps):
        if grid[y, x]:
            dy, dx = -dx, dy
        else:
            dy, dx = dx, -dy
        grid[y, x] = not grid[y, x]
        y = (y + dy) % n
        x = (x + dx) % n
    return grid, y, x


@kernel(lambda random, scale: (side(15, scale), sized(500, scale)))
def sandpile(n, grains):
    z = np.zeros((n, n), np.int64)
    z[n // 2, n // 2] = grains
    topplings = 0
    active = True
    while active:
        active = False
        for i in range(n):
            for j in range(n):
                if z[i, j] >= 4:
                    active = True
                    k = z[i, j] // 4
                    topplings += k
                    z[i, j] -= 4 * k
                    if i > 0:
                        z[i - 1, j] += k
                    if i < n - 1:
                        z[i + 1, j] += k
                    if j > 0:
                        z[i, j - 1] += k
                    if j < n - 1:
                        z[i, j + 1] += k
    return z, topplings


@kernel(lambda random, scale: (random.integers(0, 1 << 63, (sized(200, scale)), dtype=np.uint64), 8))
def life_in_words(rows, steps):
    one, most = np.uint64(1), np.uint64(63)
    for _ in range(steps):
        new = np.zeros_like(rows)
        n = len(rows)
        for i in range(n):
            a, b, c = rows[(i - 1) % n], rows[i], rows[(i + 1) % n]
            s1 = s2 = s4 = np.uint64(0)
            for w in (a, c):
                for v in (w << one | w >> most, w, w >> one | w << most):
                    k = s1 & v
                    s1 ^= v
                    s4 |= s2 & k
                    s2 ^= k
            for v in (b << one | b >> most, b >> one | b << most):
                k = s1 & v
                s1 ^= v
                s4 |= s2 & k
                s2 ^= k
            new[i] = s2 & ~s4 & (s1 | b)
        rows = new
    return rows
