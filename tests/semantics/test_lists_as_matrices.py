"""Lists of lists, and of arrays, where NumPy takes a matrix."""

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.5, -0.5, 2.0])

program.each(
    (1.5,),
    (-0.5,),
    norm=lambda x: (np.linalg.norm([[x, 2], [3, x]]), np.linalg.norm([[x, 2], [3, x]], axis=1)),
    norms_of_vectors=lambda x: [np.linalg.norm(v) for v in ([x, 1], (x, 2.0, 3), [x])],
    inverse=lambda x: np.linalg.inv([[4.0, x], [x, 3]]),
    of_tuples=lambda x: np.linalg.inv(((4.0, x), (x, 3))),
    of_rows=lambda x: np.linalg.inv([np.array([4.0, x]), np.array([x, 3.0])]),
    determinants=lambda x: (np.linalg.det([[4.0, x], [x, 3]]), np.linalg.slogdet([[4, x], [x, 3]])),
    stacked=lambda x: np.linalg.det([[[x, 1.0], [2, 3]], [[1, x], [x, 1]]]),
    solved=lambda x: np.linalg.solve([[4.0, x], [x, 3]], [1, x]),
    symmetric=lambda x: (np.linalg.eigh([[4.0, x], [x, 3]])[0], np.linalg.eigvalsh([[4, x], [x, 3]])),
    factors=lambda x: (np.linalg.cholesky([[4.0, x], [x, 3]]), np.abs(np.linalg.qr([[4.0, x], [x, 3]])[1])),
    singular=lambda x: (np.linalg.svd([[4.0, x], [1, 3]])[1], np.linalg.pinv([[4.0, x], [1, 3], [x, x]])),
    numbers=lambda x: (np.linalg.matrix_rank([[4.0, x], [8, 2 * x]]), np.linalg.cond([[4.0, x], [x, 3]])),
    traces=lambda x: (np.trace([[x, 1], [2, x]]), np.trace([np.array([x, 1.0]), np.array([2.0, x])])),
    products=lambda x: (np.kron([[1, x]], [[x], [1]]), np.dot([[1, x], [x, 2]], [x, 1]), np.outer([1, x], [x, 2])),
    triangles=lambda x: (np.tril([[1, x], [x, 1]]), np.triu([[1, x], [x, 1]], 1)),
    statistics=lambda x: (np.cov([[1, x, 3], [x, 2, 5]]), np.corrcoef([[1, x, 3], [x, 2, 5]])),
    medians=lambda x: (np.median([[1, x, 3], [x, 2, 5]], axis=0), np.percentile([[1, x], [x, 2]], 30)),
    transforms=lambda x: (np.fft.fft2([[1, x], [2, x]]), np.fft.rfft([[1, x, 2, 3]])),
    differences=lambda x: (np.diff([[1, x, 3], [x, 2, 5]]), np.round([[x, 1.26]], 1), np.isclose([[x, 1]], [[x, 2]])),
    joined=lambda x: (np.dstack([[x, 1], [2, x]]), np.column_stack(([x, 1], [[2, x], [3, x]]))),
    whole_numbers=lambda x: (np.linalg.norm([[1, int(x)], [2, 3]]), np.trace([[int(x), 2], [3, 4]])),
)


@program((X,), (X * 2,))
def in_a_loop(v):
    total = 0.0
    for i in range(len(v)):
        for j in range(len(v)):
            total += np.linalg.norm([v[i] - v[j], v[i] + v[j]]) + np.linalg.norm([[v[i], v[j]]])
    return total


@program((X,), raises=ValueError)
def ragged(v):
    return np.linalg.norm([[v[0], v[1]], [v[2]]])


@program((X,), raises=np.linalg.LinAlgError)
def not_square(v):
    return np.linalg.det([[v[0], v[1]]])


@program((X,), raises=np.linalg.LinAlgError)
def dependent_rows(v):
    return np.linalg.inv([[v[0], v[1]], [2 * v[0], 2 * v[1]]])


test_programs = program.test()
