"""Optimisers with state, dynamic programming, graphs, image processing."""

import contextlib
import dataclasses
import functools
import itertools
import math
import operator
import typing

import numpy as np

from .runner import Programs

program = Programs()
rng = np.random.default_rng(1)
X = rng.normal(size=12)
Y = rng.normal(size=12)
M = rng.normal(size=(5, 5))
S = M @ M.T + 5 * np.eye(5)
IM = rng.normal(size=(8, 9))
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])


# resampling particle filter with given uniforms
@program((X, rng.random((12, 8))), (Y, rng.random((12, 8))))
def particle_filter(zs, us):
    n = us.shape[1]
    p = np.linspace(-2, 2, n)
    w = np.ones(n) / n
    est = []
    nres = 0
    for z, u in zip(zs, us):
        p = 0.9 * p + 0.3 * (u - 0.5)
        w *= np.exp(-0.5 * (z - p) ** 2)
        w /= w.sum()
        neff = 1.0 / np.sum(w**2)
        if neff < n / 2:
            c = np.cumsum(w)
            idx = np.searchsorted(c, (np.arange(n) + u[0]) / n)
            idx = np.minimum(idx, n - 1)
            p = p[idx]
            w.fill(1.0 / n)
            nres += 1
        est.append(np.average(p, weights=w))
    return np.asarray(est), nres, p


@program((X, np.log(rng.random(40)), rng.normal(size=40)), (Y, np.log(rng.random(40)), rng.normal(size=40)))
def metropolis(data, logu, eps):
    def logp(mu, sigma):
        if sigma <= 0:
            return -np.inf
        return -0.5 * np.sum(((data - mu) / sigma) ** 2) - len(data) * np.log(sigma)

    mu, sigma = 0.0, 1.0
    lp = logp(mu, sigma)
    accepted = 0
    chain = np.zeros((len(logu), 2))
    for i, (lu, e) in enumerate(zip(logu, eps)):
        prop = (mu + 0.5 * e, sigma + 0.8 * e) if i % 2 else (mu - e, sigma)
        lpn = logp(*prop)
        if lu < lpn - lp:
            (mu, sigma), lp = prop, lpn
            accepted += 1
        chain[i] = mu, sigma
    return chain, accepted / len(logu)


class Optimizer:
    def __init__(self, params, lr=0.1):
        self.params = params
        self.lr = lr
        self.state = {}
        self.t = 0

    def step(self, grads):
        raise NotImplementedError


class Adam(Optimizer):
    def __init__(self, params, lr=0.1, betas=(0.9, 0.999), eps=1e-8):
        super().__init__(params, lr)
        self.betas, self.eps = betas, eps

    def step(self, grads):
        self.t += 1
        b1, b2 = self.betas
        for i, (p, g) in enumerate(zip(self.params, grads)):
            st = self.state.setdefault(i, {"m": np.zeros_like(p), "v": np.zeros_like(p)})
            st["m"] = b1 * st["m"] + (1 - b1) * g
            st["v"] = b2 * st["v"] + (1 - b2) * g * g
            mh = st["m"] / (1 - b1**self.t)
            vh = st["v"] / (1 - b2**self.t)
            p -= self.lr * mh / (np.sqrt(vh) + self.eps)


@program((X[:4], Y[:3], 10), (X[4:8], Y[3:6], 25))
def adam_state(a, b, n):
    params = [a.copy(), b.copy()]
    opt = Adam(params, lr=0.05)
    for _ in range(n):
        grads = [2 * (params[0] - 1), np.sign(params[1])]
        opt.step(grads)
    return params, opt.t, opt.state[0]["m"], sorted(opt.state)


@program((X, 3), (Y, 3), raises=NotImplementedError)
def abstract_step(a, n):
    o = Optimizer([a])
    for _ in range(n):
        o.step([a])
    return a


