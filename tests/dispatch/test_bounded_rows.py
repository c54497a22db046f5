"""Selected rows of matrices with a few columns: one program for all masks."""

import numpy as np
import pytest
from bounded_check import outcome, same

import xlapy

_RANDOM = np.random.default_rng(8)
X = _RANDOM.normal(size=(9, 3))
X[4, 1] = np.nan
MASKS = [
    np.array([1, 0, 1, 1, 0, 0, 1, 0, 1], bool),
    np.arange(9) != 4,
    np.ones(9, bool),
    np.arange(9) == 3,
    np.zeros(9, bool),
]

PROGRAMS = dict(
    columns=lambda r: (r[:, [0, 2]], r[:, [True, False, True]], r[:, [[0], [-1]]], r[:, 1], r[:, ::-1]),
    flat=lambda r: (r.flatten(), r.flatten().sum(), r.T.shape),
    sorts=lambda r: (np.sort(r, axis=0), np.sort(r, axis=1), np.sort(r), np.argsort(r, axis=0)),
    differences=lambda r: (np.diff(r, axis=0), np.diff(r)),
    medians=lambda r: (np.median(r, axis=0), np.median(r, axis=1), np.median(r)),
    nan_statistics=lambda r: (np.nansum(r, axis=0), np.nanmean(r, axis=1), np.nanstd(r, axis=0), np.nansum(r)),
    quantiles=lambda r: (
        np.percentile(r, 30, axis=0),
        np.quantile(r, [0.2, 0.9], axis=0),
        np.percentile(r, 50, axis=1),
    ),
    largest_of_those_there=lambda r: np.nanmax(r, axis=0),
    above=lambda r: (np.vstack([r, r]), np.vstack([r, [1.0, 2.0, 3.0]]), np.vstack([r[:, 0], r[:, 1]])),
    many=lambda r: (np.stack([r[:, 0]] * 9), np.stack([r[:, 1]] * 7, axis=1), np.column_stack([r[:, 0], r] * 4)),
    different=lambda r: np.hstack([r, r[1:]]),
    different_vectors=lambda r: np.column_stack([r[:, 0], r[1:, 0]]),
    different_stack=lambda r: np.stack([r[:, 0], r[:2, 0]]),
    known_number=lambda r: np.vstack([r[:, 0], [1.0, 2.0, 3.0, 4.0, 5.0]]),
    beside=lambda r: (np.hstack([r, r]), np.concatenate([r, 2 * r], axis=1), np.column_stack([r, r[:, 0]])),
    turned=lambda r: (np.roll(r, 1, axis=0), np.repeat(r, 2, axis=0), np.flip(r, axis=0)),
    deleted=lambda r: np.delete(r, 0, axis=0),
    taken=lambda r: np.take(r, [0, -1], axis=0),
    dimensions=lambda r: (
        np.expand_dims(r, 1),
        np.squeeze(r[:, :1], axis=1),
        r[:, :1].squeeze(1),
        np.expand_dims(r, -1),
    ),
    whole_slices=lambda r: (r[:, :] + r, r[:, None] - r[None, :], (r[:, 0] * r[:, 1]).sum()),
    normalised=lambda r: (r - r.mean(axis=0)) / r.std(axis=0),
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_program_for_all_masks(name):
    def program(x, mask):
        return PROGRAMS[name](x[mask])

    compiled = xlapy.jit(program)
    for mask in MASKS:
        value, error, _ = outcome(program, (X, mask))
        found, failure, _ = outcome(compiled, (X, mask))
        assert (type(error), str(error)) == (type(failure), str(failure))
        if error is None:
            same(value, found)
    assert compiled.cache_info().misses == 1


def test_histogram():
    def program(x, mask):
        return np.histogram(x[mask], 3)

    compiled = xlapy.jit(program)
    for mask in (MASKS[1], MASKS[0], MASKS[3], MASKS[4]):
        same(program(np.nan_to_num(X), mask), compiled(np.nan_to_num(X), mask))
    assert compiled.cache_info().misses == 1
