"""scipy.special: inverses of the incomplete gamma and beta functions, and what SciPy's distributions are made of.

Inverses are found by Newton's method for the logarithm of the smaller tail, as a function of log x (gamma) or of
log x / (1 - x) (beta), in which it is concave. Binomial probabilities are those of C. Loader, *Fast and accurate
computation of binomial probabilities* (2000).
"""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import jax.scipy.special as jsp
import numpy as np
from jax import lax

_MOST_STEPS = 200
_TINY = float(np.finfo(np.float64).tiny)
_HALF_LOG = 0.5 * float(np.log(2 * np.pi))


def _stirling_error(n):
    """log gamma(n) less what Stirling's formula gives."""
    small = jsp.gammaln(n) - (n - 0.5) * jnp.log(n) + n - _HALF_LOG
    s = 1 / (n * n)
    large = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - s / 1188) * s) * s) * s) / n
    return jnp.where(n > 15, large, small)


def _log_beta(a, b):
    """The logarithm of the beta function, as exact for large arguments."""
    exponent = -a * jnp.log1p(b / a) - b * jnp.log1p(a / b) + 0.5 * (jnp.log1p(b / a) - jnp.log(b)) + _HALF_LOG
    return exponent + _stirling_error(a) + _stirling_error(b) - _stirling_error(a + b)


def _root(tail: Callable, target, low, high, rises):
    """Where the logarithm of a tail is `target`; `tail(u)` gives that logarithm and its slope. `rises` says whether it
    is the lower tail."""

    def step(state):
        u, low, high, _, n = state
        value, slope = tail(u)
        above = (value > target) == rises
        low, high = jnp.where(above, low, u), jnp.where(above, u, high)
        new = u - (value - target) / slope
        good = (new > low) & (new < high)
        new = jnp.where(value == target, u, jnp.where(good, new, 0.5 * (low + high)))
        return new, low, high, jnp.any(jnp.abs(new - u) > 2e-16 * jnp.maximum(jnp.abs(new), 0.5)), n + 1

    def goes_on(state):
        return state[3] & (state[4] < _MOST_STEPS)

    start = jnp.clip(jnp.zeros_like(target), low, high)
    return lax.while_loop(goes_on, step, (start, low, high, jnp.any(jnp.isfinite(target)), 0))[0]


def _gamma_root(a, p, q):
    """x of which P(a, x) is p and Q(a, x) is q."""
    a, p, q = jnp.broadcast_arrays(a, p, q)
    lower = p <= q
    good = (a > 0) & jnp.isfinite(a) & (p > 0) & (q > 0)
    a, p, q = jnp.where(good, a, 1.0), jnp.where(good, p, 0.5), jnp.where(good, q, 0.5)
    target = jnp.where(lower, jnp.log(p), jnp.log(q))

    def tail(u):
        x = jnp.exp(u)
        density = jnp.exp(a * u - x - jsp.gammaln(a))
        size = jnp.where(lower, jsp.gammainc(a, x), jsp.gammaincc(a, x))
        return jnp.log(size), jnp.where(lower, density, -density) / size

    ends = jnp.full_like(a, -740.0), jnp.full_like(a, 709.0)
    # far below, P(a, x) is x^a / gamma(a + 1)
    far = (jnp.log(p) + jsp.gammaln(a + 1)) / a
    found = jnp.where(lower & (far < -50), far, _root(tail, target, *ends, lower))
    return jnp.where(good, jnp.exp(found), jnp.nan)


def gammaincinv(a, p):
    """scipy.special.gammaincinv."""
    found = jnp.where(p == 0, 0.0, jnp.where(p == 1, jnp.inf, _gamma_root(a, p, 1 - p)))
    return jnp.where((a > 0) & (p >= 0) & (p <= 1), found, jnp.nan)


