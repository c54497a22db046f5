"""Loops over numbers whose trips do not need one another: what they add up, choose and store is that of CPython."""

import numpy as np

from .runner import Programs

program = Programs()

RANDOM = np.random.default_rng(3)
#: as many trips as are made at once outside of other loops, and fewer
LONG, SHORT = RANDOM.integers(-9, 10, 700) / 4, np.array([0.5, -2.0, 0.5, 4.0, 4.0, -3.0])
SPECIAL = LONG.copy()
SPECIAL[[3, 400]] = np.nan
SPECIAL[[5, 6]] = -0.0, 0.0
SPECIAL[[90, 91, 650]] = np.inf, np.inf, -np.inf
NOTHING = np.full(600, np.nan)
WHOLE = RANDOM.integers(-50, 50, 640).astype(np.int32)
GRID, TILE = RANDOM.integers(-9, 10, (24, 30)) / 4, np.arange(12.0).reshape(3, 4)


@program(LONG, SHORT, np.zeros(0))
def adds_some(x):
    total, count, rest = 0.0, 0, 100.0
    for i in range(len(x)):
        if x[i] > 0.5:
            total += x[i]
            count += 1
        elif x[i] < -1:
            rest -= x[i]
        else:
            rest -= 0.25
    return total, count, rest


@program((LONG, 5.0), (LONG, -5.0), (SHORT, 1.0))
def keeps_the_sign_of_zero(x, least):
    total = -0.0
    for i in range(len(x)):
        if x[i] > least:
            total += x[i] - x[i]
    return np.copysign(1.0, total)


@program(WHOLE, WHOLE.astype(np.uint8), WHOLE.astype(np.float32), WHOLE[:5])
def adds_in_several_steps(x):
    total = x[0]
    count = 0
    for i in range(len(x)):
        count += 1
        if x[i] > 3:
            count += 2
            total += x[i]
    return total, count


@program(LONG, SPECIAL, NOTHING, SHORT, WHOLE)
def records(x):
    best, where, least, second = x[0], -1, x[0], 0.5
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
            where = i
        if least > x[i]:
            least, second = x[i], x[i] * 2
    return best, where, least, second, 1 / np.where(np.isnan(best), 1, best)


@program(-np.abs(SPECIAL), np.zeros(600), -np.zeros(600))
def records_from_a_number(x):
    best, where = -1.0, -7
    for i in range(1, len(x)):
        if best < x[i]:
            best, where = x[i], i
    return best, where, np.copysign(1.0, best)


@program((LONG, 2.0), (LONG, 99.0), (SHORT, 0.4))
def the_last_one(x, least):
    where, value, found = -1, x[0], False
    for i in range(len(x)):
        if x[i] > least:
            where, value, found = i, x[i] * 3, True
    return where, value, found


@program((LONG, 2.0), (LONG, 99.0))
def unless(x, least):
    kept = 1.5
    for i in range(len(x)):
        kept = kept if x[i] > least else x[i]
    return kept


@program(LONG[:600] / 8 + 1, np.ones(513, np.float32))
def multiplies(x):
    product = np.ones((), x.dtype)[()]
    for i in range(len(x)):
        product *= x[i]
    return product


@program(SPECIAL, LONG, WHOLE)
def extremes(x):
    low, high = x[1], x[1]
    for i in range(len(x)):
        low, high = np.minimum(low, x[i]), np.maximum(high, x[i])
    return low, high


@program(WHOLE)
def bits(x):
    every, some, odd, any_large = -1, 0, 0, False
    for i in range(len(x)):
        every &= x[i]
        some |= x[i]
        odd ^= x[i]
        any_large |= x[i] > 40
    return every, some, odd, any_large


@program((LONG, LONG + 1j * LONG[::-1]))
def complex_numbers(x, z):
    total = 0j
    for i in range(len(x)):
        if x[i] > 0:
            total += z[i] * 2
    return total


@program(LONG, SHORT)
def stores_and_sums(x):
    y = np.zeros(len(x))
    total = 0.0
    for i in range(1, len(x) - 1):
        y[i] = 0.5 * (x[i - 1] + x[i + 1]) if x[i] > 0 else x[i]
        total += abs(x[i] - x[i - 1])
    return y, total


@program(LONG, SHORT)
def in_place(x):
    for i in range(len(x)):
        x[i] = x[i] * 2 if x[i] > 0 else x[i] - 1
    return x.sum()


@program(LONG, SHORT)
def needs_the_trip_before(x):
    for i in range(1, len(x)):
        x[i] = 0.5 * x[i] + x[i - 1]
    return x


@program(GRID, TILE)
def stencil(a):
    b = a.copy()
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    return b


@program((GRID, GRID.T.copy()), (TILE, TILE.T.copy()))
def product(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total
    return c


@program(GRID, TILE)
def best_of_each_row(a):
    where = np.zeros(a.shape[0], dtype=np.int64)
    counts = np.zeros(a.shape[1])
    for i in range(a.shape[0]):
        best = a[i, 0]
        for j in range(1, a.shape[1]):
            if a[i, j] > best:
                best, where[i] = a[i, j], j
        for j in range(a.shape[1]):
            if a[i, j] == best:
                counts[j] += 1
    return where, counts


@program(LONG[:40], SHORT)
def pairs(x):
    total, close = 0.0, 0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            total += abs(x[i] - x[j])
            if abs(x[i] - x[j]) < 1:
                close += 1
    return total, close


@program((LONG[:60], 7), (SHORT, 2))
def windows(x, w):
    out = np.zeros(len(x) - w)
    for i in range(len(x) - w):
        best = x[i]
        for j in range(i + 1, i + w):
            if x[j] > best:
                best = x[j]
        out[i] = best
    return out


@program(GRID, TILE)
def columns(a):
    for j in range(a.shape[1]):
        total = 0.0
        for i in range(a.shape[0]):
            total += a[i, j]
        for i in range(a.shape[0]):
            a[i, j] -= total / a.shape[0]
    return a


@program((LONG, 650), (LONG, 3), (LONG, 0))
def as_many_as_asked(x, n):
    total, y = 0.0, np.zeros(len(x))
    for i in range(n):
        total += x[i]
        y[i] = x[i] * 2
    return total, y


@program((LONG, np.arange(700)[::-1].copy()), (LONG, np.zeros(700, np.int64)))
def at_places_from_data(x, order):
    total = 0.0
    for i in range(len(order)):
        total += x[order[i]] * i
    return total


@program((LONG, np.array([1, 2, 700])), (LONG, np.array([0, -701])), (LONG, np.array([3])), raises=IndexError)
def out_of_range(x, order):
    total = 0.0
    for i in range(len(order)):
        if x[order[i]] > -100:
            total += i
    return total


@program(LONG)
def what_is_left_of_the_loop(x):
    total = 0.0
    for i in range(len(x)):
        last = x[i] * 2
        total += last
    return total, last, i


test_programs = program.test()
