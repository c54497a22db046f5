"""Fresh arrays whose size is an integer on the device with known bounds: np.zeros(n), np.arange(n), xlapy.bound."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.masked_axes import INT64, Int, as_int, clip, fresh, known_int, subtract, var_of
from xlapy.dispatch.numpy import register_numpy
from xlapy.dispatch.numpy.rule_operands import absent, known, require_dtype, sequence_items
from xlapy.dispatch.numpy.view_functions import as_array
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.numbers import interval, known_bounds
from xlapy.domain.size_bounds import bound
from xlapy.domain.values import BoundedArray, Const, Lanes, NumpyScalar, Scalar, Tuple, Value

#: elements for which there may be room
_MAXIMUM_ROOM = 2**27
_NEGATIVE = "negative dimensions are not allowed"


@registry.function(bound)
def _bound(machine: Machine, n, maximum):
    most = known(machine, maximum, "the bound of xlapy.bound")
    if not isinstance(n, Scalar | NumpyScalar) or n.var.type.dtype.kind not in "iu":
        value = known(machine, n, "the first argument of xlapy.bound")
        if value > most:
            machine.raise_(ValueError, f"{value} is more than the bound {most}")
        return n
    number = as_int(machine, n)
    limit = machine.builder.constant(most, INT64)
    text = machine.message("{} is more than the bound {}", n, Const(most))
    machine.check(machine.builder.elementwise("gt", var_of(machine, number), limit), ValueError, text)
    var = machine.leaf(_at_most, (var_of(machine, number), limit), name="bound")[0]
    bounds = (number.low, min(number.high, int(most)))
    if isinstance(n, NumpyScalar):
        return NumpyScalar(machine.builder.convert(var, n.var.type.dtype), bounds)
    return masked_axes.scalar(machine, Int(var, *bounds))


def _at_most(n, limit):
    return jnp.minimum(n, limit)


def is_dynamic(machine: Machine, value: object) -> bool:
    """Whether a size is only known on the device, within bounds, and is not to be had by specialisation."""
    if not isinstance(value, Scalar | NumpyScalar) or machine.is_static(value) or known_bounds(value) is None:
        return False
    if value.var.type.dtype.kind not in "iu" or interval(value)[1] > _MAXIMUM_ROOM:
        return False
    return not machine.specialisable(value.var)


def _room(machine: Machine, shape: Value) -> tuple[Value, list[Lanes | None]] | None:
    """A static shape with room for a dynamic one, and its dimensions; None if the shape has no such part."""
    items = [shape] if isinstance(shape, Scalar | NumpyScalar) else sequence_items(machine, shape)
    if items is None or not any(is_dynamic(machine, v) for v in items):
        return None
    room, axes = [], []
    for item in items:
        if not is_dynamic(machine, item):
            room.append(item)
            axes.append(None)
            continue
        number = as_int(machine, item)
        if number.low < 0:
            zero = machine.builder.constant(0, INT64)
            machine.check(machine.builder.elementwise("lt", var_of(machine, number), zero), ValueError, _NEGATIVE)
        most = known_int(max(number.high, 0))
        room.append(Const(most.value))
        axes.append(Lanes(var_of(machine, clip(machine, number, known_int(0), most))))
    if np.prod([float(known(machine, n, "a shape")) for n in room]) > _MAXIMUM_ROOM:
        raise Refused("XP0013", "there would have to be room for too many elements", "give a bound with xlapy.bound")
    return Tuple(tuple(room)), axes


def _with_room(item: object) -> None:
    before = registry.function_rule(item)

    def rule(machine, shape, *args, **kwargs):
        found = _room(machine, shape)
        if found is None:
            return before(machine, shape, *args, **kwargs)
        return masked_axes.made(machine, before(machine, found[0], *args, **kwargs), found[1], own=True)

    registry.function(item)(rule)


for _item in (np.zeros, np.ones, np.empty, np.full, np.ndarray):
    _with_room(_item)

_broadcast_before = registry.function_rule(np.broadcast_to)


@registry.function(np.broadcast_to)
def _broadcast_to(machine, array, shape, *args, **kwargs):
    found = None if isinstance(array, BoundedArray) else _room(machine, shape)
    if found is not None:
        array = as_array(machine, array)
        sizes = array.type.shape
        dynamic = [lanes is not None for lanes in found[1]][len(found[1]) - len(sizes) :]
        # one element is repeated as often as wanted; others would have to be as many
        if len(sizes) <= len(found[1]) and all(n == 1 for n, some in zip(sizes, dynamic, strict=True) if some):
            view = registry.passed_on(_broadcast_before, machine, array, found[0], *args, **kwargs)
            return masked_axes.made(machine, view, found[1])
    return registry.passed_on(_broadcast_before, machine, array, shape, *args, **kwargs)


_arange_before = registry.function_rule(np.arange)


@registry.function(np.arange)
def _arange(machine, /, *args, **kwargs):
    if len(args) == 3 and not kwargs and _is_step(args[2]) and all(_is_whole(machine, a) for a in args):
        if any(is_dynamic(machine, a) for a in args):
            if args[2].value == 1:
                return _arange(machine, *args[:2])
            return machine.call(Const(_stepped), args)
    dtype = kwargs.get("dtype")
    plain = 1 <= len(args) <= 2 and not set(kwargs) - {"dtype"} and all(_is_whole(machine, a) for a in args)
    if not plain or not any(is_dynamic(machine, a) for a in args):
        return _arange_before(machine, *args, **kwargs)
    start = as_int(machine, args[0]) if len(args) == 2 else known_int(0)
    stop = as_int(machine, args[-1])
    room = max(stop.high - start.low, 0)
    if room > _MAXIMUM_ROOM:
        raise Refused("XP0013", "there would have to be room for too many elements", "give a bound with xlapy.bound")
    length = clip(machine, subtract(machine, stop, start), known_int(0), known_int(room))
    target = INT64 if absent(dtype) else require_dtype(known(machine, dtype))
    var = machine.leaf(_ramp, (var_of(machine, start),), (room, target), name="arange")[0]
    return fresh(machine, var, (Lanes(var_of(machine, length)),))


def _is_step(value: Value) -> bool:
    return isinstance(value, Const) and type(value.value) is int and value.value != 0


def _stepped(start, stop, step):
    """np.arange of integers whose step is known."""
    start = int(start)
    return np.arange(max(-((start - int(stop)) // step), 0)) * step + start


_linspace_before = registry.function_rule(np.linspace)


@registry.function(np.linspace)
def _linspace(machine, start, stop, num=None, *args, **kwargs):
    plain = num is not None and not args and not kwargs and is_dynamic(machine, num)
    if not plain or not all(machine.is_static(v) or isinstance(v, Scalar | NumpyScalar) for v in (start, stop)):
        given = (start, stop) if num is None else (start, stop, num, *args)
        return _linspace_before(machine, *given, **kwargs)
    return machine.call(Const(_spaced), (start, stop, num))


def _spaced(start, stop, num):
    """The steps of np.linspace, of which the last one is exact."""
    gaps = num - 1
    delta = stop * 1.0 - start * 1.0
    ramp = np.arange(0, num).astype(np.float64)
    if gaps > 0:
        step = delta / gaps
        ramp = ramp / gaps * delta if step == 0 else ramp * step
    else:
        ramp = ramp * delta
    ramp += start
    if num > 1:
        ramp[-1] = stop
    return ramp


def _is_whole(machine: Machine, value: Value) -> bool:
    if isinstance(value, Const):
        return type(value.value) is int
    if isinstance(value, Scalar):
        return value.kind is int and (is_dynamic(machine, value) or machine.is_static(value))
    return isinstance(value, NumpyScalar) and value.var.type.dtype == INT64 and is_dynamic(machine, value)


def _ramp(start, room, dtype):
    return (start + jnp.arange(room)).astype(dtype)


__all__ = ["register_numpy"]
