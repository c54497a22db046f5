"""Simulations, filters and solvers written with small classes."""

import collections
import enum
import heapq
import math

import numpy as np

from .runner import Programs

program = Programs()
rng = np.random.default_rng(0)
X = rng.normal(size=12)
Y = rng.normal(size=12)
M = rng.normal(size=(5, 5))
S = M @ M.T + 5 * np.eye(5)
IM = rng.normal(size=(8, 9))
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])


class Particle:
    count = 0

    def __init__(self, pos, vel, mass=1.0):
        self.pos = pos
        self.vel = vel
        self.mass = mass
        Particle.count += 1

    @property
    def energy(self):
        return 0.5 * self.mass * np.sum(self.vel**2)

    def step(self, dt, force):
        self.vel = self.vel + dt * force / self.mass
        self.pos += dt * self.vel


@program((X[:2].copy(), 5), (X[2:4].copy(), 9))
def particle_sim(p0, n):
    ps = [Particle(p0 + i, np.zeros(2), 1.0 + i) for i in range(3)]
    hist = []
    for t in range(n):
        com = sum(p.mass * p.pos for p in ps) / sum(p.mass for p in ps)
        for p in ps:
            p.step(0.1, com - p.pos)
        hist.append(sum(p.energy for p in ps))
    return np.array(hist), ps[0].pos, Particle.count


class Kalman:
    def __init__(self, F, H, Q, R):
        self.F, self.H, self.Q, self.R = F, H, Q, R
        self.x = np.zeros(F.shape[0])
        self.P = np.eye(F.shape[0])
        self.log_likelihood = 0.0

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q
        return self.x

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        Kg = self.P @ self.H.T @ np.linalg.inv(S)
        self.x = self.x + Kg @ y
        self.P = (np.eye(len(self.x)) - Kg @ self.H) @ self.P
        self.log_likelihood += -0.5 * (y @ np.linalg.solve(S, y) + np.log(np.linalg.det(S)))


@program(X, Y)
def kalman_track(zs):
    kf = Kalman(np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]]), 0.01 * np.eye(2), np.array([[0.5]]))
    out = []
    for z in zs:
        kf.predict()
        if abs(z) < 1.5:
            kf.update(np.array([z]))
        out.append(kf.x.copy())
    return np.stack(out), kf.log_likelihood


@program((X, 3), (Y, 2))
def kmeans(x, k):
    centers = x[:k].copy()
    for it in range(100):
        d = np.abs(x[:, None] - centers[None, :])
        lab = d.argmin(axis=1)
        new = centers.copy()
        for j in range(k):
            mask = lab == j
            if mask.any():
                new[j] = x[mask].mean()
        if np.allclose(new, centers):
            break
        centers = new
    else:
        raise RuntimeError("no convergence")
    return centers, lab, it


class ConvergenceError(ArithmeticError):
    def __init__(self, n, value):
        super().__init__(f"no convergence after {n} iterations")
        self.n = n
        self.value = value


def newton(f, df, x0, tol=1e-10, maxiter=50):
    x = x0
    for i in range(maxiter):
        d = df(x)
        if d == 0:
            raise ZeroDivisionError("zero derivative")
        step = f(x) / d
        x -= step
        if abs(step) < tol:
            return x, i + 1
    raise ConvergenceError(maxiter, x)


@program(2.0, 5.0)
def newton_root(a):
    return newton(lambda x: x * x - a, lambda x: 2 * x, 1.0)


@program(2.0, (-1.0,), raises=ConvergenceError)
def newton_root_fails(a):
    return newton(lambda x: x * x - a, lambda x: 2 * x, 1.5, maxiter=20)


@program(2.0, (-1.0,))
def newton_with_fallback(a):
    try:
        root, n = newton(lambda x: x * x - a, lambda x: 2 * x, 1.5, maxiter=20)
    except ConvergenceError as e:
        return math.nan, e.n
    except ZeroDivisionError:
        return 0.0, -1
    return root, n


class Tree:
    def __init__(self, feature=None, threshold=None, left=None, right=None, value=None):
        self.feature = feature
        self.threshold = threshold
        self.left = left
        self.right = right
        self.value = value

    def predict_one(self, x):
        node = self
        while node.value is None:
            node = node.left if x[node.feature] <= node.threshold else node.right
        return node.value


TREE = Tree(
    0,
    0.0,
    Tree(1, 0.5, Tree(value=1.0), Tree(value=2.0)),
    Tree(2, -0.2, Tree(value=3.0), Tree(1, 0.1, Tree(value=4.0), Tree(value=5.0))),
)


@program((X.reshape(4, 3),), (Y.reshape(4, 3),))
def decision_tree(xs):
    return np.array([TREE.predict_one(x) for x in xs])


