"""The line search of Moré and Thuente, which SciPy has as an object that is told to go on: as one loop over numbers.

J. J. Moré, D. J. Thuente, *Line search algorithms with guaranteed sufficient decrease*, ACM Transactions on
Mathematical Software 20 (1994). The steps are SciPy's, and its own code makes each of them.
"""

from __future__ import annotations

import math

from scipy.optimize import _dcsrch

from xlapy.library.replacement import replacement

_dcstep = _dcsrch.dcstep
#: how a search may end
_ENDS = {
    1: b"ERROR: STP .LT. STPMIN",
    2: b"ERROR: STP .GT. STPMAX",
    3: b"ERROR: INITIAL G .GE. ZERO",
    4: b"ERROR: FTOL .LT. ZERO",
    5: b"ERROR: GTOL .LT. ZERO",
    6: b"ERROR: XTOL .LT. ZERO",
    7: b"ERROR: STPMIN .LT. ZERO",
    8: b"ERROR: STPMAX .LT. STPMIN",
    9: b"WARNING: ROUNDING ERRORS PREVENT PROGRESS",
    10: b"WARNING: XTOL TEST SATISFIED",
    11: b"WARNING: STP = STPMAX",
    12: b"WARNING: STP = STPMIN",
    13: b"CONVERGENCE",
    14: b"WARN",
    15: b"WARNING: dcsrch did not converge within max iterations",
}


def _mistake(self, step, slope):
    """The last one of the checks that an input does not pass; 0 if it passes all."""
    found = 0
    checks = [step < self.stpmin, step > self.stpmax, slope >= 0, self.ftol < 0, self.gtol < 0, self.xtol < 0]
    for number, bad in enumerate([*checks, self.stpmin < 0, self.stpmax < self.stpmin], start=1):
        if bad:
            found = number
    return found


def _ending(self, step, f, g, enough, wanted, slope, bracketed, least, most):
    """How the search ends with a step, of which `f` and `g` are the value and the slope; 0 if it goes on."""
    end = 0
    if bracketed and (step <= least or step >= most):
        end = 9
    if bracketed and most - least <= self.xtol * most:
        end = 10
    if step == self.stpmax and f <= enough and g <= wanted:
        end = 11
    if step == self.stpmin and (f > enough or g >= wanted):
        end = 12
    if f <= enough and abs(g) <= self.gtol * -slope:
        end = 13
    return end


def _next(x, fx, gx, y, fy, gy, step, f, g, bracketed, least, most, less):
    """SciPy's `dcstep` of values and slopes from which a line through zero with the slope `less` is subtracted."""
    best = _dcstep(
        x, fx - x * less, gx - less, y, fy - y * less, gy - less, step, f - step * less, g - less,
        bracketed, least, most,
    )  # fmt: skip
    x, fx, gx, y, fy, gy, step = (float(best[k]) for k in range(7))
    return x, fx + x * less, gx + less, y, fy + y * less, gy + less, step, bool(best[7])


def _inside(self, x, y, step, bracketed, width, wide):
    """The step within the bounds of the search, these bounds, and the last two widths of the interval."""
    if bracketed:
        if abs(y - x) >= 0.66 * wide:
            step = x + 0.5 * (y - x)
        wide = width
        width = abs(y - x)
        least, most = min(x, y), max(x, y)
    else:
        least, most = step + 1.1 * (step - x), step + 4.0 * (step - x)
    low, high = self.stpmin, self.stpmax
    step = low if step < low else high if step > high else step
    if bracketed and (step <= least or step >= most or most - least <= self.xtol * most):
        step = x
    return step, least, most, width, wide


@replacement(_dcsrch.DCSRCH.__call__)
def _search(self, alpha1, phi0=None, derphi0=None, maxiter=100):
    if phi0 is None:
        phi0 = self.phi(0.0)
    if derphi0 is None:
        derphi0 = self.derphi(0.0)
    step, f, g = float(alpha1), float(phi0), float(derphi0)
    first, slope = f, g
    end = _mistake(self, step, slope)
    if not math.isfinite(step):
        end = 14
    wanted = self.ftol * slope
    bracketed, second, iterations = False, False, 1
    width = float(self.stpmax - self.stpmin)
    wide = width / 0.5
    x, fx, gx, y, fy, gy = 0.0, first, slope, 0.0, first, slope
    least, most = 0.0, step + 4.0 * step
    if end == 0:
        f, g = float(self.phi(step)), float(self.derphi(step))
    while end == 0:
        if iterations >= maxiter:
            end = 15
        else:
            iterations += 1
            enough = first + step * wanted
            if not second and f <= enough and g >= 0:
                second = True
            end = _ending(self, step, f, g, enough, wanted, slope, bracketed, least, most)
            if end == 0:
                less = wanted if not second and f <= fx and f > enough else 0.0
                x, fx, gx, y, fy, gy, step, bracketed = _next(
                    x, fx, gx, y, fy, gy, step, f, g, bracketed, least, most, less
                )
                step, least, most, width, wide = _inside(self, x, y, step, bracketed, width, wide)
                if math.isfinite(step):
                    f, g = float(self.phi(step)), float(self.derphi(step))
                else:
                    end = 14
    return (step if end == 13 else None), f, phi0, _ENDS[end]
