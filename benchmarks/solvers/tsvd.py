"""The largest singular values of a matrix by Golub-Kahan-Lanczos bidiagonalisation with full reorthogonalisation."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import SAME, Kernel, sized


def truncated_svd(a, start, steps, wanted):
    """Matrix a (m, n), a start vector (n,), and how many Lanczos steps to do: the `wanted` largest singular values."""
    m, n = a.shape
    left, right = np.zeros((steps, m)), np.zeros((steps, n))
    small = np.zeros((steps, steps))
    v = start / np.sqrt((start**2).sum())
    u = np.zeros(m)
    beta = 0.0
    for k in range(steps):
        right[k] = v
        u = a @ v - beta * u
        for j in range(k):
            u -= (left[j] @ u) * left[j]
        alpha = np.sqrt((u**2).sum())
        u /= alpha
        left[k] = u
        small[k, k] = alpha
        v = a.T @ u - alpha * v
        for j in range(k + 1):
            v -= (right[j] @ v) * right[j]
        beta = np.sqrt((v**2).sum())
        v /= beta
        if k + 1 < steps:
            small[k, k + 1] = beta
    values = np.linalg.svd(small)[1]
    return values[:wanted]


def truncated_svd_jax(a: Any, start: Any, steps: int, wanted: int) -> Any:
    m, n = a.shape

    def orthogonal(w: Any, basis: Any, count: Any) -> Any:
        return lax.fori_loop(0, count, lambda j, w: w - (basis[j] @ w) * basis[j], w)

    def step(k: Any, state: Any) -> Any:
        left, right, alphas, betas, u, v, beta = state
        right = right.at[k].set(v)
        u = orthogonal(a @ v - beta * u, left, k)
        alpha = jnp.linalg.norm(u)
        u = u / alpha
        v = orthogonal(a.T @ u - alpha * v, right, k + 1)
        beta = jnp.linalg.norm(v)
        return left.at[k].set(u), right, alphas.at[k].set(alpha), betas.at[k].set(beta), u, v / beta, beta

    zeros = jnp.zeros(steps)
    v = start / jnp.linalg.norm(start)
    state = (jnp.zeros((steps, m)), jnp.zeros((steps, n)), zeros, zeros, jnp.zeros(m), v, jnp.zeros(()))
    _, _, alphas, betas, *_ = lax.fori_loop(0, steps, step, state)
    return jnp.linalg.svd(jnp.diag(alphas) + jnp.diag(betas[:-1], 1), compute_uv=False)[:wanted]


def arguments(random: np.random.Generator, scale: float) -> tuple[Any, ...]:
    """A matrix whose singular values fall geometrically, so that twenty steps find the first five."""
    m, n = sized(400, scale, 40), sized(300, scale, 30)
    left, right = np.linalg.qr(random.standard_normal((m, n)))[0], np.linalg.qr(random.standard_normal((n, n)))[0]
    return (left * 0.7 ** np.arange(n)) @ right.T, random.standard_normal(n), 20, 5


TSVD = Kernel(
    "truncated_svd", "solvers", truncated_svd, arguments, truncated_svd_jax, SAME, (), (2, 3), rtol=1e-6, atol=0.0
)
