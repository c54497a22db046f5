"""Items of arrays whose first axes count them: `rows[i]`, `rows[i] = item`, and the same of items of items.

    grid[i][j] += 1
    paths[k][n] = (a, b)

An item of an item is read where it lies, not from a copy of the outer one; an outer item that differs in one place from
what lies there is not written as a whole.
"""

from __future__ import annotations

from jax import lax
from jax import numpy as jnp

from xlapy.ir import Operation, Var, constant_value

_TAKEN, _PUT = "take_item", "put_item"


def take(machine, rows: Var, at: Var) -> Var:
    """`rows[at]`, for a position in range."""
    return machine.leaf(_take, [*_origin(rows), at], name=_TAKEN)[0]


def put(machine, rows: Var, item: Var, at: Var) -> Var:
    """`rows` after `rows[at] = item`, for a position in range."""
    changed = _leaf(item, _PUT)
    if changed is not None:
        before, part, *within = changed.operands
        if _same(_origin(before), (*_origin(rows), at)):
            return machine.leaf(_put, [rows, part, at, *within], name=_PUT)[0]
    return machine.leaf(_put, [rows, item, at], name=_PUT)[0]


def _plain(var: Var) -> Var:
    """The value without conversions that only change JAX's `weak` flag."""
    owner = var.owner
    while isinstance(owner, Operation) and owner.kind == "convert" and owner.operands[0].type.dtype == var.type.dtype:
        var = owner.operands[0]
        owner = var.owner
    return var


def _leaf(var: Var, name: str) -> Operation | None:
    owner = _plain(var).owner
    if isinstance(owner, Operation) and owner.kind == name:
        return owner
    return None


def _origin(var: Var) -> tuple[Var, ...]:
    """The array in which a value lies, and its place there."""
    taken = _leaf(var, _TAKEN)
    return (var,) if taken is None else taken.operands


def _same(one: tuple[Var, ...], two: tuple[Var, ...]) -> bool:
    return len(one) == len(two) and all(map(_same_value, one, two))


def _same_value(a: Var, b: Var) -> bool:
    known = constant_value(a)
    return _plain(a) is _plain(b) or known is not None and known.ndim == 0 and known == constant_value(b)


def _take(rows, *where):
    rest = rows.shape[len(where) :]
    if 0 in rows.shape[: len(where)]:
        return jnp.zeros(rest, rows.dtype)  # there is none, and nobody comes here
    sizes = (*[1] * len(where), *rest)
    found = lax.dynamic_slice(rows, (*where, *[0] * len(rest)), sizes, allow_negative_indices=False)
    return found.reshape(rest)


def _put(rows, item, *where):
    rest = rows.shape[len(where) :]
    item = item.astype(rows.dtype).reshape((*[1] * len(where), *rest))
    return lax.dynamic_update_slice(rows, item, (*where, *[0] * len(rest)), allow_negative_indices=False)
