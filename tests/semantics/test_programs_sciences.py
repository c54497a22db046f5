"""Whole programs over NumPy arrays from many sciences, as they are written by those who use them."""

import numpy as np

from .runner import Programs

program = Programs()

R = np.random.default_rng(5)
POINTS = np.concatenate([R.normal(0, 0.4, (8, 2)), R.normal(3, 0.4, (8, 2)), R.normal((0, 4), 0.4, (8, 2))])
LABELS = np.repeat([0, 1, 2], 8)
IMAGE = R.integers(0, 256, (12, 10)).astype(np.uint8)
SIGNAL = np.sin(np.linspace(0, 6, 40)) + 0.1 * R.normal(size=40)
GRAPH = np.array([[0, 1, 1, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]], float)


@program((POINTS, 2, 20))
def gaussian_mixture(x, k, n_iter):
    n, d = x.shape
    means = x[np.linspace(0, n - 1, k).astype(int)]
    covs = np.array([np.eye(d)] * k)
    weights = np.full(k, 1 / k)
    log_likelihoods = []
    for _ in range(n_iter):
        densities = np.empty((n, k))
        for j in range(k):
            diff = x - means[j]
            inv = np.linalg.inv(covs[j])
            norm = 1.0 / np.sqrt((2 * np.pi) ** d * np.linalg.det(covs[j]))
            densities[:, j] = weights[j] * norm * np.exp(-0.5 * np.einsum("ij,jk,ik->i", diff, inv, diff))
        total = densities.sum(axis=1, keepdims=True)
        log_likelihoods.append(np.log(total).sum())
        resp = densities / total
        nk = resp.sum(axis=0)
        weights = nk / n
        means = (resp.T @ x) / nk[:, None]
        for j in range(k):
            diff = x - means[j]
            covs[j] = (resp[:, j, None] * diff).T @ diff / nk[j] + 1e-6 * np.eye(d)
    return weights, means, covs, log_likelihoods


@program((POINTS, LABELS, np.array([[0.0, 0.0], [3.0, 3.0], [0.0, 4.2]])))
def naive_bayes(x, y, queries):
    classes = np.unique(y)
    stats = {}
    for c in classes:
        rows = x[y == c]
        stats[int(c)] = (rows.mean(axis=0), rows.var(axis=0) + 1e-9, len(rows) / len(x))
    predictions = []
    for q in queries:
        best, best_score = None, -np.inf
        for c, (mean, var, prior) in stats.items():
            score = np.log(prior) - 0.5 * np.sum(np.log(2 * np.pi * var) + (q - mean) ** 2 / var)
            if score > best_score:
                best, best_score = c, score
        predictions.append(best)
    return predictions


@program(
    (
        np.array([0, 1, 2, 1, 0, 2]),
        np.array([0.6, 0.4]),
        np.array([[0.7, 0.3], [0.4, 0.6]]),
        np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]),
    )
)
def forward_backward(observed, pi, a, b):
    t_max = observed.size
    alpha = np.empty((t_max, pi.size))
    beta = np.ones_like(alpha)
    scale = np.empty(t_max)
    alpha[0] = pi * b[:, observed[0]]
    scale[0] = alpha[0].sum()
    alpha[0] /= scale[0]
    for t in range(1, t_max):
        alpha[t] = alpha[t - 1] @ a * b[:, observed[t]]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    for t in reversed(range(t_max - 1)):
        beta[t] = a @ (b[:, observed[t + 1]] * beta[t + 1]) / scale[t + 1]
    gamma = alpha * beta
    return gamma / gamma.sum(axis=1)[:, np.newaxis], np.log(scale).sum()


@program(GRAPH)
def floyd_warshall(weights):
    d = np.where(weights > 0, weights, np.inf)
    np.fill_diagonal(d, 0)
    n = d.shape[0]
    follow = np.where(np.isfinite(d), np.arange(n), -1)
    for k in range(n):
        through = d[:, k, None] + d[None, k, :]
        better = through < d
        d = np.minimum(d, through)
        follow[better] = np.broadcast_to(follow[:, [k]], (n, n))[better]
    return d, follow


@program((IMAGE,), (IMAGE[::2],))
def otsu_threshold(image):
    counts = np.bincount(image.ravel(), minlength=256)
    p = counts / counts.sum()
    omega = np.cumsum(p)
    mu = np.cumsum(p * np.arange(256))
    with np.errstate(divide="ignore", invalid="ignore"):
        sigma = (mu[-1] * omega - mu) ** 2 / (omega * (1 - omega))
    threshold = np.nanargmax(sigma)
    return threshold, (image > threshold).astype(np.uint8) * 255


