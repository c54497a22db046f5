"""Eigenvalues and eigenvectors in lists that become arrays: real if all of them are, complex if one is not."""

import numpy as np

from .runner import Programs

program = Programs()

S = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])
N = np.array([[2.0, 1.0, 0.0], [-1.0, 3.0, 1.0], [0.0, -1.0, 4.0]])
REAL = np.array([S, S + np.eye(3), 2 * S] * 30)
MIXED = np.array([S, N, 2 * S] * 30)
LAST = np.concatenate([REAL, N[None]])


def leading(a):
    values, vectors = np.linalg.eig(a)
    return vectors[:, np.argmax(np.abs(values))]


@program((REAL,), (MIXED,), (LAST,))
def vectors_of_each(matrices):
    return np.array([leading(a) for a in matrices])


@program((REAL,), (MIXED,), (LAST,))
def values_of_each(matrices):
    found = []
    for a in matrices:
        found.append(np.linalg.eigvals(a))
    return np.array(found), np.stack(found).shape, np.vstack(found).sum(axis=0)


#: a list of none of them becomes an array of floats, as a list of real ones; since NumPy 2.5 eigenvalues are always
#: complex numbers, and an array of none keeps their type (docs/accepted-differences.md)
NONE_OF_THEM = [(MIXED, -1.0)] if np.linalg.eigvals(S).dtype.kind == "f" else []


@program((REAL, 30.0), (MIXED, 30.0), *NONE_OF_THEM, (LAST, 30.0))
def of_some(matrices, trace):
    found = []
    for a in matrices:
        if np.trace(a) < trace:
            found.append(np.linalg.eigvals(a)[0])
    found = np.array(found)
    return found, len(found)


@program((REAL,), (MIXED,))
def moduli(matrices):
    largest = np.array([np.abs(np.linalg.eigvals(a)).max() for a in matrices])
    sums = np.array([np.sum(np.linalg.eigvals(a)) for a in matrices])
    return largest, np.sqrt(sums)


test_programs = program.test()
