"""Rows of tables in which keys are looked for, and places in vectors that are in order.

XLA compares all rows at once; machine code has an index, or stops at the first row that is the right one
(`llvm.key_search`). So it does the search in halves.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from jax import lax

from xlapy.lowering.jaxprs.kernel_primitives import Kernel
from xlapy.lowering.primitives.barrier import stored

#: numbers from which on it does not matter that they are stored
_MANY = 4096


def equal_numbers(rows: jax.Array, key: jax.Array) -> jax.Array:
    """Equality of numbers of any two types, as exact as Python's."""
    kinds = [jnp.dtype(x.dtype).kind for x in (rows, key)]
    if "c" in kinds:
        return rows.astype(jnp.complex128) == key.astype(jnp.complex128)
    whole = [k in "biu" for k in kinds]
    if not any(whole):
        return rows == key
    if not all(whole):
        integer, number = (rows, key) if whole[0] else (key, rows)
        return (integer.astype(number.dtype) == number) & (integer == number.astype(integer.dtype))
    if kinds.count("u") == 1:
        signed = rows if kinds[1] == "u" else key
        return (rows.astype(jnp.uint64) == key.astype(jnp.uint64)) & (signed >= 0)
    return rows.astype(jnp.int64) == key.astype(jnp.int64)


def first_row(same: jax.Array, length: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The first of so many rows that is the right one, or 0, and whether there is one."""
    row, is_there = FIRST(same, length)
    return row, is_there


def _first(same: jax.Array, length: jax.Array) -> tuple[jax.Array, jax.Array]:
    inside = same & (lax.iota(length.dtype, same.shape[0]) < length)
    return jnp.argmax(inside).astype(length.dtype), inside.any()


@functools.cache
def row_of(count: int) -> Callable[..., tuple[jax.Array, jax.Array]]:
    """A function of so many columns, as many numbers, and how many rows the columns have: the first row in which the
    numbers are, or 0, and whether there is one."""

    def found(*operands: jax.Array) -> tuple[jax.Array, jax.Array]:
        row, is_there = ROW(*operands, count=count)
        return row, is_there

    return found


def _row(*operands: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
    columns, numbers = operands[:count], operands[count : 2 * count]
    same = functools.reduce(jnp.logical_and, map(equal_numbers, columns, numbers))
    return _first(same, operands[-1])


def places(a: jax.Array, v: jax.Array, side: str, method: str = "scan_unrolled") -> jax.Array:
    """`jnp.searchsorted(a, v, side=side, method=method)`, as int64."""
    dtype = jnp.promote_types(a.dtype, v.dtype)
    return PLACES(a.astype(dtype), v.astype(dtype), side=side, method=method)[0]


def _places(a: jax.Array, v: jax.Array, side: str, method: str) -> jax.Array:
    v = stored(v) if v.size > _MANY else v
    return jnp.searchsorted(a, v, side=side, method=method).astype(jnp.int64)


def _places_of_many(operands: Sequence, dims: Sequence, **static: str) -> tuple[list, list] | None:
    """Of several arrays of numbers in one vector."""
    if dims[0] is not None:
        return None
    return PLACES(operands[0], jnp.moveaxis(operands[1], dims[1], 0), **static), [0]


FIRST = Kernel("first_row", _first)
ROW = Kernel("row_of", _row)
PLACES = Kernel("places_in_order", _places, batch=_places_of_many)

__all__ = ["FIRST", "PLACES", "ROW", "equal_numbers", "first_row", "places", "row_of"]
