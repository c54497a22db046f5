"""Which values an integer may have, by the branches it comes from.

A branch yields the number of the label to which control goes next, and beside it the selectors of values that differ
between its arms. Where the label is known, so are they: after `try: b.set(x)`, on the way that did not raise, the
attribute that was set is what it was set to, and never the `None` from before.
"""

from __future__ import annotations

from xlapy.ir.core import Operation, Var, constant_value

#: how many facts are looked at for an answer, and for all answers about a program
_BUDGET, _ALL = 200_000, 800_000
#: the same for an answer where another scalar has a value
_BUDGET_GIVEN = 2_000
#: how many facts are followed up
_FACTS = 200
#: how many operations of a test are looked at
_TESTS = 500

#: whether scalars have values; booleans have 0 or 1
Facts = dict[tuple[Var, int], bool]
#: what tests give
Decisions = dict[Var, bool | None]


class Outcomes:
    """Answers about one program; each takes a bounded number of steps, and so do all together."""

    def __init__(self) -> None:
        self._known: dict[Var, frozenset[int] | None] = {}
        self._given: dict[tuple[Var, Var, int], frozenset[int] | None] = {}
        self._left = _ALL
        self._compared: dict[Var, frozenset[Var]] = {}
        #: what tests give where a selector has a value: tests of a program are parts of one another
        self._decided: dict[tuple[Var, int], Decisions] = {}

    def of(self, var: Var) -> frozenset[int] | None:
        """The values that an integer scalar may have, or None if nothing is known of them."""
        if var not in self._known:
            self._known[var] = self._collected(var, {}, _BUDGET)
        return self._known[var]

    def given(self, var: Var, other: Var, value: int) -> frozenset[int] | None:
        """The values that an integer scalar may have where another one has a value; None if nothing is known."""
        key = (var, other, value)
        if key not in self._given:
            facts: Facts = {}
            possible = _learn(facts, other, value, True)
            self._given[key] = self._collected(var, facts, _BUDGET_GIVEN) if possible else None
        return self._given[key]

    def _collected(self, var: Var, facts: Facts, most: int) -> frozenset[int] | None:
        found: set[int] = set()
        budget = [min(most, self._left)]
        self._left -= budget[0]
        known = _collect(var, facts, found, budget)
        self._left += max(budget[0], 0)
        return frozenset(found) if known else None

    def compared(self, test: Var) -> frozenset[Var]:
        """The integer scalars that are compared with constants in the course of a test."""
        if test not in self._compared:
            self._compared[test] = frozenset(_compared(test))
        return self._compared[test]

    def decided(self, test: Var, selector: Var, value: int) -> bool | None:
        """What a test gives where an integer scalar has a value; None if that is not known."""
        known = self._decided.setdefault((selector, value), {})
        if test not in known:
            question = _Question(selector, value, known)
            found = question.answer(test)
            if question.left < 0:
                return found  # what has been found on the way may be less than there is to find
            known.update(question.found)
        return known[test]


def _collect(var: Var, facts: Facts, found: set[int], budget: list[int]) -> bool:
    """Add the values that `var` may have where `facts` hold; whether they are all known."""
    known = constant_value(var)
    if known is not None and int(known) in found:
        return True
    open_: tuple[Operation, list[Facts | None]] | None = None
    for one in (var, *(fact for fact, _ in facts)):
        branch = _branch(one)
        budget[0] -= 1 if branch is None else 1 + len(facts)
        if budget[0] < 0:
            return False
        if branch is not None:
            arms = [_in_arm(branch, index, facts) for index in (0, 1)]
            if None in arms:
                return _over_arms(branch, arms, var, found, budget)
            open_ = open_ or (branch, arms)
    if open_ is not None:
        return _over_arms(*open_, var, found, budget)
    if known is not None:
        found.add(int(known))
    return known is not None


def _over_arms(branch: Operation, arms: list[Facts | None], var: Var, found: set[int], budget: list[int]) -> bool:
    """`_collect` for each arm to which control may go."""
    for index, inside in enumerate(arms):
        if inside is not None and not _collect(_yielded(branch, index, var), inside, found, budget):
            return False
    return True


def _in_arm(branch: Operation, index: int, facts: Facts) -> Facts | None:
    """What is known inside an arm of a branch; None if control does not go there."""
    inside = facts.copy()
    told = [(branch.operands[0], 1, index == 0)]
    for var, value in facts:
        if var.owner is branch:
            told.append((_yielded(branch, index, var), value, inside.pop((var, value))))
    return inside if all(_learn(inside, *fact) for fact in told) else None


