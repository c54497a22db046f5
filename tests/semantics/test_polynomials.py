"""np.poly1d and np.polynomial: objects that are made, combined, returned, passed, and changed between two calls."""

import numpy as np

from .runner import Programs, do

program = Programs()

X = np.linspace(-1, 1, 9)
GIVEN = np.poly1d([1.0, 2.0, 3.0])
SERIES = np.polynomial.Polynomial([1.0, 2.0, 3.0])


@program((X, X**3 + X**2 - X), (X * 2, X**4), compiles=1)
def fitted(x, y):
    p = np.poly1d(np.polyfit(x, y, 2))
    return p(x), p.deriv()(1.0), p.integ()(x), p.order, 1 - ((y - p(x)) ** 2).sum() / ((y - y.mean()) ** 2).sum()


@program((X, X**3 - X), (X * 2, X**2 + X), compiles=1)
def fitted_with_covariance(x, y):
    line, covariance = np.polyfit(x, y, 1, cov=True)
    scaled = np.polyfit(x, y, 2, w=1 + x * x, cov="unscaled")
    parts = np.polyfit(x, y, 2, full=True)
    return line, np.sqrt(np.diag(covariance)), *scaled, parts[0], parts[1], parts[3]


@program(X)
def arithmetic(x):
    p = np.poly1d([1, 2, 3])
    q = np.poly1d([1.0, -1.0], True) - 0.5
    return (p * p + 1)(x), (q**2).coeffs, (-q).coef, (p / 2.0)(x), 2 * p == p + p, p[1], len(p), np.poly1d(q).c


@program(X)
def returned(x):
    return np.poly1d(x[:3])


@program((GIVEN, X), do(lambda p: p.__setitem__(1, 10.0), GIVEN), (GIVEN, X), compiles=1)
def changed_between_calls(p, x):
    return p(x), p.deriv()(x), np.asarray(p) * 2, p.order, np.roots(p.coeffs)


@program((GIVEN, X), do(lambda p: p.__setitem__(1, 10.0), GIVEN), (GIVEN, X), refuse="maybe")
def taken_for_coefficients(p, x):
    return np.polyval(p, x), np.roots(p)


@program((SERIES, X), do(lambda p: p.coef.__setitem__(1, 10.0), SERIES), (SERIES, X), compiles=1)
def series_changed_between_calls(p, x):
    return p(x), p.coef * 2, p.domain


@program(X)
def is_a_scalar(x):
    found = [np.isscalar(v) for v in (np.poly1d([1]), [1], (1,), "a", None, x[0], x, {}, 1j, x.sum() > 0)]
    return found


test_programs = program.test()
