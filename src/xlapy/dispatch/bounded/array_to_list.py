"""Lists of the elements of arrays of dynamic length, and of long ones, in Python."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, require_static
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import NONE, BoundedArray, Const, Value

_FALSE = Const(False)


def tolist(machine: Machine, array: Value, rank: int) -> Value:
    """The elements of an array, be it of dynamic length, in nested lists that grow in loops."""
    return machine.call(Const(_numbers if rank == 1 else _rows), (array,))


def _tolist(machine: Machine, self: BoundedArray) -> Value:
    return tolist(machine, self, len(self.axes))


def _numbers(array):
    return [x.item() for x in array]


def _rows(array):
    return [row.tolist() for row in array]


def _sorted(machine: Machine, iterable: Value, *, key: Value = NONE, reverse: Value = _FALSE) -> Value:
    if not isinstance(iterable, BoundedArray) or len(iterable.axes) != 1:
        raise require_static(machine, first_of((iterable,), {}), "sorted")
    return machine.call(Const(_in_order), (iterable, key, reverse))


def _in_order(array, key, reverse):
    items = list(array)
    items.sort(key=key, reverse=reverse)
    return items


def _item(machine: Machine, self: BoundedArray, *index: Value) -> Value:
    if len(self.axes) != 1 or len(index) != 1:
        raise require_static(machine, self, "ndarray.item")
    return machine.call(machine.getattr(machine.getitem(self, index[0]), "item"), ())


registry.method(np.ndarray, "tolist", kind=DYNAMIC_LENGTH)(_tolist)
registry.method(np.ndarray, "item", kind=DYNAMIC_LENGTH)(_item)
registry.function(sorted, kind=DYNAMIC_LENGTH)(_sorted)
