"""Masks and sizes that depend on data: x[mask], nonzero, unique, mask assignment, empty selections."""

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([3.0, -1.0, 2.0, 5.0, -0.5])
NEG = -np.abs(X)
M = np.array([[3.0, -1.0, 2.0], [-4.0, 0.0, 6.0]])
K = np.array([3, 1, 3, 2, 1, 3])

program.each(
    X,
    NEG,
    select=lambda x: x[x > 0],
    select_then_elementwise=lambda x: np.sqrt(x[x > 0]) * 2 + 1,
    select_sum=lambda x: (x[x > 0].sum(), x[x > 0].prod(), len(x[x > 0]), x[x > 0].size, x[x > 0].any()),
    select_mean=lambda x: (x[x > 0].mean(), x[x > 0].std(), np.median(x[x > 0])),
    select_sorted=lambda x: (np.sort(x[x > 0]), x[x > 0][::-1], np.argsort(x[x > 0])),
    select_cumsum=lambda x: (np.cumsum(x[x > 0]), np.diff(x[x > 0])),
    select_dot=lambda x: (x[x > 0] @ x[x > 0], np.outer(x[x > 0], x[x > 0])),
    select_joined=lambda x: np.concatenate([x[x > 0], x[x <= 0]]),
    select_twice=lambda x: x[x > 0][x[x > 0] < 4],
    select_copied_and_changed=lambda x: [y := x[x > 0].copy(), y.__iadd__(1), y][2],
    nonzero=lambda x: (np.nonzero(x > 0), np.flatnonzero(x > 0), np.where(x > 0), np.argwhere(x > 0)),
    nonzero_used=lambda x: (x[np.nonzero(x > 0)], x[np.where(x > 0)[0]].sum(), np.flatnonzero(x > 0).sum()),
    count=lambda x: (np.count_nonzero(x > 0), (x > 0).sum(), np.sum(x > 0) / len(x)),
    compress_extract=lambda x: (np.compress(x > 0, x), np.extract(x > 0, x), x.compress(x > 1)),
    where_like=lambda x: (np.where(x > 0, x, 0), np.where(x > 0, np.sqrt(np.abs(x)), -1.0), np.maximum(x, 0)),
    logical_combinations=lambda x: x[(x > 0) & (x < 4) | (x == 5)],
    negated=lambda x: (x[~(x > 0)], x[np.logical_not(x > 0)], x[np.isfinite(x)]),
    # starts as a float: an int accumulator over no items at all is an accepted difference
    iterate_over_selection=lambda x: sum((v * v for v in x[x > 0]), 0.0),
    first_true=lambda x: (np.argmax(x > 0), (x > 0).argmin()),
    shape_of_selection=lambda x: (
        x[x > 0].shape,
        x[x > 0].ndim,
        x[x > 0].reshape(-1, 1),
        x[x > 0][:, None] * [1.0, 2.0],
    ),
    setdiff=lambda x: (
        np.union1d(x[:2], x[1:3]),
        np.intersect1d(x, [2.0, 3.0]),
        np.setdiff1d(x, [2.0]),
        np.isin(x, [2.0, 5.0]),
    ),
)

program.each(
    K,
    np.array([5, 5, 5, 5, 5, 5]),
    unique=lambda k: np.unique(k),
    unique_counts=lambda k: np.unique(k, return_counts=True),
    unique_inverse=lambda k: np.unique(k, return_index=True, return_inverse=True),
    unique_len=lambda k: (len(np.unique(k)), np.unique(k).max(), np.unique(k).sum()),
    mode_of_data=lambda k: np.unique(k)[np.argmax(np.unique(k, return_counts=True)[1])],
    group_sums=lambda k: [(k * 2.0)[k == v].sum() for v in (1, 2, 3)],
    select_integers=lambda k: (k[k > 1], k[k % 2 == 0].sum(), k[k > 100].sum(), k[k > 1].mean()),
)

program.each(
    M,
    NEG.reshape(1, 5),
    select_matrix=lambda m: m[m > 0],
    nonzero_matrix=lambda m: np.nonzero(m > 0),
    argwhere_matrix=lambda m: np.argwhere(m > 0),
    select_rows=lambda m: m[m[:, 0] > 0],
    select_rows_reduced=lambda m: (m[m.sum(axis=1) > 0].sum(axis=0), m[m[:, 0] < 0].sum()),
    select_columns=lambda m: m[:, m[0] > 0],
    select_elements_of_rows=lambda m: m[m[:, 0] < 0, 1],
)


