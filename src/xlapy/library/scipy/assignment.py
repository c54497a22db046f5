"""scipy.optimize.linear_sum_assignment, which SciPy has in compiled code, in plain Python."""

from __future__ import annotations

import numpy as np
import scipy.optimize

from xlapy.library.replacement import replacement


@replacement(scipy.optimize.linear_sum_assignment)
def _linear_sum_assignment(cost_matrix, maximize=False):
    """Shortest augmenting paths, as D. F. Crouse has them: the order of steps, and so the choice among equal
    solutions, is SciPy's."""
    cost = np.asarray(cost_matrix)
    if cost.ndim != 2:
        raise ValueError(f"expected a matrix (2-D array), got a {cost.ndim} array")
    if cost.dtype.kind == "c":
        raise TypeError("Cannot cast array data")
    cost = cost.astype(np.float64)
    cost = -cost if maximize else cost
    if np.any(np.isnan(cost) | (cost == -np.inf)):
        raise ValueError("matrix contains invalid numeric entries")
    turned = cost.shape[1] < cost.shape[0]
    cost = cost.T if turned else cost
    rows, columns = cost.shape
    u, v, shortest = np.zeros(rows), np.zeros(columns), np.zeros(columns)
    path, column_of, row_of = np.full(columns, -1), np.full(rows, -1), np.full(columns, -1)
    rows_seen, columns_seen = np.zeros(rows, bool), np.zeros(columns, bool)
    remaining = np.zeros(columns, np.int64)
    for row in range(rows):
        least, left = 0.0, columns
        for k in range(columns):
            remaining[k] = columns - k - 1
            shortest[k] = np.inf
            columns_seen[k] = False
        rows_seen[:] = False
        sink, i = -1, row
        while sink == -1:
            index, lowest = -1, np.inf
            rows_seen[i] = True
            for k in range(left):
                j = remaining[k]
                r = least + cost[i, j] - u[i] - v[j]
                if r < shortest[j]:
                    path[j] = i
                    shortest[j] = r
                if shortest[j] < lowest or (shortest[j] == lowest and row_of[j] == -1):
                    lowest, index = float(shortest[j]), k
            least = lowest
            if least == np.inf:
                raise ValueError("cost matrix is infeasible")
            j = int(remaining[index])
            if row_of[j] == -1:
                sink = j
            else:
                i = int(row_of[j])
            columns_seen[j] = True
            left -= 1
            remaining[index] = remaining[left]
        u[row] += least
        for k in range(rows):
            if rows_seen[k] and k != row:
                u[k] += least - shortest[column_of[k]]
        for k in range(columns):
            if columns_seen[k]:
                v[k] -= least - shortest[k]
        j, i = sink, -1
        while i != row:
            i = int(path[j])
            row_of[j] = i
            j, column_of[i] = int(column_of[i]), j
    if turned:
        order = np.argsort(column_of, kind="stable")
        return column_of[order], order
    return np.arange(rows), column_of
