"""Statistics of vectors whose length depends on data: NumPy's definitions, in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.bounded import bounded_elementwise, masked_axes
from xlapy.dispatch.bounded.library_functions import type_of_array
from xlapy.dispatch.numpy.rule_operands import absent, array_type, kind_of, known
from xlapy.dispatch.numpy.statistics import has_variables_in_rows
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


def _of_vector(item: Callable, implementation: Callable, *options: str) -> None:
    """`item(a, axis=None, **options)` of a vector."""

    def rule(machine, a, axis=None, **given):
        if (
            not isinstance(a, BoundedArray)
            or not set(given) <= set(options)
            or known(machine, axis) not in (None, 0, -1)
        ):
            raise require_static(machine, first_of((a,), given), f"np.{item.__name__} with such arguments")
        _check_vectors(machine, item, (a,), "biuf")
        return machine.call(Const(implementation), (a,), given)

    registry.function(item, kind=DYNAMIC_LENGTH)(rule)


def _of_vectors(item: Callable, implementation: Callable, least: int, most: int) -> None:
    """`item(a, b)` of vectors; the second may be left out where `least` is 1."""

    def rule(machine, *arrays):
        if not least <= len(arrays) <= most:
            raise require_static(machine, first_of(arrays, {}), f"np.{item.__name__} with such arguments")
        _check_vectors(machine, item, arrays, "biuf")
        return machine.call(Const(implementation), arrays)

    registry.function(item, kind=DYNAMIC_LENGTH)(rule)


# -- without NaN ------------------------------------------------------------------------------------------------------


def _nansum(a):
    return np.sum(np.where(np.isnan(a), 0, a))


def _nanprod(a):
    return np.prod(np.where(np.isnan(a), 1, a))


def _nanmax(a):
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation fmax which has no identity")
    if a.dtype.kind != "f":
        return a.max()
    missing = np.isnan(a)
    return np.where(missing.all(), np.nan, np.where(missing, -np.inf, a).max())[()]


def _nanmin(a):
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation fmin which has no identity")
    if a.dtype.kind != "f":
        return a.min()
    missing = np.isnan(a)
    return np.where(missing.all(), np.nan, np.where(missing, np.inf, a).min())[()]


def _nanmean(a):
    return a[~np.isnan(a)].mean()


def _nanvar(a, ddof=0):
    return a[~np.isnan(a)].var(ddof=ddof)


def _nanstd(a, ddof=0):
    return a[~np.isnan(a)].std(ddof=ddof)


def _nanmedian(a):
    return np.median(a[~np.isnan(a)])


def _nancumsum(a):
    return np.cumsum(np.where(np.isnan(a), np.zeros(1, a.dtype), a))


def _nancumprod(a):
    return np.cumprod(np.where(np.isnan(a), np.ones(1, a.dtype), a))


for _item, _implementation in (
    (np.nansum, _nansum),
    (np.nanprod, _nanprod),
    (np.nanmax, _nanmax),
    (np.nanmin, _nanmin),
    (np.nanmean, _nanmean),
    (np.nanmedian, _nanmedian),
):
    _of_vector(_item, _implementation)
_of_vector(np.nancumsum, _nancumsum)
_of_vector(np.nancumprod, _nancumprod)
_of_vector(np.nanvar, _nanvar, "ddof")
_of_vector(np.nanstd, _nanstd, "ddof")

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


def _weighted(a, weights):
    if len(a) != len(weights):
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    dtype = np.result_type(a.dtype, weights.dtype, np.float64 if a.dtype.kind in "biu" else a.dtype)
    total = weights.sum(dtype=dtype)
    if total == 0.0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return (a.astype(dtype) * weights.astype(dtype)).sum() / total


def _average(machine, a, axis: Any = None, weights: Any = None):
    if absent(weights):
        return machine.call(Const(np.mean), (a, *([] if absent(axis) else [axis])))
    if known(machine, axis) not in (None, 0, -1):
        raise require_static(machine, first_of((a, weights), {}), "np.average along such an axis")
    _check_vectors(machine, np.average, (a, weights), "biuf")
    return machine.call(Const(_weighted), (a, weights))


registry.function(np.average, kind=DYNAMIC_LENGTH)(_average)


def _trapezoid(y, x=None):
    steps = 1.0 if x is None else np.diff(x)
    return (steps * (y[1:] + y[:-1]) / 2.0).sum()


def _cov(m, y=None):
    a = m.astype(np.float64)
    a = a - a.mean()
    share = np.true_divide(1, max(len(m) - 1, 0))
    if y is None:
        return np.asarray((a @ a) * share)
    b = y.astype(np.float64)
    b = b - b.mean()
    return np.array([[a @ a, a @ b], [b @ a, b @ b]]) * share


def _corrcoef(x, y):
    c = _cov(x, y)
    d = np.sqrt(np.diag(c))
    return np.clip(c / d[:, None] / d[None, :], -1, 1)


def _covariances(m, rowvar, ddof):
    a = m.astype(np.float64) if rowvar else m.astype(np.float64).T
    a = a - a.mean(axis=1)[:, None]
    found = a @ a.T
    found *= np.true_divide(1, max(a.shape[1] - ddof, 0))
    return found.squeeze()


def _correlations(m, rowvar, ddof):
    c = _covariances(m, rowvar, ddof)
    if c.ndim == 0:
        return c / c
    d = np.sqrt(np.diag(c))
    c /= d[:, None]
    c /= d[None, :]
    return np.clip(c, -1, 1)


def _of_observations(item: Callable, vectors: Callable, matrix: Callable) -> None:
    """np.cov and np.corrcoef: of one or two vectors, or of a matrix with any number of observations."""

    def rule(machine, m, y: Any = None, rowvar=True, bias=False, ddof=None):
        if isinstance(m, BoundedArray) and len(m.axes) == 2:
            rows, by_rows = m.base.type.shape[0], bool(known(machine, rowvar))
            if m.axes[0] is not None and has_variables_in_rows(by_rows, (1, 0)) != by_rows:
                raise require_static(machine, m, f"np.{item.__name__} of what may be one row")
            by_rows = has_variables_in_rows(by_rows, (rows, 0))
            kinds = kind_of(m.base.type.dtype) in "biuf"
            if (
                not absent(y)
                or not kinds
                or m.axes[0 if by_rows else 1] is not None
                or m.base.type.shape[0 if by_rows else 1] == 0
            ):
                raise require_static(machine, m, f"np.{item.__name__} of such arrays")
            less = known(machine, ddof) if not absent(ddof) else 0 if known(machine, bias) else 1
            return machine.call(Const(matrix), (m, Const(by_rows), Const(int(less))))
        arrays = (m,) if absent(y) else (m, y)
        if rowvar is not True or bias is not False or ddof is not None or (item is np.corrcoef and len(arrays) < 2):
            raise require_static(machine, first_of(arrays, {}), f"np.{item.__name__} with such arguments")
        _check_vectors(machine, item, arrays, "biuf")
        return machine.call(Const(vectors), arrays)

    registry.function(item, kind=DYNAMIC_LENGTH)(rule)


def _array_equal(a1, a2):
    return len(a1) == len(a2) and bool((a1 == a2).all())


_of_vectors(np.trapezoid, _trapezoid, 1, 2)
_of_observations(np.cov, _cov, _covariances)
_of_observations(np.corrcoef, _corrcoef, _correlations)
_of_vectors(np.array_equal, _array_equal, 2, 2)


def _ediff1d(machine, ary, to_end=None, to_begin=None):
    dtype = type_of_array(machine, ary).dtype
    ends = [() if absent(v) else (machine.call(Const(np.ravel), (v,)),) for v in (to_begin, to_end)]
    fits = all(np.can_cast(type_of_array(machine, v).dtype, dtype, "same_kind") for end in ends for v in end)
    if not fits or dtype == np.bool_:
        raise require_static(machine, first_of((ary, to_end, to_begin), {}), "np.ediff1d of such arrays")
    ends = [tuple(machine.call(machine.getattr(v, "astype"), (Const(dtype),)) for v in end) for end in ends]
    steps = machine.call(Const(np.diff), (machine.call(Const(np.ravel), (ary,)),))
    return machine.call(Const(np.concatenate), (Tuple((*ends[0], steps, *ends[1])),)) if any(ends) else steps


registry.function(np.ediff1d, kind=DYNAMIC_LENGTH)(_ediff1d)

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
