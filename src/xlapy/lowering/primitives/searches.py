"""Rows of tables in which keys are looked for, and places in vectors that are in order.

XLA compares all rows at once; machine code has an index, or stops at the first row that is the right one
(`lowering.llvm.key_search`): it knows these functions by their names. So it does the search in halves.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from jax import lax

from xlapy.lowering.primitives.barrier import stored

#: numbers from which on it does not matter that they are stored
_MANY = 4096
FIRST, ROW, LEFT, RIGHT = "xlapy_first_row", "xlapy_row_of", "xlapy_place_left", "xlapy_place_right"


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
    return _first_row(same, length)


def _first(same: jax.Array, length: jax.Array) -> tuple[jax.Array, jax.Array]:
    inside = same & (lax.iota(length.dtype, same.shape[0]) < length)
    return jnp.argmax(inside).astype(length.dtype), inside.any()


@functools.cache
def row_of(count: int) -> Callable[..., tuple[jax.Array, jax.Array]]:
    """A function of so many columns, as many numbers, and how many rows the columns have: the first row in which the
    numbers are, or 0, and whether there is one."""

    def found(*operands: jax.Array) -> tuple[jax.Array, jax.Array]:
        columns, numbers = operands[:count], operands[count : 2 * count]
        same = functools.reduce(jnp.logical_and, map(equal_numbers, columns, numbers))
        return _first(same, operands[-1])

    return _named(found, f"{ROW}_{count}")


def _named(function: Callable, name: str) -> Callable:
    function.__name__ = function.__qualname__ = name
    return jax.jit(function)


_first_row = _named(lambda same, length: _first(same, length), FIRST)


def places(a: jax.Array, v: jax.Array, side: str, method: str = "scan_unrolled") -> jax.Array:
    """`jnp.searchsorted(a, v, side=side, method=method)`, as int64."""
    dtype = jnp.promote_types(a.dtype, v.dtype)
    return _places(side, method)(a.astype(dtype), v.astype(dtype))


@functools.cache
def _places(side: str, method: str) -> Callable[[jax.Array, jax.Array], jax.Array]:
    def found(a: jax.Array, v: jax.Array) -> jax.Array:
        v = stored(v) if v.size > _MANY else v
        return jnp.searchsorted(a, v, side=side, method=method).astype(jnp.int64)

    return _named(found, LEFT if side == "left" else RIGHT)


def search_of(name: object, shapes: Sequence[tuple[int, ...]]) -> str | None:
    """Which of these a function of that name is of arrays of such shapes; None if it is none, or has become one of
    more arrays, or of arrays of another rank, as derivatives and vectorisations are."""
    ranks = [len(shape) for shape in shapes]
    if name in (LEFT, RIGHT):
        return str(name) if len(ranks) == 2 and ranks[0] == 1 else None
    if name == FIRST:
        return FIRST if ranks == [1, 0] else None
    match = re.fullmatch(rf"{ROW}_(\d+)", str(name))
    if match is None:
        return None
    count = int(match[1])
    return ROW if ranks == [1] * count + [0] * (count + 1) else None


__all__ = ["FIRST", "LEFT", "RIGHT", "ROW", "equal_numbers", "first_row", "places", "row_of", "search_of"]
