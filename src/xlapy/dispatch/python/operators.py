"""Operators, found as Python finds them.

Built-in types have rules in the tables; classes of the user are asked for their special methods, the right operand's
reflected method first where its type is a subclass of the left one's.
"""

from __future__ import annotations

import collections
import operator
import types
from typing import Any

import numpy as np

from xlapy.dispatch import kinds, registry, unions
from xlapy.dispatch.bounded import bounded_elementwise, growable_list_arrays
from xlapy.dispatch.containers import container_subclasses
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.jax import jax_arrays
from xlapy.dispatch.numbers import mixed, range_objects, scalars
from xlapy.dispatch.numbers.scalar_values import defines
from xlapy.dispatch.numpy import ufuncs
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.python import attributes
from xlapy.dispatch.symbols import BINARY
from xlapy.domain.values import (
    BoundedArray,
    Const,
    JaxArray,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Tuple,
    Union,
    Value,
    is_none,
)
from xlapy.ir import Var

_COMPARISONS = {
    "<": ("lt", "gt"),
    "<=": ("le", "ge"),
    ">": ("gt", "lt"),
    ">=": ("ge", "le"),
    "==": ("eq", "eq"),
    "!=": ("ne", "ne"),
}
_REFLECTED = {s: next(r for r, (name, _) in _COMPARISONS.items() if name == n) for s, (_, n) in _COMPARISONS.items()}
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
_OPERATORS = frozenset([*BINARY.values(), *(name for name, _ in _COMPARISONS.values())])


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
    for step in (_by_method, _folded, _repeated):
        result = step(machine, symbol, left, right)
        if result is not None:
            return result
    _sequence_declines(machine, symbol, left, right)
    one, two = iteration.type_name(machine, left), iteration.type_name(machine, right)
    shown = {"**": "** or pow()"}.get(symbol, symbol)
    return machine.raise_(TypeError, f"unsupported operand type(s) for {shown}: '{one}' and '{two}'")


def _by_method(machine: Machine, symbol: str, left: Value, right: Value) -> Value | None:
    """An operator as the operands' classes define it: in place, by a rule, or by a method of either."""
    plain = symbol.removesuffix("=")
    if plain != symbol and kinds.is_instance(machine, left):
        result = special(machine, left, f"__i{BINARY[plain]}__", (right,))
        if result is not None:
            return result
    result = _built_in(machine, symbol, left, right)
    if result is None and symbol == "|=" and machine.type_of(left) in (dict, collections.defaultdict):
        machine.call(machine.getattr(left, "update"), [right])
        return left
    if result is None:
        name = BINARY[plain]
        result = _dunders(machine, symbol, left, right, f"__{name}__", f"__r{name}__")
    if result is None and symbol == "+=" and machine.type_of(left) in _GROWING:
        result = registry.OPERATORS[machine.type_of(left)](machine, symbol, left, right)  # by any iterable
    return result


def _repeated(machine: Machine, symbol: str, left: Value, right: Value) -> Value | None:
    """A sequence multiplied by an object that is an index."""
    for sequence, count in ((left, right), (right, left)) if symbol.removesuffix("=") == "*" else ():
        if (
            machine.type_of(sequence) in _SEQUENCES
            and isinstance(count, Ref)
            and range_objects.is_index(machine, count)
        ):
            number = range_objects.index(machine, count)
            return binary(machine, symbol if sequence is left else "*", sequence, number)
    return None


_REAL = {
    **{s: getattr(operator, n if n not in ("and", "or") else n + "_") for s, n in BINARY.items()},
    **{f"{s}=": getattr(operator, f"i{n}") for s, n in BINARY.items()},
    **{s: getattr(operator, n) for s, (n, _) in _COMPARISONS.items()},
}


def _sequence_declines(machine: Machine, symbol: str, left: Value, right: Value) -> None:
    """Raise what a list or a tuple says of what cannot be added to it, or multiplied by."""
    classes = [machine.type_of(v) for v in (left, right)]
    if symbol.removesuffix("=") not in ("+", "*") or not any(cls in _SEQUENCES for cls in classes):
        return
    pairs = zip(classes, (left, right), (right, left), strict=True)
    samples = [cls() if cls in _SEQUENCES else _sample(machine, value, other) for cls, value, other in pairs]
    if not any(s is NotImplemented for s in samples):
        try:
            _REAL[symbol](*samples)
        except TypeError as error:
            machine.reraise(error)


