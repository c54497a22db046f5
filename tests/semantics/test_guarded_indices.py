"""Indices that a test keeps inside of an array: neighbours at edges, windows, guards of every form."""

import numpy as np

from .runner import Programs

program = Programs()

RANDOM = np.random.default_rng(0)
SMALL, LARGE = RANDOM.standard_normal(8), RANDOM.standard_normal(200)


@program(SMALL, LARGE)
def neighbour_below(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if i > 0:
            y[i] = x[i - 1] * 2
    return y


@program(SMALL, LARGE)
def neighbours_on_both_sides(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if i > 0:
            y[i] += x[i - 1]
        if i + 1 < len(x):
            y[i] += x[i + 1] * 3
    return y


@program(SMALL, LARGE)
def conditional_expressions(x):
    y = x.copy()
    for i in range(len(x)):
        left = x[i - 2] if i > 1 else 0.0
        right = x[i + 3] if i < len(x) - 3 else 1.0
        y[i] = left * 2 + right + x[i]
    return y


@program(SMALL, RANDOM.standard_normal(40))
def two_indices(x):
    n = len(x)
    y = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i > 0 and j > 0:
                y[i, j] = x[i - 1] * x[j - 1]
            elif j + 1 < n:
                y[i, j] = x[j + 1]
    return y


@program(SMALL, LARGE)
def five_points(x):
    g = x.reshape(8, -1).copy()
    out = np.zeros_like(g)
    h, w = g.shape
    for i in range(h):
        for j in range(w):
            t = 0.0
            if i > 0:
                t += g[i - 1, j]
            if i < h - 1:
                t += g[i + 1, j]
            if j > 0:
                t += g[i, j - 1]
            if j < w - 1:
                t += g[i, j + 1]
            out[i, j] = t - 4 * g[i, j]
    return out


@program(SMALL, LARGE)
def both_ends(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(-4, n + 4):
        if 0 <= i and i < n:
            y[i] = x[i] * i
    return y


@program(SMALL, LARGE)
def continue_and_break(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(-4, n + 4):
        if i < 0:
            continue
        if i >= n:
            break
        y[n - 1 - i] = x[i] * i
    return y


@program(SMALL, RANDOM.standard_normal(40))
def window(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        j = i - 5
        while j <= i + 5:
            if j >= 0 and j < n:
                y[i] += x[j]
            j += 1
    return y


@program(SMALL, LARGE)
def peaks(x):
    n = len(x)
    found = []
    for i in range(n):
        if (i == 0 or x[i] > x[i - 1]) and (i == n - 1 or x[i] > x[i + 1]):
            found.append(i)
    return found


@program(SMALL, LARGE)
def swapped_pairs(x):
    n = len(x)
    y = x.copy()
    for i in range(n):
        if i % 2 == 0 and i + 1 < n:
            if y[i] > y[i + 1]:
                y[i], y[i + 1] = y[i + 1], y[i]
    return y


@program((SMALL, 3), (SMALL, 7), (SMALL, 0), (LARGE, 150))
def up_to_an_argument(x, n):
    total, i = 0.0, 0
    while i < n and i < len(x):
        total = total * 0.5 + x[i]
        i += 1
    return total, i


@program((SMALL, np.array([3, -1, 8, 7, 0])), (SMALL, np.array([100, -100, 2])))
def places_from_data(x, places):
    total = 0.0
    for p in places:
        if 0 <= p < len(x):
            total += x[p]
        elif p < 0:
            total -= 1.0
    return total


@program((SMALL, np.array([3, -1, 8, 7, 0])), raises=IndexError)
def guarded_on_one_side(x, places):
    total = 0.0
    for p in places:
        if p >= 0:
            total += x[p]
    return total


@program((np.array([[1, 1, 0, 1], [0, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]]),))
def walk_on_a_grid(grid):
    seen = np.zeros_like(grid)
    stack = [(0, 0)]
    count = 0
    while stack:
        r, c = stack.pop()
        if r < 0 or c < 0 or r >= 4 or c >= 4:
            continue
        if seen[r, c] or not grid[r, c]:
            continue
        seen[r, c] = 1
        count += 1
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            stack.append((r + dr, c + dc))
    return count, seen


test_programs = program.test()
