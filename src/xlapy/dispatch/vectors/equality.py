"""Equality of items, as containers compare them, and comparisons of sequences item by item.

v in [a, b, c], [a, b] == [c, d], (d, k) < (other, j)
"""

from __future__ import annotations

import operator

import numpy as np

from xlapy.dispatch import kinds
from xlapy.dispatch.numbers.scalar_values import kind_of, logical_and, logical_not, logical_or
from xlapy.domain.values import (
    Const,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Text,
    Tuple,
    Union,
    Value,
    alternatives,
    mixed,
)
from xlapy.ir import Var
from xlapy.library.builtins import list as list_library


def same_item(machine, a: Value, b: Value) -> bool | Var:
    """`a is b or a == b`, as containers compare their items."""
    if a is b:
        return True
    if isinstance(a, Ref | NdArray) and type(a) is type(b):
        same = machine.is_(a, b)
        if same is True:
            return True
    if isinstance(a, Const) and isinstance(b, Const) and a.value is b.value:
        return True
    return machine.truth(machine.compare("==", a, b))


def among(machine, item: Value, items, container: Value | None = None) -> bool | Var:
    """Whether an item is one of several."""
    known = _known_member(machine, item, items)
    if known is not None:
        return known
    found: bool | Var = False
    for k, other in enumerate(items):
        if isinstance(found, Var) and runs_code(machine, other):
            given = [machine.boolean(found), item, Tuple(tuple(items[k:]))]
            return machine.truth(machine.call(Const(list_library.among_if_not), given))
        same = same_item(machine, other, item)
        if same is True:
            return True
        found = logical_or(machine, found, same)
    return found


def _known_member(machine, item: Value, items) -> bool | Var | None:
    """Membership of a dynamic number in a long sequence of known numbers, as one comparison with a table."""
    if len(items) <= 8 or not isinstance(item, Scalar) or item.kind not in (int, bool):
        return None
    if not all(isinstance(i, Const) and type(i.value) is int and abs(i.value) < 2**63 for i in items):
        return None
    table = machine.builder.constant(np.array([i.value for i in items], np.int64))
    return machine.leaf(_member, [machine.builder.convert(item.var, np.dtype(np.int64)), table])[0]


def _member(item, table):
    return (item == table).any()


def sequences_equal(machine, left, right) -> bool | Var:
    """`==` of two sequences of items."""
    if len(left) != len(right):
        return False
    same: bool | Var = True
    for k, (a, b) in enumerate(zip(left, right, strict=True)):
        if isinstance(same, Var) and (runs_code(machine, a) or runs_code(machine, b)):
            rest = Tuple(tuple(left[k:])), Tuple(tuple(right[k:]))
            return machine.truth(machine.call(Const(list_library.equal_if), [machine.boolean(same), *rest]))
        same = logical_and(machine, same, same_item(machine, a, b))
        if same is False:
            return False
    return same


def runs_code(machine, item: Value) -> bool:
    """Whether to compare an item may raise, or change something: that is not done where earlier items differ."""
    if isinstance(item, Union):
        return any(runs_code(machine, one) for one in alternatives(item))
    return isinstance(item, NdArray) or kinds.is_instance(machine, item)


def compare_sequences(machine, symbol: str, left, right) -> Value:
    """A rich comparison of two lists or two tuples: by the first items that differ, then by length."""
    if symbol in ("==", "!="):
        same = sequences_equal(machine, left, right)
        return machine.boolean(same if symbol == "==" else logical_not(machine, same))
    return _ordered(machine, symbol, list(left), list(right))


ORDERINGS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def _ordered(machine, symbol: str, left: list, right: list) -> Value:
    """What the comparison of the first items that differ gives, whatever that is, or of the lengths where none does."""
    if not left or not right:
        return Const(ORDERINGS[symbol](len(left), len(right)))
    same = same_item(machine, left[0], right[0])
    if same is True:
        return _ordered(machine, symbol, left[1:], right[1:])
    if same is not False and not all(map(_are_ordered, left, right)):
        sides = [Tuple(tuple(items[1:])) for items in (left, right)]
        given = [machine.boolean(same), Const(ORDERINGS[symbol]), left[0], right[0], *sides]
        return machine.call(Const(list_library.in_order_if), given)
    here = machine.compare(symbol, left[0], right[0])
    if same is False:
        return here
    rest = _ordered(machine, symbol, left[1:], right[1:])
    differ = logical_not(machine, same)
    answers = logical_and(machine, same, machine.truth(rest)), logical_and(machine, differ, machine.truth(here))
    origins = (
        logical_and(machine, same, _is_numpy(machine, rest)),
        logical_and(machine, differ, _is_numpy(machine, here)),
    )
    return _boolean(machine, logical_or(machine, *answers), logical_or(machine, *origins))


def _are_ordered(one: Value, two: Value) -> bool:
    """Whether two items have an order whatever they are, so that to compare them does not raise."""
    if isinstance(one, Tuple) and isinstance(two, Tuple):
        return all(map(_are_ordered, one.items, two.items))
    sides = [_sort_of(value) for value in (one, two)]
    return sides[0] == sides[1] != ""


def _sort_of(value: Value) -> str:
    if isinstance(value, NumpyScalar):
        return "number"
    if isinstance(value, Const) and isinstance(value.value, np.number | np.bool_):
        return "number"
    if isinstance(value, Text) or isinstance(value, Const) and type(value.value) is str:
        return "text"
    return "number" if kind_of(value) in (bool, int, float) else ""


def _is_numpy(machine, value: Value) -> bool | Var:
    """Whether a boolean is NumPy's."""
    if isinstance(value, MixedScalar):
        return machine.builder.elementwise("ne", value.selector, machine.builder.constant(0, value.selector.type.dtype))
    return machine.type_of(value) is np.bool_


def _boolean(machine, answer: bool | Var, is_numpy: bool | Var) -> Value:
    """A boolean of NumPy's, or one of Python's."""
    if is_numpy is False:
        return machine.boolean(answer)
    if is_numpy is True and not isinstance(answer, Var):
        return Const(np.bool_(answer))
    var = answer if isinstance(answer, Var) else machine.builder.constant(answer, np.dtype(bool))
    if is_numpy is True:
        return machine.numpy_result(var)
    return mixed(machine.builder.convert(is_numpy, np.dtype(np.int32)), Scalar(bool, var))
