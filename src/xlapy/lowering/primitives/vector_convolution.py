"""Convolutions of vectors: XLA makes one of arrays with channels of them; machine code has a loop
(`llvm.native_convolution`)."""

from __future__ import annotations

from collections.abc import Callable

import jax

from xlapy.lowering.jaxprs.kernel_primitives import Kernel


def of_vectors(convolved: Callable, mode: str, a: jax.Array, v: jax.Array) -> jax.Array:
    """`convolved(a, v, mode)`, which is `np.convolve` of vectors of which `v` is not longer."""
    return CONVOLVED(a, v, convolved=convolved, mode=mode)[0]


CONVOLVED = Kernel("convolved", lambda a, v, convolved, mode: convolved(a, v, mode))

__all__ = ["CONVOLVED", "of_vectors"]
