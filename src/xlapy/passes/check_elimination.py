"""Errors that cannot happen any more.

The error tag says which error came first: `tag = select(bad and tag == 0, code, tag)`. It is never reset. So a check
that fails only where an earlier one has failed sets nothing: `a[i, j] += a[i, j - 1]` checks `i` twice and `j` four
times, and needs one check of each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xlapy.ir import Module, Operation, Region, Var, constant_value
from xlapy.ir.affine import affine
from xlapy.ir.tags import free_tag

#: sums of unknowns, by id: at least that number where something is bad
Bound = tuple[frozenset[tuple[Any, int]], int]
#: of a tag: predicates, and sums with the number from which on they are bad, that have set it where they hold
Facts = dict[object, int]


def drop_checks(module: Module) -> bool:
    """Replace predicates of errors by False where an earlier error has been raised if they hold; whether any was."""
    return _Walk().region(module.entry)


class _Walk:
    def __init__(self) -> None:
        self.facts: dict[Var, Facts] = {}

    def region(self, region: Region) -> bool:
        """Visit a region and the regions in it."""
        changed = False
        for k, operation in enumerate(region.operations):
            match operation.kind:
                case "bitwise_and":
                    if self._cannot_be(operation):
                        region.operations[k] = _false(operation)
                        changed = True
                case "select":
                    self._select(operation)
                case "for" | "while":
                    changed |= self._loop(operation)
                case "if":
                    changed |= self._if(operation)
        return changed

    def _cannot_be(self, operation: Operation) -> bool:
        for bad, free in (operation.operands, operation.operands[::-1]):
            facts = self.facts.get(tag) if (tag := free_tag(free)) is not None else None
            if facts and _implies(bad, facts):
                return True
        return False

    def _select(self, operation: Operation) -> None:
        chosen, code, tag = operation.operands
        value = constant_value(code)
        if code.type.shape or code.type.dtype.kind != "i" or value is None or value == 0:
            return
        facts = dict(self.facts.get(tag, ()))
        _learn(chosen, tag, facts)
        self.facts[operation.results[0]] = facts

    def _loop(self, operation: Operation) -> bool:
        first = 1 if operation.kind == "for" else 0
        body = operation.regions[-1]
        stays = {}
        for i, result in enumerate(operation.results):
            initial, param = operation.operands[first + i], body.params[first + i]
            facts = self.facts.get(initial)
            if facts and _never_reset(body.results[i], param):
                stays[result] = facts
                self.facts[param] = facts
                if operation.kind == "while":
                    self.facts[operation.regions[0].params[i]] = facts
        changed = False
        for region in operation.regions:
            changed |= self.region(region)
        self.facts.update(stays)
        return changed

    def _if(self, operation: Operation) -> bool:
        changed = False
        for region in operation.regions:
            changed |= self.region(region)
        then, orelse = operation.regions
        for result, a, b in zip(operation.results, then.results, orelse.results, strict=True):
            one, other = self.facts.get(a), self.facts.get(b)
            if one and other:
                # Bad where the sum is at least the number: what both arms are sure of is the larger one.
                self.facts[result] = {k: max(n, other[k]) for k, n in one.items() if k in other}
        return changed


def _learn(chosen: Var, tag: Var, facts: Facts) -> None:
    """Note what is not bad where the tag is zero behind `select(chosen, code, tag)`."""
    owner = chosen.owner
    if isinstance(owner, Operation) and owner.kind == "bitwise_and":
        for bad, free in (owner.operands, owner.operands[::-1]):
            if free_tag(free) is tag:
                chosen = bad
    for part in _alternatives(chosen):
        facts[part] = 0
        bound = _bound(part)
        if bound is not None:
            terms, number = bound
            facts[terms] = min(number, facts.get(terms, number))


def _alternatives(predicate: Var, depth: int = 8) -> list[Var]:
    owner = predicate.owner
    if isinstance(owner, Operation) and owner.kind == "bitwise_or" and depth and predicate.type.shape == ():
        return [p for v in owner.operands for p in _alternatives(v, depth - 1)]
    return [predicate]


def _implies(bad: Var, facts: Facts, depth: int = 8) -> bool:
    """Whether an error that the facts know of has been raised wherever `bad` holds."""
    if bad in facts:
        return True
    bound = _bound(bad)
    if bound is not None:
        return bound[0] in facts and bound[1] >= facts[bound[0]]
    owner = bad.owner
    if not isinstance(owner, Operation) or not depth or bad.type.shape:
        return False
    if owner.kind == "bitwise_or":
        return all(_implies(v, facts, depth - 1) for v in owner.operands)
    return owner.kind == "bitwise_and" and any(_implies(v, facts, depth - 1) for v in owner.operands)


def _bound(predicate: Var) -> Bound | None:
    """A comparison of integers as `sum >= number`."""
    owner = predicate.owner
    if not isinstance(owner, Operation) or owner.kind not in ("lt", "le", "gt", "ge"):
        return None
    left, right = owner.operands
    if left.type.shape or left.type.dtype.kind != "i":
        return None
    if owner.kind in ("lt", "le"):
        left, right = right, left
    (terms, total), (others, more) = affine(left), affine(right)
    for key, factor in others.items():
        terms = {**terms, key: terms.get(key, 0) - factor}
    sums = frozenset((key, factor) for key, factor in terms.items() if factor)
    if not sums:
        return None
    return sums, more - total + (1 if owner.kind in ("lt", "gt") else 0)


def _never_reset(var: Var, param: Var, known: dict[tuple[Var, Var], bool] | None = None) -> bool:
    """Whether a tag is not zero if the parameter of the loop, from which it was made, is not."""
    if var is param:
        return True
    known = {} if known is None else known
    found = known.get((var, param))
    if found is None:
        found = known[(var, param)] = _kept_by(var, param, known)
    return found


def _kept_by(var: Var, param: Var, known: dict[tuple[Var, Var], bool]) -> bool:
    owner = var.owner
    if not isinstance(owner, Operation):
        return False
    if owner.kind == "select":
        value = constant_value(owner.operands[1])
        if value is None or value.shape or value == 0:
            return False
        return _never_reset(owner.operands[2], param, known)
    if owner.kind in ("for", "while"):
        place = owner.results.index(var)
        first = 1 if owner.kind == "for" else 0
        body = owner.regions[-1]
        kept = _never_reset(body.results[place], body.params[first + place], known)
        return kept and _never_reset(owner.operands[first + place], param, known)
    if owner.kind == "if":
        place = owner.results.index(var)
        return all(_never_reset(region.results[place], param, known) for region in owner.regions)
    return False


def _false(operation: Operation) -> Operation:
    """What takes the place of a predicate that never holds."""
    (result,) = operation.results
    value = np.zeros((), bool)
    made = Operation("constant", (), {"value": value}, (result.type,), (), operation.location, result.depth)
    made.results = [result]
    result.owner = made
    return made
