"""Samplers of distributions that JAX has not got: each takes a key, its parameters as arrays, and a shape.

The algorithms are those of Devroye, "Non-Uniform Random Variate Generation" (1986), and of the papers named at each.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

_F64 = jnp.float64


def _uniform(key, shape):
    """Uniform on (0, 1]."""
    return 1.0 - jax.random.uniform(key, shape, _F64)


def _until_accepted(key, shape, dtype, propose: Callable):
    """Rejection: `propose(key)` gives candidates and whether each is accepted; draws go on until all are."""

    def again(state):
        return ~jnp.all(state[2])

    def step(state):
        key, values, done = state
        key, mine = jax.random.split(key)
        candidates, accepted = propose(mine)
        return key, jnp.where(done, values, candidates), done | accepted

    return lax.while_loop(again, step, (key, jnp.zeros(shape, dtype), jnp.zeros(shape, bool)))[1]


def power(key, a, shape):
    """Density a x**(a - 1) on [0, 1]."""
    return _uniform(key, shape) ** (1 / a)


def noncentral_chisquare(key, df, nonc, shape):
    """A mixture of chi-square distributions with Poisson weights."""
    first, second = jax.random.split(key)
    extra = jax.random.poisson(first, jnp.broadcast_to(nonc / 2, shape), shape, jnp.int64)
    return 2 * jax.random.gamma(second, jnp.broadcast_to(df / 2, shape) + extra, shape, _F64)


def noncentral_f(key, dfnum, dfden, nonc, shape):
    """The quotient of a noncentral and a plain chi-square variable, each by its degrees of freedom."""
    first, second = jax.random.split(key)
    upper = noncentral_chisquare(first, dfnum, nonc, shape) / dfnum
    return upper * dfden / (2 * jax.random.gamma(second, jnp.broadcast_to(dfden / 2, shape), shape, _F64))


def f(key, dfnum, dfden, shape):
    """The F distribution."""
    return noncentral_f(key, dfnum, dfden, jnp.zeros(()), shape)


def wald(key, mean, scale, shape):
    """Michael, Schucany and Haas (1976)."""
    first, second = jax.random.split(key)
    y = mean * jax.random.normal(first, shape, _F64) ** 2
    x = mean + mean / (2 * scale) * (y - jnp.sqrt(4 * scale * y + y * y))
    return jnp.where(jax.random.uniform(second, shape, _F64) <= mean / (mean + x), x, mean * mean / x)


def vonmises(key, mu, kappa, shape):
    """Best and Fisher (1979)."""
    kappa = jnp.broadcast_to(kappa, shape)
    safe = jnp.maximum(kappa, 1e-8)
    r = 1 + jnp.sqrt(1 + 4 * safe * safe)
    rho = (r - jnp.sqrt(2 * r)) / (2 * safe)
    s = (1 + rho * rho) / (2 * rho)

    def propose(key):
        one, two, three = (jax.random.uniform(k, shape, _F64) for k in jax.random.split(key, 3))
        z = jnp.cos(jnp.pi * one)
        w = (1 + s * z) / (s + z)
        y = safe * (s - w)
        accepted = (y * (2 - y) - two >= 0) | (jnp.log(y / jnp.maximum(two, 1e-300)) + 1 - y >= 0)
        return jnp.where(three < 0.5, -1.0, 1.0) * jnp.arccos(jnp.clip(w, -1, 1)), accepted

    key, plain = jax.random.split(key)
    angle = _until_accepted(key, shape, _F64, propose)
    angle = jnp.where(kappa < 1e-8, jnp.pi * (2 * jax.random.uniform(plain, shape, _F64) - 1), angle)
    return jnp.mod(angle + mu + jnp.pi, 2 * jnp.pi) - jnp.pi


def zipf(key, a, shape):
    """Devroye, chapter X.6.1."""
    minus = jnp.broadcast_to(a, shape) - 1
    b = 2.0**minus

    def propose(key):
        first, second = jax.random.split(key)
        x = jnp.floor(_uniform(first, shape) ** (-1 / minus))
        t = (1 + 1 / x) ** minus
        small = x < 2.0**62
        accepted = jax.random.uniform(second, shape, _F64) * x * (t - 1) / (b - 1) <= t / b
        return jnp.where(small, x, 1).astype(jnp.int64), small & accepted

    return _until_accepted(key, shape, jnp.int64, propose)


def logseries(key, p, shape):
    """Kemp (1981)."""
    first, second = jax.random.split(key)
    v, u = _uniform(first, shape), _uniform(second, shape)
    q = -jnp.expm1(jnp.log1p(-p) * u)
    large = jnp.floor(1 + jnp.log(v) / jnp.log(q))
    return jnp.where(v >= p, 1, jnp.where(v <= q * q, large, jnp.where(v <= q, 2, 1))).astype(jnp.int64)


def negative_binomial(key, n, p, shape):
    """A Poisson variable whose rate is a gamma variable."""
    first, second = jax.random.split(key)
    rate = jax.random.gamma(first, jnp.broadcast_to(n, shape), shape, _F64) * (1 - p) / p
    return jax.random.poisson(second, rate, shape, jnp.int64)


def hypergeometric(key, ngood, nbad, nsample, shape):
    """Drawn one after the other from an urn."""
    good, bad, wanted = (jnp.broadcast_to(v, shape).astype(jnp.int64) for v in (ngood, nbad, nsample))

    def again(state):
        return state[0] < jnp.max(wanted, initial=0)

    def step(state):
        count, key, good, bad, found = state
        key, mine = jax.random.split(key)
        hit = jax.random.uniform(mine, shape, _F64) * (good + bad) < good
        drawn = count < wanted
        one = (hit & drawn).astype(jnp.int64)
        return count + 1, key, good - one, bad - (~hit & drawn), found + one

    return lax.while_loop(again, step, (jnp.int64(0), key, good, bad, jnp.zeros(shape, jnp.int64)))[4]


def multinomial(key, n, pvals, shape):
    """One binomial variable after the other."""
    left, rest, found = jnp.broadcast_to(n, shape).astype(_F64), jnp.ones(()), []
    for k, mine in enumerate(jax.random.split(key, max(pvals.shape[0] - 1, 1))[: pvals.shape[0] - 1]):
        share = jnp.clip(jnp.where(rest > 0, pvals[k] / rest, 0.0), 0.0, 1.0)
        count = jnp.where(left > 0, jax.random.binomial(mine, left, jnp.broadcast_to(share, shape), shape), 0.0)
        found.append(count)
        left, rest = left - count, rest - pvals[k]
    return jnp.stack([*found, left], axis=-1).astype(jnp.int64)


def multivariate_hypergeometric(key, colors, nsample, shape):
    """One hypergeometric variable after the other."""
    left, found = jnp.broadcast_to(nsample, shape).astype(jnp.int64), []
    rest = jnp.sum(colors)
    for k, mine in enumerate(jax.random.split(key, max(colors.shape[0] - 1, 1))[: colors.shape[0] - 1]):
        rest = rest - colors[k]
        count = hypergeometric(mine, colors[k], rest, left, shape)
        found.append(count)
        left = left - count
    return jnp.stack([*found, left], axis=-1)


def dirichlet(key, alpha, shape):
    """Gamma variables, divided by their sum."""
    drawn = jax.random.gamma(key, jnp.broadcast_to(alpha, (*shape, alpha.shape[0])), dtype=_F64)
    return drawn / jnp.sum(drawn, axis=-1, keepdims=True)


def order(key, shape, axis):
    """The numbers of the elements along an axis in a random order, for each slice its own.

    They are sorted by random bits in the same word (of 64, what the numbers leave), so that there is one array to sort.
    Bits that are equal, which of a million elements happens once in 30 draws, leave two elements in their order.
    """
    wide = jnp.uint64
    taken = max(int(shape[axis]) - 1, 0).bit_length()
    numbers = lax.broadcasted_iota(wide, shape, axis)
    shift = jnp.asarray(taken, wide)
    packed = (jax.random.bits(key, shape, wide) >> shift << shift) | numbers
    return (lax.sort(packed, dimension=axis) & jnp.asarray((1 << taken) - 1, wide)).astype(jnp.int64)


def _has_wide_words():
    """Whether there are words of 64 bits: 32 do not hold a number and enough random bits."""
    return jax.dtypes.canonicalize_dtype(jnp.uint64) == jnp.uint64


def permutation(key, x, axis):
    """The slices along an axis in a random order."""
    if not _has_wide_words():
        return jax.random.permutation(key, x, axis)
    axis = axis % x.ndim
    places = order(key, (x.shape[axis],), 0)
    return jnp.take(x, places, axis, mode="clip")


def permuted(key, x, axis):
    """Each slice along an axis shuffled on its own; all elements if there is none."""
    if axis is None:
        return permutation(key, jnp.ravel(x), 0).reshape(x.shape)
    if not _has_wide_words():
        return jax.random.permutation(key, x, axis, independent=True)
    return jnp.take_along_axis(x, order(key, x.shape, axis % x.ndim), axis, mode="clip")


def sample(key, a, shape, axis):
    """So many different slices along an axis, in a random order."""
    if not _has_wide_words():
        return jax.random.choice(key, a, shape, False, axis=axis)
    axis = axis % a.ndim
    places = order(key, (a.shape[axis],), 0)[: math.prod(shape)]
    return jnp.take(a, places.reshape(shape), axis, mode="clip")
