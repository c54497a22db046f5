"""Ways to put numbers in order."""

import numpy as np

from benchmarks.kernels.registry import kernel, power, sized


@kernel(lambda random, scale: (random.random(sized(2000, scale)),))
def heap_sort(x):
    a = x.copy()
    n = len(a)
    start, end = n // 2, n
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            a[0], a[end] = a[end], a[0]
        root = start
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child
    return a


@kernel(lambda random, scale: (random.random(sized(2000, scale)),))
def shell_sort(x):
    a = x.copy()
    gap = 1
    while gap < len(a) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, len(a)):
            v = a[i]
            j = i
            while j >= gap and a[j - gap] > v:
                a[j] = a[j - gap]
                j -= gap
            a[j] = v
        gap //= 3
    return a


@kernel(lambda random, scale: (random.integers(0, 1000, sized(3000, scale)),))
def merge_sort(x):
    a, b = x.copy(), x.copy()
    n = len(a)
    width = 1
    while width < n:
        for lo in range(0, n, 2 * width):
            mid, hi = min(lo + width, n), min(lo + 2 * width, n)
            i, j = lo, mid
            for k in range(lo, hi):
                if i < mid and (j >= hi or a[i] <= a[j]):
                    b[k] = a[i]
                    i += 1
                else:
                    b[k] = a[j]
                    j += 1
        a, b = b, a
        width *= 2
    return a


@kernel(lambda random, scale: (random.random(power(1024, scale)),))
def bitonic_sort(x):
    a = x.copy()
    n = len(a)
    k = 2
    while k <= n:
        j = k // 2
        while j > 0:
            for i in range(n):
                l = i ^ j
                if l > i and (a[i] > a[l]) == ((i & k) == 0):
                    a[i], a[l] = a[l], a[i]
            j //= 2
        k *= 2
    return a


@kernel(lambda random, scale: (random.random(sized(1500, scale)),))
def inversions(x):
    n = len(x)
    rank = np.argsort(np.argsort(x)) + 1
    tree = np.zeros(n + 1, np.int64)
    total = 0
    for i in range(n - 1, -1, -1):
        j = rank[i]
        while j > 0:
            total += tree[j]
            j -= j & -j
        j = rank[i]
        while j <= n:
            tree[j] += 1
            j += j & -j
    return total
