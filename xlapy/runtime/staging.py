"""Large NumPy arrays on their way to the CPU "device": copied once, into memory that is kept.

XLA uses NumPy's memory as it is only where that starts at a multiple of 64 bytes, which large arrays never do (their
allocation starts with 16 bytes of the allocator's). JAX then copies into memory that is new to the process, and most of
the time goes into page faults (measured for 48 MB: 11 ms; a plain copy takes 2.3, by two threads 1.1). Here they go
into aligned buffers, which are used again as soon as a call that read them has ended.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from xlapy.runtime.jax_internals import ConcreteArray

_ALIGNMENT = 64
#: bytes of an array from which on it pays; of a part that is worth a thread; of all that is kept between calls
_LARGE, _PART, _KEPT = 1 << 20, 4 << 20, 1 << 29
_THREADS = min(4, os.cpu_count() or 1)


class Buffers:
    """Aligned memory, by size; each piece belongs to one call at a time."""

    def __init__(self, limit: int = _KEPT) -> None:
        self.limit = limit
        self._free: list[np.ndarray] = []
        self._lock = threading.Lock()

    def take(self, size: int) -> np.ndarray:
        """`size` bytes that nobody else has."""
        with self._lock:
            for k, buffer in enumerate(self._free):
                if buffer.nbytes == size:
                    return self._free.pop(k)
        room = np.empty(size + _ALIGNMENT, np.uint8)
        start = -room.ctypes.data % _ALIGNMENT
        return room[start : start + size]

    def give_back(self, buffers: list[np.ndarray]) -> None:
        """Buffers that nobody reads any more; those unused for longest go."""
        with self._lock:
            self._free += buffers
            while sum(b.nbytes for b in self._free) > self.limit:
                self._free.pop(0)


BUFFERS = Buffers()


def staged(run: Callable, places: list[int], buffers: Buffers = BUFFERS) -> Callable:
    """`run`, which gets copies of the large NumPy arrays at `places`, and has ended when it returns."""

    def call(*operands: Any) -> Any:
        taken: list[np.ndarray] = []
        given = list(operands)
        for k in places:
            if _to_be_copied(given[k]):
                buffer = buffers.take(given[k].nbytes)
                taken.append(buffer)
                given[k] = copied(given[k], buffer)
        result = run(*given)
        if taken:
            leaves = jax.block_until_ready(jax.tree.leaves(result))
            if all(type(leaf) is ConcreteArray for leaf in leaves):
                shared = {leaf.unsafe_buffer_pointer() for leaf in leaves if len(leaf.devices()) == 1}
                buffers.give_back([b for b in taken if b.ctypes.data not in shared])
        return result

    return call


def _to_be_copied(operand: Any) -> bool:
    if not isinstance(operand, np.ndarray) or operand.nbytes < _LARGE or operand.dtype.hasobject:
        return False
    return not operand.flags.c_contiguous or operand.ctypes.data % _ALIGNMENT != 0


def copied(source: np.ndarray, buffer: np.ndarray) -> np.ndarray:
    """A copy of an array in a buffer of its size."""
    target = buffer.view(source.dtype).reshape(source.shape)
    parts = min(_THREADS, source.nbytes // _PART, source.shape[0])
    if parts < 2:
        np.copyto(target, source)
        return target
    bounds = [source.shape[0] * k // parts for k in range(parts + 1)]
    pieces = [slice(*pair) for pair in zip(bounds, bounds[1:], strict=False)]
    others = [threading.Thread(target=np.copyto, args=(target[p], source[p])) for p in pieces[1:]]
    for thread in others:
        thread.start()
    np.copyto(target[pieces[0]], source[pieces[0]])
    for thread in others:
        thread.join()
    return target


__all__ = ["BUFFERS", "Buffers", "staged"]
