"""Arrays from what is there: np.array, asarray, require, copy, fromiter."""

from __future__ import annotations

import itertools
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays.element_conversion import elements
from xlapy.dispatch.arrays.memory_order import arranged, is_c_contiguous, layout_model, lies
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numpy import view_functions
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    array_type,
    given_dtype,
    kind_of,
    known,
    known_index,
    known_order,
    operand,
    raise_as_numpy,
    raise_real,
    require_dtype,
    sequence_items,
)
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.values import Const, JaxArray, NdArray, NumpyScalar, Scalar, Tuple, Value, constants


def copy_mode(machine, copy: Any) -> bool | None:
    """Whether an array is to be copied: None where that is so if it has to be."""
    mode = known(machine, copy)
    if isinstance(mode, np._CopyMode):
        return None if mode is np._CopyMode.IF_NEEDED else bool(mode)
    return mode if mode is None else bool(mode)


@function(np.array)
def array(machine, object, dtype=None, *, copy=True, order: Any = "K", subok=False, ndmin=0, ndmax=0, like=None):
    """np.array: a copy, unless `copy` says otherwise."""
    if copy_mode(machine, copy) is not True:
        result = asarray(machine, object, dtype, order, copy=copy)
    else:
        result = arranged(machine, _from(machine, object, dtype), object, known_order(machine, order))
    least, shape = known_index(machine, ndmin), result.type.shape
    if least > len(shape):
        return view_functions.view(machine, result, "reshape", (1,) * (least - len(shape)) + shape)
    return result


def _from(machine: Machine, value: Value, dtype: object) -> NdArray:
    if absent(dtype):
        return machine.new_array(operand(machine, value))
    target = require_dtype(known(machine, dtype, "a dtype"))
    if isinstance(value, Const | Scalar):
        return machine.new_array(elements(machine, value, target))
    items = sequence_items(machine, value)
    if items is not None and all(isinstance(v, Const) for v in items):
        try:
            return machine.new_array(machine.builder.constant(np.array(constants(items), target)))
        except Exception as error:
            raise_real(machine, error)
    return machine.new_array(elements(machine, value, target))


