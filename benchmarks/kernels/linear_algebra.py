"""Linear algebra with loops."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import kernel, sized


def positive_definite(base):
    def make(random, scale):
        n = sized(base, scale)
        a = random.standard_normal((n, n))
        return (a @ a.T + n * np.eye(n),)

    return make


def cholesky_jax(a):
    return (jnp.linalg.cholesky(a),)


@kernel(positive_definite(200), cholesky_jax, writes=(0,), rtol=1e-7)
def cholesky(a):
    n = a.shape[0]
    for j in range(n):
        a[j, j] = np.sqrt(a[j, j] - a[j, :j] @ a[j, :j])
        for i in range(j + 1, n):
            a[i, j] = (a[i, j] - a[i, :j] @ a[j, :j]) / a[j, j]
            a[j, i] = 0.0


def lu_jax(a):
    n = a.shape[0]
    index = jnp.arange(n)

    def step(k, a):
        below = index > k
        column = jnp.where(below, a[:, k] / a[k, k], a[:, k])
        a = a.at[:, k].set(column)
        return a - jnp.where(below, column, 0.0)[:, None] * jnp.where(below, a[k], 0.0)[None, :]

    return lax.fori_loop(0, n - 1, step, a)


@kernel(positive_definite(256), lu_jax, writes=(0,), rtol=1e-7)
def lu(a):
    n = a.shape[0]
    for k in range(n - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k : k + 1] * a[k : k + 1, k + 1 :]


def tall(rows, columns):
    def make(random, scale):
        return (random.standard_normal((sized(rows, scale, 16), sized(columns, scale, 4))),)

    return make


def gram_schmidt_jax(a):
    n = a.shape[1]

    def column(k, state):
        q, r = state
        norm = jnp.linalg.norm(q[:, k])
        unit = q[:, k] / norm
        later = jnp.arange(n) > k
        row = jnp.where(later, unit @ q, 0.0)
        q = q.at[:, k].set(unit) - unit[:, None] * row[None, :]
        return q, r.at[k].set(row.at[k].set(norm))

    return lax.fori_loop(0, n, column, (a, jnp.zeros((n, n))))


@kernel(tall(1000, 60), gram_schmidt_jax, numba=None, rtol=1e-6)
def gram_schmidt(a):
    q = a.copy()
    n = q.shape[1]
    r = np.zeros((n, n))
    for k in range(n):
        r[k, k] = np.sqrt((q[:, k] ** 2).sum())
        q[:, k] /= r[k, k]
        for j in range(k + 1, n):
            r[k, j] = q[:, k] @ q[:, j]
            q[:, j] -= r[k, j] * q[:, k]
    return q, r


def power_arguments(random, scale):
    n = sized(500, scale)
    a = random.random((n, n))
    return a + a.T, 50


def power_iteration_jax(a, steps):
    def step(_, v):
        w = a @ v
        return w / jnp.linalg.norm(w)

    v = lax.fori_loop(0, steps, step, jnp.ones(a.shape[0]))
    return v @ a @ v, v


@kernel(power_arguments, power_iteration_jax)
def power_iteration(a, steps):
    v = np.ones(a.shape[0])
    for _ in range(steps):
        v = a @ v
        v /= np.linalg.norm(v)
    return v @ a @ v, v


def system(random, scale):
    (a,) = positive_definite(800)(random, scale)
    return a, random.standard_normal(len(a)), 1e-10, 1000


def conjugate_gradient_jax(a, b, tol, most):
    def step(state):
        x, r, p, rr, it = state
        ap = a @ p
        alpha = rr / (p @ ap)
        x, r = x + alpha * p, r - alpha * ap
        following = r @ r
        return x, r, r + following / rr * p, following, it + 1

    def more(state):
        return (state[4] < most) & (jnp.sqrt(state[3]) >= tol)

    return lax.while_loop(more, step, (jnp.zeros_like(b), b, b, b @ b, jnp.int64(0)))[0]


@kernel(system, conjugate_gradient_jax, rtol=1e-6, atol=1e-9)
def conjugate_gradient(a, b, tol, most):
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    rr = r @ r
    for _ in range(most):
        if np.sqrt(rr) < tol:
            break
        ap = a @ p
        alpha = rr / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        following = r @ r
        p = r + following / rr * p
        rr = following
    return x


def triangular(random, scale):
    n = sized(1200, scale)
    return np.tril(random.standard_normal((n, n))) + n * np.eye(n), random.standard_normal(n)


def forward_substitution_jax(lower, b):
    return lax.linalg.triangular_solve(lower, b[:, None], left_side=True, lower=True)[:, 0]


@kernel(triangular, forward_substitution_jax, rtol=1e-7)
def forward_substitution(lower, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


def correlation_jax(data):
    centred = (data - data.mean(axis=0)) / data.std(axis=0)
    return centred.T @ centred / data.shape[0]


@kernel(tall(2000, 200), correlation_jax, numba=None)
def correlation(data):
    centred = data - data.mean(axis=0)
    centred /= data.std(axis=0)
    return centred.T @ centred / data.shape[0]


def layers(random, scale):
    widths = [sized(w, scale) for w in (256, 512, 512, 10)]
    weights = [random.standard_normal((a, b)) / np.sqrt(a) for a, b in zip(widths, widths[1:], strict=False)]
    return (random.standard_normal((sized(256, scale), widths[0])), *weights)


def three_layers_jax(x, w1, w2, w3):
    h = jnp.maximum(jnp.maximum(x @ w1, 0.0) @ w2, 0.0) @ w3
    e = jnp.exp(h - h.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@kernel(layers, three_layers_jax, numba=None)
def three_layers(x, w1, w2, w3):
    h = np.maximum(x @ w1, 0.0)
    h = np.maximum(h @ w2, 0.0)
    h = h @ w3
    e = np.exp(h - np.max(h, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def covariance_by_columns_jax(data):
    centred = data - data.mean(axis=0)
    return centred.T @ centred / (data.shape[0] - 1.0)


@kernel(tall(600, 300), covariance_by_columns_jax, numba=None)
def covariance_by_columns(data):
    """Each trip multiplies one column with those behind it. Numba calls another BLAS than NumPy and xlapy do, whose
    threads wait on all processors for some time after a product: what is timed behind it is not what users see."""
    count, columns = data.shape
    mean = np.zeros(columns)
    for k in range(count):
        mean += data[k]
    centred = data - mean / count
    found = np.zeros((columns, columns))
    for i in range(columns):
        found[i, i:] = centred[:, i] @ centred[:, i:] / (count - 1.0)
        found[i:, i] = found[i, i:]
    return found


def chain_arguments(random, scale):
    sizes = [sized(n, scale) for n in (300, 280, 310, 320, 290)]
    return tuple(random.standard_normal(shape) for shape in zip(sizes, sizes[1:], strict=False))


def chain_of_products_jax(a, b, c, d):
    return (a @ b) @ (c @ d)


@kernel(chain_arguments, chain_of_products_jax)
def chain_of_products(a, b, c, d):
    return (a @ b) @ (c @ d)


def with_vectors(random, scale):
    n, m = sized(1000, scale), sized(1100, scale)
    return 1.5, 1.2, *(random.standard_normal(shape) for shape in ((n, m), (n, m), m, n))


def from_both_sides_jax(alpha, beta, a, b, x, y):
    return (a @ x) @ a, y @ a, alpha * a @ x + beta * b @ x


@kernel(with_vectors, from_both_sides_jax)
def from_both_sides(alpha, beta, a, b, x, y):
    """Products with a vector on the right, on the left, and of matrices that are scaled."""
    return (a @ x) @ a, y @ a, alpha * a @ x + beta * b @ x


def gmres_arguments(random, scale):
    n = sized(600, scale, 40)
    return random.standard_normal((n, n)) + 2.0 * np.sqrt(n) * np.eye(n), random.standard_normal(n), 30


def gmres_jax(a, b, steps):
    n = len(b)
    norm = jnp.linalg.norm(b)

    def step(k, state):
        q, h = state
        w = a @ q[k]

        def against(j, state):
            w, h = state
            h = h.at[j, k].set(q[j] @ w)
            return w - h[j, k] * q[j], h

        w, h = lax.fori_loop(0, k + 1, against, (w, h))
        h = h.at[k + 1, k].set(jnp.linalg.norm(w))
        return q.at[k + 1].set(w / h[k + 1, k]), h

    start = jnp.zeros((steps + 1, n)).at[0].set(b / norm), jnp.zeros((steps + 1, steps))
    q, h = lax.fori_loop(0, steps, step, start)
    y = jnp.linalg.solve(h.T @ h, h[0] * norm)
    return y @ q[:steps]


@kernel(gmres_arguments, gmres_jax, static=(2,), rtol=1e-6, atol=1e-9)
def gmres(a, b, steps):
    """A solver of systems of equations: a basis, row by row, and the best solution in its span."""
    n = len(b)
    q = np.zeros((steps + 1, n))
    h = np.zeros((steps + 1, steps))
    norm = np.linalg.norm(b)
    q[0] = b / norm
    for k in range(steps):
        w = a @ q[k]
        for j in range(k + 1):
            h[j, k] = q[j] @ w
            w -= h[j, k] * q[j]
        h[k + 1, k] = np.linalg.norm(w)
        q[k + 1] = w / h[k + 1, k]
    y = np.linalg.solve(h.T @ h, h[0] * norm)
    return y @ q[:steps]


def process_arguments(random, scale):
    n = sized(300, scale, 16)
    places = np.sort(random.random(n)) * 10.0
    return places, np.sin(places) + 0.1 * random.standard_normal(n), np.linspace(0.0, 10.0, n // 2)


def gaussian_process_jax(places, values, wanted):
    def similar(x, y):
        return jnp.exp(-0.5 * (x[:, None] - y[None, :]) ** 2)

    lower = jnp.linalg.cholesky(similar(places, places) + 0.01 * jnp.eye(len(places)))
    across = similar(wanted, places)
    weights = jnp.linalg.solve(lower.T, jnp.linalg.solve(lower, values))
    spread = jnp.linalg.solve(lower, across.T)
    return across @ weights, 1.0 - jnp.sum(spread**2, axis=0)


@kernel(process_arguments, gaussian_process_jax, rtol=1e-6, atol=1e-8)
def gaussian_process(places, values, wanted):
    """What a smooth function is elsewhere, and how certain that is."""
    n = len(places)
    alike = np.exp(-0.5 * (places.reshape(n, 1) - places.reshape(1, n)) ** 2) + 0.01 * np.eye(n)
    lower = np.linalg.cholesky(alike)
    across = np.exp(-0.5 * (wanted.reshape(len(wanted), 1) - places.reshape(1, n)) ** 2)
    weights = np.linalg.solve(lower.T, np.linalg.solve(lower, values))
    spread = np.linalg.solve(lower, across.T)
    return across @ weights, 1.0 - np.sum(spread**2, axis=0)