@program(X, NEG)
def assign_scalar(x):
    x[x > 2] = 0.0
    x[x < 0] *= -1


@program(X, NEG)
def assign_values_by_same_mask(x):
    m = x > 0
    y = np.zeros_like(x)
    y[m] = x[m] ** 2
    y[~m] = np.exp(x[~m])
    return y


@program((X, np.array([10.0, 20.0, 30.0])))
def assign_array_in_order(x, v):
    x[x > 0] = v


@program((X, np.array([10.0, 20.0])), raises=ValueError)
def assign_wrong_count_raises(x, v):
    x[x > 0] = v


@program(M, NEG.reshape(1, 5))
def assign_matrix_mask(m):
    m[m < 0] = 0.0
    m[m > 2] += 10


@program(M)
def assign_rows_by_mask(m):
    m[m[:, 0] < 0] = [7.0, 8.0, 9.0]
    m[m[:, 1] > 0, 2] = -1.0


@program(M)
def assign_mask_of_slice(m):
    row = m[0]
    row[row > 2] = 0.0
    m[1][m[1] < 0] = 1.0
    m[:, 0][m[:, 0] == 0] = 5.0


@program((X, X * 2), (X, NEG))
def assign_from_other_by_mask(x, y):
    m = y > 3
    x[m] = y[m]
    np.copyto(x, -1.0, where=~m)


@program((np.array([-1.5, 0.1, 0.3]), 8), (np.array([-1.5, 0.1, 0.3]), 0))
def mandelbrot_masked(re, n):
    c = re[:, None] + 1j * np.array([0.0, 0.5, 1.0])
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=int)
    for i in range(n):
        m = np.abs(z) < 2
        z[m] = z[m] ** 2 + c[m]
        count[m] = i
    return count


@program(X, NEG)
def mask_refined_in_loop(x):
    m = np.ones(5, dtype=bool)
    for i in range(3):
        mean = x[m].mean()
        m &= x <= mean + 1
    return m, x[m].sum()


@program(X, NEG)
def selection_under_if(x):
    pos = x[x > 0]
    if len(pos) > 2:
        return pos.sum()
    if pos.size == 0:
        return -1.0
    return pos[0]


@program(X, raises=ValueError)
def max_of_empty_selection(x):
    return x[x > 100].max()


@program(X, NEG, raises=IndexError)
def first_of_selection(x):
    return x[x > 0][0]


@program((X, 2.5), (X, 100.0), (X, -100.0))
def threshold_argument(x, t):
    return x[x > t], (x > t).sum(), np.flatnonzero(x > t)


@program(X, NEG)
def compact_by_loop(x):
    n = 0
    for i in range(len(x)):
        if x[i] > 0:
            x[n] = x[i]
            n += 1
    return x[:n]


@program(X, NEG)
def split_by_mask_with_helper(x):
    def split(v, m):
        return v[m], v[~m]

    a, b = split(x, x > 0)
    return a.sum() - b.sum(), len(a), len(b)


@program(X)
def masked_arithmetic_of_selections(x):
    m = x > 0
    return x[m] + x[m], x[m] * np.arange(5)[m], x[m] > 2.5, -x[m]


@program((X, X[:3]), raises=IndexError)
def mask_of_wrong_length(x, y):
    return x[y > 0]


@program((K, X), (np.array([0, 0, 1, 1, 0, 2]), X))
def filter_indices_then_gather(k, x):
    return x[k[k > 1]]


@program(40, 2, 50)
def sieve(n):
    is_prime = np.ones(60, dtype=bool)
    is_prime[:2] = False
    i = 2
    while i * i <= n:
        if is_prime[i]:
            is_prime[i * i :: i] = False
        i += 1
    return np.flatnonzero(is_prime[: n + 1])


@program(X, NEG)
def nan_filtered(x):
    y = np.where(x > 0, x, np.nan)
    y = y[~np.isnan(y)]
    return y, y.sum()


