"""scipy.sparse: which types indices have, and what is a view of much larger arrays, which is known at compile time.

The rest is plain Python: `xlapy.library.scipy.sparse`.
"""

from __future__ import annotations

import math
import types

import numpy as np
from scipy._lib import _util
from scipy.sparse import _sputils

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH
from xlapy.dispatch.arrays.views import buffer_type
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.numbers.scalar_values import refuse_where
from xlapy.dispatch.numpy import matrix_class
from xlapy.dispatch.numpy.rule_operands import sequence_items
from xlapy.dispatch.protocol import Refused
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import NONE, BoundedArray, Const, NdArray, NumpyScalar, Scalar, Tuple, Value
from xlapy.library.scipy import sparse, sparse_blocks, sparse_structure  # noqa: F401

_LARGE = "a sparse matrix with indices of more than 32 bits"
_NO_ARRAYS, _FALSE = Const(()), Const(False)


@registry.function(_util._prune_array)
def _prune_array(machine, array):
    """The array, or a copy if it is a view of a much larger one that the program knows."""
    if isinstance(array, BoundedArray):
        return array
    if not isinstance(array, NdArray):
        raise Refused("XP0010", "a sparse matrix whose number of elements depends on data")
    size, whole = (math.prod(kind.shape) for kind in (array.type, buffer_type(machine, array)))
    return machine.call(machine.getattr(array, "copy"), ()) if size < whole // 2 else array


registry.function(_util._prune_array, kind=DYNAMIC_LENGTH)(_prune_array)
registry.replacement(_sputils.asmatrix)(matrix_class.as_matrix)

_get_index_dtype = types.FunctionType(
    _sputils.get_index_dtype.__code__,
    _sputils.get_index_dtype.__globals__,
    argdefs=_sputils.get_index_dtype.__defaults__,
)


@registry.function(_sputils.get_index_dtype)
def _index_dtype_rule(
    machine, arrays: Value = _NO_ARRAYS, maxval: Value = NONE, check_contents: Value = _FALSE
) -> Value:
    """What is certain of a number that data says is its bound."""
    if isinstance(maxval, Scalar | NumpyScalar):
        bounds = known_bounds(maxval)
        if bounds is not None and bounds[1] <= np.iinfo(np.int32).max:
            maxval = Const(0)
    items = sequence_items(machine, arrays)
    if items is not None and machine.static(check_contents):
        arrays = Tuple(tuple(v for v in items if not _has_small_numbers(machine, v)))
    return machine.call(Const(_get_index_dtype), (arrays, maxval, check_contents))


def _has_small_numbers(machine, array: Value) -> bool:
    """Whether an array has 64-bit integers, which fit 32 bits: the program is refused at run time where they do not."""
    found = masked_axes.parts(machine, array)
    if found is None or found[0].type.dtype not in (np.int64, np.uint32, np.uint64):
        return False
    bad = machine.truth(machine.call(Const(_are_large), (array,)))
    refuse_where(machine, bad, "XP0010", _LARGE)
    return True


def _are_large(array):
    limits = np.iinfo(np.int32)
    return np.any((array > limits.max) | (array < limits.min))


registry.function(_sputils.get_index_dtype, kind=DYNAMIC_LENGTH)(_index_dtype_rule)
