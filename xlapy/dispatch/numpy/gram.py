"""Products of a matrix with its own transpose: half of the elements are computed, as NumPy does (BLAS's `syrk`).

XLA computes all of them, and not always symmetric ones. Here the columns are taken in blocks, each with those behind
it: five eighths of the multiplications (measured for 2000 by 200 on two cores: 3.6 ms all at once, 2.4 by blocks).
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.arrays.views import view
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import NdArray, Value
from xlapy.ir import Var

_BLOCKS = 4
#: multiplications from which on it pays, and columns in a block at least
_LEAST, _COLUMNS = 2**21, 24


def gram(machine: Machine, left: Value, right: Value) -> Var | None:
    """`left @ right` where one is a view of the other one transposed, and large; else None."""
    if not isinstance(left, NdArray) or not isinstance(right, NdArray) or left.buffer != right.buffer:
        return None
    shape, dtype = right.type.shape, right.type.dtype
    if len(shape) != 2 or left.type.shape != shape[::-1] or dtype not in (np.float32, np.float64):
        return None
    if shape[1] < _BLOCKS * _COLUMNS or shape[0] * shape[1] ** 2 < _LEAST:
        return None
    pairs = (left, right), (right, left)
    if not any(view(machine, one, "transpose", (1, 0)).lenses == other.lenses for one, other in pairs):
        return None
    return machine.leaf(_gram, (machine.read(right),), name="matmul")[0]


def _gram(x):
    return lax.platform_dependent(x, cpu=_by_blocks, default=lambda x: jnp.matmul(x.T, x))


def _by_blocks(x):
    count = x.shape[1]
    bounds = [count * k // _BLOCKS for k in range(_BLOCKS + 1)]
    rows = []
    for start, stop in zip(bounds, bounds[1:], strict=False):
        block = jnp.matmul(x[:, start:stop].T, x[:, start:])
        rows.append(jnp.pad(block, ((0, 0), (start, 0))))
    whole = jnp.concatenate(rows)
    below = lax.broadcasted_iota(jnp.int32, whole.shape, 0) > lax.broadcasted_iota(jnp.int32, whole.shape, 1)
    return jnp.where(below, whole.T, whole)
