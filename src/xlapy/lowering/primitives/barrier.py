"""A value that XLA's CPU backend does not compute a second time: see `passes/barriers.py` for why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.lowering.jaxprs.kernel_primitives import Kernel


def behind_branch(predicate: Any, *values: Any) -> Any:
    """The values, behind a branch whose predicate holds; only on CPUs, since elsewhere a branch is dear."""

    def branch(predicate: Any, *values: Any) -> Any:
        return lax.cond(predicate, lambda: values, lambda: tuple(map(jnp.zeros_like, values)))

    return lax.platform_dependent(predicate, *values, cpu=branch, default=lambda _, *values: values)


def always(index: Any) -> Any:
    """A predicate of an integer scalar that holds, of which XLA does not know that, though LLVM does."""
    index = jnp.asarray(index)
    one, two = np.ones((), index.dtype), np.full((), 2, index.dtype)
    return lax.lt(lax.bitwise_and(index, one), two)


def loaded(value: Any, index: Any) -> Any:
    """`value`, which was loaded from an array at `index`, an integer scalar, and `index`: behind a branch of which XLA
    does not know that it is always taken."""
    index = jnp.asarray(index)
    return behind_branch(always(index), value, index)


def stored(value: Any) -> Any:
    """An array with elements, computed once though XLA reads its elements many times over."""
    first = value.ravel()[0]
    bits = lax.convert_element_type(lax.real(first) if jnp.iscomplexobj(value) else first, jnp.int32)
    return behind_branch(always(bits), value)[0]


def apart(fast: Callable, plain: Callable, *operands: Any) -> Any:
    """`plain(*operands)`; on a CPU `fast(*operands)`, computed once.

    XLA for CPUs repeats what is made of cheap instructions, and with it what they read, for each part that reads it;
    not across a branch, of which it does not know that it is always taken.

    Args:
        fast: what is computed; one array.
        plain: computes the same. Both are functions that live as long as the process.
        operands: arrays, of which the first one has elements.
    """
    (found,) = APART(*operands, fast=fast, plain=plain)
    return found


def _apart(*operands: Any, fast: Callable, plain: Callable) -> Any:
    bits = lax.bitcast_convert_type(operands[0].ravel()[0], jnp.int32).ravel()[0]
    return lax.cond(always(bits), fast, plain, *operands)


def _plain(*operands: Any, fast: Callable, plain: Callable) -> Any:
    return plain(*operands)


APART = Kernel("apart", _apart, _plain)
