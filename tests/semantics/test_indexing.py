"""Reading and writing by integers, slices, None, ..., integer arrays, masks and their mixtures; static and dynamic."""

import dis

import numpy as np
import pytest

import xlapy

from .runner import Programs

program = Programs()

X = np.array([3.0, -1.0, 2.0, 5.0, 0.5])
M = np.arange(12.0).reshape(3, 4)
T = np.arange(24.0).reshape(2, 3, 4)
I = np.array([2, 0, -1, 2])
J = np.array([[0, 1], [2, 0]])

program.each(
    T,
    read_integers=lambda t: (t[0], t[-1, 2], t[1, 0, 3], t[0][1][2], t[(1, 2)], t[np.int32(1)]),
    read_slices=lambda t: (t[:, 1:], t[..., ::2], t[::-1, ::-1], t[:, :, -2:], t[:, 5:], t[0, 2:0:-1], t[:, -100:100]),
    read_none_ellipsis=lambda t: (
        t[None, 0],
        t[..., None],
        t[:, None, 1],
        t[...],
        t[0, ..., 1],
        t[np.newaxis, ..., 0, None],
    ),
    read_integer_arrays=lambda t: (
        t[[1, 0]],
        t[:, [0, 2]],
        t[[0, 1], [2, 0]],
        t[:, [0, 2], [1, 3]],
        t[[0, 1], :, [1, 3]],
    ),
    read_arrays_broadcast=lambda t: (
        t[[[0], [1]], [0, 2]],
        t[np.ix_([1, 0], [2, 1])],
        t[0][np.array([[0, 1], [2, 2]])],
    ),
    read_separated_advanced=lambda t: (t[0, :, [1, 2]], t[[1], :, 0], t[:, 0, [1, 1]], t[None, [0, 1], 1]),
    read_masks_static=lambda t: (
        t[[True, False]],
        t[:, [True, False, True]],
        t[0, :, np.array([True, False, True, True])],
    ),
    read_negative_arrays=lambda t: (t[0, [-1, -3]], t[[-1], -1], t[..., [-1, 0]]),
    read_empty_index=lambda t: (t[[]], t[:, []], t[0:0], t[()], t[np.zeros(0, dtype=int)]),
    read_by_tuple_variable=lambda t: (t[tuple([0, slice(None), 1])], t[(slice(1), ...)], t[:, *[0, 1]]),
)


@program((M, 0, 0), (M, 2, 3), (M, -1, -4))
def read_dynamic_integers(m, i, j):
    return m[i, j], m[i], m[:, j], m[i, 1:], m[i][j]


@program((X, 1, 4), (X, 0, 0), (X, 3, 1), (X, -3, -1), (X, -100, 100))
def read_dynamic_slice_summed(x, a, b):
    return x[a:b].sum(), len(x[a:b]), x[a:].sum(), x[:b].sum()


@program((X, 1, 4), (X, 0, 0), (X, -3, -1))
def read_dynamic_slice_returned(x, a, b):
    return x[a:b]


@program((X, 2), (X, 3), (X, -1), (X, -2))
def read_dynamic_step(x, k):
    return x[::k], x[::k].sum()


@program((M, 1), (M, 0))
def read_fixed_width_window(m, i):
    return m[i : i + 2, i : i + 2]


@program((X, I), (X, np.array([0, 0, 0, 4])))
def read_by_array(x, i):
    return x[i], x[i] * 2 + x[i[0]], x[-i - 1]


@program((X, np.array([0, 7])), raises=IndexError)
def read_by_array_out_of_range(x, i):
    return x[i]


@program((M, J, I[:2]))
def read_by_matrix_of_indices(m, j, i):
    return m[j], m[j, j], m[:, j], m[i, j], m[j[0], 1:3]


@program((X, np.float64(1.0)), raises=IndexError)
def read_by_float_raises(x, i):
    return x[i]


