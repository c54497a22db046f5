"""Python scalars as device values: what the rules of operators, built-ins and `math` share.

Intervals of ints (`bounds`) are propagated: they let comparisons fold, and checks of indices be left out. An interval
that would leave 64 bits is cut there, as if ints did not wrap around.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import wraps

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import kinds
from xlapy.dispatch.protocol import Refused
from xlapy.domain.numbers import SCALAR_DTYPES, known_bounds, scalar_type
from xlapy.domain.values import Const, JaxArray, NumpyScalar, Scalar, Union, Value, number_var, substitute
from xlapy.ir import Location, Var, constant_value
from xlapy.report import Blocker, NotOffloadableError

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
#: ints up to here are floats exactly
EXACT = 2**53
RANK = {bool: 0, int: 1, float: 2, complex: 3}

BINARY: dict[str, Callable] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
COMPARISONS: dict[str, Callable] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
UNARY: dict[str, Callable] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
PREDICATE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul"}
_BITS = {"&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"}


def provoke(function: Callable, *args: object) -> BaseException:
    """The exception that this Python raises for `function(*args)`."""
    try:
        function(*args)
    except Exception as error:
        return error
    raise AssertionError(f"{function} does not raise for {args}")


def stand_in(cls: type, methods: Mapping[str, Callable] | None = None) -> object:
    """An object with these methods only whose class is shown as `cls` is, for `provoke`."""
    name = kinds.shown(cls)
    in_c = name != cls.__name__ or cls.__module__ == "builtins"
    named = {"__module__": "builtins"} if in_c else {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
    return type(name, (), {**named, **(methods or {})})()


#: what a special method has to return, and a function that complains of anything else
_RETURNS: dict[str, tuple[type, Callable]] = {
    "__complex__": (complex, complex),
    "__float__": (float, float),
    "__hash__": (int, hash),
    "__index__": (int, operator.index),
    "__int__": (int, int),
    "__repr__": (str, repr),
    "__str__": (str, str),
}


def of_special(machine, value: Value, name: str, result: Value) -> Value:
    """What a special method of a user's object has returned, if it is what such a method may return."""
    cls, function = _RETURNS.get(name, (object, repr))
    if isinstance(result, Union) or issubclass(machine.type_of(result), cls):
        return result
    returned = stand_in(machine.type_of(result))
    wrong = stand_in(machine.type_of(value), {name: lambda self: returned})
    return machine.raise_(TypeError, str(provoke(function, wrong)))


def kind_of(value: Value) -> type | None:
    """bool, int, float or complex if `value` is such a Python scalar (or of a subclass, like an IntEnum), else None."""
    if isinstance(value, Scalar):
        return value.kind
    if isinstance(value, Const) and not isinstance(value.value, np.generic):
        for kind in (bool, int, float, complex):
            if isinstance(value.value, kind):
                return kind
    return None


def defines(machine, cls: type, name: str) -> bool:
    """Whether instances of a class have a special method: the metaclass's own does not count."""
    found, owner = machine.world.lookup(cls.__mro__, name)
    return owner is not None and found is not None


def lacks(machine, cls: type, name: str, what: str):
    """Raise CPython's TypeError, which says `what` of an object of a class without a special method; refuse a class
    that has it in compiled code."""
    refuse_compiled(machine, cls, name)
    return machine.raise_(TypeError, f"'{kinds.shown(cls)}' object {what}")


def refuse_compiled(machine, cls: type, name: str) -> None:
    """Refuse a class that has a special method in compiled code."""
    if defines(machine, cls, name):
        raise Refused("XP0003", f"'{cls.__module__}.{cls.__qualname__}.{name}' is compiled code and has no rule")


def fold(machine, function: Callable, /, *args: object, **kwargs: object) -> Const:
    """Call Python itself; what it raises, the program raises."""
    machine.world.runs(*args)
    try:
        return Const(function(*args, **kwargs))
    except Refused:
        raise
    except Exception as error:
        return machine.raise_(type(error), *error.args)


