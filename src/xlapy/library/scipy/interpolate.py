"""scipy.interpolate: what SciPy does in compiled code for piecewise polynomials, in plain Python."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import _ppoly  # type: ignore[attr-defined]

from xlapy.library.replacement import replacement


@replacement(_ppoly.evaluate)
def _evaluate(c, x, xp, dx, extrapolate, out):
    """The polynomials `c` between the places `x`, or their derivatives of order `dx`, at `xp`."""
    if dx < 0:
        raise ValueError("Order of derivative cannot be negative")
    order, count = c.shape[0], c.shape[1]
    upwards = np.searchsorted(x, xp, side="right") - 1
    downwards = count - np.searchsorted(x[::-1], xp, side="left")
    place = np.clip(np.where(x[-1] >= x[0], upwards, downwards), 0, count - 1)
    step = (xp - x[place])[:, None]
    total = np.zeros((len(xp), c.shape[2]), c.dtype)
    power = np.ones_like(step)
    for k in range(dx, order):
        factor = 1.0
        for n in range(k - dx + 1, k + 1):
            factor *= n
        total += c[order - k - 1, place] * power * factor
        power = power * step
    inside = (xp >= min(x[0], x[-1])) & (xp <= max(x[0], x[-1]))
    known = ~np.isnan(xp) if extrapolate else inside
    out[...] = np.where(known[:, None], total, np.nan)
