"""Kernels over integers as people write them in NumPy: dynamic programming, graphs, sorting, number theory."""

import numpy as np

from .runner import Programs

program = Programs()

K8 = np.array([5, 2, 9, 1, 7, 2, 8, 3])
WEIGHTS = np.array([[0, 4, 0, 8], [4, 0, 3, 0], [0, 3, 0, 5], [8, 0, 5, 0]])


def match(a, b):
    return 1 if a + b == 3 else 0


@program((7, np.array([0, 1, 2, 3, 0, 3, 2])), (1, np.array([2])))
def nussinov_triangular(n, seq):
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                table[i, j] = np.maximum(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = np.maximum(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < n:
                if i < j - 1:
                    table[i, j] = np.maximum(table[i, j], table[i + 1, j - 1] + match(seq[i], seq[j]))
                else:
                    table[i, j] = np.maximum(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = np.maximum(table[i, j], table[i, k] + table[k + 1, j])
    return table


@program(np.array([[0, 3, 9, 7], [8, 0, 2, 9], [5, 9, 0, 1], [2, 9, 9, 0]], dtype=np.int32), np.zeros((1, 1)))
def floyd_warshall_outer(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


@program(WEIGHTS, np.array([[0, 1], [1, 0]]))
def prim_minimum_spanning_tree(w):
    n = len(w)
    inside = np.zeros(n, dtype=bool)
    key = np.full(n, np.iinfo(np.int64).max)
    parent = -np.ones(n, dtype=int)
    key[0] = 0
    total = 0
    for _ in range(n):
        u = int(np.argmin(np.where(inside, np.iinfo(np.int64).max, key)))
        inside[u] = True
        total += key[u]
        better = (w[u] > 0) & ~inside & (w[u] < key)
        key[better] = w[u, better]
        parent[better] = u
    return parent, total


@program(
    (np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3]), np.array([4.0, 1, -2, 3]), 4),
    (np.array([0, 1]), np.array([1, 0]), np.array([1.0, -2]), 2),
)
def bellman_ford(src, dst, w, n):
    dist = np.full(n, np.inf)
    dist[0] = 0
    for _ in range(n - 1):
        for s, d, c in zip(src, dst, w):
            if dist[s] + c < dist[d]:
                dist[d] = dist[s] + c
    negative = any(dist[s] + c < dist[d] for s, d, c in zip(src, dst, w))
    return dist, negative


@program((WEIGHTS > 0, 0), (np.zeros((3, 3), bool), 1))
def breadth_first_levels(adjacency, start):
    n = len(adjacency)
    level = np.full(n, -1)
    level[start] = 0
    frontier = np.zeros(n, dtype=bool)
    frontier[start] = True
    depth = 0
    while frontier.any():
        depth += 1
        reached = adjacency[frontier].any(axis=0) & (level < 0)
        level[reached] = depth
        frontier = reached
    return level


@program((np.array([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]),), (np.array([[0, 1], [1, 0]]),))
def topological_order(adjacency):
    n = len(adjacency)
    degree = adjacency.sum(axis=0)
    order = np.full(n, -1)
    queue = np.zeros(n, dtype=int)
    head = tail = 0
    for v in range(n):
        if degree[v] == 0:
            queue[tail] = v
            tail += 1
    count = 0
    while head < tail:
        v = queue[head]
        head += 1
        order[count] = v
        count += 1
        for u in np.flatnonzero(adjacency[v]):
            degree[u] -= 1
            if degree[u] == 0:
                queue[tail] = u
                tail += 1
    return order, count == n


@program((np.array([[0, 1, 0], [0, 0, 1], [1, 1, 0]]), 0.85, 1e-10), (np.zeros((3, 3), int), 0.85, 1e-6))
def pagerank_with_dangling(adjacency, d, tol):
    n = adjacency.shape[0]
    out = adjacency.sum(axis=1)
    rank = np.full(n, 1 / n)
    for it in range(200):
        share = np.divide(rank, out, out=np.zeros(n), where=out > 0)
        new = (1 - d) / n + d * (adjacency.T @ share + rank[out == 0].sum() / n)
        if np.abs(new - rank).sum() < tol:
            return new, it
        rank = new
    return rank, -1


@program(50, 2, 1, 0)
def sieve_slices(n):
    flags = np.ones(n + 1, dtype=bool)
    flags[:2] = False
    for p in range(2, int(n**0.5) + 1):
        if flags[p]:
            flags[p * p :: p] = False
    return np.flatnonzero(flags)


@program(60, 7)
def sieve_of_odds(n):
    sieve = np.ones(n // 2, dtype=bool)
    for i in range(3, int(n**0.5) + 1, 2):
        if sieve[i // 2]:
            sieve[i * i // 2 :: i] = False
    return np.r_[2, 2 * np.nonzero(sieve)[0][1::] + 1]


@program((30,), (12,))
def totients(n):
    phi = np.arange(n + 1)
    for p in range(2, n + 1):
        if phi[p] == p:
            phi[p::p] -= phi[p::p] // p
    return phi


@program(360, 97, 1)
def prime_factors(n):
    found = np.zeros(64, dtype=np.int64)
    count = 0
    p = 2
    while p * p <= n:
        while n % p == 0:
            found[count] = p
            count += 1
            n //= p
        p += 1 if p == 2 else 2
    if n > 1:
        found[count] = n
        count += 1
    return found[:count]


@program((5, 30), (1, 3))
def pascal_triangle(rows, modulus):
    table = np.zeros((rows, rows), dtype=np.int64)
    table[:, 0] = 1
    for i in range(1, rows):
        table[i, 1 : i + 1] = (table[i - 1, :i] + table[i - 1, 1 : i + 1]) % modulus
    return table


@program(K8, K8[:1], np.array([2.5, -1.0, 2.5, 0.0]))
def bitonic_or_odd_even_network(a):
    n = len(a)
    for phase in range(n):
        start = phase % 2
        left, right = a[start : n - 1 : 2].copy(), a[start + 1 : n : 2].copy()
        a[start : n - 1 : 2] = np.minimum(left, right)
        a[start + 1 : n : 2] = np.maximum(left, right)
    return a


@program(K8, np.arange(4)[::-1].copy())
def bitonic_sort(a):
    n = len(a)
    k = 2
    while k <= n:
        j = k // 2
        while j > 0:
            i = np.arange(n)
            partner = i ^ j
            lower = i < partner
            ascending = (i & k) == 0
            low, high = np.minimum(a, a[partner]), np.maximum(a, a[partner])
            a = np.where(lower == ascending, low, high)
            j //= 2
        k *= 2
    return a


@program(K8, np.array([3]), np.zeros(0, int))
def counting_sort(a):
    if a.size == 0:
        return a
    counts = np.zeros(16, dtype=np.int64)
    for v in a:
        counts[v] += 1
    out = np.empty_like(a)
    pos = 0
    for v in range(16):
        out[pos : pos + counts[v]] = v
        pos += counts[v]
    return out


@program((K8, 4), (np.array([170, 45, 75, 90, 2, 802]), 4))
def radix_sort(a, bits):
    for shift in range(0, 12, bits):
        digit = (a >> shift) & ((1 << bits) - 1)
        order = np.argsort(digit, kind="stable")
        a = a[order]
    return a


@program(K8, K8[:2].copy(), K8[:1].copy())
def merge_sort_bottom_up(a):
    n = len(a)
    width = 1
    src, dst = a.copy(), np.empty_like(a)
    while width < n:
        for lo in range(0, n, 2 * width):
            mid, hi = min(lo + width, n), min(lo + 2 * width, n)
            i, j = lo, mid
            for k in range(lo, hi):
                if i < mid and (j >= hi or src[i] <= src[j]):
                    dst[k] = src[i]
                    i += 1
                else:
                    dst[k] = src[j]
                    j += 1
        src, dst = dst, src
        width *= 2
    return src


@program(K8, K8[:3].copy())
def heap_sort(a):
    n = len(a)
    for start in range(n // 2 - 1, -1, -1):
        root = start
        while 2 * root + 1 < n:
            child = 2 * root + 1
            if child + 1 < n and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        root = 0
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child
    return a


@program((K8, 3), (K8, 0))
def quickselect(a, k):
    lo, hi = 0, len(a) - 1
    while lo < hi:
        pivot = a[(lo + hi) // 2]
        i, j = lo, hi
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        if k <= j:
            hi = j
        elif k >= i:
            lo = i
        else:
            break
    return a[k]


@program((np.array([1, 2, 3, 2, 1]), np.array([3, 2, 1, 4])), (np.array([1]), np.array([2])))
def edit_distance_rows(a, b):
    previous = np.arange(len(b) + 1)
    for i, x in enumerate(a, 1):
        current = np.empty(len(b) + 1, dtype=int)
        current[0] = i
        for j, y in enumerate(b, 1):
            current[j] = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (x != y))
        previous = current
    return previous[-1]


@program((np.array([1, 2, 3, 2, 1, 0]), np.array([2, 2, 1, 0]), 2, -1, -2))
def smith_waterman(a, b, hit, miss, gap):
    h = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            diagonal = h[i - 1, j - 1] + (hit if a[i - 1] == b[j - 1] else miss)
            h[i, j] = max(0, diagonal, h[i - 1, j] + gap, h[i, j - 1] + gap)
    return h.max(), np.unravel_index(h.argmax(), h.shape)


@program((np.array([1, 2, 3, 2]), np.array([2, 3, 2, 1, 2, 3])))
def longest_common_substring(a, b):
    best = end = 0
    row = np.zeros(len(b) + 1, dtype=int)
    for i in range(len(a)):
        new = np.zeros(len(b) + 1, dtype=int)
        hits = b == a[i]
        new[1:][hits] = row[:-1][hits] + 1
        if new.max() > best:
            best = new.max()
            end = i + 1
        row = new
    return a[end - best : end]


@program((np.array([10, 20, 30, 40, 30]),), (np.array([5, 6]),))
def matrix_chain_order(p):
    n = len(p) - 1
    cost = np.zeros((n, n), dtype=np.int64)
    split = np.zeros((n, n), dtype=np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i, j] = np.iinfo(np.int64).max
            for k in range(i, j):
                c = cost[i, k] + cost[k + 1, j] + p[i] * p[k + 1] * p[j + 1]
                if c < cost[i, j]:
                    cost[i, j] = c
                    split[i, j] = k
    return cost[0, n - 1], split


@program((np.array([2, 3, 4, 5]), np.array([3, 4, 5, 6]), 8), (np.array([2]), np.array([3]), 1))
def knapsack_by_shifted_rows(w, v, capacity):
    best = np.zeros(capacity + 1, dtype=np.int64)
    keep = np.zeros((len(w), capacity + 1), dtype=bool)
    for i in range(len(w)):
        shifted = np.full(capacity + 1, -1)
        if w[i] <= capacity:
            shifted[w[i] :] = best[: capacity + 1 - w[i]] + v[i]
        keep[i] = shifted > best
        best = np.maximum(best, shifted)
    chosen = np.zeros(len(w), dtype=bool)
    c = capacity
    for i in range(len(w) - 1, -1, -1):
        if keep[i, c]:
            chosen[i] = True
            c -= w[i]
    return best[-1], chosen


@program((np.array([3, 34, 4, 12, 5, 2]), 9), (np.array([3, 34]), 30))
def subset_sum_bits(values, target):
    reachable = np.zeros(target + 1, dtype=bool)
    reachable[0] = True
    for v in values:
        if v <= target:
            reachable[v:] |= reachable[: target + 1 - v].copy()
    return reachable[target], reachable.sum()


@program(
    (
        np.array([0, 1, 2, 1]),
        np.array([0.6, 0.4]),
        np.array([[0.7, 0.3], [0.4, 0.6]]),
        np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]),
    )
)
def viterbi_vectorised(obs, start, trans, emit):
    t, s = len(obs), len(start)
    with np.errstate(divide="ignore"):
        logp = np.log(start) + np.log(emit[:, obs[0]])
        back = np.zeros((t, s), dtype=int)
        for k in range(1, t):
            scores = logp[:, None] + np.log(trans)
            back[k] = scores.argmax(axis=0)
            logp = scores.max(axis=0) + np.log(emit[:, obs[k]])
    path = np.zeros(t, dtype=int)
    path[-1] = logp.argmax()
    for k in range(t - 2, -1, -1):
        path[k] = back[k + 1, path[k + 1]]
    return path, logp.max()


@program(
    (np.array([0, 1, 1]), np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]]), np.array([[0.5, 0.5], [0.1, 0.9]]))
)
def forward_backward(obs, start, trans, emit):
    t, s = len(obs), len(start)
    alpha, beta, scale = np.empty((t, s)), np.ones((t, s)), np.empty(t)
    alpha[0] = start * emit[:, obs[0]]
    scale[0] = alpha[0].sum()
    alpha[0] /= scale[0]
    for k in range(1, t):
        alpha[k] = (alpha[k - 1] @ trans) * emit[:, obs[k]]
        scale[k] = alpha[k].sum()
        alpha[k] /= scale[k]
    for k in range(t - 2, -1, -1):
        beta[k] = trans @ (emit[:, obs[k + 1]] * beta[k + 1]) / scale[k + 1]
    return alpha * beta, np.log(scale).sum()


@program((K8, 3), (np.zeros(4, int), 2))
def histogram_and_bincount(a, bins):
    counts = np.bincount(a, minlength=10)
    weighted = np.bincount(a, weights=a * 0.5)
    hist, edges = np.histogram(a, bins=bins)
    digits = np.digitize(a, edges)
    return counts, weighted, hist, edges, digits


@program((np.array([1, 1, 2, 2, 2, 3, 1]),), (np.array([7]),))
def run_length_encoding(a):
    change = np.flatnonzero(np.concatenate(([True], a[1:] != a[:-1])))
    lengths = np.diff(np.append(change, len(a)))
    return a[change], lengths


@program((np.array([3, 1, 2, 3, 1]), np.array([1.0, 2, 3, 4, 5])), (np.array([1]), np.array([9.0])))
def group_means(keys, values):
    unique, inverse = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(unique))
    np.add.at(sums, inverse, values)
    counts = np.bincount(inverse)
    return unique, sums / counts


