"""Programs that train, as people write them: compiled as a whole, against CPython, which calls `xlapy.grad` step by
step."""

from collections import deque
from dataclasses import dataclass, field, replace

import jax
import numpy as np
import pytest

import xlapy
from tests.semantics.runner import Programs

program = Programs()


@pytest.fixture(autouse=True)
def _in_64_bits():
    """CPython computes with the gradients that it is given, which are JAX's arrays."""
    with jax.enable_x64(True):
        yield


rng = np.random.default_rng(5)
X = rng.normal(size=(40, 3))
W = np.array([1.0, -2.0, 0.5])
Yv = X @ W + 0.1 * rng.normal(size=40)
L = (Yv > 0).astype(float)


class Dense:
    def __init__(self, n, m, seed):
        r = np.random.RandomState(seed)
        self.w = np.linspace(-1, 1, n * m).reshape(n, m) * 0.5
        self.b = np.zeros(m)

    def forward(self, x):
        self.x = x
        return x @ self.w + self.b

    def backward(self, g):
        self.dw = self.x.T @ g
        self.db = g.sum(axis=0)
        return g @ self.w.T

    def step(self, lr):
        self.w -= lr * self.dw
        self.b -= lr * self.db


class Tanh:
    def forward(self, x):
        self.y = np.tanh(x)
        return self.y

    def backward(self, g):
        return g * (1 - self.y**2)

    def step(self, lr):
        pass


class Net:
    def __init__(self, *layers):
        self.layers = list(layers)

    def forward(self, x):
        for l in self.layers:
            x = l.forward(x)
        return x

    def backward(self, g):
        for l in reversed(self.layers):
            g = l.backward(g)

    def step(self, lr):
        for l in self.layers:
            l.step(lr)


@program((X, Yv, 0.01, 20), (X[:20], Yv[:20], 0.02, 5))
def manual_backprop(x, y, lr, epochs):
    net = Net(Dense(3, 4, 0), Tanh(), Dense(4, 1, 1))
    losses = []
    for _ in range(epochs):
        out = net.forward(x)[:, 0]
        err = out - y
        losses.append((err**2).mean())
        net.backward((2 * err / len(y))[:, None])
        net.step(lr)
    return losses, net.layers[0].w


def mlp(params, x):
    for w, b in params[:-1]:
        x = np.tanh(x @ w + b)
    w, b = params[-1]
    return (x @ w + b)[:, 0]


def mse(params, x, y):
    return ((mlp(params, x) - y) ** 2).mean()


def init():
    return [(np.linspace(-1, 1, 12).reshape(3, 4), np.zeros(4)), (np.linspace(1, -1, 4).reshape(4, 1), np.zeros(1))]


@program((X, Yv, 0.05, 15), (X[:20], Yv[:20], 0.02, 5))
def sgd_lists(x, y, lr, epochs):
    params = init()
    for e in range(epochs):
        g = xlapy.grad(mse)(params, x, y)
        params = [(w - lr * dw, b - lr * db) for (w, b), (dw, db) in zip(params, g)]
    return params


@program((X, Yv, 0.05, 15), (X[:20], Yv[:20], 0.02, 5))
def momentum_dicts(x, y, lr, epochs):
    p = {"w": np.zeros(3), "b": 0.0}
    v = {k: 0.0 * p[k] for k in p}

    def loss(p):
        return ((x @ p["w"] + p["b"] - y) ** 2).mean()

    best = np.inf
    best_p = dict(p)
    for e in range(epochs):
        val, g = xlapy.value_and_grad(loss)(p)
        if val < best:
            best = val
            best_p = dict(p)
        for k in p:
            v[k] = 0.9 * v[k] - lr * g[k]
            p[k] = p[k] + v[k]
    return best, best_p


@program((X, Yv, 1e-3), (X, -Yv, 1e-2))
def early_stopping(x, y, tol):
    xt, yt, xv, yv = x[:30], y[:30], x[30:], y[30:]
    w = np.zeros(3)
    best, wait, epoch = np.inf, 0, 0
    best_w = w.copy()
    while epoch < 200:
        g = xlapy.grad(lambda w: ((xt @ w - yt) ** 2).mean())(w)
        w = w - 0.05 * g
        v = ((xv @ w - yv) ** 2).mean()
        if v < best - tol:
            best, wait = v, 0
            best_w[:] = w
        else:
            wait += 1
            if wait >= 5:
                break
        epoch += 1
    return best_w, best, epoch


