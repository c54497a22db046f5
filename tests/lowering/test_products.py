"""Products of arrays in the form for which XLA has fast code: the same numbers, and which form it is."""

import jax
import numpy as np
import pytest

import xlapy

LONG = 3000


def arrays(*shapes, dtype=np.float64):
    random = np.random.default_rng(0)
    parts = dtype(1) if np.dtype(dtype).kind in "iu" else dtype(0.25)
    return [random.integers(-8, 9, shape).astype(dtype) * parts for shape in shapes]


def weighted(x, y):
    return np.einsum("ij,ij->i", x, y)


def swapped(x, y):
    return np.einsum("ji,kj->ik", x, y)


def by_transpose(x, y):
    return x.T @ y


SUMS = {
    "vectors": (lambda x, y: x @ y, (LONG,), (LONG,)),
    "rows": (weighted, (4, LONG), (4, LONG)),
    "matrices": (lambda x, y: np.tensordot(x, y), (30, 100), (30, 100)),
    "one_row": (lambda x, y: x @ y, (1, LONG), (LONG, 1)),
}
WRITTEN_OUT = {
    "points": (lambda x, y: x @ y, (LONG, 3), (3, 3)),
    "points_by_vector": (lambda x, y: x @ y, (2 * LONG, 3), (3,)),
    "vector_by_points": (lambda x, y: x @ y, (2,), (2, 2 * LONG)),
    "short_rows": (weighted, (2 * LONG, 3), (2 * LONG, 3)),
    "swapped": (swapped, (4, LONG), (2, 4)),
    "outer": (np.outer, (100,), (90,)),
}
STAY = {
    "few": (lambda x, y: x @ y, (20,), (20,)),
    "square": (lambda x, y: x @ y, (40, 40), (40, 40)),
    "batch": (lambda x, y: x @ y, (600, 3, 3), (600, 3, 3)),
}


def lowered(function, *arguments):
    return xlapy.jit(function).lower(*arguments).as_text()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.complex128], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("name", [*SUMS, *WRITTEN_OUT, *STAY])
def test_the_same_numbers(name, dtype):
    function, *shapes = {**SUMS, **WRITTEN_OUT, **STAY}[name]
    x, y = arrays(*shapes, dtype=dtype)
    got = xlapy.jit(function)(x, y)
    expected = function(x, y)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)  # quarters are added up without rounding


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="a form for CPUs")
@pytest.mark.parametrize("name", [*SUMS, *WRITTEN_OUT, *STAY])
def test_which_form(name):
    function, *shapes = {**SUMS, **WRITTEN_OUT, **STAY}[name]
    compiled = xlapy.jit(function).lower(*arrays(*shapes)).compile().as_text()
    assert (" dot(" in compiled or "_dot" in compiled) == (name in STAY)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="a form for CPUs")
def test_a_transpose_by_a_vector_is_turned_around():
    x, y = arrays((50, 40), (50,))
    text = lowered(by_transpose, x, y)
    assert "contracting_dims = [0] x [0]" in text and "stablehlo.transpose" not in text
    np.testing.assert_array_equal(xlapy.jit(by_transpose)(x, y), x.T @ y)

    def descend(x, y, w):
        for _ in range(3):
            w = w - 0.25 * (x.T @ (x @ w - y))
        return w

    w = np.zeros(40)
    text = lowered(descend, x, y, w)
    assert "contracting_dims = [0] x [0]" in text
    np.testing.assert_allclose(xlapy.jit(descend)(x, y, w), descend(x, y, w), rtol=1e-12)


def test_gradients_are_those_of_the_product():
    x, y = arrays((LONG,), (LONG,))
    for function in (SUMS["vectors"][0], lambda x, y: (x @ y) ** 2):
        value, (one, other) = xlapy.value_and_grad(function, (0, 1))(x, y)
        expected = jax.value_and_grad(function, (0, 1))
        with jax.enable_x64(True):
            known, (first, second) = expected(jax.numpy.asarray(x), jax.numpy.asarray(y))
        np.testing.assert_allclose(value, known, rtol=1e-12)
        np.testing.assert_allclose(one, first, rtol=1e-12)
        np.testing.assert_allclose(other, second, rtol=1e-12)
