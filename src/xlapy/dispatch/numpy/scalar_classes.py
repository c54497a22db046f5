"""Calls of the classes of NumPy scalars: np.float32(x), np.int64(x)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from xlapy.dispatch.arrays.element_conversion import assigned
from xlapy.dispatch.numpy.rule_operands import (
    cast,
    operand,
    raise_real,
)
from xlapy.dispatch.registry import function
from xlapy.domain.values import Const, NumpyScalar, Scalar

# -- scalars ---------------------------------------------------------------------------------------------------------


def _scalar_class(cls: type):
    def rule(machine, value=None):
        if value is None:
            return Const(cls())
        if isinstance(value, Const) and not isinstance(value.value, tuple | list):
            machine.builder.note_cast(np.asarray(value.value).dtype, np.dtype(cls))
            try:
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return Const(cls(value.value))
            except Exception as error:
                return raise_real(machine, error)
        target: Any = np.dtype(cls)
        if isinstance(value, Scalar):
            var = assigned(machine, value, target, ())
        else:
            var = cast(machine, operand(machine, value), target)
        result = machine.numpy_result(var)
        bounds = getattr(value, "bounds", None)
        if isinstance(result, NumpyScalar) and bounds is not None and target.kind in "iu":
            info = np.iinfo(target)
            if info.min <= bounds[0] and bounds[1] <= info.max:
                return NumpyScalar(result.var, bounds)
        return result

    return rule


for _name in (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 longlong ulonglong float16 float32 float64"
    " complex64 complex128"
).split():
    function(getattr(np, _name))(_scalar_class(getattr(np, _name)))
