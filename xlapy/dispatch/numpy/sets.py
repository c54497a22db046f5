"""Set routines: membership has a known size; the others have sizes that depend on data."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numpy.values import known, operand, raise_real
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.table import function
from xlapy.domain.values import NdArray, Tuple
from xlapy.ir import constant_value


@function(np.isin)
def isin(machine, element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """np.isin."""
    one, two = operand(machine, element), operand(machine, test_elements)
    dtype = np.result_type(one.type.dtype, two.type.dtype)
    one, two = operand(machine, element, dtype), operand(machine, test_elements, dtype)
    static = (bool(known(machine, invert)),)
    return machine.new_array(machine.leaf(_isin, (one, two), static, name="isin")[0])


def _isin(element, test, invert):
    found = jnp.isin(element, test)
    return ~found if invert else found


def _depends_on_data(item):
    def rule(machine, *args, **kwargs):
        constants = [constant_value(operand(machine, a)) if isinstance(a, NdArray) else None for a in args[:1]]
        if all(c is not None for c in constants):
            others = [known(machine, a) for a in args[1:]]
            try:
                result = item(*constants, *others, **{k: known(machine, v) for k, v in kwargs.items()})
            except Exception as error:
                return raise_real(machine, error)
            if isinstance(result, np.ndarray):
                return machine.new_array(machine.builder.constant(result))
            if isinstance(result, tuple):
                parts = tuple(machine.new_array(machine.builder.constant(np.asarray(part))) for part in result)
                return Tuple(parts, type(result))
        raise Refused(
            "XP0013", f"the size of np.{item.__name__}'s result depends on data", "do it outside the function"
        )

    function(item)(rule)


for _function in (
    np.unique,
    np.unique_all,
    np.unique_counts,
    np.unique_inverse,
    np.unique_values,
    np.union1d,
    np.intersect1d,
    np.setdiff1d,
    np.setxor1d,
    np.trim_zeros,
):
    _depends_on_data(_function)
