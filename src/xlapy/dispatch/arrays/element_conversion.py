"""What is assigned to elements of an array, as their dtype: NumPy's conversions, with the errors of those of Python."""

from __future__ import annotations

import warnings

import numpy as np

from xlapy.dispatch.numpy.rule_operands import cast, kind_of, materialise, operand, raise_real, sequence_items, skeleton
from xlapy.dispatch.protocol import Machine, PythonError, Refused
from xlapy.dispatch.unions import over_unions
from xlapy.domain.values import Const, JaxArray, NdArray, NumpyScalar, Range, Scalar, Tuple, Union, Value, is_none
from xlapy.ir import Var

_INT64 = np.dtype(np.int64)


def assigned(machine: Machine, value: Value, dtype: np.dtype, shape: tuple[int, ...]) -> Var:
    """`value` as `dtype`, as an assignment to elements of that type converts it; it must broadcast to `shape`."""
    if isinstance(value, Const):
        if isinstance(value.value, int | float | complex | np.generic | str | bytes) or value.value is None:
            cell = np.empty((), dtype)
            machine.builder.note_cast(np.asarray(value.value).dtype, dtype)
            try:
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    cell[()] = value.value
            except Exception as error:
                raise_real(machine, error)
            return machine.builder.constant(cell, dtype)
    if isinstance(value, NumpyScalar) and dtype.kind == "i":
        _check_numpy_number(machine, value, dtype)
    try:
        var = elements(machine, value, dtype)
        if not isinstance(value, Scalar | NumpyScalar):
            _check_fits(machine, value, var, dtype, shape)
    except PythonError:
        if sequence_items(machine, value) is not None:
            _ask_numpy(machine, value, dtype, shape or None)
        raise
    return var


def is_sequence(machine: Machine, value: Value) -> bool:
    """Whether a value is one of Python's lists, tuples and ranges."""
    if isinstance(value, Range) or isinstance(value, Const) and isinstance(value.value, range):
        return True
    return sequence_items(machine, value) is not None


def from_sequence(machine: Machine, value: Value, dtype: np.dtype, shape: tuple[int, ...] | None) -> Value:
    """What a sequence is that is assigned to elements of this shape, or to a single one (None): a truth value has that
    of the sequence itself, and no number is one. Elsewhere it must not be nested more deeply than the array is.

    Raises:
        PythonError: as NumPy does.
    """
    if shape is None and dtype.kind == "b":
        return machine.boolean(machine.truth(value))
    if shape is None or _depth(machine, value) > len(shape):
        _ask_numpy(machine, value, dtype, shape)
    return value


def _depth(machine: Machine, value: Value) -> int:
    """How many dimensions an array of a value has."""
    if isinstance(value, NdArray | JaxArray):
        return len(value.type.shape if isinstance(value, NdArray) else value.var.type.shape)
    items = sequence_items(machine, value) or ()
    return is_sequence(machine, value) + max((_depth(machine, item) for item in items), default=0)


def _ask_numpy(machine: Machine, value: Value, dtype: np.dtype, shape: tuple[int, ...] | None) -> None:
    """Raise what NumPy raises where a sequence that is no array of the right shape is assigned, or any to a single
    element: it says so in other words than where an array is made of it."""
    try:
        shown = materialise(skeleton(machine, value))
    except Refused:
        return
    cell = np.zeros(1, dtype)
    try:
        if shape is None:
            cell[0] = shown
        else:
            np.lib.stride_tricks.as_strided(cell, shape, (0,) * len(shape))[...] = shown
    except Exception as error:
        raise_real(machine, error)


def elements(machine: Machine, value: Value, dtype: np.dtype) -> Var:
    """`np.asarray(value, dtype)`: Python's numbers have to fit, in sequences those of NumPy, too."""
    if isinstance(value, Scalar):
        return _assigned_scalar(machine, value, dtype)
    if isinstance(value, Const) and isinstance(value.value, int | float | complex | str | bytes):
        if isinstance(value.value, np.generic):
            return copied(machine, value, dtype)
        return assigned(machine, value, dtype, ())
    if is_none(value):
        return assigned(machine, value, dtype, ())
    items = sequence_items(machine, value)
    if items is not None and any(_is_told_apart(machine, item) for item in items):
        return operand(machine, _converted(machine, items, dtype), dtype)
    if kind_of(dtype) not in "iu":
        return operand(machine, value, dtype)
    if items is not None and any(isinstance(v, Scalar | NumpyScalar) for v in items):
        return operand(machine, Tuple(tuple(_item(assigned(machine, v, dtype, ())) for v in items)), dtype)
    return operand(machine, value, dtype)


def _is_told_apart(machine: Machine, item: Value) -> bool:
    """Whether an item of a sequence is converted by itself: one of several numbers, and what is None."""
    parts = item.alternatives if isinstance(item, Union) else sequence_items(machine, item) or ()
    return is_none(item) or isinstance(item, Union) or any(_is_told_apart(machine, part) for part in parts)


def _converted(machine: Machine, items: list[Value], dtype: np.dtype) -> Tuple:
    """The items of a sequence, each as `dtype`, whichever of several numbers it is."""

    def converted(value: Value) -> Value:
        number = kind_of(dtype) in "iu" and isinstance(value, Scalar | NumpyScalar)
        return JaxArray(assigned(machine, value, dtype, ()) if number else elements(machine, value, dtype))

    return Tuple(tuple(over_unions(machine, (item,), converted) for item in items))


def _item(var: Var) -> Value:
    return JaxArray(var) if var.type.shape else NumpyScalar(var)


