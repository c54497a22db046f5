"""Sorting, medians and quantiles of many short vectors."""

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(31)
X = RNG.normal(size=(40, 9))
GAPS = np.where(RNG.random((40, 9)) < 0.1, np.nan, X)
EDGES = RNG.choice([0.0, -0.0, np.inf, -np.inf, 1.0, 3e38], (50, 4))
WINDOWS = RNG.normal(size=(9, 6, 7))
LONG = [RNG.normal(size=(20, n)) for n in (2, 3, 15, 16, 17)]
BYTES = RNG.integers(0, 256, (30, 12)).astype(np.uint8)


@program(X, GAPS, EDGES, EDGES.astype(np.float32), X.astype(np.float16), BYTES, BYTES.astype(np.int64) - 100,
         BYTES > 90, *LONG, X[:3], X[:, :1], X[:0])  # fmt: skip
def sorted_rows(x):
    y = np.sort(x, axis=1)
    z = x.copy()
    z.sort()
    return y, z, np.sort(x.T, axis=0), np.sort(x.T[:, ::2], axis=0)


@program(
    X, GAPS, X.astype(np.float32), (X * 3e3).astype(np.float16), BYTES, BYTES.astype(np.int64), *LONG, X[:3], X[:, :1]
)
def medians(x):
    return np.median(x, axis=1), np.median(x, axis=-1, keepdims=True), np.median(x.T, axis=0), np.median(x)


@program(X, GAPS, BYTES, *LONG)
def quantiles(x):
    return np.percentile(x, 30, axis=1), np.quantile(x, [0.0, 0.5, 0.9], axis=-1), np.nanpercentile(x, 75, axis=1)


@program((WINDOWS, 5), (WINDOWS, 0))
def medians_of_windows_in_a_loop(w, n):
    out = w[0].copy()
    for i in range(n):
        out += np.median(w, axis=0)
        w[i] = np.sort(w, axis=0)[3] - out
    return out


test_programs = program.test()
