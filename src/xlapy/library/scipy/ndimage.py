"""scipy.ndimage: what SciPy does in compiled code for filters and labels, in plain Python."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy.ndimage
from scipy.ndimage import _nd_image, _ni_label  # type: ignore[attr-defined]

from xlapy.library.intrinsics import refuse
from xlapy.library.replacement import replacement

#: which older versions of SciPy have not got
_rank_filter_1d = getattr(scipy.ndimage, "_rank_filter_1d", None)
#: what lies around an array, in the words of `np.pad`, by SciPy's numbers
_AROUND = {0: "edge", 1: "wrap", 2: "symmetric", 3: "reflect", 4: "constant", 5: "wrap", 6: "constant"}


def _padded(x, widths, mode, cval):
    around: Any = _AROUND[mode]
    return np.pad(x, widths, around, constant_values=cval) if around == "constant" else np.pad(x, widths, around)


def _lines(x, size, axis, mode, cval, origin):
    """The elements at each place of a window that is moved along an axis."""
    before = size // 2 + origin
    widths = [(0, 0)] * x.ndim
    widths[axis] = (before, size - 1 - before)
    padded = _padded(x, widths, mode, cval)
    count = x.shape[axis]
    around = (slice(None),) * (axis % x.ndim)
    return [padded[(*around, slice(k, k + count))] for k in range(size)]


def _wide(x):
    """Numbers as SciPy computes with them."""
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


@replacement(_nd_image.correlate1d)
def _correlate1d(x, weights, axis, output, mode, cval, origin):
    lines = _lines(_wide(x), len(weights), axis, mode, cval, origin)
    total = lines[0] * weights[0]
    for k in range(1, len(lines)):
        total = total + lines[k] * weights[k]
    output[...] = total.astype(output.dtype)


@replacement(_nd_image.uniform_filter1d)
def _uniform_filter1d(x, size, axis, output, mode, cval, origin):
    lines = _lines(_wide(x), size, axis, mode, cval, origin)
    total = lines[0]
    for k in range(1, size):
        total = total + lines[k]
    output[...] = (total / size).astype(output.dtype)


@replacement(_nd_image.min_or_max_filter1d)
def _min_or_max_filter1d(x, size, axis, output, mode, cval, origin, minimum):
    lines = _lines(x, size, axis, mode, cval, origin)
    found = lines[0]
    for k in range(1, size):
        found = np.minimum(found, lines[k]) if minimum else np.maximum(found, lines[k])
    output[...] = found.astype(output.dtype)


def _windows(x, shape, mode, cval, origins):
    """The elements at each place of a window that is moved along all axes."""
    widths = []
    for n, origin in zip(shape, origins, strict=True):
        widths.append((n // 2 + origin, n - 1 - n // 2 - origin))
    padded = _padded(x, widths, mode, cval)
    places = itertools.product(*[range(n) for n in shape])
    return [padded[tuple([slice(k, k + n) for k, n in zip(place, x.shape, strict=True)])] for place in places]


@replacement(_nd_image.correlate)
def _correlate(x, weights, output, mode, cval, origins):
    total = np.zeros(x.shape, np.complex128 if output.dtype.kind == "c" else np.float64)
    for window, weight in zip(_windows(_wide(x), weights.shape, mode, cval, origins), weights.ravel(), strict=True):
        total = total + window * weight
    output[...] = total.astype(output.dtype)


@replacement(_nd_image.min_or_max_filter)
def _min_or_max_filter(x, footprint, structure, output, mode, cval, origins, minimum):
    if structure is not None:
        refuse("scipy.ndimage: morphology with a structure that has values")
    chosen = np.stack(_windows(x, footprint.shape, mode, cval, origins))[footprint.ravel()]
    output[...] = (chosen.min(axis=0) if minimum else chosen.max(axis=0)).astype(output.dtype)


@replacement(_nd_image.rank_filter)
def _rank_filter(x, rank, footprint, output, mode, cval, origins):
    chosen = np.stack(_windows(x, footprint.shape, mode, cval, origins))[footprint.ravel()]
    output[...] = np.sort(chosen, axis=0)[rank].astype(output.dtype)


@replacement(*([_rank_filter_1d.rank_filter] if _rank_filter_1d is not None else []))
def _rank_filter_1d_of(x, rank, size, output, mode, cval, origin):
    output[...] = np.sort(np.stack(_lines(x, size, 0, mode, cval, origin)), axis=0)[rank].astype(output.dtype)


@replacement(_nd_image.binary_erosion)
def _binary_erosion(x, structure, mask, output, border_value, origins, invert, _center, several):
    if mask is not None or several:
        refuse("scipy.ndimage: morphology with a mask, or of several iterations")
    x = x != 0
    chosen = np.stack(_windows(x, structure.shape, 4, bool(border_value), origins))[structure.ravel()]
    output[...] = (chosen.any(axis=0) if invert else chosen.all(axis=0)).astype(output.dtype)


@replacement(_ni_label._label)
def _label(x, structure, output):
    """Parts that hang together are numbered in the order of their first elements."""
    if x.ndim > 2:
        refuse("scipy.ndimage.label of more than two dimensions")
    given, joins = (x, structure) if x.ndim == 2 else (x[None, :], structure[None, :])
    rows, columns = given.shape
    middle = joins.shape[0] // 2
    seen = np.zeros((rows, columns), np.int64)
    todo = np.zeros((rows * columns, 2), np.int64)
    count = 0
    for i in range(rows):
        for j in range(columns):
            if given[i, j] != 0 and seen[i, j] == 0:
                count += 1
                seen[i, j] = count
                todo[0, 0], todo[0, 1] = i, j
                waiting = 1
                while waiting > 0:
                    waiting -= 1
                    a, b = int(todo[waiting, 0]), int(todo[waiting, 1])
                    for c in range(joins.shape[0]):
                        for d in range(3):
                            row, column = a + c - middle, b + d - 1
                            inside = 0 <= row < rows and 0 <= column < columns
                            if inside and joins[c, d] and given[row, column] != 0 and seen[row, column] == 0:
                                seen[row, column] = count
                                todo[waiting, 0], todo[waiting, 1] = row, column
                                waiting += 1
    output[...] = seen.reshape(output.shape).astype(output.dtype)
    return count
