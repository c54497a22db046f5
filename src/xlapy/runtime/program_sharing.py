"""A function that is made anew whenever a line is run is the same program: its code is the same, its cells are others.

    for x, y in batches:
        def loss(w):
            return ((x @ w - y) ** 2).mean()
        w -= 0.1 * np.asarray(xlapy.grad(loss)(w))

Every trip makes a function `loss` with cells of its own, and `xlapy.grad` another one around it. What a program knows
of functions and cells is that they are these, and where it found them. It holds for others as well if these are put in
the place of the old ones wherever they occur: in the chains by which inputs are found, and in the guards, which are
then checked for the call at hand. Where a program knows more of them (it returns one, or writes to it), it stays.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import threading
import types
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from xlapy.domain.sources import Anchor, Source
from xlapy.interpreter.analyse import Analysis
from xlapy.interpreter.caller_environment import Guard
from xlapy.interpreter.definitions import is_taken_as_it_is
from xlapy.runtime.codegen import locate
from xlapy.runtime.guards import READING_ERRORS

if TYPE_CHECKING:
    from xlapy.runtime.cache import Cache
    from xlapy.runtime.specialisation import Specialisation

#: how many codes are remembered, and how many functions of each whose programs were compiled
_CODES, _FUNCTIONS = 16, 4
#: with functions among the values of cells, as `xlapy.grad` has them
_known: OrderedDict[tuple, list[Cache]] = OrderedDict()
_lock = threading.Lock()


# -- functions with the same code -------------------------------------------------------------------------------------


def _key(function: types.FunctionType) -> tuple | None:
    """What functions that may have a program in common share; None where there is one such function for good."""
    if not function.__code__.co_flags & inspect.CO_NESTED:
        return None
    inner = [found for found in map(_contents, function.__closure__ or ()) if isinstance(found, types.FunctionType)]
    return (function.__code__, *(f.__code__ for f in inner))


def remember(cache: Cache) -> None:
    """Programs of `cache` may serve functions with the same code."""
    key = _key(cache.function)
    if key is None:
        return
    with _lock:
        caches = [c for c in _known.pop(key, []) if c is not cache]
        _known[key] = [cache, *caches][:_FUNCTIONS]
        while len(_known) > _CODES:
            _known.popitem(last=False)


def forget(cache: Cache) -> None:
    """Nor may programs that `cache` had be found again."""
    key = _key(cache.function)
    with _lock:
        if key in _known:
            _known[key] = [c for c in _known[key] if c is not cache]


def forget_all() -> None:
    """No function has a program that may serve another one."""
    with _lock:
        _known.clear()


def relatives(cache: Cache) -> list[Cache]:
    """Other functions with the code of this one and compiled in the same way."""
    key = _key(cache.function)
    if key is None:
        return []
    with _lock:
        found = list(_known.get(key, ()))
    return [c for c in found if c is not cache and c.policy == cache.policy]


# -- what stands for what ---------------------------------------------------------------------------------------------


class Moves:
    """Which functions and cells are in the place of which."""

    def __init__(self) -> None:
        self._new: dict[int, object] = {}
        self._old: dict[int, object] = {}
        self._sources: dict[Source, Source] = {}
        #: the old ones in whose place there is another now
        self.changed: dict[int, object] = {}

    def add(self, old: object, new: object) -> bool:
        """`new` is in the place of `old`; False if that contradicts what is known."""
        if id(old) in self._new:
            return self._new[id(old)] is new
        if id(new) in self._old:
            return False
        if isinstance(old, types.FunctionType) and old is not new:
            if not isinstance(new, types.FunctionType) or old.__code__ is not new.__code__:
                return False
            if old.__globals__ is not new.__globals__ or is_taken_as_it_is(old) or is_taken_as_it_is(new):
                return False
        self._new[id(old)], self._old[id(new)] = new, old
        if old is not new:
            self.changed[id(old)] = old
        if isinstance(old, types.FunctionType) and isinstance(new, types.FunctionType):
            cells = zip(old.__closure__ or (), new.__closure__ or (), strict=True)
            return all(_is_empty(a) == _is_empty(b) and self.add(a, b) for a, b in cells)
        return True

    def item(self, old: object) -> object:
        """What is in the place of an object."""
        return self._new.get(id(old), old)

    def source(self, source: Source) -> Source:
        """The same chain from what is there now."""
        found = self._sources.get(source)
        if found is None:
            base = None if source.base is None else self.source(source.base)
            key = self._key(source.key)
            same = base is source.base and key is source.key
            found = self._sources[source] = source if same else Source(source.kind, key, base)
        return found

    def _key(self, key: object) -> object:
        if isinstance(key, Anchor):
            new = self.item(key.item)
            return key if new is key.item else Anchor(new)
        if isinstance(key, tuple) and key and isinstance(key[0], Anchor):
            first = self._key(key[0])
            return key if first is key[0] else (first, *key[1:])
        return key

    def guard(self, guard: Guard) -> Guard:
        """The same assumption of what is there now."""
        value = guard.value
        if isinstance(value, Source):
            value = self.source(value)
        elif guard.kind == "is":
            value = self.item(value)
        return Guard(guard.kind, self.source(guard.source), value)

    def is_known_as_another(self, item: object) -> bool:
        """Whether an object that stays where it is has come to another place as well."""
        return id(item) in self._old and id(item) not in self._new


def moves(entry: Specialisation, old: types.FunctionType, new: types.FunctionType, named: dict) -> Moves | None:
    """What is in the place of what, if the program of `old` is to be that of `new` for arguments by name. None if that
    cannot be, or if nothing has changed."""
    found = Moves()
    if not found.add(old, new):
        return None
    for guard in entry.guards:
        if guard.kind != "is" or not isinstance(guard.value, types.FunctionType):
            continue
        try:
            now = locate(found.source(guard.source), named)
        except READING_ERRORS:
            return None
        if not found.add(guard.value, now):
            return None
    if not found.changed or not _is_whole(found, entry):
        return None
    return found


def _is_whole(found: Moves, entry: Specialisation) -> bool:
    """Whether all that the program knows of the old ones is where they are found."""
    for item in {id(item): item for source in _sources(entry) for item in _anchored(source)}.values():
        if found.is_known_as_another(item) or id(item) not in found.changed and mentions(item, found.changed):
            return False
    for guard in entry.guards:
        moved = guard.kind == "is" and id(guard.value) in found.changed
        if guard.kind == "gives" or not moved and not isinstance(guard.value, Source):
            if mentions(guard.value, found.changed):
                return False
    return not any(mentions(outcome_of(analysis), found.changed) for analysis in entry.numbered)


def outcome_of(analysis: Analysis) -> tuple:
    """What a program leaves behind."""
    return analysis.result, analysis.effects, analysis.errors, analysis.prints, analysis.raises


def mentions(value: object, objects: dict[int, object]) -> bool:
    """Whether one of the functions and cells `objects` occurs in a part of a program's outcome, or in what it knows."""
    return any(id(part) in objects for part in _parts(value))


