"""Operators, truth, identity and subscripts, found as Python finds them.

Built-in types have rules in the tables; classes of the user are asked for their special methods, the right operand's
reflected method first where its type is a subclass of the left one's.
"""

from __future__ import annotations

import dataclasses
import operator
import types
from typing import Any

import numpy as np

from xlapy.dispatch import table, unions
from xlapy.dispatch.arrays import indexing
from xlapy.dispatch.bounded import arithmetic as bounded_arithmetic
from xlapy.dispatch.bounded import indexing as bounded_indexing
from xlapy.dispatch.bounded import rules as bounded_rules
from xlapy.dispatch.containers import common as containers
from xlapy.dispatch.containers import stack_arrays
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.jax import arrays as jax_arrays
from xlapy.dispatch.numbers import mixed, scalars
from xlapy.dispatch.numbers.scalar_values import clip, lacks, logical_and, python_int, refuse_where
from xlapy.dispatch.numpy import flat_iterator, ufuncs
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.python import attributes, kinds, objects
from xlapy.domain.numbers import known_bounds, same_constant
from xlapy.domain.values import (
    NONE,
    UNBOUND,
    BoundedArray,
    BoundMethod,
    Const,
    Function,
    JaxArray,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Slice,
    Tuple,
    Union,
    Value,
)
from xlapy.ir import Var

_METHODS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "<<": "lshift",
    ">>": "rshift",
    "&": "and",
    "|": "or",
    "^": "xor",
}
_COMPARISONS = {
    "<": ("lt", "gt"),
    "<=": ("le", "ge"),
    ">": ("gt", "lt"),
    ">=": ("ge", "le"),
    "==": ("eq", "eq"),
    "!=": ("ne", "ne"),
}
#: operators of Python's complex numbers
_OF_COMPLEX = frozenset("+ - * / ** == !=".split())
_UNARY = {"-": "neg", "+": "pos", "~": "invert"}
_TUPLE_OPERATORS = {
    **{f"__{name}__": symbol for symbol, (name, _) in _COMPARISONS.items()},
    "__add__": "+",
    "__mul__": "*",
    "__rmul__": "*",
}
NOT_IMPLEMENTED = Const(NotImplemented)
_INT64 = np.dtype(np.int64)
_OPERATORS = frozenset([*_METHODS.values(), *(name for name, _ in _COMPARISONS.values())])


def binary(machine: Machine, symbol: str, left: Value, right: Value) -> Value:
    """`left symbol right`; an in-place operator's symbol ends with '='."""
    if symbol.removesuffix("=") in _OF_COMPLEX:
        right = mixed.beside_complex(machine, left, right)
    if isinstance(left, MixedScalar) or isinstance(right, MixedScalar):
        found = mixed.binary(machine, symbol, left, right, binary)
        if found is not None:
            return found
    if isinstance(left, Union) or isinstance(right, Union):
        return unions.over_unions(machine, (left, right), lambda a, b: binary(machine, symbol, a, b))
    inplace = symbol.endswith("=")
    plain = symbol[:-1] if inplace else symbol
    if inplace and kinds.is_instance(machine, left):
        result = _special(machine, left, f"__i{_METHODS[plain]}__", (right,))
        if result is not None:
            return result
    result = _built_in(machine, symbol, left, right)
    if result is None:
        name = _METHODS[plain]
        result = _dunders(machine, left, right, f"__{name}__", f"__r{name}__")
    if result is not None:
        return result
    _provoke(machine, symbol, left, right)
    one, two = iteration.type_name(machine, left), iteration.type_name(machine, right)
    shown = f"{symbol}" if inplace else plain
    if plain == "**":
        shown = "**=" if inplace else "** or pow()"
    return machine.raise_(TypeError, f"unsupported operand type(s) for {shown}: '{one}' and '{two}'")


_REAL = {
    **{s: getattr(operator, n if n not in ("and", "or") else n + "_") for s, n in _METHODS.items()},
    **{f"{s}=": getattr(operator, f"i{n}") for s, n in _METHODS.items()},
}


def _provoke(machine: Machine, symbol: str, left: Value, right: Value) -> None:
    """Raise what NumPy raises for a known object that is no number."""
    if any(isinstance(v, NdArray | NumpyScalar) for v in (left, right)):
        samples = [_sample(v) for v in (left, right)]
        if not any(s is NotImplemented for s in samples):
            try:
                _REAL[symbol](*samples)
            except TypeError as error:
                machine.reraise(error)


