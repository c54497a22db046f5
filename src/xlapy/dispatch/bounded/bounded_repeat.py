"""np.repeat of arrays of dynamic length, and by counts that depend on data, of which only the sum has to be known."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.library_functions import type_of_array
from xlapy.dispatch.bounded.masked_axes import INT64, fresh
from xlapy.dispatch.numpy import register_numpy
from xlapy.dispatch.numpy.rule_operands import known, known_index
from xlapy.dispatch.protocol import Machine
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import BoundedArray, Const, Lanes, NdArray, NumpyScalar, Ref, Scalar, Value

#: an element is repeated so often at most where data says how often
_MOST_TIMES = 2**16
_before = registry.function_rule(np.repeat)


@registry.function(np.repeat)
def _by_counts(machine: Machine, a: Value, repeats: Value, axis: Value | None = None) -> Value:
    if isinstance(repeats, Ref) and not machine.is_static(repeats):
        repeats = machine.call(Const(np.asarray), (repeats,))
    if involved(repeats) or _is_times(machine, repeats):
        return _repeat(machine, a, repeats, axis)
    a = machine.call(Const(np.asarray), (a,))
    place, rank = known(machine, axis), _rank(machine, a)
    if not _are_counts(machine, repeats) or place is not None and not -rank <= place < rank:
        return registry.passed_on(_before, machine, a, repeats, axis)
    if involved(a):
        return _repeat(machine, a, repeats, axis)
    return machine.call(Const(_of_parts), (a, repeats), {"axis": Const(place)})


def _repeat(machine: Machine, a: Value, repeats: Value, axis: Value | None = None) -> Value:
    place = known(machine, axis)
    if not isinstance(a, BoundedArray) and not (isinstance(a, NdArray) and a.type.shape):
        a = machine.call(Const(np.atleast_1d), (a,))
    plain = isinstance(a, BoundedArray | NdArray) and place in ((None, 0, -1) if _rank(machine, a) == 1 else (0,))
    if plain and isinstance(a, BoundedArray):
        plain = all(x is None for x in a.axes[1:])
    if plain and _are_counts(machine, repeats):
        return machine.call(Const(_of_parts), (a, repeats), {"axis": Const(0)})
    if plain and _is_times(machine, repeats):
        return machine.call(Const(_times), (a, repeats))
    if not plain or involved(repeats) or not machine.is_static(repeats) or np.ndim(known(machine, repeats)) != 0:
        raise require_static(machine, first_of((a, repeats), {}), "np.repeat with such arguments")
    times = known_index(machine, repeats)
    if times < 0:
        machine.raise_(ValueError, "repeats may not contain negative values.")
    assert isinstance(a, BoundedArray)
    var, (lanes, *others) = masked_axes.compacted(machine, a)
    assert lanes is not None
    length = machine.builder.elementwise("mul", lanes.length, machine.builder.constant(times, INT64))
    return fresh(machine, machine.leaf(_repeated, (var,), (times,))[0], (Lanes(length), *others))


def _is_times(machine: Machine, repeats: Value) -> bool:
    """Whether this is one integer that data says, and of which is known how large it may be."""
    if not isinstance(repeats, Scalar | NumpyScalar) or machine.is_static(repeats):
        return False
    bounds = known_bounds(repeats)
    return not machine.specialisable(repeats.var) and bounds is not None and bounds[1] <= _MOST_TIMES


def _times(a, repeats):
    if repeats < 0:
        raise ValueError("repeats may not contain negative values.")
    return a[np.arange(len(a) * repeats) // max(repeats, 1)]


def _repeated(var, times):
    return jnp.repeat(var, times, axis=0)


def _rank(machine: Machine, a: Value) -> int:
    return len(type_of_array(machine, a).shape)


def _are_counts(machine: Machine, repeats: Value) -> bool:
    """Whether these are integers that data gives, one for each element."""
    if not isinstance(repeats, BoundedArray | NdArray) or machine.is_static(repeats):
        return False
    type_ = type_of_array(machine, repeats)
    return len(type_.shape) == 1 and (type_.dtype.kind in "bi" or type_.dtype.kind == "u" and type_.dtype.itemsize < 8)


def _of_parts(a, repeats, axis):
    if axis is None:
        a, axis = a.reshape(-1), 0
    count = a.shape[axis]
    if len(repeats) not in (1, count):
        raise ValueError(f"operands could not be broadcast together with shape ({count},) ({len(repeats)},)")
    if count and np.any(repeats < 0):
        raise ValueError("repeats may not contain negative values.")
    counts = repeats[np.minimum(np.arange(count), len(repeats) - 1)].astype(np.int64)
    places = np.searchsorted(np.cumsum(counts), np.arange(np.sum(counts)), side="right")
    return a[places] if axis == 0 else np.take(a, places, axis=axis)


registry.function(np.repeat, kind=DYNAMIC_LENGTH)(_repeat)
registry.method(np.ndarray, "repeat", kind=DYNAMIC_LENGTH)(_repeat)

__all__ = ["register_numpy"]
