"""`ufunc.at` at positions that were collected: in lists, in tuples of arrays of several lengths, with values that do
not fit."""

from typing import Any

import numpy as np

from .runner import Programs

program = Programs()
FEW = np.array([1, -1, 2, 0, 2, 1])
MANY = np.tile(FEW, 20)
EYE = np.eye(4)


def positive(values):
    found = []
    for v in values:
        if v > 0:
            found.append(v)
    return found


@program((EYE, FEW), (EYE, MANY), (EYE, np.zeros(3, int)))
def lists_for_each_axis(z, x):
    np.add.at(z, (positive(x), positive(x)), positive(x))
    return z


@program((EYE, FEW), (EYE, MANY))
def a_number_and_a_list(z, x):
    np.subtract.at(z, (0, positive(x)), positive(x))
    return z


@program((EYE, FEW), (EYE, MANY), (EYE.T, FEW))
def arrays_for_each_axis(z, x):
    found = np.array(positive(x))
    np.maximum.at(z, (found, found), found)
    np.add.at(z, (found, found), 5.0)
    return z


@program((np.zeros(4), FEW), (np.zeros(4), MANY))
def tuple_of_one(z, x):
    np.add.at(z, (np.array(positive(x)),), 5.0)
    return z


@program((EYE, FEW), (EYE, MANY))
def a_slice_and_an_array(z, x):
    places: Any = (slice(None), np.array(positive(x)))
    np.add.at(z, places, 1)
    return z


@program((EYE, FEW), raises=IndexError)
def out_of_bounds(z, x):
    found = np.array(positive(x))
    np.add.at(z, (found, found + 2), 5.0)


@program((EYE, FEW), raises=ValueError)
def values_of_another_length(z, x):
    found = np.array(positive(x))
    np.add.at(z, (found, found), found[1:])


@program((np.zeros(4), MANY), raises=ValueError)
def many_values_of_another_length(z, x):
    np.add.at(z, np.array(positive(x)), np.array(positive(x))[1:])


@program((np.zeros(4), MANY), raises=ValueError)
def too_many_dimensions_of_values(z, x):
    np.add.at(z, np.array(positive(x)), np.array([[1.0]]))


@program((EYE, np.zeros(3)), (EYE, np.zeros((1, 4))), raises=ValueError)
def values_for_a_row(z, v):
    np.add.at(z, 1, v)


@program((EYE, np.zeros(3)), raises=ValueError)
def values_for_a_view(z, v):
    places: Any = slice(None)
    np.add.at(z, places, v)


@program((EYE, np.zeros(3)), (EYE, np.zeros((1, 1, 4))), raises=ValueError)
def values_for_rows(z, v):
    np.add.at(z, [0, 1], v)


@program((np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([[0, 1, 2], [1, 3, 2], [0, 0, 1]])))
def assembly(nodes, triangles):
    rows, columns, values = [], [], []
    for triangle in triangles:
        frame = np.hstack([np.ones((3, 1)), nodes[triangle]])
        area = abs(np.linalg.det(frame)) / 2
        if area < 1e-12:
            continue
        slopes = np.linalg.inv(frame)[1:]
        stiffness = area * slopes.T @ slopes
        for a in range(3):
            for b in range(3):
                rows.append(triangle[a])
                columns.append(triangle[b])
                values.append(stiffness[a, b])
    whole = np.zeros((len(nodes), len(nodes)))
    np.add.at(whole, (rows, columns), values)
    return whole


test_programs = program.test()
