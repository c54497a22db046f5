"""Kernels: primitives that a backend may have something better for than what `jax.lax` makes of them.

    REVERSED = Kernel("reversed_rows", on_cpu=lambda x: x[::-1])
    (y,) = REVERSED(x)

A kernel holds what it computes: as parameters of its equation, the jaxpr for CPUs (`jaxpr`), and the one for all other
platforms if that differs (`elsewhere`). It is these for XLA, for derivatives, and for batches. A backend that has
something better knows the primitive (`REVERSED.primitive`), the operands, and the static arguments, which are
parameters, too: it finds no kernel whose operands have become others.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import ad, batching, mlir

from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr
from xlapy.lowering.jaxprs.meshes import without_mesh


class Kernel:
    """A primitive that is made of others.

    Args:
        name: the name of the primitive.
        on_cpu: `on_cpu(*operands, **static)` gives an array, or several ones, in terms of `jax.lax`.
        elsewhere: the same on other platforms, if that differs.
        batch: `batch(operands, dims, **static)` gives the results of many at once as `(results, dims)`, where that is
            the kernel again; None where it is not, or no such function: what the kernel is made of is mapped.
        given: the results are, but for rounding, the first operands, so many ones: XLA has reasons to compute them
            anew, machine code takes them as they are.
    """

    def __init__(
        self,
        name: str,
        on_cpu: Callable,
        elsewhere: Callable | None = None,
        batch: Callable[..., tuple[list, list] | None] | None = None,
        given: int = 0,
    ) -> None:
        self.on_cpu, self.elsewhere, self.given = on_cpu, elsewhere, given
        self.primitive = primitive = Primitive(f"xlapy_{name}")
        primitive.multiple_results = True
        primitive.def_abstract_eval(_types)
        primitive.def_impl(lambda *operands, **parameters: _alone(primitive, *parameters.items())(*operands))
        ad.primitive_jvps[primitive] = _jvp
        batching.primitive_batchers[primitive] = partial(_batched, primitive, batch)
        # JAX 0.12 asks for this where a kernel is made of primitives that it lowers itself (`jaxpr.is_high`).
        primitive.to_lojax = _elsewhere_or_here
        mlir.register_lowering(primitive, mlir.lower_fun(_on_accelerator, multiple_results=True))
        mlir.register_lowering(primitive, _lowered_for_cpu, platform="cpu")

    def __call__(self, *operands: Any, **static: Hashable) -> list:
        """The results for arrays, and for arguments that are parameters of the equation."""
        shapes = [_shape_of(x) for x in operands]
        jaxpr = _traced(self.on_cpu, static, shapes)
        elsewhere = None if self.elsewhere is None else _traced(self.elsewhere, static, shapes)
        return self.primitive.bind(*operands, jaxpr=jaxpr, elsewhere=elsewhere, given=self.given, **static)


def _shape_of(x: Any) -> jax.ShapeDtypeStruct:
    type: Any = jax.typeof(x)
    return jax.ShapeDtypeStruct(type.shape, type.dtype, weak_type=type.weak_type)


def _traced(function: Callable, static: dict, shapes: Sequence[jax.ShapeDtypeStruct]) -> ClosedJaxpr:
    """What a function computes: a call, by which XLA's programs have it once, and JAX knows it again."""
    called = _jitted(function, tuple(static.items()))
    with without_mesh():
        jaxpr = called.trace(*shapes).jaxpr
    return _call_of(jaxpr, called, tuple(shapes))


@lru_cache(maxsize=1024)
def _call_of(jaxpr: ClosedJaxpr, called: Callable, shapes: tuple) -> ClosedJaxpr:
    """The call of a function that was traced: the first one, so that JAX knows it again."""
    with without_mesh():
        return jax.make_jaxpr(called)(*shapes)


@lru_cache(maxsize=1024)
def _jitted(function: Callable, static: tuple) -> Any:
    return jax.jit(partial(function, **dict(static)))


@lru_cache(maxsize=256)
def _alone(primitive: Primitive, *parameters: tuple) -> Callable:
    """What is called where a kernel is not part of a program."""
    return jax.jit(partial(primitive.bind, **dict(parameters)))


def _types(*_: Any, jaxpr: ClosedJaxpr, **__: Any) -> list:
    return jaxpr.out_avals


