"""np.lib.stride_tricks: arrays that show the memory of another one, at the given steps."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch.arrays.memory_order import layout_model
from xlapy.dispatch.arrays.views import buffer_type, view
from xlapy.dispatch.numpy.rule_operands import absent, known
from xlapy.dispatch.numpy.view_functions import as_array, ask, model
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function
from xlapy.domain.host_views import shown, step_of_elements
from xlapy.domain.values import NdArray
from xlapy.ir import Var


@function(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(machine, x, window_shape, axis=None, *, subok=False, writeable=False):
    """np.lib.stride_tricks.sliding_window_view: one that may be written is refused where it is."""
    array, extents, axis = as_array(machine, x), known(machine, window_shape), known(machine, axis)
    ask(machine, lambda: np.lib.stride_tricks.sliding_window_view(model(array), extents, axis))
    extents = tuple(extents) if np.ndim(extents) else (extents,)
    rank = len(array.type.shape)
    axes = tuple(range(rank)) if axis is None else tuple(axis) if np.ndim(axis) else (axis,)
    params = (tuple(map(int, extents)), tuple(int(a) % rank for a in axes))
    return view(machine, array, "windows", params, writeable=bool(known(machine, writeable)))


@function(np.lib.stride_tricks.as_strided)
def as_strided(machine, x, shape=None, strides=None, subok=False, writeable=True):
    """np.lib.stride_tricks.as_strided of what lies in a vector, or in an array in C order, and does not leave it."""
    array = as_array(machine, x)
    lies = layout_model(machine, array)
    extents = lies.shape if absent(shape) else _tuple(known(machine, shape, "a shape"))
    wanted = None if absent(strides) else _tuple(known(machine, strides, "the strides"))
    made = ask(machine, lambda: np.lib.stride_tricks.as_strided(lies, extents, wanted))
    found: tuple[int, ...] = made.strides
    writes = bool(known(machine, writeable))
    within = tuple(n - w + 1 for n, w in zip(lies.shape, extents[lies.ndim :], strict=False))
    if found == lies.strides * 2 and within == extents[: lies.ndim]:
        return view(machine, array, "windows", (extents[lies.ndim :], tuple(range(lies.ndim))), writes)
    whole, first = _base(machine, array)
    lies = layout_model(machine, whole)
    unit = step_of_elements(lies)
    if lies.ndim > 1 and not lies.flags.c_contiguous or not unit or any(step % unit for step in (first, *found)):
        raise Refused("XP0012", "as_strided of an array that does not lie in C order, or between its elements")
    first, steps = first // unit, tuple(step // unit for step in found)
    ends = [step * (n - 1) for step, n in zip(steps, extents, strict=True)]
    lowest, highest = (first + sum(pick(end, 0) for end in ends) for pick in (min, max))
    if made.size and (lowest < 0 or highest >= lies.size):
        raise Refused("XP0012", "as_strided that shows memory before or behind an array")
    return view(machine, whole, "strided", (extents, steps, first), writes)


def _base(machine: Machine, array: NdArray) -> tuple[NdArray, int]:
    """The array whose memory is seen, and after how many bytes of it `array` starts."""
    steps = tuple((lens.kind, tuple(lens.params)) for lens in array.lenses)
    dims = [dim for kind, params in steps if kind == "index" for dim in params]
    if any(kind not in ("index", "transpose", "diagonal") for kind, _ in steps) or any(
        isinstance(start, Var) for start, _, _ in dims
    ):
        return array, 0
    whole = NdArray(
        array.buffer,
        (),
        buffer_type(machine, array),
        machine.heap.identity(),
        array.writeable,
    )
    if machine.heap.may_be_locked(array):
        machine.heap.locked.add(whole.identity)
    lies = layout_model(machine, whole)
    return whole, _address(shown(lies, steps, int)) - _address(lies)


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def _tuple(found) -> tuple[int, ...]:
    return tuple(map(int, found)) if np.iterable(found) else (int(found),)
