"""Reductions, scans, sorting and searching, statistics, with their arguments, dtypes and empty cases."""

import numpy as np
import pytest

from .runner import Programs, check

program = Programs()

M = np.array([[3.0, -1.0, 2.0, 2.0], [0.5, 4.0, -2.5, 1.0], [1.0, 1.0, 6.0, -3.0]])
T = np.arange(24.0).reshape(2, 3, 4) - 10
X = np.array([3.0, -1.0, 2.0, 2.0, 0.5])
COLUMNS = np.sin(np.arange(240.0)).reshape(3, 5, 16)
NAN = np.array([[1.0, np.nan, 3.0], [np.nan, 5.0, 6.0]])
K = np.array([4, 1, 3, 1, 5, 9, 2, 6])
B = np.array([[True, False, True], [True, True, True]])

REDUCTIONS = "sum prod mean std var min max argmin argmax any all ptp median count_nonzero".split()
DTYPES = [np.bool_, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float16, np.float32, np.float64, np.complex128]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduction_dtypes(name):
    """The result's dtype for every dtype: sums of small ints are int64, means of ints float64."""
    f = getattr(np, name)
    arrays = [np.array([3, 1, 2]).astype(d) for d in DTYPES]
    if name in ("ptp", "median"):
        arrays = [a for a in arrays if a.dtype.kind not in "bc"]
    check(lambda arrays: [f(a) for a in arrays], arrays, rtol=1e-2)


@pytest.mark.parametrize("name", [n for n in REDUCTIONS if n not in ("median", "count_nonzero", "ptp")])
def test_reduction_method_axes(name):
    def program(t):
        method = getattr(t, name)
        return method(), method(axis=0), method(axis=-1), method(axis=1, keepdims=True)

    check(program, T)


@pytest.mark.parametrize("name", [n for n in REDUCTIONS if not n.startswith("arg")])
def test_reduction_axis_tuples(name):
    f = getattr(np, name)

    def program(t):
        return f(t, axis=(0, 2)), f(t, axis=None), f(t, (1, 2), keepdims=True), f(t, axis=())

    if name in ("median",):
        return check(lambda t: (f(t, axis=(0, 2)), f(t, axis=None)), T)
    check(program, T)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "std", "var", "min", "max", "median", "argmax", "argmin"])
def test_nan_variants(name):
    f = getattr(np, "nan" + name)
    check(lambda m: (f(m), f(m, axis=0), f(m, axis=1)), NAN)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "std", "var", "min", "max", "any", "all"])
def test_where_argument(name):
    f = getattr(np, name)
    extra = {"initial": 0.0} if name in ("min", "max") else {}
    check(lambda m, w: (f(m, where=w, **extra), f(m, axis=1, where=w, **extra)), M, M > 0)


@pytest.mark.parametrize("axes", [(1, 0), (2, 0), (2, 1), (-1, 0), (2, 0, 1), (2, 1, 0)])
@pytest.mark.parametrize("name", [n for n in REDUCTIONS if not n.startswith("arg")])
def test_axes_in_another_order(name, axes):
    """Axes of different lengths that are not named in their order."""
    f = getattr(np, name)
    check(lambda t, columns: (f(t, axis=axes), f(t, axis=axes, keepdims=True), f(columns, axis=(1, 0))), T, COLUMNS)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "std", "var", "any", "all"])
def test_empty(name):
    f = getattr(np, name)
    check(lambda x, m: (f(x), f(m, axis=0), f(m, axis=1)), np.zeros(0), np.zeros((0, 3)))


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_empty_raises(name):
    f = getattr(np, name)
    check(lambda x: f(x), np.zeros(0), raises=ValueError)


