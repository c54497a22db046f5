"""np.bincount: its result is as long as the largest value says."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.numbers.scalar_values import provoke, refuse_where
from xlapy.dispatch.numpy import register_numpy
from xlapy.dispatch.numpy.rule_operands import absent, known_index, operand
from xlapy.dispatch.numpy.sorting import bincount_weights
from xlapy.dispatch.protocol import Machine
from xlapy.domain.growable_lists import Overfull
from xlapy.domain.values import BoundedArray, Const, Lanes, Value
from xlapy.ir import Var, constant_value
from xlapy.lowering.primitives.bincount import occurrences

#: bins for which there is room where nothing says how many there are
_ROOM = 256
#: bins above which there is no more room by itself
_MOST_ROOM = 1 << 26
_NEGATIVE = provoke(np.bincount, [-1])
_of_known_size = registry.function_rule(np.bincount)


@registry.function(np.bincount)
def bincount(machine: Machine, x, /, weights=None, minlength=0):
    """np.bincount. There is room for `minlength` bins, else for as many as there are values, and for 256 at least.
    Where that was too little, the host compiles the program again with more."""
    room, axes = masked_axes.parts(machine, x) or (None, None)
    var = machine.read(room) if room is not None else operand(machine, x)
    integers = len(var.type.shape) == 1 and var.type.dtype.kind in "iub"
    if not integers or var.type.shape == (0,) or (axes in (None, (None,)) and constant_value(var) is not None):
        return _of_known_size(machine, x, weights, minlength)
    least = known_index(machine, minlength, "minlength")
    if least < 0:
        return machine.raise_(ValueError, "'minlength' must not be negative")
    valid = None if axes is None else masked_axes.valid_mask(machine, var.type.shape, axes)
    operands = [var] if valid is None else [var, valid]
    lowest, longest = machine.leaf(_range, operands, name="bincount")
    zero = machine.builder.constant(0, np.dtype(np.int64))
    if var.type.dtype.kind == "i":
        machine.check(machine.builder.elementwise("lt", lowest, zero), type(_NEGATIVE), *_NEGATIVE.args)
    most = np.iinfo(var.type.dtype).max + 1 if var.type.dtype.kind in "iu" else 2
    bins = max(least, min(most, _ROOM if most <= _ROOM else least or max(var.type.shape[0], _ROOM)))
    if most > bins:
        bins = _guessed_room(machine, longest, bins)
    counted = _weights(machine, weights, axes, var.type.shape)
    if valid is not None:
        counted.append(valid)
    result = machine.leaf(_count, (var, *counted), (bins, not absent(weights), valid is not None), name="bincount")[0]
    if least == bins:
        return machine.new_array(result)
    length = machine.builder.elementwise("max", longest, machine.builder.constant(least, np.dtype(np.int64)))
    return masked_axes.fresh(machine, result, (Lanes(length),))


def _guessed_room(machine: Machine, longest: Var, bins: int) -> int:
    """How many bins there is room for, `bins` at least; if there are more, the program has to be compiled again."""
    guess = ("bins", machine.builder.location())
    bins = max(bins, machine.settings.capacities.get(guess, 0))
    above = machine.builder.elementwise("gt", longest, machine.builder.constant(bins, np.dtype(np.int64)))
    if bins <= _MOST_ROOM:
        machine.guesses[guess] = max(bins, machine.guesses.get(guess, 0))
        machine.register_error(above, machine.exception(Overfull, Const(guess)))
        return bins
    message = f"np.bincount of values of which one is above {bins - 1}: there is room for {bins} bins"
    refuse_where(machine, above, "XP0013", message, "give as minlength a number above the largest value")
    return bins


def _weights(machine: Machine, weights: Value | None, axes, shape: tuple[int, ...]) -> list[Var]:
    if absent(weights):
        return []
    if not isinstance(weights, BoundedArray):
        return bincount_weights(machine, weights, shape)
    if axes is None or axes[0] is None or not masked_axes.same_lanes(weights.lanes, axes[0]):
        raise require_static(machine, weights, "np.bincount with weights")
    return [machine.builder.convert(machine.read(weights.base), np.dtype(np.float64))]


def _range(x, *valid):
    """A number that is negative if one of the values is, and the number of bins."""
    if not valid and x.dtype in (jnp.int32, jnp.int64):  # taken for unsigned, what is negative is the largest
        largest = lax.bitcast_convert_type(jnp.max(lax.bitcast_convert_type(x, f"u{x.dtype}")), x.dtype)
        return largest.astype(jnp.int64), largest.astype(jnp.int64) + 1
    wide = x.astype(jnp.int64)
    wide = jnp.where(valid[0], wide, -1) if valid else wide
    smallest = jnp.min(jnp.where(valid[0], wide, 0)) if valid else jnp.min(wide)
    return smallest, jnp.max(wide) + 1


def _count(x, *rest):
    *operands, bins, weighted, masked = rest
    x = x.astype(jnp.uint8) if x.dtype == bool else x
    place = jnp.clip(x, 0, min(bins - 1, jnp.iinfo(x.dtype).max))
    if weighted:
        values = jnp.where(operands[-1], operands[0], 0) if masked else operands[0]
        return jnp.zeros(bins, values.dtype).at[place].add(values, mode="promise_in_bounds")
    if masked:  # the others have a counter of their own
        return occurrences(jnp.where(operands[0], place.astype(jnp.int64), bins), bins + 1)[:-1]
    return occurrences(place, bins)


registry.function(np.bincount, kind=DYNAMIC_LENGTH)(bincount)

__all__ = ["register_numpy"]
