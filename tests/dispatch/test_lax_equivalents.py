"""What stands for functions of `jax.numpy` gives the same types and values, and is traced to the same program."""

import itertools
import operator
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from xlapy.dispatch import leaves
from xlapy.dispatch.jax.lax_equivalents import direct


def known(function, *args):
    """What a call comes to, and its type; None if that is not known without a trace."""
    arrays = [x for x in args if isinstance(x, jax.Array)]
    types = [leaves.tensor_type(x) for x in arrays]
    rest = iter(types)
    given = tuple(next(rest) if isinstance(x, jax.Array) else x for x in args)
    return direct(function, given, {}, lambda f: leaves.trace(f, types, jax.config.jax_enable_x64))


def same(function, *args, static=(), certain=False):
    """The types, the programs and the values are the same; a call that raises is not known."""
    args = (*args, *static)
    found = known(function, *args)
    assert found is not None or not certain
    if found is None:
        return
    arrays = [x for x in args if isinstance(x, jax.Array)]
    rest = lambda xs: [next(xs) if isinstance(x, jax.Array) else x for x in args]  # noqa: E731
    jaxpr = jax.make_jaxpr(lambda *xs: function(*rest(iter(xs))))(*arrays)
    assert str(found[0].traced) == str(jaxpr)
    assert found[1] == leaves.tensor_type(jaxpr.out_avals[0])
    (result,) = jax.jit(lambda *xs: found[0].function(None, *xs))(*arrays)
    np.testing.assert_array_equal(result, function(*args))
    assert leaves.tensor_type(result) == found[1]


DTYPES = (np.float32, np.float64, np.int32, np.uint8, np.complex64, np.bool_, jnp.bfloat16)


@pytest.mark.parametrize("x64", (False, True))
@pytest.mark.parametrize("shape", ((3, 1, 4, 1), (2, 3), (1,), ()))
def test_squeeze(shape, x64):
    with jax.enable_x64(x64):
        x = jnp.ones(shape)
        for axis in (None, 0, 1, -1, 3, 7, (1, 3), (1, -1), (1, 1), [1], (), np.int64(1), 1.0, True):
            same(jnp.squeeze, x, static=(axis,))
        same(jnp.squeeze, x)


@pytest.mark.parametrize("shape", ((3, 1, 4, 2), (2, 3), (1,), ()))
def test_moveaxis(shape):
    x = jnp.ones(shape)
    axes = (0, 1, -1, 2, 5, -5, (0, 1), (1, 0), [0], np.int64(0), 1.0)
    for source, destination in itertools.product(axes, axes):
        same(jnp.moveaxis, x, static=(source, destination))


OPERATORS = ("add", "sub", "mul", "truediv", "lt", "le", "gt", "ge")


@pytest.mark.parametrize("x64", (False, True))
@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name, x64):
    function = getattr(operator, name)
    shapes = ((2, 3), (2, 1), (3,), (), (4, 3))
    with jax.enable_x64(x64):
        for one, two in itertools.product(DTYPES, DTYPES):
            same(function, jnp.ones((2, 3), one), jnp.ones((2, 3), two))
        for one, two in itertools.product(shapes, shapes):
            same(function, jnp.ones(one), jnp.ones(two))
        for scalar in (2, 2.5, True, 1j, np.float32(1), np.int64(3), np.ones(3)):
            same(function, jnp.ones(3), scalar)
            same(function, scalar, jnp.ones(3))
            same(function, jnp.ones(3), static=(scalar,))
            same(function, jnp.asarray(2.0), scalar)


@pytest.mark.parametrize("shape", ((3, 1, 4, 2), (2, 3), ()))
def test_expand_dims(shape):
    x = jnp.ones(shape)
    for axis in (0, 1, -1, -3, 7, (0, 1), (1, -1), (1, 1), [1], (), np.int64(1), 1.0, True, None):
        same(jnp.expand_dims, x, static=(axis,))


SPECIAL = (-np.inf, -2.0, -0.0, 0.0, 0.5, np.inf, np.nan)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "function", (jnp.exp, jnp.log, jnp.tanh, jnp.sin, jnp.cos, jnp.sqrt, jax.nn.sigmoid, jax.nn.relu)
)
def test_functions_of_elements(function, dtype):
    with jax.enable_x64(True):
        floating = np.dtype(dtype).kind == "f"
        same(function, jnp.asarray(SPECIAL if floating else np.ones(3)).astype(dtype), certain=floating)
        same(function, jnp.asarray(2.0))


@pytest.mark.parametrize("function", (operator.matmul, jnp.matmul))
def test_products(function):
    shapes = ((3, 4), (4, 2), (4,), (3,), (2, 3, 4), (), (0, 4), (4, 0))
    for one, two in itertools.product(shapes, shapes):
        same(function, jnp.ones(one), jnp.ones(two), certain=(one, two) in (((3, 4), (4, 2)), ((3, 4), (4,))))
    for one, two in itertools.product(DTYPES, DTYPES):
        same(function, jnp.ones((2, 3), one), jnp.ones((3, 2), two))
    with jax.default_matmul_precision("float32"):
        assert known(function, jnp.ones((2, 3)), jnp.ones((3, 2))) is None


def test_other_functions_are_traced():
    assert known(jnp.sum, jnp.ones(3)) is None


def test_a_mapped_function_is_traced_with_the_program_only(monkeypatch):
    traces = []
    trace = leaves.trace
    monkeypatch.setattr(leaves, "trace", lambda *args: traces.append(args) or trace(*args))

    def layer(w, b, x):
        return jax.nn.relu(w @ x + b)

    def network(w, b, xs):
        return jax.vmap(lambda x: layer(w, b, layer(w, b, x)), in_axes=1, out_axes=1)(xs)

    w, b, xs = jnp.ones((4, 4)), jnp.ones(4), jnp.linspace(-1, 1, 20).reshape(4, 5)
    jitted = xlapy.jit(network)
    np.testing.assert_array_equal(jitted(w, b, xs), jax.jit(network)(w, b, xs))
    assert not traces
    np.testing.assert_array_equal(
        jax.grad(lambda w: jitted(w, b, xs).sum())(w), jax.grad(lambda w: network(w, b, xs).sum())(w)
    )


_ORDER = """
import equinox as eqx, jax, jax.numpy as jnp, xlapy
model = eqx.filter_eval_shape(eqx.nn.MLP, 3, 2, 4, 2, key=jax.random.key(0))
print(xlapy.jit(lambda m, x: jax.vmap(m)(x)).lower(model, jax.ShapeDtypeStruct((5, 3), jnp.float32)).as_text())
"""


def test_the_inputs_of_a_program_have_one_order_in_every_process():
    pytest.importorskip("equinox")
    run = lambda seed: (
        subprocess.run(  # noqa: E731
            [sys.executable, "-c", _ORDER], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
    )
    texts = {run(seed) for seed in "1234"}
    assert len(texts) == 1 and b"dot_general" in texts.pop()
