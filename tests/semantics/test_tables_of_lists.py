"""Tables that are lists of lists, at rows and columns that loops or data give: read, written, the caller's and the
program's own, with aliased rows, with rows of several lengths, of three dimensions."""

import numpy as np

from .runner import Programs

program = Programs()
rng = np.random.default_rng(11)


def table(rows, columns, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns)).round(3).tolist()


def integers(rows, columns, seed=0):
    return np.random.default_rng(seed).integers(0, 9, size=(rows, columns)).tolist()


AT = np.array([[0, 3], [7, 2], [8, 8], [4, 0]])


@program((table(12, 9), table(9, 11, 1)), (table(12, 9, 2), table(9, 11, 3)), rtol=1e-9)
def product_of_matrices(a, b):
    c = [[0.0] * len(b[0]) for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(len(b[0])):
            s = 0.0
            for k in range(len(b)):
                s += a[i][k] * b[k][j]
            c[i][j] = s
    return c


@program((table(12, 9), table(9, 11, 1)), (table(12, 9, 2), table(9, 11, 3)), rtol=1e-9)
def product_of_matrices_from_ints(a, b):
    c = [[0 for _ in b[0]] for _ in a]
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                c[i][j] += a[i][k] * b[k][j]
    return c


@program((integers(10, 10), 3), (integers(10, 10, 1), 2))
def game_of_life(cells, steps):
    n = len(cells)
    cells = [[1 if v > 5 else 0 for v in row] for row in cells]
    for _ in range(steps):
        following = [[0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                s = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di or dj:
                            s += cells[(i + di) % n][(j + dj) % n]
                following[i][j] = 1 if s == 3 or (s == 2 and cells[i][j]) else 0
        cells = following
    return cells


@program((integers(9, 9),), (integers(9, 9, 1),))
def shortest_paths(d):
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return sum(map(sum, d))


@program((np.array([1, 2, 3, 2, 4, 1, 2, 5, 1]), np.array([2, 4, 3, 1, 2, 1, 5, 5])), (AT[:, 0], AT[:, 1]))
def longest_common_part(a, b):
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                best[i + 1][j + 1] = best[i][j] + 1
            else:
                best[i + 1][j + 1] = max(best[i][j + 1], best[i + 1][j])
    return best, best[-1][-1]


@program((table(9, 9), table(1, 9)[0]), (table(9, 9, 3), table(1, 9, 4)[0]), rtol=1e-6)
def elimination(a, b):
    n = len(b)
    for i in range(n):
        p = i
        for k in range(i + 1, n):
            if abs(a[k][i]) > abs(a[p][i]):
                p = k
        for j in range(n):
            a[i][j], a[p][j] = a[p][j], a[i][j]
        b[i], b[p] = b[p], b[i]
        for k in range(i + 1, n):
            f = a[k][i] / a[i][i]
            for j in range(i, n):
                a[k][j] -= f * a[i][j]
            b[k] -= f * b[i]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= a[i][j] * x[j]
        x[i] = s / a[i][i]
    return x


@program((table(10, 10), AT), (table(10, 10, 1), AT[::-1].copy()), (table(10, 10, 1), AT + 1))
def written_at_data(t, at):
    own = [[0.0] * 10 for _ in range(10)]
    for k in range(len(at)):
        i, j = at[k]
        t[i][j] = -1.0
        t[j][i] += 0.5
        own[i][j] = t[i][-j]
        own[-1 - i][j] += 2.0
    return own, t[at[1][0]][at[1][1]]


@program((AT,), (AT[::-1].copy(),))
def aliased_rows(at):
    t = [[0.0] * 10] * 10
    own = [[0] * 8 for _ in range(9)]
    for k in range(len(at)):
        t[at[k][0]][at[k][1]] += 1.0
        own[at[k][0] % 9][at[k][1] % 8] += 1
    return t, own


@program((table(10, 10), AT), (table(10, 10, 1), AT[::-1].copy()))
def whole_rows(t, at):
    total, lengths, picked = 0.0, 0, []
    for k in range(len(at)):
        row = t[at[k][0]]
        lengths += len(row)
        for v in row:
            total += v
        a, b, *rest = t[at[k][1]]
        picked.append((a, b, rest[2]))
    return total, lengths, picked


@program(([(float(k), [k, k + 1, k + 2]) for k in range(40)], AT), ([(k / 2, [k, 1, k]) for k in range(40)], AT))
def rows_in_pairs(items, at):
    found = []
    for k in range(len(at)):
        weight, row = items[at[k][0]]
        found.append(weight * row[at[k][1] % 3])
    return found


@program((np.array([2, 0, 1, 3]),), (np.array([1, 1, 0, 2]),))
def of_three_dimensions(k):
    t = [[[a * 100 + b * 10 + c for c in range(5)] for b in range(4)] for a in range(6)]
    own = [[[0.0 for c in range(5)] for b in range(4)] for a in range(6)]
    for n in range(len(k)):
        for m in range(6):
            own[m][k[n]][n] += t[m][k[n]][k[3 - n]] * 0.5
    return own, sum(own[k[0]][k[1]])


@program(([table(5, 6, s) for s in range(4)], [table(2, 2, s) for s in range(4)]), rtol=1e-9)
def correlation_of_stacked_images(images, filters):
    n, h, w = len(images), len(images[0]), len(images[0][0])
    out = [[[0 for _ in range(w - 1)] for _ in range(h - 1)] for _ in range(n)]
    for k in range(n):
        for i in range(h - 1):
            for j in range(w - 1):
                for di in range(2):
                    for dj in range(2):
                        out[k][i][j] += images[k][i + di][j + dj] * filters[k][di][dj]
    return out


@program((AT,), (AT[::-1].copy(),))
def swapped_rows(at):
    t = [[a * 10 + b for b in range(10)] for a in range(10)]
    for k in range(len(at)):
        i, j = at[k]
        t[i], t[j] = t[j], t[i]
    for i in range(9):
        if t[i][0] > t[i + 1][0]:
            t[i], t[i + 1] = t[i + 1], t[i]
    return [row[0] for row in t], t[4][4]


@program(
    (table(10, 10), 3, 4), (table(10, 10), -1, -9), (table(10, 10), 10, 0), (table(10, 10), 0, -11), raises=IndexError
)
def out_of_range(t, i, j):
    s = 0.0
    for k in range(2):
        s += t[i - k][j]
    own = [[1.0] * 9 for _ in range(9)]
    own[i][j] = s
    return own, s


@program((np.array([3, 8, 1]), np.array([0, 9])), (np.array([0, 0, 9]), np.array([5, 1])))
def rows_of_several_lengths(at, to):
    t = [[1.0 * b for b in range(a + 1)] for a in range(10)]
    s = 0.0
    for a in at:
        s += t[a][a // 2] + len(t[a])
    for a in to:
        t[a][0] = s
    return t, s


@program((integers(5, 4), 0, 0), (integers(5, 4, 3), 2, 1), (integers(4, 4, 1), 3, 3))
def steps_through_a_small_grid(grid, row, column):
    rows, columns = len(grid), len(grid[0])
    steps = [[-1] * columns for _ in range(rows)]
    steps[row][column] = 0
    queue = [(row, column)]
    while queue:
        r, c = queue.pop(0)
        for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            y, x = r + down, c + right
            if 0 <= y < rows and 0 <= x < columns and grid[y][x] < 5 and steps[y][x] < 0:
                steps[y][x] = steps[r][c] + 1
                queue.append((y, x))
    return steps


@program([30, 35, 15, 5, 10, 20, 25], [4, 3, 9, 2, 7, 7, 1], [5, 5, 4, 2, 6])
def order_of_products(sizes):
    n = len(sizes) - 1
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i][j] = 10**9
            for k in range(i, j):
                now = cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if now < cost[i][j]:
                    cost[i][j], split[i][j] = now, k
    return cost, split


@program((integers(4, 4), 3), (integers(4, 4, 2), 1))
def small_table_with_a_known_size(table, k):
    mine = [row[:] for row in table]
    mine[k][k - 1] = 7
    mine.append([2, 3, 4, 5])
    return np.ones(mine[4][0]), mine, mine[k]


BUCKETS = {0: [], 1: []}
X, Y = np.array([3, 1, 4, 1, 5, 9, 2, 6]), np.array([2, 7, 1, 8, 2, 8, 1, 9])


@program((X, BUCKETS), (Y, {0: [5], 1: []}), (X, {0: [], 1: [4, 4]}))
def buckets_of_the_caller(x, buckets):
    for v in x:
        buckets[int(v) % 2].append(int(v))
    return sum(buckets[0]), len(buckets[1])


@program((X, {"a": [1], "b": [2]}), (Y, {"a": [], "b": [2]}))
def named_buckets_of_the_caller(x, buckets):
    for v in x:
        buckets["a" if v > 3 else "b"].append(int(v))
    if buckets["a"]:
        buckets["b" if x[0] > 2 else "a"].pop()
    return len(buckets["a"])


test_programs = program.test()
