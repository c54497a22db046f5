"""Layers, training loops, data sets, and the classics of dynamic programming."""

import collections
import heapq
import itertools
import math

import numpy as np

from .runner import Programs, do

program = Programs()
rng = np.random.default_rng(5)
X = rng.normal(size=12)
Y = rng.normal(size=12)
M = rng.normal(size=(5, 5))
S = M @ M.T + 5 * np.eye(5)
IM = rng.normal(size=(6, 7))
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])


# layers in dicts, config dict, name -> param
@program((X.reshape(4, 3), 3), (Y.reshape(4, 3), 1))
def mlp_dicts(x, depth):
    params = {f"layer{i}": {"w": np.full((3, 3), 0.1 * (i + 1)), "b": np.zeros(3)} for i in range(depth)}
    acts = {"layer0": np.tanh}
    h = x
    for name, p in sorted(params.items()):
        h = acts.get(name, lambda v: np.maximum(v, 0))(h @ p["w"] + p["b"])
    grads = {k: {n: np.zeros_like(v) for n, v in p.items()} for k, p in params.items()}
    return h, list(grads), sum(v.size for p in params.values() for v in p.values())


class Attention:
    def __init__(self, d, heads=1):
        if d % heads != 0:
            raise ValueError(f"d={d} is not divisible by heads={heads}")
        self.d, self.h = d, heads
        self.W = {k: np.eye(d) * s for k, s in zip("qkvo", (1.0, 0.5, 2.0, 1.0))}

    def __call__(self, x, mask=None):
        n = x.shape[0]
        dh = self.d // self.h
        q, k, v = ((x @ self.W[c]).reshape(n, self.h, dh).transpose(1, 0, 2) for c in "qkv")
        s = q @ k.transpose(0, 2, 1) / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -1e9)
        s = np.exp(s - s.max(-1, keepdims=True))
        s /= s.sum(-1, keepdims=True)
        return (s @ v).transpose(1, 0, 2).reshape(n, self.d) @ self.W["o"]


@program((X.reshape(3, 4), 2, True), (Y.reshape(3, 4), 1, False), (X.reshape(4, 3), 2, True), raises=ValueError)
def attention(x, heads, causal):
    att = Attention(x.shape[1], heads)
    mask = np.tril(np.ones((len(x), len(x)), bool)) if causal else None
    return att(x, mask)


class LSTM:
    def __init__(self, n, h):
        self.w = np.linspace(-0.5, 0.5, (n + h) * 4 * h).reshape(n + h, 4 * h)
        self.h = h

    def init(self):
        return np.zeros(self.h), np.zeros(self.h)

    def step(self, state, x):
        h, c = state
        i, f, g, o = np.split(np.concatenate([x, h]) @ self.w, 4)
        sig = lambda z: 1 / (1 + np.exp(-z))
        c = sig(f) * c + sig(i) * np.tanh(g)
        h = sig(o) * np.tanh(c)
        return (h, c), h


@program((X.reshape(4, 3),), (Y.reshape(6, 2)[:, :2].repeat(2, 1)[:, :3],))
def lstm_scan(xs):
    cell = LSTM(3, 2)
    state = cell.init()
    outs = []
    for x in xs:
        state, o = cell.step(state, x)
        outs.append(o)
    return np.stack(outs), state


