"""Slices of a few elements that move along an array, cut off at its ends, wrapped around or empty: of vectors and
matrices, read and written, in loops of known and unknown length."""

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(11)
X, Y = RNG.normal(size=40), RNG.normal(size=40)
M, N = RNG.normal(size=(9, 30)), RNG.normal(size=(9, 30))
WITH_NAN = X.copy()
WITH_NAN[17] = np.nan
WHOLE = RNG.integers(-9, 9, 25)


# -- reading ----------------------------------------------------------------------------------------------------------


@program((M, 30), (N, 30), (M, 3), compiles=1)
def while_columns_follow(a, n):
    out, i = np.zeros(30), 0
    while i < n:
        out[i] = a[:, i : i + 5].sum() * a[:, i].max()
        i += 1
    return out


@program((X, -50), (Y, -3), (X, 20), (X, 60))
def from_anywhere(x, start):
    out, i = np.zeros(30), 0
    while i < 30:
        part = x[start + i : start + i + 4]
        out[i] = part.sum() + len(part)
        i += 1
    return out


@program((X, 3), (Y, 3), (WITH_NAN, 3), (X, 0), (X, 60), compiles=1)
def cut_off_by_hand(x, k):
    n = len(x)
    low, high, mean = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        part = x[max(0, i - k) : min(n, i + k + 1)]
        low[i], high[i], mean[i] = part.min(), part.max(), part.mean()
    return low, high, mean


@program((X,), (WITH_NAN,), compiles=1)
def cut_off_by_a_known_width(x):
    n = len(x)
    out = []
    for i in range(n):
        part = x[max(0, i - 2) : i + 3]
        out.append(part.max() - part.min() + part.std() + part.argmax())
    return np.array(out)


@program((M, 2), (N, 2), (M, 1), compiles=1)
def boxes(image, k):
    h, w = image.shape
    mean, most, where = np.zeros((h, w)), np.zeros((h, w)), np.zeros((h, w), int)
    for i in range(h):
        for j in range(w):
            part = image[max(0, i - k) : min(h, i + k + 1), max(0, j - k) : min(w, j + k + 1)]
            mean[i, j], most[i, j], where[i, j] = part.mean(), part.max(), part.size
    return mean, most, where


@program((M, 2), (N, 3), compiles=1)
def sums_of_rows_and_columns(a, k):
    h, w = a.shape
    rows, columns = np.zeros((w, h)), np.zeros((h, w))
    for j in range(w):
        rows[j] = a[:, max(0, j - k) : j + k].sum(axis=1)
    for i in range(h):
        columns[i] = a[max(0, i - k) : i + k].sum(axis=0) + a[i : i + k].min(axis=0)
    return rows, columns


@program((WHOLE, 2), (WHOLE[::-1].copy(), 4), compiles=1)
def of_integers_and_booleans(x, k):
    out = []
    for i in range(len(x)):
        part = x[max(i - k, 0) : i + k]
        out.append((part.sum(), np.prod(part), (part > 3).any(), (part < 5).all(), np.count_nonzero(part), len(part)))
    return out


@program((X, 2), (X, 0), raises=ValueError)
def an_empty_window(x, k):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i : i + k].max() if i < 38 else 0.0
    return out


@program((X, WHOLE), (Y, WHOLE), compiles=1)
def places_from_data(x, places):
    s, n = 0.0, 0
    for p in places:
        part = x[p : p + 6]
        s += part.sum()
        n += len(part)
    return s, n


@program((X, 3), (WITH_NAN, 4), compiles=1)
def backwards(x, k):
    n = len(x)
    out = np.zeros(n)
    for i in range(n):
        out[i] = x[min(n - 1, i + k) : max(0, i - k) : -1].sum()
    return out


@program((X, Y, 3), (Y, X, 5), compiles=1)
def products_of_windows(x, y, k):
    n = len(x)
    out = np.zeros(n)
    for i in range(n):
        a, b = max(0, i - k), min(n, i + k)
        out[i] = x[a:b] @ y[a:b] + (x[a:b] * y[a:b]).max()
    return out


@program((np.zeros(20), X, 2), (np.zeros(20), WITH_NAN, 3), compiles=1)
def zeros_around_what_was_stored(z, x, k):
    total = 0.0
    for i in range(15):
        y = np.zeros(20)
        y[i : i + k] = x[i : i + k]
        total += y.sum() + y.max() + (y != y).sum()
        z[i] = np.where(y == 0, 1.0, y).min()
    return total


