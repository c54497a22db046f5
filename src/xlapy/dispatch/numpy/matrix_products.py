"""Products of vectors and matrices, and traces."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numpy.gram_matrices import gram
from xlapy.dispatch.numpy.numpy_leaves import numpy_leaf
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    known,
)
from xlapy.dispatch.numpy.ufuncs import ufunc_rule
from xlapy.dispatch.registry import function, function_rule
from xlapy.domain.values import Const


def _logical(product):
    """Products of booleans are `any` of `and`."""

    def run(*args, **kwargs):
        if all(str(getattr(a, "dtype", None)) == "bool" for a in args[:2]):
            return product(*(a.astype(jnp.int32) for a in args[:2]), *args[2:], **kwargs) != 0
        return product(*args, **kwargs)

    return run


_dot, _inner = _logical(jnp.dot), _logical(jnp.inner)


def dot(a, b):
    """np.dot of arrays of one dtype."""
    return _dot(a, b)


def inner(a, b):
    """np.inner."""
    return _inner(a, b)


def vdot(a, b):
    """np.vdot."""
    return (
        jnp.sum(jnp.conj(jnp.ravel(a)) * jnp.ravel(b), dtype=a.dtype)
        if a.dtype != bool
        else jnp.any(jnp.ravel(a) & jnp.ravel(b))
    )


numpy_leaf(np.dot, dot, "a b", "promote")
_any_dot = function_rule(np.dot)


@function(np.dot)
def dot_rule(machine, a, b, out=None):
    """np.dot."""
    var = gram(machine, a, b) if absent(out) else None
    if var is not None:
        return machine.numpy_result(var)
    return _any_dot(machine, a, b, *([] if absent(out) else [out]))


numpy_leaf(np.inner, inner, "a b", "promote")
numpy_leaf(np.vdot, vdot, "a b", "promote")
numpy_leaf(np.kron, jnp.kron, "a b", "promote")
numpy_leaf(np.cross, jnp.cross, "a b", "promote")
numpy_leaf(np.linalg.multi_dot, jnp.linalg.multi_dot, "arrays", "promote")


def _trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """The diagonal is looked at, where `jnp.trace` looks at all elements."""
    return jnp.sum(jnp.diagonal(a, offset, axis1, axis2), axis=-1)


def _linalg_trace(x, offset=0, dtype=None):
    return _trace(x, offset, -2, -1)


numpy_leaf(np.trace, _trace, "a", "promote")
numpy_leaf(np.linalg.trace, _linalg_trace, "x", "promote")


@function(np.linalg.vecdot)
def linalg_vecdot(machine, x1, x2, /, *, axis=-1):
    """np.linalg.vecdot."""
    place = known(machine, axis)
    if place != -1:
        x1, x2 = (machine.call(Const(np.moveaxis), (x, Const(place), Const(-1))) for x in (x1, x2))
    return ufunc_rule(machine, np.vecdot, x1, x2)