_SEQUENCES = (list, tuple, collections.deque, str, bytes)
_GROWING = (list, collections.deque)
#: classes whose operators have rules
_RULED = (int, float, complex, str, bytes, tuple, frozenset, type(None), type, np.generic, types.FunctionType)


def _folded(machine: Machine, symbol: str, left: Value, right: Value) -> Value | None:
    """An operator of a known object, of a class that has it in compiled code, and a number that is known if need be.

    Raises:
        PythonError: what Python or NumPy raise for such operands.
        Refused: NumPy makes an array of objects.
    """
    samples = [_sample(machine, left, right), _sample(machine, right, left)]
    if any(s is NotImplemented for s in samples):
        return None
    beside_array = any(isinstance(v, NdArray | NumpyScalar) for v in (left, right))
    foreign = [v.value for v in (left, right) if isinstance(v, Const) and not isinstance(v.value, _RULED)]
    equality = symbol in ("==", "!=")
    if not foreign and (equality or not beside_array):
        return None
    if equality and all(type(s).__eq__ is object.__eq__ for s in foreign):
        return None
    try:
        found = _REAL[symbol](*samples)
    except TypeError as error:
        machine.reraise(error)
    except Exception:
        found = None
    if beside_array:
        names = " and ".join(machine.type_of(v).__name__ for v in (left, right))
        raise Refused("XP0003", f"NumPy makes an array of objects for '{symbol}' between {names}")
    if equality and found is (symbol == "!=") and _is_by_identity(*samples):
        return None
    if not all(isinstance(v, Const | Scalar) for v in (left, right)):
        return None
    fixed = [
        v if isinstance(v, Const) else Const(machine.static(v, f"an operand of '{symbol}'")) for v in (left, right)
    ]
    return _fold(machine, symbol, *fixed)


def _is_by_identity(left: Any, right: Any) -> bool:
    """Whether neither object knows how to compare itself with the other."""
    pairs = (left, right), (right, left)
    return all(_equal_of(type(one), one, other) is NotImplemented for one, other in pairs)


def _equal_of(cls: Any, one: Any, other: Any) -> Any:
    return cls.__eq__(one, other)


#: kinds of objects that are no sequences for NumPy
_OBJECTS = ("dict", "set", "view", "iterator", "generator", "instance")


def _sample(machine: Machine, value: Value, other: Value) -> Any:
    """An object like a value, for the messages of an operator that has another operand beside it."""
    match value:
        case NdArray():
            return np.ones(tuple(min(n, 1) for n in value.type.shape), value.type.dtype)
        case NumpyScalar():
            return value.var.type.dtype.type(1)
        case Scalar():
            return value.kind(1)
        case Const():
            return value.value if not isinstance(value.value, np.ndarray) else NotImplemented
        case Ref() if machine.heap.objects[value.object].kind in _OBJECTS:
            # the message gives the name of its class alone
            cls = machine.heap.objects[value.object].cls
            numpy = type(other) in _PRIORITY
            own: dict[str, Any] = {"__array_priority__": 1} if numpy and _has_priority(machine, value, other) else {}
            if attributes.lookup(machine, cls, "__array_ufunc__")[1] is not None:
                own["__array_ufunc__"] = None
            return type(cls.__name__, (), own)()
    return NotImplemented


def _built_in(machine: Machine, symbol: str, left: Value, right: Value) -> Value | None:
    """The rule of the built-in types involved: a JAX array's goes first, then NumPy's, then the left operand's."""
    fills = symbol in ("%", "%=") and machine.type_of(left) in (str, bytes)  # a template takes objects of all classes
    if not fills and (kinds.is_instance(machine, left) or kinds.is_instance(machine, right)):
        numeric = isinstance(left, NdArray | NumpyScalar | JaxArray) or isinstance(
            right, NdArray | NumpyScalar | JaxArray
        )
        if not numeric or kinds.is_instance(machine, right) or kinds.is_instance(machine, left):
            return None
    if isinstance(left, BoundedArray) or isinstance(right, BoundedArray):
        return bounded_elementwise.operator(machine, symbol, left, right)
    if isinstance(left, JaxArray) or isinstance(right, JaxArray):
        if not (isinstance(left, NdArray) and symbol.endswith("=") and symbol not in ("==", "<=", ">=", "!=")):
            return jax_arrays.operator(machine, symbol, left, right)
    made = growable_list_arrays.tuple_with_array(machine, symbol, left, right)
    if made is not None:
        return made
    classes = (machine.type_of(left), machine.type_of(right))
    for cls in sorted(classes, key=_priority, reverse=True):
        rule = registry.find_operator(cls)
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
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "**": lambda a, b: a**b,
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


