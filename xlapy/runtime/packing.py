"""Many Python numbers of one kind travel as one array: each costs 3 to 5 µs as an operand or result of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import lax

from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.interpreter.analyse import Analysis
from xlapy.interpreter.world import Parameter
from xlapy.lowering import packed
from xlapy.runtime.traffic import is_device_buffer, of_the_host, outputs_of, outputs_where

#: numbers of one kind from which on they are packed
_LEAST = 16


@dataclass(frozen=True)
class Group:
    """The places of numbers of one dtype that travel together, and their Python type if they have one."""

    dtype: np.dtype
    places: tuple[int, ...]
    python: type | None = None


@dataclass(frozen=True)
class Packing:
    """What travels alone, and then in groups."""

    alone: tuple[int, ...]
    groups: tuple[Group, ...]

    def packed(self, operands: Sequence) -> tuple:
        """The operands of a program as they travel."""
        together = (packer(g)(tuple(operands[k] for k in g.places)) for g in self.groups)
        return (*(operands[k] for k in self.alone), *together)

    def unpacked(self, operands: Sequence, native: bool) -> tuple:
        """The operands of a program, traced: numbers as JAX has them for Python's, of weak type."""
        found = dict(zip(self.alone, operands, strict=False))
        for group, array in zip(self.groups, operands[len(self.alone) :], strict=True):
            numbers, kind = packed.taken_apart(array, native), group.python
            assert kind is not None
            for place, number in zip(group.places, numbers, strict=True):
                found[place] = lax.full_like(kind(0), number)
        return tuple(found[k] for k in range(len(found)))

    def joined(self, results: Sequence[jax.Array], native: bool) -> tuple:
        """The results of a program as they travel, traced."""
        together = (packed.joined([results[k] for k in g.places], native) for g in self.groups)
        return (*(results[k] for k in self.alone), *together)

    def taken_apart(self, results: Sequence) -> list:
        """The results of a program on the host."""
        found: list[Any] = [None] * (len(self.alone) + sum(len(g.places) for g in self.groups))
        for k, value in zip(self.alone, results, strict=False):
            found[k] = value
        for group, array in zip(self.groups, results[len(self.alone) :], strict=True):
            for k, value in zip(group.places, np.asarray(array), strict=True):
                found[k] = value
        return found


def packer(group: Group) -> Callable[[tuple], np.ndarray]:
    """Makes the array of Python numbers of one type; OverflowError where an integer has no room."""
    return partial(np.array, dtype=group.dtype)


def packing_of_operands(parameters: Sequence[Parameter], apart: Iterable[int]) -> Packing | None:
    """How the inputs of a program are packed; None if they all travel alone. Those in `apart` do."""
    apart = set(apart)
    kinds = [p.python if p.is_number and k not in apart else None for k, p in enumerate(parameters)]
    return _packing(len(kinds), {cls: (SCALAR_DTYPES[cls], cls) for cls in kinds if cls in SCALAR_DTYPES}, kinds)


def packing_of_results(analysis: Analysis, numpy: bool, types: Sequence[jax.ShapeDtypeStruct]) -> Packing | None:
    """How the results of a program are packed: numbers at which only the host looks."""
    delivered = set() if numpy else set(outputs_of(analysis.result))
    for effect in analysis.effects:
        if is_device_buffer(effect.source):
            delivered |= set(outputs_of(effect.recipe))
        elif effect.kind != "buffer":
            delivered |= set(outputs_where(effect.recipe, lambda leaf: not of_the_host(leaf)))
    kinds = [np.dtype(t.dtype) if t.shape == () and k not in delivered else None for k, t in enumerate(types)]
    return _packing(len(kinds), {d: (d, None) for d in kinds if d is not None}, kinds)


def _packing(count: int, known: dict, kinds: Sequence) -> Packing | None:
    groups = []
    for kind, (dtype, python) in known.items():
        places = tuple(k for k, found in enumerate(kinds) if found is not None and found == kind)
        if len(places) >= _LEAST:
            groups.append(Group(np.dtype(dtype), places, python))
    together = {k for g in groups for k in g.places}
    return Packing(tuple(k for k in range(count) if k not in together), tuple(groups)) if groups else None
