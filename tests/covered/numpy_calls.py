# ruff: noqa: E501
"""Calls of every public function of NumPy, with every documented argument, one expression a line.

The names that expressions may use are those of `ARGUMENTS`; all are arguments of the compiled function.
"""

import numpy as np

A = np.array([[4.0, -1.0, 0.5], [2.0, 3.0, -2.5], [1.0, 0.25, 6.0]])
ARGUMENTS = {
    "a": A,
    "b": np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 4.0], [5.0, 0.5, -2.0]]),
    "t": np.arange(24.0).reshape(2, 3, 4) % 7 - 2,
    "v": np.array([3.0, -1.0, 2.0, 2.0, 0.0, -4.5]),
    "w": np.array([1.0, 2.0, 0.5, 4.0, 3.0, 2.5]),
    "i": np.array([5, -3, 2, 7, 0, 2]),
    "k": np.array([2, 0, 1, 1, 0, 2]),
    "e": np.array([100, -100, 50, 7, 0, 2], dtype=np.int8),
    "m": np.array([True, False, True, True, False, False]),
    "q": A > 0.4,
    "c": A + 1j * A.T,
    "z": np.array([1 + 2j, 0j, 2 - 1j, -1j, 3, -2 + 0.5j]),
    "n": np.array([3.0, np.nan, 2.0, 2.0, np.nan, -4.5]),
    "h": np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 0.5], [2.0, 4.0, -1.0]]),
    "p": A @ A.T,
    "x": 1.5,
    "y": 2,
}

_REDUCTION = "{f}(a) | {f}(a, axis=0) | {f}(t, axis=(0, 2)) | {f}(a, axis=-1, keepdims=True) | {f}(t, None, keepdims=True) | {f}(i) | {f}(t, axis=1, out=np.zeros((2, 4)))"
_NUMERIC = _REDUCTION + " | {f}(a, where=q) | {f}(a, axis=1, where=q[0]) | {f}(m) | {f}(e) | {f}(c)"
_SUM = (
    _NUMERIC
    + " | {f}(a, initial=2.0) | {f}(a, dtype=np.float32) | {f}(i, dtype=np.int8) | {f}(e, axis=0, dtype=float) | {f}(a, axis=0, out=np.zeros(3), initial=1, where=q)"
)
_EXTREME = (
    _REDUCTION
    + " | {f}(a, initial=0.5) | {f}(a, where=q, initial=0.0) | {f}(a, axis=0, where=q, initial=-9) | {f}(m) | {f}(e) | {f}(n) | {f}(t, (0, 1))"
)
_MOMENT = (
    _NUMERIC + " | {f}(a, dtype=np.float32) | {f}(i, dtype=np.float32) | {f}(a, axis=0, out=np.zeros(3), dtype=float)"
)
_SPREAD = (
    _MOMENT
    + " | {f}(a, ddof=1) | {f}(a, axis=0, ddof=2, keepdims=True) | {f}(a, axis=0, mean=np.mean(a, axis=0, keepdims=True)) | {f}(a, correction=1) | {f}(c, axis=1)"
)
_CUMULATIVE = "{f}(a) | {f}(a, axis=0) | {f}(a, axis=-1) | {f}(i) | {f}(m) | {f}(e) | {f}(c, axis=1) | {f}(e, dtype=np.int8) | {f}(a, axis=1, dtype=np.float32) | {f}(a, axis=0, out=np.zeros((3, 3)))"
_QUANTILE = "{f}(a, {q}) | {f}(a, {q}, axis=0) | {f}(v, [{q}, {r}]) | {f}(t, np.array([{q}, {r}]), axis=(0, 1), keepdims=True) | {f}(a, {q}, axis=1, out=np.zeros(3)) | {f}(v, {q}, overwrite_input=True) | {f}(i, {r}, method='lower') | {f}(v, {q}, method='higher') | {f}(v, {q}, method='nearest') | {f}(v, {q}, method='midpoint') | {f}(v, {q}, method='hazen') | {f}(v, {q}, method='weibull') | {f}(v, {q}, method='median_unbiased') | {f}(v, {q}, method='inverted_cdf') | {f}(v, {q}, method='inverted_cdf', weights=w) | {f}(n, {q})"
_ARG = "{f}(a) | {f}(a, axis=0) | {f}(a, axis=1, keepdims=True) | {f}(i) | {f}(m) | {f}(t, axis=2, out=np.zeros((2, 3), dtype=int)) | {f}(e)"

