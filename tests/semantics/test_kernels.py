"""Whole small programs as people write them: numerics, dynamic programming, sorting, graphs, simulation, statistics."""

import math

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([3.0, -1.0, 2.0, 5.0, 0.5, -4.0])
U = np.arange(25.0).reshape(5, 5) % 7
K = np.array([5, 2, 9, 1, 7, 2])


@program((U, 1e-3, 4), (U, 1e9, 4), (U, 1e-3, 0 + 1))
def relax(u, tol, n):
    it = 0
    while it < n:
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        diff = np.abs(new - u).max()
        u[:] = new
        it += 1
        if diff < tol:
            break
    return it, diff


@program((U, 3), (U, 0))
def jacobi_two_buffers(a, steps):
    b = a.copy()
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


@program((U, 2), (U, 0))
def seidel_by_loops(a, steps):
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j]) / 5.0


@program((X, 0.1, 5), (X, 0.4, 1))
def heat_equation(u, r, n):
    for _ in range(n):
        u[1:-1] = u[1:-1] + r * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u.sum()


@program((2.0, 1e-12), (10.0, 1e-3), (0.0, 1e-6))
def newton_sqrt(a, tol):
    x = a if a > 1 else 1.0
    n = 0
    while abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
        n += 1
        if n > 50:
            break
    return x, n


@program((1.0, 1e-10, 50), (3.0, 1e-10, 50), (3.0, 1e-10, 2))
def newton_with_derivative(x, tol, limit):
    def f(t):
        return t**3 - 2 * t - 5

    def df(t):
        return 3 * t**2 - 2

    for i in range(limit):
        step = f(x) / df(x)
        x -= step
        if abs(step) < tol:
            return x, i, True
    return x, limit, False


@program((0.0, 3.0, 1e-9), (1.0, 2.0, 1e-2))
def bisection(a, b, tol):
    def f(t):
        return t * t - 2

    while b - a > tol:
        m = (a + b) / 2
        if f(a) * f(m) <= 0:
            b = m
        else:
            a = m
    return (a + b) / 2


@program((3.0, 4.0), raises=ValueError)
def bisection_checks_bracket(a, b):
    if (a * a - 2) * (b * b - 2) > 0:
        raise ValueError("f(a) and f(b) must have different signs")
    return a


@program((0.0, 4.0, 1e-8), (-1.0, 9.0, 1e-3))
def golden_section(a, b, tol):
    phi = (math.sqrt(5) - 1) / 2
    c, d = b - phi * (b - a), a + phi * (b - a)
    while abs(b - a) > tol:
        if (c - 1.5) ** 2 < (d - 1.5) ** 2:
            b = d
        else:
            a = c
        c, d = b - phi * (b - a), a + phi * (b - a)
    return round((a + b) / 2, 6)


@program((0.5, 1.0, 1e-10), (2.0, 2.1, 1e-4))
def secant(x0, x1, tol):
    f0, f1 = math.cos(x0) - x0, math.cos(x1) - x1
    n = 0
    while abs(x1 - x0) > tol and f1 != f0 and n < 100:
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
        f0, f1 = f1, math.cos(x1) - x1
        n += 1
    return x1, n


@program((48, 18), (17, 5), (0, 9), (100, 75))
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@program((240, 46), (3, 11))
def extended_gcd(a, b):
    x0, x1, y0, y1 = 1, 0, 0, 1
    while b != 0:
        q, a, b = a // b, b, a % b
        x0, x1 = x1, x0 - q * x1
        y0, y1 = y1, y0 - q * y1
    return a, x0, y0


@program((3, 20, 7), (2, 0, 5), (10, 9, 1000))
def modular_power(b, e, m):
    r = 1
    b %= m
    while e > 0:
        if e & 1:
            r = r * b % m
        b = b * b % m
        e >>= 1
    return r


@program(27, 1, 97)
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@program(30, 2, 0)
def sieve_count(n):
    flags = np.ones(40, dtype=bool)
    flags[:2] = False
    for i in range(2, 40):
        if flags[i]:
            for j in range(i * i, 40, i):
                flags[j] = False
    return int(flags[: n + 1].sum())


@program(97, 91, 1, 2)
def is_prime(n):
    if n < 2:
        return False
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


@program(10, 1, 0)
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@program(12345, 0, 7)
def digit_sum_and_reverse(n):
    s = r = 0
    while n:
        n, d = divmod(n, 10)
        s += d
        r = r * 10 + d
    return s, r


