"""`array.flat` as an iterator. It stands for a vector in NumPy's functions, and goes on where it was in Python's: the
heap has an iterator over its elements from the moment at which it is made."""

from __future__ import annotations

from typing import TypeGuard

from xlapy.dispatch.iterators import generator_functions
from xlapy.dispatch.iterators.sequences import INDEXED, new
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import Const, Lens, NdArray, Value, as_ref

_ZERO = Const(0)


def is_flat(value: Value) -> TypeGuard[NdArray]:
    """Whether a value is `array.flat`."""
    return isinstance(value, NdArray) and bool(value.lenses) and value.lenses[-1].kind == "flat"


def vector(flat: NdArray) -> NdArray:
    """The elements that `array.flat` goes through."""
    *before, last = flat.lenses
    lenses = (*before, Lens("reshape", last.params))
    return NdArray(flat.buffer, lenses, flat.type, flat.identity, flat.writeable)


def begin(machine: Machine, flat: NdArray) -> None:
    """`array.flat` has been made."""
    made = new(machine, INDEXED, type(iter([])), source=vector(flat), position=_ZERO)
    machine.flat_iterators[flat.identity] = as_ref(made)


def iterator_of(machine: Machine, value: Value) -> Value:
    """What goes through the elements of `array.flat`; anything else as it is."""
    if not is_flat(value):
        return value
    known = machine.flat_iterators.get(value.identity)
    if known is None:
        raise Refused("XP0010", "an `array.flat` that is one of several", "iterate over `array.ravel()`")
    return known


def consumed(machine: Machine, function: object, value: Value) -> Value:
    """What a function of Python's gets in the place of `array.flat`: an iterator that is moved on; a vector, for what
    takes all items, if it is at its beginning."""
    if not is_flat(value) or not generator_functions.consumes(function):
        return value
    number = as_ref(iterator_of(machine, value)).object
    position = machine.heap.read(number, "position")
    if not generator_functions.exhausts(function) or not isinstance(position, Const) or position.value != 0:
        return iterator_of(machine, value)
    machine.heap.write(number, "position", Const(value.type.shape[0]))
    return vector(value)


def rewound(machine: Machine, flat: NdArray) -> None:
    """NumPy's `array.flat` begins anew after it has been indexed."""
    machine.heap.write(as_ref(iterator_of(machine, flat)).object, "position", _ZERO)
