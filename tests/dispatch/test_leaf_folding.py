"""What leaves give for few known integers, computed by NumPy while a program is analysed, against JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from xlapy.dispatch.leaf_folding import evaluated
from xlapy.dispatch.leaves import trace
from xlapy.ir import Builder, Region, TensorType

X, I, B = np.array([[3, -1, 2], [0, 5, -4]]), np.array([1, 0, -1]), np.array([True, False, True])

BITS = (jax.lax.reduce_and, jax.lax.reduce_or, jax.lax.reduce_xor)
CASES = {
    "reductions": (lambda x, i, b: (x.sum(0), x.prod(1), x.max(), x.min(0), b.all(), b.any(), jnp.all(x[:0], 0)), True),
    "bits": (lambda x, i, b: [f(v, (0,)) for f in BITS for v in (x, i, b)], True),
    "running": (lambda x, i, b: (jnp.cumsum(x, 1), jnp.cumprod(x, 0), jax.lax.cummax(x, 1, reverse=True)), True),
    "orders": (lambda x, i, b: (jnp.sort(x, 1), jnp.argsort(i), x.argmax(1), x.argmin()), True),
    "moved": (lambda x, i, b: (x.T, x[::-1, 1:], x.reshape(3, 2), jnp.pad(i, (1, 2)), jnp.stack([i, i], 1)), True),
    "joined": (lambda x, i, b: (jnp.concatenate([i, i]), jnp.broadcast_to(i, (2, 3)), jnp.arange(4)), True),
    "picked": (lambda x, i, b: (x[:, i], x[1, i], jnp.take(x, b * 1, axis=1, mode="clip"), x[i[0], i[1]]), True),
    "put": (lambda x, i, b: (x.at[:, i].set(7), i.at[1].set(9), jax.lax.dynamic_update_slice(x, x[:1], (1, 0))), True),
    "chosen": (lambda x, i, b: (jnp.where(b, i, 8), i[b.argmax()], jax.lax.dynamic_slice(x, (5, 1), (1, 2))), True),
    "numbers": (lambda x, i, b: (x * 2 - 1, -x // 1, abs(x), jnp.sign(x), x % 3 == 1, x & 6, ~b), None),
    "types": (lambda x, i, b: (x.astype(np.int8), b.astype(np.int64), x.astype(np.float64) > 0.5), True),
    "floats": (lambda x, i, b: jnp.sin(x), False),
    "large": (lambda x, i, b: jnp.arange(40), False),
}


@pytest.mark.parametrize("name", CASES)
def test_known_operands_give_what_jax_gives(name):
    function, known = CASES[name]
    types = [TensorType(v.shape, v.dtype) for v in (X, I, B)]
    builder = Builder(Region(), lambda: None)
    operands = [builder.constant(v) for v in (X, I, B)]
    jaxpr = trace(function, types, True)
    found = evaluated(jaxpr, operands)
    if known is not None:
        assert (found is not None) == known
    if found is not None:
        with jax.enable_x64(True):
            wanted = jax.tree.leaves(jax.jit(function)(X, I, B))
        for one, other in zip(found, wanted, strict=True):
            assert one.dtype == other.dtype and one.shape == other.shape
            np.testing.assert_array_equal(one, other)


def shapes(x):
    axes = np.atleast_1d(-1)
    axes[axes < 0] += x.ndim
    kept = np.delete(np.array(x.shape), axes)
    if np.any(False) or np.any(kept == 0):
        raise ValueError("nothing is left")
    return np.broadcast_to(x.max(axis=int(axes[0])), tuple(np.insert(kept, 0, 2)))


def test_what_is_computed_of_shapes_is_known():
    x = np.arange(6.0).reshape(2, 3)
    text = xlapy.code_typed(shapes, x)
    assert "if" not in text.replace("leaf", "") and "error" not in text
    np.testing.assert_array_equal(xlapy.jit(shapes)(x), shapes(x))
