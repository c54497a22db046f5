"""Convolutions inside loops, for CPUs: in the layout for which XLA has fast code. And what goes with them (`pooling`).

XLA's CPU compiler moves the channels of a convolution to the end, for which it has fast code, but in the entry
computation only: in the body of a loop a convolution with channels in front takes several times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import ClosedJaxpr, Literal, primitives

from xlapy.lowering.pooling import UNPOOL, unpooled

_CONVOLUTION = primitives.conv_general_dilated_p
#: operations that call a program, and the parameter that holds it
_CALLS = {"jit": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}


def channels_last(jaxpr: ClosedJaxpr) -> ClosedJaxpr:
    """The same program, whose convolutions have their channels last where it is compiled for a CPU, and whose
    derivatives of max-pooling are faster ones. It cannot be differentiated by rules of its own (`custom_vjp`) any
    more."""
    return _rewritten(jaxpr, frozenset((_CONVOLUTION, UNPOOL)))


def faster_pooling(jaxpr: ClosedJaxpr) -> ClosedJaxpr:
    """The same, but convolutions stay as they are: for what is not in a loop."""
    return _rewritten(jaxpr, frozenset((UNPOOL,)))


@lru_cache(maxsize=1024)
def _rewritten(jaxpr: ClosedJaxpr, which: frozenset) -> ClosedJaxpr:
    if not _has(jaxpr, which):
        return jaxpr
    structs = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype, weak_type=v.aval.weak_type) for v in jaxpr.jaxpr.invars]
    with jax.enable_x64(True):
        return jax.make_jaxpr(lambda *xs: _evaluate(jaxpr, which, xs))(*structs)


def _called(equation) -> ClosedJaxpr | None:
    name = _CALLS.get(equation.primitive.name)
    return equation.params.get(name) if name is not None else None


def _has(jaxpr: ClosedJaxpr, which: frozenset) -> bool:
    for equation in jaxpr.jaxpr.eqns:
        inner = _called(equation)
        if equation.primitive in which or (inner is not None and _has(inner, which)):
            return True
    return False


def _evaluate(jaxpr: ClosedJaxpr, which: frozenset, inputs: Sequence) -> list:
    known = dict(zip(jaxpr.jaxpr.constvars, jaxpr.consts, strict=True))
    known.update(zip(jaxpr.jaxpr.invars, inputs, strict=True))

    def read(atom):
        return atom.val if isinstance(atom, Literal) else known[atom]

    for equation in jaxpr.jaxpr.eqns:
        operands = [read(atom) for atom in equation.invars]
        inner = _called(equation)
        if equation.primitive is _CONVOLUTION and _CONVOLUTION in which:
            results = [_convolution(*operands, **equation.params)]
        elif equation.primitive is UNPOOL:
            results = [unpooled(*operands, **equation.params)]
        elif inner is not None and _has(inner, which):
            results = _evaluate(inner, which, operands)
        else:
            found = _bound(equation, operands)
            results = found if equation.primitive.multiple_results else [found]
        known.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.jaxpr.outvars]


def _bound(equation, operands: Sequence):
    """An operation on values; before JAX 0.10 callables came apart from other parameters."""
    params = equation.primitive.get_bind_params(equation.params)
    functions, params = params if isinstance(params, tuple) else ((), params)
    return equation.primitive.bind(*functions, *operands, **params)


def _convolution(lhs, rhs, *, dimension_numbers, **params):
    def plain(lhs, rhs):
        return _CONVOLUTION.bind(lhs, rhs, dimension_numbers=dimension_numbers, **params)

    def last(lhs, rhs):
        batch, channel, *places = dimension_numbers.lhs_spec
        out, into, *window = dimension_numbers.rhs_spec
        rank = lhs.ndim
        data = (0, rank - 1, *range(1, rank - 1))
        numbers = lax.ConvDimensionNumbers(data, (rank - 1, rank - 2, *range(rank - 2)), data)
        lhs, rhs = jnp.transpose(lhs, (batch, *places, channel)), jnp.transpose(rhs, (*window, into, out))
        made = _CONVOLUTION.bind(lhs, rhs, dimension_numbers=numbers, **params)
        batch, channel, *places = dimension_numbers.out_spec
        order = [0] * rank
        for position, axis in enumerate((batch, *places, channel)):
            order[axis] = position
        return jnp.transpose(made, order)

    return lax.platform_dependent(lhs, rhs, cpu=last, default=plain)
