"""Identities: what an operation is, whatever its operands are.

A rule takes the kind and the operands of an operation, and says what equals it: a value that is there, a known array,
or another operation as a tuple of its kind and operands, which may be such tuples themselves. Rules hold for every
value of the operands, bit for bit: NaN, -0.0, infinities, integers that wrap. `REWRITES` lists them by kind; the
builder applies those of `IMMEDIATE` where an operation is emitted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlapy.ir.core import Operation, Var, constant_value
from xlapy.ir.operations import TABLE

#: additions of constants that are followed to see that two sums differ by a constant
_ADDITIONS = 4

Expression = Var | np.ndarray | tuple
Rule = Callable[..., Expression | None]


def rewritten(kind: str, operands: tuple[Var, ...], rules: dict[str, tuple[Rule, ...]]) -> Expression | None:
    """What the first rule that applies says that an operation is; None if none does."""
    for rule in rules.get(kind, ()):
        expression = rule(kind, *operands)
        if expression is not None:
            return expression
    return None


# -- what operands are ------------------------------------------------------------------------------------------------


def _definition(var: Var, kind: str) -> Operation | None:
    owner = var.owner
    return owner if isinstance(owner, Operation) and owner.kind == kind else None


def _truth(var: Var) -> bool | None:
    """The boolean that all elements of a constant are."""
    value = constant_value(var)
    if value is None or value.dtype != bool:
        return None
    return True if value.all() else False if not value.any() else None


def _is_discrete(var: Var) -> bool:
    return var.type.dtype.kind in "biu"


def _offset(var: Var) -> tuple[Var, int]:
    """An integer scalar as another one plus a constant, as far as a few additions say."""
    total = 0
    for _ in range(_ADDITIONS):
        operation = _definition(var, "add") or _definition(var, "sub")
        if operation is None:
            break
        sign = 1 if operation.kind == "add" else -1
        left, right = operation.operands
        if (number := constant_value(right)) is not None:
            var, total = left, total + sign * int(number)
        elif sign > 0 and (number := constant_value(left)) is not None:
            var, total = right, total + int(number)
        else:
            break
    return var, total


# -- booleans ---------------------------------------------------------------------------------------------------------


def double_negation(kind: str, x: Var) -> Expression | None:
    """`not not p` is `p`; so are the bits of a number."""
    inner = _definition(x, "bitwise_not")
    return None if inner is None else inner.operands[0]


def with_truth(kind: str, x: Var, y: Var) -> Expression | None:
    """`p and True` and `p or False` are `p`; `p and False` is False, `p or True` is True."""
    for known, other in ((x, y), (y, x)):
        truth = _truth(known)
        if truth is not None:
            return other if truth == (kind == "bitwise_and") else known
    return None


def with_itself(kind: str, x: Var, y: Var) -> Expression | None:
    """`x & x`, `x | x`, `max(x, x)` and `min(x, x)` are `x`."""
    return x if x is y and _is_discrete(x) else None


def compared_with_itself(kind: str, x: Var, y: Var) -> Expression | None:
    """`n == n` is True and `n < n` is False, but not for NaN."""
    return np.asarray(kind in ("eq", "le", "ge")) if x is y and _is_discrete(x) and x.type.shape == () else None


def compared_with_truth(kind: str, x: Var, y: Var) -> Expression | None:
    """`p == True` and `p != False` are `p`."""
    for known, other in ((x, y), (y, x)):
        if _truth(known) == (kind == "eq"):
            return other
    return None


def choice_compared(kind: str, x: Var, y: Var) -> Expression | None:
    """`(1 if p else 2) == 1` is `p`, `(1 if p else 2) == 2` is `not p`."""
    choice, wanted = _definition(x, "select"), constant_value(y)
    if choice is None or wanted is None or x.type.shape != ():
        return None
    predicate, *arms = choice.operands
    then, orelse = map(constant_value, arms)
    if then is None or orelse is None or (then == wanted) == (orelse == wanted):
        return None
    return predicate if then == wanted else ("bitwise_not", predicate)


# -- choices ----------------------------------------------------------------------------------------------------------


def same_either_way(kind: str, predicate: Var, then: Var, orelse: Var) -> Expression | None:
    """`x if p else x` is `x`."""
    return then if then is orelse else None


def chosen_before(kind: str, predicate: Var, then: Var, orelse: Var) -> Expression | None:
    """`(x if p else y) if p else y` is `x if p else y`."""
    for arm, other, place in ((then, orelse, 2), (orelse, then, 1)):
        inner = _definition(arm, "select")
        if inner is not None and inner.operands[0] is predicate and inner.operands[place] is other:
            return arm
    return None


def known_choice(kind: str, predicate: Var, then: Var, orelse: Var) -> Expression | None:
    """`x if True else y` is `x`."""
    truth = _truth(predicate) if predicate.type.shape == () else None
    return None if truth is None else then if truth else orelse


def choice_of_truths(kind: str, predicate: Var, then: Var, orelse: Var) -> Expression | None:
    """`True if p else q` is `p or q`, `q if p else False` is `p and q`, `False if p else True` is `not p`."""
    if then.type.dtype != bool or then.type.shape != predicate.type.shape:
        return None
    first, second = _truth(then), _truth(orelse)
    if first is not None and second is not None:
        return then if first == second else predicate if first else ("bitwise_not", predicate)
    if then.type.shape != () or first is None and second is None:
        return None
    if first is not None:
        return ("bitwise_or", predicate, orelse) if first else ("bitwise_and", ("bitwise_not", predicate), orelse)
    return ("bitwise_or", ("bitwise_not", predicate), then) if second else ("bitwise_and", predicate, then)


# -- numbers ----------------------------------------------------------------------------------------------------------


def constant_difference(kind: str, x: Var, y: Var) -> Expression | None:
    """`(i + 3) - (i + 1)` is 2, for integers that wrap around, too."""
    dtype = x.type.dtype
    if dtype.kind not in "iu" or x.type.shape != ():
        return None
    (one, more), (other, less) = _offset(x), _offset(y)
    return np.asarray((more - less) % 2 ** (8 * dtype.itemsize), np.uint64).astype(dtype) if one is other else None


def right_unit(kind: str, x: Var, y: Var) -> Expression | None:
    """`x * 1` and `n + 0` are what they were; `x - -0.0` is not for `x = -0.0`."""
    value, definition = constant_value(y), TABLE[kind]
    if value is None or x.type.dtype.kind not in definition.units_of or np.any(value != definition.right_unit):
        return None
    return None if np.any(np.signbit(value.astype(float))) else x


def left_unit(kind: str, x: Var, y: Var) -> Expression | None:
    """`1 * x` and `0 + n` are what they were."""
    value, definition = constant_value(x), TABLE[kind]
    if value is None or y.type.dtype.kind not in definition.units_of or np.any(value != definition.left_unit):
        return None
    return y


#: what branches, error tags and flags are made of, which stay readable so
IMMEDIATE: dict[str, tuple[Rule, ...]] = {
    "bitwise_not": (double_negation,),
    "bitwise_and": (with_truth, with_itself),
    "bitwise_or": (with_truth, with_itself),
    "eq": (choice_compared,),
    "select": (same_either_way, known_choice, choice_of_truths),
}
_LATER: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys(("max", "min"), (with_itself,)),
    **dict.fromkeys(("eq", "ne"), (compared_with_itself, compared_with_truth)),
    **dict.fromkeys(("lt", "le", "gt", "ge"), (compared_with_itself,)),
    "select": (chosen_before,),
    "sub": (constant_difference,),
}


def _of_units(kind: str) -> tuple[Rule, ...]:
    definition = TABLE[kind]
    right = () if definition.right_unit is None else (right_unit,)
    return right if definition.left_unit is None else (*right, left_unit)


REWRITES: dict[str, tuple[Rule, ...]] = {
    kind: rules for kind in TABLE if (rules := (*IMMEDIATE.get(kind, ()), *_LATER.get(kind, ()), *_of_units(kind)))
}

__all__ = ["IMMEDIATE", "REWRITES", "Expression", "rewritten"]