@program(np.array([1.0, 1.0, 2.0, 2.0, 2.0, 1.0]), np.ones(6), np.arange(6.0))
def run_lengths(x):
    change = np.flatnonzero(np.diff(x)) + 1
    edges = np.concatenate([[0], change, [len(x)]])
    return np.diff(edges), x[edges[:-1]]


@program(np.array([1.0, 3.0, 2.0, 5.0, 4.0]), np.arange(5.0))
def local_maxima(x):
    peaks = np.where((x[1:-1] > x[:-2]) & (x[1:-1] > x[2:]))[0] + 1
    return peaks, x[peaks]


@program((M, 2), (M, 1))
def remove_rows_in_loop(m, n):
    total = 0.0
    for _ in range(n):
        keep = m[:, 0] > -100
        total += m[keep].sum()
        m = m - 1
    return total


C, D = np.linspace(-1.5, 1.5, 24), np.linspace(0.1, 2.0, 24)


@program((C, D, 9), (C, D, 1), (C, D, 0), (C[:3], D[:3], 30))
def lanes_that_shrink_together(c, d, n):
    places, out = np.arange(len(c)), np.zeros((len(c), 2))
    z = np.zeros_like(c)
    for k in range(n):
        if not len(z):
            break
        np.multiply(z, z, z)
        np.add(z, c, z)
        gone = np.abs(z) > 2.0
        out[places[gone], 0] = k + 1
        out[places[gone], 1] = z[gone] * d[gone]
        np.logical_not(gone, gone)
        z, c, d, places = z[gone], c[gone], d[gone], places[gone]
    return out, z, c


@program((C, D, 6), (C, D, 1), (C, D, 0))
def lanes_that_part(c, d, n):
    keep = c < 1.0
    c, d = c[keep], d[keep]
    for k in range(n):
        c = c[c > -1.4 + 0.1 * k]
        d = d[d < 1.9 - 0.1 * k]
    return c, d, len(c) - len(d)


@program((C, D, 6), (C, D, 1))
def lanes_that_part_late(c, d, n):
    total = 0.0
    for k in range(n):
        keep = c < 1.4 - 0.1 * k
        c, d = c[keep], d[keep]
        if k == 3:
            d = d[::-1].copy()
        total += (c * d).sum()
    return total, c, d


@program((C, D, 6), (C, D, 1), (C, D, 0), (C[:0], D[:0], 3), (C[:3], D[:3], 50))
def filtered_while_two_things_hold(c, d, n):
    k = 0
    while len(c) and k < n:
        np.multiply(c, c, out=c)
        keep = c < 1.5
        c, d = c[keep], d[keep]
        k += 1
    return c, d, k


@program((C, 6), (C, 1), (C, 0), (C[:0], 3), (C - 10.0, 4))
def filtered_until_one_of_two(c, n):
    total, k = 0.0, 0
    while True:
        if not len(c):
            break
        if k >= n or c.min() < -5.0:
            total -= 1.0
            break
        c = c[c < c.max()]
        total += c.sum()
        k += 1
    return c, total, k


@program((C, 6, 2.0), (C, 1, 2.0), (C, 0, 1.0), (C, 5, -3.0))
def filtered_in_a_loop_with_breaks(c, n, limit):
    total = 0.0
    for k in range(n):
        if len(c) < 2:
            break
        if c.max() > limit + 10:
            break
        c = c[c > limit * 0.1 * k - 1.0]
        total += c.sum()
    return c, total


@program((np.arange(5), 3), (np.arange(5), 0), (np.arange(5), 1))
def a_type_that_changes_behind_two_tests(x, n):
    k = 0
    while x.sum() < 100 and k < n:
        x = x * 1.5
        k += 1
    return x, k


MANY = np.linspace(-3.0, 5.0, 5003)


@program((MANY,), (MANY.astype(np.float32),), (np.where(MANY > 4.9, np.nan, MANY),), (np.arange(-2000, 3000),))
def means_of_many_in_a_mask(x):
    bins = np.zeros(4, np.result_type(x, np.float16))
    for k in range(4):
        bins[k] = x[(x > k) & (x <= k + 1)].mean()
    return bins, x[x > 0].mean(), x[x > 1e9].mean(), np.mean(x, where=x < 0), x[x < 1].std(), np.nanmean(x)


