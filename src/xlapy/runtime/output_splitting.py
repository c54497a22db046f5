"""The rows of an array as `jax.Array`s of their own: the numbers in a list that a program returns."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

import jax
import numpy as np

from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.lowering.llvm import TOGETHER, taken_apart
from xlapy.runtime.jax_internals import Adopting, ConcreteArray, may_take_apart, memory_of, set_x64, swap_x64

#: bytes of a row up to which many are made at once
_SMALL = 1 << 9
#: rows made one by one that took as long as it takes to compile what makes many at once
_WORTH = 1 << 12


class Adopted(Sequence):
    """The rows of an array of NumPy's, each made where it is asked for.

    One by one they take 3 µs each; where many of their kind have been made, 64 at a time take 0.9.

    Args:
        rows: the array, which nobody changes.
        weak: whether they are numbers of JAX's weak type.
    """

    def __init__(self, rows: np.ndarray, weak: bool = False) -> None:
        self.rows, self._kind = rows, _kind(rows.shape[1:], rows.dtype, weak)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, k: int) -> jax.Array:
        return self._made((k,))[0]

    def __iter__(self) -> Iterator[jax.Array]:
        if len(self.rows) < TOGETHER or not self._kind.is_worth(len(self.rows)):
            return iter(self._made(range(len(self.rows))))
        before = swap_x64(True)
        try:
            return iter(self._kind.together(self.rows))
        finally:
            set_x64(before)

    def _made(self, places: Iterable[int]) -> list[jax.Array]:
        before = swap_x64(True)
        try:
            return [self._kind.adopted(self.rows[k, ...]) for k in places]
        finally:
            set_x64(before)


class _Kind:
    """Makes rows of one type."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, weak: bool) -> None:
        self.shape, self.dtype = shape, dtype
        self.python = next(kind for kind, known in SCALAR_DTYPES.items() if known == dtype) if weak else None
        self.adopted = Adopting(shape, dtype, weak)
        self.count = 0

    def is_worth(self, count: int) -> bool:
        """Whether so many more are made together."""
        self.count += count
        return self.count > _WORTH and 0 < prod(self.shape) * self.dtype.itemsize <= _SMALL and may_take_apart()

    def together(self, rows: np.ndarray) -> list[jax.Array]:
        """All rows of an array."""
        apart = taken_apart(self.shape, self.dtype, self.python)
        count = len(rows) // TOGETHER * TOGETHER
        found = [row for k in range(0, count, TOGETHER) for row in apart(rows[k : k + TOGETHER])]
        if count < len(rows):
            rest = np.zeros((TOGETHER, *self.shape), self.dtype)
            rest[: len(rows) - count] = rows[count:]
            found += apart(rest)[: len(rows) - count]
        return found


_kind = functools.lru_cache(maxsize=256)(_Kind)


def host_memory(array: Any) -> np.ndarray | None:
    """Where the elements of an array lie that is bound to no device, on a CPU; None if that is not known."""
    if type(array) is np.ndarray:
        return array
    return None if type(array) is not ConcreteArray or array.committed else memory_of(array)


__all__ = ["Adopted", "host_memory"]
