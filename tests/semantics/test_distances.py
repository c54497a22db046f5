"""scipy.spatial.distance: between all rows of two arrays, among those of one, and of two vectors."""

import numpy as np
import scipy.linalg
from scipy.spatial import distance
from scipy.spatial.distance import cdist, pdist, squareform

from .runner import Programs

program = Programs()

X = np.array([[1.0, -2.0, 0.5], [0.0, 4.0, -1.0], [3.0, 3.0, 3.0], [1.0, -2.0, 0.0], [0.25, 0.0, 0.0]])
Y = np.array([[0.0, -2.0, 1.5], [1.0, 1.0, 1.0], [3.0, 0.0, 3.0]])
I = np.array([[1, 2, 3], [4, 0, 1], [2, 2, 2]])
W = np.array([0.5, 2.0, 0.0])
METRICS = ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "hamming", "canberra", "braycurtis"]

for metric in METRICS:
    program.add(f"{metric}_of_two", lambda x, y, metric=metric: cdist(x, y, metric), (X, Y), (Y, X * 2))
    program.add(f"{metric}_of_one", lambda x, metric=metric: pdist(x, metric), (X,), (Y,), (X[:1],))

program.each(
    (X, Y),
    (Y, X),
    by_default=lambda x, y: (cdist(x, y), squareform(pdist(x)), squareform(squareform(pdist(y)))),
    minkowski=lambda x, y: (cdist(x, y, "minkowski", p=3), pdist(x, "minkowski", p=1.5), cdist(x, y, "correlation")),
    weighted=lambda x, y: (cdist(x, y, "cityblock", w=W), cdist(x, y, "sqeuclidean", w=W), pdist(x, "hamming", w=W)),
    of_vectors=lambda x, y: [
        f(x[0], y[1])
        for f in (distance.euclidean, distance.cityblock, distance.sqeuclidean, distance.chebyshev, distance.cosine)
    ],
    nearest=lambda x, y: (np.argmin(cdist(x, y), axis=1), cdist(x, y).min(axis=0)),
    norms=lambda x, y: (scipy.linalg.norm(x), scipy.linalg.norm(x[0]), scipy.linalg.norm(y[0] * 1e200)),
    kinds_of_norms=lambda x, y: (
        [type(scipy.linalg.norm(m, 1)) is float for m in (x, x.T, x[:, :1], x[:, ::2])],
        [type(scipy.linalg.norm(x, ord)) is float for ord in (None, "fro", 1, np.inf, 2)],
        [type(scipy.linalg.norm(x[0], ord)) is float for ord in (None, 1, 2, 3, np.inf)],
        type(scipy.linalg.norm(x[0] + 1j)) is float,
        type(distance.minkowski(x[0], y[0], 3)) is float,
        type(distance.seuclidean(x[0], y[0], np.ones(3))) is float,
        [type(f(x[0], y[1])) is float for f in (distance.euclidean, distance.cityblock, distance.chebyshev)],
    ),
    spectra=lambda x, y: (scipy.linalg.eigvalsh(x.T @ x), scipy.linalg.eigvalsh(y.T @ y, lower=False)),
)
program.add("of_whole_numbers", lambda x: (cdist(x, x), pdist(x, "cityblock"), distance.euclidean(x[0], x[1])), (I,))


@program((X, Y), raises=ValueError)
def of_other_columns(x, y):
    return cdist(x, y[:, :2])


@program((np.arange(6.0),), raises=ValueError)
def no_matrix(x):
    return pdist(x)


@program((np.array([1.0, np.nan]),), raises=ValueError)
def not_finite(x):
    return scipy.linalg.norm(x)


@program((X, Y.copy()), (X * 3, Y.copy()))
def centres_that_move(x, centres):
    for _ in range(10):
        labels = cdist(x, centres).argmin(axis=1)
        for k in range(len(centres)):
            if (labels == k).any():
                centres[k] = x[labels == k].mean(axis=0)
    return labels


test_programs = program.test()
