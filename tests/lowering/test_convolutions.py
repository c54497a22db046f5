"""Convolutions in loops have their channels last on a CPU, and compute the same."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import xlapy
from xlapy.lowering.cpu_xla.rewriting import Cpu, in_loops, outside_loops

LAYOUTS = [("NCHW", "OIHW", "NCHW"), ("NHWC", "HWIO", "NHWC"), ("CNHW", "IOHW", "NCHW"), ("NCHW", "HWOI", "NHWC")]


def arrays(layout, groups=1):
    random = np.random.default_rng(0)
    sizes = {"N": 2, "C": 4, "H": 6, "W": 5}, {"O": 6, "I": 4 // groups, "H": 3, "W": 2}
    return [jnp.asarray(random.standard_normal([s[c] for c in spec])) for s, spec in zip(sizes, layout, strict=False)]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("groups", [1, 2])
def test_the_same_numbers(layout, groups):
    with jax.enable_x64(True):
        x, w = arrays(layout, groups)

        @jax.jit
        def f(x, w):
            y = lax.conv_general_dilated(
                x, w, (2, 1), ((1, 1), (0, 2)), (1, 1), (2, 1), layout, feature_group_count=groups
            )
            return jax.nn.relu(y)

        jaxpr = jax.make_jaxpr(jax.value_and_grad(lambda *a: f(*a).sum(), (0, 1)))(x, w)
        made = in_loops(jaxpr, Cpu(True, False))
        assert made is not jaxpr
        for a, b in zip(
            jax.tree.leaves(jax.jit(jax.extend.core.jaxpr_as_fun(made))(x, w)),
            jax.tree.leaves(jax.extend.core.jaxpr_as_fun(jaxpr)(x, w)),
            strict=True,
        ):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def test_a_program_without_convolutions_stays():
    jaxpr = jax.make_jaxpr(lambda x: x + 1)(1.0)
    assert in_loops(jaxpr, Cpu(True, False)) is jaxpr


def test_in_a_loop():
    def f(x, w, n):
        for _ in range(n):
            x = jnp.tanh(lax.conv_general_dilated(x, w, (1, 1), "SAME"))
        return x

    x, w = jnp.ones((1, 3, 8, 8), jnp.float32), jnp.full((3, 3, 3, 3), 0.1, jnp.float32)
    compiled = xlapy.jit(f).lower(x, w, 5).compile()
    assert "bf01_" not in compiled.as_text()
    np.testing.assert_allclose(xlapy.jit(f)(x, w, 5), f(x, w, 5), rtol=1e-5)


@pytest.mark.parametrize(
    ("shape", "window"), [((2, 3, 5, 4), (1, 1, 2, 2)), ((2, 6, 6, 3), (1, 3, 2, 1)), ((4, 8), (1, 4))]
)
@pytest.mark.parametrize("extreme", [lax.max, lax.min])
@pytest.mark.parametrize("special", [1.0, np.nan, np.inf])
def test_the_derivative_of_pooling(shape, window, extreme, special):
    random = np.random.default_rng(0)
    x = random.integers(0, 3, shape).astype(np.float32)
    x.flat[:4] = special
    first = np.float32(-np.inf if extreme is lax.max else np.inf)

    def pool(x):
        return lax.reduce_window(x, first, extreme, window, window, "VALID")

    cotangent = random.standard_normal(pool(x).shape).astype(np.float32)
    jaxpr = jax.make_jaxpr(lambda x, c: jax.vjp(pool, x)[1](c)[0])(x, cotangent)
    made = outside_loops(jaxpr, Cpu(True, False))
    assert (
        made is not jaxpr
        and "select_and_scatter" not in jax.jit(jax.extend.core.jaxpr_as_fun(made)).lower(x, cotangent).as_text()
    )
    expected = jax.extend.core.jaxpr_as_fun(jaxpr)(x, cotangent)[0]
    np.testing.assert_array_equal(jax.extend.core.jaxpr_as_fun(made)(x, cotangent)[0], expected)


def test_pooling_with_windows_that_overlap_stays():
    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (3, 3), (2, 2), "SAME").sum()

    x = np.random.default_rng(0).standard_normal((7, 6)).astype(np.float32)
    np.testing.assert_array_equal(xlapy.jit(lambda x: jax.grad(pool)(x))(x), jax.grad(pool)(x))
