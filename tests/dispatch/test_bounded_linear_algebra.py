"""Linear algebra of selected rows and columns: one program for all masks."""

import numpy as np
import pytest
from bounded_check import outcome, same

import xlapy

_RANDOM = np.random.default_rng(5)
A = _RANDOM.normal(size=(7, 7))
S = A @ A.T
T = _RANDOM.normal(size=(7, 3))
C = A + 1j * _RANDOM.normal(size=(7, 7))
B = _RANDOM.normal(size=7)
MASKS = [
    np.array([1, 0, 1, 1, 0, 0, 1], bool),
    np.zeros(7, bool),
    np.ones(7, bool),
    np.arange(7) == 3,
    np.arange(7) < 5,
]
#: NaN in rows that no mask but the one of all selects
DEAD = np.where(np.arange(7) == 4, np.nan, B)

PROGRAMS = dict(
    least_squares=lambda m: np.linalg.lstsq(T[m], B[m], rcond=None),
    least_squares_of_columns=lambda m: np.linalg.lstsq(A[:, m], T),
    least_squares_of_rows=lambda m: np.linalg.lstsq(A[m], T[m], rcond=-1),
    least_squares_of_complex=lambda m: np.linalg.lstsq(C[m][:, :2], B[m])[:3],
    least_squares_of_single=lambda m: np.linalg.lstsq(T[m].astype(np.float32), B[m].astype(np.float32))[2],
    deficient=lambda m: np.linalg.lstsq(np.column_stack([B[m], 2 * B[m]]), B[m])[1:3],
    fewer_right_hand_sides=lambda m: np.linalg.lstsq(A[m], B[~m]),
    solve=lambda m: np.linalg.solve(A[m][:, m], B[m]),
    solve_columns=lambda m: np.linalg.solve(A[m][:, m], T[m]),
    solve_others=lambda m: np.linalg.solve(A[m][:, m], B[~m]),
    solve_fixed=lambda m: np.linalg.solve(A[m][:, m], np.ones(4)),
    inverse=lambda m: np.linalg.inv(A[m][:, m]),
    inverse_of_oblong=lambda m: np.linalg.inv(A[m][:, ~m]),
    inverses=lambda m: (np.linalg.inv((B[:, None, None] * A)[m]), np.linalg.det((B[:, None, None] * A)[m])),
    singular=lambda m: np.linalg.inv(np.outer(B[m], B[m])),
    determinants=lambda m: (np.linalg.det(A[m][:, m]), np.linalg.slogdet(A[m][:, m]), np.linalg.det(C[m][:, m])),
    cholesky=lambda m: np.linalg.cholesky(S[m][:, m]),
    not_positive=lambda m: np.linalg.cholesky(-S[m][:, m]),
    powers=lambda m: [np.linalg.matrix_power(A[m][:, m], k) for k in (0, 3, -1)],
    integer_powers=lambda m: np.linalg.matrix_power((A * 5).astype(int)[m][:, m], 2),
    eigenvalues=lambda m: (np.linalg.eigvalsh(S[m][:, m]), np.linalg.eigvalsh(-1e-9 * S[m][:, m], UPLO="U")),
    qr=lambda m: np.linalg.qr(T[m]),
    qr_of_wide=lambda m: np.linalg.qr(A[m]),
    qr_whole=lambda m: np.linalg.qr(A[:, m], mode="complete"),
    qr_r=lambda m: np.linalg.qr(C[m], mode="r"),
    singular_values=lambda m: (np.linalg.svdvals(A[m]), np.linalg.svd(T[m], compute_uv=False)),
    pseudo_inverse=lambda m: (np.linalg.pinv(A[m]), np.linalg.pinv(C[:, m])),
    rank=lambda m: (np.linalg.matrix_rank(A[m]), np.linalg.matrix_rank(np.column_stack([B[m], 2 * B[m]]))),
    condition=lambda m: np.linalg.cond(A[m]),
    dead_rows=lambda m: np.linalg.lstsq(DEAD[m & (np.arange(7) != 4)][:, None], B[m & (np.arange(7) != 4)])[0],
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_program_for_all_masks(name):
    program = PROGRAMS[name]
    compiled = xlapy.jit(program)
    for mask in MASKS:
        value, error, _ = outcome(program, (mask,))
        found, failure, _ = outcome(compiled, (mask,))
        assert (type(error), str(error)) == (type(failure), str(failure))
        if error is None:
            same(value, found)
    assert compiled.cache_info().misses == 1


def krylov(a, b, count):
    """Least squares of a growing basis: GMRES as one writes it down."""
    basis = np.zeros((len(b), count + 1))
    h = np.zeros((count + 1, count))
    right = np.zeros(count + 1)
    right[0] = np.linalg.norm(b)
    basis[:, 0] = b / right[0]
    x, errors = np.zeros(len(b)), np.zeros(count)
    for j in range(1, count + 1):
        v = a @ basis[:, j - 1]
        for i in range(j):
            h[i, j - 1] = basis[:, i] @ v
            v = v - h[i, j - 1] * basis[:, i]
        h[j, j - 1] = np.linalg.norm(v)
        basis[:, j] = v / h[j, j - 1]
        y, *_ = np.linalg.lstsq(h[: j + 1, :j], right[: j + 1], rcond=None)
        x = basis[:, :j] @ y
        errors[j - 1] = np.linalg.norm(a @ x - b)
        if errors[j - 1] < 1e-10:
            break
    return x, errors


def test_a_growing_least_squares_problem_stays_a_loop():
    matrix = np.eye(60) * 4 + 0.1 * _RANDOM.normal(size=(60, 60))
    right = _RANDOM.normal(size=60)
    value, found = krylov(matrix, right, 40), xlapy.jit(krylov)(matrix, right, 40)
    same(value, found)
    assert len(str(xlapy.code_xla(krylov, matrix, right, 40))) < 200_000


def slope(weights, mask):
    return (np.linalg.lstsq(T[mask] * weights[mask][:, None], B[mask], rcond=None)[0] ** 2).sum()


@pytest.mark.parametrize("mask", [MASKS[2], MASKS[0], MASKS[3]])
def test_gradients(mask):
    weights = np.linspace(1, 2, 7)
    found = np.asarray(xlapy.grad(slope)(weights, mask))
    for place in range(7):
        step = 1e-6 * (np.arange(7) == place)
        expected = (slope(weights + step, mask) - slope(weights - step, mask)) / 2e-6
        assert np.isclose(found[place], expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0])
@pytest.mark.parametrize("name", ["svdvals", "matrix_rank", "pinv", "cond"])
def test_matrices_without_singular_values(name, value):
    matrix, function = np.full((2, 2), value), getattr(np.linalg, name)
    one, two = outcome(function, (matrix,)), outcome(xlapy.jit(lambda a: function(a)), (matrix,))
    assert (type(one[1]), str(one[1])) == (type(two[1]), str(two[1]))
    same(one[0], two[0])


def test_small_singular_values_count_in_a_pseudo_inverse():
    matrix = np.diag([1.0, 3e-15])
    same(np.linalg.pinv(matrix), xlapy.jit(np.linalg.pinv)(matrix))
