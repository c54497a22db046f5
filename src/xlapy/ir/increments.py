"""How much larger one integer is than another, by the operations that make it of the other.

Bounds alone do not tell: a list of 0 to 9 items that loses some of them and gets one more has 1 to 10 items, and need
not have grown.
"""

from __future__ import annotations

from collections.abc import Callable

from xlapy.ir.core import Operation, Var, constant_value

#: how many operations are looked at for an answer
_BUDGET = 5_000


def least_increase(var: Var, origin: Var) -> int | None:
    """`var - origin` at least, where both are integers without overflow; None if `var` may be anything."""
    return _Search(origin, [_BUDGET]).of(var)


def greatest_increase(var: Var, origin: Var) -> int | None:
    """`var - origin` at most, as `least_increase`."""
    return _Search(origin, [_BUDGET], max).of(var)


class _Search:
    """Answers for one origin: the least increase, or with `chosen` being `max` the greatest."""

    def __init__(self, origin: Var, budget: list[int], chosen: Callable[..., int] = min) -> None:
        self._known: dict[Var, int | None] = {origin: 0}
        self._budget = budget
        self._chosen = chosen

    def of(self, var: Var) -> int | None:
        if var not in self._known:
            self._budget[0] -= 1
            operation, known = var.owner, None
            if isinstance(operation, Operation) and self._budget[0] > 0 and operation.kind in _FOLLOW:
                known = _FOLLOW[operation.kind](self, operation, var)
            self._known[var] = known
        return self._known[var]

    def whichever(self, *found: Var) -> int | None:
        """What holds whichever of several values it is."""
        steps = [self.of(v) for v in found]
        known = [step for step in steps if step is not None]
        return self._chosen(known) if len(known) == len(steps) else None

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

    def extreme(self, operation: Operation, var: Var) -> int | None:
        """The result is one of the operands; of the one that is looked for, one that is known tells enough."""
        if operation.kind != self._chosen.__name__:
            steps = [step for v in operation.operands if (step := self.of(v)) is not None]
            found = max if operation.kind == "max" else min
            return found(steps, default=None)
        return self.of_operands(operation, var)

    def of_operands(self, operation: Operation, var: Var) -> int | None:
        """The result is one of the operands."""
        return self.whichever(*operation.operands[operation.kind == "select" :])

    def of_arms(self, operation: Operation, var: Var) -> int | None:
        place = operation.results.index(var)
        return self.whichever(*(region.results[place] for region in operation.regions))

    def of_iterations(self, operation: Operation, var: Var) -> int | None:
        """What a loop starts from, and what each of its iterations adds, if none takes anything away."""
        counted = operation.kind == "for"
        place, body = operation.results.index(var), operation.regions[0 if counted else 1]
        step = _Search(body.params[place + counted], self._budget, self._chosen).of(body.results[place])
        iterations = constant_value(operation.operands[0]) if counted else None
        if step is None or self._chosen(step, 0) != 0 and (iterations is None or self._chosen is min):
            return None
        return _plus(
            self.of(operation.operands[place + counted]),
            step * max(int(iterations), 0) if iterations is not None else 0,
        )


def _plus(found: int | None, step: int) -> int | None:
    return None if found is None else found + step


_FOLLOW = {
    "add": _Search.add,
    "sub": _Search.sub,
    "max": _Search.extreme,
    "min": _Search.extreme,
    "select": _Search.of_operands,
    "convert": _Search.of_operands,
    "if": _Search.of_arms,
    "for": _Search.of_iterations,
    "while": _Search.of_iterations,
}
