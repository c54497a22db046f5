"""Agents, swarms, annealing, reinforcement learning, hidden Markov models, quasi-Newton methods."""

import collections
import math

import numpy as np

from .runner import Programs

program = Programs()
rng = np.random.default_rng(8)
X = rng.normal(size=12)
Y = rng.normal(size=12)
M = rng.normal(size=(5, 5))
S = M @ M.T + 5 * np.eye(5)
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])


class Agent:
    registry = []

    def __init__(self, pos, speed=1.0, *, name="a"):
        if speed <= 0:
            raise ValueError("speed must be positive")
        self.pos, self.speed, self.name = pos, speed, name
        self.trail = [pos]
        self.alive = True

    def move(self, target):
        if not self.alive:
            return self
        d = target - self.pos
        if abs(d) < 1e-9:
            return self
        step = min(self.speed, abs(d))
        self.pos += math.copysign(step, d)
        self.trail.append(self.pos)
        return self

    def __repr__(self):
        return f"Agent({self.name}, {self.pos:.2f})"


@program((0.0, 5.0, 8), (3.0, -1.5, 4))
def pursuit(a, b, n):
    hunter, prey = Agent(a, 1.5, name="h"), Agent(b, 0.5)
    for t in range(n):
        hunter.move(prey.pos)
        prey.move(prey.pos + 1)
        if abs(hunter.pos - prey.pos) < 0.6:
            prey.alive = False
            break
    return t, hunter.pos, prey.alive, len(hunter.trail)


class Particle:
    __slots__ = ("x", "v", "best", "best_f")

    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.best = x.copy()
        self.best_f = math.inf


@program((rng.normal(size=(3, 2)), 10), (rng.normal(size=(3, 2)), 3))
def pso(x0, iters):
    f = lambda p: float(((p - 1) ** 2).sum())
    swarm = [Particle(x.copy(), np.zeros(2)) for x in x0]
    g, gf = None, math.inf
    for it in range(iters):
        for p in swarm:
            v = f(p.x)
            if v < p.best_f:
                p.best_f, p.best = v, p.x.copy()
            if v < gf:
                gf, g = v, p.x.copy()
        for p in swarm:
            p.v = 0.7 * p.v + 0.5 * (p.best - p.x) + 0.5 * (g - p.x)
            p.x += p.v
    return g, gf, [p.best_f for p in swarm]


@program(
    (np.array([5.0, 3.0, 8.0, 1.0]), np.array([0.3, 0.9, 0.1, 0.6, 0.7])),
    (np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.9, 0.8, 0.7, 0.1, 0.2])),
)
def simulated_annealing(x, u):
    def cost(p):
        return sum(abs(a - b) for a, b in zip(p, p[1:]))

    cur = list(x)
    c = cost(cur)
    best = (c, tuple(cur))
    T = 2.0
    for k, r in enumerate(u):
        i, j = k % 4, (k * 2 + 1) % 4
        new = cur[:]
        new[i], new[j] = new[j], new[i]
        nc = cost(new)
        if nc < c or math.exp((c - nc) / T) > r:
            cur, c = new, nc
        if c < best[0]:
            best = (c, tuple(cur))
        T *= 0.8
    return best, cur


class QTable:
    def __init__(self, n, m, alpha=0.5, gamma=0.9):
        self.q = np.zeros((n, m))
        self.alpha, self.gamma = alpha, gamma

    def best(self, s):
        return int(np.argmax(self.q[s]))

    def update(self, s, a, r, s2):
        target = r + self.gamma * self.q[s2].max()
        self.q[s, a] += self.alpha * (target - self.q[s, a])


@program((np.random.default_rng(0).random(30), 5), (np.random.default_rng(1).random(10), 4))
def q_learning(u, n):
    q = QTable(n, 2)
    s = 0
    wins = 0
    for r in u:
        a = int(r * 20) % 2 if r < 0.3 else q.best(s)
        s2 = max(0, min(n - 1, s + (1 if a else -1)))
        reward = 1.0 if s2 == n - 1 else -0.01
        q.update(s, a, reward, s2)
        if s2 == n - 1:
            s = 0
            wins += 1
        else:
            s = s2
    return q.q, wins, s