@function(np.asarray, np.asanyarray)
def asarray(machine, a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """np.asarray: the array itself where it has the dtype and lies in memory as asked."""
    copied, asked = copy_mode(machine, copy), known_order(machine, order)
    if copied is True:
        return array(machine, a, dtype, order="K" if asked is None else order)
    if isinstance(a, NdArray):
        same = absent(dtype) or given_dtype(machine, dtype) == a.type.dtype
        if same and lies(machine, a, asked):
            return a
    if copied is False:
        try:
            np.array(0, copy=False)
        except ValueError as error:
            return raise_real(machine, error)
    return arranged(machine, _from(machine, a, dtype), a, asked)


@function(np.ascontiguousarray)
def ascontiguousarray(machine, a, dtype=None, *, like=None):
    """np.ascontiguousarray: the array itself where it is contiguous; at least one dimension."""
    result = asarray(machine, a, dtype)
    if not result.type.shape:
        return view_functions.view(machine, result, "reshape", (1,))
    if isinstance(result, NdArray) and is_c_contiguous(machine, result):
        return result
    return machine.new_array(machine.read(result))


@function(np.asfortranarray)
def asfortranarray(machine, a, dtype=None, *, like=None):
    """np.asfortranarray."""
    result = asarray(machine, a, dtype)
    if not result.type.shape:
        return view_functions.view(machine, result, "reshape", (1,))
    if layout_model(machine, result).flags.f_contiguous:
        return result
    return view_functions.copy_of(machine, result, "F")


@function(np.require)
def require(machine, a, dtype=None, requirements=None, *, like=None):
    """np.require."""
    wanted = known(machine, requirements)
    if not wanted:
        return asarray(machine, a, dtype)
    try:
        flags = {_FLAGS[text.upper()] for text in wanted}
    except KeyError as error:
        return raise_real(machine, error)
    if {"C", "F"} <= flags:
        return machine.raise_(ValueError, 'Cannot specify both "C" and "F" order')
    if "O" in flags:
        raise Refused("XP0012", "np.require of an array that owns its memory", "copy it")
    order = "F" if "F" in flags else "C" if "C" in flags else "A"
    result = asarray(machine, a, dtype, order)
    if "W" in flags and not result.writeable:
        return view_functions.copy_of(machine, result, order)
    return result


#: as np.require understands them: contiguous, aligned, writeable, owning
_FLAGS = {"E": "E", "ENSUREARRAY": "E"}
for _flag, _names in {
    "C": "C C_CONTIGUOUS CONTIGUOUS",
    "F": "F F_CONTIGUOUS FORTRAN",
    "A": "A ALIGNED",
    "W": "W WRITEABLE",
    "O": "O OWNDATA",
}.items():
    _FLAGS |= dict.fromkeys(_names.split(), _flag)


@function(np.asarray_chkfinite)
def asarray_chkfinite(machine, a, dtype=None, order=None):
    """np.asarray_chkfinite: ValueError where something is not finite."""
    result = asarray(machine, a, dtype, order)
    if kind_of(result.type.dtype) in "fc":
        bad = machine.leaf(_not_finite, (machine.read(result),), name="isfinite")[0]
        machine.check(bad, ValueError, "array must not contain infs or NaNs")
    return result


@function(np.from_dlpack)
def from_dlpack(machine, x, /, *, device=None, copy=None):
    """np.from_dlpack of an array: a view of it, or a copy."""
    if not isinstance(x, NdArray):
        machine.getattr(x, "__dlpack__")  # its error
        raise Refused("XP0003", "np.from_dlpack of what is no array of NumPy's")
    where, copied = known(machine, device), known(machine, copy)
    if where not in (None, "cpu"):
        try:
            np.from_dlpack(np.zeros(()), device=where)
        except Exception as error:
            return raise_real(machine, error)
    if copied:
        return view_functions.copy_of(machine, x)
    return view_functions.make_view(machine, x, None, x.type)


def _not_finite(x):
    return ~jnp.all(jnp.isfinite(x))


@function(np.copy)
def copy(machine, a, order="K", subok=False):
    """np.copy."""
    return view_functions.copy_of(machine, a, known_order(machine, order))


@function(np.astype)
def astype(machine, x, dtype, /, *, copy=True, device=None):
    """np.astype."""
    if not isinstance(x, NdArray | NumpyScalar) and not (isinstance(x, Const) and isinstance(x.value, np.generic)):
        return machine.raise_(TypeError, f"Input should be a NumPy array. It is of type {machine.type_of(x)}.")
    return machine.call(machine.getattr(x, "astype"), (dtype,), {"copy": copy} if isinstance(copy, Value) else {})


@function(np.fromiter)
def fromiter(machine, iter, dtype, count=-1, *, like=None):
    """np.fromiter."""
    number = known_index(machine, count)
    if number >= 0 and iteration.is_generator(machine, iter):
        return machine.call(Const(_from_grown), (iter, dtype, Const(number)))
    return growable_list_items.whole_or_each(
        machine,
        lambda: _from_items(machine, iter, dtype, number),
        lambda: machine.call(Const(_from_grown), (iter, dtype, Const(number))),
    )


def _from_items(machine: Machine, iterable: Value, dtype: Value, number: int) -> Value:
    """np.fromiter of an iterable of known length."""
    source = iterable if number < 0 else machine.call(Const(itertools.islice), (iterable, Const(number)))
    items = machine.iterate(source)
    for item in items:
        if (
            sequence_items(machine, item) is not None
            or isinstance(item, NdArray | JaxArray)
            and array_type(machine, item).shape
        ):
            return raise_as_numpy(machine, np.fromiter, (Tuple((item,)), dtype), {}, "items that are no numbers")
    if number > len(items):
        text = f"iterator too short: Expected {number} but iterator had only {len(items)} items."
        return machine.raise_(ValueError, text)
    return _from(machine, Tuple(tuple(items)), dtype)


def _from_grown(source, dtype, number):
    items = []
    for item in source if number else ():
        items.append(item)
        if len(items) == number:
            break
    if len(items) < number:
        raise ValueError(f"iterator too short: Expected {number} but iterator had only {len(items)} items.")
    made = np.array(items, dtype)
    if made.ndim != 1:
        raise ValueError("setting an array element with a sequence.")
    return made
