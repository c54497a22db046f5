"""`jax.custom_vjp` and `jax.custom_jvp` whose functions and rules are NumPy's, made outside and inside."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy

X = np.array([1.1, 0.5, 1.9, 0.8])


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-9, atol=1e-12)


@jax.custom_vjp
def wave(x):
    return np.sin(x) * 2


# The factor shows that it is this rule that is used.
wave.defvjp(lambda x: (wave(x), x), lambda x, g: (5 * g * np.cos(x),))


@jax.custom_jvp
def soft(x):
    return np.log(1 + np.exp(x))


@soft.defjvp
def soft_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    return soft(x), 7 * (1 - 1 / (1 + np.exp(x))) * dx


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("inside", [False, True])
def test_values_and_gradients(inside):
    def grad(f):
        return xlapy.jit(lambda x: xlapy.grad(f)(x)) if inside else xlapy.grad(f)

    close(xlapy.jit(lambda x: wave(x))(X), 2 * np.sin(X))
    close(xlapy.jit(lambda x: soft(x))(X), np.log(1 + np.exp(X)))
    close(grad(lambda x: np.sum(wave(x) * x))(X), 2 * np.sin(X) + 5 * X * np.cos(X))
    close(grad(lambda x: np.sum(soft(x)))(X), 7 * sigmoid(X))


def test_other_transformations():
    close(xlapy.jvp(soft, (X,), (2 * X,))[1], 14 * X * sigmoid(X))
    close(xlapy.jacrev(wave)(X), np.diag(5 * np.cos(X)))
    close(xlapy.vmap(xlapy.grad(lambda x: soft(x)))(X), 7 * sigmoid(X))
    close(jax.jit(jax.grad(xlapy.jit(lambda x: jnp.sum(wave(x)))))(X), 5 * np.cos(X))
    # The derivative of the rule; the function that it calls has the rule, too.
    close(xlapy.grad(xlapy.grad(soft))(0.7), 7 * sigmoid(0.7) * (1 - sigmoid(0.7)))
    close(xlapy.hessian(lambda x: soft(x[0]) * x[1])(X[:2])[0][1], 7 * sigmoid(X[0]))


def test_in_a_loop_on_data():
    def f(x, n):
        for _ in range(n):
            x = wave(x) * 0.4
        return x.sum()

    expected, y = np.ones(4), X
    for _ in range(3):
        expected, y = expected * 2 * np.cos(y), 0.8 * np.sin(y)
    close(xlapy.grad(f)(X, 3), expected)


def test_branches_writes_and_structures():
    @jax.custom_vjp
    def f(p, n):
        y = p["a"].copy()
        if y.sum() > 0:
            y[0] = 10.0
        return {"y": y * p["b"] * n}

    f.defvjp(lambda p, n: (f(p, n), (p, n)), lambda res, g: ({"a": np.clip(g["y"], 0, res[1] - 1), "b": None}, None))
    p = {"a": X, "b": 2.0}
    value, gradient = xlapy.value_and_grad(lambda p: (f(p, 3)["y"] * X).sum())(p)
    close(value, (np.array([10, 0.5, 1.9, 0.8]) * 6 * X).sum())
    close(gradient["a"], np.clip(X, 0, 2))
    close(gradient["b"], 0)


def test_arguments_that_are_not_differentiated():
    @functools.partial(jax.custom_vjp, nondiff_argnums=(0, 2))
    def apply(function, x, n):
        return function(np.sum(x**n))

    apply.defvjp(lambda f, x, n: (apply(f, x, n), x), lambda f, n, x, g: (g * np.full(4, float(n)) * f(x),))
    close(xlapy.grad(lambda x: apply(np.sqrt, x, 3))(X), 3 * np.sqrt(X))


def test_made_inside():
    @xlapy.jit
    def f(x, scale):
        @jax.custom_vjp
        def inner(x):
            return np.sin(x) * scale

        inner.defvjp(lambda x: (np.sin(x) * scale, x), lambda x, g: (scale * g * np.abs(x),))
        return inner(x), xlapy.grad(lambda x: inner(x).sum())(x)

    value, gradient = f(X, 3.0)
    close(value, 3 * np.sin(X))
    close(gradient, 3 * X)


def test_a_value_around_the_function_has_no_derivative_by_its_rule():
    def f(scale, x):
        @jax.custom_vjp
        def inner(x):
            return np.sin(x) * scale

        inner.defvjp(lambda x: (np.sin(x) * scale, x), lambda x, g: (g,))
        return inner(x).sum()

    close(xlapy.grad(f, 1)(2.0, X), np.ones(4))
    with pytest.raises(xlapy.NotOffloadableError, match="XP0016.*closes over"):
        xlapy.grad(f, 0)(2.0, X)


def test_a_rule_that_does_not_fit():
    @jax.custom_vjp
    def f(x):
        return np.sum(x)

    f.defvjp(lambda x: (np.sum(x), None), lambda _, g: (g * np.ones(3),))
    with pytest.raises(ValueError, match="shapes"):
        xlapy.grad(f)(X)
