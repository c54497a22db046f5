"""Functions that call themselves as often as data says. JAX has no way to write them."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


def unsorted(random, scale):
    n = sized(1500, scale)
    return random.random(n), 0, n - 1


@kernel(unsorted, writes=(0,))
def quicksort(a, low, high):
    if low >= high:
        return
    pivot, i, j = a[(low + high) // 2], low, high
    while i <= j:
        while a[i] < pivot:
            i += 1
        while a[j] > pivot:
            j -= 1
        if i <= j:
            a[i], a[j] = a[j], a[i]
            i += 1
            j -= 1
    quicksort(a, low, j)
    quicksort(a, i, high)


def interval(random, scale):
    return 0.0, 1.0 + random.random(), 1e-8 if scale == 1 else 1e-4


@kernel(interval)
def adaptive_simpson(a, b, tolerance):
    m = (a + b) / 2
    left, right = (a + m) / 2, (m + b) / 2
    fa, fl, fm = np.sin(1 / (a + 0.02)), np.sin(1 / (left + 0.02)), np.sin(1 / (m + 0.02))
    fr, fb = np.sin(1 / (right + 0.02)), np.sin(1 / (b + 0.02))
    whole = (b - a) / 6 * (fa + 4 * fm + fb)
    halves = (b - a) / 12 * (fa + 4 * fl + 2 * fm + 4 * fr + fb)
    if abs(halves - whole) < 15 * tolerance:
        return halves + (halves - whole) / 15
    return adaptive_simpson(a, m, tolerance / 2) + adaptive_simpson(m, b, tolerance / 2)


def board(random, scale):
    n = 7 if scale == 1 else 5
    return 0, np.zeros(n, bool), np.zeros(2 * n, bool), np.zeros(2 * n, bool)


@kernel(board)
def queens(row, columns, down, up):
    n = len(columns)
    if row == n:
        return 1
    count = 0
    for c in range(n):
        if columns[c] or down[row + c] or up[row - c + n]:
            continue
        columns[c] = down[row + c] = up[row - c + n] = True
        count += queens(row + 1, columns, down, up)
        columns[c] = down[row + c] = up[row - c + n] = False
    return count
