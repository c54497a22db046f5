"""Element-wise functions, operators and products of arrays of dynamic length."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.argument_kinds import first_of, involved, require_static
from xlapy.dispatch.arrays.memory_order import keep_order
from xlapy.dispatch.bounded import layout_matching, masked_axes
from xlapy.dispatch.bounded.masked_axes import (
    INT64,
    Int,
    fresh,
    length_int,
    made,
    moved,
    same_int,
    same_lanes,
    same_length,
    select_valid,
    shape_text,
    valid_lanes,
    valid_mask,
    var_of,
)
from xlapy.dispatch.numpy import ufuncs
from xlapy.dispatch.numpy.array_operators import BINARY
from xlapy.dispatch.numpy.rule_operands import absent, cast, kind_of, operand, reshape
from xlapy.dispatch.numpy.ufunc_table import FINITE_SLOPES, GENERALISED
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, JaxArray, Lanes, NdArray, NumpyScalar, Ref, Scalar, Tuple, Value
from xlapy.ir import Var
from xlapy.ir.vectorisation_notes import Lanewise, noted
from xlapy.lowering.loop_derivatives.zero_derivative_mask import live

#: numbers that are added up one by one, in columns beside each other
_COLUMNS = 8
_NUMBERS = (bool, int, float, complex, np.generic)


# -- one layout for several arrays ------------------------------------------------------------------------------------


def unify(
    machine: Machine, values: Sequence[Value], name: str = "operands"
) -> tuple[list[Value], tuple[Lanes | None, ...]]:
    """Arrays with their lanes in the same places, and the dimensions of what they broadcast to; numbers stay.

    ValueError in the program where the lengths do not broadcast.
    """
    arrays = [_as_array(machine, v) for v in values]
    rooms = [None if a is None else masked_axes.parts(machine, a) for a in arrays]
    variables: list[Var | None] = [None] * len(values)
    rank = max(len(r[1]) for r in rooms if r is not None)
    axes: list[Lanes | None] = [None] * rank
    for back in range(1, rank + 1):
        entries = []
        for k, found in enumerate(rooms):
            if found is not None and len(found[1]) >= back:
                entries.append((k, found[1][-back], found[0].type.shape[-back]))
        dynamic = [e for e in entries if e[1] is not None]
        if not dynamic:
            continue
        fixed = [e for e in entries if e[1] is None and e[2] != 1]
        _, lanes, room = dynamic[0]
        if not fixed and all(n == room and same_lanes(lanes, x) for _, x, n in dynamic[1:]):
            axes[-back] = lanes
            continue
        axes[-back] = _align(machine, values, rooms, variables, back, dynamic, fixed)
    result: list[Value] = []
    for value, found, var in zip(values, rooms, variables, strict=True):
        result.append(JaxArray(var) if var is not None else value if found is None else found[0])
    return result, tuple(axes)


def _as_array(machine: Machine, value: Value) -> Value | None:
    if isinstance(value, BoundedArray | NdArray):
        return value
    if isinstance(value, Scalar | NumpyScalar) or (isinstance(value, Const) and isinstance(value.value, _NUMBERS)):
        return None
    return machine.new_array(operand(machine, value))


def _align(machine: Machine, values, rooms, variables, back: int, dynamic: list, fixed: list) -> Lanes:
    """Move all arrays' lanes of one dimension to the same places; the lanes they have then."""
    _, first, room = dynamic[0]
    equal = not fixed and (all(same_length(first, x) for _, x, _ in dynamic[1:]) or _opposite(machine, values, dynamic))
    target = first if equal and first.valid is None else Lanes(first.length)
    if equal and all(x.valid is None and same_int(x.start, 0) for _, x, _ in dynamic):
        room = min(n for _, _, n in dynamic)
    singles: list[Var | None] = [None] * len(values)
    if not equal:
        room = max(n for _, _, n in dynamic + fixed)
        length = _common_length(machine, values, dynamic + fixed, singles)
        target = Lanes(var_of(machine, length))
    for k, lanes, n in dynamic + fixed:
        base = rooms[k][0]
        var = machine.read(base) if variables[k] is None else variables[k]
        axis = len(base.type.shape) - back
        if n == 0:
            shape = tuple(room if a == axis else m for a, m in enumerate(var.type.shape))
            variables[k] = machine.builder.broadcast(machine.builder.constant(0, var.type.dtype), shape)
            continue
        var = moved(machine, var, axis, lanes, target, room)
        if singles[k] is not None:
            var = machine.leaf(layout_matching.first_or_all, (singles[k], var, var), (axis,), name="broadcast")[0]
        variables[k] = var
    return target


