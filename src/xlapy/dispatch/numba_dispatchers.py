"""Functions that Numba compiles mean what their Python source says, as they do with `NUMBA_DISABLE_JIT=1`."""

from __future__ import annotations

from types import FunctionType

from numba.core.dispatcher import Dispatcher

from xlapy.dispatch import registry


@registry.source_of(Dispatcher)
def _source(compiled: Dispatcher) -> FunctionType:
    """The function under `@numba.njit`."""
    return compiled.py_func
