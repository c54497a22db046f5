"""Convolutions of vectors, for which machine code has a loop, and convolutions inside loops, for CPUs: in the layout
for which XLA has fast code.

XLA's CPU compiler moves the channels of a convolution to the end, for which it has fast code, but in the entry
computation only: in the body of a loop a convolution with channels in front takes several times as long.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import primitives

CONVOLUTION = primitives.conv_general_dilated_p
#: what convolutions of vectors are called, with their mode
_NAME = "xlapy_convolved_"


@functools.cache
def of_vectors(convolved: Callable, mode: str) -> Callable[[jax.Array, jax.Array], jax.Array]:
    """`convolved(a, v, mode)`, `np.convolve` of vectors of which `v` is not longer, under a name that says so."""

    def function(a: jax.Array, v: jax.Array) -> jax.Array:
        return convolved(a, v, mode)

    function.__name__ = function.__qualname__ = _NAME + mode
    return jax.jit(function)


def mode_of(name: object, shapes: Sequence[tuple[int, ...]]) -> str | None:
    """The mode of a convolution of vectors of that name, and of such shapes; None if it is something else, or has
    become one of arrays of another rank, as vectorisations are."""
    _, is_one, mode = str(name).partition(_NAME)
    return mode if is_one and [len(shape) for shape in shapes] == [1, 1] else None


def with_channels_last(lhs: Any, rhs: Any, *, dimension_numbers: Any, **params: Any) -> Any:
    """`CONVOLUTION`, which has its channels last."""
    batch, channel, *places = dimension_numbers.lhs_spec
    out, into, *window = dimension_numbers.rhs_spec
    rank = lhs.ndim
    data = (0, rank - 1, *range(1, rank - 1))
    numbers = lax.ConvDimensionNumbers(data, (rank - 1, rank - 2, *range(rank - 2)), data)
    lhs, rhs = jnp.transpose(lhs, (batch, *places, channel)), jnp.transpose(rhs, (*window, into, out))
    made = CONVOLUTION.bind(lhs, rhs, dimension_numbers=numbers, **params)
    batch, channel, *places = dimension_numbers.out_spec
    order = [0] * rank
    for position, axis in enumerate((batch, *places, channel)):
        order[axis] = position
    return jnp.transpose(made, order)
