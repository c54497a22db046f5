"""The order of the members of a set.

CPython goes through a set in the order of its hash table, which depends on more than the members: on the size to which
the table has grown, on the order in which members were put in, on what was removed. So what was done to a set is kept
beside its members, and done again to a real set where somebody asks for the order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from xlapy.immutable import immutable


@immutable(eq=False)
class SetHistory:
    """What was done to a set: first `before`, then `method(set, *operands)`. Of a set whose table is not known, `order`
    is that of its members."""

    before: SetHistory | None = None
    method: Callable | None = None
    operands: tuple = ()
    order: tuple | None = None


@immutable(eq=False)
class Made:
    """In the place of a method: a function that makes a set of the operands."""

    function: Callable

    def __call__(self, before: set, *operands: object) -> set:
        """The operation on known sets."""
        return self.function(*operands)


#: how often somebody has asked for an order or a hash that may be another one in another process
_asked = [0]


def ask(members: Iterable) -> None:
    """The program depends on the hashes of some objects: those of numbers alone are the same in every process."""
    if not all(isinstance(member, int | float | complex) for member in members):
        _asked[0] += 1


def times_asked() -> int:
    """How often a program has depended on what may be different in another process."""
    return _asked[0]


#: of a set that was made empty
EMPTY = SetHistory()


#: in the place of an operand whose table is not known, and of one that is the set itself
UNKNOWN, ITSELF = object(), object()


def extended(history: SetHistory | None, method: Callable, *operands: object) -> SetHistory | None:
    """The history of a set to which something else is done; None if its table is not known, or that of an operand."""
    if history is None or history.order is not None or any(operand is UNKNOWN for operand in operands):
        return None
    return SetHistory(history, method, operands)


def same(one: SetHistory | None, two: SetHistory | None) -> bool:
    """Whether the same was done to two sets."""
    while one is not two:
        if one is None or two is None or one.method is not two.method or one.order is not two.order:
            return False
        if list(map(id, one.operands)) != list(map(id, two.operands)):
            return False
        one, two = one.before, two.before
    return True


def since(history: SetHistory | None, base: SetHistory | None) -> list[SetHistory] | None:
    """What was done to a set after `base`, one thing after the other; None if that is not known."""
    found: list[SetHistory] = []
    while history is not base:
        if history is EMPTY:
            return [SetHistory(method=set.clear), *found[::-1]]
        if history is None or history.method is None or isinstance(history.method, Made):
            return None
        found.append(history)
        history = history.before
    return found[::-1] if base is not None else None


def done(step: SetHistory, to: set) -> Any:
    """Do to a real set what a step says."""
    assert step.method is not None
    return step.method(to, *(to if operand is ITSELF else operand for operand in step.operands))


def replayed(history: SetHistory) -> set:
    """A real set to which all of that was done."""
    made: set = set()
    steps = []
    node: SetHistory | None = history
    while node is not None:
        steps.append(node)
        node = node.before
    for step in reversed(steps):
        if step.method is not None:
            result = done(step, made)
            made = result if isinstance(step.method, Made) else made
    ask(made)
    return made


def added(history: SetHistory | None, members: dict) -> bool:
    """Whether a set was made empty, and got nothing but these members one after the other, in this order."""
    steps, node = [], history
    while node is not None and node is not EMPTY:
        steps.append(node)
        node = node.before
    found: dict = {}
    for step in reversed(steps):
        if step.order is not None:
            return False
        if step.method is set.add:
            new = step.operands
        elif step.method is set.update or isinstance(step.method, Made) and step.method.function is set:
            # all members of one set, or of a dict, are taken over in another way
            if not all(isinstance(operand, list | tuple) for operand in step.operands):
                return False
            new = tuple(member for operand in step.operands for member in operand)
        else:
            return False
        found.update(dict.fromkeys(new))
    return node is EMPTY and list(found) == list(members)


def order(history: SetHistory | None, members: dict) -> list | None:
    """The members in the order of iteration; None if that is not known."""
    ask(members)
    if history is not None:
        return list(history.order if history.order is not None else replayed(history))
    # In the smallest of tables, members with these hashes have their own places, as they have in every larger one.
    if len(members) < 2 or all(0 <= hash(key) < 8 for key in members):
        return sorted(members, key=hash)
    return None


def found(real: set, members: tuple) -> SetHistory:
    """Of a set of the caller's; `members` are the keys that stand for its members, in its order."""
    if all(a is b for a, b in zip(real, members, strict=True)):
        for operand in (members, frozenset(set.copy(real))):
            twin = set()
            twin.update(operand)
            if tuple(map(id, twin)) == tuple(map(id, real)) and twin.__sizeof__() == set.__sizeof__(real):
                return SetHistory(EMPTY, set.update, (operand,))
    return SetHistory(order=members)
