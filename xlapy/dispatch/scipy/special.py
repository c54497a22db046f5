"""scipy.special: its ufuncs of real numbers, by `jax.scipy.special`; their result types are SciPy's own."""

from __future__ import annotations

from typing import Any

import jax.scipy.special
import numpy as np
import scipy.special

from xlapy.dispatch.numpy.leaf import JAX_ERRORS
from xlapy.dispatch.numpy.ufuncs import type_of_operand
from xlapy.dispatch.numpy.values import cast_array, deliver, operand, supported
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.table import function
from xlapy.domain.values import Value


def _special(ufunc: np.ufunc, implementation) -> None:
    def rule(machine: Machine, *args: Value, out: Value | None = None) -> Value:
        inputs, given = args[: ufunc.nin], args[ufunc.nin :]
        if len(inputs) < ufunc.nin:
            raise Refused("XP0011", f"scipy.special.{ufunc.__name__} of {len(inputs)} arguments")
        kinds = [type_of_operand(machine, v) for v in inputs]
        dtypes = ufunc.resolve_dtypes((*kinds, None))
        if not all(map(supported, dtypes)):
            raise Refused("XP0005", f"scipy.special.{ufunc.__name__} of such types")
        operands = [operand(machine, v) for v in inputs]
        try:
            var = machine.leaf(_apply, operands, (implementation, tuple(dtypes)), name=ufunc.__name__)[0]
        except JAX_ERRORS as error:
            raise Refused("XP0011", f"scipy.special.{ufunc.__name__}: {error}") from error
        return deliver(machine, var, given[0] if given else out, "same_kind")

    function(ufunc)(rule)


def _apply(*rest):
    *operands, implementation, dtypes = rest
    result = implementation(*(cast_array(x, d) for x, d in zip(operands, dtypes, strict=False)))
    return cast_array(result, dtypes[-1])


def _is_real_ufunc(item: object) -> bool:
    return isinstance(item, np.ufunc) and item.nout == 1 and any(t == "d" * item.nin + "->d" for t in item.types)


for _name in dir(jax.scipy.special):
    _item: Any = getattr(scipy.special, _name, None)
    if not _name.startswith("_") and _is_real_ufunc(_item):
        _special(_item, getattr(jax.scipy.special, _name))
