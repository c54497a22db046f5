"""Ranges that are read from data: rows of sparse matrices and groups of events, one in each trip of a loop."""

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(23)
COUNTS = np.array([3, 0, 1, 40, 0, 7, 9, 8, 2, 30])
STARTS = np.concatenate([[0], np.cumsum(COUNTS)])
VALUES = RNG.normal(size=100)
COLUMNS = RNG.integers(0, 20, 100)
X20 = RNG.normal(size=20)
NARROW = (VALUES.astype(np.float32), COLUMNS.astype(np.int32), STARTS.astype(np.uint32), X20.astype(np.float32))
BAD = COLUMNS.copy()
BAD[[45, 47]] = (20, -21)


@program(
    (VALUES, COLUMNS, STARTS, X20),
    NARROW,
    (VALUES, -COLUMNS, STARTS, X20),
    (VALUES, COLUMNS, STARTS[::-1].copy(), X20),
    (VALUES, COLUMNS, np.array([0, 100, 100, 64, 120]), X20),
    (VALUES, COLUMNS, np.array([-3, 100, -8, -1, 99]), X20),
    (VALUES[:70], COLUMNS[:70], np.array([60, 70, 65, 69, 70]), X20),
    (VALUES[:64], COLUMNS[:64], np.array([0, 64]), X20),
    (VALUES[:5], COLUMNS[:5], np.array([0, 5, 3]), X20),
    (VALUES * np.inf, COLUMNS, STARTS, X20),
    (np.arange(100), COLUMNS, STARTS, np.arange(20)),
    (VALUES + 1j, COLUMNS, STARTS, X20),
)
def sparse_rows(values, columns, starts, x):
    y = np.zeros(len(starts) - 1, values.dtype)
    for i in range(len(y)):
        row = values[starts[i] : starts[i + 1]]
        at = columns[starts[i] : starts[i + 1]]
        y[i] = row @ x[at]
        y[i] += (row * x[at]).sum() - np.dot(row, row)
    return y


@program((VALUES, BAD, STARTS, X20), raises=IndexError)
def sparse_rows_with_a_wrong_index(values, columns, starts, x):
    total = 0.0
    for i in range(len(starts) - 1):
        row = slice(starts[i], starts[i + 1])
        total += values[row] @ x[columns[row]]
    return total


@program((VALUES, BAD, np.array([50, 60, 70, 71]), X20), (VALUES, BAD, np.array([0, 44]), X20))
def wrong_indices_that_are_not_looked_at(values, columns, starts, x):
    total = 0.0
    for i in range(len(starts) - 1):
        row = slice(starts[i], starts[i + 1])
        total += (values[row] * x[columns[row]]).sum()
    return total


@program((VALUES, STARTS), (VALUES.astype(np.float32), STARTS), (np.arange(100, dtype=np.int8), STARTS))
def sums_of_groups(values, starts):
    total = values.dtype.type(0)
    out = []
    for i in range(len(starts) - 1):
        group = values[starts[i] : starts[i + 1]]
        total += (group * group - group).sum()
        out.append(group.sum() + np.where(group > 0, group, 0).sum())
    return total, out


@program((VALUES, COLUMNS, STARTS), (VALUES, COLUMNS, np.array([10, 4, 90])))
def groups_that_are_used_in_other_ways(values, columns, starts):
    y = np.zeros(20)
    for i in range(len(starts) - 1):
        at = columns[starts[i] : starts[i + 1]]
        part = values[at]
        y[at] = part * 2
        y[0] += part.sum() + (part * y[at]).sum()
        if part.size:
            y[1] = part.max()
    return y


@program((np.outer(VALUES[:80], X20), STARTS, 3), (np.outer(X20, VALUES), STARTS[:5], 0))
def parts_of_rows_and_columns(a, starts, k):
    total = 0.0
    for i in range(len(starts) - 1):
        lo, hi = starts[i], starts[i + 1]
        total += a[k, lo:hi] @ a[i, lo:hi] + (a[lo:hi, k] * a[lo:hi, i]).sum()
    return total


@program((VALUES, STARTS, 5), (VALUES, STARTS, 2), (VALUES, STARTS, 0))
def while_groups_are_full(values, starts, n):
    i = 0
    best = 0.0
    while i < n:
        group = values[starts[i] : starts[i + 1]]
        s = (group * group).sum()
        if s > best:
            best = s
        i += 1
    return best, i


STRIDES = np.array([7, 1, 30, 99, 2, 100, 5, 2**40, 2**62])


@program((np.ones(200, bool),), (np.ones(64, bool),), (np.ones(5, bool),))
def sieve_of_flags(flags):
    flags[:2] = False
    p = 2
    while p * p < len(flags):
        if flags[p]:
            flags[p * p :: p] = False
        p += 1


@program((VALUES, STRIDES), (VALUES.astype(np.float32), STRIDES), (np.arange(100, dtype=np.uint8), STRIDES[:3]))
def every_nth_is_changed(x, strides):
    for i in range(len(strides)):
        n = strides[i]
        x[i::n] = 1
        x[3 * i : 60 + i : n] = x[0]
        x[n::n] += 2
        x[90:i:n] = 5
        x[::n] = x[::n] * 2 + 1
        x[-20 : -i - 1 : n] = x[-20 : -i - 1 : n] - x[i]


@program((VALUES, 9), (VALUES, 0), (VALUES[:64], 9))
def far_steps_that_are_known(x, n):
    for i in range(n):
        x[i::10] = -1.0
        x[i::50] = x[i]
        x[80 - i : 3 : -20] = float(i)
        x[i : i + 40 : 13] += x[1]


@program((VALUES, X20, STRIDES[:4] % 30 + 5), (VALUES.astype(np.float32), X20, STRIDES[:4] % 30 + 5))
def every_nth_from_another_array(x, y, strides):
    total = x.dtype.type(0)
    for i in range(len(strides)):
        n = strides[i]
        count = len(x[i::n])
        x[i::n] = y[:count] if count <= len(y) else x[i::n] - 1
        total += x[i::n].sum()
    return total


@program((np.outer(VALUES[:70], X20), 6), (np.outer(VALUES[:70], X20).T.copy(), 6))
def every_nth_of_rows_and_columns(a, n):
    for i in range(1, n):
        a[i, i :: i + 4] = 0.5
        a[i :: i + 5, 0] = a[i, 1]
        a.ravel()[i :: 100 * i] = 7.0
    return a[0]


test_programs = program.test()