@program(
    (np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([0, 1, 1, 0])),
    (np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([[0.6, 0.4], [0.1, 0.9]]), np.array([1, 1])),
)
def viterbi(A, B, obs):
    n = len(A)
    T = len(obs)
    logd = np.log(np.full(n, 1 / n)) + np.log(B[:, obs[0]])
    back = []
    for o in obs[1:]:
        scores = logd[:, None] + np.log(A)
        back.append(scores.argmax(0))
        logd = scores.max(0) + np.log(B[:, o])
    path = [int(logd.argmax())]
    for b in reversed(back):
        path.append(int(b[path[-1]]))
    return path[::-1], logd.max()


@program(
    (np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([0, 1, 1, 0])), (np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([1]))
)
def hmm_forward(A, obs):
    B = np.array([[0.8, 0.2], [0.3, 0.7]])
    alpha = np.array([0.5, 0.5]) * B[:, obs[0]]
    ll = 0.0
    it = iter(obs)
    next(it)
    for o in it:
        c = alpha.sum()
        ll += math.log(c)
        alpha = (alpha / c) @ A * B[:, o]
    return ll + math.log(alpha.sum())


@program((X, 3), (Y, 2))
def knn(x, k):
    pts = x.reshape(-1, 2)
    q = np.zeros(2)
    d = [(float(np.hypot(*(p - q))), i) for i, p in enumerate(pts)]
    d.sort()
    votes = collections.Counter()
    near = [i for _, i in d[:k]]
    return near, d[0][0], sum(i % 2 for i in near)


@program((X,), (Y,))
def savitzky(x):
    w = np.array([-3, 12, 17, 12, -3]) / 35
    h = len(w) // 2
    p = np.pad(x, h, mode="reflect")
    out = np.convolve(p, w[::-1], mode="valid")
    lo, hi = np.percentile(out, [25, 75])
    iqr = hi - lo
    outliers = [i for i, v in enumerate(x) if v < lo - 1.5 * iqr or v > hi + 1.5 * iqr]
    return out, outliers, np.corrcoef(x, out)[0, 1]


@program((X, 0.5), (Y, 0.1))
def exponential_smoothing(x, alpha):
    s = None
    out = []
    for v in x:
        s = v if s is None else alpha * v + (1 - alpha) * s
        out.append(s)
    level, trend = x[0], x[1] - x[0]
    for v in x[1:]:
        prev = level
        level = alpha * v + (1 - alpha) * (level + trend)
        trend = 0.3 * (level - prev) + 0.7 * trend
    return out, level + trend


@program((1.0, 0.1, 100), (4.0, 0.5, 3))
def predator_prey(x, dt, n):
    y = 0.5
    ext = None
    for k in range(n):
        x, y = x + dt * (x - x * y), y + dt * (x * y - y)
        if x < 0.05 or y < 0.05:
            ext = k
            break
    return x, y, ext


@program((8, 0.3), (5, 0.9))
def percolation(n, p):
    g = (np.arange(n * n) * 7919 % 101 / 101).reshape(n, n) < p
    reach = np.zeros((n, n), bool)
    reach[0] = g[0]
    changed = True
    sweeps = 0
    while changed:
        new = reach.copy()
        new[1:] |= reach[:-1]
        new[:-1] |= reach[1:]
        new[:, 1:] |= reach[:, :-1]
        new[:, :-1] |= reach[:, 1:]
        new &= g
        changed = bool((new != reach).any())
        reach = new
        sweeps += 1
    return reach[-1].any(), reach.sum(), sweeps


@program((6, 4), (5, 2))
def ising(n, steps):
    s = np.where((np.arange(n * n) * 37 % 11) % 2, 1, -1).reshape(n, n)
    acc = 0
    for t in range(steps):
        for i in range(n):
            for j in range(n):
                dE = 2 * s[i, j] * (s[(i + 1) % n, j] + s[i - 1, j] + s[i, (j + 1) % n] + s[i, j - 1])
                if dE <= 0 or (i * n + j + t) % 7 == 0:
                    s[i, j] *= -1
                    acc += 1
    return s, acc, s.mean()


