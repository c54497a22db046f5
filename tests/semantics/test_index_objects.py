"""np.r_, np.mgrid and their like, bincount, `ufunc.at` and `out=` of dynamic length, keys of mixed integers, `a.shape =
s`."""

import numpy as np

from .runner import Programs

program = Programs()

A = np.arange(6.0).reshape(2, 3)
B = np.arange(20.0).reshape(4, 5)
M = np.arange(12.0).reshape(3, 4)
V = np.array([1, 5, 2])
K = np.array([3, 1, 2, 3, 1])
P = np.array([2, 0, 3, 1])
F = np.arange(5.0)
EMPTY = np.zeros(0)


# -- objects that are subscripted -------------------------------------------------------------------------------------


@program(3, 1)
def grids(n):
    return np.mgrid[0:n, 1:3], np.ogrid[0:n, 0:2], np.mgrid[0:5], np.mgrid[0:n:2], np.mgrid[-1.0:1.0:0.5, :n]


@program()
def grids_by_number_of_points():
    return np.mgrid[-1:1:5j, 0:2:3j], np.ogrid[0:1:0.25, :3], np.mgrid[-1:1:5j]


@program((A, 2), (A, 2.5), (A.astype(np.int8), 1))
def rows_joined(a, x):
    return (
        np.r_[x, a[0], 0, 0],
        np.r_[1:4, 0, 4],
        np.r_[0:1:5j],
        np.r_["-1", a, a],
        np.r_[a, a],
        np.r_["0,2", a[0], a[1]],
    )


@program((A, 2), (A.astype(np.float32), 2.5))
def columns_joined(a, x):
    return np.c_[a[0], a[1]], np.c_[a, a[:, :1]], np.c_[a[0], 1.0 * a[1] + x], np.c_[1:4, a[0]]


@program(A)
def keys_made_before(a):
    key = np.s_[0, 1:]
    return a[key], a[np.index_exp[1]], a[np.s_[..., 0]]


@program(V, V * 0)
def selection_joined(v):
    return np.r_[2, 2 * np.nonzero(v)[0][1::] + 1]


@program(3, 0)
def made_by_the_class(n):
    a = np.ndarray(n)
    a[:] = 1
    b = np.ndarray((n, 2), dtype=np.int32)
    b[...] = 7
    return a, b


# -- tables: far more is read than there is, and counted ------------------------------------------------------------

PIXELS = np.random.default_rng(3).integers(0, 256, (80, 83)).astype(np.uint8)
MANY = np.random.default_rng(4).integers(0, 50, 5003)


