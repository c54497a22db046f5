"""Integer scalars as sums: what index analyses compare."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlapy.ir.core import Operation, Var, constant_value
from xlapy.ir.operations import ELEMENTWISE

#: the identity of a scalar, or how it is computed from others
Unknown = int | tuple | Var
#: operations and operands of what is taken for one unknown
_LONGEST = 48
#: sums within sums; what is nested more deeply is unknown
_DEPTH = 16


def affine(var: Var, name: Callable[[Var], Unknown] = id, depth: int = _DEPTH) -> tuple[dict[Unknown, int], int]:
    """An integer scalar as a sum of factors times unknown scalars and a constant. `name` says what stands for an
    unknown: its identity or, where sums are only compared, `unknown`."""
    constant = constant_value(var)
    if constant is not None:
        return {}, int(constant[()])
    operation = var.owner
    if isinstance(operation, Operation) and depth and (operation.kind == "convert" or _is_wide(var)):
        if operation.kind == "convert" and _widens(operation.operands[0].type.dtype, var.type.dtype):
            return affine(operation.operands[0], name, depth - 1)
        if operation.kind in ("add", "sub"):
            sign = 1 if operation.kind == "add" else -1
            terms, total = affine(operation.operands[0], name, depth - 1)
            others, more = affine(operation.operands[1], name, depth - 1)
            terms = dict(terms)
            for key, factor in others.items():
                terms[key] = terms.get(key, 0) + sign * factor
            return terms, total + sign * more
        if operation.kind == "neg":
            terms, total = affine(operation.operands[0], name, depth - 1)
            return {key: -factor for key, factor in terms.items()}, -total
        if operation.kind == "mul":
            left, right = (affine(v, name, depth - 1) for v in operation.operands)
            for one, other in ((left, right), (right, left)):
                if not one[0]:
                    return {key: factor * one[1] for key, factor in other[0].items()}, other[1] * one[1]
    return {name(var): 1}, 0


def _is_wide(var: Var) -> bool:
    """Whether a sum cannot wrap around to a number that is an index: with 32 bits it is longer than arrays are."""
    return var.type.dtype.itemsize >= 4


def unknown(var: Var) -> Unknown:
    """What stands for a scalar: how it is computed, so that `i // 2` is one unknown wherever it is written; its
    identity where that is long, or no arithmetic."""
    found = _form(var, _LONGEST)
    return id(var) if found is None else found[0]


def _form(var: Var, room: int) -> tuple[Unknown, int] | None:
    """How a scalar is computed, and what is left of `room`; None if there is too little."""
    constant, operation = constant_value(var), var.owner
    if room <= 0:
        return None
    if constant is not None:
        return ("constant", var.type.dtype.str, constant.tobytes()), room - 1
    if not isinstance(operation, Operation) or var.type.shape:
        return id(var), room - 1
    if operation.kind == "convert" and _widens(operation.operands[0].type.dtype, var.type.dtype):
        return _form(operation.operands[0], room - 1)
    if operation.kind not in ELEMENTWISE:
        return id(var), room - 1
    parts: list[Unknown] = []
    for operand in operation.operands:
        part = _form(operand, room - 1)
        if part is None:
            return None
        parts.append(part[0])
        room = part[1]
    return (operation.kind, var.type.dtype.str, *parts), room


def _widens(source: np.dtype, target: np.dtype) -> bool:
    return source.kind in "iu" and target.kind in "iu" and np.can_cast(source, target)


def apart(a: Var, b: Var) -> list[Var]:
    """The scalars on which `a - b` depends."""
    (terms, _), (others, _) = affine(a, lambda v: v), affine(b, lambda v: v)
    factors = {v: terms.get(v, 0) - others.get(v, 0) for v in (*terms, *others)}
    return [v for v, factor in factors.items() if factor and isinstance(v, Var)]


def difference(a: int | Var, b: int | Var) -> int | None:
    """`a - b`, if it is the same number whatever the two are."""
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    (terms, total), (others, more) = (({}, v) if isinstance(v, int) else affine(v, unknown) for v in (a, b))
    plain = {k: v for k, v in terms.items() if v}
    return total - more if plain == {k: v for k, v in others.items() if v} else None
