"""Lists of as many parts of arrays as data says, each as long as data says: put behind each other, and returned."""

import numpy as np

from .runner import Programs

program = Programs()

T, M = np.linspace(0.0, 9.0, 13), np.arange(12.0).reshape(3, 4)


def parts(t, end):
    found, i, k = [], 0, 0.0
    while k < end:
        k += 1.0 + k * 0.1
        j = np.searchsorted(t, k, side="right")
        part = t[i:j]
        if part.size > 0:
            found.append(part)
            i = j
    return found


program.each(
    (T, 8.0),
    (T, 1.0),
    (np.arange(13), 8.0),
    returned=parts,
    behind_each_other=lambda t, end: (np.hstack(parts(t, end)), np.concatenate(parts(t, end), axis=-1).sum()),
)


@program((T, 8.0), (T, -1.0))
def behind_each_other_if_there_are_any(t, end):
    found = parts(t, end)
    if found:
        found = np.hstack(found)
    return found


@program((M, 4), (M, 2))
def columns(m, n):
    found = []
    for i in range(n):
        found.append(m[:, 1 : i + 1] * 2)
    return np.hstack(found), np.concatenate(found, axis=1), found


def of_none(t, end):
    return np.concatenate(parts(t, end))


program.add("of_none", of_none, (T, -1.0), raises=ValueError)
test_programs = program.test()