@program((C, D, 5), (C, D, 1), (C, D, 0))
def lanes_that_part_in_some_trips(c, d, n):
    keep = c < 1.4
    c, d = c[keep], d[keep]
    for k in range(n):
        if k == 2:
            d = d[d > -10.0]
        if k % 2:
            keep = d > -1.0 + 0.3 * k
            c, d = c[keep], d[keep]
        np.add(c, d, out=c)
    return c, d


@program((C, D, 4), (C, D, 1), (C, D, 0))
def lanes_that_change_places(c, d, n):
    x, y = c[c < 1.0], c[c < 0.5]
    u, v = d[c < 1.0], d[c < 0.5]
    for k in range(n):
        x, y, u, v = y, x, v, u
        x += u
        y -= 0.5 * v
    return x, y, u, v


@program((C, D, 4), (C, D, 3), (C, D, 0))
def lanes_that_part_and_are_added(c, d, n):
    keep = c < 1.4
    c, d = c[keep], d[keep]
    for k in range(n):
        np.add(c, d, out=c)
        if k == 2:
            d = d[d > 0.0]
    return c, d


POINTS = np.random.default_rng(3).normal(size=(30, 3))
LABELS = np.random.default_rng(4).integers(0, 4, 30)


@program((POINTS, LABELS), (POINTS * 2, LABELS[::-1].copy()), (POINTS, np.zeros(30, int)))
def norms_of_selected_rows(p, k):
    spread, sizes = 0.0, []
    for label in range(20):
        mine = p[k == label]
        spread += np.sum(np.linalg.norm(mine - p[label], axis=1))
        sizes.append(len(mine))
    mine = p[k == 0]
    return (
        spread,
        sizes,
        np.linalg.norm(mine, axis=0),
        np.linalg.norm(mine, 1, axis=1, keepdims=True),
        np.linalg.norm(mine, np.inf, axis=-1),
        np.linalg.norm(mine, 3, 0),
        np.linalg.norm(mine),
    )


@program(X, NEG + 7, np.array([0.5, 0.0, 2.0, 1.0, -3.0]))
def norms_of_selected_elements(x):
    v = x[x > 0]
    i = np.flatnonzero(x > 0)
    return (
        [np.linalg.norm(v, o) for o in (None, 1, 2, 0, 3.5, np.inf, -np.inf)],
        np.linalg.norm(i),
        np.linalg.norm(v.astype(np.float32)),
        np.linalg.norm(v * 1j, axis=0),
    )


# -- side by side, and as lists ---------------------------------------------------------------------------------------


@program(X, NEG, X * 2)
def selections_side_by_side(x):
    v = x[x > 0]
    i = np.flatnonzero(x > 0)
    table = np.column_stack((i, v, np.arange(len(v)) > 1))
    return (
        table,
        table.sum(axis=0),
        np.vstack((v, v * 2)),
        np.stack([v, v]),
        np.stack((v, i), axis=1),
        np.stack([v, v], -1),
    )


@program(X, NEG, X * 2)
def selections_repeated(x):
    v = x[x > 0]
    return np.repeat(v, 3), v.repeat(2, axis=0), np.repeat(v, 0), np.expand_dims(v, 0), np.expand_dims(v, -1)


@program(X, X - 2.5, raises=ValueError)
def columns_of_two_lengths(x):
    return np.column_stack((x[x > 0], x[x > 2.5]))


@program(X, X - 2.5, raises=ValueError)
def rows_of_two_lengths(x):
    return np.vstack((x[x > 0], x[x > 2.5]))


@program(X, X - 2.5, raises=ValueError)
def stacked_of_two_lengths(x):
    return np.stack((x[x > 0], x[x > 2.5]))


@program(X, NEG, X * 2)
def selections_as_lists(x):
    v = x[x > 0]
    pairs = np.stack((v, v + 1), axis=1).tolist()
    return v.tolist(), np.flatnonzero(x > 0).tolist(), pairs, sorted(v), sorted(v, reverse=True), sorted(v, key=abs)


