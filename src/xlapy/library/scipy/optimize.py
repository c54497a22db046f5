"""The roots of functions of one variable between two points, which SciPy finds in compiled code: in plain Python.

R. P. Brent, *Algorithms for Minimization Without Derivatives* (1973), chapter 4; C. J. F. Ridders, *A new algorithm for
computing a single root of a real continuous function*, IEEE Transactions on Circuits and Systems 26 (1979). The trips
and the tests for their end are those of SciPy, so that roots are found after as many calls.
"""

from __future__ import annotations

import math

from scipy.optimize import _zeros  # type: ignore[attr-defined]

from xlapy.library.replacement import replacement
from xlapy.library.scipy import assignment, linesearch, minpack  # noqa: F401

_CONVERGED, _NOT_CONVERGED = 0, -2


def _ends(f, a, b, xtol, maxiter, args):
    """The ends of the interval and the values there, after what SciPy asks of them."""
    if xtol < 0:
        raise ValueError("xtol must be >= 0")
    if maxiter < 0:
        raise ValueError("maxiter must be >= 0")
    a, b = float(a), float(b)
    fa, fb = float(f(a, *args)), float(f(b, *args))
    if fa != 0 and fb != 0 and (fa < 0) == (fb < 0):
        raise ValueError("f(a) and f(b) must have different signs")
    return a, b, fa, fb


def _result(root, calls, trips, found, full_output, disp):
    if not found and disp:
        raise RuntimeError(f"Failed to converge after {trips} iterations.")
    return (root, calls, trips, _CONVERGED if found else _NOT_CONVERGED) if full_output else root


@replacement(_zeros._bisect)
def _bisect(f, a, b, xtol, rtol, maxiter, args, full_output, disp):
    a, b, fa, fb = _ends(f, a, b, xtol, maxiter, args)
    if fa == 0 or fb == 0:
        return _result(a if fa == 0 else b, 2, 0, True, full_output, disp)
    width, root, trips, found = b - a, a, 0, False
    while trips < maxiter and not found:
        trips += 1
        width *= 0.5
        middle = a + width
        fm = float(f(middle, *args))
        if (fm < 0) == (fa < 0):
            a = middle
        found = fm == 0 or abs(width) < xtol + rtol * abs(middle)
        root = middle if found else a
    return _result(root, trips + 2, trips, found, full_output, disp)


@replacement(_zeros._ridder)
def _ridder(f, a, b, xtol, rtol, maxiter, args, full_output, disp):
    a, b, fa, fb = _ends(f, a, b, xtol, maxiter, args)
    if fa == 0 or fb == 0:
        return _result(a if fa == 0 else b, 2, 0, True, full_output, disp)
    tolerance = xtol + rtol * min(abs(a), abs(b))
    root, trips, found = 0.0, 0, False
    while trips < maxiter and not found:
        trips += 1
        half = 0.5 * (b - a)
        middle = a + half
        fm = float(f(middle, *args))
        scale, longest = math.sqrt(fm * fm - fa * fb), abs(half) - 0.5 * tolerance
        if scale > 0:
            step = (1.0 if fb > fa else -1.0) * half * fm / scale
            root = middle - (1.0 if step > 0 else -1.0) * min(abs(step), longest)
        else:
            root = middle + longest
        fr = float(f(root, *args))
        if fr != 0 and (fr < 0) != (fm < 0):
            a, fa, b, fb = root, fr, middle, fm
        elif fr != 0 and (fr < 0) != (fa < 0):
            b, fb = root, fr
        else:
            a, fa = root, fr
        tolerance = xtol + rtol * root
        found = fr == 0 or abs(b - a) < tolerance
    return _result(root, 2 * trips + 2, trips, found, full_output, disp)


def _brent(f, a, b, xtol, rtol, maxiter, args, full_output, disp, extrapolated):
    """Brent's method: `extrapolated(fp, fc, fo, dp, do)` is the step by three points, a quotient, of values and
    slopes."""
    previous, current, fp, fc = _ends(f, a, b, xtol, maxiter, args)
    if fp == 0 or fc == 0:
        return _result(previous if fp == 0 else current, 2, 0, True, full_output, disp)
    # the root lies between the current point and the one on the other side
    other, fo, before, step = 0.0, 0.0, 0.0, 0.0
    trips, calls, found = 0, 2, False
    while trips < maxiter and not found:
        trips += 1
        if fp != 0 and fc != 0 and (fp < 0) != (fc < 0):
            other, fo = previous, fp
            before = step = current - previous
        if abs(fo) < abs(fc):
            previous, current, other = current, other, current
            fp, fc, fo = fc, fo, fc
        delta = (xtol + rtol * abs(current)) / 2
        half = (other - current) / 2
        if fc == 0 or abs(half) < delta:
            found = True
        else:
            if abs(before) > delta and abs(fc) < abs(fp):
                if previous == other:
                    tried = -fc * (current - previous) / (fc - fp)
                else:
                    dp = (fp - fc) / (previous - current)
                    do = (fo - fc) / (other - current)
                    over, under = extrapolated(fp, fc, fo, dp, do)
                    tried = over / under if under != 0 else math.inf
                if 2 * abs(tried) < min(abs(before), 3 * abs(half) - delta):
                    before, step = step, tried
                else:
                    before = step = half
            else:
                before = step = half
            previous, fp = current, fc
            current += step if abs(step) > delta else (delta if half > 0 else -delta)
            fc = float(f(current, *args))
            calls += 1
    return _result(current, calls, trips, found, full_output, disp)


def _by_a_parabola(fp, fc, fo, dp, do):
    return -fc * (fo * do - fp * dp), do * dp * (fo - fp)


def _by_a_hyperbola(fp, fc, fo, dp, do):
    return -fc * (fo - fp), fo * dp - fp * do


@replacement(_zeros._brentq)
def _brentq(f, a, b, xtol, rtol, maxiter, args, full_output, disp):
    return _brent(f, a, b, xtol, rtol, maxiter, args, full_output, disp, _by_a_parabola)


@replacement(_zeros._brenth)
def _brenth(f, a, b, xtol, rtol, maxiter, args, full_output, disp):
    return _brent(f, a, b, xtol, rtol, maxiter, args, full_output, disp, _by_a_hyperbola)
