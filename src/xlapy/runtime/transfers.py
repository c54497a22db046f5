"""Large NumPy arrays on their way to the CPU "device": handed over where they lie, without a copy, or copied into
memory that is kept.

XLA uses NumPy's memory as it is only where that starts at a multiple of 64 bytes, which large arrays never do (their
allocation starts with 16 bytes of the allocator's). JAX then copies into memory that is new to the process, and most of
the time goes into page faults (measured for 48 MB: 11 ms; a plain copy takes 2.3, by two threads 1.1).

Here a program that only passes by an array (`lowering.cpu_xla.zero_copy_inputs`) gets the memory from the multiple of
64 bytes before it on, with the place where the array starts. It does not read what lies before and behind it. What
other programs get goes into aligned buffers, which are used again as soon as a call that read them has ended.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Container
from typing import Any

import jax
import numpy as np

from xlapy.lowering.cpu_xla.zero_copy_inputs import MemorySlice
from xlapy.runtime.jax_internals import ConcreteArray

_ALIGNMENT = 64
#: bytes of an array from which on it pays to lend it, or to copy it here; of a part that is worth a thread; of all
#: that is kept between calls; of the least unit of memory that a process has or has not
_LARGE, _PART, _KEPT, _PAGE = 1 << 20, 4 << 20, 1 << 29, 4096
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
        room = np.empty(size + 2 * _ALIGNMENT, np.uint8)  # behind the last byte, too
        start = -room.ctypes.data % _ALIGNMENT
        return room[start : start + size]

    def give_back(self, buffers: list[np.ndarray]) -> None:
        """Buffers that nobody reads any more; those unused for longest go."""
        with self._lock:
            self._free += buffers
            while sum(b.nbytes for b in self._free) > self.limit:
                self._free.pop(0)


BUFFERS = Buffers()


class _Memory:
    """Memory around an array, which stays alive with it."""

    __slots__ = ("__array_interface__", "array")

    def __init__(self, array: np.ndarray, before: int, count: int) -> None:
        self.array = array
        place = {"data": (array.ctypes.data - before, True), "shape": (count,), "typestr": array.dtype.str}
        self.__array_interface__ = {**place, "version": 3}


def memory_slice(array: np.ndarray) -> MemorySlice | None:
    """An array where it lies; None if that does not do: if it is not contiguous, its elements do not lie at multiples
    of their size, or the memory behind it may not be the process's."""
    count = array.size + _behind(array)
    last, end = array.ctypes.data + array.nbytes - 1, array.ctypes.data - _before(array) + count * array.itemsize - 1
    if not array.flags.c_contiguous or _before(array) % array.itemsize or last // _PAGE != end // _PAGE:
        return None
    return _around(array)


def _around(array: np.ndarray) -> MemorySlice:
    before = _before(array)
    memory = np.asarray(_Memory(array, before, array.size + _behind(array))).view(array.dtype)
    return MemorySlice(memory, np.uint32(before // array.itemsize), array.shape)


def _before(array: np.ndarray) -> int:
    """Bytes between a multiple of 64 and an array."""
    return array.ctypes.data % _ALIGNMENT


def _behind(array: np.ndarray) -> int:
    """How many more elements than the array has XLA is told of: the same, wherever it lies."""
    return _ALIGNMENT // array.itemsize - 1


def staged(run: Callable, places: list[int], passed: Container[int] = (), buffers: Buffers = BUFFERS) -> Callable:
    """`run`, which gets the large NumPy arrays at `places` without a copy if they are in `passed`, and copies of the
    others, and has ended when it returns."""

    def call(*operands: Any) -> Any:
        taken: list[np.ndarray] = []
        given = list(operands)
        for k in places:
            operand = given[k]
            if not _is_large(operand):
                continue
            if k in passed:
                given[k] = memory_slice(operand) or _around(copied(operand, _taken(operand, buffers, taken)))
            elif not _is_aligned(operand):
                given[k] = copied(operand, _taken(operand, buffers, taken))
        result = run(*given)
        if taken:
            leaves = jax.block_until_ready(jax.tree.leaves(result))
            if all(type(leaf) is ConcreteArray for leaf in leaves):
                shared = {leaf.unsafe_buffer_pointer() for leaf in leaves if len(leaf.devices()) == 1}
                buffers.give_back([b for b in taken if b.ctypes.data not in shared])
        return result

    return call


def _is_large(operand: Any) -> bool:
    return isinstance(operand, np.ndarray) and operand.nbytes >= _LARGE and not operand.dtype.hasobject


def _is_aligned(operand: np.ndarray) -> bool:
    return operand.flags.c_contiguous and operand.ctypes.data % _ALIGNMENT == 0


def _taken(operand: np.ndarray, buffers: Buffers, taken: list[np.ndarray]) -> np.ndarray:
    """A buffer for an array, which joins those that are `taken`."""
    taken.append(buffers.take(operand.nbytes))
    return taken[-1]


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


__all__ = ["BUFFERS", "Buffers", "memory_slice", "staged"]