program.each(
    M,
    sum_dtype=lambda m: (m.sum(dtype=np.float32), np.sum(m > 0, dtype=np.int8), m.sum(axis=0, dtype=complex)),
    sum_initial=lambda m: (np.sum(m, initial=5.0), np.prod(m, axis=1, initial=2.0), m.max(initial=100.0)),
    std_ddof=lambda m: (m.std(ddof=1), np.var(m, axis=0, ddof=2), np.std(m, axis=1, keepdims=True)),
    mean_of_comparison=lambda m: ((m > 1).mean(), (m > 1).sum(axis=0), np.mean(m.astype(int)), np.mean(m.astype("f4"))),
    argmax_ties_take_first=lambda m: (m.argmax(), m.argmax(axis=0), np.argmin(m, axis=1, keepdims=True)),
    argmax_unravel=lambda m: np.unravel_index(np.argmax(m), m.shape),
    min_max_of_array=lambda m: (np.amin(m), np.amax(m, axis=0), np.ptp(m, axis=1), m.min(axis=(0, 1))),
    cumulative=lambda m: (
        m.cumsum(),
        np.cumsum(m, axis=0),
        m.cumprod(axis=1),
        np.cumsum(m > 0),
        np.cumsum(m[0] > 0, dtype=float),
    ),
    nan_cumulative=lambda m: (
        np.nancumsum(np.where(m > 0, m, np.nan), axis=1),
        np.nancumprod(np.where(m > 0, m, np.nan)),
    ),
    differences=lambda m: (np.diff(m), np.diff(m, axis=0), np.diff(m, n=2), np.diff(m[0], prepend=0.0), np.ediff1d(m)),
    gradient=lambda m: (np.gradient(m[0]), np.gradient(m, axis=0), np.gradient(m, 0.5), np.gradient(m[1], 2.0)),
    trapezoid=lambda m: (np.trapezoid(m[0]), np.trapezoid(m, dx=0.5, axis=0), np.trapezoid(m[0], x=m[1])),
    percentiles=lambda m: (np.percentile(m, 30), np.percentile(m, [25, 75], axis=1), np.quantile(m, 0.1, axis=0)),
    quantile_methods=lambda m: [np.quantile(m, 0.3, method=k) for k in ("lower", "higher", "nearest", "midpoint")],
    median_axes=lambda m: (np.median(m), np.median(m, axis=0), np.median(m, axis=1, keepdims=True)),
    average=lambda m: (np.average(m), np.average(m, axis=1), np.average(m, axis=0, weights=[1.0, 2.0, 3.0])),
    average_returned=lambda m: np.average(m, axis=1, weights=np.abs(m), returned=True),
    covariance=lambda m: (np.cov(m), np.corrcoef(m), np.cov(m, rowvar=False), np.cov(m[0], m[1], bias=True)),
    sort_axes=lambda m: (np.sort(m), np.sort(m, axis=0), np.sort(m, axis=None), np.sort(m)[:, ::-1]),
    argsort_stable=lambda m: (np.argsort(m[0], kind="stable"), m.argsort(axis=0, kind="stable")),
    take_along=lambda m: np.take_along_axis(m, np.argsort(m, axis=1), axis=1),
    norms_by_hand=lambda m: (np.sqrt((m**2).sum(axis=1)), np.abs(m).max(), (np.abs(m) > 1).sum()),
    count_nonzero=lambda m: (np.count_nonzero(m > 1), np.count_nonzero(m > 1, axis=0), np.count_nonzero(m, axis=1)),
    softmax=lambda m: (
        np.exp(m - m.max(axis=1, keepdims=True)) / np.exp(m - m.max(axis=1, keepdims=True)).sum(1, keepdims=True)
    ),
    logsumexp=lambda m: np.logaddexp.reduce(m, axis=1),
    standardise=lambda m: (m - m.mean(axis=0)) / m.std(axis=0),
    comparisons_reduced=lambda m: (
        np.all(m > -5),
        np.any(m > 5, axis=1),
        (m == m.max()).sum(),
        np.alltrue if False else 1,
    ),
    cumulative_functions=lambda m: (np.cumulative_sum(m[0]), np.cumulative_prod(m[0], include_initial=True)),
)

program.each(
    X,
    lexsort=lambda x: np.lexsort((np.arange(5), x)),
    partition=lambda x: (np.partition(x, 2)[2], np.sort(np.partition(x, 2)[:2])),
    searchsorted=lambda x: (
        np.searchsorted(np.sort(x), [0.0, 2.0, 9.0]),
        np.searchsorted(np.sort(x), 2.0, side="right"),
    ),
    searchsorted_sorter=lambda x: np.searchsorted(x, [0.0, 2.0], sorter=np.argsort(x, kind="stable")),
    digitize=lambda x: (np.digitize(x, [0.0, 1.0, 2.0]), np.digitize(x, [0.0, 1.0, 2.0], right=True)),
    interp=lambda x: (
        np.interp(x, [0.0, 1.0, 3.0], [5.0, 6.0, 0.0]),
        np.interp(0.5, [0.0, 1.0], [2.0, 4.0], left=-1.0),
    ),
    histogram=lambda x: np.histogram(x, bins=4),
    histogram_range=lambda x: np.histogram(x, bins=3, range=(-1.0, 2.0), density=True),
    histogram_edges=lambda x: np.histogram(x, bins=[-2.0, 0.0, 1.0, 4.0], weights=np.arange(5.0))[0],
    convolve=lambda x: (
        np.convolve(x, [1.0, 2.0, 1.0]),
        np.convolve(x, [1.0, -1.0], "same"),
        np.convolve(x, x, "valid"),
    ),
    correlate=lambda x: (np.correlate(x, [1.0, 2.0]), np.correlate(x, x, "full")),
    polynomial=lambda x: (
        np.polyval([1.0, 2.0, 3.0], x),
        np.polyadd([1, 2], [3.0]),
        np.polymul([1, 2], [1, -1]),
        np.polyder([3, 2, 1]),
    ),
    polyfit=lambda x: np.polyfit(np.arange(5.0), x, 2),
    builtin_reductions=lambda x: (sum(x), min(x), max(x), any(x > 2), all(x > -2)),
    reduction_methods=lambda x: (
        x.dot(x),
        x.trace() if x.ndim > 1 else 0,
        x.clip(0, 1),
        x.round(),
        x.conj(),
        x.cumsum(),
    ),
    scalar_reductions=lambda x: (x[0].sum(), np.sum(3), np.max([1, 2]), np.mean((1, 2, 4)), np.prod(2.5)),
)

