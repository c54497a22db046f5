"""Quantiles and probabilities of SciPy's distributions, which rest on inverses of incomplete functions."""

import jax
import numpy as np
import pytest
import scipy.special as sc
import scipy.stats

from xlapy.dispatch.scipy import inverse_special_functions

from .runner import Programs

program = Programs()

P = np.array([0.0, 1e-30, 1e-3, 0.05, 0.5, 0.6, 0.975, 1 - 1e-9, 1.0, np.nan])
A, B = np.array([0.1, 1.0, 2.5, 150.0])[:, None], np.array([0.5, 3.0, 1.0, 80.0])[:, None]
K, N = np.arange(0.0, 14.0), np.array([13.0, 40.0])[:, None]
OPERANDS = {"gamma": (A, P), "beta": (A, B, P), "fdtri": (A, B, P[2:]), "stdtrit": (A, P[2:]), "chdtri": (A, P)}
OPERANDS |= {"_binom": (K, N, P[2:8, None, None]), "_nbinom": (K, 2.5, P[2:6, None]), "_beta": (P, A, B)}


@pytest.mark.parametrize("name", inverse_special_functions.IMPLEMENTATIONS)
def test_implementations(name):
    ufunc = getattr(sc._ufuncs, name, None)
    if ufunc is None:
        pytest.skip("this SciPy has none")
    operands = next(v for k, v in OPERANDS.items() if name.startswith(k))
    with np.errstate(all="ignore"), jax.enable_x64(True):
        found = inverse_special_functions.in_doubles(inverse_special_functions.IMPLEMENTATIONS[name])(
            *map(np.asarray, operands)
        )
        np.testing.assert_allclose(found, ufunc(*operands), rtol=1e-10, atol=1e-300)


@program((np.array([2.5, 1.5]), np.array([0.1, 0.9])), (np.float32(2.5), np.array([0.1, 0.9], np.float32)), rtol=1e-6)
def inverses(a, p):
    return sc.gammaincinv(a, p), sc.betaincinv(a, 2.0, p)


@program((0.1, 5), rtol=1e-10)
def of_distributions(alpha, n):
    return scipy.stats.t.interval(1 - alpha, n, loc=1.5, scale=0.3), scipy.stats.binom.pmf(2, n, alpha)


@program((np.linspace(-1.0, 3.0, 9),), (np.full(9, -1.0),), rtol=1e-10)
def outside_of_the_support(x):
    return scipy.stats.gamma.cdf(x[::4], np.array([2.0, 3.0, 1.5])), scipy.stats.poisson.pmf(np.round(x), 2.5)


X = np.array([1.0, -2.0, 3.0, -4.0, 0.0])


@program((X, X > 0), (X, X > 9), (-X, X != 0))
def placed(x, mask):
    other = np.zeros(5, np.complex128)
    np.place(other, mask, x[x > 1])
    np.place(x, mask, x[x < 0] * 10)
    return x, other


def placed_of_nothing(x):
    np.place(x, x > 0, x[x > 100])
    return x


def placed_unsafely(x):
    single = np.zeros(5, np.float32)
    np.place(single, x > 0, x[x > 0])
    return single


for _name, _function in {
    "place": lambda x, m: np.place(x, m, np.array([1.5])),
    "putmask": lambda x, m: np.putmask(x, m, np.array([1, 2])),
}.items():
    program.add(f"unsafe_{_name}", _function, (np.zeros(3, np.float32), np.ones(3, bool)), raises=TypeError)
SINGLE = np.array([0.3, 1.7, 2.9, -3.3, 0.123, 5.5, 7.7], np.float32)
program.each(
    *[(SINGLE, q) for q in ([25, 50], 33, 33.0, np.float32(33), np.float64(33), np.array([10, 41.0]))],
    (np.array([-100, 100], np.int8), [25, 75]),
    percentiles_of_single=lambda a, q: (np.percentile(a, q), np.nanpercentile(a, q, method="hazen")),
    options={"rtol": 0},
)
program.add("placed_unsafely", placed_unsafely, (X,), raises=TypeError)
program.add("placed_of_nothing", placed_of_nothing, (X,), raises=ValueError)
test_programs = program.test()
