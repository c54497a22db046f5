"""Products of NumPy's are as precise as their type on every device, unless JAX's setting says otherwise."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy

A = np.arange(12.0, dtype=np.float32).reshape(3, 4)


def product(a):
    return a @ a.T


def loop(a):
    out = np.zeros(3, np.float32)
    for i in range(len(a)):
        out[i] = a[i] @ a[0]
    return out


PRODUCTS = (
    product,
    loop,
    lambda a: np.dot(a, a[0]),
    lambda a: np.einsum("ij,kj->ik", a, a),
    lambda a: np.tensordot(a, a, 2),
    lambda a: np.inner(a, a),
    lambda a: np.cov(a),
    xlapy.grad(lambda a: np.tanh(a @ a.T).sum()),
)


def precisions(function, *arguments):
    """The precisions of all products in the program as XLA gets it."""
    text = xlapy.jit(function).lower(*arguments).as_text()
    return {word for word in ("HIGHEST", "HIGH,", "DEFAULT") if word in text}


@pytest.mark.parametrize("function", PRODUCTS, ids=range(len(PRODUCTS)))
def test_products_are_as_precise_as_their_type(function):
    assert precisions(function, A) == {"HIGHEST"}


@pytest.mark.parametrize("function", PRODUCTS, ids=range(len(PRODUCTS)))
def test_the_setting_of_jax_is_followed(function):
    with jax.default_matmul_precision("bfloat16"):
        assert precisions(function, A) == {"DEFAULT"}
    assert precisions(function, A) == {"HIGHEST"}


def test_functions_of_jax_have_its_default():
    assert precisions(lambda a: jnp.dot(a, a[0]), A) == precisions(lambda a: jnp.asarray(a) @ a[0], A) == {"DEFAULT"}


@pytest.mark.parametrize("function", (product, lambda a: jnp.sum(jnp.tensordot(a, a, 2))))
def test_a_change_of_the_setting_is_seen(function):
    compiled = xlapy.jit(function)
    expected = function(A)
    for setting, count in ((None, 1), ("bfloat16", 2), (None, 2), ("bfloat16", 2), ("tensorfloat32", 3)):
        with jax.default_matmul_precision(setting):
            np.testing.assert_array_equal(compiled(A), expected)
        assert compiled.cache_info().misses == count


def test_what_jax_does_by_default_is_not_taken_for_the_highest_precision():
    compiled = xlapy.jit(lambda a: jnp.sum(jnp.tensordot(a, a, 2)))
    for setting, count in ((None, 1), ("highest", 2), (None, 2)):
        with jax.default_matmul_precision(setting):
            compiled(A)
        assert compiled.cache_info().misses == count


def test_programs_without_products_do_not_ask():
    compiled = xlapy.jit(lambda a: a + 1)
    for setting in (None, "bfloat16"):
        with jax.default_matmul_precision(setting):
            compiled(A)
    assert compiled.cache_info().misses == 1
