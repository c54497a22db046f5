"""Numbers that are Python's on some paths and NumPy's on others, where it makes no difference which.

`x = 0.0`, and then `x = a[i]` on a condition: from there on `x` is a `float` or a `numpy.float64`. The two differ where
NumPy promotes (`x + float32_array`), where Python raises (`1 / x`) and in how they look; everywhere else they are
computed as one number, with a flag that says whose it is. A rule that returns None leaves the rest to `over_unions`.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence

import numpy as np

from xlapy.dispatch.protocol import Machine
from xlapy.domain.coerce import as_scalar
from xlapy.domain.numbers import SCALAR_DTYPES, known_bounds, scalar_type, twin_kind
from xlapy.domain.values import (
    BoundedArray,
    Const,
    JaxArray,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Scalar,
    Tuple,
    Union,
    Value,
    mixed,
    number_var,
    tuple_items,
)
from xlapy.ir import Var

#: operators that never raise, and give one value and the corresponding types for both
_ARITHMETIC = {
    float: frozenset("+ - *".split()),
    complex: frozenset("+ - *".split()),
    int: frozenset("+ - * & | ^".split()),
    bool: frozenset("& | ^".split()),
}
#: the same where the divisor is a known number other than zero
_DIVISIONS = {float: frozenset("/"), int: frozenset(("//", "%"))}
_OF_INTEGERS = frozenset("comb factorial gcd isqrt lcm ldexp perm".split())
#: functions of Python that take NumPy's numbers for Python's
_CONVERSIONS = frozenset(
    (bool, int, float, complex, range, *(f for m in (math, cmath) for f in vars(m).values() if callable(f)))
)

#: those that ask for an index, which NumPy's bool is none of, and say the class of what is none
_INDEXED = frozenset((range, *(f for n, f in vars(math).items() if n in _OF_INTEGERS)))

Operator = Callable[[Machine, str, Value, Value], Value]


def alternative(machine: Machine, union: Union, index: int) -> Value:
    """Alternative number `index` of a union, as it is when it is known to be that one."""
    value = union.alternatives[index]
    return numpy(machine, union) if isinstance(union, MixedScalar) and index else value


def numpy(machine: Machine, number: MixedScalar) -> NumpyScalar:
    """The number as NumPy's."""
    var = number.python.var
    return NumpyScalar(machine.builder.convert(var, var.type.dtype), number.python.bounds)


def united(machine: Machine, selector: Var, alternatives: tuple[Value, ...]) -> Union:
    """The union of these values; one number where they are one of Python's and one of NumPy's of the same dtype."""
    kinds = {twin_kind(v) for v in alternatives}
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    if len(alternatives) != 2 or kind is None or is_numpy(alternatives[0]) == is_numpy(alternatives[1]):
        return Union(selector, alternatives)
    builder = machine.builder
    first, second = (as_scalar(v, scalar_type(kind), builder) for v in alternatives)
    is_first = builder.elementwise("eq", selector, builder.constant(0, selector.type.dtype))
    var = builder.elementwise("select", is_first, first, second)
    if is_numpy(alternatives[0]):
        selector = builder.elementwise("sub", builder.constant(1, selector.type.dtype), selector)
    return mixed(selector, Scalar(kind, var))


def of_one_dtype(items: Sequence[Value]) -> type | None:
    """The Python class of numbers of one dtype that are not all Python's, nor all NumPy's; None for all else."""
    kinds = {twin_kind(item) for item in items}
    if len(kinds) != 1 or None in kinds:
        return None
    origins = {"mixed" if isinstance(item, MixedScalar) else is_numpy(item) for item in items}
    return kinds.pop() if len(origins) > 1 or "mixed" in origins else None


def pairs(machine: Machine, items: Sequence[Value]) -> list[Value] | None:
    """Numbers of one dtype, some of them Python's and some NumPy's, as pairs of a Python number and of whose it is."""
    kind = of_one_dtype(items)
    return None if kind is None else [Tuple((as_python(machine, item), _whose(machine, item))) for item in items]


def from_pair(pair: Value) -> Value:
    """The number of such a pair."""
    number, whose = tuple_items(pair)
    assert isinstance(number, Scalar)
    return mixed(number_var(whose), number)


def as_python(machine: Machine, value: Value) -> Scalar:
    """A number as Python's."""
    if isinstance(value, MixedScalar):
        return value.python
    kind = twin_kind(value)
    assert kind is not None, value
    return Scalar(kind, as_scalar(value, scalar_type(kind), machine.builder), known_bounds(value))


def _whose(machine: Machine, value: Value) -> JaxArray:
    if isinstance(value, MixedScalar):
        return JaxArray(value.selector)
    return JaxArray(machine.builder.constant(int(is_numpy(value)), np.dtype(np.int32)))