@program((np.array([1, 3, 4, 5]), np.array([10, 40, 50, 70]), 8), (np.array([2, 2, 2, 9]), np.array([1, 4, 5, 7]), 4))
def knapsack(w, v, cap):
    n = len(w)
    dp = [[0] * (cap + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for c in range(cap + 1):
            dp[i][c] = dp[i - 1][c]
            if w[i - 1] <= c:
                dp[i][c] = max(dp[i][c], dp[i - 1][c - w[i - 1]] + v[i - 1])
    take = []
    c = cap
    for i in range(n, 0, -1):
        if dp[i][c] != dp[i - 1][c]:
            take.append(i - 1)
            c -= w[i - 1]
    return dp[n][cap], take


@program((K, 6), (np.sort(K), 4), (np.sort(K), 7))
def binary_search(a, key):
    a = sorted(a)
    lo, hi = 0, len(a) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if a[mid] == key:
            return mid
        if a[mid] < key:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1


@program(K, (np.array([1.5, 0.2]),))
def bubble(a):
    a = list(a)
    swapped = True
    passes = 0
    while swapped:
        swapped = False
        for i in range(len(a) - 1):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                swapped = True
        passes += 1
    return a, passes


def merge_sort(a):
    n = len(a)
    if n < 2:
        return a.copy()
    l, r = merge_sort(a[: n // 2]), merge_sort(a[n // 2 :])
    out = np.empty_like(a)
    i = j = 0
    for k in range(n):
        if j >= len(r) or (i < len(l) and l[i] <= r[j]):
            out[k] = l[i]
            i += 1
        else:
            out[k] = r[j]
            j += 1
    return out


@program(K, (np.array([1.5, 0.2]),))
def msort(a):
    return merge_sort(a)


A = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]])


@program((A,), (A.T.copy(),), (np.triu(np.ones((4, 4), int), 1),))
def topological(adj):
    n = len(adj)
    indeg = adj.sum(0)
    ready = [i for i in range(n) if indeg[i] == 0]
    order = []
    while ready:
        u = ready.pop()
        order.append(u)
        for v in np.nonzero(adj[u])[0]:
            indeg[v] -= 1
            if indeg[v] == 0:
                ready.append(v)
    if len(order) < n:
        return None
    return order


class UnionFind:
    def __init__(self, n):
        self.parent = list(range(n))
        self.size = [1] * n
        self.count = n

    def find(self, x):
        while self.parent[x] != x:
            self.parent[x] = self.parent[self.parent[x]]
            x = self.parent[x]
        return x

    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        self.count -= 1
        return True


@program(
    (np.array([[0, 1, 5.0], [1, 2, 2.0], [0, 2, 1.0], [2, 3, 7.0], [1, 3, 3.0]]), 4),
    (np.array([[0, 1, 5.0], [1, 0, 2.0]]), 4),
)
def kruskal(edges, n):
    uf = UnionFind(n)
    total = 0.0
    chosen = []
    for k in np.argsort(edges[:, 2]):
        u, v, w = edges[k]
        if uf.union(int(u), int(v)):
            total += w
            chosen.append((int(u), int(v)))
    return total, chosen, uf.count


@program((IM, 0.3), (IM, 5.0))
def threshold_components(img, t):
    mask = img > t
    labels = np.zeros(mask.shape, int)
    cur = 0
    for i in range(mask.shape[0]):
        for j in range(mask.shape[1]):
            if mask[i, j] and labels[i, j] == 0:
                cur += 1
                stack = [(i, j)]
                while stack:
                    y, x = stack.pop()
                    if not (0 <= y < mask.shape[0] and 0 <= x < mask.shape[1]):
                        continue
                    if not mask[y, x] or labels[y, x]:
                        continue
                    labels[y, x] = cur
                    stack.extend([(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)])
    return labels, cur


@program((np.linspace(0, 1, 20), 0.4, 50), (np.linspace(0, 1, 20), 0.9, 5), raises=ValueError)
def heat_1d(x, r, n):
    if not 0 < r <= 0.5:
        raise ValueError(f"unstable: r={r}")
    u = np.sin(np.pi * x)
    for _ in range(n):
        u[1:-1] += r * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


@program((np.array([1.0, 2.0, 3.0]), 1.0), (np.array([1.0, 2.0, 3.0]), -1.0), raises=ValueError)
def error_text(x, s):
    if s < 0:
        raise ValueError(f"scale must be positive, got {s!r} for {len(x)} items ({x.dtype}, {x.shape})")
    return x * s


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

    def __getitem__(self, ij):
        if isinstance(ij, tuple):
            i, j = ij
            return self.rows[i][j]
        return self.rows[ij]

    def __setitem__(self, ij, v):
        i, j = ij
        self.rows[i][j] = v

    def __matmul__(self, o):
        n, m = self.shape
        p = o.shape[1]
        return Matrix([[sum(self[i, k] * o[k, j] for k in range(m)) for j in range(p)] for i in range(n)])

    def __add__(self, o):
        if self.shape != o.shape:
            raise ValueError(f"shapes {self.shape} and {o.shape} differ")
        return Matrix([[a + b for a, b in zip(r, s)] for r, s in zip(self.rows, o.rows)])

    def __eq__(self, o):
        return self.rows == o.rows

    def __repr__(self):
        return f"Matrix({self.rows})"


@program((X[:4].reshape(2, 2),), (Y[:4].reshape(2, 2),))
def own_matrix(a):
    m = Matrix(a)
    q = m @ m + m
    q[0, 1] = q[1, 0] = 0.0
    return q.rows, q == q, q == m, q[1]


@program((X[:4].reshape(2, 2),), raises=ValueError)
def own_matrix_error(a):
    return Matrix(a) + Matrix(np.ones((3, 2)))


@dataclasses.dataclass
class Config:
    lr: float = 0.1
    momentum: float = 0.9
    schedule: typing.Callable = None
    history: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        if self.momentum >= 1:
            raise ValueError("momentum")


@program((X, 7), (Y, 2))
def momentum_sgd(x, n):
    cfg = Config(schedule=lambda t: 1 / (1 + t))
    x = x.copy()
    v = 0
    for t in range(n):
        g = 2 * x
        v = cfg.momentum * v - cfg.lr * cfg.schedule(t) * g
        x += v
        cfg.history.append(np.linalg.norm(g))
    return x, cfg.history, dataclasses.replace(cfg, lr=0.5, history=[]).lr


class Point(typing.NamedTuple):
    x: float
    y: float = 0.0

    def dist(self, o):
        return math.hypot(self.x - o.x, self.y - o.y)


@program((X.reshape(6, 2),), (Y.reshape(6, 2),))
def convex_hull(pts):
    P = sorted(Point(*p) for p in pts)

    def cross(o, a, b):
        return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x)

    def half(points):
        h = []
        for p in points:
            while len(h) >= 2 and cross(h[-2], h[-1], p) <= 0:
                h.pop()
            h.append(p)
        return h[:-1]

    return half(P) + half(reversed(P))


