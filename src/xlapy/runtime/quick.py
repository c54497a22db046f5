"""What is to be done after most runs, found once: arrays and numbers in tuples are returned, arrays of the caller's get
new elements. All else is for `outcome.finish`, which reads the recipes each time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from xlapy.domain import randomness
from xlapy.domain.recipes import Choice, Cut, External, Known, Leaf
from xlapy.domain.recipes import Sequence as SequenceRecipe
from xlapy.domain.rooms import fitted
from xlapy.domain.sources import Source
from xlapy.runtime.leaf_makers import number, to_numpy
from xlapy.runtime.result_kinds import ResultKind


class Recipes(Protocol):
    """What is to be done with the outputs of a program, as an `Analysis` tells it."""

    @property
    def result(self) -> Any:
        """The recipe of the result."""
        ...

    @property
    def effects(self) -> Sequence[Any]:
        """What changes of the caller's."""
        ...

    @property
    def errors(self) -> Sequence[Any]:
        """The exceptions that it may meet."""
        ...

    @property
    def raises(self) -> Any:
        """The exception that it always ends in."""
        ...

    @property
    def prints(self) -> Sequence[Any]:
        """What it prints."""
        ...


#: makes an object of the outputs of a run and the arguments of the call
Maker = Callable[[Sequence, tuple], Any]
#: returned where a run is one for `outcome.finish`: an error was met, an argument is another object than it was
NOT_QUICK = object()


def finisher(
    analysis: Recipes, names: Sequence[str], kind: ResultKind, cut: Callable[[Cut, Sequence], Any]
) -> Maker | None:
    """What makes the result of a run, and applies its effects, or does nothing and says `NOT_QUICK`.

    Args:
        analysis: of the program.
        names: the parameters of the function, in the order of its arguments.
        kind: what becomes of outputs in the result.
        cut: makes an array of the length that it has.
    """
    # A list that has outgrown the room that was guessed for it is an error that was met.
    if analysis.raises is not None or analysis.prints:
        return None
    arrays = [] if kind is ResultKind.JAX else list(_arrays(analysis.result))
    make = _maker(analysis.result, names, kind, cut) if len(set(arrays)) == len(arrays) else None
    drawn = [_drawn_from(effect, names) for effect in analysis.effects]
    writes = [_written(e, names) for e, place in zip(analysis.effects, drawn, strict=True) if place is None]
    if make is None or None in writes:
        return None
    may_fail, known = bool(analysis.errors), [write for write in writes if write is not None]
    generators = [place for place in drawn if place is not None]
    if not may_fail and not known and not generators:
        return make

    def finish(outputs: Sequence, arguments: tuple) -> Any:
        if may_fail and np.asarray(outputs[-1]).item():
            return NOT_QUICK
        if not known and not generators:
            return make(outputs, arguments)
        changes = [(arguments[place], np.asarray(outputs[k])) for place, k in known]
        if any(type(target) is not np.ndarray for target, _ in changes):
            return NOT_QUICK
        made = make(outputs, arguments)
        for target, elements in changes:
            target[...] = fitted(elements, target.shape)
        for place in generators:
            randomness.advance(arguments[place])
        return made

    return finish


def _drawn_from(effect: Any, names: Sequence[str]) -> int | None:
    """An argument that is a random generator from which the program draws."""
    return _place(effect.source, names) if effect.kind == "random" and effect.reconstruction is None else None


def _written(effect: Any, names: Sequence[str]) -> tuple[int, int] | None:
    """An argument whose elements change, and the output that they become."""
    if effect.kind != "buffer" or type(effect.reconstruction) is not Leaf:
        return None
    place = _place(effect.source, names)
    return None if place is None else (place, effect.reconstruction.index)


def _place(source: Source, names: Sequence[str]) -> int | None:
    return names.index(source.key) if source.kind == "argument" and source.base is None else None


def _arrays(recipe: Any) -> Iterable[int]:
    """The outputs that are arrays in a result."""
    if isinstance(recipe, Leaf):
        return [recipe.index] if recipe.mutable else []
    if isinstance(recipe, Cut):
        return _arrays(recipe.whole)
    inner = recipe.items if isinstance(recipe, SequenceRecipe) else ()
    inner = recipe.alternatives if isinstance(recipe, Choice) else inner
    return [k for item in inner for k in _arrays(item)]


def _maker(recipe: Any, names: Sequence[str], kind: ResultKind, cut: Callable) -> Maker | None:
    match recipe:
        case Leaf(index=index) if kind.delivers(recipe):
            return lambda outputs, arguments: outputs[index]
        case Leaf(index=index, mutable=mutable) if mutable:
            return lambda outputs, arguments: _own(outputs[index])
        case Leaf(index=index):
            return lambda outputs, arguments: to_numpy(outputs[index], recipe)
        case Cut():
            return lambda outputs, arguments: cut(recipe, outputs)
        case Known(value=value):
            return lambda outputs, arguments: value
        case External(source=source):
            place = _place(source, names)
            return None if place is None else lambda outputs, arguments: arguments[place]
        case SequenceRecipe(cls=cls, items=items):
            makers = [maker for item in items if (maker := _maker(item, names, kind, cut)) is not None]
            if len(makers) < len(items):
                return None
            return lambda outputs, arguments: tuple.__new__(cls, [make(outputs, arguments) for make in makers])
        case Choice(selector=selector, alternatives=alternatives):
            ways = [way for item in alternatives if (way := _maker(item, names, kind, cut)) is not None]
            if len(ways) < len(alternatives):
                return None
            return lambda outputs, arguments: ways[int(number(outputs[selector]))](outputs, arguments)
    return None


def _own(value: Any) -> np.ndarray:
    """An array that nobody else has: what machine code made is new."""
    return value if type(value) is np.ndarray else np.asarray(value).copy()


__all__ = ["NOT_QUICK", "Recipes", "finisher"]