@program((X, Yv, 30), (X[:10], Yv[:10], 3))
def adam_by_hand(x, y, n):
    w = np.zeros(3)
    m = np.zeros(3)
    v = np.zeros(3)
    b1, b2 = 0.9, 0.999
    for t in range(1, n + 1):
        g = xlapy.grad(lambda w: np.abs(x @ w - y).mean())(w)
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * g**2
        w -= 0.1 * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + 1e-8)
    return w


@program(
    (np.linspace(0, 3, 15), np.sin(np.linspace(0, 3, 15)), 10),
    (np.linspace(0, 2, 15), np.cos(np.linspace(0, 2, 15)), 4),
)
def gaussian_process(x, y, n):
    def nll(theta):
        l, s, noise = np.exp(theta)
        d = x[:, None] - x[None, :]
        k = s * np.exp(-0.5 * d**2 / l**2) + (noise + 1e-6) * np.eye(len(x))
        c = np.linalg.cholesky(k)
        a = np.linalg.solve(c.T, np.linalg.solve(c, y))
        return 0.5 * y @ a + np.log(np.diag(c)).sum() + 0.5 * len(x) * np.log(2 * np.pi)

    theta = np.array([0.0, 0.0, -2.0])
    for _ in range(n):
        theta = theta - 0.01 * xlapy.grad(nll)(theta)
    return theta, nll(theta)


@program((np.array([1.0, 2.0]), 1e-8), (np.array([-1.2, 1.0]), 1e-6))
def newton(x, tol):
    def f(x):
        return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2

    n = 0
    g = xlapy.grad(f)(x)
    while np.linalg.norm(g) > tol and n < 50:
        h = xlapy.hessian(f)(x)
        step = np.linalg.solve(h, g)
        t = 1.0
        while f(x - t * step) > f(x) and t > 1e-4:
            t *= 0.5
        x = x - t * step
        g = xlapy.grad(f)(x)
        n += 1
    return x, n


@program(
    (np.linspace(0, 1, 12), 3 * np.exp(-2 * np.linspace(0, 1, 12))),
    (np.linspace(0, 1, 12), 2 * np.exp(-np.linspace(0, 1, 12))),
)
def levenberg(t, y):
    def residual(p):
        return p[0] * np.exp(-p[1] * t) - y

    p = np.array([1.0, 1.0])
    lam = 1e-2
    for i in range(20):
        r = residual(p)
        J = xlapy.jacfwd(residual)(p)
        A = J.T @ J
        d = np.linalg.solve(A + lam * np.diag(np.diag(A)), -J.T @ r)
        if (residual(p + d) ** 2).sum() < (r**2).sum():
            p = p + d
            lam /= 3
        else:
            lam *= 2
        if np.abs(d).max() < 1e-10:
            break
    return p, i


@program((np.array([-1.2, 1.0, 0.5]), 20), (np.array([0.3, 0.2, -0.5]), 7))
def lbfgs(x, iters):
    def f(x):
        return sum((1 - x[i]) ** 2 + 10 * (x[i + 1] - x[i] ** 2) ** 2 for i in range(2))

    grad = xlapy.grad(f)
    history = deque(maxlen=4)
    g = grad(x)
    for k in range(iters):
        q = g.copy()
        alphas = []
        for s, y, rho in reversed(history):
            a = rho * (s @ q)
            alphas.append(a)
            q = q - a * y
        if history:
            s, y, rho = history[-1]
            q = q * ((s @ y) / (y @ y))
        for (s, y, rho), a in zip(history, reversed(alphas)):
            b = rho * (y @ q)
            q = q + s * (a - b)
        t = 1.0
        fx = f(x)
        while f(x - t * q) > fx - 1e-4 * t * (g @ q) and t > 1e-6:
            t *= 0.5
        new = x - t * q
        gn = grad(new)
        s, y = new - x, gn - g
        if s @ y > 1e-12:
            history.append((s, y, 1.0 / (s @ y)))
        x, g = new, gn
    return x, f(x)