@program((6.0, 100), (1.0, 3))
def pi_series(scale, n):
    s = 0.0
    for k in range(1, n + 1):
        s += scale / (k * k)
    return math.sqrt(s)


@program(0.5, 2.0, -1.0)
def exp_series(x):
    term = total = 1.0
    k = 1
    while abs(term) > 1e-15:
        term *= x / k
        total += term
        k += 1
    return total, k


@program((-0.5, 0.5, 30), (0.4, 0.4, 30), (2.0, 2.0, 30))
def mandelbrot_point(cr, ci, n):
    x = y = 0.0
    for i in range(n):
        x, y = x * x - y * y + cr, 2 * x * y + ci
        if x * x + y * y > 4:
            return i
    return n


@program((3, 4, 10), (2, 2, 5))
def mandelbrot_grid(h, w, n):
    out = np.zeros((4, 4), dtype=np.int64)
    for i in range(h):
        for j in range(w):
            z = 0j
            c = complex(-2 + j * 0.75, -1 + i * 0.5)
            k = 0
            while abs(z) <= 2 and k < n:
                z = z * z + c
                k += 1
            out[i, j] = k
    return out


@program((K,), (np.array([1]),), (np.arange(5),))
def bubble_sort(a):
    n = len(a)
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break


@program(K, X, -np.arange(4))
def insertion_sort(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


@program(K, X)
def selection_sort(a):
    for i in range(len(a)):
        m = i
        for j in range(i + 1, len(a)):
            if a[j] < a[m]:
                m = j
        a[i], a[m] = a[m], a[i]
    return a


@program(X, K)
def quicksort_iterative(a):
    stack = np.zeros((32, 2), dtype=np.int64)
    top = 0
    stack[0] = 0, len(a) - 1
    while top >= 0:
        lo, hi = stack[top]
        top -= 1
        if lo >= hi:
            continue
        p, i = a[hi], lo
        for j in range(lo, hi):
            if a[j] < p:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[hi] = a[hi], a[i]
        stack[top + 1] = lo, i - 1
        stack[top + 2] = i + 1, hi
        top += 2
    return a


@program((np.array([1, 3, 5]), np.array([2, 3, 4, 9])))
def merge_sorted(a, b):
    out = np.empty(len(a) + len(b), dtype=a.dtype)
    i = j = 0
    for k in range(len(out)):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
    return out


@program((np.arange(0, 20, 2), 6), (np.arange(0, 20, 2), 7), (np.arange(0, 20, 2), 100))
def binary_search(a, v):
    lo, hi = 0, len(a) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if a[mid] == v:
            return mid
        if a[mid] < v:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1


@program(X)
def prefix_sums(x):
    out = np.zeros(len(x) + 1)
    for i in range(len(x)):
        out[i + 1] = out[i] + x[i]
    return out


@program(X, -np.abs(X))
def maximum_subarray(x):
    best = cur = x[0]
    start = s = end = 0
    for i in range(1, len(x)):
        if cur < 0:
            cur = x[i]
            s = i
        else:
            cur += x[i]
        if cur > best:
            best, start, end = cur, s, i
    return best, start, end


@program(K, np.array([1, 2, 3, 4]), np.array([4, 3, 2, 1]))
def longest_increasing_subsequence(a):
    n = len(a)
    best = np.ones(n, dtype=np.int64)
    for i in range(n):
        for j in range(i):
            if a[j] < a[i]:
                best[i] = max(best[i], best[j] + 1)
    return best.max()


@program((np.array([1, 2, 3, 4]), np.array([2, 3, 5])), (np.array([1, 1, 1, 1]), np.array([1, 1, 1])))
def levenshtein(a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), dtype=int)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


@program((np.array([1, 2, 3, 4, 1]), np.array([3, 4, 1, 2, 1])))
def longest_common_subsequence(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int32)
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table[-1, -1]


@program((np.array([1, 3, 4, 5]), np.array([1, 4, 5, 7]), 7), (np.array([1, 3, 4, 5]), np.array([1, 4, 5, 7]), 2))
def knapsack(w, v, cap):
    best = np.zeros(11, dtype=np.int64)
    for i in range(len(w)):
        for c in range(cap, w[i] - 1, -1):
            best[c] = max(best[c], best[c - w[i]] + v[i])
    return best[cap]