@program((M, np.array([True, False, True])))
def read_by_mask_argument(m, mask):
    return m[mask], m[mask, 1], m[:, :3][:, mask], m[mask][:, mask if False else 0]


@program((M, True), (M, False))
def read_by_bool_scalar(m, flag):
    return m[flag] if flag is None else m[int(flag)]


@program((X, np.array(2)), (X, np.array(-1)))
def read_by_zero_dim_array(x, i):
    return x[i], x[i : i + 1] if False else x[int(i)]


@program((X, X))
def read_by_argmax(x, y):
    return y[x.argmax()], y[np.argsort(x)], y[np.argmin(x) - 1]


@program((M, I))
def gather_nested(m, i):
    return m[i[0], i[1]], m[i[i[1]]], m[0][i]


@program((X, 2), (X, -5))
def write_integer(x, i):
    x[i] = 10.0
    x[i - 1 if i > 0 else 0] += 1
    return x


@program(M)
def write_slices(m):
    m[0] = 1.0
    m[:, 1] = [7.0, 8.0, 9.0]
    m[1:, 2:] = m[:2, :2]
    m[::2, ::3] *= -1
    m[-1, ::-1] = np.arange(4)


@program(T)
def write_none_ellipsis(t):
    t[..., 0] = -1.0
    t[0, ..., 1:3] = np.ones((3, 2))
    t[:, None, 2] = 5.0
    t[1][...] = t[1] * 2


@program((M, 1, 2), (M, 0, 0), (M, -1, -1))
def write_dynamic_integers(m, i, j):
    m[i, j] = 100.0
    m[i] += 1
    m[:, j] -= 2
    m[i][j] *= 3


@program((X, 1, 4), (X, 0, 0), (X, 3, 1), (X, -2, 100))
def write_dynamic_slice(x, a, b):
    x[a:b] = 7.0
    x[:a] += 1


@program((X, 2, 3), (X, 1, 4))
def write_dynamic_slice_from_dynamic_slice(x, a, b):
    y = np.zeros(5)
    y[a:b] = x[a:b] * 2
    return y


@program((X, I))
def write_by_array(x, i):
    x[i] = 10.0
    x[i[:2]] = [1.0, 2.0]


@program((X, np.array([1, 1, 1, 0])))
def write_by_array_duplicates_last_wins(x, i):
    x[i] = np.arange(4.0)


@program((X, np.array([1, 1, 1, 0])))
def augmented_by_array_duplicates_once(x, i):
    x[i] += 1.0


@program((X, np.array([1, 1, 1, 0])))
def add_at_accumulates(x, i):
    np.add.at(x, i, 1.0)
    np.subtract.at(x, (i[:2],), [1.0, 5.0])


@program((M, I[:3], np.array([0, 3, 1])))
def write_by_two_arrays(m, i, j):
    m[i, j] = [10.0, 20.0, 30.0]
    m[i, 0] += 1
    m[1, j] = 0.0


@program(M)
def write_by_ix(m):
    m[np.ix_([0, 2], [1, 3])] = 0.0
    m[[0, 1], 1:] += np.ones(3)
    m[:, [0, -1]] = m[:, [-1, 0]]


@program(X)
def write_by_static_mask(x):
    x[[True, False, True, False, False]] = [7.0, 8.0]


@program((M, np.array([1, 0, 2])))
def row_and_column_permutation(m, p):
    m[:] = m[p]
    m[[0, 1]] = m[[1, 0]]
    return m[:, np.argsort(-m[0])]


@program((M, 0, 2), (M, 1, 1))
def swap_rows(m, i, j):
    m[[i, j]] = m[[j, i]]


@program((M, 0, 2))
def swap_rows_by_tuple_is_aliased(m, i, j):
    m[i], m[j] = m[j], m[i]


@program((M, 0, 2))
def swap_rows_by_copy(m, i, j):
    m[i], m[j] = m[j].copy(), m[i].copy()


