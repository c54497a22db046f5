"""After the run: raises what the program raised, changes the caller's world, makes the result."""

from __future__ import annotations

import collections
import contextlib
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from types import CellType, FunctionType, SimpleNamespace
from typing import Any, Protocol

import jax
import jax.core
import numpy as np

from xlapy.domain import randomness, set_iteration_order
from xlapy.domain.builtin_bases import CONTENTS
from xlapy.domain.device_buffers import DeviceBuffer
from xlapy.domain.exception_attributes import ABSENT, INITIALISED, NOTES
from xlapy.domain.growable_lists import Overfull
from xlapy.domain.host_views import shown
from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.domain.recipes import (
    Attribute,
    Bound,
    Built,
    Choice,
    Closure,
    Cut,
    Effect,
    External,
    Known,
    Leaf,
    Made,
    Number,
    OneOf,
    Raised,
    Reconstruction,
    Rows,
    Shared,
    Text,
    View,
)
from xlapy.domain.recipes import Sequence as SequenceRecipe
from xlapy.domain.rooms import fitted
from xlapy.domain.set_iteration_order import SetHistory
from xlapy.domain.values import SHADOWED
from xlapy.interpreter.analyse import Analysis
from xlapy.interpreter.output_reconstruction import assembled
from xlapy.report import Blocker, NotOffloadableError
from xlapy.runtime.codegen import locate
from xlapy.runtime.container_contents import builtin_base, fill
from xlapy.runtime.leaf_makers import extent, number, to_numpy
from xlapy.runtime.output_splitting import Adopted, host_memory
from xlapy.runtime.result_kinds import ResultKind, is_of_the_host
from xlapy.runtime.tracebacks import traceback_of
from xlapy.runtime.transfer_report import outputs_of


def is_plain(recipe: Reconstruction | None, kind: ResultKind) -> bool:
    """Whether JAX itself can put a result together: `jax.Array`s in tuples."""
    match recipe:
        case Leaf():
            return kind.delivers(recipe)
        case Known(value=None):
            return True
        case SequenceRecipe(cls=cls, items=items):
            return cls is tuple and all(is_plain(item, kind) for item in items)
    return False


def plain(recipe: Any, outputs: Sequence) -> Any:
    """The result of a plain recipe, made of outputs (or of tracers)."""
    match recipe:
        case Leaf():
            return outputs[recipe.index]
        case SequenceRecipe():
            return tuple(plain(item, outputs) for item in recipe.items)
    return None


def plainly(recipe: Any) -> Callable[[Sequence], Any]:
    """`plain` of one recipe."""
    return itemgetter(recipe.index) if isinstance(recipe, Leaf) else partial(plain, recipe)


class _Strings(list):
    """A list in a text: with a format of its own, its items are joined."""

    def __format__(self, specification: str) -> str:
        kind, _, separator = specification.partition(":")
        return separator.join(self) if kind == "join" else format(list(self), specification)


class Outputs(Protocol):
    """The outputs of a program, by number; the last one as -1, too."""

    def __getitem__(self, index: int, /) -> Any: ...