@program((np.array([2, 0, 1, 4, 3]),), (np.arange(3),))
def permutation_cycles(p):
    n = len(p)
    seen = np.zeros(n, dtype=bool)
    cycles = 0
    sign = 1
    for start in range(n):
        if seen[start]:
            continue
        length = 0
        k = start
        while not seen[k]:
            seen[k] = True
            k = p[k]
            length += 1
        cycles += 1
        if length % 2 == 0:
            sign = -sign
    return cycles, sign


@program((np.array([[5, 3, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2], [0, 4, 0, 0]]) % 5,))
def sudoku_candidates(grid):
    n = grid.shape[0]
    possible = np.ones((n, n, n + 1), dtype=bool)
    for i in range(n):
        for j in range(n):
            v = grid[i, j]
            if v:
                possible[i, :, v] = False
                possible[:, j, v] = False
                bi, bj = i // 2 * 2, j // 2 * 2
                possible[bi : bi + 2, bj : bj + 2, v] = False
    return possible[:, :, 1:].sum(axis=2)


@program((12, 0.3, 7), (5, 0.9, 1))
def random_walk_with_generator(n, p, seed):
    rng = np.random.default_rng(seed)
    steps = np.where(rng.random(n) < p, 1, -1)
    path = np.cumsum(steps)
    return len(path), np.abs(np.diff(path)).min() == 1, (path % 2 == np.arange(1, n + 1) % 2).all()


