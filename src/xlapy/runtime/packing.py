"""Many Python numbers of one kind travel as one array: each costs 3 to 5 µs as an operand or result of its own.

What they are in the program is a part of the program: it takes arrays apart, and puts numbers together. Where it only
wants the numbers of a list together, or gives back all that an array holds, nothing of that is left
(`ir.stacking_leaves`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax

from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.domain.sources import Source
from xlapy.interpreter.analyse import Analysis
from xlapy.interpreter.caller_environment import Parameter
from xlapy.ir import Module, Operation, TensorType, Var
from xlapy.ir.stacking_leaves import STACKED, UNSTACKED, giving, is_unstack, putting_together, taking_apart
from xlapy.passes import optimise
from xlapy.passes.code_motion import copy_region
from xlapy.runtime.output_splitting import Adopted, host_memory
from xlapy.runtime.result_kinds import ResultKind
from xlapy.runtime.transfer_report import delivered_outputs

#: numbers of one kind from which on they are packed
_LEAST = 16
#: the same of those at which only the host looks, where it has them in its own memory
_LEAST_ON_HOST = 48
_SAME = frozenset(SCALAR_DTYPES.values())


@dataclass(frozen=True)
class Group:
    """The places of numbers of one type that travel together.

    Attributes:
        dtype: their dtype.
        places: the places.
        python: the class of operands that are Python's numbers.
        delivered: of results, whether the caller gets them as `jax.Array`s.
        weak: whether these are of JAX's weak type.
    """

    dtype: np.dtype
    places: tuple[int, ...]
    python: type | None = None
    delivered: bool = False
    weak: bool = False

    @property
    def packer(self) -> Callable[[tuple], np.ndarray]:
        """Makes the array of Python's numbers of one type; OverflowError where an integer has no room."""
        return partial(np.array, dtype=self.dtype)


@dataclass(frozen=True)
class Packing:
    """What travels alone, and then in groups."""

    alone: tuple[int, ...]
    groups: tuple[Group, ...]

    def packed(self, operands: Sequence) -> tuple:
        """The operands of a program as they travel."""
        together = (g.packer(tuple(operands[k] for k in g.places)) for g in self.groups)
        return (*(operands[k] for k in self.alone), *together)

    def place(self, k: int) -> tuple[int, int | None]:
        """Where one is as it travels: its number, or that of the array that it is in, and its place there."""
        if k in self.alone:
            return self.alone.index(k), None
        number, group = next((n, g) for n, g in enumerate(self.groups) if k in g.places)
        return len(self.alone) + number, group.places.index(k)

    def taken_apart(self, results: Sequence) -> list:
        """The results of a program on the host."""
        found: list[Any] = [None] * (len(self.alone) + sum(len(g.places) for g in self.groups))
        for k, value in zip(self.alone, results, strict=False):
            found[k] = value
        for group, array in zip(self.groups, results[len(self.alone) :], strict=True):
            if group.delivered:
                for k, value in zip(group.places, _delivered(array, group), strict=True):
                    found[k] = value
                continue
            numbers = np.asarray(array)
            # as Python's where that says all: these are made at once
            for k, value in zip(group.places, numbers.tolist() if numbers.dtype in _SAME else numbers, strict=True):
                found[k] = value
        return found


def _delivered(array: Any, group: Group) -> Iterable[jax.Array]:
    """The numbers in an array as the caller gets them."""
    memory = host_memory(array)
    if memory is not None:
        return Adopted(memory, group.weak)
    with jax.enable_x64(True):
        return [typed(x, TensorType((), group.dtype, group.weak)) for x in array]


class Travelling(NamedTuple):
    """A program of operands as they travel, with results as they travel.

    Attributes:
        module: the program.
        results: how its results are packed; None if they all travel alone.
    """

    module: Module
    results: Packing | None


def typed(result: Any, type_: TensorType) -> jax.Array:
    """A result of a program with exactly the type that it has there; which numbers are of weak type does not depend on
    how the program is compiled."""
    weak = type_.weak and type_.shape == ()
    if weak == jax.typeof(result).weak_type:
        return jax.numpy.asarray(result)
    kind = next((kind for kind, dtype in SCALAR_DTYPES.items() if dtype == result.dtype), None)
    if weak and kind is not None:
        return lax.full_like(kind(0), result)
    # numbers of JAX's own that are of weak type and narrower stay what they are
    return jax.numpy.asarray(result) if weak else lax.convert_element_type(result, result.dtype)


def packing_of_operands(parameters: Sequence[Parameter], apart: Iterable[int]) -> Packing | None:
    """How the inputs of a program are packed, those of one list or nest of lists by themselves; None if they all travel
    alone. Those in `apart` do."""
    apart = set(apart)
    dtypes = [p.var.type.dtype for p in parameters]
    kinds: list[Any] = [None] * len(parameters)
    for k, parameter in enumerate(parameters):
        if parameter.is_number and k not in apart and parameter.python in SCALAR_DTYPES:
            kinds[k] = parameter.python, _container(parameter.source)
    found = _with_rest(_groups(kinds, dtypes), [kind and kind[0] for kind in kinds], dtypes)
    return _packing(len(kinds), [Group(g.dtype, g.places, parameters[g.places[0]].python) for g in found])


