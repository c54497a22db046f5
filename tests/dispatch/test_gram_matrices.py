"""Products of a matrix with its own transpose."""

import numpy as np
import pytest
from bounded_check import agree

import xlapy

X = np.random.default_rng(2).normal(size=(300, 101))


def products(x):
    return x.T @ x, x @ x.T, np.dot(x.T, x), x.T.dot(x), np.transpose(x) @ x, x[:, :99].T @ x[:, :99]


def others(x):
    y = x.copy()
    y[0] += 1
    return x.T @ y, x[1:].T @ x[:-1], x[:, ::-1].T @ x


def written_between(x):
    t = x.T
    x[0, 0] = 5.0
    c = t @ x
    x += 1
    return c, t @ x


@pytest.mark.parametrize("program", [products, others, written_between])
@pytest.mark.parametrize("order", ["C", "F"])
def test_as_numpy(program, order):
    agree(program, np.array(X, order=order))
    agree(program, np.array(X[:, :20], order=order))
    agree(lambda x: program(x.astype(complex)), X[:120])


def test_they_are_symmetric():
    for matrix in (X, X.astype(np.float32)):
        product = np.asarray(xlapy.jit(lambda x: x.T @ x)(matrix))
        assert np.array_equal(product, product.T)


def test_infinities_stay_in_their_columns():
    x = X.copy()
    x[3, 50], x[7, 60] = np.inf, np.nan
    with np.errstate(invalid="ignore"):
        agree(lambda x: x.T @ x, x)


def test_gradient():
    found = np.asarray(xlapy.grad(lambda x: ((x.T @ x) ** 2).sum())(X))
    assert np.allclose(found, 4 * X @ (X.T @ X))
