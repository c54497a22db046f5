"""scipy.stats: what SciPy does in compiled code, in plain Python."""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg
from scipy.stats import _stats  # type: ignore[attr-defined]

from xlapy.library.intrinsics import at_most
from xlapy.library.replacement import replacement

_kernel_estimate = _stats.gaussian_kernel_estimate


@replacement(_stats._kendall_dis)
def _kendall_dis(x, y):
    return at_most(_in_another_order(x, y), len(x) * (len(x) - 1) // 2)


def _in_another_order(x, y):
    """How many pairs are in another order in `y` than in `x`, which is sorted; both are ranks from 1 on.

    A binary indexed tree counts those before that are larger.
    """
    most = int(np.max(y)) + 1
    counts = np.zeros(most + 1, np.int64)
    found, i, size = 0, 0, len(x)
    while i < size:
        end = i
        while end < size and x[end] == x[i]:
            k = int(y[end])
            larger = i
            while k > 0:
                larger -= int(counts[k])
                k -= k & -k
            found += larger
            end += 1
        for j in range(i, end):
            k = int(y[j])
            while k < most:
                counts[k] += 1
                k += k & -k
        i = end
    return found


def _estimate(points, values, xi, cho_cov, dtype):
    d = points.shape[1]
    scaled = scipy.linalg.solve_triangular(cho_cov, points.T, lower=True).astype(dtype, copy=False)
    places = scipy.linalg.solve_triangular(cho_cov, xi.T, lower=True).astype(dtype, copy=False)
    norm = math.pow(2 * math.pi, -d / 2)
    for k in range(d):
        norm = norm / cho_cov[k, k]
    squares = np.sum((places.T[:, None, :] - scaled.T[None, :, :]) ** 2, axis=2)
    return (np.exp(-squares / 2) * norm) @ values.astype(dtype, copy=False)


for _name in ("float", "double"):
    replacement(_kernel_estimate[_name])(_estimate)
