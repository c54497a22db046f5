"""How much larger one integer is than another, by the operations that make it of the other.

Bounds alone do not tell: a list of 0 to 9 items that loses some of them and gets one more has 1 to 10 items, and need
not have grown.
"""

from __future__ import annotations

from xlapy.ir.builder import constant_value
from xlapy.ir.core import Operation, Var

#: how many operations are looked at for an answer
_BUDGET = 5_000


def least_increase(var: Var, origin: Var) -> int | None:
    """`var - origin` at least, where both are integers without overflow; None if `var` may be anything."""
    return _Search(origin, [_BUDGET]).of(var)


class _Search:
    """Answers for one origin."""

    def __init__(self, origin: Var, budget: list[int]) -> None:
        self._known: dict[Var, int | None] = {origin: 0}
        self._budget = budget

    def of(self, var: Var) -> int | None:
        if var not in self._known:
            self._budget[0] -= 1
            operation = var.owner
            follow = _FOLLOW.get(operation.kind) if isinstance(operation, Operation) else None
            self._known[var] = follow(self, operation, var) if follow is not None and self._budget[0] > 0 else None
        return self._known[var]

    def least(self, *found: Var) -> int | None:
        """What holds whichever of several values it is."""
        steps = [self.of(v) for v in found]
        return None if None in steps else min(steps)  # type: ignore[type-var]

    def add(self, operation: Operation, var: Var) -> int | None:
        one, two = operation.operands
        for known, other in ((one, two), (two, one)):
            step = constant_value(known)
            if step is not None:
                return _plus(self.of(other), int(step))
        return None

    def sub(self, operation: Operation, var: Var) -> int | None:
        one, two = operation.operands
        step = constant_value(two)
        return _plus(self.of(one), -int(step)) if step is not None else None

    def max(self, operation: Operation, var: Var) -> int | None:
        return max((step for v in operation.operands if (step := self.of(v)) is not None), default=None)

    def of_operands(self, operation: Operation, var: Var) -> int | None:
        """The result is one of the operands."""
        return self.least(*operation.operands[operation.kind == "select" :])

    def of_arms(self, operation: Operation, var: Var) -> int | None:
        place = operation.results.index(var)
        return self.least(*(region.results[place] for region in operation.regions))

    def of_trips(self, operation: Operation, var: Var) -> int | None:
        """What a loop starts from, and what each of its trips adds, if none takes anything away."""
        counted = operation.kind == "for"
        place, body = operation.results.index(var), operation.regions[0 if counted else 1]
        step = _Search(body.params[place + counted], self._budget).of(body.results[place])
        if step is None or step < 0:
            return None
        trips = constant_value(operation.operands[0]) if counted else None
        return _plus(
            self.of(operation.operands[place + counted]), step * max(int(trips), 0) if trips is not None else 0
        )


def _plus(found: int | None, step: int) -> int | None:
    return None if found is None else found + step


_FOLLOW = {
    "add": _Search.add,
    "sub": _Search.sub,
    "max": _Search.max,
    "min": _Search.of_operands,
    "select": _Search.of_operands,
    "convert": _Search.of_operands,
    "if": _Search.of_arms,
    "for": _Search.of_trips,
    "while": _Search.of_trips,
}
