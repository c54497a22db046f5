"""What a branch or a loop has asked is not asked again in it.

Behind `if i > 0` the index `i - 1` is not negative, and `x[i]` in `while i < len(x)` is not behind the end: the
comparisons of Python's rules for indices come out of what is known there. Each path has its facts: sums of integer
scalars, and the numbers between which they are.
"""

from __future__ import annotations

import numpy as np

from xlapy.ir import Module, Operation, Region, Var, constant_value
from xlapy.ir.affine import Unknown, affine, unknown

#: terms of a sum: unknowns with their factors
Sum = frozenset[tuple[Unknown, int]]
#: two numbers that may have been wrapped: the terms and the constant of each, and their type
Pair = tuple[Sum, int, Sum, int, str]
Interval = tuple[float, float]
#: where the sums are, and the differences of the pairs
Facts = dict[Sum | Pair, Interval]

_EVERYTHING: Interval = (-np.inf, np.inf)
_COMPARISONS = {"lt": (-np.inf, -1), "le": (-np.inf, 0), "gt": (1, np.inf), "ge": (0, np.inf), "eq": (0, 0)}
_SUMS = frozenset(("add", "sub", "neg", "mul"))
#: parts of a predicate that are looked at
_DEPTH = 8


def decide(module: Module) -> bool:
    """Replace comparisons of integers, and tests, by what they come out as on their path; whether any was."""
    return _region(module.entry, {})


def _region(region: Region, facts: Facts) -> bool:
    changed = False
    for k, operation in enumerate(region.operations):
        if facts and operation.kind in (*_COMPARISONS, "ne"):
            known = _outcome(operation, facts)
            if known is not None:
                region.operations[k] = _constant(operation, known)
                changed = True
        elif operation.kind == "if":
            (predicate,) = operation.operands
            for arm, holds in zip(operation.regions, (True, False), strict=True):
                changed |= _region(arm, _learned(facts, predicate, holds))
        elif operation.kind == "for":
            (body,) = operation.regions
            index = body.params[0]
            inside = _with(facts, frozenset(((id(index), 1),)), 0, np.inf)
            changed |= _region(body, _compared(inside, "lt", index, operation.operands[0], True))
        elif operation.kind == "while":
            condition, body = operation.regions
            changed |= _region(condition, facts)
            names = {id(a): id(b) for a, b in zip(condition.params, body.params, strict=True)}
            told = _learned({}, condition.results[0], True)
            changed |= _region(body, facts | {_renamed(key, names): interval for key, interval in told.items()})
        else:
            for nested in operation.regions:
                changed |= _region(nested, facts)
    return changed


def _outcome(operation: Operation, facts: Facts) -> bool | None:
    """What a comparison comes out as, if that is known."""
    kind, (left, right) = operation.kind, operation.operands
    if not _is_number(left) or not _is_number(right):
        return None
    key, offset = _key(left, right)
    low, high = (end + offset for end in facts.get(key, _EVERYTHING))
    least, most = _COMPARISONS["eq" if kind == "ne" else kind]
    if least <= low and high <= most:
        return kind != "ne"
    if high < least or most < low:
        return kind == "ne"
    return None


def _learned(facts: Facts, predicate: Var, holds: bool, depth: int = _DEPTH) -> Facts:
    """The facts where a predicate holds, or where it does not."""
    operation = predicate.owner
    if not isinstance(operation, Operation) or predicate.type.shape or not depth:
        return facts
    if operation.kind == "bitwise_not":
        return _learned(facts, operation.operands[0], not holds, depth - 1)
    if operation.kind == ("bitwise_and" if holds else "bitwise_or"):
        for part in operation.operands:
            facts = _learned(facts, part, holds, depth - 1)
        return facts
    if operation.kind in (*_COMPARISONS, "ne"):
        left, right = operation.operands
        return _compared(facts, operation.kind, left, right, holds)
    return facts


def _compared(facts: Facts, kind: str, left: Var, right: Var, holds: bool) -> Facts:
    """The facts with what a comparison says of the difference of two numbers."""
    if not _is_number(left) or not _is_number(right):
        return facts
    if kind == "ne":
        kind, holds = "eq", not holds
    least, most = _COMPARISONS[kind]
    if not holds:
        if kind == "eq":
            return facts
        least, most = (most + 1, np.inf) if least == -np.inf else (-np.inf, least - 1)
    key, offset = _key(left, right)
    return _with(facts, key, least - offset, most - offset) if key else facts


def _with(facts: Facts, key: Sum | Pair, low: float, high: float) -> Facts:
    """The facts with one more, of a sum and of the same with the other sign."""
    before = facts.get(key, _EVERYTHING)
    low, high = max(low, before[0]), min(high, before[1])
    if isinstance(key, tuple):
        return facts | {key: (low, high)}
    return facts | {key: (low, high), frozenset((term, -factor) for term, factor in key): (-high, -low)}


def _key(left: Var, right: Var) -> tuple[Sum | Pair, int]:
    """A name for `left - right`, and what is to be added to what it stands for. Where numbers may have been wrapped,
    nothing is known of others than these two."""
    (terms, total), (others, more) = affine(left, unknown), affine(right, unknown)
    if not (_is_exact(left) and _is_exact(right)):
        return (_plain(terms), total, _plain(others), more, left.type.dtype.str), 0
    difference = dict(terms)
    for term, factor in others.items():
        difference[term] = difference.get(term, 0) - factor
    return _plain(difference), total - more


def _plain(terms: dict[Unknown, int]) -> Sum:
    return frozenset((term, factor) for term, factor in terms.items() if factor)


def _is_exact(var: Var, depth: int = 16) -> bool:
    """Whether a sum is what it says: Python's integers are never wrapped."""
    operation = var.owner
    if constant_value(var) is not None or not isinstance(operation, Operation):
        return True
    if operation.kind == "convert":
        return bool(depth) and _is_exact(operation.operands[0], depth - 1)
    if operation.kind not in _SUMS:
        return True
    return bool(depth) and var.type.weak and all(_is_exact(v, depth - 1) for v in operation.operands)


def _is_number(var: Var) -> bool:
    return not var.type.shape and var.type.dtype.kind == "i"


def _renamed(key: Sum | Pair, names: dict[int, int]) -> Sum | Pair:
    """A key with other identities of parameters in it."""

    def sum_of(terms: Sum) -> Sum:
        return frozenset((_unknown(term, names), factor) for term, factor in terms)

    if isinstance(key, tuple):
        return sum_of(key[0]), key[1], sum_of(key[2]), key[3], key[4]
    return sum_of(key)


def _unknown(term: Unknown, names: dict[int, int]) -> Unknown:
    if isinstance(term, int):
        return names.get(term, term)
    if isinstance(term, Var) or term[0] == "constant":
        return term
    return (*term[:2], *(_unknown(part, names) for part in term[2:]))


def _constant(operation: Operation, value: bool) -> Operation:
    (result,) = operation.results
    attributes = {"value": np.asarray(value)}
    made = Operation("constant", (), attributes, (result.type,), (), operation.location, result.depth)
    made.results = [result]
    result.owner = made
    return made