def _opposite(machine: Machine, values, dynamic: list) -> bool:
    """Whether two lengths are those of `x[k:]` and `x[:-k]`; ValueError in the program where these differ."""
    (_, first, room), (_, second, size) = dynamic[0], dynamic[-1]
    found = masked_axes.opposite(first, second, room) if len(dynamic) == 2 and room == size > 1 else None
    if found is None:
        return False
    machine.check(machine.builder.elementwise("eq", *found), ValueError, _differ(machine, values))
    return True


def _differ(machine: Machine, values) -> Value:
    """The message for arrays whose lengths do not broadcast."""
    texts, sizes = [], []
    for value in values:
        if isinstance(value, Ref | Tuple):
            value = JaxArray(operand(machine, value))
        text, found = shape_text(machine, value)
        texts.append(text)
        sizes += found
    return machine.message(f"operands could not be broadcast together with shapes {' '.join(texts)} ", *sizes)


def _common_length(machine: Machine, values, entries: list, singles: list) -> Int:
    """The length that several lengths broadcast to; notes where an array has a single element that is repeated."""
    builder = machine.builder
    one = builder.constant(1, INT64)
    lengths = [length_int(machine, lanes, n) for _, lanes, n in entries]
    variables = [var_of(machine, n) for n in lengths]
    is_one = [builder.elementwise("eq", v, one) for v in variables]
    result, bad = variables[0], None
    for n, v in enumerate(variables[1:], start=1):
        differ = builder.elementwise("ne", result, v)
        either = builder.elementwise("bitwise_or", builder.elementwise("eq", result, one), is_one[n])
        wrong = builder.elementwise("bitwise_and", differ, builder.elementwise("bitwise_not", either))
        bad = wrong if bad is None else builder.elementwise("bitwise_or", bad, wrong)
        result = builder.elementwise("select", builder.elementwise("eq", result, one), v, result)
    for (k, lanes, _), flag in zip(entries, is_one, strict=True):
        singles[k] = flag if lanes is not None else None
    if bad is not None:
        machine.check(bad, ValueError, _differ(machine, values))
    return Int(result, 0, max(n.high for n in lengths))


# -- ufuncs -----------------------------------------------------------------------------------------------------------


def elementwise(machine: Machine, ufunc: np.ufunc, inputs: Sequence[Value]) -> Value:
    """`ufunc(*inputs)`."""
    operands, axes = unify(machine, inputs)
    try:
        shape = np.broadcast_shapes(*(bounded_shape(machine, v) for v in operands))
    except ValueError:
        return machine.raise_(ValueError, _differ(machine, inputs))
    guard = valid_mask(machine, shape, axes) if ufunc not in FINITE_SLOPES else None
    results = ufuncs.compute(machine, ufunc, operands, mask=guard)
    values = [fresh(machine, machine.builder.broadcast(var, shape), axes) for var in results]
    rooms = [v.base if isinstance(v, BoundedArray) else v for v in inputs]
    for value in values:
        if isinstance(value, BoundedArray):
            keep_order(machine, value.base, rooms)
    return values[0] if len(values) == 1 else Tuple(tuple(values))


