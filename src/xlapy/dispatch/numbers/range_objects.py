"""`range` objects with dynamic parts: length, items, slices, membership; and integers that stand for an index."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.numbers.scalar_values import (
    INT_MAX,
    INT_MIN,
    bounds_of,
    check,
    constant,
    defines,
    device,
    fold,
    kind_of,
    logical_and,
    logical_not,
    logical_or,
    provoke,
    scalar,
)
from xlapy.domain.values import (
    NONE,
    Const,
    JaxArray,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Slice,
    Tuple,
    Value,
    constants,
    is_none,
    number_var,
)
from xlapy.ir import Var

_ZERO_STEP = provoke(range, 0, 1, 0)
_NO_STEP = provoke(slice(None, None, 0).indices, 1)
_NEGATIVE_LENGTH = provoke(slice(1).indices, -1)
_OUT_OF_RANGE = provoke(operator.getitem, range(1), 1)
_NOT_IN_SEQUENCE = provoke(range(1).index, "a")
#: what this Python says of an integer that is in no range, which it may show
_NOT_IN_RANGE = str(provoke(range(1).index, 5)).replace("5", "{!r}")


def index(machine, value: Value, message: str | None = None) -> Value:
    """`operator.index(value)` as a Python int (`Const` or `Scalar`); TypeError (`message`) for what is no integer."""
    match value:
        case Const():
            if message is not None and not defines(machine, type(value.value), "__index__"):
                machine.raise_(TypeError, message)
            return fold(machine, operator.index, value.value)
        case Scalar() if value.kind is int:
            return value
        case Scalar() if value.kind is bool:
            return scalar(machine, int, device(machine, value, int), (0, 1))
        case NumpyScalar() | JaxArray() if value.var.type.dtype.kind in "iu" and value.var.type.shape == ():
            return scalar(machine, int, value.var, getattr(value, "bounds", None))
        case NdArray() if value.type.shape == () and value.type.dtype.kind in "iu":
            return scalar(machine, int, machine.read(value))
        case NdArray() | JaxArray():
            machine.raise_(TypeError, "only integer scalar arrays can be converted to a scalar index")
        case Ref() | Tuple():
            if _has_index(machine, value):
                found = machine.call(machine.getattr(value, "__index__"), [])
                if not issubclass(machine.type_of(found), int):
                    name = kinds.shown(machine.type_of(found))
                    machine.raise_(TypeError, f"__index__ returned non-int (type {name})")
                return index(machine, found, message)
    name = kinds.shown(machine.type_of(value))
    return machine.raise_(TypeError, message or f"'{name}' object cannot be interpreted as an integer")


def static_count(machine, value: Value, what: str) -> int:
    """How often a sequence is repeated; asked for if it is dynamic, OverflowError where it is too large."""
    known = machine.static(value, what) if isinstance(value, NumpyScalar) else None
    count: int = machine.static(index(machine, value if known is None else Const(known)), what)
    if not INT_MIN <= count <= INT_MAX:
        name = kinds.shown(machine.type_of(value))
        machine.raise_(OverflowError, f"cannot fit '{name}' into an index-sized integer")
    return count


def is_index(machine, value: Value) -> bool:
    """Whether a value is an integer, or has `__index__`."""
    match value:
        case Scalar():
            return value.kind in (int, bool)
        case NumpyScalar():
            return value.var.type.dtype.kind in "iu"
        case JaxArray():
            return value.var.type.dtype.kind in "iu" and value.var.type.shape == ()
        case NdArray():
            return value.type.dtype.kind in "iu" and value.type.shape == ()
        case Const():
            return defines(machine, type(value.value), "__index__") and not isinstance(value.value, np.ndarray)
        case Ref() | Tuple():
            return _has_index(machine, value)
    return False


def _has_index(machine, value: Ref | Tuple) -> bool:
    instance = isinstance(value, Tuple) or machine.heap.objects[value.object].kind == "instance"
    return instance and defines(machine, machine.type_of(value), "__index__")


@registry.function(range)
def make(machine, *args: Value) -> Value:
    """`range(stop)`, `range(start, stop[, step])`."""
    if not 1 <= len(args) <= 3:
        return fold(machine, range, *([0] * len(args)))
    parts = [index(machine, a) for a in args]
    if len(parts) == 1:
        parts = [Const(0), *parts]
    if len(parts) == 2:
        parts.append(Const(1))
    known = constants(parts)
    if known is not None:
        return fold(machine, range, *known)
    step = parts[2]
    if isinstance(step, Const):
        check(machine, step.value == 0, _ZERO_STEP)
    elif _sign(step) == 0:
        var = device(machine, step, int)
        check(machine, machine.builder.elementwise("eq", var, constant(machine, 0, var)), _ZERO_STEP)
    return Range(*parts)


def parts_of(value: Value) -> tuple[Value, Value, Value]:
    """start, stop and step."""
    if isinstance(value, Range):
        return value.start, value.stop, value.step
    assert isinstance(value, Const)
    known = value.value
    return Const(known.start), Const(known.stop), Const(known.step)


def _sign(step: Value) -> int:
    """1 or -1 if the sign of an int is known, else 0."""
    low, high = bounds_of(step)
    return 1 if low > 0 else -1 if high < 0 else 0


def length(machine, value: Value) -> Value:
    """`len(range)`, as an int with bounds."""
    if isinstance(value, Const):
        return Const(len(value.value))
    start, stop, step = parts_of(value)
    sign = _sign(step)
    if sign:
        return _count(machine, start, stop, step, sign)
    var = device(machine, step, int)
    up = machine.builder.elementwise("gt", var, constant(machine, 0, var))
    rising = device(machine, _count(machine, start, stop, step, 1), int)
    falling = device(machine, _count(machine, start, stop, step, -1), int)
    return scalar(machine, int, machine.builder.elementwise("select", up, rising, falling), (0, INT_MAX))


def _count(machine, start: Value, stop: Value, step: Value, sign: int) -> Value:
    """How many items there are if the step has this sign."""
    distance = machine.binary("-", stop, start) if sign > 0 else machine.binary("-", start, stop)
    size = step if sign > 0 else machine.unary("-", step)
    if not (isinstance(size, Const) and size.value == 1):
        distance = machine.binary("-", machine.binary("+", distance, size), Const(1))
        if isinstance(size, Scalar) and bounds_of(size)[0] <= 0:
            one = constant(machine, 1, size.var)
            size = scalar(machine, int, machine.builder.elementwise("max", size.var, one), (1, INT_MAX))
        distance = machine.binary("//", distance, size)
    if isinstance(distance, Const):
        return Const(max(distance.value, 0))
    low, high = bounds_of(distance)
    if low >= 0:
        return distance
    var = device(machine, distance, int)
    bounds = (0, max(high, 0))
    return scalar(machine, int, machine.builder.elementwise("max", var, constant(machine, 0, var)), bounds)


def item(machine, value: Value, position: Value) -> Value:
    """The item at a position that is known to be in range, with the tightest bounds."""
    if isinstance(value, Const) and isinstance(position, Const):
        return Const(value.value[position.value])
    start, stop, step = parts_of(value)
    found = machine.binary("+", start, machine.binary("*", position, step))
    if not isinstance(found, Scalar):
        return found
    low, high = bounds_of(found)
    sign = _sign(step)
    if sign > 0:
        low, high = max(low, bounds_of(start)[0]), min(high, bounds_of(stop)[1] - 1)
    elif sign < 0:
        low, high = max(low, bounds_of(stop)[0] + 1), min(high, bounds_of(start)[1])
    return Scalar(int, found.var, (low, high)) if low <= high else found


def getitem(machine, value: Value, key: Value) -> Value:
    """`range[i]`, `range[a:b:c]`."""
    if isinstance(key, Slice) or (isinstance(key, Const) and isinstance(key.value, slice)):
        return _slice(machine, value, key)
    name = kinds.shown(machine.type_of(key))
    position = index(machine, key, f"range indices must be integers or slices, not {name}")
    position = in_bounds(machine, position, length(machine, value), _OUT_OF_RANGE)
    return item(machine, value, position)


def in_bounds(machine, position: Value, count: Value, error: BaseException) -> Value:
    """A position from 0 for an index that may be negative; `error` where it is not in `range(count)`."""
    low, high = bounds_of(position) if not isinstance(position, Const) else (position.value, position.value)
    least, most = bounds_of(count)
    if most == 0:
        check(machine, True, error)
    if isinstance(position, Const) and isinstance(count, Const):
        at = position.value + count.value if position.value < 0 else position.value
        check(machine, not 0 <= at < count.value, error)
        return Const(at)
    check(machine, most <= 0, error)
    if low < 0:
        var = device(machine, position, int)
        wrapped = machine.builder.elementwise("add", var, device(machine, count, int))
        if high >= 0:
            negative = machine.builder.elementwise("lt", var, constant(machine, 0, var))
            wrapped = machine.builder.elementwise("select", negative, wrapped, var)
        bounds = (low + least, high + most) if high < 0 else (min(low + least, 0), max(high, most - 1))
        position = scalar(machine, int, wrapped, bounds)
        low, high = bounds
    if low >= 0 and high < least:
        return position
    bad = machine.truth(machine.compare(">=", position, count))
    if low < 0:
        below = machine.truth(machine.compare("<", position, Const(0)))
        bad = logical_or(machine, below, bad)
    check(machine, bad, error)
    if isinstance(position, Const):
        return position
    return scalar(machine, int, number_var(position), (max(low, 0), min(high, max(most - 1, 0))))


def _slice(machine, value: Value, key: Value) -> Value:
    if isinstance(value, Const) and machine.is_static(key):
        return Const(value.value[machine.static(key)])
    known = machine.static(key, "a slice of a range")
    count = length(machine, value)
    start, _, step = parts_of(value)
    first, last, stride = slice_indices(machine, Const(known), count)
    new_step = machine.binary("*", step, stride)
    new_start = machine.binary("+", start, machine.binary("*", first, step))
    new_stop = machine.binary("+", start, machine.binary("*", last, step))
    return Range(new_start, new_stop, new_step)


def slice_indices(machine, key: Value, count: Value) -> tuple[Value, Value, Value]:
    """`key.indices(count)` where the parts or the count may be dynamic."""
    part: Any = key.value if isinstance(key, Const) else key
    parts = [p if isinstance(p, Value) else Const(p) for p in (part.start, part.stop, part.step)]
    step = Const(1) if is_none(parts[2]) else index(machine, parts[2])
    zero = machine.truth(machine.compare("==", step, Const(0)))
    check(machine, zero, _NO_STEP)
    sign = _sign(step)
    if sign:
        return (*_ends(machine, parts[:2], count, sign), step)
    rising, falling = (_ends(machine, parts[:2], count, sign) for sign in (1, -1))
    up = machine.truth(machine.compare(">", step, Const(0)))
    start, stop = (select(machine, up, a, b) for a, b in zip(rising, falling, strict=True))
    return start, stop, step


def _ends(machine, parts: Sequence[Value], count: Value, sign: int) -> tuple[Value, Value]:
    """Where a slice begins and ends, if its step has this sign."""
    low, high = (Const(0), count) if sign > 0 else (Const(-1), machine.binary("-", count, Const(1)))
    defaults = (low, high) if sign > 0 else (high, low)
    found = []
    for part, default in zip(parts, defaults, strict=True):
        if is_none(part):
            found.append(default)
            continue
        at = index(machine, part)
        if bounds_of(at)[0] < 0:
            negative = machine.truth(machine.compare("<", at, Const(0)))
            at = select(machine, negative, machine.binary("+", at, count), at)
        at = maximum(machine, at, low)
        found.append(minimum(machine, at, high))
    return found[0], found[1]


def select(machine, predicate: Var | bool, then: Value, orelse: Value) -> Value:
    """`then if predicate else orelse` of two ints."""
    if not isinstance(predicate, Var):
        return then if predicate else orelse
    (a, b), (c, d) = bounds_of(then), bounds_of(orelse)
    var = machine.builder.elementwise("select", predicate, device(machine, then, int), device(machine, orelse, int))
    return scalar(machine, int, var, (min(a, c), max(b, d)))


def maximum(machine, a: Value, b: Value) -> Value:
    """The larger of two ints."""
    (low, high), (least, most) = bounds_of(a), bounds_of(b)
    if low >= most or least >= high:
        return a if low >= most else b
    var = machine.builder.elementwise("max", device(machine, a, int), device(machine, b, int))
    return scalar(machine, int, var, (max(low, least), max(high, most)))


def minimum(machine, a: Value, b: Value) -> Value:
    """The smaller of two ints."""
    (low, high), (least, most) = bounds_of(a), bounds_of(b)
    if high <= least or most <= low:
        return a if high <= least else b
    var = machine.builder.elementwise("min", device(machine, a, int), device(machine, b, int))
    return scalar(machine, int, var, (min(low, least), min(high, most)))


def contains(machine, member: Value, value: Value) -> bool | Var:
    """`member in range`, for numbers."""
    if isinstance(value, Const) and isinstance(member, Const):
        return member.value in value.value
    if kind_of(member) is None and not isinstance(member, NumpyScalar):
        if not _compares_itself(machine, member):
            return False
        return machine.truth(machine.call(Const(_is_among), (value, member)))
    start, stop, step = parts_of(value)
    step_known = Const(machine.static(step, "the step of a range"))
    low, high = (start, stop) if step_known.value > 0 else (stop, start)
    low_symbol, high_symbol = ("<=", "<") if step_known.value > 0 else ("<", "<=")
    inside = machine.truth(machine.compare(low_symbol, low, member))
    inside = logical_and(machine, inside, machine.truth(machine.compare(high_symbol, member, high)))
    offset = machine.binary("-", member, start)
    on_grid = machine.truth(machine.compare("==", machine.binary("%", offset, step_known), Const(0)))
    return logical_and(machine, inside, on_grid)


def _compares_itself(machine, member: Value) -> bool:
    """Whether a value that is no number may be equal to one."""
    if isinstance(member, NdArray | JaxArray):
        return True
    return kinds.is_instance(machine, member) or isinstance(member, Const) and not isinstance(member.value, _UNEQUAL)


#: classes of which no object is equal to a number
_UNEQUAL = (str, bytes, tuple, list, dict, set, frozenset, range, slice, type(None), type)


def _is_among(items, wanted):
    for item in items:
        if item == wanted:
            return True
    return False


def _place_among(items, wanted):
    for place, item in enumerate(items):
        if item == wanted:
            return place
    return -1


@registry.operator(range)
def compare(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`range == range`: as the sequences they are."""
    if symbol not in ("==", "!=") or machine.type_of(left) is not range or machine.type_of(right) is not range:
        return None
    if isinstance(left, Const) and isinstance(right, Const):
        return Const((left.value == right.value) is (symbol == "=="))
    same: bool | Var = machine.truth(machine.compare("==", length(machine, left), length(machine, right)))
    for a, b in zip(parts_of(left)[::2], parts_of(right)[::2], strict=True):
        same = logical_and(machine, same, machine.truth(machine.compare("==", a, b)))
    return machine.boolean(logical_not(machine, same) if symbol == "!=" else same)


