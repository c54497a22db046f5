"""`ravel`, `flatten` and `reshape` of arrays whose length data says, with the order in which elements are read, and
whether what they give is a view."""

import numpy as np

from .runner import Programs

program = Programs()

M = np.array([[1.3, -2.6, 3.1, 0.2], [-4.5, 0.7, -9.1, 2.2], [5.5, 6.1, 0.3, -1.9]])
T = np.cos(np.arange(24.0)).reshape(4, 3, 2)


def written(r):
    r.reshape(-1)[1] = 99
    r.ravel()[2] = 77
    return r


program.each(
    M,
    np.asfortranarray(M),
    ravel=lambda m: (m[m[:, 0] > 0].ravel("F"), m[m[:, 0] > 0].ravel(), np.ravel(m[m[:, 0] > 0], order="F")),
    flatten=lambda m: (m[m[:, 0] > 0].flatten("F"), m[m[:, 0] > 0].flatten(), m[m[:, 0] > 0].T.flatten()),
    as_it_lies=lambda m: (m[m[:, 0] > 0].flatten("K"), m[m[:, 0] > 0].ravel("A"), m[:, m[0] > 0].flatten("K")),
    reshape=lambda m: (m[m > 0.5].reshape(-1, 3, order="F"), np.reshape(m[m > 0.5], (3, -1), order="F")),
    reshape_of_rows=lambda m: (m[m[:, 0] > 0].reshape(-1, order="F"), np.reshape(m[m[:, 0] > 0], -1)),
    copied=lambda m: m[m > 0].reshape(-1, copy=True),
    rows=lambda m: written(m[m[:, 0] > 0]),
    columns=lambda m: written(m[:, m[0] > 0]),
    columns_turned=lambda m: written(m[:, m[0] > 0].T),
    found_columns=lambda m: written(m[:, np.nonzero(m[0] > 0)[0]]),
    found_columns_turned=lambda m: written(m[:, np.nonzero(m[0] > 0)[0]].T),
    computed=lambda m: (written(m[:, m[0] > 0] * 2), written(m[:, m[0] > 0].T + 1), written(m[m[:, 0] > 0] / 2)),
)
program.each(
    T,
    np.asfortranarray(T),
    T.transpose(0, 2, 1),
    layers=lambda t: written(t[t[:, 0, 0] > 0]),
    found_layers=lambda t: written(t[np.nonzero(t[:, 0, 0] > 0)[0]] * 2),
    found_inside=lambda t: written(t[:, np.nonzero(t[0, :, 0] > 0)[0]]),
)


@program((M,), (T[0],))
def made_of_sizes_of_data(m):
    """What is asked of it is known at compile time then: it has no more memory than it needs."""
    n = np.count_nonzero(m > 0)
    square = np.zeros((n, n))
    rest = square[1:]
    found = square.strides, square.flags.c_contiguous, rest.flags.c_contiguous, square[:, 1:].flags.c_contiguous
    square.reshape(-1)[1] = 5
    (square + 1).ravel()[2] = 6
    return square, found, np.outer(m[m > 0], m[m > 0]).strides, m[m > 0].reshape(-1, 1).flags.c_contiguous


test_programs = program.test()