def predict_rec(node, x):
    if node.value is not None:
        return node.value
    if x[node.feature] <= node.threshold:
        return predict_rec(node.left, x)
    return predict_rec(node.right, x)


@program((X[:3],), (Y[3:6],))
def decision_tree_recursive(x):
    return predict_rec(TREE, x)


@program((np.array([1, 5, 11, 5]), 11), (np.array([1, 2, 3, 5]), 11))
def subset_sum(nums, target):
    dp = np.zeros(target + 1, dtype=bool)
    dp[0] = True
    for v in nums:
        for s in range(target, v - 1, -1):
            dp[s] = dp[s] or dp[s - v]
    return dp[target], dp


@program((np.array([1, 3, 4, 2]), np.array([2, 1, 4, 3])))
def lcs(a, b):
    m, n = len(a), len(b)
    L = np.zeros((m + 1, n + 1), dtype=int)
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if a[i - 1] == b[j - 1]:
                L[i, j] = L[i - 1, j - 1] + 1
            else:
                L[i, j] = max(L[i - 1, j], L[i, j - 1])
    out = []
    i, j = m, n
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            out.append(a[i - 1])
            i -= 1
            j -= 1
        elif L[i - 1, j] >= L[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return L[m, n], out[::-1]


G = np.array(
    [
        [0, 4, 0, 0, 8, 0],
        [4, 0, 8, 0, 11, 0],
        [0, 8, 0, 7, 0, 4],
        [0, 0, 7, 0, 9, 14],
        [8, 11, 0, 9, 0, 10],
        [0, 0, 4, 14, 10, 0],
    ],
    float,
)


@program((G, 0), (G, 3))
def dijkstra_dense(g, src):
    n = g.shape[0]
    dist = np.full(n, np.inf)
    dist[src] = 0
    done = np.zeros(n, bool)
    for _ in range(n):
        u = -1
        best = np.inf
        for v in range(n):
            if not done[v] and dist[v] < best:
                best = dist[v]
                u = v
        if u < 0:
            break
        done[u] = True
        for v in range(n):
            if g[u, v] > 0 and dist[u] + g[u, v] < dist[v]:
                dist[v] = dist[u] + g[u, v]
    return dist


@program((G > 0, 0), (G > 8, 1))
def bfs_queue(adj, s):
    n = len(adj)
    order = []
    seen = [False] * n
    q = collections.deque([s])
    seen[s] = True
    while q:
        u = q.popleft()
        order.append(u)
        for v in range(n):
            if adj[u][v] and not seen[v]:
                seen[v] = True
                q.append(v)
    return order, seen


@program((IM,), (IM.T.copy(),))
def sobel(img):
    kx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    out = np.zeros_like(img)
    h, w = img.shape
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            p = img[i - 1 : i + 2, j - 1 : j + 2]
            gx = (p * kx).sum()
            gy = (p * kx.T).sum()
            out[i, j] = math.sqrt(gx * gx + gy * gy)
    return out


def rk45_step(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 4, y + h * k1 / 4)
    k3 = f(t + 3 * h / 8, y + h * (3 * k1 + 9 * k2) / 32)
    k4 = f(t + 12 * h / 13, y + h * (1932 * k1 - 7200 * k2 + 7296 * k3) / 2197)
    k5 = f(t + h, y + h * (439 * k1 / 216 - 8 * k2 + 3680 * k3 / 513 - 845 * k4 / 4104))
    y4 = y + h * (25 * k1 / 216 + 1408 * k3 / 2565 + 2197 * k4 / 4104 - k5 / 5)
    err = np.abs(h * (k1 / 360 - 128 * k3 / 4275 - 2197 * k4 / 75240 + k5 / 50)).max()
    return y4, err


class PID:
    def __init__(self, kp, ki, kd, limits=(None, None)):
        self.kp, self.ki, self.kd = kp, ki, kd
        self._last = None
        self._integral = 0
        self.limits = limits

    def __call__(self, error, dt):
        self._integral += error * dt
        d = 0 if self._last is None else (error - self._last) / dt
        self._last = error
        out = self.kp * error + self.ki * self._integral + self.kd * d
        lo, hi = self.limits
        if lo is not None and out < lo:
            out = lo
        elif hi is not None and out > hi:
            out = hi
        return out


@program((1.0, 30), (20.0, 12))
def pid_loop(setpoint, n):
    pid = PID(2.0, 0.5, 0.1, limits=(-5.0, 5.0))
    x = 0.0
    trace = np.empty(n)
    for i in range(n):
        u = pid(setpoint - x, 0.1)
        x += 0.1 * (u - 0.5 * x)
        trace[i] = x
    return trace, pid._integral, pid._last


@program((1.0, 30), (20.0, 12))
def pid_limits_none(setpoint, n):
    pid = PID(2.0, 0.5, 0.1, limits=(None, 3.0))
    xs = [0.0]
    for _ in range(n):
        xs.append(xs[-1] + 0.1 * pid(setpoint - xs[-1], 0.1))
    return xs


class State(enum.Enum):
    IDLE = 0
    RUN = 1
    ERROR = 2


@program((K,), (np.array([9, 9, 1, 0, 0]),))
def automaton(events):
    state = State.IDLE
    errors = 0
    for e in events:
        match state:
            case State.IDLE:
                if e > 3:
                    state = State.RUN
            case State.RUN:
                if e == 9:
                    state = State.ERROR
                elif e < 2:
                    state = State.IDLE
            case State.ERROR:
                errors += 1
                state = State.IDLE
    return state.value, errors, state is State.RUN


@program((rng.random((7, 7)) > 0.6, 4), (rng.random((7, 7)) > 0.3, 3))
def life(board, n):
    b = board.astype(np.int8)
    for _ in range(n):
        nb = sum(np.roll(np.roll(b, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        b = ((nb == 3) | ((b == 1) & (nb == 2))).astype(np.int8)
        if not b.any():
            break
    return b, b.sum()


class Dense:
    def __init__(self, w, b, act=None):
        self.p = {"w": w, "b": b}
        self.act = act
        self.cache = None
        self.g = {}

    def forward(self, x):
        z = x @ self.p["w"] + self.p["b"]
        self.cache = (x, z)
        return np.maximum(z, 0) if self.act == "relu" else z

    def backward(self, d):
        x, z = self.cache
        if self.act == "relu":
            d = d * (z > 0)
        self.g["w"] = x.T @ d
        self.g["b"] = d.sum(0)
        return d @ self.p["w"].T


@program((X.reshape(4, 3), Y[:4].reshape(4, 1), 5), (Y.reshape(4, 3), X[:4].reshape(4, 1), 8))
def train_mlp(x, y, epochs):
    r = np.arange(6.0).reshape(3, 2) / 10
    layers = [Dense(r, np.zeros(2), "relu"), Dense(np.ones((2, 1)), np.zeros(1))]
    losses = []
    for e in range(epochs):
        h = x
        for l in layers:
            h = l.forward(h)
        d = 2 * (h - y) / len(y)
        losses.append(float(((h - y) ** 2).mean()))
        for l in reversed(layers):
            d = l.backward(d)
        for l in layers:
            for k in l.p:
                l.p[k] -= 0.05 * l.g[k]
    return losses, layers[0].p, layers[1].p["w"]


@program((np.concatenate([X, Y + 4]), 2), (np.concatenate([X - 3, Y]), 2))
def em_gmm(x, k):
    mu = np.linspace(x.min(), x.max(), k)
    var = np.ones(k)
    pi = np.full(k, 1 / k)
    ll_old = -np.inf
    for it in range(200):
        p = pi * np.exp(-0.5 * (x[:, None] - mu) ** 2 / var) / np.sqrt(2 * np.pi * var)
        s = p.sum(1, keepdims=True)
        r = p / s
        ll = np.log(s).sum()
        nk = r.sum(0)
        mu = (r * x[:, None]).sum(0) / nk
        var = (r * (x[:, None] - mu) ** 2).sum(0) / nk + 1e-6
        pi = nk / len(x)
        if ll - ll_old < 1e-6:
            break
        ll_old = ll
    return mu, var, pi, it, ll


@program(S, (M + 5 * np.eye(5),))
def lu_pivot(A):
    A = A.copy()
    n = A.shape[0]
    piv = list(range(n))
    for k in range(n - 1):
        p = k + int(np.argmax(np.abs(A[k:, k])))
        if A[p, k] == 0:
            raise np.linalg.LinAlgError("Singular matrix")
        if p != k:
            A[[k, p]] = A[[p, k]]
            piv[k], piv[p] = piv[p], piv[k]
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return A, piv


@program(K, (np.array([5.5, 2.0, 7.25]),))
def heap_merge(a):
    h = []
    for v in a:
        heapq.heappush(h, v)
    out = []
    while h:
        v = heapq.heappop(h)
        out.append(v)
        if len(h) and len(out) < 6:
            w = heapq.heappop(h)
            heapq.heappush(h, v + w)
    return out


class Node:
    __slots__ = ("val", "next")

    def __init__(self, val, next=None):
        self.val = val
        self.next = next


@program(X[:5], Y[:3])
def linked_list_reverse(a):
    head = None
    for v in a[:3]:
        head = Node(v, head)
    prev = None
    while head:
        head.next, prev, head = prev, head, head.next
    out = []
    while prev is not None:
        out.append(prev.val)
        prev = prev.next
    return out


test_programs = program.test()
