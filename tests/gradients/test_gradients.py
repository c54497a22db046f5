"""Gradients of ordinary NumPy code against central differences in float64."""

import numpy as np
import pytest

import xlapy


def branches_and_writes(x):
    y = x.copy()
    y[0] = y[0] ** 2
    s = 0.0
    for i in range(3):
        if y[i] > 1.5:
            s += np.sin(y[i]) * y[i]
        else:
            s += y[i] ** 3
    return s


def views(x):
    a = np.outer(x, x)
    a[1:, 0] *= 2.0
    a.T[0] += x
    return (a**2).sum() + a.diagonal().prod()


def masks(x):
    y = x * 1.0
    y[y < 1.0] = 0.5 * y[y < 1.0]
    return np.where(y > 0.2, y**2, -y).sum()


def closure_and_helper(x):
    scale = x[0]

    def f(v):
        return scale * v + v**2

    return sum(f(v) for v in x)


def nested_loops(x):
    a = np.zeros((3, 3))
    for i in range(3):
        for j in range(i + 1):
            a[i, j] = x[i] * x[j] + (a[i - 1, j] if i else 0.0)
    return np.exp(-a).sum()


def dynamic_while(x):
    y = x
    while np.sum(y) < 100:
        y = y * 1.5
    return np.sum(y * y)


FUNCTIONS = [branches_and_writes, views, masks, closure_and_helper, nested_loops, dynamic_while]


def central_differences(function, x, step=1e-6):
    """The gradient of `function` at `x` (n,), by central differences."""
    gradient = np.zeros_like(x)
    for i in range(x.size):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        gradient[i] = (function(up) - function(down)) / (2 * step)
    return gradient


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("seed", [0, 1])
def test_reverse_mode(function, seed):
    x = np.random.default_rng(seed).random(3) * 2
    np.testing.assert_allclose(xlapy.grad(function)(x), central_differences(function, x), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_forward_mode(function):
    x = np.array([1.1, 0.5, 1.9])
    direction = np.array([0.3, -1.0, 0.5])
    value, derivative = xlapy.jvp(function, (x,), (direction,))
    np.testing.assert_allclose(value, function(x), rtol=1e-12)
    np.testing.assert_allclose(derivative, central_differences(function, x) @ direction, rtol=1e-6)


def test_second_order():
    x = np.array([1.1, 0.5, 1.9])
    hessian = np.asarray(xlapy.hessian(views)(x))
    rows = [central_differences(lambda v, i=i: float(xlapy.grad(views)(v)[i]), x, 1e-5) for i in range(3)]
    np.testing.assert_allclose(hessian, np.array(rows), rtol=1e-5, atol=1e-7)


def test_errors_inside_a_differentiated_function_are_raised():
    def f(x, i):
        return x[i] ** 2

    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        xlapy.grad(f)(np.ones(3), 7)


def test_a_branch_under_vmap_is_taken_for_each_element():
    found = xlapy.vmap(lambda v: v**2 if v > 1 else -v)(np.array([1.0, 2.0, 0.3]))
    np.testing.assert_allclose(found, [-1.0, 4.0, -0.3])


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), (2, 1), -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_extremes(axis, keepdims):
    x = np.random.default_rng(3).standard_normal((3, 4, 2))

    def f(v):
        a = np.sin(v.reshape(3, 4, 2) * 3.0)
        return (a.max(axis=axis, keepdims=keepdims) ** 2).sum() + np.min(a * v[0], axis=axis).sum()

    v = x.ravel()
    expected = central_differences(f, v)
    np.testing.assert_allclose(xlapy.grad(f)(v), expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(xlapy.jacfwd(f)(v), expected, rtol=1e-5, atol=1e-7)