CALLS = {
    # reductions
    "sum": _SUM,
    "prod": _SUM,
    "nansum": _SUM + " | np.nansum(n) | np.nansum(h, axis=0)",
    "nanprod": _SUM + " | np.nanprod(n) | np.nanprod(h, axis=0)",
    "max": _EXTREME,
    "min": _EXTREME,
    "amax": _EXTREME,
    "amin": _EXTREME,
    "nanmax": _EXTREME + " | np.nanmax(h, axis=0)",
    "nanmin": _EXTREME + " | np.nanmin(h, axis=1)",
    "all": _REDUCTION.replace("np.zeros((2, 4))", "np.zeros((2, 4), dtype=bool)")
    + " | np.all(a, where=q) | np.all(q, axis=0, where=m[:3])",
    "any": _REDUCTION.replace("np.zeros((2, 4))", "np.zeros((2, 4), dtype=bool)")
    + " | np.any(a, where=q) | np.any(q, axis=0, where=m[:3])",
    "ptp": _REDUCTION,
    "mean": _MOMENT,
    "std": _SPREAD,
    "var": _SPREAD,
    "nanmean": _MOMENT + " | np.nanmean(n) | np.nanmean(h, axis=0)",
    "nanstd": _SPREAD + " | np.nanstd(n) | np.nanstd(h, axis=0, ddof=1)",
    "nanvar": _SPREAD + " | np.nanvar(n) | np.nanvar(h, axis=0, ddof=1)",
    "median": _REDUCTION + " | np.median(v, overwrite_input=True) | np.median(n) | np.median(m)",
    "nanmedian": _REDUCTION + " | np.nanmedian(v, overwrite_input=True) | np.nanmedian(n) | np.nanmedian(h, axis=0)",
    "quantile": _QUANTILE.format(f="np.quantile", q="0.3", r="0.75"),
    "percentile": _QUANTILE.format(f="np.percentile", q="30", r="75"),
    "nanquantile": _QUANTILE.format(f="np.nanquantile", q="0.3", r="0.75") + " | np.nanquantile(h, 0.5, axis=0)",
    "nanpercentile": _QUANTILE.format(f="np.nanpercentile", q="30", r="75") + " | np.nanpercentile(h, 50, axis=0)",
    "average": "np.average(a) | np.average(a, axis=0) | np.average(a, axis=(0, 1)) | np.average(v, weights=w) | np.average(a, axis=1, weights=w[:3], keepdims=True) | np.average(v, weights=w, returned=True) | np.average(i) | np.average(t, axis=1, weights=np.abs(t) + 1)",
    "argmax": _ARG,
    "argmin": _ARG,
    "nanargmax": _ARG + " | np.nanargmax(n) | np.nanargmax(h, axis=1)",
    "nanargmin": _ARG + " | np.nanargmin(n) | np.nanargmin(h, axis=1)",
    "cumsum": _CUMULATIVE,
    "cumprod": _CUMULATIVE,
    "nancumsum": _CUMULATIVE + " | np.nancumsum(n)",
    "nancumprod": _CUMULATIVE + " | np.nancumprod(n)",
    "cumulative_sum": "np.cumulative_sum(v) | np.cumulative_sum(a, axis=0) | np.cumulative_sum(e, dtype=float) | np.cumulative_sum(a, axis=1, include_initial=True) | np.cumulative_sum(v, out=np.zeros(6))",
    "cumulative_prod": "np.cumulative_prod(v) | np.cumulative_prod(a, axis=0) | np.cumulative_prod(e, dtype=float) | np.cumulative_prod(a, axis=1, include_initial=True) | np.cumulative_prod(v, out=np.zeros(6))",
    "count_nonzero": "np.count_nonzero(a) | np.count_nonzero(t, axis=1) | np.count_nonzero(t, axis=(0, 2), keepdims=True) | np.count_nonzero(m) | np.count_nonzero(z)",
    # statistics
    "cov": "np.cov(a) | np.cov(v) | np.cov(v, w) | np.cov(a, y=b) | np.cov(a, rowvar=False) | np.cov(a, bias=True) | np.cov(a, ddof=0) | np.cov(a, fweights=k[:3] + 1) | np.cov(a, aweights=w[:3]) | np.cov(a, dtype=np.float32) | np.cov(c) | np.cov(i)",
    "corrcoef": "np.corrcoef(a) | np.corrcoef(v, w) | np.corrcoef(a, y=b) | np.corrcoef(a, rowvar=False) | np.corrcoef(a, dtype=np.float32) | np.corrcoef(c)",
    "correlate": "np.correlate(v, w) | np.correlate(v, w[:2], mode='same') | np.correlate(v, w, mode='full') | np.correlate(z, z[:3], 'full') | np.correlate(i, k[:2])",
    "convolve": "np.convolve(v, w) | np.convolve(v, w[:3], mode='same') | np.convolve(v, w[:2], 'valid') | np.convolve(w[:2], v) | np.convolve(z, z) | np.convolve(i, k) | np.convolve(x, v)",
    "histogram": "np.histogram(v) | np.histogram(v, bins=3) | np.histogram(v, 4, range=(-3, 3)) | np.histogram(i, bins=[0, 2, 5, 8]) | np.histogram(v, 5, density=True) | np.histogram(v, 3, weights=w) | np.histogram(i, 4) | np.histogram(a, 4, weights=b) | np.histogram(v, 3, weights=w, density=True) | np.histogram(v, bins=np.sort(w))",
    "histogram_bin_edges": "np.histogram_bin_edges(v) | np.histogram_bin_edges(v, bins=3, range=(-1, 1)) | np.histogram_bin_edges(i, 4) | np.histogram_bin_edges(v, 3, weights=w)",
    "histogram2d": "np.histogram2d(v, w) | np.histogram2d(v, w, bins=3) | np.histogram2d(v, w, bins=[2, 3], range=[[-1, 1], [0, 4]]) | np.histogram2d(v, w, 3, density=True) | np.histogram2d(v, w, 3, weights=w)",
    "histogramdd": "np.histogramdd((v, w)) | np.histogramdd(np.stack([v, w], 1), bins=3) | np.histogramdd((v, w), 3, weights=w) | np.histogramdd((v, w), bins=[2, 3], range=[[-1, 1], [0, 4]], density=True)",
    "bincount": "np.bincount(k) | np.bincount(k, weights=w) | np.bincount(k, minlength=7) | np.bincount(k, w, 5)",
    "digitize": "np.digitize(v, np.array([-2.0, 0.0, 2.0])) | np.digitize(i, [0, 3, 6], right=True) | np.digitize(v, [3.0, 1.0, -2.0]) | np.digitize(a, [0.0, 1.0]) | np.digitize(x, [0.0, 1.0])",
    "interp": "np.interp(v, [-2.0, 0.0, 3.0], [1.0, 5.0, 2.0]) | np.interp(x, [0, 1, 3], [2, 4, 1]) | np.interp(w, [1.0, 2.0], [3.0, 4.0], left=-1, right=9) | np.interp(v, [0.0, 1.0, 2.0], [1.0, 3.0, 2.0], period=3.0) | np.interp(a, [0.0, 2.0], [1j, 2.0])",
    "gradient": "np.gradient(v) | np.gradient(a) | np.gradient(v, 0.5) | np.gradient(v, np.cumsum(w)) | np.gradient(a, axis=1) | np.gradient(i) | np.gradient(v, 2.0, edge_order=2) | np.gradient(a, 2.0, 3.0) | np.gradient(a, axis=(0, 1)) | np.gradient(c, axis=0)",
    "diff": "np.diff(v) | np.diff(a, axis=0) | np.diff(i, n=2) | np.diff(v, prepend=0) | np.diff(a, prepend=b[:, :1], append=b[:, :2]) | np.diff(v, append=[1.0, 2.0]) | np.diff(m) | np.diff(e) | np.diff(v, n=0)",
    "ediff1d": "np.ediff1d(v) | np.ediff1d(i, to_end=9) | np.ediff1d(v, to_begin=[1.0, 2.0]) | np.ediff1d(a, to_end=[1.0], to_begin=x)",
    "trapezoid": "np.trapezoid(v) | np.trapezoid(v, w) | np.trapezoid(v, x=np.cumsum(w)) | np.trapezoid(a, dx=0.5, axis=0) | np.trapezoid(a, w[:3], axis=1) | np.trapezoid(i) | np.trapezoid(z)",
    "unwrap": "np.unwrap(v) | np.unwrap(a, axis=0) | np.unwrap(v, discont=4.0) | np.unwrap(i, period=4) | np.unwrap(v, period=2.0)",
    # texts
    "array_str": "np.array_str(a) | np.array_str(i) | np.array_str(q) | np.array_str(c) | np.array_str(a, precision=2)",
    "array_repr": "np.array_repr(a) | np.array_repr(i) | np.array_repr(e) | np.array_repr(c) | np.array_repr(a, precision=2)",
    "array2string": "np.array2string(a) | np.array2string(v) | np.array2string(q) | np.array2string(a, separator=',')",
    # sorting and searching
    "sort": "np.sort(v) | np.sort(a, axis=0) | np.sort(a, axis=None) | np.sort(i, kind='stable') | np.sort(n) | np.sort(z) | np.sort(m) | np.sort(v, stable=True) | np.sort(a, kind='mergesort')",
    "argsort": "np.argsort(w) | np.argsort(a, axis=0) | np.argsort(a, axis=None) | np.argsort(i, kind='stable') | np.argsort(i, stable=True) | np.argsort(n, kind='stable') | np.argsort(m, kind='stable')",
    "lexsort": "np.lexsort((w, v)) | np.lexsort((i, k)) | np.lexsort(a) | np.lexsort((a, b), axis=0)",
    "sort_complex": "np.sort_complex(z) | np.sort_complex(i) | np.sort_complex(v)",
    "partition": "np.partition(w, 2)[2] | np.sort(np.partition(w, 2)[:2]) | np.partition(a, 1, axis=0)[1] | np.partition(w, (1, 3))[[1, 3]] | np.partition(w, 2, kind='introselect')[2]",
    "argpartition": "w[np.argpartition(w, 2)[2]] | np.take_along_axis(a, np.argpartition(a, 1, axis=0), 0)[1] | w[np.argpartition(w, 2, kind='introselect')[2]]",
    "searchsorted": "np.searchsorted(np.sort(v), w) | np.searchsorted(np.array([0, 2, 4]), 2, side='right') | np.searchsorted(v, w, sorter=np.argsort(v)) | np.searchsorted([0, 2, 4], a) | np.searchsorted(np.sort(v), x)",
    "argwhere": "np.argwhere(a > 1) | np.argwhere(v) | np.argwhere(q)",
    "nonzero": "np.nonzero(a > 1) | np.nonzero(v) | np.nonzero(t)",
    "flatnonzero": "np.flatnonzero(a > 1) | np.flatnonzero(v)",
    "extract": "np.extract(m, v) | np.extract(a > 1, a)",
    "compress": "np.compress(m, v) | np.compress([True, False, True], a, axis=0) | np.compress([True, False, True], a, axis=1, out=np.zeros((3, 2))) | np.compress(m[:3], a, axis=1)",
    "where": "np.where(m, v, w) | np.where(m, 1, 0) | np.where(m, i, 2.5) | np.where(m) | np.where(a > 0, a, 0) | np.where(m, e, 1) | np.where(v > 0, np.float32(1), np.float32(2)) | np.where(x > 1, v, w) | np.where(i, v, w)",
    "isin": "np.isin(i, [2, 7]) | np.isin(a, b) | np.isin(i, k, invert=True) | np.isin(i, k, assume_unique=True) | np.isin(i, k, kind='sort') | np.isin(x, v)",
    "unique": "np.unique(i) | np.unique(a) | np.unique(i, return_index=True) | np.unique(k, return_inverse=True) | np.unique(k, return_counts=True) | np.unique(k, return_index=True, return_inverse=True, return_counts=True) | np.unique(n) | np.unique(n, equal_nan=False) | np.unique(v, sorted=True) | np.unique(np.array([[1, 2], [1, 2], [0, 1]]), axis=0)",
    "unique_all": "tuple(np.unique_all(k))",
    "unique_counts": "tuple(np.unique_counts(k))",
    "unique_inverse": "tuple(np.unique_inverse(k))",
    "unique_values": "np.sort(np.unique_values(k))",
    "union1d": "np.union1d(i, k) | np.union1d(v, w)",
    "intersect1d": "np.intersect1d(i, k) | np.intersect1d(v, w) | np.intersect1d(np.unique(i), np.unique(k), assume_unique=True) | np.intersect1d(i, k, return_indices=True)",
    "setdiff1d": "np.setdiff1d(i, k) | np.setdiff1d(np.unique(i), k, assume_unique=True)",
    "setxor1d": "np.setxor1d(i, k) | np.setxor1d(np.unique(i), np.unique(k), assume_unique=True)",
    "trim_zeros": "np.trim_zeros(v) | np.trim_zeros(np.array([0, 0, 1, 2, 0])) | np.trim_zeros(np.array([0, 0, 1, 2, 0]), trim='f') | np.trim_zeros(np.array([0, 0, 1, 2, 0]), 'b') | np.trim_zeros(np.array([[0, 0], [0, 1]]), axis=0) | np.trim_zeros(a, axis=0)",
    # choosing and changing
    "choose": "np.choose(k, [v, w, i]) | np.choose(k, (1, 2, 3)) | np.choose(k + 1, [v, w, v], mode='wrap') | np.choose(k + 1, [v, w, v], mode='clip') | np.choose(k, [v, w, v], out=np.zeros(6))",
    "select": "np.select([v > 2, v > 0], [v, -v], default=9) | np.select([v > 2, v > 0], [v, i]) | np.select([m, ~m], [1, 2])",
    "take": "np.take(v, [0, 2]) | np.take(a, 1, axis=0) | np.take(a, k[:2], axis=1) | np.take(v, [7, -9], mode='wrap') | np.take(v, [7, -9], mode='clip') | np.take(a, [0, 1], axis=1, out=np.zeros((3, 2))) | np.take(a, k)",
    "take_along_axis": "np.take_along_axis(a, np.argsort(a, 1), 1) | np.take_along_axis(a, np.argsort(a, 0), axis=0) | np.take_along_axis(v, k, None) | np.take_along_axis(a, k[None, :2])",
    "put": "[u := v.copy(), np.put(u, [0, 2], [9.0, 8.0])][0] | [u := v.copy(), np.put(u, [7, -9], 1.0, mode='wrap')][0] | [u := a.copy(), np.put(u, [7, 90], [1.0, 2.0], mode='clip')][0]",
    "put_along_axis": "[u := a.copy(), np.put_along_axis(u, np.argmax(a, axis=1, keepdims=True), 9.0, axis=1)][0] | [u := v.copy(), np.put_along_axis(u, k[:2], w[:2], None)][0]",
    "putmask": "[u := v.copy(), np.putmask(u, m, w)][0] | [u := v.copy(), np.putmask(u, u > 1, [1.0, 2.0])][0]",
    "place": "[u := v.copy(), np.place(u, m, [1.0, 2.0])][0] | [u := v.copy(), np.place(u, u > 0, w)][0]",
    "copyto": "[u := v.copy(), np.copyto(u, w)][0] | [u := v.copy(), np.copyto(u, i, casting='unsafe')][0] | [u := v.copy(), np.copyto(u, 1, where=m)][0]",
    "fill_diagonal": "[u := a.copy(), np.fill_diagonal(u, 9)][0] | [u := np.zeros((5, 2)), np.fill_diagonal(u, 4, wrap=True)][0] | [u := a.copy(), np.fill_diagonal(u, [1, 2, 3])][0]",
    "insert": "np.insert(v, 2, 9.0) | np.insert(a, 1, 0.0, axis=1) | np.insert(v, [1, 3], [7.0, 8.0]) | np.insert(a, 1, [1, 2, 3], axis=0) | np.insert(v, -1, x) | np.insert(i, 0, 2.7) | np.insert(v, slice(0, 3, 2), 7)",
    "delete": "np.delete(v, 2) | np.delete(a, [0, 2], axis=0) | np.delete(v, slice(1, 3)) | np.delete(a, 1) | np.delete(v, [True, False, True, False, False, False]) | np.delete(a, -1, axis=1)",
    "append": "np.append(v, 3) | np.append(a, b, axis=0) | np.append(a, i) | np.append([], x)",
    "clip": "np.clip(v, -1, 2) | np.clip(i, 0, 5) | np.clip(v, None, 1.0) | np.clip(i, 0.5, 3) | np.clip(a, b, 4.0) | np.clip(v, a_min=0, a_max=1) | np.clip(v, min=-1, max=1) | np.clip(v, 0, 1, out=np.zeros(6)) | np.clip(e, -5, 5) | np.clip(v, 0, 1, where=m, out=np.ones(6)) | np.clip(i, 0, 5, dtype=float)",
    # joining and splitting
    "concatenate": "np.concatenate([a, b]) | np.concatenate((a, b), axis=1) | np.concatenate([v, i]) | np.concatenate([a, b], axis=None) | np.concatenate([v, i], out=np.zeros(12)) | np.concatenate([v, i], dtype=np.float32, casting='same_kind') | np.concatenate([e, i])",
    "concat": "np.concat([a, b]) | np.concat((a, b), axis=1) | np.concat([v, i], out=np.zeros(12)) | np.concat([v, i], dtype=np.float32, casting='same_kind')",
    "stack": "np.stack([v, w]) | np.stack((v, i), axis=-1) | np.stack([a, b], 1) | np.stack([v, w], out=np.zeros((2, 6))) | np.stack([v, w], dtype=np.float32, casting='same_kind')",
    "vstack": "np.vstack([v, w]) | np.vstack((a, v[:3])) | np.vstack([v, w], dtype=np.float32, casting='same_kind')",
    "row_stack": "np.row_stack([v, w]) | np.row_stack([v, w], dtype=np.float32, casting='same_kind')",
    "hstack": "np.hstack([v, i]) | np.hstack((a, b)) | np.hstack([v, w], dtype=np.float32, casting='same_kind') | np.hstack([x, v])",
    "dstack": "np.dstack([v, w]) | np.dstack((a, b))",
    "column_stack": "np.column_stack([v, i]) | np.column_stack((a, v[:3]))",
    "block": "np.block([[a, b], [b, a]]) | np.block([v, w]) | np.block([[1.0, v[:2]], [w[:1], i[:2]]])",
    "split": "np.split(v, 3) | np.split(v, [1, 4]) | np.split(a, 3, axis=1)",
    "array_split": "np.array_split(v, 4) | np.array_split(a, 2, axis=1) | np.array_split(v, [2, 9])",
    "hsplit": "np.hsplit(a, [1]) | np.hsplit(v, 2)",
    "vsplit": "np.vsplit(a, 3)",
    "dsplit": "np.dsplit(t, 2)",
    "unstack": "np.unstack(a) | np.unstack(t, axis=2)",
    "atleast_1d": "np.atleast_1d(x) | np.atleast_1d(v, x)",
    "atleast_2d": "np.atleast_2d(v) | np.atleast_2d(a, x)",
    "atleast_3d": "np.atleast_3d(v) | np.atleast_3d(a, t)",
    # shapes
    "reshape": "np.reshape(v, (2, 3)) | np.reshape(a, 9) | np.reshape(t, (4, -1), order='F') | np.reshape(v, (3, 2), copy=True) | np.reshape(v, shape=(6, 1)) | np.reshape(v, (3, 2), copy=False) | np.reshape(a.T, 9, order='A')",
    "ravel": "np.ravel(a) | np.ravel(a, order='F') | np.ravel(a.T, order='K') | np.ravel(t, 'A')",
    "transpose": "np.transpose(a) | np.transpose(t, (1, 0, 2)) | np.transpose(t, axes=(-1, 0, 1))",
    "permute_dims": "np.permute_dims(a) | np.permute_dims(t, (1, 0, 2)) | np.permute_dims(t, axes=(-1, 0, 1))",
    "matrix_transpose": "np.matrix_transpose(t)",
    "swapaxes": "np.swapaxes(t, 0, 2) | np.swapaxes(t, axis1=-1, axis2=1)",
    "moveaxis": "np.moveaxis(t, 0, -1) | np.moveaxis(t, [0, 1], [-1, -2])",
    "rollaxis": "np.rollaxis(t, 2) | np.rollaxis(t, 1, start=3)",
    "expand_dims": "np.expand_dims(v, (0, 2)) | np.expand_dims(a, axis=-1)",
    "squeeze": "np.squeeze(v[None]) | np.squeeze(v[:, None], axis=1) | np.squeeze(a[None, :, None], axis=(0, 2))",
    "flip": "np.flip(a) | np.flip(a, 0) | np.flip(t, axis=(0, 2))",
    "fliplr": "np.fliplr(a)",
    "flipud": "np.flipud(v)",
    "rot90": "np.rot90(a) | np.rot90(a, k=2) | np.rot90(t, 3, axes=(1, 2)) | np.rot90(a, -1)",
    "roll": "np.roll(a, 1) | np.roll(a, (1, 2), (0, 1)) | np.roll(v, -2) | np.roll(a, y, axis=1) | np.roll(a, 1, axis=(0, 1))",
    "repeat": "np.repeat(v, 2) | np.repeat(a, 2, axis=1) | np.repeat(v, [1, 0, 2, 1, 1, 3]) | np.repeat(a, [1, 2, 0], axis=0) | np.repeat(x, 3)",
    "tile": "np.tile(a, 2) | np.tile(v, (2, 2)) | np.tile(x, 3) | np.tile(a, (2, 1, 1))",
    "resize": "np.resize(v, (2, 4)) | np.resize(a, 4) | np.resize(v, new_shape=(8,))",
    "pad": "np.pad(v, 2) | np.pad(a, ((1, 0), (0, 2))) | np.pad(v, 1, mode='edge') | np.pad(v, 2, 'reflect') | np.pad(v, 2, 'reflect', reflect_type='odd') | np.pad(a, 1, 'wrap') | np.pad(v, (1, 2), constant_values=7) | np.pad(i, 1, mode='symmetric') | np.pad(v, 2, 'linear_ramp', end_values=3) | np.pad(v, 2, 'maximum') | np.pad(v, 2, 'mean', stat_length=2) | np.pad(v, 2, 'minimum') | np.pad(v, 2, 'median') | np.pad(v, 2, 'empty').shape | np.pad(a, ((1, 1), (0, 0)), constant_values=((1, 2), (0, 0)))",
    "broadcast_to": "np.broadcast_to(v, (2, 6)) | np.broadcast_to(x, (2, 2)) | np.broadcast_to(v, (2, 6), subok=True)",
    "broadcast_arrays": "np.broadcast_arrays(v, a[:, :1]) | np.broadcast_arrays(x, v, subok=True)",
    "broadcast_shapes": "np.broadcast_shapes((3, 1), (1, 4)) | np.broadcast_shapes(v.shape, (2, 1))",
    "diag": "np.diag(v) | np.diag(a) | np.diag(a, k=1) | np.diag(v, -1)",
    "diagonal": "np.diagonal(a) | np.diagonal(a, offset=1) | np.diagonal(t, axis1=1, axis2=2) | np.diagonal(t, -1, 0, 2)",
    "diagflat": "np.diagflat(v) | np.diagflat(a, k=1)",
    "tril": "np.tril(a) | np.tril(t, k=1)",
    "triu": "np.triu(a) | np.triu(t, k=-1)",
    "trace": "np.trace(a) | np.trace(a, offset=1) | np.trace(t, axis1=1, axis2=2) | np.trace(a, dtype=np.float32) | np.trace(t, out=np.zeros(4)) | np.trace(m.reshape(2, 3))",
    "kron": "np.kron(a, b) | np.kron(v, w) | np.kron(x, a)",
    # products
    "dot": "np.dot(a, b) | np.dot(v, w) | np.dot(2.0, a) | np.dot(i, i) | np.dot(t, a[:, :1].T.repeat(4, 0)) | np.dot(a, b, out=np.zeros((3, 3))) | np.dot(z, z) | np.dot(m, m)",
    "vdot": "np.vdot(v, w) | np.vdot(z, z) | np.vdot(a, b)",
    "inner": "np.inner(a, b) | np.inner(v, w) | np.inner(t, t) | np.inner(x, v)",
    "outer": "np.outer(v, i) | np.outer(a, v) | np.outer(v, w, out=np.zeros((6, 6)))",
    "cross": "np.cross(a, b) | np.cross(v[:3], w[:3]) | np.cross(a, b, axisa=0, axisb=0, axisc=0) | np.cross(a, b, axis=0)",
    "tensordot": "np.tensordot(a, b) | np.tensordot(a, b, axes=1) | np.tensordot(a, b, axes=([0], [1])) | np.tensordot(t, t, axes=([0, 1], [0, 1])) | np.tensordot(v, w, 0)",
    "einsum": "np.einsum('ij,jk->ik', a, b) | np.einsum('ii', a) | np.einsum('ij->j', a) | np.einsum('i,i', v, w) | np.einsum('...ij->...ji', t) | np.einsum('ij,jk,kl', a, b, a, optimize=True) | np.einsum('ij,jk->ik', a, b, out=np.zeros((3, 3))) | np.einsum(a, [0, 1], b, [1, 2], [0, 2]) | np.einsum('i,i', i, i) | np.einsum('ij,ij->i', a, b, dtype=np.float32, casting='same_kind') | np.einsum('ii->i', a)",
    # creation
    "zeros": "np.zeros((2, 3)) | np.zeros(3, dtype=np.int8) | np.zeros(y) | np.zeros((2, 2), order='F') | np.zeros(2, device='cpu') | np.zeros(shape=3)",
    "ones": "np.ones((2, 3)) | np.ones(3, dtype=complex) | np.ones(y, bool) | np.ones((2, 2), order='F') | np.ones(2, device='cpu')",
    "empty": "np.empty((2, 0)) | np.empty(0, dtype=np.int8) | np.empty((0, 2), order='F') | np.empty(0, device='cpu')",
    "full": "np.full(2, 7) | np.full((2, 2), x) | np.full(3, 2.7, dtype=int) | np.full(3, v[:3]) | np.full((2, 2), 1, order='F') | np.full(2, 1, device='cpu')",
    "zeros_like": "np.zeros_like(i) | np.zeros_like(a, dtype=int) | np.zeros_like(v, shape=(2, 2)) | np.zeros_like(a, order='F') | np.zeros_like(x) | np.zeros_like(a, subok=False) | np.zeros_like(v, device='cpu')",
    "ones_like": "np.ones_like(i) | np.ones_like(a, dtype=int) | np.ones_like(v, shape=(2, 2)) | np.ones_like(a, order='F') | np.ones_like(a, subok=False) | np.ones_like(v, device='cpu')",
    "empty_like": "np.empty_like(i).shape | np.empty_like(a, dtype=int).dtype == int | np.empty_like(v, shape=(0, 2)) | np.empty_like(v[:0], order='F') | np.empty_like(v[:0], subok=False) | np.empty_like(v[:0], device='cpu')",
    "full_like": "np.full_like(v, 2.5) | np.full_like(i, 2.5) | np.full_like(i, x, dtype=float) | np.full_like(a, v[:3]) | np.full_like(v, 1, shape=(2, 2)) | np.full_like(a, 3, order='F') | np.full_like(a, 1, subok=False) | np.full_like(a, 1, device='cpu')",
    "eye": "np.eye(3) | np.eye(2, 3, k=1) | np.eye(3, M=2) | np.eye(2, dtype=int) | np.eye(2, order='F') | np.eye(2, device='cpu') | np.eye(y)",
    "identity": "np.identity(2) | np.identity(3, dtype=np.float32)",
    "tri": "np.tri(3) | np.tri(3, 4, k=1) | np.tri(3, M=2, dtype=int)",
    "arange": "np.arange(5) | np.arange(1.0, 2.0, 0.25) | np.arange(10, 0, -3) | np.arange(y) | np.arange(3, dtype=float) | np.arange(1, stop=5, step=2) | np.arange(3, device='cpu') | np.arange(stop=4)",
    "linspace": "np.linspace(0, 1, 5) | np.linspace(x, 2, num=4) | np.linspace(0, 1, 3, endpoint=False) | np.linspace(0, 1, 3, retstep=True) | np.linspace(0, 10, 5, dtype=int) | np.linspace(v[:2], w[:2], 3, axis=1) | np.linspace(0, 1, 3, device='cpu') | np.linspace(a, b, 4) | np.linspace(0, 1j, 3)",
    "logspace": "np.logspace(0, 2, 3) | np.logspace(0, 2, num=4, endpoint=False) | np.logspace(0, x, 3, base=2.0) | np.logspace(0, 3, 4, dtype=int) | np.logspace([0, 1], [2, 3], 3, axis=1)",
    "geomspace": "np.geomspace(1, 8, 4) | np.geomspace(1, 1000, num=3, endpoint=False) | np.geomspace(1, 256, 9, dtype=int) | np.geomspace([1, 2], [8, 4], 3, axis=1)",
    "array": "np.array([v, w]) | np.array([1, 2.5]) | np.array([[x, 1], [2, 3]]) | np.array(v, dtype=np.float32) | np.array(v, copy=True) | np.array(v, copy=None) | np.array(a, order='F') | np.array(v, ndmin=2) | np.array(v, subok=True) | np.array(x) | np.array((1, y))",
    "asarray": "np.asarray(3) | np.asarray(v) | np.asarray(i, dtype=float) | np.asarray([x, y]) | np.asarray(a, order='F') | np.asarray(v, copy=True) | np.asarray(v, device='cpu')",
    "asanyarray": "np.asanyarray(v) | np.asanyarray(i, dtype=float) | np.asanyarray(a, order='F') | np.asanyarray(v, copy=True) | np.asanyarray(v, device='cpu')",
    "from_dlpack": "np.from_dlpack(v) | np.from_dlpack(a.T, device='cpu') | np.from_dlpack(v, copy=True)",
    "asarray_chkfinite": "np.asarray_chkfinite(v) | np.asarray_chkfinite(i, dtype=float) | np.asarray_chkfinite(a, order='F')",
    "ascontiguousarray": "np.ascontiguousarray(a.T) | np.ascontiguousarray(i, dtype=float) | np.ascontiguousarray(x)",
    "asfortranarray": "np.asfortranarray(a) | np.asfortranarray(i, dtype=float)",
    "require": "np.require(v) | np.require(i, dtype=float) | np.require(a, requirements=['C']) | np.require(a, None, 'F')",
    "copy": "np.copy(v) | np.copy(a.T, order='F') | np.copy(v, subok=True)",
    "astype": "np.astype(v, int) | np.astype(i, np.float32) | np.astype(v, float, copy=False) | np.astype(v, np.int8, device='cpu')",
    "fromfunction": "np.fromfunction(lambda r, s: r * 10 + s, (2, 3)) | np.fromfunction(lambda r, s: r == s, (2, 2), dtype=int)",
    "fromiter": "np.fromiter([1, 2, 3], float) | np.fromiter((n * n for n in range(3)), dtype=int) | np.fromiter(v, float, count=2)",
    "meshgrid": "np.meshgrid(v, w) | np.meshgrid(v, w, indexing='ij', sparse=True) | np.meshgrid(v, w, copy=False) | np.meshgrid(v[:2], w[:3], i[:2])",
    "indices": "np.indices((2, 3)) | np.indices((2, 3), dtype=float) | np.indices((2, 3), sparse=True)",
    "ix_": "np.ix_([0, 1], [2, 0]) | a[np.ix_(k[:2], k[:2])] | a[np.ix_([True, False, True], [0, 2])]",
    "tril_indices": "np.tril_indices(3) | np.tril_indices(3, k=1) | np.tril_indices(2, m=3)",
    "triu_indices": "np.triu_indices(3) | np.triu_indices(3, k=1) | np.triu_indices(2, m=3)",
    "tril_indices_from": "np.tril_indices_from(a) | np.tril_indices_from(a, k=-1)",
    "triu_indices_from": "np.triu_indices_from(a) | np.triu_indices_from(a, k=1)",
    "diag_indices": "np.diag_indices(3) | np.diag_indices(2, ndim=3)",
    "diag_indices_from": "np.diag_indices_from(a)",
    "unravel_index": "np.unravel_index(5, (2, 3)) | np.unravel_index(k, (2, 3)) | np.unravel_index(np.argmax(a), a.shape) | np.unravel_index(5, shape=(2, 3), order='F') | np.unravel_index(k, (2, 3), 'F')",
    "ravel_multi_index": "np.ravel_multi_index((1, 2), (3, 4)) | np.ravel_multi_index((k, k), (3, 4)) | np.ravel_multi_index((k + 2, k), (3, 4), mode='wrap') | np.ravel_multi_index((k, k), (3, 4), order='F') | np.ravel_multi_index((k + 2, k), (3, 4), mode='clip')",
    "vander": "np.vander(v, 3) | np.vander(i) | np.vander(v, N=2, increasing=True)",
    "bartlett": "np.bartlett(5) | np.bartlett(1) | np.bartlett(y)",
    "blackman": "np.blackman(5) | np.blackman(1)",
    "hamming": "np.hamming(5) | np.hamming(1)",
    "hanning": "np.hanning(5) | np.hanning(1)",
    "kaiser": "np.kaiser(5, 3.0) | np.kaiser(5, beta=x)",
    # element by element
    "round": "np.round(v * 1.237, 2) | np.round(i) | np.round(i, -1) | np.round(a, decimals=1) | np.round(v, out=np.zeros(6)) | np.round(x) | np.round(z * 1.26, 1)",
    "around": "np.around(a, 1) | np.around(i) | np.around(v, decimals=1, out=np.zeros(6))",
    "fix": "np.fix(v) | np.fix(i) | np.fix(v * 1.3, out=np.zeros(6)) | np.fix(x)",
    "sinc": "np.sinc(v) | np.sinc(i) | np.sinc(x)",
    "i0": "np.i0(v) | np.i0(i)",
    "angle": "np.angle(z) | np.angle(v) | np.angle(z, deg=True)",
    "real": "np.real(z) | np.real(v) | np.real(x)",
    "imag": "np.imag(z) | np.imag(v) | np.imag(x)",
    "nan_to_num": "np.nan_to_num(n) | np.nan_to_num(n, nan=1.5) | np.nan_to_num(v / np.array([0.0, 0, 1, 1, 1, 0]), posinf=9.0, neginf=-9.0) | np.nan_to_num(i) | [u := n.copy(), np.nan_to_num(u, copy=False)]",
    "isclose": "np.isclose(v, v + 1e-9) | np.isclose(n, n) | np.isclose(n, n, equal_nan=True) | np.isclose(v, v + 0.1, rtol=0.1) | np.isclose(v, v + 0.1, atol=0.2) | np.isclose(i, 2)",
    "allclose": "np.allclose(a, b) | np.allclose(n, n, equal_nan=True) | np.allclose(v, v + 0.1, rtol=0.1, atol=0.2)",
    "array_equal": "np.array_equal(a, a) | np.array_equal(v, a) | np.array_equal(n, n, equal_nan=True) | np.array_equal(n, n)",
    "array_equiv": "np.array_equiv(v, v[None]) | np.array_equiv(v, w)",
    "iscomplex": "np.iscomplex(z) | np.iscomplex(v)",
    "isreal": "np.isreal(z) | np.isreal(v)",
    "iscomplexobj": "np.iscomplexobj(z) | np.iscomplexobj(v)",
    "isrealobj": "np.isrealobj(z) | np.isrealobj(v)",
    "isneginf": "np.isneginf(v) | np.isneginf(-v / 0.0, out=np.zeros(6, dtype=bool))",
    "isposinf": "np.isposinf(v) | np.isposinf(v / 0.0, out=np.zeros(6, dtype=bool))",
    "isfortran": "np.isfortran(a) | np.isfortran(a.T)",
    "isscalar": "np.isscalar(x) | np.isscalar(v) | np.isscalar(v[0])",
    "iterable": "np.iterable(v) | np.iterable(x)",
    # questions about types
    "shape": "np.shape(a) | np.shape(x)",
    "ndim": "np.ndim(a) | np.ndim(x)",
    "size": "np.size(a) | np.size(a, axis=0) | np.size(x)",
    "result_type": "np.result_type(i, 1.0) == float | np.result_type(e, np.float32) == np.float32",
    "promote_types": "np.promote_types('i4', 'f4') == np.float64",
    "min_scalar_type": "np.min_scalar_type(255) == np.uint8",
    "can_cast": "np.can_cast(int, float) | np.can_cast(v.dtype, np.int8, casting='unsafe')",
    "common_type": "np.common_type(v, i) is np.float64",
    "issubdtype": "np.issubdtype(v.dtype, np.floating)",
    "isdtype": "np.isdtype(v.dtype, 'real floating')",
    "mintypecode": "np.mintypecode(['f', 'D']) | np.mintypecode('ij', typeset='fd', default='f')",
    "typename": "np.typename('d')",
    "base_repr": "np.base_repr(5) | np.base_repr(5, base=3, padding=2)",
    "binary_repr": "np.binary_repr(5) | np.binary_repr(-3, width=5)",
    "shares_memory": "np.shares_memory(v, w) | np.shares_memory(a, a[0]) | np.shares_memory(a[0], a[1], max_work=1)",
    "may_share_memory": "np.may_share_memory(a, a[0]) | np.may_share_memory(v, v.copy(), max_work=0)",
    # functions of functions
    "apply_along_axis": "np.apply_along_axis(np.sum, 0, a) | np.apply_along_axis(lambda r: r * 2, axis=1, arr=a) | np.apply_along_axis(np.partition, 1, a, 1)[:, 1] | np.apply_along_axis(np.diag, -1, a) | np.apply_along_axis(lambda r, s: r.sum() * s, 0, t, s=2)",
    "apply_over_axes": "np.apply_over_axes(np.sum, a, [0, 1]) | np.apply_over_axes(np.sum, t, 1)",
    "piecewise": "np.piecewise(v, [v < 0, v >= 0], [-1, 1]) | np.piecewise(v, [v > 1], [lambda r: r * 2, lambda r: -r]) | np.piecewise(v, [v > 1], [lambda r, s: r * s], 3.0) | np.piecewise(v, v > 0, [1, 2])",
    # polynomials
    "polyval": "np.polyval([1, 2, 3], v) | np.polyval(v, x) | np.polyval(v[:3], a)",
    "polyfit": "np.polyfit(v, w, 2) | np.polyfit(w, v, deg=1, w=w) | np.polyfit(v, w, 1, rcond=1e-10) | np.polyfit(w, v, 1, cov=True) | np.polyfit(w, v, 1, full=True)[0]",
    "polyder": "np.polyder(v) | np.polyder(v, m=2)",
    "polyint": "np.polyint(v) | np.polyint(v, m=2) | np.polyint(v, k=3)",
    "polyadd": "np.polyadd([1, 2], v) | np.polyadd(v, w)",
    "polysub": "np.polysub(v, w) | np.polysub([1, 2], v)",
    "polydiv": "np.polydiv(v, [1, 2.0]) | np.polydiv([1, 2, 3.0], [1.0, 1])",
    "polymul": "np.polymul(v, w) | np.polymul([1, 2], v)",
    "poly": "np.poly(v) | np.poly(i)",
    "packbits": "np.packbits(m) | np.packbits(q, axis=1) | np.packbits(k, bitorder='little')",
    "unpackbits": "np.unpackbits(k.astype(np.uint8)) | np.unpackbits(np.array([[3], [5]], dtype=np.uint8), axis=1, count=4) | np.unpackbits(k.astype(np.uint8), bitorder='little')",
    "roots": "np.sort(np.roots(np.array([1.0, -6.0, 11.0, -6.0])).real)",
}
CALLS = {f"np.{name}": [e.strip() for e in text.format(f=f"np.{name}").split(" | ")] for name, text in CALLS.items()}

