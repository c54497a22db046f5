"""Python text for what is done with the outputs of a small program: objects that it makes, and changes to the caller's.

`outcome.finish` reads the recipes of a result each time, which takes longer than a small program. Here they become the
text of a function, once:

    def finish(o, a_point):                      # o: what the C function of the program has made of its outputs
        m0 = [o[0], o[1]]
        m1 = {'points': m0, 'count': k0}
        set_attribute(a_point, 'x', o[2])        # nothing of the caller's changes before all is made
        return m1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from xlapy.domain import randomness
from xlapy.domain.builtin_bases import BASES, CONTENTS
from xlapy.domain.exception_attributes import ABSENT
from xlapy.domain.host_views import shown
from xlapy.domain.recipes import Choice, Cut, Effect, External, Known, Leaf, Made, View
from xlapy.domain.recipes import Sequence as SequenceRecipe
from xlapy.domain.sources import Source
from xlapy.machine_code.object_calls import Chosen, Constant, Operand, Output, Plan
from xlapy.runtime.codegen import Writer
from xlapy.runtime.container_contents import fill
from xlapy.runtime.quick import Recipes
from xlapy.runtime.result_kinds import ResultKind

#: makes the result of a call of what a C function has made, and of the arguments
Finish = Callable[..., Any]
#: the classes of known objects that are the same in each call
_PLAIN = (type(None), bool, int, float, complex, str, bytes)


class _Unsuitable(Exception):
    """There is more to be done than is written here."""


def plan(
    analysis: Recipes, count: int, sources: Sequence[Source], names: Sequence[str], kind: ResultKind
) -> tuple[Plan, Finish | None] | None:
    """What a C function does of a program, and what is done then, if anything; None for results and changes that only
    `outcome.finish` knows.

    Args:
        analysis: of the program.
        count: how many outputs it has.
        sources: where its operands are.
        names: the parameters of the function.
        kind: what becomes of outputs in the result.
    """
    if analysis.raises is not None or analysis.prints or kind is not ResultKind.OWN:
        return None
    place = {source: k for k, source in enumerate(sources)}
    error = count - 1 if analysis.errors else None
    writes, others = [], []
    for effect in analysis.effects:
        if effect.kind != "buffer":
            others.append(effect)
        elif type(effect.reconstruction) is Leaf and effect.source in place:
            writes.append((place[effect.source], effect.reconstruction.index))
        else:
            return None
    result = None if others else _planned(analysis.result, place)
    if result is not None:
        return Plan(result, tuple(writes), error), None
    try:
        writer = _Text(names)
        finish = writer.finish(analysis.result, others)
    except _Unsuitable:
        return None
    return Plan(tuple(writer.slots), tuple(writes), error), finish


def _planned(recipe: Any, place: Mapping[Source, int]) -> Any:
    """The result as a C function makes it."""
    match recipe:
        case Leaf() | Cut():
            return _output(recipe)
        case Known(value=value) if type(value) in _PLAIN:
            return Constant(value)
        case Choice():
            return _chosen(recipe)
        case External(source=source) if source in place:
            return Operand(place[source])
        case SequenceRecipe(cls=cls, items=items) if cls is tuple:
            planned = tuple(_planned(item, place) for item in items)
            return None if None in planned else planned
    return None


def _output(leaf: Leaf | Cut) -> Output | None:
    """What a C function makes of an output; None for an array of JAX's, and for one that is cut along other axes than
    the first one."""
    if isinstance(leaf, Cut):
        rows, *others = leaf.lengths
        is_plain = not leaf.starts and others.count(None) == len(others) and leaf.whole.python is None
        return Output(leaf.whole.index, "array", rows) if is_plain else None
    if leaf.python is not None:
        return Output(leaf.index, leaf.python)
    if leaf.mutable or leaf.scalar:
        return Output(leaf.index, "array" if leaf.mutable else "scalar")
    return None


def _chosen(choice: Choice) -> Chosen | None:
    """A number that is Python's or NumPy's, as a C function makes it; None for another choice."""
    ways = [_output(one) if isinstance(one, Leaf) and not one.mutable else None for one in choice.alternatives]
    known = tuple(way for way in ways if way is not None)
    return Chosen(choice.selector, known) if len(known) == len(ways) else None


class _Text:
    """Writes the function."""

    def __init__(self, names: Sequence[str]) -> None:
        self.writer = Writer(names, False)
        #: what is made of outputs, in order
        self.slots: list[Output | Chosen] = []
        self._arrays: dict[int, str] = {}
        self._made: dict[int, str] = {}
        self._begun: set[int] = set()
        self._count = 0

    def finish(self, result: Any, effects: Sequence[Effect]) -> Finish:
        """The function of a result and of changes to the caller's objects."""
        made = self.expression(result)
        if not isinstance(result, Leaf | Known | Made):
            made = self._local(made)  # what is found in the caller's objects, before they change
        changes = [self._change(effect) for effect in effects]
        body = "\n".join(f"    {line}" for line in [*self.writer.lines, *changes, f"return {made}"])
        parameters = ", ".join(["o", *self.writer.parameters])
        exec(compile(f"def finish({parameters}):\n{body}\n", "<xlapy finish>", "exec"), self.writer.namespace)
        return self.writer.namespace["finish"]

    def expression(self, recipe: Any) -> str:
        """The text that makes an object."""
        match recipe:
            case Leaf():
                return self._leaf(recipe)
            case Cut() | Choice():
                return self._slot(_output(recipe) if isinstance(recipe, Cut) else _chosen(recipe))
            case Known(value=value):
                return repr(value) if value is None or type(value) is bool else self.writer.name(value)
            case External(source=source):
                return self.writer.place(source)
            case View(source=source, steps=steps, identity=identity) if not _has_outputs(steps):
                if identity not in self._arrays:
                    show = self.writer.name(partial(_shown, steps=steps))
                    self._arrays[identity] = self._local(f"{show}({self.writer.place(source)})")
                return self._arrays[identity]
            case SequenceRecipe(cls=cls, items=items):
                text = self._items(items)
                return text if cls is tuple else f"tuple.__new__({self.writer.name(cls)}, {text})"
            case Made():
                if id(recipe) not in self._made:
                    if id(recipe) in self._begun:
                        raise _Unsuitable  # a container that is in itself
                    self._begun.add(id(recipe))
                    self._object(recipe)
                return self._made[id(recipe)]
        raise _Unsuitable

    def _leaf(self, leaf: Leaf) -> str:
        output = _output(leaf)
        if output is None:
            raise _Unsuitable
        if leaf.mutable in self._arrays:
            return self._arrays[leaf.mutable]
        if output in self.slots:
            if leaf.mutable:
                raise _Unsuitable  # two arrays of one output
            return f"o[{self.slots.index(output)}]"
        self.slots.append(output)
        text = f"o[{len(self.slots) - 1}]"
        if leaf.mutable:
            self._arrays[leaf.mutable] = text
        return text

    def _slot(self, output: Output | Chosen | None) -> str:
        if output is None:
            raise _Unsuitable
        if output not in self.slots:
            self.slots.append(output)
        return f"o[{self.slots.index(output)}]"

    def _items(self, items: Sequence) -> str:
        return "(" + "".join(f"{self.expression(item)}, " for item in items) + ")"

    def _object(self, recipe: Made) -> None:
        if recipe.kind == "instance":
            self._instance(recipe)
            return
        if recipe.cls not in (list, dict, tuple) or recipe.fields:
            raise _Unsuitable
        if recipe.kind == "dict":
            pairs = [map(self.expression, self._entry(entry)) for entry in recipe.entries]
            text = f"{{{', '.join(map(': '.join, pairs))}}}"
        elif recipe.kind in ("list", "tuple"):
            items = self._items(recipe.entries)
            text = items if recipe.kind == "tuple" else f"[*{items}]"
        else:
            raise _Unsuitable
        self._made[id(recipe)] = self._local(text)

    def _entry(self, entry: Any) -> tuple:
        if not isinstance(entry, tuple) or len(entry) != 2 or not isinstance(entry[0], Known):
            raise _Unsuitable
        return entry

    def _instance(self, recipe: Made) -> None:
        cls = recipe.cls
        if recipe.entries or CONTENTS in recipe.fields or issubclass(cls, (BaseException, *BASES)):
            raise _Unsuitable
        if any(isinstance(getattr(cls, name, None), property) for name in recipe.fields):
            raise _Unsuitable
        name = self._made[id(recipe)] = self._local(f"{self.writer.name(object.__new__)}({self.writer.name(cls)})")
        for field, value in recipe.fields.items():
            if not (isinstance(value, Known) and value.value is ABSENT):
                self.writer.lines.append(self._stored(name, field, value))

    def _stored(self, target: str, field: str, value: Any) -> str:
        return f"{self.writer.name(object.__setattr__)}({target}, {field!r}, {self.expression(value)})"

    def _change(self, effect: Effect) -> str:
        recipe = effect.reconstruction
        if effect.kind == "random" and recipe is None:
            return f"{self.writer.name(randomness.advance)}({self.writer.place(effect.source)})"
        if recipe is None or isinstance(recipe, Known) and recipe.value is ABSENT:
            raise _Unsuitable
        if effect.kind == "instance":
            return self._stored(self.writer.place(effect.source), effect.name, recipe)
        if effect.kind == "globals":
            return f"{self.writer.place(effect.source)}[{effect.name!r}] = {self.expression(recipe)}"
        if effect.kind in ("list", "dict") and effect.name == "<items>":
            return f"{self.writer.name(fill)}({self.writer.place(effect.source)}, {self.expression(recipe)})"
        raise _Unsuitable

    def _local(self, text: str) -> str:
        self._count += 1
        self.writer.lines.append(f"m{self._count} = {text}")
        return f"m{self._count}"


def _has_outputs(steps: Any) -> bool:
    return isinstance(steps, Leaf) or isinstance(steps, tuple) and any(map(_has_outputs, steps))


def _shown(base: Any, steps: tuple) -> Any:
    return shown(base, steps, int)


__all__ = ["Finish", "plan"]