@program((X, Yv, 3, 0.1), (X[:20], Yv[:20], 2, 0.05))
def maml(x, y, inner, lr):
    def loss(w, x, y):
        return ((x @ w - y) ** 2).mean()

    def adapted(w, x, y):
        for _ in range(inner):
            w = w - lr * xlapy.grad(loss)(w, x, y)
        return w

    def outer(w):
        h = len(y) // 2
        return loss(adapted(w, x[:h], y[:h]), x[h:], y[h:])

    w = np.zeros(3)
    for _ in range(5):
        w = w - 0.1 * xlapy.grad(outer)(w)
    return w


@program((X, Yv), (X[:7], Yv[:7]))
def per_example(x, y):
    def loss(w, xi, yi):
        return (np.tanh(xi @ w) - yi) ** 2

    w = np.ones(3)
    g = xlapy.vmap(xlapy.grad(loss), in_axes=(None, 0, 0))(w, x, y)
    norms = np.linalg.norm(g, axis=1)
    clipped = g * np.minimum(1.0, 1.0 / norms)[:, None]
    return clipped.mean(axis=0)


@program((0.5, 50), (2.0, 80))
def bouncing(e, n):
    def height(p):
        y, v = 1.0, 0.0
        t = 0.0
        for i in range(n):
            v = v - 9.81 * 0.02
            y = y + v * 0.02
            if y < 0:
                y = -y * p
                v = -v * p
            t += 0.02
            if abs(v) < 1e-3:
                break
        return y

    return xlapy.grad(height)(e)


@program(
    (np.array([0, 1, 2, 0, 3]), np.array([1, 0, 2, 2, 1]), np.array([5.0, 3.0, 4.0, 1.0, 2.0]), 10),
    (np.array([3, 1, 2, 0, 3]), np.array([1, 0, 2, 2, 0]), np.array([5.0, 3.0, 4.0, 1.0, 2.0]), 3),
)
def matrix_factorisation(users, items, ratings, epochs):
    P = np.linspace(0.1, 1, 8).reshape(4, 2)
    Q = np.linspace(1, 0.1, 6).reshape(3, 2)
    for _ in range(epochs):
        for u, i, r in zip(users, items, ratings):
            e = r - P[u] @ Q[i]
            pu = P[u].copy()
            P[u] += 0.05 * (e * Q[i] - 0.01 * P[u])
            Q[i] += 0.05 * (e * pu - 0.01 * Q[i])
    return P, Q


@dataclass
class BatchNorm:
    gamma: np.ndarray
    beta: np.ndarray
    mean: np.ndarray = field(default_factory=lambda: np.zeros(3))
    var: np.ndarray = field(default_factory=lambda: np.ones(3))
    training: bool = True

    def __call__(self, x):
        if self.training:
            m, v = x.mean(0), x.var(0)
            self.mean = 0.9 * self.mean + 0.1 * m
            self.var = 0.9 * self.var + 0.1 * v
        else:
            m, v = self.mean, self.var
        return self.gamma * (x - m) / np.sqrt(v + 1e-5) + self.beta


@program((X, Yv), (X[:9], Yv[:9]))
def batch_norm_training(x, y):
    bn = BatchNorm(np.ones(3), np.zeros(3))
    w = np.array([0.5, 0.2, -0.3])
    for i in range(5):

        def loss(w, gamma):
            layer = replace(bn, gamma=gamma)
            out = ((layer(x) @ w - y) ** 2).mean()
            return out, (layer.mean, layer.var)

        (l, (m, v)), (gw, gg) = xlapy.value_and_grad(loss, argnums=(0, 1), has_aux=True)(w, bn.gamma)
        w = w - 0.1 * gw
        bn.gamma = bn.gamma - 0.1 * gg
        bn.mean, bn.var = m, v
    bn.training = False
    return bn(x), w, bn


@program((X, L), (X[:11], L[:11]))
def logistic_irls(x, y):
    w = np.zeros(3)
    for it in range(25):
        p = 1 / (1 + np.exp(-x @ w))
        g = x.T @ (p - y) + 0.1 * w
        h = x.T @ (x * (p * (1 - p))[:, None]) + 0.1 * np.eye(3)
        d = np.linalg.solve(h, g)
        w = w - d
        if np.linalg.norm(d) < 1e-8:
            break
    return w, it


test_programs = program.test()
