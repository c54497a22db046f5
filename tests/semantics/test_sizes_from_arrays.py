"""Sizes, axes and counts that are elements of arrays, or are worked out from them: known where nothing else helps."""

import jax
import numpy as np

import xlapy

from .runner import Programs

program = Programs()

LABELS = np.array([0, 2, 1, 2, 0])
X = np.arange(6.0)
SHAPE = np.array([2, 3])


@program((LABELS, X[:5]))
def one_hot_sums(labels, x):
    hot = np.eye(labels.max() + 1)[labels]
    return hot, hot.T @ x


@program((LABELS,), (np.array([3, 0, 0, 1, 1]),))
def histogram_by_loop(labels):
    counts = np.zeros(int(labels.max()) + 1)
    for label in labels:
        counts[label] += 1
    return counts


@program((LABELS, 1.5), (LABELS, 2.5))
def ranges(k, v):
    return np.arange(k[1]) * v, np.linspace(0, v, k[1]), np.arange(0.0, k.sum(), 2.0)


@program((np.array([49.0, 1e16]), X), (np.array([98.0, 1e16]), X))
def sizes_from_rounded_numbers(a, x):
    return x.reshape(int(a[0] / 49), -1), np.eye(int((a[0] + a[1]) - a[1]) // 24)


@program((np.arange(600.0).reshape(30, 20) % 7,), (np.arange(600.0).reshape(30, 20) % 11,))
def one_element_of_each_row_left_out(x):
    cost = x.copy()
    for i in range(1, x.shape[0]):
        for j in range(x.shape[1]):
            cost[i, j] += cost[i - 1, max(j - 1, 0) : j + 2].min()
    kept = np.ones(x.shape, bool)
    for i in range(x.shape[0]):
        kept[i, cost[i].argmin()] = False
    return x[kept].reshape(x.shape[0], x.shape[1] - 1)


COUNTS = np.array([2, 0, 3, 1])


@program((X[:4], COUNTS), (X[2:], COUNTS[::-1].copy()), compiles=1)
def repeated_by_counts(x, counts):
    rows = np.outer(x, counts)
    lists = np.repeat(rows, counts, axis=0), np.repeat(rows.T, counts, axis=-1), rows.repeat(counts > 0, axis=1)
    return x.repeat(counts), np.repeat(np.arange(counts.size, dtype=np.int8), counts.astype(np.int16)), *lists


@program((X, np.array([3])), (X[::-1].copy(), np.array([3])), compiles=1)
def repeated_by_one_count(x, counts):
    return np.repeat(x, counts), np.repeat(x[:0], counts), np.repeat(2.5, counts)


@program((X[:4], COUNTS - 1), (X[:3], COUNTS), raises=ValueError)
def repeated_by_counts_that_do_not_fit(x, counts):
    return np.repeat(x, counts)


@program((X[:4], COUNTS), raises=np.exceptions.AxisError)
def repeated_along_no_axis(x, counts):
    return np.repeat(x, counts, axis=1)


@program((X[:4], COUNTS), (X[:4] + 1, COUNTS + (COUNTS > 1) - (COUNTS == 1)))
def repeated_selections(x, counts):
    some = counts > 0
    return np.repeat(x[some], counts[some]), np.repeat(x, counts[counts >= 0]), np.repeat(x[some], 2)


@program((np.arange(32.0), 4), (np.arange(32.0) * 2, 4), (np.arange(32.0), 8), compiles=2)
def halved_down_to_a_length(x, least):
    details = []
    while len(x) > least:
        details.append((x[::2] - x[1::2]) / 2)
        x = (x[::2] + x[1::2]) / 2
    for detail in details[::-1]:
        whole = np.empty(2 * len(x))
        whole[::2], whole[1::2] = x + detail, x - detail
        x = whole
    return x, [len(detail) for detail in details]


@program((np.arange(64.0).reshape(8, 8), 3), (np.arange(64.0).reshape(8, 8) * 2, 3), compiles=1)
def levels_of_a_pyramid(image, count):
    levels = [image]
    while len(levels) < count:
        image = image.reshape(len(image) // 2, 2, -1, 2).mean(axis=(1, 3))
        levels.append(image)
    return levels


@program((X + 1, 9.0), (X * 2, 9.0))
def shortened_until_its_sum_is_small(x, most):
    while x.sum() > most:
        x = x[1:]
    return x


@program(SHAPE)
def shapes(k):
    return np.zeros(k), np.zeros(tuple(k)), np.ones(k[::-1]), np.full([*k, 2], k[0])


@program((X, SHAPE))
def rearranged(x, k):
    return x.reshape(k), x.reshape(-1, k[1]), np.tile(x[:2], k), np.repeat(x, k[1]), np.broadcast_to(x[:3], k)


@program((X.reshape(2, 3), np.array([1, 0])))
def axes(x, p):
    return x.transpose(p), x.sum(axis=p[0]), np.moveaxis(x, p[0], p[1]), np.concatenate([x, x], axis=p[0])


@program((X, SHAPE))
def padded_and_split(x, k):
    return np.pad(x, k[0]), np.pad(x, (k[0], k[1])), np.split(x, k[1]), np.split(x, k), np.eye(k[1], k=k[0])


@program((np.array([2, 3, 1]), 2.0))
def rooms_of_a_loop(sizes, v):
    rooms = []
    for n in sizes:
        rooms.append(np.full(n, v))
    return rooms


@program((np.array([1.0, 0.25]),))
def grid_from_floats(p):
    x = np.arange(0.0, p[0], p[1])
    return x, len(x), np.zeros(int(np.ceil(p[0] / p[1])))


@program(np.array(3), np.int16(2))
def zero_dimensional(n):
    return np.zeros(n), np.arange(n), [0.0] * n


@program((np.array([[2, 0], [1, 3]]), 1.0))
def incidence(edges, w):
    m = np.zeros((edges.max() + 1,) * 2)
    m[edges[:, 0], edges[:, 1]] = w
    return m + m.T


@program((np.array([5, 2]), X), raises=ValueError)
def does_not_fit(k, x):
    return x.reshape(k)


@program((np.array([2, 3]), X))
def written_before_it_is_read(k, x):
    k[0] += 1
    k[1] -= 1
    return x.reshape(k), k.sum()


@program((np.int64(2), 3.0), (np.uint8(3), 2.0), (np.array([1, 2]).max(), 0.5))
def sequences_repeated_by_numpy_integers(n, v):
    grown = [v]
    grown *= n
    return [0.0, v] * n, n * (v,), grown, "ab" * n, [v] * np.array(2)


@program((np.float64(2.0),), (np.bool_(True),), (np.array([2.0]).max(),), raises=TypeError)
def sequences_repeated_by_other_numbers(x):
    return [1.0] * x


@program((X, 4), (X[::-1].copy(), 6))
def sizes_from_numpy_ranges(x, n):
    """`for i in np.arange(n)`: the items are known to be small, and so are sums with them."""
    total = 0.0
    for i in np.arange(n - 1, -1, -1):
        total += (x[: i + 1] * np.arange(i + 1)).sum() + np.ones(2 * i - 1 if i else 0).sum()
    for k in np.array([2, 0, 3], dtype=np.uint8):
        total += np.zeros(k + 1).size + np.arange(np.minimum(k, np.uint8(2)))[:1].sum()
    return total


@program((100.0, 90.0, 1.02, 6), (80.0, 90.0, 1.03, 9))
def american_put_on_a_shrinking_array(s, k, u, n):
    prices = s * u ** -np.arange(n, -1.0, -1) * u ** np.arange(0.0, n + 1)
    values = np.maximum(0, k - prices)
    for i in np.arange(n - 1, -1, -1):
        prices = s * u ** -np.arange(i, -1.0, -1) * u ** np.arange(0, i + 1)
        values[: i + 1] = 0.99 * (0.55 * values[1 : i + 2] + 0.45 * values[0 : i + 1])
        values = np.maximum(values[:-1], k - prices)
    return values[0]


@program((np.array([3, 1, 2]), 5), (np.array([0, 2, 2]), -1))
def elements_of_changed_arrays_are_not_known(a, v):
    b = np.array([1, 2, 3])
    for i in range(3):
        b[i] += a[i]
        b[0] = v
    c = np.arange(4)[::-1]
    return np.arange(b[1]), x_of(b), c[0] + c[3], c[1:][0], np.zeros(c[2]), b[0] * np.int8(3)


def x_of(b):
    return [np.zeros(int(n)) for n in b[1:]]


def test_loops_over_numpy_ranges_stay_loops():
    def program(x, n):
        total = 0.0
        for i in np.arange(n - 1, -1, -1):
            total += np.arange(i + 1).sum() * x[i]
        return total

    texts = [xlapy.code_typed(program, np.zeros(50), n) for n in (20, 40)]
    assert [text.count(" = for(") for text in texts] == [1, 1]
    assert len(texts[0].splitlines()) == len(texts[1].splitlines())


def test_sizes_are_worked_out_where_jax_traces_the_caller():
    """Sizes are told there as well, though JAX traces all arithmetic around them."""
    sizes = np.array([2.0, 3.0])

    @xlapy.jit
    def blocks(x):
        return np.arange(6.0).reshape(int(sizes[0] + 0.5), -1).sum(axis=0) * x

    with jax.enable_x64(True):
        inside = jax.jit(lambda x: blocks(x) * 2)(1.5)
    np.testing.assert_array_equal(inside, X.reshape(2, 3).sum(axis=0) * 3)
    np.testing.assert_array_equal(blocks(1.5), X.reshape(2, 3).sum(axis=0) * 1.5)
    sizes[:] = 3, 2
    np.testing.assert_array_equal(blocks(1.5), X.reshape(3, 2).sum(axis=0) * 1.5)


test_programs = program.test()
