"""How results lie in memory decides whether `reshape` and `ravel` of them are views: as NumPy lays them out."""

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([[1.3, 2.6, 3.1, 0.2], [4.5, 0.7, 9.1, 2.2], [5.5, 6.1, 0.3, 1.9]])
CALLS = (X, np.asfortranarray(X), np.asfortranarray(X[::-1])[::-1], np.ascontiguousarray(X.T).T)


def written(r):
    r.reshape(-1)[1] = 99
    r.ravel()[2] = 77
    return r


program.each(
    *((x,) for x in CALLS),
    where=lambda a: written(np.where(a > 2, a, 0.0)),
    sort=lambda a: written(np.sort(a, axis=0)),
    sort_of_columns=lambda a: written(np.sort(a.T)),
    partition=lambda a: written(np.partition(a, 1, axis=0)),
    round_=lambda a: written(a.round()),
    around=lambda a: written(np.around(a, 1)),
    cumsum=lambda a: written(np.cumsum(a, axis=0)),
    cumulative_method=lambda a: written(a.cumsum(axis=1)),
    accumulate=lambda a: written(np.maximum.accumulate(a, axis=0)),
    diff=lambda a: written(np.diff(a, axis=1)),
    unwrap=lambda a: written(np.unwrap(a)),
    nan_to_num=lambda a: written(np.nan_to_num(a)),
    roll=lambda a: written(np.roll(a, 1, axis=0)),
    pad=lambda a: written(np.pad(a, 1)),
    delete=lambda a: written(np.delete(a, 0, axis=0)),
    insert=lambda a: written(np.insert(a, 0, 1.0, axis=0)),
    concatenate=lambda a: written(np.concatenate([a, a])),
    stack=lambda a: written(np.stack([a, a])),
    dstack=lambda a: written(np.dstack([a, a])),
    block=lambda a: written(np.block([[a, a]])),
    columns=lambda a: written(a[:, [0, 1]]),
    rows=lambda a: written(a[[0, 1]]),
    rows_backwards=lambda a: written(a[::-1, [0, 1]]),
    sorted_rows=lambda a: written(a[a[:, 0].argsort()]),
    transform=lambda a: written(np.fft.fft(a)),
    mean_of_layers=lambda a: written(np.mean(np.stack([a, a]), axis=0)),
    median_of_layers=lambda a: written(np.median(np.stack([a, a]), axis=0)),
    piecewise=lambda a: written(np.piecewise(a, [a > 2], [1.0, 2.0])),
    between=lambda a: written(np.linspace(a, a + 1, 3)),
    vectors_of_svd=lambda a: written(np.abs(np.linalg.svd(a)[0])),
    product=lambda a: written(a @ a.T),
    of_a_result=lambda a: written(np.sort(np.where(a > 2, a, 0.0) * 2, axis=1)),
)

test_programs = program.test()