@program((np.array([1, 2, 5]), 11), (np.array([2, 4, 6]), 7))
def coin_change(coins, amount):
    ways = [0] * 12
    ways[0] = 1
    for c in coins:
        for a in range(c, amount + 1):
            ways[a] += ways[a - c]
    return ways[amount]


@program(np.array([[0, 3, 99, 7], [8, 0, 2, 99], [5, 99, 0, 1], [2, 99, 99, 0]]))
def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]


@program(np.array([[0, 3, 99, 7], [8, 0, 2, 99], [5, 99, 0, 1], [2, 99, 99, 0]]))
def floyd_warshall_rows(d):
    for k in range(d.shape[0]):
        d[:] = np.minimum(d[:], np.add.outer(d[:, k], d[k, :]))


G4 = np.array([[0.0, 4, 1, 0], [4, 0, 2, 5], [1, 2, 0, 8], [0, 5, 8, 0]])


@program((G4, 0), (G4, 3))
def dijkstra(w, source):
    n = len(w)
    dist = np.full(n, np.inf)
    done = np.zeros(n, dtype=bool)
    dist[source] = 0.0
    for _ in range(n):
        u = np.argmin(np.where(done, np.inf, dist))
        if dist[u] == np.inf:
            break
        done[u] = True
        for v in range(n):
            if w[u, v] > 0 and not done[v] and dist[u] + w[u, v] < dist[v]:
                dist[v] = dist[u] + w[u, v]
    return dist


@program((np.array([0, 2, 4, 1]), np.array([1, 3, 5, 2]), 6))
def union_find(a, b, n):
    parent = np.arange(6)

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for p, q in zip(a, b):
        r, s = find(p), find(q)
        if r != s:
            parent[r] = s
            n -= 1
    return n, parent


@program((np.array([[0.0, 1, 1], [1, 0, 0], [0, 1, 0]]), 0.85, 1e-8), (np.eye(3), 0.5, 1e-2))
def pagerank(links, d, tol):
    n = links.shape[0]
    m = links / links.sum(axis=0)
    r = np.ones(n) / n
    it = 0
    while True:
        new = d * (m @ r) + (1 - d) / n
        it += 1
        if np.abs(new - r).sum() < tol or it >= 100:
            break
        r = new
    return np.round(new, 7), it > 1


