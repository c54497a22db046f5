"""The rows of an array as arrays of their own, many at a time, by a program of XLA's that only copies them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod

import jax
import numpy as np
from jax import lax

from xlapy.lowering.llvm.engine import Call, registered

#: rows that one call takes apart: with more of them a call costs hardly less for each, and takes longer to compile
TOGETHER = 64


@functools.cache
def taken_apart(shape: tuple[int, ...], dtype: np.dtype, python: type | None) -> Callable[[np.ndarray], list]:
    """A function of an array of `TOGETHER` rows, on a CPU: the rows. It is compiled with the 64-bit types that are on
    where it is asked for, and called with them.

    Args:
        shape: the shape of a row.
        dtype: its dtype.
        python: the class of Python's numbers if these are numbers of JAX's weak type.
    """
    call = Call([("operand", 0), *(("result", k) for k in range(TOGETHER))], {}, {}, 1, TOGETHER)
    name = registered(_definition(prod(shape) * dtype.itemsize), call, level=0)
    rows = [jax.ShapeDtypeStruct(shape, dtype)] * TOGETHER

    def apart(array: jax.Array) -> list[jax.Array]:
        found = list(jax.ffi.ffi_call(name, rows)(array))
        return found if python is None else [lax.full_like(python(0), row) for row in found]

    # Compiled beforehand: no transformation that is under way sees the call.
    return jax.jit(apart).lower(jax.ShapeDtypeStruct((TOGETHER, *shape), dtype)).compile()


def _definition(size: int) -> str:
    """The function of the array, and of the places for its rows of so many bytes."""
    names = ["%rows", *(f"%r{k}" for k in range(TOGETHER))]
    lines = [f"define internal void @main({', '.join(f'ptr noalias {name}' for name in names)}) {{"]
    for k in range(TOGETHER):
        lines.append(f"  %from{k} = getelementptr i8, ptr %rows, i64 {k * size}")
        lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %r{k}, ptr %from{k}, i64 {size}, i1 false)")
    return "\n".join([*lines, "  ret void", "}"])


__all__ = ["TOGETHER", "taken_apart"]
