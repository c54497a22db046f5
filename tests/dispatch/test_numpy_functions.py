# ruff: noqa: E501, E721
"""NumPy functions, many argument forms, several dtypes: each row is compared with NumPy in value, dtype, shape, type."""

import warnings

import numpy as np
import pytest

import xlapy

A = np.array([[4.0, -1.0, 0.5], [2.0, 3.0, -2.5], [1.0, 0.25, 6.0]])
B = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 4.0], [5.0, 0.5, -2.0]])
V = np.array([3.0, -1.0, 2.0, 2.0, 0.0, -4.5])
W = np.array([1.0, 2.0, 0.5, 4.0, 3.0, 2.5])
I = np.array([5, -3, 2, 7, 0, 2])  # noqa: E741
M = V > 0

#: name -> function of (a, b, v, w, i, m)
ROWS = {
    "sum": lambda a, b, v, w, i, m: (np.sum(a), np.sum(a, axis=0), a.sum(axis=(0, 1)), np.sum(i, dtype=np.int8), np.sum(m)),
    "sum options": lambda a, b, v, w, i, m: (np.sum(a, 1, keepdims=True), np.sum(v, where=m), np.sum(v, initial=10.0)),
    "prod": lambda a, b, v, w, i, m: (np.prod(w), np.prod(a, axis=-1), np.prod(i[:3], dtype=float), np.prod(m)),
    "extremes": lambda a, b, v, w, i, m: (np.max(a), np.min(a, 1), np.max(v, where=m, initial=0), i.max(), m.min(), np.ptp(a, 0)),
    "moments": lambda a, b, v, w, i, m: (
        np.mean(a), np.mean(i), np.std(a, 0), np.var(v, ddof=1), i.std(), m.mean(), np.mean(v, where=m), a.var(1, keepdims=True),
    ),
    "truth": lambda a, b, v, w, i, m: (np.all(m), np.any(m), np.all(a, axis=1), np.any(i, keepdims=True), np.all(a > -5, 0)),
    "arg": lambda a, b, v, w, i, m: (np.argmax(a), np.argmin(a, 0), np.argmax(i), np.argmax(m), v.argmin(), np.argmax(a, 1, keepdims=True)),
    "cumulative": lambda a, b, v, w, i, m: (np.cumsum(a), np.cumsum(a, 1), np.cumprod(i), np.cumsum(m), np.cumsum(i, dtype=np.int8)),
    "cumulative new": lambda a, b, v, w, i, m: (np.cumulative_sum(v), np.cumulative_prod(a, axis=1), np.cumulative_sum(v, include_initial=True)),
    "nan": lambda a, b, v, w, i, m: (np.nansum(np.sqrt(v)), np.nanmean(np.sqrt(v)), np.nanmax(np.sqrt(v)), np.nanargmax(np.sqrt(v)), np.nanstd(np.sqrt(v)), np.nancumsum(np.sqrt(v)), np.nanprod(v), np.nanmin(v), np.nanvar(v), np.nanmedian(np.sqrt(v))),
    "order statistics": lambda a, b, v, w, i, m: (np.median(a), np.median(a, 0), np.median(i), np.percentile(v, 30), np.percentile(v, [10, 90]), np.quantile(a, 0.3, axis=1), np.nanpercentile(v, 50), np.quantile(v, np.array([0.1, 0.4]))),
    "average": lambda a, b, v, w, i, m: (np.average(v), np.average(v, weights=w), np.average(a, axis=0, weights=np.array([1.0, 2.0, 3.0])), np.average(a, 1, returned=False), np.average(v, weights=w, returned=True)),
    "covariance": lambda a, b, v, w, i, m: (np.cov(a), np.cov(v, w), np.cov(a, rowvar=False, bias=True), np.corrcoef(a), np.corrcoef(v, w)),
    "products": lambda a, b, v, w, i, m: (np.dot(a, b), np.dot(v, w), np.vdot(v, w), np.inner(a, b), np.outer(v, i), a @ b, np.matmul(a, v[:3]), np.kron(a, b), np.cross(a, b), np.dot(2.0, a), np.dot(i, i)),
    "tensor": lambda a, b, v, w, i, m: (np.tensordot(a, b), np.tensordot(a, b, axes=1), np.tensordot(a, b, axes=([0], [1])), np.einsum("ij,jk->ik", a, b), np.einsum("ii", a), np.einsum("ij->j", a), np.einsum("i,i", v, w), np.trace(a), np.trace(a, 1), np.vecdot(a, b)),
    "linalg": lambda a, b, v, w, i, m: (np.linalg.solve(a, b), np.linalg.solve(a, v[:3]), np.linalg.inv(a), np.linalg.det(a), np.linalg.norm(a), np.linalg.norm(v), np.linalg.norm(a, axis=0), np.linalg.norm(a, 1), np.linalg.norm(v, np.inf), np.linalg.matrix_power(a, 3), np.linalg.slogdet(a), np.linalg.cond(a), np.linalg.matrix_rank(a), np.linalg.pinv(a), np.linalg.multi_dot([a, b, a])),
    "decompositions": lambda a, b, v, w, i, m: (np.linalg.svd(a, compute_uv=False), np.linalg.cholesky(a @ a.T), np.linalg.eigvalsh(a + a.T), np.abs(np.linalg.qr(a)[1]), np.linalg.svdvals(a), np.linalg.eigh(a + a.T).eigenvalues, np.linalg.lstsq(a, v[:3], rcond=None)[0]),
    "joining": lambda a, b, v, w, i, m: (np.concatenate([a, b]), np.concatenate((a, b), axis=1), np.concatenate([v, i]), np.stack([v, w]), np.stack((v, i), -1), np.vstack([v, w]), np.hstack([v, i]), np.dstack([v, w]), np.column_stack([v, i]), np.append(v, 3), np.append(a, b, axis=0), np.block([[a, b], [b, a]]), np.concatenate([a, b], axis=None)),
    "splitting": lambda a, b, v, w, i, m: (np.split(v, 3), np.array_split(v, 4), np.hsplit(a, [1]), np.vsplit(a, 3), np.split(v, [1, 4])),
    "shapes": lambda a, b, v, w, i, m: (a.T, v.reshape(2, 3), v.reshape((3, -1)), np.reshape(a, 9), np.ravel(a), a.flatten(), a.ravel("F"), np.transpose(a), np.swapaxes(a, 0, 1), v[None].squeeze(), np.expand_dims(v, (0, 2)), np.moveaxis(a[None], 0, -1), np.rollaxis(a[None], 2), np.atleast_2d(v), np.atleast_3d(v), np.atleast_1d(2.0), v.reshape(2, 3, order="F"), a.mT, np.squeeze(v[:, None], 1)),
    "reversals": lambda a, b, v, w, i, m: (np.flip(a), np.flip(a, 0), np.flipud(a), np.fliplr(a), np.rot90(a), np.rot90(a, 2), np.rot90(a, 3), np.roll(a, 1), np.roll(a, (1, 2), (0, 1)), np.roll(v, -2), v[::-1], np.roll(a, i[2], axis=1)),
    "repeating": lambda a, b, v, w, i, m: (np.repeat(v, 2), np.repeat(a, 2, axis=1), np.repeat(v, [1, 0, 2, 1, 1, 3]), np.tile(a, 2), np.tile(v, (2, 2)), v.repeat(3), np.resize(v, (2, 4))),
    "padding": lambda a, b, v, w, i, m: (np.pad(v, 2), np.pad(a, ((1, 0), (0, 2))), np.pad(v, 1, "edge"), np.pad(v, 2, "reflect"), np.pad(a, 1, "wrap"), np.pad(v, (1, 2), constant_values=7), np.pad(i, 1, mode="symmetric")),
    "inserting": lambda a, b, v, w, i, m: (np.insert(v, 2, 9.0), np.insert(a, 1, 0.0, axis=1), np.delete(v, 2), np.delete(a, [0, 2], axis=0), np.delete(v, slice(1, 3)), np.insert(v, [1, 3], [7.0, 8.0])),
    "where": lambda a, b, v, w, i, m: (np.where(m, v, w), np.where(m, 1, 0), np.where(m, i, 2.5), np.where(a > 0, a, 0), np.where(m, v, -1), np.where(v > 0, np.float32(1), np.float32(2))),
    "clip": lambda a, b, v, w, i, m: (np.clip(v, -1, 2), np.clip(i, 0, 5), v.clip(0), np.clip(v, None, 1.0), np.clip(i, 0.5, 3), np.clip(a, b, 4.0), v.clip(min=-1, max=1)),
    "choosing": lambda a, b, v, w, i, m: (np.select([v > 2, v > 0], [v, -v], 9), np.choose(np.array([0, 1, 0, 1, 0, 1]), [v, w]), np.take(v, [0, 2]), np.take(a, 1, axis=0), np.take(a, [0, -1], 1), v.take([1, 1]), np.take_along_axis(a, np.argsort(a, 1), 1), np.take(v, [7, -9], mode="wrap"), np.take(v, [7, -9], mode="clip")),
    "sorting": lambda a, b, v, w, i, m: (np.sort(v), np.sort(a, axis=0), np.sort(a, axis=None), np.argsort(w), np.argsort(i, kind="stable"), np.lexsort((w, v)), np.sort(m), np.partition(w, 2)[2]),
    "searching": lambda a, b, v, w, i, m: (np.searchsorted(np.sort(v), w), np.searchsorted(np.array([0, 2, 4]), 2, side="right"), np.digitize(v, np.array([-2.0, 0.0, 2.0])), np.digitize(i, [0, 3, 6], right=True), np.count_nonzero(v), np.count_nonzero(a, axis=0), np.isin(i, [2, 7])),
    "histogram": lambda a, b, v, w, i, m: (np.histogram(v), np.histogram(v, 4, (-3, 3)), np.histogram(i, bins=[0, 2, 5, 8]), np.histogram(v, 5, density=True), np.histogram(v, 3, weights=w)),
    "interp": lambda a, b, v, w, i, m: (np.interp(v, np.array([-2.0, 0.0, 3.0]), np.array([1.0, 5.0, 2.0])), np.interp(0.5, [0, 1], [2, 4]), np.interp(w, [1.0, 2.0], [3.0, 4.0], left=-1, right=9)),
    "differences": lambda a, b, v, w, i, m: (np.diff(v), np.diff(a, axis=0), np.diff(i, n=2), np.diff(v, prepend=0), np.ediff1d(v), np.gradient(v), np.gradient(a), np.gradient(v, 0.5), np.gradient(v, np.cumsum(w)), np.gradient(a, axis=1), np.gradient(i), np.gradient(v, 2.0, edge_order=2), np.trapezoid(v), np.trapezoid(v, w), np.trapezoid(a, dx=0.5, axis=0)),
    "convolution": lambda a, b, v, w, i, m: (np.convolve(v, w), np.convolve(v, w[:3], "same"), np.convolve(i, [1, 2, 1], "valid"), np.correlate(v, w), np.correlate(v, w[:2], "full"), np.convolve(w[:2], v)),
    "closeness": lambda a, b, v, w, i, m: (np.isclose(v, v + 1e-9), np.allclose(a, b), np.array_equal(a, a), np.array_equal(v, a), np.array_equiv(v, v[None]), np.isclose(i, 2)),
    "rounding": lambda a, b, v, w, i, m: (np.round(v * 1.237, 2), np.round(i), v.round(), np.round(i, -1), np.around(a, 1), np.fix(v), np.rint(v * 0.5), np.trunc(a)),
    "elementwise": lambda a, b, v, w, i, m: (np.sinc(v), np.nan_to_num(np.sqrt(v)), np.angle(v + 1j), np.unwrap(v), np.i0(v), np.heaviside(v, 0.5), np.isposinf(v), np.real(v + 2j), np.imag(v), np.iscomplex(v + 0j), np.isreal(v), np.angle(v, deg=True)),
    "polynomials": lambda a, b, v, w, i, m: (np.polyval([1, 2, 3], v), np.polyfit(v, w, 2), np.polyder(v), np.polyint(v), np.polyadd([1, 2], v), np.polysub(v, w), np.vander(v, 3)),
    "creation": lambda a, b, v, w, i, m: (np.zeros((2, 3)), np.ones(3, int), np.full(2, 7), np.full((2, 2), v[0]), np.eye(3), np.eye(2, 3, k=1), np.identity(2), np.arange(5), np.arange(1.0, 2.0, 0.25), np.arange(10, 0, -3), np.linspace(0, 1, 5), np.linspace(v[0], 2, 4), np.logspace(0, 2, 3), np.geomspace(1, 8, 4), np.zeros_like(i), np.ones_like(a, dtype=int), np.full_like(v, 2.5), np.empty(0), np.arange(3000) * 2, np.arange(0.0, 3000.0, 1.5), np.linspace(0, 1, 3, retstep=True), np.linspace(0, 10, 5, dtype=int), np.tri(3), np.indices((2, 3)), np.diag(v), np.diag(a), np.tril(a), np.triu(a, 1), np.diagflat(v), np.array([v, w]), np.array([1, 2.5]), np.asarray(3), np.array([[v[0], 1], [2, 3]])),
    "grids": lambda a, b, v, w, i, m: (np.meshgrid(v, w), np.meshgrid(v, w, indexing="ij", sparse=True), np.fromfunction(lambda x, y: x * 10 + y, (2, 3)), np.ix_([0, 1], [2, 0]), np.tril_indices(3), np.triu_indices_from(a), np.unravel_index(5, (2, 3)), np.ravel_multi_index((1, 2), (3, 4)), np.unravel_index(np.argmax(a), a.shape)),
    "fft": lambda a, b, v, w, i, m: (np.fft.fft(v), np.fft.ifft(v), np.fft.rfft(v), np.fft.irfft(np.fft.rfft(v)), np.fft.fft2(a), np.fft.fftshift(v), np.fft.fftfreq(6, 0.5), np.fft.fft(a, axis=0), np.fft.fft(v, 8), np.fft.rfft2(a), np.fft.fftn(a, norm="ortho"), np.fft.hfft(v), np.fft.ihfft(v)),
    "methods": lambda a, b, v, w, i, m: (a.trace(), a.dot(b), a.diagonal(), v.searchsorted(1.0), v.astype(int), i.astype(np.float32), v.tolist(), v.item(2), a.item(1, 2), a.conj(), v.copy(), m.astype(int), a.swapaxes(0, 1), v.nbytes, a.shape, a.ndim, v.size, v.dtype == float, i.itemsize, a.T.flags.c_contiguous, a.real, (a + 1j * b).imag, v.compress([True, False, True]), a.flat[4]),
    "ufunc methods": lambda a, b, v, w, i, m: (np.add.reduce(v), np.multiply.reduce(a, 1), np.add.accumulate(v), np.maximum.accumulate(v), np.multiply.outer(v, w), np.subtract.outer(i, i), np.subtract.reduce(v), np.add.reduceat(v, [0, 2, 4]), np.minimum.reduce(a, axis=(0, 1)), np.logical_and.reduce(m), np.bitwise_xor.reduce(i), np.logaddexp.reduce(v), np.add.outer(v, 1)),
    "apply": lambda a, b, v, w, i, m: (np.apply_along_axis(np.sum, 0, a), np.apply_along_axis(lambda r: r * 2, 1, a), np.apply_over_axes(np.sum, a, [0, 1]), np.piecewise(v, [v < 0, v >= 0], [-1, 1]), np.piecewise(v, [v > 1], [lambda x: x * 2, lambda x: -x])),
    "types": lambda a, b, v, w, i, m: (np.result_type(i, 1.0) == float, np.issubdtype(v.dtype, np.floating), np.shape(a), np.ndim(v), np.size(a, 0), np.isscalar(v[0]), np.iscomplexobj(v), np.finfo(np.float32).eps, np.float32(v[0]), np.int64(i[0]), np.bool_(i[0]), np.int8(3), np.iinfo(np.int8).max),
}  # fmt: skip