@program((U.astype(int) % 2, 3), (U.astype(int) % 2, 0))
def game_of_life(g, steps):
    for _ in range(steps):
        n = sum(np.roll(np.roll(g, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        g = ((n == 3) | ((g == 1) & (n == 2))).astype(int)
    return g


@program((U.astype(int) % 2, 2))
def game_of_life_by_loops(g, steps):
    h, w = g.shape
    for _ in range(steps):
        new = np.zeros_like(g)
        for i in range(h):
            for j in range(w):
                n = 0
                for a in range(max(i - 1, 0), min(i + 2, h)):
                    for b in range(max(j - 1, 0), min(j + 2, w)):
                        n += g[a, b]
                n -= g[i, j]
                if n == 3 or (n == 2 and g[i, j]):
                    new[i, j] = 1
        g = new
    return g


@program((np.array([1.0, 1.2, 0.9, 1.1]), 0.1, 0.5), (np.array([5.0]), 0.1, 0.5))
def kalman_scalar(z, q, r):
    x, p = 0.0, 1.0
    out = np.zeros_like(z)
    for i, m in enumerate(z):
        p = p + q
        k = p / (p + r)
        x = x + k * (m - x)
        p = (1 - k) * p
        out[i] = x
    return out, p


class Kalman:
    def __init__(self, dt):
        self.x = np.zeros(2)
        self.P = np.eye(2)
        self.F = np.array([[1.0, dt], [0.0, 1.0]])
        self.H = np.array([[1.0, 0.0]])
        self.Q = np.eye(2) * 0.01
        self.R = np.array([[0.5]])

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        s = self.H @ self.P @ self.H.T + self.R
        k = self.P @ self.H.T @ np.linalg.inv(s)
        self.x = self.x + k @ y
        self.P = (np.eye(2) - k @ self.H) @ self.P


@program((np.array([1.0, 2.1, 2.9]), 1.0))
def kalman_matrix(zs, dt):
    f = Kalman(dt)
    out = []
    for z in zs:
        f.predict()
        f.update(np.array([z]))
        out.append(f.x.copy())
    return np.array(out)


@program((np.array([1.0, 0.0]), 0.1, 10), (np.array([0.0, 2.0]), 0.05, 0))
def rk4(y, h, n):
    def f(t, y):
        return np.array([y[1], -np.sin(y[0])])

    t = 0.0
    for _ in range(n):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return t, y


@program((1.0, 2.0, 1e-4), (0.5, 1.0, 1e-2))
def adaptive_step_integrator(y, t_end, tol):
    t, h = 0.0, 0.1
    accepted = rejected = 0
    while t < t_end and accepted + rejected < 200:
        h = min(h, t_end - t)
        k1 = -2 * y + t
        k2 = -2 * (y + h * k1) + t + h
        err = abs(h * (k2 - k1) / 2)
        if err <= tol:
            t += h
            y += h * (k1 + k2) / 2
            accepted += 1
        else:
            rejected += 1
        h *= min(2.0, max(0.3, 0.9 * (tol / (err + 1e-15)) ** 0.5))
    return y, accepted, rejected


@program((np.array([1.0, 1.0, 1.0]), 0.01, 20))
def lorenz(s, dt, n):
    path = np.empty((20, 3))
    for i in range(n):
        x, y, z = s
        s = s + dt * np.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])
        path[i] = s
    return path


@program(
    (np.array([0.1, 0.2, 5.0, 5.1, 0.0]), np.array([0.0, 1.0]), 10), (np.array([1.0, 2.0]), np.array([1.0, 2.0]), 1)
)
def k_means_1d(x, c, limit):
    labels = np.zeros(len(x), dtype=int)
    for it in range(limit):
        labels = np.argmin(np.abs(x[:, None] - c[None, :]), axis=1)
        new = c.copy()
        for k in range(len(c)):
            if np.any(labels == k):
                new[k] = x[labels == k].mean()
        if np.allclose(new, c):
            break
        c = new
    return c, labels, it


@program((U, np.array([[0.0, 1.0], [2.0, -1.0]])))
def conv2d_by_loops(img, ker):
    h, w = img.shape
    kh, kw = ker.shape
    out = np.zeros((h - kh + 1, w - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            s = 0.0
            for a in range(kh):
                for b in range(kw):
                    s += img[i + a, j + b] * ker[a, b]
            out[i, j] = s
    return out


@program((np.arange(2 * 5 * 5 * 1.0).reshape(2, 5, 5, 1), np.ones((2, 2, 1, 3))))
def conv2d_by_windows(x, w):
    k = w.shape[0]
    h = x.shape[1] - k + 1
    out = np.empty((x.shape[0], h, h, w.shape[3]))
    for i in range(h):
        for j in range(h):
            out[:, i, j, :] = np.sum(x[:, i : i + k, j : j + k, :, None] * w[None], axis=(1, 2, 3))
    return out


@program(U)
def max_pool(x):
    out = np.empty((2, 2))
    for i in range(2):
        for j in range(2):
            out[i, j] = np.max(x[2 * i : 2 * i + 2, 2 * j : 2 * j + 2])
    return out


@program((X, 4, -4.0, 5.5), (X, 2, 0.0, 1.0))
def histogram_by_loops(x, bins, lo, hi):
    counts = np.zeros(8, dtype=np.int64)
    width = (hi - lo) / bins
    for v in x:
        if lo <= v <= hi:
            b = int((v - lo) / width)
            if b == bins:
                b -= 1
            counts[b] += 1
    return counts


@program(np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0]]), np.ones((2, 3)))
def n_body_forces(pos):
    n = len(pos)
    acc = np.zeros_like(pos)
    for i in range(n):
        for j in range(n):
            if i != j:
                d = pos[j] - pos[i]
                acc[i] += d / (np.sum(d**2) + 0.1) ** 1.5
    return acc


@program((np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0]]), np.zeros((3, 3)), 0.1, 3))
def n_body_leapfrog(pos, vel, dt, n):
    def acceleration(p):
        d = p[None] - p[:, None]
        r3 = (np.sum(d**2, axis=-1) + 0.1) ** -1.5
        return (d * r3[..., None]).sum(axis=1)

    a = acceleration(pos)
    for _ in range(n):
        vel += a * dt / 2
        pos += vel * dt
        a = acceleration(pos)
        vel += a * dt / 2
    return 0.5 * (vel**2).sum()


@program(np.array([0.5, 0.2, 0.1, 0.05]), np.zeros(3))
def durbin(r):
    y = np.empty_like(r)
    y[0] = -r[0]
    alpha, beta = -r[0], 1.0
    for k in range(1, len(r)):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@program((np.arange(12.0).reshape(4, 3) + np.eye(4, 3), 4.0))
