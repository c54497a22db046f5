"""Truth values, found as Python finds them."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch import kinds, unions
from xlapy.dispatch.bounded import bounded_rules
from xlapy.dispatch.containers import container_protocol
from xlapy.dispatch.iterators.iteration import type_name
from xlapy.dispatch.numbers import scalars
from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.python.operators import special
from xlapy.domain.values import (
    BoundedArray,
    BoundMethod,
    Const,
    Function,
    JaxArray,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Tuple,
    Union,
    Value,
)
from xlapy.ir import Var


def truth(machine: Machine, value: Value) -> bool | Var:
    """`bool(value)`."""
    match value:
        case MixedScalar():
            return truth(machine, value.python)
        case Union():
            result = unions.over_unions(machine, (value,), lambda v: machine.boolean(truth(machine, v)))
            return kinds.known_truth(result)
        case Const():
            kinds.require_fixed(value.value)
            if isinstance(value.value, np.generic) or not kinds.is_external_instance(value.value):
                try:
                    return bool(value.value)
                except Exception as error:
                    machine.reraise(error)
            return _own_truth(machine, value)
        case Scalar():
            return scalars.truth_of_scalar(machine, value)
        case NumpyScalar():
            return _nonzero(machine, value.var)
        case JaxArray() | NdArray():
            return _array_truth(machine, value)
        case BoundedArray():
            return bounded_rules.truth(machine, value)
        case Tuple():
            return len(value.items) > 0 if value.cls is tuple else _own_truth(machine, value)
        case Range():
            length = container_protocol.length(machine, value)
            return truth(machine, length)
        case Function() | BoundMethod():
            return True
        case Ref():
            info = machine.heap.objects[value.object]
            if info.kind in ("list", "tuple", "dict", "set", "view") or info.cls is np.flatiter:
                return truth(machine, container_protocol.length(machine, value))
            if info.kind == "instance":
                return _own_truth(machine, value)
    return True


def _own_truth(machine: Machine, value: Value) -> bool | Var:
    """The truth of an object whose class may define `__bool__` or `__len__`."""
    result = special(machine, value, "__bool__", ())
    if result is not None:
        if machine.type_of(result) is not bool:
            name = type_name(machine, result)
            machine.raise_(TypeError, f"__bool__ should return bool, returned {name}")
        return truth(machine, result)
    result = special(machine, value, "__len__", ())
    return True if result is None else truth(machine, container_protocol.as_length(machine, result))


def _nonzero(machine: Machine, var: Var) -> Var:
    if var.type.dtype == bool:
        return var
    zero = machine.builder.constant(0, var.type.dtype, var.type.weak)
    return machine.builder.elementwise("ne", var, zero)


def _array_truth(machine: Machine, value: JaxArray | NdArray) -> bool | Var:
    type_ = value.var.type if isinstance(value, JaxArray) else value.type
    size = int(np.prod(type_.shape, dtype=np.int64))
    if size != 1:
        if isinstance(value, JaxArray):
            noun = "array with more than one element" if size else "empty array"
            hint = "Use a.any() or a.all()" if size else "Use `array.size > 0` to check that an array is not empty."
            machine.raise_(ValueError, f"The truth value of an {noun} is ambiguous. {hint}")
        try:
            bool(np.empty(type_.shape, bool))
        except ValueError as error:
            machine.reraise(error)
    var = value.var if isinstance(value, JaxArray) else machine.read(value)
    if type_.shape:
        (var,) = machine.leaf(_scalar, (var,), (), "reshape")
    return _nonzero(machine, var)


def _scalar(x):
    return x.reshape(())
