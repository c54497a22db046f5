"""Sparse matrices of SciPy, as arguments and made inside: what SciPy does with them in compiled code."""

import copy
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh, spsolve

import xlapy

RNG = np.random.default_rng(8)


def random_matrix(seed):
    """A matrix of 40 rows and 30 columns, a fifth of it, in the form CSR."""
    rng = np.random.default_rng(seed)
    return sp.csr_matrix(np.where(rng.random((40, 30)) < 0.2, rng.random((40, 30)), 0.0))


MATRIX = random_matrix(3)
LONG, SHORT = RNG.random(40), RNG.random(30)
FORMS = [MATRIX, MATRIX.tocsc(), MATRIX.tocoo(), sp.csr_array(MATRIX), sp.csc_array(MATRIX), MATRIX.astype(np.float32)]
DIAGONALS = sp.dia_matrix((RNG.random((3, 40)), np.array([0, 1, -3])), shape=(40, 40))


def product(a, x, z):
    return a @ x


def transposed_product(a, x, z):
    return a.T @ z, z @ a


def product_with_columns(a, x, z):
    return a @ np.outer(x, x[:7]), a.T @ np.outer(z, z[:3]), a @ x[:, None]


def scaled_products(a, x, z):
    return (2.5 * a) @ x, (-a) @ x, a.dot(x), a.copy() @ x


def sizes(a, x, z):
    return a.shape, a.nnz, a.data.sum()


def other_forms(a, x, z):
    return a.toarray(), a.diagonal(), a.diagonal(2)


def converted(a, x, z):
    return a.tocsr() @ x, a.tocsc() @ x


def by_elements(a, x, z):
    return abs(a) @ x, a.power(2) @ x, a.multiply(x) @ x, a.max()


def scaled_in_place(a, x, z):
    a.data *= 2.0
    b = a.T
    b.data[0] = 5.0
    return a @ x, b @ z


def made_inside(a, x, z):
    half = a.nnz // 2
    b = sp.csr_array((a.data[:half], a.indices[:half], np.minimum(a.indptr, half)), shape=a.shape)
    return b @ x, b.nnz


def conjugate_gradients(a, b, tolerance):
    x = np.zeros(b.shape)
    r = b - a @ x
    p, before = r, r @ r
    steps = 0
    while np.sqrt(before) > tolerance:
        q = a @ p
        x = x + before / (p @ q) * p
        r = r - before / (p @ q) * q
        now = r @ r
        p, before = r + now / before * p, now
        steps += 1
    return x, steps


def same(got, wanted):
    for one, other in zip(got, wanted, strict=True):
        if isinstance(other, tuple):
            same(one, other)
            continue
        one, other = np.asarray(one), np.asarray(other)
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-5 if other.dtype == np.float32 else 1e-12)


def check(function, a, *args):
    mine, theirs = copy.deepcopy(a), copy.deepcopy(a)
    wanted = function(theirs, *args)
    got = xlapy.jit(function, returns="numpy")(mine, *args)
    same(got if isinstance(wanted, tuple) else (got,), wanted if isinstance(wanted, tuple) else (wanted,))
    np.testing.assert_array_equal(mine.data, theirs.data)


@pytest.mark.parametrize("function", [product, transposed_product, product_with_columns, scaled_products, sizes])
@pytest.mark.parametrize("a", FORMS, ids=lambda a: f"{type(a).__name__}-{a.dtype}")
def test_products(function, a):
    check(function, a, SHORT, LONG)


@pytest.mark.parametrize("function", [other_forms, converted, by_elements, scaled_in_place])
@pytest.mark.parametrize("a", [MATRIX, sp.csr_array(MATRIX)], ids=lambda a: type(a).__name__)
def test_other_forms(function, a):
    check(function, a, SHORT, LONG)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "complex128"])
def test_types(dtype):
    a = (MATRIX * 300).astype(dtype)
    check(transposed_product, a, SHORT, LONG)
    check(product, a, (SHORT * 3).astype(dtype), LONG)


def test_diagonals():
    check(product, DIAGONALS, LONG, LONG)
    check(transposed_product, DIAGONALS, LONG, LONG)
    check(lambda a, x, z: a @ np.outer(x, x[:3]), DIAGONALS, LONG, LONG)


def test_a_matrix_that_is_made_inside():
    check(made_inside, sp.csr_array(MATRIX), SHORT, LONG)


