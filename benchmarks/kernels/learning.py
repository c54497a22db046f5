"""Clusters, trees, descents."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


def cloud(random, scale):
    n = sized(500, scale)
    x = random.normal(size=(n, 3)) + 4 * random.integers(0, 3, (n, 1))
    return x, x[:5].copy(), 5


@kernel(cloud)
def k_means_by_points(x, centres, steps):
    c = centres.copy()
    n, d = x.shape
    k = len(c)
    label = np.zeros(n, np.int64)
    for _ in range(steps):
        total = np.zeros((k, d))
        count = np.zeros(k)
        for i in range(n):
            best = np.inf
            for j in range(k):
                s = 0.0
                for a in range(d):
                    s += (x[i, a] - c[j, a]) ** 2
                if s < best:
                    best, label[i] = s, j
            for a in range(d):
                total[label[i], a] += x[i, a]
            count[label[i]] += 1
        for j in range(k):
            if count[j] > 0:
                c[j] = total[j] / count[j]
    return c, label


@kernel(
    lambda random, scale: (
        random.normal(size=(sized(1500, scale))) + 3 * random.integers(0, 3, sized(1500, scale)),
        np.array([-1.0, 3.0, 7.0]),
    ),
    numba=None,
)
def mixture(x, mean):
    w, s = np.full(3, 1 / 3), np.ones(3)
    for _ in range(10):
        p = w * np.exp(-0.5 * ((x[:, None] - mean) / s) ** 2) / s
        p /= p.sum(axis=1, keepdims=True)
        n = p.sum(axis=0)
        mean = (p * x[:, None]).sum(axis=0) / n
        s = np.sqrt((p * (x[:, None] - mean) ** 2).sum(axis=0) / n)
        w = n / len(x)
    return mean, s, w


def forest(random, scale):
    depth, trees = 6, 8
    inner = (1 << depth) - 1
    return (
        random.random((sized(300, scale), 10)),
        random.integers(0, 10, (trees, inner)),
        random.random((trees, inner)),
        random.random((trees, inner + 1)),
    )


@kernel(forest)
def tree_votes(x, feature, limit, leaf):
    out = np.zeros(len(x))
    inner = feature.shape[1]
    for i in range(len(x)):
        for t in range(len(feature)):
            node = 0
            while node < inner:
                node = 2 * node + 1 if x[i, feature[t, node]] <= limit[t, node] else 2 * node + 2
            out[i] += leaf[t, node - inner]
    return out / len(feature)


def labelled(random, scale):
    x = random.normal(size=(sized(600, scale), 10))
    return x, (x.sum(1) + random.normal(size=len(x)) > 0).astype(float)


@kernel(labelled)
def stochastic_descent(x, y):
    n, d = x.shape
    w = np.zeros(d)
    for i in range(n):
        s = 0.0
        for j in range(d):
            s += w[j] * x[i, j]
        e = 1 / (1 + np.exp(-s)) - y[i]
        for j in range(d):
            w[j] -= 0.1 * e * x[i, j]
    return w
