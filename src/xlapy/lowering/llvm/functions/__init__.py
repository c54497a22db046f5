"""Functions of floats without calls, of which LLVM computes several at a time.

A function of the C library takes 5 to 20 ns for a number, in vectors of four or eight what is here takes 0.3 to 2.
Errors are below 1 unit in the last place for exponentials, logarithms and powers; the modules say what they are for
others. What has no form for float32 is computed in float64. Unlike XLA's, these functions keep subnormal numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlapy.lowering.llvm.functions import errors, exponentials, logs, powers, tangents
from xlapy.lowering.llvm.functions.float_arithmetic import Writer
from xlapy.lowering.llvm.scalar_instructions import convert
from xlapy.lowering.llvm.text import Number, Text

_DOUBLE, _SINGLE = np.dtype(np.float64), np.dtype(np.float32)


def _of_floats(function: Callable[..., Number], single: Callable[..., Number] | None = None) -> Callable[..., Number]:
    """A rule for floats: float32 has a function of its own, or is computed in float64."""

    def rule(text: Text, *operands: Number) -> Number:
        dtype = operands[0].dtype
        if dtype == _SINGLE and single is not None:
            return single(Writer(text, dtype), *operands)
        numbers = (convert(text, x, _DOUBLE) for x in operands)
        return convert(text, function(Writer(text, _DOUBLE), *numbers), dtype)

    return rule


#: functions of floats, by the kinds of operations that they are
IN_VECTORS = {
    **{f.__name__: _of_floats(f, f) for f in (*exponentials.FUNCTIONS, *errors.FUNCTIONS)},
    "log": _of_floats(logs.log, logs.log_single),
    "log1p": _of_floats(logs.log1p, logs.log1p_single),
    "tanh": _of_floats(tangents.tanh, tangents.tanh_single),
    "erf_inv": _of_floats(errors.erf_inv),
    "pow": _of_floats(powers.pow, powers.pow_single),
}

__all__ = ["IN_VECTORS"]