def bounded_shape(machine: Machine, value: Value) -> tuple[int, ...]:
    """The shape of an operand's room."""
    if isinstance(value, NdArray):
        return value.type.shape
    return value.var.type.shape if isinstance(value, JaxArray) else ()


def lanewise(machine: Machine, function: Callable, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """A NumPy function that works element by element, on all the room."""
    operands, axes = unify(machine, [v for v in args if not absent(v)])
    alive = iter([_alive(machine, v, axes) for v in operands])
    result = machine.call(Const(function), [v if absent(v) else next(alive) for v in args], kwargs)
    return made(machine, result, axes, own=True)


def on_lanes(machine: Machine, array: BoundedArray, function: Callable[[Value], Value]) -> Value:
    """What a function that works element by element makes of all the room of an array."""
    return made(machine, function(_alive(machine, array.base, array.axes)), array.axes)


def _alive(machine: Machine, value: Value, axes: Sequence[Lanes | None]) -> Value:
    """An operand of what is computed in all the room and counts in its lanes."""
    if not isinstance(value, JaxArray | NdArray):
        return value
    var = value.var if isinstance(value, JaxArray) else machine.read(value)
    if kind_of(var.type.dtype) in "fc" and len(var.type.shape) == len(axes):
        lanes = [x if n != 1 else None for x, n in zip(axes, var.type.shape, strict=True)]
        mask = valid_mask(machine, var.type.shape, lanes)
        var = var if mask is None else machine.builder.live(mask, var)
    return machine.new_array(var)


def operator(machine: Machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`left symbol right`, one of which has a dynamic length; None for NotImplemented."""
    if symbol in ("in", "not in") and isinstance(right, BoundedArray):
        hit = elementwise(machine, np.equal, (right, left))
        found = machine.call(Const(np.any), (hit,))
        return machine.boolean(machine.truth(found) if symbol == "in" else _inverse(machine, machine.truth(found)))
    inplace = symbol.endswith("=") and symbol not in BINARY
    ufunc = BINARY.get(symbol[:-1] if inplace else symbol)
    for value in (left, right):
        if isinstance(value, JaxArray) or (isinstance(value, Const) and not isinstance(value.value, _NUMBERS)):
            raise require_static(machine, first_of((left, right), {}), f"'{symbol}' with such an operand")
    if ufunc is None:
        return None
    if inplace and isinstance(left, BoundedArray | NdArray):
        return _inplace(machine, ufunc, left, right)
    if ufunc is np.matmul:
        return product(machine, np.matmul, left, right)
    if (
        ufunc is np.power
        and isinstance(right, Const)
        and type(right.value) in (int, float)
        and isinstance(left, BoundedArray)
    ):
        kind = kind_of(left.base.type.dtype)
        if right.value == 2 and kind in "fc":
            return elementwise(machine, np.square, (left,))
        if right.value == -1 and kind in "fc":
            return elementwise(machine, np.reciprocal, (left,))
        if kind == "b":
            raise require_static(machine, left, "powers of booleans")
    return elementwise(machine, ufunc, (left, right))


def _inverse(machine: Machine, value: Var | bool) -> Var | bool:
    return machine.builder.elementwise("bitwise_not", value) if isinstance(value, Var) else not value


def unary(machine: Machine, symbol: str, value: BoundedArray) -> Value:
    """`-value`, `+value`, `~value`."""
    return elementwise(machine, ufuncs.UNARY[symbol], (value,))


def _inplace(machine: Machine, ufunc: np.ufunc, left: Value, right: Value) -> Value:
    """`left op= right`: writes through to what `left` shows."""
    room, axes = masked_axes.taken_apart(machine, left)
    if not room.writeable:
        return machine.raise_(ValueError, "output array is read-only")
    if ufunc is np.matmul:
        raise require_static(machine, first_of((left, right), {}), "'@='")
    other = right
    if _as_array(machine, right) is not None:

        def message() -> Value:
            (one, sizes), (two, more) = shape_text(machine, left), shape_text(machine, right)
            template = f"operands could not be broadcast together with shapes {one} {two} {one} "
            return machine.message(template, *sizes, *more, *sizes)

        source = right if isinstance(right, BoundedArray | NdArray) else machine.new_array(operand(machine, right))
        other = JaxArray(layout_matching.fit(machine, source, room.type.shape, axes, message))
    guard = valid_mask(machine, room.type.shape, axes) if ufunc not in FINITE_SLOPES else None
    (var,) = ufuncs.compute(machine, ufunc, (room, other), (room.type.dtype,), guard)
    if var.type.shape != room.type.shape:
        machine.raise_(ValueError, "non-broadcastable output operand")
    new = select_valid(machine, cast(machine, var, room.type.dtype), machine.read(room), axes)
    machine.write(room, new)
    return left


def deliver(machine: Machine, result: Value, out: Value, inputs: Sequence[Value], where: Value | None) -> Value:
    """Write the result of a ufunc of `inputs` into `out`, where `where` is true."""
    room, axes = masked_axes.taken_apart(machine, out)
    if not room.writeable:
        return machine.raise_(ValueError, "output array is read-only")

    def message() -> Value:
        texts = [shape_text(machine, v) for v in (*inputs, out)]
        template = "operands could not be broadcast together with shapes " + "".join(f"{text} " for text, _ in texts)
        return machine.message(template, *(n for _, sizes in texts for n in sizes))

    def placed(value: Value) -> Var:
        return machine.builder.broadcast(
            layout_matching.fit(machine, value, room.type.shape, axes, message), room.type.shape
        )

    before, new = machine.read(room), cast(machine, placed(result), room.type.dtype)
    if where is not None:
        mask = where if isinstance(where, NdArray | BoundedArray) else machine.new_array(operand(machine, where))
        new = machine.builder.elementwise("select", cast(machine, placed(mask), masked_axes.BOOL), new, before)
    machine.write(room, select_valid(machine, new, before, axes))
    return out


# -- products ---------------------------------------------------------------------------------------------------------


def product(machine: Machine, function: Callable, left: Value, right: Value) -> Value:
    """`left @ right`, and np.dot of arrays of one or two dimensions."""
    pair = [array for v in (left, right) if (array := _as_array(machine, v)) is not None]
    if len(pair) < 2:
        if function is np.matmul:
            machine.raise_(ValueError, "matmul: Input operand has not enough dimensions")
        return elementwise(machine, np.multiply, (left, right))
    (one, first), (two, second) = (masked_axes.taken_apart(machine, p) for p in pair)
    if not 1 <= len(first) <= 2 or not 1 <= len(second) <= 2:
        raise require_static(machine, next(v for v in pair if involved(v)), "a product of such dimensions")
    a, b = machine.read(one), machine.read(two)
    inner = 0 if len(second) == 1 else len(second) - 2
    lanes, other = first[-1], second[inner]
    size, space = a.type.shape[-1], b.type.shape[inner]
    valid = None
    if lanes is None and other is None:
        if size != space:
            _mismatch(machine, function, pair, len(first) - 1, inner)
    else:
        if lanes is None or other is None or not same_length(lanes, other):
            lengths = [var_of(machine, length_int(machine, x, n)) for x, n in ((lanes, size), (other, space))]
            bad = machine.builder.elementwise("ne", *lengths)
            machine.check(bad, ValueError, _message(machine, function, pair, len(first) - 1, inner))
        a, b, valid = _contracted(machine, a, b, inner, lanes, other)
    (dtype, _, result_type) = ufuncs.loop(np.matmul, (a.type.dtype, b.type.dtype))
    a, b = cast(machine, a, dtype), cast(machine, b, dtype)
    axes = (*first[:-1], *(x for k, x in enumerate(second) if k != inner))
    if valid is not None and len(first) == 1 == len(second) and dtype != masked_axes.BOOL:
        found = machine.leaf(_masked_dot, (a, b, valid), name="dot")
        return machine.numpy_result(noted(found, Lanewise("dot", _masked_dot, (), (0, 1)))[0])
    if valid is not None:
        a = machine.leaf(_blank, (a, valid), (len(first) - 1,), name="select")[0]
        b = machine.leaf(_blank, (b, valid), (inner,), name="select")[0]
    var = machine.leaf(ufuncs._call_table, (a, b), (GENERALISED[np.matmul], (result_type,)), name="matmul")[0]
    return fresh(machine, var, axes)


def _contracted(machine: Machine, a: Var, b: Var, inner: int, lanes: Lanes | None, other: Lanes | None):
    """The operands with the lanes of the summed dimension in the same places, and the mask of these lanes."""
    size, space = a.type.shape[-1], b.type.shape[inner]
    axis = len(a.type.shape) - 1
    if lanes is not None and other is not None and size == space and same_lanes(lanes, other):
        return a, b, valid_lanes(machine, lanes, size)
    if other is not None and (lanes is None or lanes.valid is not None) and other.valid is None and space > 0:
        return moved(machine, a, axis, lanes, other, space), b, valid_lanes(machine, other, space)
    if lanes is not None and lanes.valid is None and size > 0:
        return a, moved(machine, b, inner, other, lanes, size), valid_lanes(machine, lanes, size)
    some = lanes or other
    assert some is not None
    goal = Lanes(some.length)
    room = max(size, space)
    a, b = moved(machine, a, axis, lanes, goal, room), moved(machine, b, inner, other, goal, room)
    return a, b, valid_lanes(machine, goal, room)


def _mismatch(machine: Machine, function: Callable, pair, one: int, two: int) -> None:
    machine.raise_(ValueError, _message(machine, function, pair, one, two))


def _message(machine: Machine, function: Callable, pair, one: int, two: int) -> Value:
    (text, sizes), (other, more) = (shape_text(machine, p) for p in pair)
    if function is np.matmul:
        core = "(n?,k),(k,m?)->(n?,m?)"
        return machine.message(
            f"matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {core}"
            " (size {} is different from {})",
            more[two],
            sizes[one],
        )
    return machine.message(
        f"shapes {text} and {other} not aligned: {{}} (dim {one}) != {{}} (dim {two})",
        *sizes,
        *more,
        sizes[one],
        more[two],
    )


def outer(machine: Machine, left: Value, right: Value) -> Value:
    """np.outer of two vectors."""
    vectors = []
    for value, shape in ((left, (-1, 1)), (right, (1, -1))):
        array = _as_array(machine, value)
        found = None if array is None else masked_axes.parts(machine, array)
        if found is None or len(found[1]) != 1:
            raise require_static(machine, first_of((left, right), {}), "np.outer")
        (lanes,) = found[1]
        var = reshape(machine, machine.read(found[0]), shape)
        vectors.append(fresh(machine, var, (lanes, None) if shape[1] == 1 else (None, lanes)))
    return elementwise(machine, np.multiply, vectors)


def _masked_dot(a, b, valid):
    a, b = live(valid, a), live(valid, b)
    terms = jnp.where(valid, a * b, jnp.zeros((), a.dtype))
    # In columns first: XLA's CPU backend adds up a vector in two steps of its own, of which neither uses vectors.
    terms = lax.pad(terms, jnp.zeros((), a.dtype), [(0, -terms.shape[0] % _COLUMNS, 0)])
    return jnp.sum(jnp.sum(terms.reshape(_COLUMNS, -1), axis=0, dtype=a.dtype), dtype=a.dtype)


def _blank(x, valid, axis):
    mask = jnp.reshape(valid, (-1,) + (1,) * (x.ndim - axis - 1))
    return jnp.where(mask, x, jnp.zeros((), x.dtype))