def covariance_loops(data, n):
    mean = np.mean(data, axis=0)
    data -= mean
    m = data.shape[1]
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i:m, i] = cov[i, i:m] = data[:, i] @ data[:, i:m] / (n - 1.0)
    return cov


@program((1.5, 0.5, U), (2.0, 1.0, U))
def trmm(alpha, beta, b):
    a = np.tril(b, -1)
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    b *= alpha


@program((1.5, 0.5, U, U + 1))
def syrk(alpha, beta, c, a):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]


@program((U, 2), (U, 1))
def adi_like_sweeps(u, steps):
    n = u.shape[0]
    for _ in range(steps):
        for j in range(1, n):
            u[1:-1, j] -= 0.5 * u[1:-1, j - 1]
        for j in range(n - 2, -1, -1):
            u[1:-1, j] += 0.25 * u[1:-1, j + 1]


@program((np.array([4.0, 4, 4]), np.array([1.0, 1]), np.array([1.0, 1]), np.array([1.0, 2, 3])))
def thomas_tridiagonal(d, lower, upper, b):
    n = len(d)
    for i in range(1, n):
        m = lower[i - 1] / d[i - 1]
        d[i] -= m * upper[i - 1]
        b[i] -= m * b[i - 1]
    x = np.zeros(n)
    x[-1] = b[-1] / d[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (b[i] - upper[i] * x[i + 1]) / d[i]
    return x


@program((np.array([0, 0, 1, 2, 3]), 4), (np.array([3, 3, 3, 3, 3]), 4))
def nussinov(seq, n):
    table = np.zeros((5, 5), dtype=np.int32)
    for i in range(n, -1, -1):
        for j in range(i + 1, n + 1):
            table[i, j] = max(table[i, j], table[i, j - 1], table[i + 1, j])
            if i < j - 1:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + (1 if seq[i] + seq[j] == 3 else 0))
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table[0, n]


@program((np.array([0, 1, 0]), np.array([[0.7, 0.3], [0.4, 0.6]]), np.array([[0.9, 0.1], [0.2, 0.8]])))
def viterbi(obs, trans, emit):
    n = len(obs)
    v = np.zeros((n, 2))
    back = np.zeros((n, 2), dtype=int)
    v[0] = np.log(0.5 * emit[:, obs[0]])
    for t in range(1, n):
        for s in range(2):
            scores = v[t - 1] + np.log(trans[:, s])
            back[t, s] = np.argmax(scores)
            v[t, s] = scores[back[t, s]] + np.log(emit[s, obs[t]])
    path = np.zeros(n, dtype=int)
    path[-1] = np.argmax(v[-1])
    for t in range(n - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path, v[-1].max()


@program((np.array([1.0, 2.0, 3.0, 4.0]), 0.5), (np.array([2.0]), 0.1))
def exponential_smoothing(x, a):
    s = x[0]
    out = [s]
    for v in x[1:]:
        s = a * v + (1 - a) * s
        out.append(s)
    return out


@program((X, 3), (X, 1))
def moving_average(x, k):
    out = []
    for i in range(len(x) - k + 1):
        out.append(x[i : i + k].mean())
    return np.array(out)


@program((X, 1), (X, 2))
def median_filter(x, r):
    y = x.copy()
    for i in range(r, len(x) - r):
        y[i] = np.median(x[i - r : i + r + 1])
    return y


@program((X, np.array([0.5, 0.25]), np.array([0.3])))
def iir_filter(x, b, a):
    y = np.zeros_like(x)
    for n in range(len(x)):
        for k in range(len(b)):
            if n - k >= 0:
                y[n] += b[k] * x[n - k]
        for k in range(len(a)):
            if n - k - 1 >= 0:
                y[n] -= a[k] * y[n - k - 1]
    return y


@program((np.arange(6.0), 2 * np.arange(6.0) + 1, 0.01, 50), (np.arange(6.0), np.arange(6.0), 0.01, 0))
def gradient_descent_line(x, y, lr, n):
    w = b = 0.0
    for _ in range(n):
        e = w * x + b - y
        w -= lr * 2 * (e * x).mean()
        b -= lr * 2 * e.mean()
    return w, b


@program((np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]), np.array([0, 0, 1]), 20))
def logistic_regression(x, y, n):
    w = np.zeros(2)
    loss = None
    for _ in range(n):
        p = 1 / (1 + np.exp(-x @ w))
        loss = -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
        w -= 0.5 * x.T @ (p - y) / len(y)
    return w, loss


