"""`is`: which objects are one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from xlapy.dispatch import kinds, unions
from xlapy.dispatch.numbers.scalar_values import logical_and, refuse_where
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.numbers import same_constant
from xlapy.domain.values import (
    BoundedArray,
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
    if isinstance(left, Const) and isinstance(right, Scalar):
        left, right = right, left
    if isinstance(left, Scalar) and isinstance(right, Const):
        is_bool = left.kind is bool and machine.type_of(right) is bool
        return kinds.known_truth(machine.compare("==", left, right)) if is_bool else False
    if isinstance(left, Tuple) and isinstance(right, Const):
        return left.items == () and right.value == ()
    if isinstance(left, NdArray | BoundedArray) and isinstance(right, NdArray | BoundedArray):
        return _arrays(machine, left, right)
    rule = _IDENTICAL.get(type(left)) if type(left) is type(right) else None
    return False if rule is None else rule(machine, left, right)


def _constants(machine: Machine, left: Const, right: Const) -> bool:
    if left.value is right.value:
        return True
    return isinstance(left.value, int | str | tuple) and same_constant(left.value, right.value)


def _references(machine: Machine, left: Ref, right: Ref) -> bool:
    return left.object == right.object or _same(machine, left.object, right.object)


def _arrays(machine: Machine, left: NdArray | BoundedArray, right: NdArray | BoundedArray) -> bool:
    one, two = (array.base if isinstance(array, BoundedArray) else array for array in (left, right))
    return one.identity == two.identity or _same_array(machine, one, two)


def _tuples(machine: Machine, left: Tuple, right: Tuple) -> bool | Var:
    if left.namespace is None or right.namespace is None:
        return False
    return identical(machine, left.namespace, right.namespace)


def _scalars(machine: Machine, left: Scalar, right: Scalar) -> bool | Var:
    if left.kind is right.kind is bool:
        return kinds.known_truth(machine.compare("==", left, right))
    if left.kind is right.kind and left.var is not right.var:
        raise Refused("XP0004", f"'is' between {left.kind.__name__}s that depend on data", "compare with ==")
    return left.var is right.var


def _device_values(machine: Machine, left: JaxArray | NumpyScalar, right: JaxArray | NumpyScalar) -> bool:
    return left.var is right.var


#: by the class of two values
_IDENTICAL: dict[type[Value], Callable[[Machine, Any, Any], bool | Var]] = {
    Const: _constants,
    Ref: _references,
    Tuple: _tuples,
    Scalar: _scalars,
    JaxArray: _device_values,
    NumpyScalar: _device_values,
}


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
