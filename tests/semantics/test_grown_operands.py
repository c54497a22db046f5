"""Lists of as many numbers or rows as data says, as operands of NumPy's functions: alone, and beside other arrays."""

import itertools
import operator

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, 3.0, 2.0, 4.0, 3.5])
LONG = np.linspace(0, 5, 24).round(2)
SQUARE = np.arange(576.0).reshape(24, 24) - 70


@program((X, 2.0), (X, 3.2), (X, 0.5))
def put_together_short(a, bound):
    found = [x for x in a if x > bound]
    return np.concatenate(([0.0], found, [9.0])), np.hstack([a, found]), np.r_[0, found, a], np.c_[found, found]


@program((LONG, 2.0), (LONG, 4.7))
def put_together_long(a, bound):
    found = [x for x in a if x > bound]
    return np.concatenate(([0.0], found)), np.r_[found, 9], np.c_[np.ones(len(found)), found], np.r_[0 : len(found)]


@program((X, X[::-1].copy(), 1.0), (LONG, LONG % 0.7, 3.0))
def put_in_order(a, b, bound):
    first = [x for x in a if x > bound]
    second = [y for x, y in zip(a, b) if x > bound]
    return np.lexsort((first, second)), np.lexsort([second, first])


@program((LONG, 4.0), (LONG, 2.5))
def repeated_and_tabled(a, bound):
    found = [int(x) for x in a if x > bound]
    rows, columns = np.meshgrid(found, a)
    return np.repeat(found, found), np.add.outer(found, found), np.multiply.outer(a, found), rows + columns


@program((LONG, 2.0), (LONG, 4.0))
def from_iterators(a, bound):
    every = np.fromiter((2 * x for x in a if x > bound), dtype=float)
    return every, np.fromiter([x for x in a if x > bound], int), np.fromiter((x for x in a if x > 1), float, count=2)


@program((X, 3.2), raises=ValueError)
def from_an_iterator_that_is_short(a, bound):
    return np.fromiter((x for x in a if x > bound), float, count=4)


@program((X, SQUARE[:5, :5].copy(), 2.0), (LONG, SQUARE.copy(), 4.0))
def open_meshes(a, m, bound):
    places = [i for i in range(len(a)) if a[i] > bound]
    m[np.ix_(places, [0, 1])] += 1
    return m[np.ix_(places, places)], m[np.ix_([0], places)]


@program((X, 2.0), (LONG, 4.0))
def blocks(a, bound):
    found = [x for x in a if x > bound]
    n = len(found)
    return np.block([[np.outer(found, found), np.zeros((n, 1))], [np.zeros((1, n)), 1.0]]), np.block(
        [a, np.array(found)]
    )


@program((LONG, 4.0), (LONG, 2.5))
def grown_rows_put_together(a, bound):
    rows, tables, numbers = [], [], []
    for x in a:
        if x > bound:
            rows.append(a[:3] * x)
            tables.append(np.outer(a[:2], a[:3]) + x)
            numbers.append(x)
    first = np.vstack(rows), np.concatenate(rows), np.stack(rows, axis=-1), np.column_stack(rows), np.dstack(rows)
    second = (
        np.vstack(tables),
        np.hstack(tables),
        np.concatenate(tables, axis=1),
        np.stack(tables, 1),
        np.dstack(tables),
    )
    return first, second, np.hstack(numbers), np.vstack(numbers), np.column_stack(numbers), np.dstack(numbers)


@program((LONG, 9.0), raises=ValueError)
def no_rows_to_stack(a, bound):
    rows = []
    for x in a:
        if x > bound:
            rows.append(a[:3] * x)
    return np.stack(rows, axis=1)


@program((LONG, 9.0), raises=ValueError)
def no_rows_to_put_together(a, bound):
    rows = []
    for x in a:
        if x > bound:
            rows.append(a[:3] * x)
    return np.vstack(rows)


