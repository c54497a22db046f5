"""`array.flat`: an iterator over the elements of an array, which can be indexed. In NumPy's functions it stands for a
vector (`dispatch.numpy.flat_iterator`); Python's go on where it is."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch.arrays.views import view
from xlapy.dispatch.iterators import generator_consumers
from xlapy.dispatch.iterators.sequences import INDEXED, Kind, Plan, Step, indexed_step, new
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import Const, NdArray, Ref, Value, as_ref

_ZERO = Const(0)


def _step(machine, number: int) -> Step:
    before = machine.heap.read(number, "position")
    more, element = indexed_step(machine, number)
    if more is False:  # a list's iterator is at its end for ever; this one has an index, and may begin anew
        machine.heap.write(number, "position", before)
    return more, element


def _plan(machine, number: int) -> Plan | None:
    start, plan = machine.heap.read(number, "position"), INDEXED.plan(machine, number)
    if plan is None:
        return None
    return plan._replace(finish=lambda k, ended: machine.heap.write(number, "position", machine.binary("+", start, k)))


FLAT = Kind("flat", _step, _plan, INDEXED.known_length)


def begin(machine: Machine, array: NdArray) -> Ref:
    """`array.flat`."""
    elements = view(machine, array, "flat", (int(np.prod(array.type.shape, dtype=np.int64)),))
    return new(machine, FLAT, np.flatiter, source=elements, base=array, position=_ZERO)


def is_flat(machine: Machine, value: Value) -> bool:
    """Whether a value is `array.flat`."""
    return isinstance(value, Ref) and machine.heap.objects[value.object].details is FLAT


def vector(machine: Machine, flat: Ref) -> NdArray:
    """The elements that `array.flat` goes through."""
    elements = machine.heap.read(flat.object, "source")
    assert isinstance(elements, NdArray)
    return elements


def consumed(machine: Machine, function: object, value: Value) -> Value:
    """What a function of Python's that takes all items gets: of `array.flat` that has not begun, a vector."""
    if not is_flat(machine, value) or not generator_consumers.exhausts(function):
        return value
    number = as_ref(value).object
    position = machine.heap.read(number, "position")
    if not isinstance(position, Const) or position.value != 0:
        return value
    elements = vector(machine, as_ref(value))
    machine.heap.write(number, "position", Const(elements.type.shape[0]))
    return elements


def rewind(machine: Machine, flat: Ref) -> None:
    """NumPy's `array.flat` begins anew after it has been indexed."""
    machine.heap.write(flat.object, "position", _ZERO)