def _container(source: Source) -> Source | None:
    """The outermost list or tuple that something is in."""
    found = None
    while source.kind == "item" and isinstance(source.key, int):
        found = source = source.outer
    return found


def packing_of_results(analysis: Analysis, kind: ResultKind, on_host: bool) -> Packing | None:
    """How the results of a program are packed: numbers at which only the host looks, and those that the caller gets if
    they are made `on_host`. All that an array holds goes by itself."""
    delivered = delivered_outputs(analysis, kind)
    results = analysis.module.entry.results
    dtypes = [v.type.dtype for v in results]
    alike: list[object] = [None] * len(results)
    for k, var in enumerate(results):
        # keys of JAX's have types that are not NumPy's
        if not var.type.shape and isinstance(var.type.dtype, np.dtype):
            if k not in delivered:
                alike[k] = var.type.dtype
            elif on_host and (not var.type.weak or var.type.dtype in _SAME):
                alike[k] = var.type.dtype, var.type.weak and var.type.dtype != np.bool_
    held = [None if alike[k] is None or not is_unstack(v.owner) else (v.owner, alike[k]) for k, v in enumerate(results)]
    arrays = [g for g in _groups(held, dtypes) if _is_whole([results[k] for k in g.places])]
    groups = []
    for group in _with_rest(arrays, alike, dtypes):
        like = alike[group.places[0]]
        if on_host and not isinstance(like, tuple) and len(group.places) < _LEAST_ON_HOST:
            continue
        weak = isinstance(like, tuple) and like[1]
        groups.append(replace(group, delivered=isinstance(like, tuple), weak=weak))
    return _packing(len(results), groups)


def _is_whole(values: Sequence[Var]) -> bool:
    owner = values[0].owner
    return isinstance(owner, Operation) and list(values) == owner.results


def _groups(kinds: Sequence[object], dtypes: Sequence[np.dtype]) -> list[Group]:
    """The places of each kind of which there are many."""
    places: dict[object, list[int]] = {}
    for k, kind in enumerate(kinds):
        if kind is not None:
            places.setdefault(kind, []).append(k)
    return [Group(dtypes[found[0]], tuple(found)) for found in places.values() if len(found) >= _LEAST]


def _with_rest(groups: list[Group], kinds: Sequence[object], dtypes: Sequence[np.dtype]) -> list[Group]:
    """Some groups, and those of each kind of what is in none of them."""
    within = {k for group in groups for k in group.places}
    return [*groups, *_groups([None if k in within else kind for k, kind in enumerate(kinds)], dtypes)]


def _packing(count: int, groups: Sequence[Group]) -> Packing | None:
    together = {k for g in groups for k in g.places}
    return Packing(tuple(k for k in range(count) if k not in together), tuple(groups)) if groups else None


def travelling(analysis: Analysis, operands: Packing | None, results: Packing | None) -> Travelling:
    """The program of an analysis, of operands as they travel, with results as they travel."""
    if operands is None and results is None:
        return Travelling(analysis.module, None)
    entry = copy_region(analysis.module.entry, {})
    names = analysis.module.parameter_names
    if operands is not None:
        params, before = entry.params, []
        entry.params = [params[k] for k in operands.alone]
        names = [names[k] for k in operands.alone]
        for group in operands.groups:
            numbers = [params[k] for k in group.places]
            type_ = numbers[0].type
            array = Var(TensorType((len(numbers),), type_.dtype, type_.weak), entry, entry.depth)
            entry.params.append(array)
            names.append(f"{analysis.module.parameter_names[group.places[0]]} ...")
            apart = Operation(UNSTACKED, (array,), taking_apart(type_, len(numbers)), (), (), None, entry.depth)
            before.append(giving(numbers, apart))
        entry.operations = [*before, *entry.operations]
    if results is not None:
        values, after = entry.results, []
        for group in results.groups:
            numbers = [values[k] for k in group.places]
            type_ = TensorType((), group.dtype)
            attributes = putting_together(type_, len(numbers))
            types = (TensorType((len(numbers),), group.dtype),)
            after.append(Operation(STACKED, tuple(numbers), attributes, types, (), None, entry.depth))
        entry.operations = [*entry.operations, *after]
        entry.results = [*(values[k] for k in results.alone), *(o.results[0] for o in after)]
    module = Module(entry, names)
    optimise(module)
    return Travelling(module, results)


__all__ = [
    "Group",
    "Packing",
    "Travelling",
    "packing_of_operands",
    "packing_of_results",
    "travelling",
    "typed",
]