@program((X, 3), (WITH_NAN, 3), (Y, 5), (X, 0))
def in_order(x, k):
    n = len(x)
    out = np.zeros((n, 3))
    for i in range(n):
        part = x[max(0, i - k) : min(n, i + k + 1)]
        out[i] = np.median(part), np.sort(part)[0], np.percentile(part, 25)
    return out


BIG, OTHER = RNG.normal(size=(10, 12)), RNG.normal(size=(10, 12))


@program((BIG, 1), (OTHER, 1), (BIG, 2))
def medians_of_boxes(image, k):
    h, w = image.shape
    out = np.zeros((h, w))
    for i in range(h):
        for j in range(w):
            part = image[max(0, i - k) : min(h, i + k + 1), max(0, j - k) : min(w, j + k + 1)]
            out[i, j] = np.median(part) + np.sort(part.flatten())[-1] + np.quantile(part, 0.5)
    return out


@program((BIG, 3, 5), (OTHER, 9, 2), (BIG, 4, 10), (BIG, 0, 4))
def flattened(a, i, j):
    rows, columns = 0, 0
    while rows < i:
        rows += 1
    while columns < j and a[0, columns] < 5:
        columns += 1
    part = a[:rows, :columns]
    return part.flatten(), part.flatten().sum(), np.median(part, axis=None), len(part.flatten())


LONG = np.arange(500.0)


@program((LONG, np.array([3, 120, 127], np.int8)), (LONG, np.array([3, 120, -128], np.int8)), compiles=1)
def bounds_that_wrap_around(x, places):
    total, count = 0.0, 0
    with np.errstate(all="ignore"):
        for i in places:
            parts = x[i : i + np.int8(21)], x[int(i) : int(i + np.int8(21))], x[max(i, 2) : i + np.int8(9)]
            for part in parts:
                total += part.sum()
                count += len(part)
            j = i % np.int8(120)
            total += x[j : j + np.int8(21)].sum()
    return total, count


# -- writing ----------------------------------------------------------------------------------------------------------


@program((np.zeros((12, 14)), RNG.integers(-4, 14, (20, 2)), 2), (M.copy(), RNG.integers(-4, 14, (20, 2)), 3))
def squares(image, places, k):
    for y, x in places:
        image[y - k : y + k + 1, x - k : x + k + 1] += 1.0
    return image


@program((np.zeros((12, 14)), RNG.integers(0, 12, (20, 2))), (N.copy(), RNG.integers(0, 9, (20, 2))))
def squares_of_known_width(image, places):
    h, w = image.shape
    for y, x in places:
        part = image[max(0, y - 2) : min(h, y + 3), max(0, x - 2) : min(w, x + 3)]
        part *= 0.5
        part -= part.mean()
        image[max(0, y - 1) : y + 1, x] = part.max()
    return image


@program((X.copy(), 3), (Y.copy(), 2), compiles=1)
def overlapping(x, k):
    n = len(x)
    for i in range(n):
        x[max(0, i - k) : i] += x[max(0, i - k) + 1 : i + 1]
    return x


@program((X.copy(), 30), (Y.copy(), 45), compiles=1)
def written_in_a_while(x, n):
    i = -5
    while i < n:
        x[i : i + 3] = i
        i += 2
    return x


@program((M.copy(), 2), (N.copy(), 3))
def smoothed_in_place(a, k):
    h, w = a.shape
    for i in range(h):
        for j in range(w):
            rows, columns = slice(max(0, i - k), i + k), slice(max(0, j - k), j + k)
            a[i, j] = 0.5 * a[i, j] + 0.5 * a[rows, columns].mean()
    return a


# -- in steps ---------------------------------------------------------------------------------------------------------


@program((np.ones(60, bool),), (np.arange(60) % 7 > 0,), compiles=1)
def sieve(candidates):
    n = len(candidates)
    candidates[:2] = False
    p = 2
    while p * p < n:
        if candidates[p]:
            candidates[p * p :: p] = False
        p += 1


@program((X, 3), (Y, 7), (WITH_NAN, 2), (X, 50), compiles=1)
def every_nth(x, k):
    total, count, out = 0.0, 0, np.zeros(len(x))
    for i in range(len(x)):
        part = x[i :: k + i]
        total += part.sum() + part.max()
        count += len(part)
        out[i : i + k : 1 + i % 3] += i
        out[:: i + 1] *= 0.5
    return total, count, out


@program((M.copy(), 2), (N.copy(), 4))
def every_nth_of_rows_and_columns(a, k):
    h, w = a.shape
    for i in range(h):
        a[i :: k + i, : i + 2] -= 1.0
        a[:, i :: i + 1] *= 0.5
    return a[:: k + 1].sum(axis=0), a[:, :: k + 1].max(axis=1) if k < 9 else a[:, 0]


test_programs = program.test()
