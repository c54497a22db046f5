"""Rows of some hundred numbers put in order, counted and selected, alone and in loops: programs of machine code."""

import numpy as np

from .runner import Programs

program = Programs()
R = np.random.default_rng(6)
FLOATS = R.normal(size=300).round(1)
SPECIAL = FLOATS.copy()
SPECIAL[[3, 50, 51, 200, 201, 250]] = [np.nan, -0.0, 0.0, np.inf, -np.inf, -np.nan]
INTEGERS = R.integers(-(2**40), 2**40, 300)
MATRIX = R.integers(0, 50, (70, 80)).astype(float)
TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64, bool]


@program(FLOATS, SPECIAL, INTEGERS, *(INTEGERS.astype(dtype) for dtype in TYPES))
def in_order(x):
    return np.sort(x), np.argsort(x, kind="stable"), x[x > 0], np.nonzero(x)[0]


@program(MATRIX, -MATRIX, MATRIX.astype(np.int16))
def along_both_axes(x):
    return np.sort(x, axis=0), np.argsort(x, axis=1, kind="stable"), np.sort(x.T, axis=1), np.sort(x, axis=None)


@program((FLOATS, INTEGERS % 7), (SPECIAL, INTEGERS % 3))
def by_several_keys(x, k):
    order = np.lexsort((x, k))
    return order, x[order], k[order]


@program(FLOATS, SPECIAL)
def in_a_loop(x):
    total, places = np.zeros(len(x)), np.zeros(len(x), int)
    for k in range(4):
        y = np.roll(x, k) * (k + 1)
        total += np.sort(y)
        places = (places * 3 + np.argsort(y, kind="stable")) % 1009
    return total, places


@program(FLOATS, -FLOATS)
def quantiles_in_a_loop(x):
    found = []
    for k in range(5):
        y = x[k : k + 250]
        found.append((np.median(y), np.percentile(y, 30), np.partition(y, 20)[20]))
    return np.array(found)


@program((INTEGERS % 40, FLOATS), (INTEGERS % 8, SPECIAL))
def counted_and_joined(k, x):
    values, counts = np.unique(k, return_counts=True)
    sums = np.zeros(40)
    np.add.at(sums, k, x)
    return values, counts, sums, np.bincount(k, minlength=40), np.bincount(k, x, minlength=40)


@program((INTEGERS % 40, 5), (INTEGERS % 8, 9))
def counted_in_a_loop(k, n):
    table = np.zeros(40)
    for i in range(n):
        part = (k * (i + 1)) % 40
        table += np.bincount(part, minlength=40)
        table[np.unique(part[: 30 + i])] *= 0.5
    return table


@program(np.tile(INTEGERS % 90, 10), np.tile(INTEGERS % 50, 10))
def histogram_of_many(x):
    return np.histogram(x, 30), np.bincount(x, minlength=100), np.unique(x)


@program(*(INTEGERS.astype(dtype) for dtype in (np.int8, np.uint8, bool)))
def histograms_of_bytes(x):
    edges, uneven = np.arange(-100, 260, 7), np.array([-3.5, 0, 1, 1, 90, 127])
    long = np.concatenate((x, x[::-1], x[:40])).reshape(64, -1)
    weights = np.arange(long.size).reshape(long.shape) * 0.5
    few, weighted = np.histogram(long, 9), np.histogram(long, 12, (-20, 30), weights=weights)
    return few, weighted, np.histogram(long, edges), np.histogram(long, uneven, weights=weights, density=True)


@program((np.random.default_rng(1).normal(size=5000) * 50,), (np.arange(6000) % 300,))
def histogram_of_what_is_computed(x):
    y = np.clip(np.abs(x) * 1.5, 3, 250)
    return np.histogram(y, np.arange(257.0), density=True), np.searchsorted(np.arange(90.0), y, "right")


ZEROS = np.array([0.0, -0.0, 1.0, -0.0, np.nan, 0.0, -1.0, 0.0])
MANY_ZEROS = np.where(np.arange(300) % 7 < 4, 0.0, -0.0) + np.where(np.arange(300) % 5, 0.0, np.arange(300) % 11 - 5)


@program((ZEROS,), (-ZEROS,), (MANY_ZEROS.astype(np.float32),), (-MANY_ZEROS,), (ZEROS.astype(np.float16),))
def zeros_in_a_stable_sort(x):
    y, chosen = x.copy(), x[x < 2]
    y.sort(kind="stable")
    chosen.sort(stable=True)
    found = (np.sort(x, kind="mergesort"), y, chosen, np.sort(x.reshape(2, -1), axis=0, kind="stable"), x[x < 0.5])
    return [np.signbit(v) for v in found]


test_programs = program.test()