@program((np.array([[1, 1], [-1, 2], [2, -1.0], [-2, -1]]), np.array([1, 1, -1, -1]), 10))
def perceptron(x, y, limit):
    w = np.zeros(2)
    for epoch in range(limit):
        errors = 0
        for i in range(len(x)):
            if y[i] * (w @ x[i]) <= 0:
                w += y[i] * x[i]
                errors += 1
        if errors == 0:
            break
    return w, epoch


@program((np.array([-1.2, 1.0]), 40), (np.array([0.0, 0.0]), 1))
def gradient_descent_backtracking(x, n):
    def f(v):
        return (1 - v[0]) ** 2 + 10 * (v[1] - v[0] ** 2) ** 2

    def grad(v):
        return np.array([-2 * (1 - v[0]) - 40 * v[0] * (v[1] - v[0] ** 2), 20 * (v[1] - v[0] ** 2)])

    for _ in range(n):
        g = grad(x)
        t = 1.0
        while f(x - t * g) > f(x) - 0.3 * t * (g @ g) and t > 1e-10:
            t *= 0.5
        x = x - t * g
    return np.round(f(x), 9)


@program((np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), 25))
def nelder_mead(simplex, n):
    def f(v):
        return (v[0] - 0.3) ** 2 + 2 * (v[1] + 0.2) ** 2

    vals = np.array([f(p) for p in simplex])
    for _ in range(n):
        order = np.argsort(vals, kind="stable")
        simplex, vals = simplex[order], vals[order]
        centre = simplex[:-1].mean(axis=0)
        xr = centre + (centre - simplex[-1])
        fr = f(xr)
        if fr < vals[0]:
            xe = centre + 2 * (centre - simplex[-1])
            fe = f(xe)
            if fe < fr:
                simplex[-1], vals[-1] = xe, fe
            else:
                simplex[-1], vals[-1] = xr, fr
        elif fr < vals[-2]:
            simplex[-1], vals[-1] = xr, fr
        else:
            xc = centre + 0.5 * (simplex[-1] - centre)
            fc = f(xc)
            if fc < vals[-1]:
                simplex[-1], vals[-1] = xc, fc
            else:
                for i in range(1, 3):
                    simplex[i] = simplex[0] + 0.5 * (simplex[i] - simplex[0])
                    vals[i] = f(simplex[i])
    return vals.min() < 1e-3, simplex.shape


@program((100.0, 105.0, 0.05, 0.2, 5), (100.0, 95.0, 0.01, 0.3, 3))
def binomial_option(s, k, r, sigma, n):
    dt = 1.0 / n
    u = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(r * dt) - 1 / u) / (u - 1 / u)
    v = np.maximum(s * u ** (2.0 * np.arange(n + 1) - n) - k, 0)
    for _ in range(n):
        v = np.exp(-r * dt) * (p * v[1:] + (1 - p) * v[:-1])
    return v[0]


@program((np.array([100.0, 110.0]), 105.0, 0.5, 0.03, 0.2))
def black_scholes(s, k, t, r, v):
    def cdf(x):
        return 0.5 * (1 + np.array([math.erf(u / math.sqrt(2)) for u in x]))

    d1 = (np.log(s / k) + (r + v * v / 2) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    return s * cdf(d1) - k * np.exp(-r * t) * cdf(d2)


@program((1000.0, 0.05, 12), (1000.0, 0.05, 0))
def loan_schedule(balance, rate, months):
    paid = []
    payment = balance / 10
    for m in range(months):
        interest = balance * rate / 12
        principal = min(payment - interest, balance)
        balance -= principal
        paid.append(interest)
        if balance <= 0:
            break
    return balance, sum(paid), len(paid)


@program(
    (np.array([[0.0, 0], [2, 0], [2, 2], [0, 2]]), 1.0, 1.0), (np.array([[0.0, 0], [2, 0], [2, 2], [0, 2]]), 3.0, 1.0)
)
def point_in_polygon(poly, x, y):
    inside = False
    j = len(poly) - 1
    for i in range(len(poly)):
        xi, yi = poly[i]
        xj, yj = poly[j]
        if (yi > y) != (yj > y) and x < (xj - xi) * (y - yi) / (yj - yi) + xi:
            inside = not inside
        j = i
    return inside


@program(np.array([[0.0, 0], [4, 0], [4, 3]]), np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]))
def polygon_area(p):
    area = 0.0
    for (x0, y0), (x1, y1) in zip(p, np.roll(p, -1, axis=0)):
        area += x0 * y1 - x1 * y0
    return abs(area) / 2


