"""NumPy's functions of selections: one program for all masks, and what NumPy gives for each of them."""

import numpy as np
import pytest
from bounded_check import outcome, same

import xlapy

_RANDOM = np.random.default_rng(4)
ROOM = 12
#: many, others, all, one, none; NaN where no mask looks
VECTORS = [
    _RANDOM.normal(size=ROOM),
    np.where(np.arange(ROOM) % 3 == 0, np.nan, _RANDOM.normal(size=ROOM)),
    np.abs(_RANDOM.normal(size=ROOM)) + 1,
    np.where(np.arange(ROOM) == 4, 5.0, -1.0),
    -np.abs(_RANDOM.normal(size=ROOM)),
]
W = np.arange(1.0, 4.0)
ROWS = _RANDOM.normal(size=(ROOM, 3))

MATRICES = dict(
    eye=lambda s: (np.eye(len(s)), np.eye(len(s), 4, 1), np.eye(2, len(s), dtype=int), np.identity(len(s))),
    tri=lambda s: (np.tri(len(s)), np.tri(len(s), 3, -1, dtype=bool)),
    triangles=lambda s: (np.triu(s[:, None] * s), np.tril(s[:, None] * s, 1), np.triu(np.outer(s, W), -1)),
    diag=lambda s: (np.diag(s), np.diag(s, 2), np.diag(s, -1), np.diag(s > 1)),
    trace=lambda s: (np.trace(np.outer(s, s)), np.trace(np.outer(s, W), 1)),
    vander=lambda s: (np.vander(s, 3), np.vander(s, 3, increasing=True), np.vander(s.astype(int), 2)),
    kron=lambda s: (np.kron(s, s), np.kron(s, W)),
    meshgrid=lambda s: (np.meshgrid(s, s), np.meshgrid(s, W, indexing="ij"), np.meshgrid(s, W, s, sparse=True)),
    broadcast=lambda s: (
        np.broadcast_to(s[:1].sum(), len(s)) + s,
        np.broadcast_to(7, s.shape)[::-1],
        np.broadcast_to(W[:, None], (3, len(s))) * s,
        np.broadcast_to(W, (len(s), 3)) @ W,
    ),
    cross=lambda s: (np.cross(np.outer(s, W), W[::-1]), np.cross(W, np.outer(s, W[::-1]))),
)
SERIES = dict(
    convolve=lambda s: [np.convolve(s, W, mode) for mode in ("full", "same", "valid")],
    convolve_with_itself=lambda s: (
        np.convolve(s, s),
        np.convolve(W[:2], s, "same"),
        np.convolve(s.astype(int), [1, 2]),
    ),
    convolve_with_what_is_not_finite=lambda s: np.convolve(s, np.array([np.inf, 1.0, np.nan])),
    correlate=lambda s: [np.correlate(s, W, mode) for mode in ("full", "same", "valid")],
    correlate_longer=lambda s: [np.correlate(W, s, mode) for mode in ("full", "same", "valid")],
    correlate_complex=lambda s: np.correlate(s * 1j, s + 2j, "full"),
    pad=lambda s: (np.pad(s, 1), np.pad(s, (0, 2), constant_values=(1, 7))),
    pad_with_itself=lambda s: [np.pad(s, (2, 3), mode) for mode in ("edge", "wrap", "symmetric", "reflect")],
    insert=lambda s: (np.insert(s, 0, 1), np.insert(s, -1, [1, 2.5]), np.insert(s, len(s) // 2, s)),
    insert_outside=lambda s: np.insert(s, 2, 1),
    unwrap=lambda s: (np.unwrap(s * 9), np.unwrap(s * 9, discont=4, period=5.0)),
    histogram=lambda s: (np.histogram(s, 5), np.histogram(s, 4, range=(0, 3)), np.histogram(s, np.arange(4.0))),
    histogram_weighted=lambda s: (np.histogram(s, 3, weights=s * 2), np.histogram(s + 1, 3, density=True)[1]),
    polyfit=lambda s: np.polyfit(s, s * 2 + 1, 1) if len(s) > 2 else None,
    interpolation=lambda s: (np.interp([0.1, 0.5, np.nan, 99], np.sort(s), s), np.interp(s, np.sort(s), s, -1, 9)),
    digitize=lambda s: (np.digitize([0.3, 1.5], np.sort(s)), np.digitize(s, np.sort(s)[::-1], right=True)),
    digitize_in_disorder=lambda s: np.digitize([0.3], s),
    searchsorted=lambda s: (np.searchsorted(np.sort(s), s), np.searchsorted([0.3, 0.6], s, side="right")),
)
UFUNCS = dict(
    reduce=lambda s: (np.add.reduce(s), np.multiply.reduce(s, keepdims=True), np.logaddexp.reduce(s)),
    reduce_without_identity=lambda s: np.maximum.reduce(s),
    accumulate=lambda s: (np.maximum.accumulate(s), np.subtract.accumulate(s), np.add.accumulate(s)),
    outer=lambda s: (np.add.outer(s, s), np.maximum.outer(W, s), np.less.outer(s, W)),
    reduceat=lambda s: np.add.reduceat(s, [0, 3, 1]),
    reduceat_first=lambda s: (np.maximum.reduceat(s, [0]), np.multiply.reduceat(s.astype(int), [0, 0])),
    reduceat_of_runs=lambda s: np.add.reduceat(np.arange(ROOM), np.flatnonzero(s > 1)),
    runs=lambda s: np.maximum.reduceat(s, np.flatnonzero(np.concatenate([[True], s[1:] > s[:-1]]))[: len(s)]),
)
STATISTICS = dict(
    cov=lambda s: (np.cov(s), np.cov(np.stack([s, s * s])), np.cov(np.outer(s, W), rowvar=False, bias=True)),
    corrcoef=lambda s: (np.corrcoef(s, s * s), np.corrcoef(np.stack([s, s * s, 1 - s]))),
    nan_quantiles=lambda s: (np.nanquantile(np.where(s > 1, np.nan, s), 0.3), np.nanpercentile(s, 70)),
    nan_cumulative=lambda s: (np.nancumsum(np.where(s > 1, np.nan, s)), np.nancumprod(s)),
    select=lambda s: (
        np.select([s > 1, s > 0.5], [s, s * 2], -1),
        np.select([s > 0.1 * k for k in range(9)], [s * k for k in range(9)]),
    ),
    split=lambda s: (np.split(s, 1), np.array_split(s, 3), np.split(s, [2, 5]), np.array_split(np.outer(s, W), 2)),
    split_evenly=lambda s: np.split(s, 2),
    flips=lambda s: (np.flipud(s), np.fliplr(s[None])),
    partition=lambda s: (np.sort(np.partition(s, 0)), np.partition(s, 0)[:1], s[np.argpartition(s, -1)][-1:]),
    lexsort=lambda s: np.lexsort((s, np.round(s))),
    einsum=lambda s: (
        np.einsum("i,i->", s, s),
        np.einsum("i,j->ij", s, W),
        np.einsum("ij,ij->i", np.outer(s, W), np.outer(s, W)),
        np.einsum("ij,jk", np.outer(s, W), ROWS[:3]),
    ),
    einsum_of_what_is_not_finite=lambda s: np.einsum("i,ij->j", s, np.outer(s, np.array([np.inf, 1.0]))),
    take=lambda s: (np.take(s, [0, -1]), s.take(0)),
    take_along_axis=lambda s: np.take_along_axis(s, np.argsort(s), 0),
)


def _cases():
    for table in (MATRICES, SERIES, UFUNCS, STATISTICS):
        yield from table.items()


@pytest.mark.parametrize(("name", "function"), [pytest.param(*case, id=case[0]) for case in _cases()])
def test_one_program_for_all_masks(name, function):
    def program(x):
        return function(x[x > 0.2])

    compiled = xlapy.jit(program)
    for vector in VECTORS:
        value, error, _ = outcome(program, (vector,))
        found, failure, _ = outcome(compiled, (vector,))
        assert (type(error), str(error)) == (type(failure), str(failure))
        if error is None:
            same(value, found)
    assert compiled.cache_info().misses == 1


def _shuffled(x, generator):
    s = x[x > 0.2]
    t = s.copy()
    generator.shuffle(t)
    return np.sort(generator.permutation(s)), np.sort(t), np.sort(generator.permutation(len(s)))


def _chosen(x, generator):
    s = x[x > 0.2]
    pair = generator.choice(s, 2, replace=False)
    return np.isin(generator.choice(s, (2, 3)), s), generator.choice(s) in s, pair[0] != pair[1], len(pair)


@pytest.mark.parametrize("program", [_shuffled, _chosen])
@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_random_order(program, make):
    compiled = xlapy.jit(program)
    for vector in VECTORS[:3]:
        same(program(vector, make(1)), compiled(vector, make(1)))
    for vector in VECTORS[3:]:
        value, error, _ = outcome(program, (vector, make(1)))
        found, failure, _ = outcome(compiled, (vector, make(1)))
        assert (type(error), str(error)) == (type(failure), str(failure))
    assert compiled.cache_info().misses == 1


def test_all_orders_are_as_likely():
    compiled = xlapy.jit(lambda x, generator: generator.permutation(x[x > 0]))
    generator, counts = np.random.default_rng(3), {}
    for _ in range(1200):
        order = tuple(np.asarray(compiled(np.array([1.0, -1, 2, -1, 3]), generator)).tolist())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert sum((n - 200) ** 2 / 200 for n in counts.values()) < 25


def test_a_shape_that_is_set():
    def column(x):
        s = x[x > 0.2]
        s.shape = (-1, 1)
        return s

    for vector in VECTORS[:3]:
        same(column(vector), xlapy.jit(column)(vector))
