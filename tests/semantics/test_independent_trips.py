"""Loops whose trips do not need one another, large enough to become one trip over vectors; and some that look so."""

import math

import numpy as np

from .runner import Programs

program = Programs()
RNG = np.random.default_rng(11)
TALL, WIDE = RNG.random((900, 40)), RNG.random((64, 1200))
SQUARE = RNG.random((200, 200)) + 200 * np.eye(200)
LONG, OTHER = RNG.random(150_000), RNG.random(150_000)


@program(TALL)
def orthogonal_columns(a):
    q, r = a.copy(), np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt((q[:, k] ** 2).sum())
        q[:, k] /= r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = q[:, k] @ q[:, j]
            q[:, j] -= r[k, j] * q[:, k]
    return q, r


@program(SQUARE)
def columns_changed_before_they_are_read(a):
    # The loop changes column 0, which every later trip reads.
    for j in range(a.shape[1]):
        a[:, j] -= 0.01 * a[:, 0]


@program(SQUARE)
def columns_read_beside_those_changed(a):
    for k in range(1, a.shape[0]):
        for j in range(k, a.shape[1]):
            a[:, j] = 0.9 * a[:, j] + 0.1 * a[:, k - 1]


@program(SQUARE)
def the_column_before(a):
    for j in range(1, a.shape[1]):
        a[:, j] = 0.9 * a[:, j] + 0.1 * a[:, j - 1]


@program(SQUARE)
def the_column_after(a):
    for j in range(a.shape[1] - 1):
        a[:, j] = 0.9 * a[:, j] + 0.1 * a[:, j + 1]


@program(SQUARE)
def columns_into_another_array(a):
    b = np.zeros_like(a)
    for j in range(1, a.shape[1] - 1):
        b[:, j] = a[:, j - 1] + a[:, j] * a[:, j + 1]
    return b


@program((SQUARE, 3), (SQUARE, 150), (SQUARE, 200), (SQUARE, 0), (SQUARE, -2))
def as_many_columns_as_given(a, n):
    total = 0.0
    for j in range(n):
        a[:, j] = np.sqrt(a[:, j] * a[:, j].mean())
        total += a[:, j].max()
    return total


@program((SQUARE, 4), (SQUARE, 201), raises=IndexError)
def more_columns_than_there_are(a, n):
    for j in range(n):
        a[:, j] = a[:, j] * 2 - a[:, j].mean()


@program(SQUARE)
def from_the_last_to_the_first(a):
    for j in range(a.shape[1] - 1, -1, -1):
        a[:, j] = a[:, j] * 2 - a[:, j].mean()


@program(SQUARE)
def negative_columns(a):
    for j in range(-5, 100):
        a[:, j] = a[:, j] * 2 - a[:, j].mean()


@program(SQUARE)
def every_other_column(a):
    for j in range(0, a.shape[1], 2):
        a[:, j] = a[:, j] * 2 - a[:, j + 1].mean()


@program(SQUARE)
def rows_and_columns(a):
    # What a trip reads, another changes.
    for j in range(a.shape[1]):
        a[:, j] = a[j, :] * 2 - a[:, j].mean()


@program(WIDE)
def largest_and_sum_of_rows(a):
    largest, places, total = np.empty(len(a)), np.empty(len(a), int), np.zeros(a.shape[1])
    for i in range(len(a)):
        e = np.exp(a[i] - a[i].max())
        largest[i] = e.max() / e.sum()
        places[i] = np.argmax(a[i])
        total -= e
    return largest, places, total


@program((RNG.standard_normal(40 * 128), np.hanning(256)))
def spectra_of_windows(signal, window):
    power = np.zeros(129)
    for i in range((len(signal) - 256) // 128 + 1):
        part = signal[i * 128 : i * 128 + 256]
        power += np.abs(np.fft.rfft((part - part.mean()) * window)) ** 2
    return power


@program((LONG, OTHER))
def elements(x, y):
    out, total = np.empty_like(x), 0.0
    for i in range(len(x)):
        out[i] = x[i] * y[i] + 1.5
        total += x[i] / (y[i] + 1.0)
    return out, total


@program(LONG)
def elements_beside_each_other(x):
    out = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        out[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]
    return out


@program(LONG)
def edges_are_clamped(x):
    out = np.empty_like(x)
    for i in range(len(x)):
        after = x[i + 1] if i + 1 < len(x) else 0.0
        before = x[i - 1] if i > 0 else 0.0
        out[i] = after * 2.0 - before
    return out


@program(LONG)
def running_difference(x):
    for i in range(1, len(x)):
        x[i] = x[i] - 0.5 * x[i - 1]


@program(LONG)
def differences_in_place(x):
    for i in range(len(x) - 1):
        x[i] = x[i + 1] - x[i]


@program((LONG * 1e6).astype(np.int64), (LONG * 255).astype(np.uint8), (LONG * 1e3).astype(np.float32))
def sums_in_their_types(x):
    total, squares = x[0] * 0, np.zeros_like(x)
    for i in range(len(x)):
        total += x[i]
        squares[i] = x[i] * x[i] + x[i]
    return squares


@program((LONG * 1e6).astype(np.int64))
def sums_of_ints(x):
    total = 0
    for i in range(len(x)):
        total += int(x[i]) * 3
    return total


@program(np.where(LONG > 0.9, np.nan, LONG), np.where(LONG > 0.99999, np.inf, LONG))
def special_values(x):
    out = np.zeros_like(x)
    for i in range(5, len(x) - 5):
        out[i] = (x[i] - x[i - 5]) * (x[i] + x[i + 5]) / x[i]
    return out


@program(TALL)
def pairs_of_columns(data):
    n, m = data.shape
    c = np.zeros((m, m))
    for i in range(m):
        for j in range(i, m):
            c[i, j] = data[:, i] @ data[:, j] / (n - 1)
            c[j, i] = c[i, j]
    return c


@program(TALL)
def all_pairs_of_columns(data):
    n, m = data.shape
    c = np.zeros((m, m))
    for i in range(m):
        for j in range(m):
            c[i, j] = data[:, i] @ data[:, j] / (n - 1)
    return c


@program(SQUARE)
def the_last_trip_is_seen(a):
    for j in range(a.shape[1]):
        column = a[:, j] * 2
        a[:, j] = column - column.mean()
    return column, j


@program((SQUARE, 7))
def columns_of_a_view(a, k):
    b = a[10:, ::-1]
    for j in range(b.shape[1]):
        b[:, j] = b[:, j] * 2 - b[k, j]


@program(SQUARE)
def two_arrays_of_one(a):
    b = a.T
    for j in range(a.shape[1]):
        a[:, j] = a[:, j] * 0.5 + b[:, j]


@program((RNG.random((300, 20, 12)), RNG.random((12, 12))))
def matrices(a, b):
    out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = a[i] @ b
    return out


@program(RNG.random((40, 300)))
def depends_on_the_index(a):
    out = np.empty((300, 40), complex)
    for i in range(300):
        out[i] = np.exp(-2j * np.pi * i * np.arange(40) / 300) * a[:, i] * math.pi
    return out


@program((TALL, 40), (TALL, 39), raises=ValueError)
def an_error_in_a_trip(a, bad):
    for j in range(a.shape[1]):
        if j == bad:
            raise ValueError(f"column {j}")
        a[:, j] = a[:, j] * 2 - a[:, j].mean()


test_programs = program.test()
