"""Gradients and other transformations of functions over NumPy arrays, outside and inside compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xlapy.api import jit
from xlapy.dispatch import registry
from xlapy.domain.transformation_markers import Linear, apply, forward, run_linear, with_linear
from xlapy.domain.values import Value


@registry.function(jit)
def _jit_inside(machine: Any, function: Value, **options: Value) -> Value:
    """A function that is compiled inside a compiled function is a part of it."""
    return function


def _transformed(name: str, function: Callable, options: dict[str, Any]) -> Callable:
    def transformed(*args, **kwargs):
        return apply(name, function, options, args, kwargs)

    return jit(_named(transformed, name, function))


def _named(transformed: Callable, name: str, function: Callable) -> Callable:
    transformed.__name__ = f"{name}({getattr(function, '__name__', type(function).__name__)})"
    transformed.__qualname__ = f"{name}({getattr(function, '__qualname__', type(function).__qualname__)})"
    transformed.__doc__ = f"`{name}` of: {function.__doc__}" if function.__doc__ else None
    return transformed


@registry.function(_named)
def _named_inside(machine: Any, transformed: Value, name: Value, function: Value) -> Value:
    return transformed


def grad(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """The gradient of a scalar-valued function, as `jax.grad`.

    Args:
        function: takes arrays and numbers, alone or in tuples, lists, dicts, dataclasses, Equinox models, Flax NNX
            models (whose parameters are differentiated), and any other objects; returns a scalar (and auxiliary data
            if `has_aux`). It may branch, loop, write to its arrays, raise, and change objects.
        argnums: with respect to which positional arguments.
        has_aux: whether the function returns `(value, auxiliary)`; `auxiliary` may be anything.

    Returns:
        A function of the same arguments that returns the gradient, in the structure of the argument: an array for each
        floating-point array or number, None for what is neither (integers, strings, functions). In a model of Equinox
        or Flax NNX Python numbers are settings, as they are for `equinox.filter_grad`. An array that an object holds
        twice has one gradient, which stands in both places.

    Raises:
        NotOffloadableError: when called, if the function cannot become one program.
        TypeError: as JAX's, for a result that is no real scalar or an argument that is no floating-point number.

    What the function does is done once: an object whose attributes it sets, a list that it appends to and an array it
    knows from elsewhere are changed afterwards. Only arrays and containers that are differentiated are copies, as they
    are in JAX.

    What has no derivative follows JAX: integers, comparisons, `round`, `floor`, `sign` and the choice of an index or a
    branch have derivative zero; `abs` has 1 at 0; a maximum shares its gradient among equal elements; `np.where`, which
    computes both of its arguments, gives the one that is not chosen a zero gradient, which times an infinite derivative
    is NaN. What is not computed (masked elements, `where=`, the other branch, what an exception cut off) adds nothing.
    """
    return _transformed("grad", function, {"argnums": argnums, "has_aux": has_aux})


def value_and_grad(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """`(value, gradient)` of a scalar-valued function, `((value, auxiliary), gradient)` if `has_aux`; see `grad`."""
    return _transformed("value_and_grad", function, {"argnums": argnums, "has_aux": has_aux})


def jacfwd(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """The Jacobian by forward mode, of shape `result.shape + argument.shape`: for each array of the result a structure
    like the argument's. With `has_aux` the function returns `(result, auxiliary)`; `(Jacobian, auxiliary)` comes."""
    return _transformed("jacfwd", function, {"argnums": argnums, "has_aux": has_aux})


def jacrev(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """The Jacobian by reverse mode; see `jacfwd`."""
    return _transformed("jacrev", function, {"argnums": argnums, "has_aux": has_aux})


def hessian(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """The matrix of second derivatives of a scalar-valued function, of shape `argument.shape * 2`; for an argument with
    structure a structure of structures."""
    return _transformed("hessian", function, {"argnums": argnums, "has_aux": has_aux})


def vmap(function: Callable, in_axes: Any = 0, out_axes: Any = 0) -> Callable:
    """Map a function over axes of its arguments, as `jax.vmap`. It may return objects, and raise: the exception is the
    first one that a loop would have met. It cannot change what is outside, nor an argument that is not mapped; those
    that are mapped are copies, as they are in JAX."""
    return _transformed("vmap", function, {"in_axes": in_axes, "out_axes": out_axes})


def checkpoint(function: Callable) -> Callable:
    """Recompute the function in the backward pass instead of keeping its intermediate values, as `jax.checkpoint`."""
    return _transformed("checkpoint", function, {})


def jvp(function: Callable, primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False) -> tuple:
    """`(value, directional derivative)` of a function at `primals` along `tangents`, as `jax.jvp`; with `has_aux` the
    auxiliary data comes third.

    Tangents have the structure of the primals; what stands at the place of no floating-point number is not looked at.
    """
    return _forward(function, tuple(primals), tuple(tangents), has_aux)


@jit
def _forward(function, primals, tangents, has_aux):
    return forward(function, primals, tangents, has_aux)


def vjp(function: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """`(value, pullback)` of a function at `primals`, as `jax.vjp`; with `has_aux` the auxiliary data comes third.

    Returns:
        value: what the function returns.
        pullback: takes a cotangent of the structure of the value, returns a tuple with one of the structure of each
            primal. It may be called any number of times; the function does not run again.
    """
    return _linear(function, primals, has_aux, "vjp")


def linearize(function: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """`(value, tangent map)` of a function at `primals`, as `jax.linearize`; see `vjp`."""
    return _linear(function, primals, has_aux, "linearize")


@jit
def _linear(function, primals, has_aux, name):
    return with_linear(function, primals, has_aux, name)


@jit
def _run_linear(linear, vectors):
    return run_linear(linear, vectors)


Linear.run = staticmethod(_run_linear)
