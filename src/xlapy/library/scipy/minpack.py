"""Nonlinear least squares, which SciPy finds by MINPACK in compiled code: in plain Python.

J. J. Moré, *The Levenberg-Marquardt algorithm: implementation and theory*, in Numerical Analysis, Lecture Notes in
Mathematics 630 (1977). The steps, the tests for their end and what is left of the factors are those of MINPACK, so that
solutions are found after as many calls.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import _minpack, leastsq  # type: ignore[attr-defined]

from xlapy.library.replacement import replacement

_EPSILON, _TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).tiny)
#: what SciPy counts columns from, which has changed
_SAMPLE: Any = leastsq(lambda x: x - 1.0, [0.0], full_output=True)
_FIRST_COLUMN = int(_SAMPLE[2]["ipvt"][0])


def _norm(x):
    return math.sqrt(np.sum(x * x))


def _values(found):
    return np.asarray(found, dtype=np.float64).ravel()


def _factored(a, m, n):
    """Householder's QR factors of the columns in order of their norms: R over the reflections, the scaled diagonal of
    these, the columns in their order, and the norms."""
    a = a.copy()
    rows = np.arange(m)
    norms = np.sqrt(np.sum(a * a, axis=0))
    left, whole = norms.copy(), norms.copy()
    order = np.arange(n)
    heads, diagonal = np.zeros(n), np.zeros(n)
    for j in range(min(m, n)):
        k = np.argmax(np.where(np.arange(n) >= j, left, -1.0))
        column, number = a[:, j].copy(), order[j]
        a[:, j], order[j] = a[:, k], order[k]
        a[:, k], order[k] = column, number
        left[k], whole[k] = left[j], whole[j]
        below = np.where(rows >= j, a[:, j], 0.0)
        size = _norm(below)
        if size != 0:
            size = -size if a[j, j] < 0 else size
            v = below / size
            v[j] += 1.0
            head = v[j]
            share = (v @ a) / head
            later = np.arange(n) > j
            a -= np.outer(v, np.where(later, share, 0.0))
            a[:, j] = np.where(rows >= j, v, a[:, j])
            heads[j] = head
            for k in range(j + 1, n):
                if left[k] != 0:
                    part = a[j, k] / left[k]
                    left[k] *= math.sqrt(max(0.0, 1.0 - part * part))
                    if 0.05 * (left[k] / whole[k]) ** 2 <= _EPSILON:
                        left[k] = _norm(np.where(rows > j, a[:, k], 0.0))
                        whole[k] = left[k]
        diagonal[j] = -size
    return a, heads, diagonal, order, norms


def _solved(r, b):
    """The solution of upper triangular equations."""
    x = np.zeros(len(b))
    for k in range(len(b)):
        j = len(b) - 1 - k
        x[j] = (b[j] - r[j] @ x) / r[j, j]
    return x


def _solved_transposed(r, b):
    x = np.zeros(len(b))
    for j in range(len(b)):
        x[j] = (b[j] - r[:, j] @ x) / r[j, j]
    return x


def _back(order, x):
    """What belongs to the columns in their first order."""
    found = np.zeros(len(x))
    found[order] = x
    return found


def _damped(r, order, diag, qtb, par):
    """The step for a damping, and the transposed triangular factor of the damped equations, by Givens' rotations: what
    lies below its diagonal, and that."""
    n = len(order)
    s, b, diagonal, later = np.tril(r.T), qtb.copy(), np.zeros(n), np.arange(n)
    for j in range(n):
        row, rest = np.zeros(n), 0.0
        row[j] = math.sqrt(par) * diag[order[j]]
        for k in range(j, n):
            if row[k] != 0:
                if abs(s[k, k]) < abs(row[k]):
                    part = s[k, k] / row[k]
                    sine = 0.5 / math.sqrt(0.25 + 0.25 * part * part)
                    cosine = sine * part
                else:
                    part = row[k] / s[k, k]
                    cosine = 0.5 / math.sqrt(0.25 + 0.25 * part * part)
                    sine = cosine * part
                s[k, k] = cosine * s[k, k] + sine * row[k]
                b[k], rest = cosine * b[k] + sine * rest, cosine * rest - sine * b[k]
                column = np.where(later > k, s[:, k], 0.0)
                s[:, k] = np.where(later > k, cosine * column + sine * row, s[:, k])
                row = np.where(later > k, cosine * row - sine * column, row)
        diagonal[j] = s[j, j]
    below = np.tril(s, -1)
    return _back(order, _solved((below + np.diag(diagonal)).T, b)), below, diagonal


def _step(r, below, order, diag, qtb, delta, par):
    """The damping with which the step has about the length `delta`, the step, and what MINPACK leaves below R."""
    n = len(order)
    zeros = np.diag(r) == 0
    rank = np.argmax(zeros) if np.any(zeros) else n
    full = np.arange(n) < rank
    regular = np.where(np.outer(full, full), r, np.eye(n))
    x = _back(order, _solved(regular, np.where(full, qtb, 0.0)))
    scaled = diag * x
    length = _norm(scaled)
    excess = length - delta
    if excess <= 0.1 * delta:
        return 0.0, x, below
    low = 0.0
    if rank >= n:
        size = _norm(_solved_transposed(r, diag[order] * (scaled[order] / length)))
        low = excess / delta / size / size
    slope = _norm(qtb @ r / diag[order])
    high = slope / delta
    if high == 0:
        high = _TINY / min(delta, 0.1)
    par = min(max(par, low), high)
    if par == 0:
        par = slope / length
    trips, found = 0, False
    while not found:
        trips += 1
        if par == 0:
            par = max(_TINY, 0.001 * high)
        x, below, diagonal = _damped(r, order, diag, qtb, par)
        scaled = diag * x
        length = _norm(scaled)
        before, excess = excess, length - delta
        if abs(excess) <= 0.1 * delta or (low == 0 and excess <= before < 0) or trips == 10:
            found = True
        else:
            factor = (below + np.diag(diagonal)).T
            size = _norm(_solved_transposed(factor, diag[order] * (scaled[order] / length)))
            correction = excess / delta / size / size
            if excess > 0:
                low = max(low, par)
            if excess < 0:
                high = min(high, par)
            par = max(low, par + correction)
    return par, x, below


def _reflected(a, heads, diagonal, f):
    """`f` after the reflections below R in `a`, of which the diagonal becomes that of R."""
    m, n = a.shape
    reflected = f.copy()
    for j in range(n):
        if heads[j] != 0:
            v = np.where(np.arange(m) >= j, a[:, j], 0.0)
            reflected -= v * (v @ reflected) / heads[j]
        a[j, j] = diagonal[j]
    return reflected


def _largest_cosine(r, qtf, norm, sizes):
    """The largest cosine of an angle between the residuals and a column of the Jacobian."""
    if norm == 0:
        return 0.0
    cosines = np.abs((qtf / norm) @ r) / np.where(sizes == 0, 1.0, sizes)
    return float(np.max(np.where(sizes == 0, 0.0, cosines)))


def _next_radius(delta, par, pnorm, norm, after, actual, slope, ratio):
    """The radius of the region that is trusted, and the damping, after a step."""
    if ratio <= 0.25:
        less = 0.5 if actual >= 0 else 0.5 * slope / (slope + 0.5 * actual)
        if 0.1 * after >= norm or less < 0.1:
            less = 0.1
        return less * min(delta, pnorm / 0.1), par / less
    if par == 0 or ratio >= 0.75:
        return pnorm / 0.5, par * 0.5
    return delta, par


def _ending(actual, expected, ratio, delta, xnorm, gnorm, ftol, xtol, exhausted):
    """MINPACK's number for how the search ends after a step; 0 if it goes on."""
    small = abs(actual) <= ftol and expected <= ftol and 0.5 * ratio <= 1.0
    close = delta <= xtol * xnorm
    if small or close:
        return 3 if small and close else 1 if small else 2
    info = 5 if exhausted else 0
    if abs(actual) <= _EPSILON and expected <= _EPSILON and 0.5 * ratio <= 1.0:
        info = 6
    if delta <= _EPSILON * xnorm:
        info = 7
    if gnorm <= _EPSILON:
        info = 8
    return info


