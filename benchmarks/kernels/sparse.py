"""Matrices by rows of what is not zero."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


def matrix(random, scale):
    n = sized(1500, scale)
    counts = random.integers(1, 8, n)
    starts = np.concatenate([[0], np.cumsum(counts)])
    columns = random.integers(0, n, starts[-1])
    return starts, columns, random.random(starts[-1]), random.random(n)


@kernel(matrix)
def transposed_rows(starts, columns, values, x):
    n = len(x)
    out = np.zeros(n + 1, np.int64)
    for c in columns:
        out[c + 1] += 1
    for i in range(n):
        out[i + 1] += out[i]
    at = out.copy()
    rows = np.empty_like(columns)
    new = np.empty_like(values)
    for i in range(n):
        for k in range(starts[i], starts[i + 1]):
            p = at[columns[k]]
            rows[p], new[p] = i, values[k]
            at[columns[k]] += 1
    return out, rows, new


@kernel(matrix)
def sparse_gauss_seidel(starts, columns, values, b):
    x = np.zeros(len(b))
    for _ in range(5):
        for i in range(len(b)):
            s = b[i]
            for k in range(starts[i], starts[i + 1]):
                s -= values[k] * x[columns[k]]
            x[i] = s / 20.0
    return x


@kernel(matrix)
def sparse_by_sparse(starts, columns, values, x):
    n = len(x)
    total = np.zeros(n)
    mark = np.full(n, -1)
    found = np.empty(n, np.int64)
    nonzeros, trace = 0, 0.0
    for i in range(n):
        count = 0
        for k in range(starts[i], starts[i + 1]):
            for l in range(starts[columns[k]], starts[columns[k] + 1]):
                c = columns[l]
                if mark[c] != i:
                    mark[c] = i
                    total[c] = 0.0
                    found[count] = c
                    count += 1
                total[c] += values[k] * values[l]
        nonzeros += count
        for k in range(count):
            trace += total[found[k]] * x[found[k]]
    return nonzeros, trace