@program((X.reshape(6, 2),), (Y.reshape(6, 2),))
def closest_pair(pts):
    best = None
    P = [Point(*p) for p in pts]
    for a, b in itertools.combinations(P, 2):
        d = a.dist(b)
        if best is None or d < best[0]:
            best = (d, a, b)
    return best


@contextlib.contextmanager
def scaled(box, k):
    old = box["s"]
    box["s"] = old * k
    try:
        yield box
    finally:
        box["s"] = old


@program((2.0, 3.0), (2.0, -3.0))
def context_scaling(a, k):
    box = {"s": a}
    try:
        with scaled(box, k) as b:
            if b["s"] < 0:
                raise ValueError("negative")
            r = b["s"] + 1
    except ValueError as e:
        r = str(e)
        r = -1.0
    return r, box


def memo(f):
    cache = {}

    @functools.wraps(f)
    def g(n):
        if n not in cache:
            cache[n] = f(n)
        return cache[n]

    g.cache = cache
    return g


@program((1.5,), (2.5,))
def memo_fib(x):
    @memo
    def fib(n):
        return x if n < 2 else fib(n - 1) + fib(n - 2)

    return fib(15), fib.__name__, sorted(fib.cache)[:3]


@program((X,), (Y,))
def pipeline_reduce(x):
    fs = [np.abs, lambda v: v + 1, functools.partial(np.clip, a_min=0.5, a_max=2.0), operator.neg]
    return functools.reduce(lambda acc, f: f(acc), fs, x)


def running_mean(xs):
    total, n = 0, 0
    while True:
        total += xs[n]
        n += 1
        yield total / n
        if n == len(xs):
            return


@program((X, 0.1), (Y, 5.0))
def generator_until(xs, t):
    out = []
    for m in running_mean(xs):
        out.append(m)
        if abs(m) > t:
            break
    else:
        out.append(-1.0)
    return out


@program((X,), (Y,))
def accumulate_max(x):
    return list(itertools.accumulate(x, max)), [a - b for a, b in itertools.pairwise(x)]


test_programs = program.test()