@program((X, 3), (X, 1))
def swap_elements(x, i):
    x[i], x[0] = x[0], x[i]


@program((np.zeros(4, dtype=int), X))
def write_casts(k, x):
    k[:2] = x[:2]
    k[2] = x[2] * 1.4
    k[3] = True


@program((X, 1 + 2j), raises=TypeError)
def write_complex_scalar_into_float_raises(x, z):
    x[0] = z


@program((M, X), raises=ValueError)
def write_wrong_shape_raises(m, x):
    m[0] = x


@program((M, M[:1], 2.0))
def write_broadcasts(m, row, v):
    m[1:] = row
    m[:, 0] = v
    m[0, :] = np.array([v])


@program((M, 3), (M, 0))
def write_in_triangular_loop(m, n):
    for i in range(n):
        m[i, : i + 1] = m[i, i]
        m[i, i + 1 :] += i


@program((M, 3))
def read_in_triangular_loop(m, n):
    s = np.zeros(3)
    for i in range(n):
        s[i] = m[i, :i].sum() + m[i, i:] @ m[i, i:]
    return s


@program((np.arange(9.0).reshape(3, 3) + np.eye(3) * 5, 3))
def triangular_products(a, n):
    out = np.zeros((3, 3))
    for i in range(n):
        for j in range(n):
            out[i, j] = a[i, :j] @ a[:j, i]
    return out


@program((np.arange(9.0).reshape(3, 3), 3))
def symmetric_fill(c, n):
    for i in range(n):
        c[i:n, i] = c[i, i:n] = c[i, i:n] * 2


@program((X, 5), (X, 1))
def self_overlap_flip(y, n):
    for k in range(1, n):
        y[:k] += 0.5 * np.flip(y[:k])


@program((X, 4))
def shifting_window(x, n):
    for _ in range(n):
        x[1:] = x[:-1]
        x[0] = 9.0


@program((X, 4))
def prefix_in_place(x, n):
    for i in range(1, n):
        x[i] += x[i - 1]


@program((np.array([0, 2, 2, 5]), np.array([0, 2, 1, 0, 2]), X, np.array([1.0, 2.0, 3.0])))
def csr_matrix_vector(ptr, col, val, v):
    out = np.zeros(3)
    for r in range(3):
        out[r] = val[ptr[r] : ptr[r + 1]] @ v[col[ptr[r] : ptr[r + 1]]]
    return out


@program((X, 2), (X, 0), (X, 4))
def leave_one_out(x, i):
    return np.concatenate([x[:i], x[i + 1 :]])


@program((X, 2), (X, 1))
def dynamic_slice_of_list_of_indices(x, n):
    idx = np.argsort(x)[:n]
    return x[idx].sum(), x[np.argsort(x)][-n:]


@program((M, 1), (M, 2))
def delete_and_append_row(m, i):
    return np.delete(m, i, axis=0), np.insert(m, i, 0.0, axis=1)


@program((X, 2), (X, 9))
def clipped_index(x, i):
    return x[min(i, len(x) - 1)], x[max(-i, -len(x))], x[i % len(x)], np.take(x, i, mode="clip")


@program((T, 1, 2))
def mixed_dynamic_and_static(t, i, j):
    return t[i, :, j], t[:, i, [0, j]], t[i, None, ..., j], t[0, i:, :j]


@program((M, np.array([2, 1, 3])))
def take_along_and_put_along(m, k):
    out = m.copy()
    np.put_along_axis(out, k[:, None], -1.0, axis=1)
    return np.take_along_axis(m, k[:, None], axis=1), out, m[np.arange(3), k]


@program((X, np.array([1, 3])))
def put_and_place(x, i):
    np.put(x, i, [40.0, 50.0])
    x.put(0, 9.0)
    np.place(x, x > 45, [1.0])


