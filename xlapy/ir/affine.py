"""Integer scalars as sums: what index analyses compare."""

from __future__ import annotations

import numpy as np

from xlapy.ir.builder import constant_value
from xlapy.ir.core import Operation, Var

#: sums within sums; what is nested more deeply is unknown
_DEPTH = 16


def affine(var: Var, depth: int = _DEPTH) -> tuple[dict[int, int], int]:
    """An integer scalar as a sum of factors times unknown scalars (by id) and a constant."""
    constant = constant_value(var)
    if constant is not None:
        return {}, int(constant[()])
    operation = var.owner
    if isinstance(operation, Operation) and depth:
        if operation.kind == "convert" and _widens(operation.operands[0].type.dtype, var.type.dtype):
            return affine(operation.operands[0], depth - 1)
        if operation.kind in ("add", "sub"):
            sign = 1 if operation.kind == "add" else -1
            terms, total = affine(operation.operands[0], depth - 1)
            others, more = affine(operation.operands[1], depth - 1)
            terms = dict(terms)
            for key, factor in others.items():
                terms[key] = terms.get(key, 0) + sign * factor
            return terms, total + sign * more
        if operation.kind == "neg":
            terms, total = affine(operation.operands[0], depth - 1)
            return {key: -factor for key, factor in terms.items()}, -total
        if operation.kind == "mul":
            left, right = (affine(v, depth - 1) for v in operation.operands)
            for one, other in ((left, right), (right, left)):
                if not one[0]:
                    return {key: factor * one[1] for key, factor in other[0].items()}, other[1] * one[1]
    return {id(var): 1}, 0


def _widens(source: np.dtype, target: np.dtype) -> bool:
    return source.kind in "iu" and target.kind in "iu" and np.can_cast(source, target)


def difference(a: int | Var, b: int | Var) -> int | None:
    """`a - b`, if it is the same number whatever the two are."""
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    (terms, total), (others, more) = (({}, v) if isinstance(v, int) else affine(v) for v in (a, b))
    plain = {k: v for k, v in terms.items() if v}
    return total - more if plain == {k: v for k, v in others.items() if v} else None
