"""Set routines: membership has a known size; the others have sizes that depend on data."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numpy.rule_operands import NO_VALUE, known, operand, raise_real, supported, try_known
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.registry import function
from xlapy.domain.values import Const, NdArray, Tuple
from xlapy.lowering.primitives import long_sorts, searches

#: elements with which others are compared, and comparisons, up to which there is no search
_FEW, _COMPARISONS = 16, 1 << 16


@function(np.isin)
def isin(machine, element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """np.isin."""
    one, two = operand(machine, element), operand(machine, test_elements)
    dtype = np.result_type(one.type.dtype, two.type.dtype)
    one, two = operand(machine, element, dtype), operand(machine, test_elements, dtype)
    static = (bool(known(machine, invert)),)
    return machine.new_array(machine.leaf(_isin, (one, two), static, name="isin")[0])


def _isin(element, test, invert):
    """Few elements are compared with all; many are looked for in order. What is NaN is equal to none."""
    if test.size <= _FEW or element.size * test.size <= _COMPARISONS or element.dtype.kind == "c":
        found = jnp.isin(element, test)
    else:
        ordered = long_sorts.ascending(jnp.ravel(test), 0)
        method = "scan" if element.size <= 64 else "scan_unrolled"
        places = searches.places(ordered, element, "left", method)
        found = jnp.take(ordered, jnp.minimum(places, test.size - 1)) == element
    return ~found if invert else found


def _depends_on_data(item):
    def rule(machine, /, *args, **kwargs):
        listed = bool(args) and machine.type_of(args[0]) in (list, tuple)
        found = try_known(machine, args[0]) if listed or (args and isinstance(args[0], NdArray)) else NO_VALUE
        if found is not NO_VALUE:
            others = [known(machine, a) for a in args[1:]]
            try:
                return _made(machine, item(found, *others, **{k: known(machine, v) for k, v in kwargs.items()}))
            except Exception as error:
                return raise_real(machine, error)
        if listed and item is not np.trim_zeros:  # of a list it gives a list
            array = machine.call(Const(np.asarray), [args[0]])
            return machine.call(Const(item), [array, *args[1:]], kwargs)
        raise Refused(
            "XP0013", f"the size of np.{item.__name__}'s result depends on data", "do it outside the function"
        )

    function(item)(rule)


def _made(machine, result):
    """What NumPy made of constants."""
    if isinstance(result, np.ndarray) and not supported(result.dtype):
        raise Refused("XP0005", f"XLA has no type {result.dtype}")
    if isinstance(result, np.ndarray):
        return machine.new_array(machine.builder.constant(result))
    if isinstance(result, list):
        return machine.new_list([_made(machine, part) for part in result])
    if isinstance(result, tuple):
        return Tuple(tuple(_made(machine, part) for part in result), type(result))
    return Const(result)


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