def _on_cpu(*operands: Any, jaxpr: ClosedJaxpr, **_: Any) -> list:
    return jaxpr_as_fun(jaxpr)(*operands)


def _lowered_for_cpu(context: Any, *operands: Any, **parameters: Any) -> Any:
    """What several CPUs have parts of is computed as elsewhere: one of them would be slow at what XLA cannot divide."""
    several = (getattr(context.module_context.axis_context, "num_devices", None) or 1) > 1
    return mlir.lower_fun(_elsewhere if several else _on_cpu, multiple_results=True)(context, *operands, **parameters)


def _elsewhere(*operands: Any, jaxpr: ClosedJaxpr, elsewhere: ClosedJaxpr | None, **_: Any) -> list:
    return jaxpr_as_fun(elsewhere or jaxpr)(*operands)


def _on_accelerator(*operands: Any, elsewhere: ClosedJaxpr | None, given: int, **parameters: Any) -> list:
    """What is given is one kernel there or two, computed anew it is more."""
    if given and elsewhere is None:
        return list(operands[:given])
    return _elsewhere(*operands, elsewhere=elsewhere, given=given, **parameters)


def _opened(jaxpr: ClosedJaxpr, elsewhere: ClosedJaxpr | None) -> Callable[..., Any]:
    """What a kernel is made of, as a function of its operands."""
    if elsewhere is None:
        return jaxpr_as_fun(jaxpr)
    return partial(lax.platform_dependent, cpu=jaxpr_as_fun(jaxpr), default=jaxpr_as_fun(elsewhere))


def _elsewhere_or_here(*operands: Any, jaxpr: ClosedJaxpr, elsewhere: ClosedJaxpr | None, **_: Any) -> list:
    return _opened(jaxpr, elsewhere)(*operands)


def _jvp(
    primals: Sequence, tangents: Sequence, *, jaxpr: ClosedJaxpr, elsewhere: ClosedJaxpr | None, **_: Any
) -> tuple[list, list]:
    results, changes = jax.jvp(_opened(jaxpr, elsewhere), [*primals], [*map(ad.instantiate_zeros, tangents)])
    is_still = [change.dtype == jax.dtypes.float0 for change in changes]
    still = [ad.Zero(jax.typeof(result).to_tangent_aval()) for result in results]
    return list(results), [none if yes else x for yes, none, x in zip(is_still, still, changes, strict=True)]


def _batched(
    primitive: Primitive,
    batch: Callable[..., tuple[list, list] | None] | None,
    operands: Sequence,
    dims: Sequence,
    *,
    jaxpr: ClosedJaxpr,
    elsewhere: ClosedJaxpr | None,
    given: int,
    **static: Any,
) -> tuple[list, list]:
    found = None if batch is None else batch(operands, dims, **static)
    if found is not None:
        return found
    one = jax.vmap(_opened(jaxpr, elsewhere), list(dims))
    if not given:
        results = one(*operands)
        return list(results), [0] * len(results)
    size = next(np.shape(x)[k] for x, k in zip(operands, dims, strict=True) if k is not None)
    moved = [x if k is None else jnp.moveaxis(x, k, 0) for x, k in zip(operands, dims, strict=True)]
    for k in range(given):
        if dims[k] is None:
            moved[k] = jnp.broadcast_to(moved[k], (size, *np.shape(moved[k])))
    places = [None if dim is None and k >= given else 0 for k, dim in enumerate(dims)]
    whole = jax.make_jaxpr(jax.vmap(_opened(jaxpr, elsewhere), places))(*map(_shape_of, moved))
    results = primitive.bind(*moved, jaxpr=whole, elsewhere=None, given=given, **static)
    return results, [0] * len(results)


def elementwise(kernel: Callable) -> Callable[..., tuple[list, list]]:
    """The rule for batches of a kernel of arrays of one shape, each element of whose results is made of those of its
    operands at that place."""

    def batch(operands: Sequence, dims: Sequence, **static: Hashable) -> tuple[list, list]:
        size = next(np.shape(x)[k] for x, k in zip(operands, dims, strict=True) if k is not None)
        pairs = zip(operands, dims, strict=True)
        moved = [jnp.broadcast_to(x, (size, *np.shape(x))) if k is None else jnp.moveaxis(x, k, 0) for x, k in pairs]
        results = kernel()(*moved, **static)
        return results, [0] * len(results)

    return batch


__all__ = ["Kernel", "elementwise"]