_FFT = "{f}({x}) | {f}({x}, {n}) | {f}({x}, norm='ortho') | {f}({x}, norm='forward')"
_ONE = (
    _FFT.format(f="{f}", x="{x}", n="n=4")
    + " | {f}({x}, n=8) | {f}({y}, axis=0) | {f}({y}, 5, -1) | {f}({x}, out=np.zeros({s}, dtype={d}))"
)
_MANY = (
    _FFT.format(f="{f}", x="{y}", n="s=(2, 4)")
    + " | {f}({t}, axes=(0, 1)) | {f}({t}, s=(2, 2), axes=(0, 2)) | {f}({y}, out=np.zeros({s}, dtype={d}))"
)

for _name, _x, _y, _s, _d in (
    ("fft", "z", "c", "6", "complex"), ("ifft", "z", "c", "6", "complex"), ("rfft", "v", "a", "4", "complex"),
    ("irfft", "z", "c", "10", "float"), ("hfft", "z", "c", "10", "float"), ("ihfft", "v", "a", "4", "complex"),
):  # fmt: skip
    _text = _ONE.format(f=f"np.fft.{_name}", x=_x, y=_y, s=_s, d=_d)
    CALLS[f"np.fft.{_name}"] = [e.strip() for e in _text.split(" | ")]