def _least_squares(function, jacobian, x, calls, ftol, xtol, gtol, maxfev, factor, diag):
    """What MINPACK's `lmdif` and `lmder` do; `jacobian(x, f)` takes `calls` calls of the function."""
    n = len(x)
    f = _values(function(x.copy()))
    m = len(f)
    scales = diag is None
    scale = np.ones(n) if diag is None else np.asarray(diag, dtype=np.float64)
    nfev, njev, iteration, info = 1, 0, 1, 0
    norm, par, delta, xnorm = _norm(f), 0.0, 0.0, 0.0
    a, order, qtf = np.zeros((m, n)), np.arange(n), np.zeros(n)
    bad = xtol < 0 or ftol < 0 or gtol < 0 or maxfev <= 0 or factor <= 0 or bool(np.any(scale <= 0))
    while info == 0 and not bad:
        a, heads, diagonal, order, columns = _factored(jacobian(x, f), m, n)
        nfev += calls
        njev += 1
        if iteration == 1:
            if scales:
                scale = np.where(columns == 0, 1.0, columns)
            xnorm = _norm(scale * x)
            delta = factor * xnorm
            if delta == 0:
                delta = factor
        qtf = _reflected(a, heads, diagonal, f)[:n]
        r, below = np.triu(a[:n]), np.tril(a[:n], -1)
        gnorm = _largest_cosine(r, qtf, norm, columns[order])
        if gnorm <= gtol:
            info = 4
        else:
            if scales:
                scale = np.maximum(scale, columns)
            ratio = 0.0
            while info == 0 and ratio < 1e-4:
                par, step, below = _step(r, below, order, scale, qtf, delta, par)
                tried = x - step
                pnorm = _norm(scale * step)
                if iteration == 1:
                    delta = min(delta, pnorm)
                g = _values(function(tried.copy()))
                nfev += 1
                after = _norm(g)
                actual = 1.0 - (after / norm) ** 2 if 0.1 * after < norm else -1.0
                linear, damped = _norm(r @ step[order]) / norm, math.sqrt(par) * pnorm / norm
                expected = linear * linear + damped * damped / 0.5
                slope = -(linear * linear + damped * damped)
                ratio = actual / expected if expected != 0 else 0.0
                delta, par = _next_radius(delta, par, pnorm, norm, after, actual, slope, ratio)
                if ratio >= 1e-4:
                    x, f, norm = tried, g, after
                    xnorm = _norm(scale * x)
                    iteration += 1
                info = _ending(actual, expected, ratio, delta, xnorm, gnorm, ftol, xtol, nfev >= maxfev)
            a[:n] = r + below
    return x, f, nfev, njev, a.T, (order + _FIRST_COLUMN).astype(np.int32), qtf, info


