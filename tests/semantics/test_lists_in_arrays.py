"""Lists of numbers, and lists of lists, that are read and written at places that depend on data, in loops and branches:
they are arrays in the program, and lists to the caller."""

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(5)
FLOATS = RNG.random(30).round(3).tolist()
INTS = RNG.integers(-9, 9, 30).tolist()
BOOLS = (RNG.random(30) < 0.5).tolist()
TABLE = RNG.random((7, 6)).round(2).tolist()
SQUARE = (RNG.random((9, 9)) * 20).round(1).tolist()
WHOLE = RNG.integers(0, 50, (5, 8)).tolist()
PLACES = RNG.integers(0, 30, 25)


def copied(table):
    return [list(row) for row in table]


@program((copied(SQUARE), 9), (copied(SQUARE)[::-1], 4))
def shortest_paths(dp, n):
    for k in range(n):
        for i in range(n):
            for j in range(n):
                dp[i][j] = min(dp[i][j], dp[i][k] + dp[k][j])


@program((copied(SQUARE), 9), (copied(SQUARE), 2))
def elimination(a, n):
    for k in range(n - 1):
        for i in range(k + 1, n):
            factor = a[i][k] / (a[k][k] + 30.0)
            for j in range(k, n):
                a[i][j] -= factor * a[k][j]
    return a[n - 1][n - 1]


@program((copied(WHOLE), 0), (copied(WHOLE), 3))
def relaxed_in_a_branch(u, bound):
    changes = 0
    for i in range(1, len(u) - 1):
        for j in range(1, len(u[0]) - 1):
            if (u[i + 1][j] + u[i - 1][j]) // 2 > bound + u[i][j]:
                u[i][j] = (u[i + 1][j] + u[i - 1][j]) // 2
                changes += 1
            elif u[i][j] % 2:
                u[i][0] = j
    return changes, u


@program((copied(TABLE), 2, 3), (copied(TABLE), 0, 6))
def first_column_and_a_place(t, row, n):
    for k in range(n):
        t[k][0] = t[row][k % 6] * 2
        t[row][1] += t[k][0]
        t[0][2] = 1.5
    return [sum(r) for r in t], t[row]


@program((list(INTS), PLACES), (list(INTS), PLACES[::-1].copy()))
def counted(counts, places):
    for p in places:
        counts[p] += 1
        if counts[p] % 3 == 0:
            counts[-1 - p] -= counts[p]
    counts[3] = 100
    for p in places:
        counts[p] *= 2
    return counts, max(counts), counts.index(counts[5])


@program((list(FLOATS), 12), (list(FLOATS), 0))
def only_a_part_of_it(x, n):
    total = 0.0
    for i in range(n):
        total += x[i + 3] - x[2 * i]
        x[i + 4] = total
    return total, x[:5]


@program(
    (list(BOOLS), PLACES),
)
def flags(seen, places):
    first = -1
    for i in range(len(places)):
        if seen[places[i]] and first < 0:
            first = i
        seen[places[i]] = not seen[places[i]]
    return first, seen, sum(seen)


@program((list(INTS), 3), (list(INTS), 200), (list(INTS), -31), raises=IndexError)
def beyond_the_end(x, at):
    x[0] = 5
    for i in range(3):
        x[at - i] = i
    return x


@program((list(FLOATS), 0.25), (list(FLOATS), 2.0))
def until_found(x, limit):
    k = 0
    while k < len(x) and x[k] < limit:
        x[k] += 1.0
        k += 1
    return k, x


@program((list(INTS),), (sorted(INTS),))
def insertion_sorted(x):
    for i in range(1, len(x)):
        j = i
        while j > 0 and x[j - 1] > x[j]:
            x[j - 1], x[j] = x[j], x[j - 1]
            j -= 1
    return x


@program(
    (list(FLOATS), list(FLOATS), PLACES),
)
def two_lists_that_swap(x, y, places):
    for p in places:
        x[p], y[-1 - p] = y[p] + 1.0, x[-1 - p]
    return x, y


@program(
    (copied(TABLE), copied(WHOLE)),
)
def elements_of_all(t, w):
    return np.array(t), np.array(w).sum(axis=0), np.array(w, float).mean(), [np.array(row).max() for row in t]


@program((copied(TABLE), 2.0), (copied(TABLE), 0.5))
def made_of_lists(t, factor):
    return [[x * factor for x in row] for row in t], [sum(row) for row in t], tuple(t[0])


@program(np.array(TABLE), np.array(WHOLE), np.array(BOOLS), np.array(WHOLE, np.uint8), np.array(FLOATS, np.float32))
def back_to_lists(a):
    return a.tolist(), (a * 2).tolist(), a.ravel()[:9].tolist(), a.T.tolist()


@program(5, 40)
def known_at_first(n):
    prime = [True] * 60
    prime[0] = prime[1] = False
    for i in range(2, n):
        if prime[i]:
            for j in range(2 * i, 60, i):
                prime[j] = False
    return prime, [k for k in range(60) if prime[k]][:3]


@program((copied(WHOLE), 2, 3), (copied(WHOLE), 4, 0))
def rows_and_elements(w, i, j):
    row = w[i]
    for k in range(8):
        row[k] += w[j][k]
        w[j][7 - k] = row[k] * 2
    return row is w[i], w, [r[j] for r in w]


@program((copied(WHOLE), 3), (copied(WHOLE), 9), raises=IndexError)
def errors_leave_them_alone(w, n):
    for i in range(n):
        w[i][i % 3] = -1
    return w


class Grid:
    def __init__(self, rows):
        self.rows = rows
        self.changes = 0

    def smooth(self, times):
        for _ in range(times):
            for i in range(1, len(self.rows) - 1):
                for j in range(1, len(self.rows[0]) - 1):
                    old = self.rows[i][j]
                    self.rows[i][j] = (self.rows[i - 1][j] + self.rows[i + 1][j]) / 2
                    self.changes += self.rows[i][j] > old


@program((Grid(copied(TABLE)), 3), (Grid(copied(TABLE)), 1))
def in_an_object(grid, times):
    grid.smooth(times)
    return grid.changes, grid.rows[2][2]


@program((list(FLOATS), 7), (list(INTS), 7))
def floats_and_then_ints(x, n):
    s = x[0] * 0
    for i in range(n):
        s = s + x[(i * 7) % 30]
        x[i] = s
    return s, x


test_programs = program.test()
