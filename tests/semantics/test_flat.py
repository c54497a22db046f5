"""`array.flat`: reading a part of it copies, and what is written to a part of it is repeated."""

import numpy as np

from .runner import Programs

program = Programs()

A = np.arange(12.0).reshape(3, 4)


@program(A, A + 1)
def parts_are_copies(a):
    parts = a.flat[2:5], a.flat[[1, 2]], a.flat[:], a.T.flat[1:4], a.flat[a.ravel() > 3]
    for part in parts:
        part += 100
    return parts, a.flat[5], a.flat[-1], len(a.flat)


@program(A, A + 1)
def written_values_are_repeated(a):
    a.flat[3] = 50
    a.flat[::5] = -1
    a.flat[[1, 2, 4]] = [7, 8]
    a.flat[6:] = (1, 2, 3, 4)
    a.T.flat[1:3] = 9
    a.flat[[0, 1]] = np.array([[5, 6, 7]])
    grid = np.zeros((4, 4))
    grid.flat[1::5] = [1, 2]
    return grid


@program((A, 3.0), (A - 4, 5.0), compiles=1)
def masks_of_flat(a, limit):
    a.flat[a.ravel() > limit] = [1, 2]
    low = a.copy()
    low.flat[low.ravel() < 2] = 0
    return low


@program(A, A + 1)
def flat_in_loops(a):
    mixed = 0.0
    for v in a.T.flat:
        mixed = mixed * 0.5 + v
    for i in range(a.size):
        a.flat[i] *= 2
    return mixed, [v + 1 for v in a.flat], sum(a.flat), np.sum(a.flat), np.asarray(a.flat), a.flat.copy()


@program((A, 2), (A, 40), raises=IndexError)
def flat_out_of_bounds(a, i):
    a.flat[i] = 1


@program((A, -20), raises=IndexError)
def flat_read_out_of_bounds(a, i):
    return a.flat[i]


@program((A, 1), (np.arange(5), 2))
def attributes_there_are(a, i):
    names = "__array__", "__array_interface__", "flat", "fit", "__len__", "iloc", "__dict__", "data", "item"
    return [hasattr(a, name) for name in names], [hasattr(a[0], name) for name in names]


test_programs = program.test()
