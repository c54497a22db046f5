"""Numbers that a loop makes wider, and questions after their type.

`total = 0`, to which each iteration adds a float, is a float from the start of a loop that stays a loop: one number is
held, of one type, and what is computed with it is the same. Where the program asks what it is, or does with the one
what it cannot do with the other, the loop is analysed in another way: its first iteration is a case of its own, as in
CPython.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from xlapy.dispatch.python import functools_module
from xlapy.domain.numbers import numeric
from xlapy.domain.object_names import JoinFailure
from xlapy.domain.values import BoundMethod, Const, JaxArray, NdArray, NumpyScalar, Ref, Scalar, Tuple, Value
from xlapy.frontend import Op
from xlapy.ir import Operation, Var
from xlapy.ir.operations import OF_JAXPRS

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

#: how many operations are followed from a number back to what it was computed from
_FAR = 400
#: element-wise operations that give a float of integers, too
_FLOATS = frozenset("sqrt exp exp2 expm1 log log1p sin cos tan tanh sinh cosh asin acos atan atan2".split())
#: operations that read elements of arrays
_READING = OF_JAXPRS | {"part"}
#: functions that tell what class of number their first argument is
_OF_ITSELF = (isinstance, type, hasattr, getattr, hash)
#: functions whose results tell what class of number their arguments are, or what these hold
_ASKING = (
    str, repr, format, ascii, print,
    np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.full, np.full_like, np.zeros_like, np.ones_like,
    np.empty_like, np.arange, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.repeat, np.tile, np.cumsum, np.cumprod,
    np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack, np.append, np.insert, np.result_type, np.can_cast,
    np.isscalar, np.min_scalar_type, np.array_repr, np.array_str,
)  # fmt: skip
#: a number of each of Python's classes
_SAMPLES: dict[Any, complex] = {bool: True, int: 0, float: 0.0, complex: 0j}
#: the types of NumPy's that hold Python's numbers
_WIDEST = tuple(map(np.dtype, ("int64", "float64", "complex128")))
#: attributes of all numbers
_ATTRIBUTES = ("real", "imag", "conjugate")
#: operations that ask
_ASKING_OPERATIONS = frozenset(("format", "convert", "match_class"))
#: operations that are looked at
LOOKED_AT = _ASKING_OPERATIONS | {"getattr", "call", "call_ex", "enter", "binary", "inplace", "compare"}


class Asked(JoinFailure):
    """The program asks after the type of a number that a loop has made wider: `loop` is the key of that."""

    def __init__(self, widened: Widened, value: Value) -> None:
        super().__init__(widened.before, value)
        self.loop = widened.loop


class Widened(NamedTuple):
    """A number that is another one at the head of a loop than before it: the loop's key, what it was, and whether
    arithmetic on it gives the same in both types."""

    loop: tuple
    before: Value
    exact: bool


def note(machine: Machine, loop: tuple, before: Sequence[Value], at_head: Sequence[Value]) -> list[Var]:
    """Note which numbers at the head of a loop are wider than before it, as long as its body is analysed."""
    noted: list[Var] = []
    for one, two in zip(before, at_head, strict=True):
        for old, new in _pairs(one, two):
            var = new.var if isinstance(new, Scalar | NumpyScalar | JaxArray) else None
            if var is None or old is new:
                continue
            kind = numeric(old)
            if kind is not None and kind != numeric(new):
                machine.widened[var] = Widened(loop, old, _is_exact(old, new))
                noted.append(var)
            elif machine.widened and isinstance(old, Scalar | NumpyScalar):
                origin = _origin(machine, old.var)
                if origin is not None:
                    machine.widened[var] = origin
                    noted.append(var)
    return noted


def _pairs(before: Value, at_head: Value) -> Iterator[tuple[Value, Value]]:
    if isinstance(before, Tuple) and isinstance(at_head, Tuple) and len(before.items) == len(at_head.items):
        for one, two in zip(before.items, at_head.items, strict=True):
            yield from _pairs(one, two)
    else:
        yield before, at_head


def look(machine: Machine, op: Op, args: Sequence[Value]) -> None:
    """Raise `Asked` if an operation gives another result for a number that was made wider than for what it was."""
    if op.kind in _ASKING_OPERATIONS:
        _require_told(machine, args)
    elif op.kind == "getattr":
        if op.imm not in _ATTRIBUTES and isinstance(args[0], Scalar | NumpyScalar):
            _require_told(machine, args)
    elif op.kind in ("binary", "inplace", "compare"):
        if op.imm == "%" and isinstance(args[0], Const) and isinstance(args[0].value, str | bytes):
            _require_told(machine, args[1:])
        else:
            _require_same_types(machine, args)
    elif any(isinstance(a, Tuple | Ref | Scalar | NumpyScalar) for a in args[1:]):
        _look_at_call(machine, args[0], args[1:])


def _look_at_call(machine: Machine, function: Value, args: Sequence[Value]) -> None:
    if isinstance(function, BoundMethod):
        if isinstance(function.self, Const) and isinstance(function.self.value, str):
            _require_told(machine, args)
        return
    item = function.value if isinstance(function, Const) else None
    if any(item is asking for asking in _ASKING) or isinstance(item, type) and issubclass(item, BaseException):
        _require_told(machine, args)
    elif any(item is asking for asking in _OF_ITSELF) or functools_module.is_single_dispatch(item):
        if isinstance(args[0], Scalar | NumpyScalar):
            _require_told(machine, args[:1])
    elif getattr(item, "__module__", None) == "numpy" or isinstance(item, np.ufunc):
        _require_same_types(machine, args)


def look_at_error(machine: Machine, error: Value, args: Sequence[Value]) -> None:
    """Raise `Asked` if an operation has raised for the type of a number that was made wider."""
    cls = machine.type_of(error)
    if issubclass(cls, TypeError | AttributeError | IndexError):
        _require_told(machine, args)


def _require_told(machine: Machine, values: Iterable[Value]) -> None:
    for value in _numbers(machine, values):
        origin = _origin(machine, value.var)
        if origin is not None:
            raise Asked(origin, value)


def _require_same_types(machine: Machine, args: Sequence[Value]) -> None:
    """What is computed with these numbers and arrays has to be of the same type, unless it is equal in both types."""
    among_arrays = any(isinstance(a, NdArray) for a in args)
    if not among_arrays and all(widened.exact for widened in machine.widened.values()):
        return
    before, asked = [*args], None
    for place, value in enumerate(args):
        origin = _origin(machine, value.var) if isinstance(value, Scalar | NumpyScalar) else None
        if origin is not None and (among_arrays or not origin.exact):
            before[place] = origin.before
            asked = Asked(origin, value)
    if asked is not None and _type_of(before) != _type_of(args):
        raise asked


def _is_exact(before: Value, after: Value) -> bool:
    """Whether arithmetic on a number gives the same in both types, but for integers that floats do not tell apart."""
    one, two = numeric(before), numeric(after)
    if one is None or two is None:
        return False
    wide = two[0] == "python" or two[1] in _WIDEST
    return wide and (one[0] == "python" or one[1] in _WIDEST)


def _type_of(values: Sequence[Value]) -> np.dtype | None:
    """The type of what NumPy computes with numbers and arrays."""
    kinds: list[Any] = []
    for value in values:
        origin, kind = numeric(value) or ("", None)
        if isinstance(value, NdArray):
            kinds.append(value.type.dtype)
        elif kind is not None:
            kinds.append(_SAMPLES[kind] if origin == "python" else kind)
    return np.result_type(*kinds) if kinds else None


def _numbers(machine: Machine, values: Iterable[Value]) -> Iterator[Scalar | NumpyScalar]:
    """The numbers among values, and in tuples and lists among them."""
    for value in values:
        if isinstance(value, Scalar | NumpyScalar):
            yield value
        elif isinstance(value, Tuple):
            yield from _numbers(machine, value.items)
        elif isinstance(value, Ref):
            items = machine.heap.slots.get((value.object, "<items>"))
            if isinstance(items, Tuple):
                yield from _numbers(machine, items.items)


def _origin(machine: Machine, var: Var) -> Widened | None:
    """The number that was made wider from which another one has been computed, if its type follows from that."""
    seen: set[Var] = set()
    todo = [var]
    while todo and len(seen) < _FAR:
        var = todo.pop()
        if var in seen or var.type.shape or var.type.dtype == bool:
            continue
        seen.add(var)
        found = machine.widened.get(var)
        if found is not None:
            return found
        owner = var.owner
        if isinstance(owner, Operation):
            todo += _sources(owner, var)
    return None


def _sources(owner: Operation, var: Var) -> Sequence[Var]:
    """What the type of a number follows from."""
    if owner.regions:
        return (*owner.operands, *(result for region in owner.regions for result in region.results))
    if owner.kind in _FLOATS or _reads(owner):
        return ()
    if owner.kind == "select":
        return owner.operands[1:]
    makers = (operand.owner for operand in owner.operands)
    if var.type.dtype.kind in "fc" and any(isinstance(maker, Operation) and _reads(maker) for maker in makers):
        return ()
    return owner.operands


def _reads(operation: Operation) -> bool:
    """Whether an operation reads a number from an array: it was not made wider."""
    return operation.kind in _READING and any(operand.type.shape for operand in operation.operands)