def _sample(value: Value) -> Any:
    match value:
        case NdArray():
            return np.ones(tuple(min(n, 1) for n in value.type.shape), value.type.dtype)
        case NumpyScalar():
            return value.var.type.dtype.type(1)
        case Scalar():
            return value.kind(1)
        case Const():
            return value.value if not isinstance(value.value, np.ndarray) else NotImplemented
    return NotImplemented


def _built_in(machine: Machine, symbol: str, left: Value, right: Value) -> Value | None:
    """The rule of the built-in types involved: a JAX array's goes first, then NumPy's, then the left operand's."""
    if kinds.is_instance(machine, left) or kinds.is_instance(machine, right):
        numeric = isinstance(left, NdArray | NumpyScalar | JaxArray) or isinstance(
            right, NdArray | NumpyScalar | JaxArray
        )
        if not numeric or kinds.is_instance(machine, right) or kinds.is_instance(machine, left):
            return None
    if isinstance(left, BoundedArray) or isinstance(right, BoundedArray):
        return bounded_arithmetic.operator(machine, symbol, left, right)
    if isinstance(left, JaxArray) or isinstance(right, JaxArray):
        if not (isinstance(left, NdArray) and symbol.endswith("=") and symbol not in ("==", "<=", ">=", "!=")):
            return jax_arrays.operator(machine, symbol, left, right)
    classes = (machine.type_of(left), machine.type_of(right))
    for cls in sorted(classes, key=_priority, reverse=True):
        rule = table.find_operator(cls)
        if rule is not None:
            result = rule(machine, symbol, left, right)
            if result is not None:
                return result
    return _fold(machine, symbol, left, right)


def _priority(cls: type) -> int:
    return issubclass(cls, np.ndarray) * 2 + issubclass(cls, np.generic)


_FOLDS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: a % b,
    "|": lambda a, b: a | b,
    "&": lambda a, b: a & b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def _fold(machine: Machine, symbol: str, left: Value, right: Value) -> Value | None:
    """Operators of known objects of immutable types (str, bytes, dtype, type, frozenset, enum...)."""
    if isinstance(left, Const) and isinstance(right, Const):
        plain = symbol if symbol in _FOLDS else symbol.rstrip("=")
        if plain in _FOLDS and not _runs_code(left, right):
            # an operator in place has a text of its own
            function = _FOLDS[plain] if plain == symbol else _REAL[symbol]
            try:
                return Const(function(left.value, right.value))
            except Exception as error:
                return machine.reraise(error)
    return None


def _special(machine: Machine, value: Value, name: str, args: tuple[Value, ...]) -> Value | None:
    """The result of a special method, None where there is none or it declines."""
    if not kinds.is_instance(machine, value) and not kinds.has_methods(value):
        return None
    method = attributes.find_special(machine, value, name)
    if method is None and isinstance(value, Tuple):
        return _of_tuple(machine, value, name, args)
    if method is None and name == "__ne__":
        # what `object.__ne__` does
        same = _special(machine, value, "__eq__", args)
        return same and machine.boolean(_inverse(machine, machine.truth(same)))
    if method is None:
        return None
    result = machine.call(method, args)
    return None if isinstance(result, Const) and result.value is NotImplemented else result


def _of_tuple(machine: Machine, value: Tuple, name: str, args: tuple[Value, ...]) -> Value | None:
    """An operator that a class derived from tuple has from tuple; None if it is not that."""
    symbol = _TUPLE_OPERATORS.get(name)
    if symbol is None or attributes.lookup(machine, value.cls, name)[1] is not tuple:
        return None
    plain = [Tuple(v.items) if isinstance(v, Tuple) else v for v in (value, *args)]
    if symbol != "*" and not isinstance(plain[1], Tuple):
        return None
    return _built_in(machine, symbol, *(plain[::-1] if name == "__rmul__" else plain))


def _runs_code(left: Value, right: Value) -> bool:
    """Whether an operator of two members of enumerations is the program's own code."""
    classes = [type(v.value) for v in (left, right) if isinstance(v, Const) and kinds.has_methods(v)]
    entries = [entry for cls in classes for owner in cls.__mro__ for entry in owner.__dict__.items()]
    own = [(name, entry) for name, entry in entries if isinstance(entry, types.FunctionType)]
    return any(name.strip("_").removeprefix("r") in _OPERATORS and entry.__module__ != "enum" for name, entry in own)


def _inverse(machine: Machine, flag: bool | Var) -> bool | Var:
    return machine.builder.elementwise("bitwise_not", flag) if isinstance(flag, Var) else not flag


