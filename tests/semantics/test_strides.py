"""Arrays that show the memory of another one at given steps: they alias it, and are written if nothing shows twice."""

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .runner import Programs

program = Programs()

X = np.arange(12.0)
A = np.arange(30.0).reshape(5, 6)


@program((X, 4), (X * 2, 4), compiles=1)
def means_of_windows(x, n):
    windows = as_strided(x, shape=(x.size - n + 1, n), strides=x.strides * 2)
    x[3] = -1.0
    return windows.mean(axis=1), windows[2], windows.strides


@program((X,), (X + 1j,), (X.astype(np.int16),))
def frames(x):
    step = x.strides[0]
    frame = as_strided(x, (3, 6), (3 * step, step))
    x[4] = 100
    return frame * 2, frame.sum(axis=1), frame.T.strides


@program(A, A * 2, A.astype(np.float32))
def windows_of_a_matrix(a):
    near = as_strided(a, (3, 4, 3, 3), a.strides * 2)
    a[2, 2] = -5
    return np.einsum("ijkl,kl->ij", near, np.eye(3, dtype=a.dtype)), near.max(axis=(2, 3))


@program(A, A * 2)
def blocks_are_written(a):
    rows, columns = a.strides
    block = as_strided(a[1:], (2, 3, 2, 2), (2 * rows, 2 * columns, rows, columns))
    block[0, 0] = 7
    block[1, 2, 0] += 1
    for i in range(3):
        block[1, i] += block[0, i - 1]
    return block.sum(axis=(2, 3)), block.reshape(6, 4)


@program(A, A[::-1].copy())
def a_diagonal_is_written(a):
    d = as_strided(a, (5,), ((a.shape[1] + 1) * a.itemsize,))
    d[...] = 1
    d *= 3
    d[2] = 9
    return d, as_strided(a[:, 1:], (4,), ((a.shape[1] + 1) * a.itemsize,)) + 1


@program(X, X + 1)
def backwards_and_repeated(x):
    back = as_strided(x[::-1], (3,), (-8,))
    toeplitz = as_strided(x[5:], (6, 7), (-8, 8))
    every = as_strided(x[1::2], (3, 2), (32, 16))
    every[1] = 0
    return back, toeplitz, every, as_strided(x, (3, 12), (0, 8)) * 2, as_strided(x, (0, 3), (8, 8)), as_strided(x)


@program(X, raises=ValueError)
def read_only(x):
    as_strided(x, (3,), (8,), writeable=False)[0] = 1


def seen_twice(x):
    as_strided(x, (4, 3), (8, 8))[0] = 1


def behind_the_end(x):
    return as_strided(x[6:], (4, 4), (8, 8))


def before_the_start(x):
    return as_strided(x[2:], (4,), (-8,))


def between_elements(x):
    return as_strided(x, (4,), (4,))


def matrix_in_another_order(x):
    return as_strided(x.reshape(3, 4).T.copy(order="K"), (2,), (8,))


def running_sum(x):
    for k in range(1, len(x)):
        x[k] += x[k - 1]


@program((as_strided(X, (4, 3), (8, 8)), X[:4]), (as_strided(X, (4, 3), (0, 8)), X[:4]))
def arguments_that_show_elements_twice(x, y):
    y = y + x[:, 1]
    return y, x.sum(axis=0), x * 2


@program(as_strided(X, (4, 2), (16, 8)), as_strided(X, (3, 3), (8, 24)), A[::2, ::-3], A.T[1:, ::2])
def arguments_that_show_no_element_twice(x):
    for k in range(1, len(x)):
        x[k] += x[k - 1]


ORDERS = (A, np.asfortranarray(A), A[::-1], A.T, A[:, ::2], A * 2)


@program(*ORDERS, compiles=5)
def results_lie_as_their_operands(a):
    """Whether `reshape` and `ravel` make views hangs on the order of what came first, in every call."""
    b = a * 2
    b.reshape(-1)[1] = 99
    c = np.abs(b + a[0])
    c.ravel()[2] = -5
    d = np.zeros_like(c)
    d.reshape(-1)[:2] = 7
    e = a.astype(np.float32).copy("K")
    e.ravel()[:1] += 100
    return b, c, d, e


for _function in (seen_twice, behind_the_end, before_the_start, between_elements, matrix_in_another_order):
    program.add(_function.__name__, _function, X, refuse=True)

test_programs = program.test()
