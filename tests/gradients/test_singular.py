"""Derivatives next to what is not computed: infinite there, and without effect. And conventions at ties and kinks."""

import math

import jax
import numpy as np
import pytest

import xlapy

X = np.array([0.0, 1.0, 4.0])


def mask_read(x):
    return np.sqrt(x[x > 0]).sum()


def mask_read_recip(x):
    return (1 / x[x != 0]).sum() + (x[x > 0] ** -0.5).sum()


def mask_write(x):
    y = np.zeros(3)
    m = x > 0
    y[m] = np.sqrt(x[m])
    return y.sum()


def mask_in_place(x):
    y = x * 1.0
    y[y > 0] **= 0.5
    return y.sum()


def mask_factor(x):
    return (x[2] * np.log(x[x > 0])).sum() + np.log(x[x > 0]).std() + np.sqrt(x[x > 0]) @ np.log(x[x > 0])


def mask_none(x):
    return (x[2] * np.log(x[x > 9])).sum() + x[1]


def mask_of_a_function(x):
    return np.sinc(np.sqrt(x[x > 0])).sum()


def prefixes(x):
    buffer = np.zeros(4)
    s = 0.0
    for k in range(round(x.sum()) - 1):
        buffer[k] = x[k % 2 + 1] ** 2
        s += (x[1] * np.log(buffer[: k + 1])).sum() + np.sqrt(buffer[: k + 1]).sum()
    return s


def ufunc_where(x):
    y = np.zeros(3)
    np.sqrt(x, out=y, where=x > 0)
    np.divide(1.0, x, out=y, where=x > 2)
    return (y * x[2]).sum()


def reduction_where(x):
    return np.log(x, where=x > 0, out=np.ones(3)).sum(where=x > 0) + np.std(1 / (x + 1), where=x > 0)


def branch(x):
    s = 0.0
    for v in x:
        if v > 0:
            s += np.sqrt(v) * x[2]
    return s


def conditional_expression(x):
    return sum(math.log(v) if v > 0 else 3 * v for v in x)


def early_return(x):
    def root(v):
        if v <= 0:
            return 0.0
        return np.sqrt(v)

    return root(x[0]) + root(x[1]) + root(x[2])


def caught_square_root(x):
    def f(v):
        try:
            return math.sqrt(v - 0.5)
        except ValueError:
            return 2 * v

    return f(x[0]) + f(x[1]) + f(x[2])


def caught_division(x):
    def f(v):
        try:
            return 1 / v + v**-2.0
        except ZeroDivisionError:
            return 3 * v

    return f(float(x[0])) + f(float(x[1])) + f(float(x[2]))


def caught_in_a_loop(x):
    s = 0.0
    for v in x:
        try:
            s = s + math.log(v) * x[2]
        except ValueError:
            continue
    return s


def caught_singular_matrix(x):
    try:
        return np.linalg.inv(np.outer(x, x)).sum()
    except np.linalg.LinAlgError:
        return x[1] * 3


def caught_indefinite_matrix(x):
    try:
        return np.linalg.cholesky(np.diag(x - 2)).sum()
    except np.linalg.LinAlgError:
        return x[1] * 3


PROGRAMS = [
    mask_read,
    mask_read_recip,
    mask_write,
    mask_in_place,
    mask_factor,
    mask_none,
    mask_of_a_function,
    prefixes,
    ufunc_where,
    reduction_where,
    branch,
    conditional_expression,
    early_return,
    caught_square_root,
    caught_division,
    caught_in_a_loop,
    caught_singular_matrix,
    caught_indefinite_matrix,
]


def one_sided(function, x):
    """Central differences, except at zero, where the functions are cut off."""
    found = np.zeros(x.shape)
    for i in range(x.size):
        step = 0.0 if x[i] == 0 else 1e-6
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        found[i] = (function(up) - function(down)) / (2e-6)
    return found


#: what the derivative at zero is, where it is not zero
AT_ZERO = {mask_in_place: 1.0, conditional_expression: 3.0, caught_square_root: 2.0, caught_division: 3.0}


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_not_computed_has_no_derivative(function):
    expected = one_sided(function, X)
    expected[0] = AT_ZERO.get(function, 0.0)
    np.testing.assert_allclose(xlapy.grad(function)(X), expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(xlapy.jacfwd(function)(X), expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(xlapy.jit(function)(X), function(X), rtol=1e-12)


def shrinks(x):
    s = x[0]
    while s > 0.5:
        s = s - np.sqrt(s - 0.5) - 0.1
    return s * x[1]


def sums_logarithms(x):
    s = 0.0
    i = 0
    while i < x[0] * 3:
        s = s + np.log(x[0] - i / 3) * x[1]
        i += 1
    return s


def roots(x):
    return np.sqrt(x[0]) * x[1] if x[0] > 0 else x[1] * 2


@pytest.mark.parametrize("function", [shrinks, sums_logarithms, roots])
def test_batched_loops_that_have_ended_add_nothing(function):
    xs = np.array([[0.0, 1.0], [1.2, 2.0], [2.5, 0.5], [0.5, 1.0]])
    expected = np.array([np.asarray(xlapy.grad(function)(x)) for x in xs])
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(xlapy.vmap(xlapy.grad(function))(xs), expected, rtol=1e-10)
    np.testing.assert_allclose(xlapy.grad(lambda xs: xlapy.vmap(function)(xs).sum())(xs), expected, rtol=1e-10)
    with jax.enable_x64(True):
        np.testing.assert_allclose(jax.vmap(jax.grad(xlapy.jit(function)))(xs), expected, rtol=1e-10)


def test_conventions_are_those_of_jax():
    tied = np.array([1.0, 1.0, 0.5, 1.0])
    third = np.array([1, 1, 0, 1]) / 3
    for function in (np.max, lambda x: x.max(), lambda x: -np.min(-x), lambda x: np.maximum.reduce(x)):
        np.testing.assert_allclose(xlapy.grad(function)(tied), third)
        np.testing.assert_allclose(xlapy.jacfwd(function)(tied), third)
    rows = np.stack([tied, [2.0, 0.0, 2.0, 1.0]])
    found = xlapy.grad(lambda x: (x.max(axis=1) * np.array([1.0, 4.0])).sum())(rows)
    np.testing.assert_allclose(found, [third, [2, 0, 2, 0]])
    np.testing.assert_allclose(xlapy.grad(lambda x: np.maximum(x[0], x[1]))(tied), [0.5, 0.5, 0, 0])
    np.testing.assert_allclose(xlapy.grad(lambda x: np.abs(x).sum())(np.array([-2.0, 0.0, 3.0])), [-1, 1, 1])
    np.testing.assert_allclose(xlapy.grad(lambda x: (x**0 + x**1 + x**2 + x**3).sum())(np.zeros(2)), [1, 1])


def test_eigenvalues_of_a_general_matrix():
    a = np.array([[1.0, 2.0], [0.5, 3.0]])
    found = xlapy.grad(lambda a: (np.linalg.eigvals(a) ** 2).real.sum())(a)
    np.testing.assert_allclose(found, 2 * a.T, rtol=1e-10)  # the sum of the squares is the trace of a @ a
