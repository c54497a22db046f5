"""Searches and trees in graphs."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


def edges(random, scale):
    n = sized(400, scale)
    m = 6 * n
    return n, random.integers(0, n, m), random.integers(0, n, m), random.random(m)


@kernel(edges)
def bellman_ford(n, a, b, w):
    d = np.full(n, np.inf)
    d[0] = 0.0
    for _ in range(n):
        changed = False
        for e in range(len(a)):
            c = d[a[e]] + w[e]
            if c < d[b[e]]:
                d[b[e]] = c
                changed = True
        if not changed:
            break
    return d


def rows_of(random, scale):
    n, a, b, w = edges(random, scale)
    order = np.argsort(a, kind="stable")
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(a, minlength=n), out=starts[1:])
    return starts, b[order], w[order]


@kernel(rows_of)
def page_rank(starts, columns, weights):
    n = len(starts) - 1
    rank = np.full(n, 1.0 / n)
    for _ in range(10):
        new = np.full(n, 0.15 / n)
        for i in range(n):
            degree = starts[i + 1] - starts[i]
            if degree > 0:
                share = 0.85 * rank[i] / degree
                for k in range(starts[i], starts[i + 1]):
                    new[columns[k]] += share
        rank = new
    return rank


@kernel(edges)
def union_find(n, a, b, w):
    parent = np.arange(n)
    count = n
    for e in range(n):
        x, y = a[e], b[e]
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        while parent[y] != y:
            parent[y] = parent[parent[y]]
            y = parent[y]
        if x != y:
            parent[x] = y
            count -= 1
    return count, parent


@kernel(edges)
def kruskal(n, a, b, w):
    parent = np.arange(n)

    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    total = 0.0
    for e in np.argsort(w):
        x, y = find(a[e]), find(b[e])
        if x != y:
            parent[x] = y
            total += w[e]
    return total


def acyclic(random, scale):
    n = sized(400, scale)
    a = random.integers(0, n - 1, 5 * n)
    b = np.minimum(a + 1 + random.integers(0, n, 5 * n), n - 1)
    order = np.argsort(a, kind="stable")
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(a, minlength=n), out=starts[1:])
    return starts, b[order]


@kernel(acyclic)
def topological_order(starts, columns):
    n = len(starts) - 1
    before = np.zeros(n, np.int64)
    for v in columns:
        before[v] += 1
    stack = [i for i in range(n) if before[i] == 0]
    order = np.empty(n, np.int64)
    k = 0
    while stack:
        u = stack.pop()
        order[k] = u
        k += 1
        for v in columns[starts[u] : starts[u + 1]]:
            before[v] -= 1
            if before[v] == 0:
                stack.append(v)
    return order[:k]


@kernel(rows_of)
def dijkstra_heap(starts, columns, weights):
    n = len(starts) - 1
    m = len(columns) + 1
    keys, nodes = np.empty(m), np.empty(m, np.int64)
    d = np.full(n, np.inf)
    d[0] = 0.0
    keys[0], nodes[0] = 0.0, 0
    size = 1
    while size > 0:
        key, u = keys[0], nodes[0]
        size -= 1
        last, node = keys[size], nodes[size]
        i = 0
        while 2 * i + 1 < size:
            c = 2 * i + 1
            if c + 1 < size and keys[c + 1] < keys[c]:
                c += 1
            if keys[c] >= last:
                break
            keys[i], nodes[i] = keys[c], nodes[c]
            i = c
        keys[i], nodes[i] = last, node
        if key > d[u]:
            continue
        for e in range(starts[u], starts[u + 1]):
            v, c = columns[e], key + weights[e]
            if c < d[v]:
                d[v] = c
                i = size
                size += 1
                while i > 0 and keys[(i - 1) // 2] > c:
                    keys[i], nodes[i] = keys[(i - 1) // 2], nodes[(i - 1) // 2]
                    i = (i - 1) // 2
                keys[i], nodes[i] = c, v
    return d