def check(machine, bad: Var | bool, error: BaseException) -> None:
    """Raise a copy of `error` where `bad` is true."""
    if isinstance(bad, Var):
        known = constant_value(bad)
        if known is None:
            machine.check(bad, type(error), *error.args)
            return
        bad = bool(known)
    if bad:
        machine.raise_(type(error), *error.args)


_NUMBERS = (Scalar, NumpyScalar, JaxArray)


def surviving(rule: Callable) -> Callable:
    """A rule of scalars that may raise. Where it does, and somebody may catch that, its result does not count: it is
    applied again, to operands that have no derivative there, where it may be infinite."""

    @wraps(rule)
    def wrapped(machine, /, *args: Value, **kwargs: Value) -> Value:
        mark = len(machine.pending)
        result = rule(machine, *args, **kwargs)
        raised = machine.pending[mark:]
        if not raised or not any(isinstance(a, _NUMBERS) for a in args):
            return result
        bad = raised[0][0]
        for more, _ in raised[1:]:
            bad = machine.builder.elementwise("bitwise_or", bad, more)
        passes = machine.builder.elementwise("bitwise_not", bad)

        def alive(value: Value) -> Value:
            known = isinstance(value, _NUMBERS)
            return substitute(value, lambda var: machine.builder.live(passes, var)) if known else value

        result = rule(machine, *map(alive, args), **kwargs)
        del machine.pending[mark + len(raised) :]
        return result

    return wrapped


#: one list for each blocker, so that the iterations of a loop agree about it
_LISTS: dict[Blocker, list[Blocker]] = {}


def refuse_where(
    machine, bad: Var | bool, code: str, message: str, hint: str = "", place: Location | None = None
) -> None:
    """Raise `NotOffloadableError` after the run where `bad` is true: nothing is written back then, and no handler of
    the program's sees it."""
    bad = bad if isinstance(bad, Var) else machine.builder.constant(bad)
    known = constant_value(bad)
    if known is not None and not known:
        return
    place = place or machine.builder.location()
    blocker = Blocker(code, message, hint=hint)
    if place is not None:
        blocker = Blocker(
            code,
            message,
            place.filename,
            place.function,
            place.line,
            place.end_line,
            place.column,
            place.end_column,
            (),
            hint,
        )
    name = place.function if place is not None else "the function"
    machine.register_error(bad, machine.exception(NotOffloadableError, name, _LISTS.setdefault(blocker, [blocker])))


def refuse_nan(machine, keys: Var, length: Var | None = None) -> None:
    """Refuse the call where one of the first `length` keys of a sort is NaN: where it then lands depends on the
    algorithm of CPython, which asks `<` only."""
    if keys.type.dtype.kind == "f":
        operands = [keys] if length is None else [keys, length]
        bad = machine.leaf(_has_nan, operands, (), "isnan")[0]
        refuse_where(machine, bad, "XP0013", "sorting numbers of which one is NaN", "take NaN away before")


def _has_nan(keys, length=None):
    bad = jnp.isnan(keys)
    return bad.any() if length is None else (bad & (jnp.arange(keys.shape[0]) < length)).any()


def device(machine, value: Value, kind: type) -> Var:
    """A Python scalar as a device scalar of `kind`'s dtype."""
    expected = scalar_type(kind)
    if isinstance(value, Const):
        number = value.value
        if kind is int and not INT_MIN <= number <= INT_MAX:
            raise Refused("XP0005", f"the int {str(number)[:40]} does not fit 64 bits", "use a float")
        if kind is float and isinstance(number, int):
            number = fold(machine, float, number).value
        return machine.builder.constant(number, expected.dtype, True)
    var = number_var(value)
    if var.type.dtype == bool and kind in (float, complex):
        # XLA makes a select of the product of a converted boolean with a float, and loses NaN and the sign of zero
        one, zero = (machine.builder.constant(number, expected.dtype, True) for number in (1, 0))
        return machine.builder.elementwise("select", var, one, zero)
    if kind is int:
        var = python_int(machine, var)
    return machine.builder.convert(var, expected.dtype, True)