for _name, _y, _t, _s, _d in (
    ("fft2", "c", "t", "(3, 3)", "complex"), ("ifft2", "c", "t", "(3, 3)", "complex"), ("rfft2", "a", "t", "(3, 2)", "complex"),
    ("irfft2", "c", "t + 0j", "(3, 4)", "float"), ("fftn", "c", "t", "(3, 3)", "complex"), ("ifftn", "c", "t", "(3, 3)", "complex"),
    ("rfftn", "a", "t", "(3, 2)", "complex"), ("irfftn", "c", "t + 0j", "(3, 4)", "float"),
):  # fmt: skip
    _text = _MANY.format(f=f"np.fft.{_name}", y=_y, t=_t, s=_s, d=_d)
    CALLS[f"np.fft.{_name}"] = [e.strip() for e in _text.split(" | ")]

_REST = {
    "np.fft.fftshift": "np.fft.fftshift(v) | np.fft.fftshift(a, axes=0) | np.fft.fftshift(t, axes=(0, 2))",
    "np.fft.ifftshift": "np.fft.ifftshift(v) | np.fft.ifftshift(a, axes=0)",
    "np.fft.fftfreq": "np.fft.fftfreq(6, 0.5) | np.fft.fftfreq(5, d=x) | np.fft.fftfreq(4, device='cpu')",
    "np.fft.rfftfreq": "np.fft.rfftfreq(6, 0.5) | np.fft.rfftfreq(5, d=x) | np.fft.rfftfreq(4, device='cpu')",
    "np.linalg.cholesky": "np.linalg.cholesky(p) | np.linalg.cholesky(p, upper=True) | np.linalg.cholesky(np.stack([p, p + np.eye(3)]))",
    "np.linalg.cond": "np.linalg.cond(a) | np.linalg.cond(a, p=1) | np.linalg.cond(a, -2) | np.linalg.cond(a, 'fro') | np.linalg.cond(a, np.inf)",
    "np.linalg.cross": "np.linalg.cross(a, b) | np.linalg.cross(a, b, axis=0)",
    "np.linalg.det": "np.linalg.det(a) | np.linalg.det(np.stack([a, b])) | np.linalg.det(c)",
    "np.linalg.diagonal": "np.linalg.diagonal(t) | np.linalg.diagonal(t, offset=1)",
    "np.linalg.eig": "np.sort_complex(np.linalg.eig(p)[0] + 0j) | np.sort(np.linalg.eig(p).eigenvalues)",
    "np.linalg.eigvals": "np.sort(np.linalg.eigvals(p)) | np.sort_complex(np.linalg.eigvals(c))",
    "np.linalg.eigh": "np.linalg.eigh(p)[0] | np.linalg.eigh(a, UPLO='U').eigenvalues | np.abs(np.linalg.eigh(p).eigenvectors)",
    "np.linalg.eigvalsh": "np.linalg.eigvalsh(p) | np.linalg.eigvalsh(a, UPLO='U') | np.linalg.eigvalsh(a, 'L')",
    "np.linalg.inv": "np.linalg.inv(a) | np.linalg.inv(c) | np.linalg.inv(np.stack([a, b]))",
    "np.linalg.lstsq": "np.linalg.lstsq(a, v[:3])[0] | np.linalg.lstsq(a, b, rcond=None)[0] | np.linalg.lstsq(a, v[:3], rcond=1e-8)[1:]",
    "np.linalg.matmul": "np.linalg.matmul(a, b)",
    "np.linalg.matrix_norm": "np.linalg.matrix_norm(a) | np.linalg.matrix_norm(t, keepdims=True) | np.linalg.matrix_norm(a, ord=2) | np.linalg.matrix_norm(a, ord='nuc') | np.linalg.matrix_norm(a, ord=1)",
    "np.linalg.matrix_power": "np.linalg.matrix_power(a, 3) | np.linalg.matrix_power(a, 0) | np.linalg.matrix_power(a, -2)",
    "np.linalg.matrix_rank": "np.linalg.matrix_rank(a) | np.linalg.matrix_rank(a, tol=1.0) | np.linalg.matrix_rank(p, hermitian=True) | np.linalg.matrix_rank(a, rtol=0.5) | np.linalg.matrix_rank(v)",
    "np.linalg.matrix_transpose": "np.linalg.matrix_transpose(t)",
    "np.linalg.multi_dot": "np.linalg.multi_dot([a, b, a]) | np.linalg.multi_dot([v[:3], a, b]) | np.linalg.multi_dot([a, b], out=np.zeros((3, 3)))",
    "np.linalg.norm": "np.linalg.norm(a) | np.linalg.norm(v) | np.linalg.norm(a, axis=0) | np.linalg.norm(a, 1) | np.linalg.norm(v, np.inf) | np.linalg.norm(v, ord=3) | np.linalg.norm(a, ord='nuc') | np.linalg.norm(t, axis=(1, 2), keepdims=True) | np.linalg.norm(v, 0) | np.linalg.norm(z) | np.linalg.norm(a, -2) | np.linalg.norm(i) | np.linalg.norm(a, 2, 0)",
    "np.linalg.outer": "np.linalg.outer(v, w)",
    "np.linalg.pinv": "np.linalg.pinv(a) | np.linalg.pinv(t) | np.linalg.pinv(a, rcond=0.3) | np.linalg.pinv(p, hermitian=True) | np.linalg.pinv(a, rtol=0.3)",
    "np.linalg.qr": "np.abs(np.linalg.qr(a)[1]) | np.abs(np.linalg.qr(t[0]).Q) | [np.abs(r) for r in np.linalg.qr(t[0], mode='complete')][1] | np.abs(np.linalg.qr(a, mode='r'))",
    "np.linalg.slogdet": "tuple(np.linalg.slogdet(a)) | tuple(np.linalg.slogdet(np.stack([a, b])))",
    "np.linalg.solve": "np.linalg.solve(a, b) | np.linalg.solve(a, v[:3]) | np.linalg.solve(np.stack([a, p]), b) | np.linalg.solve(c, v[:3])",
    "np.linalg.svd": "np.linalg.svd(a)[1] | np.abs(np.linalg.svd(t[0], full_matrices=False)[0]) | np.linalg.svd(a, compute_uv=False) | np.linalg.svd(p, hermitian=True).S | np.linalg.svd(t).U.shape",
    "np.linalg.svdvals": "np.linalg.svdvals(a) | np.linalg.svdvals(t)",
    "np.linalg.tensordot": "np.linalg.tensordot(a, b) | np.linalg.tensordot(a, b, axes=1)",
    "np.linalg.tensorinv": "np.linalg.tensorinv(np.eye(4).reshape(2, 2, 2, 2) * 2) | np.linalg.tensorinv(np.eye(4).reshape(4, 2, 2) * 2, ind=1)",
    "np.linalg.tensorsolve": "np.linalg.tensorsolve(np.eye(4).reshape(2, 2, 2, 2) * 2, w[:4].reshape(2, 2)) | np.linalg.tensorsolve(np.eye(4).reshape(2, 2, 2, 2) * 2, w[:4].reshape(2, 2), axes=(0, 1))",
    "np.linalg.trace": "np.linalg.trace(t[:, :, :3]) | np.linalg.trace(a, offset=1) | np.linalg.trace(a, dtype=np.float32)",
    "np.linalg.vecdot": "np.linalg.vecdot(a, b) | np.linalg.vecdot(a, b, axis=0) | np.linalg.vecdot(z, z)",
    "np.linalg.vector_norm": "np.linalg.vector_norm(a) | np.linalg.vector_norm(t, axis=1) | np.linalg.vector_norm(a, axis=(0, 1), keepdims=True) | np.linalg.vector_norm(v, ord=1) | np.linalg.vector_norm(v, ord=np.inf)",
}
CALLS |= {name: [e.strip() for e in text.split(" | ")] for name, text in _REST.items()}


def _exists(name: str) -> bool:
    """Whether this NumPy still has a function."""
    item: object = np
    for part in name.split(".")[1:]:
        item = getattr(item, part, None)
    return item is not None


CALLS = {name: calls for name, calls in CALLS.items() if _exists(name)}
