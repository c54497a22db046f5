"""`ufunc.reduce`, `accumulate`, `outer` and `reduceat` of arrays of dynamic length."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import first_of, involved, require_static
from xlapy.dispatch.bounded import bounded_reductions, masked_axes
from xlapy.dispatch.bounded.masked_axes import INT64, fresh, length_int, var_of
from xlapy.dispatch.numpy import register_numpy, ufunc_methods
from xlapy.dispatch.numpy.rule_operands import absent, known, operand, require_dtype
from xlapy.dispatch.numpy.ufunc_methods import binary, reduceat_of
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Scalar, Value

_NO_VALUE = getattr(np, "_NoValue", None)


def _method(name: str):
    """Register a rule before the one for arrays whose length is known."""
    before = registry.method_rule(np.ufunc, name)

    def register(rule):
        def either(machine, self, /, *args, **kwargs):
            if not involved(*args, *kwargs.values()):
                return registry.passed_on(before, machine, self, *args, **kwargs)
            try:
                return rule(machine, self, *args, **kwargs)
            except TypeError as error:
                if not registry.unfit(error):
                    raise
                what = f"np.{self.value.__name__}.{name} with such arguments"
                raise require_static(machine, first_of(args, kwargs), what) from error

        registry.method(np.ufunc, name)(either)
        return rule

    return register


@_method("reduce")
def reduce(machine, self, array, axis=0, dtype=None, out=None, keepdims=False, initial=_NO_VALUE, where=True):
    """`ufunc.reduce`."""
    ufunc = binary(machine, self)
    if not isinstance(array, BoundedArray):
        raise require_static(machine, first_of((out, where), {}), f"np.{ufunc.__name__}.reduce")
    axis = Const(axis) if isinstance(axis, int) else axis
    return bounded_reductions.reduce(machine, ufunc, array, axis, dtype, out, keepdims, initial, where)


@_method("accumulate")
def accumulate(machine, self, array, axis=0, dtype=None, out=None):
    """`ufunc.accumulate`: what comes behind the last element changes nothing."""
    ufunc = binary(machine, self)
    place = known(machine, axis)
    if not isinstance(array, BoundedArray) or place not in (0, -1) or not absent(out) or len(array.axes) != 1:
        raise require_static(machine, first_of((array, out), {}), f"np.{ufunc.__name__}.accumulate of such arrays")
    var, axes = masked_axes.compacted(machine, array)
    result = ufunc_methods.accumulate(machine, self, machine.new_array(var), Const(0), dtype)
    return masked_axes.made(machine, result, axes, own=True)


@_method("outer")
def outer(machine, self, A, B, /):  # noqa: N803
    """`ufunc.outer` of two vectors."""
    if self.value.nin != 2 or self.value.signature is not None:
        binary(machine, self)
    vectors = [v if involved(v) else machine.call(Const(np.asarray), (v,)) for v in (A, B)]
    if any(len(masked_axes.taken_apart(machine, v)[1]) != 1 for v in vectors):
        raise require_static(machine, first_of((A, B), {}), f"np.{self.value.__name__}.outer of such arrays")
    return machine.call(Const(_pairs), (self, *vectors))


def _pairs(ufunc, a, b):
    return ufunc(a[:, None], b[None, :])


@_method("reduceat")
def reduceat(machine, self, array, indices, axis=0, dtype=None, out=None):
    """`ufunc.reduceat` of a vector."""
    ufunc = binary(machine, self)
    given = (array, indices)
    if known(machine, axis) not in (0, -1) or not absent(out):
        raise require_static(machine, first_of(given, {}), f"np.{ufunc.__name__}.reduceat with such arguments")
    (var, (lanes,)), (places, (mine,)) = (_vector(machine, v, ufunc, given) for v in given)
    if 0 in (var.type.shape[0], places.type.shape[0]) or places.type.dtype.kind not in "iu":
        raise require_static(machine, first_of(given, {}), f"np.{ufunc.__name__}.reduceat of nothing")
    length = length_int(machine, lanes, var.type.shape[0])
    count = var_of(machine, length_int(machine, mine, places.type.shape[0]))
    places = machine.builder.convert(places, INT64)
    operands = (var, places, var_of(machine, length), count)
    given_dtype = None if absent(dtype) else require_dtype(known(machine, dtype))
    result_type = ufunc.reduceat(np.ones(1, var.type.dtype), [0], dtype=given_dtype).dtype
    result, bad, first = machine.leaf(reduceat_of, operands, (ufunc, result_type), name=f"{ufunc.__name__}.reduceat")
    shown = (Scalar(int, machine.builder.convert(first, INT64, True)), masked_axes.scalar(machine, length))
    text = machine.message(f"index {{}} out-of-bounds in {ufunc.__name__}.reduceat [0, {{}})", *shown)
    machine.check(bad, IndexError, text)
    return fresh(machine, result, (None if mine is None else masked_axes.Lanes(mine.length),))


def _vector(machine: Machine, value: Value, ufunc: np.ufunc, given):
    """The elements of a vector, at the front, and its one dimension."""
    if isinstance(value, BoundedArray):
        found = masked_axes.compacted(machine, value)
    else:
        var = operand(machine, value)
        found = var, (None,) * len(var.type.shape)
    if len(found[1]) != 1:
        raise require_static(machine, first_of(given, {}), f"np.{ufunc.__name__}.reduceat of such arrays")
    return found


__all__ = ["register_numpy"]