def python_int(machine, var: Var, bounds: tuple[int, int] | None = None) -> Var:
    """Integers (one, or an array of them) with the dtype of Python's ints; the program is refused at run time where an
    unsigned one does not fit it.

    Args:
        bounds: an interval that contains them, if one is known.
    """
    bad = too_large(machine, var, bounds)
    if bad is not None:
        message = f"an unsigned integer of {8 * var.type.dtype.itemsize} bits that is too large for a signed one is"
        refuse_where(machine, bad, "XP0005", f"{message} made an int", "keep it NumPy's, or make it a float")
    return machine.builder.convert(var, SCALAR_DTYPES[int], var.type.weak)


def too_large(machine, var: Var, bounds: tuple[int, int] | None = None) -> Var | None:
    """Whether (any of) these unsigned integers do not fit the dtype of Python's ints; None if they always do."""
    dtype = var.type.dtype
    if dtype.kind != "u":
        return None
    most = int_info(machine).max
    if np.iinfo(dtype).max <= most or (bounds is not None and bounds[1] <= most):
        return None
    limit = machine.builder.constant(most, dtype, var.type.weak)
    bad = machine.builder.elementwise("gt", var, machine.builder.broadcast(limit, var.type.shape))
    return bad if not var.type.shape else machine.leaf(jnp.any, [bad], name="any")[0]


def scalar(machine, kind: type, var: Var, bounds: tuple[int, int] | None = None) -> Value:
    """A Python scalar with this device value; known if the device value is."""
    known = constant_value(var)
    if known is not None:
        return Const(kind(known[()]))
    if kind is bool:
        return Scalar(bool, var)
    if kind is int:
        var, bounds = python_int(machine, var, bounds), clip(bounds)
    else:
        bounds = None
    if bounds is not None and bounds[0] == bounds[1]:
        return Const(bounds[0])
    var = machine.builder.convert(var, SCALAR_DTYPES[kind], True)
    return Scalar(kind, var, bounds)


def clip(bounds: tuple[int, int] | None) -> tuple[int, int] | None:
    """Bounds within 64 bits; None if they say nothing."""
    if bounds is None:
        return None
    low, high = max(bounds[0], INT_MIN), min(bounds[1], INT_MAX)
    return None if (low, high) == (INT_MIN, INT_MAX) or low > high else (low, high)


def bounds_of(value: Value) -> tuple[int, int]:
    """An interval that contains an int or bool: all of 64 bits if nothing is known."""
    if isinstance(value, Scalar) and value.kind is bool:
        return (0, 1)
    return known_bounds(value) or (INT_MIN, INT_MAX)


def constant(machine, number: object, like: Var) -> Var:
    """A constant of the dtype of `like`."""
    return machine.builder.constant(number, like.type.dtype, like.type.weak)


def logical_not(machine, flag: Var | bool) -> Var | bool:
    """`not flag` for a Python bool or a device bool."""
    return machine.builder.elementwise("bitwise_not", flag) if isinstance(flag, Var) else not flag


def logical_and(machine, a: Var | bool, b: Var | bool) -> Var | bool:
    """`a and b`, both already computed."""
    if isinstance(a, Var) and isinstance(b, Var):
        return machine.builder.elementwise("bitwise_and", a, b)
    return (b if a else False) if not isinstance(a, Var) else (a if b else False)


def logical_or(machine, a: Var | bool, b: Var | bool) -> Var | bool:
    """`a or b`, both already computed."""
    if isinstance(a, Var) and isinstance(b, Var):
        return machine.builder.elementwise("bitwise_or", a, b)
    return (True if a else b) if not isinstance(a, Var) else (True if b else a)


def int_info(machine) -> np.iinfo:
    """What the integers that stand for Python's can be."""
    return np.iinfo(machine.builder.narrowed(SCALAR_DTYPES[int]))


def bounds_of_any(value: Value) -> tuple[int, int]:
    """Bounds of an int, which may be one beyond 64 bits."""
    return (int(value.value), int(value.value)) if isinstance(value, Const) else bounds_of(value)
