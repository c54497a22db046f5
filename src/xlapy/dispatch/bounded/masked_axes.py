"""Arrays of dynamic length: lanes, masks of lanes, moving lanes about, and integers with known bounds.

A `BoundedArray` is some lanes of an `NdArray` that has room for them. Two kinds of lanes: a range (`A[i, :j]` is lanes
0 to j of the whole row, and no data moves), or those where a mask is true (`x[mask]`, in place, not compacted).
Operations work on all the room; what comes from outside the lanes is replaced by `select`, never by multiplying.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, overload

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.arrays.views import view
from xlapy.dispatch.numbers.scalar_values import python_int
from xlapy.dispatch.protocol import Machine, NeedStatic
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import BoundedArray, Const, JaxArray, Lanes, NdArray, NumpyScalar, Scalar, Value, number_var
from xlapy.ir import Operation, TensorType, Var, constant_value
from xlapy.ir.affine import affine, difference
from xlapy.ir.operations import OF_ONE_TYPE
from xlapy.ir.value_ranges import elements_between
from xlapy.ir.vectorisation_notes import Lanewise, noted
from xlapy.lowering.primitives import compaction

INT64 = np.dtype(np.int64)
BOOL = np.dtype(bool)
INT_MIN, INT_MAX = -(2**63), 2**63 - 1
_DEPTH = 16
_SUMS = {"add", "sub"}
#: elements that take long to put in order
_LONG = 64
#: the room of an array, and its dimensions
Parts = tuple[NdArray, tuple[Lanes | None, ...]]


# -- integers ---------------------------------------------------------------------------------------------------------


class Int(NamedTuple):
    """An integer, known or on the device, and a closed interval that contains it."""

    value: int | Var
    low: int
    high: int


def known_int(value: int) -> Int:
    """A known integer."""
    return Int(value, value, value)


def as_int(machine: Machine, value: Value | Var, bounds: tuple[int, int] | None = None) -> Int:
    """An abstract integer."""
    if isinstance(value, Const):
        return known_int(int(value.value))
    if isinstance(value, Scalar | NumpyScalar):
        bounds = known_bounds(value)
    var = number_var(value) if isinstance(value, Value) else value
    constant = constant_value(var)
    if constant is not None:
        return known_int(int(constant[()]))
    low, high = bounds or (INT_MIN, INT_MAX)
    return Int(machine.builder.convert(python_int(machine, var, bounds), INT64), low, min(high, INT_MAX))


def var_of(machine: Machine, value: Int | int | Var) -> Var:
    """An integer as an int64 scalar on the device."""
    if isinstance(value, Int):
        value = value.value
    return value if isinstance(value, Var) else machine.builder.constant(value, INT64)


def _operation(machine: Machine, kind: str, a: Int, b: Int) -> Var:
    return machine.builder.elementwise(kind, var_of(machine, a), var_of(machine, b))


def add(machine: Machine, a: Int, b: Int) -> Int:
    """a + b."""
    if isinstance(a.value, int) and isinstance(b.value, int):
        return known_int(a.value + b.value)
    if 0 in (a.value, b.value):
        return b if a.value == 0 else a
    return Int(_operation(machine, "add", a, b), max(a.low + b.low, INT_MIN), min(a.high + b.high, INT_MAX))


def settled(machine: Machine, a: Int) -> Int:
    """`a`, known if what data says of it cancels out, as in the length of `x[:k]` and of `x[k:]` together."""
    if isinstance(a.value, int):
        return a
    terms, total = affine(a.value, lambda v: v)
    left: list[tuple[Var, int]] = []
    for var, factor in terms.items():
        assert isinstance(var, Var)
        place = next((k for k, (other, _) in enumerate(left) if same(var, other)), None)
        if place is None:
            left.append((var, factor))
        else:
            left[place] = (left[place][0], left[place][1] + factor)
    return a if any(factor for _, factor in left) else known_int(total)


def subtract(machine: Machine, a: Int, b: Int) -> Int:
    """a - b; known where the two differ by a known number."""
    if isinstance(b.value, int) and b.value == 0:
        return a
    if isinstance(a.value, int) and isinstance(b.value, int):
        return known_int(a.value - b.value)
    distance = difference(var_of(machine, a), var_of(machine, b))
    if distance is not None:
        return known_int(distance)
    return Int(_operation(machine, "sub", a, b), max(a.low - b.high, INT_MIN), min(a.high - b.low, INT_MAX))


def multiply(machine: Machine, a: Int, b: Int) -> Int:
    """a * b, of numbers that are not negative."""
    if isinstance(a.value, int) and isinstance(b.value, int):
        return known_int(a.value * b.value)
    return Int(_operation(machine, "mul", a, b), max(a.low, 0) * max(b.low, 0), min(a.high * b.high, INT_MAX))


def clip(machine: Machine, a: Int, low: Int, high: Int) -> Int:
    """`min(max(a, low), high)`, for low <= high."""
    if a.low < low.high:
        value = _operation(machine, "max", a, low)
        a = Int(value, max(a.low, low.low), max(a.high, low.high))
    if a.high > high.low and subtract_bound(machine, high, a) < 0:
        value = _operation(machine, "min", a, high)
        a = Int(value, min(a.low, high.low), min(a.high, high.high))
    if not isinstance(a.value, Var):
        return known_int(a.value)
    constant = constant_value(a.value)
    if constant is not None:
        return known_int(int(constant[()]))
    return known_int(a.low) if a.low == a.high else a


def subtract_bound(machine: Machine, a: Int, b: Int) -> int:
    """A lower bound of a - b."""
    if a.low >= b.high:
        return a.low - b.high
    distance = difference(var_of(machine, a), var_of(machine, b))
    return a.low - b.high if distance is None else distance


def scalar(machine: Machine, value: Int) -> Value:
    """A Python int."""
    if isinstance(value.value, int):
        return Const(value.value)
    bounds = None if (value.low, value.high) == (INT_MIN, INT_MAX) else (value.low, value.high)
    return Scalar(int, machine.builder.convert(value.value, INT64, True), bounds)


def same(a: object, b: object) -> bool:
    """Whether two device values are certainly equal: one value, or computed in the same way from such values."""
    return _same(a, b, _DEPTH, set())


def _same(a: object, b: object, depth: int, known: set[tuple[int, int]]) -> bool:
    """The same, given pairs of values that are known to be equal, to which this adds."""
    if a is b or (id(a), id(b)) in known:
        return True
    if not isinstance(a, Var) or not isinstance(b, Var):
        first = constant_value(a) if isinstance(a, Var) else a
        second = constant_value(b) if isinstance(b, Var) else b
        return (
            isinstance(first, int | np.ndarray)
            and isinstance(second, int | np.ndarray)
            and bool(np.array_equal(first, second))
        )
    if a.type.shape != b.type.shape or a.type.dtype != b.type.dtype or depth == 0:
        return False
    one, two = a.owner, b.owner
    if not isinstance(one, Operation) or not isinstance(two, Operation):
        return False
    if {one.kind, two.kind} <= _SUMS and not a.type.shape and a.type.dtype == INT64 and difference(a, b) == 0:
        return True
    if one.kind == "constant" or two.kind == "constant":
        first, second = constant_value(a), constant_value(b)
        return first is not None and second is not None and first.size <= 4096 and bool(np.array_equal(first, second))
    if one.kind != two.kind or one.regions or two.regions or len(one.operands) != len(two.operands):
        return False
    if [r is a for r in one.results] != [r is b for r in two.results]:
        return False
    if one.jaxpr is not None:
        if one.jaxpr is not two.jaxpr:
            return False
    elif one.attributes != two.attributes:
        return False
    if not all(_same(x, y, depth - 1, known) for x, y in zip(one.operands, two.operands, strict=True)):
        return False
    known.add((id(a), id(b)))
    return True


def same_int(a: object, b: object) -> bool:
    """Whether two integers are certainly equal."""
    return same(a, b) or isinstance(a, Var) and isinstance(b, Var) and difference(a, b) == 0


# -- lanes ------------------------------------------------------------------------------------------------------------


def masked_lanes(machine: Machine, valid: Var) -> Lanes:
    """The lanes where a mask is true."""
    return Lanes(machine.leaf(_count, (valid,), name="count")[0], 0, valid)


def _count(valid):
    return jnp.sum(valid, dtype=jnp.int64)


def same_lanes(a: Lanes, b: Lanes) -> bool:
    """Whether two dimensions of equal room certainly have the same lanes."""
    if a.valid is not None or b.valid is not None:
        return a.valid is not None and b.valid is not None and same(a.valid, b.valid)
    return same_int(a.start, b.start) and same_int(a.length, b.length)


def same_length(a: Lanes, b: Lanes) -> bool:
    """Whether two dimensions certainly have the same length."""
    return same_int(a.length, b.length) or (a.valid is not None and b.valid is not None and same(a.valid, b.valid))


def opposite(a: Lanes, b: Lanes, room: int) -> tuple[Var, Var] | None:
    """`k` and `-k`, if the dimensions are those of `x[k:]` and `x[:-k]`: they have one length unless the two are equal,
    and all of the room and nothing if they are."""
    for first, second in ((a, b), (b, a)):
        if first.valid is not None or second.valid is not None or not isinstance(first.start, Var) or second.start != 0:
            continue
        if not isinstance(second.length, Var):
            continue
        begins, ends = _wrapped(first.start, room), _wrapped(second.length, room)
        if begins is None or ends is None or not _completes(first, room):
            continue
        (terms, total), (others, more) = affine(begins), affine(ends)
        if total == more == 0 and terms == {key: -factor for key, factor in others.items()}:
            return begins, ends
    return None


def _completes(lanes: Lanes, room: int) -> bool:
    """Whether lanes go on to the end of the room."""
    owner = lanes.length.owner if isinstance(lanes.length, Var) else None
    if not isinstance(owner, Operation) or owner.kind != "sub":
        return False
    whole = constant_value(owner.operands[0])
    return whole is not None and int(whole[()]) == room and same_int(owner.operands[1], lanes.start)


def _wrapped(var: Var, room: int) -> Var | None:
    """The integer of which `var` is the place, if it is a bound of a slice: negative ones count from the end."""
    for kind, limit in (("min", room), ("max", 0)):
        owner = var.owner
        if not isinstance(owner, Operation) or owner.kind != kind or not _is(owner.operands[1], limit):
            return None
        var = owner.operands[0]
    owner = var.owner
    if not isinstance(owner, Operation) or owner.kind != "select":
        return None
    negative, from_end, plain = owner.operands
    test = negative.owner
    below = isinstance(test, Operation) and test.kind == "lt" and test.operands[0] is plain and _is(test.operands[1], 0)
    return plain if below and difference(from_end, plain) == room else None


def _is(var: Var, number: int) -> bool:
    value = constant_value(var)
    return value is not None and int(value[()]) == number


def length_int(machine: Machine, lanes: Lanes | None, room: int) -> Int:
    """The length of a dimension."""
    if lanes is None:
        return known_int(room)
    low, high = elements_between(lanes.length, machine.world.spans)
    return as_int(machine, lanes.length, (max(low, 0), min(high, room)))


def valid_lanes(machine: Machine, lanes: Lanes, room: int) -> Var:
    """The mask of the lanes of one dimension."""
    if lanes.valid is not None:
        return lanes.valid
    if isinstance(lanes.start, int):
        found = machine.leaf(_prefix, (lanes.length,), (lanes.start, room), name="lanes")
        return noted(found, Lanewise("lanes", _prefix, (lanes.start,), ()))[0]
    found = machine.leaf(_range, (lanes.length, lanes.start), (room,), name="lanes")
    return noted(found, Lanewise("lanes", _range, (), ()))[0]


def _prefix(length, start, room):
    lane = lax.iota(jnp.int32, room)
    inside = lane < (length + start).astype(jnp.int32)
    return inside & (lane >= start) if start else inside


def _range(length, start, room):
    lane = lax.iota(jnp.int32, room)
    return (lane >= start.astype(jnp.int32)) & (lane < (start + length).astype(jnp.int32))


def valid_mask(machine: Machine, shape: tuple[int, ...], axes: Sequence[Lanes | None]) -> Var | None:
    """The mask of all elements, of shape `shape`; None if all are valid."""
    masks = [(k, valid_lanes(machine, lanes, shape[k])) for k, lanes in enumerate(axes) if lanes is not None]
    if not masks:
        return None
    if len(shape) == 1:
        return masks[0][1]
    places = tuple(k for k, _ in masks)
    return machine.leaf(_outer_and, [m for _, m in masks], (shape, places), name="lanes")[0]


def _outer_and(*rest):
    *masks, shape, places = rest
    result = None
    for mask, place in zip(masks, places, strict=True):
        spread = jnp.broadcast_to(jnp.expand_dims(mask, tuple(k for k in range(len(shape)) if k != place)), shape)
        result = spread if result is None else result & spread
    return result


def order_of(machine: Machine, lanes: Lanes) -> Var:
    """The lanes that a mask selects, from the first to the last; then zeros."""
    if lanes.order is not None:
        return lanes.order
    assert lanes.valid is not None
    return machine.leaf(compaction.positions, (lanes.valid,), name="positions")[0]


def moved(machine: Machine, var: Var, axis: int, lanes: Lanes | None, target: Lanes | None, room: int) -> Var:
    """`var` with the lanes of one dimension moved to the first lanes of `target`, in a dimension of size `room`."""
    size = var.type.shape[axis]
    if lanes is not None and lanes.valid is not None:
        if target is not None and target.valid is not None and same_lanes(lanes, target):
            return var
        if lanes.order is None and len(var.type.shape) == 1:
            var = machine.leaf(compaction.compacted, (var, lanes.valid), name="compact")[0]
        else:
            var = machine.leaf(compaction.gather, (var, order_of(machine, lanes)), (axis,), name="compact")[0]
        lanes = None
    start = 0 if lanes is None else lanes.start
    if target is not None and target.valid is not None:
        var = _shifted(machine, var, axis, start, 0, room)
        return machine.leaf(compaction.expand, (var, target.valid), (axis,), name="expand")[0]
    goal = 0 if target is None else target.start
    if size == room and same_int(start, goal):
        return var
    return _shifted(machine, var, axis, start, goal, room)


def _shifted(machine: Machine, var: Var, axis: int, start: object, goal: object, room: int) -> Var:
    if isinstance(start, int) and isinstance(goal, int) and start == goal and var.type.shape[axis] == room:
        return var
    made = var.owner
    if isinstance(made, Operation) and made.kind in OF_ONE_TYPE and var.depth == machine.builder.region.depth:
        arrays = {v for v in made.operands if not _is_uniform(v)}
        if len(arrays) == 1:
            # Lane by lane work comes behind the shift: XLA would compute it for one lane at a time to shift it.
            (array,) = arrays
            first = _shifted(machine, array, axis, start, goal, room)
            return machine.builder.elementwise(
                made.kind,
                *(first if v in arrays else _broadcast_as(machine, v, first.type.shape) for v in made.operands),
            )
    operands = [v for v in (start, goal) if isinstance(v, Var)]
    static = tuple(None if isinstance(v, Var) else v for v in (start, goal))
    return machine.leaf(compaction.shift, (var, *operands), (*static, axis, room), name="shift")[0]


def _is_uniform(var: Var) -> bool:
    """Whether all lanes are one scalar."""
    made = var.owner
    return isinstance(made, Operation) and made.kind == "broadcast" and made.operands[0].type.shape == ()


def _broadcast_as(machine: Machine, uniform: Var, shape: tuple[int, ...]) -> Var:
    assert isinstance(uniform.owner, Operation)
    return machine.builder.broadcast(uniform.owner.operands[0], shape)


def with_order(machine: Machine, array: BoundedArray) -> BoundedArray:
    """The same array, which knows where its k-th element lies."""
    lanes = array.axes[0]
    if lanes is None or lanes.valid is None or lanes.order is not None:
        return array
    return BoundedArray(array.base, (Lanes(lanes.length, 0, lanes.valid, order_of(machine, lanes)), *array.axes[1:]))


# -- arrays -----------------------------------------------------------------------------------------------------------


def made(machine: Machine, array: Value, axes: Sequence[Lanes | None], own: bool = False) -> Value:
    """`array`, of which `axes` says what is valid; `own` if its memory is that of no other array."""
    if all(lanes is None for lanes in axes):
        return array
    assert isinstance(array, NdArray), array
    if any(lanes is not None and lanes.valid is not None for lanes in axes):
        return BoundedArray(array, tuple(axes))
    return _of_known_size(machine, array, axes, own) or BoundedArray(array, tuple(axes))


def fresh(machine: Machine, var: Var, axes: Sequence[Lanes | None]) -> Value:
    """A fresh array with these elements."""
    if not var.type.shape:
        return machine.numpy_result(var)
    array = machine.new_array(var)
    if any(lanes is not None and lanes.valid is not None for lanes in axes):
        if all(length is not None for length in _known_lengths(machine, var.type.shape, axes)):
            var, axes = compacted(machine, BoundedArray(array, tuple(axes)))
            array = machine.new_array(var)
    return made(machine, array, axes, own=True)


def _known_lengths(machine: Machine, shape: Sequence[int], axes: Sequence[Lanes | None]) -> list[int | None]:
    """The lengths that have to be known at compile time, since a rule has asked for them (`require_static`)."""
    return [n if lanes is None else machine.known_length(lanes.length) for n, lanes in zip(shape, axes, strict=True)]


def _of_known_size(machine: Machine, array: NdArray, axes: Sequence[Lanes | None], own: bool) -> NdArray | None:
    """The array that has just these lanes, if their lengths have to be known: a view, or one without room."""
    lengths = _known_lengths(machine, array.type.shape, axes)
    if any(length is None for length in lengths):
        return None
    starts = [0 if lanes is None else lanes.start for lanes in axes]
    part = view(machine, array, "index", tuple((s, 1, n) for s, n in zip(starts, lengths, strict=True)))
    if not own or array.lenses or part.type.shape == array.type.shape:
        return part
    objects, found = machine.heap.objects, machine.new_array(machine.read(part))
    objects[found.buffer].lies = objects[array.buffer].lies
    return found


@overload
def parts(machine: Machine, value: NdArray | BoundedArray) -> Parts: ...


@overload
def parts(machine: Machine, value: Value) -> Parts | None: ...


def parts(machine: Machine, value: Value) -> Parts | None:
    """The room of an array and its dimensions; None for what is no NumPy array."""
    if isinstance(value, BoundedArray):
        return value.base, value.axes
    if isinstance(value, NdArray):
        return value, (None,) * len(value.type.shape)
    return None


def taken_apart(machine: Machine, value: Value) -> Parts:
    """The same of what is certainly a NumPy array."""
    found = parts(machine, value)
    assert found is not None, value
    return found


def masked(machine: Machine, array: BoundedArray, fill: Var, axes: Sequence[Lanes | None] | None = None) -> Var:
    """All elements of the room, with `fill` (a scalar) in the place of those that are not valid (along `axes`)."""
    var = machine.read(array.base)
    return select_valid(machine, var, fill, array.axes if axes is None else axes)


def select_valid(machine: Machine, var: Var, other: Var, axes: Sequence[Lanes | None]) -> Var:
    """`var` where it is valid, else `other`."""
    valid = valid_mask(machine, var.type.shape, axes)
    if valid is None:
        return var
    builder = machine.builder
    plain = builder.convert(var, var.type.dtype)
    return builder.elementwise("select", valid, plain, builder.broadcast(other, var.type.shape))


def compacted(machine: Machine, array: BoundedArray) -> tuple[Var, tuple[Lanes | None, ...]]:
    """The elements with all lanes moved to the front, and the dimensions they have then."""
    var = machine.read(array.base)
    axes: list[Lanes | None] = []
    for axis, lanes in enumerate(array.axes):
        if lanes is not None:
            var = moved(machine, var, axis, lanes, None, var.type.shape[axis])
        axes.append(None if lanes is None else Lanes(lanes.length))
    return var, tuple(axes)


def with_less_room(machine: Machine, array: Value, room: int) -> Value:
    """An array that is known to have at most so many rows, with room for these alone."""
    if not isinstance(array, BoundedArray) or array.axes[0] is None or array.base.type.shape[0] <= room:
        return array
    var, axes = compacted(machine, array)
    return fresh(machine, machine.leaf(_first_rows, (var,), (room,), name="cut")[0], axes)


def _first_rows(x, room):
    return x[:room]


def array_type(array: BoundedArray) -> TensorType:
    """The type of the room."""
    return array.base.type


def shape_of(machine: Machine, value: Value) -> list[Value]:
    """The shape, as Python ints."""
    room, axes = taken_apart(machine, value)
    return [scalar(machine, length_int(machine, lanes, n)) for lanes, n in zip(axes, room.type.shape, strict=True)]


def shape_text(machine: Machine, value: Value) -> tuple[str, list[Value]]:
    """NumPy's text of a shape, as a template and its parts."""
    found = parts(machine, value)
    if found is None:
        shape = value.var.type.shape if isinstance(value, JaxArray | NumpyScalar) else ()
        sizes: list[Value] = [Const(n) for n in shape]
    else:
        sizes = shape_of(machine, value)
    return "(" + ",".join("{}" for _ in sizes) + ("," if len(sizes) == 1 else "") + ")", sizes


def settle_widths(machine: Machine, array: BoundedArray) -> None:
    """Asks for the numbers among the inputs that say how wide a window is at most, for what looks at all the room and
    takes long."""
    for lanes, room in zip(array.axes, array.base.type.shape, strict=True):
        if lanes is not None and room > _LONG:
            for var in machine.window_widths.get(lanes.length, ()):
                raise NeedStatic(var, "the width of a window")