def binary(machine: Machine, symbol: str, left: Value, right: Value, then: Operator) -> Value | None:
    """`left symbol right`, by `then` for numbers that are not mixed; None where the operator may tell them apart."""
    number = left if isinstance(left, MixedScalar) else right
    assert isinstance(number, MixedScalar)
    plain = symbol.removesuffix("=")
    kind = number.python.kind
    divisible = left is number and isinstance(right, Const) and type(right.value) in (int, float) and right.value
    if plain not in _ARITHMETIC[kind] and not (divisible and plain in _DIVISIONS.get(kind, ())):
        return None
    symbol = symbol if isinstance(left, NdArray) else plain
    return _either(machine, left, right, lambda a, b: then(machine, symbol, a, b))


def compare(machine: Machine, symbol: str, left: Value, right: Value, then: Operator) -> Value | None:
    """A rich comparison of numbers of one class; None where it may tell them apart."""
    if twin_kind(left) is not twin_kind(right):
        return None
    return _either(machine, left, right, lambda a, b: then(machine, symbol, a, b))


def _either(machine: Machine, left: Value, right: Value, then: Callable[[Value, Value], Value]) -> Value | None:
    if not all(isinstance(v, MixedScalar) or twin_kind(v) is not None or isinstance(v, NdArray) for v in (left, right)):
        return None
    if any(isinstance(v, NdArray) or is_numpy(v) for v in (left, right)):
        if not all(map(_promotes_alike, (left, right), (right, left))):
            return None
        return then(*(numpy(machine, v) if isinstance(v, MixedScalar) else v for v in (left, right)))
    if bool in (twin_kind(left), twin_kind(right)) and twin_kind(left) is not twin_kind(right):
        return None
    result = then(*(v.python if isinstance(v, MixedScalar) else v for v in (left, right)))
    if not isinstance(result, Scalar):
        return None
    selectors = [v.selector for v in (left, right) if isinstance(v, MixedScalar)]
    return mixed(_any(machine, selectors), result)


def unary(machine: Machine, value: MixedScalar, then: Callable[[Value], Value | None]) -> Value | None:
    """`-value`, `+value`, `abs(value)`; None for a bool, whose operators differ."""
    if value.python.kind is bool:
        return None
    result = then(value.python)
    return mixed(value.selector, result) if isinstance(result, Scalar) else None


def arguments(machine: Machine, function: object, args: Sequence[Value]) -> list[Value]:
    """The arguments of a call of `function` without keywords, with numbers that are not mixed where it treats them
    alike."""
    if function in _CONVERSIONS:
        return [v.python if isinstance(v, MixedScalar) and _takes(function, v.python.kind) else v for v in args]
    if not isinstance(function, np.ufunc) or len(args) != function.nin:
        return list(args)
    alike = all(_promotes_alike(a, b) for a in args for b in args if a is not b)
    return [numpy(machine, v) if isinstance(v, MixedScalar) and alike else v for v in args]


def _takes(function: object, kind: type) -> bool:
    """Whether a function does the same with a number of this class and with NumPy's of the same dtype."""
    if function in _INDEXED:
        return kind is int
    if function is math.trunc:  # which NumPy's integers lack
        return kind is float
    return kind is not complex or function in (bool, complex) or getattr(function, "__module__", None) == "cmath"


def beside_complex(machine: Machine, left: Value, right: Value) -> Value:
    """The right operand of an operator as Python's complex numbers, on the left, see it: `numpy.float64` is a subclass
    of float, and they compute with it themselves."""
    if twin_kind(left) is not complex or is_numpy(left) or twin_kind(right) is not float:
        return right
    return Const(float(right.value)) if isinstance(right, Const) else as_python(machine, right)


def stored(machine: Machine, array: Value, item: Value) -> Value:
    """An item that is written into an array: of the array's dtype it is the same number in either form."""
    if isinstance(item, MixedScalar) and isinstance(array, NdArray | BoundedArray):
        dtype = (array.base if isinstance(array, BoundedArray) else array).type.dtype
        if dtype == SCALAR_DTYPES[item.python.kind]:
            return numpy(machine, item)
    return item


def _any(machine: Machine, selectors: list[Var]) -> Var:
    """The selector of what is NumPy's if one of the operands is."""
    first, *others = selectors
    for other in others:
        if other is not first:
            first = machine.builder.elementwise("max", first, other)
    return first


def is_numpy(value: Value) -> bool:
    """Whether a number is NumPy's on all paths."""
    return isinstance(value, NumpyScalar) or isinstance(value, Const) and isinstance(value.value, np.generic)


def _promotes_alike(value: Value, other: Value) -> bool:
    """Whether NumPy gives one type to `value` with `other`, be `value` Python's or its own."""
    if not isinstance(value, MixedScalar):
        return True
    dtype = SCALAR_DTYPES[value.python.kind]
    if isinstance(other, NdArray):
        theirs = other.type.dtype
    elif is_numpy(other):
        theirs = other.value.dtype if isinstance(other, Const) else number_var(other).type.dtype
    else:
        return twin_kind(other) is not None
    return np.result_type(theirs, dtype) == np.result_type(theirs, value.python.kind(0))