@program((IM, 2), (IM, 1))
def conv2d_naive(img, stride):
    k = np.arange(9.0).reshape(3, 3) / 9
    H = (img.shape[0] - 3) // stride + 1
    W = (img.shape[1] - 3) // stride + 1
    out = np.zeros((H, W))
    for i in range(H):
        for j in range(W):
            out[i, j] = np.sum(img[i * stride : i * stride + 3, j * stride : j * stride + 3] * k)
    pooled = out[: H // 2 * 2, : W // 2 * 2].reshape(H // 2, 2, W // 2, 2).max(axis=(1, 3))
    return out, pooled


class BatchNorm:
    def __init__(self, n, momentum=0.1):
        self.mean = np.zeros(n)
        self.var = np.ones(n)
        self.m = momentum
        self.training = True
        self.seen = 0

    def __call__(self, x):
        if self.training:
            mu, v = x.mean(0), x.var(0)
            self.mean += self.m * (mu - self.mean)
            self.var = (1 - self.m) * self.var + self.m * v
            self.seen += len(x)
        else:
            mu, v = self.mean, self.var
        return (x - mu) / np.sqrt(v + 1e-5)


BN = BatchNorm(3)


@program((BN, X.reshape(4, 3)), do(lambda b: setattr(b, "training", False), BN), (BN, Y.reshape(4, 3)))
def batchnorm(bn, x):
    return bn(x)


@program((X, 3, 0.1), (Y, 4, 0.5))
def early_stopping(x, patience, tol):
    best, wait, best_w = math.inf, 0, None
    w = np.zeros(3)
    for epoch in range(50):
        loss = abs((w - x[:3]).sum()) + 0.01 * epoch
        if loss < best - tol:
            best, wait, best_w = loss, 0, w.copy()
        else:
            wait += 1
            if wait >= patience:
                break
        w += 0.3 * (x[:3] - w)
    return best, epoch, best_w


@program((X, 1e-6), (Y, 1e-1))
def lr_finder(x, lr0):
    lr, hist = lr0, []
    while lr < 1.0:
        hist.append((lr, float(np.sum((x * lr) ** 2))))
        lr *= 10
        if hist[-1][1] > 1e2:
            break
    return hist


def batches(x, size, drop_last=False):
    for i in range(0, len(x), size):
        b = x[i : i + size]
        if len(b) < size and drop_last:
            return
        yield b


@program((X, 5, True), (X, 5, False), (Y, 3, True))
def minibatch_sgd(x, size, drop):
    w, n = 0.0, 0
    for b in batches(x, size, drop_last=drop):
        w -= 0.1 * (w - b).mean()
        n += 1
    return w, n


class Dataset:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return Dataset(self.x[i], self.y[i])
        if i < 0 or i >= len(self):
            raise IndexError(i)
        return self.x[i], self.y[i]


@program((X, Y), (Y, X))
def dataset_protocol(x, y):
    ds = Dataset(x, y)
    s = 0.0
    for a, b in ds:
        s += a * b
    n = sum(1 for _ in ds[2:5])
    first, *_ = ds
    return s, n, first, len(ds[::2]), ds[3]


@program((K,), (K[:5],))
def prefix_sums(a):
    p = [0]
    for v in a:
        p.append(p[-1] + v)
    best = max(p[j] - p[i] for i in range(len(p)) for j in range(i + 1, len(p)))
    return p, best


@program((np.array([-2, 1, -3, 4, -1, 2, 1, -5, 4]),), (np.array([-3, -1, -2]),))
def kadane(a):
    best = cur = a[0]
    start = s = end = 0
    for i in range(1, len(a)):
        if cur < 0:
            cur = a[i]
            s = i
        else:
            cur += a[i]
        if cur > best:
            best, start, end = cur, s, i
    return best, a[start : end + 1].sum(), (start, end)


@program((np.array([1, 2, 5]), 11), (np.array([2]), 3))
def coin_change(coins, amount):
    INF = amount + 1
    dp = [0] + [INF] * amount
    for a in range(1, amount + 1):
        for c in coins:
            if c <= a:
                dp[a] = min(dp[a], dp[a - c] + 1)
    return dp[amount] if dp[amount] != INF else -1


@program((np.array([1, 2, 3, 4]), np.array([1, 2, 4, 4, 5])), (np.array([5, 6]), np.array([6, 5, 6])))
def edit_distance(s, t):
    prev = list(range(len(t) + 1))
    for i, a in enumerate(s, 1):
        cur = [i]
        for j, b in enumerate(t, 1):
            cur.append(min(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + (a != b)))
        prev = cur
    return prev[-1]


G = np.array([[0, 4, 0, 0, 8], [4, 0, 8, 0, 11], [0, 8, 0, 7, 0], [0, 0, 7, 0, 9], [8, 11, 0, 9, 0]], float)


@program((G, 0), (G, 2))
def dijkstra_heap(g, src):
    n = len(g)
    dist = [math.inf] * n
    dist[src] = 0.0
    pq = [(0.0, src)]
    done = set()
    while pq:
        d, u = heapq.heappop(pq)
        if d > dist[u]:
            continue
        for v in range(n):
            w = g[u, v]
            if w > 0 and d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(pq, (dist[v], v))
    return dist


@program((G,), (G * (G < 9),))
def floyd(g):
    n = len(g)
    d = np.where(g > 0, g, np.inf)
    np.fill_diagonal(d, 0)
    nxt = [[j if d[i, j] < np.inf else None for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


@program((G, 0), (G, 3))
def prim(g, s):
    n = len(g)
    in_tree = np.zeros(n, bool)
    key = np.full(n, np.inf)
    parent = [-1] * n
    key[s] = 0
    for _ in range(n):
        u = min((i for i in range(n) if not in_tree[i]), key=lambda i: key[i])
        in_tree[u] = True
        for v in range(n):
            if 0 < g[u, v] < key[v] and not in_tree[v]:
                key[v] = g[u, v]
                parent[v] = u
    return key.sum(), parent


@program((G,), ((G > 0).astype(float),))
def pagerank(g):
    n = len(g)
    out = g.sum(0)
    P = g / np.where(out == 0, 1, out)
    r = np.ones(n) / n
    for it in itertools.count(1):
        new = 0.15 / n + 0.85 * P @ r
        if np.abs(new - r).sum() < 1e-8:
            return new, it
        r = new
        if it > 500:
            raise RuntimeError("diverged")


@program((IM, 0.5), (IM, -0.5))
def flood(img, t):
    seen = np.zeros(img.shape, bool)
    q = collections.deque([(0, 0)])
    area = 0
    while q:
        i, j = q.popleft()
        if seen[i, j] or img[i, j] > t:
            continue
        seen[i, j] = True
        area += 1
        for di, dj in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
            a, b = i + di, j + dj
            if 0 <= a < img.shape[0] and 0 <= b < img.shape[1] and not seen[a, b]:
                q.append((a, b))
    return area, seen


@program((0.5, -0.5, 30), (-0.8, 0.1, 20), (2.0, 2.0, 50))
def mandel_point(a, b, n):
    z = 0j
    c = complex(a, b)
    for i in range(n):
        z = z * z + c
        if abs(z) > 2:
            return i
    return n


@program((6, 5, 12), (4, 4, 3))
def mandel_grid(w, h, n):
    out = np.zeros((h, w), int)
    for j, y in enumerate(np.linspace(-1.2, 1.2, h)):
        for i, x in enumerate(np.linspace(-2, 1, w)):
            z, c = 0, complex(x, y)
            while abs(z) <= 2 and out[j, i] < n:
                z = z * z + c
                out[j, i] += 1
    return out


@program((X[:6].reshape(3, 2), 2.0), (Y[:8].reshape(4, 2), 1.0))
def nbody_energy(pos, m):
    n = len(pos)
    e = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            e -= m * m / np.linalg.norm(pos[i] - pos[j])
    acc = np.zeros_like(pos)
    for i, j in itertools.permutations(range(n), 2):
        d = pos[j] - pos[i]
        acc[i] += m * d / (d @ d) ** 1.5
    return e, acc


test_programs = program.test()