program.each(
    K,
    bincount=lambda k: (np.bincount(k), np.bincount(k, minlength=12), np.bincount(k, weights=k * 0.5)),
    integer_statistics=lambda k: (k.mean(), k.std(), k.var(ddof=1), np.median(k), np.average(k), np.percentile(k, 50)),
    integer_sums=lambda k: (
        k.astype("i1").sum(),
        k.astype("u1").prod(),
        k.astype("i4").cumsum(),
        k.astype("u2").cumprod(),
    ),
    sort_integers=lambda k: (np.sort(k), np.argsort(k, kind="stable"), np.sort(k)[::-1], k.astype("i1").argmax()),
)

program.each(
    NAN,
    nan_propagates=lambda m: (m.sum(), m.max(), m.min(axis=0), m.argmax(), np.median(m), np.sort(m), m.mean(axis=1)),
    nan_counts=lambda m: (np.isnan(m).sum(), np.nan_to_num(m), np.nan_to_num(m, nan=-1.0), np.nanpercentile(m, 50)),
)

program.each(
    B,
    bool_reductions=lambda b: (
        b.sum(),
        b.all(axis=0),
        b.any(),
        b.mean(),
        b.argmin(),
        b.max(),
        b.prod(),
        b.cumsum(),
        b.min(),
    ),
)


@program((M, 0), (M, 1))
def axis_from_argument(m, axis):
    return m.sum(axis=axis), np.argmax(m, axis=axis), m.mean(axis, keepdims=True)


@program((X, 0), (X, 2), (X, 5))
def reduction_of_dynamic_slice(x, n):
    return x[:n].sum(), x[n:].sum(), x[:n].prod()


@program((X, 3), (X, 1), (X, 0), raises=ValueError)
def max_of_dynamic_slice(x, n):
    return x[:n].max()


@program((X, 4), (X, 1))
def mean_of_dynamic_slice(x, n):
    return x[:n].mean(), x[:n].std(), np.median(x[:n])


@program(
    (np.linspace(-2.0, 3.0, 45).reshape(5, 9), np.array([0.5, -1.0, 0.25])),
    (np.linspace(-2.0, 3.0, 45, dtype=np.float32).reshape(5, 9), np.array([0.5, 1.0, 2.0, -1.0], np.float32)),
    (np.linspace(-2.0, 3.0, 45).reshape(5, 9) * (1 + 2j), np.array([0.5, 1j])),
    (np.linspace(-2.0, 3.0, 45).reshape(5, 9), np.array([np.inf, 1.0, np.nan])),
)
def smoothed_rows_and_columns(m, v):
    rows = np.zeros((5, 9 - len(v) + 1), m.dtype)
    columns = np.zeros_like(m)
    for i in range(5):
        rows[i] = np.convolve(m[i], v, mode="valid")
    for j in range(9):
        columns[:, j] = np.convolve(m[:, j], v, "same") - np.correlate(m[:, j], v, "same")
    return rows, columns, np.convolve(v, m[0]), np.correlate(m[1], v, "full"), np.correlate(v, m[2])


@program(np.arange(35.0).reshape(5, 7) ** 1.5, np.arange(6.0).reshape(1, 6), np.ones((6, 1)), np.arange(4.0) ** 2)
def covariances(m):
    few = np.cov(m, ddof=m.shape[-1] + 1), np.cov(m, rowvar=False, ddof=9)
    return np.cov(m), np.cov(m, rowvar=False), np.cov(m, bias=True), np.cov(m, ddof=0), few


@program((np.arange(24) + 96).reshape(2, 3, 4), np.arange(8).reshape(2, 2, 2) > 0, np.zeros((2, 0, 3), np.int8))
def bits_over_several_axes(x):
    ands = np.bitwise_and.reduce(x, axis=(0, 2)), np.bitwise_and.reduce(x, axis=None, keepdims=True)
    return *ands, np.bitwise_or.reduce(x, axis=(1, 2)), np.bitwise_xor.reduce(x, axis=(0, 1))


test_programs = program.test()
