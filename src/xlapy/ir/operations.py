"""The table of operations: all that is known of each kind, in one entry.

`leaf` carries a closed jaxpr (a `jax.numpy`, `jax.lax` or `jax.scipy` function traced once for its operand types).
The element-wise kinds have a rule of their own, so that the common case costs no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from xlapy.ir import constant_evaluation as values
from xlapy.ir import intervals
from xlapy.ir.core import Operation, TensorType
from xlapy.ir.primitive_classes import FUNCTIONS

BOOL = np.dtype(bool)


@dataclass(frozen=True)
class Definition:
    """What holds for every operation of a kind.

    Attributes:
        operands: how many it takes; None for any number.
        regions: how many regions it has.
        check: what is wrong with an operation, for the verifier.
        is_elementwise: whether each element of the result is computed of those at its place in the operands, which
            all have one shape.
        is_predicate: whether the elements of the result are booleans, and not of the type of the operands.
        is_slow: whether it takes tens of instructions for an element.
        value: the result for known operands, if NumPy gives bit for bit what the device would.
        bounds: the closed interval that contains the result, of the intervals of integer operands.
        right_unit: `u` with `x op u == x`, for dtypes of the kinds `units_of`.
        left_unit: `u` with `u op x == x`, likewise.
        units_of: kinds of dtypes. `x + 0` is not `x` for the float -0.
    """

    operands: int | None
    regions: int = 0
    check: Callable[[Operation], str | None] = lambda operation: None
    is_elementwise: bool = False
    is_predicate: bool = False
    is_slow: bool = False
    value: values.Evaluate | None = None
    bounds: Callable[..., intervals.Interval | None] | None = None
    right_unit: int | None = None
    left_unit: int | None = None
    units_of: str = "biu"


def infer_elementwise(kind: str, types: tuple[TensorType, ...]) -> TensorType:
    """Result type of an element-wise operation; operands have one shape (scalars included), checked by the verifier."""
    if kind == "select":
        return TensorType(types[1].shape, types[1].dtype, types[1].weak and types[2].weak)
    if TABLE[kind].is_predicate:
        return TensorType(types[0].shape, BOOL)
    return TensorType(types[0].shape, types[0].dtype, all(t.weak for t in types))


def computed(kind: str, operands: Sequence[np.ndarray], result: TensorType) -> np.ndarray | None:
    """The value of an operation without regions, of known operands; None where that is not for NumPy to say."""
    definition = TABLE.get(kind)
    if definition is None or definition.value is None:
        return None
    with np.errstate(all="ignore"):
        return definition.value(result, *operands)


def _same(types: list[TensorType]) -> str | None:
    first = types[0]
    bad = [t for t in types if t.shape != first.shape or t.dtype != first.dtype]
    return f"operand types differ: {', '.join(map(str, types))}" if bad else None


def _elementwise(operation: Operation) -> str | None:
    types = [v.type for v in operation.operands]
    if operation.kind == "select":
        if types[0].dtype != BOOL:
            return "the predicate of select is not boolean"
        return _same(types[1:])
    return _same(types)


def _constant(operation: Operation) -> str | None:
    value = operation.attributes["value"]
    expected = operation.results[0].type
    if np.shape(value) != expected.shape or np.asarray(value).dtype != expected.dtype:
        return f"the value does not have type {expected}"
    return None


def _leaf(operation: Operation) -> str | None:
    jaxpr = operation.jaxpr
    for aval, var in zip(jaxpr.in_avals, operation.operands, strict=True):
        if aval.shape != var.type.shape or aval.dtype != var.type.dtype:
            return f"operand {var.type} where the jaxpr takes {aval}"
    for aval, var in zip(jaxpr.out_avals, operation.results, strict=True):
        if aval.shape != var.type.shape or aval.dtype != var.type.dtype:
            return f"a result {var.type} where the jaxpr gives {aval}"
    return None


def _signature(types: list[TensorType]) -> list[tuple[tuple[int, ...], np.dtype]]:
    return [(t.shape, t.dtype) for t in types]


def _yields(operation: Operation) -> str | None:
    expected = _signature([v.type for v in operation.results])
    for region in operation.regions:
        if _signature([v.type for v in region.results]) != expected:
            found, wanted = ([str(v.type) for v in values] for values in (region.results, operation.results))
            return f"a region yields {found}, not {wanted}"
    return None


def _if(operation: Operation) -> str | None:
    if operation.operands[0].type[:2] != ((), BOOL):
        return "the predicate of if is not a boolean scalar"
    return _yields(operation)


def _loop(operation: Operation, first: int, body: int) -> str | None:
    """Operands from `first` on, the parameters and yields of the body and the results agree."""
    carried = _signature([v.type for v in operation.operands[first:]])
    region = operation.regions[body]
    params = _signature([v.type for v in region.params[first:]])
    yields = _signature([v.type for v in region.results])
    results = _signature([v.type for v in operation.results])
    if not carried == params == yields == results:
        return f"carried {carried}, parameters {params}, yields {yields}, results {results}"
    return None


def _while(operation: Operation) -> str | None:
    cond = operation.regions[0]
    if _signature([v.type for v in cond.results]) != [((), BOOL)]:
        return "the condition does not yield one boolean scalar"
    return _loop(operation, 0, 1)


def _live(operation: Operation) -> str | None:
    mask, x = (v.type for v in operation.operands)
    return None if mask.dtype == BOOL and mask.shape in ((), x.shape) else f"a mask {mask} for {x}"


def _part(operation: Operation) -> str | None:
    (array, index), result = (v.type for v in operation.operands), operation.results[0].type
    found = (array.shape[1:], array.dtype, index.shape) == (result.shape, result.dtype, ())
    return None if found else f"{result} is no part of {array}"


def _convert(operation: Operation) -> str | None:
    return None if operation.operands[0].type.shape == operation.results[0].type.shape else "convert changes the shape"


def _broadcast(operation: Operation) -> str | None:
    try:
        shape = np.broadcast_shapes(operation.operands[0].type.shape, operation.results[0].type.shape)
    except ValueError as error:
        return str(error)
    return None if shape == operation.results[0].type.shape else "the operand has more dimensions than the result"


_number = replace(Definition(1), check=_elementwise, is_elementwise=True)
_pair = replace(_number, operands=2)
_function = replace(_number, is_slow=True)


def _compared(ufunc: np.ufunc) -> Definition:
    return replace(_pair, is_predicate=True, value=values.exactly(ufunc))


def _bitwise(ufunc: np.ufunc, unit: int | None = None) -> Definition:
    return replace(_pair, value=values.exactly(ufunc), right_unit=unit, left_unit=unit)


TABLE: dict[str, Definition] = {
    # arithmetic
    "add": replace(
        _pair, value=values.exactly(np.add), bounds=lambda a, b: (a[0] + b[0], a[1] + b[1]), right_unit=0, left_unit=0
    ),
    "sub": replace(
        _pair,
        value=values.exactly(np.subtract),
        bounds=lambda a, b: (a[0] - b[1], a[1] - b[0]),
        right_unit=0,
        units_of="biufV",
    ),
    "mul": replace(
        _pair, value=values.exactly(np.multiply), bounds=intervals.product, right_unit=1, left_unit=1, units_of="biufV"
    ),
    "div": replace(_pair, value=values.divide, bounds=intervals.quotient, right_unit=1, units_of="biufV"),
    "rem": replace(_pair, value=values.remainder, bounds=intervals.remainder),
    "neg": replace(_number, value=values.exactly(np.negative), bounds=lambda a: (-a[1], -a[0])),
    "abs": replace(_number, value=values.of_integers(np.abs), bounds=lambda a: (max(a[0], -a[1], 0), max(-a[0], a[1]))),
    "sign": replace(_number, value=values.of_integers(np.sign)),
    "max": replace(_pair, value=values.of_integers(np.maximum), bounds=lambda a, b: (max(a[0], b[0]), max(a[1], b[1]))),
    "min": replace(_pair, value=values.of_integers(np.minimum), bounds=lambda a, b: (min(a[0], b[0]), min(a[1], b[1]))),
    "floor": _number,
    "ceil": _number,
    "sqrt": _number,
    "nextafter": _pair,
    # functions
    **dict.fromkeys(
        "exp expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh".split(), _function
    ),
    "cbrt": _function,
    "pow": replace(_pair, is_slow=True),
    "atan2": replace(_pair, is_slow=True),
    # bits
    "bitwise_and": replace(_bitwise(np.bitwise_and), bounds=intervals.bits_in_common),
    "bitwise_or": _bitwise(np.bitwise_or, 0),
    "bitwise_xor": _bitwise(np.bitwise_xor, 0),
    "bitwise_not": replace(_number, value=values.exactly(np.invert)),
    "shift_left": _pair,
    "shift_right_arithmetic": _pair,
    "shift_right_logical": _pair,
    # predicates
    "eq": _compared(np.equal),
    "ne": _compared(np.not_equal),
    "lt": _compared(np.less),
    "le": _compared(np.less_equal),
    "gt": _compared(np.greater),
    "ge": _compared(np.greater_equal),
    "is_finite": replace(_number, is_predicate=True, value=values.exactly(np.isfinite)),
    # select (predicate, x, y): x where the predicate is true
    "select": replace(_number, operands=3, value=values.select),
    # values, types and shapes
    "constant": Definition(0, check=_constant),
    "convert": Definition(1, check=_convert, value=values.convert),
    "broadcast": Definition(1, check=_broadcast, value=values.broadcast),
    # live (mask, x): x, whose derivative is zero where the mask is false
    "live": Definition(2, check=_live),
    # leaf (*operands): what its jaxpr computes
    "leaf": Definition(None, check=_leaf),
    # load (array, *starts): the part `index` of an array (`access_regions.py`); starts that are None there are operands
    "load": Definition(None, check=_leaf),
    # store (array, part, *starts): the array with a part of it replaced
    "store": Definition(None, check=_leaf),
    # section (array): consecutive rows, from the one of number `section` on
    "section": Definition(1, check=_leaf),
    # stacked (*parts): values of one type along a new first axis; unstacked (array): these values
    "stacked": Definition(None, check=_leaf),
    "unstacked": Definition(1, check=_leaf),
    # unset (): an array of which no element is looked at before it is written
    "unset": Definition(0, check=_leaf),
    # positions (mask): where a mask is true; compact (x, positions or mask): what is there, before all else
    "positions": Definition(1, check=_leaf),
    "compact": Definition(2, check=_leaf),
    # expand (x, mask): the first values, one after the other, at the places where a mask is true
    "expand": Definition(2, check=_leaf),
    # append_in_room (array, *parts, *places): more rows where there is room; resize_room (array): more or less room
    "append_in_room": Definition(None, check=_leaf),
    "resize_room": Definition(1, check=_leaf),
    # take_item (*rows and places): an item of nested growable lists; put_item (rows, item, *places): one replaced
    "take_item": Definition(None, check=_leaf),
    "put_item": Definition(None, check=_leaf),
    # bound (number): a number, as far as it is not above what there is room for
    "bound": Definition(1, check=_leaf),
    # ahead (array, matrix): the products of a matrix with parts of an array, for each iteration of a loop
    "ahead": Definition(2),
    # part (array, index): what is at a place of the first axis
    "part": Definition(2, check=_part),
    # if (predicate) then, orelse
    "if": Definition(1, 2, _if),
    # while (*carried) cond(*carried) -> bool, body(*carried) -> carried
    "while": Definition(None, 2, _while),
    # for (iterations, *carried) body(index, *carried) -> carried; index runs from 0 to iterations
    "for": Definition(None, 1, lambda operation: _loop(operation, 1, 0)),
}
#: kinds that compute element by element
ELEMENTWISE = frozenset(kind for kind, definition in TABLE.items() if definition.is_elementwise)
#: those of them whose result has the type that all operands have
OF_ONE_TYPE = frozenset(kind for kind in ELEMENTWISE if not TABLE[kind].is_predicate and kind != "select")
#: kinds that compute what a jaxpr says, which is their attribute `jaxpr`
OF_JAXPRS = frozenset(kind for kind, definition in TABLE.items() if definition.check is _leaf)
#: element-wise kinds that take tens of instructions for an element, and JAX's primitives of their like
SLOW = FUNCTIONS.union(kind for kind, definition in TABLE.items() if definition.is_slow)