@registry.attribute(range, "start")
def _start(machine, self: Value) -> Value:
    return parts_of(self)[0]


@registry.attribute(range, "stop")
def _stop(machine, self: Value) -> Value:
    return parts_of(self)[1]


@registry.attribute(range, "step")
def _step(machine, self: Value) -> Value:
    return parts_of(self)[2]


@registry.method(range, "index")
def _index(machine, self: Value, member: Value) -> Value:
    if kind_of(member) is None and not isinstance(member, NumpyScalar) and _compares_itself(machine, member):
        place = machine.call(Const(_place_among), (self, member))
        check(machine, machine.truth(machine.compare("<", place, Const(0))), _NOT_IN_SEQUENCE)
        return place
    found = contains(machine, member, self)
    if found is False and isinstance(member, Const):
        return fold(machine, range(0).index, member.value)
    if machine.type_of(member) in (int, bool):
        machine.check(logical_not(machine, found), ValueError, _not_in_range(machine, member))
    else:
        check(machine, logical_not(machine, found), _NOT_IN_SEQUENCE)
    start, _, step = parts_of(self)
    return machine.call(Const(int), (machine.binary("//", machine.binary("-", member, start), step),))


def _not_in_range(machine, member: Value) -> object:
    return machine.message(_NOT_IN_RANGE, member) if "{" in _NOT_IN_RANGE else _NOT_IN_RANGE