@program((X[:5], 1e-3), (Y[:5], 1e-1))
def backtracking_gd(x, tol):
    f = lambda v: np.sum(v**4) / 4 + np.sum(v**2)
    g = lambda v: v**3 + 2 * v
    for k in range(100):
        d = g(x)
        n = np.linalg.norm(d)
        if n < tol:
            break
        t = 1.0
        while f(x - t * d) > f(x) - 0.5 * t * n * n:
            t *= 0.5
            if t < 1e-10:
                raise RuntimeError("line search failed")
        x = x - t * d
    else:
        k = -1
    return x, k


@program((X[:4], 5), (Y[:4], 30))
def bfgs(x, iters):
    A = np.diag([1.0, 2.0, 3.0, 4.0])
    b = np.ones(4)
    H = np.eye(4)
    g = A @ x - b
    for k in range(iters):
        p = -H @ g
        a = -(g @ p) / (p @ A @ p)
        s = a * p
        x = x + s
        gn = A @ x - b
        y = gn - g
        if np.linalg.norm(gn) < 1e-9:
            return x, k, True
        rho = 1 / (y @ s)
        I = np.eye(4)
        H = (I - rho * np.outer(s, y)) @ H @ (I - rho * np.outer(y, s)) + rho * np.outer(s, s)
        g = gn
    return x, iters, False


@program(
    (np.array([3.0, 2.0]), np.array([[1.0, 1.0], [1.0, 3.0]]), np.array([4.0, 6.0])),
    (np.array([1.0, 1.0]), np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([4.0, 4.0])),
)
def simplex(c, A, b):
    m, n = A.shape
    T = np.zeros((m + 1, n + m + 1))
    T[:m, :n] = A
    T[:m, n : n + m] = np.eye(m)
    T[:m, -1] = b
    T[-1, :n] = -c
    basis = list(range(n, n + m))
    it = 0
    while T[-1, :-1].min() < -1e-9:
        j = int(T[-1, :-1].argmin())
        ratios = [T[i, -1] / T[i, j] if T[i, j] > 1e-9 else np.inf for i in range(m)]
        i = int(np.argmin(ratios))
        if ratios[i] == np.inf:
            raise ValueError("unbounded")
        T[i] /= T[i, j]
        for r in range(m + 1):
            if r != i:
                T[r] -= T[r, j] * T[i]
        basis[i] = j
        it += 1
        if it > 20:
            break
    return T[-1, -1], basis, it


@program((X, Y), (Y, X))
def linear_regression_class(x, y):
    class Model:
        def __init__(self, degree=1):
            self.degree = degree
            self.coef_ = None

        def _phi(self, x):
            return np.vander(x, self.degree + 1)

        def fit(self, x, y):
            self.coef_, *_ = np.linalg.lstsq(self._phi(x), y, rcond=None)
            return self

        def predict(self, x):
            if self.coef_ is None:
                raise RuntimeError("not fitted")
            return self._phi(x) @ self.coef_

        def score(self, x, y):
            r = y - self.predict(x)
            return 1 - (r @ r) / ((y - y.mean()) @ (y - y.mean()))

    scores = {d: Model(d).fit(x, y).score(x, y) for d in (1, 2)}
    best = max(scores, key=scores.get)
    return best, scores[best]


@program((X,), raises=RuntimeError)
def unfitted(x):
    class Model:
        coef = None

        def predict(self, x):
            if self.coef is None:
                raise RuntimeError(f"{type(self).__name__} is not fitted")
            return x * self.coef

    return Model().predict(x)


@program((K, 3), (K, 1))
def chunk_and_pad(a, n):
    chunks = [a[i : i + n] for i in range(0, len(a), n)]
    padded = [np.pad(c, (0, n - len(c)), constant_values=-1) for c in chunks]
    return np.stack(padded), [int(c.sum()) for c in chunks], sum(map(len, chunks))


test_programs = program.test()