@program(np.array([[0, 0], [2, 0], [1, 1], [2, 2], [0, 2]]), np.array([[0, 0], [1, 0], [0, 1]]))
def convex_hull_jarvis(p):
    n = len(p)
    hull = np.zeros(n, dtype=int)
    start = np.lexsort((p[:, 1], p[:, 0]))[0]
    cur, k = start, 0
    while True:
        hull[k] = cur
        k += 1
        nxt = (cur + 1) % n
        for i in range(n):
            a, b = p[i] - p[cur], p[nxt] - p[cur]
            if b[0] * a[1] - b[1] * a[0] < 0:
                nxt = i
        cur = nxt
        if cur == start or k >= n:
            break
    return hull[:k]


@program((1, 100), (42, 3))
def linear_congruential_generator(seed, n):
    inside = 0
    for _ in range(n):
        seed = (1103515245 * seed + 12345) % 2147483648
        x = seed / 2147483648
        seed = (1103515245 * seed + 12345) % 2147483648
        y = seed / 2147483648
        if x * x + y * y < 1:
            inside += 1
    return 4 * inside / n, seed


@program((np.uint32(12345), 5), (np.uint32(1), 1))
def xorshift(s, n):
    for _ in range(n):
        s ^= s << np.uint32(13)
        s ^= s >> np.uint32(17)
        s ^= s << np.uint32(5)
    return s


@program((np.array([1, 2, 3, 255], dtype=np.uint8),), (np.zeros(0, dtype=np.uint8),))
def crc_like_checksum(data):
    crc = 0xFFFF
    for b in data:
        crc ^= int(b)
        for _ in range(8):
            if crc & 1:
                crc = (crc >> 1) ^ 0xA001
            else:
                crc >>= 1
    return crc


@program((np.arange(8) + 0j, 3), (np.ones(8) + 0j, 3))
def fft_iterative(x, bits):
    n = len(x)
    for i in range(n):
        j = 0
        for b in range(bits):
            j |= ((i >> b) & 1) << (bits - 1 - b)
        if j > i:
            x[i], x[j] = x[j], x[i]
    size = 2
    while size <= n:
        w = np.exp(-2j * np.pi / size)
        for s in range(0, n, size):
            f = 1 + 0j
            for k in range(size // 2):
                a, b = x[s + k], x[s + k + size // 2] * f
                x[s + k], x[s + k + size // 2] = a + b, a - b
                f *= w
        size *= 2
    return x


@program((np.arange(8.0), 2), (np.arange(8.0), 0))
def haar_wavelet(x, levels):
    n = len(x)
    for _ in range(levels):
        h = n // 2
        a, d = (x[:n:2] + x[1:n:2]) / 2, (x[:n:2] - x[1:n:2]) / 2
        x[:h], x[h:n] = a, d
        n = h
    return x


@program(
    (np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, 0.0]), 2.0),
    (np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, 0.0]), 0.5),
)
def lagrange_interpolation(xs, ys, t):
    total = 0.0
    for i in range(len(xs)):
        term = ys[i]
        for j in range(len(xs)):
            if j != i:
                term *= (t - xs[j]) / (xs[i] - xs[j])
        total += term
    return total


@program((np.array([1.0, -3.0, 2.0]), 0.5), (np.array([2.0]), 9.0))
def horner(coefficients, x):
    r = 0.0
    for c in coefficients:
        r = r * x + c
    return r


@program((0.0, math.pi, 8), (0.0, 1.0, 2))
def romberg(a, b, n):
    def f(t):
        return math.sin(t)

    r = np.zeros((4, 4))
    h = b - a
    r[0, 0] = h * (f(a) + f(b)) / 2
    for i in range(1, 4):
        h /= 2
        s = 0.0
        for k in range(1, 2**i, 2):
            s += f(a + k * h)
        r[i, 0] = r[i - 1, 0] / 2 + h * s
        for j in range(1, i + 1):
            r[i, j] = r[i, j - 1] + (r[i, j - 1] - r[i - 1, j - 1]) / (4**j - 1)
    return r[3, 3] * n