def gammainccinv(a, q):
    """scipy.special.gammainccinv."""
    found = jnp.where(q == 1, 0.0, jnp.where(q == 0, jnp.inf, _gamma_root(a, 1 - q, q)))
    return jnp.where((a > 0) & (q >= 0) & (q <= 1), found, jnp.nan)


def _beta_root(a, b, p, q):
    """log(x / (1 - x)) for the x of which I_x(a, b) is p and one less that is q."""
    a, b, p, q = jnp.broadcast_arrays(a, b, p, q)
    lower = p <= q
    good = (a > 0) & (b > 0) & jnp.isfinite(a) & jnp.isfinite(b) & (p > 0) & (q > 0)
    a, b = jnp.where(good, a, 1.0), jnp.where(good, b, 1.0)
    p, q = jnp.where(good, p, 0.5), jnp.where(good, q, 0.5)
    target, scale = jnp.where(lower, jnp.log(p), jnp.log(q)), _log_beta(a, b)

    def tail(u):
        x, rest = jsp.expit(u), jsp.expit(-u)
        density = jnp.exp(-a * jnp.logaddexp(0.0, -u) - b * jnp.logaddexp(0.0, u) - scale)
        size = jnp.where(lower, jsp.betainc(a, b, x), jsp.betainc(b, a, rest))
        return jnp.log(size), jnp.where(lower, density, -density) / size

    ends = jnp.full_like(a, -700.0), jnp.full_like(a, 700.0)
    # far out, the tails are powers
    below, above = (jnp.log(p * a) + scale) / a, -(jnp.log(q * b) + scale) / b
    found = _root(tail, target, *ends, lower)
    found = jnp.where(lower & (below < -50), below, jnp.where(~lower & (above > 50), above, found))
    return jnp.where(good, found, jnp.nan)


def betaincinv(a, b, p):
    """scipy.special.betaincinv."""
    found = jnp.maximum(jsp.expit(_beta_root(a, b, p, 1 - p)), _TINY)
    found = jnp.where(p == 0, 0.0, jnp.where(p == 1, 1.0, found))
    return jnp.where((a > 0) & (b > 0) & (p >= 0) & (p <= 1), found, jnp.nan)


def betainccinv(a, b, q):
    """scipy.special.betainccinv."""
    found = jnp.maximum(jsp.expit(_beta_root(a, b, 1 - q, q)), _TINY)
    found = jnp.where(q == 1, 0.0, jnp.where(q == 0, 1.0, found))
    return jnp.where((a > 0) & (b > 0) & (q >= 0) & (q <= 1), found, jnp.nan)


def fdtri(dfn, dfd, p):
    """scipy.special.fdtri."""
    odds = jnp.maximum(jnp.exp(_beta_root(0.5 * dfn, 0.5 * dfd, p, 1 - p)), _TINY)
    found = jnp.where(p == 0, 0.0, jnp.where(p == 1, jnp.inf, odds * dfd / dfn))
    return jnp.where((dfn > 0) & (dfd > 0) & (p >= 0) & (p <= 1), found, jnp.nan)


def stdtrit(df, p):
    """scipy.special.stdtrit."""
    df, p = jnp.broadcast_arrays(df, p)
    tail = jnp.minimum(p, 1 - p)
    # t^2 / df is (1 - w) / w for the w of which I_w(df/2, 1/2) is twice the tail
    odds = _beta_root(0.5 * df, jnp.full_like(df, 0.5), 2 * tail, 1 - 2 * tail)
    found = jnp.sqrt(df) * jnp.exp(-0.5 * jnp.maximum(odds, np.log(_TINY)))
    found = jnp.where(p == 0.5, 0.0, jnp.where(p < 0.5, -found, found))
    found = jnp.where(tail == 0, jnp.inf, found)  # below, too, as in SciPy
    return jnp.where(df == jnp.inf, jsp.ndtri(p), jnp.where((df > 0) & (p >= 0) & (p <= 1), found, jnp.nan))


# -- probabilities ----------------------------------------------------------------------------------------------------