def _dunders(
    machine: Machine, left: Value, right: Value, name: str, reflected: str, rich: bool = False
) -> Value | None:
    """The special methods of a binary operator, in CPython's order. A subclass on the right comes first: for arithmetic
    if it has a reflected method of its own, for a rich comparison always, which is reflected for objects of one class,
    too."""
    one, two = machine.type_of(left), machine.type_of(right)
    if two is not one and issubclass(two, one) and kinds.is_instance(machine, right):
        own = attributes.lookup(machine, two, reflected)[0] is not attributes.lookup(machine, one, reflected)[0]
        if rich or own:
            result = _special(machine, right, reflected, (left,))
            if result is not None:
                return result
            return _special(machine, left, name, (right,))
    result = _special(machine, left, name, (right,))
    if result is None and (rich or two is not one):
        result = _special(machine, right, reflected, (left,))
    return result


def compare(machine: Machine, symbol: str, left: Value, right: Value) -> Value:
    """A rich comparison."""
    if symbol in _OF_COMPLEX:
        right = mixed.beside_complex(machine, left, right)
    if isinstance(left, MixedScalar) or isinstance(right, MixedScalar):
        found = mixed.compare(machine, symbol, left, right, compare)
        if found is not None:
            return found
    if isinstance(left, Union) or isinstance(right, Union):
        return unions.over_unions(machine, (left, right), lambda a, b: compare(machine, symbol, a, b))
    if isinstance(left, Const) and isinstance(right, Const) and not kinds.is_numeric_const(left):
        folded = _fold(machine, symbol, left, right)
        if folded is not None:
            return folded
    result = _built_in(machine, symbol, left, right)
    if result is None:
        name, reflected = _COMPARISONS[symbol]
        result = _dunders(machine, left, right, f"__{name}__", f"__{reflected}__", rich=True)
    if result is not None:
        return result
    if symbol in ("==", "!="):
        same = machine.is_(left, right)
        if isinstance(same, Var):
            return machine.boolean(machine.builder.elementwise("bitwise_not", same) if symbol == "!=" else same)
        return Const(same == (symbol == "=="))
    one, two = machine.type_of(left).__name__, machine.type_of(right).__name__
    return machine.raise_(TypeError, f"'{symbol}' not supported between instances of '{one}' and '{two}'")


def unary(machine: Machine, symbol: str, value: Value) -> Value:
    """`-value`, `+value`, `~value`."""
    if isinstance(value, MixedScalar):
        found = mixed.unary(machine, value, lambda v: unary(machine, symbol, v))
        if found is not None:
            return found
    match value:
        case Union():
            return unions.over_unions(machine, (value,), lambda v: unary(machine, symbol, v))
        case JaxArray():
            return jax_arrays.unary(machine, symbol, value)
        case BoundedArray():
            return bounded_arithmetic.unary(machine, symbol, value)
        case NdArray() | NumpyScalar():
            return ufuncs.unary_rule(machine, symbol, value)
        case Scalar():
            found = scalars.unary(machine, symbol, value)
            if found is not None:
                return found
        case Const():
            if isinstance(value.value, np.generic):
                return ufuncs.unary_rule(machine, symbol, value)
            try:
                folded = {"-": lambda v: -v, "+": lambda v: +v, "~": lambda v: ~v}[symbol](value.value)
            except Exception as error:
                return machine.reraise(error)
            return Const(folded)
    result = _special(machine, value, f"__{_UNARY[symbol]}__", ())
    if result is None:
        machine.raise_(TypeError, f"bad operand type for unary {symbol}: '{machine.type_of(value).__name__}'")
    return result


def truth(machine: Machine, value: Value) -> bool | Var:
    """`bool(value)`."""
    match value:
        case MixedScalar():
            return truth(machine, value.python)
        case Union():
            result = unions.over_unions(machine, (value,), lambda v: machine.boolean(truth(machine, v)))
            return kinds.known_truth(result)
        case Const():
            if isinstance(value.value, np.generic) or not kinds.is_external_instance(value.value):
                try:
                    return bool(value.value)
                except Exception as error:
                    machine.reraise(error)
            return _own_truth(machine, value)
        case Scalar():
            return scalars.truth_of_scalar(machine, value)
        case NumpyScalar():
            return _nonzero(machine, value.var)
        case JaxArray() | NdArray():
            return _array_truth(machine, value)
        case BoundedArray():
            return bounded_rules.truth(machine, value)
        case Tuple():
            return len(value.items) > 0 if value.cls is tuple else _own_truth(machine, value)
        case Range():
            length = containers.length(machine, value)
            return truth(machine, length)
        case Function() | BoundMethod():
            return True
        case Ref():
            info = machine.heap.objects[value.object]
            if info.kind in ("list", "tuple", "dict", "set"):
                return truth(machine, containers.length(machine, value))
            if info.kind == "instance":
                return _own_truth(machine, value)
    return True


