"""The few places where xlapy uses what JAX does not document, each with its reason."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

from jax._src import config as _config  # reason: below
from jax._src.array import ArrayImpl  # reason: below

#: Entering `jax.enable_x64(True)` as a context costs about 0.7 µs of a 4 µs call; swapping the thread-local flag, which
#: is what the context does, costs 0.2 µs. `swap_x64(value)` returns the flag to be given to `set_x64` afterwards.
swap_x64 = _config.enable_x64.swap_local
set_x64 = _config.enable_x64.set_local

#: The class of arrays that are not tracers: `type(x) is ConcreteArray` costs 30 ns, `isinstance(x, jax.Array)` 400 ns.
ConcreteArray = ArrayImpl


@contextlib.contextmanager
def narrowing(narrow: bool) -> Iterator[None]:
    """Where types are narrowed on purpose, JAX need not warn that it does so."""
    if not narrow:
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Explicitly requested dtype", UserWarning)
        yield


def ambient_x64() -> bool:
    """Whether 64-bit types are on for the caller."""
    return bool(_config.enable_x64.value)