def _deviance(x, mean):
    """x log(x / mean) + mean - x."""
    v = (x - mean) / (x + mean)
    total, part = (x - mean) * v, 2 * x * v
    for k in range(1, 12):
        part = part * v * v
        total = total + part / (2 * k + 1)
    return jnp.where(jnp.abs(v) < 0.1, total, x * jnp.log(x / mean) + mean - x)


def _binomial(k, n, p):
    """The probability of `k` successes in `n` trials; both may be fractions."""
    q = 1 - p
    inside = (k > 0) & (k < n) & (p > 0) & (p < 1)
    j, m = jnp.where(inside, k, 1.0), jnp.where(inside, n, 2.0)
    r, s = jnp.where(inside, p, 0.5), jnp.where(inside, q, 0.5)
    exponent = _stirling_error(m) - _stirling_error(j) - _stirling_error(m - j)
    exponent = exponent - _deviance(j, m * r) - _deviance(m - j, m * s)
    found = jnp.exp(exponent) * jnp.sqrt(m / (2 * np.pi * j * (m - j)))
    edge = jnp.where(k == 0, jnp.exp(jsp.xlog1py(n, -p)), jnp.where(k == n, jnp.exp(jsp.xlogy(n, p)), 0.0))
    return jnp.where(inside, found, edge)


def _whole(k, n, p, found):
    """`found` where the parameters of a binomial distribution are what they have to be."""
    return jnp.where((k >= 0) & (k <= n) & (p >= 0) & (p <= 1), found, jnp.nan)


def binom_pmf(k, n, p):
    """scipy.stats.binom.pmf."""
    return _whole(k, n, p, _binomial(k, n, p))


def _inside(k, n):
    """Whether there are fewer than all successes; parameters of the beta function for that."""
    inside = (k >= 0) & (k < n)
    return inside, jnp.where(inside, k + 1, 1.0), jnp.where(inside, n - k, 1.0)


def binom_cdf(k, n, p):
    """scipy.stats.binom.cdf."""
    inside, a, b = _inside(k, n)
    return _whole(k, n, p, jnp.where(inside, jsp.betainc(b, a, 1 - p), 1.0))


def binom_sf(k, n, p):
    """scipy.stats.binom.sf."""
    inside, a, b = _inside(k, n)
    return _whole(k, n, p, jnp.where(inside, jsp.betainc(a, b, p), 0.0))


def nbinom_pmf(k, n, p):
    """scipy.stats.nbinom.pmf."""
    return n / (n + k) * _binomial(n, n + k, p)


def beta_pdf(x, a, b):
    """scipy.stats.beta.pdf."""
    found = jnp.exp(jsp.xlogy(a - 1, x) + jsp.xlog1py(b - 1, -x) - _log_beta(a, b))
    return jnp.where((x < 0) | (x > 1), 0.0, found)


def beta_ppf(q, a, b):
    """scipy.stats.beta.ppf."""
    return betaincinv(a, b, q)


def in_doubles(implementation: Callable) -> Callable:
    """The same for operands of any precision."""
    return lambda *operands: implementation(*(x.astype(jnp.float64) for x in operands))


IMPLEMENTATIONS: dict[str, Callable] = {
    "gammaincinv": gammaincinv,
    "gammainccinv": gammainccinv,
    "betaincinv": betaincinv,
    "betainccinv": betainccinv,
    "chdtri": lambda v, q: 2 * gammainccinv(0.5 * v, q),
    "fdtri": fdtri,
    "stdtrit": stdtrit,
    "_beta_pdf": beta_pdf,
    "_beta_ppf": beta_ppf,
    "_binom_pmf": binom_pmf,
    "_binom_cdf": binom_cdf,
    "_binom_sf": binom_sf,
    "_nbinom_pmf": nbinom_pmf,
    "_nbinom_cdf": lambda k, n, p: jsp.betainc(n, k + 1, p),
    "_nbinom_sf": lambda k, n, p: jsp.betainc(k + 1, n, 1 - p),
}