@program((np.arange(6), 3))
def one_hot(k, n):
    out = np.zeros((6, 6))
    out[np.arange(6), k] = 1.0
    return out, np.eye(6)[k[:2]], (k[:, None] == np.arange(n)).astype(float)


@program((X, [0, 2]), (X, [1]))
def index_by_list_argument(x, idx):
    return x[idx], [x[i] for i in idx]


@program((M, (1, 2)), (M, (0, -1)))
def index_by_tuple_argument(m, key):
    return m[key], m[key[0]][key[1]]


@program(X)
def delete_by_slice_syntax(x):
    y = [v for v in x]
    del y[1:3]
    return y


@program(
    (np.arange(256), np.array([0, 255, 7], np.uint8)),
    (np.arange(300), np.array([0, 255, 7], np.uint8)),
    (np.arange(128), np.array([0, 127, 7], np.uint8)),
    (np.arange(128), np.array([0, -128, 127], np.int8)),
    (np.arange(70000), np.array([1, 65535], np.uint16)),
    (np.arange(70000), np.array([1, 40000], np.uint16)),
)
def table_by_small_integers(table, at):
    return table[at], table[at.astype(np.int8)], table[(at.astype(np.int64) % 100).astype(np.uint8)]


@program((np.arange(200), np.array([7, 200, 201], np.uint8)), raises=IndexError)
def table_too_short_for_small_integers(table, at):
    return table[at]


@program((np.arange(70000), np.array([65535, 65000], np.uint16)))
def small_integers_that_wrapped(table, at):
    narrow = at.astype(np.int8)
    return table[narrow], table[narrow.astype(np.int64)]


@program(np.array([3, 0, 255, 3], np.uint8), np.array([1, 1], np.uint8))
def counts_of_bytes(x):
    return np.bincount(x), np.bincount(x, minlength=256)


@program(np.array([3, -1], np.int8), raises=ValueError)
def counts_of_negative_numbers(x):
    return np.bincount(x)


# -- blocks: bounds that are computed twice in the same way -----------------------------------------------------------

BOARD = np.arange(81).reshape(9, 9) % 7


def block_sums(board):
    out = np.zeros((9, 9), int)
    for r in range(9):
        for c in range(9):
            block = board[3 * (r // 3) : 3 * (r // 3) + 3, c // 3 * 3 : (c // 3 + 1) * 3]
            out[r, c] = block.ravel()[c % 3] * block.sum()
    return out


def rows_around(board):
    total = 0
    for r in range(8):
        total += board[(r + 1) // 2 - 1 + 1 : (r + 1) // 2 + 2].ravel()[r] * r
    return total


def from_the_remainder(board):
    total = 0
    for r in range(8):
        total += board[r - r % 2 : r - r % 2 + 2, (r * r) % 5 : (r * r) % 5 + 3].T.ravel()[r % 4]
    return total


def signs_of_remainders(board):
    total = 0
    for r in range(-4, 5):
        total += board[abs(r - r % 3), abs(r - r % -2)] * (r - r % 3)
    return total


def index_beside_its_half(board):
    total = 0
    for r in range(6):
        total += board[r + r // 2, r // 2] - board[r - r // 2, r // 3]
    return total


BLOCKS = (block_sums, rows_around, from_the_remainder, signs_of_remainders, index_beside_its_half)

for function in BLOCKS:
    program.add(function.__name__, function, BOARD, BOARD[::-1].copy())


@pytest.mark.parametrize("function", (block_sums, rows_around, from_the_remainder, index_beside_its_half))
def test_blocks_stay_in_loops(function):
    """A known size of what is cut out keeps the loop one; else it would be unrolled."""
    text = xlapy.code_typed(function, BOARD)
    assert text.count(" = for(") == sum(i.opname == "GET_ITER" for i in dis.get_instructions(function))


@program(X, raises=ValueError)
def deleted_elements(x):
    del x[0]


test_programs = program.test()
