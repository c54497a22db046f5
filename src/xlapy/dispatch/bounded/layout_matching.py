"""An array laid out as another one of dynamic length is, and `target[...] = value`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.argument_kinds import involved
from xlapy.dispatch.arrays import indexing
from xlapy.dispatch.arrays.element_conversion import assigned, elements
from xlapy.dispatch.arrays.views import read_view, write_view
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.masked_axes import INT64, moved, same_lanes, same_length, select_valid, shape_text, var_of
from xlapy.dispatch.numpy.rule_operands import cast, reshape
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, JaxArray, Lanes, NdArray, NumpyScalar, Scalar, Value
from xlapy.ir import Var


def assign(machine: Machine, target: Value, value: Value, where: Value | None = None) -> None:
    """`target[...] = value`, or `np.copyto(target, value, where=where)`."""
    room, axes = masked_axes.taken_apart(machine, target)
    if not room.writeable:
        machine.raise_(ValueError, "assignment destination is read-only")
    if isinstance(value, BoundedArray) and _is_itself(target, value):
        return
    if where is None and not involved(target, value):
        assert isinstance(target, NdArray)
        indexing.assign(machine, target, value)
        return
    new = stored(machine, value, room.type.shape, axes, room.type.dtype)
    new, old = machine.builder.broadcast(new, room.type.shape), read_view(machine, room)
    if where is not None:

        def message() -> Value:
            (text, sizes), (goal, goals) = shape_text(machine, where), shape_text(machine, target)
            return machine.message(
                f"could not broadcast where mask from shape {text} into shape {goal}", *sizes, *goals
            )

        mask = machine.builder.broadcast(fit(machine, where, room.type.shape, axes, message), room.type.shape)
        new = machine.builder.elementwise("select", mask, new, old)
    write_view(machine, room, select_valid(machine, new, old, axes))


def _is_itself(target: Value, value: BoundedArray) -> bool:
    """Whether an array is assigned to itself, as the end of `a[i, :j] += 1` does."""
    if not isinstance(target, BoundedArray) or target.base.buffer != value.base.buffer:
        return False
    one, two = target.base.lenses, value.base.lenses
    return (
        [lens.kind for lens in one] == [lens.kind for lens in two]
        and all(_same_parameters(a.params, b.params) for a, b in zip(one, two, strict=True))
        and all(
            (a is b) or (a is not None and b is not None and same_lanes(a, b))
            for a, b in zip(target.axes, value.axes, strict=True)
        )
    )


def _same_parameters(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same_parameters, a, b))
    return masked_axes.same_int(a, b) if isinstance(a, Var | int) and isinstance(b, Var | int) else a == b


def stored(machine: Machine, value: Value, shape: tuple[int, ...], axes, dtype: np.dtype, mask: str = "") -> Var:
    """A value as `dtype`, with its lanes where those of the target are; it broadcasts to `shape`."""
    if isinstance(value, Const | Scalar | NumpyScalar):
        return elements(machine, value, dtype) if mask else assigned(machine, value, dtype, ())
    if isinstance(value, JaxArray | NdArray | BoundedArray):
        source = value if not isinstance(value, JaxArray) else machine.new_array(value.var)
    else:
        source = machine.new_array(elements(machine, value, dtype))

    def message() -> Value:
        text, sizes = shape_text(machine, source)
        goal, goals = shape_text(machine, masked_axes.made(machine, _model(shape, dtype), axes)) if axes else ("()", [])
        if mask == "whole" and len(sizes) == 1 == len(goals):
            return machine.message(
                "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values where"
                " the mask is true",
                *sizes,
                *goals,
            )
        if mask:
            template = (
                f"shape mismatch: value array of shape {text} could not be broadcast to indexing result of shape {goal}"
            )
            return machine.message(template, *sizes, *goals)
        return machine.message(f"could not broadcast input array from shape {text} into shape {goal}", *sizes, *goals)

    return cast(machine, fit(machine, source, shape, axes, message), dtype)


def _model(shape: tuple[int, ...], dtype: np.dtype) -> NdArray:
    return NdArray(-1, (), masked_axes.TensorType(shape, dtype), -1)


def fit(machine: Machine, value: Value, shape: tuple[int, ...], axes: Sequence[Lanes | None], message) -> Var:
    """The elements of an array with each dimension laid out as that of a target (or of size 1).

    ValueError with `message()` where the array does not broadcast to the target.
    """
    room, mine = masked_axes.taken_apart(machine, value)
    var = machine.read(room)
    extra = len(mine) - len(axes)
    if extra > 0:
        if any(n != 1 for n in var.type.shape[:extra]) or any(x is not None for x in mine[:extra]):
            machine.raise_(ValueError, message())
        var = reshape(machine, var, var.type.shape[extra:])
        mine = mine[extra:]
    for back in range(1, min(len(mine), len(axes)) + 1):
        axis = len(mine) - back
        lanes, goal = mine[axis], axes[-back]
        size, space = var.type.shape[axis], shape[-back]
        if lanes is None and (size == 1 or (goal is None and size == space)):
            continue
        if lanes is not None and goal is not None and size == space and same_lanes(lanes, goal):
            continue
        var = _laid_out(machine, var, axis, lanes, goal, space, message)
    return var


def _laid_out(
    machine: Machine, var: Var, axis: int, lanes: Lanes | None, goal: Lanes | None, space: int, message
) -> Var:
    size = var.type.shape[axis]
    first = None
    if lanes is None or goal is None or not same_length(lanes, goal):
        builder = machine.builder
        mine, wanted = (masked_axes.length_int(machine, *pair) for pair in ((lanes, size), (goal, space)))
        bad = builder.elementwise("ne", var_of(machine, mine), var_of(machine, wanted))
        if mine.low <= 1 <= mine.high and lanes is not None:
            one = builder.elementwise("eq", var_of(machine, mine), builder.constant(1, INT64))
            bad = builder.elementwise("bitwise_and", bad, builder.elementwise("bitwise_not", one))
            first = moved(machine, var, axis, lanes, None, max(size, 1)) if size else None
        machine.check(bad, ValueError, message())
    if size == 0:
        shape = tuple(space if k == axis else n for k, n in enumerate(var.type.shape))
        return machine.builder.broadcast(machine.builder.constant(0, var.type.dtype), shape)
    result = moved(machine, var, axis, lanes, goal, space)
    if first is not None:
        result = machine.leaf(first_or_all, (one, first, result), (axis,), name="broadcast")[0]
    return result


def first_or_all(single, first, x, axis):
    """`x`, or its first element along an axis in every place, where there is a single one."""
    return jnp.where(single, jnp.broadcast_to(first[(slice(None),) * axis + (slice(0, 1),)], x.shape), x)