@program((X, 1), (NEG, 1), (X * 2, 1), (np.array([np.nan, 1.0, np.inf, -2.0, 3.0]), 1), (np.array([3, -1, 2, 7, 0]), 1))
def searched_selections(x, k):
    v = np.sort(x[(x > 0) | np.isnan(x)])
    keys = np.array([np.inf, np.nan, 0.5, 3.0, -1.0])
    return (
        np.searchsorted(v, keys),
        np.searchsorted(v, keys, "right"),
        v.searchsorted(k),
        np.searchsorted(v, [k, 7], side="right"),
    )


@program(X, NEG, X * 2, np.array([-1.0, -1.0, -1.0, 4.0, -2.0]))
def as_many_steps_as_selected(x):
    v = x[x > 0]
    return (
        np.linspace(0, 1, len(v)),
        np.linspace(x[0], -2, len(v) + 1),
        np.linspace(0.1, 0.1, v.size),
        np.linspace(3, 0, len(v)),
    )


@program(X + 3, X * 2 + 4, np.array([1.0, -1.0, 2.0, 2.0, 2.5]))
def selections_in_numpys_own_code(x):
    v = x[x > 0]
    close = np.allclose(v, v + 1e-9), np.allclose(v, v + 1e-3, atol=1e-2), np.allclose(v, -v)
    return close, np.polyval([1, 2, 3], v), np.gradient(v), np.gradient(v, 0.5), np.resize(v, 7)


@program(X, X * 2, NEG, raises=IndexError)
def item_of_a_selection(x):
    v = x[x > 0]
    return v.item(0), v.item(-1), type(v.item(0)) is float


@program(np.array([0, 2, 1, 2, 0, 1]), np.array([2, 0, 0, 1, 1, 1]))
def search_in_slices_by_data(x):
    stack, seen, order = [0], [False] * 3, []
    while stack:
        u = stack.pop()
        if seen[u]:
            continue
        seen[u] = True
        order.append(u)
        for v in x[u * 2 : u * 2 + 2].tolist():
            if not seen[v]:
                stack.append(v)
    return order


VALUES = np.array([3.0, 1, 4, 1, 5, 9, 2, 6])


@program(VALUES, VALUES[::-1].copy(), compiles=1)
def parabola_at_the_largest(x):
    i = np.argmax(x[1:-1]) + 1
    left, here, right = x[i - 1 : i + 2]
    return i + 0.5 * (left - right) / (left - 2 * here + right)


@program((VALUES, 5), (VALUES[::-1].copy(), 5), (VALUES, 9), raises=ValueError, compiles=1)
def two_that_are_larger(x, limit):
    first, second = np.flatnonzero(x > limit)
    return second - first


@program((VALUES, 5), (VALUES[::-1].copy(), 5), (VALUES, 2), raises=ValueError, compiles=1)
def two_of_a_list_that_grew(x, limit):
    found = []
    for v in x:
        if v > limit:
            found.append(v * 2)
    first, second = found
    return first, second


@program((VALUES.reshape(4, 2), 3), (VALUES.reshape(4, 2)[::-1].copy(), 3), compiles=1)
def two_rows(x, limit):
    above, below = x[x[:, 0] >= limit][:2]
    return above - below


ROWS = np.array([[1, 2], [0, 1], [1, 2], [1, 0], [0, 1]])


@program(ROWS, ROWS % 2, (ROWS > 0), ROWS * 0.5, compiles=3)
def rows_once(r):
    u, first, back, counts = np.unique(r, axis=0, return_index=True, return_inverse=True, return_counts=True)
    columns = np.unique(r.T, axis=1), np.unique(r.T, axis=-1, return_counts=True), np.unique(r[0], axis=0)
    return u, first, back, counts, u[counts.argmax()], u[counts > 1], columns, np.unique(r[:0], axis=0)


@program((ROWS, 0), (ROWS[::-1].copy(), 0))
def selected_rows_once(r, k):
    return np.unique(r[r[:, 1] > k], axis=0, return_inverse=True), np.unique(np.array([[1, np.nan]] * 2), axis=0)


@program((VALUES, 1), (VALUES, 9), (VALUES, 5.0))
def a_selection_among_the_elements(x, limit):
    few = x[x == limit]
    return few in np.arange(6.0).reshape(6, 1), few not in np.ones((2, 1)), x[0] in few, few in few


test_programs = program.test()