@program((PIXELS,), (PIXELS.T.copy(),), (PIXELS // 4,))
def equalised(image):
    counts = np.bincount(image.ravel(), minlength=256)
    share = np.cumsum(counts) / image.size
    return counts, (share * 255).astype(np.uint8)[image]


@program((MANY, MANY < 30), (MANY[::-1].copy(), MANY < 0), (MANY.astype(np.int8), MANY > 4))
def counted(v, m):
    return np.bincount(v, minlength=50), np.bincount(v[m], minlength=60), np.bincount(m), np.histogram(v, 7)


@program((MANY, np.arange(50.0)), (-1 - MANY, np.arange(50.0) ** 2))
def read_from_a_table(v, x):
    table = np.sin(x) / 3
    rows = np.outer(x, [1.0, 2.0]) + 1
    first, second = table[v], rows[v, 1]
    table[3] = 100
    return first, second, table[v].sum()


@program((np.append(MANY, -1),), raises=ValueError)
def negative_among_many(v):
    return np.bincount(v, minlength=50)


# -- bincount, at, out= -----------------------------------------------------------------------------------------------


@program((V, A[0]), (V * 0, A[1]))
def counts(v, w):
    return np.bincount(v), np.bincount(v, w), np.bincount(v, minlength=9), np.bincount(v, minlength=20, weights=w)


@program(V, V.astype(np.uint8), V.astype(np.int8))
def counts_of_a_selection(v):
    m = v > 1
    return np.bincount(v[m]), np.bincount(v[m], minlength=10), np.bincount(v > 1), np.bincount(v).sum()


@program((-V,), raises=ValueError)
def counts_of_negative_numbers(v):
    return np.bincount(v)


@program(np.array([3, 1000, 2]), refuse="maybe")
def counts_without_room(v):
    return np.bincount(v)


@program((K, F), (K[::-1].copy(), -F))
def groups_accumulated(k, v):
    names, inverse = np.unique(k, return_inverse=True)
    sums = np.zeros(len(names))
    np.add.at(sums, inverse, v)
    table = np.zeros(6)
    np.add.at(table, k[v > 1], v[v > 1])
    np.subtract.at(table, k[v > 1], 1.0)
    np.maximum.at(table, names, 2)
    return names, sums, table


@program((K, F), raises=IndexError)
def accumulated_out_of_range(k, v):
    table = np.zeros(3)
    np.add.at(table, k[v > 1], 1)
    return table


@program((K, F), (K, F * 0))
def selection_assigned_in_two_dimensions(k, v):
    t = np.zeros((6, 5))
    m = v > 1
    t[k[m], k[m] - 1] = v[m]
    t[k[m], 0] = 7
    t[k[~m]] = 9
    t[0, k[m]] = v[m] * 2
    return t, t[k[m], 0], t[0, k[m]]


@program((np.array([0, 3, 1, 2, 4, 1]), np.arange(6.0)))
def two_selections_as_key(k, v):
    t = np.zeros((6, 6))
    a, b = k[v > 2], k[v < 3]
    t[a, b] = 5
    return t, t[a, b], t[b, a]


@program((np.array([0, 3, 1, 2, 4, 1]), np.arange(6.0)), raises=IndexError)
def two_selections_of_different_lengths(k, v):
    t = np.zeros((6, 6))
    t[k[v > 2], k[v < 2]] = 5
    return t


@program(np.arange(6.0), np.zeros(6))
def selections_written_by_ufuncs(v):
    z = v[v > 1]
    w = z.copy()
    np.multiply(z, z, z)
    np.add(z, 1, out=z)
    np.sqrt(w, w)
    np.add(w, z, out=w, where=w > 1.5)
    return z, w


@program(np.arange(6.0), raises=ValueError)
def selection_written_by_ufunc_of_another_length(v):
    z, w = v[v > 1], v[v > 2]
    np.multiply(z, z, w)
    return w


# -- keys -------------------------------------------------------------------------------------------------------------


@program((B, P, 1.0), (B, P, -1.0))
def index_that_is_of_python_or_of_numpy(a, k, t):
    j = 1
    if t > 0:
        j = k[0]
    lo, hi = max(j - 1, 0), min(j + 2, 4)
    b = a.copy()
    b[lo:hi, j] = 7
    b[j, j] = 9
    b[j] += 1
    b[lo:hi] *= 2
    return a[j, j], a[j], a[lo:hi], a[j, lo:hi], a[None, j], a[k, j], b


@program((B, P, 1.0), (B, P, -1.0))
def index_that_may_be_none(a, k, t):
    j = None
    if t > 0:
        j = k[0]
    return a[:j].sum(), a[1, j].sum()


@program((EMPTY, 0), (EMPTY, 2), raises=IndexError)
def element_of_an_empty_array_in_a_loop(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    return s


@program((EMPTY, np.array([], dtype=int)), (EMPTY, np.array([3])), raises=IndexError)
def indices_into_an_empty_array(x, k):
    return x[k]


@program((np.arange(8.0), 3), (np.arange(4.0), 2), (np.arange(4.0), 0))
def shape_from_a_loop_variable(x, k):
    y = np.zeros(x.shape)
    for i in range(k):
        y += np.reshape(x, (2**i, -1)).sum(axis=0).max()
    return y


@program((np.array([0, 1, 0]), np.array([1.0, -4.0])), (np.array([0, 0, 7]), np.array([1.0, 4.0])), raises=IndexError)
def any_over_checked_items(src, w):
    return any(w[s] + s < 0 for s in src)


@program((F, K))
def loop_under_errstate(x, k):
    with np.errstate(divide="ignore"):
        y = x[k[0]]
        for j in range(1, 3):
            y = y + x[k[j]]
    return y


# -- shapes assigned --------------------------------------------------------------------------------------------------


@program(M)
def shape_of_an_array_with_two_names(a):
    v = a.copy()
    w, u, both = v, v[:2], [v]
    v.shape = (4, 3)
    v[0], w[1], both[0][2] = 1, 2, 5
    return v, w, u, both, v is w, both[0] is v


@program((M, 1.0), (M, -1.0))
def shape_assigned_in_a_branch(a, c):
    v = a.copy()
    w = v
    if c > 0:
        v.shape = (2, 6)
    else:
        v.shape = (2, -1)
    return v, w


@program(M, raises=AttributeError)
def shape_that_needs_a_copy(a):
    v = a.T.copy().T
    v.shape = 12
    return v


@program((M, 1.0), (M, -1.0), refuse="maybe")
def shape_of_one_of_two_arrays(a, c):
    v, w = a.copy(), a.copy()
    x = v if c > 0 else w
    x.shape = 12
    return x, v


@program(M, refuse="maybe")
def shape_of_an_argument(a):
    a.shape = 12
    return a


@program((M,), (A,))
def resized_to_as_many_elements(a):
    v, w = a.copy(), a.ravel().copy()
    v.resize(a.shape)
    v.resize()
    w.resize(len(w))
    w += 1
    w.resize((2, len(w) // 2))
    v[1:2, 1:].resize(1, v.shape[1] - 1)
    return v, w


@program(M, refuse=True)
def resized_to_more(a):
    v = a.copy()
    v.resize(20)
    return v


# -- lists that grew, as indices --------------------------------------------------------------------------------------


@program((B, 4), (B, 2))
def rows_of_a_list_of_numbers_of_two_kinds(a, n):
    found = []
    current = np.argmin(a[:n, 0])
    while current < n:
        found.append(current)
        following = current + 1
        for k in range(n):
            if a[k, 0] == 5 * following + 1:
                following = k
        current = following
    return a[found], a[found, 1], found


test_programs = program.test()
