"""Gradients and other transformations of functions over NumPy arrays; each works outside and inside compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xlapy.api import jit
from xlapy.dispatch import table
from xlapy.dispatch.transformations import apply, forward
from xlapy.domain.values import Value


@table.function(jit)
def _jit_inside(machine: Any, function: Value, **options: Value) -> Value:
    """A function that is compiled inside a compiled function is a part of it."""
    return function


def _transformed(name: str, function: Callable, options: dict[str, Any]) -> Callable:
    def transformed(*args, **kwargs):
        return apply(name, function, options, args, kwargs)

    return jit(transformed)


def grad(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """The gradient of a scalar-valued function, as `jax.grad`.

    Args:
        function: takes arrays or Python floats, nested in tuples, lists and dicts; returns a scalar (and auxiliary data
            if `has_aux`). It may branch, loop, and write to its arrays.
        argnums: with respect to which positional arguments.
        has_aux: whether the function returns `(value, auxiliary)`.

    Returns:
        A function of the same arguments that returns the gradient, of the shape and dtype of the argument.

    Raises:
        NotOffloadableError: when called, if the function cannot become one program.
        TypeError: as JAX's, for a result that is no real scalar or an argument that is no floating-point number.
    """
    return _transformed("grad", function, {"argnums": argnums, "has_aux": has_aux})


def value_and_grad(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """`(value, gradient)` of a scalar-valued function; see `grad`."""
    return _transformed("value_and_grad", function, {"argnums": argnums, "has_aux": has_aux})


def jacfwd(function: Callable, argnums: int | Sequence[int] = 0) -> Callable:
    """The Jacobian by forward mode, of shape `result.shape + argument.shape`."""
    return _transformed("jacfwd", function, {"argnums": argnums})


def jacrev(function: Callable, argnums: int | Sequence[int] = 0) -> Callable:
    """The Jacobian by reverse mode, of shape `result.shape + argument.shape`."""
    return _transformed("jacrev", function, {"argnums": argnums})


def hessian(function: Callable, argnums: int | Sequence[int] = 0) -> Callable:
    """The matrix of second derivatives of a scalar-valued function, of shape `argument.shape * 2`."""
    return _transformed("hessian", function, {"argnums": argnums})


def vmap(function: Callable, in_axes: Any = 0, out_axes: Any = 0) -> Callable:
    """Map a function over axes of its arguments, as `jax.vmap`."""
    return _transformed("vmap", function, {"in_axes": in_axes, "out_axes": out_axes})


def checkpoint(function: Callable) -> Callable:
    """Recompute the function in the backward pass instead of keeping its intermediate values, as `jax.checkpoint`."""
    return _transformed("checkpoint", function, {})


def jvp(function: Callable, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """`(value, directional derivative)` of a function at `primals` along `tangents`, as `jax.jvp`."""
    return _run_forward(function, tuple(primals), tuple(tangents))


@jit
def _run_forward(function, primals, tangents):
    return forward(function, primals, tangents)
