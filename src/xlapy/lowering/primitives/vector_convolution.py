"""Convolutions of vectors, for which machine code has a loop."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import jax

#: what convolutions of vectors are called, with their mode
_NAME = "xlapy_convolved_"


@functools.cache
def of_vectors(convolved: Callable, mode: str) -> Callable[[jax.Array, jax.Array], jax.Array]:
    """`convolved(a, v, mode)`, `np.convolve` of vectors of which `v` is not longer, under a name that says so."""

    def function(a: jax.Array, v: jax.Array) -> jax.Array:
        return convolved(a, v, mode)

    function.__name__ = function.__qualname__ = _NAME + mode
    return jax.jit(function)


def mode_of(name: object, shapes: Sequence[tuple[int, ...]]) -> str | None:
    """The mode of a convolution of vectors of that name, and of such shapes; None if it is something else, or has
    become one of arrays of another rank, as vectorisations are."""
    _, is_one, mode = str(name).partition(_NAME)
    return mode if is_one and [len(shape) for shape in shapes] == [1, 1] else None