def test_a_solver():
    a = sp.csr_matrix(MATRIX @ MATRIX.T + sp.identity(40))
    got, wanted = xlapy.jit(conjugate_gradients)(a, LONG, 1e-9), conjugate_gradients(a, LONG, 1e-9)
    assert int(got[1]) == wanted[1]
    np.testing.assert_allclose(got[0], wanted[0], rtol=1e-8)


def test_the_next_matrix_has_other_places():
    compiled = xlapy.jit(product, returns="numpy")
    for seed in range(3):
        a = sp.csr_matrix(MATRIX[np.random.default_rng(seed).permutation(40)])
        np.testing.assert_allclose(compiled(a, SHORT, LONG), a @ SHORT)
    assert compiled.cache_info().misses == 1


def test_room_that_is_not_used_is_refused_when_it_occurs():
    a = MATRIX.copy()
    a.data, a.indices = np.append(a.data, 1.0), np.append(a.indices, 0)
    with pytest.raises(xlapy.NotOffloadableError, match="room for more elements"):
        xlapy.jit(transposed_product)(a, SHORT, LONG)


def test_elements_that_are_there_twice_are_refused_when_they_have_to_be_added_up():
    a = sp.csr_matrix((np.ones(3), np.array([1, 1, 2]), np.array([0, 2, 3])), shape=(2, 3))
    x = np.arange(3.0)
    np.testing.assert_allclose(xlapy.jit(product)(a, x, x), a @ x)
    with pytest.raises(xlapy.NotOffloadableError, match="twice in a row"):
        xlapy.jit(lambda a, x: abs(a) @ x)(a, x)


OTHER, SQUARE = random_matrix(4), random_matrix(5)[:30]
UNORDERED = MATRIX @ SQUARE.T  # its columns are in the order in which they were found


def sum_of_two(a, b):
    return a - b, a != b


def product_of_two(a, b):
    c = a @ b.T
    return c, c @ np.ones(c.shape[1]), c.nnz


def parts(a, i, j):
    return a[i], a[i, j], a[3, 4], a[2:20], a[:, 5], a[:, 2:9].toarray(), a.getrow(i), a.getcol(7)


def some_rows(a, places, v):
    return a[places] @ v, a[[3, 1, 3]], a[:, [4, 2]].toarray(), np.asarray(a[places, places]).ravel()


def from_triples(rows, columns, values):
    a = sp.coo_matrix((values, (rows, columns)), shape=(9, 7))
    return a.tocsr(), a.T.tocsc() @ np.arange(9.0)


def from_dense(m):
    a = sp.csr_matrix(m)
    return a, a.nnz, a @ np.ones(m.shape[1])


def from_diagonals(v):
    a = sp.diags([v[:-1], -2 * v, v[1:]], [-1, 0, 1])
    return a.tocsr(), a @ v, sp.diags(v, format="csr"), sp.eye(len(v), format="csr") * 3


def without_zeros(a, bound):
    a = a.copy()
    a.data[a.data < bound] = 0
    a.eliminate_zeros()
    return a, (a > 0.5).toarray()


def same_matrices(got, wanted):
    for one, other in zip(got, wanted, strict=True):
        if not sp.issparse(other):
            one, other = np.asarray(one), np.asarray(other)
        assert type(one) is type(other) and one.dtype == other.dtype and one.shape == other.shape
        if sp.issparse(other):
            for name in ("data", "indices", "indptr"):
                mine, theirs = getattr(one, name), getattr(other, name)
                assert mine.dtype == theirs.dtype
                np.testing.assert_allclose(mine, theirs, rtol=1e-12)
        else:
            np.testing.assert_allclose(one, other, rtol=1e-12)


def check_matrices(function, *args):
    same_matrices(xlapy.jit(function, returns="numpy")(*copy.deepcopy(args)), function(*args))


@pytest.mark.parametrize(
    "a, b",
    [(UNORDERED, UNORDERED * 2), (sp.csc_array(MATRIX), sp.csc_array(OTHER))],
    ids=["unordered", "by columns"],
)
def test_sums_of_matrices(a, b):
    check_matrices(sum_of_two, a, b)


def test_products_of_matrices():
    check_matrices(product_of_two, MATRIX, OTHER)
    whole = sp.csr_matrix(np.array([[1.0, 1.0], [2.0, -2.0]]))
    check_matrices(lambda a, b: (a @ b, b @ a), whole, sp.csr_matrix(np.array([[1.0, 3.0], [-1.0, 1.0]])))