@replacement(_minpack._lmdif)
def _lmdif(func, x0, args, full_output, ftol, xtol, gtol, maxfev, epsfcn, factor, diag):
    x = np.array(x0, dtype=np.float64)
    n = len(x)
    width = math.sqrt(max(epsfcn, _EPSILON))

    def function(x):
        return func(x, *args)

    def jacobian(x, f):
        found = np.zeros((len(f), n))
        for j in range(n):
            moved = x.copy()
            h = width * abs(x[j])
            if h == 0:
                h = width
            moved[j] = x[j] + h
            found[:, j] = (_values(function(moved)) - f) / h
        return found

    x, f, nfev, _, fjac, order, qtf, info = _least_squares(
        function, jacobian, x, n, ftol, xtol, gtol, maxfev, factor, diag
    )
    if full_output:
        return x, {"fvec": f, "nfev": nfev, "fjac": fjac, "ipvt": order, "qtf": qtf}, info
    return x, info


@replacement(_minpack._lmder)
def _lmder(func, dfun, x0, args, full_output, col_deriv, ftol, xtol, gtol, maxfev, factor, diag):
    x = np.array(x0, dtype=np.float64)

    def function(x):
        return func(x, *args)

    def jacobian(x, f):
        found = np.asarray(dfun(x.copy(), *args), dtype=np.float64)
        return found.T if col_deriv else found

    x, f, nfev, njev, fjac, order, qtf, info = _least_squares(
        function, jacobian, x, 0, ftol, xtol, gtol, maxfev, factor, diag
    )
    if full_output:
        return x, {"fvec": f, "nfev": nfev, "njev": njev, "fjac": fjac, "ipvt": order, "qtf": qtf}, info
    return x, info
