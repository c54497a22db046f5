"""Calls under `jax.grad`, `jax.vmap`, `jax.jit` and the like, whose operands are tracers.

JAX knows no 64-bit types where they are off for the caller, so the program is compiled with 32-bit types there. Nothing
can be written back to the caller's world, so a program with effects is refused. A run-time error is raised at once
where its tag is known (`jax.grad` outside of `jax.jit`); elsewhere a callback raises it when the program runs, and JAX
reports it as a `JaxRuntimeError` that ends in the exception's own text.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.core
import jax.numpy as jnp
import numpy as np

from xlapy.domain.recipes import Built, Choice, Cut, Known, Leaf, Shared, Text
from xlapy.domain.recipes import Sequence as SequenceRecipe
from xlapy.interpreter.analyse import Analysis
from xlapy.report import NotOffloadableError
from xlapy.runtime import outcome
from xlapy.runtime.guards import at

if TYPE_CHECKING:
    from xlapy.runtime.cache import Cache

_UNKNOWN = (jax.errors.ConcretizationTypeError, jax.errors.TracerIntegerConversionError)


def any_tracer(values: Sequence) -> bool:
    """Whether JAX is transforming one of the operands."""
    return any(isinstance(value, jax.core.Tracer) for value in values)


def refuse(function: types.FunctionType, analysis: Analysis) -> None:
    """A program that changes the caller's world cannot be used under a JAX transformation.

    Raises:
        NotOffloadableError: with one blocker for each change.
    """
    blockers = []
    for effect in analysis.effects:
        if effect.kind == "random" and effect.reconstruction is not None:
            continue  # the program starts the stream itself: only who draws afterwards would see a difference
        what = f"{effect.source}.{effect.name}" if effect.kind == "instance" else str(effect.source)
        message = f"{what} is changed, which cannot be done under a JAX transformation"
        blockers.append(at(function, "XP0015", message, "return the new value instead"))
    if analysis.prints:
        blockers.append(at(function, "XP0015", "the function prints, which cannot be done under a JAX transformation"))
    if blockers:
        raise NotOffloadableError(function.__qualname__, blockers)


def finish(cache: Cache, analysis: Analysis, values: tuple, arguments: tuple) -> Any:
    """The result, made of tracers; the error that the program may have met."""
    named = cache.binder.named(arguments)
    if analysis.errors:
        _check(analysis, values, named)
    try:
        if analysis.raises is not None:
            raise outcome.exception_of(analysis.raises, values, named)
        return _Finisher(values, named, outcome.to_jax).make(analysis.result)
    except _UNKNOWN as error:
        message = "which object is returned depends on data, which is not known under a JAX transformation"
        raise NotOffloadableError(cache.name, [at(cache.function, "XP0015", message)]) from error


class _Finisher(outcome.Finisher):
    """Arrays of one type are chosen from by JAX."""

    def make(self, recipe: Any) -> Any:
        """The object of a recipe."""
        if isinstance(recipe, Shared):
            return self.make(recipe.copy)
        if isinstance(recipe, Choice):
            parts = [self._number(part) for part in recipe.alternatives]
            if all(part is not None for part in parts) and len({jnp.shape(part) for part in parts}) == 1:
                dtype = jnp.result_type(*parts)
                parts = [jnp.asarray(part, dtype) for part in parts]
                return jax.lax.select_n(_selector(self.outputs[recipe.selector], len(parts)), *parts)
        return super().make(recipe)

    def _number(self, recipe: Any) -> Any:
        """The array or number of a recipe, or None."""
        if isinstance(recipe, Leaf):
            return self.outputs[recipe.index]
        made = recipe.value if isinstance(recipe, Known) else None
        return made if type(made) in (bool, int, float, complex) else None


def _selector(number: Any, count: int) -> Any:
    """What `lax.select_n` wants: a bool for two cases."""
    return number if count > 2 else number.astype(bool)


def _check(analysis: Analysis, values: tuple, named: dict[str, object]) -> None:
    try:
        outcome.raise_errors(analysis, values, named)
    except _UNKNOWN:
        pass
    else:
        return
    wanted = sorted(
        {i for raised in analysis.errors for part in raised.parts for i in _indices(part)} | {len(values) - 1}
    )

    def report(*known: np.ndarray) -> None:
        for lane in _lanes(known):
            outputs = dict(zip(wanted, lane, strict=True))
            outcome.raise_errors(analysis, _Sparse(outputs, len(values)), {})

    code = values[-1]
    picked = [values[i] for i in wanted]
    jax.lax.cond(code != jnp.zeros_like(code), lambda: jax.debug.callback(report, *picked), lambda: None)


class _Sparse:
    """Some of a program's outputs, by number; the last one as -1, too."""

    def __init__(self, known: dict[int, Any], count: int) -> None:
        self.known, self.count = known, count

    def __getitem__(self, index: int) -> Any:
        return self.known[index % self.count]


def _lanes(known: tuple) -> list[tuple]:
    """The outputs of each member of a batch; a callback may be called for all of them at once."""
    code = np.asarray(known[-1])
    if code.ndim == 0:
        return [known]
    return [tuple(np.asarray(x)[i] for x in known) for i in range(code.shape[0])]


def _indices(recipe: Any) -> list[int]:
    """The outputs that a recipe needs."""
    match recipe:
        case Leaf():
            return [recipe.index]
        case Cut():
            return [recipe.whole.index, *(n for n in recipe.lengths if n is not None)]
        case Shared():
            return [recipe.copy.index]
        case Choice():
            return [recipe.selector, *(i for part in recipe.alternatives for i in _indices(part))]
        case SequenceRecipe():
            return [i for part in recipe.items for i in _indices(part)]
        case Text() | Built():
            return [i for part in recipe.parts for i in _indices(part)]
    return []


def kinds(value: Any) -> Any:
    """A hashable summary of arguments: types, shapes and dtypes. What was refused once is not tried again for it."""
    if isinstance(value, tuple | list):
        return (type(value), *map(kinds, value))
    if isinstance(value, dict):
        return (dict, *((repr(k), kinds(v)) for k, v in value.items()))
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return (type(value), value.shape, str(value.dtype))
    if type(value) in (bool, int, str, float):
        return (type(value), value)
    return type(value)
