"""What NumPy's functions and indices do with a `jax.Array`."""

import jax.numpy as jnp
import numpy as np
import pytest

import xlapy


def put(x):
    np.put(x, [0], [1.0])


def putmask(x):
    np.putmask(x, x > 1, 0.0)


def place(x):
    np.place(x, x > 1, [0.0])


def copyto(x):
    np.copyto(x, 1.0)


def add_at(x):
    np.add.at(x, [0], 1.0)


@pytest.mark.parametrize("function", [put, putmask, place, copyto, add_at], ids=lambda f: f.__name__)
def test_it_is_no_target(function):
    with pytest.raises(TypeError) as expected:
        function(jnp.arange(3.0))
    with pytest.raises(TypeError) as found:
        xlapy.jit(function)(jnp.arange(3.0))
    assert str(found.value) == str(expected.value)


def test_a_mask_makes_a_length_that_depends_on_data():
    with pytest.raises(xlapy.NotOffloadableError, match="XP0013.*mask"):
        xlapy.jit(lambda x: x[x > 1].sum())(jnp.arange(3.0))
    assert xlapy.jit(lambda x: np.asarray(x)[np.asarray(x) > 1].sum())(jnp.arange(3.0)) == 2.0
