"""What stands for functions of `jax.numpy` in traces is traced to the same program, and raises the same."""

import itertools
import operator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from xlapy.dispatch.jax.direct import direct


def traced(function, *args):
    """The jaxpr of a call, or its exception."""
    try:
        return str(jax.make_jaxpr(function)(*args))
    except Exception as error:
        return type(error), str(error)


def same(function, *args, static=()):
    with_static = lambda f: lambda *xs: f(*xs, *static)  # noqa: E731
    assert traced(with_static(function), *args) == traced(with_static(direct(function)), *args)


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
    assert direct(function) is not function
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


def test_other_functions_stay():
    assert direct(jnp.sin) is jnp.sin