@program((2000, 3))
def monte_carlo_pi_is_near(n, seed):
    rng = np.random.default_rng(seed)
    inside = 0
    for _ in range(4):
        xy = rng.random((n, 2))
        inside += np.count_nonzero((xy**2).sum(axis=1) <= 1.0)
    return abs(4 * inside / (4 * n) - np.pi) < 0.15


@program((np.array([[1, 2], [3, 4]]), 10, 1000), (np.array([[1, 1], [1, 0]]), 50, 10**9 + 7))
def matrix_power_modulo(m, n, mod):
    result = np.eye(2, dtype=np.int64)
    while n:
        if n % 2:
            result = result @ m % mod
        m = m @ m % mod
        n //= 2
    return result


@program((np.array([1, 5, 2, 8, 3]), 2), (np.array([4]), 1))
def sliding_window_maximum(a, k):
    n = len(a) - k + 1
    windows = np.lib.stride_tricks.sliding_window_view(a, k)
    deque = np.zeros(len(a), dtype=int)
    head, tail = 0, 0
    out = np.empty(n, dtype=a.dtype)
    for i in range(len(a)):
        while tail > head and a[deque[tail - 1]] <= a[i]:
            tail -= 1
        deque[tail] = i
        tail += 1
        if deque[head] <= i - k:
            head += 1
        if i >= k - 1:
            out[i - k + 1] = a[deque[head]]
    return out, windows.max(axis=1)


@program((6,), (1,))
def hilbert_curve_points(order):
    n = 1 << 2
    out = np.empty((n * n, 2), dtype=np.int64)
    for d in range(n * n):
        x = y = 0
        t = d
        s = 1
        while s < n:
            rx = 1 & (t // 2)
            ry = 1 & (t ^ rx)
            if ry == 0:
                if rx == 1:
                    x, y = s - 1 - x, s - 1 - y
                x, y = y, x
            x += s * rx
            y += s * ry
            t //= 4
            s *= 2
        out[d] = x, y
    return out * order


@program((np.array([3, 0, 2, 0, 4]),), (np.array([1, 2]),))
def trapped_water(height):
    left = np.maximum.accumulate(height)
    right = np.maximum.accumulate(height[::-1])[::-1]
    return (np.minimum(left, right) - height).sum()


@program((9,), (4,))
def catalan_numbers(n):
    counts = [0] * (n + 1)
    counts[0] = 1
    for i in range(1, n + 1):
        for j in range(i):
            counts[i] += counts[j] * counts[i - 1 - j]
    return counts


test_programs = program.test()