def copied(machine: Machine, value: Value, dtype: np.dtype) -> Var:
    """`value` as `dtype`, as np.copyto and np.full convert it: other numbers than Python's integers are cast."""
    number = isinstance(value, Scalar) and value.kind is int or isinstance(value, Const) and type(value.value) is int
    if number or is_none(value):
        return elements(machine, value, dtype)
    if isinstance(value, Const) and isinstance(value.value, float | complex | np.generic):
        machine.builder.note_cast(np.asarray(value.value).dtype, dtype)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return machine.builder.constant(np.asarray(value.value).astype(dtype), dtype)
    return operand(machine, value, dtype)


def _assigned_scalar(machine: Machine, value: Scalar, dtype: np.dtype) -> Var:
    kind = kind_of(dtype)
    if value.kind is complex and kind != "c":
        name = "int" if kind in "iu" else "float"
        if kind != "b":
            what = "a string, a bytes-like object or a real number" if name == "int" else "a string or a real number"
            machine.raise_(TypeError, f"{name}() argument must be {what}, not 'complex'")
    var = machine.builder.convert(value.var, value.var.type.dtype)
    check_python_number(machine, value, dtype)
    return cast(machine, var, dtype)


def check_python_number(machine: Machine, value: Scalar, dtype: np.dtype) -> None:
    """The errors of a dynamic Python number that an integer dtype cannot hold."""
    if kind_of(dtype) in "iu" and value.kind is int:
        check_python_int(machine, value, dtype)
    elif kind_of(dtype) in "iu" and value.kind is float:
        _check_python_float(machine, machine.builder.convert(value.var, value.var.type.dtype), dtype)


def _check_python_float(machine: Machine, var: Var, dtype: np.dtype) -> None:
    """The errors of `int(value)`, and of its result where an integer dtype cannot hold it."""
    builder = machine.builder

    def compared(name: str, bound: float) -> Var:
        return builder.elementwise(name, var, builder.constant(bound, var.type.dtype))

    machine.check(builder.elementwise("ne", var, var), ValueError, "cannot convert float NaN to integer")
    infinite = builder.elementwise("eq", builder.elementwise("abs", var), builder.constant(np.inf, var.type.dtype))
    machine.check(infinite, OverflowError, "cannot convert float infinity to integer")
    limit = 2.0**64 if dtype.kind == "u" else 2.0**63
    huge = builder.elementwise("bitwise_or", compared("lt", -(2.0**63)), compared("ge", limit))
    machine.check(huge, OverflowError, "Python int too large to convert to C long")
    if dtype == np.int64:
        return
    info = np.iinfo(dtype)
    bad = compared("le", float(info.min) - 1)
    if dtype.itemsize < 8:
        bad = builder.elementwise("bitwise_or", bad, compared("ge", float(info.max) + 1))
    whole = Scalar(int, builder.convert(var, _INT64, True))
    text = machine.message("Python integer {} out of bounds for " + str(dtype), whole)
    machine.check(bad, OverflowError, text)


def _check_numpy_number(machine: Machine, value: NumpyScalar, dtype: np.dtype) -> None:
    """The same for a number of NumPy's, which a signed integer type takes as Python's."""
    builder, source = machine.builder, value.var.type.dtype
    if kind_of(source) == "f":
        _check_python_float(machine, builder.convert(value.var, np.dtype(np.float64)), dtype)
    elif kind_of(source) in "iu" and not np.can_cast(source, dtype):
        if source == np.uint64:
            huge = builder.elementwise("gt", value.var, builder.constant(2**63 - 1, source))
            machine.check(huge, OverflowError, "Python int too large to convert to C long")
        check_python_int(machine, Scalar(int, builder.convert(value.var, _INT64, True), value.bounds), dtype)


def check_python_int(machine: Machine, value: Scalar, dtype: np.dtype) -> None:
    """OverflowError where a dynamic Python int does not fit an integer dtype."""
    info = np.iinfo(dtype)
    low, high = max(int(info.min), -(2**63)), min(int(info.max), 2**63 - 1)
    bounds = value.bounds or (-(2**63), 2**63 - 1)
    bad = None
    if bounds[0] < low:
        bad = machine.builder.elementwise("lt", value.var, machine.builder.constant(low, _INT64, weak=True))
    if bounds[1] > high:
        above = machine.builder.elementwise("gt", value.var, machine.builder.constant(high, _INT64, weak=True))
        bad = above if bad is None else machine.builder.elementwise("bitwise_or", bad, above)
    if bad is not None:
        text = "Python integer {} out of bounds for " + str(dtype)
        message = machine.message(text, value)
        machine.check(bad, OverflowError, message)


def _check_fits(machine: Machine, value: Value, var: Var, dtype: np.dtype, shape: tuple[int, ...]) -> None:
    """Raise as NumPy does where an array cannot be broadcast to the elements it is assigned to."""
    source = var.type.shape
    core = source[max(len(source) - len(shape), 0) :]
    extra = source[: len(source) - len(core)]
    fits = all(a in (1, b) for a, b in zip(reversed(core), reversed(shape), strict=False)) and all(
        n == 1 for n in extra
    )
    array_target = shape != () or isinstance(value, NumpyScalar | JaxArray)
    if fits and (array_target or source == ()):
        return
    target = np.empty(shape if 0 not in shape else shape, dtype) if np.prod(shape, dtype=float) < 1e6 else None
    if target is None or shape == ():
        holder = np.empty(1, dtype)
        try:
            if shape == ():
                holder[0] = np.broadcast_to(np.ones((), var.type.dtype), source)
        except Exception as error:
            raise_real(machine, error)
        if fits:
            return
    message = f"could not broadcast input array from shape {_text(source)} into shape {_text(shape)}"
    machine.raise_(ValueError, message)


def _text(shape: tuple[int, ...]) -> str:
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