class Finisher:
    """Makes Python objects from recipes for one run."""

    def __init__(self, outputs: Outputs, arguments: dict[str, Any], leaf: Callable[[Any, Leaf], Any]) -> None:
        self.outputs, self.arguments, self.leaf = outputs, arguments, leaf
        #: the recipe of the function's result
        self.result: Any = None
        self._made: dict[int, Any] = {}
        #: arrays made so far, by identity: one that is stored in two places stays one
        self._arrays: dict[int, Any] = {}

    def make(self, recipe: Any) -> Any:
        """The object of a recipe."""
        match recipe:
            case Leaf(mutable=0):
                return self.leaf(self.outputs[recipe.index], recipe)
            case Leaf():
                if recipe.mutable not in self._arrays:
                    self._arrays[recipe.mutable] = self.leaf(self.outputs[recipe.index], recipe)
                return self._arrays[recipe.mutable]
            case Cut():
                return cut(recipe, self.outputs, self.leaf)
            case Known():
                return recipe.value
            case External():
                found = locate(recipe.source, self.arguments)
                return _array_of(found) if isinstance(found, DeviceBuffer) else found
            case View():
                if recipe.identity not in self._arrays:
                    base = locate(recipe.source, self.arguments)
                    self._arrays[recipe.identity] = shown(base, recipe.steps, self._start)
                return self._arrays[recipe.identity]
            case SequenceRecipe():
                items = [self.make(item) for item in recipe.items]
                return tuple(items) if recipe.cls is tuple else tuple.__new__(recipe.cls, items)
            case Choice():
                return self.make(recipe.alternatives[self._selector(recipe.selector)])
            case Text():
                host = self if self.leaf is to_host else type(self)(self.outputs, self.arguments, to_host)
                parts = map(host.make, recipe.parts)
                return recipe.template.format(*(_Strings(p) if type(p) is list else p for p in parts))
            case Built():
                return recipe.cls(*map(self._integer, recipe.parts))
            case Shared():
                return self.make(recipe.originals.get(self._selector(recipe.origin), recipe.copy))
            case Number():
                return id(self.make(recipe.of))
            case Bound():
                return self.make(recipe.function).__get__(self.make(recipe.receiver))
            case Made():
                return self._object(recipe)
            case Closure():
                return self._function(recipe)
        raise AssertionError(recipe)

    def _start(self, part: Any) -> int:
        """Where a view starts: a number, or an output."""
        return int(number(self.outputs[part.index])) if isinstance(part, Leaf) else part

    def _selector(self, index: int) -> int:
        return int(_read(self.outputs, index))

    def entries(self, entries: tuple) -> tuple:
        """The entries of a container, which may be one of several."""
        while len(entries) == 1 and isinstance(entries[0], OneOf):
            entries = entries[0].alternatives[self._selector(entries[0].selector)]
        return entries

    def items(self, entries: tuple) -> list:
        """The objects in a list."""
        entries = self.entries(entries)
        if len(entries) == 1 and isinstance(entries[0], Rows):
            rows = entries[0]
            count = int(self.make(rows.length))
            outputs = _Unstacked(self.outputs, count, host=self.leaf is not to_jax)
            column = self._column(rows.item, outputs)
            if column is not None:
                return list(column)
            return [self._at_row(outputs, k).make(rows.item) for k in range(count)]
        if self.leaf is to_jax and all(type(entry) is Leaf and not entry.mutable for entry in entries):
            return [self.outputs[entry.index] for entry in entries]
        return list(map(self._item, entries))

    def _column(self, item: Any, outputs: _Unstacked) -> Sequence | None:
        """The objects of a recipe in all rows: numbers, arrays of JAX's, tuples of such, or one of several such."""
        match item:
            case Known():
                return [item.value] * outputs.count
            case Choice():
                columns = [self._column(part, outputs) for part in item.alternatives]
                known = [column for column in columns if column is not None]
                chosen = _read(outputs.outputs, item.selector)
                if len(known) < len(columns) or not isinstance(chosen, np.ndarray):
                    return None
                return [known[number][k] for k, number in enumerate(chosen[: outputs.count].tolist())]
            case Leaf(mutable=0) if self.leaf is to_jax:
                found = outputs[item.index]
                return found if isinstance(found, list | Adopted) else None
            case Leaf(python=kind) if self.leaf is not to_jax and kind in SCALAR_DTYPES:
                numbers = _read(outputs.outputs, item.index)
                if isinstance(numbers, np.ndarray) and numbers.dtype == SCALAR_DTYPES[kind] and numbers.ndim == 1:
                    return numbers[: outputs.count].tolist()
            case Leaf(mutable=0, python=None) if self.leaf in (to_numpy, to_host) or (
                self.leaf is to_own and item.scalar
            ):
                numbers = _read(outputs.outputs, item.index)
                if isinstance(numbers, np.ndarray) and numbers.ndim == 1:
                    return list(numbers[: outputs.count])
            case SequenceRecipe(items=items) if items and item.cls is tuple:
                columns = [self._column(part, outputs) for part in items]
                known = [column for column in columns if column is not None]
                return list(zip(*known, strict=True)) if len(known) == len(columns) else None
        return None

    def _item(self, entry: Any) -> Any:
        if type(entry) is Leaf and entry.python is not None and not entry.mutable:
            value = self.outputs[entry.index]
            if type(value) in SCALAR_DTYPES:  # one of many, of which Python's numbers are made at once
                return entry.python(value)
        return self.make(entry)

    def pairs(self, entries: tuple) -> Iterator[tuple[Any, Callable[[], Any]]]:
        """The keys in a dict or set, each with what makes its value."""
        entries = self.entries(entries)
        if not (len(entries) == 1 and isinstance(entries[0], Rows)):
            yield from ((self.make(key), partial(self.make, value)) for key, value in entries)
            return
        rows = entries[0]
        key, value = rows.item.items
        count = int(self.make(rows.length))
        keys = _Unstacked(self.outputs, count, host=True)
        values = _Unstacked(self.outputs, count, host=self.leaf is not to_jax)
        host = type(self)(self.outputs, self.arguments, to_host)
        own, held = host._column(key, keys), self._column(value, values)
        if own is not None and held is not None:
            yield from ((key, partial(_same, value)) for key, value in zip(own, held, strict=True))
            return
        for k in range(count):
            yield host._at_row(keys, k).make(key), partial(self._at_row(values, k).make, value)

    def _at_row(self, outputs: _Unstacked, k: int) -> Finisher:
        """A finisher for row k of the outputs."""
        return type(self)(_RowOf(outputs, k), self.arguments, self.leaf)

    def _integer(self, recipe: Any) -> Any:
        made = self.make(recipe)
        return made if made is None or isinstance(made, int) else int(made)

    def _function(self, recipe: Closure) -> Any:
        known = self._made.get(id(recipe))
        if known is not None:
            return known
        missing = [c for c in recipe.cells if isinstance(c, Made) and id(c) not in self._made]
        self._made.update((id(cell), CellType()) for cell in missing)
        cells = tuple(cell.value if isinstance(cell, Known) else self._made[id(cell)] for cell in recipe.cells)
        made = self._made[id(recipe)] = FunctionType(recipe.code, recipe.namespace, recipe.name, None, cells)
        made.__qualname__ = recipe.code.co_qualname
        for cell in missing:
            if "value" in cell.fields:
                self._made[id(cell)].cell_contents = self.make(cell.fields["value"])
        made.__defaults__ = tuple(map(self.make, recipe.defaults)) or None
        made.__kwdefaults__ = {name: self.make(v) for name, v in recipe.kwdefaults.items()} or None
        for name, item in recipe.attributes.items():
            value = self.make(item)
            if name.startswith(SHADOWED):
                made.__dict__[name.removeprefix(SHADOWED)] = value
            elif value is not ABSENT:
                setattr(made, name, value)
        return made

    def _object(self, recipe: Made) -> Any:
        known = self._made.get(id(recipe))
        if known is not None:
            return known
        if recipe.kind == "records":
            parts = {name: self.make(part) for name, part in recipe.fields.items()}
            made = self._made[id(recipe)] = assembled(recipe.cls, parts)
            return made
        if recipe.kind == "instance":
            made = _blank(recipe.cls, self.items(recipe.entries))
            self._made[id(recipe)] = made
            for name, field in recipe.fields.items():
                value = self.make(field)
                if value is ABSENT:
                    continue
                if name == CONTENTS:
                    fill(made, value)
                    if isinstance(made, collections.defaultdict):
                        made.default_factory = value.default_factory
                elif isinstance(made, BaseException) and name in ("args", "__cause__"):
                    setattr(made, name, value)
                elif isinstance(made, tuple) or isinstance(getattr(recipe.cls, name, None), property):
                    made.__dict__[name] = value  # what a property of this name shows
                else:
                    object.__setattr__(made, name, value)
            return made
        if recipe.kind == "tuple":
            made = self._made[id(recipe)] = tuple(self.items(recipe.entries))
            return made
        made = recipe.cls(**{name: self.make(setting) for name, setting in recipe.fields.items() if name == "maxlen"})
        if "default_factory" in recipe.fields:
            made.default_factory = self.make(recipe.fields["default_factory"])
        self._made[id(recipe)] = made
        if recipe.kind == "list":
            made.extend(self.items(recipe.entries))
        elif recipe.kind == "dict":
            for key, value in self.pairs(recipe.entries):
                made[key] = value()
        elif recipe.history is not None and recipe.history.order is None:
            made = self._made[id(recipe)] = set_iteration_order.replayed(recipe.history)
        else:
            made.update(key for key, _ in self.pairs(recipe.entries))
        return made