def compare(expected, got, path):
    if isinstance(expected, tuple | list):
        assert isinstance(got, tuple | list), f"{path}: {type(got)}"
        assert len(expected) == len(got), f"{path}: {len(expected)} and {len(got)} items"
        for k, (e, g) in enumerate(zip(expected, got)):
            compare(e, g, f"{path}[{k}]")
        return
    e, g = np.asarray(expected), np.asarray(got)
    assert e.dtype == g.dtype, f"{path}: dtype {e.dtype} expected, got {g.dtype}"
    assert e.shape == g.shape, f"{path}: shape {e.shape} expected, got {g.shape}"
    tolerance = {"f2": 1e-2, "f4": 2e-5, "c8": 2e-5}.get(e.dtype.str[1:], 1e-9)
    np.testing.assert_allclose(
        g.astype(complex), e.astype(complex), rtol=tolerance, atol=tolerance * 10, equal_nan=True, err_msg=path
    )


def parts(function, arguments):
    """Each item of a row as a function of its own would cost a compilation: the row is one program."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)


if not hasattr(np, "cumulative_sum"):  # before NumPy 2.1
    del ROWS["cumulative new"]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
@pytest.mark.parametrize("name", ROWS)
def test_row(name, dtype):
    if dtype == np.int32 and name in ("decompositions", "linalg"):
        pytest.skip("the integer matrix is singular")
    arguments = [A.astype(dtype), B.astype(dtype), V.astype(dtype), W.astype(dtype), I.astype(np.int64), M]
    expected = parts(ROWS[name], arguments)
    compare(expected, xlapy.jit(ROWS[name])(*arguments), name)
