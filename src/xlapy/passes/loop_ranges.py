"""Between which numbers integers are in all iterations of the loops that carry them.

An abstract interpretation over intervals (Cousot and Cousot, 1977): what a loop carries is walked until its intervals
do not grow, where an end that grows again goes to that of its type (widening), and then twice more, which brings such
ends back to what the loop's conditions say of them (narrowing). On its path, each comparison narrows its operands, and
what they were computed of. So the place in a heap is never negative, and the end of a queue not behind its array: the
comparisons of Python's rules for indices are decided.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from xlapy.ir import Module, Operation, Region, Var, constant_value, every_operation
from xlapy.ir.intervals import Interval, hull
from xlapy.ir.operations import TABLE
from xlapy.ir.value_ranges import elements_between, found_between

_COMPARISONS = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_FALSE, _TRUE, _ANY = (0, 0), (1, 1), (0, 1)
#: operations that a comparison is traced back through
_DEPTH = 6
#: a number of Python's to which every iteration of a loop adds at most SLOW stays below REACH (as in `domain.numbers`),
#: which no program has for a number of its own
SLOW, REACH = 2**14, 2**61 + 2**59 + 777
#: rounds in which ends that grow may be those of the iteration; loops around a loop in which it is walked once more
_ROUNDS, _NESTED = 2, 4
#: rounds after these in which ends that grow go to numbers of the program's
_STEPS = 2
#: operations of a program up to which it is walked
_LONGEST = 20_000


def settle(module: Module) -> bool:
    """Replace predicates that come out the same in all iterations by what they come out as; whether any was."""
    region = module.entry
    if region.size() > _LONGEST or not any(operation.regions for operation in region.operations):
        return False
    walk = _Walk(sorted(_constants(region)))
    walk.region(region)
    walk.is_growing = False
    walk.region(region)
    return _replace(region, walk.decided)


class _Walk:
    def __init__(self, ends: Sequence[int]) -> None:
        #: where ends may go that grow
        self.ends = ends
        #: where scalars and the elements of arrays are, as far as it is known on this path
        self.known: dict[Var, Interval] = {}
        #: what was known before a path narrowed it
        self.before: list[tuple[Var, Interval | None]] = []
        #: of each loop, where what it carries is
        self.carried: dict[Operation, list[Interval | None]] = {}
        #: whether intervals of loops grow, or are narrowed
        self.is_growing = True
        self.decided: dict[Operation, bool] = {}
        self.depth = 0

    def of(self, var: Var) -> Interval | None:
        """Where a value is; None of what is no integer."""
        found = self.known.get(var)
        if found is None and _is_integer(var):
            return elements_between(var, self.known, 1)
        return found

    # -- operations ---------------------------------------------------------------------------------------------------

    def region(self, region: Region) -> None:
        """Visit a region."""
        for operation in region.operations:
            match operation.kind:
                case "if":
                    self._if(operation)
                case "for" | "while":
                    self._loop(operation)
                case _:
                    for nested in operation.regions:
                        self.region(nested)
                    self._computed(operation)

    def _computed(self, operation: Operation) -> None:
        if len(operation.results) != 1 or not _is_integer(operation.results[0]):
            return
        (result,) = operation.results
        self.known.pop(result, None)
        if result.type.dtype.kind == "b":
            found = self._predicate(operation)
            if not self.is_growing and found in (_FALSE, _TRUE) and operation.kind in _DECIDED:
                self.decided[operation] = found == _TRUE
            self.known[result] = found
            return
        whole = elements_between(result, {}, 0)
        found = found_between(result, self.known, 2)
        if found is not None and self._is_slow(operation):
            found = max(found[0], -REACH), min(found[1], REACH)
        # what does not fit is wrapped: whether it does not is a question that the program may ask
        self.known[result] = whole if found is None or found[0] < whole[0] or found[1] > whole[1] else found

    def _is_slow(self, operation: Operation) -> bool:
        """Whether it adds little to one of Python's integers, which it takes longer than anybody waits to outgrow."""
        if operation.kind not in ("add", "sub") or not _is_pythons(operation.results[0]):
            return False
        a, b = (self.of(v) or (-2 * REACH, 2 * REACH) for v in operation.operands)
        pairs = ((a, b), (b, a)) if operation.kind == "add" else ((a, b),)
        return any(-SLOW <= y[0] and y[1] <= SLOW and -REACH <= x[0] and x[1] <= REACH for x, y in pairs)

    def _predicate(self, operation: Operation) -> Interval:
        if operation.results[0].type.shape:
            return _ANY
        operands = operation.operands
        if operation.kind in _COMPARISONS:
            a, b = map(self.of, operands)
            if a is None or b is None:
                return _ANY
            found, apart = _compared(operation.kind, a, b), self._apart(*operands)
            return found if found != _ANY or apart is None else _compared(operation.kind, apart, (0, 0))
        if operation.kind not in ("bitwise_and", "bitwise_or", "bitwise_not", "select", "constant"):
            return _ANY
        if operation.kind == "constant":
            value = bool(constant_value(operation.results[0]))
            return int(value), int(value)
        parts = [self.of(v) or _ANY for v in operands]
        if operation.kind == "bitwise_and":
            return min(parts[0][0], parts[1][0]), min(parts[0][1], parts[1][1])
        if operation.kind == "bitwise_or":
            return max(parts[0][0], parts[1][0]), max(parts[0][1], parts[1][1])
        if operation.kind == "bitwise_not":
            return 1 - parts[0][1], 1 - parts[0][0]
        return parts[1] if parts[0] == _TRUE else parts[2] if parts[0] == _FALSE else hull(parts[1], parts[2])

    def _apart(self, a: Var, b: Var) -> Interval | None:
        """Where `a - b` is, if one of them is the other and something more."""
        for one, other, sign in ((a, b, 1), (b, a, -1)):
            operation = one.owner
            if not isinstance(operation, Operation) or operation.kind not in ("add", "sub") or one.type.shape:
                continue
            first, second = operation.operands
            more = second if first is other else first if second is other and operation.kind == "add" else None
            ends = None if more is None or not self._is_exact(operation) else self.of(more)
            if ends is not None:
                sign = sign if operation.kind == "add" else -sign
                return ends if sign > 0 else (-ends[1], -ends[0])
        return None

    def _if(self, operation: Operation) -> None:
        (predicate,) = operation.operands
        ends: list[list[Interval | None]] = []
        for arm, holds in zip(operation.regions, (True, False), strict=True):
            mark = len(self.before)
            if self.learn(predicate, holds):
                self.region(arm)
                ends.append([self.of(v) for v in arm.results])
            self._forget(mark)
        for k, result in enumerate(operation.results):
            self._put(result, _joined([end[k] for end in ends]))

    def _loop(self, loop: Operation) -> None:
        first = 1 if loop.kind == "for" else 0
        params = loop.regions[-1].params[first:]
        initial = [self.of(v) for v in loop.operands[first:]]
        for region in loop.regions:
            for param in region.params:
                self.known.pop(param, None)
        self.depth += 1
        if self.is_growing or loop not in self.carried:
            now = self._grown(loop, params, initial)
        else:
            now = self.carried[loop]
            if self.depth <= _NESTED:
                now = self._narrowed(loop, params, initial, now)
            self._iteration(loop, params, now)
        self.depth -= 1
        self.carried[loop] = now
        ends = now
        if loop.kind == "while":
            mark = len(self.before)
            condition = loop.regions[0]
            self._begin(condition.params, now)
            self.region(condition)
            if self.learn(condition.results[0], False):
                ends = [self.of(v) for v in condition.params]
            self._forget(mark)
        for result, end in zip(loop.results, ends, strict=True):
            self._put(result, end)

    def _grown(self, loop: Operation, params: Sequence[Var], initial: list[Interval | None]) -> list[Interval | None]:
        before = self.carried.get(loop)
        now = initial if before is None else [_joined([a, b]) for a, b in zip(before, initial, strict=True)]
        rounds = 0
        while True:
            found = self._iteration(loop, params, now)
            following = [_joined([a, b]) for a, b in zip(now, found, strict=True)]
            if following == now:
                return now
            rounds += 1
            if rounds > _ROUNDS:
                ends = self.ends if rounds <= _ROUNDS + _STEPS else ()
                following = [_widened(v, a, b, ends) for v, a, b in zip(params, now, following, strict=True)]
            now = self.carried[loop] = following

    def _narrowed(
        self, loop: Operation, params: Sequence[Var], initial: list[Interval | None], now: list[Interval | None]
    ) -> list[Interval | None]:
        found = self._iteration(loop, params, now)
        return [_met(a, _joined([b, c])) for a, b, c in zip(now, initial, found, strict=True)]

    def _iteration(self, loop: Operation, params: Sequence[Var], now: list[Interval | None]) -> list[Interval | None]:
        """What an iteration makes of what a loop carries."""
        mark, body = len(self.before), loop.regions[-1]
        runs = True
        if loop.kind == "while":
            condition = loop.regions[0]
            self._begin(condition.params, now)
            self.region(condition)
            runs = self.learn(condition.results[0], True)
            now = [self.of(v) for v in condition.params]
        else:
            iterations = self.of(loop.operands[0])
            assert iterations is not None
            runs = iterations[1] > 0
            self._narrow(body.params[0], (0, max(iterations[1] - 1, 0)))
        found = now
        if runs:
            self._begin(params, now)
            self.region(body)
            found = [self.of(v) for v in body.results]
        self._forget(mark)
        return found

    def _begin(self, params: Sequence[Var], now: list[Interval | None]) -> None:
        for param, interval in zip(params, now, strict=True):
            self._put(param, interval)

    def _put(self, var: Var, interval: Interval | None) -> None:
        if interval is None:
            self.known.pop(var, None)
        else:
            self.known[var] = interval

    # -- paths --------------------------------------------------------------------------------------------------------

    def _narrow(self, var: Var, interval: Interval) -> None:
        self.before.append((var, self.known.get(var)))
        self.known[var] = interval

    def _forget(self, mark: int) -> None:
        while len(self.before) > mark:
            self._put(*self.before.pop())

    def learn(self, predicate: Var, holds: bool, depth: int = _DEPTH) -> bool:
        """Narrow what is known to where a predicate holds, or does not; False if that is nowhere."""
        found = self.of(predicate) or _ANY
        if found == (_FALSE if holds else _TRUE):
            return False
        operation = predicate.owner
        if not isinstance(operation, Operation) or predicate.type.shape or not depth:
            return True
        if operation.kind == "bitwise_not":
            return self.learn(operation.operands[0], not holds, depth - 1)
        if operation.kind == ("bitwise_and" if holds else "bitwise_or"):
            return all(self.learn(part, holds, depth - 1) for part in operation.operands)
        if operation.kind in _COMPARISONS:
            left, right = operation.operands
            kind = operation.kind if holds else _COMPARISONS[operation.kind]
            a, b = self.of(left), self.of(right)
            if a is None or b is None or left.type.dtype.kind == "b":
                return True
            return self._within(left, _behind(kind, b)) and self._within(right, _behind(_MIRRORED[kind], a, b))
        return True

    def _within(self, var: Var, ends: Interval, depth: int = _DEPTH) -> bool:
        """Note that a number is in an interval, and what follows for those that it is computed of."""
        before = self.of(var)
        if before is None:
            return True
        after = max(before[0], ends[0]), min(before[1], ends[1])
        if after[0] > after[1]:
            return False
        if after == before:
            return True
        if constant_value(var) is None:
            self._narrow(var, after)
        operation = var.owner
        if not isinstance(operation, Operation) or not depth or var.type.shape:
            return True
        return all(self._within(v, i, depth - 1) for v, i in self._sources(operation, after))

    def _sources(self, operation: Operation, ends: Interval) -> list[tuple[Var, Interval]]:
        """The operands of a sum that is in an interval, and where that says they are."""
        operands = operation.operands
        if operation.kind == "convert":
            source, target = operands[0].type.dtype, operation.results[0].type.dtype
            return [(operands[0], ends)] if source.kind in "iu" and np.can_cast(source, target) else []
        if operation.kind not in ("add", "sub", "mul", "neg") or not self._is_exact(operation):
            return []
        if operation.kind == "neg":
            return [(operands[0], (-ends[1], -ends[0]))]
        a, b = map(self.of, operands)
        if a is None or b is None:
            return []
        if operation.kind == "add":
            return [(operands[0], (ends[0] - b[1], ends[1] - b[0])), (operands[1], (ends[0] - a[1], ends[1] - a[0]))]
        if operation.kind == "sub":
            return [(operands[0], (ends[0] + b[0], ends[1] + b[1])), (operands[1], (a[0] - ends[1], a[1] - ends[0]))]
        for (one, by), other in (((a, b), operands[0]), ((b, a), operands[1])):
            if by[0] == by[1] > 0 and one is not None:
                return [(other, (-(-ends[0] // by[0]), ends[1] // by[0]))]
        return []

    def _is_exact(self, operation: Operation) -> bool:
        """Whether a sum is what it says: it is too small to be wrapped."""
        parts = [self.of(v) for v in operation.operands]
        rule = TABLE[operation.kind].bounds
        if rule is None or None in parts:
            return False
        found, whole = rule(*parts), elements_between(operation.results[0], {}, 0)
        return found is not None and whole[0] <= found[0] and found[1] <= whole[1]


#: what is replaced where it is decided
_DECIDED = frozenset((*_COMPARISONS, "bitwise_and", "bitwise_or", "bitwise_not"))


def _is_integer(var: Var) -> bool:
    return isinstance(var.type.dtype, np.dtype) and var.type.dtype.kind in "iub"


def _compared(kind: str, a: Interval, b: Interval) -> Interval:
    """How a comparison comes out."""
    if kind in ("ne", "ge", "gt"):
        low, high = _compared({"ne": "eq", "ge": "lt", "gt": "le"}[kind], a, b)
        return 1 - high, 1 - low
    if kind == "eq":
        return (int(a[0] == a[1] == b[0] == b[1]), int(a[0] <= b[1] and b[0] <= a[1]))
    if kind == "lt":
        return int(a[1] < b[0]), int(a[0] < b[1])
    return int(a[1] <= b[0]), int(a[0] <= b[1])


def _behind(kind: str, other: Interval, own: Interval | None = None) -> Interval:
    """Where a number is that compares so with one in an interval; of its `own`, an end is left out that is not it."""
    least, most = -(1 << 80), 1 << 80
    match kind:
        case "lt":
            return least, other[1] - 1
        case "le":
            return least, other[1]
        case "gt":
            return other[0] + 1, most
        case "ge":
            return other[0], most
        case "eq":
            return other
    return least, most


def _joined(intervals: Sequence[Interval | None]) -> Interval | None:
    found = None
    for k, interval in enumerate(intervals):
        if interval is None:
            return None
        found = interval if k == 0 or found is None else hull(found, interval)
    return found


def _met(a: Interval | None, b: Interval | None) -> Interval | None:
    if a is None or b is None:
        return a
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return (low, high) if low <= high else a


def _widened(var: Var, before: Interval | None, after: Interval | None, ends: Sequence[int]) -> Interval | None:
    """An interval whose ends that grow go to the next number of the program's, or to that of the type."""
    if before is None or after is None:
        return after
    low, high = elements_between(var, {}, 0)
    if _is_pythons(var):  # adding little to it is no way to get further
        low = -REACH if before[0] - after[0] <= SLOW and after[0] >= -REACH else low
        high = REACH if after[1] - before[1] <= SLOW and after[1] <= REACH else high
    low = next((end for end in (0, -1) if ends and end <= after[0]), low)
    high = next((end for end in ends if end >= after[1]), high)
    return after[0] if after[0] >= before[0] else low, after[1] if after[1] <= before[1] else high


def _is_pythons(var: Var) -> bool:
    return var.type.weak and var.type.dtype == np.int64 and not var.type.shape


def _constants(region: Region) -> set[int]:
    """The known integers in a program."""
    values = [constant_value(o.results[0]) for o in every_operation(region) if o.kind == "constant"]
    return {int(value) for value in values if value is not None and value.shape == () and value.dtype.kind in "iu"}


def _replace(region: Region, decided: dict[Operation, bool]) -> bool:
    changed = False
    for k, operation in enumerate(region.operations):
        for nested in operation.regions:
            changed |= _replace(nested, decided)
        if operation in decided:
            region.operations[k] = _constant(operation, decided[operation])
            changed = True
    return changed


def _constant(operation: Operation, value: bool) -> Operation:
    (result,) = operation.results
    attributes = {"value": np.asarray(value)}
    made = Operation("constant", (), attributes, (result.type,), (), operation.location, result.depth)
    made.results = [result]
    result.owner = made
    return made
