"""Series of dynamic length: convolved, padded, with insertions, unwrapped, counted in bins."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.numpy.rule_operands import cast, kind_of, known
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Lanes, Value
from xlapy.lowering.loop_derivatives.lax_loops import differentiable_counted_loop

# -- convolution ------------------------------------------------------------------------------------------------------


def _series(machine: Machine, value: Value, given) -> Value:
    value = machine.call(Const(np.asarray), (value,))
    found = masked_axes.parts(machine, value)
    if found is None or len(found[1]) != 1 or kind_of(found[0].type.dtype) not in "iufc":
        raise require_static(machine, first_of(given, {}), "a convolution of such arrays")
    return value


def _full(machine: Machine, a: Value, v: Value) -> Value:
    """All products of which something overlaps; neither is empty."""
    found = []
    dtype = np.result_type(*(masked_axes.taken_apart(machine, x)[0].type.dtype for x in (a, v)))
    for value in (a, v):
        if isinstance(value, BoundedArray):
            var, (lanes,) = masked_axes.compacted(machine, value)
        else:
            var, lanes = machine.read(masked_axes.taken_apart(machine, value)[0]), None
        length = masked_axes.length_int(machine, lanes, var.type.shape[0])
        found.append((cast(machine, var, dtype), masked_axes.var_of(machine, length)))
    found.sort(key=lambda item: -item[0].type.shape[0])
    (long, n), (short, m) = found
    result, length = machine.leaf(_convolved, (long, n, short, m), name="convolve")
    return masked_axes.fresh(machine, result, (Lanes(length),))


def _convolved(a, n, v, m):
    """A sum over the elements of the shorter one, of what is alive: dead lanes are multiplied with nothing."""
    room = a.shape[0]
    alive = jnp.arange(room) < n
    whole = jnp.zeros(max(room + v.shape[0] - 1, 0), a.dtype)
    if room == 0 or v.shape[0] == 0:
        return whole, jnp.zeros((), jnp.int64)

    def step(k, total):
        part = lax.dynamic_slice_in_dim(total, k, room)
        return [lax.dynamic_update_slice_in_dim(total, part + jnp.where(alive, a * v[k], 0), k, 0)]

    result = differentiable_counted_loop(m, step, [whole], np.dtype(m.dtype), False, v.shape[0])[0]
    return result, jnp.maximum(n + m - 1, 0)


def _window(full, n, m, mode, start):
    """The part of all products that `mode` names, of which 'same' begins at `start`."""
    if mode == "full":
        return full
    large, small = max(n, m), min(n, m)
    if mode == "same":
        return full[start : start + large]
    return full[small - 1 : large]


def _modes(machine: Machine, mode: object, given) -> str:
    name = known(machine, mode)
    if name not in ("full", "same", "valid"):
        raise require_static(machine, first_of(given, {}), f"a convolution with mode={name!r}")
    return str(name)


def _convolve(machine, a, v, mode="full"):
    a, v = _series(machine, a, (a, v)), _series(machine, v, (a, v))
    name = _modes(machine, mode, (a, v))
    machine.call(Const(_require_elements), (a, v))
    return machine.call(Const(_convolve_window), (_full(machine, a, v), a, v, Const(name)))


def _require_elements(a, v):
    if len(a) == 0:
        raise ValueError("a cannot be empty")
    if len(v) == 0:
        raise ValueError("v cannot be empty")


def _convolve_window(full, a, v, mode):
    n, m = len(a), len(v)
    return _window(full, n, m, mode, (min(n, m) - 1) // 2)


def _correlate(machine, a, v, mode="valid"):
    a, v = _series(machine, a, (a, v)), _series(machine, v, (a, v))
    name = _modes(machine, mode, (a, v))
    machine.call(Const(_require_some), (a, v))
    turned = machine.call(Const(_turned), (v,))
    return machine.call(Const(_correlate_window), (_full(machine, a, turned), a, v, Const(name)))


def _require_some(a, v):
    if len(a) == 0:
        raise ValueError("first array argument cannot be empty")
    if len(v) == 0:
        raise ValueError("second array argument cannot be empty")


def _turned(v):
    return np.conj(v[::-1])


def _correlate_window(full, a, v, mode):
    n, m = len(a), len(v)
    return _window(full, n, m, mode, (m - 1) // 2 if n >= m else n // 2)


registry.function(np.convolve, kind=DYNAMIC_LENGTH)(_convolve)
registry.function(np.correlate, kind=DYNAMIC_LENGTH)(_correlate)

# -- longer series ----------------------------------------------------------------------------------------------------


def _padded(array, before, after, first, last):
    ends = np.full(before, first, array.dtype), np.full(after, last, array.dtype)
    return np.concatenate((ends[0], array, ends[1]))


def _continued(array, before, after, mode):
    count = len(array)
    if count == 0 and before + after > 0:
        raise ValueError("can't extend empty axis 0 using modes other than 'constant' or 'empty'")
    place = np.arange(count + (before + after)) - before
    last = max(count - 1, 0)
    if mode == "edge":
        place = np.clip(place, 0, last)
    elif mode == "wrap":
        place = place % max(count, 1)
    elif mode == "symmetric":
        place = place % max(2 * count, 1)
        place = np.minimum(place, 2 * count - 1 - place)
    else:
        place = place % max(2 * last, 1)
        place = np.minimum(place, 2 * last - place)
    return array[place]


def _pad(machine, array, pad_width, mode="constant", constant_values=0):
    width = np.asarray(known(machine, pad_width, "the widths of np.pad"))
    ends = np.asarray(known(machine, constant_values, "the values of np.pad"))
    style = known(machine, mode)
    plain = isinstance(array, BoundedArray) and len(array.axes) == 1 and style in _MODES
    if (
        not plain
        or max(width.size, ends.size) > 2
        or width.dtype.kind != "i"
        or width.min() < 0
        or not isinstance(constant_values, int)
        and style != "constant"
    ):
        raise require_static(machine, array, "np.pad with such arguments")
    before, after = (Const(int(n)) for n in (width.flat[0], width.flat[-1]))
    if style == "constant":
        first, last = (Const(v.item()) for v in (ends.flat[0], ends.flat[-1]))
        return machine.call(Const(_padded), (array, before, after, first, last))
    return machine.call(Const(_continued), (array, before, after, Const(style)))


_MODES = ("constant", "edge", "wrap", "symmetric", "reflect")
registry.function(np.pad, kind=DYNAMIC_LENGTH)(_pad)