def _sources(entry: Specialisation) -> Iterator[Source]:
    yield from entry.sources
    for guard in entry.guards:
        yield guard.source
        if isinstance(guard.value, Source):
            yield guard.value


def _anchored(source: Source | None) -> Iterator[object]:
    """The objects from which a chain starts."""
    while source is not None:
        key = source.key[0] if isinstance(source.key, tuple) and source.key else source.key
        if isinstance(key, Anchor):
            yield key.item
        source = source.base


def _parts(value: object, seen: set[int] | None = None) -> Iterator[object]:
    """An object and what is in it, as far as programs look into it."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    yield value
    inner: Iterable[object] = ()
    if isinstance(value, dict):
        inner = [*value, *value.values()]
    elif isinstance(value, tuple | list | set | frozenset):
        inner = list(value)
    elif isinstance(value, Source):
        inner = list(_anchored(value))
    elif isinstance(value, functools.partial):
        inner = [value.func, value.args, value.keywords]
    elif isinstance(value, types.MethodType):
        inner = [value.__func__, value.__self__]
    elif isinstance(value, types.FunctionType):
        inner = value.__closure__ or ()
    elif dataclasses.is_dataclass(value) and type(value).__module__.startswith("xlapy."):
        inner = [getattr(value, f.name) for f in dataclasses.fields(value)]
    for part in inner:
        yield from _parts(part, seen)


def _contents(cell: types.CellType) -> object:
    """What a cell holds, or None."""
    return None if _is_empty(cell) else cell.cell_contents


def _is_empty(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False