def cut(recipe: Cut, outputs: Outputs, leaf: Callable[[Any, Leaf], Any]) -> Any:
    """An array of the length that it has."""
    array = outputs[recipe.whole.index]
    if isinstance(array, jax.core.Tracer):
        blocker = Blocker("XP0013", "the size of the result depends on data, under a JAX transformation")
        raise NotOffloadableError("the function", [blocker])
    key = extent(recipe, outputs)
    memory = host_memory(array)
    whole = np.asarray(array) if memory is None else memory
    made = whole[key]
    if leaf is not to_jax and recipe.whole.python is None:
        return made.copy()
    is_most = 2 * made.size >= whole.size  # a small part does not keep all of the memory
    if memory is not None:
        made = np.ascontiguousarray(made) if is_most else made.copy()
        return leaf(Adopted(made[np.newaxis])[0], recipe.whole)
    with jax.enable_x64(True):
        return leaf(jax.device_put(made, may_alias=is_most), recipe.whole)


class _Unstacked:
    """The first rows of each output, of which there are `count`: each is taken apart once, when it is first asked for.

    JAX takes 5 to 20 µs for each row, 70 for one at a time, and compiles a program for every length; a row that is
    taken from the memory of an array on a CPU costs 4.
    """

    def __init__(self, outputs: Outputs, count: int, host: bool) -> None:
        self.outputs, self.count, self.host, self.rows = outputs, count, host, {}
        self.read: dict[int, Any] = {}

    def __getitem__(self, index: int) -> Any:
        if index not in self.rows:
            self.rows[index] = self._unstacked(self.outputs[index])
        return self.rows[index]

    def _unstacked(self, array: Any) -> Any:
        if self.host:
            return np.asarray(array)
        if isinstance(array, jax.core.Tracer):
            return array
        memory = host_memory(array)
        if memory is not None:
            # the rows of a copy: what is left of a large room is given back
            return Adopted(np.array(memory[: self.count]))
        with jax.enable_x64(True):
            if array.shape[0] > 4 * self.count + 64:
                return jax.device_put(list(np.asarray(array)[: self.count]), array.sharding)
            return list(array)


