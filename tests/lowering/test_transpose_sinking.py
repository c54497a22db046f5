"""Transposes around what is computed element by element cancel, and nothing else changes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from xlapy.lowering.jaxprs.transpose_sinking import untransposed

RANDOM = np.random.default_rng(0)
MATRIX, TALL, ROW, COLUMN = (RANDOM.standard_normal(s).astype(np.float32) for s in ((4, 6), (6, 4), 6, 4))
CUBE = RANDOM.standard_normal((2, 3, 4)).astype(np.float32)


def outer(a, x, y):
    """The other operand is broadcast, or computed from what is."""
    return (a.T - x[:, None] * jnp.sin(y)[None, :]).T


def summed(a, x, y):
    b = a.T * 2 + 1
    return b.sum(axis=0), b.T, jnp.where(b > 0, b, 0.0).T


def both(a, b):
    return (jnp.exp(a.T) + b).T, a + b.T


def mapped(a, x):
    return jax.vmap(lambda column, x: column / (x + jnp.abs(column)), (1, 0), 1)(a, x)


def axes(c, a):
    turned = jnp.transpose(c, (2, 0, 1))
    added = turned + a[:, None, :3] * 2
    return jnp.transpose(added, (1, 2, 0)), jnp.transpose(turned, (1, 0, 2)) * 3


def broadcast(c, a):
    wide = jnp.broadcast_to(a[:3], (4, 2, 3))
    return jnp.transpose(jnp.transpose(c, (2, 0, 1)) * wide, (1, 2, 0))


def shared(a, x, y):
    z = x[:, None] * y[None, :]
    for _ in range(40):
        z = z * z - z
    return (a.T + z).T, z


def compared(a, x, y):
    return jnp.clip(a.T, -0.5, 0.5).T, lax_select(a), [jnp.int32(3), (a.T > 0).T]


def lax_select(a):
    return jax.lax.select(a.T > 0, a.T, jnp.zeros_like(a.T)).T


PROGRAMS = [
    (outer, (MATRIX, ROW, COLUMN), 0),
    (summed, (MATRIX, ROW, COLUMN), None),
    (both, (MATRIX, TALL), None),
    (mapped, (MATRIX, ROW), 0),
    (axes, (CUBE, MATRIX), None),
    (broadcast, (CUBE, COLUMN), None),
    (shared, (MATRIX, ROW, COLUMN * 0.1), 0),
    (compared, (MATRIX, ROW, COLUMN), None),
]


@pytest.mark.parametrize(("function", "operands", "left"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_programs(function, operands, left):
    expected, found = function(*operands), untransposed(function)(*operands)
    assert jax.tree.structure(expected) == jax.tree.structure(found)
    for one, two in zip(jax.tree.leaves(expected), jax.tree.leaves(found), strict=True):
        assert (one.shape, one.dtype) == (two.shape, two.dtype)
        np.testing.assert_array_equal(one, two)
    if left is not None:
        jaxpr = jax.make_jaxpr(untransposed(function))(*operands)
        used = {atom for e in jaxpr.eqns for atom in e.invars if not isinstance(atom, jax.extend.core.Literal)}
        used |= set(jaxpr.jaxpr.outvars)
        assert sum(e.primitive.name == "transpose" and e.outvars[0] in used for e in jaxpr.eqns) == left