@program((SQUARE, 2), (SQUARE, 0))
def selections_side_by_side(m, k):
    rows = m[m[:, 0] > 200]
    columns = rows[:, m[0] % 3 == k]
    return np.concatenate((columns, columns[:, :2], columns * 2), axis=1), np.concatenate((columns, columns[1:]))


@program((X, 2.5), (X, 9.0))
def repeated_as_often_as_data_says(a, bound):
    found = a[a > bound]
    n = len(found)
    return (
        np.repeat(a, n),
        found.repeat(n),
        np.repeat(found, len(a[a < bound])),
        np.repeat(3.0, n),
        np.repeat([1, 2], n),
    )


@program((LONG, 2.0), (LONG, 4.7))
def functions_of_the_module_operator(a, bound):
    found = a[a > bound]
    operator.setitem(found, 0, 9.0)
    return operator.le(found, 4.5), operator.mul(2, found), operator.getitem(found, -1), operator.contains(found, 9.0)


@program((SQUARE, 300.0), raises=ValueError)
def selections_of_several_lengths(m, bound):
    return np.concatenate((m[m[:, 0] > bound], m[m[:, 0] > 0]), axis=1)


@program((LONG, SQUARE[0].copy(), 4.0), (LONG, SQUARE[0].copy(), 9.0))
def added_through_a_mask(a, z, bound):
    mask = a > bound
    values = a[a > bound] * 2
    np.add.at(z, mask, values)
    np.subtract.at(z, mask, values * values)


@program((LONG, SQUARE[0].copy(), 4.0), raises=ValueError)
def too_few_added_through_a_mask(a, z, bound):
    np.add.at(z, a > bound, a[:3])


@program((X, 2.0), (LONG[::3], 1.0))
def pairs_of_as_many_items_as_data_says(a, bound):
    items = np.flatnonzero(a > bound)
    ordered, total = 0, 0.0
    pairs = [(i, j) for i, j in itertools.combinations(items.tolist(), 2)]
    for i, j in itertools.permutations(items, 2):
        ordered += i - 2 * j
    for i, j, k in itertools.combinations((x for x in a if x > bound), 3):
        total += i * j - k
    return pairs, ordered, total


@program((X + 1j * X[::-1],), (np.array([[1 + 2j, 3 - 1j], [1 + 3j, 0j]]),))
def range_of_complex_numbers(z):
    return np.ptp(z), np.ptp(z, axis=0)


@program((X, 2.0), (X, 9.0))
def types_of_few_numbers(a, bound):
    found = [int(x) for x in a if x > bound]
    return np.array(found), np.sum(found), np.sort(found), np.argsort(found), np.repeat(found, 2)


@program((np.array([1.0, -1.0, 1.0]),), (np.array([-1.0, -1.0, 1.0]),), refuse="maybe")
def numbers_of_several_types(a):
    found = []
    if a[0] > 0:
        found.append(1)
    if a[1] > 0:
        found.append(2.5)
    if a[2] > 0:
        found.append(True)
    return np.repeat(np.array(found), 2), np.sort(found)


@program((X,), (np.arange(4),), (np.zeros(0),))
def triangles_of_vectors(a):
    return np.triu(a), np.tril(a, -1), np.triu([1, 2, 3], 1)


@program(([1.0, 0.0],), ([0.05, 3.0],), ([2, 1],), (np.array([2.0, 1.0]),))
def after_the_callers_list(start):
    # The rows of a solver: the first is the argument itself, a list, and the others are arrays.
    rows, y = [start], np.array(start)
    while y[0] > 0.1:
        y = y * 0.5
        rows.append(y)
    return np.vstack(rows).T, np.array(rows), np.concatenate(rows)


@program(([1.0, 0.0],), ([0.05, 3.0],))
def after_a_tuple(start):
    # A choice by a short mask between two columns: LLVM 22 ended the process here, with AVX-512 but without its
    # instructions for short vectors.
    rows, y = [(1.0, 2.0)], np.array(start)
    while y[0] > 0.1:
        y = y * 0.5
        rows.append(y)
    return np.concatenate(rows)


test_programs = program.test()
