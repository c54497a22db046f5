"""Set routines: membership has a known size; the others have sizes that depend on data."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numpy.rule_operands import NO_VALUE, known, operand, raise_real, supported, try_known
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.registry import function
from xlapy.domain.values import Const, NdArray, Tuple
from xlapy.lowering.primitives import long_sorts, searches

#: elements with which others are compared, and comparisons, up to which there is no search
_FEW, _COMPARISONS = 16, 1 << 16
_TABLE = (
    "You have specified kind='table', but the range of values in `ar2` or `ar1` exceed the maximum integer of the "
    "datatype. Please set `kind` to None or 'sort'."
)


@function(np.isin)
def isin(machine, element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """np.isin."""
    one, two = operand(machine, element), operand(machine, test_elements)
    kind, static = known(machine, kind), (bool(known(machine, invert)),)
    if kind == "table" and math.prod(two.type.shape):
        machine.check(machine.leaf(_exceeds, (two,), name="isin")[0], RuntimeError, _TABLE)
    if {one.type.dtype.kind, two.type.dtype.kind} == {"i", "u"} and np.uint64 in (one.type.dtype, two.type.dtype):
        return machine.new_array(machine.leaf(_isin_mixed, (one, two), (*static, kind), name="isin")[0])
    dtype = np.result_type(one.type.dtype, two.type.dtype)
    one, two = operand(machine, element, dtype), operand(machine, test_elements, dtype)
    return machine.new_array(machine.leaf(_isin, (one, two), static, name="isin")[0])


def _span(test):
    """By how much the largest of some integers exceeds the smallest, without a sign."""
    test = test.astype(jnp.uint8) if test.dtype == bool else test
    unsigned = jnp.dtype(f"u{test.dtype.itemsize}")
    return jnp.max(test).astype(unsigned) - jnp.min(test).astype(unsigned)


def _exceeds(test):
    """Whether NumPy has no table of these integers."""
    span = _span(test)
    return span > span.dtype.type(jnp.iinfo(span.dtype if test.dtype == bool else test.dtype).max)


def _isin_mixed(element, test, invert, kind):
    """Of integers with and without sign: exact where NumPy takes a table or compares each, else as float64."""
    if test.size == 0:
        return jnp.full(element.shape, invert)
    low = jnp.maximum(jnp.max(test), 0).astype(test.dtype)
    tests = jnp.where(test >= 0, test, low).astype(jnp.uint64)
    found = _isin(element.astype(jnp.uint64), tests, False) & (element >= 0) & (jnp.max(test) >= 0)
    if test.size >= 10 * element.size**0.145:
        rounded = _isin(element.astype(jnp.float64), test.astype(jnp.float64), False)
        table = ~_exceeds(test) & (_span(test) <= 6 * (element.size + test.size))
        found = jnp.where(table if kind is None else kind == "table", found, rounded)
    return ~found if invert else found


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
        if listed:
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
):
    _depends_on_data(_function)