def _yielded(branch: Operation, index: int, var: Var) -> Var:
    """What a result of a branch is if it takes an arm; other values as they are."""
    if var.owner is not branch:
        return var
    if branch.kind == "select":
        return branch.operands[1 + index]
    return branch.regions[index].results[branch.results.index(var)]


def _branch(var: Var) -> Operation | None:
    """The branch, or choice, between two values that an integer or a boolean comes from."""
    owner = var.owner
    if not isinstance(owner, Operation) or owner.kind not in ("if", "select"):
        return None
    return owner if var.type.shape == () and var.type.dtype.kind in "bi" and var in owner.results else None


def _learn(facts: Facts, var: Var, value: int, holds: bool) -> bool:
    """Add that a scalar has a value, or has not, and what follows from it; whether that can be."""
    known = constant_value(var)
    if known is not None:
        return (int(known) == value) == holds
    if var.type.dtype == bool and value == 0:
        value, holds = 1, not holds
    if (var, value) in facts:
        return facts[var, value] == holds
    facts[var, value] = holds
    owner = var.owner
    if not isinstance(owner, Operation) or var.type.dtype != bool or len(facts) > _FACTS:
        return True
    match owner.kind:
        case "bitwise_not":
            return _learn(facts, owner.operands[0], 1, not holds)
        case "bitwise_and" | "bitwise_or" if holds == (owner.kind == "bitwise_and"):
            left, right = owner.operands
            return _learn(facts, left, 1, holds) and _learn(facts, right, 1, holds)
        case "eq":
            left, right = owner.operands
            number = constant_value(right)
            if number is not None and left.type.shape == () and left.type.dtype.kind in "bi":
                return _learn(facts, left, int(number), holds)
    return True


# -- what a test says of selectors ------------------------------------------------------------------------------------


def _compared(test: Var) -> set[Var]:
    """The integer scalars that are compared with constants in the course of a test."""
    found: set[Var] = set()
    seen: set[Var] = set()
    todo = [test]
    while todo and len(seen) < _TESTS:
        var = todo.pop()
        owner = var.owner
        if var in seen or not isinstance(owner, Operation) or var.type.dtype != bool or var.type.shape != ():
            continue
        seen.add(var)
        match owner.kind:
            case "eq" | "ne":
                left, right = owner.operands
                if left.type.dtype.kind == "i" and left.type.shape == () and constant_value(right) is not None:
                    found.add(left)
            case "bitwise_not" | "bitwise_and" | "bitwise_or" | "select":
                todo += owner.operands
            case "if":
                todo += [owner.operands[0], *(_yielded(owner, index, var) for index in (0, 1))]
    return found


class _Question:
    """What tests give where `selector` has a value; asked of few of them at once."""

    def __init__(self, selector: Var, value: int, known: Decisions) -> None:
        self.selector, self.value, self.known = selector, value, known
        self.found: Decisions = {}
        self.left = _TESTS

    def answer(self, test: Var) -> bool | None:
        if test in self.known:
            return self.known[test]
        if test not in self.found:
            self.left -= 1
            self.found[test] = self._looked_at(test) if self.left >= 0 else None
        return self.found[test]

    def _looked_at(self, test: Var) -> bool | None:
        owner = test.owner
        if not isinstance(owner, Operation):
            return None
        if owner.kind == "constant":
            return bool(owner.attributes["value"])
        if test.type.dtype != bool or test.type.shape != ():
            return None
        match owner.kind:
            case "eq" | "ne":
                left, right = owner.operands
                if left is self.selector:
                    number = constant_value(right)
                    return None if number is None else (int(number) == self.value) == (owner.kind == "eq")
            case "bitwise_not":
                inner = self.answer(owner.operands[0])
                return None if inner is None else not inner
            case "bitwise_and" | "bitwise_or":
                decisive = owner.kind == "bitwise_or"
                inner = [self.answer(v) for v in owner.operands]
                return decisive if decisive in inner else None if None in inner else not decisive
            case "select" | "if":
                chosen = self.answer(owner.operands[0])
                if chosen is not None:
                    return self.answer(_yielded(owner, 0 if chosen else 1, test))
                one, two = (self.answer(_yielded(owner, index, test)) for index in (0, 1))
                return one if one is two else None
        return None