@program((IMAGE,))
def sobel_and_median(image):
    g = image.astype(np.float32)
    kx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(g, (3, 3))
    gx = np.einsum("ijkl,kl->ij", windows, kx)
    gy = np.einsum("ijkl,kl->ij", windows, kx.T)
    magnitude = np.hypot(gx, gy)
    edges = magnitude > np.percentile(magnitude, 80)
    median = np.median(windows, axis=(2, 3)).astype(np.uint8)
    return magnitude, np.arctan2(gy, gx), edges, median


@program((IMAGE > 120,))
def connected_components(mask):
    labels = np.zeros(mask.shape, int)
    labels[mask] = np.arange(1, mask.sum() + 1)
    while True:
        grown = labels.copy()
        grown[1:] = np.maximum(grown[1:], labels[:-1])
        grown[:-1] = np.maximum(grown[:-1], labels[1:])
        grown[:, 1:] = np.maximum(grown[:, 1:], labels[:, :-1])
        grown[:, :-1] = np.maximum(grown[:, :-1], labels[:, 1:])
        grown *= mask
        if (grown == labels).all():
            break
        labels = grown
    names, sizes = np.unique(labels[labels > 0], return_counts=True)
    return labels, names, sizes


@program((IMAGE, 2.5))
def bilinear_resize(image, factor):
    h, w = image.shape
    rows, columns = np.arange(int(h * factor)) / factor, np.arange(int(w * factor)) / factor
    r0, c0 = np.floor(rows).astype(int), np.floor(columns).astype(int)
    r1, c1 = np.minimum(r0 + 1, h - 1), np.minimum(c0 + 1, w - 1)
    dr, dc = (rows - r0)[:, None], (columns - c0)[None]
    top = image[np.ix_(r0, c0)] * (1 - dc) + image[np.ix_(r0, c1)] * dc
    bottom = image[np.ix_(r1, c0)] * (1 - dc) + image[np.ix_(r1, c1)] * dc
    return np.rint(top * (1 - dr) + bottom * dr).astype(image.dtype)


@program((np.linspace(0, 1, 21), 0.001, 50))
def heat_equation_crank_nicolson(x, dt, steps):
    n = len(x)
    dx = x[1] - x[0]
    r = dt / (2 * dx**2)
    a = np.diag((1 + 2 * r) * np.ones(n)) + np.diag(-r * np.ones(n - 1), 1) + np.diag(-r * np.ones(n - 1), -1)
    b = np.diag((1 - 2 * r) * np.ones(n)) + np.diag(r * np.ones(n - 1), 1) + np.diag(r * np.ones(n - 1), -1)
    a[0], a[-1], b[0], b[-1] = 0, 0, 0, 0
    a[0, 0] = a[-1, -1] = b[0, 0] = b[-1, -1] = 1
    u = np.sin(np.pi * x)
    for _ in range(steps):
        u = np.linalg.solve(a, b @ u)
    return u, np.abs(u - np.exp(-(np.pi**2) * dt * steps) * np.sin(np.pi * x)).max()


@program((100.0, 105.0, 0.05, 0.2, 1.0, 30), (100.0, 95.0, 0.01, 0.4, 0.5, 30))
def american_put_binomial(s, k, r, sigma, t, n):
    dt = t / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    prices = s * u ** np.arange(n, -n - 1, -2.0)
    values = np.maximum(k - prices, 0)
    for step in range(n - 1, -1, -1):
        values = np.exp(-r * dt) * (p * values[:-1] + (1 - p) * values[1:])
        prices = prices[:-1] * d
        values = np.maximum(values, k - prices)
    return values[0]


@program((np.array([[0.04, 0.006, 0.01], [0.006, 0.09, 0.02], [0.01, 0.02, 0.16]]), np.array([0.06, 0.1, 0.14]), 5))
def efficient_frontier(cov, mu, n):
    inv = np.linalg.inv(cov)
    ones = np.ones_like(mu)
    a, b, c = ones @ inv @ ones, ones @ inv @ mu, mu @ inv @ mu
    frontier = []
    for target in np.linspace(mu.min(), mu.max(), n):
        lam = (c - b * target) / (a * c - b * b)
        gam = (a * target - b) / (a * c - b * b)
        w = lam * (inv @ ones) + gam * (inv @ mu)
        frontier.append((np.sqrt(w @ cov @ w), target))
    return np.array(frontier), (inv @ ones) / a


@program((np.array([10.0, 4.0, 0.0, 6.0, 1.0]), np.array([3.0, 4.0, 2.0, 0.0, 1.0])))
def diversity_indices(a, b):
    result = {}
    for name, counts in zip(("a", "b"), (a, b)):
        p = counts[counts > 0] / counts.sum()
        result[name] = {"richness": len(p), "shannon": -np.sum(p * np.log(p)), "simpson": 1 - (p**2).sum()}
    bray = np.abs(a - b).sum() / (a + b).sum()
    both = np.logical_and(a, b).sum() / np.logical_or(a, b).sum()
    return result, bray, both


