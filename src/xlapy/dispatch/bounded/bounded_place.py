"""np.place of as many values as data says, which scipy.stats does with what it has computed inside the support."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.numpy import take_and_put
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Value


def _placed(arr, mask, vals):
    wanted = mask.ravel().astype(bool)
    if len(vals) == 0:
        if np.any(wanted):
            raise ValueError("Cannot insert from an empty array!")
    else:
        order = np.maximum(np.cumsum(wanted) - 1, 0)
        new = vals.astype(arr.dtype)[order % len(vals)]
        arr[...] = np.where(wanted, new, arr.ravel()).reshape(arr.shape)


def _place(machine: Machine, arr: Value, mask: Value, vals: Value) -> Value:
    if involved(arr) or involved(mask) or not isinstance(vals, BoundedArray) or len(vals.axes) != 1:
        raise require_static(machine, first_of((arr, mask, vals), {}), "np.place of such arrays")
    # what NumPy asks of the array and of the mask
    take_and_put.places(machine, arr, mask, vals)
    return machine.call(Const(_placed), (arr, machine.call(Const(np.asarray), (mask,)), vals))


registry.function(np.place, kind=DYNAMIC_LENGTH)(_place)
