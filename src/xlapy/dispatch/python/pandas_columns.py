"""Columns of pandas' tables, where a program asks them for their arrays.

def total(frame):
    return frame["price"].to_numpy() @ frame["count"].to_numpy()

What else a Series or a DataFrame does is pandas' own code, of which much is compiled: it is refused, with this hint.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.sources import attribute, item
from xlapy.domain.values import NONE, Const, Value, as_ref

_pandas: Any = importlib.import_module("pandas")
_NO = Const(False)
_HINT = "work with its array: `series.to_numpy()`, `frame['column'].to_numpy()`"


def _real(machine: Machine, value: Value) -> Any:
    """The object of the caller's, and where it was found."""
    info = machine.heap.objects[as_ref(value).object]
    if info.source is None:
        raise Refused("XP0003", f"a {info.cls.__name__} of pandas that the program has made", _HINT)
    return info.real, info.source


def _values(machine: Machine, value: Value) -> Value:
    """The array of a Series, an Index or a DataFrame."""
    real, source = _real(machine, value)
    found = real.values
    if not isinstance(found, np.ndarray) or found.dtype == object:
        kind = f"a {type(real).__name__} of {getattr(real, 'dtype', 'object')}"
        raise Refused("XP0005", f"{source} is {kind}, which is not an array of numbers", _HINT)
    return machine.world.wrap(found, attribute(source, "values"))


@registry.function(_pandas.Series.to_numpy, _pandas.Index.to_numpy, _pandas.DataFrame.to_numpy)
def to_numpy(machine: Machine, self: Value, dtype: Value = NONE, copy: Value = _NO, **others: Value) -> Value:
    """`self.to_numpy(dtype, copy)`."""
    if others:
        raise Refused("XP0011", "an argument of 'to_numpy' besides dtype and copy", _HINT)
    found = _values(machine, self)
    copied = machine.static(copy, "copy")
    if dtype is NONE:
        return machine.call(Const(np.copy), (found,)) if copied else found
    return machine.call(Const(np.array if copied else np.asarray), (found, dtype))


@registry.function(_pandas.Series.__array__, _pandas.Index.__array__, _pandas.DataFrame.__array__)
def as_array(machine: Machine, self: Value, dtype: Value = NONE, copy: Value = NONE) -> Value:
    """`np.asarray(self)`."""
    return to_numpy(machine, self, dtype)


@registry.function(*{cls.values.fget for cls in (_pandas.Series, _pandas.Index, _pandas.DataFrame)})
def values(machine: Machine, self: Value) -> Value:
    """`self.values`."""
    return _values(machine, self)


@registry.function(*{cls.__len__ for cls in (_pandas.Series, _pandas.Index, _pandas.DataFrame)})
def length(machine: Machine, self: Value) -> Value:
    """`len(self)`."""
    real, source = _real(machine, self)
    machine.world.guard("len", source, len(real))
    return Const(len(real))


@registry.function(_pandas.DataFrame.__getitem__, _pandas.DataFrame.__getattr__)
def column(machine: Machine, self: Value, key: Value) -> Value:
    """`self[key]`, for one column."""
    real, source = _real(machine, self)
    name = machine.static(key, "the name of a column")
    if isinstance(name, str | int) and name in real.columns and isinstance(real[name], _pandas.Series):
        return machine.world.wrap(real[name], item(source, name))
    raise Refused("XP0003", f"{source}[{name!r}] is not one column of the DataFrame", _HINT)


@registry.function(_pandas.Series.__getitem__, _pandas.Series.__iter__, _pandas.Series.__getattr__)
def refused(machine: Machine, self: Value, *args: Value) -> Value:
    """What pandas does element by element."""
    _, source = _real(machine, self)
    raise Refused("XP0003", f"{source} is a Series of pandas", _HINT)
