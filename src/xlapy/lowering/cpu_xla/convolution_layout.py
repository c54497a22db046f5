"""Convolutions inside loops in the layout for which XLA has fast code.

XLA's CPU compiler moves the channels of a convolution to the end, for which it has fast code, but in the entry
computation only: in the body of a loop a convolution with channels in front takes several times as long.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.extend.core import primitives

CONVOLUTION = primitives.conv_general_dilated_p


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