def test_parts_of_matrices():
    check_matrices(parts, MATRIX, 7, 11)
    places = np.array([5, 0, 5, 29])
    check_matrices(some_rows, sp.csr_array(MATRIX), places, SHORT)


def test_matrices_are_made():
    rows, columns = np.array([3, 0, 3, 8, 3, 0]), np.array([2, 6, 2, 0, 1, 5])
    check_matrices(from_triples, rows, columns, np.array([1.0, 2.0, -3.0, 4.0, 5.0, 6.0]))
    check_matrices(from_dense, MATRIX.toarray())
    check_matrices(from_diagonals, np.array([1.0, 0.0, 2.0, 3.0]))
    check_matrices(without_zeros, MATRIX[:9], 0.4)


def test_indices_of_many_bits_are_refused_when_they_occur():
    rows = np.array([3, 0, 2**40])
    with pytest.raises(xlapy.NotOffloadableError, match="32 bits"):
        xlapy.jit(from_triples)(rows, np.arange(3), np.ones(3))


def sums(a, v):
    rows = a.sum(axis=1)
    rows[0, 0] = 3.0
    return a.sum(), rows, np.asarray(rows).ravel(), a.sum(axis=0).A1, a.mean(axis=0), a.todense()[1], rows[2, 0]


def operators_of_matrices(a, v):
    m = a.sum(axis=0)
    first = v + m, v * m.T, m * v[:, None], m @ v, 1 / (m + 1), np.sqrt(m), m > 0.5, -m, a @ m.T, m[m > 1]
    return *first, a.multiply(1 / (m + 1)).toarray(), isinstance(m, np.matrix), np.linalg.norm(m), m.max(), len(m)


@pytest.mark.parametrize("function", [sums, operators_of_matrices])
def test_sums_are_matrices_of_numpy(function):
    wanted, got = function(MATRIX, SHORT), xlapy.jit(function, returns="numpy")(MATRIX, SHORT)
    for one, other in zip(got, wanted, strict=True):
        assert type(one) is type(other) and np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_what_is_not_written_down_of_a_matrix_is_refused():
    with pytest.raises(xlapy.NotOffloadableError, match="np.matrix"):
        xlapy.jit(lambda a: np.linalg.inv(a.todense()))(MATRIX[:30])
    with pytest.raises(xlapy.NotOffloadableError, match="np.matrix"):
        xlapy.jit(lambda a: a.todense() ** 2)(MATRIX[:30])


def put_together(a, b):
    return sp.hstack([a, b]), sp.bmat([[a, None], [b, np.ones((9, 1))]]).toarray()


def test_blocks():
    check_matrices(put_together, MATRIX[:9], OTHER[:9])
    with pytest.raises(ValueError, match="expected 9"):
        xlapy.jit(lambda a, b: sp.bmat([[a, b.tocoo()]]))(MATRIX[:9], OTHER)


def solved(a, b):
    return spsolve(a, b), spsolve(a.tocsc(), np.outer(b, b[:2]))


def some_eigenvalues(a):
    found, vectors = eigsh(a, k=3, which="LA")
    return found, np.abs(vectors), eigsh(a, k=2, return_eigenvectors=False), eigsh(a, k=2, which="SM")[0]


def test_equations_and_eigenvalues():
    a = sp.csr_matrix(MATRIX[:9, :9] + 6 * sp.eye(9))
    for function, args in ((solved, (a, LONG[:9])), (some_eigenvalues, (sp.csr_array(a + a.T),))):
        for one, other in zip(xlapy.jit(function)(*args), function(*args), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    singular = sp.csr_matrix(np.diag([1.0, 0.0, 2.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(xlapy.jit(lambda m, v: spsolve(m, v))(singular, np.ones(3))).all()


I, J = RNG.integers(0, 4, 12), RNG.integers(0, 5, 12)


def summed(i, j, v):
    a = sp.coo_matrix((v, (i, j)), shape=(4, 5))
    a.sum_duplicates()
    return a.row, a.col, a.data, a.toarray()


def found(i, j, v):
    a = sp.coo_matrix((v, (i, j)), shape=(4, 5))
    return sp.find(a), sp.find(a.tocsr()), sp.find(a.toarray())


def test_elements_in_the_form_of_coordinates():
    for function in (summed, found):
        check_matrices(function, I, J, RNG.random(12) - 0.5)
