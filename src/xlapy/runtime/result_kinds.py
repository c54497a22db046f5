"""What kind of arrays and numbers a program returns: JAX's, NumPy's, or what CPython would have returned."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import jax

from xlapy.domain.device_buffers import DeviceView
from xlapy.domain.recipes import Leaf

if TYPE_CHECKING:
    from xlapy.interpreter.analyse import Analysis


class ResultKind(Enum):
    """What becomes of the outputs of a program that are in its result."""

    #: all are `jax.Array`s, which stay on the device
    JAX = "jax"
    #: all are writable NumPy arrays, NumPy scalars and Python numbers
    NUMPY = "numpy"
    #: each is what CPython would have returned
    OWN = "own"

    def delivers(self, leaf: Leaf) -> bool:
        """Whether the caller gets an output as a `jax.Array`."""
        return self is ResultKind.JAX or (self is ResultKind.OWN and not is_of_the_host(leaf))


def result_kind(returns: str, analysis: Analysis, on_devices: bool = False) -> ResultKind:
    """That of a program for the option `returns` of `xlapy.jit`.

    With 'auto', a program that reads a `jax.Array` or `xlapy.device_array` of the caller's returns `jax.Array`s, and so
    does one that JAX transforms, or that runs on several devices (`on_devices`).
    """
    if returns != "auto":
        return ResultKind(returns)
    held = (guard.value for guard in analysis.guards if guard.kind in ("type", "isinstance"))
    reads_jax = any(isinstance(cls, type) and issubclass(cls, jax.Array | DeviceView) for cls in held)
    return ResultKind.JAX if on_devices or reads_jax else ResultKind.OWN


def is_of_the_host(leaf: Leaf) -> bool:
    """Whether it is NumPy's or Python's, and stays so where it is stored."""
    return bool(leaf.mutable) or leaf.scalar or leaf.python is not None


__all__ = ["ResultKind", "is_of_the_host", "result_kind"]