def special(machine: Machine, value: Value, name: str, args: tuple[Value, ...]) -> Value | None:
    """The result of a special method, None where there is none or it declines."""
    if not kinds.is_instance(machine, value) and not kinds.has_methods(value):
        return None
    method = attributes.find_special(machine, value, name)
    if method is None and isinstance(value, Tuple):
        return _of_tuple(machine, value, name, args)
    if method is None:
        _check_callable(machine, value, name)
    if method is None and name == "__ne__":
        # what `object.__ne__` does
        same = special(machine, value, "__eq__", args)
        return same and machine.boolean(_inverse(machine, machine.truth(same)))
    if method is None:
        _refuse_compiled(machine, value, name)
        return None
    result = machine.call(method, args)
    return None if isinstance(result, Const) and result.value is NotImplemented else result


def _check_callable(machine: Machine, value: Value, name: str) -> None:
    """The TypeError where a class says `__ne__ = None`."""
    found, owner = attributes.lookup(machine, machine.type_of(value), name)
    if owner is not None and (found is None or isinstance(found, Const) and found.value is None):
        machine.raise_(TypeError, "'NoneType' object is not callable")


def _refuse_compiled(machine: Machine, value: Value, name: str) -> None:
    """Refuse an operator that a class has in compiled code."""
    cls = machine.type_of(value)
    _, owner = attributes.lookup(machine, cls, name)
    if owner is not None and owner.__module__ not in ("builtins", "numpy", "enum"):
        raise Refused("XP0003", f"'{cls.__module__}.{cls.__qualname__}.{name}' is compiled code and has no rule")


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
    machine: Machine, symbol: str, left: Value, right: Value, name: str, reflected: str, rich: bool = False
) -> Value | None:
    """The special methods of a binary operator, in CPython's order. A subclass on the right comes first: for arithmetic
    if it has a reflected method of its own, for a rich comparison always, which is reflected for objects of one class,
    too."""
    if _meets_numpy(machine, left, right):
        return _beside_numpy(machine, symbol, left, right, name, reflected, rich)
    one, two = machine.type_of(left), machine.type_of(right)
    if two is not one and issubclass(two, one) and kinds.is_instance(machine, right):
        own = attributes.lookup(machine, two, reflected)[0] is not attributes.lookup(machine, one, reflected)[0]
        if rich or own:
            result = special(machine, right, reflected, (left,))
            if result is not None:
                return result
            return special(machine, left, name, (right,))
    result = special(machine, left, name, (right,))
    if result is None and (rich or two is not one):
        result = special(machine, right, reflected, (left,))
    return result


def _meets_numpy(machine: Machine, left: Value, right: Value) -> bool:
    """Whether one operand is NumPy's, and the other one an object whose class may define operators."""
    for value, other in ((left, right), (right, left)):
        if isinstance(value, NdArray | NumpyScalar | BoundedArray):
            return kinds.is_instance(machine, other) or kinds.has_methods(other)
    return False


def _beside_numpy(
    machine: Machine, symbol: str, left: Value, right: Value, name: str, reflected: str, rich: bool
) -> Value | None:
    """The special methods of an operator of an array or number of NumPy's and an object of another class. NumPy leaves
    the operator to a class that asks for that; else it applies it to each element, as a number of Python's."""
    first = isinstance(left, NdArray | NumpyScalar | BoundedArray)
    numpy, other = (left, right) if first else (right, left)
    cls, method = machine.type_of(other), reflected if first else name
    if not first:
        result = special(machine, other, name, (numpy,))
        if result is not None:
            return result
    owner = attributes.lookup(machine, cls, "__array_ufunc__")[1]
    if owner is not None:
        if not is_none(machine.getattr(other, "__array_ufunc__")):
            raise Refused("XP0003", f"the __array_ufunc__ of class {cls.__name__}")
        in_place = symbol.endswith("=") and isinstance(left, NdArray | BoundedArray)
        if not rich and (in_place or not first):
            machine.raise_(TypeError, f"operand '{cls.__name__}' does not support ufuncs (__array_ufunc__=None)")
    apart = isinstance(numpy, NumpyScalar) and symbol.startswith("@")
    if owner is not None or apart or (first or rich) and _has_priority(machine, other, numpy):
        return special(machine, other, method, (numpy,)) if first else None
    if isinstance(other, Tuple):
        operands = (numpy, Tuple(other.items)) if first else (Tuple(other.items), numpy)
        return _built_in(machine, symbol, *operands)
    beside = _as_array(machine, other)
    if beside is not None:
        again = compare if rich else binary
        return again(machine, symbol, *((numpy, beside) if first else (beside, numpy)))
    return _of_elements(machine, symbol, numpy, other, method)


