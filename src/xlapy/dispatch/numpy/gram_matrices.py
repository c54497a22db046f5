"""Products of a matrix with its own transpose, which are symmetric (see `lowering.primitives.symmetric_rank_k`)."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch.arrays.views import view
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import NdArray, Value
from xlapy.ir import Var
from xlapy.lowering.primitives.symmetric_rank_k import product

#: multiplications from which on it pays, and rows and columns of the result
_LEAST, _COUNT = 2**14, 16


def gram(machine: Machine, left: Value, right: Value) -> Var | None:
    """`left @ right` where one is a view of the other one transposed, and not small; else None."""
    if not isinstance(left, NdArray) or not isinstance(right, NdArray) or left.buffer != right.buffer:
        return None
    shape, dtype = right.type.shape, right.type.dtype
    if len(shape) != 2 or left.type.shape != shape[::-1] or dtype not in (np.float32, np.float64):
        return None
    if shape[1] < _COUNT or shape[0] * shape[1] ** 2 < _LEAST:
        return None
    pairs = (left, right), (right, left)
    if not any(view(machine, one, "transpose", (1, 0)).lenses == other.lenses for one, other in pairs):
        return None
    of_rows = len(left.lenses) < len(right.lenses)  # it is the right one that is transposed
    return machine.leaf(product, (machine.read(left if of_rows else right),), (of_rows,), name="matmul")[0]
