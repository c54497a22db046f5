"""Norms of vectors, or of all rows of a matrix, whose number depends on data: NumPy's definitions, in Python."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, require_static
from xlapy.dispatch.numpy.rule_operands import absent, known
from xlapy.domain.values import BoundedArray, Const, Value


def _euclidean(x, axis=None, keepdims=False):
    sizes = np.abs(x if x.dtype.kind in "fc" else x.astype(np.float64))
    return np.sqrt(np.sum(sizes * sizes, axis=axis, keepdims=keepdims))


def _of_order(x, ord, axis=None, keepdims=False):
    sizes = np.abs(x if x.dtype.kind in "fc" else x.astype(np.float64))
    if ord == np.inf:
        return np.max(sizes, axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(sizes, axis=axis, keepdims=keepdims)
    if ord == 0:
        return np.sum((sizes != 0).astype(sizes.dtype), axis=axis, keepdims=keepdims)
    if ord == 1:
        return np.sum(sizes, axis=axis, keepdims=keepdims)
    return np.sum(sizes**ord, axis=axis, keepdims=keepdims) ** (1 / sizes.dtype.type(ord))


def _norm(machine, x, ord=None, axis=None, keepdims=False) -> Value:
    """np.linalg.norm of vectors; that of matrices (one without an axis, a pair of axes) has a static shape."""
    if not isinstance(x, BoundedArray):
        raise require_static(machine, x, "np.linalg.norm with such arguments")
    order = None if absent(ord) else known(machine, ord)
    along = None if absent(axis) else known(machine, axis)
    is_vector = len(x.axes) == 1 or isinstance(along, int)
    if isinstance(along, tuple) or isinstance(order, str) or not is_vector and order is not None:
        raise require_static(machine, x, "np.linalg.norm of matrices")
    options = {"axis": Const(along), "keepdims": Const(bool(known(machine, keepdims)))}
    if order in (None, 2):
        return machine.call(Const(_euclidean), (x,), options)
    return machine.call(Const(_of_order), (x, Const(order)), options)


registry.function(np.linalg.norm, kind=DYNAMIC_LENGTH)(_norm)
