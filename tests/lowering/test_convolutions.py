"""Convolutions in loops have their channels last on a CPU, and compute the same."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import xlapy
from xlapy.lowering.convolutions import channels_last

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
        made = channels_last(jaxpr)
        assert made is not jaxpr
        for a, b in zip(
            jax.tree.leaves(jax.jit(jax.extend.core.jaxpr_as_fun(made))(x, w)),
            jax.tree.leaves(jax.extend.core.jaxpr_as_fun(jaxpr)(x, w)),
            strict=True,
        ):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def test_a_program_without_convolutions_stays():
    jaxpr = jax.make_jaxpr(lambda x: x + 1)(1.0)
    assert channels_last(jaxpr) is jaxpr


def test_in_a_loop():
    def f(x, w, n):
        for _ in range(n):
            x = jnp.tanh(lax.conv_general_dilated(x, w, (1, 1), "SAME"))
        return x

    x, w = jnp.ones((1, 3, 8, 8), jnp.float32), jnp.full((3, 3, 3, 3), 0.1, jnp.float32)
    compiled = xlapy.jit(f).lower(x, w, 5).compile()
    assert "bf01_" not in compiled.as_text()
    np.testing.assert_allclose(xlapy.jit(f)(x, w, 5), f(x, w, 5), rtol=1e-5)
