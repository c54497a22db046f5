"""Statistics of vectors whose length depends on data: NumPy's definitions, in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.bounded import bounded_elementwise, masked_axes
from xlapy.dispatch.numpy.rule_operands import array_type, kind_of, known
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Tuple, Value


def _rank(machine: Machine, value: Value) -> int:
    found = masked_axes.parts(machine, value)
    return len(found[1]) if found is not None else len(array_type(machine, value).shape)


def _check_vectors(machine: Machine, item: Callable, arrays: tuple[Value, ...], kinds: str) -> None:
    """Ask for static lengths where an array is no vector, or of other numbers than `kinds`."""
    for value in arrays:
        dtype = value.base.type.dtype if isinstance(value, BoundedArray) else array_type(machine, value).dtype
        if _rank(machine, value) != 1 or kind_of(dtype) not in kinds:
            what = f"np.{item.__name__} of several dimensions or of such a type"
            raise require_static(machine, first_of(arrays, {}), what)


# -- without NaN ------------------------------------------------------------------------------------------------------


# -- quantiles --------------------------------------------------------------------------------------------------------


def _quantile(a, q):
    if a.size == 0:
        raise IndexError(f"index {-1 if a.dtype.kind == 'f' else 0} is out of bounds for axis 0 with size 0")
    if isinstance(q, int):  # of one sample, whose neighbour may be infinite
        return a.max() if q else a.min()
    ordered, last = np.sort(a), len(a) - 1
    place = q * last
    low = int(np.floor(place))
    weight = place - low
    first, second = ordered[low], ordered[min(low + 1, last)]
    distance = second - first
    between = np.where(weight >= 0.5, second - distance * (1 - weight), first + distance * weight)[()]
    return np.where(np.isnan(ordered[-1]), np.nan, between)[()]


def _quantiles(a, q):
    return np.array([_quantile(a, p) for p in q])


def _linear(
    item: Callable, scale: float, named: str, found: Sequence[Callable | None] = (_quantile, _quantiles)
) -> None:
    """np.quantile or np.percentile by the default method, of float64 and integers, at known places."""

    def rule(machine, a, q, axis=None):
        wanted = np.asarray(known(machine, q, "the quantiles"))
        plain = wanted.dtype.kind in "iuf" and wanted.ndim < 2 and known(machine, axis) in (None, 0, -1)
        narrow = isinstance(a, BoundedArray) and a.base.type.dtype in (np.float16, np.float32)
        plain = plain and (wanted.ndim == 0 or found[1] is not None)
        if not isinstance(a, BoundedArray) or narrow or not plain:
            raise require_static(machine, first_of((a, q), {}), f"np.{item.__name__} with such arguments")
        _check_vectors(machine, item, (a,), "iuf")
        places = wanted if scale == 1 and wanted.dtype.kind in "iu" else np.true_divide(wanted, scale)
        if not ((places >= 0) & (places <= 1)).all():
            return machine.raise_(ValueError, f"{named} must be in the range [0, {scale:g}]")
        if wanted.ndim == 0:
            return machine.call(Const(found[0]), (a, Const(places.item())))
        return machine.call(Const(found[1]), (a, Tuple(tuple(Const(p) for p in places.tolist()))))

    registry.function(item, kind=DYNAMIC_LENGTH)(rule)


def _nanquantile(a, q):
    a = a[~np.isnan(a)]
    return np.nan if a.size == 0 else _quantile(a, q)


_linear(np.quantile, 1, "Quantiles")
_linear(np.nanquantile, 1, "Quantiles", (_nanquantile, None))
_linear(np.nanpercentile, 100, "Percentiles", (_nanquantile, None))
_linear(np.percentile, 100, "Percentiles")

# -- several vectors --------------------------------------------------------------------------------------------------


# -- element by element, with tables ----------------------------------------------------------------------------------


def _interp(machine, x, xp, fp, left=None, right=None):
    options = {k: v for k, v in (("left", left), ("right", right)) if isinstance(v, Value)}
    if involved(left, right):
        raise require_static(machine, first_of((x, xp, fp), options), "np.interp with such arguments")
    if involved(xp, fp):
        tables = [v if involved(v) else machine.call(Const(np.asarray), (v,)) for v in (xp, fp)]
        x = x if involved(x) else machine.call(Const(np.asarray), (x,))
        _check_vectors(machine, np.interp, tuple(tables), "biuf")
        return machine.call(Const(_between), (x, *tables), options)
    return bounded_elementwise.on_lanes(
        machine, x, lambda room: machine.call(Const(np.interp), (room, xp, fp), options)
    )


def _between(x, xp, fp, left=None, right=None):
    count = len(xp)
    if count == 0:
        raise ValueError("array of sample points is empty")
    if len(fp) != count:
        raise ValueError("fp and xp are not of the same length.")
    xp, fp = xp.astype(np.float64), fp.astype(np.float64)
    last = count - 1
    x = x * 1.0
    low = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, max(last - 1, 0))
    high = np.minimum(low + 1, last)
    width = xp[high] - xp[low]
    slope = (fp[high] - fp[low]) / np.where(width == 0, 1.0, width)
    found = slope * (x - xp[low]) + fp[low]
    found = np.where(np.isnan(found), slope * (x - xp[high]) + fp[high], found)
    found = np.where(np.isnan(found) & (fp[low] == fp[high]), fp[low], found)
    found = np.where(x == xp[low], fp[low], np.where(x == xp[last], fp[last], found))
    found = np.where(x < xp[0], fp[0] if left is None else left, found)
    found = np.where(x > xp[last], fp[last] if right is None else right, found)
    return np.where(np.isnan(x), np.where(count > 1, x, fp[0]), found)[()]


def _digitize(machine, x, bins, right=False):
    if involved(bins):
        x = x if involved(x) else machine.call(Const(np.asarray), (x,))
        _check_vectors(machine, np.digitize, (bins,), "iuf")
        return machine.call(Const(_in_bins), (x, bins, Const(bool(known(machine, right)))))
    options = {"right": right} if isinstance(right, Value) else {}
    return bounded_elementwise.on_lanes(
        machine, x, lambda room: machine.call(Const(np.digitize), (room, bins), options)
    )


def _in_bins(x, bins, right):
    rises, falls = (bins[1:] >= bins[:-1]).all(), (bins[1:] <= bins[:-1]).all()
    if not rises and not falls:
        raise ValueError("bins must be monotonically increasing or decreasing")
    rising = np.searchsorted(bins, x, side="left" if right else "right")
    falling = len(bins) - np.searchsorted(bins[::-1], x, side="left" if right else "right")
    return np.where(rises, rising, falling)[()]


registry.function(np.interp, kind=DYNAMIC_LENGTH)(_interp)
registry.function(np.digitize, kind=DYNAMIC_LENGTH)(_digitize)