def _read(outputs: Outputs, index: int) -> Any:
    """An output that only the host looks at: no array is made of a row of it."""
    if isinstance(outputs, _RowOf):
        rows = outputs.outputs
        if index not in rows.read:
            rows.read[index] = _read(rows.outputs, index)
        return rows.read[index][outputs.row]
    found = outputs[index]
    return found if isinstance(found, jax.core.Tracer) else np.asarray(found)


class _RowOf:
    """One row of each output."""

    def __init__(self, outputs: _Unstacked, row: int) -> None:
        self.outputs, self.row = outputs, row

    def __getitem__(self, index: int) -> Any:
        return self.outputs[index][self.row]


def _array_of(buffer: DeviceBuffer) -> Any:
    """The device array that shows all of a buffer."""
    owner = buffer.owner() if buffer.owner is not None else None
    return owner if owner is not None else buffer.operand


def _blank(cls: type, items: list) -> Any:
    if issubclass(cls, tuple):
        return tuple.__new__(cls, items)
    base: Any = cls if issubclass(cls, BaseException | SimpleNamespace) else builtin_base(cls)
    return base.__new__(cls)


def _change(target: set, made: set, steps: list[SetHistory] | None) -> None:
    """Give a set other members as the program has: the order of a set depends on how it came about."""
    if steps is not None:
        for step in steps:
            set_iteration_order.done(step, target)
        return
    for member in set(target):
        if member not in made:
            set.discard(target, member)
    for member in made:
        set.add(target, member)