@program((np.array([3.0, 1.0, 2.0]), np.array([[0.5, 0.2, 0.3], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]), 0.9, 1e-8))
def value_iteration(reward, trans, gamma, tol):
    v = np.zeros(3)
    delta = np.inf
    n = 0
    while delta > tol and n < 500:
        new = reward + gamma * trans @ v
        delta = np.max(np.abs(new - v))
        v = new
        n += 1
    return np.round(v, 5), n


@program((np.array([1.0, 0.9, 0.2, 0.1]), 2), (np.array([1.0, 0.9, 0.2, 0.1]), 4))
def top_k_by_heap_free_loop(x, k):
    x = x.copy()
    out = np.zeros(4)
    for i in range(k):
        j = np.argmax(x)
        out[i] = x[j]
        x[j] = -np.inf
    return out


@program((np.array([[1.0, 2.0], [3.0, 4.0]]), 3))
def attention_with_causal_mask(x, scale):
    n = x.shape[0]
    s = x @ x.T / np.sqrt(scale)
    for i in range(n):
        for j in range(n):
            if j > i:
                s[i, j] = -np.inf
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    w /= w.sum(axis=-1, keepdims=True)
    return w @ x


@program((np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]]), np.ones((2, 4)), np.ones((4, 4)) * 0.1, np.zeros(4)))
def rnn_cell_over_time(xs, wx, wh, h):
    hs = []
    for x in xs:
        h = np.tanh(x @ wx + h @ wh)
        hs.append(h)
    return np.stack(hs), h


@program((U, 1), (U, 3))
def flood_fill(img, target):
    h, w = img.shape
    label = np.zeros((h, w), dtype=int)
    stack = np.zeros((100, 2), dtype=int)
    top = 1
    stack[0] = 2, 2
    old = img[2, 2]
    while top > 0:
        top -= 1
        i, j = stack[top]
        if i < 0 or i >= h or j < 0 or j >= w or label[i, j] or abs(img[i, j] - old) > target:
            continue
        label[i, j] = 1
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            if top < 99:
                stack[top] = i + di, j + dj
                top += 1
    return label, label.sum()


@program((np.array([3, 1, 2]), 6), (np.array([0, 1, 2]), 6))
def next_permutation(p, n):
    for _ in range(n):
        i = len(p) - 2
        while i >= 0 and p[i] >= p[i + 1]:
            i -= 1
        if i < 0:
            p[:] = p[::-1].copy()
            continue
        j = len(p) - 1
        while p[j] <= p[i]:
            j -= 1
        p[i], p[j] = p[j], p[i]
        p[i + 1 :] = p[i + 1 :][::-1].copy()
    return p


@program(4, 5)
def n_queens_iterative(n):
    cols = np.full(6, -1)
    row = count = 0
    while row >= 0:
        cols[row] += 1
        if cols[row] >= n:
            cols[row] = -1
            row -= 1
            continue
        ok = True
        for r in range(row):
            if cols[r] == cols[row] or abs(cols[r] - cols[row]) == row - r:
                ok = False
                break
        if ok:
            if row == n - 1:
                count += 1
            else:
                row += 1
    return count


@program((np.array([1, 0, 0, 1, 1]), 110, 4), (np.array([0, 0, 1, 0, 0]), 30, 2))
def cellular_automaton(cells, rule, n):
    for _ in range(n):
        new = cells.copy()
        for i in range(len(cells)):
            k = 4 * cells[i - 1] + 2 * cells[i] + cells[(i + 1) % len(cells)]
            new[i] = (rule >> k) & 1
        cells = new
    return cells


@program((X, 1.5), (X, 100.0))
def outlier_clipping(x, k):
    while True:
        m, s = x.mean(), x.std()
        bad = np.abs(x - m) > k * s
        if not bad.any():
            return x
        x = np.where(bad, m, x)


@program((np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 2.0, 3.0])))
def interpolation_by_search(xq, xs):
    ys = xs**2
    out = np.zeros_like(xq)
    for i, q in enumerate(xq):
        if q <= xs[0]:
            out[i] = ys[0]
        elif q >= xs[-1]:
            out[i] = ys[-1]
        else:
            k = 0
            while xs[k + 1] < q:
                k += 1
            t = (q - xs[k]) / (xs[k + 1] - xs[k])
            out[i] = (1 - t) * ys[k] + t * ys[k + 1]
    return out


test_programs = program.test()
