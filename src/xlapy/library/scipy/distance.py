"""scipy.spatial.distance: what SciPy does in compiled code, in plain Python; it checks and chooses in Python itself."""

from __future__ import annotations

import numpy as np
from scipy.spatial import _distance_pybind, _distance_wrap, distance  # type: ignore[attr-defined]

from xlapy.library.replacement import replacement


def _differences(x, y):
    """The differences of all rows."""
    return x[:, None, :] - y[None, :, :]


def _sqeuclidean(x, y, w):
    d = _differences(x, y)
    return np.sum(d * d if w is None else w * (d * d), axis=2)


def _euclidean(x, y, w):
    return np.sqrt(_sqeuclidean(x, y, w))


def _cityblock(x, y, w):
    d = np.abs(_differences(x, y))
    return np.sum(d if w is None else w * d, axis=2)


def _chebyshev(x, y, w):
    d = np.abs(_differences(x, y))
    return np.max(d if w is None else np.where(w > 0, d, 0.0), axis=2)


def _hamming(x, y, w):
    other = (x[:, None, :] != y[None, :, :]) * 1.0
    return np.sum(other, axis=2) / x.shape[1] if w is None else np.sum(w * other, axis=2) / np.sum(w)


def _canberra(x, y, w):
    sizes = np.abs(x)[:, None, :] + np.abs(y)[None, :, :]
    d = np.abs(_differences(x, y)) / np.where(sizes == 0, 1.0, sizes)
    return np.sum(d if w is None else w * d, axis=2)


def _braycurtis(x, y, w):
    one, two = np.abs(_differences(x, y)), np.abs(x[:, None, :] + y[None, :, :])
    return np.sum(one if w is None else w * one, axis=2) / np.sum(two if w is None else w * two, axis=2)


def _as_floats(x):
    return np.asarray(x, dtype=np.float64)


def _given(made, out):
    if out is None:
        return made
    out[...] = made
    return out


def _between(item, rows):
    """`cdist` of one metric."""

    def all_pairs(x, y, w=None, out=None):
        return _given(rows(_as_floats(x), _as_floats(y), w), out)

    replacement(item)(all_pairs)


def _among(item, rows):
    """`pdist` of one metric: each pair of rows once."""

    def pairs(x, w=None, out=None):
        x = _as_floats(x)
        one, two = np.triu_indices(x.shape[0], 1)
        return _given(rows(x, x, w)[one, two], out)

    replacement(item)(pairs)


for _name, _rows in {
    "euclidean": _euclidean,
    "sqeuclidean": _sqeuclidean,
    "cityblock": _cityblock,
    "chebyshev": _chebyshev,
    "hamming": _hamming,
    "canberra": _canberra,
    "braycurtis": _braycurtis,
}.items():
    _between(getattr(_distance_pybind, f"cdist_{_name}"), _rows)
    _among(getattr(_distance_pybind, f"pdist_{_name}"), _rows)


def _minkowski(x, y, w, p):
    if p == np.inf:
        return _chebyshev(x, y, w)
    d = np.abs(_differences(x, y)) ** p
    return np.sum(d if w is None else w * d, axis=2) ** (1.0 / p)


@replacement(_distance_pybind.cdist_minkowski)
def _cdist_minkowski(x, y, w=None, out=None, p=2.0):
    return _given(_minkowski(_as_floats(x), _as_floats(y), w, p), out)


@replacement(_distance_pybind.pdist_minkowski)
def _pdist_minkowski(x, w=None, out=None, p=2.0):
    x = _as_floats(x)
    one, two = np.triu_indices(x.shape[0], 1)
    return _given(_minkowski(x, x, w, p)[one, two], out)


def _cosine(x, y):
    norms = np.sqrt(np.sum(x * x, axis=1))[:, None] * np.sqrt(np.sum(y * y, axis=1))[None, :]
    cosines = (x @ y.T) / norms
    return 1.0 - np.where(np.abs(cosines) > 1.0, np.copysign(1.0, cosines), cosines)


@replacement(_distance_wrap.cdist_cosine_double_wrap)
def _cdist_cosine(x, y, dm):
    dm[...] = _cosine(x, y)


@replacement(_distance_wrap.pdist_cosine_double_wrap)
def _pdist_cosine(x, dm):
    one, two = np.triu_indices(x.shape[0], 1)
    dm[...] = _cosine(x, x)[one, two]


@replacement(_distance_wrap.to_squareform_from_vector_wrap)
def _to_square(square, vector):
    one, two = np.triu_indices(square.shape[0], 1)
    square[one, two] = vector
    square[two, one] = vector


@replacement(_distance_wrap.to_vector_from_squareform_wrap)
def _to_vector(square, vector):
    one, two = np.triu_indices(square.shape[0], 1)
    vector[...] = square[one, two]


@replacement(distance._copy_array_if_base_present)  # type: ignore[attr-defined]
def _copied(a):
    return a.copy()