def _same(value: Any) -> Any:
    return value


def to_jax(value: Any, leaf: Leaf) -> Any:
    """Results stay `jax.Array`s."""
    return value


def to_own(value: Any, leaf: Leaf) -> Any:
    """Each result is what CPython would have: a `jax.Array` where JAX would have made it."""
    if isinstance(value, jax.core.Tracer):
        return value
    if is_of_the_host(leaf):
        return to_numpy(value, leaf)
    with jax.enable_x64(True):
        return value if isinstance(value, jax.Array) else jax.numpy.asarray(value)


#: what makes objects of outputs, by the kind of results
LEAF_MAKERS = {ResultKind.JAX: to_jax, ResultKind.NUMPY: to_numpy, ResultKind.OWN: to_own}


def to_host(value: Any, leaf: Leaf) -> Any:
    """Parts of messages: as CPython would have printed them."""
    return to_numpy(value, leaf)


def finish(analysis: Analysis, outputs: Outputs, arguments: dict[str, Any], leaf: Callable) -> Any:
    """What was printed, then errors, then effects, then the result."""
    if analysis.guesses:
        check_room(analysis, outputs)
    if analysis.prints:
        write_texts(analysis, outputs, arguments)
    if analysis.errors:
        raise_errors(analysis, outputs, arguments)
    finisher = Finisher(outputs, arguments, leaf)
    finisher.result = analysis.result
    result = finisher.make(analysis.result)
    if analysis.effects:
        apply_effects(analysis.effects, finisher, arguments)
    return result


def write_texts(analysis: Analysis, outputs: Outputs, arguments: dict[str, Any]) -> None:
    """Print what the program prints, show its warnings, and handle its log records."""
    finisher = Finisher(outputs, arguments, to_host)
    for text in finisher.items(analysis.prints):
        if isinstance(text, str):
            print(text, end="")
        elif text is not None:  # a line that another path has
            _SHOWN[text[0]](*text[1:])


def _to_stderr(text: str) -> None:
    print(text, end="", file=sys.stderr)


def _log(
    logger: logging.Logger | None, level: int, message: Any, args: tuple, filename: str, line: int, function: str
) -> None:
    if logger is None:
        logger = logging.getLogger()
        if not logger.handlers:
            logging.basicConfig()
    if logger.isEnabledFor(level):
        logger.handle(logger.makeRecord(logger.name, level, filename, line, message, args, None, function))


def _warn(category: type, message: str, filename: str, line: int, module: str) -> None:
    known = getattr(sys.modules.get(module), "__dict__", {})
    registry = known.setdefault("__warningregistry__", {})
    warnings.warn_explicit(message, category, filename, line, module, registry)


#: what is done with a line that is more than a text
_SHOWN: dict[str, Callable] = {"warning": _warn, "stderr": _to_stderr, "log": _log}


def check_room(analysis: Analysis, outputs: Outputs) -> None:
    """Raise `Overfull` if a list grew beyond the room that was guessed for it."""
    raised = _met(analysis, outputs)
    if raised is not None and issubclass(raised.cls, Overfull):
        raise exception_of(raised, outputs, {})


def _met(analysis: Analysis, outputs: Outputs) -> Raised | None:
    """The exception that the program met."""
    met = number(outputs[-1]) if analysis.errors else 0
    return analysis.errors[met - 1] if met else None


def meets_an_error(analysis: Analysis, outputs: Outputs) -> bool:
    """Whether the program met an exception, other than that a list had too little room."""
    raised = _met(analysis, outputs)
    return raised is not None and not issubclass(raised.cls, Overfull)


