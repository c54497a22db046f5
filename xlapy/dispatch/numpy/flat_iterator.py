"""`array.flat[key]`: what is read is a copy, and what is written is repeated as often as it takes."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch.arrays.indexing import is_integer
from xlapy.dispatch.bounded import indexing
from xlapy.dispatch.iterators.flat import rewound, vector
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import Const, NdArray, NumpyScalar, Scalar, Value


def getitem(machine: Machine, iterator: NdArray, key: Value) -> Value:
    """`array.flat[key]`."""
    _check(machine, iterator, key)
    rewound(machine, iterator)
    found = indexing.getitem(machine, vector(iterator), key)
    return machine.call(machine.getattr(found, "copy"), ()) if isinstance(found, NdArray) else found


def setitem(machine: Machine, iterator: NdArray, key: Value, value: Value) -> None:
    """`array.flat[key] = value`."""
    _check(machine, iterator, key)
    rewound(machine, iterator)
    if isinstance(value, Scalar | NumpyScalar) or isinstance(value, Const) and np.ndim(value.value) == 0:
        indexing.setitem(machine, vector(iterator), key, value)
    else:
        machine.call(Const(_repeated), (vector(iterator), key, value))


def _check(machine: Machine, iterator: NdArray, key: Value) -> None:
    if is_integer(key):
        machine.call(Const(_in_range), (key, Const(iterator.type.shape[0])))


def _in_range(index, size):
    if index < -size or index >= size:
        raise IndexError(f"index {index} is out of bounds for size {size}")


def _repeated(vector, key, values):
    values = np.asarray(values).ravel()
    count = np.size(vector[key])
    if np.size(values) != 0:
        values = values[np.arange(count) % np.size(values)]
    vector[key] = values
