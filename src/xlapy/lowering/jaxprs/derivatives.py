"""Functions whose values follow CPython and NumPy to the last bit, and whose derivatives are those of the formula."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


@jax.custom_jvp
def differentiated_as(value: Any, formula: Any) -> Any:
    """`value`, with the derivative of `formula`. If nothing is differentiated, XLA drops the formula.

    A result that is set right at single points (the zero of a remainder with its sign, a knot of an interpolation, a
    factorial) would have the derivative of the correction there, which is zero.

    Args:
        value: an array.
        formula: what it is but for rounding and signs of zeros; of the same type.
    """
    return value


@differentiated_as.defjvp
def _differentiated_as_jvp(primals: tuple, tangents: tuple) -> tuple:
    return differentiated_as(*primals), tangents[1]


def complex_power(x: Any, y: Any) -> Any:
    """`x**y` of complex arrays, to be differentiated: an exponent of zero makes it constant in `x`, also at `x = 0`."""
    none = y == 0
    logarithm = jnp.log(jnp.where(none & (x != 0), x, 1))
    return jnp.where(none, 1 + y * logarithm, jnp.power(x, jnp.where(none, 1, y)))


def multiplied_at(base: Any, places: Any, values: Any) -> Any:
    """`np.multiply.at(base, places, values)`, to be differentiated.

    Args:
        base: an array.
        places: where in the flat array; an entry that is not in it does nothing.
        values: the factors, one for each place.
    """
    if not places.size:
        return base
    order = jnp.argsort(places)
    places, values = places[order], values[order]
    first = jnp.append(True, places[1:] != places[:-1])

    def product(left: tuple, right: tuple) -> tuple:
        return left[0] | right[0], jnp.where(right[0], right[1], left[1] * right[1])

    running = lax.associative_scan(product, (first, values))[1]
    count = jnp.zeros(base.size, places.dtype).at[places].max(jnp.arange(1, places.size + 1, dtype=places.dtype))
    factors = jnp.where(count > 0, running[jnp.maximum(count - 1, 0)], 1)
    return base * factors.reshape(base.shape)