def _as_array(machine: Machine, value: Value) -> Value | None:
    """What NumPy takes an object for; None if it is for nothing but an object."""
    if attributes.find_special(machine, value, "__array__") is not None:
        return machine.call(Const(np.asarray), [value])
    plain = container_subclasses.plain(machine, value)
    return None if plain is value else plain


def _has_priority(machine: Machine, value: Value, numpy: Value) -> bool:
    """Whether an object has an `__array_priority__` above that of NumPy's arrays, or of its numbers."""
    if attributes.lookup(machine, machine.type_of(value), "__array_priority__")[1] is None:
        return False
    return machine.static(machine.getattr(value, "__array_priority__"), "__array_priority__") > _PRIORITY[type(numpy)]


#: what NumPy has for these
_PRIORITY = {NdArray: 0.0, BoundedArray: 0.0, NumpyScalar: -1e6}


def _of_elements(machine: Machine, symbol: str, numpy: Value, other: Value, method: str) -> Value | None:
    """An operator that NumPy applies to each element and an object; None where the object has none."""
    cls = machine.type_of(other)
    if any(defines(machine, cls, n) for n in _LIKE_ARRAYS) or all(defines(machine, cls, n) for n in _LIKE_SEQUENCES):
        raise Refused("XP0005", f"an object of class {cls.__name__} is used as an array", _LIKE_ARRAYS_HINT)
    in_place = symbol.endswith("=") and symbol not in _COMPARISONS
    without_axes = isinstance(numpy, NdArray) and not numpy.type.shape and symbol not in ("@", *_COMPARISONS)
    if isinstance(numpy, NumpyScalar) or without_axes and not in_place:
        return special(machine, other, method, (machine.call(machine.getattr(numpy, "item"), []),))
    by_default = attributes.lookup(machine, cls, method)[1] in (None, object)
    if by_default and method == "__ne__":
        by_default = attributes.lookup(machine, cls, "__eq__")[1] is object
    if isinstance(numpy, NdArray) and 0 not in numpy.type.shape:
        if by_default and method in ("__eq__", "__ne__"):
            return machine.new_array(machine.builder.constant(np.full(numpy.type.shape, method == "__ne__")))
        if by_default or in_place:
            return None
    raise Refused(
        "XP0005",
        f"an operator of an array and an object of class {cls.__name__}, which NumPy applies to each element of the"
        " array: XLA has no arrays of objects",
        f"set `__array_ufunc__ = None` in class {cls.__name__}, and NumPy leaves the operator to the object",
    )


#: what makes an object an array for NumPy
_LIKE_ARRAYS = ("__array__", "__array_interface__", "__array_struct__", "__buffer__")
_LIKE_SEQUENCES = ("__len__", "__getitem__")
_LIKE_ARRAYS_HINT = "pass arrays, numbers, or containers and objects that hold them"


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
    name, reflected = _COMPARISONS[symbol]
    if isinstance(right, NdArray) and machine.type_of(left) in (list, tuple):
        # lists leave it to the array
        return compare(machine, _REFLECTED[symbol], right, left)
    result = _built_in(machine, symbol, left, right)
    if result is None:
        result = _dunders(machine, symbol, left, right, f"__{name}__", f"__{reflected}__", rich=True)
    if result is not None:
        return result
    folded = _folded(machine, symbol, left, right)
    if folded is not None:
        return folded
    if symbol in ("==", "!="):
        same = machine.is_(left, right)
        if isinstance(same, Var):
            return machine.boolean(machine.builder.elementwise("bitwise_not", same) if symbol == "!=" else same)
        return Const(same == (symbol == "=="))
    one, two = iteration.type_name(machine, left), iteration.type_name(machine, right)
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
            return bounded_elementwise.unary(machine, symbol, value)
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
    name = f"__{_UNARY[symbol]}__"
    result = special(machine, value, name, ())
    rule = registry.find_method(machine.type_of(value), name) if result is None else None
    if rule is not None:
        return rule(machine, value)
    if result is None:
        machine.raise_(TypeError, f"bad operand type for unary {symbol}: '{kinds.shown(machine.type_of(value))}'")
    return result


__all__ = ["binary", "compare", "special", "unary"]