def _own_truth(machine: Machine, value: Value) -> bool | Var:
    """The truth of an object whose class may define `__bool__` or `__len__`."""
    result = _special(machine, value, "__bool__", ())
    if result is not None:
        if machine.type_of(result) is not bool:
            name = machine.type_of(result).__name__
            machine.raise_(TypeError, f"__bool__ should return bool, returned {name}")
        return truth(machine, result)
    result = _special(machine, value, "__len__", ())
    return True if result is None else truth(machine, result)


def _nonzero(machine: Machine, var: Var) -> Var:
    if var.type.dtype == bool:
        return var
    zero = machine.builder.constant(0, var.type.dtype, var.type.weak)
    return machine.builder.elementwise("ne", var, zero)


def _array_truth(machine: Machine, value: JaxArray | NdArray) -> bool | Var:
    type_ = value.var.type if isinstance(value, JaxArray) else value.type
    size = int(np.prod(type_.shape, dtype=np.int64))
    if size != 1:
        if isinstance(value, JaxArray):
            noun = "array with more than one element" if size else "empty array"
            hint = "Use a.any() or a.all()" if size else "Use `array.size > 0` to check that an array is not empty."
            machine.raise_(ValueError, f"The truth value of an {noun} is ambiguous. {hint}")
        try:
            bool(np.empty(type_.shape, bool))
        except ValueError as error:
            machine.reraise(error)
    var = value.var if isinstance(value, JaxArray) else machine.read(value)
    if type_.shape:
        (var,) = machine.leaf(_scalar, (var,), (), "reshape")
    return _nonzero(machine, var)


def _scalar(x):
    return x.reshape(())


#: classes of constants of which equal ones may be different objects
_EQUAL_AND_DIFFERENT = (float, complex, bytes, tuple, frozenset, range, slice, np.generic)


def identical(machine: Machine, left: Value, right: Value) -> bool | Var:
    """`left is right`."""
    if isinstance(left, Union) or isinstance(right, Union):
        result = unions.over_unions(machine, (left, right), lambda a, b: machine.boolean(identical(machine, a, b)))
        return kinds.known_truth(result)
    if left is right:
        return True
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
    if heap.are_two(left, right):
        machine.world.guard("distinct", heap.found[left.identity], heap.found[right.identity])
    return False


def _compares_fields(machine: Machine, first: int, second: int) -> bool:
    """Whether `is` is asked by the `__eq__` of a dataclass, which from Python 3.13 on looks at the fields only where it
    is False: they say the same, unless one of them is NaN."""
    cls = machine.heap.objects[first].cls
    code: Any = getattr(vars(cls).get("__eq__"), "__code__", None)
    if not dataclasses.is_dataclass(cls) or machine.frames[-1].program.code is not code:
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


def _array_key(machine: Machine, key: Value) -> Value:
    """A key in which integers that are Python's on some paths and NumPy's on others are Python's, objects with
    `__index__` are ints, and lists of ints whose length depends on data are arrays."""
    match key:
        case MixedScalar() if key.python.kind is int:
            return key.python
        case Union() if all(map(indexing.is_integer, key.alternatives)):
            found = [python_int(machine, machine.array(v), known_bounds(v)) for v in key.alternatives]
            *others, chosen = [machine.builder.convert(var, _INT64) for var in found]
            for index, var in reversed(list(enumerate(others))):
                number = machine.builder.constant(index, key.selector.type.dtype)
                here = machine.builder.elementwise("eq", key.selector, number)
                chosen = machine.builder.elementwise("select", here, var, chosen)
            bounds = [known for v in key.alternatives if (known := known_bounds(v)) is not None]
            whole = len(bounds) == len(key.alternatives)
            hull = clip((min(b[0] for b in bounds), max(b[1] for b in bounds))) if whole else None
            return Scalar(int, machine.builder.convert(chosen, _INT64, True), hull)
        case Tuple() if key.cls is tuple:
            return Tuple(tuple(_array_key(machine, item) for item in key.items))
        case Slice():
            return Slice(*(_bound(machine, part) for part in (key.start, key.stop, key.step)))
        case Ref() if kinds.is_instance(machine, key):
            method = attributes.find_special(machine, key, "__index__")
            return key if method is None else machine.call(method, ())
        case Ref() if machine.heap.objects[key.object].kind == "tuple":
            raise Refused("XP0004", "a tuple whose length depends on data, as an index of an array")
        case Ref():
            return stack_arrays.as_index(machine, key) or key
    return key


