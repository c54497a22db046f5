"""Polynomials with known coefficients."""

from __future__ import annotations

import jax
import numpy as np
from jax import lax

#: elements from which on large arrays are computed by them; fewer may be in a native loop
#: (`lowering.cpu_xla.native_functions`), without branches
MANY = 4097


def polynomial(x: jax.Array, coefficients: tuple[float, ...]) -> jax.Array:
    """Its values at `x`, by Horner's scheme in the type of `x`; the coefficient of the highest power comes first."""
    found = lax.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        found = lax.add(lax.mul(found, x), np.asarray(c, x.dtype))
    return found
