"""Subscripts, found as Python finds them: items that are read, written and deleted; and iteration."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch import kinds, unions
from xlapy.dispatch.arrays import indexing
from xlapy.dispatch.arrays.flat import is_flat
from xlapy.dispatch.bounded import bounded_indexing, growable_list_arrays
from xlapy.dispatch.containers import container_protocol
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.jax import jax_arrays
from xlapy.dispatch.numbers import mixed, range_objects
from xlapy.dispatch.numbers.scalar_values import clip, defines, lacks, provoke, python_int
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.python import attributes, objects
from xlapy.dispatch.python.operators import special
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import (
    NONE,
    BoundedArray,
    Const,
    JaxArray,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Slice,
    Tuple,
    Union,
    Value,
)

_INT64 = np.dtype(np.int64)
_NO_BOUND = str(provoke(np.zeros(1).__getitem__, slice("")))
_NO_INDEX = str(provoke(np.zeros(1).__getitem__, ""))


def array_key(machine: Machine, key: Value) -> Value:
    """A key in which integers that are Python's on some paths and NumPy's on others are Python's, objects with
    `__index__` are ints, and lists of ints whose length depends on data are arrays."""
    match key:
        case MixedScalar() if key.python.kind in (int, bool):
            return key.python
        case Union() if all(map(indexing.is_integer, key.alternatives)):
            found = [python_int(machine, machine.array(v), known_bounds(v)) for v in key.alternatives]
            *others, chosen = [machine.builder.convert(var, _INT64) for var in found]
            for index, var in reversed(list(enumerate(others))):
                number = machine.builder.constant(index, key.selector.type.dtype)
                here = machine.builder.elementwise("eq", key.selector, number)
                chosen = machine.builder.elementwise("select", here, var, chosen)
            bounds = [known for v in key.alternatives if (known := known_bounds(v)) is not None]
            whole = len(bounds) == len(key.alternatives)
            hull = clip((min(b[0] for b in bounds), max(b[1] for b in bounds))) if whole else None
            return Scalar(int, machine.builder.convert(chosen, _INT64, True), hull)
        case Tuple() if key.cls is tuple:
            return Tuple(tuple(array_key(machine, item) for item in key.items))
        case Slice():
            return Slice(*(_bound(machine, part) for part in (key.start, key.stop, key.step)))
        case Ref() if kinds.is_instance(machine, key):
            return _index_of_object(machine, key)
        case Ref() if machine.heap.objects[key.object].kind == "tuple":
            raise Refused("XP0004", "a tuple whose length depends on data, as an index of an array")
        case Ref() if is_flat(machine, key):
            return machine.call(Const(np.asarray), [key])
        case Ref():
            return growable_list_arrays.as_index(machine, key) or key
    return key


def _index_of_object(machine: Machine, key: Ref) -> Value:
    """The int that an object with `__index__` is; for NumPy, one that raises or gives something else is no index."""
    if attributes.find_special(machine, key, "__index__") is None:
        return key
    found, raised = iteration.catching(machine, Exception, lambda: range_objects.index(machine, key))
    machine.check(raised, IndexError, _NO_INDEX)
    return found


def _position(machine: Machine, value: Value, key: Value) -> Value:
    """A key of a sequence, to which it makes no difference whether a number is Python's or NumPy's."""
    if isinstance(key, MixedScalar) and key.python.kind is int and machine.type_of(value) in (list, tuple, range):
        return key.python
    return key


def _bound(machine: Machine, part: Value) -> Value:
    """The bound of a slice; an integer array without dimensions is its number."""
    if isinstance(part, MixedScalar) and part.python.kind is bool:
        return part  # NumPy's bool is no index
    if isinstance(part, Ref) and kinds.is_instance(machine, part):
        return range_objects.index(machine, part, _NO_BOUND)
    part = array_key(machine, part)
    if not isinstance(part, NdArray | JaxArray):
        return part
    var = machine.array(part)
    if var.type.shape != () or var.type.dtype.kind not in "iu":
        machine.raise_(TypeError, "only integer scalar arrays can be converted to a scalar index")
    return NumpyScalar(var)


def getitem(machine: Machine, value: Value, key: Value) -> Value:
    """`value[key]`."""
    if isinstance(value, JaxArray | NdArray | NumpyScalar | BoundedArray):
        key = array_key(machine, key)
        part = unions.union_in(key)
        if part is not None and part is not key:
            return unions.over_parts(machine, key, lambda k: getitem(machine, value, k))
    match value:
        case Union():
            found = container_protocol.getitem_of_row(machine, value, key)
            return found or unions.over_unions(machine, (value,), lambda v: getitem(machine, v, key))
        case JaxArray():
            return jax_arrays.getitem(machine, value, key)
        case NdArray() | NumpyScalar() | BoundedArray():
            return bounded_indexing.getitem(machine, value, key)
    key = _position(machine, value, key)
    if isinstance(key, Union) and not container_protocol.takes_unions(machine, value):
        return unions.over_unions(machine, (key,), lambda k: getitem(machine, value, k))
    if kinds.is_instance(machine, value):
        result = special(machine, value, "__getitem__", (key,))
        if result is not None:
            return result
        lacks(machine, machine.type_of(value), "__getitem__", "is not subscriptable")
    if isinstance(value, Const) and isinstance(value.value, type):
        return objects.subscript_class(machine, value, key)
    return container_protocol.getitem(machine, value, key)


def setitem(machine: Machine, value: Value, key: Value, item: Value) -> None:
    """`value[key] = item`."""
    if isinstance(item, MixedScalar) and isinstance(value, JaxArray | NdArray | BoundedArray):
        item = mixed.stored(machine, value, item)
        if isinstance(item, Union):
            unions.over_unions(machine, (item,), lambda v: setitem(machine, value, key, v) or NONE)
            return
    if isinstance(value, JaxArray | NdArray | BoundedArray):
        key = array_key(machine, key)
        if unions.union_in(key) is not None:
            unions.over_parts(machine, key, lambda k: setitem(machine, value, k, item) or NONE)
            return
    if isinstance(value, Union):
        if not container_protocol.setitem_of_row(machine, value, key, item):
            unions.over_unions(machine, (value,), lambda v: setitem(machine, v, key, item) or NONE)
    elif isinstance(value, NdArray | BoundedArray):
        bounded_indexing.setitem(machine, value, key, item)
    elif isinstance(value, JaxArray):
        jax_arrays.setitem(machine, value, key, item)
    elif kinds.is_instance(machine, value):
        if special(machine, value, "__setitem__", (key, item)) is None:
            _lacks(machine, value, "__setitem__", "__delitem__", "does not support item assignment")
    else:
        container_protocol.setitem(machine, value, _position(machine, value, key), item)


def _lacks(machine: Machine, value: Value, name: str, other: str, what: str) -> None:
    """CPython looks for a method in a class that has the `other` one of the two."""
    if defines(machine, machine.type_of(value), other):
        machine.raise_(AttributeError, name)
    lacks(machine, machine.type_of(value), name, what)


def delitem(machine: Machine, value: Value, key: Value) -> None:
    """`del value[key]`."""
    if kinds.is_instance(machine, value):
        if special(machine, value, "__delitem__", (key,)) is None:
            _lacks(machine, value, "__delitem__", "__setitem__", "doesn't support item deletion")
    else:
        container_protocol.delitem(machine, value, _position(machine, value, key))


def iterate(machine: Machine, value: Value) -> list[Value]:
    """All items of an iterable whose length is known at compile time, or is asked for."""
    return iteration.items(machine, value)