def raise_errors(analysis: Analysis, outputs: Outputs, arguments: dict[str, Any]) -> None:
    """Raise the exception that the program met, if it met one."""
    raised = _met(analysis, outputs)
    if raised is not None:
        raise exception_of(raised, outputs, arguments)


def exception_of(raised: Raised, outputs: Outputs, arguments: dict[str, Any]) -> BaseException:
    """An exception that a program raises, with a traceback that ends where it does."""
    error = make_exception(raised.cls, raised.parts, outputs, arguments)
    return error.with_traceback(traceback_of(raised.location))


def make_exception(cls: type[BaseException], args: tuple, outputs: Outputs, arguments: dict[str, Any]) -> BaseException:
    """The exception object, as CPython would have made it."""
    finisher = Finisher(outputs, arguments, to_host)
    values = tuple(finisher.make(a) for a in args if not isinstance(a, Attribute))
    attributes = {part.name: finisher.make(part.reconstruction) for part in args if isinstance(part, Attribute)}
    initialised = INITIALISED in attributes
    attributes.pop(INITIALISED, None)
    try:
        error = cls.__new__(cls, *values) if initialised else cls(*values)
    except TypeError:
        error, initialised = cls.__new__(cls), True
    if initialised:
        error.args = values
    for name, value in attributes.items():
        if value is ABSENT:
            continue
        object.__setattr__(error, name, list(value) if name == NOTES else value)
    return error


def apply_effects(effects: list[Effect], finisher: Finisher, arguments: dict[str, Any]) -> None:
    """Change the caller's world. Everything is made before anything is changed."""
    ready = []
    writable = Writable(finisher)
    for effect in effects:
        target = locate(effect.source, arguments) if effect.kind != "cell" else effect.source.key[0].item
        if isinstance(target, DeviceBuffer):
            made = finisher.outputs[effect.reconstruction.index]
        elif effect.kind == "buffer":
            made = np.asarray(finisher.outputs[effect.reconstruction.index])
        elif effect.reconstruction is None:
            made = None
        else:
            made = writable.make(effect.reconstruction)
        ready.append((effect, target, made))
    for effect, target, made in ready:
        if isinstance(target, DeviceBuffer):
            shared = effect.reconstruction.index in outputs_of(finisher.result)
            target.replace(made, shared)
        else:
            _apply(effect, target, made)


class Writable:
    """Makes what is stored in the caller's objects: arrays that NumPy code may write to, and Python numbers."""

    def __init__(self, finisher: Finisher) -> None:
        self.inner = Finisher(finisher.outputs, finisher.arguments, to_own)
        self.inner._made = finisher._made

    def make(self, recipe: Any) -> Any:
        """The object of a recipe."""
        return self.inner.make(recipe)


def _apply(effect: Effect, target: Any, made: Any) -> None:
    gone = effect.reconstruction is None or made is ABSENT
    match effect.kind:
        case "buffer":
            target[...] = fitted(made, target.shape)
        case "set" if isinstance(target, set):
            recipe: Any = effect.reconstruction
            _change(target, made, recipe.steps)
        case "list" | "dict" | "set" if effect.name == "<items>":
            fill(target, made)
        case "random" if effect.reconstruction is None:
            randomness.advance(target)
        case "random":
            randomness.reseed(target, made)
        case "globals":
            if gone:
                target.pop(effect.name, None)
            else:
                target[effect.name] = made
        case "cell":
            if gone:
                with contextlib.suppress(ValueError):
                    del target.cell_contents
            else:
                target.cell_contents = made
        case "class" | "function":
            if gone:
                if effect.name in vars(target):
                    delattr(target, effect.name)
            else:
                setattr(target, effect.name, made)
        case _:
            if gone:
                with contextlib.suppress(AttributeError):  # it may not have had it
                    object.__delattr__(target, effect.name)
            else:
                object.__setattr__(target, effect.name, made)
