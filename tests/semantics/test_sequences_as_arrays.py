"""NumPy's functions of lists, of single numbers, and of arrays in the place of a list of arrays."""

import statistics
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([3.0, -1.0, 2.0])
M = np.array([[1.0, 2.0], [3.0, 0.0]])
C = np.arange(24.0).reshape(2, 3, 4)

program.each(
    (X, M, C),
    (X[::-1], M.T, C[::-1]),
    places_in_a_list=lambda x, m, c: (np.argwhere([1, 0, 2]), np.flatnonzero([1, 0, 2]), np.nonzero([1, 0, 2])),
    places_of_one_number=lambda x, m, c: (np.argwhere(3), np.flatnonzero(3), np.flatnonzero([0, x[0]])),
    columns_of_a_matrix=lambda x, m, c: (np.column_stack(m), np.column_stack(x), np.column_stack(c[0])),
    layers_of_a_matrix=lambda x, m, c: (np.dstack(m), np.dstack(c), np.dstack(x)),
    columns_of_several=lambda x, m, c: (np.column_stack([x, x * 2]), np.column_stack([m, x[:2]])),
    blocks_of_numbers=lambda x, m, c: (np.block([[1, x[0]], [3, 4]]), np.block([1, 2]), np.block([[1, 2]])),
    blocks_of_arrays=lambda x, m, c: (np.block([[m, m], [m, m]]), np.block([x, x]), np.block([[m, x[:2, None]]])),
    flipped_number=lambda x, m, c: (np.flip(x[0]), np.flip(np.array(2.0)), np.asfortranarray(x[0])),
    number_transposed=lambda x, m, c: (np.transpose(x[0]), np.squeeze(x[1])),
    counts_of_what_is_known=lambda x, m, c: (np.bincount([True, False]), np.bincount([3, 1], minlength=6)),
    counts_with_weights=lambda x, m, c: (np.bincount([1, 2], weights=[0.5, x[0]]), np.bincount(x > 0)),
    mesh_of_nothing=lambda x, m, c: (np.ix_([], [1]), np.ix_(x[:0].astype(int))),
    inverse_of_a_matrix=lambda x, m, c: np.unique(m, return_inverse=True, return_counts=True),
    inverse_of_a_vector=lambda x, m, c: np.unique(x, return_inverse=True),
)
program.each((X,), options={"raises": ValueError}, negative=lambda x: np.bincount([-1, 2], weights=[x[0], 1.0]))
if hasattr(np, "unstack"):
    program.add("unstacked_vector", lambda x: np.unstack(x), X)
    program.add("unstacked_matrix", lambda m: [a.copy() for a in np.unstack(m, axis=1)], M)
if hasattr(np, "cumulative_sum"):
    program.add("sums_of_a_number", lambda x: (np.cumulative_sum(x[0]), np.cumulative_prod(2)), X)


@program((X.astype(np.float32), 1.5, 3), (X.astype(np.float32), -9.0, -2))
def python_number_clipped(x, f, n):
    bytes_ = np.array([200, 1], np.uint8)
    return np.clip(f, x, None), np.clip(n, x[0], None), np.clip(n, bytes_, 250), np.clip(f, 0, 1), np.clip(n, -1, 1)


@program((X, 5), (X, 12))
def asked_of_numbers(x, n):
    shape = np.broadcast_shapes((n, 1), (1, 3)), np.broadcast_shapes(n, 1)
    return np.binary_repr(n), np.base_repr(n, 3), shape, np.min_scalar_type(n * 50), np.result_type(x, n)


@program(X)
def means(x):
    return statistics.mean(x), statistics.mean([int(v) for v in x]), statistics.median(x), statistics.mean(list(x))


program.add("mean_of_integers", lambda x: statistics.mean(x), np.array([3, 1, 4]), refuse=True)
program.add(
    "mean_of_found_integers", lambda x: statistics.mean([v for v in x if v > 1]), np.array([3, 1, 4]), refuse=True
)
program.add("mean_of_a_list_of_integers", lambda x: statistics.mean(list(x)), np.array([3, 1, 4]), refuse=True)


@program(X)
def texts_of_containers(x):
    d = defaultdict(int, {1: 2})
    print(deque([1]), Counter(a=1), [deque([1], maxlen=2)])
    return str(deque([1, 2])), repr(OrderedDict(a=1)), f"{Counter('ab')}", "%s" % d, "{}".format(deque()), str([d])


test_programs = program.test()
