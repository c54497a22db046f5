"""Lists and objects that change places in a list, at positions that data says: each stays the object that it is, under
every name that it has."""

import numpy as np

from .runner import Programs

program = Programs()


def table(rows, columns, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns)).round(3).tolist()


def numbers(count, seed=0):
    return np.random.default_rng(seed).normal(size=count).round(3).tolist()


AT = np.array([2, 0, 3, 1, 1])


@program((table(4, 4), numbers(4)), (table(9, 9), numbers(9)), (table(9, 9, 1), numbers(9, 1)), rtol=1e-6)
def solved_with_pivots(a, b):
    n = len(b)
    for i in range(n):
        p = i
        for r in range(i + 1, n):
            if abs(a[r][i]) > abs(a[p][i]):
                p = r
        a[i], a[p] = a[p], a[i]
        b[i], b[p] = b[p], b[i]
        for r in range(i + 1, n):
            f = a[r][i] / a[i][i]
            for c in range(i, n):
                a[r][c] -= f * a[i][c]
            b[r] -= f * b[i]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = b[i]
        for c in range(i + 1, n):
            s -= a[i][c] * x[c]
        x[i] = s / a[i][i]
    return x, a


@program((table(4, 4), AT), (table(4, 4, 1), AT[::-1].copy()), (table(3, 2), AT % 3), (table(3, 2, 1), AT[::-1] % 3))
def rows_swapped_and_compared(a, at):
    first, last = a[0], a[-1]
    a[at[0]], a[at[1]] = a[at[1]], a[at[0]]
    a[at[2]], a[at[3]] = a[at[3]], a[at[2]]
    same = [a[0] is first, a[-1] is last, a[at[4]] is first, a[at[0]] is a[at[1]], a[at[3]] is not a[at[4]]]
    a[at[1]][0] += 10.0
    first[1] = -1.0
    last[0] *= 2.0
    return same, first, last, a[at[2]]


@program((table(4, 4), AT), (table(4, 4, 1), AT[::-1].copy()))
def one_row_at_several_places(a, at):
    a[at[0]] = a[at[1]]
    a[at[2]] = a[0]
    a[at[3]][1] = 5.0
    a[at[1]][2] += 1.0
    return a, [row is a[at[0]] for row in a]


@program((table(4, 3), AT, 1.5), (table(4, 3, 1), AT[::-1].copy(), -0.5))
def new_rows_among_old_ones(a, at, x):
    old = a[1]
    new = [x, x + 1.0, x + 2.0]
    a[at[0]] = new
    a[at[1]][0] = 7.0
    new[1] -= 1.0
    a[at[2]], a[at[3]] = a[at[3]], a[at[2]]
    a[at[4]][2] = a[at[0]][1]
    return a, old, new, a[at[2]] is new


@program((table(5, 3), 3), (table(5, 3, 1), 5))
def rows_swapped_in_a_loop(a, n):
    first = a[0]
    for k in range(n):
        p = k
        for r in range(k, 5):
            if a[r][0] < a[p][0]:
                p = r
        a[k], a[p] = a[p], a[k]
        a[k][1] += 1.0
    return a, first, [row is first for row in a]


class Particle:
    def __init__(self, x, v):
        self.x, self.v = x, v


@program((numbers(4), AT), (numbers(4, 1), AT[::-1].copy()))
def objects_swapped(xs, at):
    every = [Particle(x, 0.0) for x in xs]
    second = every[1]
    every[at[0]], every[at[1]] = every[at[1]], every[at[0]]
    every[at[2]], every[at[3]] = every[at[3]], every[at[2]]
    every[at[0]].v += 1.0
    second.x = 9.0
    return [(p.x, p.v, p is second) for p in every], every[at[4]].x


@program((table(5, 2), AT), (table(5, 2, 1), AT[::-1].copy()))
def sorted_and_changed(points, at):
    ordered = sorted(points)
    ordered[0][1] = 100.0
    ordered[at[0]][0] += 1.0
    ordered.append(ordered[at[1]])
    ordered[-1][1] -= 1.0
    return ordered, ordered[-1] is ordered[at[1]], points[0] is ordered[0]


@program((table(8, 2), AT), (table(8, 2, 1), AT[::-1].copy()))
def appended_to_one_of_three(points, at):
    groups = [[], [], []]
    for p in points:
        best = 0
        for k in range(3):
            if abs(p[0] - k) < abs(p[0] - best):
                best = k
        groups[best].append(p)
    groups_of_first = [any(p is points[0] for p in g) for g in groups]
    points[at[0]][1] = 3.0
    return groups, [len(g) for g in groups], groups_of_first


@program((table(4, 3), AT, 2.0), (table(4, 3, 1), AT[::-1].copy(), 3.0))
def moved_to_another_list(a, at, x):
    taken = []
    for k in range(3):
        row = a[at[k]]
        taken.append(row)
        row[0] += x
    a[at[3]] = taken[at[4]]
    taken[0][1] = x
    return taken, taken[0] is taken[1], a[at[3]] is taken[2]


@program((table(4, 3), AT), (table(4, 3, 1), AT[::-1].copy()))
def of_several_lengths(a, at):
    a[1].append(1.0)
    a[at[0]], a[at[1]] = a[at[1]], a[at[0]]
    return a, len(a[at[2]]), a[0] is a[at[3]]


@program((table(4, 4), AT), (table(4, 4, 1), AT[::-1].copy()))
def slices_of_moved_rows(a, at):
    a[at[0]], a[at[1]] = a[at[1]], a[at[0]]
    b = a[1:3]
    a[0:2] = a[at[2]]
    return a, b, b[0] is a[2]


test_programs = program.test()
