"""Functions of `jax.numpy`, and operators of its arrays, by the function of `jax.lax` that they come to.

Most of them are compiled by themselves, for those who call them outside of programs: to trace one inside a program
takes many times as long as to say what type it gives, and to call the other function when the program is lowered.
Arguments that are not plain arrays of one type go to the function itself, which is traced.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from xlapy.ir import TensorType
from xlapy.lowering.jaxprs.deferred_tracing import Untraced
from xlapy.lowering.matmul_precision import requested_precision


class Direct(NamedTuple):
    """What a call comes to.

    Attributes:
        function: of the operands, one array.
        type: its type.
        differentiable: the same with the rule for its derivative, where that is another function.
    """

    function: Callable
    type: TensorType
    differentiable: Callable | None = None


def direct(function: Callable, positional: tuple, named: dict, trace: Callable) -> tuple[Untraced, TensorType] | None:
    """What a call gives, and of which type; None if that is not known without a trace.

    Args:
        function: JAX's.
        positional: its arguments, with a `TensorType` in the place of each array.
        named: likewise.
        trace: makes the jaxpr of a function of the arrays.
    """
    rule = _RULES.get(id(function))
    if rule is None:
        return None
    try:
        found = rule(*positional, **named)
    except TypeError:  # not the arguments that the function is written for
        return None
    if found is None:
        return None
    traced = found.differentiable or found.function
    return Untraced(lambda evaluate, *arrays: [found.function(*arrays)], lambda: trace(traced)), found.type


#: the options, which JAX makes when it is loaded


def _plain(*operands: Any) -> bool:
    """Whether operands are arrays with types of their own, and of one rank."""
    return all(isinstance(x, TensorType) and not x.weak and len(x.shape) == len(operands[0].shape) for x in operands)


def _axes(axis: Any, rank: int) -> tuple[int, ...] | None:
    """Axes from 0, in order, each once; None if they are not that, or not known."""
    axes = axis if type(axis) is tuple else (axis,)
    if not all(type(i) is int and -rank <= i < rank for i in axes):
        return None
    found = sorted({i % rank for i in axes})
    return tuple(found) if len(found) == len(axes) else None


def _squeeze(a, /, axis=None):
    if not _plain(a):
        return None
    axes = _axes(tuple(i for i, size in enumerate(a.shape) if size == 1) if axis is None else axis, len(a.shape))
    if axes is None or any(a.shape[i] != 1 for i in axes):
        return None
    shape = tuple(size for i, size in enumerate(a.shape) if i not in axes)
    return Direct(partial(lax.squeeze, dimensions=axes), TensorType(shape, a.dtype))


def _expand_dims(a, /, axis):
    if not _plain(a):
        return None
    axes = _axes(axis, len(a.shape) + (len(axis) if type(axis) is tuple else 1))
    if axes is None:
        return None
    shape = list(a.shape)
    for i in axes:
        shape.insert(i, 1)
    return Direct(partial(lax.expand_dims, dimensions=axes), TensorType(tuple(shape), a.dtype))


def _moveaxis(a, /, source, destination):
    if not _plain(a) or type(source) is not int or type(destination) is not int:
        return None
    rank = len(a.shape)
    if not -rank <= source < rank or not -rank <= destination < rank or source % rank == destination % rank:
        return None
    order = [i for i in range(rank) if i != source % rank]
    order.insert(destination % rank, source % rank)
    shape = tuple(a.shape[i] for i in order)
    return Direct(partial(lax.transpose, permutation=order), TensorType(shape, a.dtype))


def _binary(of_lax: Callable, kinds: str, truth: bool = False) -> Callable:
    """Arrays of one dtype, of a kind of those given, and one rank: `jax.lax` stretches dimensions of length 1."""

    def rule(x, y, /):
        if not _plain(x, y) or x.dtype != y.dtype or x.dtype.kind not in kinds:
            return None
        shape = []
        for one, two in zip(x.shape, y.shape, strict=True):
            if one != two and one != 1 and two != 1:
                return None
            shape.append(two if one == 1 else one)
        return Direct(of_lax, TensorType(tuple(shape), jnp.dtype(bool) if truth else x.dtype))

    return rule


def _unary(of_lax: Callable, differentiable: Callable | None = None) -> Callable:
    """An array of floating-point numbers."""

    def rule(x, /):
        return Direct(of_lax, x, differentiable) if _plain(x) and x.dtype.kind == "f" else None

    return rule


def _matmul(a, b, /):
    """A matrix times a matrix or a vector."""
    ranks = (len(a.shape), len(b.shape)) if isinstance(a, TensorType) and isinstance(b, TensorType) else None
    if ranks not in ((2, 2), (2, 1)) or a.weak or b.weak or a.dtype != b.dtype or a.dtype.kind != "f":
        return None
    if a.shape[1] != b.shape[0] or requested_precision() is not None:
        return None
    numbers = (((1,), (0,)), ((), ()))
    product = partial(lax.dot_general, dimension_numbers=numbers, preferred_element_type=a.dtype)
    return Direct(product, TensorType(a.shape[:1] + b.shape[1:], a.dtype))


#: each function with its rule
_FUNCTIONS: list[tuple[Callable, Callable]] = [
    (jnp.squeeze, _squeeze),
    (jnp.expand_dims, _expand_dims),
    (jnp.moveaxis, _moveaxis),
    (jnp.matmul, _matmul),
    (operator.matmul, _matmul),
    (jax.nn.relu, _unary(lambda x: lax.max(x, x.dtype.type(0)), lambda x: jax.nn.relu(x))),
    (operator.add, _binary(lax.add, "fiuc")),
    (operator.sub, _binary(lax.sub, "fiuc")),
    (operator.mul, _binary(lax.mul, "fiuc")),
    (operator.truediv, _binary(lax.div, "fc")),
    (operator.lt, _binary(lax.lt, "fiu", truth=True)),
    (operator.le, _binary(lax.le, "fiu", truth=True)),
    (operator.gt, _binary(lax.gt, "fiu", truth=True)),
    (operator.ge, _binary(lax.ge, "fiu", truth=True)),
    *(
        (function, _unary(of_lax))
        for function, of_lax in (
            (jnp.exp, lax.exp),
            (jnp.log, lax.log),
            (jnp.tanh, lax.tanh),
            (jnp.sin, lax.sin),
            (jnp.cos, lax.cos),
            (jnp.sqrt, lax.sqrt),
            (jax.nn.sigmoid, lax.logistic),
        )
    ),
]
_RULES = {id(function): rule for function, rule in _FUNCTIONS}