@program((POINTS,))
def convex_hull(points):
    order = np.lexsort((points[:, 1], points[:, 0]))
    pts = points[order]

    def cross(o, a, b):
        return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])

    lower = []
    for p in pts:
        while len(lower) >= 2 and cross(lower[-2], lower[-1], p) <= 0:
            lower.pop()
        lower.append(p)
    upper = []
    for p in pts[::-1]:
        while len(upper) >= 2 and cross(upper[-2], upper[-1], p) <= 0:
            upper.pop()
        upper.append(p)
    hull = np.array(lower[:-1] + upper[:-1])
    x, y = hull.T
    return hull, 0.5 * np.abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))


@program((POINTS, LABELS, 3))
def k_nearest_neighbours(x, y, k):
    d2 = (x**2).sum(1)[:, None] + (x**2).sum(1) - 2 * x @ x.T
    np.fill_diagonal(d2, np.inf)
    nearest = np.argpartition(d2, k, axis=1)[:, :k]
    votes = y[nearest]
    predictions = np.array([np.bincount(row, minlength=3).argmax() for row in votes])
    confusion = np.zeros((3, 3), int)
    np.add.at(confusion, (y, predictions), 1)
    return predictions, confusion, (predictions == y).mean()


@program((POINTS, LABELS, 0.5, 25, 7))
def neural_network(x, y, rate, epochs, hidden):
    onehot = np.eye(y.max() + 1)[y]
    w1 = np.sin(np.arange(x.shape[1] * hidden)).reshape(x.shape[1], hidden)
    w2 = np.cos(np.arange(hidden * onehot.shape[1])).reshape(hidden, -1) * 0.5
    b1, b2 = np.zeros(hidden), np.zeros(onehot.shape[1])
    for _ in range(epochs):
        h = np.maximum(0, x @ w1 + b1)
        logits = h @ w2 + b2
        logits -= logits.max(axis=1, keepdims=True)
        p = np.exp(logits)
        p /= p.sum(axis=1, keepdims=True)
        dl = (p - onehot) / len(x)
        dw2, db2 = h.T @ dl, dl.sum(0)
        dh = dl @ w2.T
        dh[h <= 0] = 0
        w1 -= rate * (x.T @ dh)
        b1 -= rate * dh.sum(0)
        w2 -= rate * dw2
        b2 -= rate * db2
    return p.argmax(1), -np.log(p[np.arange(len(y)), y]).mean()


@program((SIGNAL, 0.2, 5))
def autoregression(x, ridge, order):
    rows = np.array([x[i : i + order] for i in range(len(x) - order)])
    target = x[order:]
    coefficients = np.linalg.solve(rows.T @ rows + ridge * np.eye(order), rows.T @ target)
    residual = target - rows @ coefficients
    acf = np.correlate(residual, residual, "full")[len(residual) - 1 :]
    forecast = list(x[-order:])
    for _ in range(4):
        forecast.append(np.dot(coefficients, forecast[-order:]))
    return coefficients, acf[:4] / acf[0], forecast[order:]


@program((np.array([[1, 0], [0, 1], [2, 2], [0, 3]], float), 0.5, 2))
def density_clusters(x, eps_factor, min_points):
    n = len(x)
    d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
    eps = eps_factor * d.max()
    neighbours = d <= eps
    core = neighbours.sum(1) >= min_points
    labels = -np.ones(n, int)
    cluster = 0
    for i in range(n):
        if labels[i] != -1 or not core[i]:
            continue
        stack = [i]
        while stack:
            j = stack.pop()
            if labels[j] != -1:
                continue
            labels[j] = cluster
            if core[j]:
                stack.extend(np.flatnonzero(neighbours[j] & (labels == -1)))
        cluster += 1
    return labels, cluster


@program((POINTS, LABELS), (POINTS[:10], LABELS[7:17]))
def means_of_groups(x, y):
    names, inverse, counts = np.unique(y, return_inverse=True, return_counts=True)
    sums = np.zeros((len(names), x.shape[1]))
    np.add.at(sums, inverse, x)
    return names, sums / counts[:, None], np.array([x[y == n].std() for n in names])


@program((np.array([[4.0, -1.0, 0.0], [-1.0, 4.0, -1.0], [0.0, -1.0, 4.0]]), np.array([0, 1, 1]), np.ones(3)))
def free_degrees_of_freedom(stiffness, is_free, load):
    free = np.flatnonzero(is_free)
    displacement = np.zeros(len(load))
    displacement[free] = np.linalg.solve(stiffness[np.ix_(free, free)], load[free])
    return displacement, stiffness @ displacement - load


@program(SIGNAL, SIGNAL[:25])
def positive_part(x):
    v = x[x > 0]
    spectrum = np.abs(np.fft.rfft(v))
    trend = np.polyfit(np.arange(len(v)), v, 2)
    return spectrum, trend, np.gradient(v), np.pad(v, 1), np.percentile(v, [25, 75]), np.interp(0.5, v[:5], v[:5])


test_programs = program.test()
