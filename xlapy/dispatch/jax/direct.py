"""Functions of `jax.numpy`, and operators of its arrays, by the function of `jax.lax` that they come to.

Most of them are compiled by themselves, for those who call them outside of programs: to trace one inside a program
takes four times as long as to trace what it does. What is traced is the same. Arguments that are not plain arrays and
numbers of one type go to the function itself.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax


def direct(function: Callable) -> Callable:
    """A function that gives the same as `function` inside a trace, and is traced faster if there is one."""
    return _DIRECT.get(id(function), function)


def _squeeze(a, axis=None):
    axes = (axis,) if type(axis) is int else axis
    if isinstance(a, jax.Array) and axes is None:
        axes = tuple(i for i, size in enumerate(a.shape) if size == 1)
    if isinstance(a, jax.Array) and type(axes) is tuple and all(type(i) is int for i in axes):
        return lax.squeeze(a, axes)
    return jnp.squeeze(a, axis)


def _moveaxis(a, source, destination):
    if isinstance(a, jax.Array) and type(source) is type(destination) is int:
        rank = a.ndim
        if -rank <= source < rank and -rank <= destination < rank:
            order = [i for i in range(rank) if i != source % rank]
            order.insert(destination % rank, source % rank)
            return lax.transpose(a, order)
    return jnp.moveaxis(a, source, destination)


def _binary(function: Callable, of_lax: Callable, kinds: str) -> Callable:
    """Arrays of one dtype, of a kind of those given, and one rank: `jax.lax` stretches dimensions of length 1."""

    def applied(x, y):
        if isinstance(x, jax.Array) and isinstance(y, jax.Array):
            same = x.dtype == y.dtype and x.weak_type == y.weak_type and x.ndim == y.ndim
            if same and x.dtype.kind in kinds:
                return of_lax(x, y)
        return function(x, y)

    return applied


#: by the identity of the function, which comes with it
_FUNCTIONS: list[tuple[Callable, Callable]] = [
    (jnp.squeeze, _squeeze),
    (jnp.moveaxis, _moveaxis),
    *(
        (function, _binary(function, of_lax, kinds))
        for function, of_lax, kinds in (
            (operator.add, lax.add, "fiuc"),
            (operator.sub, lax.sub, "fiuc"),
            (operator.mul, lax.mul, "fiuc"),
            (operator.truediv, lax.div, "fc"),
            (operator.lt, lax.lt, "fiu"),
            (operator.le, lax.le, "fiu"),
            (operator.gt, lax.gt, "fiu"),
            (operator.ge, lax.ge, "fiu"),
        )
    ),
]
_DIRECT = {id(function): replacement for function, replacement in _FUNCTIONS}
