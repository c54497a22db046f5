"""Arrays chosen from a list by a dynamic index, and loops over many arrays: still the same objects where it matters."""

import numpy as np
from python_check import check

ARRAYS = [np.arange(3.0) + i for i in range(12)]


def fresh():
    return [a.copy() for a in ARRAYS]


def test_reading():
    def program(items, i):
        return items[i] * 2, items[i].sum()

    check(program, (fresh(), 0), (fresh(), 11), (fresh(), -2), (fresh(), 12))


def test_writing_what_was_chosen():
    def program(items, i):
        chosen = items[i]
        chosen[0] = 100.0
        return items[0] + items[1], chosen

    check(program, (fresh()[:3], 0), (fresh()[:3], 1), (fresh()[:3], -1))


def test_writing_what_it_was_chosen_from():
    def program(items, i):
        chosen = items[i]
        items[1][:] = -1.0
        return chosen

    check(program, (fresh()[:3], 0), (fresh()[:3], 1))


def test_loop_over_many_arrays():
    def program(x):
        items = [x + i for i in range(20)]
        total = np.zeros(3)
        for a in items:
            total += a
        for a in items:
            a *= 2
        return total, items[3], sum(items)

    check(program, (np.arange(3.0),))
