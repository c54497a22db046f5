"""`is`: which objects are one."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from xlapy.dispatch import kinds, unions
from xlapy.dispatch.numbers.scalar_values import logical_and, refuse_where
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.numbers import same_constant
from xlapy.domain.values import (
    BoundedArray,
    BoundMethod,
    Const,
    JaxArray,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Tuple,
    Union,
    Value,
)
from xlapy.ir import Var

#: classes of constants of which equal ones may be different objects
_EQUAL_AND_DIFFERENT = (float, complex, bytes, tuple, frozenset, range, slice, np.generic)


def identical(machine: Machine, left: Value, right: Value) -> bool | Var:
    """`left is right`."""
    if isinstance(left, Union) or isinstance(right, Union):
        result = unions.over_unions(machine, (left, right), lambda a, b: machine.boolean(identical(machine, a, b)))
        return kinds.known_truth(result)
    if left is right:
        return True
    if machine.type_of(left) is np.bool_ and machine.type_of(right) is np.bool_:
        return kinds.known_truth(machine.compare("==", left, right))  # there are two
    if type(left) is type(right) and (type(left) is not Const or isinstance(left.value, _EQUAL_AND_DIFFERENT)):
        machine.heap.identified += 1
    match left, right:
        case Const(), Const():
            if left.value is right.value:
                return True
            small = isinstance(left.value, int | str | tuple) and same_constant(left.value, right.value)
            return small
        case Ref(), Ref():
            return left.object == right.object or _same(machine, left.object, right.object)
        case NdArray(), NdArray():
            return left.identity == right.identity or _same_array(machine, left, right)
        case BoundedArray(), BoundedArray():
            return identical(machine, left.base, right.base)
        case BoundMethod(), BoundMethod():
            return False
        case Tuple(namespace=Value() as one), Tuple(namespace=Value() as two):
            return identical(machine, one, two)
        case Tuple(), Const() if left.items == () and right.value == ():
            return True
        case Scalar(), (Scalar() | Const()) if left.kind is bool and machine.type_of(right) is bool:
            return kinds.known_truth(machine.compare("==", left, right))
        case Const(), Scalar():
            return identical(machine, right, left) if right.kind is bool and isinstance(left.value, bool) else False
        case (JaxArray(), JaxArray()) | (NumpyScalar(), NumpyScalar()):
            return left.var is right.var
        case (Scalar(), Scalar()):
            if left.kind is right.kind and left.var is not right.var:
                raise Refused("XP0004", f"'is' between {left.kind.__name__}s that depend on data", "compare with ==")
            return left.var is right.var
    return False


#: what helps where identities are not known
_COMPARE = "compare what the objects hold"


_NAN = "objects that hold NaN, and may be one item of a list that grew in a loop, are compared"


def _same(machine: Machine, first: int, second: int) -> bool:
    """False: objects of the heap are different ones, on which the program depends."""
    heap = machine.heap
    heap.tell_apart(first, second)
    if heap.may_be_items(first, second) and not _compares_fields(machine, first, second):
        raise Refused("XP0004", "'is' between objects that may be one item of a list that grew in a loop", _COMPARE)
    one, two = heap.objects[first].source, heap.objects[second].source
    if one is not None and two is not None:
        machine.world.guard("distinct", one, two)
    return False


def _same_array(machine: Machine, left: NdArray, right: NdArray) -> bool:
    """The same of two array objects, which may show the same memory."""
    heap = machine.heap
    if left.buffer == right.buffer and {left.identity, right.identity} & heap.joined:
        raise Refused("XP0004", "'is' between arrays that are one object on some paths only")
    heap.tell_apart(left.buffer, right.buffer)
    if heap.may_be_items(left.buffer, right.buffer):
        raise Refused(
            "XP0004", "'is' between arrays that may be one item of a list whose length depends on data", _COMPARE
        )
    if heap.are_two(left, right):
        machine.world.guard("distinct", heap.found[left.identity], heap.found[right.identity])
    return False


def _compares_fields(machine: Machine, first: int, second: int) -> bool:
    """Whether `is` is asked by the `__eq__` of a dataclass, which from Python 3.13 on looks at the fields only where it
    is False: they say the same, unless one of them is NaN."""
    cls = machine.heap.objects[first].cls
    code: Any = getattr(vars(cls).get("__eq__"), "__code__", None)
    if not dataclasses.is_dataclass(cls) or machine.frames[-1].code is not code:
        return False
    if code.co_filename != "<string>":
        return False
    fields = [f.name for f in dataclasses.fields(cls) if f.compare]
    values = [[machine.heap.read(number, name) for name in fields] for number in (first, second)]
    for one, two in zip(*values, strict=True):
        if not all(isinstance(v, Ref | Const | Scalar | NumpyScalar) for v in (one, two)):
            return False
        bad = [_is_nan(machine, v) for v in (one, two)]
        both = logical_and(machine, *bad)
        if both is not False:
            refuse_where(machine, machine.builder.constant(True) if both is True else both, "XP0004", _NAN, _COMPARE)
    return True


def _is_nan(machine: Machine, value: Value) -> bool | Var:
    if isinstance(value, Const):
        return isinstance(value.value, complex | float | np.inexact) and bool(value.value != value.value)
    if isinstance(value, Scalar | NumpyScalar) and value.var.type.dtype.kind in "fc":
        return machine.builder.elementwise("ne", value.var, value.var)
    return False
