"""Index arrays whose length data says, beside slices, None, integers and other index arrays."""

import numpy as np

from .runner import Programs

program = Programs()

M = np.array(
    [[1.3, -2.6, 3.1, 0.2, -1.0], [4.5, 0.7, -9.1, 2.2, 0.5], [5.5, 6.1, 0.3, -1.9, 2.0], [-0.4, 8.0, 7.2, 1.1, 3.0]]
)
T = np.sin(np.arange(60.0)).reshape(3, 4, 5)
V = np.array([0.5, -1.0, 1.0, 2.0, -3.0])
W = np.array([1.0, -1.0, 1.0, -2.0])
CALLS = (
    (M, T, V, W),
    (np.asfortranarray(M), T.transpose(0, 2, 1).copy().transpose(0, 2, 1), -V, -W),
    (M, T, -np.abs(V), W),
)


def columns(v):
    return np.nonzero(v > 0)[0]


def rows(w):
    return np.flatnonzero(w > 0)


program.each(
    *CALLS,
    columns=lambda m, t, v, w: m[:, columns(v)],
    columns_backwards=lambda m, t, v, w: m[:, columns(v)[::-1]],
    columns_of_some_rows=lambda m, t, v, w: (m[1:, columns(v)], m[::-2, columns(v)], m[::2, columns(v)]),
    dots=lambda m, t, v, w: (m[..., columns(v)], t[..., columns(v)], t[0, ..., rows(w)[:2]], t[..., rows(w), 0]),
    middle=lambda m, t, v, w: (t[:, rows(w)], t[:, rows(w), :], t[:, rows(w), 1:3], t[1:, rows(w), ::-1]),
    beside_integers=lambda m, t, v, w: (t[:, rows(w), 0], t[0, rows(w), :], t[0, :, columns(v)], t[-1, rows(w)]),
    new_axes=lambda m, t, v, w: (m[None, rows(w)], m[rows(w), None], m[:, None, columns(v)]),
    several=lambda m, t, v, w: (m[rows(w)[:, None], columns(v)], t[:, rows(w)[:, None], columns(v)]),
    apart=lambda m, t, v, w: t.transpose(1, 0, 2)[rows(w)[:, None], :, columns(v)],
    of_found_rows=lambda m, t, v, w: (m[rows(w)][:, columns(v)], m[w > 0][:, columns(v)], m[rows(w)][rows(w)[:1] * 0]),
    along_what_was_found=lambda m, t, v, w: m[:, columns(v)][:, columns(v)[:0]],
    sums=lambda m, t, v, w: (m[:, columns(v)].sum(), m[:, columns(v)].sum(axis=1), m[:, columns(v)] @ v[columns(v)]),
    grams=lambda m, t, v, w: m[:, columns(v)].T @ m[:, columns(v)],
    by_list=lambda m, t, v, w: m[:, [k for k in range(5) if v[k] > 0]],
    by_unique=lambda m, t, v, w: m[:, np.unique((v > 0).astype(int))],
)


@program(*CALLS)
def filled(m, t, v, w):
    m[:, columns(v)] = 0
    t[:, rows(w)] = 1
    t[0, :, columns(v)] = 3
    t[1, rows(w), 1:3] = -1
    return m


@program(*CALLS)
def changed(m, t, v, w):
    m[:, columns(v)] += 1
    m[1:, columns(v)] *= 2
    m[rows(w), 1:] -= 5
    t[..., columns(v)] /= 2
    t[:, rows(w), 0] += 7
    m.T[columns(v), :] += w
    return m


@program(*CALLS)
def broadcast(m, t, v, w):
    m[:, columns(v)] = w[:, None]
    m[:, columns(v)] -= v[columns(v)]
    m[:, columns(v)] = m[:, columns(v)].sum(axis=0)
    m[:, rows(w)] = m[:, rows(w)] * 2


@program((M, np.array([3.0, 1.0, -1.0, 0.0, 9.0])))
def normal_columns(m, v):
    """A usual use: what is worth it is normalised."""
    for _ in range(3):
        kept = np.where(v > 0)[0]
        norms = np.sqrt((m[:, kept] ** 2).sum(axis=0))
        m[:, kept] /= norms
        v[kept] -= 2
    return m


@program((M, V), raises=IndexError)
def out_of_bounds(m, v):
    return m[:, columns(v) + 3]


@program((M, V), raises=IndexError)
def out_of_bounds_in_front(m, v):
    m[1:, columns(v) - 6] = 0


@program((M, V), raises=ValueError)
def too_few(m, v):
    m[:, columns(v)] = np.ones((4, 2))


@program((T, V), raises=IndexError)
def too_many(t, v):
    return t[:, columns(v), 0, 0]


test_programs = program.test()
