"""scipy.signal.find_peaks and its like: what SciPy does in compiled code, in plain Python."""

from __future__ import annotations

import math
import warnings

import numpy as np
from scipy.signal import _peak_finding_utils as utils  # type: ignore[attr-defined]

from xlapy.library.replacement import replacement


@replacement(utils._local_maxima_1d)
def _local_maxima(x):
    middles, left, right = (np.zeros(len(x) // 2, np.intp) for _ in range(3))
    count, i, last = 0, 1, len(x) - 1
    while i < last:
        if x[i - 1] < x[i]:
            ahead = i + 1
            while ahead < last and x[ahead] == x[i]:
                ahead += 1
            if x[ahead] < x[i]:
                left[count] = i
                right[count] = ahead - 1
                middles[count] = (i + ahead - 1) // 2
                count += 1
                i = ahead
        i += 1
    return middles[:count], left[:count], right[:count]


@replacement(utils._select_by_peak_distance)
def _select_by_distance(peaks, priority, distance):
    count = len(peaks)
    least = math.ceil(distance)
    keep = np.ones(count, bool)
    order = np.argsort(priority)
    for i in range(count - 1, -1, -1):
        j = order[i]
        if keep[j]:
            k = j - 1
            while k >= 0 and peaks[j] - peaks[k] < least:
                keep[k] = False
                k -= 1
            k = j + 1
            while k < count and peaks[k] - peaks[j] < least:
                keep[k] = False
                k += 1
    return keep


@replacement(utils._peak_prominences)
def _prominences(x, peaks, wlen):
    count = len(peaks)
    prominences = np.zeros(count)
    left, right = np.zeros(count, np.intp), np.zeros(count, np.intp)
    flat = False
    for n in range(count):
        peak = peaks[n]
        first, last = 0, len(x) - 1
        if not first <= peak <= last:
            raise ValueError(f"peak {peak} is not a valid index for `x`")
        if wlen >= 2:
            first, last = max(peak - wlen // 2, first), min(peak + wlen // 2, last)
        i = left[n] = peak
        least = x[peak]
        while first <= i and x[i] <= x[peak]:
            if x[i] < least:
                least = x[i]
                left[n] = i
            i -= 1
        i = right[n] = peak
        other = x[peak]
        while i <= last and x[i] <= x[peak]:
            if x[i] < other:
                other = x[i]
                right[n] = i
            i += 1
        prominences[n] = x[peak] - max(least, other)
        flat = flat or prominences[n] == 0
    if flat:
        warnings.warn("some peaks have a prominence of 0", utils.PeakPropertyWarning, stacklevel=2)
    return prominences, left, right


@replacement(utils._peak_widths)
def _widths(x, peaks, rel_height, prominences, left_bases, right_bases):
    if rel_height < 0:
        raise ValueError("`rel_height` must be greater or equal to 0.0")
    if not peaks.shape[0] == prominences.shape[0] == left_bases.shape[0] == right_bases.shape[0]:
        raise ValueError("arrays in `prominence_data` must have the same shape as `peaks`")
    count = len(peaks)
    widths, heights, lefts, rights = np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count)
    flat = False
    for n in range(count):
        first, last, peak = left_bases[n], right_bases[n], peaks[n]
        if not 0 <= first <= peak <= last < len(x):
            raise ValueError(f"prominence data is invalid for peak {peak}")
        height = x[peak] - prominences[n] * rel_height
        heights[n] = height
        i = peak
        while first < i and height < x[i]:
            i -= 1
        lefts[n] = i
        if x[i] < height:
            lefts[n] += (height - x[i]) / (x[i + 1] - x[i])
        i = peak
        while i < last and height < x[i]:
            i += 1
        rights[n] = i
        if x[i] < height:
            rights[n] -= (height - x[i]) / (x[i - 1] - x[i])
        widths[n] = rights[n] - lefts[n]
        flat = flat or widths[n] == 0
    if flat:
        warnings.warn("some peaks have a width of 0", utils.PeakPropertyWarning, stacklevel=2)
    return widths, heights, lefts, rights