def _position(machine: Machine, value: Value, key: Value) -> Value:
    """A key of a sequence, to which it makes no difference whether a number is Python's or NumPy's."""
    if isinstance(key, MixedScalar) and key.python.kind is int and machine.type_of(value) in (list, tuple, range):
        return key.python
    return key


def _bound(machine: Machine, part: Value) -> Value:
    """The bound of a slice; an integer array without dimensions is its number."""
    part = _array_key(machine, part)
    if not isinstance(part, NdArray | JaxArray):
        return part
    var = machine.array(part)
    if var.type.shape != () or var.type.dtype.kind not in "iu":
        machine.raise_(TypeError, "only integer scalar arrays can be converted to a scalar index")
    return NumpyScalar(var)


def getitem(machine: Machine, value: Value, key: Value) -> Value:
    """`value[key]`."""
    if isinstance(value, JaxArray | NdArray | NumpyScalar | BoundedArray):
        key = _array_key(machine, key)
        part = unions.union_in(key)
        if part is not None and part is not key:
            return unions.over_parts(machine, key, lambda k: getitem(machine, value, k))
    match value:
        case Union():
            found = containers.getitem_of_row(machine, value, key)
            return found or unions.over_unions(machine, (value,), lambda v: getitem(machine, v, key))
        case JaxArray():
            return jax_arrays.getitem(machine, value, key)
        case NdArray() if flat_iterator.is_flat(value):
            return flat_iterator.getitem(machine, value, key)
        case NdArray() | NumpyScalar() | BoundedArray():
            return bounded_indexing.getitem(machine, value, key)
    key = _position(machine, value, key)
    if isinstance(key, Union) and not containers.takes_unions(machine, value):
        return unions.over_unions(machine, (key,), lambda k: getitem(machine, value, k))
    if kinds.is_instance(machine, value):
        result = _special(machine, value, "__getitem__", (key,))
        if result is not None:
            return result
        lacks(machine, machine.type_of(value), "__getitem__", "is not subscriptable")
    if isinstance(value, Const) and isinstance(value.value, type):
        return objects.subscript_class(machine, value, key)
    return containers.getitem(machine, value, key)


def setitem(machine: Machine, value: Value, key: Value, item: Value) -> None:
    """`value[key] = item`."""
    if isinstance(item, MixedScalar) and isinstance(value, JaxArray | NdArray | BoundedArray):
        item = mixed.stored(machine, value, item)
        if isinstance(item, Union):
            unions.over_unions(machine, (item,), lambda v: setitem(machine, value, key, v) or NONE)
            return
    if isinstance(value, JaxArray | NdArray | BoundedArray):
        key = _array_key(machine, key)
        if unions.union_in(key) is not None:
            unions.over_parts(machine, key, lambda k: setitem(machine, value, k, item) or NONE)
            return
    if isinstance(value, Union):
        if not containers.setitem_of_row(machine, value, key, item):
            unions.over_unions(machine, (value,), lambda v: setitem(machine, v, key, item) or NONE)
    elif isinstance(value, NdArray) and flat_iterator.is_flat(value):
        flat_iterator.setitem(machine, value, key, item)
    elif isinstance(value, NdArray | BoundedArray):
        bounded_indexing.setitem(machine, value, key, item)
    elif isinstance(value, JaxArray):
        jax_arrays.setitem(machine, value, key, item)
    elif kinds.is_instance(machine, value):
        if _special(machine, value, "__setitem__", (key, item)) is None:
            lacks(machine, machine.type_of(value), "__setitem__", "does not support item assignment")
    else:
        containers.setitem(machine, value, _position(machine, value, key), item)


def delitem(machine: Machine, value: Value, key: Value) -> None:
    """`del value[key]`."""
    if kinds.is_instance(machine, value):
        if _special(machine, value, "__delitem__", (key,)) is None:
            lacks(machine, machine.type_of(value), "__delitem__", "does not support item deletion")
    else:
        containers.delitem(machine, value, _position(machine, value, key))


def iterate(machine: Machine, value: Value) -> list[Value]:
    """All items of an iterable whose length is known at compile time, or is asked for."""
    return iteration.items(machine, value)


__all__ = ["UNBOUND", "binary", "compare", "truth", "unary"]