@registry.method(range, "count")
def _count_of(machine, self: Value, member: Value) -> Value:
    return machine.binary("+", machine.boolean(contains(machine, member, self)), Const(0))


# -- slice objects ----------------------------------------------------------------------------------------------------


@registry.function(slice)
def make_slice(machine, *args: Value) -> Value:
    """`slice(stop)`, `slice(start, stop[, step])`."""
    if not 1 <= len(args) <= 3:
        return fold(machine, slice, *([0] * len(args)))
    parts = [NONE, *args] if len(args) == 1 else list(args)
    parts += [NONE] * (3 - len(parts))
    known = constants(parts)
    if known is not None:
        return Const(slice(*known))
    return Slice(*parts)


def _slice_attribute(name: str):
    def rule(machine, self: Value) -> Value:
        part = getattr(self.value if isinstance(self, Const) else self, name)
        return part if isinstance(part, Value) else Const(part)

    return rule


for _name in ("start", "stop", "step"):
    registry.attribute(slice, _name)(_slice_attribute(_name))


@registry.method(slice, "indices")
def _indices(machine, self: Value, count: Value) -> Value:
    length = index(machine, count)
    check(machine, machine.truth(machine.compare("<", length, Const(0))), _NEGATIVE_LENGTH)
    return Tuple(slice_indices(machine, self, length))


def place_of_insertion(at, length):
    """Where `list.insert(at, item)` puts an item on the device: positions out of range are those of the ends."""
    return jnp.clip(jnp.where(at < 0, at + length, at), 0, length)
